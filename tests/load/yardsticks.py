"""Players to measure the bots against: random, and the cheap rule "duck if able"."""

import random

from rules.cards import Card, Cards, Suit
from rules.commands import ChooseMoon, Pass, PlayCard
from rules.scoring import card_values
from rules.trick import winning_play
from rules.view import Seen
from server.bots import Level, choose
from server.bots.memory import CARD_OF, Memory
from server.bots.moon import chance_to_shoot, highest, is_made_for_it
from tests.load.duplicate import Player


def at_random(seen: Seen, seed: int) -> Pass | PlayCard | ChooseMoon:
    """Any legal choice."""
    rng = random.Random(seed)
    hand, me = seen.view.hand, seen.view.me
    assert hand is not None
    assert me is not None
    if seen.view.phase == "moon":
        return ChooseMoon("auto")
    if seen.view.phase == "passing":
        assert hand.pass_ is not None
        return Pass(tuple(rng.sample(me.cards, hand.pass_.count)))
    return PlayCard(rng.choice(me.legal), hand.turn_number)


def cheap(seen: Seen, seed: int) -> Pass | PlayCard | ChooseMoon:
    """The cheap rule: lead low, duck as high as possible, else the highest; void: a spade with points, the highest
    heart, else the highest card. Passes the high spades and then the highest cards."""
    hand, me = seen.view.hand, seen.view.me
    assert hand is not None
    assert me is not None
    if seen.view.phase == "moon":
        return ChooseMoon("auto")
    if seen.view.phase == "passing":
        assert hand.pass_ is not None
        return Pass(tuple(sorted(me.cards, key=_fear, reverse=True)[: hand.pass_.count]))
    trick = [play.card for play in hand.trick]
    if not trick:
        return PlayCard(min(me.legal, key=lambda card: card.rank), hand.turn_number)
    if me.legal[0].suit is trick[0].suit:
        return PlayCard(_duck(seen, me.legal, trick), hand.turn_number)
    return PlayCard(_discard(seen, me.legal), hand.turn_number)


def _fear(card: Card) -> tuple[bool, int]:
    return card in (Card.SQ, Card.SK, Card.SA), card.rank


def _duck(seen: Seen, legal: Cards, trick: list[Card]) -> Card:
    best = winning_play(seen.rules, trick)
    limit = -1 if best is None else trick[best].rank
    below = [card for card in legal if card.rank < limit]
    return max(below or legal, key=lambda card: card.rank)


def _discard(seen: Seen, legal: Cards) -> Card:
    values = card_values(seen.rules)
    dear = [card for card in legal if card.suit is Suit.SPADES and card in values]
    if dear:
        return dear[0]
    hearts = [card for card in legal if card.suit is Suit.HEARTS]
    return max(hearts or legal, key=lambda card: card.rank)


def shooter(seen: Seen, seed: int) -> Pass | PlayCard | ChooseMoon:
    """Shoots the moon whenever it looks possible at all, else plays as `normal`."""
    hand = seen.view.hand
    assert hand is not None
    if seen.view.phase == "playing":
        memory = Memory(seen)
        if is_made_for_it(memory) and chance_to_shoot(memory, 10, random.Random(seed)) >= 0.3:
            return PlayCard(CARD_OF[highest(memory)], hand.turn_number)
    return choose("normal", seen, seed)


def bot(level: Level) -> Player:
    """A bot of this level as a player of a match."""
    return lambda seen, seed: choose(level, seen, seed)
