"""Fixtures of the storage tests."""

from collections.abc import AsyncIterator

import pytest_asyncio

from server.link import Link
from server.player_store import PlayerStore
from server.store import Store


@pytest_asyncio.fixture
async def link(redis_url: str) -> AsyncIterator[Link]:
    async with Link(redis_url) as link:
        yield link


@pytest_asyncio.fixture
async def store(link: Link) -> Store:
    return Store(link)


@pytest_asyncio.fixture
async def players(link: Link) -> PlayerStore:
    return PlayerStore(link)
