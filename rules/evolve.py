"""What follows from an event. Total: `evolve` never says no to a stored event, and trusts what it says."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from rules.events import (
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
from rules.legality import revoked_with
from rules.passing import after_exchange
from rules.scoring import Result
from rules.state import GameState, HandResult, HandState, Play, Trick


def evolve(state: GameState, event: Event) -> GameState:
    """The state after `event`."""
    return _STEPS[type(event)](state, event)


def _hand(state: GameState) -> HandState:
    assert state.hand is not None, "a hand was dealt"
    return state.hand


def _dealt(state: GameState, event: Dealt) -> GameState:
    players = len(event.hands)
    hand = HandState(
        number=event.number,
        dealer=event.dealer,
        deal=event.hands,
        kitty=event.kitty,
        seed=event.seed,
        pass_offset=event.pass_offset,
        pass_size=event.pass_size,
        passed=(None,) * players,
        received=None,
        cards=event.hands,
        leader=event.leader,
        turn=event.leader,
        turn_number=0,
        trick=(),
        carried=(),
        tricks=(),
        points=(0,) * players,
        hearts_broken=False,
        revoked=(),
    )
    return replace(state, phase="passing" if event.leader is None else "playing", hand=hand)


def _passed(state: GameState, event: Passed) -> GameState:
    hand = _hand(state)
    passed = (*hand.passed[: event.seat], event.cards, *hand.passed[event.seat + 1 :])
    return replace(state, hand=replace(hand, passed=passed))


def _exchanged(state: GameState, event: Exchanged) -> GameState:
    hand, leader = _hand(state), event.leader
    cards = after_exchange(hand.cards, hand.passed, event.received)
    hand = replace(hand, received=event.received, cards=cards, leader=leader, turn=leader)
    return replace(state, phase="playing", hand=hand)


def _played(state: GameState, event: Played) -> GameState:
    hand, seat, card = state.hand, event.seat, event.card
    assert hand is not None
    left = list(hand.cards[seat])
    left.remove(card)
    cards = list(hand.cards)
    cards[seat] = tuple(left)
    played = replace(
        hand,
        cards=tuple(cards),
        trick=(*hand.trick, Play(seat, card, event.by)),
        turn=(seat + 1) % len(cards),
        turn_number=event.turn + 1,
        revoked=revoked_with(hand, seat, card) if state.rules.revoke == "penalty" else (),
    )
    return replace(state, hand=played)


def _trick_taken(state: GameState, event: TrickTaken) -> GameState:
    hand, taker = _hand(state), event.taker
    assert hand.leader is not None
    trick = Trick(hand.leader, hand.trick, event.cancelled, taker, event.cards_taken, event.points)
    points = list(hand.points)
    points[taker] += event.points
    taken = replace(
        hand,
        leader=taker,
        turn=taker,
        trick=(),
        carried=(),
        tricks=(*hand.tricks, trick),
        points=tuple(points),
    )
    return replace(state, hand=taken)


def _trick_cancelled(state: GameState, event: TrickCancelled) -> GameState:
    hand, leader = _hand(state), event.leader
    cancelled = replace(
        hand,
        leader=leader,
        turn=leader,
        trick=(),
        carried=hand.carried + tuple(play.card for play in hand.trick),
        tricks=(*hand.tricks, Trick(leader, hand.trick, event.cancelled, None, 0, 0)),
    )
    return replace(state, hand=cancelled)


def _hearts_broken(state: GameState, _event: HeartsBroken) -> GameState:
    return replace(state, hand=replace(_hand(state), hearts_broken=True))


def _moon_shot(state: GameState, event: MoonShot) -> GameState:
    if event.scored is not None:
        return state
    return replace(state, phase="moon", hand=replace(_hand(state), turn=event.shooter))


def _hand_scored(state: GameState, event: HandScored) -> GameState:
    return replace(
        state,
        phase="dealing",
        dealer=(state.dealer + 1) % state.rules.players,
        hand=replace(_hand(state), turn=None),
        results=(*state.results, HandResult(event.number, event.scores, event.moon)),
        totals=event.totals,
    )


def _game_over(state: GameState, event: GameOver) -> GameState:
    hand = state.hand and replace(state.hand, turn=None)
    return replace(state, phase="over", hand=hand, result=Result(event.winners, event.totals, event.reason))


def _seed_revealed(state: GameState, _event: SeedRevealed) -> GameState:
    return state


_STEPS: Mapping[type[Event], Callable[[GameState, Any], GameState]] = {
    Dealt: _dealt,
    Passed: _passed,
    Exchanged: _exchanged,
    Played: _played,
    HeartsBroken: _hearts_broken,
    TrickTaken: _trick_taken,
    TrickCancelled: _trick_cancelled,
    MoonShot: _moon_shot,
    HandScored: _hand_scored,
    SeedRevealed: _seed_revealed,
    GameOver: _game_over,
}
