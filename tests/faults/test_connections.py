"""Connections cut, half-open, slow, or lost just before a reply: between servers and Redis, and before the servers."""

import asyncio

from tests.faults.conftest import Field
from tests.faults.proxy import Direction, Proxy

HALF_OPEN_SECONDS = 3.0
"""Longer than Redis is waited for."""

WAYS: tuple[Direction, ...] = ("up", "down", "both")


async def _between(field: Field, target: int) -> Proxy:
    return await field.stack.enter_async_context(Proxy(("127.0.0.1", target)))


async def test_redis_cut_off(field: Field) -> None:
    """All connections of a server to Redis end, Pub/Sub included; sometimes it cannot connect anew for a while."""
    redis = await field.redis()
    proxies = [await _between(field, redis.port) for _ in range(2)]
    servers = [await field.server("--redis-url", f"redis://127.0.0.1:{proxy.port}") for proxy in proxies]
    async with field.game(servers, redis.url) as game:
        for share in field.moments(5):
            await game.reached(share)
            proxy = field.rng.choice(proxies)
            if field.rng.random() < 0.5:
                proxy.refuse()
                await proxy.cut()
                await proxy.connected(proxy.accepted + 2)
                proxy.refuse(False)
            await proxy.cut()


async def test_redis_half_open(field: Field) -> None:
    redis = await field.redis()
    proxies = [await _between(field, redis.port) for _ in range(2)]
    servers = [await field.server("--redis-url", f"redis://127.0.0.1:{proxy.port}") for proxy in proxies]
    async with field.game(servers, redis.url) as game:
        for proxy, share in zip(proxies, field.moments(2), strict=True):
            await game.reached(share)
            await _half_open(proxy, field.rng.choice(WAYS))


async def test_replies_of_redis_lost(field: Field) -> None:
    """The script has run, its reply does not come: the server finds its own act."""
    redis = await field.redis()
    proxies = [await _between(field, redis.port) for _ in range(2)]
    servers = [await field.server("--redis-url", f"redis://127.0.0.1:{proxy.port}") for proxy in proxies]
    async with field.game(servers, redis.url) as game:
        for share in field.moments(8):
            await game.reached(share)
            field.rng.choice(proxies).cut_before_reply(b"EVALSHA")
    assert sum(proxy.cuts for proxy in proxies) > 0


async def test_redis_far_away(field: Field) -> None:
    redis = await field.redis()
    proxies = [await _between(field, redis.port) for _ in range(2)]
    servers = [await field.server("--redis-url", f"redis://127.0.0.1:{proxy.port}") for proxy in proxies]
    async with field.game(servers, redis.url) as game:
        proxies[0].delay = 0.02
        await game.reached(0.3)
        proxies[1].delay = 0.1
        await game.reached(0.4)
        for proxy in proxies:
            proxy.delay = 0.0


async def test_clients_cut_off(field: Field) -> None:
    redis = await field.redis()
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    proxies = [await _between(field, server.port) for server in servers]
    async with field.game_at(_urls(proxies), redis.url) as game:
        for share in field.moments(8):
            await game.reached(share)
            await field.rng.choice(proxies).cut()


async def test_clients_half_open(field: Field) -> None:
    redis = await field.redis()
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    proxies = [await _between(field, server.port) for server in servers]
    async with field.game_at(_urls(proxies), redis.url) as game:
        for proxy, share in zip(proxies, field.moments(2), strict=True):
            await game.reached(share)
            await _half_open(proxy, field.rng.choice(WAYS))


async def test_answers_to_clients_lost_and_late(field: Field) -> None:
    """An action is done, its answer never comes: the same again with the same key is known."""
    redis = await field.redis()
    servers = [await field.server("--redis-url", redis.url) for _ in range(2)]
    proxies = [await _between(field, server.port) for server in servers]
    async with field.game_at(_urls(proxies), redis.url) as game:
        for share in field.moments(10):
            await game.reached(share)
            proxy = field.rng.choice(proxies)
            proxy.delay = field.rng.choice((0.0, 0.03))
            proxy.cut_before_reply(b"/actions")
    assert sum(proxy.cuts for proxy in proxies) > 0


async def _half_open(proxy: Proxy, way: Direction) -> None:
    proxy.stall(way)
    await asyncio.sleep(HALF_OPEN_SECONDS)
    proxy.resume()


def _urls(proxies: list[Proxy]) -> list[str]:
    return [f"http://127.0.0.1:{proxy.port}" for proxy in proxies]
