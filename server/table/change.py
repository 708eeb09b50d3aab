"""A change in the making: events and the state after them; and the refusal to make one."""

from collections.abc import Iterable

from msgspec import Struct

from rules.cards import Card
from rules.commands import Close, Command, Deal
from rules.decide import decide as decide_game
from rules.shuffle import hand_seed, shuffled
from server.table.events import Closed, CloseReason, Created, Event
from server.table.evolve import evolve
from server.table.state import TableState


class Caller(Struct, frozen=True):
    """The player who asks."""

    player: str
    name: str


class Refusal(Exception):
    """An action that is not possible. code: stable; detail: a sentence; field: of the action, where one is wrong."""

    def __init__(self, code: str, detail: str, *, field: str | None = None, legal: Iterable[Card] = ()) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.field = field
        self.legal = tuple(legal)


class Change:
    """The events decided so far and the state they lead to, both of one moment `at`."""

    def __init__(self, state: TableState, at: int) -> None:
        self.before = state
        self.state = state
        self.at = at
        self.events: list[Event] = []

    @classmethod
    def first(cls, event: Created, at: int) -> "Change":
        """The making of a table."""
        change = cls(evolve(None, event, at), at)
        change.events.append(event)
        return change

    def add(self, *events: Event) -> None:
        """Append events; the state follows."""
        for event in events:
            self.state = evolve(self.state, event, self.at)
        self.events += events

    def play(self, seat: int | None, command: Command) -> None:
        """Give a command to the game, and deal the next hand when it asks for one.

        Raises RuleViolation when the rules refuse the command.
        """
        assert self.state.game is not None, "a game was started"
        self.add(*decide_game(self.state.game, seat, command))
        game = self.state.game
        assert game is not None
        if game.phase == "dealing":
            self.deal()

    def deal(self) -> None:
        """Deal the next hand by the fair deal of this table."""
        game = self.state.game
        assert game is not None, "a game was started"
        seed = hand_seed(bytes.fromhex(self.state.secret), len(game.results) + 1)
        order = shuffled(game.rules.worked_out.cards, seed, [seat.nonce for seat in self.state.seats])
        self.add(*decide_game(game, None, Deal(order, seed)))


def close(change: Change, reason: CloseReason) -> None:
    """Close the table; a game in play ends without winners."""
    change.add(Closed(reason))
    if change.state.game is not None:
        change.play(None, Close())
