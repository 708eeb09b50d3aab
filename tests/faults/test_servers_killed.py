"""Server processes killed in the middle of a game: nothing accepted is lost, nothing is done twice, play goes on."""

import os
import signal
from pathlib import Path

import pytest

from tests.conditions import until
from tests.faults.conftest import Field
from tests.faults.servers import Server, hold_nothing_back

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")


async def test_one_of_two_servers(field: Field) -> None:
    redis = await field.redis()
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    async with field.game(servers, redis.url) as game:
        for share in field.moments(2):
            await game.reached(share)
            victim = field.rng.choice(servers)
            await victim.kill()
            await victim.start()


async def test_one_of_two_workers(field: Field) -> None:
    redis = await field.redis()
    server = await field.server("--redis-url", redis.url, "--workers", "2")
    async with field.game([server], redis.url) as game:
        for share in field.moments(2):
            await game.reached(share)
            await _kill_a_child(field, server, server.workers)


async def test_the_only_server_with_its_embedded_redis(field: Field) -> None:
    data = field.place / "data"
    server = await field.server("--data-dir", str(data))
    async with field.game([server], f"unix://{data}/run/redis.sock") as game:
        for share in field.moments(2):
            await game.reached(share)
            await server.kill()
            await server.start()


async def test_the_embedded_redis(field: Field) -> None:
    data = field.place / "data"
    server = await field.server("--data-dir", str(data))
    url = f"unix://{data}/run/redis.sock"
    async with field.game([server], url) as game:
        for share in field.moments(2):
            await game.reached(share)
            await hold_nothing_back(url)
            await _kill_a_child(field, server, server.embedded)
    field.look_into(data / "redis.log")


async def test_a_server_told_to_stop(field: Field) -> None:
    """A deploy: one server after the other ends in good order and another begins."""
    redis = await field.redis()
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    async with field.game(servers, redis.url) as game:
        for server, share in zip(servers, field.moments(2), strict=True):
            await game.reached(share)
            await server.stop()
            await server.start()


async def _kill_a_child(field: Field, server: Server, children: object) -> None:
    assert callable(children)
    await until(lambda: bool(children()))
    victim = field.rng.choice(children())
    os.kill(victim, signal.SIGKILL)
    await until(lambda: victim not in children())
