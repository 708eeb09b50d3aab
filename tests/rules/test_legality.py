"""Which cards may be played: the points where a reader of the rule book may hesitate."""

from typing import Any

import pytest

from rules.events import HeartsBroken
from rules.legality import legal_cards, why_not
from tests.rules.positions import play, position, refused, rules_for, taken

LATER = [taken(0, "2C")]


def legal(state: Any) -> str:
    return " ".join(card.value for card in legal_cards(state, state.hand.turn))


def test_the_low_card_leads_the_first_trick() -> None:
    state = position(rules_for(4), ["2C 3C QS", "", "", ""])
    assert legal(state) == "2C"
    assert refused(state, "3C") == "must_lead_low_card"
    assert refused(state, "AH") == "card_not_held"


def test_the_joker_is_the_low_card_where_it_is_in_the_deck() -> None:
    state = position(rules_for(8), ["JK 2C AC", *[""] * 7])
    assert legal(state) == "JK"


def test_the_joker_follows_and_leads_as_a_club() -> None:
    rules = rules_for(8)
    follower = position(rules, ["", "JK 3D", *[""] * 6], trick="9C", earlier=LATER)
    assert legal(follower) == "JK"
    led = position(rules, ["", "4C 3D", *[""] * 6], trick="JK", earlier=LATER)
    assert legal(led) == "4C"
    assert refused(led, "3D") == "must_follow_suit"


@pytest.mark.parametrize(
    ("options", "hand", "expected"),
    [
        ({}, "3D QS 4H", "3D"),
        ({}, "QS 4H", "QS 4H"),
        ({}, "KS AS 4H", "KS AS"),
        ({"dame_de_pique": True}, "KS AS 4H 3D", "3D"),
        ({"dame_de_pique": True}, "KS AS 4H", "KS AS 4H"),
        ({"hooligan": True}, "7C 3C 4H", "3C"),
        ({"hooligan": True}, "7C 4H", "7C 4H"),
        ({"omnibus": "JD"}, "JD 4H", "JD"),
        ({"omnibus": "TD"}, "JD TD QS", "TD JD"),
        ({"first_trick_points": True}, "3D QS 4H", "3D QS 4H"),
    ],
)
def test_first_trick_bar_for_a_void_player(options: dict[str, Any], hand: str, expected: str) -> None:
    """Spades are led, or clubs where the hand holds spades, and the player is void in them."""
    led = "2C" if "S" in hand else "9S"
    if "C" in hand:
        led = "9D"
    state = position(rules_for(4, first_lead="dealers_left", **options), ["", hand, "", ""], trick=led)
    assert legal(state) == expected
    for face in set(hand.split()) - set(expected.split()):
        assert refused(state, face) == "points_on_first_trick"


@pytest.mark.parametrize(
    ("options", "hand", "expected"),
    [
        ({}, "3D QS 4H", "3D"),
        ({}, "2H QS 4H", "QS"),
        ({}, "2H 4H", "2H 4H"),
        ({"hearts_must_break": False}, "2H QS", "QS 2H"),
        ({"hearts_must_break": False}, "2H 2D", "2D"),
        ({"dame_de_pique": True}, "AS 2H 3S", "3S"),
        ({"dame_de_pique": True}, "AS 2H", "AS"),
        ({"hooligan": True}, "7C 2H 2D", "2D"),
        ({"hooligan": True}, "7C 2H", "7C"),
        ({"omnibus": "JD"}, "JD 2H QS", "JD"),
        ({"first_trick_points": True}, "QS 2H 2D", "2D QS"),
    ],
)
def test_first_trick_bar_for_the_leader(options: dict[str, Any], hand: str, expected: str) -> None:
    state = position(rules_for(4, first_lead="dealers_left", **options), [hand, "", "", ""])
    assert legal(state) == expected


def test_penalty_cards_follow_suit_on_the_first_trick() -> None:
    state = position(rules_for(4, first_lead="dealers_left"), ["", "QS AS", "", ""], trick="2S")
    assert legal(state) == "QS AS"
    state = position(rules_for(4, hooligan=True), ["", "7C 2D", "", ""], trick="2C")
    assert legal(state) == "7C"


def test_a_cancelled_first_trick_was_the_first_trick() -> None:
    rules = rules_for(6, first_lead="dealers_left")
    state = position(rules, ["2D QS", *["3D 3D"] * 5], earlier=[taken(None, "2C 2C")])
    assert legal(state) == "2D QS"


def test_hearts_may_be_led_once_broken_or_from_hearts_alone() -> None:
    rules = rules_for(4)
    assert legal(position(rules, ["3D 4H", "", "", ""], earlier=LATER)) == "3D"
    assert refused(position(rules, ["3D 4H", "", "", ""], earlier=LATER), "4H") == "hearts_not_broken"
    assert legal(position(rules, ["3H 4H", "", "", ""], earlier=LATER)) == "3H 4H"
    assert legal(position(rules, ["3D 4H", "", "", ""], earlier=LATER, broken=True)) == "3D 4H"
    assert legal(position(rules_for(4, hearts_must_break=False), ["3D 4H", "", "", ""], earlier=LATER)) == "3D 4H"


def test_the_queen_must_be_led_from_hearts_and_her() -> None:
    state = position(rules_for(4), ["3H 4H QS", "", "", ""], earlier=LATER)
    assert legal(state) == "QS"
    assert refused(state, "3H") == "hearts_not_broken"
    assert legal(position(rules_for(8), ["3H QS QS", *[""] * 7], earlier=LATER)) == "QS"


def test_hearts_break_when_one_is_played_in_any_way() -> None:
    rules = rules_for(6)
    led, events = play(position(rules, ["3H 4H", *["2D 3D"] * 5], earlier=LATER), "3H")
    assert HeartsBroken(0) in events
    assert led.hand is not None
    assert led.hand.hearts_broken
    hands = ["3D 3D", "3D 2C", "4D 2C", "4D 2C", "6H 2C", "5S 2C"]
    cancelled, events = play(position(rules, hands, earlier=LATER), "3D 3D 4D 4D 6H 5S")
    assert HeartsBroken(4) in events
    assert cancelled.hand is not None
    assert cancelled.hand.tricks[-1].taker is None
    assert legal(cancelled) == "3D"


@pytest.mark.parametrize(("breaks", "expected"), [(False, ""), (True, "queen")])
def test_the_queen_breaks_hearts_only_by_the_option(breaks: bool, expected: str) -> None:
    rules = rules_for(4, queen_breaks_hearts=breaks)
    _, events = play(position(rules, ["QS 3H", *["2D 3D"] * 3], earlier=LATER), "QS")
    assert ("queen" if HeartsBroken(0) in events else "") == expected


def test_no_event_breaks_hearts_twice() -> None:
    state, _ = play(position(rules_for(4), ["3H 4H", "5H 6H", "7H 2C", "8H 2C"], earlier=LATER), "3H")
    _, events = play(state, "5H 7H 8H")
    assert not [event for event in events if isinstance(event, HeartsBroken)]


def test_copies_are_offered_once() -> None:
    state = position(rules_for(8), ["9C 9C 2D", *[""] * 7], earlier=LATER)
    assert legal(state) == "9C 2D"


def test_revoking_is_accepted_for_its_penalty_and_other_bars_stay() -> None:
    rules = rules_for(4, revoke="penalty")
    state = position(rules, ["", "3C 2D 4H", "", ""], trick="9C", earlier=LATER)
    assert legal(state) == "3C"
    assert refused(state, "4H") == ""
    state, _ = play(state, "2D")
    assert state.hand is not None
    assert state.hand.revoked == (1,)
    first = position(rules, ["", "3C 2D 4H QS", "", ""], trick="2C")
    assert refused(first, "2D") == ""
    assert refused(first, "4H") == "points_on_first_trick"
    assert refused(first, "QS") == "points_on_first_trick"
    assert {card.value: bar for card, bar in why_not(first, 1).items()} == {
        "2D": "must_follow_suit",  # the one of the three that would be accepted
        "4H": "points_on_first_trick",
        "QS": "points_on_first_trick",
    }
    free = position(rules_for(4, revoke="penalty", first_trick_points=True), ["", "3C 4H", "", ""], trick="2C")
    assert refused(free, "4H") == ""
    void = position(rules, ["", "4H QS", "", ""], trick="2C")
    assert refused(void, "QS") == ""
    assert refused(position(rules, ["2D 4H", "", "", ""], earlier=LATER), "4H") == "hearts_not_broken"
    assert refused(position(rules, ["2C 4C", "", "", ""]), "4C") == "must_lead_low_card"


def test_a_revoke_of_penalty_cards_alone_is_no_points_on_the_first_trick() -> None:
    """Who holds nothing but penalty cards may fail to follow suit with any of them."""
    rules = rules_for(4, revoke="penalty", first_lead="dealers_left", hooligan=True)
    state = position(rules, ["", "7C 4H", "", ""], trick="2C")
    assert legal(state) == "7C"
    assert refused(state, "4H") == ""


def test_nobody_else_may_play() -> None:
    state = position(rules_for(4), ["2C", "3C", "4C", "5C"])
    assert legal_cards(state, 1) == ()
