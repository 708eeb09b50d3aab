"""What must not grow: the cost of an action with the tables stored, and with the hands played. And the cold start."""

import asyncio
import contextlib
import functools
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from server.embedded import EmbeddedRedis
from tests.load.drive import TableClient, Took, drive
from tests.load.exchange import Exchange
from tests.load.players import Seats, many, new_player, new_table
from tests.load.plays import PLAYERS
from tests.load.processes import Running, cpu_seconds, hearts, started
from tests.load.report import Row, ratio


class _Side(NamedTuple):
    stored: int
    redis: EmbeddedRedis
    server: Running
    players: list[TableClient]
    took: Took

    def server_cpu(self) -> float:
        return self.server.cpu_seconds

    def redis_cpu(self) -> float:
        return cpu_seconds(self.redis.pid)


async def by_tables(work: Path, stored: list[int], clients: int, seconds: float, turns: int) -> list[Row]:
    """Plays at the same few tables, on servers with so many tables stored, each with a Redis of its own, in turns."""
    rows = []
    async with contextlib.AsyncExitStack() as stack:
        sides: list[_Side] = []
        for count in stored:
            redis = await stack.enter_async_context(EmbeddedRedis(work / f"data-{count}"))
            server = await stack.enter_async_context(hearts(redis.url, work / "server.log"))
            seats = await many(server.port, clients, PLAYERS)
            await _store(server, count - clients)
            players = [await TableClient.open(server.port, table) for table in seats]
            sides.append(_Side(count, redis, server, players, Took()))
        for turn in range(turns + 1):
            for side in sides:
                took = side.took if turn else Took()  # the first turn warms up
                await drive(side.players, seconds, took, side.server_cpu, side.redis_cpu)
        first = sides[0].took
        for count, _, _, players, took in sides:
            for player in players:
                player.close()
            where = f"{count:,} tables stored"
            costs = [one.each(one.server_cpu + one.redis_cpu) for one in (took, first)]
            rows.append(Row("CPU a play, µs", where, costs[0], costs[1], ratio(*costs), "flat"))
            rows.append(Row("p50, ms", where, took.percentile(0.5), first.percentile(0.5)))
    return rows


async def _store(server: Running, tables: int) -> None:
    """Store so many lobbies, all on the lobby list."""
    exchanges = [await Exchange.open(server.port) for _ in range(16)]
    host = await new_player(exchanges[0])
    left = iter(range(tables))

    async def some(exchange: Exchange) -> None:
        for _ in left:
            await new_table(exchange, host, players=PLAYERS)
        exchange.close()

    await asyncio.gather(*map(some, exchanges))


async def by_hands(redis: EmbeddedRedis, work: Path, last: int, clients: int) -> list[Row]:
    """The same games at their first hands and at those up to hand `last`."""
    early, late = Took(), Took()
    async with hearts(redis.url, work / "server.log") as server:
        seats = await many(server.port, clients, 4)
        players = [await TableClient.open(server.port, table) for table in seats]
        for took, until in ((Took(), 1), (early, 4), (Took(), last - 3), (late, last)):
            cpu, began = server.cpu_seconds, perf_counter()
            untils = [functools.partial(_not_past, table, until) for table in seats]
            await asyncio.gather(*(one.play(again, took.latencies) for one, again in zip(players, untils, strict=True)))
            took.seconds, took.server_cpu = perf_counter() - began, server.cpu_seconds - cpu
        for player in players:
            player.close()
    where = f"hands {last - 2} to {last} of a game, beside 2 to 4"
    costs = late.each(late.server_cpu), early.each(early.server_cpu)
    return [
        Row("server CPU a play, µs", where, *costs, ratio(*costs), "flat"),
        Row("p50, ms", where, late.percentile(0.5), early.percentile(0.5)),
    ]


def _not_past(seats: Seats, hand: int) -> bool:
    return seats.hand is None or seats.hand.number <= hand


async def cold_start(work: Path, times: int) -> list[Row]:
    """From starting the program, with its embedded Redis on a new directory, to its first answer."""
    least = float("inf")
    for number in range(times):
        began = perf_counter()
        command = ("-m", "server", "--port=0", f"--data-dir={work / f'cold-{number}'}")
        async with started(*command, errors=work / "cold.log") as server:
            exchange = await Exchange.open(server.port)
            await exchange.call("GET", "/v1/presets")
            least = min(least, perf_counter() - began)
            exchange.close()
    return [Row("seconds from start to first answer", f"best of {times}, embedded Redis included", least)]
