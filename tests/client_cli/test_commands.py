"""Every command and every exit code, as a script sees them."""

import io
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from client_cli.__main__ import main
from client_cli.commands.play import parse_rule
from client_cli.credentials import load_token, save_token
from client_cli.errors import WrongUse
from client_cli.settings import server_address
from tests.client_cli.fake_server import TABLE, TOKEN, FakeServer, FakeTable, serving


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving(FakeTable(8)) as running:
        yield running


@pytest.fixture
def run(server: FakeServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `hearts ARGUMENTS` against the fake server, not on a terminal."""
    monkeypatch.setenv("HEARTS_SERVER", server.address)

    def hearts(*arguments: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return hearts


@pytest.fixture
def ada(server: FakeServer) -> None:
    """I am a player on the fake server."""
    save_token(server.address, TOKEN)


def one_json_line(text: str) -> object:
    assert text.endswith("\n")
    assert text.count("\n") == 1
    return json.loads(text)


# -- exit codes


@pytest.mark.usefixtures("ada")
def test_0_done(run: Run) -> None:
    assert run("whoami").code == 0


@pytest.mark.usefixtures("ada")
def test_1_refused_with_the_servers_reason(run: Run) -> None:
    ran = run("pass", TABLE, "QS")
    assert ran == Ran(1, "", "Error: This hand passes 3 cards, not 1.\n")
    assert run("show", "0000-0000-0000") == Ran(1, "", "Error: There is no such table.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["card"],
        ["card", TABLE, "QX"],
        ["new", "--players", "12"],
        ["new", "--rule", "moon"],
        ["login"],
        ["login", "--token-stdin"],
        ["check", "no-such-file"],
        ["lobby", "--server", "ftp://example.org"],
        ["lobby", "--lang", "xx"],
    ],
)
@pytest.mark.usefixtures("ada")
def test_2_wrong_use(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert "Error: " in ran.err


def test_3_no_connection(run: Run) -> None:
    ran = run("lobby", "--server", "http://127.0.0.1:1")
    assert ran == Ran(3, "", "Error: cannot reach http://127.0.0.1:1: nothing listens there\n")


def test_3_server_not_ready(run: Run, server: FakeServer) -> None:
    server.unavailable = 1
    assert run("server") == Ran(3, "", "Error: The store does not answer.\n")


def test_4_no_token(run: Run) -> None:
    ran = run("whoami")
    assert ran.code == 4
    assert "no player on" in ran.err.lower()


def test_4_wrong_token(run: Run, server: FakeServer) -> None:
    save_token(server.address, "wrong")
    assert run("whoami") == Ran(4, "", "Error: The token is not known.\n")


# -- who I am


def test_the_first_command_creates_the_player_and_says_so(run: Run, server: FakeServer) -> None:
    ran = run("join", TABLE, "--no-play", "--name", "Ada")
    assert ran.code == 0
    assert f"You are now the player Ada on {server.address}" in ran.err
    assert TOKEN not in ran.out + ran.err
    assert load_token(server.address) == TOKEN


def test_without_a_name_or_terminal_the_login_name_is_used(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "grace")
    assert "player grace" in run("join", TABLE, "--no-play").err


def test_the_token_file_is_for_its_owner_only(own_home: Path) -> None:
    save_token("http://a", "one")
    save_token("http://b", "two")
    path = own_home / "credentials.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_token("http://a") == "one"
    assert os.listdir(own_home) == ["credentials.json"]


def test_login_and_logout(run: Run, server: FakeServer) -> None:
    assert run("login", "--token-stdin", typed=f"{TOKEN}\n").out == f"You are Ada on {server.address}.\n"
    assert load_token(server.address) == TOKEN
    assert run("logout").code == 0
    assert load_token(server.address) is None
    assert run("login", "--token-stdin", typed="wrong\n").code == 4
    assert load_token(server.address) is None


def test_a_broken_credentials_file_is_named_without_its_contents(run: Run, own_home: Path) -> None:
    own_home.mkdir(parents=True)
    (own_home / "credentials.json").write_text("{secret")
    ran = run("whoami")
    assert ran.code == 2
    assert "credentials.json" in ran.err
    assert "secret" not in ran.err


# -- one-shot verbs


@pytest.mark.usefixtures("ada")
def test_pass_then_card(run: Run, server: FakeServer) -> None:
    hand = server.table.view()["me"]["cards"]
    ran = run("pass", TABLE, *map(str, hand[:3]))
    assert ran.code == 0
    assert ran.out.startswith("Passed ")
    card = str(server.table.hint()["card"])
    assert run("card", "7qk2-m4xr-9tdp".upper(), card.lower()).code == 0
    assert server.table.plays_accepted == 1


@pytest.mark.usefixtures("ada")
def test_a_verb_repeats_itself_with_one_key(run: Run, server: FakeServer) -> None:
    run("pass", TABLE, *map(str, server.table.hint()["cards"]))
    server.lose_answers = 2
    assert run("card", TABLE, str(server.table.hint()["card"])).code == 0
    keys = [key for key, action in server.actions if action["action"] == "play"]
    assert len(keys) >= 3
    assert len(set(keys)) == 1
    assert server.table.plays_accepted == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["whoami"],
        ["tables"],
        ["lobby"],
        ["show", TABLE],
        ["hint", TABLE],
        ["record", TABLE],
        ["server"],
        ["new"],
        ["join", TABLE],
        ["rules", "classic", "--players", "4"],
        ["logout"],
    ],
)
@pytest.mark.usefixtures("ada")
def test_json_is_one_line(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments, "--json")
    assert ran.code == 0
    one_json_line(ran.out)


@pytest.mark.usefixtures("ada")
def test_new_sends_what_was_asked_for(run: Run, server: FakeServer) -> None:
    ran = run("new", "--players", "4", "--preset", "classic", "--rule", "moon=subtract", "--unlisted", "--no-play")
    assert ran.code == 0
    assert "hearts join 7QK2-M4XR-9TDP" in ran.out
    assert ("POST", "/v1/tables") in server.requests


@pytest.mark.usefixtures("ada")
def test_play_without_a_terminal_speaks_in_lines(run: Run) -> None:
    ran = run("play", "--auto")
    assert ran.code == 0
    assert "takes the trick" in ran.out
    assert "The game is over" in ran.out
    assert "To come back" not in ran.out


@pytest.mark.usefixtures("ada")
def test_who_leaves_a_game_in_play_is_told_the_way_back(run: Run) -> None:
    ran = run("play", typed="quit\n")
    assert ran.code == 0
    assert ran.out.endswith("To come back: hearts play 7QK2-M4XR-9TDP\n")


@pytest.mark.usefixtures("ada")
def test_tables_lobby_show(run: Run) -> None:
    assert "7QK2-M4XR-9TDP" in run("tables").out
    assert "1/8" in run("lobby").out
    shown = run("show", TABLE).out
    assert "Choose 3 cards to pass" in shown


def test_records(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "game.json"
    assert run("record", TABLE, "-o", str(target)).code == 0
    assert json.loads(target.read_text())["format"] == "hearts-record/1"
    assert run("check", str(target)).code == 0
    target.write_text('{"wrong": [{"where": "hands[0]", "what": "The seed is another."}]}')
    ran = run("check", str(target))
    assert ran.code == 1
    assert ran.err == "Error: the record is wrong: hands[0]: The seed is another.\n"


def test_rules_in_my_language(run: Run) -> None:
    assert run("rules").out == "# Guide in en\n"
    assert run("--lang", "es", "rules").out == "# Guide in es\n"
    assert run("rules", "--lang", "es").out == "# Guide in es\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run: Run, shell: str) -> None:
    assert "_HEARTS_COMPLETE" in run("completion", shell).out


def test_help_of_every_command(run: Run) -> None:
    from client_cli.commands.root import _HOMES

    for command in _HOMES:
        ran = run(command, "--help")
        assert ran.code == 0
        assert ran.out.startswith(f"Usage: hearts {command}")


# -- settings


def test_flag_before_environment_before_file(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server_address(None) == "http://127.0.0.1:8080"
    own_home.mkdir(parents=True)
    (own_home / "config.toml").write_text('server = "https://hearts.example/"\n')
    assert server_address(None) == "https://hearts.example"
    monkeypatch.setenv("HEARTS_SERVER", "example.org:8080")
    assert server_address(None) == "http://example.org:8080"
    assert server_address("http://other") == "http://other"


def test_a_broken_config_file_is_named(own_home: Path) -> None:
    own_home.mkdir(parents=True)
    (own_home / "config.toml").write_text("server = ")
    with pytest.raises(WrongUse, match=r"config\.toml"):
        server_address(None)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("hearts.example", "http://hearts.example"),
        ("HTTPS://Hearts.example:8443/", "https://Hearts.example:8443"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://spiel.example/hearts//", "http://spiel.example/hearts"),
        ("http://héarts.example", "http://héarts.example"),
    ],
)
def test_addresses_as_people_type_them(given: str, address: str) -> None:
    assert server_address(given) == address


@pytest.mark.parametrize(
    "given",
    [
        *(
            "http://",
            "://",
            "ftp://x",
            "http://[::1",
            "http://..:1",
            "http://" + "a" * 70,
            "http://x:y",
            "http://x:99999",
        ),
        *("http://a b", "http://a\nb", "http://a/é", "http://u:p@a", "http://a?b=c", "http://a#b"),
    ],
)
def test_what_is_no_address_is_said_to_be_none(run: Run, given: str) -> None:
    ran = run("--server", given, "lobby")
    assert ran == Ran(2, "", ran.err)
    assert ran.err.startswith("Error: not an http or https address: ")


@pytest.mark.parametrize("token", ["two words", "日本", "a\x00b", "é"])
def test_what_is_no_token_is_refused_like_one(run: Run, token: str) -> None:
    assert run("login", "--token-stdin", typed=token + "\n").code == 4


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("moon=subtract", ("moon", "subtract")),
        ("target=50", ("target", 50)),
        ("target=null", ("target", None)),
        ("hooligan=true", ("hooligan", True)),
        ("pass_cycle=1,-1,0", ("pass_cycle", [1, -1, 0])),
        ("pass_cycle=[1,0]", ("pass_cycle", [1, 0])),
    ],
)
def test_rules_are_key_and_value(text: str, rule: tuple[str, object]) -> None:
    assert parse_rule(text) == rule


def test_start_up_loads_nothing_heavy() -> None:
    """The price of a one-shot verb is its imports; a clock would measure the machine."""
    code = (
        "import sys; from client_cli.__main__ import main; main(['card', 'X', 'QS']);"
        "print([m for m in ('textual', 'rich', 'aiohttp', 'asyncio', 'rules', 'server') if m in sys.modules])"
    )
    started = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    print(f"{time.monotonic() - started:.3f} s")
    assert ran.stdout == "[]\n"
