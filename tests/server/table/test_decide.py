"""Every action at a table: what it does, and every way it is refused."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from rules.cards import Card
from rules.events import GameOver
from rules.legality import legal_cards
from server.problems import KINDS
from server.table import actions
from server.table.actions import Action
from server.table.change import Caller, Change, Refusal
from server.table.events import Closed, ControllerChanged, HostChanged, PlayerJoined, Said, SeatChanged
from tests.server.table.sitting import Table, kinds

STRANGER = Caller("stranger", "Zoe")


def lobby() -> Table:
    return Table().sit()


def passing() -> Table:
    return lobby().start()


def playing() -> Table:
    return passing().play_until(lambda state: state.phase == "playing")


def over() -> Table:
    return Table(rules={"hands": 1}).sit().start().play_out()


def closed() -> Table:
    table = lobby()
    table.do(0, actions.Close())
    return table


def refused(table: Table, seat: int | Caller, action: Action) -> str:
    before = table.state
    with pytest.raises(Refusal) as found:
        table.do(seat, action)
    assert table.state is before
    assert found.value.detail
    return found.value.code


def on_turn(table: Table) -> int:
    return table.state.to_act()[0]


def not_on_turn(table: Table) -> int:
    return next(seat for seat in range(4) if seat not in table.state.to_act())


def card_of(table: Table, seat: int, legal: bool) -> str:
    assert table.state.game is not None
    assert table.state.game.hand is not None
    able = legal_cards(table.state.game, seat)
    held = table.state.game.hand.cards[seat]
    return next(card.value for card in held if (card in able) == legal)


def turn(table: Table) -> int:
    assert table.state.game is not None
    assert table.state.game.hand is not None
    return table.state.game.hand.turn_number


PLAY = actions.Play(card="2C", turn=0)
REFUSALS: list[tuple[str, Callable[[], Table], int | Caller, Action]] = [
    ("not_seated", lobby, STRANGER, actions.Start()),
    ("not_seated", passing, STRANGER, PLAY),
    ("not_seated", over, STRANGER, actions.Rematch()),
    ("table_full", lobby, STRANGER, actions.Join()),
    ("seat_taken", lobby, STRANGER, actions.Join(seat=2)),
    ("no_such_seat", lobby, STRANGER, actions.Join(seat=4)),
    ("table_full", playing, STRANGER, actions.Join()),
    ("seat_taken", playing, STRANGER, actions.Join(seat=1)),
    ("wrong_phase", over, STRANGER, actions.Join()),
    ("table_closed", closed, STRANGER, actions.Join()),
    ("wrong_phase", passing, 1, actions.Join(nonce="late")),
    ("table_closed", closed, 0, actions.Start()),
    ("table_closed", closed, 1, actions.Say(text="hello")),
    ("table_closed", closed, 1, actions.Rematch()),
    ("not_host", lobby, 1, actions.Start()),
    ("not_host", lobby, 1, actions.AddBot(seat=2, level="easy")),
    ("not_host", lobby, 1, actions.Remove(seat=2)),
    ("not_host", lobby, 1, actions.Close()),
    ("seat_taken", lobby, 0, actions.AddBot(seat=2, level="easy")),
    ("no_such_seat", lobby, 0, actions.AddBot(seat=4, level="easy")),
    ("no_such_seat", lobby, 0, actions.Remove(seat=10)),
    ("seat_empty", Table, 0, actions.Remove(seat=3)),
    ("seats_empty", Table, 0, actions.Start()),
    ("wrong_phase", lobby, 0, PLAY),
    ("wrong_phase", lobby, 0, actions.Pass(cards=[])),
    ("wrong_phase", lobby, 0, actions.Moon(choice="add")),
    ("wrong_phase", lobby, 0, actions.BotFor(seat=1)),
    ("wrong_phase", lobby, 0, actions.Rematch()),
    ("wrong_phase", passing, 0, actions.Start()),
    ("wrong_phase", passing, 0, actions.AddBot(seat=1, level="hard")),
    ("wrong_phase", passing, 0, actions.Remove(seat=1)),
    ("wrong_phase", passing, 0, PLAY),
    ("wrong_phase", passing, 0, actions.Moon(choice="add")),
    ("wrong_phase", playing, 0, actions.Pass(cards=[])),
    ("wrong_phase", playing, 0, actions.Rematch()),
    ("wrong_phase", over, 0, PLAY),
    ("wrong_phase", over, 0, actions.Pass(cards=[])),
    ("wrong_phase", over, 0, actions.Moon(choice="add")),
    ("wrong_phase", over, 0, actions.Close()),
    ("wrong_phase", over, 0, actions.BotFor(seat=1)),
    ("not_away", passing, 0, actions.BotFor(seat=1)),
    ("no_such_seat", passing, 0, actions.BotFor(seat=9)),
    ("wrong_pass_size", passing, 0, actions.Pass(cards=["2C"])),
    ("wrong_field", passing, 0, actions.Pass(cards=["2C", "ZZ", "3C"])),
    ("wrong_field", playing, 0, actions.Play(card="11H", turn=0)),
    ("wrong_field", lobby, 0, actions.Say()),
    ("wrong_field", lobby, 0, actions.Say(text="both", reaction="x")),
    ("wrong_field", lobby, 0, actions.Say(text="a\nb")),
    ("wrong_field", lobby, 0, actions.Say(text="   ")),
    ("wrong_field", lobby, 0, actions.Say(reaction="\x07")),
    ("stale_turn", playing, 0, actions.Play(card="2C", turn=7)),
]


@pytest.mark.parametrize(("code", "made", "seat", "action"), REFUSALS)
def test_refused(code: str, made: Callable[[], Table], seat: int | Caller, action: Action) -> None:
    assert refused(made(), seat, action) == code


def test_refusals_of_the_rules_reach_the_player_with_what_is_legal() -> None:
    table = playing()
    seat, other = on_turn(table), not_on_turn(table)
    assert refused(table, other, actions.Play(card="2C", turn=turn(table))) == "not_your_turn"
    assert (
        refused(table, seat, actions.Play(card=card_of(table, seat, False), turn=turn(table))) == "must_lead_low_card"
    )
    with pytest.raises(Refusal) as found:
        table.do(seat, actions.Play(card=card_of(table, other, False), turn=turn(table)))
    assert (found.value.code, found.value.legal) == ("card_not_held", (Card.C2,))
    table = passing()
    table.step()
    assert refused(table, 0, actions.Pass(cards=["2C", "2C", "2C"])) == "already_passed"
    assert refused(table, 1, actions.Pass(cards=["2C", "2C", "2C"])) == "card_not_held"


def test_only_the_shooter_chooses_how_the_moon_is_scored() -> None:
    table = playing()
    game = table.state.game
    assert game is not None
    assert game.hand is not None
    shot = replace(game, phase="moon", hand=replace(game.hand, turn=2))
    table.state = replace(table.state, game=shot)
    assert refused(table, 1, actions.Moon(choice="add")) == "not_the_shooter"


def test_every_code_that_code_refuses_with_is_registered_and_tried_here() -> None:
    written = set()
    for path in (Path("server/table"), Path("rules")):
        for file in path.glob("*.py"):
            written |= set(re.findall(r'(?:Refusal|RuleViolation)\(\s*"(\w+)"', file.read_text()))
    assert written - set(KINDS) == set()
    by_the_rules = {
        "not_your_turn",
        "card_not_held",
        "already_passed",
        "not_the_shooter",
        "wrong_deck",
        "own_seat_waits",
    }
    assert written - {row[0] for row in REFUSALS} <= by_the_rules


def test_join_takes_the_first_free_seat_or_the_one_asked_for() -> None:
    table = Table()
    assert table.do(STRANGER, actions.Join(nonce="luck")) == [PlayerJoined(1, "stranger", "Zoe", "luck")]
    assert table.do(STRANGER, actions.Join(seat=3)) == []  # seated already: stays
    assert table.state.seat_of("stranger") == 1
    table.do(3, actions.Join(seat=3))
    assert [seat.kind for seat in table.state.seats] == ["human", "human", None, "human"]


def test_a_nonce_counts_until_the_start_and_the_last_one_sent() -> None:
    table = lobby()
    assert table.do(2, actions.Join(nonce="a")) == [SeatChanged(seat=2, nonce="a")]
    assert table.do(2, actions.Join(nonce="a")) == []
    assert table.do(2, actions.Join(nonce="")) == [SeatChanged(seat=2, nonce="")]
    table.do(2, actions.Join(nonce="b"))
    table.do(3, actions.Join(nonce="c"))
    table.do(3, actions.Leave())
    table.do(3, actions.Join())
    assert [seat.nonce for seat in table.state.seats] == ["", "", "b", ""]
    table.start()
    table.do(2, actions.Leave())
    table.do(STRANGER, actions.Join(seat=2))
    assert table.state.seats[2].nonce == "b"


def test_another_nonce_is_another_deal() -> None:
    def dealt(nonce: str) -> object:
        table = lobby()
        table.do(1, actions.Join(nonce=nonce))
        table.start()
        assert table.state.game is not None
        assert table.state.game.hand is not None
        return table.state.game.hand.deal

    assert dealt("a") == dealt("a")
    assert dealt("a") != dealt("b")


def test_the_host_leaving_hands_over_to_the_longest_seated_human() -> None:
    table = Table()
    table.now += 1
    table.do(3, actions.Join(seat=3))
    table.now += 1
    table.do(1, actions.Join(seat=1))
    table.do(0, actions.AddBot(seat=2, level="easy"))
    assert table.do(0, actions.Leave())[-1] == HostChanged(3)
    assert table.do(3, actions.Leave())[-1] == HostChanged(1)
    assert table.do(1, actions.Leave())[-1] == HostChanged(None)
    assert table.state.idle_since == table.now
    assert table.do(STRANGER, actions.Join())[-1] == HostChanged(0)
    assert table.state.idle_since is None


def test_the_host_seats_and_removes_bots_and_players() -> None:
    table = Table()
    table.do(0, actions.AddBot(seat=1, level="hard"))
    assert table.state.seats[1].level == "hard"
    table.do(2, actions.Join(seat=2))
    table.do(0, actions.Remove(seat=1))
    table.do(0, actions.Remove(seat=2))
    assert [seat.kind for seat in table.state.seats] == ["human", None, None, None]
    assert kinds(table.do(0, actions.Remove(seat=0))) == ["player_left", "host_changed"]


def test_start_fills_empty_seats_as_the_table_says() -> None:
    table = Table(fill="easy").sit(2)
    assert kinds(table.do(0, actions.Start())) == ["seat_changed", "seat_changed", "started", "dealt"]
    assert [seat.level for seat in table.state.seats] == [None, "easy", None, "easy"]
    assert table.state.phase == "passing"


def test_leaving_a_game_and_coming_back() -> None:
    table = passing()
    assert table.do(1, actions.Leave())[1:] == [ControllerChanged(1, "bot", "left")]
    assert table.state.seat_of("player-1") is None
    assert refused(table, 1, actions.Say(text="still here")) == "not_seated"
    table.do(2, actions.Leave())
    assert refused(table, 1, actions.Join(seat=2)) == "own_seat_waits"
    table.do(1, actions.Join())
    seat = table.state.seats[1]
    assert (seat.left, seat.bot_plays, seat.connected) == (False, False, True)


def test_a_seat_that_was_left_is_taken_over_cards_and_score_included() -> None:
    table = playing()
    table.do(1, actions.Leave())
    before = table.view(None).seats[1]
    table.do(STRANGER, actions.Join())
    after = table.view(None).seats[1]
    assert (after.name, after.controller, after.cards, after.score) == ("Zoe", "human", before.cards, before.score)
    assert refused(table, 1, actions.Join()) == "seat_taken"


def test_whose_seat_was_taken_gets_no_other_having_seen_the_cards() -> None:
    table = playing()
    table.do(1, actions.Leave())
    table.do(STRANGER, actions.Join())
    table.do(2, actions.Leave())
    assert refused(table, 1, actions.Join()) == "seat_taken"
    assert refused(table, 1, actions.Join(seat=2)) == "seat_taken"
    assert table.fold() == table.state


def test_with_absent_wait_a_seat_that_was_left_waits_until_others_ask_for_a_bot() -> None:
    table = Table(absent="wait").sit().start()
    assert kinds(table.do(1, actions.Leave())) == ["player_left"]
    assert table.wait(3600) == []
    assert "bot_for" in table.can(0)
    assert table.do(0, actions.BotFor(seat=1)) == [ControllerChanged(1, "bot", "asked")]
    assert kinds(table.wait(2)) == ["passed"]


def test_a_bot_may_be_asked_for_the_disconnected_the_away_and_those_who_dawdle() -> None:
    table = passing()
    table.take(_disconnect(table, 2))
    assert table.do(0, actions.BotFor(seat=2)) == [ControllerChanged(2, "bot", "asked")]
    assert refused(table, 0, actions.BotFor(seat=2)) == "not_away"
    table.now += 179_999
    assert refused(table, 0, actions.BotFor(seat=3)) == "not_away"
    table.now += 1
    assert table.do(0, actions.BotFor(seat=3)) == [ControllerChanged(3, "bot", "asked")]
    table = Table(turn_seconds=30).sit().start()
    table.now += 500_000
    assert refused(table, 0, actions.BotFor(seat=3)) == "not_away"  # its deadline acts for it


def _disconnect(table: Table, seat: int) -> Change:
    change = Change(table.state, table.now)
    change.add(SeatChanged(seat=seat, connected=False))
    return change


def test_any_action_takes_the_seat_back_but_a_refused_one_changes_nothing() -> None:
    table = passing()
    table.take(_disconnect(table, 2))
    table.do(0, actions.BotFor(seat=2))
    assert refused(table, 2, PLAY) == "wrong_phase"
    assert table.state.seats[2].bot_plays
    assert kinds(table.do(2, actions.Say(text="back"))) == ["controller_changed", "said"]
    assert not table.state.seats[2].bot_plays
    table.do(0, actions.BotFor(seat=2))
    assert kinds(table.do(2, actions.Join())) == ["controller_changed"]
    table.do(0, actions.BotFor(seat=2))
    assert kinds(table.do(2, table.asked(2))) == ["controller_changed", "passed"]


def test_say() -> None:
    table = lobby()
    assert table.do(1, actions.Say(text="  well played ")) == [Said(1, text="well played")]
    assert table.do(1, actions.Say(reaction="👩‍🎓")) == [Said(1, reaction="👩‍🎓")]


def test_closing_a_game_takes_every_human_and_whoever_leaves_agrees_by_leaving() -> None:
    table = playing()
    for seat in (0, 1, 2):
        assert kinds(table.do(seat, actions.Close())) == ["seat_changed"]
        assert table.do(seat, actions.Close()) == []
        assert "close" not in table.can(seat)
    events = table.do(3, actions.Leave())
    assert kinds(events) == ["player_left", "controller_changed", "closed", "game_over"]
    result = table.state.result
    assert result is not None
    assert (result.winners, result.reason) == ((), "closed")
    table = playing()
    for seat in range(4):
        events = table.do(seat, actions.Close())
    assert isinstance(events[-1], GameOver)
    assert events[-2] == Closed("agreed")


def test_a_game_is_not_closed_because_the_last_human_left() -> None:
    table = Table(fill="easy").start()
    assert kinds(table.do(0, actions.Leave())) == ["player_left", "controller_changed", "host_changed"]
    assert table.state.phase == "passing"


def test_what_a_view_says_one_can_do_is_not_refused() -> None:
    asked: dict[str, Callable[[Table, int], Action]] = {
        "start": lambda table, seat: actions.Start(),
        "close": lambda table, seat: actions.Close(),
        "say": lambda table, seat: actions.Say(text="x"),
        "leave": lambda table, seat: actions.Leave(),
        "rematch": lambda table, seat: actions.Rematch(),
        "pass": lambda table, seat: table.asked(seat),
        "play": lambda table, seat: table.asked(seat),
        "remove": lambda table, seat: actions.Remove(seat=1),
        "add_bot": lambda table, seat: actions.AddBot(seat=1, level="easy"),
    }
    for made in (lobby, passing, playing, over, closed):
        for seat in range(4):
            for name in made().can(seat):
                table = made()
                if name == "add_bot":
                    table.do(0, actions.Remove(seat=1))
                table.do(seat, asked[name](table, seat))
