"""The process's own addresses: alive, ready, metrics."""

from pathlib import Path
from typing import Any

from server.app import STOPPING, make_app
from server.config import Config


async def test_alive_and_ready(aiohttp_client: Any, redis_url: str) -> None:
    client = await aiohttp_client(make_app(Config(redis_url=redis_url)))
    async with client.get("/healthz") as answer:
        assert (answer.status, await answer.json()) == (200, {"status": "alive"})
    async with client.get("/readyz") as answer:
        assert (answer.status, await answer.json()) == (200, {"status": "ready"})
    async with client.head("/healthz") as answer:
        assert answer.status == 200


async def test_alive_but_not_ready_without_redis(aiohttp_client: Any, tmp_path: Path) -> None:
    client = await aiohttp_client(make_app(Config(redis_url=f"unix://{tmp_path}/nothing")))
    async with client.get("/healthz") as answer:
        assert answer.status == 200
    async with client.get("/readyz") as answer:
        assert (answer.status, (await answer.json(content_type=None))["code"]) == (503, "store_away")
        assert answer.headers["Retry-After"] == "1"


async def test_not_ready_while_stopping(aiohttp_client: Any, redis_url: str) -> None:
    app = make_app(Config(redis_url=redis_url))
    client = await aiohttp_client(app)
    app[STOPPING].set()
    async with client.get("/readyz") as answer:
        assert (answer.status, (await answer.json(content_type=None))["code"]) == (503, "stopping")


async def test_metrics_are_named_by_the_conventions(aiohttp_client: Any, redis_url: str) -> None:
    client = await aiohttp_client(make_app(Config(redis_url=redis_url)))
    async with client.get("/readyz"):
        pass
    async with client.get("/metrics") as answer:
        assert answer.content_type == "text/plain"
        text = await answer.text()
    assert 'hearts_http_requests_total{method="GET",route="/readyz",status="200"}' in text
    assert "hearts_http_request_duration_seconds_bucket" in text
    assert "hearts_redis_command_duration_seconds_count" in text
    types = [line.split()[2:] for line in text.splitlines() if line.startswith("# TYPE hearts_")]
    assert len(types) > 12
    for name, kind in types:
        if kind == "counter":
            assert name.endswith("_total")
        if kind == "histogram":
            assert name.endswith("_seconds")
