"""A server in this process on a port of its own, and players who call it over HTTP and keep every byte they got."""

import asyncio
import contextlib
import io
import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import aiohttp
from aiohttp import web

from server.app import make_app
from server.clock import Clock, now
from server.config import Config, Span
from server.logs import RequestLog
from server.wiring import SERVICES, Services

UNLIMITED = 1_000_000.0
EASY: dict[str, Any] = {
    "actions_per_second": UNLIMITED,
    "actions_burst": 1_000_000,
    "chat_per_minute": UNLIMITED,
    "chat_burst": 1_000_000,
    "players_per_minute": UNLIMITED,
    "players_burst": 1_000_000,
    "lookups_per_minute": UNLIMITED,
    "lookups_burst": 1_000_000,
    "tables_per_player": 1_000,
    "streams_per_address": 10_000,
    "bot_delay": Span(0, 0),
}
"""Settings that limit nothing and let bots act at once."""


@dataclass(frozen=True)
class Answer:
    """An answer, whole."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a problem."""
        return str(self.json["code"])


class Server:
    """What a test sees of a server: where it listens, its inside, its request log."""

    def __init__(self, url: str, services: Services | None, log: io.StringIO, session: aiohttp.ClientSession) -> None:
        self.url = url
        self._services = services
        self.log = log
        self.session = session
        self.stop: Callable[[], Any] | None = None

    @property
    def services(self) -> Services:
        assert self._services is not None
        return self._services

    async def player(self, name: str = "Ada") -> "Player":
        """Somebody new."""
        made = await Player(self, None, name).post("/v1/players", {"name": name})
        assert made.status == 201, made.body
        return Player(self, made.json["token"], name, made.json["player_id"])

    def stranger(self) -> "Player":
        """Somebody without a token."""
        return Player(self, None, "nobody")


@contextlib.asynccontextmanager
async def serving(redis_url: str, *, clock: Clock = now, **settings: Any) -> AsyncIterator[Server]:
    """A running server; its streams and waits are ended with it."""
    log = io.StringIO()
    app = make_app(Config(redis_url=redis_url, **{**EASY, **settings}), RequestLog("json", log), clock)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with calling(f"http://127.0.0.1:{port}") as caller:
        server = Server(caller.url, app[SERVICES], log, caller.session)
        server.stop = runner.cleanup
        try:
            yield server
        finally:
            await runner.cleanup()


@contextlib.asynccontextmanager
async def calling(url: str) -> AsyncIterator[Server]:
    """A server that runs elsewhere."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=60)) as session:
        yield Server(url, None, io.StringIO(), session)


@dataclass
class Player:
    """Somebody who calls, with everything received so far."""

    server: Server
    token: str | None
    name: str
    player_id: str = ""
    received: list[Answer] = field(default_factory=list)

    @property
    def auth(self) -> dict[str, str]:
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}

    def at(self, server: Server) -> "Player":
        """The same player calling another process."""
        return Player(server, self.token, self.name, self.player_id, self.received)

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        named = self.auth | {name.replace("_", "-"): value for name, value in headers.items()}
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            named.setdefault("Content-Type", "application/json")
        async with self.server.session.request(method, self.server.url + path, data=data, headers=named) as response:
            answer = Answer(response.status, dict(response.headers), await response.read())
        self.received.append(answer)
        return answer

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.call("GET", path, **headers)

    async def post(self, path: str, body: Any, **headers: str) -> Answer:
        return await self.call("POST", path, body, **headers)

    async def make_table(self, players: int = 4, **settings: Any) -> str:
        """A new table, this player its host."""
        made = await self.post("/v1/tables", {"players": players, **settings})
        assert made.status == 201, made.body
        return str(made.json["table"]["id"])

    async def act(self, table: str, action: str, headers: dict[str, str] | None = None, **fields: Any) -> Answer:
        return await self.post(f"/v1/tables/{table}/actions", {"action": action, **fields}, **(headers or {}))

    async def do(self, table: str, action: str, **fields: Any) -> Any:
        """An action that must succeed; the view after it."""
        answer = await self.act(table, action, **fields)
        assert answer.status == 200, answer.body
        return answer.json

    async def view(self, table: str, query: str = "") -> Any:
        answer = await self.get(f"/v1/tables/{table}{query}")
        assert answer.status == 200, answer.body
        return answer.json

    async def step(self, table: str, view: Any) -> Any:
        """Do what this view says I can do in the game: the first that is legal."""
        can, hand = view["me"]["can"], view["hand"]
        if "pass" in can:
            return await self.do(table, "pass", cards=view["me"]["cards"][: hand["pass"]["count"]])
        if "play" in can:
            return await self.do(table, "play", card=view["me"]["legal"][0], turn=hand["turn_number"])
        assert "moon" in can
        return await self.do(table, "moon", choice="add")

    def stream(
        self, table: str, *, ndjson: bool = False, after: int | None = None, last: int | None = None
    ) -> "Stream":
        return Stream(self, table, ndjson, after, last)


class Stream:
    """A live stream, read by a task into `messages`. Use as `async with player.stream(table) as stream`."""

    def __init__(self, player: Player, table: str, ndjson: bool, after: int | None, last: int | None) -> None:
        query = "" if after is None else f"?after={after}"
        self._url = f"{player.server.url}/v1/tables/{table}/events{query}"
        self._headers = dict(player.auth)
        if ndjson:
            self._headers["Accept"] = "application/x-ndjson"
        if last is not None:
            self._headers["Last-Event-ID"] = str(last)
        self._ndjson = ndjson
        self._session = player.server.session
        self._news = asyncio.Condition()
        self.raw = bytearray()
        self.messages: list[tuple[bytes, Any]] = []
        self.keep_alives = 0
        self.ended = False
        self.status = 0
        self.response: aiohttp.ClientResponse | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=None)
        self.response = await self._session.get(self._url, headers=self._headers, timeout=timeout)
        self.status = self.response.status
        if self.status == 200:
            self._task = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        assert self.response is not None
        self.response.close()

    @property
    def version(self) -> int:
        return int(self.messages[-1][1]["version"]) if self.messages else 0

    @property
    def types(self) -> list[str]:
        return [message["type"] for _, message in self.messages]

    @property
    def versions(self) -> list[int]:
        return [message["version"] for _, message in self.messages]

    async def until(self, true: Callable[["Stream"], bool], seconds: float = 20) -> None:
        """Return once what was read makes it true; TimeoutError if nothing does."""
        async with asyncio.timeout(seconds), self._news:
            await self._news.wait_for(lambda: true(self))

    async def reach(self, version: int) -> None:
        await self.until(lambda stream: stream.version >= version)

    async def end(self) -> None:
        """Return once the server has ended the stream."""
        await self.until(lambda stream: stream.ended)

    async def _read(self) -> None:
        assert self.response is not None
        rest = b""
        separator = b"\n" if self._ndjson else b"\n\n"
        with contextlib.suppress(aiohttp.ClientError):
            async for data in self.response.content.iter_any():
                self.raw += data
                *whole, rest = (rest + data).split(separator)
                async with self._news:
                    for block in whole:
                        self._take(block)
                    self._news.notify_all()
        async with self._news:
            self.ended = True
            self._news.notify_all()

    def _take(self, block: bytes) -> None:
        if block.startswith(b":") or block == b'{"type":"keep_alive"}':
            self.keep_alives += 1
            return
        if self._ndjson:
            self.messages.append((block, json.loads(block)))
            return
        found = re.fullmatch(rb"id: (\d+)\nevent: (\w+)\ndata: ([^\n]+)", block)
        assert found is not None, block
        message = json.loads(found[3])
        assert message["version"] == int(found[1])
        assert message["type"] == found[2].decode()
        self.messages.append((block, message))
