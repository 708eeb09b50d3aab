"""The bot of docs/outside-bot.md, as anybody would run it, plays whole games."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.serving import serving

BOT = Path(__file__).parent.parent.parent / "docs" / "outside_bot.py"


def test_it_is_short() -> None:
    assert len(BOT.read_text().splitlines()) < 60


@pytest.mark.parametrize(("players", "rules"), [(4, {"moon": "choice"}), (8, {}), (5, {"packs": 1, "omnibus": "JD"})])
async def test_outside_bots_and_ours_play_a_game_to_its_end(
    redis_url: str, players: int, rules: dict[str, Any]
) -> None:
    async with serving(redis_url) as server:
        host = await server.player("Host")
        table = await host.make_table(players, rules={**rules, "target": None, "hands": 2}, fill="normal")
        bots = [
            await asyncio.create_subprocess_exec(
                sys.executable, BOT, server.url, table, f"Bot {number}", stdout=asyncio.subprocess.PIPE
            )
            for number in range(2)
        ]
        async with host.stream(table) as stream:
            await stream.until(lambda stream: stream.types.count("player_joined") >= 2)
            await host.do(table, "start")
            view = await host.view(table)
            while view["table"]["phase"] != "over":
                if {"pass", "play", "moon"} & set(view["me"]["can"]):
                    view = await host.step(table, view)
                else:
                    view = (await host.get(f"/v1/tables/{table}?after={view['version']}&wait=20")).json
        printed = [(await bot.communicate())[0].decode() for bot in bots]
        assert [bot.returncode for bot in bots] == [0, 0]
        assert printed == [f"{view['result']}\n"] * 2
