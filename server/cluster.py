"""Commands to a Redis Cluster: one wire to each node, and the way from a key to its node.

A node that is away takes only its own slots with it. Redirects are followed: MOVED and ASK while slots move
or after a failover, TRYAGAIN while the keys of one table are on two nodes.
"""

import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import Callable
from typing import Any

from redis.asyncio.connection import AbstractConnection
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.exceptions import AskError, ClusterDownError, MovedError, RedisError, TryAgainError

from server.endpoint import Address, Endpoint
from server.wire import Command, StoreAway, Wire

_log = logging.getLogger(__name__)

_TRY_AGAIN_PAUSE = 0.02
_WATCH_PAUSE = 0.25
_REFRESH_SECONDS = 30.0


class Cluster:
    """Routes commands. `make_wire` makes the wire to an address; `timeout` (seconds) bounds redirects."""

    def __init__(self, endpoint: Endpoint, make_wire: Callable[[Address], Wire], *, timeout: float) -> None:
        self._endpoint = endpoint
        self._make_wire = make_wire
        self._timeout = timeout
        self._wires: dict[Address, Wire] = {}
        self._slots: list[Address | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        self._masters: list[Address] = []
        self._stale = asyncio.Event()
        self._task = asyncio.create_task(self._watch(), name=f"redis {endpoint}")
        self._first_look = asyncio.Event()

    @property
    def up(self) -> bool:
        """Whether every master answered last."""
        return bool(self._masters) and all(self._wire(address).up for address in self._masters)

    def wires(self) -> list[Wire]:
        """The wires to the masters, for what concerns the whole data."""
        return [self._wire(address) for address in self._masters]

    async def tried(self) -> None:
        """Return once the first attempt to connect has ended, either way."""
        await self._first_look.wait()

    async def call(self, words: Command, key: str | bytes | None) -> Any:
        """The reply of the node that has `key` (of any, when None). Raises as Wire.call does."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._timeout
        slot = None if key is None else key_slot(key.encode() if isinstance(key, str) else key)
        asked: Address | None = None
        while True:
            address = asked or self._owner(slot)
            try:
                return await self._wire(address).call(words, asking=asked is not None)
            except MovedError as error:
                asked = None
                self._slots[error.slot_id] = (error.host or address[0], error.port)
                self._stale.set()
            except AskError as error:
                asked = (error.host or address[0], error.port)
            except TryAgainError:
                asked = None
                await asyncio.sleep(_TRY_AGAIN_PAUSE)
            except ClusterDownError as error:
                self._stale.set()
                raise StoreAway(f"The Redis Cluster is down: {error}") from None
            except StoreAway:
                self._stale.set()
                asked = None
                if self._owner(slot) == address:
                    raise
            if loop.time() >= deadline:
                raise StoreAway(f"Redis at {self._endpoint} did not settle who has the key")

    async def close(self) -> None:
        """End all connections."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await asyncio.gather(*(wire.close() for wire in self._wires.values()))

    def _owner(self, slot: int | None) -> Address:
        any_up = (address for address in self._masters if self._wire(address).up)
        owner = next(any_up, None) if slot is None else self._slots[slot]
        if owner is None:
            self._stale.set()
            raise StoreAway(f"Redis at {self._endpoint} has nobody for this key now")
        return owner

    def _wire(self, address: Address) -> Wire:
        wire = self._wires.get(address)
        if wire is None:
            wire = self._wires[address] = self._make_wire(address)
        return wire

    async def _watch(self) -> None:
        while True:
            self._stale.clear()
            try:
                await self._look()
            except (RedisError, OSError) as error:
                _log.warning("Redis at %s does not tell its slots: %s", self._endpoint, error)
            self._first_look.set()
            # While something is wrong we look often, for the end of a failover is told by nobody.
            await asyncio.sleep(_WATCH_PAUSE)
            if self.up:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_REFRESH_SECONDS):
                        await self._stale.wait()

    async def _look(self) -> None:
        """Ask any node who has which slots now."""
        known = dict.fromkeys([*self._endpoint.seeds, *self._masters])
        connection = await dataclasses.replace(self._endpoint, seeds=tuple(known)).connect(1.0)
        try:
            async with asyncio.timeout(1.0):
                await connection.send_command("CLUSTER", "SLOTS")
                ranges = await connection.read_response()
        finally:
            await connection.disconnect(nowait=True)
        slots: list[Address | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        for first, last, master, *_replicas in ranges:
            address = (master[0].decode() if master[0] else _host(connection), int(master[1]))
            slots[first : last + 1] = [address] * (last + 1 - first)
        self._slots = slots
        self._masters = list(dict.fromkeys(address for address in slots if address is not None))
        await asyncio.gather(*(self._wire(address).tried() for address in self._masters))
        for gone in self._wires.keys() - set(self._masters):
            await self._wires.pop(gone).close()


def _host(connection: AbstractConnection) -> str:
    return str(getattr(connection, "host", ""))
