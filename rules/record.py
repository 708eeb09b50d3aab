"""The record of a game, `hearts-record/1`: its form, written from the events of a game and read from JSON.

A record holds finished hands only, so it never tells the seed of a hand in play. `replay` checks one.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from rules.cards import Card, Cards
from rules.events import By, Event, HandScored
from rules.evolve import evolve
from rules.ruleset import RuleSet
from rules.scoring import MAX_HANDS, Moon, Result, Score, Seat
from rules.state import HandState, Trick, new_game

Format = Literal["hearts-record/1"]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 or a seed: 32 bytes in lower-case hex")]
Number = Annotated[int, Meta(ge=1, le=MAX_HANDS)]
Count = Annotated[int, Meta(ge=0, le=156)]
Offset = Annotated[int, Meta(ge=-10, le=10)]
Nonce = Annotated[str, Meta(max_length=64, pattern="^[ -~]*$")]


class SeatRecord(Struct, frozen=True):
    """Who sat there. What a bot or the clock chose for a human is told by each play's `by`."""

    name: str
    kind: Literal["human", "bot"]


class PassRecord(Struct, frozen=True):
    """Where the hand passed (seats to the left), and what each seat passed."""

    offset: Offset
    cards: tuple[Cards, ...]


class PlayRecord(Struct, frozen=True):
    """A card played, and who chose it."""

    seat: Seat
    card: Card
    by: By


class TrickRecord(Struct, frozen=True):
    """A finished trick. taker: None when it was carried; cancelled: led-suit faces that cancelled, one entry a face;
    cards_taken, points: what went to the taker, carried cards and a kitty included."""

    leader: Seat
    plays: tuple[PlayRecord, ...]
    cancelled: Cards
    taker: Seat | None
    cards_taken: Count
    points: Score


class HandRecord(Struct, frozen=True, kw_only=True):
    """A finished hand. deal: what each seat held before the pass, in order; pass: None on a hold hand."""

    number: Number
    dealer: Seat
    seed: Hash
    deal: tuple[Cards, ...]
    kitty: Cards
    pass_: PassRecord | None = field(name="pass")
    tricks: tuple[TrickRecord, ...]
    moon: Moon | None
    revoked: tuple[Seat, ...]
    scores: tuple[Score, ...]
    totals: tuple[Score, ...]


class Record(Struct, frozen=True, kw_only=True):
    """A game so far: its finished hands. result: None unless the game is over. Nonces by seat."""

    format: Format
    table: str
    rules: RuleSet
    seats: tuple[SeatRecord, ...]
    commitment: Hash
    nonces: tuple[Nonce, ...]
    hands: tuple[HandRecord, ...]
    result: Result | None


class Difference(Struct, frozen=True):
    """What is not as it should be. where: a path such as `hands[2].tricks[5].plays[3]`, `record` for the whole;
    what: a sentence for a person."""

    where: str
    what: str


class RecordError(ValueError):
    """JSON that is no record. `difference` says what is wrong with it, and where."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(f"{difference.where}: {difference.what}")
        self.difference = difference


def write(
    table: str,
    rules: RuleSet,
    seats: Iterable[SeatRecord],
    commitment: str,
    nonces: Iterable[str],
    events: Iterable[Event],
) -> Record:
    """The record of a game from all its events so far, as `decide` made them. Hands not yet scored are left out."""
    state = new_game(rules, 0)
    hands: list[HandRecord] = []
    for event in events:
        state = evolve(state, event)
        if isinstance(event, HandScored) and state.hand is not None:
            hands.append(_hand_record(state.hand, event))
    return Record(
        format="hearts-record/1",
        table=table,
        rules=rules,
        seats=tuple(seats),
        commitment=commitment,
        nonces=tuple(nonces),
        hands=tuple(hands),
        result=state.result,
    )


def read(data: bytes | str) -> Record:
    """The record in this JSON; unknown fields are passed over. Raises RecordError when it is none."""
    try:
        return _decode(data)
    except msgspec.DecodeError as error:
        what, _, path = str(error).partition(" - at `")
        where = path.rstrip("`").removeprefix("$").removeprefix(".")
    except RecursionError:
        what, where = "is nested too deeply", ""
    raise RecordError(Difference(where or "record", f"{what}.")) from None


_decode = msgspec.json.Decoder(Record).decode


def _hand_record(hand: HandState, scored: HandScored) -> HandRecord:
    return HandRecord(
        number=hand.number,
        dealer=hand.dealer,
        seed=hand.seed,
        deal=hand.deal,
        kitty=hand.kitty,
        pass_=PassRecord(hand.pass_offset, _all_passed(hand.passed)) if hand.pass_offset else None,
        tricks=tuple(_trick_record(trick) for trick in hand.tricks),
        moon=scored.moon,
        revoked=scored.revoked,
        scores=scored.scores,
        totals=scored.totals,
    )


def _all_passed(passed: Sequence[Cards | None]) -> tuple[Cards, ...]:
    return tuple(cards for cards in passed if cards is not None)


def _trick_record(trick: Trick) -> TrickRecord:
    return TrickRecord(
        leader=trick.leader,
        plays=tuple(PlayRecord(play.seat, play.card, play.by) for play in trick.plays),
        cancelled=trick.cancelled,
        taker=trick.taker,
        cards_taken=trick.cards_taken,
        points=trick.points,
    )
