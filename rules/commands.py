"""What may be asked of a game, in the imperative. `decide` says yes, with events, or no."""

from typing import Literal

from msgspec import Struct

from rules.cards import Card, Cards
from rules.events import By


class Deal(Struct, frozen=True, tag="deal"):
    """Deal the next hand from `order`, the shuffled deck; `seed` is the fair deal's for this hand, in hex, or "".

    Asked by the table, never by a seat.
    """

    order: Cards
    seed: str = ""


class Pass(Struct, frozen=True, tag="pass"):
    """Choose the cards to pass; locked once accepted."""

    cards: Cards
    by: By = "human"


class PlayCard(Struct, frozen=True, tag="play"):
    """Play `card` as play number `turn` of this hand (0 is the first lead)."""

    card: Card
    turn: int
    by: By = "human"


class ChooseMoon(Struct, frozen=True, tag="moon"):
    """The shooter's choice; `auto` when it is left to the deadline."""

    choice: Literal["add", "subtract", "auto"]


class Close(Struct, frozen=True, tag="close"):
    """End the game now, without winners. Asked by the table, never by a seat."""


Command = Deal | Pass | PlayCard | ChooseMoon | Close
