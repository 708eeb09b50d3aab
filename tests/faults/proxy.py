"""A TCP proxy that misbehaves on purpose, between a client and a server on this machine.

`await proxy.cut()` closes all connections, `proxy.refuse()` lets no new one through.
`proxy.stall()` passes nothing on but keeps connections open (half-open when only one direction is
stalled). `proxy.delay` holds every piece up for some seconds. `proxy.duplicate` sends the client's
pieces twice. `proxy.cut_before_reply(word)` lets a request that contains the word through and closes
the connection when its reply is about to come back: the lost reply.
"""

import asyncio
import contextlib
from typing import Literal, Self

Direction = Literal["up", "down", "both"]


class Proxy:
    """Listens on `127.0.0.1:port` and passes everything on to a server's TCP address or unix socket."""

    def __init__(self, target: tuple[str, int] | str) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._links: set[asyncio.Task[None]] = set()
        self._flow = {"up": asyncio.Event(), "down": asyncio.Event()}
        self._refusing = False
        self._fatal_word: bytes | None = None
        self.delay = 0.0
        self.duplicate = False
        self.cuts = 0
        self.accepted = 0
        self._knock = asyncio.Condition()
        self.resume()

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        assert self._server is not None
        self._server.close()
        await self.cut()

    async def cut(self) -> None:
        """Close all connections that are open now."""
        for task in list(self._links):
            task.cancel()
        await asyncio.gather(*self._links, return_exceptions=True)

    async def connected(self, times: int) -> None:
        """Return once so many connections have been tried since the start, refused ones included."""
        async with self._knock, asyncio.timeout(15):
            await self._knock.wait_for(lambda: self.accepted >= times)

    def refuse(self, refusing: bool = True) -> None:
        """Close new connections at once, or let them through again."""
        self._refusing = refusing

    def stall(self, direction: Direction = "both") -> None:
        """Pass nothing on: `up` what the client says, `down` what the server says."""
        for name, flow in self._flow.items():
            if direction in (name, "both"):
                flow.clear()

    def resume(self) -> None:
        """Pass everything on again."""
        for flow in self._flow.values():
            flow.set()

    def cut_before_reply(self, word: bytes) -> None:
        """The next request that contains `word` reaches the server, its reply does not reach the client."""
        self._fatal_word = word

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with self._knock:
            self.accepted += 1
            self._knock.notify_all()
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        try:
            if not self._refusing:
                await self._link(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # ended by either side, or cut
        finally:
            self._links.discard(task)
            writer.transport.abort()

    async def _link(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if isinstance(self._target, str):
            server_reader, server_writer = await asyncio.open_unix_connection(self._target)
        else:
            server_reader, server_writer = await asyncio.open_connection(*self._target)
        doomed = asyncio.Event()
        pumps = [
            asyncio.create_task(self._pump("up", reader, server_writer, doomed)),
            asyncio.create_task(self._pump("down", server_reader, writer, doomed)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            server_writer.close()  # first: a cut may come while we wait below
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            with contextlib.suppress(OSError):
                await server_writer.wait_closed()

    async def _pump(
        self,
        direction: Literal["up", "down"],
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        doomed: asyncio.Event,
    ) -> None:
        while piece := await source.read(65536):
            if direction == "down" and doomed.is_set():
                self.cuts += 1
                return
            await self._flow[direction].wait()
            if self.delay:
                await asyncio.sleep(self.delay)
            if direction == "up" and self._fatal_word and self._fatal_word in piece:
                self._fatal_word = None
                doomed.set()
            sink.write(piece * 2 if self.duplicate and direction == "up" else piece)
            await sink.drain()
