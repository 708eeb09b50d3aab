"""Live streams: every event once and in order, resumed, resynced, dropped, ended; also across processes."""

import asyncio
import json
import socket
from contextlib import AsyncExitStack

import pytest
import redis

from server.handlers.streams import MOST_BEHIND
from server.hub import MOST_UNSENT
from server.snapshots import encode_snapshot
from server.table.events import Entry, Said, SeatChanged, encode_entry
from server.table.evolve import evolve
from server.table.state import TableState
from tests.conditions import until
from tests.e2e.serving import Player, Server, Stream, serving


async def lobby(server: Server, **settings: object) -> tuple[Player, str]:
    host = await server.player("Ada")
    return host, await host.make_table(4, **settings)


def in_order(stream: Stream, first: int, last: int) -> None:
    assert stream.versions == list(range(first, last + 1))


@pytest.mark.parametrize("ndjson", [False, True])
async def test_a_new_reader_gets_a_view_then_each_event(redis_url: str, ndjson: bool) -> None:
    async with serving(redis_url) as server:
        host, table = await lobby(server)
        async with host.stream(table, ndjson=ndjson) as stream:
            assert stream.response is not None
            assert stream.response.content_type == ("application/x-ndjson" if ndjson else "text/event-stream")
            await stream.reach(1)
            assert stream.messages[0][1]["me"]["seat"] == 0
            for number in range(2, 6):
                await host.do(table, "say", text=str(number))
            await stream.reach(5)
            assert stream.types == ["view", "said", "said", "said", "said"]
            in_order(stream, 1, 5)
            assert stream.messages[-1][1]["at"].endswith("Z")


@pytest.mark.parametrize("head", ["HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: keep-alive\r\n"])
async def test_a_proxy_that_speaks_http_1_0_gets_a_stream_that_ends_with_its_connection(
    redis_url: str, head: str
) -> None:
    """As nginx does to the servers behind it where it is not told otherwise."""
    async with serving(redis_url) as server:
        host, table = await lobby(server)
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
        writer.write(f"GET /v1/tables/{table}/events {head}Accept: application/x-ndjson\r\n\r\n".encode())
        await until(lambda: server.services.hub.watched(table))
        await host.do(table, "say", text="hello")
        server.services.hub.keep_alive()
        server.services.hub.end(table)
        async with asyncio.timeout(10):
            answer = await reader.read()  # to its end
        writer.close()
    told, _, body = answer.partition(b"\r\n\r\n")
    assert b" 200 OK\r\n" in told
    assert b"Transfer-Encoding" not in told
    assert [json.loads(line)["type"] for line in body.splitlines()] == ["view", "said", "keep_alive"]


@pytest.mark.parametrize("ndjson", [False, True])
async def test_a_reader_resumes_behind_the_last_event_it_has(redis_url: str, ndjson: bool) -> None:
    async with serving(redis_url) as server:
        host, table = await lobby(server)
        for number in range(2, 11):
            await host.do(table, "say", text=str(number))
        for resumed in (
            host.stream(table, ndjson=ndjson, last=4),
            host.stream(table, ndjson=ndjson, after=4),
            host.stream(table, ndjson=ndjson, after=9, last=4),
        ):
            async with resumed as stream:
                await stream.reach(10)
                in_order(stream, 5, 10)
        async with host.stream(table, ndjson=ndjson, last=10) as stream:
            await stream.until(lambda stream: stream.keep_alives > 0)
            await host.do(table, "say", text="next")
            await stream.reach(11)
            in_order(stream, 11, 11)
        async with host.stream(table, ndjson=ndjson, after=0) as stream:
            await stream.reach(11)
            in_order(stream, 1, 11)


async def test_a_position_that_is_none_is_refused(redis_url: str) -> None:
    async with serving(redis_url) as server:
        host, table = await lobby(server)
        assert (await host.get(f"/v1/tables/{table}/events?after=-1")).code == "wrong_query"
        assert (await host.get(f"/v1/tables/{table}/events", Last_Event_ID="x")).code == "wrong_header"
        assert (await host.get("/v1/tables/7QK2M4XR9TDP/events")).code == "no_such_table"


async def test_a_reader_too_far_behind_or_ahead_gets_a_whole_view(redis_url: str) -> None:
    async with serving(redis_url) as server:
        host, table = await lobby(server)
        state = await server.services.tables.state(table)
        entries = [Entry(state.created, Said(0, text="x")) for _ in range(MOST_BEHIND + 1)]
        await append(server, state, entries)
        await server.services.tables.state(table, least=MOST_BEHIND + 2)
        async with host.stream(table, after=1) as stream:
            await stream.until(lambda stream: bool(stream.messages))
            assert stream.types[0] == "resync"
        async with host.stream(table, after=2) as stream:
            await stream.reach(MOST_BEHIND + 2)
            in_order(stream, 3, MOST_BEHIND + 2)
        async with host.stream(table, after=5000) as stream:
            await stream.until(lambda stream: bool(stream.messages))
            assert stream.types == ["resync"]
            assert stream.version == MOST_BEHIND + 2


async def append(server: Server, state: TableState, entries: list[Entry]) -> TableState:
    """Store events as another process would."""
    after = state
    for entry in entries:
        after = evolve(after, entry.event, entry.at)
    stored = await server.services.store.append(
        state.id, state.version, [encode_entry(entry) for entry in entries], encode_snapshot(after), "act", None, 600
    )
    assert stored.outcome == "appended"
    return after


async def test_a_table_that_went_back_to_an_older_version_is_shown_whole(redis_url: str) -> None:
    """As after a failover to a replica that had not heard all."""
    async with serving(redis_url) as server, asyncio.timeout(30):
        host, table = await lobby(server)
        old = await server.services.tables.state(table)
        with redis.Redis.from_url(redis_url) as raw:
            saved = {key: raw.dump(key) for key in (f"hearts:{{{table}}}:table", f"hearts:{{{table}}}:events")}
            for number in range(5):
                await host.do(table, "say", text=str(number))
            async with host.stream(table) as stream:
                await stream.reach(6)
                for key, dumped in saved.items():
                    raw.restore(key, 0, dumped, replace=True)  # type: ignore[arg-type]
                raw.client_kill_filter(_type="pubsub")
                await stream.until(lambda stream: "resync" in stream.types)
                assert stream.version == 1
                await host.do(table, "say", text="again")
                await stream.reach(2)
                assert stream.types[-2:] == ["resync", "said"]
                # Back, and on by another way to a later version: the events between do not lead there from here.
                for number in range(3):
                    await host.do(table, "say", text=str(number))
                await stream.reach(5)
                for key, dumped in saved.items():
                    raw.restore(key, 0, dumped, replace=True)  # type: ignore[arg-type]
                entries = [Entry(old.created, event) for event in (SeatChanged(seat=0, name="Eve"), *[Said(0)] * 5)]
                await append(server, old, entries)
                await stream.reach(7)
                assert stream.messages[-1][1]["type"] == "resync"


async def test_events_of_one_process_are_seen_once_and_in_order_at_another(redis_url: str) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(redis_url)) for _ in range(2)]
        host, table = await lobby(servers[0])
        ben = await servers[0].player("Ben")
        await ben.do(table, "join")
        here = await stack.enter_async_context(host.stream(table))
        there = await stack.enter_async_context(ben.at(servers[1]).stream(table, ndjson=True))
        await asyncio.gather(
            *(host.at(servers[number % 2]).do(table, "say", text=f"a{number}") for number in range(30)),
            *(ben.at(servers[number % 2]).do(table, "say", text=f"b{number}") for number in range(30)),
        )
        for stream in (here, there):
            await stream.reach(62)
            in_order(stream, stream.versions[0], 62)
        waited = asyncio.create_task(ben.at(servers[1]).view(table, "?after=62&wait=20"))
        await until(lambda: servers[1].services.hub.watched(table))
        await host.do(table, "say", text="now")
        assert (await waited)["version"] == 63


async def test_no_event_is_missed_when_pubsub_connections_are_cut(redis_url: str) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(redis_url)) for _ in range(2)]
        host, table = await lobby(servers[0])
        stream = await stack.enter_async_context(host.at(servers[1]).stream(table))
        await stream.reach(1)
        with redis.Redis.from_url(redis_url) as raw:
            for number in range(60):
                await host.do(table, "say", text=str(number))
                if number % 10 == 5:
                    raw.client_kill_filter(_type="pubsub")
            await stream.reach(61)
        in_order(stream, 1, 61)


async def test_a_reader_that_stops_reading_is_dropped_and_memory_stays_flat(redis_url: str) -> None:
    async with serving(redis_url) as server:
        _, table = await lobby(server)
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", int(server.url.rpartition(":")[2])))
        with reader:
            reader.sendall(f"GET /v1/tables/{table}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            hub = server.services.hub
            await until(lambda: hub.watched(table))
            (watcher,) = hub._watchers[table]
            state = await server.services.tables.state(table)
            buffered = 0
            async with asyncio.timeout(20):
                while not watcher.ended.done():
                    hub.publish(state, watcher.position + 1, [Entry(1, Said(0, text="x" * 200))] * 50)
                    buffered = max(buffered, watcher._transport.get_write_buffer_size())
                    await asyncio.sleep(0)
            assert buffered < MOST_UNSENT + 1_000
            await until(lambda: not hub.watched(table))


async def test_keep_alives_on_a_quiet_stream(redis_url: str) -> None:
    async with serving(redis_url, keep_alive=0.05) as server:
        host, table = await lobby(server)
        async with host.stream(table) as lines, host.stream(table, ndjson=True) as objects:
            for stream in (lines, objects):
                await stream.until(lambda stream: stream.keep_alives >= 3)
                assert stream.types == ["view"]


async def test_streams_and_waits_end_when_the_server_stops(redis_url: str) -> None:
    async with serving(redis_url) as server:
        host, table = await lobby(server)
        async with host.stream(table) as stream:
            await stream.reach(1)
            waiting = asyncio.create_task(host.get(f"/v1/tables/{table}?after=1&wait=50"))
            await until(lambda: len(server.services.hub._waiters) == 1)
            assert server.stop is not None
            async with asyncio.timeout(5):
                await server.stop()
                await stream.end()
                assert (await waiting).status == 304


async def test_a_player_has_so_many_streams_and_closing_one_makes_room(redis_url: str) -> None:
    async with serving(redis_url, streams_per_player=2) as server:
        host, table = await lobby(server)
        other = await server.player("Ben")
        async with host.stream(table) as first, other.stream(table):
            async with host.stream(table) as second:
                await first.reach(1)
                await second.reach(1)
                refused = await host.get(f"/v1/tables/{table}/events")
                assert (refused.status, refused.code) == (429, "too_many_streams")
                assert int(refused.headers["Retry-After"]) > 0
            await until(lambda: server.services.player_streams._held[host.player_id] == 1)
            async with host.stream(table) as third:
                await third.reach(1)


async def test_an_address_has_so_many_streams(redis_url: str) -> None:
    async with serving(redis_url, streams_per_address=1) as server:
        host, table = await lobby(server)
        async with server.stranger().stream(table) as stream:
            await stream.reach(1)
            assert (await host.get(f"/v1/tables/{table}/events")).code == "too_many_streams"


async def test_streams_of_a_table_that_is_gone_end(redis_url: str) -> None:
    async with serving(redis_url) as server:
        host, table = await lobby(server)
        async with host.stream(table) as stream:
            await stream.reach(1)
            await server.services.store.erase(table)
            with redis.Redis.from_url(redis_url) as raw:
                raw.client_kill_filter(_type="pubsub")
            await stream.end()
        assert (await host.get(f"/v1/tables/{table}")).code == "no_such_table"


async def test_spectators_of_a_table_that_has_none_are_shown_out_at_the_start(redis_url: str) -> None:
    async with serving(redis_url) as server:
        host, table = await lobby(server, spectators="none", fill="easy")
        async with server.stranger().stream(table) as stream, host.stream(table) as mine:
            await stream.reach(1)
            await host.do(table, "start")
            await stream.end()
            assert stream.types == ["view"]
            await mine.until(lambda stream: "dealt" in stream.types)


async def test_who_takes_a_seat_is_told_its_cards_on_the_stream_that_is_open(redis_url: str) -> None:
    async with serving(redis_url) as server:
        host, table = await lobby(server, fill="easy")
        zoe = await server.player("Zoe")
        async with zoe.stream(table) as stream:
            await stream.reach(1)
            await zoe.do(table, "join", seat=2)
            view = await host.do(table, "start")
            await stream.until(lambda stream: "dealt" in stream.types)
            dealt = next(message for _, message in stream.messages if message["type"] == "dealt")
            assert len(dealt["cards"]) == 13
            assert dealt["cards"] != view["me"]["cards"]


async def test_a_stream_ends_when_its_token_is_replaced_on_another_process(redis_url: str) -> None:
    """Who lost a token asks for a new one: whoever found it must not go on reading its seat's cards."""
    async with serving(redis_url) as one, serving(redis_url) as two:
        host, table = await lobby(one)
        ben = await one.player("Ben")
        await ben.do(table, "join")
        async with host.at(two).stream(table) as found, ben.at(two).stream(table) as own, two.stranger().stream(table):
            renewed = await host.post("/v1/players/me/token", {})
            await until(lambda: found.ended)
            assert not own.ended
            host.token = renewed.json["token"]
            async with host.at(two).stream(table) as again:
                await host.do(table, "say", text="back")
                for stream in (own, again):
                    await until(lambda stream=stream: "back" in str(stream.messages[-1:]))
