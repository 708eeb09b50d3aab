"""What the server keeps of tables in Redis. Nothing else knows these keys; those of players are in `player_store.py`.

The keys of one table share the hash tag `{table id}`, so each script works on one slot. The events are the
truth; the snapshot is their cache; the lobby and the due work are indexes that a sweep can rebuild. Every
method may be repeated, and raises StoreAway when Redis is away; what play needs takes one round trip.

Keys, under a prefix::

    {table}:table        hash    version, act, snapshot, "keys:<player>" (see append.lua)
    {table}:events       stream  <number>-0 -> e (event), a (act, on its first event)
    {table}:hint         channel, carries the new version
    due                  zset    table by time due, milliseconds of Redis' own clock
    {lobby}:order, :rows zset and hash: table by time, table -> row
    {player}:tables      zset    table by time
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

from server.link import Link, Script, StoreAway

__all__ = ["Append", "Outcome", "Store", "StoreAway", "Stored"]

KEYS_REMEMBERED = 32
"""Idempotency keys remembered for each player of a table."""

LAST_EVENTS = 32
"""Events read with a snapshot, to carry it on; twice as many as it may be behind, as more may come in between."""

Outcome: TypeAlias = Literal["appended", "repeated", "moved", "gone"]


@dataclass(frozen=True, slots=True)
class Stored:
    """A table as stored: the number of its last event, the act that led to it, and a snapshot, perhaps an older one.

    last: the last events with their numbers, LAST_EVENTS of them as a rule.
    """

    version: int
    snapshot: bytes
    act: str = field(default="", compare=False)
    last: tuple[tuple[int, bytes], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Append:
    """What came of an append.

    `appended`: the events are stored (perhaps by an earlier try of the same act); `version` is the number
    of the last of them. Else nothing changed, and `version` is the table's: `repeated` when the
    idempotency key was seen, `moved` when another act came first, `gone` (0) when there is no such table.
    """

    outcome: Outcome
    version: int


class Store:
    """The tables of one game service and their indexes, all under `prefix`."""

    def __init__(self, link: Link, prefix: str = "hearts") -> None:
        self._link = link
        self._prefix = prefix
        self._append = Script("append")
        self._replace_snapshot = Script("replace_snapshot")
        self._due_in = Script("due_in")
        self._claim_due = Script("claim_due")
        self._lobby = Script("lobby")
        self._due = f"{prefix}:due"
        self._order = f"{prefix}:{{lobby}}:order"
        self._rows = f"{prefix}:{{lobby}}:rows"

    async def ping(self) -> None:
        """Return if Redis answers; raises StoreAway if not."""
        await self._link.call("PING")

    # Tables

    async def load(self, table_id: str) -> Stored | None:
        """The table's version, snapshot (empty if it was lost) and last events; None where there is no such table."""
        (version, snapshot, act), entries = await asyncio.gather(
            self._link.call("HMGET", self._table(table_id), "version", "snapshot", "act"),
            self._link.call("XREVRANGE", self._events(table_id), "+", "-", "COUNT", LAST_EVENTS),
        )
        if version is None:
            return None
        # The events are read a moment later, and may be ahead.
        known = int(version)
        last = tuple(entry for entry in reversed(_numbered(entries)) if entry[0] <= known)
        return Stored(known, snapshot or b"", (act or b"").decode(), last)

    async def since(self, table_id: str, first: int) -> tuple[list[tuple[int, bytes]], str]:
        """The table's events from number `first` on, and the newest act that begins among them, "" for none."""
        entries = await self._link.call("XRANGE", self._events(table_id), first, "+")
        acts = [fields[3].decode() for _, fields in entries if len(fields) > 2]
        return _numbered(entries), acts[-1] if acts else ""

    async def create(self, table_id: str, events: Sequence[bytes], snapshot: bytes, act: str, ttl: int) -> bool:
        """Store a new table with its first events; False if the id is taken by another act."""
        made = await self._appended(table_id, 0, events, snapshot, act, None, ttl)
        return made.outcome == "appended"

    async def append(
        self,
        table_id: str,
        after: int,
        events: Sequence[bytes],
        snapshot: bytes | None,
        act: str,
        key: str | None,
        ttl: int,
        *,
        on: str = "",
    ) -> Append:
        """Append events that follow on version `after`; snapshot, key, expiry and hint go in the same step.

        `snapshot` is None where the one stored before may stay. `act` names this one change: a retry of it finds its
        own. `key` is `player:key`; `ttl` is the seconds from now until the table expires. `on`, where given, is the act
        that led to version `after`: a Redis that lost events may come to the same version another way.
        """
        if after < 1:
            raise ValueError("A table that exists has at least version 1.")
        return await self._appended(table_id, f"{after} {on}", events, snapshot, act, key, ttl)

    async def _appended(
        self,
        table_id: str,
        after: int | str,
        events: Sequence[bytes],
        snapshot: bytes | None,
        act: str,
        key: str | None,
        ttl: int,
    ) -> Append:
        if not events:
            raise ValueError("An act has at least one event.")
        channel = hint_channel(self._prefix, table_id)
        place, digest = ("", b"") if key is None else _key_place(key)
        outcome, version = await self._link.script(
            self._append,
            (self._table(table_id), self._events(table_id)),
            (channel, after, act, ttl, snapshot or b"", place, digest, KEYS_REMEMBERED, *events),
        )
        return Append(outcome.decode(), version)

    async def seen(self, table_id: str, key: str) -> bool:
        """Whether the idempotency key `player:key` was remembered with an act of this table."""
        place, digest = _key_place(key)
        keys = await self._link.call("HGET", self._table(table_id), place) or b""
        return any(keys[i : i + 16] == digest for i in range(0, len(keys), 16))

    async def events(self, table_id: str, after: int = 0, limit: int | None = None) -> list[tuple[int, bytes]]:
        """The table's events past number `after`, with their numbers, at most `limit`."""
        count = () if limit is None else ("COUNT", limit)
        entries = await self._link.call("XRANGE", self._events(table_id), after + 1, "+", *count)
        return _numbered(entries)

    async def replace_snapshot(self, table_id: str, version: int, snapshot: bytes) -> bool:
        """Store a rebuilt snapshot of `version`; False if the table is not at that version (any more)."""
        return bool(await self._link.script(self._replace_snapshot, (self._table(table_id),), (version, snapshot)))

    async def erase(self, table_id: str) -> None:
        """Forget the table and its places in lobby and due work. Players' lists keep it."""
        await asyncio.gather(
            self._link.call("UNLINK", self._table(table_id), self._events(table_id)),
            self.unlist(table_id),
            self.not_due(table_id),
        )

    async def all_tables(self) -> AsyncIterator[str]:
        """Every table id, some perhaps twice. Walks all keys: for sweeps and administration only."""
        start, end = f"{self._prefix}:{{", "}:table"
        async for key in self._link.scan(f"{start}*{end}"):
            yield key[len(start) : -len(end)]

    # Due work

    async def due_in(self, table_id: str, delay_ms: int) -> None:
        """The table wants attention in so many milliseconds from now, and no longer at an earlier or later time."""
        await self._link.script(self._due_in, (self._due,), (table_id, delay_ms))

    async def not_due(self, table_id: str) -> None:
        """The table wants no attention."""
        await self._link.call("ZREM", self._due, table_id)

    async def claim_due(self, lease_ms: int, limit: int) -> list[str]:
        """Tables that are due, the longest first, kept from other claimers for `lease_ms`.

        Who has attended to a table says `due_in` or `not_due`; else it comes back after the lease.
        """
        claimed = await self._link.script(self._claim_due, (self._due,), (lease_ms, limit))
        return [table_id.decode() for table_id in claimed]

    async def due_lag(self) -> int:
        """How long the longest due table has been waiting, milliseconds."""
        (seconds, micros), first = await asyncio.gather(
            self._link.call("TIME", key=self._due), self._link.call("ZRANGE", self._due, 0, 0, "WITHSCORES")
        )
        now_ms = int(seconds) * 1000 + int(micros) // 1000
        return max(0, now_ms - int(float(first[1]))) if first else 0

    # Lobby

    async def list_table(self, table_id: str, at_ms: int, row: bytes) -> None:
        """Show the table in the lobby, in the place of its time, with what the list shows of it."""
        await asyncio.gather(
            self._link.call("HSET", self._rows, table_id, row),
            self._link.call("ZADD", self._order, at_ms, table_id),
        )

    async def unlist(self, table_id: str) -> None:
        """Take the table out of the lobby."""
        await asyncio.gather(
            self._link.call("ZREM", self._order, table_id), self._link.call("HDEL", self._rows, table_id)
        )

    async def lobby(self, limit: int, cursor: str | None = None) -> tuple[list[tuple[str, bytes]], str | None]:
        """A page of listed tables with their rows, newest first, and the cursor of the next page, if any.

        Tables that come or go meanwhile make no other table appear twice or be left out. Raises ValueError
        for a cursor that is none.
        """
        at, table_id = ("+inf", "") if cursor is None else _read_cursor(cursor)
        flat = await self._link.script(self._lobby, (self._order, self._rows), (limit + 1, at, table_id))
        entries = [(flat[i].decode(), int(float(flat[i + 1])), flat[i + 2]) for i in range(0, len(flat), 3)]
        page = entries[:limit]
        more = f"{page[-1][1]}-{page[-1][0]}" if len(entries) > limit and page else None
        return [(table_id, row) for table_id, _, row in page], more

    # Players' lists

    async def seated(self, player_id: str, table_id: str, at_ms: int) -> None:
        """Put the table on the player's list."""
        await self._link.call("ZADD", self._tables(player_id), at_ms, table_id)

    async def unseated(self, player_id: str, table_id: str) -> None:
        """Take the table off the player's list."""
        await self._link.call("ZREM", self._tables(player_id), table_id)

    async def tables_of(self, player_id: str, limit: int) -> list[str]:
        """The player's tables, newest first."""
        found = await self._link.call("ZRANGE", self._tables(player_id), 0, limit - 1, "REV")
        return [table_id.decode() for table_id in found]

    async def count_tables(self, player_id: str) -> int:
        """How many tables the player's list has."""
        return int(await self._link.call("ZCARD", self._tables(player_id)))

    def _table(self, table_id: str) -> str:
        return f"{self._prefix}:{{{table_id}}}:table"

    def _events(self, table_id: str) -> str:
        return f"{self._prefix}:{{{table_id}}}:events"

    def _tables(self, player_id: str) -> str:
        return f"{self._prefix}:{{{player_id}}}:tables"


def hint_channel(prefix: str, table_id: str) -> str:
    """The channel on which a table's new version is told."""
    return f"{prefix}:{{{table_id}}}:hint"


def _key_place(key: str) -> tuple[str, bytes]:
    """Where `player:key` is remembered: the player's field, and the key as a digest of even length."""
    player, _, own = key.partition(":")
    return f"keys:{player}", blake2b(own.encode(), digest_size=16).digest()


def _numbered(entries: list[Any]) -> list[tuple[int, bytes]]:
    """The events of stream entries, with their numbers."""
    return [(int(number.split(b"-")[0]), fields[1]) for number, fields in entries]


def _read_cursor(cursor: str) -> tuple[int, str]:
    at, _, table_id = cursor.partition("-")
    if not (at.isascii() and at.isdigit() and len(at) < 16 and table_id):
        raise ValueError("not a cursor of the lobby list")
    return int(at), table_id
