"""Walks all tables now and then: repairs what follows from them, and counts tables by phase."""

from collections import Counter

from server.attendant import Attendant
from server.held import HeldTables
from server.lobby import Lobby
from server.metrics import TABLES
from server.service import Tables
from server.store import Store
from server.table.state import TableState

PHASES = ("lobby", "passing", "playing", "moon", "over")


class Sweep:
    """Makes good what a process lost between storing a change and writing the indexes that follow from it."""

    def __init__(self, *, store: Store, held: HeldTables, lobby: Lobby, tables: Tables, attendant: Attendant) -> None:
        self._store = store
        self._held = held
        self._lobby = lobby
        self._tables = tables
        self._attendant = attendant

    async def walk(self) -> None:
        """Look at every table once."""
        phases: Counter[str] = Counter()
        async for table_id in self._store.all_tables():
            state = await self._held.peek(table_id)
            if state is not None:
                phases[state.phase] += 1
                await self._repair(state)
        for phase in PHASES:
            TABLES.labels(phase).set(phases[phase])

    async def _repair(self, state: TableState) -> None:
        if state.phase == "lobby":
            await self._lobby.listing(state)
        if state.phase == "over":
            await self._tables.make_next(state)
        else:
            await self._store.due_in(state.id, self._attendant.first_look(state))
