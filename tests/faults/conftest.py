"""Fixtures of the fault tests: a place with servers to hurt, and a seed that is printed."""

import contextlib
import os
import random
import secrets
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
import pytest_asyncio

from tests.faults.game import Game, playing
from tests.faults.servers import Redis, Server, told

Started = TypeVar("Started", Redis, Server)

TIMES = int(os.environ.get("FAULT_TIMES", "1"))
"""How often each fault test is done; `make test-faults TIMES=n`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "time" in metafunc.fixturenames:
        metafunc.parametrize("time", range(TIMES))


class Field:
    """Where a fault test takes place: its processes, its random choices, and the look into all logs at the end."""

    def __init__(self, place: Path, rng: random.Random, stack: contextlib.AsyncExitStack) -> None:
        self.place = place
        self.rng = rng
        self.stack = stack
        self.games: list[Game] = []
        self._logs: list[Path] = []

    async def redis(self, fsync: str = "always", place: Path | None = None) -> Redis:
        """A Redis that answers."""
        number = len(self._logs)
        if place is None:
            place = self.place / f"redis{number}"
            place.mkdir()
        return await self._started(Redis(place, self.place / f"redis{number}.log", fsync))

    async def server(self, *flags: str) -> Server:
        """A server that takes requests."""
        return await self._started(Server(self.place / f"server{len(self._logs)}.log", *flags))

    async def _started(self, running: Started) -> Started:
        self.look_into(running.log)
        return await self.stack.enter_async_context(running)

    def moments(self, count: int) -> list[float]:
        """Random shares of a game, in order."""
        return sorted(self.rng.uniform(0, 0.95) for _ in range(count))

    @contextlib.asynccontextmanager
    async def game(self, servers: Sequence[Server], redis_url: str, **settings: Any) -> AsyncIterator[Game]:
        """A game over these servers, any of which may be asked, stored at this Redis; see `playing`."""
        urls = [server.url for server in servers]
        async with self.game_at(urls, redis_url, **settings) as game:
            yield game

    @contextlib.asynccontextmanager
    async def game_at(self, urls: Sequence[str], redis_url: str, **settings: Any) -> AsyncIterator[Game]:
        """The same, given the addresses."""
        async with playing(urls, redis_url, self.rng, **settings) as game:
            self.games.append(game)
            yield game

    def look_into(self, log: Path) -> None:
        """This file too is the log of a process."""
        self._logs.append(log)

    def check_logs(self) -> None:
        """No process may have said what must not be said."""
        known = [secret for game in self.games for secret in game.ledger.secrets]
        for log in self._logs:
            said = told(log.read_text(errors="replace"), known)
            assert not said, f"{log.name} says:\n" + "\n".join(said[:20])


@pytest_asyncio.fixture
async def field(tmp_path: Path, time: int) -> AsyncIterator[Field]:
    """Repeat one with FAULT_SEED=n: the choices are the same, the timing is not."""
    seed = int(os.environ.get("FAULT_SEED", secrets.randbelow(2**32)))
    print(f"FAULT_SEED={seed}")
    async with contextlib.AsyncExitStack() as stack:
        field = Field(tmp_path, random.Random(seed), stack)
        yield field
    field.check_logs()
