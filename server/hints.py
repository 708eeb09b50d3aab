"""The one Pub/Sub connection of a process: who waits for a table hears here that it is worth another look.

A hint carries nothing but a version; losing one must lose nothing. Whenever some may have been lost, because
the connection was renewed, `on_gap` says so: look at everything again.
"""

import asyncio
import logging
import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Self

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError

from server.endpoint import Endpoint
from server.link import StoreAway
from server.store import hint_channel

_log = logging.getLogger(__name__)

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 1.0
_GRACE = 0.05
_CHANNELS_A_COMMAND = 500


class Hints:
    """Subscriptions to tables. Use as `async with Hints(url, on_hint=..., on_gap=...) as hints`.

    `on_hint(table_id, version)` and `on_gap()` are called in the event loop and should not raise. A
    connection that has been silent for twice `ping_seconds`, to PINGs as well, is given up and renewed.
    """

    def __init__(
        self,
        url: str,
        *,
        on_hint: Callable[[str, int], None],
        on_gap: Callable[[], None],
        prefix: str = "hearts",
        connect_timeout: float = 1.0,
        ping_seconds: float = 2.0,
    ) -> None:
        self._endpoint = Endpoint.parse(url)
        self._on_hint = on_hint
        self._on_gap = on_gap
        self._channel_start, self._channel_end = hint_channel(prefix, "\0").split("\0")
        self._connect_timeout = connect_timeout
        self._ping_seconds = ping_seconds
        self._wanted: set[str] = set()
        self._unsaid: dict[str, bool] = {}  # channel -> whether to subscribe; not sent yet
        self._unconfirmed: Counter[str] = Counter()  # channel -> SUBSCRIBEs sent and not confirmed
        self._confirmed: set[str] = set()
        self._waiters: dict[str, list[asyncio.Future[None]]] = {}
        self._gap = False
        self._heard = True
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="hints")
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for channel in list(self._waiters):
            self._answer(channel, StoreAway("The hints are closed"))

    def subscribe(self, table_id: str) -> None:
        """Hear of the table from soon on; see `ready`."""
        self._want(self._channel(table_id), True)

    def unsubscribe(self, table_id: str) -> None:
        """Hear no more of the table."""
        channel = self._channel(table_id)
        self._want(channel, False)
        self._answer(channel, StoreAway("The subscription was given up"))

    async def ready(self, table_id: str) -> None:
        """Return once the subscription is confirmed: what is read from now on misses no later change.

        Waits as long as Redis is away; raises StoreAway when the subscription is given up.
        """
        channel = self._channel(table_id)
        if channel in self._confirmed:
            return
        if channel not in self._wanted:
            raise StoreAway("There is no such subscription")
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.setdefault(channel, []).append(waiter)
        await waiter

    def vouches(self, table_id: str) -> bool:
        """Whether every change of the table is heard of now, as far as this end of the connection can tell."""
        return self._channel(table_id) in self._confirmed

    def _channel(self, table_id: str) -> str:
        return f"{self._channel_start}{table_id}{self._channel_end}"

    def _want(self, channel: str, wanted: bool) -> None:
        if wanted == (channel in self._wanted):
            return
        if wanted:
            self._wanted.add(channel)
        else:
            self._wanted.discard(channel)
            self._confirmed.discard(channel)
        self._unsaid[channel] = wanted
        self._wake.set()

    async def _run(self) -> None:
        pause = 0.0
        while True:
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, pause * 2))
            try:
                connection = await self._endpoint.connect(self._connect_timeout)
            except (RedisError, OSError) as error:
                _log.info("No connection for hints to Redis at %s: %s", self._endpoint, error)
                continue
            writing = asyncio.create_task(self._write(connection))
            try:
                while True:
                    message = await connection.read_response(timeout=math.inf)
                    pause = 0.0
                    self._take(message)
            except (RedisError, OSError) as error:
                _log.info("The connection for hints to Redis at %s was lost: %s", self._endpoint, error)
            finally:
                writing.cancel()
                self._confirmed.clear()
                await connection.disconnect(nowait=True)
            self._gap = True

    async def _write(self, connection: AbstractConnection) -> None:
        """Say what is wanted on a new connection, then each change, and PING in between."""
        loop = asyncio.get_running_loop()
        self._confirmed.clear()
        self._unconfirmed.clear()
        self._unsaid = dict.fromkeys(self._wanted, True)
        self._heard = True
        if not self._wanted:
            self._tell_gap()
        next_ping = loop.time() + self._ping_seconds
        try:
            while True:
                await self._say(connection)
                try:
                    async with asyncio.timeout_at(next_ping):
                        await self._wake.wait()
                except TimeoutError:
                    if not self._heard:
                        await asyncio.sleep(_GRACE)  # it may have been us who slept
                    if not self._heard:
                        _log.warning("Redis at %s fell silent; renewing the connection", self._endpoint)
                        await connection.disconnect(nowait=True)  # which the reader sees
                        return
                    if not await self._endpoint.is_current(connection, self._connect_timeout):
                        await connection.disconnect(nowait=True)
                        return
                    self._heard = False
                    next_ping = loop.time() + self._ping_seconds
                    await connection.send_command("PING")
                self._wake.clear()
        except (RedisError, OSError):
            await connection.disconnect(nowait=True)

    async def _say(self, connection: AbstractConnection) -> None:
        unsaid, self._unsaid = self._unsaid, {}
        for command, wanted in (("SUBSCRIBE", True), ("UNSUBSCRIBE", False)):
            channels = [channel for channel, want in unsaid.items() if want is wanted]
            if wanted:
                self._unconfirmed.update(channels)
            for start in range(0, len(channels), _CHANNELS_A_COMMAND):
                await connection.send_command(command, *channels[start : start + _CHANNELS_A_COMMAND])

    def _take(self, message: Any) -> None:
        self._heard = True
        if not isinstance(message, list):
            return  # the PONG of a connection without subscriptions
        kind, channel = message[0], message[1].decode()
        if kind == b"message" and channel in self._wanted:
            table_id = channel[len(self._channel_start) : -len(self._channel_end)]
            self._tell(self._on_hint, table_id, int(message[2]))
        elif kind == b"subscribe":
            self._confirm(channel)

    def _confirm(self, channel: str) -> None:
        self._unconfirmed[channel] -= 1
        if self._unconfirmed[channel] > 0:
            return  # subscribed, given up and subscribed again: only the last one counts
        del self._unconfirmed[channel]
        if channel in self._wanted:
            self._confirmed.add(channel)
            self._answer(channel, None)
        if not self._unconfirmed:
            self._tell_gap()

    def _tell_gap(self) -> None:
        # Told when all is subscribed again, not before: else what happens in between would be missed.
        if self._gap:
            self._gap = False
            self._tell(self._on_gap)

    def _tell(self, listener: Callable[..., None], *args: Any) -> None:
        try:
            listener(*args)
        except Exception:  # a fault there must not end the hints of all others
            _log.exception("A listener to hints failed")

    def _answer(self, channel: str, error: Exception | None) -> None:
        for waiter in self._waiters.pop(channel, ()):
            if waiter.done():
                continue
            if error is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(error)
