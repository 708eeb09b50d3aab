"""One connection to one Redis server, shared by everything that has a command for it.

All commands issued in one turn of the event loop leave in one write; replies come back in order. A wire
reconnects by itself. While its server is away it says so at once instead of letting callers wait.
"""

import asyncio
import logging
import math
import random
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import (
    MasterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)

_log = logging.getLogger(__name__)

Word: TypeAlias = str | bytes | int
Command: TypeAlias = tuple[Word, ...]
BatchSeen: TypeAlias = Callable[[int, float], None]
"""Called after each batch with its number of commands and the seconds until its last reply."""

BATCHES_IN_FLIGHT = 4
"""Writes whose replies are still to come. One was slower in measurements; more than four gained nothing."""

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 1.0
_GRACE = 0.05
_ASKING = b"*1\r\n$6\r\nASKING\r\n"
_AWAY_CODES = ("MISCONF", "NOREPLICAS", "BUSY ", "UNKILLABLE")


class StoreAway(Exception):
    """Redis does not answer, or takes no writes now. Whether the command ran is not known: ask again."""


class _Entry:
    """A command under way. One without a future is an ASKING, whose reply nobody waits for."""

    __slots__ = ("asking", "batch", "deadline", "future", "packed", "retried")

    def __init__(
        self, packed: bytes, future: asyncio.Future[Any] | None, deadline: float, asking: bool = False
    ) -> None:
        self.packed = packed
        self.future = future
        self.deadline = deadline
        self.asking = asking
        self.retried = False
        self.batch: tuple[int, float] | None = None  # size and start, on the last entry of a batch

    def fail(self, error: Exception) -> None:
        if self.future is not None and not self.future.done():
            self.future.set_exception(error)


class Wire:
    """Commands to one server. `connect` makes a connection that has answered, or raises.

    `timeout` bounds each command in seconds, reconnecting included.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[AbstractConnection]],
        *,
        name: str,
        timeout: float,
        on_batch: BatchSeen,
    ) -> None:
        self._connect = connect
        self._name = name
        self._timeout = timeout
        self._on_batch = on_batch
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Entry] = []
        self._sent: deque[_Entry] = deque()
        self._batches = 0
        self._wake = asyncio.Event()
        self._clock: asyncio.TimerHandle | None = None
        self._late: _Entry | None = None
        self._connection: AbstractConnection | None = None
        self._patience: asyncio.Timeout | None = None
        self._away = False
        self._tried = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name=f"redis {name}")

    @property
    def up(self) -> bool:
        """Whether the server answered last."""
        return self._tried.is_set() and not self._away

    async def tried(self) -> None:
        """Return once the first attempt to connect has ended, either way."""
        await self._tried.wait()

    def call(self, words: Command, *, asking: bool = False) -> asyncio.Future[Any]:
        """The future reply: a value, a redis ResponseError, or StoreAway. `asking` follows an ASK redirect.

        The command must be safe to repeat, for it is sent once more when the connection is lost.
        """
        packed: bytes = hiredis.pack_command(words)  # type: ignore[arg-type]
        future: asyncio.Future[Any] = self._loop.create_future()
        if self._away:
            future.set_exception(self._store_away())
            return future
        deadline = self._loop.time() + self._timeout
        self._waiting.append(_Entry(packed, future, deadline, asking))
        self._wake.set()
        if self._clock is None:
            self._clock = self._loop.call_at(deadline, self._look_at_the_clock)
        return future

    async def renew_unless(self, current: Callable[[AbstractConnection], Awaitable[bool]]) -> None:
        """Look whether the connection is still the right one, and make a new one if not."""
        connection = self._connection
        if connection is None or await current(connection) or connection is not self._connection:
            return
        _log.warning("Redis at %s is another server now", self._name)
        self._end_connection()

    async def close(self) -> None:
        """End the connection; commands under way raise StoreAway."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if self._clock is not None:
            self._clock.cancel()
        self._give_up()

    async def _run(self) -> None:
        pause = 0.0
        while True:
            if pause:
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            try:
                connection = await self._connect()
            except (RedisError, OSError) as error:
                self._leave(error)
                pause = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, pause * 2))
                continue
            self._return()
            start = self._loop.time()
            served = await self._serve(connection)
            # A lost connection is renewed at once, except one that broke before it was of any use.
            useful = served or self._loop.time() - start > _LONGEST_PAUSE
            pause = 0.0 if useful else min(_LONGEST_PAUSE, max(_FIRST_PAUSE, pause * 2))
            self._take_back()

    async def _serve(self, connection: AbstractConnection) -> bool:
        """Serve until the connection is lost; whether it gave any reply."""
        writing = asyncio.create_task(self._write(connection))
        served = False
        try:
            async with asyncio.timeout(None) as patience:
                self._connection, self._patience = connection, patience
                while True:
                    try:
                        reply = await connection.read_response(timeout=math.inf)
                    except (ReadOnlyError, MasterDownError):
                        raise  # the master was demoted: who knows the new one is asked in connecting
                    except ResponseError as error:
                        reply = error
                    if not self._sent:
                        raise RedisConnectionError("a reply to no command")
                    served = True
                    self._settle(self._sent.popleft(), reply)
        except (RedisError, OSError) as error:
            _log.info("The connection to Redis at %s was lost: %s", self._name, error)
        finally:
            self._connection = self._patience = None
            writing.cancel()
            await connection.disconnect(nowait=True)
        return served

    async def _write(self, connection: AbstractConnection) -> None:
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                if self._batches < BATCHES_IN_FLIGHT and (batch := self._next_batch()):
                    await connection.send_packed_command(b"".join([entry.packed for entry in batch]))
        except (RedisError, OSError):
            await connection.disconnect(nowait=True)  # which the reader sees

    def _next_batch(self) -> list[_Entry]:
        batch: list[_Entry] = []
        for entry in self._waiting:
            if entry.future is None or entry.future.done():  # its caller was cancelled
                continue
            if entry.asking:
                batch.append(_Entry(_ASKING, None, entry.deadline))
            batch.append(entry)
        self._waiting.clear()
        if batch:
            batch[-1].batch = (len(batch), self._loop.time())
            self._batches += 1
            self._sent.extend(batch)
        return batch

    def _settle(self, entry: _Entry, reply: Any) -> None:
        if entry.batch is not None:
            size, started = entry.batch
            self._batches -= 1
            if self._waiting:
                self._wake.set()
            self._on_batch(size, self._loop.time() - started)
        if entry.future is None or entry.future.done():
            return
        if not isinstance(reply, Exception):
            entry.future.set_result(reply)
        elif isinstance(reply, OutOfMemoryError) or str(reply).startswith(_AWAY_CODES):
            entry.fail(StoreAway(f"Redis takes no writes now: {reply}"))
        else:
            entry.fail(reply)

    def _take_back(self) -> None:
        """The connection is lost: send again what was under way, unless it was sent twice already."""
        again: list[_Entry] = []
        for entry in self._sent:
            entry.batch = None
            if entry.retried:
                entry.fail(self._store_away())
            else:
                entry.retried = True
                again.append(entry)
        self._sent.clear()
        self._batches = 0
        self._waiting[:0] = again

    def _look_at_the_clock(self) -> None:
        oldest = self._sent[0] if self._sent else self._waiting[0] if self._waiting else None
        self._clock = None
        if oldest is None:
            return
        due = oldest.deadline
        if due <= self._loop.time():
            if oldest is self._late:
                self._leave(TimeoutError(f"no reply within {self._timeout} s"))
                self._end_connection()
                return
            # It may have been us who slept: the reply gets one more chance to be read.
            self._late = oldest
            due = self._loop.time() + _GRACE
        self._clock = self._loop.call_at(due, self._look_at_the_clock)

    def _end_connection(self) -> None:
        if self._patience is not None:
            self._patience.reschedule(self._loop.time())

    def _leave(self, error: Exception) -> None:
        if not self._away:
            _log.warning("Redis at %s is away: %s", self._name, error)
        self._away = True
        self._tried.set()
        self._give_up()

    def _return(self) -> None:
        if self._away:
            _log.warning("Redis at %s is back", self._name)
        self._away = False
        self._tried.set()
        if self._waiting:
            self._wake.set()

    def _give_up(self) -> None:
        self._away = True
        entries = [*self._sent, *self._waiting]
        self._sent.clear()
        self._waiting.clear()
        self._batches = 0
        for entry in entries:
            entry.fail(self._store_away())

    def _store_away(self) -> StoreAway:
        return StoreAway(f"Redis at {self._name} is away")
