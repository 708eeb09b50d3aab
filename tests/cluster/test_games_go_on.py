"""The whole of a large installation: a Cluster of three masters, two servers, nginx - and what happens to it.

Games are played and watched through nginx all the time, while slots move, a server is killed and a master dies.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from server.admin.check import Check
from server.admin.desk import opened
from server.config import Config
from tests.cluster.nodes import ClusterNodes, Node, wait_until
from tests.conditions import until
from tests.deploy.nginx import Front, needs_nginx, nginx
from tests.service import Person, ServerProcess, server

pytestmark = [pytest.mark.cluster, needs_nginx]

PLAYERS = (3, 4, 5, 6, 8)


@dataclass
class Site:
    front: Front
    servers: list[ServerProcess]
    flags: tuple[str, ...]
    log: Path
    later: contextlib.AsyncExitStack

    async def restart(self, number: int) -> None:
        """Start a server that was killed again, on its port."""
        again = server(self.log, *self.flags, port=self.servers[number].port)
        self.servers[number] = await self.later.enter_async_context(again)


@pytest_asyncio.fixture
async def site(cluster: ClusterNodes, tmp_path: Path) -> AsyncIterator[Site]:
    flags = ("--redis-url", cluster.url, "--trusted-proxies", "127.0.0.1/32", "--actions-per-second", "1000")
    async with contextlib.AsyncExitStack() as later:
        servers = [await later.enter_async_context(server(tmp_path / "log", *flags)) for _ in range(2)]
        front = later.enter_context(nginx(tmp_path / "nginx", [process.port for process in servers]))
        yield Site(front, servers, flags, tmp_path / "log", later)


@dataclass
class Game:
    """A person at a table of bots, and somebody who watches."""

    person: Person
    watcher: Person
    table: str
    enough: asyncio.Event
    version: int = 0
    tasks: list[asyncio.Task[object]] = field(default_factory=list)

    def start(self) -> None:
        self.tasks = [asyncio.create_task(self._play()), asyncio.create_task(self._watch())]

    async def _play(self) -> object:
        await self.person.act(self.table, "start")

        def looked(view: dict[str, int]) -> bool:
            assert view["version"] >= self.version, "nothing that was answered may be lost here"
            self.version = view["version"]
            return self.enough.is_set()

        await self.person.play(self.table, until=looked)
        return await self.person.act(self.table, "close")

    async def _watch(self) -> object:
        return await self.watcher.watch(self.table)


class Games:
    """All games of the test."""

    def __init__(self, games: list[Game]) -> None:
        self._games = games

    @property
    def tables(self) -> list[str]:
        return [game.table for game in self._games]

    async def go_on(self, events: int = 20) -> None:
        """Return when every game has moved on."""
        for game in self._games:
            for task in game.tasks:
                assert not task.done(), task
        wanted = {game.table: game.version + events for game in self._games}
        await until(lambda: all(game.version >= wanted[game.table] for game in self._games))

    async def end(self) -> None:
        """Close every game; its watcher must have been told every event once."""
        for game in self._games:
            game.enough.set()
            view, events = await asyncio.gather(*game.tasks)
            assert isinstance(view, dict)
            assert isinstance(events, list)
            assert len(events) == view["version"]


@pytest_asyncio.fixture
async def games(site: Site) -> AsyncIterator[Games]:
    async with contextlib.AsyncExitStack() as people:

        async def person() -> Person:
            connector = aiohttp.TCPConnector(ssl=False)
            return await people.enter_async_context(Person(site.front.url, connector=connector))

        started = []
        for players in PLAYERS:
            host = await person()
            table = await host.create(players, hands=99)
            started.append(Game(host, await person(), table, asyncio.Event()))
        for game in started:
            game.start()
        yield Games(started)
        for game in started:
            for task in game.tasks:
                task.cancel()
            await asyncio.gather(*game.tasks, return_exceptions=True)


def key_of(table: str) -> str:
    return f"hearts:{{{table}}}:table"


def die_with_nothing_to_lose(master: Node) -> None:
    """Kill a master once its replica has all it has accepted: what replication may lose is not the matter here."""

    def replica_has_all() -> bool:
        lines = dict(line.split(b":", 1) for line in master("INFO", "REPLICATION").splitlines() if b":" in line)
        return b"offset=" + lines[b"master_repl_offset"] + b"," in lines[b"slave0"]

    master("CLIENT", "PAUSE", 20_000, "WRITE")
    wait_until(replica_has_all, "the replica has everything")
    master.kill()


async def test_games_go_on(site: Site, games: Games, cluster: ClusterNodes) -> None:
    await games.go_on()

    for table in games.tables[:3]:  # slots move to other nodes, with games in play in them
        home = cluster.owner(key_of(table))
        away = next(node for node in cluster.masters if node is not home)
        await asyncio.to_thread(cluster.move_slot, key_of(table), away)
        assert cluster.owner(key_of(table)) is away
    await games.go_on()

    await site.servers[0].kill()  # everything goes on with the other one
    await games.go_on()
    await site.restart(0)
    await games.go_on()

    master = cluster.masters[0]
    moved = await asyncio.to_thread(lambda: [table for table in games.tables if cluster.owner(key_of(table)) is master])
    await asyncio.to_thread(die_with_nothing_to_lose, master)
    cluster.masters[0] = cluster.replicas.pop()
    await games.go_on()  # the replica has taken over, also the tables on it
    assert all(cluster.owner(key_of(table)) is cluster.masters[0] for table in moved)

    await games.end()
    async with opened(Config(redis_url=cluster.url)) as desk:
        walk = Check(desk, settle=2.0)
        assert [finding async for finding in walk.findings()] == []
        assert walk.tables == len(PLAYERS)
