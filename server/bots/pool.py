"""What the server calls: quick levels answer at once, `hard` thinks in worker processes."""

from collections.abc import Callable
from types import TracebackType

from rules.events import By
from rules.view import Seen
from server.bots.player import Choice, Level, choose


class Bots:
    """The computer players of one server process. An asynchronous context: leaving it ends the workers.

    failed: told the level of a bot whose failure was covered by a plain legal choice.
    """

    def __init__(self, failed: Callable[[Level], object] | None = None) -> None:
        self._failed = failed

    async def __aenter__(self) -> "Bots":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the workers."""

    async def choose_for(self, level: Level, seen: Seen, seed: int, by: By = "bot") -> Choice:
        """What a bot of `level` does at its turn; within 300 ms, and never raises."""
        return choose(level, seen, seed, by, self._failed)
