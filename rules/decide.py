"""The only place that says no: `decide` turns a command into the events it causes, or refuses it."""

from collections.abc import Callable, Mapping
from typing import Any

from rules.cards import HEARTS, QUEEN_OF_SPADES, Cards, holds, in_order
from rules.commands import ChooseMoon, Close, Command, Deal, Pass, PlayCard
from rules.ending import Events, choose_moon, finish_trick
from rules.events import Dealt, Exchanged, GameOver, HeartsBroken, Passed, Played
from rules.legality import REASONS, bar, bar_to_revoke, legal_cards
from rules.passing import first_leader, received_cards
from rules.ruleset import RuleSet
from rules.state import GameState, HandState


class RuleViolation(Exception):
    """A command that the rules refuse. code: stable; detail: a sentence; legal: cards that may be played."""

    def __init__(self, code: str, detail: str, legal: Cards = ()) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.legal = legal


def decide(state: GameState, seat: int | None, command: Command) -> Events:
    """The events that `command`, asked by `seat` (None: by the table itself), causes in `state`.

    Raises RuleViolation when the rules refuse it; then nothing happened.
    """
    return _ANSWERS[type(command)](state, seat, command)


def _deal(state: GameState, _seat: int | None, command: Deal) -> Events:
    if state.phase != "dealing":
        raise RuleViolation("wrong_phase", "A hand is dealt when the last one is scored.")
    rules, deck, players = state.rules, state.rules.worked_out, state.rules.players
    if in_order(command.order) != deck.cards:
        raise RuleViolation("wrong_deck", f"The order must hold the {len(deck.cards)} cards of the deck.")
    number = len(state.results) + 1
    first = (state.dealer + 1) % players
    out = deck.each * players
    hands = tuple(in_order(command.order[(seat - first) % players : out : players]) for seat in range(players))
    offset = rules.pass_offset(number)
    dealt = Dealt(
        number=number,
        dealer=state.dealer,
        hands=hands,
        kitty=in_order(command.order[out:]),
        seed=command.seed,
        pass_offset=offset,
        pass_size=rules.pass_size if offset else 0,
        leader=None if offset else first_leader(rules, state.dealer, hands),
    )
    return (dealt,)


def _pass(state: GameState, seat: int | None, command: Pass) -> Events:
    hand = state.hand
    if state.phase != "passing" or hand is None or seat is None:
        raise RuleViolation("wrong_phase", "Cards are passed after the deal, before the first trick.")
    if hand.passed[seat] is not None:
        raise RuleViolation("already_passed", "Your pass is locked.")
    if len(command.cards) != hand.pass_size:
        raise RuleViolation("wrong_pass_size", f"This hand passes {hand.pass_size} cards, not {len(command.cards)}.")
    if not holds(hand.cards[seat], command.cards):
        raise RuleViolation("card_not_held", "You do not hold all of these cards.")
    passed = Passed(seat, in_order(command.cards), command.by)
    rest = [cards for other, cards in enumerate(hand.passed) if other != seat]
    if None in rest:
        return (passed,)
    return passed, _exchange(state.rules, hand, passed)


def _exchange(rules: RuleSet, hand: HandState, last: Passed) -> Exchanged:
    passed = [cards or () for cards in hand.passed]
    passed[last.seat] = last.cards
    received = received_cards(passed, hand.pass_offset)
    return Exchanged(received, first_leader(rules, hand.dealer, hand.cards, received))


def _play(state: GameState, seat: int | None, command: PlayCard) -> Events:
    hand = state.hand
    if state.phase != "playing" or hand is None or seat is None:
        raise RuleViolation("wrong_phase", "No trick is being played.")
    if command.turn != hand.turn_number:
        raise RuleViolation("stale_turn", f"This is play {hand.turn_number} of the hand, not {command.turn}.")
    if seat != hand.turn:
        raise RuleViolation("not_your_turn", "It is another seat's turn.")
    rules, card = state.rules, command.card
    if card not in hand.cards[seat]:
        raise RuleViolation("card_not_held", f"You do not hold {card}.", legal_cards(state, seat))
    found = bar(rules, hand, seat, card)
    if found == "must_follow_suit" and rules.revoke == "penalty":
        found = bar_to_revoke(rules, hand, seat, card)
    if found is not None:
        raise RuleViolation(found, REASONS[found], legal_cards(state, seat))

    played = Played(seat, card, command.turn, command.by)
    breaks = card.suit is HEARTS or (card is QUEEN_OF_SPADES and rules.queen_breaks_hearts)
    events: Events = (played, HeartsBroken(seat)) if breaks and not hand.hearts_broken else (played,)
    if len(hand.trick) + 1 < rules.players:
        return events
    return events + finish_trick(state, hand, played)


def _choose_moon(state: GameState, seat: int | None, command: ChooseMoon) -> Events:
    hand = state.hand
    if state.phase != "moon" or hand is None:
        raise RuleViolation("wrong_phase", "No moon is waiting for its shooter's choice.")
    if seat != hand.turn or seat is None:
        raise RuleViolation("not_the_shooter", "The choice is the shooter's.")
    return choose_moon(state, hand, seat, None if command.choice == "auto" else command.choice)


def _close(state: GameState, _seat: int | None, _command: Close) -> Events:
    if state.phase == "over":
        raise RuleViolation("wrong_phase", "The game is over.")
    return (GameOver((), state.totals, "closed"),)


_ANSWERS: Mapping[type[Command], Callable[[GameState, int | None, Any], Events]] = {
    Deal: _deal,
    Pass: _pass,
    PlayCard: _play,
    ChooseMoon: _choose_moon,
    Close: _close,
}
