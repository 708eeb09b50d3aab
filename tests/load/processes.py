"""The processes that are measured: started, watched and ended."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

UNLIMITED = (
    "--actions-per-second=1000000",
    "--actions-burst=1000000",
    "--players-per-minute=1000000",
    "--players-burst=1000000",
    "--chat-per-minute=1000000",
    "--chat-burst=1000000",
    "--tables-per-player=1000000",
    "--streams-per-address=1000000",
)
"""The limits against abuse, out of the way: all the load comes from one address."""

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Running:
    """A started program with its port; cpu_seconds and resident_bytes count its child processes in."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self.port = port

    @property
    def cpu_seconds(self) -> float:
        return sum(cpu_seconds(pid) for pid in _family(self.process.pid))

    @property
    def resident_bytes(self) -> int:
        pages = (Path(f"/proc/{pid}/statm").read_text().split()[1] for pid in _family(self.process.pid))
        return sum(map(int, pages)) * _PAGE


def cpu_seconds(pid: int) -> float:
    """The processor time a process has used, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


@contextlib.asynccontextmanager
async def started(*command: str, errors: Path) -> AsyncIterator[Running]:
    """A Python program whose first line of output ends in, or contains, `:PORT`; ended on leaving.

    What it writes to its standard error goes to the file `errors`. It stays in this session: Linux shares processors
    out by session first, which would favour whoever has more of them.
    """
    with errors.open("ab") as sink:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, stdout=asyncio.subprocess.PIPE, stderr=sink
        )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        if not line:
            raise RuntimeError(f"{' '.join(command)} did not start; see {errors}")
        yield Running(process, int(line.partition("//")[2].partition(":")[2].partition(" ")[0]))
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(20):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def hearts(redis_url: str, errors: Path, *flags: str) -> contextlib.AbstractAsyncContextManager[Running]:
    """The server on this Redis, without the limits that one address would meet."""
    return started("-m", "server", "--port=0", f"--redis-url={redis_url}", *UNLIMITED, *flags, errors=errors)


def _family(pid: int) -> Sequence[int]:
    """The process and its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(member for child in children for member in _family(int(child)))]
