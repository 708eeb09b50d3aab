"""The application of one process: everything wired, nothing running before its start."""

import asyncio
import sys
from collections.abc import AsyncIterator

import msgspec
from aiohttp import web

from server.clock import Clock, now
from server.config import CONFIG, Config
from server.encode import json_answer
from server.handlers import ROUTES
from server.link import Link
from server.logs import RequestLog
from server.metrics import REDIS_SECONDS, metrics
from server.middlewares import install
from server.pages import ABOUT, PAGES, add_document
from server.problems import Problem
from server.routes import Route, add_rest, add_routes
from server.wiring import SERVICES, running

LINK: web.AppKey[Link] = web.AppKey("link", Link)
CLOCK: web.AppKey[Clock] = web.AppKey("clock")
STOPPING: web.AppKey[asyncio.Event] = web.AppKey("stopping", asyncio.Event)
"""Set when the process stops: whoever waits for something must then answer with what there is."""

_READY_WAIT = 2.0


class Health(msgspec.Struct, frozen=True):
    """Says that all is well; what is not is a problem."""

    status: str


async def healthz(request: web.Request) -> web.StreamResponse:
    """Handler of `/healthz`: the process is alive."""
    return json_answer(Health("alive"))


async def readyz(request: web.Request) -> web.StreamResponse:
    """Handler of `/readyz`: Redis answers and the process is not stopping; a 503 problem otherwise."""
    if request.app[STOPPING].is_set():
        raise Problem("stopping", "This server is stopping.", retry_after=1)
    try:
        async with asyncio.timeout(_READY_WAIT):
            await request.app[LINK].call("PING")
    except TimeoutError:
        raise Problem("store_away", "Redis does not answer.", retry_after=1) from None
    return json_answer(Health("ready"))


PROCESS = (
    Route(
        method="GET", path="/healthz", handler=healthz, summary="The process is alive", tag=ABOUT, answers={200: Health}
    ),
    Route(
        method="GET",
        path="/readyz",
        handler=readyz,
        summary="Redis answers and the process is not stopping",
        tag=ABOUT,
        answers={200: Health},
        problems=(503,),
    ),
    Route(
        method="GET",
        path="/metrics",
        handler=metrics,
        summary="Metrics for Prometheus",
        tag=ABOUT,
        answers={200: "text/plain"},
    ),
)


def make_app(config: Config, request_log: RequestLog | None = None, clock: Clock = now) -> web.Application:
    """The server as `config` says; `config.redis_url` must be a real one."""
    app = web.Application(client_max_size=max(config.body_limit, config.record_limit))
    app[CONFIG] = config
    app[STOPPING] = asyncio.Event()
    log = request_log or RequestLog(config.log_format, sys.stderr, enabled=config.log_level in ("debug", "info"))
    install(app, log)
    add_document(app)
    add_routes(app, PROCESS)
    add_routes(app, PAGES)
    add_routes(app, ROUTES)
    add_rest(app)
    app[CLOCK] = clock
    app.cleanup_ctx.append(_link)
    app.on_shutdown.append(_stop)
    return app


async def _link(app: web.Application) -> AsyncIterator[None]:
    async with (
        Link(app[CONFIG].redis_url, on_batch=lambda _, seconds: REDIS_SECONDS.observe(seconds)) as link,
        running(app[CONFIG], link, app[STOPPING], app[CLOCK]) as services,
    ):
        app[LINK] = link
        app[SERVICES] = services
        yield


async def _stop(app: web.Application) -> None:
    app[STOPPING].set()
    app[SERVICES].hub.end_all()
