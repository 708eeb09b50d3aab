"""Who waits for what: streams and long polls of the tables that this process holds.

A watcher that has caught up is live: it is written to from one place, each frame built once for all who may see the
same, without a queue or a task a watcher. A watcher whose connection takes no more is dropped, so memory stays flat.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from server.clock import Clock
from server.metrics import DROPPED_READERS
from server.table.events import Entry
from server.table.state import TableState
from server.table.told import is_private, message
from server.table.view import opened, render

MOST_UNSENT = 256 * 1024
"""Bytes a watcher may leave unread in our write buffer before it is dropped."""

Form = Literal["sse", "ndjson"]


class Watcher:
    """One open stream of `player` (None for nobody known), whose answer's head is sent.

    token_hash: of the token it was opened with; chunked: whether the body is, or ends with the connection as in
    HTTP/1.0; position: the number of the last event it was sent; ended: done when its handler is to finish.
    """

    def __init__(
        self,
        player: str | None,
        form: Form,
        transport: asyncio.WriteTransport,
        token_hash: str | None = None,
        *,
        chunked: bool = True,
    ) -> None:
        self.player = player
        self.token_hash = token_hash
        self.form: Form = form
        self.position = 0
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport = transport
        self._chunked = chunked

    @property
    def nothing(self) -> bytes:
        """A message that says nothing, so that both ends know the other is there."""
        return b": keep-alive\n\n" if self.form == "sse" else b'{"type":"keep_alive"}\n'

    def send(self, data: bytes) -> None:
        """Write a frame; a reader that has stopped reading is dropped.

        Straight to the transport: going through the response costs a coroutine a frame, half of all that can be sent.
        """
        if self.ended.done():
            return
        if self._transport.is_closing():  # uvloop's raises when written to
            self.end()
            return
        self._transport.write(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data)
        if self._transport.get_write_buffer_size() > MOST_UNSENT:
            DROPPED_READERS.inc()
            self._transport.abort()
            self.end()

    def reap(self) -> None:
        """End if the connection is gone."""
        if self._transport.is_closing():
            self.end()

    def end(self) -> None:
        """Let the stream's handler finish."""
        if not self.ended.done():
            self.ended.set_result(None)


def frame(form: Form, number: int, kind: str, data: bytes) -> bytes:
    """A message as it goes over the stream."""
    if form == "ndjson":
        return data + b"\n"
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (number, kind.encode(), data)


def kind_of(data: bytes) -> str:
    """The `type` of an encoded message; it stands near its beginning."""
    start = data.index(b'"type":"') + 8
    return data[start : data.index(b'"', start)].decode()


class Hub:
    """The watchers and waiters of this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._watchers: defaultdict[str, dict[Watcher, None]] = defaultdict(dict)
        self._waiters: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)

    def watched(self, table_id: str) -> bool:
        """Whether anybody here waits for this table."""
        return table_id in self._watchers or table_id in self._waiters

    def tables(self) -> list[str]:
        """The tables somebody waits for."""
        return list({*self._watchers, *self._waiters})

    def players(self) -> set[str]:
        """The players who hold a stream."""
        watchers = (watcher for of_table in self._watchers.values() for watcher in of_table)
        return {watcher.player for watcher in watchers if watcher.player is not None}

    def tokens(self) -> set[str]:
        """The hashes of the tokens that streams were opened with."""
        watchers = (watcher for of_table in self._watchers.values() for watcher in of_table)
        return {watcher.token_hash for watcher in watchers if watcher.token_hash is not None}

    def end_token(self, token_hash: str) -> None:
        """End the streams that were opened with this token: it is dead."""
        for watchers in list(self._watchers.values()):
            for watcher in list(watchers):
                if watcher.token_hash == token_hash:
                    watcher.end()

    def go_live(self, table_id: str, watcher: Watcher) -> None:
        """From now on the watcher is sent every event as it happens; it must have caught up."""
        self._watchers[table_id][watcher] = None

    def drop(self, table_id: str, watcher: Watcher) -> None:
        """The stream has ended."""
        watchers = self._watchers.get(table_id, {})
        watchers.pop(watcher, None)
        if not watchers:
            self._watchers.pop(table_id, None)

    async def changed(self, table_id: str, seconds: float) -> None:
        """Return when the table has changed, or after so many seconds."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters[table_id].add(waiter)
        try:
            async with asyncio.timeout(seconds):
                await waiter
        except TimeoutError:
            pass
        finally:
            waiters = self._waiters[table_id]
            waiters.discard(waiter)
            if not waiters:
                del self._waiters[table_id]

    def publish(self, state: TableState, first: int, entries: Sequence[Entry]) -> None:
        """Tell everybody events `first`, first + 1, ... which led to `state`."""
        self._release(state.id)
        watchers = self._watchers.get(state.id)
        if not watchers:
            return
        frames: dict[tuple[int, int | None, Form], bytes] = {}
        for watcher in list(watchers):
            seat = state.seat_of(watcher.player)
            if seat is None and not state.open_to_spectators:
                watcher.end()
                continue
            if first > watcher.position + 1:
                watcher.send(whole_view(state, watcher, self._clock(), "resync"))
                continue
            for number, entry in enumerate(entries, first):
                if number <= watcher.position:
                    continue
                audience = seat if is_private(entry.event) else None
                key = (number, audience, watcher.form)
                if key not in frames:
                    data = message(number, entry, audience)
                    frames[key] = frame(watcher.form, number, kind_of(data), data)
                watcher.send(frames[key])
                watcher.position = number

    def resync(self, state: TableState) -> None:
        """Give everybody a whole view: what they had may be no longer so."""
        self._release(state.id)
        for watcher in list(self._watchers.get(state.id, ())):
            watcher.send(whole_view(state, watcher, self._clock(), "resync"))

    def end(self, table_id: str) -> None:
        """End every stream and wait for this table: it is gone."""
        self._release(table_id)
        for watcher in list(self._watchers.get(table_id, ())):
            watcher.end()

    def end_all(self) -> None:
        """End every stream and wait: the process stops."""
        for table_id in self.tables():
            self.end(table_id)

    def keep_alive(self) -> None:
        """Send every stream a message that says nothing."""
        for watchers in list(self._watchers.values()):
            for watcher in list(watchers):
                watcher.send(watcher.nothing)

    def reap(self) -> None:
        """End the streams whose connection is gone: aiohttp does not tell their handlers."""
        for watchers in list(self._watchers.values()):
            for watcher in list(watchers):
                watcher.reap()

    def _release(self, table_id: str) -> None:
        for waiter in self._waiters.get(table_id, ()):
            if not waiter.done():
                waiter.set_result(None)


def whole_view(state: TableState, watcher: Watcher, now: int, kind: Literal["view", "resync"]) -> bytes:
    """A message with the whole view; the watcher's position is its version from now on."""
    rendered = render(state, state.seat_of(watcher.player), now)
    watcher.position = state.version
    return frame(watcher.form, state.version, kind, opened(rendered, state.version, now, kind))
