"""The link: batching, errors to their callers only, and everything that can happen to a connection."""

import asyncio
import logging
import os
import random
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import redis
from redis.exceptions import ResponseError

from server import wire
from server.embedded import EmbeddedRedis
from server.link import Link, Script, StoreAway
from tests.faults.proxy import Proxy


@pytest_asyncio.fixture
async def proxy(redis_url: str) -> AsyncIterator[Proxy]:
    async with Proxy(redis_url.removeprefix("unix://")) as proxy:
        yield proxy


@pytest_asyncio.fixture
async def through(proxy: Proxy) -> AsyncIterator[Link]:
    """A link through the proxy, with little patience."""
    async with Link(f"redis://127.0.0.1:{proxy.port}", connect_timeout=0.3, command_timeout=0.3) as link:
        yield link


def hold_up_the_loop(seconds: float) -> None:
    time.sleep(seconds)


async def until_back(link: Link) -> None:
    async with asyncio.timeout(15):
        while True:
            try:
                await link.call("PING")
                return
            except StoreAway:
                await asyncio.sleep(0.01)


async def test_commands_of_one_tick_are_one_batch_with_replies_in_order(redis_url: str) -> None:
    batches: list[tuple[int, float]] = []
    async with Link(redis_url, on_batch=lambda *batch: batches.append(batch)) as link:
        replies = await asyncio.gather(*(link.call("ECHO", n) for n in range(100)))
        assert replies == [b"%d" % n for n in range(100)]
        assert [size for size, _ in batches] == [100]
        assert all(0 <= seconds < 5 for _, seconds in batches)
        assert link.up
    assert not link.up


async def test_more_batches_than_may_be_in_flight(link: Link) -> None:
    calls = []
    for n in range(wire.BATCHES_IN_FLIGHT * 3):
        calls.append(link.call("ECHO", n))
        await asyncio.sleep(0)
    assert [int(reply) for reply in await asyncio.gather(*calls)] == list(range(len(calls)))


async def test_an_error_goes_to_its_caller_only(link: Link) -> None:
    good, bad, other = await asyncio.gather(
        link.call("SET", "k", "v"), link.call("LPUSH", "k", "x"), link.call("GET", "k"), return_exceptions=True
    )
    assert (good, other) == (b"OK", b"v")
    assert isinstance(bad, ResponseError)
    assert link.up


async def test_what_cannot_be_packed_hurts_nobody_else(link: Link) -> None:
    other = link.call("PING")
    with pytest.raises(TypeError):
        link.call("SET", "k", None)  # type: ignore[arg-type]
    assert await other == b"PONG"


async def test_cancelled_callers_poison_nothing(link: Link) -> None:
    for turn in range(50):
        calls = [asyncio.ensure_future(link.call("ECHO", f"{turn}-{n}")) for n in range(10)]
        if turn % 2:
            await asyncio.sleep(0)
        for call in calls[::2]:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert [call.result() for call in calls[1::2]] == [f"{turn}-{n}".encode() for n in range(1, 10, 2)]
    assert await link.call("ECHO", "after") == b"after"


async def test_large_values_pass_both_ways(link: Link) -> None:
    value = os.urandom(3_000_000)
    await link.call("SET", "big", value)
    assert await link.call("GET", "big") == value


async def test_a_script_is_loaded_where_it_is_not_known(link: Link, redis_url: str) -> None:
    script = Script("replace_snapshot")
    with redis.Redis.from_url(redis_url) as raw:
        for _ in range(2):
            raw.script_flush()
            both = (link.script(script, ("{t}:table",), (1, b"s")) for _ in range(2))
            assert await asyncio.gather(*both) == [0, 0]
        assert raw.script_exists(script.sha) == [True]


async def test_a_dropped_idle_connection_is_not_noticed_by_callers(through: Link, proxy: Proxy) -> None:
    for _ in range(5):
        await proxy.cut()
        assert await through.call("ECHO", "x") == b"x"


async def test_a_lost_reply_is_asked_for_again(through: Link, proxy: Proxy) -> None:
    proxy.cut_before_reply(b"ECHO")
    assert await asyncio.gather(*(through.call("ECHO", n) for n in range(3))) == [b"0", b"1", b"2"]
    assert proxy.cuts == 1


async def test_while_redis_is_away_calls_fail_at_once_and_then_work_again(through: Link, proxy: Proxy) -> None:
    proxy.refuse()
    await proxy.cut()
    with pytest.raises(StoreAway):
        await through.call("PING")
    assert not through.up
    loop = asyncio.get_running_loop()
    start = loop.time()
    for _ in range(1000):
        with pytest.raises(StoreAway):
            await through.call("PING")
    assert loop.time() - start < 0.3, "a call waited while the link knew better"
    proxy.refuse(False)
    await until_back(through)
    assert through.up


@pytest.mark.parametrize("direction", ["up", "down", "both"])
async def test_a_stalled_server_is_given_up_in_time(
    through: Link, proxy: Proxy, direction: str, caplog: pytest.LogCaptureFixture
) -> None:
    proxy.stall(direction)  # type: ignore[arg-type]
    start = asyncio.get_running_loop().time()
    results = await asyncio.gather(*(through.call("PING") for _ in range(5)), return_exceptions=True)
    assert all(isinstance(result, StoreAway) for result in results)
    assert 0.25 < asyncio.get_running_loop().time() - start < 2
    assert not through.up
    proxy.resume()
    await until_back(through)
    assert [r.message for r in caplog.records if r.levelno >= logging.WARNING] == [
        f"Redis at 127.0.0.1:{proxy.port} is away: no reply within 0.3 s",
        f"Redis at 127.0.0.1:{proxy.port} is back",
    ]


async def test_a_slow_server_is_waited_for(through: Link, proxy: Proxy) -> None:
    proxy.delay = 0.1
    assert await asyncio.gather(*(through.call("ECHO", n) for n in range(3))) == [b"0", b"1", b"2"]


async def test_our_own_sleep_is_not_taken_for_a_silent_server(through: Link) -> None:
    call = through.call("ECHO", "x")
    await asyncio.sleep(0)
    await asyncio.sleep(0)  # now it is sent
    hold_up_the_loop(0.5)  # longer than the patience of the link
    assert await call == b"x"
    assert through.up


async def test_a_doubled_request_ends_the_connection_rather_than_mixing_replies(through: Link, proxy: Proxy) -> None:
    proxy.duplicate = True
    results = await asyncio.gather(*(through.call("ECHO", n) for n in range(3)), return_exceptions=True)
    proxy.duplicate = False
    for n, result in enumerate(results):
        assert result == b"%d" % n or isinstance(result, StoreAway)
    await until_back(through)
    assert await through.call("ECHO", "x") == b"x"


async def test_a_stopped_redis_is_away_and_comes_back(data_dir: Path) -> None:
    async with (
        EmbeddedRedis(data_dir) as server,
        Link(server.url, connect_timeout=0.2, command_timeout=0.2) as link,
    ):
        os.kill(server.pid, signal.SIGSTOP)
        try:
            with pytest.raises(StoreAway):
                await link.call("SET", "k", "v")
            with pytest.raises(StoreAway):
                await link.call("PING")
        finally:
            os.kill(server.pid, signal.SIGCONT)
        await until_back(link)


async def test_a_link_opens_without_redis_and_works_when_it_comes(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server:
        url = server.url
    async with Link(url) as link:
        assert not link.up
        with pytest.raises(StoreAway):
            await link.call("PING")
        async with EmbeddedRedis(data_dir) as server:
            assert server.url == url
            await until_back(link)
        with pytest.raises(StoreAway):
            await link.call("PING")


async def test_a_server_that_takes_no_writes_is_away_for_writers(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server, Link(server.url) as link:
        await link.call("CONFIG", "SET", "maxmemory", 1)
        with pytest.raises(StoreAway, match="no writes"):
            await link.call("SET", "k", "v")
        await link.call("CONFIG", "SET", "maxmemory", 0, "min-replicas-to-write", 1)
        with pytest.raises(StoreAway, match="no writes"):
            await link.call("SET", "k", "v")
        await link.call("CONFIG", "SET", "min-replicas-to-write", 0)
        assert await link.call("SET", "k", "v") == b"OK"


async def test_a_replica_that_became_read_only_is_left_and_asked_again(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server, Link(server.url) as link:
        await link.call("REPLICAOF", "127.0.0.1", 1)
        with pytest.raises(StoreAway):
            await link.call("SET", "k", "v")
        await link.call("REPLICAOF", "NO", "ONE")
        assert await link.call("SET", "k", "v") == b"OK"


async def test_calls_under_way_are_answered_when_the_link_closes(through: Link, proxy: Proxy) -> None:
    proxy.stall()
    call = through.call("PING")
    await asyncio.sleep(0)
    await through.__aexit__()
    with pytest.raises(StoreAway):
        await call
    with pytest.raises(StoreAway):
        await through.call("PING")


async def test_a_password_is_used_and_never_logged(data_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with EmbeddedRedis(data_dir) as server, Link(server.url) as admin:
        await admin.call("ACL", "SETUSER", "ada", "on", ">s%cret", "~*", "+@all")
        path = server.url.removeprefix("unix://")
        async with Link(f"unix://ada:s%25cret@{path}") as link:
            assert await link.call("ACL", "WHOAMI") == b"ada"
        async with Link(f"unix://ada:wr0ng@{path}") as link:
            with pytest.raises(StoreAway):
                await link.call("PING")
    assert "s%cret" not in caplog.text
    assert "s%25cret" not in caplog.text
    assert "wr0ng" not in caplog.text


async def test_no_reply_reaches_a_wrong_caller_whatever_breaks(through: Link, proxy: Proxy) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    answered = 0

    async def caller(name: int) -> None:
        nonlocal answered
        for turn in range(200):
            word = f"{name}-{turn}"
            try:
                async with asyncio.timeout(chance.choice([0.001, 0.01, None])):
                    assert await through.call("ECHO", word) == word.encode()
                    answered += 1
            except (StoreAway, TimeoutError):
                await asyncio.sleep(0.005)

    callers = [asyncio.create_task(caller(name)) for name in range(20)]
    while not all(task.done() for task in callers):
        await asyncio.sleep(chance.uniform(0, 0.02))
        if chance.random() < 0.5:
            await proxy.cut()
        else:
            proxy.stall()
            await asyncio.sleep(chance.uniform(0, 0.02))
            proxy.resume()
    await asyncio.gather(*callers)
    print(f"{answered} answered over {proxy.accepted} connections")
    assert answered > 0
    await until_back(through)
