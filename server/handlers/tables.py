"""Tables: made, listed, looked at, acted at."""

import secrets
from typing import Annotated, Any

from aiohttp import web
from msgspec import Meta, Struct

from rules.commands import ChooseMoon, Pass, PlayCard
from rules.ruleset import RuleSet, default_preset
from rules.shuffle import commitment
from rules.view import seen
from server import decode
from server.bots.hints import hint as hint_for
from server.encode import etag, json_answer, json_bytes
from server.handlers.calling import caller_of, caller_or_none, limit, seat_allowed, visited
from server.lobby import LobbyRow, decode_row
from server.middlewares import WAITED
from server.problems import Problem
from server.routes import Route
from server.table.actions import Action, Join, Nonce, Say, SeatNumber
from server.table.change import Caller
from server.table.events import Created
from server.table.state import Absent, Level, Seat, Settings, Spectators, TableState
from server.table.view import View, opened, render
from server.tokens import new_table_id
from server.wiring import SERVICES, Services

LONGEST_WAIT = 60

TurnSeconds = Annotated[int, Meta(ge=0, le=86_400, description="0 for no limit, or 5 to 86400")]
Version = Annotated[int, Meta(ge=0, le=2**53)]


class NewTable(decode.Asked, frozen=True):
    """A table to make. preset: by default the usual one for so many players; rules: single options over it."""

    players: Annotated[int, Meta(ge=3, le=11)]
    name: Annotated[str, Meta(max_length=32, description="printable characters")] | None = None
    preset: Annotated[str, Meta(max_length=64)] | None = None
    rules: dict[str, Any] | None = None
    listed: bool = True
    turn_seconds: TurnSeconds = 0
    fill: Level | None = None
    absent: Absent = "bot"
    spectators: Spectators = "public"
    hints: bool = True
    seat: SeatNumber | None = None
    nonce: Nonce | None = None


class Page(decode.Asked, frozen=True):
    """A page of the lobby list. cursor: `next` of the page before."""

    state: Annotated[str, Meta(pattern="^lobby$")] = "lobby"
    limit: Annotated[int, Meta(ge=1, le=100)] = 50
    cursor: Annotated[str, Meta(max_length=64)] | None = None


class TablePage(Struct, frozen=True):
    """Listed tables that have not started, newest first; next: cursor of the page that follows, null on the last."""

    tables: tuple[LobbyRow, ...]
    next: str | None


class Wait(decode.Asked, frozen=True):
    """Wait until the version is past `after`, at most `wait` seconds."""

    after: Version | None = None
    wait: Annotated[float, Meta(ge=0, le=LONGEST_WAIT)] = 0


class HintAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the `normal` bot would do: a card, cards to pass, or a choice; reason: a stable code; why: a sentence."""

    action: str
    card: str | None = None
    cards: tuple[str, ...] | None = None
    choice: str | None = None
    reason: str
    why: str
    version: int


async def create(request: web.Request) -> web.StreamResponse:
    """A new table, the caller seated as its host."""
    services = request.app[SERVICES]
    caller = await caller_of(request, services)
    body = await decode.body(request, NewTable)
    event = _created(body, caller)
    limit(services.actions, caller.player, "too_many_actions")
    await services.tables.check_open(caller.player, services.tables_per_player)
    await services.presence.heard(caller.player)
    state = await services.tables.create(event)
    return _view(services, state, state.seat_of(caller.player), 201, {"Location": f"/v1/tables/{state.id}"})


async def lobby(request: web.Request) -> web.StreamResponse:
    """A page of listed tables."""
    query = decode.query(request, Page)
    try:
        rows, following = await request.app[SERVICES].store.lobby(query.limit, query.cursor)
    except ValueError:
        raise Problem("wrong_query", "cursor: expected `next` of the page before.", field="cursor") from None
    return json_answer(TablePage(tuple(decode_row(row) for _, row in rows), following))


async def look(request: web.Request) -> web.StreamResponse:
    """The table as the caller may know it; waits for a newer version when asked to."""
    services = request.app[SERVICES]
    query = decode.query(request, Wait)
    caller = await caller_or_none(request, services)
    state = await visited(request, services, caller)
    if query.after is not None and query.after > state.version:
        state = await services.tables.state(state.id, least=query.after)
    seat = seat_allowed(state, caller)
    if query.after is not None and state.version == query.after and query.wait and not services.stopping.is_set():
        request[WAITED] = True
        state = await services.tables.changed(state, query.wait)
        caller = await caller_or_none(request, services)  # again: the token may have been replaced meanwhile
        seat = seat_allowed(state, caller)
    known = decode.if_none_match(request)
    if state.version == query.after or state.version in known:
        return web.Response(status=304, headers={"ETag": etag(state.version)})
    return _view(services, state, seat)


async def act(request: web.Request) -> web.StreamResponse:
    """Do one thing at the table; the caller's new view."""
    services = request.app[SERVICES]
    caller = await caller_of(request, services)
    key, if_match = decode.idempotency_key(request), decode.if_match(request)
    action: Action = await decode.body(request, Action)
    limit(services.actions, caller.player, "too_many_actions")
    if isinstance(action, Say):
        limit(services.chat, caller.player, "too_much_chat")
    state = await visited(request, services, caller)
    if isinstance(action, Join) and state.seat_of(caller.player) is None:
        await services.tables.check_open(caller.player, services.tables_per_player)
    state = await services.tables.act(state.id, caller, action, key, if_match)
    return _view(services, state, state.seat_of(caller.player))


async def hint(request: web.Request) -> web.StreamResponse:
    """What the `normal` bot would do in the caller's place, and why."""
    services = request.app[SERVICES]
    caller = await caller_of(request, services)
    state = await visited(request, services, caller)
    seat = state.seat_of(caller.player)
    if seat is None:
        raise Problem("not_seated", "You are not seated at this table.")
    if not state.settings.hints:
        raise Problem("hints_off", "This table gives no hints.", version=state.version)
    if seat not in state.to_act() or state.game is None:
        raise Problem("not_your_turn", "The table is not waiting for you.", version=state.version)
    found = hint_for(seen(state.game, seat))
    choice = found.choice
    return json_answer(
        HintAnswer(
            action="play" if isinstance(choice, PlayCard) else "pass" if isinstance(choice, Pass) else "moon",
            card=choice.card.value if isinstance(choice, PlayCard) else None,
            cards=tuple(card.value for card in choice.cards) if isinstance(choice, Pass) else None,
            choice=choice.choice if isinstance(choice, ChooseMoon) else None,
            reason=found.reason,
            why=found.sentence,
            version=state.version,
        )
    )


def _created(body: NewTable, caller: Caller) -> Created:
    if 0 < body.turn_seconds < 5:
        detail = f"$.turn_seconds: expected 0 or 5 to 86400; got {body.turn_seconds}."
        raise Problem("wrong_field", detail, field="$.turn_seconds")
    if body.seat is not None and body.seat >= body.players:
        detail = f"$.seat: expected 0 to {body.players - 1}; got {body.seat}."
        raise Problem("wrong_field", detail, field="$.seat")
    name = decode.printable(body.name, field="$.name", most=32) if body.name else f"{caller.name}'s table"[:32]
    host = body.seat or 0
    seats = [Seat() for _ in range(body.players)]
    secret = secrets.token_bytes(32)
    seats[host] = Seat(player=caller.player, name=caller.name, kind="human", nonce=body.nonce or "", connected=True)
    return Created(
        id=new_table_id(),
        settings=Settings(
            name=name,
            preset=body.preset or default_preset(body.players),
            rules=RuleSet.resolve(body.preset, body.players, body.rules),
            listed=body.listed,
            turn_seconds=body.turn_seconds,
            fill=body.fill,
            absent=body.absent,
            spectators=body.spectators,
            hints=body.hints,
        ),
        secret=secret.hex(),
        commitment=commitment(secret),
        seats=tuple(seats),
        host=host,
    )


def _view(
    services: Services, state: TableState, seat: int | None, status: int = 200, headers: dict[str, str] | None = None
) -> web.Response:
    now = services.clock()
    body = opened(render(state, seat, now), state.version, now)
    return json_bytes(body, status, {"ETag": etag(state.version), **(headers or {})})


_TAG = "tables"
ROUTES = (
    Route(
        method="POST",
        path="/v1/tables",
        handler=create,
        summary="Make a table and sit down as its host",
        tag=_TAG,
        auth="required",
        body=NewTable,
        answers={201: View},
        gives=("ETag", "Location"),
        problems=(422,),
    ),
    Route(
        method="GET",
        path="/v1/tables",
        handler=lobby,
        summary="Listed tables that have not started",
        tag=_TAG,
        query=Page,
        answers={200: TablePage},
    ),
    Route(
        method="GET",
        path="/v1/tables/{id}",
        handler=look,
        summary="The table as I may know it",
        tag=_TAG,
        auth="optional",
        query=Wait,
        takes=("If-None-Match",),
        answers={200: View, 304: None},
        gives=("ETag",),
        problems=(403, 404),
    ),
    Route(
        method="POST",
        path="/v1/tables/{id}/actions",
        handler=act,
        summary="Do one thing at the table",
        tag=_TAG,
        auth="required",
        body=Action,
        takes=("Idempotency-Key", "If-Match"),
        answers={200: View},
        gives=("ETag",),
        problems=(403, 404, 409, 412),
    ),
    Route(
        method="GET",
        path="/v1/tables/{id}/hint",
        handler=hint,
        summary="What the normal bot would do in my place, and why",
        tag=_TAG,
        auth="required",
        answers={200: HintAnswer},
        problems=(403, 404, 409),
    ),
)
