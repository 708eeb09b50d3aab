"""Due work on a clock that the test moves: deadlines kept over a restart, taken over, raced; absence; idle tables."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import pytest
import redis

from server.clock import iso
from server.config import Span
from server.table.state import TableState
from server.timers import GRACE_MILLISECONDS
from tests.conditions import until
from tests.e2e.prepared import prepared, store
from tests.e2e.serving import Player, Server, serving


class StillClock:
    """Time that passes only when told."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


def go_by(clock: StillClock, redis_url: str, table: str, milliseconds: int) -> None:
    """Let time pass also for the index of due work, which goes by the clock of Redis."""
    clock.now += milliseconds
    with redis.Redis.from_url(redis_url) as raw:
        raw.zincrby("hearts:due", -milliseconds, table)


async def sit(server: Server, **settings: object) -> tuple[list[Player], TableState]:
    """A table where seat 1 is to lead the two of clubs, its time running from now."""
    seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
    table = prepared("playing", seats, **settings)
    shift = server.services.clock() - table.now
    assert shift == 0, "the tests' tables begin at the clock's first moment"
    return seats, await store(table, server.services.store)


async def wake(server: Server, table: str) -> TableState:
    await server.services.attendant.wake(table)
    return await server.services.tables.state(table)


async def stay(server: Server, players: Sequence[Player], table: str) -> None:
    """These players make themselves heard."""
    for player in players:
        await player.view(table)


async def plays(server: Server, table: str) -> list[tuple[int, str]]:
    """The seats that played so far, and who chose."""
    state = await server.services.tables.state(table)
    assert state.game is not None
    assert state.game.hand is not None
    done = [play for trick in state.game.hand.tricks for play in trick.plays] + list(state.game.hand.trick)
    return [(play.seat, play.by) for play in done]


async def test_a_deadline_is_absolute_over_refreshes_and_a_restart(redis_url: str) -> None:
    clock = StillClock()
    async with serving(redis_url, clock=clock) as server:
        seats, stored = await sit(server, turn_seconds=30)
        deadline = iso(clock.now + 30_000)
        clock.now += 20_000
        view = await seats[0].view(stored.id)
        assert view["hand"]["deadline"] == deadline
        await wake(server, stored.id)
    clock.now += 9_999
    async with serving(redis_url, clock=clock) as server:
        for player in seats:
            player.server = server
            assert (await player.view(stored.id))["hand"]["deadline"] == deadline
        await wake(server, stored.id)
        assert await plays(server, stored.id) == []
        clock.now += 1
        await wake(server, stored.id)
        assert await plays(server, stored.id) == [(1, "timeout")]


async def test_a_process_that_starts_takes_up_what_fell_due_while_none_ran(redis_url: str) -> None:
    clock = StillClock()
    async with serving(redis_url, clock=clock) as server:
        _, stored = await sit(server, turn_seconds=30)
        await wake(server, stored.id)
        await until(lambda: len(server.services.attendant.timers._tasks) == 1)
    go_by(clock, redis_url, stored.id, 3_600_000)
    async with serving(redis_url, clock=clock) as server:
        async with asyncio.timeout(10):
            while not await plays(server, stored.id):  # noqa: ASYNC110 - the poll of due work is what we wait for
                await asyncio.sleep(0.05)
        assert (await plays(server, stored.id))[0] == (1, "timeout")


async def test_another_process_takes_over_when_one_is_gone(redis_url: str) -> None:
    clock = StillClock()
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(serving(redis_url, clock=clock))
        second = await stack.enter_async_context(serving(redis_url, clock=clock))
        seats, stored = await sit(first, turn_seconds=30)
        await seats[0].do(stored.id, "say", text="hello")  # the first process attends to the table now
        assert first.stop is not None
        await first.stop()
        go_by(clock, redis_url, stored.id, 30_000 + GRACE_MILLISECONDS)
        async with asyncio.timeout(10):
            while not await plays(second, stored.id):  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.05)
        assert (await plays(second, stored.id))[0] == (1, "timeout")


async def test_of_a_play_and_its_deadline_exactly_one_wins(redis_url: str) -> None:
    clock = StillClock()
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(redis_url, clock=clock)) for _ in range(2)]
        outcomes = set()
        for number in range(12):
            clock.now = 1_800_000_000_000
            seats, stored = await sit(servers[0], turn_seconds=30, absent="wait")
            await seats[1].view(stored.id)
            clock.now += 30_000
            played, *_ = await asyncio.gather(
                seats[1].at(servers[number % 2]).act(stored.id, "play", card="2C", turn=0),
                *(server.services.attendant.wake(stored.id) for server in servers),
            )
            done = await plays(servers[0], stored.id)
            assert [seat for seat, _ in done] == [1]
            assert (done[0][1] == "human") == (played.status == 200)
            assert played.status == 200 or played.code == "stale_turn"
            outcomes.add(done[0][1])
        assert outcomes


async def test_who_is_silent_is_disconnected_then_stood_in_for_and_comes_back(redis_url: str) -> None:
    clock = StillClock()
    async with serving(redis_url, clock=clock, bot_delay=Span(1, 1)) as server:
        seats, stored = await sit(server)
        await stay(server, seats, stored.id)
        await wake(server, stored.id)
        for seconds in (55, 10):
            clock.now += seconds * 1000
            await stay(server, [seats[0], seats[2]], stored.id)
            state = await wake(server, stored.id)
        assert [seat.connected for seat in state.seats] == [True, False, True]
        clock.now += 90_000
        await stay(server, [seats[0], seats[2]], stored.id)
        state = await wake(server, stored.id)
        assert state.seats[1].bot_plays
        clock.now += 1_000
        await wake(server, stored.id)
        assert await plays(server, stored.id) == [(1, "bot")]
        view = await seats[1].do(stored.id, "say", text="back")
        assert view["seats"][1]["controller"] == "human"
        assert view["seats"][1]["connected"]


async def test_a_stream_keeps_its_player_connected(redis_url: str) -> None:
    clock = StillClock()
    async with serving(redis_url, clock=clock, keep_alive=0.02) as server:
        seats, stored = await sit(server)
        async with seats[1].stream(stored.id) as stream:
            await stream.until(lambda stream: stream.keep_alives > 1)
            for _ in range(3):
                clock.now += 59_000
                seen = stream.keep_alives
                await stream.until(lambda stream, seen=seen: stream.keep_alives > seen + 2)  # type: ignore[misc]
                state = await wake(server, stored.id)
            assert state.seats[1].connected
            assert not state.seats[2].connected


async def test_an_idle_lobby_leaves_the_list_and_closes(redis_url: str) -> None:
    clock = StillClock()
    async with serving(redis_url, clock=clock) as server:
        host = await server.player("Ada")
        table = await host.make_table(4)
        await wake(server, table)
        clock.now += 61_000
        state = await wake(server, table)
        assert not state.seats[0].connected
        clock.now += 3_600_000
        assert (await server.stranger().get("/v1/tables")).json["tables"]
        state = await wake(server, table)
        assert state.closed
        assert (await server.stranger().get("/v1/tables")).json["tables"] == []
        assert (await host.act(table, "start")).code == "table_closed"


async def test_a_rematch_begins_after_a_minute_and_everybody_finds_it(redis_url: str) -> None:
    clock = StillClock()
    async with serving(redis_url, clock=clock) as server:
        seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
        stored = await store(prepared("over", seats), server.services.store)
        assert (await seats[1].do(stored.id, "rematch"))["table"]["next_table"] is None
        clock.now += 60_000
        await wake(server, stored.id)
        for player in seats:
            following = (await player.view(stored.id))["table"]["next_table"]
        view = await seats[1].view(following)
        assert view["table"]["host"] == 1
        assert [seat["name"] for seat in view["seats"]] == [None, "Ben", None]
        assert (await seats[1].get("/v1/players/me/tables")).json["tables"][0]["id"] == following


async def test_the_sweep_makes_the_table_of_a_rematch_whose_process_died(redis_url: str) -> None:
    async with serving(redis_url) as server:
        seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
        stored = await store(prepared("over", seats), server.services.store)
        answers = [await player.do(stored.id, "rematch") for player in seats]
        following = answers[-1]["table"]["next_table"]
        await server.services.store.erase(following)
        server.services.held._forget(following)
        await server.services.sweep.walk()
        assert (await seats[0].view(following))["table"]["phase"] == "lobby"


@pytest.mark.parametrize("phase", ["lobby", "playing"])
async def test_the_sweep_repairs_lost_indexes(redis_url: str, phase: str) -> None:
    async with serving(redis_url) as server:
        host = await server.player("Ada")
        table = await host.make_table(4, fill="easy")
        if phase == "playing":
            await host.do(table, "start")
        with redis.Redis.from_url(redis_url) as raw:
            raw.delete("hearts:due", "hearts:{lobby}:order", "hearts:{lobby}:rows")
            await server.services.sweep.walk()
            assert raw.zscore("hearts:due", table) is not None
        listed = (await host.get("/v1/tables")).json["tables"]
        assert [row["id"] for row in listed] == ([table] if phase == "lobby" else [])


async def test_a_finished_table_leaves_the_due_work_whoever_claimed_it(redis_url: str) -> None:
    clock = StillClock()
    async with serving(redis_url, clock=clock) as server:
        seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
        stored = await store(prepared("over", seats), server.services.store)
        await server.services.store.due_in(stored.id, 0)
        with redis.Redis.from_url(redis_url) as raw:
            await until(lambda: raw.zscore("hearts:due", stored.id) is None)
