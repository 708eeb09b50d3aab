"""Decks: which cards are dealt to how many players ("rule book", section Packs, players, decks)."""

from functools import lru_cache
from typing import Literal

from msgspec import Struct

from rules.cards import FACES, JOKER, Card, Cards, in_order, parse_card, without

_EXACT: dict[tuple[int, int], tuple[str, str]] = {
    # (packs, players): added, removed
    (1, 3): ("", "2D"),
    (1, 4): ("", ""),
    (1, 5): ("", "2D 2S"),
    (1, 6): ("", "2D 2S 3C 3D"),
    (1, 7): ("", "2D 2S 3C"),
    (1, 8): ("", "2D 2S 3C 3D"),
    (2, 5): ("JK", ""),
    (2, 6): ("", "2C 2D"),
    (2, 7): ("JK", ""),
    (2, 8): ("JK", "2C"),
    (2, 9): ("", "2C 2D 2D 2S 2S"),
    (2, 10): ("", "2C 2D 2D 2S"),
    (2, 11): ("", "2C 2D 2D 2S 2S"),
    (3, 11): ("", "2C 2C"),
}


class Deck(Struct, frozen=True):
    """A deck worked out for a table.

    cards: all of them, in order; each: how many a player is dealt; added, removed: against whole packs;
    low_card: the unique card that leads trick 1, None in a kitty deck; kitty: how many are left undealt.
    """

    cards: Cards
    each: int
    added: Cards
    removed: Cards
    low_card: Card | None
    kitty: int


@lru_cache
def worked_out(packs: int, players: int, kind: Literal["exact", "kitty"]) -> Deck:
    """The deck for `packs` and `players`. Raises KeyError for an exact deck that the rule book does not have."""
    whole = tuple(face for face in FACES if face is not JOKER for _ in range(packs))
    if kind == "kitty":
        each, kitty = divmod(len(whole), players)
        return Deck(cards=whole, each=each, added=(), removed=(), low_card=None, kitty=kitty)
    added, removed = (tuple(map(parse_card, faces.split())) for faces in _EXACT[packs, players])
    cards = in_order(added + without(whole, *removed))
    return Deck(cards=cards, each=len(cards) // players, added=added, removed=removed, low_card=cards[0], kitty=0)


def exact_players(packs: int) -> tuple[int, ...]:
    """The table sizes that an exact deck of so many packs can be dealt to, ascending."""
    return tuple(players for of_packs, players in _EXACT if of_packs == packs)
