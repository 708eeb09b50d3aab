"""What happened at a table. Its events and its game's are one numbered list, stored as `Entry`."""

from typing import Literal

import msgspec
from msgspec import Struct

from rules.events import Event as GameEvent
from server.table.state import Level, Seat, Settings

CloseReason = Literal["host", "agreed", "idle", "operator"]


class Created(Struct, frozen=True, kw_only=True, tag="created"):
    """The table was made, its host seated; told to players as `player_joined`."""

    id: str
    settings: Settings
    secret: str
    commitment: str
    seats: tuple[Seat, ...]
    host: int


class PlayerJoined(Struct, frozen=True, tag="player_joined"):
    """A human sat down: on a free seat, on one whose player has left, or came back to it."""

    seat: int
    player: str
    name: str
    nonce: str = ""


class PlayerLeft(Struct, frozen=True, tag="player_left"):
    """A human got up, or was removed by the host. In play the seat goes on with its cards and score."""

    seat: int


class SeatChanged(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="seat_changed"):
    """Something about a seat changed; only the fields that did are set. kind "bot" seats one, "none" frees a bot's."""

    seat: int
    kind: Literal["bot", "none"] | None = None
    level: Level | None = None
    name: str | None = None
    nonce: str | None = None
    connected: bool | None = None
    agrees_to_close: bool | None = None


class HostChanged(Struct, frozen=True, tag="host_changed"):
    """The host's powers went to another seat; None while no human is seated."""

    seat: int | None


class Started(Struct, frozen=True, tag="started"):
    """The game started; `dealer` was drawn by the fair deal."""

    dealer: int


class TurnWarning(Struct, frozen=True, tag="turn_warning"):
    """The time of these seats is nearly out; deadline in milliseconds since 1970."""

    seats: tuple[int, ...]
    deadline: int


class ControllerChanged(Struct, frozen=True, tag="controller_changed"):
    """Who plays a human's seat changed. reason: left, absent, asked (by `bot_for`), back."""

    seat: int
    controller: Literal["human", "bot"]
    reason: Literal["left", "absent", "asked", "back"]


class Said(Struct, frozen=True, omit_defaults=True, tag="said"):
    """A seat said something."""

    seat: int
    text: str | None = None
    reaction: str | None = None


class RematchAgreed(Struct, frozen=True, tag="rematch"):
    """A seat (None: the clock) agreed to play again; next_table once it is settled."""

    seat: int | None
    agreed: tuple[int, ...]
    next_table: str | None


class Closed(Struct, frozen=True, tag="closed"):
    """The table was closed before its game was over. reason: host, agreed, idle, operator."""

    reason: CloseReason


TableEvent = (
    Created
    | PlayerJoined
    | PlayerLeft
    | SeatChanged
    | HostChanged
    | Started
    | TurnWarning
    | ControllerChanged
    | Said
    | RematchAgreed
    | Closed
)
Event = TableEvent | GameEvent


class Entry(Struct, frozen=True, array_like=True):
    """An event as it is stored: when it happened (milliseconds since 1970), and what."""

    at: int
    event: Event


encode_entry = msgspec.json.Encoder().encode
decode_entry = msgspec.json.Decoder(Entry).decode
