"""Cards: their faces, order and text form ("rule book", section Cards).

A face is a rank and a suit, or the joker. Copies of a face are indistinguishable, so a hand is a sorted tuple
with repeats, never a set: taking one card out of it takes exactly one.
"""

import enum
from collections.abc import Iterable
from operator import attrgetter

RANKS = "23456789TJQKA"


class Suit(enum.Enum):
    """The four suits in the order hands are sorted by."""

    CLUBS = "C"
    DIAMONDS = "D"
    SPADES = "S"
    HEARTS = "H"

    # Members are singletons: hashing them by identity spares the hash of their name in the play of every card.
    __hash__ = object.__hash__


class Card(enum.Enum):
    """One face; its value is its text form: rank and suit as in `QS`, or `JK` for the joker.

    suit: the suit it follows and leads as; the joker is a club.
    rank: 0 for the joker (the zero of clubs), 2 to 14 (ace) for the others.
    order: position among all faces, by suit C D S H, then by rank.
    """

    suit: Suit
    rank: int
    order: int

    JK = "JK"
    C2 = "2C"
    C3 = "3C"
    C4 = "4C"
    C5 = "5C"
    C6 = "6C"
    C7 = "7C"
    C8 = "8C"
    C9 = "9C"
    CT = "TC"
    CJ = "JC"
    CQ = "QC"
    CK = "KC"
    CA = "AC"
    D2 = "2D"
    D3 = "3D"
    D4 = "4D"
    D5 = "5D"
    D6 = "6D"
    D7 = "7D"
    D8 = "8D"
    D9 = "9D"
    DT = "TD"
    DJ = "JD"
    DQ = "QD"
    DK = "KD"
    DA = "AD"
    S2 = "2S"
    S3 = "3S"
    S4 = "4S"
    S5 = "5S"
    S6 = "6S"
    S7 = "7S"
    S8 = "8S"
    S9 = "9S"
    ST = "TS"
    SJ = "JS"
    SQ = "QS"
    SK = "KS"
    SA = "AS"
    H2 = "2H"
    H3 = "3H"
    H4 = "4H"
    H5 = "5H"
    H6 = "6H"
    H7 = "7H"
    H8 = "8H"
    H9 = "9H"
    HT = "TH"
    HJ = "JH"
    HQ = "QH"
    HK = "KH"
    HA = "AH"

    def __init__(self, face: str) -> None:
        if face == "JK":
            self.suit, self.rank = Suit.CLUBS, 0
        else:
            self.suit, self.rank = Suit(face[1]), RANKS.index(face[0]) + 2
        self.order = list(Suit).index(self.suit) * 15 + self.rank

    __hash__ = object.__hash__

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return str(self.value)


Cards = tuple[Card, ...]

# Named once: in Python 3.11 looking up a member through its class costs more than playing a card may.
HEARTS = Suit.HEARTS
JOKER = Card.JK
QUEEN_OF_SPADES = Card.SQ
_order = attrgetter("order")
FACES: Cards = tuple(sorted(Card, key=_order))

_SYMBOLS = str.maketrans("♣♧♦♢♠♤♥♡", "CCDDSSHH")
_BY_TEXT = {card.value: card for card in Card}


class CardError(ValueError):
    """A text that names no card."""


def parse_card(text: str) -> Card:
    """The card that `text` names: any case, `10` for `T`, suit symbols, surrounding blanks ignored.

    Raises CardError when it names none.
    """
    card = _BY_TEXT.get(text)
    if card is not None:
        return card
    face = text.strip().translate(_SYMBOLS).removesuffix("\ufe0e").removesuffix("\ufe0f").upper()
    if face.startswith("10"):
        face = "T" + face[2:]
    card = _BY_TEXT.get(face)
    if card is None:
        raise CardError(
            f"{text[:20]!r} is not a card: a rank (2-9, T or 10, J, Q, K, A) and a suit (C, D, S, H), or JK"
        )
    return card


def in_order(cards: Iterable[Card]) -> Cards:
    """The cards sorted by suit C D S H, then by rank, copies adjacent."""
    return tuple(sorted(cards, key=_order))


def without(cards: Cards, *gone: Card) -> Cards:
    """`cards` less one copy for each card in `gone`, in the same order. Each must be there: ValueError if not."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


def holds(cards: Iterable[Card], wanted: Iterable[Card]) -> bool:
    """Whether `cards` has at least as many copies of each face as `wanted`."""
    left = list(cards)
    for card in wanted:
        if card not in left:
            return False
        left.remove(card)
    return True
