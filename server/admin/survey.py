"""What only administration asks of the store: walks over everything, and single entries of the indexes."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from server.player_store import PlayerStore
from server.store import Store, Stored


@dataclass(frozen=True, slots=True)
class Holder:
    """A player as stored under its token, and the copy that is looked up by player id."""

    token_hash: str
    player_id: str
    record: bytes
    copy: bytes | None


class PlayerSurvey(PlayerStore):
    """The store of players, for who looks at all of them."""

    async def all(self) -> AsyncIterator[Holder]:
        """Every player with a token that is good; after a replaced token perhaps one twice for a moment."""
        start = self._token("")
        async for key in self._link.scan(f"{start}*"):
            token_hash = key[len(start) :]
            found = await self.by_token(token_hash)
            if found is not None:
                player_id, record = found
                yield Holder(token_hash, player_id, record, await self.record(player_id))

    async def copy(self, player_id: str, record: bytes) -> None:
        """Store the copy of a player's record that is looked up by player id."""
        await self._link.call("SET", self._player(player_id), record)


class Survey(Store):
    """A store that can also be walked. Each walk reads every key once: never for a request of a player."""

    async def whole(self, table_id: str) -> tuple[Stored | None, list[tuple[int, bytes]]]:
        """The table and all its events, both of one moment or the events somewhat newer."""
        stored = await self.load(table_id)
        return stored, await self.events(table_id)

    async def due_time(self, table_id: str) -> int | None:
        """When the table wants attention, milliseconds of Redis' own clock; None for never."""
        at = await self._link.call("ZSCORE", self._due, table_id)
        return None if at is None else int(float(at))

    async def all_due(self) -> list[str]:
        """Every table that wants attention some time."""
        return [table_id.decode() for table_id in await self._link.call("ZRANGE", self._due, 0, -1)]

    async def row(self, table_id: str) -> bytes | None:
        """What the lobby list shows of the table; None where it is not listed."""
        at, row = await asyncio.gather(
            self._link.call("ZSCORE", self._order, table_id), self._link.call("HGET", self._rows, table_id)
        )
        return None if at is None else row

    async def all_listed(self) -> list[str]:
        """Every table in either part of the lobby list."""
        order, rows = await asyncio.gather(
            self._link.call("ZRANGE", self._order, 0, -1), self._link.call("HKEYS", self._rows)
        )
        return sorted({table_id.decode() for table_id in (*order, *rows)})

    async def lists(self, player_id: str, table_id: str) -> bool:
        """Whether the table is on the player's list."""
        return await self._link.call("ZSCORE", self._tables(player_id), table_id) is not None

    async def memory(self, table_id: str) -> int:
        """Bytes that Redis uses for the table's keys."""
        sizes = await asyncio.gather(
            *(
                self._link.call("MEMORY", "USAGE", key, "SAMPLES", 0, key=key)
                for key in (self._table(table_id), self._events(table_id))
            )
        )
        return sum(size or 0 for size in sizes)

    async def memory_used(self) -> int:
        """Bytes that all masters use together."""
        infos = await self._link.ask_all("INFO", "memory")
        lines = (line.partition(b":") for info in infos for line in info.splitlines())
        return sum(int(value) for name, _, value in lines if name == b"used_memory")
