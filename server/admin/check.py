"""`check`: whether what is stored agrees with itself, and the repair of what only caches and indexes have wrong.

The events are the truth and are never changed. A running service writes its indexes just after the events, so
whatever looks wrong is looked at again after a while and counts only if it is still so.
"""

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from server.admin.desk import Desk
from server.admin.survey import Holder
from server.lobby import encode_row, in_lobby, lobby_row
from server.snapshots import decode_snapshot, encode_snapshot, fold
from server.store import Stored
from server.table.state import TableState


@dataclass(frozen=True)
class Finding:
    """What is wrong with a table, a player or an index; `repair` is None where nothing can be made good."""

    where: str
    what: str
    repair: Callable[[], Awaitable[object]] | None = None


Look = Callable[[], Awaitable[list[Finding]]]


class Check:
    """One walk over everything. `settle`: seconds after which a finding must still be so to count."""

    def __init__(self, desk: Desk, settle: float = 2.0) -> None:
        self._desk = desk
        self._store = desk.store
        self._players = desk.players
        self._settle = settle
        self.tables = 0
        self.players = 0

    async def findings(self) -> AsyncIterator[Finding]:
        """Everything that is wrong, table by table, then the indexes, then the players."""
        tables = sorted({table_id async for table_id in self._store.all_tables()})
        self.tables = len(tables)
        looks = [functools.partial(self._table, table_id) for table_id in tables]
        async for finding in self._twice([*looks, self._indexes]):
            yield finding
        async for holder in self._players.all():
            self.players += 1
            for finding in self._player(holder):
                yield finding

    async def _twice(self, looks: Sequence[Look]) -> AsyncIterator[Finding]:
        """What each look finds and finds again after everything has had time to settle."""
        first = [(look, found) for look in looks if (found := await look())]
        if first:
            await asyncio.sleep(self._settle)
        for look, found in first:
            before = {(finding.where, finding.what) for finding in found}
            for finding in await look():
                if (finding.where, finding.what) in before:
                    yield finding

    async def _table(self, table_id: str) -> list[Finding]:
        stored = await self._store.load(table_id)
        if stored is None:
            return []  # closed and expired meanwhile
        numbered = [entry for entry in await self._store.events(table_id) if entry[0] <= stored.version]
        if [number for number, _ in numbered] != list(range(1, stored.version + 1)):
            what = f"{len(numbered)} events for version {stored.version}: numbers are missing"
            return [Finding(table_id, what)]
        try:
            state = fold(data for _, data in numbered)
        except Exception as error:  # whatever a damaged event leads to
            return [Finding(table_id, f"its events cannot be read ({type(error).__name__})")]
        assert state is not None, "a version is at least 1"
        return [*self._snapshot(stored, numbered, state), *await self._entries(state)]

    def _snapshot(self, stored: Stored, numbered: list[tuple[int, bytes]], state: TableState) -> list[Finding]:
        kept = decode_snapshot(stored.snapshot)
        if kept is not None and fold(data for number, data in numbered if number <= kept.version) == kept:
            return []

        async def repair() -> None:
            await self._store.replace_snapshot(state.id, stored.version, encode_snapshot(state))

        return [Finding(state.id, "its snapshot is not what its events fold to", repair)]

    async def _entries(self, state: TableState) -> list[Finding]:
        """Whether lobby list, due work and players' lists have the table as they should."""
        found = []
        row = await self._store.row(state.id)
        wanted = encode_row(lobby_row(state)) if in_lobby(state) else None
        if row != wanted:
            what = "is not listed in the lobby as it is" if wanted else "is in the lobby list and should not be"
            found.append(Finding(state.id, what, lambda: self._desk.lobby.listing(state)))
        if state.phase != "over" and await self._store.due_time(state.id) is None:
            found.append(Finding(state.id, "nobody will attend to it", lambda: self._store.due_in(state.id, 0)))
        for seat in state.seats:
            player = seat.player
            if player is not None and not await self._store.lists(player, state.id):
                found.append(Finding(state.id, f"is not on the list of player {player}", self._seated(player, state)))
        return found

    def _seated(self, player: str, state: TableState) -> Callable[[], Awaitable[object]]:
        return lambda: self._store.seated(player, state.id, state.created)

    async def _indexes(self) -> list[Finding]:
        """Entries of tables that are gone."""
        found = []
        for table_id in await self._store.all_listed():
            if await self._store.load(table_id) is None:
                found.append(Finding(table_id, "is in the lobby list and gone", self._unlisted(table_id)))
        for table_id in await self._store.all_due():
            if await self._store.load(table_id) is None:
                found.append(Finding(table_id, "is among the due work and gone", self._not_due(table_id)))
        return found

    def _unlisted(self, table_id: str) -> Callable[[], Awaitable[object]]:
        return lambda: self._store.unlist(table_id)

    def _not_due(self, table_id: str) -> Callable[[], Awaitable[object]]:
        return lambda: self._store.not_due(table_id)

    def _player(self, holder: Holder) -> list[Finding]:
        if holder.copy == holder.record:
            return []
        where = f"player {holder.player_id}"
        return [
            Finding(
                where,
                "its record by id is not the one under its token",
                lambda: self._players.copy(holder.player_id, holder.record),
            )
        ]
