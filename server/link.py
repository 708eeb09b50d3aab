"""The one way of a process to Redis for commands.

Exceptions: StoreAway when Redis does not answer or takes no writes now, redis.exceptions.ResponseError when
it refuses one command. Both reach only the caller of that command.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from importlib import resources
from typing import Any, Self

from redis.exceptions import NoScriptError

from server.cluster import Cluster
from server.endpoint import Address, Endpoint
from server.wire import BatchSeen, Command, StoreAway, Wire, Word

__all__ = ["Link", "Script", "StoreAway"]


_MASTER_LOOK_SECONDS = 1.0


class Script:
    """A Lua script of `server/lua`. Its file opens with the contract of its keys and arguments."""

    def __init__(self, name: str) -> None:
        self.text = resources.files("server").joinpath("lua", f"{name}.lua").read_bytes()
        self.sha = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()


class Link:
    """Commands to Redis over one connection (one a node in a Cluster), batched by turns of the event loop.

    Use as `async with Link(url) as link`. Entering does not fail when Redis is away: calls raise
    StoreAway at once then, and work again by themselves when it is back. Every command sent must be safe to
    repeat. `connect_timeout` and `command_timeout` are seconds; `on_batch` is told of every batch.
    """

    def __init__(
        self,
        url: str,
        *,
        connect_timeout: float = 1.0,
        command_timeout: float = 2.0,
        on_batch: BatchSeen = lambda commands, seconds: None,
    ) -> None:
        self.endpoint = Endpoint.parse(url)
        self._connect_timeout = connect_timeout
        self._command_timeout = command_timeout
        self._on_batch = on_batch
        self._way: Wire | Cluster | None = None
        self._following: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self.endpoint.kind == "cluster":
            self._way = Cluster(self.endpoint, self._wire, timeout=self._command_timeout)
        else:
            self._way = wire = self._wire(None)
            if self.endpoint.kind == "sentinel":
                self._following = asyncio.create_task(self._follow_the_master(wire), name="redis master")
        await self._way.tried()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)
        if self._way is not None:
            await self._way.close()

    @property
    def up(self) -> bool:
        """Whether Redis answered last: all masters of a Cluster."""
        return self._way is not None and self._way.up

    def call(self, *command: Word, key: Word | None = None) -> asyncio.Future[Any]:
        """Send one command; its reply comes in bytes, numbers and lists. `key` where it is not the first argument."""
        return self._send(command, _key(command) if key is None else key)

    async def ask_all(self, *command: Word) -> list[Any]:
        """Send one command to every master; their replies."""
        return [await wire.call(command) for wire in self._wires()]

    async def script(self, script: Script, keys: Sequence[Word], args: Sequence[Word]) -> Any:
        """Run a script on keys of one slot; loads it where the server does not know it (any more)."""
        key = keys[0] if keys else None
        tail = (len(keys), *keys, *args)
        try:
            return await self._send(("EVALSHA", script.sha, *tail), key)
        except NoScriptError:
            return await self._send(("EVAL", script.text, *tail), key)

    async def scan(self, match: str) -> AsyncIterator[str]:
        """All keys that match, of all masters; some perhaps twice. For sweeps, never for a request."""
        for wire in self._wires():
            cursor: bytes | int = 0
            while cursor != b"0":
                cursor, keys = await wire.call(("SCAN", cursor, "MATCH", match, "COUNT", 500))
                for key in keys:
                    yield key.decode()

    def _wires(self) -> list[Wire]:
        if self._way is None:
            raise StoreAway("The link to Redis is not open")
        return [self._way] if isinstance(self._way, Wire) else self._way.wires()

    def _send(self, command: Command, key: Word | None) -> asyncio.Future[Any]:
        way = self._way
        if isinstance(way, Wire):
            return way.call(command)
        if way is None:
            raise StoreAway("The link to Redis is not open")
        return asyncio.ensure_future(way.call(command, str(key) if isinstance(key, int) else key))

    async def _follow_the_master(self, wire: Wire) -> None:
        while True:
            await asyncio.sleep(_MASTER_LOOK_SECONDS)
            await wire.renew_unless(lambda c: self.endpoint.is_current(c, self._connect_timeout))

    def _wire(self, address: Address | None) -> Wire:
        async def connect() -> Any:
            if address is None:
                return await self.endpoint.connect(self._connect_timeout)
            return await self.endpoint.connect_to(address, self._connect_timeout)

        name = str(self.endpoint) if address is None else f"{address[0]}:{address[1]}"
        return Wire(connect, name=name, timeout=self._command_timeout, on_batch=self._on_batch)


def _key(command: Command) -> Word | None:
    """The key that says where a command goes in a Cluster: the first argument of all we send but PING."""
    return command[1] if len(command) > 1 else None
