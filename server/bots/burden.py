"""What the cards of a hand are going to cost: the fear that decides what to pass, to discard and to keep."""

from collections.abc import Sequence

from server.bots.memory import ACE, HEARTS, KING, QUEEN, SPADES, SPAN
from server.bots.weights import Weights


class Burden:
    """Costs of holding cards, given what is still out.

    players: at the table; unseen: copies by face; points: what each face is worth; average: penalty points that a
    trick is going to hold from now on.
    """

    def __init__(
        self, weights: Weights, players: int, unseen: Sequence[int], points: Sequence[int], average: float
    ) -> None:
        self.weights = weights
        self.players = players
        self.unseen = unseen
        self.points = points
        self.average = average
        self._known: dict[tuple[int, ...], float] = {}

    def of_suit(self, suit: int, held: tuple[int, ...]) -> float:
        """The cost of holding exactly these faces (ascending) of a suit."""
        if not held:
            return -self.weights.void
        key = (suit, *held)
        cost = self._known.get(key)
        if cost is None:
            cost = self._known[key] = self._cost(suit, held)
        return cost

    def _cost(self, suit: int, held: tuple[int, ...]) -> float:
        weights, unseen = self.weights, self.unseen
        base = suit * SPAN
        left = sum(unseen[base : base + SPAN])
        if left == 0:
            return 0.0
        others = (self.players - 1) * weights.exponent
        safe_rounds = left / (self.players - 1) * 0.7
        total, below, face = 0.0, 0.0, base
        size = len(held)
        for at, card in enumerate(held):
            while face < card:
                below += unseen[face]
                face += 1
            low = below + unseen[card] * 0.5
            chance = (low / left) ** min(others, left)
            rounds = size - 1 - at
            price = self.average * (weights.trick + weights.late * max(0.0, rounds - safe_rounds))
            if suit == HEARTS:
                price += weights.heart * self.players
            total += chance * price
        if suit == SPADES:
            total += self._queen(held)
        return total

    def _queen(self, held: tuple[int, ...]) -> float:
        """What the queens of spades add to the cost of these spades."""
        weights, queens = self.weights, self.points[QUEEN] / 13
        cover = weights.cover ** sum(1 for card in held if card < QUEEN)
        fear = 0.0
        if QUEEN in held:
            fear += held.count(QUEEN) * queens * weights.lone * (0.4 + 0.6 * cover)
        if self.unseen[QUEEN]:
            high = sum(1 for card in held if card in (KING, ACE))
            fear += high * queens * weights.court * cover * min(1.0, self.unseen[QUEEN])
        return fear


def by_suit(hand: Sequence[int]) -> list[tuple[int, ...]]:
    """The faces of a hand, suit by suit, ascending."""
    suits: list[list[int]] = [[], [], [], []]
    for face in hand:
        suits[face // SPAN].append(face)
    return [tuple(suit) for suit in suits]
