"""What a process does about a table that it has seen, besides waiting."""

from typing import Any

import pytest

from server.table.actions import AddBot
from server.table.events import Created
from tests.e2e.prepared import store
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


async def test_a_table_that_is_lost_while_a_bot_thinks_is_attended_to_no_more(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(redis_url) as process:
        table = Table(4, fill="easy", rules={"hands": 1, "pass_count": 0}).start()
        state = await store(table, process.services.store)
        process.now = table.now
        choose = process.services.bots.choose_for

        async def erased_meanwhile(*args: Any, **named: Any) -> Any:
            await process.services.store.erase(state.id)
            (await process.services.held.get(state.id)).doubt()  # as when a connection was lost with it
            return await choose(*args, **named)

        monkeypatch.setattr(process.services.bots, "choose_for", erased_meanwhile)
        process.alarms.due(state.id, process.now)
        await process.services.attendant.wake(state.id)
        assert process.alarms.at == {}
