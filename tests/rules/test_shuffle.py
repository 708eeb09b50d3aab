"""The fair deal against vectors of two programs written apart from it, and what must hold of any."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rules.commands import Deal
from rules.decide import decide
from rules.events import Dealt
from rules.ruleset import RuleSet
from rules.shuffle import CHAIN, _Numbers, commitment, first_dealer, hand_seed, hash_chain, proves, shuffled
from rules.state import new_game
from tests.rules.playing import SEED

DATA = Path(__file__).parent.parent / "data"
SCENARIOS = Path(os.environ.get("SCENARIOS") or DATA / "scenarios")


def vectors(path: Path) -> list[Any]:
    return [
        pytest.param(row, id=f"{row['players']}-{row['packs']}-{at}")
        for at, row in enumerate(json.loads(path.read_text())["vectors"])
    ]


def deal(rules: RuleSet, dealer: int, seed: str, nonces: list[str]) -> Dealt:
    state = new_game(rules, dealer)
    (event,) = decide(state, None, Deal(shuffled(rules.worked_out.cards, seed, nonces), seed))
    assert isinstance(event, Dealt)
    return event


@pytest.mark.parametrize("row", vectors(SCENARIOS / "fair-deal.json"))
def test_scenario(row: dict[str, Any]) -> None:
    rules = RuleSet.resolve(None, row["players"], {"packs": row["packs"]})
    secret = bytes.fromhex(row["s0"])
    assert commitment(secret) == row["commitment"]
    dealer = first_dealer(rules.players, row["seed_1"], row["nonces"])
    assert dealer == row["first_dealer"]
    for number in (1, 2):
        assert hand_seed(secret, number) == row[f"seed_{number}"]
        event = deal(rules, (dealer + number - 1) % rules.players, row[f"seed_{number}"], row["nonces"])
        assert [[card.value for card in cards] for cards in event.hands] == row[f"hand_{number}"]


@pytest.mark.parametrize("row", vectors(DATA / "fair-deal-vectors.json"))
def test_vector(row: dict[str, Any]) -> None:
    options = {"packs": row["packs"], "deck": row["deck"], "first_lead": "dealers_left"}
    rules = RuleSet.resolve(None, row["players"], options)
    secret = bytes.fromhex(row["secret"])
    assert commitment(secret) == row["commitment"]
    assert first_dealer(rules.players, hand_seed(secret, 1), row["nonces"]) == row["deals"][0]["dealer"]
    for told in row["deals"]:
        assert hand_seed(secret, told["number"]) == told["seed"]
        event = deal(rules, told["dealer"], told["seed"], row["nonces"])
        assert [" ".join(card.value for card in cards) for cards in event.hands] == told["hands"]
        assert " ".join(card.value for card in event.kitty) == told["kitty"]


def test_the_vectors_are_those_of_their_program() -> None:
    written = subprocess.run(
        [sys.executable, str(DATA / "fair_deal_vectors.py")], check=True, capture_output=True, text=True
    )
    assert written.stdout == (DATA / "fair-deal-vectors.json").read_text()


def test_each_seed_proves_itself_by_the_one_before() -> None:
    secret = Random(SEED).randbytes(32)
    chain = hash_chain(secret)
    assert len(chain) == CHAIN + 1
    before = commitment(secret)
    for number in range(1, CHAIN + 1):
        seed = hand_seed(secret, number)
        assert proves(seed, before)
        assert not proves(seed, seed)
        before = seed
    assert before == secret.hex()


@pytest.mark.parametrize("seed", ["xyz", "é", "0"])
def test_what_is_no_seed_proves_nothing(seed: str) -> None:
    assert not proves(seed, "00" * 32)


def test_a_word_that_would_favour_some_numbers_is_passed_over() -> None:
    numbers = _Numbers(b"key")
    numbers._words = iter([2**64 - 1, 2**64 - 2, 10])
    assert numbers.below(2**64 - 2) == 10


def test_another_nonce_deals_another_hand() -> None:
    cards, seed = RuleSet.resolve(None, 4).worked_out.cards, "ab" * 32
    orders = {shuffled(cards, seed, nonces) for nonces in [[""] * 4, ["a", "", "", ""], ["", "a", "", ""]]}
    assert len(orders) == 3
    assert all(Counter(order) == Counter(cards) for order in orders)
