"""What happened in a game, in the past tense. Stored whole; `view.redact` makes what one seat may be told."""

from typing import Literal

from msgspec import Struct

from rules.cards import Card, Cards
from rules.scoring import Moon, Reason, Scored

By = Literal["human", "bot", "timeout"]
"""Who chose: the seat's human, a bot for the seat, or the server when the time was out."""


class Dealt(Struct, frozen=True, kw_only=True, tag="dealt"):
    """Hand `number` was dealt. pass_offset and pass_size are 0, and a leader stands, on a hold hand only."""

    number: int
    dealer: int
    hands: tuple[Cards, ...]
    kitty: Cards
    seed: str
    pass_offset: int
    pass_size: int
    leader: int | None


class Passed(Struct, frozen=True, tag="passed"):
    """A seat chose the cards it passes."""

    seat: int
    cards: Cards
    by: By


class Exchanged(Struct, frozen=True, tag="exchanged"):
    """All passes changed hands at once: what each seat received, and who leads."""

    received: tuple[Cards, ...]
    leader: int


class Played(Struct, frozen=True, tag="played"):
    """A card was played as play number `turn` of the hand."""

    seat: int
    card: Card
    turn: int
    by: By


class HeartsBroken(Struct, frozen=True, tag="hearts_broken"):
    """Hearts may be led from now on."""

    seat: int


class TrickTaken(Struct, frozen=True, tag="trick_taken"):
    """A trick went to `taker`, with everything carried and a kitty that was due."""

    taker: int
    cancelled: Cards
    cards_taken: int
    points: int


class TrickCancelled(Struct, frozen=True, tag="trick_cancelled"):
    """Every led-suit card was cancelled: the trick lies on the table and `leader` leads again."""

    leader: int
    cancelled: Cards


class MoonShot(Struct, frozen=True, tag="moon_shot"):
    """`shooter` took every card of the moon; scored is None while the choice is the shooter's."""

    shooter: int
    scored: Scored | None


class HandScored(Struct, frozen=True, tag="hand_scored"):
    """A hand ended. revoked: the seats that failed to follow suit in it."""

    number: int
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    moon: Moon | None
    revoked: tuple[int, ...]


class SeedRevealed(Struct, frozen=True, tag="seed_revealed"):
    """The fair deal's seed of a finished hand, in hex."""

    number: int
    seed: str


class GameOver(Struct, frozen=True, tag="game_over"):
    """The game ended."""

    winners: tuple[int, ...]
    totals: tuple[int, ...]
    reason: Reason


Event = (
    Dealt
    | Passed
    | Exchanged
    | Played
    | HeartsBroken
    | TrickTaken
    | TrickCancelled
    | MoonShot
    | HandScored
    | SeedRevealed
    | GameOver
)
