"""A hint is what `normal` would do, with a reason that fits."""

from typing import Any

import pytest

from rules.commands import ChooseMoon, Pass, PlayCard
from server.bots import choose, hint
from server.bots.hints import SENTENCES
from tests.server.bots.positions import seen_in
from tests.server.bots.test_positions import ROWS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_hint_is_what_normal_would_do(row: dict[str, Any]) -> None:
    given = hint(seen_in(row))
    assert given.choice == choose("normal", seen_in(row), 0, by="human")
    assert given.sentence == SENTENCES[given.reason]


REASONS = [
    ("duck-queen-last-4-a", {"duck"}),
    ("queen-under-high-4-a", {"duck"}),
    ("queen-when-void-8-a", {"drop_queen"}),
    ("win-jack-4-a", {"take_bonus"}),
    ("stop-moon-4-a", {"stop_moon"}),
    ("heart-elsewhere-4-a", {"stop_moon"}),
    ("pass-bare-queen", {"pass_danger"}),
    ("moon-of-the-leader", {"moon_choice"}),
]


@pytest.mark.parametrize(("position", "reasons"), REASONS)
def test_the_reason_fits(position: str, reasons: set[str]) -> None:
    row = next(row for row in ROWS if row["id"] == position)
    assert hint(seen_in(row)).reason in reasons


def test_hints_name_all_kinds_of_choice() -> None:
    kinds = {type(hint(seen_in(row)).choice) for row in ROWS}
    assert kinds == {Pass, PlayCard, ChooseMoon}
