"""Readers of live streams, as lean as can be: all that is looked at is how many messages have come."""

import asyncio

from tests.load.exchange import request

_OPENED_AT_ONCE = 200


class Audience:
    """Open streams; messages: how many they have received together."""

    def __init__(self) -> None:
        self.messages = 0
        self.lost = 0
        self._wanted = 0
        self._enough: asyncio.Future[None] | None = None
        self._transports: list[asyncio.BaseTransport] = []

    async def join(self, port: int, table_id: str, streams: int) -> None:
        """Open so many more streams of a table, and return when each has its first message."""
        loop = asyncio.get_running_loop()
        for start in range(0, streams, _OPENED_AT_ONCE):
            count = min(_OPENED_AT_ONCE, streams - start)
            wanted = self.messages + count
            opened = await asyncio.gather(
                *(loop.create_connection(lambda: _Listener(self, table_id), "127.0.0.1", port) for _ in range(count))
            )
            self._transports += [transport for transport, _ in opened]
            await self.heard(wanted)

    async def heard(self, messages: int) -> None:
        """Return when so many messages have been received; TimeoutError after a minute."""
        if self.messages < messages:
            self._wanted, self._enough = messages, asyncio.get_running_loop().create_future()
            async with asyncio.timeout(60):
                await self._enough
            self._enough = None

    def count(self, messages: int) -> None:
        self.messages += messages
        if self._enough is not None and self.messages >= self._wanted and not self._enough.done():
            self._enough.set_result(None)

    def leave(self) -> None:
        """Close every stream."""
        for transport in self._transports:
            transport.close()


class _Listener(asyncio.Protocol):
    def __init__(self, audience: Audience, table_id: str) -> None:
        self._audience = audience
        self._table_id = table_id
        self._half = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(request("GET", f"/v1/tables/{self._table_id}/events"))  # type: ignore[attr-defined]

    def connection_lost(self, exc: Exception | None) -> None:
        self._audience.lost += 1

    def data_received(self, data: bytes) -> None:
        # A message ends in an empty line, which may arrive in two pieces; after it comes the end of its chunk.
        messages = data.count(b"\n\n") + (self._half and data.startswith(b"\n"))
        self._half = data.endswith(b"\n") and not data.endswith((b"\n\n", b"\r\n"))
        if messages:
            self._audience.count(messages)
