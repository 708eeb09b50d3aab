"""What a seat can work out from what it has seen: cards still out, voids shown, who took what.

Bots work on plain integers: a face is its `Card.order`, suit * 15 + rank, so `face // 15` is the suit (clubs,
diamonds, spades, hearts) and faces of one suit compare by rank.
"""

from collections.abc import Sequence
from functools import lru_cache

from rules.cards import FACES, Card
from rules.ruleset import RuleSet
from rules.scoring import card_values
from rules.view import Seen

SPAN = 15
CLUBS, DIAMONDS, SPADES, HEARTS = range(4)
SIZE = 4 * SPAN
QUEEN, KING, ACE = Card.SQ.order, Card.SK.order, Card.SA.order

CARD_OF: dict[int, Card] = {card.order: card for card in FACES}


class Worth:
    """What each face is worth under a rule set, and whether it belongs to the moon, by face."""

    def __init__(self, rules: RuleSet) -> None:
        self.points = [0] * SIZE
        for card, value in card_values(rules).items():
            self.points[card.order] = value
        self.moon = [int(value > 0 and face >= SPADES * SPAN) for face, value in enumerate(self.points)]
        self.deck = [0] * SIZE
        for card in rules.worked_out.cards:
            self.deck[card.order] += 1
        self.spades = sum(self.deck[SPADES * SPAN : HEARTS * SPAN])
        self.moon_total = sum(count * moon for count, moon in zip(self.deck, self.moon, strict=True))


@lru_cache(maxsize=64)
def worth_of(rules: RuleSet) -> Worth:
    """The worth of the faces under `rules`, worked out once."""
    return Worth(rules)


class Memory:
    """One seat's knowledge in the middle of a hand, worked out from what it has seen.

    hand, legal: faces, ascending. unseen: copies of each face that are neither in the hand nor played; left: the
    same by suit; hidden: all of them. void[seat][suit]: the seat has shown that it has none. given: faces passed to
    `receiver` that it has not played yet. moon_taken, shown: cards of the moon and points that each seat took in the
    open; kitty_taker, kitty_points: who took a kitty unseen, and what it must have been worth. trick: faces in order
    of play from `leader`; pile: the carried faces. after: seats that play to this trick after this one.
    """

    def __init__(self, seen: Seen) -> None:
        rules, hand, me = seen.rules, seen.view.hand, seen.view.me
        assert hand is not None
        assert me is not None
        self.rules = rules
        self.worth = worth_of(rules)
        self.players = rules.players
        self.seat = seen.seat
        self.hand = [card.order for card in me.cards]
        self.legal = [card.order for card in me.legal]
        self.broken = hand.hearts_broken
        self.turn_number = hand.turn_number
        self.totals = seen.view.scores.totals
        self.sizes = [seat.cards for seat in seen.view.seats]
        self.number = hand.number
        self.leader = self.seat if hand.leader is None else hand.leader
        self.trick = [play.card.order for play in hand.trick]
        self.first = not seen.tricks
        self.last = len(self.hand) == 1
        self.receiver: int | None = None
        self.given: list[int] = []
        if hand.pass_ is not None and me.received is not None:
            self.receiver = (self.seat + hand.pass_.offset) % self.players
            self.given = [card.order for card in me.passed or ()]
        self.shown = [0] * self.players
        self.kitty_taker: int | None = None
        self.kitty_points: int | None = None
        self.moon_taken = [0] * self.players
        self.void = [[False] * 4 for _ in range(self.players)]
        self.unseen = list(self.worth.deck)
        self.pile: list[int] = []
        self._recall(seen)
        for face in self.hand:
            self.unseen[face] -= 1
        self.left = [sum(self.unseen[suit * SPAN : suit * SPAN + SPAN]) for suit in range(4)]
        self.hidden = sum(self.left)
        played = len(self.trick)
        self.after = [(self.leader + at) % self.players for at in range(played + 1, self.players)]

    def _recall(self, seen: Seen) -> None:
        """Go through everything that was played."""
        hearts_may_be_led = not self.rules.hearts_must_break
        moon = self.worth.moon
        for trick in seen.tricks:
            faces = [play.card.order for play in trick.plays]
            hearts_may_be_led = self._watch(trick.leader, faces, hearts_may_be_led)
            self.pile += faces
            if trick.taker is not None:
                shown = self.worth_in(self.pile)
                self.shown[trick.taker] += shown
                if self.kitty_taker is None and self.rules.worked_out.kitty and self.rules.kitty_to == "first_trick":
                    self.kitty_taker, self.kitty_points = trick.taker, trick.points - shown
                self.moon_taken[trick.taker] += sum(moon[face] for face in self.pile)
                self.pile = []
        if self.trick:
            self._watch(self.leader, self.trick, hearts_may_be_led)

    def _watch(self, leader: int, faces: Sequence[int], broken: bool) -> bool:
        """Learn from the plays of one trick; says whether hearts are broken after it."""
        led = faces[0] // SPAN
        if led == HEARTS and not broken:
            self.void[leader][:3] = [True] * 3
        for at, face in enumerate(faces):
            seat = (leader + at) % self.players
            suit = face // SPAN
            self.unseen[face] -= 1
            if suit != led:
                self.void[seat][led] = True
            if seat == self.receiver and face in self.given:
                self.given.remove(face)
            broken = broken or suit == HEARTS or (face == QUEEN and self.rules.queen_breaks_hearts)
        return broken

    def worth_in(self, faces: Sequence[int]) -> int:
        """The points of these faces together."""
        points = self.worth.points
        return sum(points[face] for face in faces)


def standing(rules: RuleSet, faces: Sequence[int]) -> int | None:
    """Which play of a trick (0 is the lead) wins as it stands; None when every led-suit card is cancelled."""
    led = faces[0] // SPAN
    cancels = rules.packs > 1 and rules.duplicates == "cancel" and len(set(faces)) < len(faces)
    best: int | None = None
    for at, face in enumerate(faces):
        if face // SPAN != led or (best is not None and face < faces[best]):
            continue
        if cancels and (copies := faces.count(face)) > 1:
            third = rules.triples == "pair" and copies == 3
            if not third or face in faces[at + 1 :]:
                continue
        best = at
    return best
