"""Every number a guide gives, compared with the rule set, for every preset, table size and language."""

import re
from collections import Counter
from typing import Any

import pytest

from rules.cards import Suit, holds, in_order, parse_card
from rules.ruleset import PRESETS, RuleSet, preset_players
from rules.scoring import card_values, moon_value, points_of
from rules.trick import settle, standing_plays, winning_play
from server.guide import LANGUAGES

PAGES = [
    pytest.param(preset, players, language, id=f"{preset}-{players}-{language}")
    for preset in PRESETS
    for players in preset_players(preset)
    for language in LANGUAGES
]

FAIR = {"en": "A fair deal you can check", "es": "Un reparto limpio que puedes comprobar"}
STEPS = {"en": "Ten steps for the hasty", "es": "Diez pasos para quien tiene prisa"}
MOON = {"en": "Shooting the moon", "es": "Disparar a la luna"}
END = {"en": "The end of the game", "es": "El final de la partida"}


def numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"(?<![♣♦♠♥\w])\d+(?![♣♦♠♥\d])", text)]


@pytest.fixture
def rules(preset: str, players: int) -> RuleSet:
    return RuleSet.resolve(preset, players)


@pytest.fixture
def page(read: Any, rules: RuleSet, preset: str, language: str) -> Any:
    return read(rules, preset, language)


@pytest.mark.parametrize(("preset", "players", "language"), PAGES)
class TestEveryTable:
    def test_deck(self, page: Any, rules: RuleSet, players: int) -> None:
        deck = rules.worked_out
        assert numbers(page.title) == [players]
        assert int(page.label("packs")) == rules.packs
        assert int(page.label("cards")) == len(deck.cards)
        assert int(page.label("each")) == deck.each
        assert int(page.label("points")) == points_of(rules, deck.cards)
        assert in_order(page.pile("added")) == in_order(deck.added)
        assert in_order(page.pile("removed")) == in_order(deck.removed)
        if deck.kitty:
            assert int(page.label("kitty")) == deck.kitty

    def test_pass(self, page: Any, rules: RuleSet, players: int) -> None:
        expected = list(rules.pass_cycle) if rules.pass_size else []
        assert page.cycle(players) == expected
        first, second = page.sections[STEPS[page.language]].strip().splitlines()[:2]
        assert numbers(first) == [1, rules.worked_out.each]
        assert numbers(second) == ([2, rules.pass_size] if rules.pass_size else [2])

    def test_card_values(self, page: Any, rules: RuleSet) -> None:
        rows, total = page.table()
        hearts, *others = rows
        worth, cards = card_values(rules), rules.worked_out.cards
        assert hearts[1:] == (1, 13 * rules.packs, 13 * rules.packs)
        assert {parse_card(face): points for face, points, _, _ in others} == {
            card: points for card, points in worth.items() if card.suit is not Suit.HEARTS
        }
        for face, points, copies, together in others:
            assert copies == Counter(cards)[parse_card(face)]
            assert together == points * copies
        assert total == points_of(rules, cards) == sum(row[3] for row in rows)

    def test_moon(self, page: Any, rules: RuleSet, players: int) -> None:
        moon = moon_value(rules)
        said = numbers(page.sections[MOON[page.language]])
        copies = [rules.packs] * (3 if rules.dame_de_pique else 1)
        assert said == [13 * rules.packs, *copies, moon, 0, players - 1, moon]

    def test_end(self, page: Any, rules: RuleSet) -> None:
        assert numbers(page.sections[END[page.language]]) == [rules.target]

    def test_steps_are_ten(self, page: Any) -> None:
        steps = page.sections[STEPS[page.language]].strip().splitlines()
        assert [step.partition(". ")[0] for step in steps] == [str(number) for number in range(1, 11)]

    def test_fair_deal_in_three_sentences(self, page: Any) -> None:
        assert len(re.findall(r"\.(?:\s|$)", page.sections[FAIR[page.language]])) == 3

    def test_drawn_tricks_are_what_the_rules_say(self, page: Any, rules: RuleSet) -> None:
        drawings = page.drawings()
        assert len(drawings) == (1 if rules.packs == 1 else 2)
        for drawn in drawings:
            assert len(drawn.cards) == rules.players
            assert len(set(drawn.names)) == rules.players
            assert holds(rules.worked_out.cards, drawn.cards)
            assert drawn.taker == winning_play(rules, drawn.cards)
            assert [not stands for stands in standing_plays(rules, drawn.cards)] == drawn.cancelled
            if drawn.taker is not None:
                settled = settle(rules, 0, drawn.cards, (), last=False)
                point = rf"{drawn.names[drawn.taker]} [^`]* {settled.points} p(oint|unto)"
                assert re.search(point, page.text)
        assert drawings[0].taker is not None
        if rules.packs > 1:
            assert drawings[1].taker is None
