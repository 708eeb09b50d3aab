"""Sitting down, getting up, bots on seats, and the start of the game."""

from rules.shuffle import first_dealer, hand_seed
from server.table import actions
from server.table.change import Caller, Change, Refusal, close
from server.table.events import ControllerChanged, HostChanged, PlayerJoined, PlayerLeft, SeatChanged, Started
from server.table.state import IDLE_TURN_SECONDS, Level, Seat, TableState

BOT_NAMES = ("Alba", "Bruno", "Clara", "Dario", "Elsa", "Felix", "Greta", "Hugo", "Iris", "Jonas", "Karla")


def join(change: Change, caller: Caller, action: actions.Join) -> None:
    """Seat the caller; whoever is seated already stays there, and takes the seat back from a bot."""
    state = change.state
    seat = state.seat_of(caller.player)
    if action.nonce and state.game is not None:
        raise Refusal("wrong_phase", "A nonce counts only until the game starts.", field="$.nonce")
    if seat is not None:
        if (state.seats[seat].bot_plays or state.seats[seat].away) and state.phase != "over":
            change.add(ControllerChanged(seat, "human", "back"))
        if action.nonce is not None and action.nonce != state.seats[seat].nonce:
            change.add(SeatChanged(seat=seat, nonce=action.nonce))
        return
    if state.closed:
        raise Refusal("table_closed", "The table is closed.")
    if state.phase == "over":
        raise Refusal("wrong_phase", "The game is over.")
    number = _seat_to_take(state, caller, action.seat)
    change.add(PlayerJoined(number, caller.player, caller.name, action.nonce or ""))
    if state.host is None:
        change.add(HostChanged(number))


def _seat_to_take(state: TableState, caller: Caller, wanted: int | None) -> int:
    if wanted is not None:
        _seat(state, wanted)
    free = [number for number, seat in enumerate(state.seats) if seat.kind is None or seat.left]
    own = [number for number in free if state.seats[number].player == caller.player]
    if own and wanted not in (None, *own):
        # Whoever has seen one hand of a deal must not play another.
        raise Refusal("own_seat_waits", f"You may come back to seat {own[0]}, which you left.", field="$.seat")
    if caller.player in state.replaced:
        raise Refusal("seat_taken", "You left, and another player has your seat.", field="$.seat")
    if wanted is None:
        if not free:
            raise Refusal("table_full", "Every seat is taken.")
        return (own or free)[0]
    if wanted not in free:
        raise Refusal("seat_taken", f"Seat {wanted} is taken by {state.seats[wanted].name}.", field="$.seat")
    return wanted


def leave(change: Change, seat: int) -> None:
    """Free the seat in the lobby; in play hand it to a bot, or let it wait, as the table says."""
    in_play = change.state.game is not None and change.state.phase != "over"
    change.add(PlayerLeft(seat))
    if in_play and change.state.settings.absent == "bot":
        change.add(ControllerChanged(seat, "bot", "left"))
    if change.state.host == seat:
        change.add(HostChanged(_longest_seated(change.state)))
    if in_play:
        close_if_agreed(change)


def close_if_agreed(change: Change) -> None:
    """Close a game in play once every human there, at least one, agrees."""
    humans = [seat for seat in change.state.seats if seat.is_human]
    if humans and all(seat.agrees_to_close for seat in humans):
        close(change, "agreed")


def _longest_seated(state: TableState) -> int | None:
    humans = [(seat.since, number) for number, seat in enumerate(state.seats) if seat.is_human]
    return min(humans)[1] if humans else None


def start(change: Change, seat: int) -> None:
    """Fill the empty seats with bots if the table says so, draw the dealer and deal."""
    state = change.state
    _host_in_lobby(state, seat, "start the game")
    empty = [number for number, other in enumerate(state.seats) if other.kind is None]
    if empty and state.settings.fill is None:
        several = f"{len(empty)} seats are" if len(empty) > 1 else f"Seat {empty[0]} is"
        raise Refusal("seats_empty", f"{several} still empty, and this table does not fill them with bots.")
    for number in empty:
        assert state.settings.fill is not None
        change.add(_bot(number, state.settings.fill))
    seed = hand_seed(bytes.fromhex(state.secret), 1)
    dealer = first_dealer(len(state.seats), seed, [other.nonce for other in change.state.seats])
    change.add(Started(dealer))
    change.deal()


def add_bot(change: Change, seat: int, action: actions.AddBot) -> None:
    """Seat a bot on a free seat."""
    _host_in_lobby(change.state, seat, "seat bots")
    target = _seat(change.state, action.seat)
    if target.kind is not None:
        raise Refusal("seat_taken", f"Seat {action.seat} is taken by {target.name}.", field="$.seat")
    change.add(_bot(action.seat, action.level))


def _bot(seat: int, level: Level) -> SeatChanged:
    return SeatChanged(seat=seat, kind="bot", level=level, name=BOT_NAMES[seat])


def remove(change: Change, seat: int, action: actions.Remove) -> None:
    """Free another seat, a bot's or a human's."""
    _host_in_lobby(change.state, seat, "free seats")
    target = _seat(change.state, action.seat)
    if target.kind is None:
        raise Refusal("seat_empty", f"Nobody sits on seat {action.seat}.", field="$.seat")
    if action.seat == seat:
        leave(change, seat)
    elif target.kind == "bot":
        change.add(SeatChanged(seat=action.seat, kind="none"))
    else:
        change.add(PlayerLeft(action.seat))


def bot_for(change: Change, action: actions.BotFor) -> None:
    """Let a bot play for a human who left, is not connected, or lets the time run."""
    state = change.state
    target = _seat(state, action.seat)
    if state.game is None or state.phase == "over":
        raise Refusal("wrong_phase", "Bots stand in while a game is played.")
    if target.kind != "human" or target.bot_plays:
        raise Refusal("not_away", f"Seat {action.seat} is played by a bot already.", field="$.seat")
    if action.seat not in replaceable(state, change.at):
        raise Refusal("not_away", f"{target.name} is not away.", field="$.seat")
    change.add(ControllerChanged(action.seat, "bot", "asked"))


def replaceable(state: TableState, now: int) -> list[int]:
    """The humans' seats that others may ask a bot for: those away, and one that keeps an untimed turn for minutes."""
    dawdles = state.settings.turn_seconds == 0 and now - state.turn_since >= IDLE_TURN_SECONDS * 1000
    dawdling = state.to_act() if dawdles else ()
    return [
        number
        for number, seat in enumerate(state.seats)
        if seat.kind == "human"
        and not seat.bot_plays
        and (seat.left or not seat.connected or seat.away or number in dawdling)
    ]


def _seat(state: TableState, number: int) -> Seat:
    if number >= len(state.seats):
        detail = f"$.seat: expected 0 to {len(state.seats) - 1}; got {number}."
        raise Refusal("no_such_seat", detail, field="$.seat")
    return state.seats[number]


def _host_in_lobby(state: TableState, seat: int, what: str) -> None:
    if state.phase != "lobby":
        raise Refusal("wrong_phase", "The game has started already.")
    if seat != state.host:
        raise Refusal("not_host", f"Only the host may {what}.")
