"""Who calls, and how often they may."""

from aiohttp import web

from server import decode
from server.address import address_of
from server.limits import RateLimit
from server.metrics import LIMITED
from server.problems import Problem
from server.routes import TOKEN_HASH
from server.table.change import Caller
from server.table.state import TableState
from server.wiring import Services


async def caller_of(request: web.Request, services: Services) -> Caller:
    """The player whose token was sent."""
    return await services.players.caller(request[TOKEN_HASH])


async def caller_or_none(request: web.Request, services: Services) -> Caller | None:
    """The player whose token was sent, or None when none was."""
    token_hash = request.get(TOKEN_HASH)
    return None if token_hash is None else await services.players.caller(token_hash)


def limit(rate: RateLimit, key: str, code: str) -> None:
    """Count one for `key`; Problem `code` (429) when it was too often."""
    seconds = rate.take(key)
    if seconds > 0:
        LIMITED.labels(code).inc()
        raise Problem(code, f"Too often: try again in {max(1, round(seconds))} s.", retry_after=seconds)


async def visited(request: web.Request, services: Services, caller: Caller | None) -> TableState:
    """The table of the path, the caller's visit noted; too many look-ups of unknown ids are refused.

    Those seated at the table get in all the same: a house shares one address, and a guest's guesses end no game.
    """
    address = address_of(request)
    wait = services.lookups.wait(address)
    if wait > 0 and caller is None:
        raise _too_many_lookups(wait)
    try:
        state = await services.tables.visit(decode.table_id(request), caller)
    except Problem as problem:
        if problem.code != "no_such_table":
            raise
        services.lookups.take(address)
        if wait > 0:
            raise _too_many_lookups(wait) from None
        raise
    if wait > 0 and (caller is None or state.seat_of(caller.player) is None):
        raise _too_many_lookups(wait)
    return state


def _too_many_lookups(wait: float) -> Problem:
    LIMITED.labels("too_many_lookups").inc()
    return Problem("too_many_lookups", "Too many unknown table ids from this address.", retry_after=wait)


def seat_allowed(state: TableState, caller: Caller | None) -> int | None:
    """The caller's seat, None for a spectator; Problem `no_spectators` where these are not wanted."""
    seat = None if caller is None else state.seat_of(caller.player)
    if seat is None and not state.open_to_spectators:
        raise Problem("no_spectators", "This table shows its game only to those seated at it.")
    return seat
