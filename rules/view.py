"""What one seat may know, built by adding what that seat may see; nothing here starts from a full dump.

`view` and `seen` show a state, `redact` an event. A spectator is seat None: it knows what lies open on the table.
"""

from functools import lru_cache

from msgspec import Struct, field

from rules.cards import Card, Cards
from rules.events import (
    By,
    Dealt,
    Event,
    Exchanged,
    GameOver,
    HandScored,
    HeartsBroken,
    MoonShot,
    Passed,
    Played,
    SeedRevealed,
    TrickCancelled,
    TrickTaken,
)
from rules.legality import Bar, legal_cards, why_not
from rules.ruleset import RuleSet
from rules.scoring import Result, points_of
from rules.state import GameState, HandResult, HandState, Phase, Play, Trick
from rules.trick import standing_and_winner


class SeatView(Struct, frozen=True):
    """A seat as everybody sees it: cards held, points taken in this hand, total score, whether its pass is in."""

    cards: int
    points: int
    score: int
    passed: bool


class PassView(Struct, frozen=True):
    """Where this hand passes, how many cards, and the same in words."""

    offset: int
    count: int
    to: str


class PlayView(Struct, frozen=True):
    """A card on the table, as it stands now: cancelled by a copy of itself, or winning the trick."""

    seat: int
    card: Card
    cancelled: bool
    winning: bool


class CarriedView(Struct, frozen=True):
    """What lies open on the table from cancelled tricks. A kitty that travels with it is not counted."""

    cards: int
    points: int


class TrickView(Struct, frozen=True):
    """A finished trick; taker None when it was carried."""

    leader: int
    plays: tuple[PlayView, ...]
    cancelled: Cards
    taker: int | None
    cards_taken: int
    points: int


class HandView(Struct, frozen=True, kw_only=True):
    """The hand in play as everybody sees it; pass is None on a hold hand, leader and turn are None while passing."""

    number: int
    dealer: int
    pass_: PassView | None = field(name="pass")
    leader: int | None
    turn: int | None
    turn_number: int
    hearts_broken: bool
    trick: tuple[PlayView, ...]
    carried: CarriedView
    last_trick: TrickView | None


class MeView(Struct, frozen=True):
    """What a seat alone sees: its cards, which are legal now and why others are not, its pass, what it received."""

    seat: int
    cards: Cards
    legal: Cards
    why: dict[Card, Bar]
    passed: Cards | None
    received: Cards | None


class ScoresView(Struct, frozen=True):
    """The score sheet."""

    hands: tuple[HandResult, ...]
    totals: tuple[int, ...]


class GameView(Struct, frozen=True):
    """A game as one seat, or a spectator (me None), may know it."""

    phase: Phase
    seats: tuple[SeatView, ...]
    hand: HandView | None
    me: MeView | None
    scores: ScoresView
    result: Result | None


class Seen(Struct, frozen=True):
    """All that a seat remembers of the hand in play: its view, what it was dealt, every finished trick."""

    rules: RuleSet
    view: GameView
    seat: int
    dealt: Cards
    tricks: tuple[Trick, ...]


class DealtSeen(Struct, frozen=True, kw_only=True, tag="dealt"):
    """A deal as one seat sees it; cards None for a spectator; leader only on a hold hand."""

    number: int
    dealer: int
    each: int
    pass_: PassView | None = field(name="pass")
    leader: int | None
    cards: Cards | None


class PassedSeen(Struct, frozen=True, tag="passed"):
    """A locked pass; cards None but for the seat that passed them."""

    seat: int
    cards: Cards | None
    by: By


class ExchangedSeen(Struct, frozen=True, tag="exchanged"):
    """The exchange; received None for a spectator."""

    leader: int
    received: Cards | None


SeenEvent = (
    DealtSeen
    | PassedSeen
    | ExchangedSeen
    | Played
    | HeartsBroken
    | TrickTaken
    | TrickCancelled
    | MoonShot
    | HandScored
    | SeedRevealed
    | GameOver
)


def redact(event: Event, seat: int | None) -> SeenEvent:
    """The event as `seat` may see it. What happened in the open is the same for all."""
    match event:
        case Dealt():
            return DealtSeen(
                number=event.number,
                dealer=event.dealer,
                each=len(event.hands[0]),
                pass_=_pass_view(event.pass_offset, event.pass_size, len(event.hands)),
                leader=event.leader,
                cards=None if seat is None else event.hands[seat],
            )
        case Passed():
            return PassedSeen(event.seat, event.cards if seat == event.seat else None, event.by)
        case Exchanged():
            return ExchangedSeen(event.leader, None if seat is None else event.received[seat])
        case _:
            return event


def view(state: GameState, seat: int | None) -> GameView:
    """The game as `seat`, or a spectator, may know it."""
    hand = state.hand
    return GameView(
        phase=state.phase,
        seats=_seat_views(state),
        hand=None if hand is None else _hand_view(state.rules, hand),
        me=None if hand is None or seat is None else _me_view(state, hand, seat),
        scores=ScoresView(state.results, state.totals),
        result=state.result,
    )


def seen(state: GameState, seat: int) -> Seen:
    """Everything `seat` knows of the hand in play. A hand must have been dealt."""
    hand = state.hand
    assert hand is not None, "a hand was dealt"
    return Seen(state.rules, view(state, seat), seat, hand.deal[seat], hand.tricks)


def pass_words(offset: int, players: int) -> str:
    """A pass offset in words: `hold`, `across`, `2 to the left`."""
    if offset == 0:
        return "hold"
    if 2 * abs(offset) == players:
        return "across"
    return f"{abs(offset)} to the {'left' if offset > 0 else 'right'}"


def _seat_views(state: GameState) -> tuple[SeatView, ...]:
    hand = state.hand
    if hand is None:
        return tuple([SeatView(0, 0, total, False) for total in state.totals])
    seats = zip(hand.cards, hand.points, state.totals, hand.passed, strict=True)
    return tuple([SeatView(len(cards), points, total, passed is not None) for cards, points, total, passed in seats])


def _pass_view(offset: int, size: int, players: int) -> PassView | None:
    return PassView(offset, size, pass_words(offset, players)) if offset else None


def _hand_view(rules: RuleSet, hand: HandState) -> HandView:
    return HandView(
        number=hand.number,
        dealer=hand.dealer,
        pass_=_pass_view(hand.pass_offset, hand.pass_size, rules.players),
        leader=hand.leader,
        turn=hand.turn,
        turn_number=hand.turn_number,
        hearts_broken=hand.hearts_broken,
        trick=_plays(rules, hand.trick),
        carried=CarriedView(len(hand.carried), points_of(rules, hand.carried)),
        last_trick=_trick_view(rules, hand.tricks[-1]) if hand.tricks else None,
    )


def _plays(rules: RuleSet, plays: tuple[Play, ...]) -> tuple[PlayView, ...]:
    if not plays:
        return ()
    cards = [play.card for play in plays]
    standing, winning = standing_and_winner(rules, cards)
    return tuple([PlayView(play.seat, play.card, not standing[at], at == winning) for at, play in enumerate(plays)])


@lru_cache(maxsize=4096)
def _trick_view(rules: RuleSet, trick: Trick) -> TrickView:
    return TrickView(
        leader=trick.leader,
        plays=_plays(rules, trick.plays),
        cancelled=trick.cancelled,
        taker=trick.taker,
        cards_taken=trick.cards_taken,
        points=trick.points,
    )


def _me_view(state: GameState, hand: HandState, seat: int) -> MeView:
    return MeView(
        seat=seat,
        cards=hand.cards[seat],
        legal=legal_cards(state, seat),
        why=why_not(state, seat),
        passed=hand.passed[seat],
        received=None if hand.received is None else hand.received[seat],
    )
