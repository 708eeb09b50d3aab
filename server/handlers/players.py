"""Players: who one is, and where one is seated."""

from typing import Annotated

from aiohttp import web
from msgspec import Meta, Struct

from server import decode
from server.address import address_of
from server.encode import json_answer
from server.handlers.calling import caller_of, limit
from server.players import NewPlayer, Player
from server.routes import TOKEN_HASH, Route
from server.table.change import Caller
from server.table.state import Phase, TableState
from server.wiring import SERVICES


class Name(decode.Asked, frozen=True):
    """A name to show: 1 to 32 printable characters."""

    name: Annotated[str, Meta(min_length=1, max_length=32, description="printable characters")]


class MyTable(Struct, frozen=True, kw_only=True):
    """A table where I am seated, or may come back to; to_act: whether it waits for me."""

    id: str
    name: str
    phase: Phase
    players: int
    seat: int
    left: bool
    to_act: bool
    version: int


class MyTables(Struct, frozen=True):
    """Where I am seated, newest first."""

    tables: tuple[MyTable, ...]


async def create(request: web.Request) -> web.StreamResponse:
    """A new player."""
    services = request.app[SERVICES]
    body = await decode.body(request, Name)
    name = decode.printable(body.name, field="$.name", most=32)
    limit(services.new_players, address_of(request), "too_many_players")
    return json_answer(await services.players.create(name), 201)


async def me(request: web.Request) -> web.StreamResponse:
    """The caller."""
    return json_answer(await request.app[SERVICES].players.me(request[TOKEN_HASH]))


async def rename(request: web.Request) -> web.StreamResponse:
    """Another name for the caller, at its open tables too."""
    services = request.app[SERVICES]
    caller = await caller_of(request, services)
    body = await decode.body(request, Name)
    name = decode.printable(body.name, field="$.name", most=32)
    limit(services.actions, caller.player, "too_many_actions")
    player = await services.players.rename(request[TOKEN_HASH], name)
    await services.tables.rename(caller.player, name)
    return json_answer(player)


async def new_token(request: web.Request) -> web.StreamResponse:
    """A new token for the caller; the old one dies."""
    services = request.app[SERVICES]
    caller = await caller_of(request, services)
    limit(services.actions, caller.player, "too_many_actions")
    return json_answer(await services.players.new_token(request[TOKEN_HASH]))


async def my_tables(request: web.Request) -> web.StreamResponse:
    """Where the caller is seated, newest first."""
    services = request.app[SERVICES]
    caller = await caller_of(request, services)
    rows = []
    for state in await services.tables.of_player(caller.player):
        seat = _my_seat(state, caller)
        if seat is not None:
            rows.append(
                MyTable(
                    id=state.id,
                    name=state.settings.name,
                    phase=state.phase,
                    players=len(state.seats),
                    seat=seat,
                    left=state.seats[seat].left,
                    to_act=seat in state.to_act() and not state.seats[seat].left,
                    version=state.version,
                )
            )
    return json_answer(MyTables(tuple(rows)))


def _my_seat(state: TableState, caller: Caller) -> int | None:
    """Where the caller sits; if nowhere, a seat it has left and may come back to."""
    seat = state.seat_of(caller.player)
    if seat is not None:
        return seat
    return next((number for number, one in enumerate(state.seats) if one.player == caller.player), None)


_TAG = "players"
ROUTES = (
    Route(
        method="POST",
        path="/v1/players",
        handler=create,
        summary="Become a player; the token is shown this once",
        tag=_TAG,
        body=Name,
        answers={201: NewPlayer},
    ),
    Route(
        method="GET",
        path="/v1/players/me",
        handler=me,
        summary="Who I am",
        tag=_TAG,
        auth="required",
        answers={200: Player},
    ),
    Route(
        method="PATCH",
        path="/v1/players/me",
        handler=rename,
        summary="Change my name",
        tag=_TAG,
        auth="required",
        body=Name,
        answers={200: Player},
    ),
    Route(
        method="POST",
        path="/v1/players/me/token",
        handler=new_token,
        summary="Get a new token; the old one dies",
        tag=_TAG,
        auth="required",
        answers={200: NewPlayer},
    ),
    Route(
        method="GET",
        path="/v1/players/me/tables",
        handler=my_tables,
        summary="Where I am seated, newest first",
        tag=_TAG,
        auth="required",
        answers={200: MyTables},
    ),
)
