"""Plays a hand to its end by a quick rule, many thousand times a second.

The quick rule: lead the lowest card; follow with the highest card that does not win (the twin of the winning card
cancels it), else with the lowest, but last to play with the highest; when void, throw the cheapest-ranked spade that
has points, else the highest heart, else the highest card. A hunter, who shoots the moon, leads and follows with the
highest card and throws the lowest, points last. A novice never cancels, and takes with the highest card always.

A card is one bit: in a suit's mask copy j of rank r is bit r * packs + j. A worth carries the moon with it: penalty
points plus MOON for each card of the moon.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rules.ruleset import RuleSet
from rules.scoring import add, game_result, moon_value
from server.bots.memory import CLUBS, DIAMONDS, HEARTS, QUEEN, SIZE, SPADES, SPAN, worth_of

MOON = 1 << 12
Masks = tuple[list[int], list[int], list[int], list[int]]
"""Clubs, diamonds, spades, hearts: a mask for each seat."""


class Opening(NamedTuple):
    """A trick begun, from which a hand is played out.

    suit: led; rest: the seats still to play, in order; played: mask of the led-suit cards in it; who: the seat that
    played each of these bits; best, winner: the bit that wins as it stands (-1: none) and its seat; value: worth on
    the table, off the led suit and carried; tricks: left after this one; bar: no points may be thrown on this one;
    last_pile: worth of a kitty that goes to the last trick; taken: worth by seat.
    """

    suit: int
    leader: int
    rest: Sequence[int]
    played: int
    who: Sequence[int]
    best: int
    winner: int
    value: int
    tricks: int
    bar: bool
    broken: bool
    last_pile: int
    taken: Sequence[int]


class Playouts:
    """The playouts of one rule set: all that the loop needs to know of it, in integers."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.packs = packs = rules.packs
        self.players = players = rules.players
        self.width = width = SPAN * packs
        self.cancels = packs > 1 and rules.duplicates == "cancel"
        self.carries = rules.cancelled_trick == "carry"
        self.high_pair_second = rules.last_cancelled_trick == "high_pair_second"
        self.third_stands = packs == 3 and rules.triples == "pair"
        worth = worth_of(rules)
        each = [worth.points[face] + MOON * worth.moon[face] for face in range(SIZE)]
        self.worth = [[each[suit * SPAN + bit // packs] for bit in range(width)] for suit in range(4)]
        self.valued = [
            [(self.copies(rank), each[suit * SPAN + rank]) for rank in range(SPAN) if each[suit * SPAN + rank]]
            for suit in range(HEARTS)
        ] + [[((1 << width) - 1, 1 + MOON)]]
        self.dear = sum(mask for mask, _ in self.valued[SPADES])
        self.dear_clubs = sum(mask for mask, _ in self.valued[CLUBS])
        self.breaker = self.copies(QUEEN % SPAN) if rules.queen_breaks_hearts else 0
        self.under = [(1 << (bit // packs * packs)) - 1 for bit in range(width)]
        self.ducks = [(1 << ((bit // packs + self.cancels) * packs)) - 1 for bit in range(width)]
        self.rest = [[(seat + at) % players for at in range(1, players)] for seat in range(players)]
        self.lowest = sum(1 << (rank * packs) for rank in range(SPAN))

    def copies(self, rank: int) -> int:
        """The bits of all copies of a rank within a suit."""
        return ((1 << self.packs) - 1) << (rank * self.packs)

    def standing(self, played: int) -> int:
        """The highest bit of these led-suit cards that is not cancelled, -1 when there is none.

        A third copy that stands is shown by the lowest bit of its rank.
        """
        low = self.lowest
        if self.packs == 2:
            pairs = played & (played >> 1) & low
            return (played & ~(pairs * 3)).bit_length() - 1
        first, second, third = played & low, (played >> 1) & low, (played >> 2) & low
        twice = (first & second) | (first & third) | (second & third)
        left = played & ~(twice * 7)
        if self.third_stands:
            left |= first & second & third
        return left.bit_length() - 1

    def second_of_highest(self, played: int, who: Sequence[int], leader: int) -> int:
        """The seat that played the second copy of the highest of these cards, all of them cancelled."""
        top = (played.bit_length() - 1) // self.packs * self.packs
        turns = sorted((who[bit] - leader) % self.players for bit in range(top, top + self.packs) if played >> bit & 1)
        return (leader + turns[1]) % self.players

    def by_suit(self, hands: Sequence[int]) -> Masks:
        """Hands as masks of the whole deck, taken apart."""
        width, full = self.width, (1 << self.width) - 1
        clubs = [hand & full for hand in hands]
        diamonds = [hand >> width & full for hand in hands]
        spades = [hand >> 2 * width & full for hand in hands]
        return clubs, diamonds, spades, [hand >> 3 * width for hand in hands]

    def worth_in(self, cards: int) -> int:
        """The worth of these cards, a mask of the whole deck."""
        worth = 0
        while cards:
            suit, bit = divmod(cards.bit_length() - 1, self.width)
            worth += self.worth[suit][bit]
            cards ^= 1 << suit * self.width + bit
        return worth

    def begin(
        self,
        leader: int,
        cards: Sequence[int],
        pile: Sequence[int],
        size: int,
        first: bool,
        broken: bool,
        taken: Sequence[int],
    ) -> Opening:
        """The trick that `leader` led, as it stands after `cards` (bits of the whole deck, in order of play).

        pile: the faces carried; size: cards that the seat of the last card held before it; taken: worth by seat.
        """
        led = cards[0] // self.width
        played, best, winner, who = 0, -1, leader, [0] * self.width
        value = sum(self.worth[face // SPAN][face % SPAN * self.packs] for face in pile)
        for at, card in enumerate(cards):
            suit, bit = divmod(card, self.width)
            broken = broken or suit == HEARTS or (suit == SPADES and self.breaker >> bit & 1 == 1)
            if suit != led:
                value += self.worth[suit][bit]
                continue
            seat = (leader + at) % self.players
            played |= 1 << bit
            who[bit] = seat
            if self.cancels:
                if self.third_stands and played >> bit // 3 * 3 & 7 == 7:
                    who[bit // 3 * 3] = seat
                best = self.standing(played)
                winner = who[best]
            elif best < 0 or self.under[bit] >= self.under[best]:
                best, winner = bit, seat
        return Opening(
            suit=led,
            leader=leader,
            rest=self.rest[leader][len(cards) - 1 :],
            played=played,
            who=who,
            best=best,
            winner=winner,
            value=value,
            tricks=size - 1,
            bar=first and not self.rules.first_trick_points,
            broken=broken or not self.rules.hearts_must_break,
            last_pile=0,
            taken=taken,
        )

    def run(self, opening: Opening, hands: Masks, hunter: int = -1, novices: int = 0) -> list[int]:
        """Play the hand out; returns the worth taken by each seat.

        hands: what every seat holds after the opening; they are used up. hunter: who shoots the moon, -1: nobody.
        novices: a mask of the seats that play as novices do.
        """
        clubs, diamonds, spades, hearts = hands
        under, ducks, worth, valued = self.under, self.ducks, self.worth, self.valued
        dear, breaker = self.dear, self.breaker
        cancels, triple = self.cancels and self.packs == 2, self.cancels and self.packs == 3
        suit, leader, rest, played, before, best, winner, value, tricks, bar, broken, last_pile, so_far = opening
        who, taken = list(before), list(so_far)
        while True:
            led, final = hands[suit], rest[-1] if rest else leader
            for seat in rest:
                if held := led[seat]:
                    low = 0
                    if seat != hunter:
                        novice = novices >> seat & 1
                        if best >= 0:
                            low = held & (under if novice else ducks)[best]
                        if not (low or novice or seat == final):
                            low = held & -held
                    bit = (low or held).bit_length() - 1
                    led[seat] = held ^ (1 << bit)
                    played |= 1 << bit
                    who[bit] = seat
                    if triple:
                        if self.third_stands and played >> bit // 3 * 3 & 7 == 7:
                            who[bit // 3 * 3] = seat
                        best = self.standing(played)
                        winner = who[best]
                    elif cancels and bit ^ 1 == best:
                        best = self.standing(played)
                        winner = who[best]
                    elif best < 0 or under[bit] >= under[best]:
                        best, winner = bit, seat
                    continue
                c, d, s, h = clubs[seat], diamonds[seat], spades[seat], hearts[seat]
                if bar and (c & ~self.dear_clubs or d or s & ~dear):
                    c, s, h = c & ~self.dear_clubs, s & ~dear, 0
                if seat == hunter:
                    value += self._hold_back(hands, seat, c, d, s, h)
                elif dear & s:
                    low = dear & s & -(dear & s)
                    spades[seat] ^= low
                    value += worth[SPADES][low.bit_length() - 1]
                    broken = broken or low & breaker > 0
                elif h:
                    hearts[seat] ^= 1 << h.bit_length() - 1
                    value += 1 + MOON
                    broken = True
                else:
                    bit, thrown = c.bit_length(), CLUBS
                    if (top := d.bit_length()) > bit:
                        bit, thrown = top, DIAMONDS
                    if (top := s.bit_length()) > bit:
                        bit, thrown = top, SPADES
                    hands[thrown][seat] ^= 1 << bit - 1
                    value += worth[thrown][bit - 1]

            for mask, unit in valued[suit]:
                if mask & played:
                    value += (mask & played).bit_count() * unit
            if suit == HEARTS or (suit == SPADES and played & breaker):
                broken = True
            if tricks == 0:
                value += last_pile
                if best < 0:
                    winner = self.second_of_highest(played, who, leader) if self.high_pair_second else leader
                taken[winner] += value
                return taken
            if best >= 0 or not self.carries:
                if best >= 0:
                    leader = winner
                taken[leader] += value
                value = 0

            c, d, s, h = clubs[leader], diamonds[leader], spades[leader], hearts[leader]
            if not broken and (c or d or s):
                h = 0
            if leader == hunter:
                bit, suit = c.bit_length(), CLUBS
                if (top := d.bit_length()) > bit:
                    bit, suit = top, DIAMONDS
                if (top := s.bit_length()) > bit:
                    bit, suit = top, SPADES
                if (top := h.bit_length()) > bit:
                    bit, suit = top, HEARTS
                bit -= 1
            else:
                low, suit = c & -c, CLUBS
                if d and (not low or d & -d < low):
                    low, suit = d & -d, DIAMONDS
                if s and (not low or s & -s < low):
                    low, suit = s & -s, SPADES
                if h and (not low or h & -h < low):
                    low, suit = h & -h, HEARTS
                bit = low.bit_length() - 1
            played = 1 << bit
            hands[suit][leader] ^= played
            who[bit] = leader
            best, winner, rest = bit, leader, self.rest[leader]
            bar, tricks = False, tricks - 1

    def _hold_back(self, hands: Masks, seat: int, c: int, d: int, s: int, h: int) -> int:
        """A hunter's discard among these cards: the lowest, points last; returns its worth."""
        plain = s & ~self.dear
        low, suit = (c & -c, CLUBS) if c else (1 << self.width, CLUBS)
        if d and d & -d < low:
            low, suit = d & -d, DIAMONDS
        if plain and plain & -plain < low:
            low, suit = plain & -plain, SPADES
        if not (c or d or plain):
            low, suit = (h & -h, HEARTS) if h else (s & -s, SPADES)
        hands[suit][seat] ^= low
        return self.worth[suit][low.bit_length() - 1]

    def scores(self, taken: Sequence[int], totals: Sequence[int], number: int) -> list[int]:
        """The score of each seat for the worth it took, the moon scored as the rules say (`choice` as `auto`)."""
        rules = self.rules
        moons = [(worth + MOON // 2) >> 12 for worth in taken]
        points = [worth - moon * MOON for worth, moon in zip(taken, moons, strict=True)]
        if rules.moon == "off" or moons.count(0) < self.players - 1:
            return points
        shooter = moons.index(max(moons))
        whole = moon_value(rules)
        points[shooter] -= whole
        added = [score + whole * (seat != shooter) for seat, score in enumerate(points)]
        if rules.moon == "add":
            return added
        if rules.moon != "subtract":
            result = game_result(rules, add(totals, added), number)
            if result is None or shooter in result.winners:
                return added
        points[shooter] -= whole
        return points


@lru_cache(maxsize=64)
def playouts_for(rules: RuleSet) -> Playouts:
    """The playouts of `rules`, prepared once."""
    return Playouts(rules)
