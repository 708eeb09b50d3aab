"""The store on a Redis Cluster of three masters: the whole contract, a slot that moves, a master that dies."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from redis.exceptions import ResponseError

from server.hints import Hints
from server.link import Link
from server.player_store import PlayerStore
from server.store import Append, Store, StoreAway
from tests.cluster.nodes import ClusterNodes, Node
from tests.conditions import until
from tests.server.store_contract import PlayerStoreContract, StoreContract

pytestmark = pytest.mark.cluster

TABLES = [f"TABLE{n}" for n in range(12)]


@pytest_asyncio.fixture
async def link(cluster: ClusterNodes) -> AsyncIterator[Link]:
    cluster.flush()
    async with Link(cluster.url) as link:
        yield link


@pytest_asyncio.fixture
async def store(link: Link) -> Store:
    return Store(link)


@pytest_asyncio.fixture
async def players(link: Link) -> PlayerStore:
    return PlayerStore(link)


class TestStoreOnACluster(StoreContract):
    pass


class TestPlayerStoreOnACluster(PlayerStoreContract):
    pass


async def test_tables_are_spread_over_all_masters(store: Store, link: Link, cluster: ClusterNodes) -> None:
    assert link.up
    await asyncio.gather(*(store.create(table_id, [b"e"], b"s", "act", 60) for table_id in TABLES))
    assert all(node("DBSIZE") > 0 for node in cluster.masters)
    assert {cluster.owner(f"{{{table_id}}}").port for table_id in TABLES} == {n.port for n in cluster.masters}


async def test_errors_reach_their_callers(link: Link) -> None:
    await link.call("SET", "k", "v")
    with pytest.raises(ResponseError, match="WRONGTYPE"):
        await link.call("LPUSH", "k", "x")
    with pytest.raises(ResponseError, match=r"(?i)same slot"):
        await link.call("UNLINK", "{a}k", "{b}k")


class Appender:
    """Appends to tables as fast as it can, and knows what it was told was stored."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.stored = dict.fromkeys(TABLES, 1)
        self.away = 0

    async def create(self) -> None:
        made = (self._store.create(table_id, [b"1"], b"s", "act", 60) for table_id in TABLES)
        assert all(await asyncio.gather(*made))

    async def run(self, table_id: str) -> None:
        while True:
            after = self.stored[table_id]
            event = b"%d" % (after + 1)
            try:
                done = await self._store.append(table_id, after, [event], b"s", f"act {after}", None, 60)
            except StoreAway:
                self.away += 1
                await asyncio.sleep(0.01)
                continue
            assert done == Append("appended", after + 1)
            self.stored[table_id] = done.version

    async def more(self, steps: int = 3) -> None:
        """Return when every table has had so many more appends."""
        wanted = {table_id: version + steps for table_id, version in self.stored.items()}
        await until(lambda: all(self.stored[table_id] >= version for table_id, version in wanted.items()))

    async def check(self) -> None:
        for table_id, version in self.stored.items():
            events = await self._store.events(table_id)
            assert events[:version] == [(n, b"%d" % n) for n in range(1, version + 1)]


@pytest_asyncio.fixture
async def appender(store: Store) -> AsyncIterator[Appender]:
    appender = Appender(store)
    await appender.create()
    tasks = [asyncio.create_task(appender.run(table_id)) for table_id in TABLES]
    yield appender
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ended), ended


def another(cluster: ClusterNodes, node: Node) -> Node:
    return next(other for other in cluster.masters if other is not node)


async def test_a_slot_moves_while_appends_go_on(appender: Appender, cluster: ClusterNodes) -> None:
    loop = asyncio.get_running_loop()

    def let_appends_go_on() -> None:
        # A table whose keys are on two nodes waits; the others do not, and neither does a whole table.
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.05), loop).result()

    for table_id in TABLES[:2]:
        await appender.more()
        key = f"hearts:{{{table_id}}}:table"
        home = cluster.owner(key)
        away = another(cluster, home)
        await asyncio.to_thread(cluster.move_slot, key, away, between=let_appends_go_on)
        assert cluster.owner(key) is away
        await appender.more()
        await asyncio.to_thread(cluster.move_slot, key, home)
        await appender.more()
    assert appender.away == 0
    await appender.check()


async def test_a_new_table_in_a_slot_that_is_moving_waits_for_the_move(store: Store, cluster: ClusterNodes) -> None:
    key = "hearts:{NEW}:table"
    home = cluster.owner(key)
    assert await store.load("NEW") is None
    creating: list[asyncio.Task[bool]] = []
    loop = asyncio.get_running_loop()

    async def create() -> None:
        creating.append(asyncio.create_task(store.create("NEW", [b"e"], b"s", "act", 60)))
        await asyncio.sleep(0.1)

    def between() -> None:
        asyncio.run_coroutine_threadsafe(create(), loop).result()

    await asyncio.to_thread(cluster.move_slot, key, another(cluster, home), between=between)
    assert all(await asyncio.gather(*creating))
    await asyncio.to_thread(cluster.move_slot, key, home)
    assert await store.events("NEW") == [(1, b"e")]


async def test_hints_are_heard_from_every_master(store: Store, cluster: ClusterNodes) -> None:
    heard: dict[str, int] = {}
    all_heard = asyncio.Event()

    def on_hint(table_id: str, version: int) -> None:
        heard[table_id] = version
        if len(heard) == len(TABLES):
            all_heard.set()

    async with Hints(cluster.url, on_hint=on_hint, on_gap=lambda: None) as hints:
        for table_id in TABLES:
            hints.subscribe(table_id)
        await asyncio.gather(*(hints.ready(table_id) for table_id in TABLES))
        await asyncio.gather(*(store.create(table_id, [b"e"], b"s", "act", 60) for table_id in TABLES))
        await asyncio.wait_for(all_heard.wait(), 10)


async def test_a_master_dies_and_its_replica_takes_over(appender: Appender, cluster: ClusterNodes, link: Link) -> None:
    await appender.more()
    dead = cluster.masters[0]
    lost = [table_id for table_id in TABLES if cluster.owner(f"{{{table_id}}}") is dead]
    dead("WAIT", len(cluster.replicas), 1000)
    dead.kill()
    cluster.masters[0] = cluster.replicas.pop()
    versions = dict(appender.stored)
    await until(lambda: all(appender.stored[table_id] > versions[table_id] for table_id in lost))
    await appender.more()
    await until(lambda: link.up)
    await appender.check()


async def test_a_cluster_that_cannot_be_reached_is_away() -> None:
    async with Link("redis+cluster://127.0.0.1:1") as link:
        assert not link.up
        with pytest.raises(StoreAway):
            await link.call("GET", "k")
        with pytest.raises(StoreAway):
            await link.call("PING")
