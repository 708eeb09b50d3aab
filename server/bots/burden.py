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
        self._weights = weights
        self._players = players
        self._unseen = unseen
        self._points = points
        self._average = average
        self._known: dict[tuple[int, ...], float] = {}

    def of_suit(self, suit: int, held: tuple[int, ...]) -> float:
        """The cost of holding exactly these faces (ascending) of a suit."""
        if not held:
            return -self._weights.void
        cost = self._known.get(held)
        if cost is None:
            cost = self._known[held] = self._cost(suit, held)
        return cost

    def _cost(self, suit: int, held: tuple[int, ...]) -> float:
        weights, unseen = self._weights, self._unseen
        base = suit * SPAN
        left = sum(unseen[base : base + SPAN])
        if left == 0:
            return 0.0
        crowd = 1.0 + (self._players - 2) * weights.crowd
        rounds = weights.reach * (left + len(held)) / self._players
        price = self._average * weights.trick
        if suit == HEARTS:
            price += weights.heart * self._players
        total, below, face = 0.0, 0.0, base
        for at, card in enumerate(held):
            if face < card:
                below += sum(unseen[face:card])
                face = card
            asked = rounds / (rounds + at)
            total += asked * ((below + unseen[card] * 0.5) / left) ** crowd * price
        if suit == SPADES:
            total += self._queen(held)
        return total

    def _queen(self, held: tuple[int, ...]) -> float:
        """What the queens of spades add to the cost of these spades."""
        weights, worth = self._weights, self._points[QUEEN] / 13
        queens = held.count(QUEEN)
        fear = queens * worth * weights.lone * weights.cover ** (len(held) - queens)
        if self._unseen[QUEEN]:
            high = held.count(KING) + held.count(ACE)
            fear += high * worth * weights.court * weights.shield ** (len(held) - high)
        return fear


def by_suit(hand: Sequence[int]) -> list[tuple[int, ...]]:
    """The faces of a hand, suit by suit, ascending."""
    suits: list[list[int]] = [[], [], [], []]
    for face in hand:
        suits[face // SPAN].append(face)
    return [tuple(suit) for suit in suits]
