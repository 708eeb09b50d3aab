"""What falls due at a table without anybody asking, and when.

Everything here follows from the stored state, so any process may do it, also after a restart, and doing it late or
twice is harmless: it is decided again against the state at hand.
"""

import zlib
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from rules.commands import ChooseMoon, Command, Pass, PlayCard
from rules.events import By
from server.table.change import Change, close
from server.table.events import ControllerChanged, RematchAgreed, TurnWarning
from server.table.rematch import next_table_id
from server.table.state import AWAY_SECONDS, Level, TableState

WARNING_SECONDS = 10


class Times(Struct, frozen=True, kw_only=True):
    """The server's settings that duties need, all in seconds."""

    bot_delay_least: float = 0.4
    bot_delay_most: float = 1.5
    absent_after: float = 90
    lobby_idle: float = 3600
    game_idle: float = 7 * 86400
    rematch_wait: float = 60


class BotActs(Struct, frozen=True):
    """A bot, or the clock when `by` says so, makes the choice of a seat."""

    seat: int
    by: By


class StandIn(Struct, frozen=True):
    """A bot takes over a seat whose human is not there."""

    seat: int


class Warn(Struct, frozen=True):
    """The time is nearly out."""


class CloseIdle(Struct, frozen=True):
    """Nobody has been there for long."""


class SettleRematch(Struct, frozen=True):
    """The rematch begins with those who agreed."""


Duty = BotActs | StandIn | Warn | CloseIdle | SettleRematch


def agenda(state: TableState, times: Times) -> list[tuple[int, Duty]]:
    """Every duty of the table as it stands, with the moment it is due (milliseconds since 1970), earliest first."""
    return sorted(_duties(state, times), key=lambda entry: entry[0])


def latest(state: TableState) -> int:
    """The newest of the moments that duties are counted from, in milliseconds since 1970."""
    changed = max(seat.connected_changed for seat in state.seats)
    return max(state.turn_since, state.idle_since or 0, state.agreed_since or 0, changed)


def counted_from(state: TableState, at: int) -> TableState:
    """The state with every moment that duties are counted from at `at`, if it is later: a clock was wrong."""
    return replace(
        state,
        turn_since=min(at, state.turn_since),
        idle_since=None if state.idle_since is None else min(at, state.idle_since),
        agreed_since=None if state.agreed_since is None else min(at, state.agreed_since),
        seats=tuple(replace(seat, connected_changed=min(at, seat.connected_changed)) for seat in state.seats),
    )


def bot_level(state: TableState, seat: int) -> Level:
    """How well the bot on a seat, or standing in for its human, plays."""
    return state.seats[seat].level or state.settings.fill or "normal"


def deadline_of(state: TableState, seat: int) -> int | None:
    """When the server acts for a human who has not, in milliseconds since 1970; None without a limit."""
    seconds = state.settings.turn_seconds
    if seconds == 0 or state.seats[seat].played_by_bot:
        return None
    if state.seats[seat].away:
        seconds = min(seconds, AWAY_SECONDS)
    return state.turn_since + seconds * 1000


def carry_out(state: TableState, duty: Duty, at: int, choice: Command | None) -> Change:
    """What a duty changes. `choice` is the command chosen for BotActs. Raises RuleViolation for an illegal choice."""
    change = Change(state, at)
    match duty:
        case BotActs():
            assert choice is not None, "somebody chose"
            change.play(duty.seat, _signed(choice, duty.by))
        case StandIn():
            change.add(ControllerChanged(duty.seat, "bot", "absent"))
        case Warn():
            slow = _humans_to_act(state)
            change.add(TurnWarning(tuple(slow), max(slow.values())))
        case CloseIdle():
            close(change, "idle")
        case SettleRematch():
            change.add(RematchAgreed(None, state.agreed, next_table_id(state)))
    return change


def _signed(choice: Command, by: By) -> Command:
    if isinstance(choice, PlayCard | Pass):
        return replace(choice, by=by)
    assert isinstance(choice, ChooseMoon)
    return choice


def _duties(state: TableState, times: Times) -> Iterator[tuple[int, Duty]]:
    if state.phase == "over":
        if state.agreed_since is not None and state.next_table is None and state.agreed:
            yield state.agreed_since + round(times.rematch_wait * 1000), SettleRematch()
        return
    if state.idle_since is not None:
        seconds = times.lobby_idle if state.game is None else times.game_idle
        yield state.idle_since + round(seconds * 1000), CloseIdle()
    for number in state.to_act():
        seat = state.seats[number]
        if seat.played_by_bot:
            yield state.turn_since + _think_time(state, number, times), BotActs(number, "bot")
            continue
        deadline = deadline_of(state, number)
        if deadline is not None:
            yield deadline, BotActs(number, "timeout")
        if state.settings.absent == "bot" and not seat.connected:
            since = max(state.turn_since, seat.connected_changed)
            yield since + round(times.absent_after * 1000), StandIn(number)
    if state.settings.turn_seconds and not state.warned:
        slow = _humans_to_act(state)
        if slow:
            early = min(WARNING_SECONDS * 1000, state.settings.turn_seconds * 250)
            yield max(slow.values()) - early, Warn()


def _humans_to_act(state: TableState) -> dict[int, int]:
    """The seats whose time runs, with their deadlines; those who are away have been warned enough."""
    deadlines = {seat: deadline_of(state, seat) for seat in state.to_act() if not state.seats[seat].away}
    return {seat: deadline for seat, deadline in deadlines.items() if deadline is not None}


def _think_time(state: TableState, seat: int, times: Times) -> int:
    """Milliseconds a bot takes: random from bounds, the same for whoever asks, and never telling what it holds."""
    if not any(other.is_human for other in state.seats):
        return 0
    assert state.game is not None, "a game is played"
    hand = state.game.hand
    assert hand is not None, "a hand is in play"
    turn = f"{state.id}/{hand.number}/{hand.turn_number}/{seat}"
    fraction = zlib.crc32(turn.encode()) / 2**32
    span = times.bot_delay_most - times.bot_delay_least
    return round((times.bot_delay_least + span * fraction) * 1000)
