"""Many tables played by bots at once: no error, no stuck table, memory flat."""

import asyncio
import logging
import os
import resource
from contextlib import AsyncExitStack

import pytest
import redis

from server.metrics import BOT_ERRORS
from server.table.state import Level
from tests.conditions import until
from tests.e2e.serving import Player, serving

SIZES = (3, 4, 5, 6, 7, 8, 11)


def megabytes() -> float:
    """Memory of this process now."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 2**20


@pytest.mark.parametrize(
    ("tables", "seconds"), [(60, 60), pytest.param(500, 600, marks=[pytest.mark.slow, pytest.mark.timeout(700)])]
)
async def test_tables_of_bots_all_reach_their_end(
    redis_url: str, caplog: pytest.LogCaptureFixture, tables: int, seconds: float
) -> None:
    errors = _bot_errors()
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(redis_url)) for _ in range(2)]
        host = await servers[0].player("Host")

        async def begin(number: int) -> str:
            player = host.at(servers[number % 2])
            rules = {"hands": 1, "first_lead": "dealers_left"} if number % 3 else {"hands": 1}
            table = await player.make_table(SIZES[number % len(SIZES)], fill="easy", rules=rules, listed=False)
            await player.do(table, "start")
            await player.do(table, "leave")
            return table

        with caplog.at_level(logging.WARNING):
            ids = await asyncio.gather(*(begin(number) for number in range(tables)))
            async with asyncio.timeout(seconds):
                for number, table in enumerate(ids):
                    await _over(host.at(servers[(number + 1) % 2]), table)
            for table in ids[:: tables // 10]:
                record = await host.get(f"/v1/tables/{table}/record")
                checked = await host.post("/v1/records/check", record.body)
                assert checked.json == {"ok": True, "differences": []}
        assert not caplog.records, caplog.text
        assert _bot_errors() == errors
        with redis.Redis.from_url(redis_url) as raw:
            await until(lambda: raw.zcard("hearts:due") == 0)


async def _over(player: Player, table: str) -> None:
    view = await player.view(table)
    while view["table"]["phase"] != "over":
        await asyncio.sleep(0.2)
        view = await player.view(table)


def _bot_errors() -> float:
    levels: tuple[Level, ...] = ("easy", "normal", "hard")
    return sum(BOT_ERRORS.labels(level)._value.get() for level in levels)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
@pytest.mark.timeout(300)
async def test_memory_stays_flat_over_many_games(redis_url: str) -> None:
    async with serving(redis_url) as server:
        host = await server.player("Host")

        async def games(number: int) -> None:
            for _ in range(number):
                table = await host.make_table(4, fill="easy", rules={"hands": 1}, listed=False)
                await host.do(table, "start")
                await host.do(table, "leave")
                await _over(host, table)
                server.services.held._forget(table)

        await asyncio.gather(*(games(5) for _ in range(10)))
        before = megabytes()
        await asyncio.gather(*(games(20) for _ in range(10)))
        assert megabytes() - before < 20
