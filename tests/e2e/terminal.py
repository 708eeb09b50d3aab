"""A real terminal to run the real client in: tmux, driven by its command line."""

import asyncio
import contextlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """One window of a tmux of its own."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-f", "/dev/null", "-S", str(self._socket), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=10).stdout

    def open(self, size: tuple[int, int], environment: dict[str, str]) -> None:
        variables = [part for name, value in environment.items() for part in ("-e", f"{name}={value}")]
        shape = ["-x", str(size[0]), "-y", str(size[1])]
        # A shell without a profile: what it prints is what the client leaves behind.
        self._tmux("new-session", "-d", *shape, *variables, "env PS1='$ ' sh")

    def close(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self._tmux("kill-server")

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def enter(self, text: str) -> None:
        self.type(text)
        self.press("Enter")

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    async def until(self, shows: str | Callable[[str], bool], seconds: float = PATIENCE) -> str:
        """The screen once it shows that (a regular expression, or whatever the function finds)."""
        found = shows if callable(shows) else lambda screen: re.search(shows, screen) is not None
        screen = ""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    screen = await asyncio.to_thread(self.screen)
                    if found(screen):
                        return screen
                    await asyncio.sleep(0.03)
        except TimeoutError:
            raise AssertionError(f"never showed {shows!r}; it shows\n{screen}") from None


@contextlib.asynccontextmanager
async def terminal(
    folder: Path, server: str, size: tuple[int, int] = (80, 24), **environment: str
) -> AsyncIterator[Terminal]:
    """A terminal whose `hearts` talks to that server, with a config folder of its own."""
    window = Terminal(folder / "tmux")
    variables = {
        "HEARTS_SERVER": server,
        "XDG_CONFIG_HOME": str(folder / "config"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PYTHONPATH": str(ROOT),
        **environment,
    }
    window.open(size, variables)
    window.enter(f'hearts() {{ {shlex.quote(sys.executable)} -m client_cli "$@"; }}; clear')
    try:
        yield window
    finally:
        window.close()


def playable(screen: str) -> list[str]:
    """The numbers under the cards that may be played."""
    lines = screen.splitlines()
    status = next(index for index, line in enumerate(lines) if line.startswith(("── Your turn", "-- Your turn")))
    return re.findall(r"\d+", lines[status + 2])


def turn(screen: str) -> str:
    """The number of the trick where it is my turn, else nothing."""
    found = re.search(r"trick (\d+) of", screen)
    return found[1] if found and "── Your turn" in screen else ""


async def play_on(window: Terminal) -> int:
    """Play the first playable card each time until the game is over. Returns the cards played."""
    played, last = 0, ""
    while True:
        screen = await window.until(lambda text, old=last: "The game is over" in text or turn(text) not in ("", old))
        if "The game is over" in screen:
            return played
        last = turn(screen)
        window.enter(playable(screen)[0])
        played += 1
