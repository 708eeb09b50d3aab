"""Finds the weights of `normal`: python -m tests.load.tune [positions] [minutes].

Positions are taken from hands that bots play, each legal card is judged by a long search, and the weights are moved
one at a time as long as the mean regret falls: what the chosen card costs more than the best one.
"""

import random
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import asdict, replace

from rules.view import Seen
from server.bots.memory import Memory
from server.bots.play import costs_of
from server.bots.search import outcomes
from server.bots.weights import WEIGHTS, Weights
from tests.load.duplicate import Player, play_hand, rules_for
from tests.load.yardsticks import bot, cheap

SIZES = (4, 4, 8, 4, 8, 5, 4, 8, 11, 3, 6)
WORLDS = 300


class Judged(NamedTuple):
    """A position, and the mean outcome of each legal face in a long search."""

    memory: Memory
    outcomes: dict[int, float]


def positions(count: int, rng: random.Random) -> list[Judged]:
    """So many judged positions with a choice, three or so from a hand."""
    judged: list[Judged] = []
    number = 0
    while len(judged) < count:
        number += 1
        rules = rules_for(SIZES[number % len(SIZES)], number)
        order = list(rules.worked_out.cards)
        rng.shuffle(order)
        met: list[Seen] = []
        players = [_watched(bot("normal") if rng.random() < 0.6 else cheap, met) for _ in range(rules.players)]
        play_hand(rules, order, rng.randrange(rules.players), players, rng.getrandbits(32))
        for known in rng.sample(met, 4):
            memory = Memory(known)
            judged.append(Judged(memory, outcomes(memory, memory.legal, WORLDS, rng)))
    return judged


def _watched(player: Player, met: list[Seen]) -> Player:
    def chooses(known: Seen, seed: int):  # type: ignore[no-untyped-def]
        if known.view.me is not None and len(known.view.me.legal) > 1:
            met.append(known)
        return player(known, seed)

    return chooses


def regret(weights: Weights, judged: Sequence[Judged]) -> float:
    """What the choices with these weights cost, a choice, more than the best."""
    total = 0.0
    for memory, values in judged:
        costs = costs_of(memory, weights)
        chosen = min(memory.legal, key=lambda face: (costs[face], -(face % 15), face))
        total += values[chosen] - min(values.values())
    return total / len(judged)


def tuned(weights: Weights, judged: Sequence[Judged], seconds: float, rng: random.Random) -> Weights:
    """Better weights, found by steps in one weight at a time."""
    least, until = regret(weights, judged), time.monotonic() + seconds
    fields = list(asdict(weights))
    while time.monotonic() < until:
        field = rng.choice(fields)
        value = getattr(weights, field)
        tried = replace(weights, **{field: value * rng.choice((0.5, 0.7, 0.85, 1.15, 1.4, 2.0)) + rng.gauss(0, 0.02)})
        found = regret(tried, judged)
        if found < least:
            weights, least = tried, found
            print(f"{least:.4f} {field} {value:.3f} -> {getattr(tried, field):.3f}", flush=True)
    return weights


def main() -> None:
    count, minutes = (float(word) for word in [*sys.argv[1:], "1500", "3"][:2])
    rng = random.Random(1)
    judged = positions(int(count), rng)
    fresh = judged[: len(judged) // 4]
    learnt = judged[len(judged) // 4 :]
    print(f"before: {regret(WEIGHTS, learnt):.4f}, on fresh positions {regret(WEIGHTS, fresh):.4f}")
    weights = tuned(WEIGHTS, learnt, minutes * 60, rng)
    print(f"after: {regret(weights, learnt):.4f}, on fresh positions {regret(weights, fresh):.4f}")
    print("\n".join(f"    {field}: float = {value:.3g}" for field, value in asdict(weights).items()))


if __name__ == "__main__":
    main()
