"""What follows from an event at a table. Total, as the game's own `evolve` is."""

from msgspec.structs import replace

from rules.events import (
    By,
    Dealt,
    Exchanged,
    GameOver,
    MoonShot,
    Passed,
    Played,
    SeedRevealed,
    TrickCancelled,
    TrickTaken,
)
from rules.events import Event as GameEvent
from rules.evolve import evolve as evolve_game
from rules.state import new_game
from server.table.events import (
    Closed,
    ControllerChanged,
    Created,
    Event,
    HostChanged,
    PlayerJoined,
    PlayerLeft,
    RematchAgreed,
    Said,
    SeatChanged,
    Started,
    TableEvent,
    TurnWarning,
)
from server.table.state import Seat, TableState


def evolve(state: TableState | None, event: Event, at: int) -> TableState:
    """The table after `event`, which happened at `at` (milliseconds since 1970). Only Created needs no table."""
    if isinstance(event, Created):
        return _created(event, at)
    assert state is not None, "a table begins with Created"
    if not isinstance(event, TableEvent):
        return _game_event(state, event, at)
    state = replace(state, version=state.version + 1)
    match event:
        case PlayerJoined():
            return _joined(state, event, at)
        case PlayerLeft():
            return _left(state, event, at)
        case SeatChanged():
            return _seat_changed(state, event, at)
        case HostChanged():
            return replace(state, host=event.seat)
        case Started():
            return replace(state, game=new_game(state.settings.rules, event.dealer))
        case TurnWarning():
            return replace(state, warned=True)
        case ControllerChanged():
            return _with_seat(state, event.seat, bot_plays=event.controller == "bot", timeouts=0)
        case Said():
            return state
        case RematchAgreed():
            since = at if state.agreed_since is None else state.agreed_since
            return replace(state, agreed=event.agreed, agreed_since=since, next_table=event.next_table)
        case Closed():
            return replace(state, closed=True, ended=at)
        case Created():
            raise AssertionError("a table is created once")


def _game_event(state: TableState, event: GameEvent, at: int) -> TableState:
    assert state.game is not None, "a game was started"
    version, game = state.version + 1, evolve_game(state.game, event)
    match event:
        case Played():
            seats = _acted(state.seats, event.seat, event.by)
            return replace(state, version=version, game=game, seats=seats, turn_since=at, warned=False)
        case Dealt() | Exchanged() | TrickTaken() | TrickCancelled() | MoonShot():
            return replace(state, version=version, game=game, turn_since=at, warned=False)
        case Passed():
            return replace(state, version=version, game=game, seats=_acted(state.seats, event.seat, event.by))
        case SeedRevealed():
            return replace(state, version=version, game=game, seeds=(*state.seeds, event.seed))
        case GameOver():
            return replace(state, version=version, game=game, ended=at)
        case _:
            return replace(state, version=version, game=game)


def _with_seat(state: TableState, number: int, **changes: object) -> TableState:
    seat = replace(state.seats[number], **changes)
    return replace(state, seats=(*state.seats[:number], seat, *state.seats[number + 1 :]))


def _created(event: Created, at: int) -> TableState:
    state = TableState(
        version=1,
        id=event.id,
        created=at,
        settings=event.settings,
        secret=event.secret,
        commitment=event.commitment,
        seats=event.seats,
        host=event.host,
        turn_since=at,
    )
    return _with_idleness(state, at)


def _joined(state: TableState, event: PlayerJoined, at: int) -> TableState:
    before = state.seats[event.seat]
    back = before.player == event.player
    if before.player is not None and not back:
        state = replace(state, replaced=(*state.replaced, before.player))
    state = _with_seat(
        state,
        event.seat,
        player=event.player,
        name=event.name,
        kind="human",
        level=None,
        since=before.since if back else at,
        nonce=before.nonce if state.game is not None else event.nonce,
        left=False,
        bot_plays=False,
        connected=True,
        connected_changed=at,
        timeouts=0,
    )
    return _with_idleness(state, at)


def _left(state: TableState, event: PlayerLeft, at: int) -> TableState:
    if state.game is None:
        seats = (*state.seats[: event.seat], Seat(), *state.seats[event.seat + 1 :])
        state = replace(state, seats=seats)
    else:
        state = _with_seat(state, event.seat, left=True, connected=False, connected_changed=at, agrees_to_close=False)
        agreed = tuple(seat for seat in state.agreed if seat != event.seat)
        state = replace(state, agreed=agreed, agreed_since=state.agreed_since if agreed else None)
    return _with_idleness(state, at)


def _seat_changed(state: TableState, event: SeatChanged, at: int) -> TableState:
    if event.kind is not None:
        seat = Seat() if event.kind == "none" else Seat(kind="bot", level=event.level, name=event.name, since=at)
        return replace(state, seats=(*state.seats[: event.seat], seat, *state.seats[event.seat + 1 :]))
    fields = ("name", "nonce", "connected", "agrees_to_close")
    changes = {field: getattr(event, field) for field in fields if getattr(event, field) is not None}
    if event.connected is not None:
        changes["connected_changed"] = at
    return _with_idleness(_with_seat(state, event.seat, **changes), at)


def _acted(seats: tuple[Seat, ...], number: int, by: By) -> tuple[Seat, ...]:
    """The seats once this one has acted: plays running that the server made for it are counted."""
    seat = seats[number]
    timeouts = seat.timeouts + 1 if by == "timeout" else 0
    if timeouts == seat.timeouts:
        return seats
    return (*seats[:number], replace(seat, timeouts=timeouts), *seats[number + 1 :])


def _with_idleness(state: TableState, at: int) -> TableState:
    if any(seat.connected and seat.is_human for seat in state.seats):
        return state if state.idle_since is None else replace(state, idle_since=None)
    return replace(state, idle_since=at) if state.idle_since is None else state
