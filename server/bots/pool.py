"""What the server calls: the quick levels answer at once, `hard` thinks in worker processes."""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType

from rules.commands import PlayCard
from rules.events import By
from rules.view import Seen
from server.bots.memory import CARD_OF, Memory
from server.bots.player import PLAYOUTS, Choice, Level, choose
from server.bots.search import OutOfTime, search

BUDGET = 0.3
"""Seconds within which `hard` answers, whatever happens."""

_QUEUE = 4
"""Thoughts a worker may have waiting; whoever comes then gets the answer of `normal`."""

_log = logging.getLogger(__name__)


class Bots:
    """The computer players of one server process. An asynchronous context: leaving it ends the workers.

    failed: told the level of a bot whose failure was covered by another choice. workers: processes that think for
    `hard`; they start with the first such choice (or with `warm`), and until they are ready `normal` answers.
    """

    def __init__(
        self, failed: Callable[[Level], object] | None = None, workers: int = 1, playouts: int = PLAYOUTS
    ) -> None:
        self._failed = failed
        self._workers = workers
        self._playouts = playouts
        self._pool: ProcessPoolExecutor | None = None
        self._warming: asyncio.Task[None] | None = None
        self._thinking = 0

    async def __aenter__(self) -> "Bots":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the workers and wait for their end. A later choice would start new ones."""
        warming, self._warming = self._warming, None
        if warming is not None:
            await asyncio.wait([warming])
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)

    async def choose_for(self, level: Level, seen: Seen, seed: int, by: By = "bot") -> Choice:
        """What a bot of `level` does at its turn. Never raises, never takes longer than BUDGET."""
        if level == "hard" and seen.view.me is not None and len(seen.view.me.legal) > 1:
            try:
                face = await self._think(seen, seed)
            except Exception:
                _log.exception("a hard bot failed; normal stands in")
                if self._failed is not None:
                    self._failed(level)
                face = None
            if face is not None:
                assert seen.view.hand is not None
                return PlayCard(CARD_OF[face], seen.view.hand.turn_number, by)
            level = "normal"
        return choose(level, seen, seed, by, self._failed)

    def warm(self) -> None:
        """Start the workers if they do not run, without waiting for them."""
        if self._warming is None and self._pool is None:
            self._warming = asyncio.create_task(self._start())

    async def _start(self) -> None:
        pool = ProcessPoolExecutor(self._workers, multiprocessing.get_context("spawn"), _settle_in)
        try:
            await asyncio.to_thread(_wake, pool, self._workers)
        except Exception:
            _log.exception("the workers of hard bots did not start; normal plays for them")
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        else:
            self._pool = pool
        finally:
            self._warming = None

    async def _think(self, seen: Seen, seed: int) -> int | None:
        """The face that a search in a worker finds; None when it cannot answer in time."""
        pool, waiting = self._pool, self._thinking // self._workers
        if pool is None:
            self.warm()
            return None
        if waiting >= _QUEUE:
            return None
        playouts = self._playouts // (1 + waiting)
        self._thinking += 1
        try:
            thought = pool.submit(_search, seen, seed, playouts, time.time() + BUDGET * 0.9)
            return await asyncio.wait_for(asyncio.wrap_future(thought), BUDGET * 0.95)
        except TimeoutError:
            return None
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = None
                pool.shutdown(wait=False)
            raise
        finally:
            self._thinking -= 1


def _wake(pool: ProcessPoolExecutor, workers: int) -> None:
    """Have every worker started and the code loaded. Blocks."""
    for started in [pool.submit(time.sleep, 0.01) for _ in range(workers)]:
        started.result()


def _settle_in() -> None:
    """A worker leaves the interrupt key to the server, yields to it, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(AttributeError, OSError):  # no such call on Windows; forbidden in some sandboxes
        os.nice(5)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _search(seen: Seen, seed: int, playouts: int, until: float) -> int | None:
    """In a worker: the face to play, None when the time (as `time.time` counts it) was over first."""
    try:
        return search(Memory(seen), playouts, random.Random(seed), lambda: time.time() > until)
    except OutOfTime:
        return None
