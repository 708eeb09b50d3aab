"""A hint for people: what `normal` would do, and one sentence why."""

import random
from typing import Literal

from msgspec import Struct

from rules.commands import ChooseMoon, Pass, PlayCard
from rules.view import Seen
from server.bots.memory import HEARTS, QUEEN, SPADES, SPAN, Memory
from server.bots.moon import threat
from server.bots.odds import Odds
from server.bots.play import helping, shoots
from server.bots.player import Choice, choose
from server.bots.weights import WEIGHTS

Reason = Literal[
    "pass_danger",
    "moon_choice",
    "only_card",
    "must_lead",
    "shoot_moon",
    "stop_moon",
    "lead_low",
    "lead_safe",
    "draw_queen",
    "duck",
    "take_cheaply",
    "take_bonus",
    "take_forced",
    "drop_queen",
    "drop_points",
    "drop_danger",
]

SENTENCES: dict[Reason, str] = {
    "pass_danger": "These are the cards most likely to cost you points.",
    "moon_choice": "The table's rules settle which way of scoring your moon serves you.",
    "only_card": "It is the only card you may play.",
    "must_lead": "The first trick is led with the low card.",
    "shoot_moon": "Nobody else has a card of the moon, and your hand may well take the rest of it.",
    "stop_moon": "Somebody seems to be shooting the moon: a card of it must go elsewhere.",
    "lead_low": "Somebody is likely to play over it, so the trick goes elsewhere.",
    "lead_safe": "The trick should be cheap, and a high card is out of your hand.",
    "draw_queen": "Low spades draw the queen from whoever holds her.",
    "duck": "It stays under the winning card, and is the highest that does.",
    "take_cheaply": "The trick costs little, so it is the moment to part with a high card.",
    "take_bonus": "The trick is worth winning.",
    "take_forced": "You can hardly stay under, so play the card you would most like to lose.",
    "drop_queen": "You cannot follow suit: the queen of spades goes to somebody else.",
    "drop_points": "You cannot follow suit: give your penalty card away.",
    "drop_danger": "You cannot follow suit: part with the card that would hurt you most later.",
}


_SEED = 0


class Hint(Struct, frozen=True):
    """What `normal` would do, the reason as a stable code, and the same as an English sentence."""

    choice: Choice
    reason: Reason
    sentence: str


def hint(seen: Seen) -> Hint:
    """The hint for a seat whose turn it is to pass, to play or to choose its moon's scoring."""
    choice = choose("normal", seen, _SEED, by="human")
    reason = _reason(seen, choice)
    return Hint(choice, reason, SENTENCES[reason])


def _reason(seen: Seen, choice: Choice) -> Reason:
    if isinstance(choice, Pass):
        return "pass_danger"
    if isinstance(choice, ChooseMoon):
        return "moon_choice"
    return _why_play(Memory(seen), choice)


def _why_play(memory: Memory, choice: PlayCard) -> Reason:
    face = choice.card.order
    if len(memory.legal) == 1:
        opens = memory.first and not memory.trick and memory.rules.first_lead == "low_card"
        return "must_lead" if opens else "only_card"
    if shoots(memory, random.Random(_SEED)):
        return "shoot_moon"
    odds = Odds(memory, WEIGHTS)
    chance, price = odds.taking(face), odds.price(face)
    shooter, likely = threat(memory)
    if likely > 0.5 and helping(memory, shooter, face, chance) < -0.5:
        return "stop_moon"
    suit = face // SPAN
    if memory.trick and suit != memory.trick[0] // SPAN:
        if face == QUEEN:
            return "drop_queen"
        return "drop_points" if memory.worth.points[face] > 0 or suit == HEARTS else "drop_danger"
    if not memory.trick:
        if suit == SPADES and face < QUEEN and memory.unseen[QUEEN]:
            return "draw_queen"
        return "lead_low" if chance < 0.5 else "lead_safe"
    if chance == 0.0:
        return "duck"
    if price < 0:
        return "take_bonus"
    return "take_cheaply" if price < 1.0 else "take_forced"
