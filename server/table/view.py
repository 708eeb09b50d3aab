"""The table as one seat, or a spectator, may know it: the contract's view, built by adding."""

from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from rules.cards import Card, Cards
from rules.legality import Bar
from rules.ruleset import RuleSet
from rules.scoring import Result
from rules.view import GameView, HandView, MeView, ScoresView, SeatView
from rules.view import view as view_game
from server.clock import iso
from server.presets import DeckView, deck_view
from server.table.duties import deadline_of
from server.table.seating import replaceable
from server.table.state import Absent, Kind, Level, Phase, Spectators, TableState

Can = Literal["play", "pass", "moon", "start", "add_bot", "remove", "rematch", "bot_for", "close", "say", "leave"]


class TableInfo(Struct, frozen=True, kw_only=True):
    """What was chosen for the table, worked out."""

    id: str
    name: str
    host: int | None
    phase: Phase
    listed: bool
    preset: str
    rules: RuleSet
    deck: DeckView
    turn_seconds: int
    fill: Level | None
    absent: Absent
    spectators: Spectators
    hints: bool
    next_table: str | None


class SeatInfo(Struct, frozen=True, kw_only=True):
    """A seat as everybody sees it; name, kind and controller are null while it is empty.

    cards: how many it holds; points: taken in this hand; score: total; left: its player has left and it may be joined;
    away: its player let the time run out twice running.
    """

    seat: int
    name: str | None
    kind: Kind | None
    level: Level | None
    controller: Kind | None
    connected: bool
    cards: int
    points: int
    score: int
    passed: bool
    left: bool
    away: bool


class HandInfo(HandView, frozen=True, kw_only=True):
    """The hand in play; deadline: when the server acts for those it waits for, null without a limit."""

    deadline: str | None


class MeInfo(Struct, frozen=True, kw_only=True):
    """What my seat alone knows, and what I can do now."""

    seat: int
    cards: Cards
    legal: Cards
    why: dict[Card, Bar]
    passed: Cards | None
    received: Cards | None
    can: tuple[Can, ...]


class Fair(Struct, frozen=True):
    """The fair deal: the commitment, and the seeds of the finished hands in order."""

    commitment: str
    seeds: tuple[str, ...]


class View(Struct, frozen=True, kw_only=True):
    """A table as one seat, or a spectator (`me` null), may know it; in the lobby `hand` is null."""

    version: int | UnsetType = UNSET
    now: str | UnsetType = UNSET
    table: TableInfo
    seats: tuple[SeatInfo, ...]
    hand: HandInfo | None
    me: MeInfo | None
    scores: ScoresView
    result: Result | None
    fair: Fair


_encode = msgspec.json.Encoder().encode


def render(state: TableState, seat: int | None, now: int) -> bytes:
    """The view as JSON without its outer opening: see `opened`. `now`: milliseconds since 1970.

    It stays true as long as the version does: of the time only what others may ask of slow players depends on it.
    """
    return _encode(view(state, seat, now))


def opened(rendered: bytes, version: int, now: int, kind: str | None = None) -> bytes:
    """A rendered view completed with version and time, and with a `type` where it travels among events."""
    type_ = f'"type":"{kind}",' if kind else ""
    return f'{{{type_}"version":{version},"now":"{iso(now)}",'.encode() + rendered[1:]


def view(state: TableState, seat: int | None, now: int) -> View:
    """The table as `seat` may know it; version and now are left out."""
    game = None if state.game is None else view_game(state.game, seat)
    return View(
        table=_table(state),
        seats=_seats(state, game),
        hand=_hand(state, game),
        me=None if seat is None else _me(state, None if game is None else game.me, seat, now),
        scores=ScoresView((), (0,) * len(state.seats)) if game is None else game.scores,
        result=state.result,
        fair=Fair(state.commitment, state.seeds),
    )


def _table(state: TableState) -> TableInfo:
    settings = state.settings
    return TableInfo(
        id=state.id,
        name=settings.name,
        host=state.host,
        phase=state.phase,
        listed=settings.listed,
        preset=settings.preset,
        rules=settings.rules,
        deck=deck_view(settings.rules),
        turn_seconds=settings.turn_seconds,
        fill=settings.fill,
        absent=settings.absent,
        spectators=settings.spectators,
        hints=settings.hints,
        next_table=state.next_table,
    )


_NO_GAME = SeatView(0, 0, 0, False)


def _seats(state: TableState, game: GameView | None) -> tuple[SeatInfo, ...]:
    public = (_NO_GAME,) * len(state.seats) if game is None else game.seats
    return tuple(
        [
            SeatInfo(
                seat=number,
                name=seat.name,
                kind=seat.kind,
                level=seat.level,
                controller=seat.controller,
                connected=seat.connected,
                cards=seen.cards,
                points=seen.points,
                score=seen.score,
                passed=seen.passed,
                left=seat.left,
                away=seat.away,
            )
            for number, (seat, seen) in enumerate(zip(state.seats, public, strict=True))
        ]
    )


def _hand(state: TableState, game: GameView | None) -> HandInfo | None:
    if game is None or game.hand is None:
        return None
    hand = game.hand
    deadlines = [at for seat in state.to_act() if (at := deadline_of(state, seat)) is not None]
    return HandInfo(
        number=hand.number,
        dealer=hand.dealer,
        pass_=hand.pass_,
        leader=hand.leader,
        turn=hand.turn,
        turn_number=hand.turn_number,
        hearts_broken=hand.hearts_broken,
        trick=hand.trick,
        carried=hand.carried,
        last_trick=hand.last_trick,
        deadline=iso(max(deadlines)) if deadlines else None,
    )


def _me(state: TableState, me: MeView | None, seat: int, now: int) -> MeInfo:
    return MeInfo(
        seat=seat,
        cards=() if me is None else me.cards,
        legal=() if me is None else me.legal,
        why={} if me is None else me.why,
        passed=None if me is None else me.passed,
        received=None if me is None else me.received,
        can=_can(state, seat, now),
    )


_ACTS: dict[str, Can] = {"passing": "pass", "playing": "play", "moon": "moon"}


def _can(state: TableState, seat: int, now: int) -> tuple[Can, ...]:
    if state.closed:
        return ()
    if state.phase == "over":
        agreeable = state.next_table is None and seat not in state.agreed
        return ("rematch", "say", "leave") if agreeable else ("say", "leave")
    if state.game is None:
        return ("start", "add_bot", "remove", "close", "say", "leave") if seat == state.host else ("say", "leave")
    able: list[Can] = []
    if seat in state.to_act():
        able.append(_ACTS[state.phase])
    able += ["say", "leave"]
    if any(other != seat for other in replaceable(state, now)):
        able.append("bot_for")
    if not state.seats[seat].agrees_to_close:
        able.append("close")
    return tuple(able)
