"""Fan-out: how fast events reach many streams, what a stream costs while idle, and what becomes of one not read."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter

from server.embedded import EmbeddedRedis
from tests.load.audience import Audience
from tests.load.drive import BareClient, TableClient, Took, drive
from tests.load.exchange import Exchange, request
from tests.load.players import Seats, act, many, seated
from tests.load.plays import PLAYERS, take_samples, yardstick
from tests.load.processes import Running, hearts
from tests.load.report import Row, ratio

_AHEAD = 5
"""Plays made before all streams must have heard them: enough to keep the server busy, too few to fill buffers."""


class Told:
    """Messages delivered, the seconds that took and the server's processor time in it."""

    def __init__(self) -> None:
        self.messages = 0
        self.seconds = 0.0
        self.cpu = 0.0

    @property
    def rate(self) -> float:
        return self.messages / self.seconds

    @property
    def each(self) -> float:
        """Microseconds of the server's processor time a message."""
        return 1e6 * self.cpu / max(1, self.messages)


async def fan_out(redis: EmbeddedRedis, work: Path, streams: int, seconds: float, turns: int) -> list[Row]:
    """One table with so many spectators, beside the bare handler that writes as many bytes to as many streams."""
    ours, bare = Told(), Told()
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(hearts(redis.url, work / "server.log"))
        (seats,) = await many(server.port, 1, PLAYERS)
        exchange = await Exchange.open(server.port)
        await seats.look(exchange)
        await take_samples(redis.url, server.port, seats, work)
        empty = server.resident_bytes
        audience = Audience()
        await audience.join(server.port, seats.table_id, streams)
        a_stream = (server.resident_bytes - empty) / streams / 1024
        other = await stack.enter_async_context(yardstick(redis.url, work))
        empty = other.resident_bytes
        listeners = Audience()
        await listeners.join(other.port, "bare", streams)
        a_bare_stream = (other.resident_bytes - empty) / streams / 1024
        teller = await Exchange.open(other.port)
        frame = await asyncio.to_thread((work / "frame").read_bytes)
        for _ in range(turns):
            await _tell(ours, seconds, server, audience, lambda: _one_play(seats, exchange, streams))
            await _tell(bare, seconds, other, listeners, lambda: _one_frame(teller, frame, streams))
        assert audience.lost == listeners.lost == 0, "a stream broke"
        for end in (audience.leave, listeners.leave, exchange.close, teller.close):
            end()
    where = f"{streams:,} streams of one table"
    return [
        Row("messages a second", where, ours.rate, bare.rate, ratio(ours.rate, bare.rate), ">= 50 %"),
        Row("server CPU a message, µs", where, ours.each, bare.each, ratio(bare.each, ours.each), ">= 50 %"),
        Row("memory of an idle stream, KiB", where, a_stream, a_bare_stream, "", "<= 30"),
    ]


async def many_small(redis: EmbeddedRedis, work: Path, tables: int, each: int, seconds: float, turns: int) -> list[Row]:
    """Plays at many tables with some spectators each, beside the bare handler that plays and writes to as many."""
    ours, bare = Took(), Took()
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(hearts(redis.url, work / "server.log"))
        seats = await many(server.port, tables, 4)
        exchange = await Exchange.open(server.port)
        for table in seats:
            await table.look(exchange)
        await take_samples(redis.url, server.port, seats[0], work)
        other = await stack.enter_async_context(yardstick(redis.url, work))
        audience, listeners = Audience(), Audience()
        for table in seats:
            await audience.join(server.port, table.table_id, each)
            await listeners.join(other.port, table.table_id, each)
        clients = min(64, tables)
        players = [await TableClient.open(server.port, *seats[at::clients]) for at in range(clients)]
        ids = [table.table_id for table in seats]
        strikers = [await BareClient.open(other.port, *ids[at::clients]) for at in range(clients)]
        await drive(players, seconds / 2, Took())
        heard = audience.messages, listeners.messages
        for _ in range(turns):
            await drive(players, seconds, ours, lambda: server.cpu_seconds)
            await drive(strikers, seconds, bare, lambda: other.cpu_seconds)
        heard = audience.messages - heard[0], listeners.messages - heard[1]
        assert audience.lost == listeners.lost == 0, "a stream broke"
        ends = [audience.leave, listeners.leave, exchange.close]
        for end in (*ends, *(player.close for player in players), *(striker.close for striker in strikers)):
            end()
    where = f"{tables:,} tables with {each} streams each"
    rates = heard[0] / ours.seconds, heard[1] / bare.seconds
    return [
        Row("plays a second, told", where, ours.rate, bare.rate, ratio(ours.rate, bare.rate)),
        Row("messages a second", where, *rates, ratio(*rates), ">= 50 %"),
        Row("server CPU a play and its messages, µs", where, ours.each(ours.server_cpu), bare.each(bare.server_cpu)),
    ]


async def stopped_reader(redis: EmbeddedRedis, work: Path) -> list[Row]:
    """What a reader that stops reading costs until it is dropped."""
    async with hearts(redis.url, work / "server.log") as server:
        exchange = await Exchange.open(server.port)
        seats = await seated(exchange, 4)
        audience = Audience()
        await audience.join(server.port, seats.table_id, 10)
        before = server.resident_bytes
        with socket.socket() as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect(("127.0.0.1", server.port))
            reader.sendall(request("GET", f"/v1/tables/{seats.table_id}/events"))
            told, most = 0, before
            while not await _dropped(exchange):
                for _ in range(500):
                    await act(exchange, seats.table_id, seats.tokens[0], "say", text="x" * 200)
                told += 500
                most = max(most, server.resident_bytes)
        await audience.heard(10 + told)
        audience.leave()
        exchange.close()
    where = "beside 10 streams that are read"
    return [
        Row("messages until a reader that stopped is dropped", where, told),
        Row("most memory meanwhile, MiB more", where, (most - before) / 2**20, None, "", "flat"),
    ]


async def _dropped(exchange: Exchange) -> bool:
    metrics: str = await exchange.call("GET", "/metrics")
    return "hearts_dropped_readers_total 1.0" in metrics


async def _tell(
    told: Told, seconds: float, server: Running, audience: Audience, one: Callable[[], Awaitable[int]]
) -> None:
    """Call `one`, which answers how many messages come of it, again and again for so long."""
    before, cpu, began = audience.messages, server.cpu_seconds, perf_counter()
    wanted = before
    while perf_counter() - began < seconds:
        for _ in range(_AHEAD):
            wanted += await one()
        await audience.heard(wanted)
    told.messages += audience.messages - before
    told.seconds += perf_counter() - began
    told.cpu += server.cpu_seconds - cpu


async def _one_play(seats: Seats, exchange: Exchange, streams: int) -> int:
    """The messages that a play becomes."""
    if seats.needs_a_look:
        await seats.look(exchange)
    version = seats.version
    status, body = await exchange.send(seats.next_play())
    if status != 200:
        raise RuntimeError(body.decode())
    seats.played(body)
    return streams * (seats.version - version)


async def _one_frame(teller: Exchange, frame: bytes, streams: int) -> int:
    await teller.send(request("POST", "/tell/bare", body=frame))
    return streams
