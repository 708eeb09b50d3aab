"""Time as the server counts it, milliseconds since 1970, and as it writes it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache

Clock = Callable[[], int]
"""Gives the time in milliseconds since 1970."""


def now() -> int:
    """The time of the operating system."""
    return time.time_ns() // 1_000_000


def iso(at: int) -> str:
    """ISO-8601 UTC with milliseconds: `2026-11-30T20:15:03.123Z`."""
    return f"{_second(at // 1000)}.{at % 1000:03d}Z"


@lru_cache(maxsize=64)
def _second(at: int) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}"
