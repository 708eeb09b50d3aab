"""The table view of the HTTP contract, as far as the client shows it.

Everything has a default and unknown fields are ignored, so an older or newer server can be played on.
"""

import unicodedata
from typing import Any

import msgspec
from msgspec import Struct, field


def printable(text: str) -> str:
    """What others wrote, without control and format characters: they could drive the terminal."""
    return "".join(char for char in text if unicodedata.category(char)[0] != "C")


class Seat(Struct):
    seat: int = 0
    name: str | None = None
    kind: str | None = None
    level: str | None = None
    controller: str | None = None
    connected: bool = False
    cards: int = 0
    points: int = 0
    score: int = 0
    passed: bool = False
    left: bool = False
    away: bool = False


class Play(Struct):
    seat: int = 0
    card: str = ""
    cancelled: bool = False
    winning: bool = False


class LastTrick(Struct):
    leader: int = 0
    plays: list[Play] = []
    cancelled: list[str] = []
    taker: int | None = None
    cards_taken: int = 0
    points: int = 0


class Carried(Struct):
    cards: int = 0
    points: int = 0


class Passing(Struct):
    offset: int = 0
    count: int = 0
    to: str = ""


class Hand(Struct):
    number: int = 0
    dealer: int = 0
    passing: Passing | None = field(name="pass", default=None)
    leader: int | None = None
    turn: int | None = None
    turn_number: int = 0
    deadline: str | None = None
    hearts_broken: bool = False
    trick: list[Play] = []
    carried: Carried | None = None
    last_trick: LastTrick | None = None


class Me(Struct):
    seat: int = 0
    cards: list[str] = []
    legal: list[str] = []
    why: dict[str, str] = {}
    passed: list[str] | None = None
    received: list[str] | None = None
    can: list[str] = []


class Deck(Struct):
    cards: int = 52
    each: int = 13
    added: list[str] = []
    removed: list[str] = []
    low_card: str | None = None
    points: int = 26
    kitty: int = 0


class Table(Struct):
    id: str = ""
    name: str | None = None
    host: int | None = None
    phase: str = "lobby"
    listed: bool = True
    preset: str | None = None
    rules: dict[str, Any] = {}
    deck: Deck = field(default_factory=Deck)
    turn_seconds: int = 0
    fill: str | None = None
    absent: str = "bot"
    spectators: str = "public"
    next_table: str | None = None


class HandScores(Struct):
    number: int = 0
    scores: list[int] = []
    moon: dict[str, Any] | None = None


class Scores(Struct):
    hands: list[HandScores] = []
    totals: list[int] = []


class Result(Struct):
    winners: list[int] = []
    totals: list[int] = []
    reason: str = ""


class View(Struct):
    version: int = 0
    now: str = ""
    table: Table = field(default_factory=Table)
    seats: list[Seat] = []
    hand: Hand | None = None
    me: Me | None = None
    scores: Scores = field(default_factory=Scores)
    result: Result | None = None

    def name(self, seat: int) -> str:
        """Name of whoever sits there; a seat number (from 1) where nobody does."""
        name = self.seats[seat].name if 0 <= seat < len(self.seats) else None
        return printable(name) if name else f"#{seat + 1}"

    def may(self, what: str) -> bool:
        """Whether the server lists `what` among the things I can do now."""
        return self.me is not None and what in self.me.can

    @property
    def my_turn(self) -> bool:
        return self.hand is not None and self.me is not None and self.may("play")


_decoder = msgspec.json.Decoder(View)


def decode_view(data: bytes | str) -> View:
    """Raises msgspec.MsgspecError where the text is no view."""
    return _decoder.decode(data)
