"""Many tables of eight bots, played to their end."""

import asyncio
import re
from pathlib import Path
from time import perf_counter

from server.embedded import EmbeddedRedis
from tests.load.exchange import Exchange
from tests.load.players import act, new_player, new_table
from tests.load.plays import PLAYERS
from tests.load.processes import hearts
from tests.load.report import Row

_LOOKS = 16
_STUCK_SECONDS = 60.0
"""Without a single move at any table for so long, what has not ended counts as stuck."""


async def bot_tables(redis: EmbeddedRedis, work: Path, tables: int, hands: int) -> list[Row]:
    """A human makes each table, starts it and leaves; so all seats are bots', who need not seem to think.

    hands: how many a game has; 0 for a whole game to 100 points.
    """
    log = work / "bots.log"
    rules = {"hands": hands, "target": None} if hands else {}
    async with hearts(redis.url, log, "--log-level=warning") as server:
        exchanges = [await Exchange.open(server.port) for _ in range(_LOOKS)]
        host = await new_player(exchanges[0])
        began = perf_counter()
        cpu = server.cpu_seconds
        waiting = list(range(tables))
        ids: list[str] = []

        async def open_some(exchange: Exchange) -> None:
            while waiting:
                waiting.pop()
                table_id = await new_table(exchange, host, players=PLAYERS, fill="normal", rules=rules, listed=False)
                for action in ("start", "leave"):
                    await act(exchange, table_id, host, action)
                ids.append(table_id)

        await asyncio.gather(*map(open_some, exchanges))
        left, moves, moved = list(ids), 0.0, perf_counter()
        while left and perf_counter() - moved < _STUCK_SECONDS:
            await asyncio.sleep(0.5)
            now = await _metric(exchanges[0], "hearts_bot_think_duration_seconds_count")
            if now > moves:
                moves, moved = now, perf_counter()
            left = await _unfinished(exchanges, left)
        seconds = perf_counter() - began
        cpu = server.cpu_seconds - cpu
        errors = await _metric(exchanges[0], "hearts_bot_errors_total")
        for exchange in exchanges:
            exchange.close()
    errors += len((await asyncio.to_thread(log.read_text)).splitlines())
    where = f"{tables:,} tables of {PLAYERS} bots, " + (
        f"{hands} hand{'s' * (hands > 1)}" if hands else "to 100 points"
    )
    return [
        Row("seconds to the end of all", where, seconds),
        Row("moves a second", where, moves / seconds),
        Row("server CPU a move, µs", where, 1e6 * cpu / max(1.0, moves)),
        Row("errors", where, errors, None, "", "0"),
        Row("tables stuck", where, len(left), None, "", "0"),
    ]


async def _unfinished(exchanges: list[Exchange], ids: list[str]) -> list[str]:
    """Those that are not over; looking costs the server something, so it ends at the first that is not."""
    left = list(ids)
    while left:
        views = await asyncio.gather(
            *(
                exchange.call("GET", f"/v1/tables/{table_id}")
                for exchange, table_id in zip(exchanges, left, strict=False)
            )
        )
        over = {view["table"]["id"] for view in views if view["table"]["phase"] == "over"}
        left = [table_id for table_id in left if table_id not in over]
        if len(over) < len(views):
            break
    return left


async def _metric(exchange: Exchange, name: str) -> float:
    """The sum of a metric over its labels."""
    found = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", await exchange.call("GET", "/metrics"), re.MULTILINE)
    return sum(map(float, found))
