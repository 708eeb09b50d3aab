"""What cards are worth, and what the moon is worth."""

from typing import Any

import pytest

from rules.cards import Card
from rules.scoring import card_values, moon_value, points_of
from tests.rules.positions import cards, rules_for


@pytest.mark.parametrize(
    ("options", "extra"),
    [
        ({}, {}),
        ({"hooligan": True}, {"7C": 7}),
        ({"dame_de_pique": True}, {"KS": 10, "AS": 7}),
        ({"omnibus": "JD"}, {"JD": -10}),
        ({"omnibus": "TD"}, {"TD": -10}),
    ],
)
def test_card_values(options: dict[str, Any], extra: dict[str, int]) -> None:
    expected = {f"{rank}H": 1 for rank in "23456789TJQKA"} | {"QS": 13} | extra
    rules = rules_for(4, **options)
    assert {card.value: value for card, value in card_values(rules).items()} == expected
    assert points_of(rules, [Card(face) for face in expected]) == 26 + sum(extra.values())


def test_points_count_every_copy() -> None:
    assert points_of(rules_for(8, omnibus="JD"), cards("QS QS 2H 2H JD 3C JK")) == 18
    assert points_of(rules_for(4), ()) == 0


@pytest.mark.parametrize(
    ("players", "options", "value"),
    [(4, {}, 26), (8, {}, 52), (11, {"packs": 3}, 78), (4, {"dame_de_pique": True}, 43), (8, {"hooligan": True}, 52)],
)
def test_moon_value(players: int, options: dict[str, Any], value: int) -> None:
    assert moon_value(rules_for(players, **options)) == value
