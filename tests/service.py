"""Real server processes for tests, and people who play at their tables over HTTP."""

import asyncio
import contextlib
import json
import os
import re
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Self

import aiohttp

ROOT = Path(__file__).parents[1]
_OPEN_WITHIN = 30.0
_PATIENCE = 30.0
_AWAY = {502, 503, 504}


async def until(true: Callable[[], Awaitable[bool]], seconds: float = 30.0) -> None:
    """Return once it is true, asked often; raises TimeoutError when it never is."""
    async with asyncio.timeout(seconds):
        while not await true():  # noqa: ASYNC110 - what changes it is another process
            await asyncio.sleep(0.02)


class ServerProcess:
    """One `hearts-server`. `url` once it is open; what it says goes to the log file."""

    def __init__(self, process: asyncio.subprocess.Process, url: str, log: Path) -> None:
        self.process = process
        self.url = url
        self.log = log

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    async def stop(self) -> int:
        """End it gently; its exit code."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(_OPEN_WITHIN):
            return await self.process.wait()

    async def kill(self) -> None:
        """End it at once, as a crash would."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


@contextlib.asynccontextmanager
async def server(
    log: Path, *flags: str, port: int = 0, pace: str = "0-0", **environ: str
) -> AsyncIterator[ServerProcess]:
    """A server process that is open, on a free port unless one is named; killed at the end if it still runs."""
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "server", "--port", str(port), "--bot-delay", pace, *flags,
            cwd=ROOT, env=os.environ | environ, stdout=asyncio.subprocess.PIPE, stderr=errors,
        )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(_OPEN_WITHIN):
            line = (await process.stdout.readline()).decode()
        found = re.search(r"open at (http://\S+)", line)
        assert found, f"said {line!r}; more in {log}"
        yield ServerProcess(process, found[1], log)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
        await asyncio.to_thread(tells_no_secret, log)


_TOKENS: set[str] = set()
"""Every token that people of this run have had."""

_SEED = re.compile(r"\b[0-9a-f]{64}\b")
_CARDS = re.compile(r"""["'](?:[2-9TJQKA][CDHS]|JK)["']""")


def tells_no_secret(log: Path) -> None:
    """No line of the log shows a token, a seed or the table's secret, or cards as messages and states write them."""
    told = log.read_text()
    assert not [token for token in _TOKENS if token in told]
    assert _SEED.search(told) is None
    assert _CARDS.search(told) is None


class Person:
    """A player with a connection of its own, who tries again with the same key when the service is away."""

    def __init__(self, url: str, **session: Any) -> None:
        self.url = url
        self.token = ""
        self.player = ""
        self.retries = 0
        self.accepted: list[int] = []
        self._session = aiohttp.ClientSession(**session)

    async def __aenter__(self) -> Self:
        made = await self.call("POST", "/v1/players", {"name": "Ada"})
        self.token, self.player = made["token"], made["player_id"]
        _TOKENS.add(self.token)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._session.close()

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The answer's JSON (None for 304); ValueError with the problem for a refusal."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                try:
                    async with self._session.request(
                        method, self.url + path, json=body, headers={**self.headers, **headers}
                    ) as answer:
                        if answer.status == 304:
                            return None
                        if answer.status in _AWAY:
                            raise aiohttp.ClientError(await answer.text())
                        found = await answer.json(content_type=None)
                        if answer.status >= 400:
                            raise ValueError(found)
                        return found
                except (aiohttp.ClientError, OSError):
                    self.retries += 1
                    await asyncio.sleep(0.05)

    async def create(self, players: int = 4, hands: int = 1, **settings: Any) -> str:
        """A table of the person's own, the empty seats for bots; its id."""
        body = {"players": players, "fill": "easy", "rules": {"hands": hands}, **settings}
        return str((await self.call("POST", "/v1/tables", body))["table"]["id"])

    async def act(self, table: str, action: str, **fields: Any) -> dict[str, Any]:
        """Do something at the table, once however often it must be tried; the view after it."""
        view: dict[str, Any] = await self.call(
            "POST",
            f"/v1/tables/{table}/actions",
            {"action": action, **fields},
            **{"Idempotency-Key": secrets.token_hex(8)},
        )
        self.accepted.append(view["version"])
        return view

    async def view(self, table: str, after: int | None = None) -> dict[str, Any] | None:
        """The table, or None when it has not moved past `after` for a while."""
        query = "" if after is None else f"?after={after}&wait=5"
        view: dict[str, Any] | None = await self.call("GET", f"/v1/tables/{table}{query}")
        return view

    async def play(self, table: str, until: Callable[[dict[str, Any]], bool] = lambda view: False) -> dict[str, Any]:
        """Play on, the first legal card each time, until the game is over or the view is as wanted; the last view."""
        view = await self.view(table)
        assert view is not None
        while view["table"]["phase"] != "over" and not until(view):
            try:
                view = await self._move(table, view) or await self.view(table, view["version"]) or view
            except ValueError:  # a bot stood in meanwhile, or a lost answer was accepted after all
                view = await self.view(table) or view
        return view

    async def _move(self, table: str, view: dict[str, Any]) -> dict[str, Any] | None:
        me, hand = view["me"], view["hand"]
        if "pass" in me["can"]:
            return await self.act(table, "pass", cards=me["cards"][: hand["pass"]["count"]])
        if "moon" in me["can"]:
            return await self.act(table, "moon", choice="add")
        if "play" in me["can"]:
            return await self.act(table, "play", card=me["legal"][0], turn=hand["turn_number"])
        return None

    async def watch(self, table: str, form: str = "ndjson") -> list[dict[str, Any]]:
        """Every event until the game is over, over as many streams as it takes; none is asked for twice."""
        seen: list[dict[str, Any]] = []
        async with asyncio.timeout(4 * _PATIENCE):
            while not any(event["type"] == "game_over" for event in seen):
                try:
                    await self._listen(table, form, seen)
                except (aiohttp.ClientError, OSError):
                    self.retries += 1
                await asyncio.sleep(0.02)
        return seen

    async def _listen(self, table: str, form: str, seen: list[dict[str, Any]]) -> None:
        accept = "application/x-ndjson" if form == "ndjson" else "text/event-stream"
        async with self._session.get(
            f"{self.url}/v1/tables/{table}/events?after={len(seen)}", headers={**self.headers, "Accept": accept}
        ) as answer:
            answer.raise_for_status()
            async for line in answer.content:
                text = line.decode().removeprefix("data:").strip()
                event = json.loads(text) if text.startswith("{") else {}
                if "version" in event:
                    assert event["type"] not in ("resync", "view"), event
                    assert event["version"] == len(seen) + 1
                    seen.append(event)
                    if event["type"] == "game_over":
                        return
