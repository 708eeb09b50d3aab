"""Playing again: with everybody at once, or after a minute with those who agreed."""

from server.table import actions
from server.table.duties import SettleRematch
from server.table.state import Seat
from tests.server.table.sitting import Table, kinds


def over(**settings: object) -> Table:
    return Table(rules={"hands": 1}, **settings).sit().start().play_out()  # type: ignore[arg-type]


def test_all_agree_and_the_next_table_has_the_same_seats_at_once() -> None:
    table = over()
    for seat in range(4):
        assert table.state.next_table is None
        assert table.do(seat, actions.Rematch())
        assert table.do(seat, actions.Rematch()) == []
    assert table.agenda() == []
    other = table.rematch()
    assert other.state.id == table.state.next_table != table.state.id
    assert [seat.player for seat in other.state.seats] == [seat.player for seat in table.state.seats]
    assert other.state.phase == "lobby"
    assert other.state.host == table.state.host
    assert other.state.commitment != table.state.commitment
    assert other.state.settings == table.state.settings
    other.start()


def test_after_a_minute_it_begins_with_those_who_agreed_and_the_other_seats_are_free() -> None:
    table = over()
    table.do(2, actions.Rematch())
    since = table.now
    table.wait(30)
    table.do(1, actions.Rematch())
    assert table.agenda() == [(since + 60_000, SettleRematch())]
    assert kinds(table.wait(30)) == ["rematch"]
    other = table.rematch()
    assert [seat.kind for seat in other.state.seats] == [None, "human", "human", None]
    assert other.state.host == 1
    assert [seat.nonce for seat in other.state.seats] == [""] * 4


def test_bots_need_not_agree_and_keep_their_seats() -> None:
    table = Table(rules={"hands": 1}, fill="hard").sit(1).start()
    while table.state.phase != "over":
        if table.state.to_act()[0] < 2:
            table.step()
        else:
            table.wait(2)
    table.do(0, actions.Rematch())
    table.do(1, actions.Rematch())
    other = table.rematch()
    assert [(seat.kind, seat.level) for seat in other.state.seats[2:]] == [("bot", "hard"), ("bot", "hard")]


def test_those_who_left_are_not_waited_for() -> None:
    table = over()
    table.do(0, actions.Leave())
    table.do(3, actions.Leave())
    table.do(1, actions.Rematch())
    table.do(2, actions.Rematch())
    other = table.rematch()
    assert other.state.seats[0] == other.state.seats[3] == Seat()


def test_who_agreed_and_left_is_forgotten_with_the_minute_it_began() -> None:
    table = over()
    table.do(0, actions.Rematch())
    table.do(0, actions.Leave())
    assert table.agenda() == []
    table.wait(300)
    table.do(1, actions.Rematch())
    assert [at - table.now for at, _ in table.agenda()] == [60_000]


def test_the_next_tables_id_follows_from_the_secret_only() -> None:
    assert _next(b"a" * 32) == _next(b"a" * 32) != _next(b"b" * 32)


def _next(secret: bytes) -> str | None:
    table = over(secret=secret)
    for seat in range(4):
        table.do(seat, actions.Rematch())
    return table.state.next_table
