"""Which card to play: the price of the trick weighed against what the rest of the hand will cost."""

from server.bots.burden import Burden, by_suit
from server.bots.memory import QUEEN, SPADES, SPAN, Memory
from server.bots.odds import Odds
from server.bots.weights import Weights


def best_card(memory: Memory, weights: Weights) -> int:
    """The legal face with the least expected cost; of equals the highest."""
    costs = costs_of(memory, weights)
    return min(memory.legal, key=lambda face: (costs[face], -(face % SPAN), face))


def costs_of(memory: Memory, weights: Weights) -> dict[int, float]:
    """The expected cost of each legal face, in penalty points, up to what they have in common."""
    odds = Odds(memory, weights)
    left = sum(count * max(0, worth) for count, worth in zip(memory.unseen, memory.worth.points, strict=True))
    left += max(0, memory.worth_in(memory.hand))
    burden = Burden(weights, memory.players, memory.unseen, memory.worth.points, left / max(1, len(memory.hand)))
    suits = by_suit(memory.hand)
    costs = {}
    for face in memory.legal:
        suit = face // SPAN
        rest = list(suits[suit])
        rest.remove(face)
        cost = burden.of_suit(suit, tuple(rest)) - burden.of_suit(suit, suits[suit])
        chance = odds.taking(face)
        cost += chance * (odds.price(face) + weights.lead + weights.lead_long * len(memory.hand))
        if not memory.trick:
            cost += _leading(memory, suits, face, weights)
        costs[face] = cost
    return costs


def _leading(memory: Memory, suits: list[tuple[int, ...]], face: int, weights: Weights) -> float:
    """What leading `face` does besides the trick itself: low spades draw the queen from whoever holds her."""
    if face // SPAN == SPADES and face < QUEEN and memory.unseen[QUEEN]:
        return -weights.flush if suits[SPADES][-1] < QUEEN else -weights.flush_high
    return 0.0
