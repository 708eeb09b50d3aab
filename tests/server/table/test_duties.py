"""What falls due by itself: time limits, absence, bots, closing; on a clock that the test moves."""

from rules.events import Passed, Played
from server.table import actions
from server.table.change import Change
from server.table.duties import BotActs, CloseIdle, StandIn, Times, Warn, agenda, counted_from, latest
from server.table.events import Closed, ControllerChanged, SeatChanged, TurnWarning
from tests.server.table.sitting import Table, kinds


def connect(table: Table, seat: int, connected: bool) -> None:
    change = Change(table.state, table.now)
    change.add(SeatChanged(seat=seat, connected=connected))
    table.take(change)


def playing(**settings: object) -> Table:
    return Table(**settings).sit().start().play_until(lambda state: state.phase == "playing")  # type: ignore[arg-type]


def test_nothing_falls_due_at_an_untimed_table_of_connected_humans() -> None:
    assert Table().agenda() == []
    assert playing().agenda() == []


def test_a_warning_then_the_deadline_and_the_play_says_so() -> None:
    table = playing(turn_seconds=30)
    seat = table.state.to_act()[0]
    since = table.state.turn_since
    assert table.agenda()[:2] == [(since + 22_500, Warn()), (since + 30_000, BotActs(seat, "timeout"))]
    assert table.wait(22.5) == [TurnWarning((seat,), since + 30_000)]
    assert table.view(None).hand.deadline == "2027-01-15T08:00:30.000Z"  # type: ignore[union-attr]
    assert table.wait(7.4) == []
    (played,) = table.wait(0.1)
    assert isinstance(played, Played)
    assert (played.seat, played.by) == (seat, "timeout")


def test_the_warning_comes_ten_seconds_before_or_a_quarter_of_a_short_turn() -> None:
    assert playing(turn_seconds=300).agenda()[0][0] - playing(turn_seconds=300).state.turn_since == 290_000
    assert playing(turn_seconds=8).agenda()[0][0] - playing(turn_seconds=8).state.turn_since == 6_000


def test_an_action_in_time_starts_the_next_seats_time() -> None:
    table = playing(turn_seconds=30)
    table.wait(29)
    table.step()
    assert table.wait(20) == []
    assert kinds(table.wait(4)) == ["turn_warning"]


def test_all_who_have_not_passed_are_warned_and_passed_for() -> None:
    table = Table(turn_seconds=30).sit().start()
    table.step()
    assert table.wait(25) == [TurnWarning((1, 2, 3), table.now + 5_000)]
    happened = table.wait(5)
    assert [(event.seat, event.by) for event in happened if isinstance(event, Passed)] == [
        (1, "timeout"),
        (2, "timeout"),
        (3, "timeout"),
    ]
    assert kinds(happened)[-1] == "exchanged"


def test_two_timeouts_running_make_a_seat_away_with_two_seconds_until_its_human_acts() -> None:
    table = Table(turn_seconds=30).sit().start()
    table.wait(30)  # all four time out once, passing
    seat = table.state.to_act()[0]
    table.wait(30)
    assert table.view(None).seats[seat].away
    while table.state.to_act() != (seat,):
        table.step()
    assert [(at - table.now, duty) for at, duty in table.agenda()] == [(2_000, BotActs(seat, "timeout"))]
    assert "bot_for" in table.can((seat + 1) % 4)
    assert kinds(table.do(seat, actions.Say(text="here"))) == ["controller_changed", "said"]
    assert not table.state.seats[seat].away
    assert {duty: at - table.now for at, duty in table.agenda()}[BotActs(seat, "timeout")] == 30_000


def test_playing_in_time_forgives_a_timeout() -> None:
    table = Table(turn_seconds=30).sit().start()
    table.wait(30)
    table.play_until(
        lambda state: state.game is not None and state.game.hand is not None and len(state.game.hand.tricks) == 2
    )
    assert [seat.timeouts for seat in table.state.seats] == [0, 0, 0, 0]


def test_an_absent_human_is_stood_in_for_on_its_turn_and_only_then() -> None:
    table = playing()
    seat, other = table.state.to_act()[0], (table.state.to_act()[0] + 2) % 4
    connect(table, other, False)
    assert table.wait(3600) == []
    connect(table, seat, False)
    assert table.agenda() == [(table.now + 90_000, StandIn(seat))]
    assert kinds(table.wait(89)) == []
    connect(table, seat, True)
    assert table.agenda() == []
    connect(table, seat, False)
    happened = table.wait(92)
    assert happened[0] == ControllerChanged(seat, "bot", "absent")
    assert isinstance(happened[1], Played)
    assert happened[1].by == "bot"


def test_with_absent_wait_nobody_stands_in() -> None:
    table = playing(absent="wait")
    connect(table, table.state.to_act()[0], False)
    assert table.agenda() == []
    assert "bot_for" in table.can((table.state.to_act()[0] + 1) % 4)


def test_a_bot_takes_its_time_the_same_for_whoever_asks_and_none_without_humans() -> None:
    times = Times(bot_delay_least=0.5, bot_delay_most=1.5)
    table = Table(fill="easy", times=times).start()
    table.do(0, table.asked(0))
    delays = [at - table.state.turn_since for at, _ in table.agenda()]
    assert all(500 <= delay <= 1500 for delay in delays)
    assert len(set(delays)) == 3
    assert delays == [at - table.state.turn_since for at, _ in table.agenda()]
    table.do(0, actions.Leave())
    assert all(at == table.state.turn_since for at, duty in table.agenda() if isinstance(duty, BotActs))


def test_a_game_everybody_left_is_played_to_its_end_by_bots() -> None:
    table = playing(rules={"hands": 1})
    for seat in range(4):
        table.do(seat, actions.Leave())
    assert kinds(table.wait(0))[-1] == "game_over"
    assert table.agenda() == []


def test_a_lobby_without_a_connected_human_closes_after_an_hour_a_game_after_a_week() -> None:
    table = Table()
    connect(table, 0, False)
    assert table.agenda() == [(table.now + 3_600_000, CloseIdle())]
    assert table.wait(3600) == [Closed("idle")]
    assert table.state.result is not None
    assert table.agenda() == []
    table = playing(absent="wait")
    for seat in range(4):
        table.do(seat, actions.Leave())
    assert table.wait(7 * 86_400 - 1) == []
    assert kinds(table.wait(1)) == ["closed", "game_over"]


def test_a_human_coming_back_keeps_an_idle_table_open() -> None:
    table = Table()
    connect(table, 0, False)
    table.wait(3_000)
    connect(table, 0, True)
    assert table.agenda() == []


def test_every_absent_human_is_awaited_no_longer_than_the_settings_say() -> None:
    """No combination of settings lets one connected human wait for ever."""
    for turn_seconds in (0, 30):
        for absent in ("bot", "wait"):
            table = Table(turn_seconds=turn_seconds, absent=absent, rules={"hands": 1}).sit().start()
            for seat in (1, 2):
                connect(table, seat, False)
            table.do(3, actions.Leave())
            for _ in range(2_000):
                if table.state.phase == "over":
                    break
                if 0 in table.state.to_act():
                    table.do(0, table.asked(0))
                for seat in (1, 2, 3):
                    if "bot_for" in table.can(0) and table.view(0).seats[seat].controller == "human":
                        table.do(0, actions.BotFor(seat=seat))
                table.wait(1)
            assert table.state.phase == "over", (turn_seconds, absent)


def test_moments_that_are_yet_to_come_can_be_counted_from_now() -> None:
    """As after the clock was set back by an hour."""
    table = Table(turn_seconds=30, rules={"hands": 1}).sit().start()
    connect(table, 1, False)
    assert latest(table.state) == table.now
    back = table.now - 3_600_000
    state = counted_from(table.state, back)
    assert latest(state) == back
    assert counted_from(table.state, table.now) == table.state
    moved = [(at - 3_600_000, duty) for at, duty in agenda(table.state, table.times)]
    assert agenda(state, table.times) == moved
