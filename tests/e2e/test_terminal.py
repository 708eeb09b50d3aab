"""The real client in a real terminal against the real server."""

import asyncio
import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from tests.e2e import terminal as tmux
from tests.service import server, until

pytestmark = [tmux.needs_tmux, pytest.mark.timeout(180)]

NEW = "hearts new --players 8 --fill easy --rule hands=1 --rule target=null --name Ada"

PROMPT = r"(?m)^\$$"


async def hearts(address: str, folder: Path, *arguments: str) -> str:
    """One command of the same player, beside the terminal."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "client_cli", "--server", address, *arguments,
        cwd=tmux.ROOT, env={"XDG_CONFIG_HOME": str(folder / "config"), "PATH": "/usr/bin:/bin"},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    return out.decode()


async def table_of(address: str, folder: Path) -> str:
    return str(json.loads(await hearts(address, folder, "tables", "--json"))["tables"][0]["id"])


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
async def test_a_whole_hand_of_eight(tmp_path: Path, size: tuple[int, int]) -> None:
    async with (
        server(tmp_path / "log", "--data-dir", str(tmp_path / "data")) as running,
        tmux.terminal(tmp_path, running.url, size) as window,
    ):
        window.enter(NEW)
        await window.until(r"Before the game")
        window.enter("/start")
        await window.until("Choose 3 cards to pass")
        window.enter("1 2 3")
        assert await tmux.play_on(window) == 13
        window.press("x")
        screen = await window.until("── The game is over")
        assert len(screen.splitlines()) <= size[1]
        window.press("C-c")
        await window.until(PROMPT)
        window.enter("stty -a | grep -c ' echo '")
        screen = await window.until(r"(?m)^(\$ )?1$")
        assert "To come back" not in screen
        table = await table_of(running.url, tmp_path)
        record = tmp_path / "game.json"
        await hearts(running.url, tmp_path, "record", table, "-o", str(record))
        assert "record is right" in await hearts(running.url, tmp_path, "check", str(record))


async def test_a_server_killed_in_mid_trick_is_played_on_after_its_restart(tmp_path: Path) -> None:
    flags = ("--data-dir", str(tmp_path / "data"))
    async with tmux.terminal(tmp_path, "http://127.0.0.1:0") as window:
        async with server(tmp_path / "log", *flags) as first:
            port, address = first.port, first.url
            window.enter(f"export HEARTS_SERVER={address}")
            window.enter(NEW)
            await window.until(r"Before the game")
            window.enter("/start")
            await window.until("Choose 3 cards to pass")
            window.enter("1 2 3")
            screen = await window.until("── Your turn")
            await first.kill()
            await window.until("Offline")
            # Played into nothing: it waits, and is repeated with its key.
            window.enter(tmux.playable(screen)[0])
        async with server(tmp_path / "log", *flags, port=port):
            await window.until(lambda text: tmux.turn(text) == "2")
            assert await tmux.play_on(window) == 12
            window.press("x")
            window.press("C-c")
            await window.until(PROMPT)
            table = await table_of(address, tmp_path)
            record = json.loads(await hearts(address, tmp_path, "record", table))
            mine = [play for trick in record["hands"][0]["tricks"] for play in trick["plays"] if play["seat"] == 0]
            assert [play["by"] for play in mine] == ["human"] * 13


async def test_local_starts_plays_and_stops_everything(tmp_path: Path) -> None:
    async with tmux.terminal(tmp_path, "http://127.0.0.1:9") as window:
        window.enter("hearts local --players 11 --name Ada")
        await window.until("Choose 2 cards to pass")
        window.press("C-q")
        screen = await window.until("make serve")
        port = re.search(r"port (\d+)", screen)
        assert port is not None
        with pytest.raises(OSError, match="Connect"):
            await asyncio.open_connection("127.0.0.1", int(port[1]))
        assert re.search(r"http://[\w.-]+:8080", screen)


async def test_local_without_a_terminal_plays_a_hand_by_itself(tmp_path: Path) -> None:
    text = await hearts("http://127.0.0.1:9", tmp_path, "local", "--players", "5", "--lang", "es")
    assert "se lleva la baza" in text
    assert "Fin de la partida" in text
    assert "make serve" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
async def test_local_leaves_no_server_behind_however_it_ends(tmp_path: Path, number: signal.Signals) -> None:
    ours, theirs = os.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "client_cli", "--plain", "local",
        cwd=tmux.ROOT, env={"XDG_CONFIG_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    said = b""
    while b"Your hand" not in said:
        said += await asyncio.to_thread(os.read, ours, 4096)
    port = re.search(rb"port (\d+)", said)
    assert port is not None
    process.send_signal(number)
    assert await process.wait() != 0
    os.close(ours)

    async def gone() -> bool:
        try:
            _reader, writer = await asyncio.open_connection("127.0.0.1", int(port[1]))
        except ConnectionRefusedError:
            return True
        writer.close()
        await writer.wait_closed()
        return False

    await until(gone)
