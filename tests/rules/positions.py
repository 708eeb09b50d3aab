"""Positions in the middle of a hand, set up from texts."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from rules.cards import Cards, in_order, parse_card
from rules.commands import Command, PlayCard
from rules.decide import RuleViolation, decide
from rules.events import Event
from rules.evolve import evolve
from rules.ruleset import RuleSet
from rules.state import GameState, HandState, Play, Trick, new_game


def cards(text: str) -> Cards:
    return tuple(parse_card(face) for face in text.split())


def position(
    rules: RuleSet,
    hands: Sequence[str],
    *,
    leader: int = 0,
    trick: str = "",
    earlier: Sequence[Trick] = (),
    broken: bool = False,
    carried: str = "",
    kitty: str = "",
    number: int = 1,
    totals: Sequence[int] | None = None,
    revoked: tuple[int, ...] = (),
) -> GameState:
    """A hand in play: what each seat holds, the cards on the table from `leader` on, and the tricks before."""
    players = rules.players
    open_cards = cards(trick)
    plays = tuple(Play((leader + at) % players, card, "human") for at, card in enumerate(open_cards))
    held = tuple(in_order(cards(text)) for text in hands)
    hand = HandState(
        number=number,
        dealer=0,
        deal=held,
        kitty=cards(kitty),
        seed="",
        pass_offset=0,
        pass_size=0,
        passed=(None,) * players,
        received=None,
        cards=held,
        leader=leader,
        turn=(leader + len(plays)) % players,
        turn_number=len(earlier) * players + len(plays),
        trick=plays,
        carried=cards(carried),
        tricks=tuple(earlier),
        points=(0,) * players,
        hearts_broken=broken,
        revoked=revoked,
    )
    state = new_game(rules, 0)
    return replace(state, phase="playing", hand=hand, totals=tuple(totals or state.totals))


def taken(taker: int | None, text: str = "", leader: int = 0) -> Trick:
    """An earlier trick with these cards, whoever played them."""
    plays = tuple(Play(leader, card, "human") for card in cards(text))
    return Trick(leader, plays, (), taker, len(plays) if taker is not None else 0, 0)


def do(state: GameState, seat: int | None, command: Command) -> tuple[GameState, tuple[Event, ...]]:
    events = decide(state, seat, command)
    for event in events:
        state = evolve(state, event)
    return state, events


def play(state: GameState, text: str) -> tuple[GameState, tuple[Event, ...]]:
    """Play these cards, each by the seat on turn; the events of all of them."""
    events: tuple[Event, ...] = ()
    for card in cards(text):
        hand = state.hand
        assert hand is not None
        state, more = do(state, hand.turn, PlayCard(card, hand.turn_number))
        events += more
    return state, events


def refusal(state: GameState, seat: int | None, command: Command) -> str:
    """The code with which the rules refuse `command`; "" if they allow it."""
    try:
        decide(state, seat, command)
    except RuleViolation as refused:
        return refused.code if str(refused) == f"{refused.code}: {refused.detail}" else "unnamed"
    return ""


def refused(state: GameState, face: str) -> str:
    """The code with which the seat on turn is refused that card; "" if it may play it."""
    hand = state.hand
    assert hand is not None
    return refusal(state, hand.turn, PlayCard(parse_card(face), hand.turn_number))


def rules_for(players: int, **options: Any) -> RuleSet:
    return RuleSet.resolve(None, players, options)
