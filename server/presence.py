"""Who has been heard of when. What is heard often is written down seldom."""

from collections.abc import Iterable

from server.clock import Clock
from server.player_store import PlayerStore

WRITTEN_EVERY_MILLISECONDS = 15_000
_PLAYERS = 200_000


class Presence:
    """When each player was last heard of: here at once, in other processes within some seconds."""

    def __init__(self, store: PlayerStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._heard: dict[str, int] = {}
        self._written: dict[str, int] = {}

    async def heard(self, player: str) -> None:
        """The player made a request, or holds a stream."""
        now = self._clock()
        if len(self._heard) >= _PLAYERS:
            self._heard.clear()
            self._written.clear()
        self._heard[player] = now
        if not 0 <= now - self._written.get(player, 0) < WRITTEN_EVERY_MILLISECONDS:  # clocks are set back, too
            self._written[player] = now
            await self._store.saw(player, now)

    async def last(self, players: Iterable[str]) -> dict[str, int]:
        """When each of these players was last heard of anywhere, in milliseconds since 1970; 0 for never."""
        known = await self._store.last_seen(list(players))
        now = self._clock()
        return {player: min(now, max(at, self._heard.get(player, 0))) for player, at in known.items()}
