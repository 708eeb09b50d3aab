"""What is so: the frozen state of a hand and of a game. Only `evolve` makes a next one."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from rules.cards import Card, Cards
from rules.events import By
from rules.ruleset import RuleSet
from rules.scoring import Moon, Result

Phase = Literal["dealing", "passing", "playing", "moon", "over"]


class Play(Struct, frozen=True, array_like=True):
    """A card on the table, and who chose it."""

    seat: int
    card: Card
    by: By


class Trick(Struct, frozen=True, array_like=True):
    """A finished trick; taker None and nothing taken when it was carried."""

    leader: int
    plays: tuple[Play, ...]
    cancelled: Cards
    taker: int | None
    cards_taken: int
    points: int


class HandState(Struct, frozen=True, kw_only=True):
    """The play of one deal.

    deal: what each seat was dealt; kitty: what was left, taken or not; seed: of the fair deal, secret until the
    hand is scored; pass_offset, pass_size: 0 on a hold hand; passed: each seat's passed cards, None until it
    chose; received: None until the exchange; cards: what each seat holds now; leader, turn: None while passing;
    turn_number: plays made in this hand; carried: open cards of cancelled tricks on the table; points: taken by
    each seat in this hand; revoked: seats that failed to follow suit, told to nobody before the hand is scored.
    """

    number: int
    dealer: int
    deal: tuple[Cards, ...]
    kitty: Cards
    seed: str
    pass_offset: int
    pass_size: int
    passed: tuple[Cards | None, ...]
    received: tuple[Cards, ...] | None
    cards: tuple[Cards, ...]
    leader: int | None
    turn: int | None
    turn_number: int
    trick: tuple[Play, ...]
    carried: Cards
    tricks: tuple[Trick, ...]
    points: tuple[int, ...]
    hearts_broken: bool
    revoked: tuple[int, ...]


class HandResult(Struct, frozen=True):
    """What a finished hand scored."""

    number: int
    scores: tuple[int, ...]
    moon: Moon | None


class GameState(Struct, frozen=True, kw_only=True):
    """A game. dealer: of the hand in play, in phase `dealing` of the next; hand: stays until the next deal."""

    rules: RuleSet
    dealer: int
    phase: Phase
    hand: HandState | None
    results: tuple[HandResult, ...]
    totals: tuple[int, ...]
    result: Result | None


def new_game(rules: RuleSet, dealer: int) -> GameState:
    """A game about to begin, `dealer` drawn to deal its first hand."""
    return GameState(
        rules=rules,
        dealer=dealer,
        phase="dealing",
        hand=None,
        results=(),
        totals=(0,) * rules.players,
        result=None,
    )


def taken_cards(rules: RuleSet, kitty: Cards, tricks: Sequence[Trick]) -> tuple[Cards, ...]:
    """What each seat took in these tricks: carried cards with the next trick taken, the kitty where it is due.

    Cards carried past the last of them, and a kitty not yet due, are with nobody.
    """
    taken: list[list[Card]] = [[] for _ in range(rules.players)]
    pile: list[Card] = list(kitty) if rules.kitty_to == "first_trick" else []
    for trick in tricks:
        for play in trick.plays:
            pile.append(play.card)
        if trick.taker is not None:
            taken[trick.taker] += pile
            pile = []
    if rules.kitty_to == "last_trick" and tricks and len(tricks) == rules.worked_out.each:
        last = tricks[-1].taker
        assert last is not None
        taken[last] += kitty
    return tuple(tuple(cards) for cards in taken)
