"""What a process holds of a table when Redis fails in the middle of reading it, or when hints come late."""

import asyncio
from collections.abc import Sequence

import pytest

from server.held import HeldTables
from server.hub import Hub, Watcher
from server.link import Link, StoreAway
from server.snapshots import encode_snapshot
from server.store import Store, Stored
from server.table.actions import AddBot, Say
from server.table.events import encode_entry
from tests.conditions import until
from tests.server.table.sitting import Table
from tests.server.test_hub import Transport


class Failing(Store):
    """A store whose next call of a kind finds Redis away."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self.failing: list[str] = []

    def _fail(self, kind: str) -> None:
        if kind in self.failing:
            self.failing.remove(kind)
            raise StoreAway("away")

    async def load(self, table_id: str) -> Stored | None:
        self._fail("load")
        return await super().load(table_id)

    async def events(self, table_id: str, after: int = 0, limit: int | None = None) -> list[tuple[int, bytes]]:
        self._fail("events")
        return await super().events(table_id, after, limit)


class Heard:
    """Subscriptions that stand as soon as told."""

    def __init__(self) -> None:
        self.stand = asyncio.Event()
        self.stand.set()

    def subscribe(self, table_id: str) -> None: ...

    def unsubscribe(self, table_id: str) -> None: ...

    def vouches(self, table_id: str) -> bool:
        return self.stand.is_set()

    async def ready(self, table_id: str) -> None:
        await self.stand.wait()


class Process:
    """One process that holds one table, which others change."""

    def __init__(self, link: Link) -> None:
        self.store = Failing(link)
        self.hub = Hub(lambda: 0)
        self.heard = Heard()
        self.held = HeldTables(self.store, self.hub)
        self.held.hints = self.heard  # type: ignore[assignment]
        self.table = Table()
        self.transport = Transport()
        self.watcher = Watcher(None, "ndjson", self.transport)

    async def begin(self) -> None:
        """Store the table, hold it, and have somebody watch it."""
        entries = [encode_entry(entry) for entry in self.table.entries]
        await self.store.create(self.table.state.id, entries, encode_snapshot(self.table.state), "act", 60)
        held = await self.held.get(self.table.state.id)
        async with held.lock:
            await self.held.current(held)
        self.watcher.position = self.table.state.version
        self.hub.go_live(self.table.state.id, self.watcher)

    async def change(self) -> int:
        """Another process changes the table; its new version."""
        before = self.table.state.version
        self.table.do(0, Say(text=f"word {before}"))
        entries = [encode_entry(entry) for entry in self.table.entries[before:]]
        state = self.table.state
        await self.store.append(state.id, before, entries, encode_snapshot(state), f"act {before}", None, 60)
        return state.version

    def kinds(self) -> Sequence[str]:
        """The kinds of what the watcher was sent."""
        return [
            kind
            for data in self.transport.written
            for kind in ("resync", "said")
            if b'"type":"%b"' % kind.encode() in data
        ]


@pytest.fixture
async def process(link: Link, monkeypatch: pytest.MonkeyPatch) -> Process:
    monkeypatch.setattr("server.held.AGAIN_SECONDS", 0.01)
    process = Process(link)
    await process.begin()
    return process


async def test_events_that_cannot_be_had_give_way_to_a_whole_view(process: Process) -> None:
    version = await process.change()
    (await process.held.get(process.table.state.id)).doubt()  # or only the events are read, again and again
    process.store.failing = ["events"]
    process.held.on_hint(process.table.state.id, version)
    await until(lambda: process.watcher.position == version)
    assert process.kinds() == ["resync"]
    later = await process.change()
    process.held.on_hint(process.table.state.id, later)
    await until(lambda: process.watcher.position == later)
    assert process.kinds() == ["resync", "said"]


async def test_only_the_events_are_read_while_the_history_is_known(process: Process) -> None:
    version = await process.change()
    process.store.failing = ["load"]  # which is not asked for
    process.held.on_hint(process.table.state.id, version)
    await until(lambda: process.watcher.position == version)
    assert process.kinds() == ["said"]
    assert process.store.failing == ["load"]


async def test_without_anything_new_the_act_is_not_guessed(process: Process) -> None:
    """The last event may not be the first of its act; who appends must name the act that is stored."""
    table = process.table
    before = table.state.version
    table.do(0, Say(text="one"))
    table.do(0, Say(text="two"))
    entries = [encode_entry(entry) for entry in table.entries[before:]]
    await process.store.append(table.state.id, before, entries, encode_snapshot(table.state), "both", None, 60)
    process.held.on_hint(table.state.id, table.state.version)
    await until(lambda: process.watcher.position == table.state.version)
    held = await process.held.get(table.state.id)
    held.act = "lost"
    held.suspect()
    async with held.lock:
        assert await process.held.current(held) == table.state
    assert held.act == "both"


async def test_another_history_of_the_same_length_is_noticed(process: Process, link: Link) -> None:
    """As after a failover of which no connection told."""
    state = process.table.state
    await process.change()
    process.held.on_hint(state.id, process.table.state.version)
    await until(lambda: process.watcher.position == process.table.state.version)
    await process.store.erase(state.id)
    process.table = Table()
    entries = [encode_entry(entry) for entry in process.table.entries]
    await process.store.create(state.id, entries, encode_snapshot(process.table.state), "other", 60)
    process.table.do(0, AddBot(seat=3, level="easy"))
    for text in ("and", "on"):
        process.table.do(0, Say(text=text))
    after = len(entries)
    entries = [encode_entry(entry) for entry in process.table.entries[after:]]
    await process.store.append(state.id, after, entries, encode_snapshot(process.table.state), "b", None, 60)
    process.held.on_hint(state.id, process.table.state.version)
    await until(lambda: process.watcher.position == process.table.state.version)
    assert process.kinds() == ["said", "resync"]


async def test_a_history_that_has_become_shorter_is_noticed(process: Process) -> None:
    """As after a Redis that came back with less, before the hints' connection is found to be broken."""
    state = process.table.state
    entries = [encode_entry(entry) for entry in process.table.entries]
    for _ in range(2):
        process.held.on_hint(state.id, await process.change())
        await until(lambda: process.watcher.position == process.table.state.version)
    await process.store.erase(state.id)
    await process.store.create(state.id, entries, encode_snapshot(state), "act", 60)
    held = await process.held.get(state.id)
    held.suspect()
    async with held.lock:
        assert await process.held.current(held) == state
    assert process.kinds() == ["said", "said", "resync"]


async def test_a_look_that_fails_is_repeated(process: Process) -> None:
    version = await process.change()
    process.store.failing = ["load", "load"]
    process.held.on_hint(process.table.state.id, version)
    await until(lambda: process.watcher.position == version)
    assert process.kinds() == ["said"]


async def test_what_could_not_be_read_is_not_taken_for_the_newest(process: Process) -> None:
    table_id = process.table.state.id
    process.hub.drop(table_id, process.watcher)
    held = await process.held.get(table_id)
    held.doubt()
    process.held.on_hint(table_id, await process.change())
    process.store.failing = ["load"]
    async with held.lock:
        with pytest.raises(StoreAway):
            await process.held.current(held)
        assert not process.held.fresh(held)
        assert await process.held.current(held) == process.table.state


async def test_who_waits_before_the_subscription_stands_misses_nothing(process: Process) -> None:
    table_id = process.table.state.id
    process.heard.stand.clear()
    (await process.held.get(table_id)).doubt()  # as one just loaded
    version = await process.change()  # and no hint of it comes
    process.held.follow(table_id)
    process.heard.stand.set()
    await until(lambda: process.watcher.position == version)
    assert process.kinds() == ["said"]
