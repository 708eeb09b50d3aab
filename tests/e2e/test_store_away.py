"""Redis away: said at once, everywhere, and over by itself."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.config import Span
from tests.e2e.serving import Answer, Player, Server, serving
from tests.faults.proxy import Proxy

AT_ONCE = 1.0
"""Seconds that count as at once on a busy machine; a command would time out after two."""


@asynccontextmanager
async def behind_a_proxy(redis_url: str, **settings: object) -> AsyncIterator[tuple[Proxy, Server]]:
    async with (
        Proxy(redis_url.removeprefix("unix://")) as proxy,
        serving(f"redis://127.0.0.1:{proxy.port}", **settings) as server,  # type: ignore[arg-type]
    ):
        yield proxy, server


async def go_away(proxy: Proxy, server: Server) -> None:
    proxy.refuse()
    await proxy.cut()
    async with asyncio.timeout(10):
        while (await server.stranger().get("/readyz")).status == 200:  # noqa: ASYNC110 - it is asked over HTTP
            await asyncio.sleep(0.01)


async def come_back(proxy: Proxy, server: Server) -> None:
    proxy.refuse(False)
    async with asyncio.timeout(10):
        while (await server.stranger().get("/readyz")).status != 200:  # noqa: ASYNC110 - it is asked over HTTP
            await asyncio.sleep(0.01)


def away(answer: Answer) -> None:
    assert (answer.status, answer.code) == (503, "store_away")
    assert answer.headers["Content-Type"].startswith("application/problem+json")
    assert int(answer.headers["Retry-After"]) >= 1
    assert "redis" not in answer.body.decode().lower() or "Redis" in answer.json["detail"]


async def test_every_endpoint_that_needs_redis_says_so_at_once_and_works_again_by_itself(redis_url: str) -> None:
    async with behind_a_proxy(redis_url) as (proxy, server):
        ada, ben = await server.player("Ada"), await server.player("Ben")
        table = await ada.make_table(4, fill="easy")
        await ada.view(table)
        await go_away(proxy, server)
        asked: list[tuple[Player, str, str, object]] = [
            (server.stranger(), "POST", "/v1/players", {"name": "Eve"}),
            (ada, "PATCH", "/v1/players/me", {"name": "Eve"}),
            (ada, "POST", "/v1/players/me/token", {}),
            (ada, "GET", "/v1/players/me/tables", None),
            (ada, "POST", "/v1/tables", {"players": 4}),
            (server.stranger(), "GET", "/v1/tables", None),
            (ada, "GET", f"/v1/tables/{table}", None),
            (server.stranger(), "GET", f"/v1/tables/{table}", None),
            (ada, "GET", f"/v1/tables/{table}?after=1&wait=20", None),
            (ada, "GET", f"/v1/tables/{table}/events", None),
            (ada, "GET", f"/v1/tables/{table}/record", None),
            (ada, "POST", f"/v1/tables/{table}/actions", {"action": "start"}),
            (ben, "POST", f"/v1/tables/{table}/actions", {"action": "join"}),
            (ada, "GET", "/v1/tables/7QK2M4XR9TDP", None),
            (server.stranger(), "GET", "/readyz", None),
        ]
        for player, method, path, body in asked:
            started = time.monotonic()
            answer = await player.call(method, path, body)
            assert time.monotonic() - started < AT_ONCE, path
            away(answer)
        for path in ("/healthz", "/metrics", "/openapi.json", "/v1/presets", "/v1/presets/classic/guide?players=4"):
            assert (await server.stranger().get(path)).status == 200
        await come_back(proxy, server)
        assert (await ada.do(table, "start"))["table"]["phase"] == "passing"
        assert await server.player("Eve")


async def test_streams_and_waits_go_on_without_a_gap_when_redis_is_back(redis_url: str) -> None:
    async with behind_a_proxy(redis_url) as (proxy, server), serving(redis_url) as other:
        ada = await server.player("Ada")
        table = await ada.make_table(4)
        async with ada.stream(table) as stream:
            await stream.reach(1)
            await go_away(proxy, server)
            for number in range(5):
                await ada.at(other).do(table, "say", text=str(number))
            await come_back(proxy, server)
            await stream.reach(6)
            assert stream.versions == list(range(1, 7))


async def test_bots_go_on_by_themselves_when_redis_is_back(redis_url: str) -> None:
    async with behind_a_proxy(redis_url, bot_delay=Span(0.3, 0.3)) as (proxy, server):
        ada = await server.player("Ada")
        table = await ada.make_table(4, fill="easy", rules={"hands": 1, "pass_count": 0})
        view = await ada.do(table, "start")
        while view["hand"]["turn"] == 0:
            view = await ada.step(table, view)
        await go_away(proxy, server)
        await asyncio.sleep(0.5)  # the bot's moment passes while Redis is away
        await come_back(proxy, server)
        async with asyncio.timeout(20):
            while view["hand"]["turn"] != 0:
                view = await ada.view(table)
                view = await ada.view(table, f"?after={view['version']}&wait=5") if view["hand"]["turn"] else view


async def test_an_action_whose_fate_is_unknown_is_found_out_by_its_key(redis_url: str) -> None:
    async with behind_a_proxy(redis_url) as (proxy, server):
        ada = await server.player("Ada")
        table = await ada.make_table(4)
        await ada.view(table)
        proxy.stall("down")  # what we say arrives, what comes back does not
        lost = await ada.act(table, "say", {"Idempotency_Key": "k"}, text="hello")
        away(lost)
        proxy.resume()
        await come_back(proxy, server)
        found = await ada.act(table, "say", {"Idempotency_Key": "k"}, text="hello")
        assert found.status == 200
        events = [json.loads(data) for _, data in await server.services.store.events(table)]
        assert [event[1]["type"] for event in events].count("said") == 1
