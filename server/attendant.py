"""Attends to a table when it is due: bots' turns, deadlines, absences, closing. Each is a command like any other."""

import asyncio
import zlib
from collections.abc import Awaitable

from rules.commands import Command
from rules.view import seen
from server.bots.pool import Bots
from server.clock import Clock
from server.held import HeldTable, HeldTables
from server.metrics import BOT_SECONDS
from server.presence import Presence
from server.problems import Problem
from server.service import Tables
from server.table.change import Change
from server.table.duties import BotActs, Duty, Times, agenda, bot_level, carry_out, counted_from, latest
from server.table.events import SeatChanged
from server.table.state import TableState
from server.timers import GRACE_MILLISECONDS, Timers

SKEW_MILLISECONDS = 10_000
"""How far the clocks of servers may be apart without anything being done about it."""

SOON_MILLISECONDS = 1_000
"""When a table is looked at of which it is not known what came of an append."""

AGAIN_MILLISECONDS = 5_000
"""The shortest time between two looks at who is connected."""

AT_ONCE = 16
"""Duties under way at the same time. Bots among themselves do not wait: a crowd of them must leave time for players."""


class Attendant:
    """Does what falls due at the tables. `tables` and `timers` are set before it is first woken."""

    tables: Tables
    timers: Timers

    def __init__(
        self, *, held: HeldTables, presence: Presence, bots: Bots, clock: Clock, times: Times, connected_window: float
    ) -> None:
        self._held = held
        self._presence = presence
        self._bots = bots
        self._clock = clock
        self._times = times
        self._window = round(connected_window * 1000)
        self._turns = asyncio.Semaphore(AT_ONCE)

    def schedule(self, held: HeldTable) -> None:
        """Set the timer of a table that has changed, or was looked at."""
        state = held.state
        moments = [at for at, _ in self._agenda(state, held)[:1]]
        if state.phase != "over" and state.idle_since is None:  # a human is connected
            soon = self._clock() + self._window
            held.presence_at = min(held.presence_at or soon, soon)
            moments.append(held.presence_at)
        self.timers.due(state.id, min(moments, default=None))
        if state.phase != "over" and "hard" in (state.settings.fill, *(seat.level for seat in state.seats)):
            self._bots.warm()  # or its first cards would be chosen as `normal` does

    def look_soon(self, table_id: str) -> None:
        """Attend to a table in a moment: it is not known what is due there, and perhaps nobody else does."""
        self.timers.due_by(table_id, self._clock() + SOON_MILLISECONDS)

    def announce(self, state: TableState) -> Awaitable[None] | None:
        """Have it known when the table will be due once it is in this state; see `Timers.announce`."""
        coming = self._agenda(state)
        return self.timers.announce(state.id, coming[0][0]) if coming else None

    def first_look(self, state: TableState) -> int:
        """How soon to attend to a table that perhaps nobody does, in milliseconds."""
        coming = self._agenda(state)
        return (coming[0][0] - self._clock() if coming else self._window) + GRACE_MILLISECONDS

    async def wake(self, table_id: str) -> None:
        """Do everything that is due at the table, then set its timer."""
        try:
            await self._attend(table_id)
        except Problem as problem:
            if problem.code != "no_such_table":
                raise
            self.timers.due(table_id, None)  # it was erased, or lost, perhaps just now

    async def _attend(self, table_id: str) -> None:
        held = await self._held.get(table_id)
        if held.waking:
            return
        held.waking = True
        try:
            await self._look_who_is_there(held)
            while True:
                async with self._turns:
                    if not await self._do_next(held):
                        break
        finally:
            held.waking = False
        await self.tables.make_next(held.state)
        self.schedule(held)

    def _agenda(self, state: TableState, held: HeldTable | None = None) -> list[tuple[int, Duty]]:
        """The agenda; moments yet to come, as after a clock was set back, count from when `held` was seen with them."""
        now, newest = self._clock(), latest(state)
        if newest <= now + SKEW_MILLISECONDS:
            return agenda(state, self._times)
        seen_at = now
        if held is not None:
            if held.ahead is None or held.ahead[0] != newest or held.ahead[1] > now:
                held.ahead = newest, now
            seen_at = held.ahead[1]
        return agenda(counted_from(state, seen_at), self._times)

    async def _do_next(self, held: HeldTable) -> bool:
        """Do the earliest thing that is due; False if nothing is."""
        state = await self.tables.state(held.state.id)
        entry = next(iter(self._agenda(state, held)), None)
        if entry is None or entry[0] > self._clock():
            return False
        duty = entry[1]
        choice = await self._choose(state, duty) if isinstance(duty, BotActs) else None

        def still_due(now: TableState) -> Change | None:
            return carry_out(now, duty, self._clock(), choice) if now.version == state.version else None

        await self.tables.commit(state.id, still_due)
        return True

    async def _choose(self, state: TableState, duty: BotActs) -> Command:
        assert state.game is not None, "a game is played"
        level = bot_level(state, duty.seat)
        known = seen(state.game, duty.seat)
        assert known.view.hand is not None, "a hand is in play"
        turn = f"{state.id}/{known.view.hand.number}/{known.view.hand.turn_number}/{duty.seat}"
        with BOT_SECONDS.labels(level).time():
            return await self._bots.choose_for(level, known, zlib.crc32(turn.encode()), duty.by)

    async def _look_who_is_there(self, held: HeldTable) -> None:
        now = self._clock()
        if not 0 < held.presence_at <= now:
            return
        held.presence_at = now + self._window
        connected = _connected_humans(held.state)
        if not connected:
            return
        last = await self._presence.last(connected)
        held.presence_at = max(now + AGAIN_MILLISECONDS, min(last.values()) + self._window)
        gone = {player for player, at in last.items() if at + self._window <= now}
        if gone:
            await self.tables.commit(held.state.id, lambda state: _disconnected(state, gone, self._clock()))


def _connected_humans(state: TableState) -> list[str]:
    if state.phase == "over":
        return []
    return [seat.player for seat in state.seats if seat.player is not None and seat.is_human and seat.connected]


def _disconnected(state: TableState, gone: set[str], at: int) -> Change:
    change = Change(state, at)
    for number, seat in enumerate(state.seats):
        if seat.player in gone and seat.is_human and seat.connected:
            change.add(SeatChanged(seat=number, connected=False))
    return change
