"""The table that a benchmark prints and writes to docs/performance.md."""

import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

NUMBERS = "| what | where | here | yardstick | ratio | mark |\n|---|---|--:|--:|--:|---|"


class Row(NamedTuple):
    """One measure; yardstick: the same of the bare program in the same run; mark: what is asked for."""

    what: str
    where: str
    here: float
    yardstick: float | None = None
    ratio: str = ""
    mark: str = ""

    def __str__(self) -> str:
        yardstick = "" if self.yardstick is None else _number(self.yardstick)
        return f"| {self.what} | {self.where} | {_number(self.here)} | {yardstick} | {self.ratio} | {self.mark} |"


def ratio(here: float, yardstick: float) -> str:
    """What share of the yardstick this is."""
    return f"{100 * here / yardstick:.0f} %" if yardstick else ""


def machine() -> str:
    """The machine in one line, with how busy it has been in the last minutes."""
    info = Path("/proc/cpuinfo")
    names = [line.partition(": ")[2] for line in info.read_text().splitlines() if line.startswith("model name")]
    cpu = f"{len(names)} x {names[0]}" if names else platform.machine()
    load = f"load average {os.getloadavg()[1]:.1f}"
    return f"{cpu}, {load}, {platform.system()} {platform.release()}, Python {platform.python_version()}"


def page(sections: Iterable[tuple[str, str, list[Row]]], command: str) -> str:
    """The whole page: a heading, a note and rows for each section."""
    parts = [
        "# Performance\n",
        f"Written by `{command}` on {datetime.now(UTC):%Y-%m-%d}, {machine()}.\n",
        "Server, load and yardstick share this machine's processors, and take turns of some seconds each: trust the "
        "ratios, not the absolute numbers. The yardstick of plays is a bare aiohttp handler that makes one script call "
        "of the same size through redis-py on the same Redis (AOF everysec) and answers as many bytes; of streams, a "
        "bare aiohttp handler that writes the same bytes to each. Both are in `tests/load/bare.py`.\n",
    ]
    for heading, note, rows in sections:
        parts += [f"## {heading}\n", f"{note}\n", "\n".join((NUMBERS, *map(str, rows))), ""]
    return "\n".join(parts)


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
