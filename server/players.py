"""Who calls: players, known by the hash of their token."""

from collections import OrderedDict

import msgspec
from msgspec import Struct

from server.clock import Clock, iso
from server.player_store import PlayerStore
from server.problems import Problem
from server.table.change import Caller
from server.tokens import hash_token, new_player_id, new_token

KNOWN_MILLISECONDS = 5_000
"""How long a process believes what it knows of a token before it asks again."""

_KNOWN = 100_000


class PlayerRecord(Struct, frozen=True):
    """A player as stored. created: milliseconds since 1970; banned: refused everywhere by the operator."""

    name: str
    created: int
    banned: bool = False


class Player(Struct, frozen=True):
    """A player as it sees itself."""

    player_id: str
    name: str
    created: str


class NewPlayer(Struct, frozen=True):
    """A new player, or one with a new token, which is shown this once."""

    player_id: str
    name: str
    token: str


encode_record = msgspec.json.Encoder().encode
decode_record = msgspec.json.Decoder(PlayerRecord).decode


class Players:
    """The players of this server. What a token stands for is remembered for some seconds, a dead token's not at all."""

    def __init__(self, store: PlayerStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known: OrderedDict[str, tuple[int, Caller, PlayerRecord]] = OrderedDict()

    async def create(self, name: str) -> NewPlayer:
        """A new player of this name."""
        player_id, token = new_player_id(), new_token()
        record = PlayerRecord(name, self._clock())
        await self._store.put(player_id, encode_record(record), hash_token(token))
        return NewPlayer(player_id, name, token)

    async def caller(self, token_hash: str) -> Caller:
        """Who holds this token; Problem `token_unknown` for nobody, `banned` for one the operator has banned."""
        now = self._clock()
        known = self._known.get(token_hash)
        if known is None or not 0 <= now - known[0] < KNOWN_MILLISECONDS:
            found = await self._store.by_token(token_hash)
            if found is None:
                self._known.pop(token_hash, None)
                raise Problem("token_unknown", "This token is not known, or was replaced by a new one.")
            player_id, stored = found
            record = decode_record(stored)
            known = self._remember(token_hash, now, player_id, record)
        if known[2].banned:
            raise Problem("banned", "This player may not play here.")
        return known[1]

    async def me(self, token_hash: str) -> Player:
        """The caller as it sees itself."""
        caller = await self.caller(token_hash)
        return Player(caller.player, caller.name, iso(self._known[token_hash][2].created))

    async def rename(self, token_hash: str, name: str) -> Player:
        """Give the caller another name."""
        caller = await self.caller(token_hash)
        record = msgspec.structs.replace(self._known[token_hash][2], name=name)
        if not await self._store.update(caller.player, encode_record(record), token_hash):
            self.forget(token_hash)
            raise Problem("token_unknown", "This token was replaced by a new one.")
        self._remember(token_hash, self._clock(), caller.player, record)
        return Player(caller.player, name, iso(record.created))

    async def new_token(self, token_hash: str) -> NewPlayer:
        """A new token for the caller; the old one is dead from now on."""
        caller = await self.caller(token_hash)
        token = new_token()
        replaced = await self._store.replace_token(caller.player, token_hash, hash_token(token))
        self.forget(token_hash)
        await self._store.tell_changed()
        if not replaced:
            raise Problem("token_unknown", "This token was replaced by a new one.")
        return NewPlayer(caller.player, caller.name, token)

    def forget(self, token_hash: str | None = None) -> None:
        """Believe nothing of this token, or of any, without asking again."""
        if token_hash is None:
            self._known.clear()
        else:
            self._known.pop(token_hash, None)

    def _remember(
        self, token_hash: str, now: int, player_id: str, record: PlayerRecord
    ) -> tuple[int, Caller, PlayerRecord]:
        known = (now, Caller(player_id, record.name), record)
        self._known[token_hash] = known
        self._known.move_to_end(token_hash)
        if len(self._known) > _KNOWN:
            self._known.popitem(last=False)
        return known
