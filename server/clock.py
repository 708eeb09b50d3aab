"""Time as the server counts it, milliseconds since 1970, and as it writes it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], int]
"""Gives the time in milliseconds since 1970."""


def now() -> int:
    """The time of the operating system."""
    return time.time_ns() // 1_000_000


def iso(at: int) -> str:
    """ISO-8601 UTC with milliseconds: `2026-11-30T20:15:03.123Z`."""
    moment = datetime.fromtimestamp(at // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at % 1000:03d}Z"
