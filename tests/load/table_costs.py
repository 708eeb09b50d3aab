"""What a table costs: bytes in Redis at several stages, memory and time of a server process.

`python -m tests.load.table_costs` prints the figures of docs/scaling.md. Redis is the embedded server; bytes are
those of MEMORY USAGE, all samples.
"""

import asyncio
import os
import tempfile
from pathlib import Path

from server.admin.survey import Survey
from server.embedded import EmbeddedRedis
from server.link import Link
from tests.service import Person, server

STARTED_AT_ONCE = 1_000
PLAYING_AT_ONCE = 300
WATCHED_SECONDS = 20
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


async def playing() -> None:
    """Tables of 8 at the pace of people: every seat is a bot's, and takes its time since a human is still seated."""
    with tempfile.TemporaryDirectory() as place:
        times = ("--connected-window", "1s", "--absent-after", "1s")
        async with (
            EmbeddedRedis(Path(place) / "data") as redis,
            server(
                Path(place) / "log", "--redis-url", redis.url, "--log-level", "error", *MANY, *times, pace="0.4-1.5"
            ) as process,
            Link(redis.url) as link,
            Person(process.url) as person,
        ):
            store = Survey(link)
            tables = [await person.create(8, hands=99, fill="normal") for _ in range(PLAYING_AT_ONCE)]
            for table in tables:
                await person.act(table, "start")
            await asyncio.sleep(10)  # until the person counts as absent everywhere
            pids = {"server": process.process.pid, "Redis": redis.pid}
            before, events = {name: seconds(pid) for name, pid in pids.items()}, await count(store, tables)
            await asyncio.sleep(WATCHED_SECONDS)
            used = {name: (seconds(pid) - before[name]) / WATCHED_SECONDS for name, pid in pids.items()}
            rate = (await count(store, tables) - events) / WATCHED_SECONDS
            print(f"{PLAYING_AT_ONCE} tables of 8 at the pace of people, {rate:.0f} events a second:", end=" ")
            print(f"the server uses {used['server']:.0%} of a core, Redis {used['Redis']:.0%}.")


async def count(store: Survey, tables: list[str]) -> int:
    """Events of all these tables."""
    found = await asyncio.gather(*(store.load(table) for table in tables))
    return sum(stored.version for stored in found if stored is not None)


def seconds(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
    await playing()


if __name__ == "__main__":
    asyncio.run(main())
