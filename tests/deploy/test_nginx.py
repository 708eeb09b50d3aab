"""Whole games through nginx, as configured for production, in front of two servers."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest_asyncio

from tests.deploy.nginx import Front, needs_nginx, nginx
from tests.service import Person, ServerProcess, server

pytestmark = needs_nginx

TRUSTED = ("--trusted-proxies", "127.0.0.1/32")


@dataclass
class Site:
    front: Front
    servers: list[ServerProcess]


def through(front: Front, address: str = "127.0.0.1") -> Person:
    """A person who calls from an address of this machine and believes any certificate."""
    return Person(front.url, connector=aiohttp.TCPConnector(ssl=False, local_addr=(address, 0)))


@pytest_asyncio.fixture
async def site(redis_url: str, tmp_path: Path) -> AsyncIterator[Site]:
    flags = ("--redis-url", redis_url, *TRUSTED, "--players-burst", "3", "--players-per-minute", "0.001")
    async with server(tmp_path / "one", *flags) as one, server(tmp_path / "two", *flags) as two:
        with nginx(tmp_path / "nginx", [one.port, two.port]) as front:
            yield Site(front, [one, two])


async def actions_of(process: ServerProcess) -> int:
    async with aiohttp.ClientSession() as session, session.get(process.url + "/metrics") as answer:
        lines = (await answer.text()).splitlines()
    return sum(int(float(line.split()[1])) for line in lines if line.startswith("hearts_actions_total{"))


async def test_a_game_is_played_and_streamed_over_two_servers(site: Site) -> None:
    async with through(site.front) as ada, through(site.front) as bob:
        table = await ada.create(players=4, hands=2)
        await bob.act(table, "join")
        streams = [
            asyncio.create_task(ada.watch(table, "sse")),
            asyncio.create_task(bob.watch(table, "ndjson")),
        ]
        await ada.act(table, "start")
        view, _ = await asyncio.gather(ada.play(table), bob.play(table))
        told = await asyncio.gather(*streams)
    assert view["result"]["reason"] == "hands"
    assert [len(events) for events in told] == [view["version"]] * 2
    assert all([await actions_of(process) > 0 for process in site.servers])
    assert ada.retries == bob.retries == 0


async def test_a_quiet_stream_is_not_held_back(site: Site) -> None:
    async with through(site.front) as ada:
        table = await ada.create()
        session = ada._session
        async with session.get(f"{site.front.url}/v1/tables/{table}/events", headers=ada.headers) as stream:
            async with asyncio.timeout(5):
                first = await stream.content.readuntil(b"\n\n")
                assert b"event: view" in first
                await ada.act(table, "say", text="hello")
                second = await stream.content.readuntil(b"\n\n")
                assert b"event: said" in second


async def test_limits_count_the_real_address_and_no_forged_one(site: Site) -> None:
    async def refused(address: str, forged: str | None = None) -> bool:
        connector = aiohttp.TCPConnector(ssl=False, local_addr=(address, 0), force_close=True)
        headers = {} if forged is None else {"X-Forwarded-For": forged}
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.post(f"{site.front.url}/v1/players", json={"name": "Eve"}, headers=headers) as answer,
        ):
            assert answer.status in (201, 429)
            return answer.status == 429

    allowed = 0
    while not all([await refused("127.0.0.2") for _ in range(4)]):
        allowed += 1
        assert allowed < 7, "three for each of two servers"
    assert all([await refused("127.0.0.2", forged=f"198.51.100.{n}") for n in range(4)])
    assert not await refused("127.0.0.3")


async def test_a_server_is_drained_in_the_middle_of_a_game(site: Site) -> None:
    async with through(site.front) as ada, through(site.front) as bob:
        table = await ada.create(players=5, hands=2)
        watching = asyncio.create_task(bob.watch(table))
        await ada.act(table, "start")
        await ada.play(table, until=lambda view: view["version"] >= 60)
        assert await site.servers[0].stop() == 0
        view = await ada.play(table)
        events = await watching
    assert view["result"]["reason"] == "hands"
    assert len(events) == view["version"]


async def test_metrics_are_not_shown_and_plain_http_is_sent_on(site: Site) -> None:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=False)) as session:
        async with session.get(site.front.url + "/metrics") as answer:
            assert answer.status == 404
            assert b"hearts_" not in await answer.read()
        async with session.get(site.front.url + "/readyz") as answer:
            assert answer.status == 200
            assert "Strict-Transport-Security" in answer.headers
            assert "nginx/" not in answer.headers["Server"]
        async with session.get(site.front.plain_url + "/docs?x=1", allow_redirects=False) as answer:
            assert answer.status == 308
            assert answer.headers["Location"].startswith("https://")
            assert answer.headers["Location"].endswith("/docs?x=1")
