"""What can go wrong, as one small tree; every leaf knows the exit code a script sees.

ClientError
├── Refused        1  the server said no: illegal card, wrong phase, unknown table ...
├── WrongUse       2  the command itself makes no sense
├── Unreachable    3  no answer: server away, network down, answer broken
└── NotAllowed     4  no token, or one the server does not know
"""

from typing import Any


class ClientError(Exception):
    """One sentence for a person, and the exit code that goes with it."""

    exit_code = 1


class Refused(ClientError):
    """The server answered and said no; `problem` is its RFC 9457 body."""

    exit_code = 1

    def __init__(self, problem: dict[str, Any], status: int, retry_after: float | None = None) -> None:
        super().__init__(_sentence(problem, status))
        self.problem = problem
        self.status = status
        self.code = str(problem.get("code") or "")
        self.retry_after = retry_after


class WrongUse(ClientError):
    """The command was understood and cannot mean anything."""

    exit_code = 2


class Unreachable(ClientError):
    """No usable answer. An action sent may or may not have happened; its key finds out."""

    exit_code = 3

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NotAllowed(Refused):
    """No token, or one that the server does not accept."""

    exit_code = 4


def _sentence(problem: dict[str, Any], status: int) -> str:
    """The server's reason, opening with the field at fault unless it does so itself."""
    detail = str(problem.get("detail") or problem.get("title") or f"HTTP {status}")
    field = problem.get("field")
    return f"{field}: {detail}" if field and str(field) not in detail else detail
