"""The full-screen table driven by Textual's pilot against the scripted server."""

import asyncio
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from client_cli.api import Api
from client_cli.look import Look
from client_cli.screen import TableApp
from client_cli.widgets import PageScreen, Picture
from tests.client_cli.fake_server import TABLE, FakeServer, FakeTable, serving

WITHIN = 20.0


Connect = Callable[..., Api]


def shown(app: TableApp) -> str:
    picture = app.screen_stack[0].query_one(Picture)
    return str(picture.render())


async def until(pilot: Pilot[str | None], holds: Callable[[], bool]) -> None:
    """Let the app work until something is so."""
    async with asyncio.timeout(WITHIN):
        while not holds():
            await pilot.pause(0.01)


async def play_hint(pilot: Pilot[str | None], server: FakeServer) -> None:
    hint = server.table.hint()
    cards = hint["cards"] if hint["action"] == "pass" else [hint["card"]]
    typed = ["space" if letter == " " else letter for letter in " ".join(map(str, cards)).lower()]
    before = len(server.table.events)
    await pilot.press(*typed, "enter")
    await until(pilot, lambda: len(server.table.events) > before)


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)])
async def test_a_whole_hand_by_keys(call: Connect, size: tuple[int, int]) -> None:
    with serving(FakeTable(8)) as server:
        app = TableApp(call(server), TABLE)
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: "Choose 3 cards to pass" in shown(app))
            while server.table.game is not None and server.table.game.phase != "over":
                expected = len(server.table.events)
                await until(pilot, lambda n=expected: app._view is not None and app._view.version >= n)
                await until(pilot, lambda: not app._sending)
                await play_hint(pilot, server)
            await until(pilot, lambda: "The game is over" in shown(app))
            assert isinstance(app.screen, PageScreen)
            await pilot.press("x")
            assert not isinstance(app.screen, PageScreen)
            lines = shown(app).split("\n")
            assert len(lines) == size[1]
        assert app.return_value is None


async def test_it_survives_being_resized(call: Connect) -> None:
    with serving(FakeTable(11)) as server:
        app = TableApp(call(server), TABLE)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: "Choose" in shown(app))
            for size in ((160, 50), (40, 12), (20, 5), (80, 24)):
                await pilot.resize_terminal(*size)
                await until(pilot, lambda n=size: len(shown(app).split("\n")) == n[1])
            assert "Choose" in shown(app)


async def test_pages_open_and_close(call: Connect) -> None:
    with serving(FakeTable(8)) as server:
        app = TableApp(call(server), TABLE, look=Look(ascii=True))
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: "Choose" in shown(app))
            for key in ("question_mark", "l", "p", "r", "w"):
                await pilot.press(key)
                await until(pilot, lambda: isinstance(app.screen, PageScreen))
                await pilot.press("down", "escape")
                await until(pilot, lambda: not isinstance(app.screen, PageScreen))


async def test_saying_something_and_a_hint(call: Connect) -> None:
    with serving(FakeTable(8)) as server:
        app = TableApp(call(server), TABLE)
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: "Choose" in shown(app))
            await pilot.press("m", *"well", "space", *"played", "enter")
            await until(pilot, lambda: "Ada: well played" in shown(app))
            await pilot.press("i")
            await until(pilot, lambda: "They are your highest" in shown(app))


async def test_a_refusal_shows_the_servers_reason(call: Connect) -> None:
    with serving(FakeTable(8)) as server:
        app = TableApp(call(server), TABLE)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: "Choose" in shown(app))
            await pilot.press("slash", *"close", "enter")
            await until(pilot, lambda: "That is not possible now." in shown(app))


async def test_the_bell_rings_once_for_each_turn_and_can_be_off(call: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[int] = []
    monkeypatch.setattr(TableApp, "bell", lambda self: rung.append(1))
    with serving(FakeTable(8)) as server:
        app = TableApp(call(server), TABLE)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: len(rung) == 1)
            await play_hint(pilot, server)
            await until(pilot, lambda: "Your turn" in shown(app))
            assert len(rung) == 2
            await pilot.press("b")
            assert "The bell is off." in shown(app)
            await play_hint(pilot, server)
            await until(pilot, lambda: app._view is not None and app._view.version == len(server.table.events))
            assert len(rung) == 2


async def test_a_server_killed_and_back_is_shown_and_played_on(call: Connect) -> None:
    table = FakeTable(4)
    with serving(table) as server:
        port = server.server_address[1]
        app = TableApp(call(server), TABLE)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: "Choose" in shown(app))
            await play_hint(pilot, server)
            await until(pilot, lambda: "Your turn" in shown(app))
            await asyncio.to_thread(server.kill)
            await until(pilot, lambda: "Offline" in shown(app))
            card = str(table.hint()["card"]).lower()
            await pilot.press(*card, "enter")
            with serving(table, port):
                await until(pilot, lambda: table.plays_accepted == 1)
                await until(pilot, lambda: "Offline" not in shown(app))
                await until(pilot, lambda: "Your turn" in shown(app))


async def test_a_server_that_is_not_there_yet_is_waited_for(call: Connect) -> None:
    table = FakeTable(4)
    with serving(table) as server:
        port = server.server_address[1]
    app = TableApp(call(server), TABLE)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "nothing listens there" in shown(app))
        with serving(table, port):
            await until(pilot, lambda: "Choose" in shown(app))


async def test_a_token_that_is_not_known_ends_it(call: Connect) -> None:
    with serving(FakeTable(4)) as server:
        app = TableApp(call(server, "wrong"), TABLE)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: app.ended is not None)
        assert "not known" in str(app.ended)
