"""Accepted plays a second, beside the bare handler on the same Redis, in turns."""

import contextlib
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from server.embedded import EmbeddedRedis
from server.hub import frame
from server.table.events import decode_entry
from server.table.told import message
from tests.load.drive import BareClient, Client, TableClient, Took, drive
from tests.load.exchange import Exchange, request
from tests.load.players import Seats, many
from tests.load.processes import Running, cpu_seconds, hearts, started
from tests.load.report import Row, ratio

PLAYERS = 8


async def plays(
    redis: EmbeddedRedis, work: Path, *, processes: int, connections: int, clients: int, seconds: float, turns: int
) -> list[Row]:
    """Both in turns of `seconds`. connections: of each table's players; several reach several processes."""
    ours, bare = Took(), Took()
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(hearts(redis.url, work / "server.log", f"--workers={processes}"))
        tables = await many(server.port, clients, PLAYERS)
        players = [await TableClient.open(server.port, seats, connections=connections) for seats in tables]
        await drive(players, seconds / 4, Took())
        await take_samples(redis.url, server.port, tables[0], work)
        yardsticks = [await stack.enter_async_context(yardstick(redis.url, work))]
        for _ in range(processes - 1):
            yardsticks.append(await stack.enter_async_context(yardstick(redis.url, work, yardsticks[0].port)))
        strikers = [await BareClient.open(yardsticks[0].port, seats.table_id) for seats in tables]
        await drive(strikers, seconds / 4, Took())
        for _ in range(turns):
            await drive(players, seconds, ours, lambda: server.cpu_seconds, lambda: cpu_seconds(redis.pid))
            await drive(
                strikers,
                seconds,
                bare,
                lambda: sum(one.cpu_seconds for one in yardsticks),
                lambda: cpu_seconds(redis.pid),
            )
        everybody: list[Client] = [*players, *strikers]
        for client in everybody:
            client.close()
    where = f"{processes} process{'es' if processes > 1 else ''}"
    if connections > 1:
        where += f", a table's seats on {connections} connections"
    costs = [took.each(took.server_cpu + took.redis_cpu) for took in (ours, bare)]
    steady = f"{ours.percentile(0.99) / ours.percentile(0.5):.1f} x p50"
    return [
        Row("plays a second", where, ours.rate, bare.rate, ratio(ours.rate, bare.rate), ">= 60 %"),
        Row("p50, ms", where, ours.percentile(0.5), bare.percentile(0.5)),
        Row("p99, ms", where, ours.percentile(0.99), bare.percentile(0.99), steady, "< 10 x p50"),
        Row("CPU a play, server and Redis, µs", where, *costs, ratio(costs[1], costs[0]), ">= 60 %"),
        Row("of it Redis, µs", where, ours.each(ours.redis_cpu), bare.each(bare.redis_cpu)),
    ]


def yardstick(redis_url: str, samples: Path, port: int = 0) -> contextlib.AbstractAsyncContextManager[Running]:
    """The bare handlers."""
    command = ("-m", "tests.load.bare", redis_url, str(samples), f"--port={port}")
    return started(*command, errors=samples / "bare.log")


async def take_samples(redis_url: str, port: int, seats: Seats, work: Path) -> None:
    """Keep what the server makes of a table in play, so that the bare handler moves as many bytes."""
    exchange = await Exchange.open(port)
    _, view = await exchange.send(request("GET", f"/v1/tables/{seats.table_id}", seats.tokens[0]))
    exchange.close()
    redis = Redis.from_url(redis_url)
    snapshot: Any = await redis.hget(f"hearts:{{{seats.table_id}}}:table", "snapshot")
    events: Any = await redis.xrevrange(f"hearts:{{{seats.table_id}}}:events", count=1)
    await redis.aclose()
    event = events[0][1][b"e"]
    told = frame("sse", seats.version, "played", message(seats.version, decode_entry(event), None))
    for name, data in (("view", view), ("snapshot", snapshot), ("event", event), ("frame", told)):
        (work / name).write_bytes(data)
