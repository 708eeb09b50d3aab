"""What each card is worth ("rule book", sections Options and A hand)."""

from collections.abc import Mapping
from functools import lru_cache

from rules.cards import FACES, HEARTS, QUEEN_OF_SPADES, Card


@lru_cache
def worth_of_cards(dame_de_pique: bool, hooligan: bool, omnibus: str) -> Mapping[Card, int]:
    """The penalty points of each card that has any, with these options; negative for a bonus."""
    worth = {card: 1 for card in FACES if card.suit is HEARTS} | {QUEEN_OF_SPADES: 13}
    if dame_de_pique:
        worth |= {Card.SK: 10, Card.SA: 7}
    if hooligan:
        worth[Card.C7] = 7
    if omnibus != "off":
        worth[Card(omnibus)] = -10
    return worth


@lru_cache
def moon_cards(dame_de_pique: bool) -> frozenset[Card]:
    """The cards of the moon: hearts and QS, with dame de pique KS and AS as well."""
    return frozenset(worth_of_cards(dame_de_pique, False, "off"))
