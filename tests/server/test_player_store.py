"""The store of players on one real server."""

import redis

from server.player_store import PRESENCE_SECONDS, PlayerStore
from tests.server.store_contract import PlayerStoreContract


class TestPlayerStore(PlayerStoreContract):
    pass


async def test_it_is_forgotten_some_day_when_a_player_was_seen(players: PlayerStore, redis_url: str) -> None:
    await players.saw("ada", 1)
    with redis.Redis.from_url(redis_url) as raw:
        assert 0 < raw.ttl("hearts:{ada}:seen") <= PRESENCE_SECONDS
