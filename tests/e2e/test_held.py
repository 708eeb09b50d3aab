"""What a process holds in memory is a cache: forgotten, broken or outdated, the events bring it back."""

import asyncio

import pytest
import redis

from tests.conditions import until
from tests.e2e.prepared import prepared, store
from tests.e2e.serving import serving


async def test_more_tables_than_are_held_are_all_served_and_watched(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.held.TABLES_HELD", 3)
    async with serving(redis_url) as server, serving(redis_url) as other:
        host = await server.player("Ada")
        tables = [await host.make_table(4) for _ in range(7)]
        streams = [host.stream(table) for table in tables[:5]]
        for stream in streams:
            await stream.__aenter__()
            await stream.reach(1)
        try:
            await asyncio.gather(*(host.at(other).do(table, "say", text="x") for table in tables))
            for stream in streams:
                await stream.reach(2)
                assert stream.types == ["view", "said"]
            views = await asyncio.gather(*(host.view(table) for table in tables))
            assert {view["version"] for view in views} == {2}
        finally:
            for stream in streams:
                await stream.__aexit__(None, None, None)
        await until(lambda: not server.services.hub.tables())
        await host.view(tables[-1])
        await host.make_table(4)
        assert len(server.services.held) <= 3


@pytest.mark.parametrize("snapshot", [b"", b"1 {}", b"0 of an older schema", b"1 \xff", None])
async def test_a_broken_or_older_snapshot_is_rebuilt_from_the_events(redis_url: str, snapshot: bytes | None) -> None:
    async with serving(redis_url) as server:
        seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
        stored = await store(prepared("playing", seats), server.services.store)
        await seats[1].do(stored.id, "play", card="2C", turn=0)
        before = await seats[2].view(stored.id)
    with redis.Redis.from_url(redis_url) as raw:
        key = f"hearts:{{{stored.id}}}:table"
        if snapshot is None:
            raw.hdel(key, "snapshot")
        else:
            raw.hset(key, "snapshot", snapshot)
        async with serving(redis_url) as server:
            after = await seats[2].at(server).view(stored.id)
            assert after | {"now": ""} == before | {"now": ""}
            assert raw.hget(key, "snapshot") not in (snapshot, None)
            await seats[2].at(server).step(stored.id, after)


async def test_play_goes_on_when_the_script_cache_is_flushed(redis_url: str) -> None:
    async with serving(redis_url) as server:
        host = await server.player("Ada")
        table = await host.make_table(4)
        with redis.Redis.from_url(redis_url) as raw:
            for number in range(3):
                raw.script_flush()
                assert (await host.do(table, "say", text="x"))["version"] == number + 2


async def test_a_banned_player_is_refused_everywhere_within_seconds(redis_url: str) -> None:
    async with serving(redis_url) as server:
        ada = await server.player("Ada")
        table = await ada.make_table(4)
        with redis.Redis.from_url(redis_url) as raw:
            (key,) = [key for key in raw.keys("hearts:token:*") if raw.hget(key, "player") == ada.player_id.encode()]
            record = raw.hget(key, "record")
            raw.hset(key, "record", record[:-1] + b',"banned":true}')
        await server.services.player_store.tell_changed()
        async with asyncio.timeout(10):
            while (await ada.get("/v1/players/me")).status == 200:  # noqa: ASYNC110 - the word has to spread
                await asyncio.sleep(0.01)
        for answer in (await ada.get(f"/v1/tables/{table}"), await ada.act(table, "close")):
            assert (answer.status, answer.code) == (403, "banned")


async def test_a_new_name_is_shown_at_open_tables(redis_url: str) -> None:
    async with serving(redis_url) as server:
        ada = await server.player("Ada")
        table = await ada.make_table(4)
        assert (await ada.call("PATCH", "/v1/players/me", {"name": " Ada L. "})).json["name"] == "Ada L."
        assert (await ada.view(table))["seats"][0]["name"] == "Ada L."
        for name in ("", " ", "a\nb", "x" * 33):
            assert (await ada.call("PATCH", "/v1/players/me", {"name": name})).code == "wrong_field"
