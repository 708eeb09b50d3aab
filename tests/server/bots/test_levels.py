"""The levels keep their order, no seat is better than another, and failures are covered.

Short matches with fixed deals: python -m tests.load.bots_match has the long ones.
"""

import random
from functools import partial

import pytest

from rules.commands import PlayCard
from rules.ruleset import RuleSet
from rules.view import Seen, seen
from server.bots import LEVELS, Level, choose, player
from tests.load.bots_match import seat_bias
from tests.load.duplicate import match
from tests.load.yardsticks import at_random, bot, cheap
from tests.server.bots.test_playout import position


@pytest.mark.parametrize(("players", "deals"), [(4, 20), (8, 8)])
def test_each_level_beats_the_one_below(players: int, deals: int) -> None:
    easy, normal = bot("easy"), bot("normal")
    assert match(players, range(deals), easy, at_random).high < 0
    assert match(players, range(deals), easy, cheap).mean > 0
    assert match(players, range(deals), normal, easy).high < 0


@pytest.mark.parametrize(("players", "deals"), [(4, 20), pytest.param(8, 60, marks=pytest.mark.slow)])
def test_hard_beats_normal(players: int, deals: int) -> None:
    assert match(players, range(deals), partial(choose, "hard", playouts=150), bot("normal")).mean < 0


def test_no_seat_is_better_than_another() -> None:
    assert float(seat_bias(4, 150).split("|")[-2]) < 4


def test_the_same_position_and_seed_give_the_same_choice() -> None:
    for level in LEVELS:
        assert len({str(choose(level, _known(), 5, playouts=50)) for _ in range(3)}) == 1


def test_a_failure_is_covered_logged_and_counted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(player, "Memory", None)
    failures: list[Level] = []
    known = _known()
    assert known.view.me is not None
    for level in LEVELS:
        chosen = choose(level, known, 5, by="timeout", failed=failures.append)
        assert isinstance(chosen, PlayCard)
        assert chosen.card in known.view.me.legal
        assert chosen.by == "timeout"
    assert failures == list(LEVELS)
    assert "a hard bot failed" in caplog.text


def _known() -> Seen:
    rng = random.Random(3)
    while (reached := position(RuleSet.resolve(None, 11), rng)) is None:
        pass
    return seen(reached[0], reached[2])
