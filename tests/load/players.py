"""Humans at tables, as a load: each table's seats play legal cards in turn, as fast as they are answered."""

import asyncio
from typing import Any

import msgspec
from msgspec import Struct

from tests.load.exchange import Exchange, request

PLAIN_RULES = {
    "pass_count": 0,
    "first_trick_points": True,
    "hearts_must_break": False,
    "target": None,
    "hands": 99,
}
"""A long game in which the only rule of play is to follow suit, so that a load finds legal cards at little cost."""


class _TrickPlay(Struct):
    card: str


class _Hand(Struct):
    number: int
    turn: int
    turn_number: int
    trick: tuple[_TrickPlay, ...]


class _Me(Struct):
    cards: list[str]


class _Seen(Struct):
    """What of a view a load reads."""

    version: int
    hand: _Hand
    me: _Me | None


read_view = msgspec.json.Decoder(_Seen).decode


class Seats:
    """All seats of one table. `next_play()` is the request of whoever is on turn; give the answer to `played`."""

    def __init__(self, table_id: str, tokens: list[str], low_card: str) -> None:
        self.table_id = table_id
        self.tokens = tokens
        self._low_card = low_card
        self._cards: list[list[str]] = []
        self.hand: _Hand | None = None
        self.version = 0
        self._number = 0
        self._heads = [
            f"POST /v1/tables/{table_id}/actions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\n".encode()
            for token in tokens
        ]

    @property
    def needs_a_look(self) -> bool:
        """Whether a new hand was dealt, of which each seat must look at its cards."""
        return self.hand is None or self.hand.number != self._number

    async def look(self, exchange: Exchange) -> None:
        """Let every seat look at its cards, in a view no older than the last: another process may answer."""
        self._cards.clear()
        newer = f"?after={self.version - 1}&wait=5" if self.version else ""
        for token in self.tokens:
            status, body = await exchange.send(request("GET", f"/v1/tables/{self.table_id}{newer}", token))
            if status != 200:
                raise RuntimeError(body.decode())
            seen = read_view(body)
            assert seen.me is not None
            self.hand, self.version = seen.hand, seen.version
            self._cards.append(seen.me.cards)
        assert self.hand is not None
        self._number = self.hand.number

    def next_play(self) -> bytes:
        """The request of the seat on turn to play its first legal card."""
        hand = self.hand
        assert hand is not None
        cards = self._cards[hand.turn]
        if hand.trick:
            led = suit(hand.trick[0].card)
            card = next((held for held in cards if suit(held) == led), cards[0])
        else:
            card = self._low_card if hand.turn_number == 0 else cards[0]
        cards.remove(card)
        body = b'{"action":"play","card":"%b","turn":%d}' % (card.encode(), hand.turn_number)
        head, key = self._heads[hand.turn], hand.number << 16 | hand.turn_number
        return b"%bIdempotency-Key: %016x\r\nContent-Length: %d\r\n\r\n%b" % (head, key, len(body), body)

    def played(self, answer: bytes) -> None:
        """The answer to the last request."""
        seen = read_view(answer)
        self.hand, self.version = seen.hand, seen.version


def suit(card: str) -> str:
    """The suit a card follows: the joker's is clubs."""
    return "C" if card == "JK" else card[1]


async def new_player(exchange: Exchange, name: str = "Ada") -> str:
    """The token of a new player."""
    token: str = (await exchange.call("POST", "/v1/players", body={"name": name}))["token"]
    return token


async def new_table(exchange: Exchange, host: str, **settings: Any) -> str:
    """The id of a table whose host holds the token `host`."""
    table_id: str = (await exchange.call("POST", "/v1/tables", host, settings))["table"]["id"]
    return table_id


async def act(exchange: Exchange, table_id: str, token: str, action: str, **fields: Any) -> Any:
    """Do something at a table; the view after it."""
    return await exchange.call("POST", f"/v1/tables/{table_id}/actions", token, {"action": action, **fields})


async def seated(exchange: Exchange, players: int, **rules: Any) -> Seats:
    """A started table of so many humans."""
    tokens = [await new_player(exchange) for _ in range(players)]
    table_id = await new_table(exchange, tokens[0], players=players, rules={**PLAIN_RULES, **rules})
    for token in tokens[1:]:
        await act(exchange, table_id, token, "join")
    view = await act(exchange, table_id, tokens[0], "start")
    return Seats(table_id, tokens, view["table"]["deck"]["low_card"])


async def many(port: int, tables: int, players: int, **rules: Any) -> list[Seats]:
    """So many started tables."""
    exchanges = [await Exchange.open(port) for _ in range(min(16, tables))]
    found: list[Seats] = []

    async def some(exchange: Exchange, count: int) -> None:
        for _ in range(count):
            found.append(await seated(exchange, players, **rules))
        exchange.close()

    shares = [len(range(at, tables, len(exchanges))) for at in range(len(exchanges))]
    await asyncio.gather(*map(some, exchanges, shares))
    return found
