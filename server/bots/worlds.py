"""Deals the hidden cards to the other seats in a way that agrees with everything a seat has seen."""

import random
from itertools import combinations

from server.bots.memory import SPAN, Memory

_TRIES = 30


class Worlds:
    """The worlds that one position leaves possible.

    A card is a bit of the whole deck, (suit * 15 + rank) * packs + copy. Of the copies of a face those on the table
    come first, then the seat's own, and the hidden ones last. The kitty is a seat after the others, void of nothing.
    table: the cards of the trick so far; own: one bit for each face in hand.
    """

    def __init__(self, memory: Memory, rng: random.Random) -> None:
        self._rng = rng
        self._packs = packs = memory.rules.packs
        self._points = memory.worth.points
        self._kitty_points = memory.kitty_points
        near = [0] * len(memory.unseen)

        def next_copy(face: int) -> int:
            near[face] += 1
            return face * packs + near[face] - 1

        self.table = [next_copy(face) for face in memory.trick]
        own = [(face, next_copy(face)) for face in memory.hand]
        self.own = dict(own)
        self._sizes = [*memory.sizes, memory.rules.worked_out.kitty]
        self._sizes[memory.seat] = 0
        self._fixed = [0] * len(self._sizes)
        self._fixed[memory.seat] = sum(1 << bit for _, bit in own)
        self._suits: list[list[int]] = [[], [], [], []]
        given = list(memory.given)
        for face, count in enumerate(memory.unseen):
            for bit in range((face + 1) * packs - count, (face + 1) * packs):
                if face in given and memory.receiver is not None:
                    given.remove(face)
                    self._fixed[memory.receiver] |= 1 << bit
                    self._sizes[memory.receiver] -= 1
                else:
                    self._suits[face // SPAN].append(bit)
        self._settle_voids([*memory.void, [False] * 4])

    def _settle_voids(self, void: list[list[bool]]) -> None:
        """Find the suits that not everybody may hold, and for each group of them the seats that can take it.

        The hidden cards can be dealt as long as every group of suits has no more cards than its seats have room
        (Hall's theorem). Where it cannot be done at all, somebody revoked: then voids mean nothing.
        """
        seats = [seat for seat, size in enumerate(self._sizes) if size]
        tied = [suit for suit in range(4) if self._suits[suit] and any(void[seat][suit] for seat in seats)]
        groups = [group for size in range(1, len(tied) + 1) for group in combinations(tied, size)]
        takers = [[seat for seat in seats if not all(void[seat][suit] for suit in group)] for group in groups]
        self._slack = [
            sum(self._sizes[seat] for seat in able) - sum(len(self._suits[suit]) for suit in group)
            for group, able in zip(groups, takers, strict=True)
        ]
        if any(slack < 0 for slack in self._slack):
            tied, groups, self._slack = [], [], []
        tied.sort(key=lambda suit: sum(not void[seat][suit] for seat in seats))
        self._tied = [
            (
                self._suits[suit],
                [
                    (seat, [at for at, group in enumerate(groups) if suit not in group and seat in takers[at]])
                    for seat in seats
                    if not void[seat][suit]
                ],
            )
            for suit in tied
        ]
        self._free = [bit for suit in range(4) if suit not in tied for bit in self._suits[suit]]

    def deal(self) -> list[int]:
        """One world: each seat's hand and then the kitty, as masks of the whole deck."""
        for _ in range(_TRIES):
            hands = self._deal()
            if self._kitty_points is None or self._worth(hands[-1]) == self._kitty_points:
                break
        return hands

    def _deal(self) -> list[int]:
        uniform = self._rng.random
        hands, room, slack = list(self._fixed), list(self._sizes), list(self._slack)
        for bits, able in self._tied:
            for bit in sorted(bits, key=lambda _: uniform()):
                choices = [(seat, touched) for seat, touched in able if room[seat] and all(slack[at] for at in touched)]
                draw = uniform() * sum(room[seat] for seat, _ in choices)
                for seat, touched in choices:  # noqa: B007
                    draw -= room[seat]
                    if draw < 0:
                        break
                room[seat] -= 1
                hands[seat] |= 1 << bit
                for at in touched:
                    slack[at] -= 1
        free = [1 << bit for bit in sorted(self._free, key=lambda _: uniform())]
        start = 0
        for seat, size in enumerate(room):
            if size:
                hands[seat] += sum(free[start : start + size])
                start += size
        return hands

    def _worth(self, cards: int) -> int:
        points = 0
        while cards:
            bit = cards.bit_length() - 1
            points += self._points[bit // self._packs]
            cards ^= 1 << bit
        return points
