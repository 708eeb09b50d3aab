"""Shooting the moon: whether to, how to tell that somebody does, and how to have one's own scored."""

import random
from typing import Literal

from rules.scoring import add, game_result, moon_value
from rules.view import Seen
from server.bots.memory import SPAN, Memory
from server.bots.playout import MOON
from server.bots.rehearsal import Rehearsal

_STRONG = 11
"""Jack and above: what a hand needs some of before shooting is thought of."""


def scoring(seen: Seen) -> Literal["add", "subtract"]:
    """How the shooter has its moon scored: so as to win now, else so as not to lose now.

    While the game goes on both ways, adding brings its end nearer, which serves whoever leads.
    """
    rules, me = seen.rules, seen.seat
    totals, number = seen.view.scores.totals, len(seen.view.scores.hands) + 1
    whole = moon_value(rules)
    points = [seat.points for seat in seen.view.seats]
    points[me] -= whole
    added = add(totals, [score + whole * (seat != me) for seat, score in enumerate(points)])
    result = game_result(rules, added, number)
    if result is not None:
        return "add" if me in result.winners else "subtract"
    return "add" if added[me] == min(added) else "subtract"


def may_shoot(memory: Memory, seat: int) -> bool:
    """Whether the moon is still open to `seat`: nobody else has taken a card of it."""
    return memory.rules.moon != "off" and sum(memory.moon_taken) == memory.moon_taken[seat]


def is_made_for_it(memory: Memory) -> bool:
    """Whether a look at the own hand suggests to think of shooting at all."""
    if not may_shoot(memory, memory.seat):
        return False
    strong = sum(face % SPAN >= _STRONG for face in memory.hand)
    return 2 * strong >= len(memory.hand) or memory.moon_taken[memory.seat] * 3 > memory.worth.moon_total


def chance_to_shoot(memory: Memory, tries: int, rng: random.Random) -> float:
    """How often shooting works out, over so many possible worlds, when everybody else plays by the quick rule.

    A third of the tries without success is enough to know.
    """
    rehearsal, seat, face, shot = Rehearsal(memory, rng), memory.seat, highest(memory), 0
    for tried in range(tries):
        if not shot and 3 * tried >= tries:
            break
        taken = rehearsal.taken(face, rehearsal.world(), seat)
        with_moon = [worth > MOON // 2 for worth in taken]
        shot += with_moon[seat] and sum(with_moon) == 1
    return shot / tries


def highest(memory: Memory) -> int:
    """What a shooter plays: the highest card on the lead and when following, else the lowest without points."""
    if not memory.trick or memory.legal[0] // SPAN == memory.trick[0] // SPAN:
        return max(memory.legal, key=lambda face: face % SPAN)
    return min(memory.legal, key=lambda face: (memory.worth.points[face] != 0, face % SPAN))


def threat(memory: Memory) -> tuple[int, float]:
    """The other seat that may be shooting, and how much it looks like it, from 0 to 1. (-1, 0.0): nobody."""
    for seat, count in enumerate(memory.moon_taken):
        if count and seat != memory.seat:
            share = count / memory.worth.moon_total
            return (seat, min(1.0, share * 1.4 - 0.15)) if may_shoot(memory, seat) and share > 0.2 else (-1, 0.0)
    return -1, 0.0


def stake(memory: Memory, shooter: int, least: float) -> float:
    """What it is worth to keep a card of the moon from a shooter: more, the nearer the moon is."""
    share = memory.moon_taken[shooter] / memory.worth.moon_total
    return max(least, share * share * moon_value(memory.rules) / 2)
