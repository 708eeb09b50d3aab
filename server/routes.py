"""One value per endpoint, from which both the router and the OpenAPI document come.

A handler is `async def name(request: web.Request) -> web.StreamResponse` and does three things: decode with
`server.decode`, call, encode with `server.encode`. Declare it once::

    Route(
        method="POST",
        path="/v1/tables/{id}/actions",
        handler=act,
        summary="Do one thing at a table",
        tag="tables",
        auth="required",
        body=Action,                        # decode.body(request, Action) in the handler
        takes=("Idempotency-Key", "If-Match"),
        answers={200: View},
        gives=("ETag",),
        problems=(403, 404, 409, 412),
    )

`add_routes(app, routes)` puts them on the router and keeps them in `app[ROUTES]` for the document. Around
the handler it does what the declaration says: a route without `query` refuses every parameter, and unless
`auth` is `"none"` the token's hash is in `request.get(TOKEN_HASH)` (`None` only where it is optional
and was not sent). Statuses that follow from the declaration (400, 401, 408, 413, 415, 429, 503) need not be
named in `problems`.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Literal

import msgspec
from aiohttp import web

from server import decode
from server.problems import Problem

Answer = Any
"""A msgspec type (JSON), a media type, a tuple of media types, or `None` for no content."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Auth = Literal["none", "optional", "required"]
RequestHeader = Literal["Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID"]
ResponseHeader = Literal["ETag", "Location"]

TOKEN_HASH: web.RequestKey[str] = web.RequestKey("token_hash", str)


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint: where it is, what it takes, what it answers."""

    method: Literal["GET", "POST", "PATCH", "PUT", "DELETE"]
    path: str
    handler: Handler
    summary: str
    tag: str
    auth: Auth = "none"
    description: str = ""
    query: type[msgspec.Struct] | None = None
    body: Any = None
    takes: tuple[RequestHeader, ...] = ()
    answers: Mapping[int, Answer]
    gives: tuple[ResponseHeader, ...] = ()
    problems: tuple[int, ...] = ()

    @property
    def refusals(self) -> tuple[int, ...]:
        """Every status a problem of this route can have: those named and those that follow from the rest."""
        statuses = {400, *self.problems}
        if self.path.startswith("/v1/"):
            statuses |= {429, 503}
        if self.auth != "none":
            statuses.add(401)
        if self.body is not None:
            statuses |= {408, 413, 415}
        return tuple(sorted(statuses))

    @property
    def streams(self) -> bool:
        """Whether the answer has no end of its own."""
        return any("text/event-stream" in media for media in self.answers.values() if isinstance(media, tuple))


REST = "/{path}"
"""The route, as logs and metrics name routes, of what has none."""

ROUTES: web.AppKey[tuple[Route, ...]] = web.AppKey("routes", tuple)


def add_routes(app: web.Application, routes: Iterable[Route]) -> None:
    """Put the routes on the app's router and remember them for the OpenAPI document.

    GET routes answer HEAD too, streams aside: they would never end.
    """
    added = tuple(routes)
    for route in added:
        endpoint = _endpoint(route)
        if route.method == "GET":
            app.router.add_get(route.path, endpoint, allow_head=not route.streams, expect_handler=_go_on)
        else:
            app.router.add_route(route.method, route.path, endpoint, expect_handler=_go_on)
    app[ROUTES] = app.get(ROUTES, ()) + added


def add_rest(app: web.Application) -> None:
    """Refuse, in our words, what no route takes; after all routes. What aiohttp itself says there depends on Expect."""

    async def refuse(request: web.Request) -> web.StreamResponse:
        allowed: set[str] = set()
        for resource in app.router.resources():
            if resource.canonical != REST:
                allowed |= (await resource.resolve(request))[1]
        if allowed:
            raise web.HTTPMethodNotAllowed(request.method, allowed)
        raise web.HTTPNotFound

    app.router.add_route("*", "/{path:.*}", refuse, expect_handler=_go_on)


async def _go_on(request: web.Request) -> None:
    """Ask for the body where the client waits for that; nothing else that Expect may ask for is promised."""
    asked = request.headers.get("Expect", "").lower() == "100-continue"
    if asked and request.version >= (1, 1) and request.transport is not None:
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")


def _endpoint(route: Route) -> Handler:
    handler, no_query, auth = route.handler, route.query is None, route.auth

    async def endpoint(request: web.Request) -> web.StreamResponse:
        if no_query and request.rel_url.raw_query_string:
            name = next(iter(request.query), "")
            raise Problem("wrong_query", f"This address takes no parameters; got {name!r}.", field=name)
        if auth != "none":
            token_hash = decode.token_hash(request)
            if token_hash is not None:
                request[TOKEN_HASH] = token_hash
            elif auth == "required":
                raise Problem("token_missing", "Send your token as 'Authorization: Bearer TOKEN'.")
        return await handler(request)

    return endpoint
