"""Tricks and hands with the right answers, read from data and given to the code that the game uses.

SCENARIOS names the folder to read, by default tests/data/scenarios.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rules.cards import parse_card
from rules.ruleset import RuleSet
from rules.scoring import Moon, hand_scores, moon_scoring, moon_shooter, points_of
from rules.trick import settle

FOLDER = Path(os.environ.get("SCENARIOS") or Path(__file__).parent.parent / "data" / "scenarios")


def rows(kind: str) -> list[Any]:
    return [
        pytest.param(row, id=f"{path.stem}-{row['id']}")
        for path in sorted(FOLDER.glob(f"{kind}*.json"))
        for row in json.loads(path.read_text())[kind]
    ]


def rules_of(row: dict[str, Any]) -> RuleSet:
    return RuleSet.resolve(None, row["players"], {"packs": row["packs"], **row["rules"]})


def test_the_folder_has_scenarios() -> None:
    assert rows("tricks")
    assert rows("hands")


@pytest.mark.parametrize("row", rows("tricks"))
def test_trick(row: dict[str, Any]) -> None:
    rules = rules_of(row)
    cards = [parse_card(face) for face in row["cards"]]
    pile = [parse_card(face) for face in row["carried_in"]]
    settled = settle(rules, row["leader"], cards, pile, row["last"])
    carried = [] if settled.taker is not None else [*pile, *cards]
    assert row["expect"] == {
        "taker": settled.taker,
        "cancelled": [card.value for card in settled.cancelled],
        "cards_taken": settled.cards_taken,
        "points": settled.points,
        "carried_cards": len(carried),
        "carried_points": points_of(rules, carried),
        "next_leader": settled.next_leader,
    }


@pytest.mark.parametrize("row", rows("hands"))
def test_hand(row: dict[str, Any]) -> None:
    rules = rules_of(row)
    taken = [tuple(parse_card(face) for face in faces) for faces in row["taken"]]
    shooter = moon_shooter(rules, taken)
    moon = None if shooter is None else Moon(shooter, moon_scoring(rules, taken, shooter, (0,) * rules.players, 1))
    assert list(hand_scores(rules, taken, moon, ())) == row["scores"]
