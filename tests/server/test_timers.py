"""When tables are woken, and how due work survives a Redis that is away."""

import gc
import warnings
from pathlib import Path

import pytest
import redis

from server.clock import now
from server.link import Link, StoreAway
from server.store import Store
from server.timers import GRACE_MILLISECONDS, Timers
from tests.conditions import until

HOUR = 3_600_000


class Woken:
    """Notes what is woken; fails as often as told."""

    def __init__(self, failures: int = 0) -> None:
        self.tables: list[str] = []
        self.failures = failures

    async def __call__(self, table_id: str) -> None:
        self.tables.append(table_id)
        if len(self.tables) <= self.failures:
            raise StoreAway("away")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.timers.AGAIN_MILLISECONDS", 10)
    monkeypatch.setattr("server.timers.POLL_SECONDS", 0.02)


async def test_a_table_is_woken_when_it_is_due_and_the_last_time_named_counts(store: Store) -> None:
    woken = Woken()
    async with Timers(store, woken, now) as timers:
        timers.due("later", now() + 60_000)
        timers.due("moved", now() + 60_000)
        timers.due("moved", now() + 20)
        timers.due("dropped", now() + 20)
        timers.due("dropped", None)
        await until(lambda: bool(woken.tables))
    assert woken.tables == ["moved"]


async def test_work_that_fails_is_tried_again_without_the_index(store: Store, redis_url: str) -> None:
    woken = Woken(failures=3)
    async with Timers(store, woken, now) as timers:
        timers.due("T1", now())
        with redis.Redis.from_url(redis_url) as raw:
            raw.delete("hearts:due")
            await until(lambda: len(woken.tables) == 4)


async def test_what_nobody_attends_to_is_claimed_by_one(store: Store) -> None:
    first, second = Woken(), Woken()
    async with Timers(store, first, now), Timers(store, second, now):
        for number in range(20):
            await store.due_in(f"T{number}", 0)
        await until(lambda: len(first.tables) + len(second.tables) == 20)
    assert sorted(first.tables + second.tables) == sorted(f"T{number}" for number in range(20))


async def test_a_table_that_another_process_attends_to_stays_in_the_index(store: Store, redis_url: str) -> None:
    woken = Woken()
    at = now() + 60_000
    async with Timers(store, woken, now) as timers:
        timers.due("T1", at)
        with redis.Redis.from_url(redis_url) as raw:
            await until(lambda: raw.zscore("hearts:due", "T1") is not None)
            raw.zadd("hearts:due", {"T1": at + HOUR})  # another has moved it
            timers.forget("T1")
            timers.due("T1", at - 500)  # a little earlier, but the index may be anybody's by now
            await until(lambda: raw.zscore("hearts:due", "T1") < at + HOUR)


async def test_an_index_write_that_failed_is_made_with_the_next_change(tmp_path: Path, store: Store) -> None:
    async with Link(f"unix://{tmp_path}/nothing") as away:
        nowhere = Store(away)
        async with Timers(nowhere, Woken(), now) as timers:
            timers.due("T1", now() + 60_000)
            await until(lambda: not timers._indexed)


async def test_the_index_is_told_with_a_change_and_only_when_it_knows_of_nothing_earlier(
    store: Store, redis_url: str
) -> None:
    """A process killed right after it stored a change leaves a table that others know is due."""
    async with Timers(store, Woken(), now) as timers:
        at = now() + 60_000
        announcing = timers.announce("T1", at)
        assert announcing is not None
        await announcing
        assert timers.announce("T1", at + 1) is None
        earlier = timers.announce("T1", at - 1)
        assert earlier is not None
        await earlier
    with redis.Redis.from_url(redis_url) as raw:
        assert at - 1 + GRACE_MILLISECONDS <= raw.zscore("hearts:due", "T1") <= now() + 60_000 + GRACE_MILLISECONDS


async def test_a_table_is_woken_by_a_time_or_sooner(store: Store) -> None:
    woken = Woken()
    async with Timers(store, woken, now) as timers:
        timers.due("sooner", now() + 20)
        timers.due_by("sooner", now() + 60_000)
        timers.due("later", now() + 60_000)
        timers.due_by("later", now() + 20)
        timers.due_by("alone", now() + 20)
        await until(lambda: len(woken.tables) == 3)
    assert sorted(woken.tables) == ["alone", "later", "sooner"]


@pytest.mark.parametrize("jump", [-HOUR, HOUR])
async def test_a_clock_that_was_set_keeps_nothing_from_being_claimed(
    store: Store, monkeypatch: pytest.MonkeyPatch, jump: int
) -> None:
    """What the index was told by a clock that was an hour ahead is due when it was meant, by any other clock."""
    monkeypatch.setattr("server.timers.GRACE_MILLISECONDS", 0)
    gone, woken = Timers(store, Woken(), lambda: now() + HOUR), Woken()
    announcing = gone.announce("T1", now() + HOUR)
    assert announcing is not None
    await announcing
    async with Timers(store, woken, lambda: now() + jump):
        await until(lambda: woken.tables == ["T1"])


async def test_a_table_is_woken_by_a_time_also_when_the_clock_was_set_ahead_of_what_it_waits_for(store: Store) -> None:
    woken = Woken()
    jump = 0
    async with Timers(store, woken, lambda: now() + jump) as timers:
        timers.due("T1", now() + 60_000)
        jump = HOUR
        timers.due_by("T1", now() + jump)
        await until(lambda: woken.tables == ["T1"])


async def test_work_that_has_not_begun_at_the_end_is_closed(store: Store) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        async with Timers(store, Woken(), now) as timers:
            timers.due("T1", now() + 60_000)
        gc.collect()
    assert [str(warning.message) for warning in warned] == []
