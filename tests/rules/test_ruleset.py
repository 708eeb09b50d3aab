"""Rule sets: presets, options, and combinations that make no sense, named with their reason."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from rules.cards import Card
from rules.ruleset import PRESETS, Options, RuleSet, RuleSetError, default_preset, preset_players, rotation
from tests.rules.positions import cards, rules_for

TABLE = """
1  3 - 2D             51 17 2C
1  4 - -              52 13 2C
1  5 - 2D,2S          50 10 2C
1  6 - 2D,2S,3C,3D    48  8 2C
1  7 - 2D,2S,3C       49  7 2C
1  8 - 2D,2S,3C,3D    48  6 2C
2  5 JK -            105 21 JK
2  6 - 2C,2D         102 17 2C
2  7 JK -            105 15 JK
2  8 JK 2C           104 13 JK
2  9 - 2C,2D,2D,2S,2S 99 11 2C
2 10 - 2C,2D,2D,2S   100 10 2C
2 11 - 2C,2D,2D,2S,2S 99  9 2C
3 11 - 2C,2C         154 14 2C
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_deck(row: str) -> None:
    packs, players, added, removed, count, each, low = row.split()
    deck = rules_for(int(players), packs=int(packs)).worked_out
    more, less = (cards(faces.replace(",", " ").replace("-", "")) for faces in (added, removed))
    assert (deck.added, deck.removed) == (more, less)
    assert (len(deck.cards), deck.each, deck.kitty) == (int(count), int(each), 0)
    assert deck.low_card is cards(low)[0]
    assert deck.cards.count(deck.low_card) == 1
    expected = Counter({card: int(packs) for card in Card if card is not Card.JK})
    expected.update(more)
    expected.subtract(less)
    assert Counter(deck.cards) == +expected


@pytest.mark.parametrize("players", range(5, 12))
def test_kitty_deck(players: int) -> None:
    deck = RuleSet.resolve("bicycle", players).worked_out
    assert len(deck.cards) == 104
    assert (deck.each, deck.kitty) == divmod(104, players)
    assert (deck.low_card, deck.added, deck.removed) == (None, (), ())


def test_defaults() -> None:
    one = RuleSet.resolve(None, 4)
    assert msgspec.to_builtins(one) == {
        "players": 4,
        "packs": 1,
        "deck": "exact",
        "kitty_to": "first_trick",
        "first_lead": "low_card",
        "first_trick_points": False,
        "hearts_must_break": True,
        "queen_breaks_hearts": False,
        "duplicates": "cancel",
        "triples": "all",
        "cancelled_trick": "carry",
        "last_cancelled_trick": "leader",
        "pass_count": 3,
        "pass_cycle": (1, -1, 2, 0),
        "moon": "add",
        "omnibus": "off",
        "hooligan": False,
        "dame_de_pique": False,
        "target": 100,
        "hands": None,
        "tie": "share",
        "revoke": "refuse",
        "end_when_no_points": False,
    }
    two = RuleSet.resolve(None, 5)
    assert (two.packs, two.pass_count, two.pass_cycle) == (2, "quarter", (1, -1, 2, -2, 0))
    assert RuleSet.resolve(None, 7, {"packs": 1}).pass_cycle == (1, -1, 0)
    assert RuleSet.resolve(None, 4, {"pass_cycle": "rotate"}).pass_cycle == (1, -1, 2, 0)


def test_presets() -> None:
    assert list(PRESETS) == [
        *["classic", "cancellation", "triple", "guts", "bicycle", "black_maria", "omnibus", "hooligan"]
    ]
    base = {1: RuleSet.resolve(None, 4), 2: RuleSet.resolve(None, 8), 3: RuleSet.resolve("triple", 11)}
    expected: dict[str, dict[str, Any]] = {
        "classic": {},
        "cancellation": {},
        "triple": {},
        "guts": {"first_lead": "dealers_left", "hearts_must_break": False},
        "bicycle": {"deck": "kitty", "first_lead": "dealers_left", "pass_count": 0},
        "black_maria": {"dame_de_pique": True},
        "omnibus": {"omnibus": "JD"},
        "hooligan": {"hooligan": True},
    }
    for preset, differs in expected.items():
        players = {"triple": 11, "cancellation": 8, "guts": 8, "bicycle": 8}.get(preset, 4)
        rules = RuleSet.resolve(preset, players)
        assert rules == msgspec.structs.replace(base[rules.packs], **differs)


def test_who_can_play_what() -> None:
    assert [default_preset(players) for players in range(3, 12)] == ["classic"] * 2 + ["cancellation"] * 7
    assert preset_players("classic") == tuple(range(3, 9))
    assert preset_players("cancellation") == preset_players("guts") == preset_players("bicycle") == tuple(range(5, 12))
    assert preset_players("triple") == (11,)
    for preset in PRESETS:
        for players in preset_players(preset):
            RuleSet.resolve(preset, players)


@pytest.mark.parametrize(
    ("players", "cycle"),
    [
        (3, (1, -1, 0)),
        (4, (1, -1, 2, 0)),
        (5, (1, -1, 2, -2, 0)),
        (8, (1, -1, 2, -2, 3, -3, 4, 0)),
        (11, (1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 0)),
    ],
)
def test_rotation(players: int, cycle: tuple[int, ...]) -> None:
    assert rotation(players) == cycle


@pytest.mark.parametrize(
    ("players", "options", "size"),
    [
        *[(players, {}, size) for players, size in zip(range(5, 12), [5, 4, 3, 3, 2, 2, 2], strict=True)],
        (11, {"packs": 3}, 3),
        *[(players, {"packs": 1}, 3) for players in range(3, 9)],
        (8, {"packs": 1, "pass_count": 5}, 3),
        (8, {"packs": 1, "pass_count": "quarter"}, 1),
        (7, {"packs": 1, "pass_count": 5}, 3),
        (6, {"packs": 1, "pass_count": 5}, 4),
        (11, {"pass_count": 5}, 4),
        (4, {"pass_count": 1}, 1),
    ],
)
def test_never_more_than_half_the_hand_is_passed(players: int, options: dict[str, Any], size: int) -> None:
    assert rules_for(players, **options).pass_size == size


def test_hands_use_the_cycle_in_turn() -> None:
    rules = rules_for(4, pass_cycle=[3, -2, 0])
    assert [rules.pass_offset(number) for number in range(1, 8)] == [3, -2, 0, 3, -2, 0, 3]
    assert rules_for(4, pass_count=0).pass_offset(1) == 0


def test_hands_take_the_place_of_the_target() -> None:
    assert (rules_for(4, hands=3).target, rules_for(4, hands=3).hands) == (None, 3)
    assert rules_for(4, hands=3, target=None).hands == 3
    assert rules_for(4, target=50, hands=None).target == 50


@pytest.mark.parametrize(
    ("preset", "players", "options", "field", "says"),
    [
        (None, 2, {}, "players", "3 to 11"),
        (None, 12, {}, "players", "3 to 11"),
        ("whist", 4, {}, "preset", "whist"),
        ("classic", 9, {}, "players", "3 to 8"),
        ("cancellation", 4, {}, "players", "5 to 11"),
        ("triple", 5, {}, "players", "11 can play"),
        (None, 5, {"packs": 3}, "packs", "11 can play"),
        (None, 4, {"packs": 2}, "packs", "5 to 11"),
        (None, 5, {"packs": 4}, "packs", "expected a whole number from 1 to 3; got 4"),
        (None, 4, {"deck": "kitty", "first_lead": "dealers_left"}, "deck", "two packs"),
        ("bicycle", 4, {}, "players", "5 to 11"),
        (None, 6, {"deck": "kitty"}, "first_lead", "dealers_left"),
        ("bicycle", 6, {"first_lead": "low_card"}, "first_lead", "dealers_left"),
        (None, 4, {"target": None}, "target", "never end"),
        (None, 4, {"target": None, "hands": None}, "target", "never end"),
        (None, 4, {"target": 50, "hands": 2}, "target", "null"),
        (None, 4, {"target": 0}, "target", "expected null or a whole number from 1 to 1000; got 0"),
        (None, 4, {"target": 1001}, "target", "got 1001"),
        (None, 4, {"hands": 100}, "hands", "expected null or a whole number from 1 to 99; got 100"),
        (None, 4, {"pass_count": 6}, "pass_count", "expected quarter or a whole number from 0 to 5; got 6"),
        (None, 4, {"pass_count": "half"}, "pass_count", 'got "half"'),
        (None, 4, {"pass_cycle": []}, "pass_cycle", "expected rotate or a list of 1 to 64 whole numbers; got []"),
        (None, 4, {"pass_cycle": [1, "2"]}, "pass_cycle", 'got [1, "2"]'),
        (None, 4, {"pass_cycle": [[1], [2]]}, "pass_cycle", "got a list of 2"),
        (None, 4, {"pass_cycle": [4]}, "pass_cycle", "-3 to 3"),
        (None, 4, {"pass_cycle": [-4]}, "pass_cycle", "-3 to 3"),
        (None, 4, {"moon": "maybe"}, "moon", 'expected add, auto, choice, off or subtract; got "maybe"'),
        (None, 4, {"moon": {"never": 1}}, "moon", "got an object"),
        (None, 4, {"moon": "x" * 99}, "moon", "x..."),
        (None, 4, {"hooligan": 1}, "hooligan", "expected true or false; got 1"),
        (None, 4, {"weather": "fine"}, "weather", "no such option"),
        (None, 4, {"players": 5}, "players", "own 4; got 5"),
    ],
)
def test_what_makes_no_sense_is_refused(
    preset: str | None, players: int, options: dict[str, Any], field: str, says: str
) -> None:
    with pytest.raises(RuleSetError) as refused:
        RuleSet.resolve(preset, players, options)
    assert refused.value.field == field
    assert says in refused.value.detail
    assert str(refused.value) == f"{field}: {refused.value.detail}"


def test_options_may_come_as_a_struct_or_with_the_players() -> None:
    expected = RuleSet.resolve(None, 4, {"moon": "off"})
    assert RuleSet.resolve(None, 4, Options(moon="off")) == expected
    assert RuleSet.resolve(None, 4, {"moon": "off", "players": 4}) == expected
    assert RuleSet.resolve(None, 4, Options()) == RuleSet.resolve(None, 4)


def test_a_rule_set_reads_back() -> None:
    for preset in PRESETS:
        rules = RuleSet.resolve(preset, preset_players(preset)[-1])
        assert rules.worked_out
        assert msgspec.json.decode(msgspec.json.encode(rules), type=RuleSet) == rules
        everything = msgspec.to_builtins(rules)
        del everything["players"]
        assert RuleSet.resolve("classic", rules.players, everything) == rules
