"""Makes `tests/data/stored/<version>`: what this version of the server stores, for later versions to read.

`python -m tests.data.make_stored` once a release, when the form of what is stored has changed. A directory that
is there is never made again: it stands for what that release really wrote.
"""

import asyncio
import json
import shutil
import sys
import tempfile
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from server.link import Link
from tests.service import ROOT, Person, server, until

STORED = Path(__file__).parent / "stored"
CENTURY = "36500d"
TIMELESS = (
    *("--lobby-idle", CENTURY, "--game-idle", CENTURY),
    *("--finished-kept", CENTURY, "--absent-after", CENTURY),
)
"""What is stored must neither expire nor be played on by bots however late it is read."""


async def make(data_dir: Path, log: Path) -> dict[str, Any]:
    """Play a little on a new data directory; what a later version must find there."""
    async with server(log, "--data-dir", str(data_dir), *TIMELESS) as process, Person(process.url) as ada:
        async with Person(process.url) as bob:
            lobby = await ada.create(6, name="waiting", nonce="salt")
            await bob.act(lobby, "join")
            await bob.act(lobby, "say", text="hello")
            middle = await ada.create(5, hands=2)
            await bob.act(middle, "join")
            await bob.act(middle, "leave")
            await ada.act(middle, "start")
            await ada.play(middle, until=lambda view: view["hand"]["turn_number"] >= 12 and "play" in view["me"]["can"])
            over = await ada.create(4, hands=2)
            await ada.act(over, "start")
            await ada.play(over)
        await _rewrite(data_dir)
        await ada.act(middle, "say", reaction="♥")
        found = {
            "token": ada.token,
            "player": ada.player,
            "tables": {"lobby": lobby, "middle": middle, "over": over},
            "views": {table: await ada.view(table) for table in (lobby, middle, over)},
            "record": await ada.call("GET", f"/v1/tables/{over}/record"),
        }
        assert await process.stop() == 0
    return found


async def _rewrite(data_dir: Path) -> None:
    """Let the embedded server write its file anew, small: what comes after lies in a second file."""
    async with Link(f"unix://{data_dir}/run/redis.sock") as link:
        await link.call("BGREWRITEAOF")

        async def done() -> bool:
            [info] = await link.ask_all("INFO", "persistence")
            return b"aof_rewrite_in_progress:0" in info and b"aof_rewrite_scheduled:0" in info

        await until(done)


def release() -> str:
    """The version this checkout is."""
    try:
        return version("cancellation-hearts")
    except PackageNotFoundError:
        return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])


def main() -> None:
    target = STORED / release()
    if target.exists():
        sys.exit(f"{target} is there already; it is never made again.")
    with tempfile.TemporaryDirectory() as place:
        found = asyncio.run(make(Path(place) / "data", Path(place) / "log"))
        shutil.copytree(Path(place) / "data" / "appendonlydir", target / "appendonlydir")
    (target / "expected.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
