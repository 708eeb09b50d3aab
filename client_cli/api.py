"""The HTTP contract, one method per call. Knows bytes and headers, nothing of cards or screens."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from client_cli import words
from client_cli.errors import NotAllowed, Refused, Unreachable
from client_cli.i18n import _, language

TIMEOUT = 10.0
# The server sends a comment every 15 s; a stream silent for longer than two of them is dead.
STREAM_SILENCE = 35.0

_BROKEN = (OSError, http.client.HTTPException)


class Answer(NamedTuple):
    """A successful answer; `body` is as it came."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise Unreachable(_("the server's answer is not JSON")) from None


class Api:
    """Calls to one server as one player. May be shared by threads: calls wait for each other,
    streams do not. Every call raises Refused, NotAllowed or Unreachable."""

    def __init__(self, server: str, token: str | None = None, *, timeout: float = TIMEOUT) -> None:
        parts = urlsplit(server)
        self.server = server
        self.token = token
        self._timeout = timeout
        self._https = parts.scheme == "https"
        self._host = parts.netloc
        self._base = parts.path.rstrip("/")
        self._lock = threading.Lock()
        self._connection: http.client.HTTPConnection | None = None

    # -- players

    def create_player(self, name: str) -> Answer:
        return self._call("POST", "/v1/players", {"name": name})

    def me(self) -> Answer:
        return self._call("GET", "/v1/players/me")

    def my_tables(self) -> Answer:
        return self._call("GET", "/v1/players/me/tables")

    # -- rules

    def presets(self) -> Answer:
        return self._call("GET", "/v1/presets")

    def preset(self, name: str, players: int | None = None) -> Answer:
        return self._call("GET", f"/v1/presets/{quote(name, safe='')}" + _query(players=players))

    def guide(self, preset: str, players: int | None, language: str) -> Answer:
        query = _query(players=players, lang=language)
        return self._call("GET", f"/v1/presets/{quote(preset, safe='')}/guide" + query)

    # -- tables

    def create_table(self, body: dict[str, Any]) -> Answer:
        return self._call("POST", "/v1/tables", body)

    def tables(self, *, state: str = "lobby", limit: int = 50, cursor: str | None = None) -> Answer:
        return self._call("GET", "/v1/tables" + _query(state=state, limit=limit, cursor=cursor))

    def table(self, table: str, *, after: int | None = None, wait: int | None = None) -> Answer:
        return self._call("GET", _table(table) + _query(after=after, wait=wait))

    def act(self, table: str, action: dict[str, Any], key: str) -> Answer:
        """One action. The same `key` again changes nothing more, so it may be repeated when in doubt."""
        return self._call("POST", _table(table) + "/actions", action, {"Idempotency-Key": key})

    def hint(self, table: str) -> Answer:
        return self._call("GET", _table(table) + "/hint")

    def record(self, table: str) -> Answer:
        return self._call("GET", _table(table) + "/record")

    def check_record(self, record: bytes) -> Answer:
        return self._call("POST", "/v1/records/check", record)

    def health(self) -> Answer:
        return self._call("GET", "/healthz")

    def ready(self) -> Answer:
        return self._call("GET", "/readyz")

    @contextmanager
    def events(self, table: str, after: int | None) -> Iterator["EventBytes"]:
        """The live stream of a table from the event after `after`, or from a view of now."""
        connection = self._connect(STREAM_SILENCE)
        headers = self._headers() | {"Accept": "text/event-stream"}
        if after is not None:
            headers["Last-Event-ID"] = str(after)
        with closing(connection):
            try:
                connection.connect()
                # The response takes the socket over when it ends with the connection; closing a
                # stream from another thread needs it all the same.
                sock = connection.sock
                connection.request("GET", self._base + _table(table) + "/events", headers=headers)
                response = connection.getresponse()
                if response.status != 200:
                    raise _refusal(response.status, response.headers, response.read())
            except _BROKEN as error:
                raise _unreachable(self.server, error) from None
            with closing(response):
                yield EventBytes(self.server, response, sock)

    def close(self) -> None:
        with self._lock:
            self._drop()

    # -- one call

    def _call(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        sent = self._headers() | dict(headers or {})
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        # A kept connection may have died of idleness, and a request on it may or may not have arrived.
        # Only what is safe to send twice goes over it.
        repeatable = method == "GET" or "Idempotency-Key" in sent
        with self._lock:
            if not repeatable:
                self._drop()
            kept = self._connection is not None
            try:
                return self._send(method, path, data, sent)
            except _BROKEN as error:
                self._drop()
                if not kept:
                    raise _unreachable(self.server, error) from None
            try:
                return self._send(method, path, data, sent)
            except _BROKEN as error:
                self._drop()
                raise _unreachable(self.server, error) from None

    def _send(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> Answer:
        if self._connection is None:
            self._connection = self._connect(self._timeout)
        self._connection.request(method, self._base + path, data, headers)
        response = self._connection.getresponse()
        body = response.read()
        if response.will_close:
            self._drop()
        if response.status == 304 or 200 <= response.status < 300:
            return Answer(response.status, response.headers, body)
        raise _refusal(response.status, response.headers, body)

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._https else http.client.HTTPConnection
        try:
            return kind(self._host, timeout=timeout)
        except http.client.InvalidURL as error:
            raise _unreachable(self.server, error) from None

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": "hearts"}
        if self.token:
            # Quoting changes no token; what is none must fit into a header to be refused.
            headers["Authorization"] = f"Bearer {quote(self.token, safe='')}"
        return headers

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class EventBytes:
    """Bytes of an open stream, as they come. Another thread may `close` it."""

    def __init__(self, server: str, response: http.client.HTTPResponse, sock: socket.socket) -> None:
        self._server = server
        self._response = response
        self._sock = sock

    def chunks(self) -> Iterator[bytes]:
        """Ends where the server ends the stream; raises Unreachable where it breaks off."""
        while True:
            try:
                chunk = self._response.read1(65536)
            except (*_BROKEN, ValueError) as error:  # ValueError: read of a file closed meanwhile
                raise _unreachable(self._server, error) from None
            if not chunk:
                return
            yield chunk

    def close(self) -> None:
        with suppress(OSError):  # gone already
            self._sock.shutdown(socket.SHUT_RDWR)


def _table(table: str) -> str:
    return f"/v1/tables/{quote(table.replace('-', ''), safe='')}"


def _query(**fields: object) -> str:
    given = {name: value for name, value in fields.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _refusal(status: int, headers: http.client.HTTPMessage, body: bytes) -> Refused | Unreachable:
    problem: dict[str, Any] = {}
    with suppress(ValueError):  # a proxy's page, say: the status alone has to do
        parsed = json.loads(body)
        problem = parsed if isinstance(parsed, dict) else {}
    retry_after = _seconds(headers.get("Retry-After"))
    spoken = words.refusal(str(problem.get("code"))) if language() != "en" else None
    if spoken is not None:
        problem = {**problem, "detail": spoken}
    if status == 401:
        return NotAllowed(problem or {"detail": _("the server does not know this token")}, status)
    if status >= 500:
        reason = problem.get("detail") or _("the server failed (HTTP {status})").format(status=status)
        return Unreachable(str(reason), retry_after)
    return Refused(problem, status, retry_after)


def _seconds(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def _unreachable(server: str, error: Exception) -> Unreachable:
    if isinstance(error, TimeoutError):
        reason = _("no answer in time")
    elif isinstance(error, ConnectionRefusedError):
        reason = _("nothing listens there")
    elif isinstance(error, http.client.HTTPException):
        reason = _("the connection broke off")
    else:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return Unreachable(_("cannot reach {server}: {reason}").format(server=server, reason=reason))
