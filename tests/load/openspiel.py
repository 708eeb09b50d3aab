"""Hands against OpenSpiel's ISMCTS bots (PyPI `open-spiel`): one pack, one seat of ours and three of theirs.

Both programs play in step, each by its own rules, which are set to be the same. Hold hands only: release 2.0.2 of
theirs crashes when an ISMCTS bot thinks in a hand with a pass.
"""

import random
from typing import Any

from rules.cards import Card, parse_card
from rules.commands import Command, Deal, PlayCard
from rules.decide import decide
from rules.evolve import evolve
from rules.ruleset import RuleSet
from rules.state import new_game
from rules.view import seen
from tests.load.duplicate import Player, rules_for

_HOLD = 0
"""The pass direction of a hold hand in their numbers."""

_EXPLORATION = 26.0
"""Their constant for exploring, in points: what a hand can cost."""


def one_deal(number: int, guest: Player, simulations: int) -> float:
    """The guest's score less the others' mean, over its four seats at deal `number`."""
    rules = rules_for(4, number, pass_cycle=[0])
    gaps = []
    for seat in range(4):
        scores = _Hand(rules, number, simulations).played(seat, guest)
        gaps.append(scores[seat] - (sum(scores) - scores[seat]) / 3)
    return sum(gaps) / 4


class _Hand:
    def __init__(self, rules: RuleSet, number: int, simulations: int) -> None:
        import pyspiel  # type: ignore[import-untyped,import-not-found,unused-ignore]

        self._number = number
        game = pyspiel.load_game("hearts", {"qs_breaks_hearts": False})
        self._theirs: Any = game.new_initial_state()
        self._theirs.apply_action(_HOLD)
        self._cards: dict[int, Card] = {
            action: parse_card(self._theirs.action_to_string(action)) for action in self._theirs.legal_actions()
        }
        self._actions = {card: action for action, card in self._cards.items()}
        order = list(rules.worked_out.cards)
        random.Random(number).shuffle(order)
        self._ours = new_game(rules, dealer=3)
        self._do(None, Deal(tuple(order)))
        for card in order:
            self._theirs.apply_action(self._actions[card])
        self._evaluator = pyspiel.RandomRolloutEvaluator(1, number)  # the bots do not keep it alive
        self._bots = [
            pyspiel.ISMCTSBot(4 * number + seat, self._evaluator, _EXPLORATION, simulations, -1) for seat in range(4)
        ]

    def _do(self, seat: int | None, command: Command) -> None:
        for event in decide(self._ours, seat, command):
            self._ours = evolve(self._ours, event)

    def played(self, mine: int, guest: Player) -> tuple[int, ...]:
        """The scores of the hand, played out."""
        while not self._theirs.is_terminal():
            seat = self._theirs.current_player()
            assert self._ours.hand is not None
            turn = self._ours.hand.turn_number
            if seat == mine:
                choice = guest(seen(self._ours, seat), self._number * 64 + turn)
                assert isinstance(choice, PlayCard)
                action = self._actions[choice.card]
            else:
                action = self._bots[seat].step(self._theirs)
            self._theirs.apply_action(action)
            self._do(seat, PlayCard(self._cards[action], turn))
        return self._ours.results[-1].scores
