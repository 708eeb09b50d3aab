"""The tables of the rule book (docs/rules.md) say what the code does."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from rules.ruleset import PRESETS, Options, RuleSet, preset_options
from rules.worth import worth_of_cards
from tests.rules.positions import cards, rules_for

BOOK = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()


def table(section: str) -> list[list[str]]:
    """The rows of the first table of a section."""
    text = BOOK.partition(f"\n## {section}")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    assert len(rows) > 2, section
    return rows[2:]


def value(text: str) -> object:
    """An option's value as the book writes it."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


@pytest.mark.parametrize("row", table("Packs"), ids=" ".join)
def test_decks(row: list[str]) -> None:
    packs, players, added, removed, count, each, leads, points = row
    rules = rules_for(int(players), packs=int(packs))
    deck, worth = rules.worked_out, worth_of_cards(False, False, "off")
    assert (deck.added, deck.removed, deck.low_card) == (cards(added), cards(removed), *cards(leads))
    assert (len(deck.cards), deck.each) == (int(count), int(each))
    assert sum(worth.get(card, 0) for card in deck.cards) == int(points)


def test_every_option_is_in_the_book_with_its_default() -> None:
    rows = {name.strip("`"): values for name, values, _ in table("Options")}
    elsewhere = set(re.findall(r"`(packs|players|deck|kitty_to)\b", BOOK))
    assert rows.keys() | elsewhere == {*Options.__struct_fields__, "players"}
    one, two = RuleSet.resolve(None, 4), RuleSet.resolve(None, 8)
    for name, values in rows.items():
        for default in re.findall(r"\*\*(\w+)\*\*", values):
            rules = two if name == "pass_count" else one
            assert getattr(rules, name) == value(default), name


def test_every_preset_is_in_the_book_with_what_differs() -> None:
    rows = {name.partition("`")[2].partition("`")[0]: (packs, differs) for name, packs, differs in table("Presets")}
    assert list(rows) == list(PRESETS)
    for name, (packs, differs) in rows.items():
        told = {} if differs == "-" else dict(setting.split(" ") for setting in differs.split(", "))
        expected = {"packs": int(packs.split(" ")[0])} | {field: value(text) for field, text in told.items()}
        assert msgspec.to_builtins(preset_options(name)) == expected, name
