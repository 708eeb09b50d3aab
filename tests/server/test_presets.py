"""The presets as the API shows them."""

import msgspec
import pytest

from rules.ruleset import PRESETS, RuleSet, RuleSetError, preset_players
from server.presets import DeckView, PresetTable, deck_view, preset_list, preset_table, preset_view

TABLES = [(preset, players) for preset in PRESETS for players in preset_players(preset)]


def as_json(value: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(value))


def test_list_has_every_preset_with_one_sentence() -> None:
    listed = preset_list().presets
    assert [preset.name for preset in listed] == list(PRESETS)
    for preset in listed:
        assert preset.description.endswith(".")
        assert preset.description.count(".") == 1


def test_every_size_has_exactly_one_default() -> None:
    sizes = [players for preset in preset_list().presets for players in preset.default_for]
    assert sorted(sizes) == list(range(3, 12))


def test_a_preset_tells_only_what_differs() -> None:
    assert as_json(preset_view("cancellation")) == {
        "name": "cancellation",
        "description": "Two packs for five to eleven players: two equal cards in a trick cancel each other.",
        "packs": 2,
        "players": [5, 6, 7, 8, 9, 10, 11],
        "default_for": [5, 6, 7, 8, 9, 10, 11],
        "differs": {},
    }
    assert as_json(preset_view("bicycle").differs) == {
        "deck": "kitty",
        "first_lead": "dealers_left",
        "pass_count": 0,
    }


@pytest.mark.parametrize(("preset", "players"), TABLES)
def test_a_table_is_worked_out_from_its_rule_set(preset: str, players: int) -> None:
    table = preset_table(preset, players)
    rules = RuleSet.resolve(preset, players)
    deck = table.deck
    assert table.rules == rules
    assert deck.cards == deck.each * players + deck.kitty == 52 * rules.packs + len(deck.added) - len(deck.removed)
    assert [hand.offset for hand in table.passes] == (list(rules.pass_cycle) if rules.pass_size else [0])
    assert {hand.count for hand in table.passes if hand.offset} <= {table.pass_count}
    assert all((hand.to == "hold") == (hand.offset == 0) == (hand.count == 0) for hand in table.passes)
    assert table.leads.card == (deck.low_card if rules.first_lead == "low_card" else None)


def test_eight_players_with_two_packs_in_full() -> None:
    answer = as_json(preset_table("cancellation", 8))
    assert isinstance(answer, dict)
    assert answer["deck"] == {
        "cards": 104,
        "each": 13,
        "added": ["JK"],
        "removed": ["2C"],
        "low_card": "JK",
        "points": 52,
        "kitty": 0,
    }
    assert answer["leads"] == {
        "by": "low_card",
        "card": "JK",
        "words": "Whoever holds JK after the pass leads it.",
    }
    assert answer["pass_count"] == 3
    assert answer["passes"][2] == {"hand": 3, "offset": 2, "count": 3, "to": "2 to the left"}
    assert answer["passes"][-2:] == [
        {"hand": 7, "offset": 4, "count": 3, "to": "across"},
        {"hand": 8, "offset": 0, "count": 0, "to": "hold"},
    ]
    assert answer["moon_value"] == 52


def test_without_a_pass_the_cycle_is_one_hold_hand() -> None:
    table = preset_table("bicycle", 7)
    assert [(hand.hand, hand.offset, hand.count, hand.to) for hand in table.passes] == [(1, 0, 0, "hold")]
    assert table.leads.by == "dealers_left"


@pytest.mark.parametrize(
    ("preset", "players", "options", "deck"),
    [
        ("classic", 5, {}, (50, 10, "2D 2S", "2C", 26, 0)),
        ("omnibus", 4, {}, (52, 13, "", "2C", 16, 0)),
        ("hooligan", 4, {}, (52, 13, "", "2C", 33, 0)),
        ("black_maria", 4, {}, (52, 13, "", "2C", 43, 0)),
        ("triple", 11, {"omnibus": "TD"}, (154, 14, "2C 2C", "2C", 48, 0)),
        ("bicycle", 11, {}, (104, 9, "", None, 52, 5)),
    ],
)
def test_deck_view(
    preset: str, players: int, options: dict[str, str], deck: tuple[int, int, str, str | None, int, int]
) -> None:
    cards, each, removed, low_card, points, kitty = deck
    found = deck_view(RuleSet.resolve(preset, players, options))
    assert isinstance(found, DeckView)
    assert as_json(found) == {
        "cards": cards,
        "each": each,
        "added": [],
        "removed": removed.split(),
        "low_card": low_card,
        "points": points,
        "kitty": kitty,
    }


def test_an_unknown_preset_is_refused() -> None:
    for call in (lambda: preset_view("whist"), lambda: preset_table("whist", 8)):
        with pytest.raises(RuleSetError) as refused:
            call()
        assert refused.value.field == "preset"


@pytest.mark.parametrize(("preset", "players"), [("classic", 9), ("cancellation", 4), ("triple", 8), ("classic", 99)])
def test_a_size_it_cannot_be_played_at_is_refused(preset: str, players: int) -> None:
    with pytest.raises(RuleSetError) as refused:
        preset_table(preset, players)
    assert refused.value.field == "players"


def test_the_answers_have_a_schema() -> None:
    msgspec.json.schema(PresetTable)
