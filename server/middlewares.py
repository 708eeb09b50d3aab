"""What happens around every request, in one middleware and one signal: a tower of five costs more than the work.

The middleware turns whatever went wrong into a problem, counts, and writes the log line. The signal, which also runs
for streams just before their head is sent, adds the headers.
"""

import asyncio
import itertools
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from time import perf_counter

from aiohttp import web

from server.config import CONFIG
from server.logs import RequestLine, RequestLog
from server.metrics import RequestMeter
from server.problems import from_error
from server.routes import REST
from server.tokens import parse_table_id

REQUEST_ID: web.RequestKey[str] = web.RequestKey("request_id", str)
WAITED: web.RequestKey[bool] = web.RequestKey("waited", bool)
"""Set by handlers that wait on purpose (long polls, streams): their time says nothing about the server."""

REQUEST_LOG: web.AppKey[RequestLog] = web.AppKey("request_log", RequestLog)

_SENT: web.RequestKey[web.StreamResponse] = web.RequestKey("sent", web.StreamResponse)
_GONE = 499
"""The status, in logs and metrics, of a request whose client went away before its answer."""

_METHODS = {"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"}
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE_HEADERS = {
    "Content-Security-Policy": _PAGE_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_CORS_ASKS = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-ID"
_CORS_GIVES = "ETag, Location, Retry-After, X-Request-ID"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_log = logging.getLogger(__name__)


def install(app: web.Application, request_log: RequestLog) -> None:
    """Put the middleware and the signal on the app; `app[CONFIG]` must be there."""
    app[REQUEST_LOG] = request_log
    app.middlewares.append(_around(request_log, frozenset(app[CONFIG].cors_origin)))
    app.on_response_prepare.append(_headers(frozenset(app[CONFIG].cors_origin)))


def _around(request_log: RequestLog, origins: frozenset[str]) -> Callable[..., Awaitable[web.StreamResponse]]:
    meter = RequestMeter()
    ours, numbers = secrets.token_hex(4), itertools.count(1)

    @web.middleware
    async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
        started = perf_counter()
        request_id = request.headers.get("X-Request-ID")
        if request_id is None or _REQUEST_ID.fullmatch(request_id) is None:
            request_id = f"{ours}-{next(numbers)}"
        request[REQUEST_ID] = request_id
        status = _GONE
        try:
            if origins and request.method == "OPTIONS" and _allowed(request, origins):
                response: web.StreamResponse = web.Response(status=204)
            else:
                response = await handler(request)
            status = response.status
        except asyncio.CancelledError:
            raise
        except ConnectionResetError:
            # Nobody reads what is answered; raised further, it would be logged as a fault of ours.
            response = request.get(_SENT) or web.Response(status=_GONE)
        except Exception as error:
            response = _refuse(request, error)
            status = response.status
        finally:
            seconds = perf_counter() - started
            match = request.match_info
            resource = match.route.resource
            route = "none" if resource is None or resource.canonical == REST else resource.canonical
            method = request.method if request.method in _METHODS else "other"
            meter.count(method, route, status, None if WAITED in request else seconds)
            if request_log.enabled:
                table = match.get("id")
                request_log.write(
                    RequestLine(
                        method=method,
                        route=route,
                        table=None if table is None else parse_table_id(table),
                        status=status,
                        ms=round(1000 * seconds, 2),
                        request=request_id,
                    )
                )
        return response

    return around


def _refuse(request: web.Request, error: Exception) -> web.StreamResponse:
    problem = from_error(error)  # no handler raises aiohttp's redirects
    if problem.code == "internal":
        _log.exception("request %s failed", request[REQUEST_ID], exc_info=error)
    sent: web.StreamResponse | None = request.get(_SENT)
    if sent is None:
        return problem.response()
    # the head of another answer is out already: end the connection, so that nobody takes it for whole
    if request.transport is not None:
        request.transport.abort()
    return sent


def _headers(origins: frozenset[str]) -> Callable[[web.Request, web.StreamResponse], Awaitable[None]]:
    async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
        request[_SENT] = response
        headers = response.headers
        headers["Server"] = "hearts"
        headers["X-Request-ID"] = request.get(REQUEST_ID, "")
        headers["X-Content-Type-Options"] = "nosniff"
        headers.setdefault("Cache-Control", "no-store")
        if headers.get("Content-Type", "").startswith("text/html"):
            headers.update(_PAGE_HEADERS)
        if origins:
            _cors(request, response, origins)

    return add_headers


def _origin(request: web.Request, origins: frozenset[str]) -> str | None:
    origin = request.headers.get("Origin")
    if origin is None or not ("*" in origins or origin in origins):
        return None
    return "*" if "*" in origins else origin


def _allowed(request: web.Request, origins: frozenset[str]) -> bool:
    return "Access-Control-Request-Method" in request.headers and _origin(request, origins) is not None


def _cors(request: web.Request, response: web.StreamResponse, origins: frozenset[str]) -> None:
    headers = response.headers
    if "*" not in origins:
        headers["Vary"] = "Origin"
    origin = _origin(request, origins)
    if origin is None:
        return
    headers["Access-Control-Allow-Origin"] = origin
    headers["Access-Control-Expose-Headers"] = _CORS_GIVES
    if request.method == "OPTIONS":
        headers["Access-Control-Allow-Methods"] = "GET, HEAD, POST, PATCH"
        headers["Access-Control-Allow-Headers"] = _CORS_ASKS
        headers["Access-Control-Max-Age"] = "600"
