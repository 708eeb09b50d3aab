"""Redis killed, halted, out of disk, or without its Pub/Sub connections, in the middle of a game."""

import asyncio
import os
import shutil
import sys

import aiohttp
import pytest

from tests.faults.conftest import TIMES, Field
from tests.faults.servers import Disk, Redis, hold_nothing_back

HALTED_SECONDS = 3.0 if TIMES == 1 else 10.0
"""Longer than a command is waited for."""

AT_ONCE = 1.0
"""Seconds an answer may take that waits for nothing, on a machine that has other things to do."""


@pytest.mark.parametrize("fsync", ["always", "everysec"])
async def test_killed_and_started_again(field: Field, fsync: str) -> None:
    """The system keeps what the killed process wrote: only a machine's end loses the last second of `everysec`.

    What Redis holds back while the disk is busy, and may lose as documented, is none of the servers' doing.
    """
    redis = await field.redis(fsync)
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    async with field.game(servers, redis.url) as game:
        for share in field.moments(2):
            await game.reached(share)
            if fsync == "everysec":
                await hold_nothing_back(redis.url)
            await redis.kill()
            await redis.start()


async def test_the_last_second_is_lost(field: Field) -> None:
    """Redis comes back with the file as it was some cards before: everybody goes on from there, none the wiser."""
    redis = await field.redis("everysec")
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    async with field.game(servers, redis.url) as game:
        clock = asyncio.get_running_loop().time
        share = field.rng.uniform(0.05, 0.8)
        await game.reached(share)
        kept = field.place / "kept"
        await hold_nothing_back(redis.url)
        since = clock()
        redis.halt()
        shutil.copytree(redis.append_only, kept)
        redis.go_on()
        await game.reached(share + field.rng.uniform(0.02, 0.15))
        await redis.kill()
        game.lost = (since, clock() + HALTED_SECONDS)
        shutil.rmtree(redis.append_only)
        shutil.copytree(kept, redis.append_only)
        await redis.start()


async def test_halted(field: Field) -> None:
    redis = await field.redis()
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    async with field.game(servers, redis.url) as game:
        await game.reached(field.rng.uniform(0, 0.9))
        redis.halt()
        try:
            await _everybody_is_told_at_once([server.url for server in servers], HALTED_SECONDS)
        finally:
            redis.go_on()


async def _everybody_is_told_at_once(urls: list[str], seconds: float) -> None:
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    async with aiohttp.ClientSession() as session:
        for url in urls:
            first = True
            while first or clock() < end:
                start = clock()
                async with session.post(f"{url}/v1/players", json={"name": "Ada"}) as answer:
                    assert answer.status == 503
                    assert answer.headers["Retry-After"]
                    assert first or clock() - start < AT_ONCE
                async with session.get(f"{url}/healthz") as answer:
                    assert answer.status == 200
                async with session.get(f"{url}/readyz") as answer:
                    assert answer.status == 503
                first = False
                await asyncio.sleep(0.1)


async def test_pub_sub_cut(field: Field) -> None:
    redis = await field.redis()
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    async with field.game(servers, redis.url) as game:
        for share in field.moments(6):
            await game.reached(share)
            await redis.ask("CLIENT", "KILL", "TYPE", "pubsub")


async def test_scripts_forgotten(field: Field) -> None:
    redis = await field.redis()
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    async with field.game(servers, redis.url) as game:
        for share in field.moments(3):
            await game.reached(share)
            await redis.ask("SCRIPT", "FLUSH")


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount a small disk")
async def test_full_disk(field: Field) -> None:
    """Nothing is accepted that cannot be kept; when there is room again, play goes on by itself."""
    try:
        disk = await field.stack.enter_async_context(Disk(field.place / "disk", 4096))
    except OSError as error:
        pytest.skip(f"no small disk here: {error}")
    redis: Redis = await field.redis("everysec", disk.place)
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    async with field.game(servers, redis.url) as game:
        await game.reached(field.rng.uniform(0, 0.5))
        disk.fill()
        await _writes_are_refused(redis)
        await _everybody_is_told_at_once([server.url for server in servers], 0.5)
        disk.free()


async def _writes_are_refused(redis: Redis) -> None:
    async with asyncio.timeout(30):
        while await redis.answers():  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)
