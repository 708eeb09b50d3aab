"""What a process does about a table that it has seen, besides waiting."""

from typing import Any

import pytest

from server.table.actions import AddBot
from server.table.events import Created
from tests.server.table.sitting import Table
from tests.server.test_service import running


@pytest.mark.parametrize(
    ("settings", "level", "warmed"),
    [({"fill": "hard"}, None, True), ({}, "hard", True), ({"fill": "normal"}, "easy", False)],
)
async def test_hard_bots_are_made_ready_before_their_first_turn(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, settings: Any, level: Any, warmed: bool
) -> None:
    begun: list[bool] = []
    async with running(redis_url) as process:
        monkeypatch.setattr(process.services.bots, "warm", lambda: begun.append(True))
        created = Table(4, **settings).entries[0].event
        assert isinstance(created, Created)
        state = await process.services.tables.create(created)
        if level is not None:
            await process.act(state, AddBot(seat=1, level=level))
    assert bool(begun) == warmed
