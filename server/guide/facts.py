"""What is filled into the texts: the numbers and names of one rule set, in one language."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rules.cards import Card, Suit
from rules.ruleset import RuleSet
from rules.scoring import card_values, moon_value, points_of
from server.guide.drawing import NAMES, cancelled_trick, face, usual_trick
from server.guide.outline import cancels

Texts = Mapping[str, str]
Facts = dict[str, str]

_MOON = (Card.SQ, Card.SK, Card.SA)


def facts(rules: RuleSet, text: Texts) -> Facts:
    """Every value that a text may name in braces and that this rule set has."""
    return _deck(rules, text) | _pass(rules, text) | _scoring(rules, text) | _examples(rules, text)


def direction(offset: int, players: int, text: Texts) -> str:
    """Where a pass of so many seats to the left goes, in words."""
    if offset == 0:
        return text["to.hold"]
    if 2 * abs(offset) == players:
        return text["to.across"]
    side = "left" if offset > 0 else "right"
    if abs(offset) == 1:
        return text[f"to.{side}_one"]
    return text[f"to.{side}_many"].format(n=abs(offset))


def _deck(rules: RuleSet, text: Texts) -> Facts:
    deck = rules.worked_out
    values = {
        "players": str(rules.players),
        "others": str(rules.players - 1),
        "packs": str(rules.packs),
        "cards": str(len(deck.cards)),
        "deck_cards": _count("card", len(deck.cards), text),
        "each": str(deck.each),
        "each_cards": _count("card", deck.each, text),
        "added": _pile(deck.added, text),
        "removed": _pile(deck.removed, text),
        "kitty": str(deck.kitty),
        "kitty_cards": _count("card", deck.kitty, text),
    }
    if deck.low_card is not None:
        values["low"] = text[f"word.low_{deck.low_card}"]
    return values


def _pass(rules: RuleSet, text: Texts) -> Facts:
    directions = [direction(offset, rules.players, text) for offset in rules.pass_cycle]
    lines = (text["word.hand"].format(number=at, direction=to) for at, to in enumerate(directions, 1))
    return {
        "pass_cards": _count("card", rules.pass_size, text),
        "cycle": "\n".join(lines),
        "direction": directions[0],
    }


def _scoring(rules: RuleSet, text: Texts) -> Facts:
    worth, cards = card_values(rules), rules.worked_out.cards
    hearts = sum(card.suit is Suit.HEARTS for card in cards)
    special = {card: points for card, points in worth.items() if card.suit is not Suit.HEARTS}
    rows = [_row(text["word.each_heart"], 1, hearts)]
    rows += [_row(face(card, text), points, cards.count(card)) for card, points in special.items()]
    moon = [text["word.heart_many"].format(n=hearts)]
    moon += [f"{cards.count(card)} {face(card, text)}" for card in _MOON if card in special]
    values = {
        "points": str(points_of(rules, cards)),
        "rows": "\n".join(rows),
        "queens": str(cards.count(Card.SQ)),
        "barred": _joined(
            [text["word.hearts"], *(face(card, text) for card, points in special.items() if points > 0)], text
        ),
        "extra_values": "".join(_extra(card, points, text) for card, points in special.items() if card is not Card.SQ),
        "moon": str(moon_value(rules)),
        "moon_points": _count("point", moon_value(rules), text),
        "moon_cards": _joined(moon, text),
        "apart": _joined([face(card, text) for card in special if card not in _MOON], text),
    }
    if rules.omnibus != "off":
        values |= {"bonus_card": face(Card(rules.omnibus), text), "the_bonus": text[f"word.bonus_{rules.omnibus}"]}
    if rules.target is not None:
        values["target_points"] = _count("point", rules.target, text)
    if rules.hands is not None:
        values["hands_count"] = _count("hand", rules.hands, text)
    return values


def _examples(rules: RuleSet, text: Texts) -> Facts:
    usual = usual_trick(rules, text)
    assert usual.taker is not None
    values = {"drawing": usual.drawing, "taker": usual.taker, "trick_points": _count("point", usual.points, text)}
    if cancels(rules):
        cancelled = cancelled_trick(rules, text)
        values |= {
            "drawing_cancelled": cancelled.drawing,
            "leader": NAMES[0],
            "trick_cards": _count("card", len(cancelled.cards), text),
            "cancelled_points": _count("point", cancelled.points, text),
        }
    return values


def _count(noun: str, n: int, text: Texts) -> str:
    return text[f"word.{noun}_{'one' if n == 1 else 'many'}"].format(n=n)


def _joined(items: Sequence[str], text: Texts) -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {text['word.and']} {items[-1]}"


def _pile(cards: Iterable[Card], text: Texts) -> str:
    copies = Counter(face(card, text) for card in cards)
    return ", ".join(card if n == 1 else f"{card} ×{n}" for card, n in copies.items()) or text["word.none"]


def _row(card: str, worth: int, copies: int) -> str:
    return f"| {card} | {worth} | {copies} | {worth * copies} |"


def _extra(card: Card, points: int, text: Texts) -> str:
    return text["word.costs" if points > 0 else "word.saves"].format(card=face(card, text), worth=abs(points))
