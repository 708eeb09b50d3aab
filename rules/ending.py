"""What follows when a trick is complete: who takes it, and the end of the hand and of the game."""

from collections.abc import Sequence

from rules.cards import Cards
from rules.events import (
    Event,
    GameOver,
    HandScored,
    MoonShot,
    Played,
    SeedRevealed,
    TrickCancelled,
    TrickTaken,
)
from rules.legality import revoked_with
from rules.ruleset import RuleSet
from rules.scoring import (
    Moon,
    Scored,
    add,
    game_result,
    hand_scores,
    moon_scoring,
    moon_shooter,
)
from rules.state import GameState, HandState, Play, Trick, taken_cards
from rules.trick import settle

Events = tuple[Event, ...]


def finish_trick(state: GameState, hand: HandState, played: Played) -> Events:
    """The events of the trick that `played` completes, and of the hand's and the game's end if they come with it."""
    rules = state.rules
    assert hand.leader is not None
    cards = [play.card for play in hand.trick]
    cards.append(played.card)
    last = len(hand.cards[played.seat]) == 1
    pile = hand.carried + _kitty_due(rules, hand, last) if hand.kitty else hand.carried
    settled = settle(rules, hand.leader, cards, pile, last)
    if settled.taker is None:
        return (TrickCancelled(hand.leader, settled.cancelled),)
    taken = TrickTaken(settled.taker, settled.cancelled, settled.cards_taken, settled.points)
    if not last and not rules.end_when_no_points:
        return (taken,)
    plays = (*hand.trick, Play(played.seat, played.card, played.by))
    trick = Trick(hand.leader, plays, settled.cancelled, settled.taker, settled.cards_taken, settled.points)
    piles = taken_cards(rules, hand.kitty, (*hand.tricks, trick))
    if not last and not _no_points_left(rules, piles):
        return (taken,)
    return (taken, *_end_hand(state, hand, piles, revoked_with(hand, played.seat, played.card)))


def choose_moon(state: GameState, hand: HandState, shooter: int, scored: Scored | None) -> Events:
    """The end of a hand whose shooter chose how the moon is scored; None leaves it to the rule `auto`."""
    taken = taken_cards(state.rules, hand.kitty, hand.tricks)
    if scored is None:
        scored = moon_scoring(state.rules, taken, shooter, state.totals, hand.number)
    return _score(state, hand, taken, Moon(shooter, scored), ())


def _kitty_due(rules: RuleSet, hand: HandState, last: bool) -> Cards:
    if rules.kitty_to == "last_trick":
        return hand.kitty if last else ()
    return () if any(trick.taker is not None for trick in hand.tricks) else hand.kitty


def _no_points_left(rules: RuleSet, taken: Sequence[Cards]) -> bool:
    """Whether every card of non-zero value is taken. House default: what lies on the table of cancelled tricks, or in a
    kitty not yet due, is taken by nobody, so the hand goes on for it; a kitty worth nothing stays face down.
    """
    out = sum(card in rules.worth for cards in taken for card in cards)
    return out == sum(card in rules.worth for card in rules.worked_out.cards)


def _end_hand(state: GameState, hand: HandState, taken: Sequence[Cards], revoked: tuple[int, ...]) -> Events:
    """The end of a hand. House default: no moon is judged where somebody revoked; the penalty stands for all."""
    rules = state.rules
    shooter = None if revoked else moon_shooter(rules, taken)
    if shooter is None:
        return _score(state, hand, taken, None, revoked)
    if rules.moon == "choice":
        return (MoonShot(shooter, None),)
    scored = moon_scoring(rules, taken, shooter, state.totals, hand.number)
    return (MoonShot(shooter, scored), *_score(state, hand, taken, Moon(shooter, scored), ()))


def _score(
    state: GameState,
    hand: HandState,
    taken: Sequence[Cards],
    moon: Moon | None,
    revoked: tuple[int, ...],
) -> Events:
    scores = hand_scores(state.rules, taken, moon, revoked)
    totals = add(state.totals, scores)
    events: list[Event] = [HandScored(hand.number, scores, totals, moon, revoked)]
    if hand.seed:
        events.append(SeedRevealed(hand.number, hand.seed))
    result = game_result(state.rules, totals, hand.number)
    if result is not None:
        events.append(GameOver(result.winners, result.totals, result.reason))
    return tuple(events)
