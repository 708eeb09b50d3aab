"""Which card to play: the price of the trick weighed against what the rest of the hand will cost."""

import random

from server.bots.burden import Burden, by_suit
from server.bots.memory import QUEEN, SPADES, SPAN, Memory, standing
from server.bots.moon import chance_to_shoot, highest, is_made_for_it, stake, threat
from server.bots.odds import Odds
from server.bots.standings import chosen, gains
from server.bots.weights import Weights

_TRIES = 10
_SURE_ENOUGH = 0.65


def best_card(memory: Memory, weights: Weights, rng: random.Random) -> int:
    """The legal face with the least expected cost, of equals the highest; or a shooter's, if the moon is in reach."""
    if shoots(memory, rng):
        return highest(memory)
    costs = costs_of(memory, weights)
    return min(memory.legal, key=lambda face: (costs[face], -(face % SPAN), face))


def shoots(memory: Memory, rng: random.Random) -> bool:
    """Whether to go for the moon now."""
    return len(memory.legal) > 1 and is_made_for_it(memory) and chance_to_shoot(memory, _TRIES, rng) > _SURE_ENOUGH


def costs_of(memory: Memory, weights: Weights) -> dict[int, float]:
    """The expected cost of each legal face, in penalty points, up to what they have in common."""
    odds = Odds(memory, weights)
    left = sum(count * max(0, worth) for count, worth in zip(memory.unseen, memory.worth.points, strict=True))
    left += max(0, memory.worth_in(memory.hand))
    burden = Burden(weights, memory.players, memory.unseen, memory.worth.points, left / max(1, len(memory.hand)))
    shooter, likely = threat(memory)
    suits, wanted = by_suit(memory.hand), gains(memory)
    costs = {}
    for face in memory.legal:
        suit = face // SPAN
        rest = list(suits[suit])
        rest.remove(face)
        cost = burden.of_suit(suit, tuple(rest)) - burden.of_suit(suit, suits[suit])
        chance, price = odds.taking(face), odds.price(face)
        cost += chance * (price + weights.lead + weights.lead_long * len(memory.hand))
        if wanted is not None:
            cost -= chance * price * wanted[memory.seat] + chosen(wanted, odds.takers(face, chance), price)
        if not memory.trick:
            cost += _leading(memory, suits, face, weights)
        if likely:
            cost += likely * stake(memory, shooter, weights.stop) * helping(memory, shooter, face, chance)
        costs[face] = cost
    return costs


def _leading(memory: Memory, suits: list[tuple[int, ...]], face: int, weights: Weights) -> float:
    """What leading `face` does besides the trick itself: low spades draw the queen from whoever holds her."""
    if face // SPAN == SPADES and face < QUEEN and memory.unseen[QUEEN]:
        return -weights.flush if suits[SPADES][-1] < QUEEN else -weights.flush_high
    return 0.0


def helping(memory: Memory, shooter: int, face: int, chance: float) -> float:
    """How much playing `face`, which takes the trick with this chance, helps a shooter to the cards of the moon.

    From 1, it hands one over, to -1, it makes one go elsewhere.
    """
    moon = memory.worth.moon
    at_stake = moon[face] or any(moon[card] for card in [*memory.trick, *memory.pile])
    if not at_stake:
        return 0.0
    best = standing(memory.rules, memory.trick) if memory.trick else None
    if best is not None and (memory.leader + best) % memory.players == shooter:
        theirs = 1.0 - chance
    else:
        theirs = (1.0 - chance) * 0.5 if shooter in memory.after else 0.0
    return theirs * moon[face] - (1.0 - theirs)
