"""Plain mode: a whole hand as golden text in both languages, and what is typed at it.

After a wanted change: `make golden`, then read the difference.
"""

import io
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from client_cli import i18n
from client_cli.api import Api
from client_cli.errors import NotAllowed
from client_cli.plain import PlainTable
from client_cli.session import Seen, Session
from tests.client_cli import scenes
from tests.client_cli.fake_server import TABLE, FakeTable, serving

Golden = Callable[[str, str], None]
Connect = Callable[..., Api]


def play(api: Api, typed: str | None = None) -> str:
    said: list[str] = []
    lines = None if typed is None else io.StringIO(typed)
    PlainTable(api, TABLE, said.append, auto=typed is None).run(lines)
    return "".join(f"{line}\n" for line in said)


@pytest.mark.parametrize("players", [4, 8, 11])
@pytest.mark.parametrize("language", ["en", "es"])
def test_a_whole_hand(golden: Golden, call: Connect, players: int, language: str) -> None:
    i18n.set_language(language)
    with serving(FakeTable(players)) as server:
        server.chunk = 1000
        text = play(call(server))
    assert "\x1b" not in text
    golden(f"plain-{players}-{language}.txt", text)


def test_a_person_types_the_whole_hand(golden: Golden, call: Connect) -> None:
    """Typed as fast as it is asked for: what is said depends on the events alone."""
    with serving(FakeTable(4)) as server:
        said: list[str] = []
        typing = Typing()

        def write(line: str) -> None:
            said.append(line)
            if line.startswith("Your hand"):
                typing.put(answer(said))
            elif "game is over" in line:
                typing.put("quit")

        PlainTable(call(server), TABLE, write).run(typing)
    golden("plain-4-typed.txt", "".join(f"{line}\n" for line in said))


def answer(said: list[str]) -> str:
    """The first legal card, or the first cards for the pass, out of what was said."""
    if said[-2].startswith("Type the"):
        return "pass 1 2 3"
    return said[-2].rsplit(": ", 1)[1].split()[0].rstrip(".")


class Typing(io.StringIO):
    """Lines that come when they are put, as from a keyboard."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []
        self._ended = False
        self._more = threading.Condition()

    def put(self, line: str) -> None:
        with self._more:
            self._lines.append(line + "\n")
            self._more.notify()

    def __iter__(self) -> "Typing":
        return self

    def __next__(self) -> str:
        with self._more:
            if self._ended or not self._more.wait_for(lambda: self._lines, timeout=20):
                raise StopIteration
            self._ended = self._lines[0] == "quit\n"
            return self._lines.pop(0)


def test_pages_and_wrong_words_are_answered(golden: Golden, call: Connect) -> None:
    with serving(FakeTable(4)) as server:
        typing = Typing()
        said: list[str] = []

        def write(line: str) -> None:
            said.append(line)
            if line.startswith("Your hand") and len(said) < 10:
                for word in ("nonsense", "qs", "pass 1 2", "table", "last", "scores", "passes", "hint", "help"):
                    typing.put(word)
                typing.put("say hello")
            if line == "Ada: hello":
                typing.put("quit")

        PlainTable(call(server), TABLE, write).run(typing)
    golden("plain-pages.txt", "".join(f"{line}\n" for line in said))


def test_the_end_of_the_input_ends_it(call: Connect) -> None:
    with serving(FakeTable(4)) as server:
        said = play(call(server), "")
    assert said.count("has passed") == 0
    assert "Your hand" in said  # whoever comes without a keyboard sees at least how it stands


def test_what_is_typed_ahead_waits_for_the_first_view(call: Connect) -> None:
    with serving(FakeTable(4)) as server:
        said = play(call(server), "nonsense\nscores\nquit\n")
    assert "nonsense is neither a card nor a command" in said
    assert "total" in said


def test_who_looks_on_without_a_keyboard_is_told_the_game_to_its_end(call: Connect) -> None:
    class Watched(FakeTable):
        def view(self) -> dict[str, Any]:
            return {**super().view(), "me": None}

    table = Watched(4)
    said: list[str] = []

    def write(line: str) -> None:
        said.append(line)
        while len(said) == 5 and table.game is not None and table.game.phase != "over":
            table.act(move(table))

    def move(table: FakeTable) -> dict[str, Any]:
        assert table.game is not None
        assert table.game.hand is not None
        hint = {name: value for name, value in table.hint().items() if name != "why"}
        action: dict[str, Any] = {name: str(value) for name, value in hint.items() if name != "cards"}
        if "cards" in hint:
            return {**action, "cards": list(map(str, hint["cards"]))}
        return {**action, "turn": table.game.hand.turn_number}

    with serving(table) as server:
        table.act(move(table))
        PlainTable(call(server), TABLE, write).run(io.StringIO(""))
        assert "game is over" in said[-1]
        later: list[str] = []
        PlainTable(call(server), TABLE, later.append).run(io.StringIO(""))
        assert "Seat 1: Ada" in "".join(later)


def test_what_the_server_refuses_for_good_is_raised(call: Connect) -> None:
    with serving(FakeTable(4)) as server, pytest.raises(NotAllowed, match="token is not known"):
        PlainTable(call(server, "wrong"), TABLE, print).run(None)


def test_a_killed_server_is_told_and_waited_for(call: Connect) -> None:
    table = FakeTable(4)
    said: list[str] = []
    seated, lost, back = threading.Event(), threading.Event(), threading.Event()

    def write(line: str) -> None:
        said.append(line)
        if line.startswith("Your hand"):
            seated.set()
        if "Connection lost" in line:
            lost.set()
        if line == "Connected again.":
            back.set()

    with serving(table) as server:
        port = server.server_address[1]
        server.table.act({"action": "pass", "cards": list(map(str, table.hint()["cards"]))})
        plain = PlainTable(call(server), TABLE, write, auto=False)
        typing = Typing()
        running = threading.Thread(target=plain.run, args=(typing,))
        running.start()
        assert seated.wait(20)
    assert lost.wait(20)
    with serving(table, port):
        typing.put(str(table.hint()["card"]))
        with table.changed:
            assert table.changed.wait_for(lambda: table.plays_accepted == 1, timeout=20)
        assert back.wait(20)
        typing.put("quit")
        running.join(20)
    assert not running.is_alive()


def test_what_came_late_from_the_last_game_is_not_taken_for_the_next(
    call: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next table was known twice before it was gone to, and would have been gone to twice."""
    following = threading.Event()
    said: list[str] = []
    over, lobby = scenes.phase(8, "over"), scenes.phase(8, "lobby")
    over.table.next_table = lobby.table.id = "NEXTNEXTNEXT"
    views = {TABLE: [over, over], "NEXTNEXTNEXT": [lobby]}

    class Prepared(Session):
        """A session that tells of the views of its table at once."""

        def start(self) -> None:
            for view in views[self.table]:
                self.view = view
                self._tell(Seen(view, True, False))

    def write(line: str) -> None:
        said.append(line)
        if line.startswith("Table NEXT"):
            following.set()

    def typed() -> Iterator[str]:
        assert following.wait(20)
        yield "quit\n"

    monkeypatch.setattr("client_cli.plain.Session", Prepared)
    monkeypatch.setattr("client_cli.plain.seated_at", lambda api, table: True)
    with serving(FakeTable(8)) as server:
        PlainTable(call(server), TABLE, write).run(typed())
    assert [line.split(":")[0] for line in said if line.startswith("Table ")] == [
        f"Table {over.table.id}",
        "Table NEXTNEXTNEXT",
    ]
