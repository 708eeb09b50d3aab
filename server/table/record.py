"""The record of a table's game, made of its stored events, and a finished table made of a record."""

from collections.abc import Iterable

from rules.commands import ChooseMoon, Close, Command, Deal, Pass, PlayCard
from rules.decide import decide
from rules.events import Event as GameEvent
from rules.record import HandRecord, Record, SeatRecord, write
from rules.ruleset import default_preset
from rules.shuffle import first_dealer, shuffled
from server.table.change import Change
from server.table.events import Closed, Created, Started, decode_entry
from server.table.state import Seat, Settings, TableState


def record_of(state: TableState, stored: Iterable[bytes]) -> Record:
    """The game so far: its finished hands."""
    events = (decode_entry(data).event for data in stored)
    return write(
        state.id,
        state.settings.rules,
        [SeatRecord(name=seat.name or "", kind=seat.kind or "bot") for seat in state.seats],
        state.commitment,
        [seat.nonce for seat in state.seats],
        (event for event in events if isinstance(event, GameEvent)),
    )


def table_of(record: Record, at: int) -> Change:
    """The finished table of a record that was checked: nobody's player, open to all who know its id.

    A record tells neither players nor the first link of the fair deal's chain, and a finished table needs none.
    Raises RuleViolation where the record was not checked.
    """
    seats = tuple(
        Seat(name=seat.name, kind=seat.kind, nonce=nonce)
        for seat, nonce in zip(record.seats, record.nonces, strict=True)
    )
    settings = Settings(
        name=f"Game of {record.seats[0].name}"[:32],
        preset=default_preset(record.rules.players),
        rules=record.rules,
        listed=False,
        turn_seconds=0,
        fill=None,
        absent="bot",
        spectators="public",
        hints=False,
    )
    change = Change.first(
        Created(id=record.table, settings=settings, secret="", commitment=record.commitment, seats=seats, host=0),
        at,
    )
    dealer = first_dealer(len(seats), record.hands[0].seed, record.nonces) if record.hands else 0
    change.add(Started(dealer))
    for hand in record.hands:
        _hand(change, hand, record.nonces)
    if record.result is not None and record.result.reason == "closed":
        change.add(Closed("operator"))
        _ask(change, None, Close())
    return change


def _hand(change: Change, hand: HandRecord, nonces: tuple[str, ...]) -> None:
    deck = change.state.settings.rules.worked_out.cards
    _ask(change, None, Deal(shuffled(deck, hand.seed, nonces), hand.seed))
    for seat, cards in enumerate(() if hand.pass_ is None else hand.pass_.cards):
        _ask(change, seat, Pass(cards))
    turn = 0
    for trick in hand.tricks:
        for play in trick.plays:
            _ask(change, play.seat, PlayCard(play.card, turn, play.by))
            turn += 1
    game = change.state.game
    if hand.moon is not None and game is not None and game.phase == "moon":
        _ask(change, hand.moon.shooter, ChooseMoon(hand.moon.scored))


def _ask(change: Change, seat: int | None, command: Command) -> None:
    assert change.state.game is not None, "a game was started"
    change.add(*decide(change.state.game, seat, command))
