"""What follows from an event. Total: `evolve` never says no to a stored event, and trusts what it says."""

from typing import assert_never

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
    match event:
        case Played():
            return _played(state, event)
        case TrickTaken():
            return _trick_taken(state, event)
        case TrickCancelled():
            return replace(state, hand=_trick_cancelled(_hand(state), event))
        case HeartsBroken():
            return replace(state, hand=replace(_hand(state), hearts_broken=True))
        case Passed():
            return replace(state, hand=_passed(_hand(state), event))
        case Exchanged():
            return replace(state, phase="playing", hand=_exchanged(_hand(state), event))
        case Dealt():
            phase = "playing" if event.leader is not None else "passing"
            return replace(state, phase=phase, hand=_dealt(event))
        case MoonShot():
            if event.scored is not None:
                return state
            return replace(state, phase="moon", hand=replace(_hand(state), turn=event.shooter))
        case HandScored():
            return _hand_scored(state, event)
        case SeedRevealed():
            return state
        case GameOver():
            return _game_over(state, event)
        case _:
            assert_never(event)


def _hand(state: GameState) -> HandState:
    assert state.hand is not None, "a hand was dealt"
    return state.hand


def _dealt(event: Dealt) -> HandState:
    players = len(event.hands)
    return HandState(
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


def _passed(hand: HandState, event: Passed) -> HandState:
    passed = (*hand.passed[: event.seat], event.cards, *hand.passed[event.seat + 1 :])
    return replace(hand, passed=passed)


def _exchanged(hand: HandState, event: Exchanged) -> HandState:
    cards = after_exchange(hand.cards, hand.passed, event.received)
    return replace(hand, received=event.received, cards=cards, leader=event.leader, turn=event.leader)


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


def _trick_cancelled(hand: HandState, event: TrickCancelled) -> HandState:
    trick = Trick(event.leader, hand.trick, event.cancelled, None, 0, 0)
    return replace(
        hand,
        leader=event.leader,
        turn=event.leader,
        trick=(),
        carried=hand.carried + tuple(play.card for play in hand.trick),
        tricks=(*hand.tricks, trick),
    )


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
