"""Running several processes on one port.

The parent holds the port (bound, never listening), the embedded server when no URL is given, and nothing else.
Workers listen on the same port by SO_REUSEPORT; one that dies is replaced, one whose parent dies ends by itself.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import shutil
import tempfile
from multiprocessing.context import SpawnProcess
from pathlib import Path

import msgspec
from prometheus_client import multiprocess as shared_metrics

from server.config import Config
from server.embedded import is_alive
from server.logs import configure
from server.serve import Stop, bind, first, greeting, run_loop, serve_app, with_redis

_log = logging.getLogger(__name__)

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 10.0
_RAN_WELL = 30.0
_GRACE = 2.0
_COUNTS = "hearts-metrics-"


async def serve_with_workers(config: Config) -> None:
    """Keep `config.workers` processes serving until asked to stop."""
    configure(config.log_format, config.log_level)
    if config.port:
        bind(config.host, config.port).close()  # a port somebody else shares out must not be joined unnoticed
    _remove_left_behind()
    with (
        bind(config.host, config.port, shared=True) as sock,
        tempfile.TemporaryDirectory(prefix=f"{_COUNTS}{os.getpid()}-", ignore_cleanup_errors=True) as directory,
    ):
        # read by prometheus-client when a worker imports it
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory
        port = sock.getsockname()[1]
        async with with_redis(config) as ready:
            stop = Stop()
            stop.listen()
            settings = msgspec.structs.replace(ready, port=port)
            hello = greeting(config.host, port)
            async with asyncio.TaskGroup() as group:
                for number in range(config.workers):
                    group.create_task(_keep(number, settings, stop, None if number else hello))


def _remove_left_behind() -> None:
    """Remove the counts of killed parents: a folder of them is named after the process that made it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_COUNTS}[0-9]*-*"):
        pid = folder.name.removeprefix(_COUNTS).partition("-")[0]
        # in a container every start has the same process id
        if pid == str(os.getpid()) or not is_alive(pid):
            shutil.rmtree(folder, ignore_errors=True)


async def _keep(number: int, config: Config, stop: Stop, hello: str | None) -> None:
    """Keep one worker running until asked to stop; the oftener it dies, the longer the pause."""
    clock = asyncio.get_running_loop().time
    pause = 0.0
    while not stop.asked.is_set():
        started = clock()
        process = multiprocessing.get_context("spawn").Process(
            target=_worker, args=(config, hello), name=f"hearts-worker-{number}"
        )
        process.start()
        await _until_gone(process, stop, config.drain_timeout + _GRACE)
        with contextlib.suppress(OSError):
            shared_metrics.mark_process_dead(process.pid)  # type: ignore[no-untyped-call]
        if not stop.asked.is_set():
            pause = _FIRST_PAUSE if clock() - started > _RAN_WELL else min(2 * pause or _FIRST_PAUSE, _LONGEST_PAUSE)
            _log.warning("worker %d ended with %s; the next starts in %.1f s", number, process.exitcode, pause)
            await first(stop.asked.wait(), within=pause)
        hello = None


async def _until_gone(process: SpawnProcess, stop: Stop, grace: float) -> None:
    """Wait for the worker to end, and see that it does within `grace` seconds of being asked to."""
    loop, gone = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(process.sentinel, gone.set)
    try:
        await first(gone.wait(), stop.asked.wait())
        if not gone.is_set():
            process.terminate()
            await first(gone.wait(), stop.hurry.wait(), within=grace)
        if not gone.is_set():
            process.kill()
            await gone.wait()
    finally:
        loop.remove_reader(process.sentinel)
    process.join()


def _worker(config: Config, hello: str | None) -> None:
    run_loop(_serve_as_worker(config, hello))


async def _serve_as_worker(config: Config, hello: str | None) -> None:
    stop = Stop()
    stop.listen()
    parent = multiprocessing.parent_process()
    assert parent is not None
    loop = asyncio.get_running_loop()

    def orphaned() -> None:
        loop.remove_reader(parent.sentinel)
        stop.asked.set()

    loop.add_reader(parent.sentinel, orphaned)
    with bind(config.host, config.port, shared=True) as sock:
        await serve_app(config, sock, stop, hello)
