"""The one door: every action of a player becomes events, or is refused."""

from rules.accepted import shown
from rules.cards import Card, CardError, parse_card
from rules.commands import ChooseMoon, PlayCard
from rules.commands import Pass as PassCards
from rules.decide import RuleViolation
from server.table import actions, seating
from server.table.actions import Action
from server.table.change import Caller, Change, Refusal, close
from server.table.events import ControllerChanged, RematchAgreed, Said, SeatChanged
from server.table.rematch import agree, settled
from server.table.state import TableState


def decide(state: TableState, caller: Caller, action: Action, at: int) -> Change:
    """What `action`, asked by `caller` at `at` (milliseconds since 1970), changes; a change without events is none.

    Raises Refusal, also for what the rules of the game refuse.
    """
    change = Change(state, at)
    seat = state.seat_of(caller.player)
    if isinstance(action, actions.Join):
        seating.join(change, caller, action)
        return change
    if seat is None:
        raise Refusal("not_seated", "You are not seated at this table.")
    if state.closed:
        raise Refusal("table_closed", "The table is closed.")
    try:
        if (state.seats[seat].bot_plays or state.seats[seat].away) and not isinstance(action, actions.Leave):
            change.add(ControllerChanged(seat, "human", "back"))
        _act(change, seat, action)
    except RuleViolation as violation:
        raise Refusal(violation.code, violation.detail, legal=violation.legal) from None
    return change


def _act(change: Change, seat: int, action: Action) -> None:
    match action:
        case actions.Play():
            card = _card(action.card, "$.card")
            _in_play(change.state)
            change.play(seat, PlayCard(card, action.turn))
        case actions.Pass():
            cards = tuple(_card(text, f"$.cards[{at}]") for at, text in enumerate(action.cards))
            _in_play(change.state)
            change.play(seat, PassCards(cards))
        case actions.Moon():
            _in_play(change.state)
            change.play(seat, ChooseMoon(action.choice))
        case actions.Say():
            _say(change, seat, action)
        case actions.Leave():
            seating.leave(change, seat)
        case actions.Start():
            seating.start(change, seat)
        case actions.AddBot():
            seating.add_bot(change, seat, action)
        case actions.Remove():
            seating.remove(change, seat, action)
        case actions.BotFor():
            seating.bot_for(change, action)
        case actions.Rematch():
            _rematch(change, seat)
        case actions.Close():
            _close(change, seat)
        case actions.Join():
            raise AssertionError("joining needs no seat")


def _card(text: str, field: str) -> Card:
    try:
        return parse_card(text)
    except CardError as error:
        raise Refusal("wrong_field", f"{field}: {error}.", field=field) from None


def _in_play(state: TableState) -> None:
    if state.game is None:
        raise Refusal("wrong_phase", "The game has not started.")


def _say(change: Change, seat: int, action: actions.Say) -> None:
    if bool(action.text) == bool(action.reaction):
        raise Refusal("wrong_field", "Say either a text or a reaction.", field="$.text")
    if action.text:
        change.add(Said(seat, text=_printable(action.text, "text")))
    elif action.reaction:
        change.add(Said(seat, reaction=_printable(action.reaction, "reaction")))


def _printable(text: str, field: str) -> str:
    said = text.strip()
    # Emoji are joined and varied by characters that do not print by themselves.
    if not said or not all(letter.isprintable() or letter in "\u200d\ufe0f" for letter in said):
        detail = f"$.{field}: expected printable characters; got {shown(said)}."
        raise Refusal("wrong_field", detail, field=f"$.{field}")
    return said


def _rematch(change: Change, seat: int) -> None:
    state = change.state
    if state.phase != "over":
        raise Refusal("wrong_phase", "A rematch can be asked for when the game is over.")
    if seat in state.agreed or state.next_table is not None:
        return
    agreed = agree(state, seat)
    change.add(RematchAgreed(seat, agreed, settled(state, agreed)))


def _close(change: Change, seat: int) -> None:
    state = change.state
    if state.phase == "over":
        raise Refusal("wrong_phase", "The game is over.")
    if state.game is None:
        if seat != state.host:
            raise Refusal("not_host", "Only the host may close the table before the game starts.")
        close(change, "host")
        return
    if not state.seats[seat].agrees_to_close:
        change.add(SeatChanged(seat=seat, agrees_to_close=True))
    seating.close_if_agreed(change)
