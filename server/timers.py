"""Due work: which table wants attention when.

The process that changed a table attends to it on time by its own clock. An index in Redis, some seconds behind, lets
any other process take over when that one is gone: a claim is harmless when late, for what falls due is decided again.
The index counts in the time of Redis: no clock that is wrong, or set, can hide a table from the others.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from server.clock import Clock
from server.metrics import TIMER_LAG_SECONDS
from server.store import Store, StoreAway

GRACE_MILLISECONDS = 2_000
"""How long after its time a table's own process may attend to it before any other does."""

LEASE_MILLISECONDS = 10_000
POLL_SECONDS = 0.5
AGAIN_MILLISECONDS = 1_000
"""When a table is tried again whose due work failed."""

_CLAIMED_AT_ONCE = 200

_log = logging.getLogger(__name__)


class Timers:
    """Calls `wake(table_id)` when a table is due. Use as `async with Timers(...)`."""

    def __init__(self, store: Store, wake: Callable[[str], Coroutine[Any, Any, None]], clock: Clock) -> None:
        self._store = store
        self._wake = wake
        self._clock = clock
        self._alarms: dict[str, tuple[int, asyncio.TimerHandle]] = {}
        self._indexed: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = False

    async def __aenter__(self) -> "Timers":
        self._start(self._poll())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._stopping = True
        for _, alarm in self._alarms.values():
            alarm.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def due(self, table_id: str, at: int | None) -> None:
        """Wake the table at `at` (milliseconds since 1970) and not before; None for not at all."""
        if at is None:
            self._disarm(table_id)
            if self._indexed.pop(table_id, None) is not None:
                self._start(self._store.not_due(table_id))
            return
        self._arm(table_id, at)
        indexing = self.announce(table_id, at)
        if indexing is not None:
            self._start(indexing)

    def due_by(self, table_id: str, at: int) -> None:
        """Wake the table at `at`, unless it is to be woken sooner."""
        alarm = self._alarms.get(table_id)
        # Compared by how long that is: the clock may have been set since the alarm was.
        if alarm is None or alarm[1].when() > asyncio.get_running_loop().time() + self._seconds_to(at):
            self.due(table_id, at)

    def announce(self, table_id: str, at: int) -> Coroutine[Any, Any, None] | None:
        """Have the index know that the table will be due at `at`; None when it does.

        To be awaited with the change that makes it so, not after it: a process killed in between would leave a table
        that nobody attends to.
        """
        # The index may be early, never late: moving it with every card would be a write for nothing.
        indexed = self._indexed.get(table_id)
        if indexed is not None and self._clock() <= indexed <= at + GRACE_MILLISECONDS:
            return None
        self._indexed[table_id] = at + GRACE_MILLISECONDS
        return self._index(table_id, at + GRACE_MILLISECONDS - self._clock())

    def forget(self, table_id: str) -> None:
        """Another process attends to the table now, and keeps the index."""
        self._disarm(table_id)
        self._indexed.pop(table_id, None)

    def _arm(self, table_id: str, at: int) -> None:
        before = self._alarms.get(table_id)
        if before is not None:
            if before[0] == at:
                return
            before[1].cancel()
        ring = asyncio.get_running_loop().call_later(self._seconds_to(at), self._ring, table_id, at)
        self._alarms[table_id] = at, ring

    def _seconds_to(self, at: int) -> float:
        return max(0, at - self._clock()) / 1000

    def _disarm(self, table_id: str) -> None:
        alarm = self._alarms.pop(table_id, None)
        if alarm is not None:
            alarm[1].cancel()

    async def _index(self, table_id: str, delay: int) -> None:
        try:
            await self._store.due_in(table_id, delay)
        except StoreAway:
            self._indexed.pop(table_id, None)  # or nobody would write it again
            raise

    def _ring(self, table_id: str, at: int) -> None:
        del self._alarms[table_id]
        TIMER_LAG_SECONDS.observe(max(0, self._clock() - at) / 1000)
        self._start(self._attend(table_id))

    async def _attend(self, table_id: str) -> None:
        try:
            await self._wake(table_id)
        except Exception:
            # The index may not have it: it was written behind the change, and Redis may have lost it.
            if table_id not in self._alarms and not self._stopping:
                self._arm(table_id, self._clock() + AGAIN_MILLISECONDS)
            raise

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        if self._stopping:
            work.close()
            return
        task = asyncio.ensure_future(self._quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())  # for the task that is cancelled before it begins

    async def _quietly(self, work: Awaitable[None]) -> None:
        try:
            await work
        except StoreAway:
            pass  # tried again: from here or from the index
        except Exception:
            _log.exception("due work failed")

    async def _poll(self) -> None:
        while True:
            try:
                now = self._clock()
                for table_id in await self._store.claim_due(LEASE_MILLISECONDS, _CLAIMED_AT_ONCE):
                    self._indexed[table_id] = now + LEASE_MILLISECONDS
                    self._start(self._wake(table_id))
            except StoreAway:
                pass
            except Exception:
                _log.exception("looking for due work failed")
            await asyncio.sleep(POLL_SECONDS)
