"""Positions in which any good player finds the move, read from tests/data/bots."""

import json
from pathlib import Path
from typing import Any

import pytest

from rules.commands import ChooseMoon, Pass, PlayCard
from server.bots import Level, choose
from tests.server.bots.positions import cards_of, seen_in

FOLDER = Path(__file__).parent.parent.parent / "data" / "bots"
ROWS = [row for path in sorted(FOLDER.glob("*.json")) for row in json.loads(path.read_text())["positions"]]


def cases() -> list[Any]:
    return [pytest.param(row, level, id=f"{row['id']}-{level}") for row in ROWS for level in row["levels"]]


def test_there_are_many_positions_and_each_has_its_name() -> None:
    assert len(ROWS) >= 40
    assert len({row["id"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("row", "level"), cases())
def test_position(row: dict[str, Any], level: Level) -> None:
    """The card is one of `choose`; a pass has all of `pass` and none of `keep`; the moon is scored as `moon`."""
    failures: list[Level] = []
    choice = choose(level, seen_in(row), 1, failed=failures.append, playouts=1500)
    match choice:
        case PlayCard():
            assert choice.card in cards_of(row["choose"]), row["what"]
        case Pass():
            assert set(cards_of(row["pass"])) <= set(choice.cards), row["what"]
            assert not set(cards_of(row["keep"])) & set(choice.cards), row["what"]
        case ChooseMoon():
            assert choice.choice == row["moon"], row["what"]
    assert failures == []
