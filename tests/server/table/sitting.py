"""A table without a server: a clock that stands still until told, players by seat, and every event it ever had."""

import os
from collections.abc import Callable
from random import Random
from typing import Any

from rules.commands import ChooseMoon, Command, Pass, PlayCard
from rules.legality import legal_cards
from rules.ruleset import RuleSet
from rules.shuffle import commitment
from server.table import actions
from server.table.actions import Action
from server.table.change import Caller, Change
from server.table.decide import decide
from server.table.duties import BotActs, Duty, Times, agenda, carry_out
from server.table.events import Created, Entry, Event, decode_entry, encode_entry
from server.table.evolve import evolve
from server.table.rematch import next_table
from server.table.state import Seat, Settings, TableState
from server.table.view import View, view

SEED = int(os.environ.get("RULES_SEED", "20261130"))
START = 1_800_000_000_000


def player(seat: int) -> Caller:
    """Who sits on a seat of these tables."""
    return Caller(f"player-{seat}", f"P{seat}")


class Table:
    """One table of `players`, its creator on seat 0."""

    def __init__(
        self,
        players: int = 4,
        *,
        rules: dict[str, Any] | None = None,
        secret: bytes = b"s" * 32,
        times: Times | None = None,
        **settings: Any,
    ) -> None:
        self.now = START
        self.times = times or Times()
        self.random = Random(SEED)
        self.entries: list[Entry] = []
        chosen = {
            "name": "T",
            "preset": "classic",
            "listed": True,
            "turn_seconds": 0,
            "fill": None,
            "absent": "bot",
            "spectators": "public",
            "hints": True,
            "rules": RuleSet.resolve(None, players, rules),
        }
        seats = [Seat(player="player-0", name="P0", kind="human", connected=True)]
        self.begin(
            Created(
                id="7QK2M4XR9TDP",
                settings=Settings(**{**chosen, **settings}),
                secret=secret.hex(),
                commitment=commitment(secret),
                seats=(*seats, *[Seat()] * (players - 1)),
                host=0,
            )
        )

    def begin(self, event: Created) -> None:
        self.take(Change.first(event, self.now))

    def take(self, change: Change) -> list[Event]:
        """The change is stored."""
        for event in change.events:
            stored = Entry(change.at, event)
            assert decode_entry(encode_entry(stored)) == stored
            self.entries.append(stored)
        self.state: TableState = change.state
        return change.events

    def fold(self) -> TableState:
        """What all events lead to."""
        state = None
        for entry in self.entries:
            state = evolve(state, entry.event, entry.at)
        assert state is not None
        return state

    def do(self, seat: int | Caller, action: Action) -> list[Event]:
        """The player of a seat, or anybody, does something; Refusal if not possible."""
        caller = player(seat) if isinstance(seat, int) else seat
        return self.take(decide(self.state, caller, action, self.now))

    def sit(self, *seats: int) -> "Table":
        for seat in seats or range(1, len(self.state.seats)):
            self.do(seat, actions.Join(seat=seat))
        return self

    def start(self) -> "Table":
        self.do(0, actions.Start())
        return self

    def agenda(self) -> list[tuple[int, Duty]]:
        return agenda(self.state, self.times)

    def wait(self, seconds: float) -> list[Event]:
        """Let time pass; what falls due is done at its time. Answers what happened."""
        until = self.now + round(seconds * 1000)
        happened: list[Event] = []
        while (due := self.agenda()) and due[0][0] <= until:
            at, duty = due[0]
            self.now = max(self.now, at)
            choice = self.choice(duty.seat) if isinstance(duty, BotActs) else None
            happened += self.take(carry_out(self.state, duty, self.now, choice))
        self.now = until
        return happened

    def choice(self, seat: int) -> Command:
        """Something legal for a seat."""
        game = self.state.game
        assert game is not None
        assert game.hand is not None
        if game.phase == "passing":
            return Pass(tuple(self.random.sample(game.hand.cards[seat], game.hand.pass_size)))
        if game.phase == "moon":
            return ChooseMoon("auto")
        return PlayCard(self.random.choice(legal_cards(game, seat)), game.hand.turn_number)

    def asked(self, seat: int) -> Action:
        """The same as an action of the seat's human."""
        choice = self.choice(seat)
        if isinstance(choice, Pass):
            return actions.Pass(cards=[card.value for card in choice.cards])
        if isinstance(choice, PlayCard):
            return actions.Play(card=choice.card.value, turn=choice.turn)
        return actions.Moon(choice="add")

    def step(self) -> None:
        """The first seat the game waits for acts."""
        seat = self.state.to_act()[0]
        self.do(seat, self.asked(seat))

    def play_until(self, done: Callable[[TableState], bool]) -> "Table":
        while not done(self.state):
            self.step()
        return self

    def play_out(self) -> "Table":
        return self.play_until(lambda state: state.phase == "over")

    def rematch(self) -> "Table":
        """The table of the settled rematch."""
        other = Table(len(self.state.seats))
        other.entries.clear()
        other.now, other.times = self.now, self.times
        other.begin(next_table(self.state, b"t" * 32))
        return other

    def view(self, seat: int | None) -> View:
        return view(self.state, seat, self.now)

    def can(self, seat: int) -> set[str]:
        me = self.view(seat).me
        assert me is not None
        return set(me.can)


def kinds(events: list[Event]) -> list[str]:
    """The types of these events."""
    return [str(event.__struct_config__.tag) for event in events]
