"""The tables in this process's memory, and what vouches for them."""

import asyncio
from collections import OrderedDict

from server.hints import Hints
from server.hub import Hub
from server.metrics import CACHED_TABLES
from server.problems import Problem
from server.snapshots import encode_snapshot, fold, restored
from server.store import Store, StoreAway, Stored
from server.table.events import Entry, decode_entry
from server.table.evolve import evolve
from server.table.state import TableState

TABLES_HELD = 5_000

AGAIN_SECONDS = 0.5
"""When a table that somebody waits for is read again after Redis did not answer."""


class HeldTable:
    """A table in memory. Whoever changes it holds `lock`. waking: its due work is being done here.

    appending: a change made here is on its way; act: the one that led to its state; presence_at: when to look next
    whether its humans are still connected, in milliseconds since 1970; ahead: a moment of its state that was yet to
    come, and when that was seen.
    """

    def __init__(self, state: TableState, act: str) -> None:
        self.state = state
        self.act = act
        self.lock = asyncio.Lock()
        self.waking = False
        self.appending = False
        self.presence_at = 0
        self.ahead: tuple[int, int] | None = None
        self._last: bytes | None = None
        self._hinted = 0
        self._vouched = False
        self._reading = False

    @property
    def fresh(self) -> bool:
        """Whether the state is the newest, as far as hints tell."""
        return self._vouched and not self._reading and self.state.version >= self._hinted

    @property
    def followed(self) -> bytes | None:
        """The last event as stored, when a hint that there is more is all that speaks against the state; else None."""
        return self._last if self._vouched and not self._reading else None

    def hint(self, version: int) -> None:
        """A hint told of this version."""
        self._hinted = max(self._hinted, version)

    def told_of_another(self, version: int) -> bool:
        """Whether a hint of this version tells of another process's change."""
        # The hint of our own change may come before the reply, or after it was waited for in vain; of another's, the
        # append will tell, or the next look at the table.
        return version > self.state.version and not self.appending and self._vouched

    def suspect(self) -> None:
        """There may be more than was heard of: somebody has seen it, or an append found it."""
        self._hinted = max(self._hinted, self.state.version + 1)

    def doubt(self) -> None:
        """A hint may have been missed, or what came of an append is not known."""
        self._vouched = False

    def reading(self, vouched: bool) -> None:
        """The state is being read anew, and is not the newest until it has been; hints count from now."""
        self._reading = True
        self._hinted = 0
        self._vouched = vouched

    def moved_to(self, state: TableState, act: str, last: bytes | None = None) -> None:
        """This state was read, or stored by this process; `last` is the last event as stored, where it was seen."""
        self._reading = False
        self.state = state
        self.act = act
        self._last = last


class HeldTables:
    """Loads tables, keeps the most used, and hears when one has changed elsewhere."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self._held: OrderedDict[str, HeldTable] = OrderedDict()
        self._looking: dict[str, asyncio.Task[None]] = {}
        self.hints: Hints | None = None

    def __len__(self) -> int:
        return len(self._held)

    async def get(self, table_id: str) -> HeldTable:
        """The table, loaded if need be; Problem `no_such_table` if there is none. See `current` for its state."""
        held = self._held.get(table_id)
        if held is not None:
            self._held.move_to_end(table_id)
            return held
        assert self.hints is not None, "hints are set before tables are served"
        self.hints.subscribe(table_id)
        stored = await self._store.load(table_id)
        held = self._held.get(table_id)
        if held is not None:
            return held
        if stored is None:
            self.hints.unsubscribe(table_id)
            raise _no_such_table()
        state = await self._read(table_id, stored)
        held = self._held.get(table_id)
        if held is not None:
            return held
        self._evict()
        self.hints.subscribe(table_id)  # again: a look that found nothing may have given it up meanwhile
        held = self._held[table_id] = HeldTable(state, stored.act)
        CACHED_TABLES.set(len(self._held))
        return held

    async def exists(self, table_id: str) -> bool:
        """Whether there is such a table."""
        return table_id in self._held or await self._store.load(table_id) is not None

    async def peek(self, table_id: str) -> TableState | None:
        """The table's state without keeping it in memory; None if there is none."""
        held = self._held.get(table_id)
        if held is not None and self.fresh(held):
            return held.state
        stored = await self._store.load(table_id)
        return None if stored is None else await self._read(table_id, stored)

    def fresh(self, held: HeldTable) -> bool:
        """Whether the state is the newest for all that is heard, and the subscription that would tell stands."""
        return held.fresh and self.hints is not None and self.hints.vouches(held.state.id)

    async def current(self, held: HeldTable) -> TableState:
        """The table as it is now, read again if anything newer may be stored. The caller holds `held.lock`."""
        if self.fresh(held):
            return held.state
        before = held.state
        assert self.hints is not None
        vouched = self.hints.vouches(before.id)
        last = held.followed if vouched else None
        held.reading(vouched)
        if last is not None and await self._catch_up(held, last):
            return held.state
        stored = await self._store.load(before.id)
        if stored is None:
            self._forget(before.id)
            self._hub.end(before.id)
            raise _no_such_table()
        state = await self._read(before.id, stored)
        held.moved_to(state, stored.act, next((data for number, data in stored.last if number == state.version), None))
        if self._hub.watched(before.id) and held.state != before:
            await self._tell(before, held.state)
        return held.state

    async def _catch_up(self, held: HeldTable, last: bytes) -> bool:
        """Read only what came after the last event, much less than the whole; False if that does not lead on.

        The last event is read again: after a failover its number may have come again with another one. The act that
        led here is known from the stream if it begins in what is read, as it does when anything is new.
        """
        before = held.state
        events, act = await self._store.since(before.id, before.version)
        if not act or [number for number, _ in events] != list(range(before.version, before.version + len(events))):
            return False
        if events[0][1] != last:
            return False
        entries = [decode_entry(data) for _, data in events[1:]]
        held.moved_to(_after(before, entries), act, events[-1][1])
        if entries:
            self._hub.publish(held.state, before.version + 1, entries)
        return True

    def follow(self, table_id: str) -> None:
        """Somebody waits for the table from now on: make good what hints may have missed until they are heard."""
        held = self._held.get(table_id)
        if held is not None and not self.fresh(held):
            self._look_again(held)

    def on_hint(self, table_id: str, version: int) -> bool:
        """A table has changed; whether that is news, as it is not when it was changed here."""
        held = self._held.get(table_id)
        if held is None:
            return False
        held.hint(version)
        if not held.fresh:
            self._look_again(held)
        return held.told_of_another(version)

    def on_gap(self) -> None:
        """Hints may have been lost: doubt everything, look again at what is watched."""
        for held in self._held.values():
            held.doubt()
            self._look_again(held)

    def _look_again(self, held: HeldTable) -> None:
        table_id = held.state.id
        if table_id not in self._looking and self._hub.watched(table_id):
            self._looking[table_id] = asyncio.create_task(self._refresh(held), name=f"refresh {table_id}")

    async def _refresh(self, held: HeldTable) -> None:
        """Read the table until it is fresh; whoever waits for it learns what is new. Ends when nobody waits."""
        table_id = held.state.id
        assert self.hints is not None
        try:
            while self._held.get(table_id) is held and self._hub.watched(table_id) and not self.fresh(held):
                try:
                    await self.hints.ready(table_id)
                    async with held.lock:
                        await self.current(held)
                except StoreAway:
                    await asyncio.sleep(AGAIN_SECONDS)
        except Problem:
            pass  # the table is gone
        finally:
            del self._looking[table_id]

    async def _read(self, table_id: str, stored: Stored) -> TableState:
        state = restored(stored)
        if state is None:
            state = fold(data for number, data in await self._store.events(table_id) if number <= stored.version)
            if state is None:
                raise _no_such_table()
            await self._store.replace_snapshot(table_id, stored.version, encode_snapshot(state))
        return state

    async def _tell(self, before: TableState, after: TableState) -> None:
        """Tell the events between; a whole view if they do not lead there, as after a failover that lost some."""
        count = after.version - before.version
        if count > 0:
            try:
                stored = await self._store.events(before.id, before.version, count)
            except StoreAway:
                stored = []  # it is known what the table is, not how it came to be so
            entries = [decode_entry(data) for _, data in stored]
            if _leads(before, [number for number, _ in stored], entries, after):
                self._hub.publish(after, before.version + 1, entries)
                return
        self._hub.resync(after)

    def _evict(self) -> None:
        while len(self._held) >= TABLES_HELD:
            for table_id, held in self._held.items():
                if not (held.lock.locked() or held.waking or self._hub.watched(table_id)):
                    self._forget(table_id)
                    break
            else:
                return

    def _forget(self, table_id: str) -> None:
        self._held.pop(table_id, None)
        if self.hints is not None:
            self.hints.unsubscribe(table_id)
        CACHED_TABLES.set(len(self._held))


def _leads(before: TableState, numbers: list[int], entries: list[Entry], after: TableState) -> bool:
    if numbers != list(range(before.version + 1, after.version + 1)):
        return False
    return _after(before, entries) == after


def _after(state: TableState, entries: list[Entry]) -> TableState:
    for entry in entries:
        state = evolve(state, entry.event, entry.at)
    return state


def _no_such_table() -> Problem:
    return Problem("no_such_table", "There is no table with this id; it may have been closed long ago.")
