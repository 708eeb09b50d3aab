"""Driving servers with plays as fast as they are answered, and what that took."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Protocol

from tests.load.exchange import Exchange, request
from tests.load.players import Seats, read_view

CARDS_EACH = 13
"""A seat looks at its cards once in so many plays of its table."""


class Took:
    """What some time of driving came to; several add up."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.latencies: list[float] = []
        self.server_cpu = 0.0
        self.redis_cpu = 0.0

    @property
    def rate(self) -> float:
        """Plays answered with 200, a second."""
        return len(self.latencies) / self.seconds if self.seconds else 0.0

    def percentile(self, share: float) -> float:
        """The time of an answer, in milliseconds, that such a share of the answers stayed under."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def each(self, cpu_seconds: float) -> float:
        """Microseconds of processor time a play."""
        return 1e6 * cpu_seconds / max(1, len(self.latencies))


class Client(Protocol):
    """Somebody who sends plays, one at a time."""

    async def play(self, again: Callable[[], bool], latencies: list[float]) -> None:
        """Play while `again()`, noting the seconds each answer took. Raises RuntimeError for a refusal."""

    def close(self) -> None:
        """Close the connections."""


class TableClient:
    """The players of some tables in turns, on one connection, or on several that the seats share out."""

    def __init__(self, tables: Sequence[Seats], exchanges: Sequence[Exchange]) -> None:
        self._tables = itertools.cycle(tables)
        self._exchanges = exchanges

    @classmethod
    async def open(cls, port: int, *tables: Seats, connections: int = 1) -> "TableClient":
        return cls(tables, [await Exchange.open(port) for _ in range(connections)])

    async def play(self, again: Callable[[], bool], latencies: list[float]) -> None:
        while again():
            seats = next(self._tables)
            if seats.needs_a_look:
                await seats.look(self._exchanges[0])
            assert seats.hand is not None
            exchange = self._exchanges[seats.hand.turn % len(self._exchanges)]
            play = seats.next_play()
            sent = perf_counter()
            status, body = await exchange.send(play)
            latencies.append(perf_counter() - sent)
            if status != 200:
                raise RuntimeError(body.decode())
            seats.played(body)

    def close(self) -> None:
        for exchange in self._exchanges:
            exchange.close()


class BareClient:
    """Sends plays of the same size to the bare handler, and reads its answers as a table's players do theirs."""

    def __init__(self, table_ids: Sequence[str], exchange: Exchange) -> None:
        self._exchange = exchange
        body, extra = b'{"action":"play","card":"QS","turn":37}', f"Idempotency-Key: {'0' * 16}\r\n"
        paths = (f"/v1/tables/{table_id}/actions" for table_id in table_ids)
        self._look = request("GET", f"/v1/tables/{table_ids[0]}", "A" * 43)
        self._requests = itertools.cycle([request("POST", path, "A" * 43, body, extra) for path in paths])

    @classmethod
    async def open(cls, port: int, *table_ids: str) -> "BareClient":
        return cls(table_ids, await Exchange.open(port))

    async def play(self, again: Callable[[], bool], latencies: list[float]) -> None:
        while again():
            if len(latencies) % CARDS_EACH == 0:
                await self._exchange.send(self._look)
            sent = perf_counter()
            status, body = await self._exchange.send(next(self._requests))
            latencies.append(perf_counter() - sent)
            if status != 200:
                raise RuntimeError(body.decode())
            read_view(body)

    def close(self) -> None:
        self._exchange.close()


def nothing() -> float:
    """No processor time to watch."""
    return 0.0


async def drive(
    clients: Sequence[Client],
    seconds: float,
    took: Took,
    server_cpu: Callable[[], float] = nothing,
    redis_cpu: Callable[[], float] = nothing,
) -> None:
    """Let the clients play for so long, and add what it took."""
    before = server_cpu(), redis_cpu()
    began = perf_counter()
    until = began + seconds
    await asyncio.gather(*(client.play(lambda: perf_counter() < until, took.latencies) for client in clients))
    took.seconds += perf_counter() - began
    took.server_cpu += server_cpu() - before[0]
    took.redis_cpu += redis_cpu() - before[1]
