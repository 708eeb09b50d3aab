"""Whole games at random, for the tests of the rules: a seeded Random chooses among what is legal."""

import os
from collections.abc import Iterator
from random import Random
from typing import Any

from rules.commands import ChooseMoon, Command, Deal, Pass, PlayCard
from rules.decide import decide
from rules.deck import exact_players
from rules.events import Event
from rules.evolve import evolve
from rules.legality import bar_to_revoke, legal_cards
from rules.record import Record, SeatRecord, write
from rules.ruleset import RuleSet
from rules.shuffle import commitment, first_dealer, hand_seed, shuffled
from rules.state import GameState, new_game

SEED = int(os.environ.get("RULES_SEED", "20261130"))
"""Of every random test of the rules; it is part of what a failing test prints."""

DECK_ROWS = [(packs, players) for packs in (1, 2, 3) for players in exact_players(packs)]
"""Every row of the table of decks: packs and players."""

SINGLE_OPTIONS: list[dict[str, Any]] = [
    {},
    {"deck": "kitty", "first_lead": "dealers_left", "kitty_to": "first_trick"},
    {"deck": "kitty", "first_lead": "dealers_left", "kitty_to": "last_trick"},
    {"first_lead": "dealers_left"},
    {"first_trick_points": True},
    {"hearts_must_break": False},
    {"queen_breaks_hearts": True},
    {"duplicates": "later_wins"},
    {"triples": "pair"},
    {"cancelled_trick": "leader"},
    {"last_cancelled_trick": "high_pair_second"},
    {"pass_count": "quarter"},
    {"pass_count": 0},
    {"pass_count": 1},
    {"pass_count": 5},
    {"pass_cycle": "rotate"},
    {"pass_cycle": [2, -2, 0]},
    {"moon": "subtract"},
    {"moon": "choice"},
    {"moon": "auto"},
    {"moon": "off"},
    {"omnibus": "JD"},
    {"omnibus": "TD"},
    {"hooligan": True},
    {"dame_de_pique": True},
    {"target": 30},
    {"hands": 1},
    {"tie": "play_on"},
    {"revoke": "penalty"},
    {"end_when_no_points": True},
]
"""Every value of every option that is no default, one at a time; a kitty with the lead that it needs."""


def tables() -> list[RuleSet]:
    """Every deck row with every single option that makes sense there."""
    return [
        RuleSet.resolve(None, players, {"packs": packs, **options})
        for packs, players in DECK_ROWS
        for options in SINGLE_OPTIONS
        if options.get("deck") != "kitty" or packs == 2
    ]


class Game:
    """A game being played, with everything that its record needs."""

    def __init__(self, rules: RuleSet, random: Random) -> None:
        self.rules = rules
        self.random = random
        self.secret = random.randbytes(32)
        self.nonces = [random.choice(["", "ada", "x y", "~"]) for _ in range(rules.players)]
        self.dealer = first_dealer(rules.players, hand_seed(self.secret, 1), self.nonces)
        self.state: GameState = new_game(rules, self.dealer)
        self.commands: list[tuple[int | None, Command]] = []
        self.events: list[Event] = []

    def do(self, seat: int | None, command: Command) -> tuple[Event, ...]:
        """Ask for `command`, which must be allowed, and go on to the state after it."""
        events = decide(self.state, seat, command)
        for event in events:
            self.state = evolve(self.state, event)
        self.commands.append((seat, command))
        self.events += events
        return events

    def allowed(self) -> tuple[int | None, Command]:
        """Some command that the rules allow now, and who asks it."""
        state, hand, random = self.state, self.state.hand, self.random
        if state.phase == "dealing":
            seed = hand_seed(self.secret, len(state.results) + 1)
            return None, Deal(shuffled(state.rules.worked_out.cards, seed, self.nonces), seed)
        assert hand is not None
        if state.phase == "passing":
            seat = random.choice([seat for seat, cards in enumerate(hand.passed) if cards is None])
            return seat, Pass(tuple(random.sample(hand.cards[seat], hand.pass_size)), "bot")
        seat = hand.turn
        assert seat is not None
        if state.phase == "moon":
            return seat, ChooseMoon(random.choice(["add", "subtract", "auto"]))
        cards = legal_cards(state, seat)
        if self.rules.revoke == "penalty" and hand.trick and random.random() < 0.03:
            led = hand.trick[0].card.suit
            cards = tuple(
                card
                for card in hand.cards[seat]
                if card.suit is led or bar_to_revoke(self.rules, hand, seat, card) is None
            )
        return seat, PlayCard(random.choice(cards), hand.turn_number, "bot")

    def play_hand(self) -> Iterator[tuple[Event, ...]]:
        """Play to the end of the hand, giving the events of each command."""
        hands = len(self.state.results)
        while self.state.phase != "over" and len(self.state.results) == hands:
            yield self.do(*self.allowed())

    def play(self, hands: int = 99) -> "Game":
        """Play to the end of the game, or so many hands."""
        for _ in range(hands):
            for _ in self.play_hand():
                pass
        return self

    def record(self) -> Record:
        seats = [SeatRecord(f"P{seat}", "bot") for seat in range(self.rules.players)]
        return write("7QK2M4XR9TDP", self.rules, seats, commitment(self.secret), self.nonces, self.events)
