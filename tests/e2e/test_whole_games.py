"""Whole games over HTTP at every deck, each seat a client of its own, and nobody told what is not theirs."""

import asyncio
import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.e2e.knowledge import Truth, faces
from tests.e2e.serving import Answer, Player, Server, Stream, serving
from tests.rules.playing import DECK_ROWS
from tests.server.table.sitting import SEED

KITTIES: list[dict[str, Any]] = [
    {"packs": 2, "deck": "kitty", "first_lead": "dealers_left", "kitty_to": ("first_trick", "last_trick")[players % 2]}
    for players in range(5, 12)
]
DECKS: list[tuple[int, dict[str, Any]]] = [
    *((players, {"packs": packs, "hands": 1}) for packs, players in DECK_ROWS),
    *((players, {**kitty, "hands": 1}) for players, kitty in enumerate(KITTIES, 5)),
    (4, {"packs": 1, "hands": 3, "moon": "choice", "omnibus": "JD", "revoke": "penalty"}),
    (6, {"packs": 2, "hands": 2, "queen_breaks_hearts": True, "last_cancelled_trick": "high_pair_second"}),
]


@pytest.mark.parametrize(("players", "rules"), DECKS, ids=lambda value: str(value) if isinstance(value, int) else "")
async def test_a_game_is_played_to_its_end_and_tells_nobody_too_much(
    redis_url: str, players: int, rules: dict[str, Any]
) -> None:
    random = Random(f"{SEED}/{players}/{json.dumps(rules)}")
    async with serving(redis_url) as server:
        game = _Game(server, random)
        await game.sit(players, rules)
        try:
            await game.play()
            await game.check()
        finally:
            await game.leave()


class _Game:
    def __init__(self, server: Server, random: Random) -> None:
        self.server, self.random = server, random
        self.seats: list[Player] = []
        self.streams: list[Stream] = []

    async def sit(self, players: int, rules: dict[str, Any]) -> None:
        random = self.random
        self.seats = [await self.server.player(f"Player {seat}") for seat in range(players)]
        self.spectator = await self.server.player("Watcher")
        self.stranger = self.server.stranger()
        self.stranger.received = self.spectator.received  # both know what lies open
        nonces = [f"nonce~{random.getrandbits(48):x}" for _ in range(players)]
        self.table = await self.seats[0].make_table(players, rules=rules, nonce=nonces[0])
        for seat in range(1, players):
            await self.seats[seat].do(self.table, "join", seat=seat, nonce=nonces[seat])
        self.lobby = faces(self.seats[0].received[-1].body)
        for seat, player in enumerate([*self.seats, self.spectator]):
            stream = player.stream(self.table, ndjson=seat % 2 == 1)
            self.streams.append(await stream.__aenter__())
            assert stream.status == 200

    async def leave(self) -> None:
        for stream in self.streams:
            await stream.__aexit__(None, None, None)

    async def play(self) -> None:
        view = await self.seats[0].do(self.table, "start")
        self.lobby = faces(json.dumps(view["table"]).encode())
        while view["table"]["phase"] != "over":
            if view["table"]["phase"] == "passing":
                waiting = [seat["seat"] for seat in view["seats"] if not seat["passed"]]
                views = await asyncio.gather(*(self.turn(seat, 0) for seat in waiting))
                view = max(views, key=lambda view: view["version"])
            else:
                view = await self.turn(view["hand"]["turn"], view["version"] - 1)
            if self.random.random() < 0.1:
                await self.look_around()

    async def turn(self, seat: int, after: int) -> Any:
        player = self.seats[seat]
        view = await player.view(self.table, f"?after={after}&wait=5")
        me = view["me"]
        assert me["seat"] == seat
        if "play" in me["can"]:
            card = self.random.choice(me["legal"])
            return await player.do(self.table, "play", card=card, turn=view["hand"]["turn_number"])
        if "pass" in me["can"]:
            return await player.do(
                self.table, "pass", cards=self.random.sample(me["cards"], view["hand"]["pass"]["count"])
            )
        return await player.do(self.table, "moon", choice="add")

    async def look_around(self) -> None:
        """Somebody asks everything else there is to ask."""
        player = self.random.choice([*self.seats, self.spectator, self.stranger])
        paths = ["", "/record"] if player.token is None else ["", "/record", "/hint"]
        for path in paths:
            await player.get(f"/v1/tables/{self.table}{path}")
        for path in ("/v1/players/me", "/v1/players/me/tables", "/v1/tables", "/metrics", "/healthz"):
            await player.get(path)
        await player.act(self.table, "play", card=self.random.choice(["QS", "2C", "JK"]), turn=1000)

    async def check(self) -> None:
        truth = Truth(await self.server.services.store.events(self.table))
        final = (await self.seats[0].view(self.table))["version"]
        assert final == truth.version
        await self.spectator.view(self.table)
        record = await self.spectator.get(f"/v1/tables/{self.table}/record")
        assert record.status == 200
        checked = await self.spectator.post("/v1/records/check", record.body)
        assert checked.json == {"ok": True, "differences": []}
        assert record.json["result"]["reason"] == "hands"
        for seat, player in enumerate([*self.seats, self.spectator]):
            known = None if player is self.spectator else seat
            await self.streams[seat].reach(final)
            self.check_stream(truth, known, self.streams[seat])
            self.check_answers(truth, known, player)
        lines = self.server.log.getvalue().encode()
        assert not faces(lines)
        for hidden in truth.secrets(truth.version):
            assert hidden not in lines
        for player in self.seats:
            assert player.token is not None
            assert player.token not in lines.decode()

    def check_stream(self, truth: Truth, seat: int | None, stream: Stream) -> None:
        first = stream.versions[0]
        assert stream.types[0] == "view"
        assert stream.versions == list(range(first, truth.version + 1))
        for raw, message in stream.messages:
            version = message["version"]
            if message["type"] == "view":
                assert faces(raw) == self.lobby + truth.view(version, seat)
            else:
                assert faces(raw) == truth.event(version, seat), message
            self.hides(truth, version, raw)

    def check_answers(self, truth: Truth, seat: int | None, player: Player) -> None:
        version = 0
        for answer in player.received:
            raw = str(answer.headers).encode() + answer.body
            if "fair" in _object(answer):
                version = answer.json["version"]
                assert faces(raw) == self.lobby + truth.view(version, seat)
                self.hides(truth, version, raw)
            elif "commitment" in _object(answer):  # a record: its nonces are part of the proof
                self.hides(truth, version, raw, nonces=False)
                # Asked right after a view, so that it shows no more hands than that.
                assert [hand["number"] for hand in answer.json["hands"]] == list(
                    range(1, len(truth.states[version - 1].seeds) + 1)
                )
            elif "why" in _object(answer):
                assert seat is not None
                known = truth.view(version, seat)
                assert faces(raw).keys() <= (known + _deck(truth)).keys()
                held = truth.states[version - 1].game.hand.cards[seat]  # type: ignore[union-attr]
                given = answer.json.get("cards") or [answer.json["card"]]
                assert Counter(given) <= Counter(card.value for card in held)
                self.hides(truth, version, raw)
            elif answer.status >= 400 and seat is not None and version:
                allowed = truth.view(version, seat) + Counter(["QS", "2C", "JK"])
                assert faces(raw).keys() <= allowed.keys()
                self.hides(truth, version, raw)
            elif "differences" not in _object(answer) and answer.status != 304:
                assert not faces(answer.body), answer.body
                self.hides(truth, max(version, 1), raw, own=player.player_id)

    def hides(self, truth: Truth, version: int, raw: bytes, nonces: bool = True, own: str = "") -> None:
        for hidden in truth.secrets(version):
            if hidden == own.encode() or (not nonces and hidden.startswith(b"nonce~")):
                continue
            assert hidden not in raw
        for player in self.seats:
            assert player.token is not None
            assert own == player.player_id or player.token.encode() not in raw


def _deck(truth: Truth) -> Counter[str]:
    """Faces that the sentence of a hint may name as a kind of card, not as somebody's."""
    return Counter(["QS", "KS", "AS", "JD", "TD", "7C", "JK", "2C"])


def _object(answer: Answer) -> dict[str, Any]:
    if not answer.headers.get("Content-Type", "").startswith("application/json"):
        return {}
    return dict(answer.json)
