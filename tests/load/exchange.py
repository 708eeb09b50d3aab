"""A lean HTTP client: one connection, one request at a time, answers with a Content-Length only.

The load is made in the benchmark's own process, so it must cost little beside what is measured.
"""

import asyncio
from typing import Any, Self, cast

import msgspec


class Exchange(asyncio.Protocol):
    """One connection to a server; `await Exchange.open(port)`."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._head = b""
        self._parts: list[bytes] = []
        self._missing = 0

    @classmethod
    async def open(cls, port: int) -> Self:
        """Connect to a port of this machine."""
        _, exchange = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        return exchange

    def send(self, request: bytes) -> asyncio.Future[tuple[int, bytes]]:
        """Send a whole request; the status and the body of its answer."""
        assert self._transport is not None
        assert self._answer is None, "one request at a time"
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer

    async def call(self, method: str, path: str, token: str = "", body: Any = None) -> Any:
        """Send a request and read the JSON of its answer; RuntimeError for a refusal."""
        data = b"" if body is None else msgspec.json.encode(body)
        status, answer = await self.send(request(method, path, token, data))
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {answer.decode()}")
        return msgspec.json.decode(answer) if answer.startswith((b"{", b"[")) else answer.decode()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's derives from no class of asyncio

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        if not self._missing:
            head, end, data = (self._head + data).partition(b"\r\n\r\n")
            self._head = head
            if not end:
                return
            self._missing = _content_length(head)
        self._parts.append(data)
        self._missing -= len(data)
        if self._missing > 0:
            return
        status, body = int(self._head[9:12]), b"".join(self._parts)
        answer, self._answer = self._answer, None
        self._head, self._missing = b"", 0
        self._parts.clear()
        if answer is not None and not answer.done():
            answer.set_result((status, body))


def request(method: str, path: str, token: str = "", body: bytes = b"", extra: str = "") -> bytes:
    """The bytes of a request; `extra`: more header lines, each with its line end."""
    bearer = f"Authorization: Bearer {token}\r\n" if token else ""
    kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{bearer}{kind}{extra}\r\n".encode() + body


def _content_length(head: bytes) -> int:
    start = head.lower().index(b"content-length:") + 15
    return int(head[start:].split(b"\r\n", 1)[0])
