"""Cards: text forms, order and copies."""

import pytest

from rules.cards import FACES, JOKER, Card, CardError, Suit, holds, in_order, parse_card, without
from tests.rules.positions import cards


@pytest.mark.parametrize("card", FACES)
def test_each_face_reads_back(card: Card) -> None:
    text = str(card)
    assert text == card.value == repr(card)
    assert parse_card(text) is parse_card(text.lower()) is parse_card(f" {text} ") is card
    if card is not JOKER:
        rank = text[0].replace("T", "10")
        symbol = dict(zip("CDSH", "♣♦♠♥", strict=True))[text[1]]
        assert (
            parse_card(rank + text[1]) is parse_card(rank + symbol) is parse_card(text[0] + symbol + "\ufe0f") is card
        )


@pytest.mark.parametrize("text", ["", "Q", "QSS", "1S", "11S", "10", "S10", "0C", "ZZ", "JKK", "Q S", "10TS"])
def test_other_texts_name_no_card(text: str) -> None:
    with pytest.raises(CardError, match="is not a card"):
        parse_card(text)


def test_a_long_text_is_not_repeated_whole() -> None:
    with pytest.raises(CardError) as error:
        parse_card("Q" * 10_000)
    assert len(str(error.value)) < 150


def test_the_joker_is_the_zero_of_clubs() -> None:
    assert (JOKER.suit, JOKER.rank) == (Suit.CLUBS, 0)
    assert FACES[:2] == (JOKER, Card.C2)
    assert len(FACES) == 53


def test_order_is_by_suit_then_rank() -> None:
    assert in_order(cards("2H AS 2C TD AC JK 9D 2C")) == cards("JK 2C 2C AC 9D TD AS 2H")


def test_copies_go_one_at_a_time() -> None:
    hand = cards("9C 9C 9C QS")
    assert without(hand, Card.C9) == cards("9C 9C QS")
    assert without(hand, Card.C9, Card.SQ, Card.C9) == cards("9C")
    with pytest.raises(ValueError, match=r"not in list"):
        without(hand, Card.SQ, Card.SQ)


def test_holding_counts_copies() -> None:
    hand = cards("9C 9C QS")
    assert holds(hand, cards("9C QS 9C"))
    assert holds(hand, ())
    assert not holds(hand, cards("9C 9C 9C"))
    assert not holds(hand, cards("2H"))
