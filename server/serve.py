"""Running one process: the socket, the signals, the application on them, and the way out."""

import asyncio
import contextlib
import gc
import logging
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web

from server.config import Config
from server.embedded import EmbeddedRedis

_log = logging.getLogger(__name__)

_BACKLOG = 1024
_EVERYWHERE = ("0.0.0.0", "::", "")


class Stop:
    """What SIGINT and SIGTERM ask for: to stop, and with a second SIGINT to hurry."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.hurry = asyncio.Event()

    def listen(self) -> None:
        """Take the signals of this process."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.asked.set)
        loop.add_signal_handler(signal.SIGINT, self._interrupt)

    def _interrupt(self) -> None:
        if self.asked.is_set():
            self.hurry.set()
        self.asked.set()


async def first(*waits: Coroutine[Any, Any, Any], within: float | None = None) -> None:
    """Wait until one of these is done, or for `within` seconds; the others are dropped."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


def bind(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A socket bound to the address; OSError when that is not possible. `shared`: others may bind it too."""
    family, kind, protocol, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.bind(address)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {error.strerror}") from None
    return sock


def greeting(host: str, port: int) -> str:
    """The first line a server prints, with an address that others on the network can type."""
    if host in _EVERYWHERE:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks which interface leads out
            host = probe.getsockname()[0]
    if host in _EVERYWHERE:
        host = "localhost"
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return f"Hearts is open at {url} (the contract: {url}/docs). Ctrl-C ends it."


@contextlib.asynccontextmanager
async def with_redis(config: Config) -> AsyncIterator[Config]:
    """The settings with the URL of a Redis: the one given, or an embedded server started for the time being."""
    if config.redis_url:
        yield config
        return
    async with EmbeddedRedis(Path(config.data_dir)) as embedded:
        yield msgspec.structs.replace(config, redis_url=embedded.url)


def run_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run on uvloop where it is installed, else on asyncio's own loop."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


async def serve_alone(config: Config) -> None:
    """Serve from this process only, until asked to stop."""
    with bind(config.host, config.port) as sock:
        hello = greeting(config.host, sock.getsockname()[1])
        async with with_redis(config) as ready:
            stop = Stop()
            stop.listen()
            await serve_app(ready, sock, stop, hello)


async def serve_app(config: Config, sock: socket.socket, stop: Stop, hello: str | None = None) -> None:
    """Serve one application on the socket until asked to stop, then let requests in flight finish.

    `hello` is printed when the first request may come.
    """
    from server.app import make_app  # here: the parent of workers does without
    from server.logs import configure

    app = make_app(config, configure(config.log_format, config.log_level))
    runner = web.AppRunner(
        app,
        access_log=None,
        handle_signals=False,
        shutdown_timeout=config.drain_timeout,
        keepalive_timeout=config.idle_timeout,  # from the connection's begin or its last answer
    )
    await runner.setup()
    _collect_seldom()
    try:
        await web.SockSite(runner, sock, backlog=_BACKLOG).start()
        if hello:
            print(hello, flush=True)
        await stop.asked.wait()
        _log.info("stopping: no new connections, requests in flight finish")
    finally:
        await first(_watched(runner.cleanup()), stop.hurry.wait())


def _collect_seldom() -> None:
    """Tell Python's garbage collector that what is loaded stays, and that tables are made of values without cycles.

    Walking all tables in memory again and again found nothing and cost a twentieth of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


async def _watched(cleanup: Coroutine[Any, Any, None]) -> None:
    try:
        await cleanup
    except Exception:
        _log.exception("stopping went wrong")
