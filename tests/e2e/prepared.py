"""Tables brought to a phase without a server, then stored as if they had been played there."""

from collections.abc import Sequence

from msgspec.structs import replace

from rules.cards import Card, in_order
from rules.commands import PlayCard
from rules.events import Dealt
from rules.legality import legal_cards
from server.snapshots import encode_snapshot
from server.store import Store
from server.table import actions
from server.table.change import Caller, Change
from server.table.events import Created, Started, encode_entry
from server.table.evolve import evolve
from server.table.state import Phase, TableState
from server.tokens import new_table_id
from tests.e2e.serving import Player
from tests.server.table.sitting import Table

SHOOTER = 1


def prepared(phase: Phase, seats: Sequence[Player], **settings: object) -> Table:
    """A table of three in this phase: seat 1 is to act, and takes every trick of its hand.

    In phase passing everybody is to act. Seat 0 is the host.
    """
    rules = {"hands": 1, "moon": "choice", "pass_count": 3 if phase == "passing" else 0}
    table = Table(3, rules=rules, **settings)  # type: ignore[arg-type]
    table.entries.clear()
    created = table.state
    seat = replace(created.seats[0], player=seats[0].player_id, name=seats[0].name)
    table.begin(
        Created(
            id=created.id,
            settings=created.settings,
            secret=created.secret,
            commitment=created.commitment,
            seats=(seat, *created.seats[1:]),
            host=0,
        )
    )
    for number, player in enumerate(seats[1:], 1):
        table.do(Caller(player.player_id, player.name), actions.Join(seat=number))
    if phase == "lobby":
        return table
    _deal(table, passing=phase == "passing")
    if phase in ("moon", "over"):
        _play(table)
    if phase == "over":
        table.do(Caller(seats[1].player_id, seats[1].name), actions.Moon(choice="add"))
    assert table.state.phase == phase
    return table


async def store(table: Table, to: Store) -> TableState:
    """Keep the table under an id of its own; its state."""
    first = table.entries[0]
    assert isinstance(first.event, Created)
    entries = [replace(first, event=replace(first.event, id=new_table_id())), *table.entries[1:]]
    state = None
    for entry in entries:
        state = evolve(state, entry.event, entry.at)
    assert state is not None
    assert await to.create(state.id, [encode_entry(entry) for entry in entries], encode_snapshot(state), state.id, 600)
    for seat in state.seats:
        if seat.player is not None:
            await to.seated(seat.player, state.id, table.now)
    return state


def _deal(table: Table, passing: bool) -> None:
    assert table.state.settings is not None
    deck = list(table.state.settings.rules.worked_out.cards)
    strong = [card for card in deck if card.value[1] == "C" or card.value in ("AH", "KH", "QH", "JH")]
    rest = [card for card in deck if card not in strong]
    hands = (rest[0::2], strong, rest[1::2])
    change = Change(table.state, table.now)
    change.add(
        Started(0),
        Dealt(
            number=1,
            dealer=0,
            hands=tuple(in_order(hand) for hand in hands),
            kitty=(),
            seed="5e" * 32,
            pass_offset=1 if passing else 0,
            pass_size=3 if passing else 0,
            leader=None if passing else SHOOTER,
        ),
    )
    table.take(change)


def _play(table: Table) -> None:
    while table.state.phase == "playing":
        (seat,) = table.state.to_act()
        game = table.state.game
        assert game is not None
        assert game.hand is not None
        legal: Sequence[Card] = legal_cards(game, seat)
        change = Change(table.state, table.now)
        change.play(
            seat,
            PlayCard(
                legal[-1] if seat == SHOOTER and not game.hand.trick and game.hand.tricks else legal[0],
                game.hand.turn_number,
            ),
        )
        table.take(change)
