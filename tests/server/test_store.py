"""The store on one real server."""

import asyncio
import os
import signal
import sys
from hashlib import blake2b
from pathlib import Path

import pytest
import redis

from server.embedded import EmbeddedRedis
from server.link import Link
from server.store import Append, Store, StoreAway, Stored
from tests.faults.proxy import Proxy
from tests.server.store_contract import StoreContract

RACER = """
import asyncio, sys
from server.link import Link
from server.store import Store

async def main(url, name, wanted):
    async with Link(url) as link:
        store = Store(link)
        done = 0
        while done < wanted:
            stored = await store.load("T1")
            act = f"{name}-{done}"
            result = await store.append("T1", stored.version, [act.encode()] * 2, b"s", act, None, 60)
            done += result.outcome == "appended"

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


class TestStore(StoreContract):
    pass


@pytest.fixture
def raw(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(redis_url)


async def test_all_keys_of_a_table_expire_and_an_append_refreshes_them(store: Store, raw: redis.Redis) -> None:
    with raw:
        await store.create("T1", [b"one"], b"1", "act", 60)
        assert all(0 < raw.ttl(key) <= 60 for key in (b"hearts:{T1}:table", b"hearts:{T1}:events"))
        await store.append("T1", 1, [b"two"], b"2", "act 2", None, 600)
        assert all(raw.ttl(key) > 60 for key in (b"hearts:{T1}:table", b"hearts:{T1}:events"))


async def test_two_prefixes_share_a_server_and_see_nothing_of_each_other(store: Store, link: Link) -> None:
    other = Store(link, "other")
    await store.create("T1", [b"one"], b"1", "act", 60)
    assert await other.load("T1") is None
    assert [table_id async for table_id in other.all_tables()] == []


async def test_a_key_is_found_only_whole(store: Store, raw: redis.Redis) -> None:
    """The digests lie one behind another: what stands across two of them is no key."""
    digest = blake2b(b"key", digest_size=16).digest()
    with raw:
        await store.create("T1", [b"one"], b"1", "act", 60)
        raw.hset("hearts:{T1}:table", "keys:ada", bytes(8) + digest + bytes(8))
        assert await store.append("T1", 1, [b"two"], None, "a", "ada:key", 60) == Append("appended", 2)
        raw.hset("hearts:{T1}:table", "keys:ada", bytes(8) + digest + bytes(8) + digest)
        assert await store.append("T1", 2, [b"x"], None, "b", "ada:key", 60) == Append("repeated", 2)


async def test_writes_go_on_after_the_script_cache_is_flushed(store: Store, raw: redis.Redis) -> None:
    with raw:
        await store.create("T1", [b"one"], b"1", "act", 60)
        raw.script_flush()
        assert await store.append("T1", 1, [b"two"], b"2", "a", None, 60) == Append("appended", 2)


async def test_one_append_and_its_index_writes_are_one_batch(redis_url: str) -> None:
    batches: list[int] = []
    async with Link(redis_url, on_batch=lambda commands, seconds: batches.append(commands)) as link:
        store = Store(link)
        await store.create("T1", [b"one"], b"1", "act", 60)
        await store.due_in("T1", 5)
        batches.clear()
        await asyncio.gather(
            store.append("T1", 1, [b"two"], b"2", "a", "ada:k", 60),
            store.due_in("T1", 5),
            store.unlist("T1"),
            store.seated("ada", "T1", 5),
        )
    assert batches == [5]


async def test_a_retry_after_a_lost_reply_finds_its_own_act(embedded_redis: EmbeddedRedis, redis_url: str) -> None:
    async with (
        Proxy(redis_url.removeprefix("unix://")) as proxy,
        Link(f"redis://127.0.0.1:{proxy.port}") as link,
    ):
        store = Store(link)
        await store.create("T1", [b"one"], b"1", "act", 60)
        proxy.cut_before_reply(b"my event")
        appended = await store.append("T1", 1, [b"my event"], b"2", "a", "ada:k", 60)
        assert appended == Append("appended", 2)
        assert proxy.cuts == 1
        assert await store.events("T1") == [(1, b"one"), (2, b"my event")]


async def test_eight_processes_racing_leave_no_gap_and_no_double(store: Store, redis_url: str) -> None:
    await store.create("T1", [b"start"], b"s", "start", 60)
    racers = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", RACER, redis_url, f"p{n}", "25") for n in range(8)
    ]
    assert [await racer.wait() for racer in racers] == [0] * 8
    events = await store.events("T1")
    assert [number for number, _ in events] == list(range(1, 402))
    texts = [text for _, text in events[1:]]
    assert texts[::2] == texts[1::2], "the events of one act stay together"
    assert set(texts) == {f"p{n}-{i}".encode() for n in range(8) for i in range(25)}


async def test_nothing_is_lost_when_redis_is_killed_and_the_link_recovers(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server, Link(server.url) as link:
        store = Store(link)
        await store.create("T1", [b"one"], b"1", "act", 60)
        os.kill(server.pid, signal.SIGKILL)
        appended = await _once_back(store, 1, b"two")
        assert appended == Append("appended", 2)
        assert await store.load("T1") == Stored(2, b"s")


async def _once_back(store: Store, after: int, event: bytes) -> Append:
    async with asyncio.timeout(20):
        while True:
            try:
                return await store.append("T1", after, [event], b"s", "act " + event.decode(), None, 60)
            except StoreAway:
                await asyncio.sleep(0.01)
