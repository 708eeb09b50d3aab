"""One table over a bad line: the stream in one thread, actions from any, the view always the newest known.

What happens is told to one callback, from whichever thread it happens in.
"""

import json
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from client_cli.api import Api, EventBytes
from client_cli.errors import ClientError, Refused, Unreachable
from client_cli.i18n import _
from client_cli.model import View, decode_view
from client_cli.stream import Message, SseParser

FIRST_WAIT = 0.25
LONGEST_WAIT = 10.0
FOLLOW_TRIES = 6


class Event(NamedTuple):
    """One numbered event of the table, its data as the server sent it."""

    number: int | None
    type: str
    data: dict[str, Any]


@dataclass(frozen=True)
class Happened:
    """Events in order, each once. The view that goes with them follows as Seen."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class Seen:
    """A newer view. `caught_up` where every event it contains has been told, `anew` where it stands in for
    events that were not: at the start, and after some were lost."""

    view: View
    caught_up: bool
    anew: bool = False


@dataclass(frozen=True)
class Offline:
    """The line is down; next try in `wait` seconds."""

    reason: str
    wait: float


@dataclass(frozen=True)
class Online:
    """The line is up again."""


@dataclass(frozen=True)
class Ended:
    """The server will not show this table (any more)."""

    error: ClientError


Update = Happened | Seen | Offline | Online | Ended


def back_off(jitter: Callable[[], float] = random.random) -> Iterator[float]:
    """Seconds to wait before each further try: doubling, capped, shortened by chance so that a
    restarted server does not meet everybody in the same instant."""
    wait = FIRST_WAIT
    while True:
        yield wait * (0.6 + 0.4 * jitter())
        wait = min(LONGEST_WAIT, wait * 2)


class Session:
    """Follow one table. `start` the stream, `act`, `stop`."""

    def __init__(self, api: Api, table: str, tell: Callable[[Update], None]) -> None:
        self._api = api
        self.table = table
        self._tell = tell
        self.view: View | None = None
        self._position: int | None = None
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._stream: EventBytes | None = None
        self._online = True
        self._thread = threading.Thread(target=self._follow, name="events", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        stream = self._stream
        if stream is not None:
            stream.close()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)

    # -- acting

    @property
    def left(self) -> str | None:
        """The table, when there may be something to come back to: a game that is not over, and a seat in it."""
        view = self.view
        return None if view is not None and (view.table.phase == "over" or view.me is None) else self.table

    def act(self, action: str, **fields: Any) -> View:
        """Do it, once, however often it has to be sent. Returns the view after it.

        Raises Refused with the server's reason, and Unreachable only when stopped meanwhile.
        """
        key = uuid.uuid4().hex
        waits = back_off()
        while True:
            try:
                answer = self._api.act(self.table, {"action": action, **fields}, key)
                view = decode_view(answer.body)
                break
            except msgspec.MsgspecError:
                raise Unreachable(_("the server's answer makes no sense")) from None
            except Unreachable as error:
                wait = next(waits) if error.retry_after is None else error.retry_after
                self._went_offline(error, wait)
                if self._stopped.wait(wait):
                    raise
            except Refused as error:
                if error.status != 429 or self._stopped.wait(error.retry_after or 1.0):
                    raise
        self._adopt(view)
        return view

    # -- following

    def _follow(self) -> None:
        waits = back_off()
        while not self._stopped.is_set():
            wait: float | None = None
            try:
                for chunk in self._chunks():
                    waits = back_off()
                    self._take(chunk)
                reason: ClientError = Unreachable(_("the server closed the stream"))
            except Unreachable as error:
                reason, wait = error, error.retry_after
            except Refused as error:
                if error.status != 429:
                    self._tell(Ended(error))
                    return
                reason, wait = error, error.retry_after
            if self._stopped.is_set():
                return
            wait = next(waits) if wait is None else wait
            self._went_offline(reason, wait)
            self._stopped.wait(wait)

    def _chunks(self) -> Iterator[list[Message]]:
        with self._api.events(self.table, self._position) as stream:
            self._stream = stream
            self._went_online()
            parser = SseParser()
            for chunk in stream.chunks():
                if self._stopped.is_set():
                    return
                yield parser.feed(chunk)

    def _take(self, messages: list[Message]) -> None:
        events: list[Event] = []
        stale = lost = False
        for message in messages:
            number = int(message.id) if message.id and message.id.isdecimal() else None
            if message.event in ("view", "resync"):
                # A whole view replaces what is known, even by an older one: after a failover the
                # server's past is the truth.
                stale |= not self._replace(message.data, number)
                continue
            if number is not None and self._position is not None:
                if number <= self._position:
                    continue
                lost |= number > self._position + 1
            if number is not None:
                self._position = number
            stale = True
            data = _decode_object(message.data)
            if data is not None:
                events.append(Event(number, message.event, data))
        if events:
            self._tell(Happened(tuple(events)))
        if stale:
            self._refresh(anew=lost)

    def _replace(self, data: str, number: int | None) -> bool:
        document = _decode_object(data)
        try:
            # Either the view itself or an event that carries it.
            view = msgspec.convert((document or {}).get("view", document), View)
        except msgspec.MsgspecError:
            return False
        self._position = number if number is not None else view.version
        self._adopt(view, anew=True)
        return True

    def _refresh(self, *, anew: bool) -> None:
        """Fetch the view of at least the newest event seen; a process that is behind waits for it."""
        after = None if self._position is None else self._position - 1
        try:
            answer = self._api.table(self.table, after=after, wait=5)
            if answer.status != 304:
                self._adopt(decode_view(answer.body), anew=anew)
        except msgspec.MsgspecError:
            pass  # the next event asks again

    def _adopt(self, view: View, *, anew: bool = False) -> None:
        with self._lock:
            if not anew and self.view is not None and view.version < self.view.version:
                return
            self.view = view
        self._tell(Seen(view, self._position is not None and view.version <= self._position, anew))

    def _went_online(self) -> None:
        if not self._online:
            self._online = True
            self._tell(Online())

    def _went_offline(self, error: ClientError, wait: float) -> None:
        self._online = False
        self._tell(Offline(str(error), wait))


def seated_at(api: Api, table: str, pause: Callable[[float], object] = time.sleep) -> bool:
    """Whether I have a seat at the table of a rematch. It is announced before it is there: waits a little."""
    for wait in islice(back_off(), FOLLOW_TRIES):
        try:
            return api.table(table).json().get("me") is not None
        except ClientError:
            pause(wait)
    return False


def _decode_object(text: str) -> dict[str, Any] | None:
    try:
        document = json.loads(text)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
