"""The store behind sentinels: the whole contract, and a master that dies."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from server.hints import Hints
from server.link import Link
from server.player_store import PlayerStore
from server.store import Append, Store, StoreAway
from tests.cluster.nodes import SentinelNodes
from tests.conditions import until
from tests.server.store_contract import PlayerStoreContract, StoreContract

pytestmark = pytest.mark.cluster


@pytest_asyncio.fixture
async def link(sentinels: SentinelNodes) -> AsyncIterator[Link]:
    sentinels.master("FLUSHALL")
    async with Link(sentinels.url) as link:
        yield link


@pytest_asyncio.fixture
async def store(link: Link) -> Store:
    return Store(link)


@pytest_asyncio.fixture
async def players(link: Link) -> PlayerStore:
    return PlayerStore(link)


class TestStoreBehindSentinels(StoreContract):
    pass


class TestPlayerStoreBehindSentinels(PlayerStoreContract):
    pass


async def once_back(store: Store, after: int) -> Append:
    async with asyncio.timeout(30):
        while True:
            try:
                return await store.append("T1", after, [b"e"], b"s", f"act {after}", None, 60)
            except StoreAway:
                await asyncio.sleep(0.01)


async def test_a_planned_failover_is_followed_and_then_a_master_that_dies(
    store: Store, link: Link, sentinels: SentinelNodes
) -> None:
    gaps = 0
    heard: list[int] = []

    def on_gap() -> None:
        nonlocal gaps
        gaps += 1

    def on_hint(table_id: str, version: int) -> None:
        heard.append(version)

    async with Hints(sentinels.url, on_hint=on_hint, on_gap=on_gap, ping_seconds=0.3) as hints:
        hints.subscribe("T1")
        await hints.ready("T1")
        await store.create("T1", [b"e"], b"s", "act", 60)
        first, second = sentinels.data
        assert sentinels.master is first
        first("WAIT", 1, 1000)
        sentinels.sentinels[0]("SENTINEL", "FAILOVER", "main")
        # Both connections follow long before the old master is told that it is none any more.
        await until(lambda: second("CLIENT", "LIST").count(b"name=hearts") >= 2)
        assert b"role:master" in first("INFO", "REPLICATION")
        await until(lambda: gaps > 0)
        assert await once_back(store, 1) == Append("appended", 2)
        assert await store.events("T1") == [(1, b"e"), (2, b"e")]
        await until(lambda: heard[-1] == 2)

        first("REPLICAOF", "127.0.0.1", second.port)  # the sentinels would do it some seconds later
        await until(lambda: b"master_link_status:up" in first("INFO", "REPLICATION"))
        second("WAIT", 1, 1000)
        second.kill()
        assert await once_back(store, 2) == Append("appended", 3)
        assert link.up
        await until(lambda: gaps > 1)
        assert await once_back(store, 3) == Append("appended", 4)
        await until(lambda: heard[-1] == 4)


async def test_sentinels_that_know_no_such_service_are_away(sentinels: SentinelNodes) -> None:
    async with Link(sentinels.url.replace("/main", "/other")) as link:
        with pytest.raises(StoreAway):
            await link.call("PING")


async def test_one_sentinel_that_answers_is_enough(sentinels: SentinelNodes) -> None:
    port = sentinels.sentinels[2].port
    url = f"redis+sentinel://:pass%3Aw%40rd@127.0.0.1:1,127.0.0.1:{port}/main"
    async with Link(url) as link:
        assert await link.call("PING") == b"PONG"
