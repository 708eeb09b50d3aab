"""The yardsticks: bare aiohttp handlers that do what is inevitable and nothing else. `python -m tests.load.bare`.

`POST /v1/tables/{id}/actions` reads the body, makes one script call of the same size through redis-py's default
asyncio client, writes the event to the table's streams and answers with a fixed view; `GET /v1/tables/{id}` answers
with that view only. `GET /v1/tables/{id}/events` holds a stream; `POST /tell/{id}` writes its body to the streams.
"""

import argparse
import asyncio
import os
import secrets
from collections import Counter, defaultdict
from pathlib import Path

from aiohttp import web
from redis.asyncio import Redis

from server.link import Script
from server.serve import bind, run_loop
from server.snapshots import SNAPSHOT_EVERY


async def serve(redis_url: str, port: int, samples: Path) -> None:
    """Serve until killed. samples: a directory with a view, a snapshot, an event and a frame of the server."""
    view, snapshot, event, frame = (_read(samples / name) for name in ("view", "snapshot", "event", "frame"))
    redis = Redis.from_url(redis_url)
    sha = await redis.script_load(Script("append").text)
    versions: Counter[str] = Counter()
    streams: defaultdict[str, list[web.StreamResponse]] = defaultdict(list)

    async def act(request: web.Request) -> web.Response:
        await request.read()
        table = f"bare:{{{request.match_info['id']}:{os.getpid()}}}"
        after = versions[table]
        version = versions[table] = after + 1
        await redis.evalsha(
            *(sha, 2, f"{table}:table", f"{table}:events", f"{table}:hint", after, secrets.token_hex(8), 3600),
            *(b"" if version % SNAPSHOT_EVERY else snapshot, "keys:A", secrets.token_bytes(16), 32, event),
        )
        for response in streams[request.match_info["id"]]:
            await response.write(frame)
        return web.Response(body=view, content_type="application/json")

    async def look(request: web.Request) -> web.Response:
        return web.Response(body=view, content_type="application/json")

    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        await response.write(b"id: 0\n\n")
        streams[request.match_info["id"]].append(response)
        await asyncio.get_running_loop().create_future()
        return response

    async def tell(request: web.Request) -> web.Response:
        told = await request.read()
        for response in streams[request.match_info["id"]]:
            await response.write(told)
        return web.Response()

    app = web.Application()
    app.router.add_post("/v1/tables/{id}/actions", act)
    app.router.add_get("/v1/tables/{id}", look)
    app.router.add_get("/v1/tables/{id}/events", stream)

    app.router.add_post("/tell/{id}", tell)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    sock = bind("127.0.0.1", port, shared=True)
    await web.SockSite(runner, sock, backlog=1024).start()
    print(f"bare at http://127.0.0.1:{sock.getsockname()[1]} ", flush=True)
    await asyncio.get_running_loop().create_future()


def _read(sample: Path) -> bytes:
    return sample.read_bytes()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("redis_url")
    parser.add_argument("samples", type=Path)
    parser.add_argument("--port", type=int, default=0, help="share this port with another process")
    given = parser.parse_args()
    run_loop(serve(given.redis_url, given.port, given.samples))
