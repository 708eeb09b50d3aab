"""Card names as people type them and as the server writes them.

The server's form is rank then suit, `QS`, `TH`; the joker is `JK`, the lowest club.
"""

from collections.abc import Iterable, Sequence

SUITS = "CDSH"
RANKS = "23456789TJQKA"
JOKER = "JK"

_SYMBOLS = {"♣": "C", "♧": "C", "♦": "D", "♢": "D", "♠": "S", "♤": "S", "♥": "H", "♡": "H"}


def suit_of(card: str) -> str:
    """Suit letter of a card; the joker is a club."""
    return "C" if card == JOKER else card[-1]


def sort_key(card: str) -> tuple[int, int]:
    """Order of a hand on the screen: by suit, low to high."""
    rank = -1 if card == JOKER else RANKS.index(card[0])
    return SUITS.index(suit_of(card)), rank


def sort_hand(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=sort_key)


def parse_card(text: str) -> str:
    """The card meant by `qs`, `10h`, `♠Q`, `jk`. Raises ValueError, with the text that was not a card."""
    plain = text.strip().replace("\ufe0f", "")
    for symbol, letter in _SYMBOLS.items():
        plain = plain.replace(symbol, letter)
    plain = plain.upper().replace("10", "T")
    if plain in (JOKER, "JOKER", "COMODIN", "COMODÍN"):
        return JOKER
    if len(plain) == 2:
        first, second = plain[0], plain[1]
        for rank, suit in ((first, second), (second, first)):
            if rank in RANKS and suit in SUITS:
                return rank + suit
    raise ValueError(text.strip())


def parse_choice(text: str, hand: Sequence[str]) -> str:
    """A card by name, or by its number (from 1) in the hand as shown. Raises ValueError."""
    if text.isascii() and text.isdigit():
        number = int(text)
        if not 1 <= number <= len(hand):
            raise ValueError(text)
        return hand[number - 1]
    return parse_card(text)


def parse_choices(text: str, hand: Sequence[str]) -> list[str]:
    """Several cards, apart by spaces or commas. Raises ValueError, naming the first that is none."""
    return [parse_choice(word, hand) for word in text.replace(",", " ").split()]
