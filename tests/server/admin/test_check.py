"""`hearts-admin check`: what it finds, what it repairs, what it leaves alone."""

import asyncio
from collections.abc import Iterator

import pytest
import redis

from tests.server.admin.conftest import Admin, Service


@pytest.fixture
def raw(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


async def check(admin: Admin, *flags: str, fails: bool = False) -> str:
    return await asyncio.to_thread(admin, "check", "--settle", "0.1", *flags, fails=fails)


async def repaired(admin: Admin, *says: str) -> None:
    """The findings are told, still there, told as repaired, and gone."""
    found = await check(admin, fails=True)
    assert all(words in found for words in says), found
    assert await check(admin, fails=True) == found
    fixed = await check(admin, "--fix")
    assert fixed.count("(repaired)") == found.count("\n") - 2
    assert "0 findings left" in await check(admin)


async def test_a_service_at_work_is_whole(service: Service, admin: Admin) -> None:
    assert await check(admin) == "3 tables and 1 players looked at; 0 findings left.\n"


async def test_broken_and_outdated_snapshots_are_folded_again(service: Service, admin: Admin, raw: redis.Redis) -> None:
    await service.process.stop()
    before = raw.hgetall(f"hearts:{{{service.playing}}}:table")
    raw.hset(f"hearts:{{{service.playing}}}:table", "snapshot", b"1 {broken")
    raw.hset(f"hearts:{{{service.over}}}:table", "snapshot", before[b"snapshot"])
    await repaired(admin, f"{service.playing}: its snapshot", f"{service.over}: its snapshot")
    after = raw.hgetall(f"hearts:{{{service.playing}}}:table")
    assert after | {b"snapshot": b""} == before | {b"snapshot": b""}


async def test_indexes_are_written_again(service: Service, admin: Admin, raw: redis.Redis) -> None:
    await service.process.stop()
    raw.delete("hearts:{lobby}:order", "hearts:{lobby}:rows", "hearts:due")
    raw.delete(f"hearts:{{{service.person.player}}}:tables")
    raw.zadd("hearts:{lobby}:order", {"GONE": 1})
    raw.hset("hearts:{lobby}:rows", "GONE", "row")
    raw.zadd("hearts:due", {"GONE": 1})
    await repaired(
        admin,
        f"{service.lobby}: is not listed",
        f"{service.playing}: nobody will attend",
        f"{service.over}: is not on the list of player",
        "GONE: is in the lobby list and gone",
        "GONE: is among the due work and gone",
    )


async def test_a_table_that_should_not_be_listed_and_a_player_copy(
    service: Service, admin: Admin, raw: redis.Redis
) -> None:
    await service.process.stop()
    raw.zadd("hearts:{lobby}:order", {service.over: 1})
    raw.hset("hearts:{lobby}:rows", service.over, "row")
    raw.delete(f"hearts:{{{service.person.player}}}:player")
    await repaired(admin, "should not be", "its record by id")


async def test_damaged_events_are_told_and_never_changed(service: Service, admin: Admin, raw: redis.Redis) -> None:
    await service.process.stop()
    gap, unreadable = f"hearts:{{{service.playing}}}:events", f"hearts:{{{service.over}}}:events"
    raw.xdel(gap, "7-0")
    raw.delete(unreadable)
    version = int(raw.hget(f"hearts:{{{service.over}}}:table", "version") or 0)
    for number in range(1, version + 1):
        raw.xadd(unreadable, {"e": b'[0,{"type":"nonsense"}]'}, id=f"{number}-0")
    stored = raw.xrange(gap)
    output = await check(admin, "--fix", fails=True)
    assert "numbers are missing" in output
    assert "cannot be read" in output
    assert "2 findings left" in output
    assert raw.xrange(gap) == stored
