"""What is so at a table."""

from typing import Literal

from msgspec import Struct

from rules.ruleset import RuleSet
from rules.scoring import Result
from rules.state import GameState

Level = Literal["easy", "normal", "hard"]
Kind = Literal["human", "bot"]
Absent = Literal["bot", "wait"]
Spectators = Literal["public", "none"]
Phase = Literal["lobby", "passing", "playing", "moon", "over"]

TIMEOUTS_TO_AWAY = 2
AWAY_SECONDS = 2
IDLE_TURN_SECONDS = 180
"""How long a connected player may sit on an untimed turn before others may give the seat to a bot."""


class Seat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One seat; player, name and kind are None while it is empty.

    player: a player id, for humans; since: when its player sat down; left: its human has left a game in play and
    nobody took the seat; bot_plays: a bot stands in for its human; connected_changed: when `connected` last changed;
    timeouts: plays running that the server made for it; agrees_to_close: to closing the game.
    """

    player: str | None = None
    name: str | None = None
    kind: Kind | None = None
    level: Level | None = None
    since: int = 0
    nonce: str = ""
    left: bool = False
    bot_plays: bool = False
    connected: bool = False
    connected_changed: int = 0
    timeouts: int = 0
    agrees_to_close: bool = False

    @property
    def is_human(self) -> bool:
        """Whether a human holds the seat and has not left it."""
        return self.kind == "human" and not self.left

    @property
    def played_by_bot(self) -> bool:
        """Whether a bot acts for the seat, its own or for a human who is not there."""
        return self.kind == "bot" or self.bot_plays

    @property
    def controller(self) -> Kind | None:
        """Who acts for the seat now; None while it is empty."""
        return "bot" if self.bot_plays else self.kind

    @property
    def away(self) -> bool:
        """Whether its human let the time run out twice running."""
        return self.timeouts >= TIMEOUTS_TO_AWAY


class Settings(Struct, frozen=True, kw_only=True):
    """What the creator chose, the rules resolved. turn_seconds: 0 for no limit; fill: None for humans only."""

    name: str
    preset: str
    rules: RuleSet
    listed: bool
    turn_seconds: int
    fill: Level | None
    absent: Absent
    spectators: Spectators
    hints: bool


class TableState(Struct, frozen=True, kw_only=True):
    """A table. Times are milliseconds since 1970.

    secret: s(0) of the fair deal, in hex, told to nobody; turn_since: when the turn, the pass or the moon's choice now
    waited for began; warned: whether that turn was warned of its end; idle_since: since when no human is connected,
    None while one is; seeds: of the finished hands, in order; ended: when it was over; agreed: seats that want a
    rematch, since the first one asked; next_table: where the rematch is played; replaced: players who left in
    play and whose seat another took.
    """

    version: int
    id: str
    created: int
    settings: Settings
    secret: str
    commitment: str
    seats: tuple[Seat, ...]
    host: int | None
    game: GameState | None = None
    turn_since: int = 0
    warned: bool = False
    idle_since: int | None = None
    seeds: tuple[str, ...] = ()
    ended: int | None = None
    closed: bool = False
    agreed: tuple[int, ...] = ()
    agreed_since: int | None = None
    next_table: str | None = None
    replaced: tuple[str, ...] = ()

    @property
    def phase(self) -> Phase:
        """The phase of the contract. A game is never seen dealing: a deal comes with what it follows."""
        if self.ended is not None:
            return "over"
        if self.game is None:
            return "lobby"
        assert self.game.phase != "dealing", "a deal comes with what it follows"
        return self.game.phase

    @property
    def open_to_spectators(self) -> bool:
        """Whether somebody without a seat may look: always in the lobby, where the table's id is the invite."""
        return self.settings.spectators == "public" or self.phase == "lobby"

    @property
    def result(self) -> Result | None:
        """How it ended; a lobby that was closed has a result too."""
        if self.game is not None:
            return self.game.result
        return Result((), (0,) * len(self.seats), "closed") if self.closed else None

    def seat_of(self, player: str | None) -> int | None:
        """Where this player sits; None for one who is not seated or has left."""
        if player is None:
            return None
        for number, seat in enumerate(self.seats):
            if seat.player == player and not seat.left:
                return number
        return None

    def to_act(self) -> tuple[int, ...]:
        """The seats the game waits for now."""
        game = self.game
        if game is None or game.hand is None or self.ended is not None:
            return ()
        if game.phase == "passing":
            return tuple(seat for seat, passed in enumerate(game.hand.passed) if passed is None)
        return () if game.hand.turn is None else (game.hand.turn,)
