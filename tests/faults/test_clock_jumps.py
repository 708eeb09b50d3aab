"""The clock of a machine is set while games go on: by a minute or an hour, ahead or back, on one server or on both."""

import asyncio
import contextlib

import pytest

from server.clock import now
from server.config import Span
from tests.e2e.serving import Server, serving
from tests.faults.conftest import Field

JUMPS = (-3_600_000, -60_000, 60_000, 3_600_000)
"""Milliseconds."""


class Clock:
    """The system's, set wrong by `offset` milliseconds."""

    def __init__(self) -> None:
        self.offset = 0

    def __call__(self) -> int:
        return now() + self.offset


def inside(server: Server, clock: Clock, table_id: str) -> str:
    """What a server knows of the table, and when it will look at it."""
    services = server.services
    alarm = services.attendant.timers._alarms.get(table_id)
    rings = None if alarm is None else (alarm[0], alarm[1].when() - asyncio.get_running_loop().time())
    held = services.held._held.get(table_id)
    known = None if held is None else (held.state.version, {**vars(held), "state": ...}, services.held.fresh(held))
    return f"set by {clock.offset} ms, rings at and in seconds {rings}, holds {known}"


@pytest.mark.parametrize("turn_seconds", [0, 30])
async def test_no_jump_stops_a_game(field: Field, turn_seconds: int) -> None:
    redis = await field.redis()
    clocks = [Clock(), Clock()]
    async with contextlib.AsyncExitStack() as stack:
        settings = {"bot_delay": Span(0.01, 0.03), "keep_alive": 1.0}
        servers = [await stack.enter_async_context(serving(redis.url, clock=clock, **settings)) for clock in clocks]
        urls = [server.url for server in servers]
        async with field.game_at(urls, redis.url, turn_seconds=turn_seconds) as game:
            game.inside = lambda: [
                inside(server, clock, game.table) for server, clock in zip(servers, clocks, strict=True)
            ]
            for share in field.moments(8):
                await game.reached(share)
                jump = field.rng.choice(JUMPS)
                print(f"clocks set by {jump} ms")
                for clock in field.rng.choice((clocks, clocks[:1], clocks[1:])):
                    clock.offset += jump
