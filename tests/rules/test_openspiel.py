"""A third opinion on the game of four with one pack, where OpenSpiel is installed: pip install open-spiel."""

from random import Random
from typing import Any

import pytest

from rules.cards import parse_card
from rules.commands import Deal, Pass, PlayCard
from rules.legality import legal_cards
from rules.ruleset import RuleSet
from rules.state import new_game
from tests.rules.playing import SEED
from tests.rules.positions import do

pyspiel: Any = pytest.importorskip("pyspiel")
DIRECTIONS = [0, 1, 2, -1]
"""Its ways to pass, in its order: none, left, across, right."""


def face(state: Any, action: int) -> str:
    text = str(state.action_to_string(state.current_player(), action)).split()[-1]
    return "".join({"♣": "C", "♦": "D", "♠": "S", "♥": "H"}.get(letter, letter) for letter in text)


def test_legal_cards_takers_and_scores_are_those_of_openspiel() -> None:
    print("seed", SEED)
    random = Random(SEED)
    game = pyspiel.load_game("hearts(qs_breaks_hearts=false)")
    for _ in range(60):
        theirs = game.new_initial_state()
        direction = random.choice(theirs.legal_actions())
        theirs.apply_action(direction)
        order = []
        while theirs.is_chance_node():
            action = random.choice(theirs.legal_actions())
            order.append(parse_card(face(theirs, action)))
            theirs.apply_action(action)
        rules = RuleSet.resolve(None, 4, {"pass_cycle": [DIRECTIONS[direction]], "hands": 1})
        ours, _ = do(new_game(rules, 3), None, Deal(tuple(order)))
        while ours.phase == "passing":
            assert ours.hand is not None
            seat = theirs.current_player()
            cards = []
            for _ in range(ours.hand.pass_size):
                assert theirs.current_player() == seat
                action = random.choice(theirs.legal_actions())
                cards.append(parse_card(face(theirs, action)))
                theirs.apply_action(action)
            ours, _ = do(ours, seat, Pass(tuple(cards)))
        while ours.phase == "playing":
            assert ours.hand is not None
            seat = theirs.current_player()
            assert seat == ours.hand.turn
            actions = {face(theirs, action): action for action in theirs.legal_actions()}
            assert set(actions) == {card.value for card in legal_cards(ours, seat)}
            played = random.choice(sorted(actions))
            ours, _ = do(ours, seat, PlayCard(parse_card(played), ours.hand.turn_number))
            theirs.apply_action(actions[played])
        assert theirs.is_terminal()
        assert [26 - score for score in ours.totals] == list(theirs.returns())
