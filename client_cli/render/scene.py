"""Everything a picture of the table depends on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from client_cli.cards import sort_hand
from client_cli.look import Look
from client_cli.model import View


@dataclass(frozen=True)
class Scene:
    """`now` is the server's time in seconds since the epoch, as well as it is known."""

    view: View
    look: Look = field(default_factory=Look)
    now: float = 0.0
    cursor: int | None = None
    chosen: frozenset[int] = frozenset()
    typed: str = ""
    note: str = ""
    log: Sequence[str] = ()
    offline: str = ""

    @property
    def hand(self) -> list[str]:
        """My cards in the order shown; their numbers count from 1."""
        return sort_hand(self.view.me.cards) if self.view.me else []

    @property
    def seconds_left(self) -> int | None:
        """Whole seconds until the deadline of the turn, 0 when it is past, None without one."""
        if self.view.hand is None or self.view.hand.deadline is None:
            return None
        return max(0, round(instant(self.view.hand.deadline) - self.now))


def instant(text: str) -> float:
    """Seconds since the epoch of an ISO-8601 time; 0 where the text is none."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


def countdown(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
