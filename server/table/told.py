"""An event as one seat, or a spectator, may be told it, in JSON."""

import msgspec
from msgspec import Struct

from rules.events import Dealt, Exchanged, Passed
from rules.view import SeenEvent, redact
from server.clock import iso
from server.table.events import (
    Closed,
    ControllerChanged,
    Created,
    Entry,
    Event,
    HostChanged,
    PlayerJoined,
    PlayerLeft,
    RematchAgreed,
    Said,
    SeatChanged,
    Started,
    TurnWarning,
)


class JoinedTold(Struct, frozen=True, tag="player_joined"):
    """A player sat down, or came back."""

    seat: int
    name: str


class WarningTold(Struct, frozen=True, tag="turn_warning"):
    """The time of these seats is nearly out."""

    seats: tuple[int, ...]
    deadline: str


Told = (
    JoinedTold
    | WarningTold
    | PlayerLeft
    | SeatChanged
    | HostChanged
    | Started
    | ControllerChanged
    | Said
    | RematchAgreed
    | Closed
    | SeenEvent
)

_encode = msgspec.json.Encoder().encode


def is_private(event: Event) -> bool:
    """Whether seats are told different things of it."""
    return isinstance(event, Dealt | Passed | Exchanged)


def tell(event: Event, seat: int | None) -> Told:
    """What `seat` may be told of an event: never a player id, a nonce or the table's secret."""
    match event:
        case Created():
            name = event.seats[event.host].name
            assert name is not None, "the host is seated"
            return JoinedTold(event.host, name)
        case PlayerJoined():
            return JoinedTold(event.seat, event.name)
        case SeatChanged():
            return msgspec.structs.replace(event, nonce=None)
        case TurnWarning():
            return WarningTold(event.seats, iso(event.deadline))
        case PlayerLeft() | HostChanged() | Started() | ControllerChanged() | Said() | RematchAgreed() | Closed():
            return event
        case _:
            return redact(event, seat)


def message(number: int, entry: Entry, seat: int | None) -> bytes:
    """The event as one JSON object: its number as `version`, its time as `at`, its `type` and what it says."""
    told = _encode(tell(entry.event, seat))
    return f'{{"version":{number},"at":"{iso(entry.at)}",'.encode() + told[1:]
