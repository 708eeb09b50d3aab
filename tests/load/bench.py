"""The benchmark: `python -m tests.load.bench`. Prints its tables and writes docs/performance.md.

Without arguments everything is measured, in some ten minutes; with names only that, and nothing is written.
"""

import argparse
import asyncio
import resource
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from server.embedded import EmbeddedRedis
from server.serve import run_loop
from tests.load.bench_rules import rules_rows
from tests.load.bots import bot_tables
from tests.load.flat import by_hands, by_tables, cold_start
from tests.load.plays import plays
from tests.load.report import NUMBERS, Row, page
from tests.load.streams import fan_out, many_small, stopped_reader

PAGE = Path("docs/performance.md")


class Bench:
    """How long and how much to measure, and where."""

    def __init__(self, work: Path, redis: EmbeddedRedis, options: argparse.Namespace) -> None:
        self.work = work
        self.redis = redis
        self.seconds: float = options.seconds
        self.turns: int = options.turns
        self.scale: float = options.scale
        self.hands: int = options.hands
        self.processes: int = options.processes

    def scaled(self, count: int, least: int = 1) -> int:
        return max(least, round(count * self.scale))

    async def rules(self) -> AsyncIterator[list[Row]]:
        yield await asyncio.to_thread(rules_rows, self.seconds)

    async def plays(self) -> AsyncIterator[list[Row]]:
        for processes, connections in ((1, 1), (2, 1), (2, 4)) if self.processes > 1 else ((1, 1),):
            yield await plays(
                self.redis,
                self.work,
                processes=processes,
                connections=connections,
                clients=self.scaled(64, 4),
                seconds=self.seconds,
                turns=self.turns,
            )

    async def streams(self) -> AsyncIterator[list[Row]]:
        for streams in (1_000, 5_000):
            yield await fan_out(self.redis, self.work, self.scaled(streams), self.seconds, self.turns)
        yield await many_small(self.redis, self.work, self.scaled(1_000), 5, self.seconds, self.turns)

    async def stopped(self) -> AsyncIterator[list[Row]]:
        yield await stopped_reader(self.redis, self.work)

    async def bots(self) -> AsyncIterator[list[Row]]:
        yield await bot_tables(self.redis, self.work, self.scaled(1_000), self.hands)

    async def flat(self) -> AsyncIterator[list[Row]]:
        stored = [10, self.scaled(1_000), self.scaled(10_000)]
        yield await by_tables(self.work, stored, self.scaled(8, 2), self.seconds, self.turns)
        yield await by_hands(self.redis, self.work, self.scaled(50, 6), self.scaled(8, 2))

    async def start(self) -> AsyncIterator[list[Row]]:
        yield await cold_start(self.work, min(self.turns, 5))


Measure = Callable[[Bench], AsyncIterator[list[Row]]]
SECTIONS: dict[str, tuple[str, str, Measure]] = {
    "rules": (
        "Rules",
        "Whole hands played at random by the rules alone: each play is chosen among the legal cards, validated, and "
        "turned into events and the next state. The yardstick is OpenSpiel's hearts driven from Python, its cards "
        "dealt by its chance outcomes, or quicker by what it calls the legal actions of chance.",
        Bench.rules,
    ),
    "plays": (
        "Plays",
        "64 tables of eight humans, one play under way at each. Every play is answered with the player's whole view. "
        "On both sides a look at the table comes with every 13 plays, as each seat must see its new cards. The ratio "
        "of processor time is what a busy machine makes of throughput, and depends least on what else runs.",
        Bench.plays,
    ),
    "streams": (
        "Live streams",
        "Busy: plays are made at the table and every stream must hear them. Idle: nothing happens.",
        Bench.streams,
    ),
    "stopped": (
        "A reader that stops",
        "What the kernel takes for it counts too: some megabytes before the server notices.",
        Bench.stopped,
    ),
    "bots": ("Bots", "No seat is a human's, so no bot pretends to think.", Bench.bots),
    "flat": (
        "What does not grow",
        "The yardstick is the first row's server, and hand 2 to 4 of the same games. Of each finished hand a view "
        "shows the scores and the seed, and a snapshot keeps them: some hundred bytes a hand.",
        Bench.flat,
    ),
    "start": ("Start", "A new process, its imports and its Redis.", Bench.start),
}


async def measure(names: list[str], options: argparse.Namespace) -> list[tuple[str, str, list[Row]]]:
    """The sections of these names, each printed as it comes."""
    found = []
    with tempfile.TemporaryDirectory(prefix="hearts-bench-") as directory:
        work = Path(directory)
        async with EmbeddedRedis(work / "data") as redis:
            bench = Bench(work, redis, options)
            for name in names:
                heading, note, measured = SECTIONS[name]
                print(f"\n{heading}\n{NUMBERS}", flush=True)
                rows: list[Row] = []
                async for some in measured(bench):
                    print(*some, sep="\n", flush=True)
                    rows += some
                found.append((heading, note, rows))
    return found


def options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load.bench", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"one of {', '.join(SECTIONS)}; default all")
    parser.add_argument("--seconds", type=float, default=1.0, help="of one turn (%(default)s)")
    parser.add_argument("--turns", type=int, default=10, help="of each of those that take turns (%(default)s)")
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of clients, streams and tables")
    parser.add_argument("--processes", type=int, default=2, help="of the server, at most (%(default)s)")
    parser.add_argument("--hands", type=int, default=1, help="of the bots' games; 0 plays to 100 points (%(default)s)")
    given = parser.parse_args(argv)
    unknown = set(given.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"there is no section {', '.join(sorted(unknown))}")
    return given


async def main(argv: list[str]) -> None:
    """Measure, and write the page when everything was measured."""
    given = options(argv)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a stream has two ends, and both are on this machine
    sections = await measure(given.sections or list(SECTIONS), given)
    if not given.sections:
        command = " ".join(["python -m tests.load.bench", *argv])
        await asyncio.to_thread(PAGE.write_text, page(sections, command))


if __name__ == "__main__":
    run_loop(main(sys.argv[1:]))
