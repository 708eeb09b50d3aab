"""How likely a card takes the trick it is played to, and what that trick will hold."""

from server.bots.memory import HEARTS, QUEEN, SPADES, SPAN, Memory, standing
from server.bots.weights import Weights


class Odds:
    """Chances and prices of the trick being played, before the seat's own card."""

    def __init__(self, memory: Memory, weights: Weights) -> None:
        self.memory = memory
        self.weights = weights
        self.pile = memory.worth_in(memory.pile)
        self.on_table = memory.worth_in(memory.trick)

    def taking(self, face: int) -> float:
        """The chance that `face`, played now, takes the trick."""
        memory, trick = self.memory, [*self.memory.trick, face]
        mine = len(trick) - 1
        led = trick[0] // SPAN
        best = standing(memory.rules, trick)
        if best is None:
            takes_all = memory.last or memory.rules.cancelled_trick == "leader"
            return 1.0 if takes_all and memory.leader == memory.seat else 0.0
        if mine == 0 and self._meets_only_its_twin(face):
            return self._comes_back(face)
        followers = [seat for seat in memory.after if not memory.void[seat][led]]
        if best != mine:
            return self._left_over(trick, mine, best, led, followers)
        chance = 1.0
        for seat in followers:
            chance *= 1.0 - self._beaten_by(seat, face, led)
        return chance

    def _left_over(self, trick: list[int], mine: int, best: int, led: int, followers: list[int]) -> float:
        """The chance that whatever is beating this card gets cancelled and the card is next."""
        face = trick[mine]
        if not followers or face // SPAN != led or not self._can_cancel(trick[best]):
            return 0.0
        without_best = [card for at, card in enumerate(trick) if at != best]
        if standing(self.memory.rules, without_best) != mine - (best < mine):
            return 0.0
        return min(1.0, sum(self._holds(seat, trick[best]) for seat in followers) * self.weights.twin)

    def _meets_only_its_twin(self, face: int) -> bool:
        """Whether nothing of the suit is out but the one other copy: led, the card is cancelled and the trick too."""
        return self._can_cancel(face) and self.memory.unseen[face] == 1 == self.memory.left[face // SPAN]

    def _comes_back(self, face: int) -> float:
        """The chance that the seat, which leads `face` and sees the trick cancelled, ends up with it.

        At the end of the hand the leader takes it, and where the rules say so always; else the seat leads again.
        """
        memory, suit = self.memory, face // SPAN
        if memory.last or memory.rules.cancelled_trick == "leader":
            return 1.0
        return min((self._leads_again(card) for card in set(memory.hand) if card // SPAN != suit), default=1.0)

    def _leads_again(self, face: int) -> float:
        """The chance that `face` takes when it is led to the next trick: that no hidden card is played over it."""
        memory, suit = self.memory, face // SPAN
        if self._meets_only_its_twin(face):
            return 1.0
        better = sum(memory.unseen[face : (suit + 1) * SPAN])
        others = sum(not memory.void[seat][suit] for seat in range(memory.players) if seat != memory.seat)
        return float((1.0 - min(1.0, better / max(1, memory.hidden))) ** others)

    def takers(self, face: int, chance: float) -> list[float]:
        """The chance of each other seat to take the trick when `face` is played, which takes it with this chance."""
        memory, trick = self.memory, [*self.memory.trick, face]
        led, found = trick[0] // SPAN, [0.0] * memory.players
        followers = [seat for seat in memory.after if not memory.void[seat][led]]
        best, left = standing(memory.rules, trick), 1.0 - chance
        if best is not None and best != len(trick) - 1:
            stays = left
            for seat in followers:
                stays *= 1.0 - self._beaten_by(seat, trick[best], led)
            found[(memory.leader + best) % memory.players] = stays
            left -= stays
        for seat in followers:
            found[seat] += left / len(followers)
        return found

    def _can_cancel(self, face: int) -> bool:
        rules = self.memory.rules
        return rules.packs > 1 and rules.duplicates == "cancel" and self.memory.unseen[face] > 0

    def _draws(self, face: int) -> bool:
        """The Aardvark: QS led while another is out draws her, and both go to somebody else.

        Not while most spades are out still: then everybody has a lower one to play.
        """
        memory = self.memory
        return face == QUEEN and not memory.trick and 2 * memory.left[SPADES] <= memory.worth.spades

    def _holds(self, seat: int, face: int) -> float:
        """The chance that `seat` holds a copy of `face`; what was passed to it is certain."""
        memory = self.memory
        given = face in memory.given
        if given and seat == memory.receiver:
            return 1.0
        return min(1.0, (memory.unseen[face] - given) * memory.sizes[seat] / max(1, memory.hidden))

    def _beaten_by(self, seat: int, face: int, led: int) -> float:
        """The chance that `seat` follows with a card that beats or cancels `face`."""
        memory = self.memory
        base = led * SPAN
        above = sum(memory.unseen[face + 1 : base + SPAN])
        if memory.rules.duplicates == "later_wins":
            above += memory.unseen[face]
        size, hidden = memory.sizes[seat], max(1, memory.hidden)
        none = (1.0 - memory.left[led] / hidden) ** size
        no_lower = (1.0 - (memory.left[led] - above) / hidden) ** size
        no_higher = (1.0 - above / hidden) ** size
        willing = max(0.0, self.weights.over + self.weights.over_rich * (self.pile + self.on_table))
        chance = no_lower - none + (1.0 - no_higher - no_lower + none) * willing
        if self._can_cancel(face):
            chance += self._holds(seat, face) * (self.weights.aardvark if self._draws(face) else self.weights.twin)
        return min(1.0, chance)

    def price(self, face: int) -> float:
        """What the trick is going to be worth to its taker when `face` is played now."""
        memory = self.memory
        led = (memory.trick[0] if memory.trick else face) // SPAN
        price = float(self.pile + self.on_table + memory.worth.points[face])
        barred = memory.first and not memory.rules.first_trick_points
        for seat in memory.after:
            size = memory.sizes[seat]
            none = 1.0 if memory.void[seat][led] else (1.0 - memory.left[led] / max(1, memory.hidden)) ** size
            if not barred:
                price += none * self._dumped(seat) * self.weights.dump
        if led == HEARTS:
            price += sum(not memory.void[seat][HEARTS] for seat in memory.after) * min(1.0, memory.left[HEARTS])
        if led == SPADES and memory.unseen[QUEEN] and face > QUEEN:
            price += (
                memory.worth.points[QUEEN]
                * min(1.0, sum(self._holds(seat, QUEEN) for seat in memory.after))
                * self.weights.fall
            )
        return price

    def _dumped(self, seat: int) -> float:
        """What a seat that cannot follow is going to throw on the trick."""
        memory = self.memory
        queen = self._holds(seat, QUEEN) * memory.worth.points[QUEEN]
        return queen + min(1.0, memory.left[HEARTS] * memory.sizes[seat] / max(1, memory.hidden))
