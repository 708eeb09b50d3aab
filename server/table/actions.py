"""What may be asked at a table, as it comes over HTTP: one JSON object with its `action`."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from server.table.state import Level

SeatNumber = Annotated[int, Meta(ge=0, le=10, description="seat, 0 to players - 1")]
Nonce = Annotated[str, Meta(max_length=64, pattern="^[ -~]*$", description="part of the fair deal: printable ASCII")]
CardText = Annotated[str, Meta(min_length=1, max_length=8, description="a card: QS, 10h, JK; any case, suit symbols")]


class Asked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="action"):
    """Base of all actions."""


class Join(Asked, frozen=True, tag="join"):
    """Sit down: on `seat`, or on the first free one."""

    seat: SeatNumber | None = None
    nonce: Nonce | None = None


class Leave(Asked, frozen=True, tag="leave"):
    """Get up; a game in play goes on without."""


class Start(Asked, frozen=True, tag="start"):
    """Start the game (host)."""


class AddBot(Asked, frozen=True, tag="add_bot"):
    """Seat a bot (host, lobby)."""

    seat: SeatNumber
    level: Level


class Remove(Asked, frozen=True, tag="remove"):
    """Free a seat (host, lobby)."""

    seat: SeatNumber


class BotFor(Asked, frozen=True, tag="bot_for"):
    """Let a bot play for a human who is away, until that human acts."""

    seat: SeatNumber


class Pass(Asked, frozen=True, tag="pass"):
    """Pass these cards."""

    cards: Annotated[list[CardText], Meta(max_length=16)]


class Play(Asked, frozen=True, tag="play"):
    """Play a card; `turn` is the view's `hand.turn_number`."""

    card: CardText
    turn: Annotated[int, Meta(ge=0, le=1000)]


class Moon(Asked, frozen=True, tag="moon"):
    """How the moon you shot is scored."""

    choice: Literal["add", "subtract"]


class Rematch(Asked, frozen=True, tag="rematch"):
    """Play again at a new table, same seats."""


class Say(Asked, frozen=True, tag="say"):
    """Chat: either a text or a reaction."""

    text: Annotated[str, Meta(min_length=1, max_length=200)] | UnsetType = UNSET
    reaction: Annotated[str, Meta(min_length=1, max_length=16)] | UnsetType = UNSET


class Close(Asked, frozen=True, tag="close"):
    """Close the table: the host in the lobby, in play all humans together."""


Action = Join | Leave | Start | AddBot | Remove | BotFor | Pass | Play | Moon | Rematch | Say | Close
