"""What a process does about an append of which it does not know what came, and how it gives way to others."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from server.config import Config, Span
from server.link import Link, Script, StoreAway
from server.problems import Problem
from server.service import LONGEST_STEPS, TRIES, Lifetimes
from server.table.actions import Action, Say
from server.table.state import TableState
from server.wire import Word
from server.wiring import Services
from tests.e2e.prepared import store
from tests.server.table.sitting import Table, player
from tests.server.test_held import Heard

SOON = 1_000


class Deaf(Link):
    """A link on which replies are lost when told: what was asked is done, and nobody hears of it."""

    deaf = False

    async def script(self, script: Script, keys: Sequence[Word], args: Sequence[Word]) -> Any:
        reply = await super().script(script, keys, args)
        if self.deaf:
            raise StoreAway("no answer")
        return reply


class Alarms:
    """When each table is to be woken, and nobody wakes it."""

    def __init__(self) -> None:
        self.at: dict[str, int] = {}

    def due(self, table_id: str, at: int | None) -> None:
        self.forget(table_id)
        if at is not None:
            self.at[table_id] = at

    def due_by(self, table_id: str, at: int) -> None:
        self.at[table_id] = min(at, self.at.get(table_id, at))

    def announce(self, table_id: str, at: int) -> Coroutine[Any, Any, None] | None:
        return None

    def forget(self, table_id: str) -> None:
        self.at.pop(table_id, None)


class Process:
    """One process, and a table where a human is to play and bots follow; its time passes only when told."""

    def __init__(self, link: Deaf, url: str) -> None:
        self.now = 1_800_000_000_000
        self.link = link
        config = Config(redis_url=url, bot_delay=Span(0, 0))
        self.services = Services(config, link, asyncio.Event(), lambda: self.now)
        self.services.held.hints = Heard()  # type: ignore[assignment]
        self.alarms = Alarms()
        self.services.attendant.timers = self.alarms  # type: ignore[assignment]

    async def act(self, state: TableState, action: Action, key: str | None = None) -> TableState:
        return await self.services.tables.act(state.id, player(0), action, key)

    async def plays(self, state: TableState) -> int:
        """How many cards have been played."""
        now = await self.services.tables.state(state.id)
        assert now.game is not None
        assert now.game.hand is not None
        return now.game.hand.turn_number


@asynccontextmanager
async def running(url: str) -> AsyncIterator[Process]:
    async with Deaf(url) as link:
        yield Process(link, url)


@pytest.fixture
async def process(redis_url: str) -> AsyncIterator[Process]:
    async with running(redis_url) as process:
        yield process


@pytest.fixture
async def table(process: Process) -> tuple[TableState, Action]:
    """The table as stored, and what its human may play."""
    table = Table(4, fill="easy", rules={"hands": 1, "pass_count": 0}).start()
    table.wait(60)  # bots play until it is the human's turn
    process.now = table.now
    return await store(table, process.services.store), table.asked(0)


async def test_a_table_is_looked_at_soon_when_the_reply_to_an_append_was_lost(
    process: Process, table: tuple[TableState, Action]
) -> None:
    state, play = table
    before = await process.plays(state)
    process.link.deaf = True
    with pytest.raises(StoreAway):
        await process.act(state, play)
    process.link.deaf = False
    assert process.alarms.at == {state.id: process.now + SOON}
    process.now += SOON
    await process.services.attendant.wake(state.id)
    assert await process.plays(state) > before + 1, "the card was stored, and a bot has played since"


async def test_the_hint_of_an_append_that_was_given_up_is_not_taken_for_another_s(
    process: Process, table: tuple[TableState, Action]
) -> None:
    """Nobody else attends to the table: a hint of another's change would take its alarm away."""
    state, play = table
    process.link.deaf = True
    with pytest.raises(StoreAway):
        await process.act(state, play)
    process.link.deaf = False
    assert not process.services.held.on_hint(state.id, state.version + 1)
    known = await process.services.tables.state(state.id)
    assert process.services.held.on_hint(state.id, known.version + 1)


async def test_a_table_is_looked_at_soon_when_a_key_shows_that_an_action_was_done_before(
    process: Process, table: tuple[TableState, Action], redis_url: str
) -> None:
    """Refused now, as the turn is over; whoever did it may be gone since."""
    state, play = table
    async with running(redis_url) as gone:
        await gone.act(state, play, "k")
        after = await gone.plays(state)
    await process.act(state, play, "k")
    assert process.alarms.at == {state.id: process.now + SOON}
    process.now += SOON
    await process.services.attendant.wake(state.id)
    assert await process.plays(state) > after


async def test_a_table_is_looked_at_soon_when_the_append_finds_its_key(
    process: Process, table: tuple[TableState, Action], redis_url: str
) -> None:
    """What is always allowed is not refused when it is repeated: only Redis knows."""
    state, _ = table
    async with running(redis_url) as gone:
        said = await gone.act(state, Say(text="hello"), "k")
    assert (await process.act(state, Say(text="hello"), "k")).version == said.version
    assert process.alarms.at == {state.id: process.now + SOON}


async def test_who_repeats_an_action_again_and_again_holds_nothing_up(
    process: Process, table: tuple[TableState, Action]
) -> None:
    state, play = table
    await process.act(state, Say(text="hello"), "said")
    await process.act(state, play, "played")
    due = process.alarms.at[state.id]
    for _ in range(5):
        process.now += SOON // 5
        await process.act(state, play, "played")
        await process.act(state, Say(text="hello"), "said")
        assert process.alarms.at == {state.id: due}


async def test_who_loses_to_others_falls_out_of_step_with_them(
    process: Process, table: tuple[TableState, Action], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first new try is at once, each later one waits longer at the most, and not for ever."""
    state, _ = table
    waited: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        waited.append(seconds)
        await sleep(0)

    monkeypatch.setattr("server.service.asyncio.sleep", noted)
    monkeypatch.setattr("server.service.random.random", lambda: 0.5)
    async with running(redis_url) as other:
        append = process.services.store.append

        async def overtaken(*args: Any, **named: Any) -> Any:
            await other.act(state, Say(text="first"))
            return await append(*args, **named)

        monkeypatch.setattr(process.services.store, "append", overtaken)
        with pytest.raises(Problem) as lost:
            await process.act(state, Say(text="never"))
    assert lost.value.code == "conflict"
    assert waited == [0.5 * min(tried, LONGEST_STEPS) / 1000 for tried in range(TRIES)]


@pytest.mark.parametrize(
    ("idle", "finished", "playing", "over"),
    [
        (7 * 86_400, 30 * 86_400, 30 * 86_400, 30 * 86_400),
        (600, 0.2, 30 * 86_400, 1),
        (90 * 86_400, 1, 180 * 86_400, 1),
    ],
)
def test_a_pause_loses_no_game(idle: float, finished: float, playing: int, over: int) -> None:
    """Those who sit there for hours without a card being played change nothing that would keep it."""
    kept = Lifetimes(idle, finished)
    table = Table(4).sit().start()
    assert kept.of(table.state) == playing
    assert kept.of(table.play_out().state) == over
