import re

import pytest

from client_cli.cards import parse_card, parse_choice, parse_choices, sort_hand, suit_of


@pytest.mark.parametrize(
    ("typed", "card"),
    [
        ("qs", "QS"),
        ("QS", "QS"),
        (" 10h ", "TH"),
        ("th", "TH"),
        ("10♥", "TH"),
        ("♠Q", "QS"),
        ("Q♠\ufe0f", "QS"),
        ("s q", None),
        ("jk", "JK"),
        ("joker", "JK"),
        ("comodín", "JK"),
        ("jh", "JH"),
        ("1h", None),
        ("q", None),
        ("", None),
        ("qqs", None),
        ("0", None),
    ],
)
def test_cards_are_read_as_people_write_them(typed: str, card: str | None) -> None:
    if card is None:
        with pytest.raises(ValueError, match=f"^{re.escape(typed.strip())}$"):
            parse_card(typed)
    else:
        assert parse_card(typed) == card


def test_a_number_is_a_place_in_the_hand() -> None:
    hand = ["2C", "QS", "TH"]
    assert parse_choice("3", hand) == "TH"
    assert parse_choice("10h", hand) == "TH"
    for outside in ("0", "4", "10"):
        with pytest.raises(ValueError, match=outside):
            parse_choice(outside, hand)


def test_several_cards_are_apart_by_spaces_or_commas() -> None:
    assert parse_choices("qs, 10h 1", ["2C"]) == ["QS", "TH", "2C"]


def test_the_hand_is_sorted_by_suit_with_the_joker_as_lowest_club() -> None:
    assert sort_hand(["AH", "QS", "2C", "JK", "2C", "TD", "AC"]) == ["JK", "2C", "2C", "AC", "TD", "QS", "AH"]
    assert suit_of("JK") == "C"
