"""Fixtures for all tests that want a real Redis."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import redis

from server.embedded import EmbeddedRedis


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden files anew")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded_redis(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedRedis]:
    """One private server for the whole run, not to be hurt. Use `redis_url`."""
    async with EmbeddedRedis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(embedded_redis: EmbeddedRedis) -> str:
    """The URL of an empty Redis. A test that kills or stops its server starts one of its own instead."""
    with redis.Redis.from_url(embedded_redis.url) as client:
        client.flushall()
    return embedded_redis.url


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A data directory of the test's own."""
    return tmp_path / "data"
