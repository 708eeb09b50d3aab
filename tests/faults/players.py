"""Scripted humans: they play a whole game over HTTP, follow a stream each, and never give up."""

import asyncio
import itertools
import random
from collections.abc import Sequence
from typing import Any

import aiohttp

from tests.faults.ledger import Act, Ledger, Seen, read_json

PATIENCE = aiohttp.ClientTimeout(total=4)
_QUIET = aiohttp.ClientTimeout(total=None, sock_connect=4, sock_read=4)
_LOST = (aiohttp.ClientError, OSError, asyncio.TimeoutError)
_PAUSE = 0.05


class Caller:
    """Requests to any of the servers at `urls`, with a token of one's own."""

    def __init__(self, urls: Sequence[str], rng: random.Random, ledger: Ledger) -> None:
        self._urls = urls
        self._rng = rng
        self._ledger = ledger
        self.token = ""

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def url(self) -> str:
        return self._rng.choice(self._urls)

    async def once(
        self, session: aiohttp.ClientSession, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Any]:
        """One request: its status and its JSON; status 0 when no answer came."""
        try:
            async with session.request(
                method, self.url() + path, json=body, headers=self.headers | headers, timeout=PATIENCE
            ) as answer:
                data = await answer.read()
        except _LOST:
            return 0, None
        self._ledger.answered(answer.status, answer.headers, f"{method} {path.split('?')[0]}")
        return answer.status, read_json(data) if data else None

    async def ask(
        self, session: aiohttp.ClientSession, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Any]:
        """The same until there is an answer that is not "later"."""
        while True:
            status, answer = await self.once(session, method, path, body, **headers)
            if status not in (0, 429, 503):
                return status, answer
            await asyncio.sleep(_PAUSE)


class Watcher(Caller):
    """Follows a table's stream, coming back to where it was whenever the stream ends. seat None: a spectator."""

    def __init__(self, urls: Sequence[str], rng: random.Random, ledger: Ledger, seat: int | None = None) -> None:
        super().__init__(urls, rng, ledger)
        self.seat = seat
        self.segments: list[Seen] = []
        self.connections = 0

    @property
    def position(self) -> int:
        return self.segments[-1].position if self.segments else 0

    async def watch(self, table_id: str) -> None:
        """Follow the stream until cancelled."""
        async with aiohttp.ClientSession(timeout=_QUIET) as session:
            while True:
                headers = self.headers
                if self.segments:
                    headers |= {"Last-Event-ID": str(self.position)}
                try:
                    async with session.get(f"{self.url()}/v1/tables/{table_id}/events", headers=headers) as answer:
                        self._ledger.answered(answer.status, answer.headers, "the stream")
                        if answer.status == 200:
                            self.connections += 1
                            await self._read(answer.content)
                except _LOST:
                    pass
                await asyncio.sleep(_PAUSE)

    async def _read(self, content: aiohttp.StreamReader) -> None:
        number, kind, data = 0, "", ""
        while line := (await content.readline()).decode():
            if not line.endswith("\n"):
                return  # cut in the middle
            name, _, value = line.rstrip("\n").partition(": ")
            if name == "id":
                number = int(value)
            elif name == "event":
                kind = value
            elif name == "data":
                data = value
            elif not line.strip() and data:
                self._take(number, kind, data)
                data = ""

    def _take(self, number: int, kind: str, data: str) -> None:
        if kind in ("view", "resync"):
            self.segments.append(Seen(number, []))
        elif number == self.position + 1:
            self.segments[-1].events.append(data)
        else:
            self._ledger.wrong.append(f"seat {self.seat} saw event {number} behind event {self.position}")


class Human(Watcher):
    """Plays a seat: random legal cards, sometimes what the hint says; talks, repeats itself, and never loses heart."""

    def __init__(self, urls: Sequence[str], rng: random.Random, ledger: Ledger, seat: int) -> None:
        super().__init__(urls, rng, ledger, seat)
        self.nonce = f"nonce-{rng.getrandbits(64):016x}"
        self._numbers = itertools.count(1)
        self._late: set[asyncio.Task[Any]] = set()

    async def arrive(self, session: aiohttp.ClientSession) -> None:
        """Become a player."""
        _, made = await self.ask(session, "POST", "/v1/players", {"name": f"Human {self.seat}"})
        self.token = made["token"]
        self._ledger.secrets += [self.token, self.nonce]

    async def play(self, table_id: str) -> None:
        """Play the game to its end."""
        path = f"/v1/tables/{table_id}"
        async with aiohttp.ClientSession() as session:
            version = 0
            while True:
                status, view = await self.ask(session, "GET", f"{path}?after={version}&wait=2")
                if status == 304:
                    continue
                if status != 200:
                    self._ledger.wrong.append(f"a look was answered {status}: {view}")
                    return
                version = view["version"]
                if view["table"]["phase"] == "over":
                    break
                act = await self._choose(session, path, view)
                if act is not None:
                    await self._do(session, path, act)
            if self._late:
                await asyncio.wait(self._late)

    async def _choose(self, session: aiohttp.ClientSession, path: str, view: dict[str, Any]) -> Act | None:
        hand, me, rng = view["hand"], view["me"], self._rng
        assert self.seat is not None
        body: dict[str, Any]
        if "play" in me["can"]:
            card = rng.choice(me["legal"])
            if rng.random() < 0.1:
                status, hint = await self.once(session, "GET", f"{path}/hint")
                if status == 200 and hint["version"] == view["version"]:
                    card = hint["card"]
            body = {"action": "play", "card": card, "turn": hand["turn_number"]}
        elif "pass" in me["can"]:
            body = {"action": "pass", "cards": rng.sample(me["cards"], hand["pass"]["count"])}
        elif "moon" in me["can"]:
            body = {"action": "moon", "choice": "add"}
        elif "say" in me["can"] and rng.random() < 0.1:
            body = {"action": "say", "text": f"word {self.seat}-{next(self._numbers)}"}
        else:
            return None
        number, turn = (hand["number"], hand["turn_number"]) if hand else (0, 0)
        return Act(seat=self.seat, hand=number, turn=turn, body=body)

    async def _do(self, session: aiohttp.ClientSession, path: str, act: Act) -> None:
        """Send it until it is answered, always with the same key; now and then twice, and late."""
        key, path = f"{self.seat}-{next(self._numbers)}", f"{path}/actions"
        doubt = False
        twin: asyncio.Task[Any] | None = None
        while True:
            if self._rng.random() < 0.1:
                twin = asyncio.create_task(self.once(session, "POST", path, act.body, **{"Idempotency-Key": key}))
                self._late.add(twin)
                twin.add_done_callback(self._late.discard)
            status, answer = await self.once(session, "POST", path, act.body, **{"Idempotency-Key": key})
            if status not in (0, 429, 503):
                break
            doubt = True
            await asyncio.sleep(_PAUSE)
        if status == 200:
            await self._ledger.accept(act)
            if self._rng.random() < 0.1:
                await self._repeat(session, path, act, key)
        elif status >= 400 and status not in (409,):
            self._ledger.wrong.append(f"{act} was answered {status}: {answer}")
        elif doubt or twin is not None:
            self._ledger.refused_late.append(act)

    async def _repeat(self, session: aiohttp.ClientSession, path: str, act: Act, key: str) -> None:
        """The same again, late: with its key it is known, without it a card is refused."""
        status, answer = await self.once(session, "POST", path, act.body, **{"Idempotency-Key": key})
        if status not in (0, 200, 429, 503):
            self._ledger.wrong.append(f"{act} was repeated with its key and answered {status}: {answer}")
        if act.kind == "play":
            status, answer = await self.once(session, "POST", path, act.body)
            if status not in (0, 409, 429, 503):
                self._ledger.wrong.append(f"{act} was repeated without a key and answered {status}")
