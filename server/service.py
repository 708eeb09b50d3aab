"""Tables as this process serves them: load, decide, append, tell. The order never changes.

What a process holds of a table is a cache, vouched for by its subscription to the table's hints. Every append names
the version it follows on, so an outdated cache costs a second try and never an event.
"""

import asyncio
import functools
import math
import random
import secrets
from collections.abc import Awaitable, Callable

from server.clock import Clock
from server.held import HeldTable, HeldTables
from server.hub import Hub
from server.lobby import Lobby
from server.metrics import ACTIONS, APPEND_ROUND_TRIPS, CONFLICTS
from server.presence import Presence
from server.problems import Problem
from server.snapshots import encode_snapshot, snapshot_of
from server.store import Append, Store, StoreAway
from server.table.actions import Action
from server.table.change import Caller, Change, Refusal
from server.table.decide import decide
from server.table.events import Created, Entry, SeatChanged, encode_entry
from server.table.rematch import next_table
from server.table.state import TableState

MOST_LISTED = 200
"""Tables of a player that are looked at."""

TRIES = 50
"""How often an action is decided again when others act at the same table at the same time."""

LONGEST_STEPS = 20
"""Milliseconds that such a new try waits at the most."""

LEAST_KEPT = 30 * 86_400
"""Seconds that a table which is not over is kept at the least: a pause with everybody there changes nothing."""

_actions = functools.cache(ACTIONS.labels)
"""Looking a label up costs more than counting."""


class Lifetimes:
    """How long a table is kept after its last change, in seconds.

    idle: when a game without anybody is closed. That ends it; until then whoever is there may take their time.
    """

    def __init__(self, idle: float, finished: float) -> None:
        self._playing = max(2 * math.ceil(idle), LEAST_KEPT)
        self._finished = math.ceil(finished)

    def of(self, state: TableState) -> int:
        return self._finished if state.phase == "over" else self._playing


class Tables:
    """The one door to the tables: everything that changes one goes through here."""

    def __init__(
        self,
        *,
        store: Store,
        held: HeldTables,
        hub: Hub,
        lobby: Lobby,
        presence: Presence,
        clock: Clock,
        lifetimes: Lifetimes,
        announce: Callable[[TableState], Awaitable[None] | None],
        changed: Callable[[HeldTable], None],
        overtaken: Callable[[str], None],
        uncertain: Callable[[str], None],
    ) -> None:
        self._store = store
        self._held = held
        self._hub = hub
        self._lobby = lobby
        self._presence = presence
        self._clock = clock
        self._lifetimes = lifetimes
        self._announce = announce
        self._changed = changed
        self._overtaken = overtaken
        self._uncertain = uncertain

    async def create(self, event: Created) -> TableState:
        """Make a table; one of this id that exists already is left as it is."""
        at = self._clock()
        change = Change.first(event, at)
        entries = [Entry(at, event)]
        await self._store.create(
            event.id,
            [encode_entry(entry) for entry in entries],
            encode_snapshot(change.state),
            secrets.token_hex(8),
            self._lifetimes.of(change.state),
        )
        await self._lobby.follow(change)
        held = await self._held.get(event.id)
        self._changed(held)
        return held.state

    async def state(self, table_id: str, least: int = 0) -> TableState:
        """The table as it is now; Problem `no_such_table` if there is none.

        `least`: a version that the caller has seen, perhaps from another process whose hint is still under way.
        """
        held = await self._held.get(table_id)
        if self._held.fresh(held) and held.state.version >= least:
            return held.state
        async with held.lock:
            if held.state.version < least:
                held.suspect()
            return await self._held.current(held)

    async def visit(self, table_id: str, caller: Caller | None) -> TableState:
        """The table as it is now; if the caller sits there, everybody learns that it is connected."""
        state = await self.state(table_id)
        if caller is None:
            return state
        await self._presence.heard(caller.player)
        seat = state.seat_of(caller.player)
        if seat is not None and not state.seats[seat].connected and state.phase != "over":
            await self.commit(table_id, lambda now: _connected(now, caller, self._clock()))
            state = await self.state(table_id)
        return state

    async def changed(self, state: TableState, seconds: float) -> TableState:
        """The table once it has moved on from `state`, or as it is after so many seconds."""
        newest = await self.state(state.id)
        if newest.version != state.version:
            return newest  # it moved on while the caller was being noted
        self._held.follow(state.id)
        await self._hub.changed(state.id, seconds)
        return await self.state(state.id)

    async def of_player(self, player: str) -> list[TableState]:
        """The tables on a player's list, newest first; those that are gone leave it."""
        found = []
        for table_id in await self._store.tables_of(player, MOST_LISTED):
            state = await self._held.peek(table_id)
            if state is None:
                await self._store.unseated(player, table_id)
            else:
                found.append(state)
        return found

    async def check_open(self, player: str, most: int) -> None:
        """Problem `too_many_tables` when the player sits at `most` tables that are not over."""
        if await self._store.count_tables(player) < most:
            return
        tables = await self.of_player(player)
        seated = sum(state.phase != "over" and state.seat_of(player) is not None for state in tables)
        if seated >= most:
            raise Problem("too_many_tables", f"You sit at {seated} open tables; leave one first.", retry_after=60)

    async def rename(self, player: str, name: str) -> None:
        """Show a player's new name at the tables that are not over."""

        def renamed(state: TableState) -> Change | None:
            seat = state.seat_of(player)
            if seat is None or state.phase == "over" or state.seats[seat].name == name:
                return None
            change = Change(state, self._clock())
            change.add(SeatChanged(seat=seat, name=name))
            return change

        for state in await self.of_player(player):
            await self.commit(state.id, renamed)

    async def act(
        self, table_id: str, caller: Caller, action: Action, key: str | None = None, if_match: int | None = None
    ) -> TableState:
        """Do what the caller, who is visiting, asks; the table afterwards.

        With `key` a repeat changes nothing. Raises Problem for what is not possible, with the table's version.
        """
        name = action.__struct_config__.tag
        scoped = None if key is None else f"{caller.player}:{key}"

        def decided(state: TableState) -> Change:
            if if_match is not None and if_match != state.version:
                raise Refusal("version_moved", f"The table is at version {state.version}, not {if_match}.")
            return decide(state, caller, action, self._clock())

        try:
            state, outcome = await self._commit(table_id, decided, scoped)
        except Refusal as refusal:
            state = await self.state(table_id)
            if scoped is None or not await self._store.seen(table_id, scoped):
                _actions(name, "refused").inc()
                raise Problem(
                    refusal.code,
                    refusal.detail,
                    version=state.version,
                    field=refusal.field,
                    legal=refusal.legal or None,
                ) from None
            outcome = "repeated"
            self._uncertain(table_id)
            if state.seat_of(caller.player) is None and not state.open_to_spectators:
                raise Problem("no_spectators", "You have left this table, and it has no spectators.") from None
        _actions(name, "accepted" if outcome == "appended" else outcome).inc()
        await self.make_next(state)
        return state

    async def commit(self, table_id: str, decided: Callable[[TableState], Change | None]) -> TableState:
        """Store what `decided` makes of the table as it is, deciding again when others came first.

        `decided` answers None when there is nothing (left) to do.
        """
        return (await self._commit(table_id, decided, None))[0]

    async def make_next(self, state: TableState) -> None:
        """Make the table of a rematch that is settled. Whoever finds it settled may do so: the first one counts."""
        if state.next_table is not None and not await self._held.exists(state.next_table):
            await self.create(next_table(state, secrets.token_bytes(32)))

    async def _commit(
        self, table_id: str, decided: Callable[[TableState], Change | None], key: str | None
    ) -> tuple[TableState, str]:
        held = await self._held.get(table_id)
        async with held.lock:
            refused = 0
            for tried in range(TRIES):
                state = await self._held.current(held)
                try:
                    change = decided(state)
                except Refusal:
                    if refused == state.version:
                        raise
                    # The caller may have seen what this process has not heard of yet: refuse only what is so.
                    refused = state.version
                    held.suspect()
                    continue
                if change is None or not change.events:
                    return state, "repeated"
                appended = await self._append(held, change, key)
                if appended.outcome == "appended":
                    break
                held.suspect()
                if appended.outcome == "repeated":
                    return await self._held.current(held), "repeated"
                CONFLICTS.inc()
                # In step with others one may lose every time: fall out of step, the more the longer it goes on.
                await asyncio.sleep(random.random() * min(tried, LONGEST_STEPS) / 1000)
            else:
                raise Problem("conflict", "Others act at this table all the time; try again.", retry_after=1)
        await self._lobby.follow(change)
        return held.state, "appended"

    async def _append(self, held: HeldTable, change: Change, key: str | None) -> Append:
        entries = [Entry(change.at, event) for event in change.events]
        APPEND_ROUND_TRIPS.inc()
        act = secrets.token_hex(8)
        stored = [encode_entry(entry) for entry in entries]
        appending = self._store.append(
            change.state.id,
            change.before.version,
            stored,
            snapshot_of(change),
            act,
            key,
            self._lifetimes.of(change.state),
            on=held.act,
        )
        announcing = self._announce(change.state)
        held.appending = True
        try:
            if announcing is None:
                appended = await appending
            else:
                _, appended = await asyncio.gather(announcing, appending)  # leave together, in this order
        except StoreAway:
            held.doubt()
            self._uncertain(held.state.id)
            raise
        finally:
            held.appending = False
        if appended.outcome == "appended":
            held.moved_to(change.state, act, stored[-1])
            self._hub.publish(change.state, change.before.version + 1, entries)
            self._changed(held)
        elif appended.outcome == "repeated":
            self._uncertain(held.state.id)
        else:
            self._overtaken(held.state.id)
        return appended


def _connected(state: TableState, caller: Caller, at: int) -> Change | None:
    seat = state.seat_of(caller.player)
    if seat is None or state.seats[seat].connected:
        return None
    change = Change(state, at)
    change.add(SeatChanged(seat=seat, connected=True))
    return change
