"""Records of games: written for whoever was there, checked for anybody."""

import asyncio

from aiohttp import web
from msgspec import Struct

from rules.record import Difference, Record
from rules.replay import check_json
from server import decode
from server.config import CONFIG
from server.encode import json_answer
from server.handlers.calling import caller_or_none, seat_allowed, visited
from server.problems import Problem
from server.routes import Route
from server.table.record import record_of
from server.wiring import SERVICES


class Checked(Struct, frozen=True):
    """What differs between a record and what the rules and the fair deal say; empty when nothing does."""

    ok: bool
    differences: tuple[Difference, ...]


async def record(request: web.Request) -> web.StreamResponse:
    """The game so far: finished hands, whole when it is over."""
    services = request.app[SERVICES]
    caller = await caller_or_none(request, services)
    state = await visited(request, services, caller)
    seat_allowed(state, caller)
    if state.game is None:
        raise Problem("wrong_phase", "There is no record before the game starts.", version=state.version)
    stored = await services.store.events(state.id)
    return json_answer(await asyncio.to_thread(record_of, state, [data for _, data in stored]))


async def check(request: web.Request) -> web.StreamResponse:
    """Replay a record with the rules and verify its deal."""
    data = await decode.raw(request, request.app[CONFIG].record_limit)
    async with request.app[SERVICES].checks:
        differences = await asyncio.to_thread(check_json, data)
    return json_answer(Checked(not differences, tuple(differences)))


_TAG = "records"
ROUTES = (
    Route(
        method="GET",
        path="/v1/tables/{id}/record",
        handler=record,
        summary="The game so far as a record",
        tag=_TAG,
        auth="optional",
        answers={200: Record},
        problems=(403, 404, 409),
    ),
    Route(
        method="POST",
        path="/v1/records/check",
        handler=check,
        summary="Check a record: what differs from the rules and the fair deal",
        tag=_TAG,
        body=Record,
        answers={200: Checked},
    ),
)
