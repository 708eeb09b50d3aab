from typing import Any

import pytest

from client_cli.announce import Announcer, hint_sentence
from client_cli.look import Look
from client_cli.model import View
from tests.client_cli import scenes


def announcer(view: View | None = None, **rules: Any) -> Announcer:
    view = view or scenes.phase(8, "over")
    view.table.rules = {"duplicates": "cancel", "triples": "all", **rules}
    made = Announcer()
    made.see(view, anew=True)
    return made


def told(made: Announcer, *events: tuple[str, dict[str, Any]]) -> list[str]:
    return [" ".join(made.sentences(kind, data)) for kind, data in events]


def played(seat: int, card: str, by: str = "human") -> tuple[str, dict[str, Any]]:
    return "played", {"seat": seat, "card": card, "by": by, "turn": 0}


def test_a_trick_with_twins() -> None:
    assert told(announcer(), played(1, "9C"), played(0, "9C"), played(3, "9D"), played(5, "9D")) == [
        "Grace Hopper leads the nine of clubs.",
        "You play the nine of clubs. It meets its twin from Grace Hopper: both are cancelled.",
        "Emmy discards the nine of diamonds.",
        "Sofia K discards the nine of diamonds.",
    ]


def test_my_own_twin() -> None:
    assert told(announcer(), played(0, "JK"), played(3, "JK"))[1].endswith("twin from you: both are cancelled.")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({}, "It is the third of its kind: all three are cancelled."),
        ({"triples": "pair"}, "It is the third of its kind and stands; the other two are cancelled."),
    ],
)
def test_triples(rules: dict[str, str], said: str) -> None:
    made = announcer(**rules)
    assert said in told(made, played(1, "9C"), played(2, "9C"), played(3, "9C"))[2]


def test_where_the_later_card_wins_nothing_cancels() -> None:
    made = announcer(duplicates="later_wins")
    assert told(made, played(1, "9C"), played(2, "9C"))[1] == "Blaise plays the nine of clubs."


def test_a_view_in_place_of_events_brings_the_trick_on_the_table() -> None:
    view = scenes.playing(8)
    assert view.hand is not None
    view.hand.trick = view.hand.trick[:2]
    made = announcer(view)
    assert "twin from Blaise" in told(made, played(3, "TC"))[0]


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("player_joined", {"seat": 1, "name": "Eve\x1b[2J"}, "Eve[2J takes seat 2."),
        ("player_left", {"seat": 1}, "Grace Hopper leaves seat 2."),
        ("seat_changed", {"seat": 1, "kind": "bot", "name": "Bruno"}, "Bruno, a bot, takes seat 2."),
        ("seat_changed", {"seat": 1, "kind": "none"}, "Seat 2 is free."),
        ("seat_changed", {"seat": 1, "connected": False}, ""),
        ("host_changed", {"seat": None}, ""),
        ("host_changed", {"seat": 1}, "Grace Hopper is the host now."),
        (
            "dealt",
            {"number": 4, "dealer": 1, "pass": None, "leader": 2},
            "Hand 4 is dealt; Grace Hopper is the dealer. A hold hand: nobody passes. Blaise leads.",
        ),
        ("passed", {"seat": 0, "cards": ["QS"], "by": "human"}, "You pass the queen of spades."),
        ("exchanged", {"leader": 0, "received": None}, "The passed cards change hands. You lead."),
        (
            "played",
            {"seat": 0, "card": "QS", "by": "timeout"},
            "You lead the queen of spades. The time was out: the server played for that seat.",
        ),
        (
            "trick_cancelled",
            {"leader": 0, "cancelled": ["9C"]},
            "Every card of the led suit is cancelled: nobody takes the trick, it is carried over. You lead.",
        ),
        ("moon_shot", {"shooter": 0, "scored": None}, "You shot the moon!"),
        (
            "moon_shot",
            {"shooter": 1, "scored": "subtract"},
            "Grace Hopper shot the moon! It counts so: the points are taken off the shooter's score.",
        ),
        ("turn_warning", {"seats": [0, 3], "deadline": ""}, "Hurry: your time is nearly out."),
        ("turn_warning", {"seats": [3], "deadline": ""}, ""),
        ("controller_changed", {"seat": 1, "controller": "bot", "reason": "absent"}, "A bot plays for Grace Hopper."),
        ("controller_changed", {"seat": 1, "controller": "human", "reason": "back"}, "Grace Hopper is back and plays."),
        ("said", {"seat": 1, "reaction": "👏"}, "Grace Hopper: 👏"),
        ("rematch", {"seat": None, "agreed": [0], "next_table": "ABC"}, "The next game is at table ABC."),
        ("closed", {"reason": "host"}, "The table is closed."),
        ("game_over", {"winners": [], "totals": [], "reason": "closed"}, "The game is over: the table was closed."),
        (
            "game_over",
            {"winners": [1], "totals": [], "reason": "target"},
            "The game is over (somebody reached the target). The winner is Grace Hopper.",
        ),
        ("seed_revealed", {"number": 1, "seed": "00"}, ""),
        ("an_event_of_tomorrow", {}, ""),
    ],
)
def test_sentences(kind: str, data: dict[str, Any], said: str) -> None:
    assert told(announcer(), (kind, data)) == [said]


@pytest.mark.parametrize("kind", ["dealt", "played", "trick_taken", "hand_scored", "said", "moon_shot", "game_over"])
@pytest.mark.parametrize("data", [{}, {"seat": "x", "card": 3}, {"seat": 1, "card": "??"}, {"scores": 3, "number": 1}])
def test_malformed_events_never_stop_it(kind: str, data: dict[str, Any]) -> None:
    announcer().sentences(kind, data)


def test_short_cards_for_the_screen() -> None:
    made = Announcer(Look().card)
    made.see(scenes.playing(8), anew=True)
    assert made.sentences(*played(3, "TH")) == ["Emmy discards 10♥."]


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (
            {"card": "QS", "reason": "duck", "why": "x"},
            "Hint: QS. It stays under the winning card, and is the highest that does.",
        ),
        ({"cards": ["QS", "AS"], "card": None, "reason": "new", "why": "Because."}, "Hint: QS and AS. Because."),
        ({"choice": "add", "cards": None, "card": None}, "Hint: add."),
    ],
)
def test_hints(hint: dict[str, Any], said: str) -> None:
    assert hint_sentence(hint, str) == said
