"""Bots play whole hands at every table: always legal, never an exception, whatever the options."""

import os
import random
from typing import Any

import pytest

from rules.deck import exact_players
from rules.ruleset import RuleSet
from rules.view import Seen
from server.bots import LEVELS, Choice, Level, choose, hint
from tests.load.duplicate import play_hand
from tests.rules.option_values import OPTION_VALUES

ROWS = [(packs, players, "exact") for packs in (1, 2, 3) for players in exact_players(packs)]
ROWS += [(2, players, "kitty") for players in range(5, 12)]


def any_rules(rng: random.Random, row: tuple[int, int, str], **choices: list[Any]) -> RuleSet:
    """A rule set for this row of the rule book's table, each option drawn; `choices` narrows what from."""
    packs, players, deck = row
    options = {field: rng.choice(values) for field, values in {**OPTION_VALUES, **choices}.items()}
    options |= {"packs": packs, "deck": deck, "hands": 1, "target": None, "pass_cycle": [rng.randrange(players)]}
    if deck == "kitty":
        options |= {"first_lead": "dealers_left", "kitty_to": rng.choice(["first_trick", "last_trick"])}
    return RuleSet.resolve(None, players, options)


@pytest.mark.parametrize("hands", [100, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(7200)])])
def test_no_bot_ever_chooses_anything_illegal(hands: int) -> None:
    seed = int(os.environ.get("BOT_SEED", "") or random.randrange(10**9))
    print(f"BOT_SEED={seed}")
    rng = random.Random(seed)
    failures: list[Level] = []
    for number in range(hands):
        rules = any_rules(rng, ROWS[number % len(ROWS)])
        order = list(rules.worked_out.cards)
        rng.shuffle(order)
        levels = [rng.choice(LEVELS) for _ in range(rules.players)]

        def player(level: Level) -> Any:
            def chooses(seen: Seen, move: int) -> Choice:
                if move % 7 == 0:
                    hint(seen)
                return choose(level, seen, move, failed=failures.append, playouts=10)

            return chooses

        try:
            play_hand(rules, order, rng.randrange(rules.players), [player(level) for level in levels], number)
        except Exception as error:
            pytest.fail(f"BOT_SEED={seed}, hand {number}, {rules}: {error!r}")
    assert failures == [], f"BOT_SEED={seed}"
