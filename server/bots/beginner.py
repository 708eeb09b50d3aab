"""The `easy` level: a beginner's game. Legal, plausible, not good."""

import random
from collections.abc import Sequence

from server.bots.memory import ACE, KING, QUEEN, SPADES, SPAN, Memory, standing

_SLIP = 0.3
"""How often a beginner does not think at all."""

_LOST = 0.06
"""How much more often for each seat above eight: so many hands are more than a beginner can follow."""


def beginners_card(memory: Memory, rng: random.Random) -> int:
    """What a beginner plays: low on the lead, under the trick as low as can be, and points when it cannot follow.

    Now and then any card that does not look foolish.
    """
    legal = _not_foolish(memory)
    if rng.random() < _SLIP + _LOST * max(0, memory.players - 8):
        return rng.choice(legal)
    trick = memory.trick
    if trick and legal[0] // SPAN != trick[0] // SPAN:
        return max(legal, key=lambda face: (memory.worth.points[face], face % SPAN))
    if len(trick) == memory.players - 1 and memory.worth_in(trick) == 0:
        return max(legal, key=lambda face: face % SPAN)
    return min(legal, key=lambda face: face % SPAN)


def beginners_pass(memory: Memory, count: int, rng: random.Random) -> list[int]:
    """What a beginner passes: the highest cards, whatever the suit; sometimes it overlooks one."""
    ranked = sorted(memory.hand, key=lambda face: (face % SPAN + rng.uniform(-2, 2), face), reverse=True)
    return ranked[:count]


def _not_foolish(memory: Memory) -> Sequence[int]:
    """The legal faces that a beginner would not be ashamed of; all of them where there are none.

    Foolish is to play the queen into one's own trick, or the cards above her while she is out and another card will
    do as well.
    """
    foolish = {QUEEN, KING, ACE} if memory.unseen[QUEEN] else {QUEEN}
    led = memory.trick[0] // SPAN if memory.trick else None
    if led == SPADES:
        best = standing(memory.rules, memory.trick)
        under = -1 if best is None else memory.trick[best]
        foolish = {face for face in foolish if face > under}
    elif led is not None:
        foolish = set()
    return [face for face in memory.legal if face not in foolish] or memory.legal
