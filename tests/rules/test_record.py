"""Records: written from events, read back, replayed, and every kind of damage told with its place."""

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest

from rules.commands import Close
from rules.record import RecordError, read
from rules.replay import check_json
from rules.ruleset import RuleSet
from tests.rules.playing import SEED, Game, tables

Json = dict[str, Any]


def game(players: int, hands: int = 2, **options: Any) -> Game:
    return Game(RuleSet.resolve(None, players, options), Random(SEED)).play(hands)


@cache
def _written(players: int, hands: int, options: str) -> bytes:
    return msgspec.json.encode(game(players, hands, **json.loads(options)).record())


def written(players: int = 4, hands: int = 2, **options: Any) -> Json:
    record: Json = json.loads(_written(players, hands, json.dumps(options)))
    return record


def differences(record: object) -> list[str]:
    return [difference.where for difference in check_json(json.dumps(record))]


@pytest.mark.parametrize("rules", tables(), ids=lambda rules: f"{rules.packs}-{rules.players}")
def test_a_true_record_has_no_differences(rules: RuleSet) -> None:
    record = Game(rules, Random(SEED)).play(2).record()
    data = msgspec.json.encode(record)
    assert read(data) == record
    assert check_json(data) == []


@pytest.mark.parametrize("moon", ["add", "subtract", "choice", "auto"])
def test_a_shot_moon_is_in_the_record(moon: str) -> None:
    rules = RuleSet.resolve(None, 3, {"moon": moon, "first_trick_points": True, "target": 1000})
    for seed in range(SEED, SEED + 3000):
        played = Game(rules, Random(seed)).play(1)
        if played.state.results[0].moon:
            break
    record = json.loads(msgspec.json.encode(played.record()))
    assert record["hands"][0]["moon"] is not None
    assert differences(record) == []
    record["hands"][0]["moon"] = None
    assert "hands[0].moon" in differences(record)


def test_finished_hands_only_and_no_seed_of_a_hand_in_play() -> None:
    played = game(4, 1)
    for _ in range(9):
        played.do(*played.allowed())
    assert played.state.hand is not None
    assert played.state.hand.number == 2
    record = played.record()
    assert [hand.number for hand in record.hands] == [1]
    assert record.result is None
    data = msgspec.json.encode(record)
    assert played.state.hand.seed.encode() not in data
    assert check_json(data) == []


def test_a_closed_game_keeps_its_finished_hands() -> None:
    played = game(5, 1)
    played.do(*played.allowed())
    played.do(None, Close())
    record = json.loads(msgspec.json.encode(played.record()))
    assert record["result"] == {"winners": [], "totals": list(played.state.totals), "reason": "closed"}
    assert differences(record) == []
    record["result"]["winners"] = [0]
    record["result"]["totals"][2] += 1
    assert differences(record) == ["result.winners", "result.totals"]


def test_a_game_without_a_finished_hand_has_a_record() -> None:
    assert differences(written(hands=0)) == []


def change(*path: str | int, to: Any) -> Callable[[Json], None]:
    """Puts `to`, or what it makes of the old value, in place of one value."""

    def damage(record: Json) -> None:
        at: Any = record
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = to(copy.deepcopy(at[path[-1]])) if callable(to) else to

    return damage


def dropped(entries: list[Any]) -> list[Any]:
    return entries[:-1]


def doubled(entries: list[Any]) -> list[Any]:
    return [*entries, entries[-1]]


def turned(entries: list[Any]) -> list[Any]:
    return [*entries[1:], entries[0]]


def more(number: int) -> int:
    return number + 1


HAND = ("hands", 1)
TRICK = (*HAND, "tricks", 3)
DAMAGES: list[tuple[Callable[[Json], None], list[str]]] = [
    (change("format", to="hearts-record/2"), ["format"]),
    (change("table", to=7), ["table"]),
    (change("rules", "players", to=5), ["seats", "nonces"]),
    (change("rules", "players", to=99), ["rules.players"]),
    (change("rules", "packs", to=2), ["rules.packs"]),
    (change("rules", "deck", to="kitty"), ["rules.deck"]),
    (change("rules", "moon", to="maybe"), ["rules.moon"]),
    (change("rules", "hands", to=3), ["rules.target"]),
    (change("seats", to=dropped), ["seats"]),
    (change("seats", 0, "kind", to="ghost"), ["seats[0].kind"]),
    (change("nonces", to=doubled), ["nonces"]),
    (change("nonces", 0, to="é"), ["nonces[0]"]),
    (change("commitment", to="00" * 32), ["hands[0].seed"]),
    (change("commitment", to="00"), ["commitment"]),
    (change(*HAND, "number", to=more), ["hands[1].number"]),
    (change(*HAND, "dealer", to=lambda dealer: (dealer + 1) % 4), ["hands[1].dealer"]),
    (change(*HAND, "seed", to="ab" * 32), ["hands[1].seed", *[f"hands[1].deal[{seat}]" for seat in range(4)]]),
    (change(*HAND, "seed", to="xyz"), ["hands[1].seed"]),
    (change(*HAND, "deal", to=dropped), ["hands[1].deal"]),
    (change(*HAND, "deal", 2, to=turned), ["hands[1].deal[2]"]),
    (change(*HAND, "deal", 2, to=dropped), ["hands[1].deal[2]", "hands[1].deal"]),
    (
        change(*HAND, "deal", 2, 0, to=lambda card: "2C" if card != "2C" else "AH"),
        ["hands[1].deal[2]", "hands[1].deal"],
    ),
    (change(*HAND, "kitty", to=["AS"]), ["hands[1].kitty", "hands[1].deal"]),
    (change(*HAND, "pass", to=None), ["hands[1].pass"]),
    (change(*HAND, "pass", "offset", to=2), ["hands[1].pass.offset"]),
    (change(*HAND, "pass", "cards", to=dropped), ["hands[1].pass.cards"]),
    (change(*HAND, "pass", "cards", 1, to=dropped), ["hands[1].pass.cards[1]"]),
    (change(*HAND, "pass", "cards", 1, 0, to="JK"), ["hands[1].pass.cards[1]"]),
    (change(*HAND, "tricks", to=dropped), ["hands[1].tricks"]),
    (change(*HAND, "tricks", to=doubled), ["hands[1].tricks[13]"]),
    (change(*TRICK, "leader", to=lambda seat: (seat + 1) % 4), ["hands[1].tricks[3].leader"]),
    (change(*TRICK, "taker", to=None), ["hands[1].tricks[3].taker"]),
    (change(*TRICK, "taker", to=lambda seat: (seat + 1) % 4), ["hands[1].tricks[3].taker"]),
    (change(*TRICK, "cancelled", to=["AS"]), ["hands[1].tricks[3].cancelled"]),
    (change(*TRICK, "cards_taken", to=more), ["hands[1].tricks[3].cards_taken"]),
    (change(*TRICK, "points", to=more), ["hands[1].tricks[3].points"]),
    (change(*TRICK, "plays", to=dropped), ["hands[1].tricks[3].plays"]),
    (change(*TRICK, "plays", to=doubled), ["hands[1].tricks[3].plays"]),
    (change(*TRICK, "plays", 2, "seat", to=lambda seat: (seat + 1) % 4), ["hands[1].tricks[3].plays[2].seat"]),
    (change(*TRICK, "plays", 2, "card", to="JK"), ["hands[1].tricks[3].plays[2]"]),
    (change(*TRICK, "plays", 2, "card", to="QQ"), ["hands[1].tricks[3].plays[2].card"]),
    (change(*TRICK, "plays", 2, "by", to="ghost"), ["hands[1].tricks[3].plays[2].by"]),
    (change(*HAND, "moon", to={"shooter": 0, "scored": "add"}), ["hands[1].moon"]),
    (change(*HAND, "revoked", to=[1]), ["hands[1].revoked"]),
    (change(*HAND, "scores", 3, to=more), ["hands[1].scores"]),
    (change(*HAND, "totals", 3, to=more), ["hands[1].totals"]),
    (change("hands", to=lambda hands: hands[1:]), ["hands[0].seed", "hands[0].number"]),
    (change("result", to={"winners": [0], "totals": [0, 1, 2, 3], "reason": "target"}), ["result"]),
]


@pytest.mark.parametrize(("damage", "where"), DAMAGES, ids=range(len(DAMAGES)))
def test_damage_is_told_with_its_place(damage: Callable[[Json], None], where: list[str]) -> None:
    record = written()
    damage(record)
    assert differences(record)[: len(where)] == where


def test_a_hold_hand_has_no_pass() -> None:
    record = written(hands=1, pass_count=0)
    record["hands"][0]["pass"] = {"offset": 1, "cards": []}
    assert differences(record) == ["hands[0].pass"]


def test_the_result_of_a_finished_game() -> None:
    record = written(hands=9, target=30)
    assert differences(record) == []
    for damage, where in [
        (change("result", to=None), ["result"]),
        (change("result", "winners", to=[0, 1, 2, 3]), ["result.winners"]),
        (change("result", "reason", to="hands"), ["result.reason"]),
        (change("result", "totals", to=[0, 0, 0, 0]), ["result.totals"]),
        (change("hands", to=doubled), [f"hands[{len(record['hands'])}]"]),
    ]:
        damaged = copy.deepcopy(record)
        damage(damaged)
        assert differences(damaged) == where


def test_unknown_fields_are_passed_over() -> None:
    record = written()
    record["note"] = {"deep": [1]}
    record["hands"][0]["weather"] = "fine"
    record["rules"]["later_option"] = True
    assert differences(record) == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b'"record"',
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"format":' + b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 10_000,
        b'{"format": "\\ud800"}',
        b'{"format": NaN}',
    ],
    ids=lambda data: str(data[:12]),
)
def test_json_that_is_no_record(data: bytes) -> None:
    (difference,) = check_json(data)
    assert difference.where
    assert difference.what
    with pytest.raises(RecordError, match=r".+: .+"):
        read(data)


ODD: list[Any] = [None, True, False, -1, 0, 1, 11, 10**20, 10**4000, 0.5, "", "QS", "add", "\ud800"]
ODD += [[], [[]], ["2C"] * 9, {}, {"seat": 0}]


def places(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """The path of every value within a record, but for those that a record may tell freely."""
    if path and path[-1] not in {"table", "name", "kind", "by"}:
        yield path
    if path == ("rules",):
        return
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, entry in entries:
        yield from places(entry, *path, step)


def parent(record: Json, path: tuple[str | int, ...]) -> Any:
    at: Any = record
    for step in path[:-1]:
        at = at[step]
    return at


@pytest.mark.parametrize("table", [{"players": 4, "hands": 1, "target": 20}, {"players": 11, "hands": 1, "packs": 2}])
def test_no_damage_to_any_value_goes_unnoticed_or_causes_a_traceback(table: Json) -> None:
    record = written(**table)
    random = Random(SEED)
    print("seed", SEED)
    text = json.dumps(record)
    for path in random.sample(list(places(record)), 300):
        damaged = json.loads(text)
        holder = parent(damaged, path)
        for odd in random.sample(ODD, 3):
            told = holder[path[-1]]
            if odd != told:
                holder[path[-1]] = odd
                assert differences(damaged), (path, odd)
                holder[path[-1]] = told
        if path[:-1] != ("hands",):  # a record may end after any hand
            del holder[path[-1]]
            assert differences(damaged), path


def test_odd_rules_never_cause_a_traceback() -> None:
    record = written(hands=1)
    for name in record["rules"]:
        for odd in ODD:
            damaged = copy.deepcopy(record)
            damaged["rules"][name] = odd
            assert isinstance(differences(damaged), list)
