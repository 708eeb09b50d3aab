"""A playout is true to the rules: its scores are those of the engine for the same cards played by the same rule."""

import os
import random

import pytest

from rules.cards import Card
from rules.commands import Deal, PlayCard
from rules.decide import decide
from rules.evolve import evolve
from rules.ruleset import RuleSet
from rules.scoring import card_values
from rules.state import GameState, HandState, new_game
from rules.trick import winning_play
from rules.view import seen
from server.bots.memory import HEARTS, SPADES, SPAN, Memory
from server.bots.playout import MOON, Playouts, playouts_for
from server.bots.worlds import Worlds
from tests.load.yardsticks import at_random
from tests.server.bots.test_every_table import ROWS, any_rules

HANDS = [150, pytest.param(5000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
SEED = int(os.environ.get("BOT_SEED", "") or random.randrange(10**9))


def dealt(rules: RuleSet, rng: random.Random) -> GameState:
    order = list(rules.worked_out.cards)
    rng.shuffle(order)
    state = new_game(rules, rng.randrange(rules.players))
    for event in decide(state, None, Deal(tuple(order))):
        state = evolve(state, event)
    return state


def position(rules: RuleSet, rng: random.Random) -> tuple[GameState, HandState, int] | None:
    """A position somewhere in a hand, reached by random play, and whose turn it is; None where the hand ended early."""
    state = dealt(rules, rng)
    plays = rng.randrange(rules.players * rules.worked_out.each)
    while state.phase in ("passing", "playing"):
        hand = state.hand
        assert hand is not None
        seat = hand.turn
        if seat is None:
            seat = next(at for at, passed in enumerate(hand.passed) if passed is None)
        elif hand.turn_number == plays:
            return state, hand, seat
        for event in decide(state, seat, at_random(seen(state, seat), rng.getrandbits(32))):
            state = evolve(state, event)
    return None


class Copies:
    """Tells the copies of a face apart, as the playouts do: the bits that each seat holds."""

    def __init__(self, hand: HandState, packs: int) -> None:
        self.packs = packs
        self._used: dict[Card, int] = {}
        self.table = [self._next(play.card) for play in hand.trick]
        self.hands = [[self._next(card) for card in cards] for cards in hand.cards]

    def _next(self, card: Card) -> int:
        self._used[card] = self._used.get(card, -1) + 1
        return card.order * self.packs + self._used[card]

    def quick(self, state: GameState, seat: int, novice: bool) -> tuple[Card, int]:
        """What the quick rule plays, or a novice, as a card and as a bit."""
        view = seen(state, seat).view
        assert view.me is not None
        assert view.hand is not None
        width = SPAN * self.packs
        faces = {card.order: card for card in view.me.legal}
        legal = [bit for bit in self.hands[seat] if bit // self.packs in faces]
        trick = [play.card for play in view.hand.trick]
        suit = trick[0].order // SPAN if trick else None

        def rank(bit: int) -> tuple[int, int]:
            return bit % width, -bit

        if suit is None:
            chosen = min(legal, key=lambda bit: (bit % width, bit))
        elif legal[0] // width == suit:
            low = not novice and len(trick) < state.rules.players - 1
            chosen = max(self._ducking(state.rules, trick, legal, novice) or ([min(legal)] if low else legal))
        else:
            values = card_values(state.rules)
            dear = [bit for bit in legal if bit // width == SPADES and faces[bit // self.packs] in values]
            hearts = [bit for bit in legal if bit // width == HEARTS]
            chosen = min(dear) if dear else max(hearts or legal, key=rank)
        return faces[chosen // self.packs], chosen

    def _ducking(self, rules: RuleSet, trick: list[Card], legal: list[int], novice: bool) -> list[int]:
        """The bits that would not win the trick as it stands, to a novice without those that cancel."""
        best = winning_play(rules, trick)
        if best is None:
            return []
        highest = trick[best].order - (novice or self.packs == 1 or rules.duplicates != "cancel")
        return [bit for bit in legal if bit // self.packs <= highest]


def played_out(state: GameState, copies: Copies, novices: int) -> tuple[int, ...]:
    """The scores when the engine plays on by the quick rule."""
    while state.phase == "playing":
        assert state.hand is not None
        seat = state.hand.turn
        assert seat is not None
        card, bit = copies.quick(state, seat, novices >> seat & 1 == 1)
        copies.hands[seat].remove(bit)
        for event in decide(state, seat, PlayCard(card, state.hand.turn_number)):
            state = evolve(state, event)
    return state.results[-1].scores


def raced(state: GameState, hand: HandState, seat: int, engine: Playouts, novices: int) -> list[int]:
    """The scores of a playout of the same position."""
    rules, copies = state.rules, Copies(hand, state.rules.packs)
    memory = Memory(seen(state, seat))
    _, own = copies.quick(state, seat, novices >> seat & 1 == 1)
    copies.hands[seat].remove(own)
    masks = engine.by_suit([sum(1 << bit for bit in bits) for bits in copies.hands])
    kitty = sum(engine.worth[card.order // SPAN][card.order % SPAN * rules.packs] for card in hand.kitty)
    taken = [points + moon * MOON for points, moon in zip(memory.shown, memory.moon_taken, strict=True)]
    if memory.kitty_taker is not None:
        taken[memory.kitty_taker] += kitty
    opening = engine.begin(
        memory.leader, [*copies.table, own], memory.pile, len(memory.hand), memory.first, memory.broken, taken
    )
    if rules.kitty_to == "last_trick":
        opening = opening._replace(last_pile=kitty)
    elif memory.kitty_taker is None:
        opening = opening._replace(value=opening.value + kitty)
    return engine.scores(engine.run(opening, masks, novices=novices), memory.totals, memory.number)


@pytest.mark.parametrize("hands", HANDS)
def test_scores_agree_with_the_engine_at_every_table(hands: int) -> None:
    rng = random.Random(SEED)
    for number in range(hands):
        rules = any_rules(rng, ROWS[number % len(ROWS)], moon=["add", "subtract", "auto", "off"])
        reached = position(rules, rng)
        if reached is None:
            continue
        novices = rng.getrandbits(rules.players)
        expected = played_out(reached[0], Copies(reached[1], rules.packs), novices)
        got = raced(*reached, playouts_for(rules), novices)
        assert tuple(got) == expected, f"BOT_SEED={SEED}, hand {number}, {rules}"


@pytest.mark.parametrize("hands", HANDS)
def test_worlds_agree_with_what_was_seen(hands: int) -> None:
    rng = random.Random(SEED)
    for number in range(hands):
        rules = any_rules(rng, ROWS[number % len(ROWS)], revoke=["refuse"])
        reached = position(rules, rng)
        if reached is None:
            continue
        packs = rules.packs
        memory = Memory(seen(reached[0], reached[2]))
        worlds = Worlds(memory, rng)
        for _ in range(3):
            hands = worlds.deal()
            what = f"BOT_SEED={SEED}, hand {number}, {rules}"
            assert [hand.bit_count() for hand in hands] == [*memory.sizes, rules.worked_out.kitty], what
            whole = sum(hands)
            faces = [(whole >> face * packs & (1 << packs) - 1).bit_count() for face in range(60)]
            assert faces == [memory.unseen[face] + memory.hand.count(face) for face in range(60)], what
            for seat in range(rules.players):
                suits = [hands[seat] >> suit * SPAN * packs & (1 << SPAN * packs) - 1 for suit in range(4)]
                assert not any(held and void for held, void in zip(suits, memory.void[seat], strict=True)), what
