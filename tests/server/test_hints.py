"""Hints: which arrive, and that whoever may have missed one is told to look again."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import redis

from server.embedded import EmbeddedRedis
from server.hints import Hints
from server.store import Store, StoreAway
from tests.faults.proxy import Proxy


class Heard:
    """What a process heard, to be waited for."""

    def __init__(self) -> None:
        self.hints: list[tuple[str, int]] = []
        self.gaps = 0
        self._changed = asyncio.Event()

    def on_hint(self, table_id: str, version: int) -> None:
        self.hints.append((table_id, version))
        self._changed.set()

    def on_gap(self) -> None:
        self.gaps += 1
        self._changed.set()

    async def until(self, *, hints: int = 0, gaps: int = 0) -> None:
        async with asyncio.timeout(15):
            while len(self.hints) < hints or self.gaps < gaps:
                self._changed.clear()
                await self._changed.wait()


def listen(url: str, heard: Heard, ping_seconds: float = 2.0) -> Hints:
    return Hints(url, on_hint=heard.on_hint, on_gap=heard.on_gap, ping_seconds=ping_seconds)


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest_asyncio.fixture
async def hints(redis_url: str, heard: Heard) -> AsyncIterator[Hints]:
    async with listen(redis_url, heard) as hints:
        yield hints


async def test_an_append_is_heard_by_whoever_subscribed(hints: Hints, store: Store, heard: Heard) -> None:
    hints.subscribe("T1")
    await hints.ready("T1")
    await store.create("T1", [b"one"], b"1", "a", 60)
    await store.create("T2", [b"one"], b"1", "a", 60)
    await store.append("T1", 1, [b"two", b"three"], b"3", "b", None, 60)
    await heard.until(hints=2)
    assert heard.hints == [("T1", 1), ("T1", 3)]
    assert heard.gaps == 0


async def test_what_was_refused_is_not_heard(hints: Hints, store: Store, heard: Heard) -> None:
    await store.create("T1", [b"one"], b"1", "a", 60)
    hints.subscribe("T1")
    await hints.ready("T1")
    await store.append("T1", 5, [b"x"], b"x", "b", None, 60)
    await store.append("T1", 1, [b"two"], b"2", "c", None, 60)
    await heard.until(hints=1)
    assert heard.hints == [("T1", 2)]


async def test_an_unsubscribed_table_is_not_heard(hints: Hints, store: Store, heard: Heard) -> None:
    for table_id in ("T1", "T2"):
        hints.subscribe(table_id)
        await hints.ready(table_id)
    hints.unsubscribe("T1")
    await store.create("T1", [b"one"], b"1", "a", 60)
    await store.create("T2", [b"one"], b"1", "a", 60)
    await heard.until(hints=1)
    assert heard.hints == [("T2", 1)]
    with pytest.raises(StoreAway):
        await hints.ready("T1")


async def test_a_table_given_up_and_wanted_again_is_ready_only_when_heard_again(
    hints: Hints, store: Store, heard: Heard
) -> None:
    hints.subscribe("T1")
    await hints.ready("T1")
    for turn in range(20):
        hints.unsubscribe("T1")
        if turn % 2:
            await asyncio.sleep(0)  # lets what was said so far leave
        hints.subscribe("T1")
        await hints.ready("T1")
        await store.create(f"T{turn}", [b"one"], b"1", "a", 60)
    await store.append("T1", 1, [b"two"], b"2", "b", None, 60)
    await heard.until(hints=2)
    assert heard.hints == [("T1", 1), ("T1", 2)]


async def test_many_tables_at_once(hints: Hints, store: Store, heard: Heard) -> None:
    ids = [f"T{n}" for n in range(1200)]
    for table_id in ids:
        hints.subscribe(table_id)
    await asyncio.gather(*(hints.ready(table_id) for table_id in ids))
    await asyncio.gather(*(store.create(table_id, [b"e"], b"s", "a", 60) for table_id in ids))
    await heard.until(hints=1200)
    assert sorted(heard.hints) == sorted((table_id, 1) for table_id in ids)


async def test_killed_connections_come_back_and_say_that_there_was_a_gap(
    hints: Hints, store: Store, heard: Heard, redis_url: str
) -> None:
    hints.subscribe("T1")
    await hints.ready("T1")
    with redis.Redis.from_url(redis_url) as raw:
        for turn in range(1, 4):
            raw.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
            await heard.until(gaps=turn)
    await store.create("T1", [b"one"], b"1", "a", 60)
    await heard.until(hints=1)
    assert heard.hints == [("T1", 1)]


async def test_a_gap_is_told_only_when_all_is_subscribed_again(
    hints: Hints, store: Store, heard: Heard, redis_url: str
) -> None:
    ids = [f"T{n}" for n in range(700)]
    for table_id in ids:
        hints.subscribe(table_id)
    await asyncio.gather(*(hints.ready(table_id) for table_id in ids))
    with redis.Redis.from_url(redis_url) as raw:
        raw.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        await heard.until(gaps=1)
        subscribed = raw.execute_command("PUBSUB", "NUMSUB", *(f"hearts:{{{i}}}:hint" for i in ids))
    assert all(count == 1 for count in subscribed[1::2])


async def test_a_restart_of_redis_is_survived(data_dir: Path, heard: Heard) -> None:
    async with EmbeddedRedis(data_dir) as server, listen(server.url, heard) as hints:
        hints.subscribe("T1")
        await hints.ready("T1")
        os.kill(server.pid, signal.SIGKILL)
        await heard.until(gaps=1)
        with redis.Redis.from_url(server.url) as raw:
            assert raw.publish("hearts:{T1}:hint", "7") == 1
        await heard.until(hints=1)
        assert heard.hints == [("T1", 7)]


async def test_a_half_open_connection_is_noticed(redis_url: str, heard: Heard) -> None:
    async with Proxy(redis_url.removeprefix("unix://")) as proxy:
        url = f"redis://127.0.0.1:{proxy.port}"
        async with listen(url, heard, ping_seconds=0.05) as hints:
            hints.subscribe("T1")
            await hints.ready("T1")
            proxy.stall("down")
            await proxy.connected(2)  # the silent one was given up for a new one
            proxy.resume()
            await heard.until(gaps=1)


async def test_a_quiet_connection_is_kept(redis_url: str, heard: Heard) -> None:
    async with Proxy(redis_url.removeprefix("unix://")) as proxy:
        url = f"redis://127.0.0.1:{proxy.port}"
        async with listen(url, heard, ping_seconds=0.05) as hints:
            await asyncio.sleep(0.3)  # some PINGs without a subscription, then some with
            hints.subscribe("T1")
            await hints.ready("T1")
            await asyncio.sleep(0.3)
            assert proxy.accepted == 1
            assert heard.gaps == 0


async def test_subscriptions_made_while_redis_is_away_are_ready_when_it_is_back(redis_url: str, heard: Heard) -> None:
    async with Proxy(redis_url.removeprefix("unix://")) as proxy:
        proxy.refuse()
        async with listen(f"redis://127.0.0.1:{proxy.port}", heard) as hints:
            hints.subscribe("T1")
            waiting = asyncio.create_task(hints.ready("T1"))
            await proxy.connected(2)
            assert not waiting.done()
            proxy.refuse(False)
            await waiting


async def test_whoever_waits_is_released_at_the_end(redis_url: str, heard: Heard) -> None:
    async with Proxy(redis_url.removeprefix("unix://")) as proxy:
        proxy.refuse()
        async with listen(f"redis://127.0.0.1:{proxy.port}", heard) as hints:
            hints.subscribe("T1")
            waiting = asyncio.create_task(hints.ready("T1"))
            await asyncio.sleep(0)
        with pytest.raises(StoreAway):
            await waiting


async def test_a_listener_that_fails_does_not_end_the_hints(redis_url: str, store: Store) -> None:
    heard = Heard()

    def on_hint(table_id: str, version: int) -> None:
        heard.on_hint(table_id, version)
        raise RuntimeError("a fault of the listener")

    async with Hints(redis_url, on_hint=on_hint, on_gap=heard.on_gap) as hints:
        hints.subscribe("T1")
        await hints.ready("T1")
        await store.create("T1", [b"one"], b"1", "a", 60)
        await store.append("T1", 1, [b"two"], b"2", "b", None, 60)
        await heard.until(hints=2)
