"""A game as a state machine that hypothesis drives: whatever is asked, allowed or not, the game stays whole."""

from collections import Counter
from random import Random
from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rules.cards import FACES, Card
from rules.commands import ChooseMoon, Close, Command, Deal, Pass, PlayCard
from rules.decide import RuleViolation, decide
from rules.ending import Events
from rules.evolve import evolve
from rules.legality import legal_cards, why_not
from rules.ruleset import RuleSet
from rules.state import GameState, new_game
from rules.view import redact, view
from tests.rules.playing import DECK_ROWS, SINGLE_OPTIONS

CODES = {
    "wrong_phase",
    "wrong_deck",
    "already_passed",
    "wrong_pass_size",
    "card_not_held",
    "stale_turn",
    "not_your_turn",
    "not_the_shooter",
    "must_follow_suit",
    "hearts_not_broken",
    "points_on_first_trick",
    "must_lead_low_card",
}
SEATS = st.integers(0, 10)
CARDS = st.sampled_from(FACES)


class Machine(RuleBasedStateMachine):
    state: GameState

    @initialize(row=st.sampled_from(DECK_ROWS), options=st.sampled_from(SINGLE_OPTIONS), dealer=SEATS)
    def sit_down(self, row: tuple[int, int], options: dict[str, Any], dealer: int) -> None:
        packs, players = row
        if options.get("deck") == "kitty" and packs != 2:
            options = {}
        self.rules = RuleSet.resolve(None, players, {"packs": packs, **options})
        self.state = new_game(self.rules, dealer % players)

    def ask(self, seat: int | None, command: Command) -> str:
        """Ask; the code of the refusal, or "" when it was done."""
        before = msgspec.msgpack.encode(self.state)
        code = ""
        events: Events = ()
        try:
            events = decide(self.state, seat, command)
        except RuleViolation as refused:
            code = refused.code
        assert code in CODES or not code
        assert events or msgspec.msgpack.encode(self.state) == before
        for event in events:
            self.state = evolve(self.state, event)
            for other in (0, None):
                assert msgspec.json.encode(redact(event, other))
        return code

    @precondition(lambda self: self.state.phase == "dealing")
    @rule(seed=st.integers(0, 10**9))
    def deal(self, seed: int) -> None:
        order = list(self.rules.worked_out.cards)
        Random(seed).shuffle(order)
        assert self.ask(None, Deal(tuple(order))) == ""

    @precondition(lambda self: self.state.phase == "passing")
    @rule(data=st.data())
    def all_pass(self, data: st.DataObject) -> None:
        hand = self.state.hand
        assert hand is not None
        for seat in data.draw(st.permutations(range(self.rules.players))):
            if hand.passed[seat] is None:
                cards = Random(seat).sample(hand.cards[seat], hand.pass_size)
                assert self.ask(seat, Pass(tuple(cards))) == ""
                assert self.state.phase == "playing" or self.ask(seat, Pass(tuple(cards))) == "already_passed"

    @precondition(lambda self: self.state.phase == "playing")
    @rule(choices=st.lists(st.integers(0, 30), min_size=1, max_size=25))
    def play(self, choices: list[int]) -> None:
        for choice in choices:
            hand = self.state.hand
            assert hand is not None
            if self.state.phase != "playing" or hand.turn is None:
                return
            legal = legal_cards(self.state, hand.turn)
            barred = why_not(self.state, hand.turn)
            assert legal
            assert set(legal) | set(barred) == set(hand.cards[hand.turn])
            assert not set(legal) & set(barred)
            if barred and self.rules.revoke == "refuse":
                card = sorted(barred, key=str)[choice % len(barred)]
                assert self.ask(hand.turn, PlayCard(card, hand.turn_number)) == barred[card]
            card = legal[choice % len(legal)]
            assert self.ask(hand.turn, PlayCard(card, hand.turn_number)) == ""

    @precondition(lambda self: self.state.phase == "moon")
    @rule(choice=st.sampled_from(["add", "subtract", "auto"]), seat=SEATS)
    def choose(self, choice: Any, seat: int) -> None:
        hand = self.state.hand
        assert hand is not None
        if seat != hand.turn:
            assert self.ask(seat, ChooseMoon(choice)) == "not_the_shooter"
        assert self.ask(hand.turn, ChooseMoon(choice)) == ""

    @rule(seat=SEATS, card=CARDS, turn=st.integers(0, 100))
    def play_anything(self, seat: int, card: Card, turn: int) -> None:
        self.ask(seat % self.rules.players, PlayCard(card, turn))

    @rule(seat=SEATS, cards=st.lists(CARDS, max_size=6))
    def pass_anything(self, seat: int, cards: list[Card]) -> None:
        self.ask(seat % self.rules.players, Pass(tuple(cards)))

    @rule(cards=st.lists(CARDS, max_size=6))
    def deal_anything(self, cards: list[Card]) -> None:
        assert self.ask(None, Deal(tuple(cards))) in ("wrong_phase", "wrong_deck")

    @precondition(lambda self: len(self.state.results) > 2)
    @rule()
    def close(self) -> None:
        assert self.ask(None, Close()) == ("wrong_phase" if self.state.phase == "over" else "")

    @invariant()
    def cards_are_conserved(self) -> None:
        hand = self.state.hand
        if hand is not None:
            held = Counter(card for cards in (*hand.cards, hand.kitty) for card in cards)
            held.update(play.card for plays in (hand.trick, *(trick.plays for trick in hand.tricks)) for play in plays)
            assert held == Counter(self.rules.worked_out.cards)

    @invariant()
    def the_state_reads_back(self) -> None:
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(self.state), type=GameState) == self.state

    @invariant()
    def every_seat_has_a_view(self) -> None:
        for seat in (*range(self.rules.players), None):
            assert msgspec.json.encode(view(self.state, seat))

    @invariant()
    def totals_are_the_sum_of_the_hands(self) -> None:
        sums = [sum(result.scores[seat] for result in self.state.results) for seat in range(self.rules.players)]
        assert list(self.state.totals) == sums


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
