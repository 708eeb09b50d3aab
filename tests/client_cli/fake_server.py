"""A server small enough to be scripted: one table on the real rules, bots that play their lowest card,
a deal from a fixed seed, and knobs for everything that goes wrong on a line.

It answers what the HTTP contract says, as far as the client asks, and nothing more.
"""

import json
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from rules.cards import parse_card
from rules.commands import ChooseMoon, Deal, Pass, PlayCard
from rules.decide import RuleViolation, decide
from rules.events import Event
from rules.evolve import evolve
from rules.legality import legal_cards
from rules.ruleset import RuleSet
from rules.state import GameState, new_game
from rules.view import redact, view

TABLE = "7QK2M4XR9TDP"
TOKEN = "secret-token-of-ada"
NOW = "2026-11-30T20:15:03.123Z"
NAMES = ["Ada", "Grace", "Blaise", "Emmy", "Zoë 🎲", "Sofia", "Max", "Paul", "Ines", "Kurt", "景润"]


class FakeTable:
    """Seat 0 is the person; the others are bots that act at once."""

    def __init__(self, players: int, *, seed: int = 7, started: bool = True, **options: Any) -> None:
        self.rules = RuleSet.resolve(None, players, {"hands": 1, "target": None, **options})
        self.random = random.Random(seed)
        self.changed = threading.Condition()
        self.events: list[Event | dict[str, Any]] = [{"type": "player_joined", "seat": 0, "name": NAMES[0]}]
        self.game: GameState | None = None
        self.keys: set[str] = set()
        self.plays_accepted = 0
        self.closed = False
        if started:
            self.start()

    def start(self) -> None:
        self._append({"type": "started", "dealer": 1})
        self.game = new_game(self.rules, 1)
        self._deal()
        self._bots()

    def act(self, action: dict[str, Any]) -> None:
        """Raises RuleViolation."""
        name = action["action"]
        if name == "start":
            self.start()
        elif name == "say":
            self._append({"type": "said", "seat": 0, "text": action["text"]})
        elif name == "play":
            self._do(0, PlayCard(parse_card(action["card"]), action["turn"]))
            with self.changed:
                self.plays_accepted += 1
                self.changed.notify_all()
        elif name == "pass":
            self._do(0, Pass(tuple(map(parse_card, action["cards"]))))
        elif name == "moon":
            self._do(0, ChooseMoon(action["choice"]))
        elif name != "join":
            raise RuleViolation("wrong_phase", "That is not possible now.")
        if self.game is not None:
            self._bots()

    def _append(self, event: Event | dict[str, Any]) -> None:
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    def _do(self, seat: int | None, command: Any) -> None:
        if self.game is None:
            raise RuleViolation("wrong_phase", "The game has not started.")
        for event in decide(self.game, seat, command):
            self.game = evolve(self.game, event)
            self._append(event)
        if self.game.phase == "dealing":
            self._deal()

    def _deal(self) -> None:
        order = list(self.rules.worked_out.cards)
        self.random.shuffle(order)
        self._do(None, Deal(tuple(order)))

    def _bots(self) -> None:
        assert self.game is not None
        while True:
            hand = self.game.hand
            assert hand is not None
            if self.game.phase == "passing":
                waiting = [s for s in range(1, self.rules.players) if hand.passed[s] is None]
                if not waiting:
                    return
                self._do(waiting[0], Pass(hand.cards[waiting[0]][-hand.pass_size :], "bot"))
            elif self.game.phase == "playing" and hand.turn not in (0, None):
                card = legal_cards(self.game, hand.turn)[0]
                self._do(hand.turn, PlayCard(card, hand.turn_number, "bot"))
            else:
                return

    def hint(self) -> dict[str, Any]:
        assert self.game is not None
        hand = self.game.hand
        assert hand is not None
        if self.game.phase == "passing":
            return {"action": "pass", "cards": hand.cards[0][-hand.pass_size :], "why": "They are your highest."}
        return {"action": "play", "card": legal_cards(self.game, 0)[0], "why": "It is your lowest."}

    # -- as it travels

    def told(self, number: int) -> dict[str, Any]:
        event = self.events[number - 1]
        shown = event if isinstance(event, dict) else msgspec.to_builtins(redact(event, 0))
        return {"version": number, "at": NOW, **shown}

    def view(self) -> dict[str, Any]:
        deck = self.rules.worked_out
        game = {} if self.game is None else msgspec.to_builtins(view(self.game, 0))
        phase = game.get("phase", "lobby")
        hand = game.get("hand")
        can = ["say", "leave"]
        if hand is not None:
            acts = {"passing": "pass", "playing": "play", "moon": "moon"}
            mine = hand["turn"] == 0 if phase == "playing" else phase == "passing" and not game["seats"][0]["passed"]
            can = [*([acts[phase]] if mine or phase == "moon" else []), *can]
        elif self.game is None:
            can = ["start", "add_bot", *can]
        public = game.get("seats") or [{"cards": 0, "points": 0, "score": 0, "passed": False}] * self.rules.players
        taken = range(self.rules.players) if self.game is not None else range(1)
        empty = {"name": None, "kind": None, "controller": None}
        return {
            "version": len(self.events),
            "now": NOW,
            "table": {
                "id": TABLE, "name": "Friday", "host": 0, "phase": phase, "listed": True,
                "preset": self.rules.preset if hasattr(self.rules, "preset") else "cancellation",
                "rules": msgspec.to_builtins(self.rules),
                "deck": {
                    **msgspec.to_builtins(deck), "cards": len(deck.cards), "points": 52,
                },
                "turn_seconds": 0, "fill": "normal", "absent": "bot", "spectators": "public", "next_table": None,
            },
            "seats": [
                {
                    "seat": seat, "level": None, "connected": True, "left": False, "away": False, **public[seat],
                    **({"name": NAMES[seat], "kind": "human" if seat == 0 else "bot",
                        "controller": "human" if seat == 0 else "bot"} if seat in taken else empty),
                }
                for seat in range(self.rules.players)
            ],
            "hand": None if hand is None else {**hand, "deadline": None},
            "me": {"cards": [], "legal": [], "why": {}, "passed": None, "received": None, "seat": 0,
                   **(game.get("me") or {}), "can": can},
            "scores": game.get("scores", {"hands": [], "totals": [0] * self.rules.players}),
            "result": game.get("result"),
            "fair": {"commitment": "00", "seeds": []},
        }  # fmt: skip


class FakeServer(ThreadingHTTPServer):
    """The knobs: `chunk` bytes at a time on streams, `broken_events` put in between, and how many of the next
    requests find it `unavailable` or `lose_answers`, streams are `cut_streams` short, events are skipped;
    `resync_first` sends an older view after the first."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, table: FakeTable, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.table = table
        self.chunk = 65536
        self.broken_events = False
        self.unavailable = 0
        self.lose_answers = 0
        self.cut_streams = 0
        self.skip_events = 0
        self.resync_first = False
        self.connects: list[str | None] = []
        self.requests: list[tuple[str, str]] = []
        self.actions: list[tuple[str | None, dict[str, Any]]] = []
        self.open_sockets: set[Any] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open_sockets.add(request)
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # clients that go away are part of the play
            super().handle_error(request, client_address)

    def kill(self) -> None:
        """Gone at once, streams and all, as by kill -9."""
        self.shutdown()
        self.server_close()
        with self.table.changed:
            self.table.closed = True
            self.table.changed.notify_all()
        for sock in self.open_sockets:
            try:
                sock.shutdown(2)
            except OSError:
                continue


@contextmanager
def serving(table: FakeTable, port: int = 0) -> Iterator[FakeServer]:
    table.closed = False
    server = FakeServer(table, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.kill()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: FakeServer

    def log_message(self, format: str, *args: Any) -> None:
        """Tests print enough."""

    def _json(self, document: Any, status: int = 200, **headers: str) -> None:
        body = document if isinstance(document, bytes) else msgspec.json.encode(document)
        self.send_response(status)
        kind = "application/json" if status < 400 else "application/problem+json"
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _problem(self, status: int, code: str, detail: str, **headers: str) -> None:
        self._json({"title": code, "status": status, "code": code, "detail": detail}, status, **headers)

    def _refused_early(self, needs_token: bool) -> bool:
        path = urlsplit(self.path).path
        self.server.requests.append((self.command, path))
        if self.server.unavailable > 0:
            self.server.unavailable -= 1
            self._problem(503, "store_away", "The store does not answer.", Retry_After="0")
            return True
        given = self.headers.get("Authorization")
        if given not in (None, f"Bearer {TOKEN}") or (needs_token and given is None):
            self._problem(401, "token_unknown", "The token is not known.")
            return True
        return False

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if self._refused_early(path.startswith("/v1/players/me")):
            return
        table = self.server.table
        simple: dict[str, Any] = {
            "/healthz": {"ok": True},
            "/readyz": {"ready": True},
            "/v1/players/me": {"player_id": "p1", "name": "Ada"},
            "/v1/players/me/tables": {"tables": [{"id": TABLE, "phase": "playing", "name": "Friday"}]},
            "/v1/tables": {"tables": [{"id": TABLE, "name": "Friday", "preset": "classic", "players": 8, "seated": 1}]},
            f"/v1/tables/{TABLE}/record": {"format": "hearts-record/1"},
        }
        if path in simple:
            self._json(simple[path])
        elif path == f"/v1/tables/{TABLE}":
            self._json(table.view())
        elif path == f"/v1/tables/{TABLE}/hint":
            self._json(table.hint())
        elif path == f"/v1/tables/{TABLE}/events":
            self._stream(query)
        elif path.endswith("/guide"):
            self._json(f"# Guide in {query['lang'][0]}\n".encode())
        else:
            self._problem(404, "no_such_table", "There is no such table.")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path = urlsplit(self.path).path
        if self._refused_early(path not in ("/v1/players", "/v1/records/check")):
            return
        if path == "/v1/players":
            self._json({"player_id": "p1", "name": body["name"], "token": TOKEN}, 201)
        elif path == "/v1/tables":
            self._json(self.server.table.view(), 201)
        elif path == "/v1/records/check":
            self._json({"differences": body.get("wrong", [])})
        elif path == f"/v1/tables/{TABLE}/actions":
            self._act(body)
        else:
            self._problem(404, "no_such_table", "There is no such table.")

    def _act(self, action: dict[str, Any]) -> None:
        key, table = self.headers.get("Idempotency-Key"), self.server.table
        self.server.actions.append((key, action))
        if key not in table.keys:
            try:
                table.act(action)
            except RuleViolation as violation:
                self._problem(409, violation.code, violation.detail)
                return
            if key is not None:
                table.keys.add(key)
        if self.server.lose_answers > 0:
            self.server.lose_answers -= 1
            self.close_connection = True
            self.connection.shutdown(2)
            return
        self._json(table.view())

    def _stream(self, query: dict[str, list[str]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        table, last = self.server.table, self.headers.get("Last-Event-ID")
        self.server.connects.append(last)
        if last is None:
            with table.changed:
                sent = len(table.events)
                first = {"type": "view", **table.view()}
            self._send("view", sent, msgspec.json.encode(first).decode())
            if self.server.resync_first:
                earlier = {**first, "type": "resync", "version": sent - 1}
                self._send("resync", sent - 1, msgspec.json.encode(earlier).decode())
        else:
            sent = int(last)
        while True:
            with table.changed:
                while len(table.events) <= sent and not table.closed:
                    table.changed.wait()
                if table.closed:
                    return
                new = range(sent + 1, len(table.events) + 1)
            for number in new:
                told = table.told(number)
                if self.server.broken_events and number % 5 == 0:
                    self._send("played", None, '{"seat": 1, "card"')
                    self._send("no_such_event", None, '["\\u2660"]')
                if self.server.skip_events > 0:
                    self.server.skip_events -= 1
                    sent = number
                    continue
                self._send(told["type"], number, msgspec.json.encode(told).decode())
                sent = number
                if self.server.cut_streams > 0:
                    self.server.cut_streams -= 1
                    self.close_connection = True
                    self.connection.shutdown(2)
                    return

    def _send(self, kind: str, number: int | None, data: str) -> None:
        head = "" if number is None else f"id: {number}\n"
        frame = f": keep-alive\n\n{head}event: {kind}\ndata: {data}\n\n".encode()
        for start in range(0, len(frame), self.server.chunk):
            part = frame[start : start + self.server.chunk]
            self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
