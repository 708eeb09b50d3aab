"""Where the operator works: a link to the Redis of the service, and the tables behind it."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from server.admin.survey import PlayerSurvey, Survey
from server.config import Config
from server.embedded import EmbeddedRedis
from server.link import Link
from server.lobby import Lobby
from server.service import TRIES, Lifetimes
from server.snapshots import encode_snapshot, fold, restored
from server.table.change import Change
from server.table.events import Entry, encode_entry
from server.table.state import TableState

_READ_AT_ONCE = 100
"""Tables read in one batch of commands."""


class NotDone(Exception):
    """What was asked cannot be done; the message says why."""


class Desk:
    """The store, and changes of tables through the same compare-and-append as the server's own."""

    def __init__(self, link: Link, config: Config) -> None:
        self.link = link
        self.store = Survey(link)
        self.players = PlayerSurvey(link)
        self.lobby = Lobby(self.store)
        self.lifetimes = Lifetimes(idle=config.game_idle, finished=config.finished_kept)

    async def table(self, table_id: str) -> TableState | None:
        """The table as stored; None if there is none, or what is stored cannot be read."""
        stored = await self.store.load(table_id)
        if stored is None:
            return None
        state = restored(stored)
        if state is None:
            with contextlib.suppress(Exception):
                state = fold(data for number, data in await self.store.events(table_id) if number <= stored.version)
        return state

    async def tables(self) -> AsyncIterator[TableState]:
        """Every table that can be read, once."""
        ids = sorted({table_id async for table_id in self.store.all_tables()})
        for start in range(0, len(ids), _READ_AT_ONCE):
            for state in await asyncio.gather(*map(self.table, ids[start : start + _READ_AT_ONCE])):
                if state is not None:
                    yield state

    async def commit(self, table_id: str, decided: Callable[[TableState], Change]) -> TableState:
        """Append what `decided` makes of the table, deciding again when others came first; NotDone if it cannot."""
        for _ in range(TRIES):
            state = await self.table(table_id)
            if state is None:
                raise NotDone(f"There is no table {table_id}.")
            change = decided(state)
            appended = await self.store.append(
                table_id,
                state.version,
                [encode_entry(Entry(change.at, event)) for event in change.events],
                encode_snapshot(change.state),
                secrets.token_hex(8),
                None,
                self.lifetimes.of(change.state),
            )
            if appended.outcome == "appended":
                await self.lobby.follow(change)
                return change.state
        raise NotDone(f"Others act at table {table_id} all the time; try again.")

    async def create(self, change: Change) -> bool:
        """Store a new table with all its events at once; False if its id is taken."""
        return await self.store.create(
            change.state.id,
            [encode_entry(Entry(change.at, event)) for event in change.events],
            encode_snapshot(change.state),
            secrets.token_hex(8),
            self.lifetimes.of(change.state),
        )


@contextlib.asynccontextmanager
async def opened(config: Config) -> AsyncIterator[Desk]:
    """A desk at the Redis of `config`: the one named, else that of the data directory, running or not.

    Raises NotDone when Redis does not answer or there is no such data directory.
    """
    async with contextlib.AsyncExitStack() as stack:
        url = config.redis_url or await _embedded(Path(config.data_dir), stack)
        link = await stack.enter_async_context(Link(url, command_timeout=10.0))
        if not link.up:
            raise NotDone(f"Redis does not answer at {link.endpoint}.")
        yield Desk(link, config)


async def _embedded(data_dir: Path, stack: contextlib.AsyncExitStack) -> str:
    socket = await asyncio.to_thread(_socket_in, data_dir)
    if socket is None:
        raise NotDone(f"There is no data directory {data_dir}; name one with --data-dir, or a Redis with --redis-url.")
    with contextlib.suppress(OSError):
        async with asyncio.timeout(1):
            _, writer = await asyncio.open_unix_connection(socket)
        writer.close()
        return f"unix://{socket}"
    return (await stack.enter_async_context(EmbeddedRedis(data_dir))).url


def _socket_in(data_dir: Path) -> Path | None:
    return data_dir.absolute() / "run" / "redis.sock" if data_dir.is_dir() else None
