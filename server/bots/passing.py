"""Which cards to pass."""

from server.bots.burden import Burden, by_suit
from server.bots.memory import SPAN, Memory
from server.bots.weights import Weights


def cards_to_pass(memory: Memory, count: int, weights: Weights) -> list[int]:
    """The faces whose going eases the hand most, taken one after the other."""
    rules = memory.rules
    average = sum(memory.worth_in([face]) * memory.worth.deck[face] for face in range(len(memory.worth.deck)))
    burden = Burden(weights, memory.players, memory.unseen, memory.worth.points, average / rules.worked_out.each)
    hand, gone = list(memory.hand), []
    for _ in range(count):
        suits = by_suit(hand)

        def relief(face: int, suits: list[tuple[int, ...]] = suits) -> float:
            suit = face // SPAN
            rest = list(suits[suit])
            rest.remove(face)
            return burden.of_suit(suit, suits[suit]) - burden.of_suit(suit, tuple(rest))

        worst = max(dict.fromkeys(hand), key=lambda face: (relief(face), face % SPAN, face))
        hand.remove(worst)
        gone.append(worst)
    return gone
