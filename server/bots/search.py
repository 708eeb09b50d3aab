"""The `hard` level: each legal card played out in many possible worlds; the best mean wins."""

import random
from collections.abc import Callable, Sequence

from server.bots.memory import SPAN, Memory
from server.bots.playout import MOON, Opening, Playouts, playouts_for
from server.bots.worlds import Worlds


class OutOfTime(Exception):
    """The clock ran out before the search was done."""


def search(memory: Memory, playouts: int, rng: random.Random, late: Callable[[], bool] = lambda: False) -> int:
    """The legal face with the best mean outcome over about `playouts` playouts. Raises OutOfTime once `late` says so.

    The outcome is the seat's own score less the mean of the others'.
    """
    faces = distinct(memory)
    if len(faces) == 1:
        return faces[0]
    costs = outcomes(memory, faces, max(1, playouts // len(faces)), rng, late)
    return min(faces, key=lambda face: (costs[face], -face))


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
    """The mean outcome of each of these faces over so many worlds, the same worlds for all."""
    engine = playouts_for(memory.rules)
    possible = Worlds(memory, rng)
    players, seat = memory.players, memory.seat
    taken = [points + moon * MOON for points, moon in zip(memory.shown, memory.moon_taken, strict=True)]
    begun = [(face, *_opening(memory, engine, possible, taken, face)) for face in faces]
    sums = dict.fromkeys(faces, 0)
    for _ in range(worlds):
        if late():
            raise OutOfTime
        hands = possible.deal()
        clubs, diamonds, spades, hearts = engine.by_suit(hands[:players])
        kitty = engine.worth_in(hands[players])
        for face, opening, suit, bit in begun:
            copy = clubs[:], diamonds[:], spades[:], hearts[:]
            copy[suit][seat] ^= bit
            if kitty:
                opening = _with_kitty(memory, opening, kitty)
            scores = engine.scores(engine.run(opening, copy), memory.totals, memory.number)
            sums[face] += scores[seat] * players - sum(scores)
    return {face: total / worlds / (players - 1) for face, total in sums.items()}


def _opening(
    memory: Memory, engine: Playouts, possible: Worlds, taken: list[int], face: int
) -> tuple[Opening, int, int]:
    """The trick with `face` in it, and the suit and mask of the card that leaves the hand."""
    card = possible.own[face]
    opening = engine.begin(
        memory.leader, [*possible.table, card], memory.pile, len(memory.hand), memory.first, memory.broken, taken
    )
    suit, bit = divmod(card, engine.width)
    return opening, suit, 1 << bit


def _with_kitty(memory: Memory, opening: Opening, kitty: int) -> Opening:
    """The opening in a world whose kitty has this worth."""
    if memory.rules.kitty_to == "last_trick":
        return opening._replace(last_pile=kitty)
    if memory.kitty_taker is None:
        return opening._replace(value=opening.value + kitty)
    taken = list(opening.taken)
    taken[memory.kitty_taker] += kitty
    return opening._replace(taken=taken)
