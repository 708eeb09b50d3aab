"""The `hard` level: each legal card played out in many possible worlds; the best mean wins."""

import random
from collections.abc import Callable, Sequence

from server.bots.memory import SPAN, Memory
from server.bots.moon import chance_to_shoot, is_made_for_it, threat
from server.bots.play import costs_of
from server.bots.rehearsal import Rehearsal
from server.bots.weights import WEIGHTS

_PRIOR = 25
"""How many worlds the estimate of `normal` counts for; what a few worlds say is mostly luck."""

_TRIES = 24
_WORTH_A_LOOK = 0.2


class OutOfTime(Exception):
    """The clock ran out before the search was done."""


def search(memory: Memory, playouts: int, rng: random.Random, late: Callable[[], bool] = lambda: False) -> int:
    """The legal face with the best mean outcome over about `playouts` playouts, after what `normal` thinks of it.

    The outcome is the seat's own score less the mean of the others'. Raises OutOfTime once `late` says so.
    """
    faces = distinct(memory)
    if len(faces) == 1:
        return faces[0]
    worlds = max(1, playouts // len(faces))
    found, prior = outcomes(memory, faces, worlds, rng, late), costs_of(memory, WEIGHTS)
    return min(faces, key=lambda face: (worlds * found[face] + _PRIOR * prior[face], -face))


def distinct(memory: Memory) -> list[int]:
    """The legal faces less those that cannot make a difference: neighbours of one worth with nothing between."""
    worth, faces = memory.worth, [memory.legal[-1]]
    for face in reversed(memory.legal[:-1]):
        above = faces[-1]
        between = sum(memory.unseen[face : above + 1]) + sum(face <= card <= above for card in memory.trick)
        alone = memory.hand.count(face) == 1 == memory.hand.count(above)
        if between or not alone or face // SPAN != above // SPAN or worth.points[face] != worth.points[above]:
            faces.append(face)
    return faces


def outcomes(
    memory: Memory, faces: Sequence[int], worlds: int, rng: random.Random, late: Callable[[], bool] = lambda: False
) -> dict[int, float]:
    """The mean outcome of each of these faces over so many worlds, the same worlds for all.

    A seat that seems to be shooting the moon does so in a share of the worlds. Where the seat could shoot itself,
    each face is played out that way as well, and counts as the better of the two.
    """
    shooter, likely = threat(memory)
    shoots = is_made_for_it(memory) and chance_to_shoot(memory, _TRIES, rng) > _WORTH_A_LOOK
    rehearsal = Rehearsal(memory, rng)
    sums, shot = dict.fromkeys(faces, 0), dict.fromkeys(faces, 0)
    for _ in range(worlds):
        if late():
            raise OutOfTime
        world = rehearsal.world()
        hunter = shooter if likely and rng.random() < likely else -1
        for face in faces:
            sums[face] += rehearsal.outcome(rehearsal.taken(face, world, hunter))
            if shoots:
                shot[face] += rehearsal.outcome(rehearsal.taken(face, world, memory.seat))
    if shoots:
        sums = {face: min(total, shot[face]) for face, total in sums.items()}
    return {face: total / worlds / (memory.players - 1) for face, total in sums.items()}
