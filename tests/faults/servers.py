"""Real processes to be hurt: Redis on a port and a directory of its own, and hearts-server with its log in a file."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Self

from redis.exceptions import RedisError

from server.embedded import _find_binary
from server.endpoint import Endpoint
from tests.conditions import until

ROOT = Path(__file__).parents[2]
START_SECONDS = 60.0

_PLAYED_FAST = (
    *("--bot-delay", "0.01-0.03", "--keep-alive", "1", "--drain-timeout", "4"),
    *("--actions-per-second", "1000", "--actions-burst", "1000", "--chat-per-minute", "60000", "--chat-burst", "1000"),
    *("--players-burst", "1000", "--lookups-burst", "1000"),
)


class Running:
    """A process that can be started, killed, halted and started again on one port; all it says is in `log`.

    Use as `async with`: leaving kills it.
    """

    def __init__(self, log: Path) -> None:
        self.log = log
        self.process: asyncio.subprocess.Process | None = None
        # Bound, never listening: nobody else is given the port while the process is not there.
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self.port: int = self._reserved.getsockname()[1]

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.kill()
        self._reserved.close()

    async def start(self) -> None:
        """Start it, and return when it can be used."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    async def _spawn(self, *command: str) -> None:
        with self.log.open("ab") as out:
            self.process = await asyncio.create_subprocess_exec(
                *command, cwd=ROOT, env=os.environ | {"PYTHONDEVMODE": ""}, stdout=out, stderr=out
            )

    async def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        await self._end(signal.SIGTERM)

    async def _end(self, number: signal.Signals) -> None:
        process, self.process = self.process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)
            await process.wait()

    def halt(self) -> None:
        """Let it stand still, connections and all."""
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on after `halt`."""
        os.kill(self.pid, signal.SIGCONT)


class Redis(Running):
    """A Redis that keeps an append-only file in `place`; `fsync` is its appendfsync."""

    def __init__(self, place: Path, log: Path, fsync: str) -> None:
        super().__init__(log)
        self.place = place
        self._fsync = fsync

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    async def start(self) -> None:
        binary = shutil.which("redis-server") or str(_find_binary())
        await self._spawn(
            *(binary, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.place), "--save", ""),
            *("--appendonly", "yes", "--appendfsync", self._fsync, "--logfile", "", "--enable-debug-command", "local"),
        )
        async with asyncio.timeout(START_SECONDS):
            while not await self.answers():  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.02)

    async def answers(self) -> bool:
        """Whether it takes commands now."""
        try:
            await self.ask("PING")
        except (RedisError, OSError):
            return False
        return True

    async def ask(self, *command: str | int) -> object:
        """Send one command over a connection of its own; its reply."""
        return await _ask(self.url, *command)

    @property
    def append_only(self) -> Path:
        """The directory of the append-only file."""
        return self.place / "appendonlydir"


async def hold_nothing_back(url: str) -> None:
    """Have the Redis at `url`, once it answers, write all it was told to its file, and what comes before it answers.

    With `everysec` that is the rule, but while an fsync is under way Redis holds back what is new, up to two seconds.
    """
    async with asyncio.timeout(START_SECONDS):
        while True:
            try:
                await _ask(url, "CONFIG", "SET", "appendfsync", "no")
                return
            except (RedisError, OSError):
                await asyncio.sleep(0.02)


async def _ask(url: str, *command: str | int) -> object:
    connection = await Endpoint.parse(url).connect(2.0)
    try:
        await connection.send_command(*command)
        return await connection.read_response()
    finally:
        await connection.disconnect(nowait=True)


class Server(Running):
    """hearts-server on `port`, which it keeps when it is started again."""

    def __init__(self, log: Path, *flags: str) -> None:
        super().__init__(log)
        self._flags = flags

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        said = self.log.stat().st_size if self.log.exists() else 0
        command = (sys.executable, "-m", "server", "--port", str(self.port), "--log-format", "json")
        await self._spawn(*command, *_PLAYED_FAST, *self._flags)
        await until(lambda: b" is open at http" in self.log.read_bytes()[said:] or self._gone(), START_SECONDS)
        assert not self._gone(), self.log.read_text()[said:]

    def _gone(self) -> bool:
        return self.process is None or self.process.returncode is not None

    def workers(self) -> list[int]:
        """The process ids of its workers."""
        return [child for child in children(self.pid) if b"spawn_main" in _command_line(child)]

    def embedded(self) -> list[int]:
        """The process id of its embedded Redis, if it runs one."""
        return [child for child in children(self.pid) if b"redis.sock" in _command_line(child)]


def children(pid: int) -> list[int]:
    """The processes that were started by this one and run."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class Disk:
    """A small disk of its own, to be filled: a tmpfs of `kilobytes` at `place`."""

    def __init__(self, place: Path, kilobytes: int) -> None:
        self.place = place
        self._options = f"size={kilobytes}k"
        self._filler = place / "filler"

    async def __aenter__(self) -> "Disk":
        self.place.mkdir()
        await _run("mount", "-t", "tmpfs", "-o", self._options, "hearts-faults", str(self.place))
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await _run("umount", str(self.place))

    def fill(self) -> None:
        """Leave no byte free."""
        with contextlib.suppress(OSError), self._filler.open("wb", buffering=0) as filler:
            _fill(filler)

    def free(self) -> None:
        """Give back what `fill` took."""
        self._filler.unlink(missing_ok=True)


def _fill(filler: IO[bytes]) -> None:
    for size in (4096, 1):
        with contextlib.suppress(OSError):
            while True:
                filler.write(bytes(size))


async def _run(*command: str) -> None:
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    _, errors = await process.communicate()
    if process.returncode:
        raise OSError(errors.decode().strip())


_CARD = re.compile(r"(?<![\w-])(?:[2-9TJQKA]|10)[CDHS](?![\w-])|\bJK\b")


def told(log: str, secrets: Sequence[str]) -> list[str]:
    """The lines of a log that say what no log may: a secret, a card, a traceback."""
    return [
        line
        for line in log.splitlines()
        if "Traceback" in line or _CARD.search(line) or any(secret in line for secret in secrets)
    ]
