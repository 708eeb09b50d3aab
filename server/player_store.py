"""What the server keeps of players in Redis: who they are, which token is theirs, when they were there.

Nothing else knows these keys. Every method may be repeated, and raises StoreAway when Redis is away.

Keys, under a prefix::

    token:<hash>         hash    player, record; this is the truth of a player
    {player}:player      string  copy of the record, to look it up by player
    {player}:seen        string  when the player was there last, milliseconds
    {players}:hint       channel, tells that players have changed
"""

import asyncio
from collections.abc import Sequence

from server.link import Link, Script
from server.store import hint_channel

PRESENCE_SECONDS = 8 * 86400
"""How long it is remembered when a player was seen last: longer than any absence that means something."""

_RETIRED_SECONDS = 600


class PlayerStore:
    """The players of one game service, under `prefix`."""

    CHANNEL = "players"
    """Where hints say that players have changed: subscribe to it as to a table."""

    def __init__(self, link: Link, prefix: str = "hearts") -> None:
        self._link = link
        self._prefix = prefix
        self._update = Script("update_player")
        self._retire_token = Script("retire_token")

    async def put(self, player_id: str, record: bytes, token_hash: str) -> None:
        """Store a new player. The record lies under the token, so who calls is known in one round trip."""
        await asyncio.gather(
            self._link.call("HSET", self._token(token_hash), "player", player_id, "record", record),
            self._link.call("SET", self._player(player_id), record),
        )

    async def by_token(self, token_hash: str) -> tuple[str, bytes] | None:
        """The player id and record of a token, or None for a token that is unknown or was replaced."""
        player_id, record = await self._link.call("HMGET", self._token(token_hash), "player", "record")
        return None if player_id is None else (player_id.decode(), record)

    async def record(self, player_id: str) -> bytes | None:
        """The player's record, by id."""
        record: bytes | None = await self._link.call("GET", self._player(player_id))
        return record

    async def update(self, player_id: str, record: bytes, token_hash: str) -> bool:
        """Change the record; False if the token is not (or no longer) this player's."""
        if not await self._link.script(self._update, (self._token(token_hash),), (player_id, record)):
            return False
        await self._link.call("SET", self._player(player_id), record)
        return True

    async def tell_changed(self) -> None:
        """Tell every process that what it remembers of players may be no longer so."""
        await self._link.call("PUBLISH", hint_channel(self._prefix, self.CHANNEL), 0)

    async def replace_token(self, player_id: str, old_hash: str, new_hash: str) -> bool:
        """Give the player a new token; the old one is dead when this returns. False if it was dead before.

        The new token is stored before the old one dies, so a crash between loses nobody. Of two at once
        one wins.
        """
        found = await self.by_token(old_hash)
        if found is not None and found[0] == player_id:
            await self._link.call("HSET", self._token(new_hash), "player", player_id, "record", found[1])
        retired = await self._link.script(self._retire_token, (self._token(old_hash),), (new_hash, _RETIRED_SECONDS))
        if not retired:
            await self._link.call("UNLINK", self._token(new_hash))
        return bool(retired)

    async def saw(self, player_id: str, at_ms: int) -> None:
        """Note that the player was there."""
        await self._link.call("SET", self._seen(player_id), at_ms, "EX", PRESENCE_SECONDS)

    async def last_seen(self, player_ids: Sequence[str]) -> dict[str, int]:
        """When each of these players was there last, milliseconds; 0 for never."""
        times = await asyncio.gather(*(self._link.call("GET", self._seen(player)) for player in player_ids))
        return {player: int(at or 0) for player, at in zip(player_ids, times, strict=True)}

    def _token(self, token_hash: str) -> str:
        return f"{self._prefix}:token:{token_hash}"

    def _player(self, player_id: str) -> str:
        return f"{self._prefix}:{{{player_id}}}:player"

    def _seen(self, player_id: str) -> str:
        return f"{self._prefix}:{{{player_id}}}:seen"
