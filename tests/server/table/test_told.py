"""What one seat may know: views, events, and the state that the events fold to."""

from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from rules.cards import in_order
from server.snapshots import decode_snapshot, encode_snapshot
from server.table import actions
from server.table.change import Caller
from server.table.state import TableState
from server.table.told import is_private, message
from server.table.view import opened, render
from tests.rules.playing import DECK_ROWS
from tests.server.table.sitting import SEED, START, Table

SIZES = [*DECK_ROWS, *[(0, players) for players in range(5, 12)]]


def table_of(packs: int, players: int, **settings: object) -> Table:
    """packs 0: the kitty deck."""
    options = {"packs": packs} if packs else {"packs": 2, "deck": "kitty", "first_lead": "dealers_left"}
    return Table(players, rules={"hands": 1, **options}, **settings).sit()  # type: ignore[arg-type]


@pytest.mark.parametrize(("packs", "players"), SIZES)
def test_events_fold_to_the_state_and_unseen_cards_change_no_view(packs: int, players: int) -> None:
    """Swapping cards that a seat has not seen between other seats and the kitty leaves its view as it is."""
    table, random = table_of(packs, players).start(), Random(SEED)
    steps = 0
    while table.state.phase != "over":
        table.step()
        steps += 1
        if steps % 5 == 0:
            assert table.fold() == table.state
            assert decode_snapshot(encode_snapshot(table.state)) == table.state
            for seat in (None, *random.sample(range(players), 2)):
                swapped = swap_unseen(table.state, seat, random)
                assert render(swapped, seat, START) == render(table.state, seat, START), f"{seat=} {SEED=}"
    assert table.fold() == table.state


def swap_unseen(state: TableState, seat: int | None, random: Random) -> TableState:
    """The state with all cards in other hands, and the kitty, shuffled among each other."""
    assert state.game is not None
    hand = state.game.hand
    assert hand is not None
    if state.phase == "over":
        return state
    others = [other for other in range(len(state.seats)) if other != seat]
    # What others passed is part of what they were dealt, and told to nobody: it may be anything they hold.
    pool = [card for other in others for card in hand.cards[other]]
    kitty_out = state.game.rules.kitty_to == "last_trick" or not hand.tricks
    if kitty_out:
        pool += hand.kitty
    random.shuffle(pool)
    cards = list(hand.cards)
    for other in others:
        cards[other] = in_order([pool.pop() for _ in cards[other]])
    kitty = in_order(pool) if kitty_out else hand.kitty
    changes: dict[str, object] = {"cards": tuple(cards), "kitty": kitty}
    if state.phase == "passing":
        changes["passed"] = tuple(
            passed if other == seat or passed is None else tuple(random.sample(cards[other], hand.pass_size))
            for other, passed in enumerate(hand.passed)
        )
    changes["deal"] = tuple(dealt if other == seat else cards[other] for other, dealt in enumerate(hand.deal))
    game = replace(state.game, hand=replace(hand, seed="00" * 32, **changes))  # type: ignore[arg-type]
    return replace(state, game=game, secret="11" * 32)


def test_private_events_show_each_seat_its_own_cards_and_a_spectator_none() -> None:
    table = table_of(2, 6).start().play_out()
    assert table.state.game is not None
    for number, entry in enumerate(table.entries, 1):
        told = {seat: message(number, entry, seat) for seat in (None, *range(6))}
        decoded = {seat: msgspec.json.decode(data) for seat, data in told.items()}
        kind = decoded[None]["type"]
        if not is_private(entry.event):
            assert len(set(told.values())) == 1, kind
        elif kind == "dealt":
            assert decoded[None]["cards"] is None
            for seat in range(6):
                assert decoded[seat]["cards"] == [card.value for card in entry.event.hands[seat]]  # type: ignore[union-attr]
            assert "seed" not in decoded[0]
            assert "kitty" not in decoded[0]
        elif kind == "passed":
            for seat, said in decoded.items():
                assert (said["cards"] is not None) == (seat == said["seat"])
        else:
            for seat, said in decoded.items():
                expected = None if seat is None else [card.value for card in entry.event.received[seat]]  # type: ignore[union-attr]
                assert said["received"] == expected


def test_events_are_numbered_without_gaps_and_tell_no_player_id_nonce_or_secret() -> None:
    table = Table(rules={"hands": 1})
    for seat in (1, 2, 3):
        table.do(Caller(f"player-{seat}", f"P{seat}"), actions.Join(seat=seat, nonce=f"nonce-{seat}"))
    table.do(1, actions.Join(nonce="nonce-other"))
    table.start().play_out()
    assert table.state.version == len(table.entries)
    told = b"".join(message(number, entry, 0) for number, entry in enumerate(table.entries, 1))
    told += opened(render(table.state, 0, START), table.state.version, START)
    for secret in (b"player-1", b"nonce-", table.state.secret.encode()):
        assert secret not in told
    assert [msgspec.json.decode(message(1, table.entries[0], None))["type"]] == ["player_joined"]


def test_a_table_without_spectators_is_open_in_the_lobby_only() -> None:
    table = Table(spectators="none").sit()
    assert table.state.open_to_spectators
    table.start()
    assert not table.state.open_to_spectators


def test_a_view_in_the_lobby() -> None:
    view = Table().view(None)
    assert view.hand is None
    assert view.me is None
    assert (view.seats[1].name, view.seats[1].kind, view.seats[1].controller) == (None, None, None)
    assert view.fair.seeds == ()
    assert len(view.fair.commitment) == 64
