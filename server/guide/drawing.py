"""Example tricks drawn as text. The cards are chosen here; who takes them, the rules themselves say."""

from collections.abc import Mapping

from msgspec import Struct

from rules.cards import JOKER, Card, Cards, parse_card
from rules.ruleset import RuleSet
from rules.scoring import points_of
from rules.trick import settle, standing_plays, winning_play

NAMES = ("Ana", "Bea", "Cid", "Dora", "Eli", "Fina", "Gil", "Hugo", "Iris", "Juan", "Kai")

# A table of n plays the first n of these; none is a card that some deck leaves out.
_PLAIN = "9D KD 5D QS JD 3H AC 4D"
_PAIRS = "9D KD 5D KD QS JD 9D 3H 4D AC 6D"
_TRIPLE = "9D KD 5D KD QS JD 9D 3H KD AC 6D"
_ALL_CANCELLED = "8C JC 8C JC AD 4H KS QD TS 3D 9S"

_SUITS = {"C": "♣", "D": "♦", "S": "♠", "H": "♥"}


class Example(Struct, frozen=True):
    """A drawn trick: the drawing, who takes it (None: nobody), its cards and what they are worth."""

    drawing: str
    taker: str | None
    cards: Cards
    points: int


def face(card: Card, text: Mapping[str, str]) -> str:
    """A card as people read it: `Q♠`, `10♦`, or the joker's name."""
    if card is JOKER:
        return text["word.joker"]
    rank, suit = card.value
    return ("10" if rank == "T" else rank) + _SUITS[suit]


def usual_trick(rules: RuleSet, text: Mapping[str, str]) -> Example:
    """A trick that somebody takes; with more than one pack it holds equal cards."""
    return _example(rules, (_PLAIN, _PAIRS, _TRIPLE)[rules.packs - 1], text)


def cancelled_trick(rules: RuleSet, text: Mapping[str, str]) -> Example:
    """A trick whose led suit is cancelled as a whole. For tables where equal cards cancel."""
    return _example(rules, _ALL_CANCELLED, text)


def _example(rules: RuleSet, faces: str, text: Mapping[str, str]) -> Example:
    cards = tuple(map(parse_card, faces.split()[: rules.players]))
    settled = settle(rules, 0, cards, (), last=False)
    best = winning_play(rules, cards)
    standing = standing_plays(rules, cards)
    lines = []
    for at, card in enumerate(cards):
        marks = [text["drawing.leads"]] if at == 0 else []
        if card.suit is not cards[0].suit:
            marks.append(text["drawing.other_suit"])
        if not standing[at]:
            marks.append(text["drawing.cancelled"])
        if at == best:
            marks.append(text["drawing.takes"])
        lines.append(f"{NAMES[at]:<6}{face(card, text):<5}{', '.join(marks)}".rstrip())
    taker = None if settled.taker is None else NAMES[settled.taker]
    return Example("\n".join(lines), taker, cards, points_of(rules, cards))
