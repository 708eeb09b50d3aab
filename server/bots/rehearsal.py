"""A position rehearsed: each card that may be played, played out in worlds that are possible."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from rules.ruleset import RuleSet
from rules.scoring import add, game_result, moon_value
from server.bots.memory import Memory
from server.bots.playout import MOON, Masks, Opening, playouts_for
from server.bots.worlds import Worlds

_STAKE = 10
"""Points that winning the game counts for, beside those of the last hand."""

_NOVICES = 5
"""Of so many worlds one has novices at the other seats: who trusts in good players only gains little from weak ones."""


class World(NamedTuple):
    """One possible world: what each seat holds, the worth of the kitty, and a mask of the seats that are novices."""

    hands: Masks
    kitty: int
    novices: int


class Rehearsal:
    """The playouts of one position. Worths are counted as in `playout`."""

    def __init__(self, memory: Memory, rng: random.Random) -> None:
        self._memory = memory
        self._engine = playouts_for(memory.rules)
        self._worlds = Worlds(memory, rng)
        self._taken = [points + moon * MOON for points, moon in zip(memory.shown, memory.moon_taken, strict=True)]
        self._last_hand = ends_soon(memory.rules, memory.totals, memory.number)
        self._others = (1 << memory.players) - 1 ^ 1 << memory.seat
        self._count = 0
        self._begun: dict[int, tuple[Opening, int, int]] = {}

    def world(self) -> World:
        """Another possible world."""
        hands = self._worlds.deal()
        kitty = hands.pop()
        self._count += 1
        novices = 0 if self._count % _NOVICES else self._others
        return World(self._engine.by_suit(hands), self._engine.worth_in(kitty), novices)

    def taken(self, face: int, world: World, hunter: int = -1) -> list[int]:
        """The worth each seat takes when `face` is played; `hunter` shoots the moon, -1: nobody does."""
        opening, suit, card = self._begun.get(face) or self._begin(face)
        clubs, diamonds, spades, hearts = world.hands
        hands = clubs[:], diamonds[:], spades[:], hearts[:]
        hands[suit][self._memory.seat] ^= card
        if world.kitty:
            opening = self._with_kitty(opening, world.kitty)
        return self._engine.run(opening, hands, hunter, world.novices)

    def outcome(self, taken: list[int]) -> int:
        """The seat's score less the mean of the others', times the number of the others.

        Where the game can end with this hand, winning it is worth more than any few points.
        """
        memory = self._memory
        scores = self._engine.scores(taken, memory.totals, memory.number)
        outcome = scores[memory.seat] * len(scores) - sum(scores)
        if self._last_hand:
            result = game_result(memory.rules, add(memory.totals, scores), memory.number)
            if result is not None:
                outcome += _STAKE * (len(scores) - 1) * (1 - 2 * (memory.seat in result.winners))
        return outcome

    def _begin(self, face: int) -> tuple[Opening, int, int]:
        """The trick with `face` in it, and the suit and mask of the card that leaves the hand."""
        memory, card = self._memory, self._worlds.own[face]
        opening = self._engine.begin(
            memory.leader,
            [*self._worlds.table, card],
            memory.pile,
            len(memory.hand),
            memory.first,
            memory.broken,
            self._taken,
        )
        suit, bit = divmod(card, self._engine.width)
        self._begun[face] = begun = opening, suit, 1 << bit
        return begun

    def _with_kitty(self, opening: Opening, kitty: int) -> Opening:
        """The opening in a world whose kitty has this worth."""
        memory = self._memory
        if memory.rules.kitty_to == "last_trick":
            return opening._replace(last_pile=kitty)
        if memory.kitty_taker is None:
            return opening._replace(value=opening.value + kitty)
        taken = list(opening.taken)
        taken[memory.kitty_taker] += kitty
        return opening._replace(taken=taken)


def ends_soon(rules: RuleSet, totals: Sequence[int], number: int) -> bool:
    """Whether the game may end with hand `number`, which begins with these totals."""
    if rules.hands is not None:
        return number >= rules.hands
    return rules.target is not None and max(totals) + moon_value(rules) >= rules.target
