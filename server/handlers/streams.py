"""The live stream of a table: server-sent events, or one JSON object a line."""

import contextlib
from collections.abc import AsyncIterator
from typing import Annotated

from aiohttp import HttpVersion11, web
from msgspec import Meta

from server import decode
from server.address import address_of
from server.handlers.calling import caller_or_none, seat_allowed, visited
from server.hub import Form, Watcher, frame, kind_of, whole_view
from server.metrics import LIMITED, OPEN_STREAMS
from server.middlewares import WAITED
from server.problems import Problem
from server.routes import TOKEN_HASH, Route
from server.table.change import Caller
from server.table.events import decode_entry
from server.table.told import message
from server.wiring import SERVICES, Services

MOST_BEHIND = 1_000
"""Events a reader may be behind before it is given a whole view instead of each of them."""

_MEDIA = {"sse": "text/event-stream", "ndjson": "application/x-ndjson"}


class After(decode.Asked, frozen=True):
    """Resume behind this event."""

    after: Annotated[int, Meta(ge=0, le=2**53)] | None = None


async def events(request: web.Request) -> web.StreamResponse:
    """Every event of the table in order, from the position asked for or from a whole view on."""
    services = request.app[SERVICES]
    after = decode.query(request, After).after
    last = decode.last_event_id(request)
    caller = await caller_or_none(request, services)
    state = await visited(request, services, caller)
    seat_allowed(state, caller)
    request[WAITED] = True
    async with _place(request, services, caller):
        return await _stream(request, services, state.id, caller, after if last is None else last)


@contextlib.asynccontextmanager
async def _place(request: web.Request, services: Services, caller: Caller | None) -> AsyncIterator[None]:
    """Hold one of the streams that the player and the address may have open."""
    with contextlib.ExitStack() as stack:
        places = [services.address_streams.one(address_of(request))]
        if caller is not None:
            places.append(services.player_streams.one(caller.player))
        for place in places:
            if not stack.enter_context(place):
                LIMITED.labels("too_many_streams").inc()
                raise Problem("too_many_streams", "Close another live stream first.", retry_after=2)
        yield


async def _stream(
    request: web.Request, services: Services, table_id: str, caller: Caller | None, position: int | None
) -> web.StreamResponse:
    form: Form = "ndjson" if decode.wants_ndjson(request) else "sse"
    response = web.StreamResponse(headers={"Content-Type": f"{_MEDIA[form]}; charset=utf-8", "X-Accel-Buffering": "no"})
    chunked = request.version >= HttpVersion11
    if chunked:
        response.enable_chunked_encoding()
    else:
        response.force_close()
    await response.prepare(request)
    if request.transport is None:
        return response
    player = None if caller is None else caller.player
    watcher = Watcher(player, form, request.transport, request.get(TOKEN_HASH), chunked=chunked)
    OPEN_STREAMS.inc()
    try:
        with contextlib.suppress(ConnectionResetError):  # the reader is gone
            await _catch_up(response, services, table_id, watcher, position)
            if not services.stopping.is_set():
                await watcher.ended
            await response.write_eof()
    finally:
        services.hub.drop(table_id, watcher)
        OPEN_STREAMS.dec()
    return response


async def _catch_up(
    response: web.StreamResponse, services: Services, table_id: str, watcher: Watcher, position: int | None
) -> None:
    """Send what the reader has missed, then let it go live: no event is stored between the last look and that."""
    state = await services.tables.state(table_id, least=position or 0)
    if position is None or not 0 <= state.version - position <= MOST_BEHIND:
        await response.write(whole_view(state, watcher, services.clock(), "view" if position is None else "resync"))
    else:
        watcher.position = position
        await response.write(watcher.nothing)
    while True:
        state = await services.tables.state(table_id)
        seat = state.seat_of(watcher.player)
        if seat is None and not state.open_to_spectators:
            watcher.end()
            return
        if watcher.position == state.version:
            services.hub.go_live(table_id, watcher)
            services.held.follow(table_id)
            return
        missed = await services.store.events(table_id, watcher.position, MOST_BEHIND)
        if not missed or missed[0][0] != watcher.position + 1:
            await response.write(whole_view(state, watcher, services.clock(), "resync"))
            continue
        for number, stored in missed:
            data = message(number, decode_entry(stored), seat)
            await response.write(frame(watcher.form, number, kind_of(data), data))
        watcher.position = missed[-1][0]


ROUTES = (
    Route(
        method="GET",
        path="/v1/tables/{id}/events",
        handler=events,
        summary="The live stream of the table",
        tag="tables",
        auth="optional",
        query=After,
        takes=("Last-Event-ID",),
        answers={200: ("text/event-stream", "application/x-ndjson")},
        problems=(403, 404),
    ),
)
