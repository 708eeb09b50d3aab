"""What a table costs: bytes in Redis at several stages, and in a server process. ``python -m tests.load.table_memory``

Prints the table of docs/scaling.md. Redis is the embedded server; bytes are those of MEMORY USAGE, all samples.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from server.admin.survey import Survey
from server.embedded import EmbeddedRedis
from server.link import Link
from tests.service import Person, server

STARTED_AT_ONCE = 1_000
MANY = ("--tables-per-player", "100000", "--actions-per-second", "100000", "--actions-burst", "100000")


async def stages(person: Person, store: Survey, players: int) -> list[int]:
    """Bytes in Redis: in the lobby, dealt, in mid-hand, after 1, 5 and 10 hands, over after 10 hands."""
    table = await person.create(players, hands=10)
    found = [await store.memory(table)]
    view = await person.act(table, "start")
    found.append(await store.memory(table))
    view = await person.play(table, until=lambda view: view["hand"]["turn_number"] >= 26)
    found.append(await store.memory(table))
    for hand in (2, 6):
        view = await person.play(table, until=lambda view, hand=hand: view["hand"]["number"] >= hand)
        found.append(await store.memory(table))
    view = await person.play(table)
    assert view["table"]["phase"] == "over"
    return [*found, await store.memory(table)]


def resident(pid: int) -> int:
    """Bytes of memory that a process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096


async def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        async with (
            EmbeddedRedis(Path(place) / "data") as redis,
            server(Path(place) / "log", "--redis-url", redis.url, "--log-level", "error", *MANY) as process,
            Link(redis.url) as link,
            Person(process.url) as person,
        ):
            store = Survey(link)
            print("| players | lobby | dealt | 26 cards played | after 1 hand | after 5 hands | 10 hands, over |")
            print("|---|---|---|---|---|---|---|")
            for players in (4, 8, 11):
                kilobytes = [f"{size / 1000:.1f} kB" for size in await stages(person, store, players)]
                print(f"| {players} | {' | '.join(kilobytes)} |", flush=True)
            before, used = resident(process.process.pid), await store.memory_used()
            for _ in range(STARTED_AT_ONCE):
                await person.act(await person.create(8, hands=10), "start")
            pid = process.process.pid
            print(
                f"\nA server process: {before / 1e6:.0f} MB at first; with {STARTED_AT_ONCE} tables of 8 dealt and held"
            )
            print(f"in memory {(resident(pid) - before) / STARTED_AT_ONCE / 1000:.1f} kB more a table,", end=" ")
            print(
                f"Redis as a whole {(await store.memory_used() - used) / STARTED_AT_ONCE / 1000:.1f} kB more a table."
            )


if __name__ == "__main__":
    asyncio.run(main())
