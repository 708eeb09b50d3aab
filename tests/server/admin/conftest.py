"""A server with tables at several stages, and the admin's command line on the same Redis."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from click.testing import CliRunner, Result

from server.admin.__main__ import main
from tests.service import Person, ServerProcess, server


@dataclass
class Service:
    process: ServerProcess
    person: Person
    lobby: str
    playing: str
    over: str


class Admin:
    """`hearts-admin` in this process."""

    def __init__(self, redis_url: str) -> None:
        self._redis_url = redis_url

    def __call__(self, *words: str, fails: bool = False) -> str:
        result: Result = CliRunner().invoke(main, ["--redis-url", self._redis_url, *words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert (result.exit_code != 0) == fails, result.output
        return result.output


@pytest.fixture
def admin(redis_url: str) -> Admin:
    return Admin(redis_url)


@pytest_asyncio.fixture
async def service(redis_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    async with server(tmp_path / "log", "--redis-url", redis_url) as process, Person(process.url) as person:
        lobby = await person.create()
        playing = await person.create(hands=2)
        await person.act(playing, "start")
        await person.play(playing, until=lambda view: view["version"] >= 40)
        over = await person.create(players=5, preset=None)
        await person.act(over, "start")
        await person.play(over)
        yield Service(process, person, lobby, playing, over)
