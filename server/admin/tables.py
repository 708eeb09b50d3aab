"""Tables for the operator: what shows of them, and closing one."""

from collections import Counter

from msgspec import Struct

from server.admin.desk import Desk, NotDone
from server.clock import iso, now
from server.table.change import Change, close
from server.table.events import decode_entry
from server.table.state import TableState


class TableRow(Struct, frozen=True):
    """A table in one line."""

    table: str
    phase: str
    players: int
    humans: int
    connected: int
    hand: int
    version: int
    created: str
    name: str


class SeatRow(Struct, frozen=True):
    """A seat without what it holds."""

    seat: int
    name: str | None
    kind: str | None
    player: str | None
    controller: str | None
    connected: bool
    left: bool
    score: int


class TableSheet(Struct, frozen=True):
    """All an operator may see of a table: never cards, the secret of its deal, nonces or what was said."""

    table: TableRow
    preset: str
    listed: bool
    turn_seconds: int
    to_act: tuple[int, ...]
    turn_since: str
    due: str | None
    next_table: str | None
    memory_bytes: int
    events: dict[str, int]
    seats: tuple[SeatRow, ...]


def row(state: TableState) -> TableRow:
    """The table in one line."""
    humans = [seat for seat in state.seats if seat.is_human]
    return TableRow(
        table=state.id,
        phase=state.phase,
        players=len(state.seats),
        humans=len(humans),
        connected=sum(seat.connected for seat in humans),
        hand=0 if state.game is None or state.game.hand is None else state.game.hand.number,
        version=state.version,
        created=iso(state.created),
        name=state.settings.name,
    )


async def sheet(desk: Desk, table_id: str) -> TableSheet:
    """The table in full; NotDone if there is none that can be read."""
    state = await desk.table(table_id)
    if state is None:
        raise NotDone(f"There is no table {table_id}, or what is stored of it cannot be read (see check).")
    due = await desk.store.due_time(table_id)
    kinds = Counter(
        type(decode_entry(data).event).__struct_config__.tag for _, data in await desk.store.events(table_id)
    )
    totals = (0,) * len(state.seats) if state.game is None else state.game.totals
    return TableSheet(
        table=row(state),
        preset=state.settings.preset,
        listed=state.settings.listed,
        turn_seconds=state.settings.turn_seconds,
        to_act=state.to_act(),
        turn_since=iso(state.turn_since),
        due=None if due is None else iso(due),
        next_table=state.next_table,
        memory_bytes=await desk.store.memory(table_id),
        events={str(tag): count for tag, count in sorted(kinds.items(), key=str)},
        seats=tuple(
            SeatRow(
                seat=number,
                name=seat.name,
                kind=seat.kind,
                player=seat.player,
                controller=seat.controller,
                connected=seat.connected,
                left=seat.left,
                score=totals[number],
            )
            for number, seat in enumerate(state.seats)
        ),
    )


async def close_table(desk: Desk, table_id: str) -> TableState:
    """Close the table for the operator: no winners, and everybody at it is told. NotDone if it is over."""

    def closed(state: TableState) -> Change:
        if state.phase == "over":
            raise NotDone(f"Table {table_id} is over already.")
        change = Change(state, now())
        close(change, "operator")
        return change

    return await desk.commit(table_id, closed)
