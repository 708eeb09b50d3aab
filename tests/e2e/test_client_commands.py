"""Every command that prints, against the real server, as people read it and as scripts do."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest_asyncio

from tests.service import ROOT, server


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Shell:
    """Runs `hearts` as one person."""

    def __init__(self, address: str, folder: Path) -> None:
        self.folder = folder
        self._environment = {"HEARTS_SERVER": address, "XDG_CONFIG_HOME": str(folder), "PATH": "/usr/bin:/bin"}

    async def hearts(self, *arguments: str, code: int = 0) -> Ran:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "client_cli", *arguments, cwd=ROOT, env=self._environment,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await process.communicate()
        assert process.returncode == code, err.decode()
        return Ran(code, out.decode(), err.decode())

    async def json(self, *arguments: str) -> dict[str, object]:
        text = (await self.hearts(*arguments, "--json")).out
        assert text.count("\n") == 1
        answer: dict[str, object] = json.loads(text)
        return answer


@pytest_asyncio.fixture
async def shell(tmp_path: Path) -> AsyncIterator[Shell]:
    async with server(tmp_path / "log", "--data-dir", str(tmp_path / "data")) as running:
        yield Shell(running.url, tmp_path / "config")


async def test_rule_sets(shell: Shell) -> None:
    assert "black_maria" in (await shell.hearts("presets")).out
    worked_out = (await shell.hearts("presets", "cancellation", "--players", "8")).out
    for line in ("added: JK", "removed: 2C", "104 cards in play, 13 each", "the joker leads the first trick"):
        assert f"  {line}\n" in worked_out
    assert "  hand 7: 3 cards across\n  hand 8: nobody passes\n" in worked_out
    assert "kitty: 5 cards" in (await shell.hearts("presets", "bicycle", "--players", "9")).out
    assert (await shell.hearts("presets", "triple")).out.startswith("triple for 11 players: 3 packs")
    assert "presets" in await shell.json("presets")
    assert (await shell.json("presets", "classic", "--players", "4"))["players"] == 4
    assert (await shell.hearts("rules", "classic", "--players", "4")).out.startswith("# ")
    assert "baza" in (await shell.hearts("rules", "--lang", "es")).out
    assert set(await shell.json("rules")) == {"guide"}
    refused = await shell.hearts("presets", "nonsense", code=1)
    assert refused.out == ""
    assert refused.err.startswith("Error: There is no preset")


async def test_a_game_by_verbs_alone(shell: Shell) -> None:
    refused = await shell.hearts("new", "--rule", "moon=never", "--name", "Ada", code=1)
    assert "Error: moon: " in refused.err
    opened = await shell.json("new", "--players", "3", "--fill", "easy", "--rule", "hands=1", "--rule", "target=null")
    table = str(opened["table"]["id"])  # type: ignore[index]
    assert f"{table[:4]}-{table[4:8]}-{table[8:]}    1/3  classic" in (await shell.hearts("lobby")).out
    assert table in json.dumps(await shell.json("lobby"))
    assert table in json.dumps(await shell.json("tables"))
    assert (await shell.hearts("start", table)).out == "The game begins.\n"
    assert (await shell.hearts("hint", table)).out.startswith("Hint: ")
    assert "Choose 3 cards to pass" in (await shell.hearts("show", table)).out
    hint = await shell.json("hint", table)
    assert "card" in (await shell.hearts("card", table, "QX", code=2)).err
    assert (await shell.hearts("card", table, "QS", code=1)).err.startswith("Error: ")
    assert (await shell.hearts("pass", table, *map(str, hint["cards"]))).out.startswith("Passed ")  # type: ignore[call-overload]
    assert (await shell.json("whoami"))["name"] == "Ada"
    played = (await shell.hearts("play", "--auto")).out
    assert "The game is over" in played
    record = shell.folder / "game.json"
    await shell.hearts("record", table, "-o", str(record))
    assert "record is right" in (await shell.hearts("check", str(record))).out
    forged = json.loads(record.read_text())
    forged["hands"][0]["scores"][0] += 1
    record.write_text(json.dumps(forged))
    assert "record is wrong" in (await shell.hearts("check", str(record), code=1)).err
    assert (await shell.hearts("leave", table)).code == 0


async def test_play_as_json_is_the_view_and_then_the_events(shell: Shell) -> None:
    opened = await shell.json("new", "--players", "3", "--fill", "easy", "--rule", "hands=1", "--rule", "target=null")
    table = str(opened["table"]["id"])  # type: ignore[index]
    watching = asyncio.create_task(shell.hearts("watch", table, "--json"))
    await shell.hearts("start", table)
    await shell.hearts("play", table, "--auto")
    async with asyncio.timeout(30):
        lines = [json.loads(line) for line in (await watching).out.splitlines()]
    assert lines[0]["table"]["id"] == table
    numbers = [line["version"] for line in lines[1:]]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert lines[-1]["type"] == "game_over"
