"""Playing again: who agreed, and the table it happens at."""

import hashlib
import hmac

from msgspec.structs import replace

from rules.shuffle import commitment
from server.table.events import Created
from server.table.state import Seat, TableState
from server.tokens import table_id_from


def agree(state: TableState, seat: int) -> tuple[int, ...]:
    """The seats that want a rematch once `seat` does too."""
    return tuple(sorted({*state.agreed, seat}))


def settled(state: TableState, agreed: tuple[int, ...]) -> str | None:
    """The id of the next table if every human has agreed, else None."""
    if all(number in agreed for number, seat in enumerate(state.seats) if seat.is_human):
        return next_table_id(state)
    return None


def next_table_id(state: TableState) -> str:
    """The next table's id. It follows from this table's secret, so that whoever makes it makes the same one."""
    return table_id_from(hmac.digest(bytes.fromhex(state.secret), b"hearts-next-table/1", hashlib.sha256))


def next_table(state: TableState, secret: bytes) -> Created:
    """The table of a settled rematch. Bots and those who agreed keep their seats, the others' are free.

    Its host is this table's host if it agreed, else the longest seated of those who did.
    """
    assert state.next_table is not None, "the rematch is settled"
    seats = tuple(_next_seat(state, number, seat) for number, seat in enumerate(state.seats))
    host = state.host
    if host is None or host not in state.agreed:
        host = min(state.agreed, key=lambda number: (state.seats[number].since, number))
    return Created(
        id=state.next_table,
        settings=state.settings,
        secret=secret.hex(),
        commitment=commitment(secret),
        seats=seats,
        host=host,
    )


def _next_seat(state: TableState, number: int, seat: Seat) -> Seat:
    if seat.kind == "bot":
        return Seat(kind="bot", level=seat.level, name=seat.name)
    if number not in state.agreed:
        return Seat()
    return replace(seat, nonce="", bot_plays=False, timeouts=0, agrees_to_close=False)
