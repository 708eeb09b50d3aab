"""What happens around every request: ids, headers, problems, log lines, metrics, CORS."""

import asyncio
import io
import json
from ipaddress import ip_network
from typing import Any

import pytest
from aiohttp import ClientError, web

from rules.decide import RuleViolation
from rules.ruleset import RuleSetError
from server import decode
from server.config import CONFIG, Config
from server.encode import json_answer
from server.link import StoreAway
from server.logs import RequestLog
from server.metrics import REQUESTS
from server.middlewares import WAITED, install
from server.problems import Problem
from server.routes import Route, add_rest, add_routes
from tests.conditions import until

SECRET = "s3cret" + "x" * 37


class Nothing(decode.Asked):
    """Takes no field."""


async def fine(request: web.Request) -> web.StreamResponse:
    return json_answer({"fine": True})


async def read(request: web.Request) -> web.StreamResponse:
    asked = await decode.body(request, Nothing)
    decode.if_match(request)
    return json_answer(asked)


async def fail(request: web.Request) -> web.StreamResponse:
    match request.match_info["how"]:
        case "problem":
            raise Problem("seat_taken", "Seat 3 is taken.", version=4)
        case "limit":
            raise Problem("too_many_actions", "Slow down.", retry_after=1.2)
        case "rule":
            raise RuleViolation("must_follow_suit", "Follow hearts.", ())
        case "unknown_rule":
            raise RuleViolation("never_heard_of", "A rule without a place in the registry.")
        case "rules":
            raise RuleSetError("rules.packs", "two packs need 5 players")
        case "store":
            raise StoreAway("down")
        case "large":
            raise web.HTTPRequestEntityTooLarge(max_size=1, actual_size=2)
        case "teapot":
            raise web.HTTPBadRequest(text="Broken.")
        case _:
            raise KeyError("a bug")


async def page(request: web.Request) -> web.StreamResponse:
    return web.Response(text="<p>", content_type="text/html")


async def stream(request: web.Request) -> web.StreamResponse:
    request[WAITED] = True
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b"half")
    raise KeyError("a bug in the middle")


async def gone(request: web.Request) -> web.StreamResponse:
    """Its client goes away before its head is sent."""
    assert request.transport is not None
    request.transport.abort()
    response = web.StreamResponse()
    await response.prepare(request)
    return response


def _route(method: Any, path: str, handler: Any, auth: Any = "none") -> Route:
    return Route(method=method, path=path, handler=handler, summary="", tag="", auth=auth, answers={200: None})


class Edge:
    """A small application with its log."""

    def __init__(self, client: Any, out: io.StringIO) -> None:
        self.client, self.out = client, out

    async def lines(self) -> list[dict[str, Any]]:
        await asyncio.sleep(0)
        return [json.loads(line) for line in self.out.getvalue().splitlines()]


@pytest.fixture
async def start(aiohttp_client: Any) -> Any:
    async def started(**settings: Any) -> Edge:
        app, out = web.Application(), io.StringIO()
        app[CONFIG] = Config(**settings)
        install(app, RequestLog("json", out))
        add_routes(
            app,
            [
                _route("GET", "/fine", fine),
                _route("POST", "/fine", fine),
                _route("POST", "/read", read),
                _route("GET", "/secret/{id}", fine, auth="required"),
                _route("GET", "/fail/{how}", fail),
                _route("GET", "/page", page),
                _route("GET", "/stream", stream),
                _route("GET", "/gone", gone),
                _route("GET", "/t/{id}", fine),
            ],
        )
        add_rest(app)
        return Edge(await aiohttp_client(app), out)

    return started


async def test_every_answer_has_an_id_and_its_headers(start: Any) -> None:
    edge = await start()
    async with edge.client.get("/fine", headers={"X-Request-ID": "abc-1.2_3"}) as answer:
        assert answer.headers["X-Request-ID"] == "abc-1.2_3"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Server"] == "hearts"
        assert "Content-Security-Policy" not in answer.headers
    ids = set()
    for wrong in (None, "", "x" * 65, "a b", "é", "<script>"):
        async with edge.client.get("/fine", headers={} if wrong is None else {"X-Request-ID": wrong}) as answer:
            ids.add(answer.headers["X-Request-ID"])
            assert answer.headers["X-Request-ID"] != wrong
    assert len(ids) == 6


async def test_pages_have_a_policy(start: Any) -> None:
    edge = await start()
    async with edge.client.get("/page") as answer:
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("how", "status", "code"),
    [
        ("problem", 409, "seat_taken"),
        ("limit", 429, "too_many_actions"),
        ("rule", 409, "must_follow_suit"),
        ("unknown_rule", 409, "never_heard_of"),
        ("rules", 422, "rules_make_no_sense"),
        ("store", 503, "store_away"),
        ("large", 413, "body_too_large"),
        ("teapot", 400, "malformed_request"),
        ("bug", 500, "internal"),
    ],
)
async def test_failures_are_problems(start: Any, how: str, status: int, code: str) -> None:
    edge = await start()
    async with edge.client.get(f"/fail/{how}") as answer:
        got = await answer.json(content_type=None)
        assert answer.content_type == "application/problem+json"
        assert (answer.status, got["status"], got["code"], got["type"]) == (status, status, code, f"/problems/{code}")
        assert got["title"]
        assert got["detail"].endswith(".")
        assert "Traceback" not in str(got)
        assert "a bug" not in str(got)
        assert ("Retry-After" in answer.headers) == (status in (429, 503))
        assert got.get("field") == ("rules.packs" if how == "rules" else None)
    (line,) = await edge.lines()
    assert (line["status"], line["route"]) == (status, "/fail/{how}")


async def test_no_route_and_no_method_are_problems(start: Any) -> None:
    edge = await start()
    async with edge.client.get("/nowhere") as answer:
        assert (answer.status, (await answer.json(content_type=None))["code"]) == (404, "not_found")
    async with edge.client.delete("/fine") as answer:
        assert (answer.status, (await answer.json(content_type=None))["code"]) == (405, "method_not_allowed")
        assert answer.headers["Allow"] == "GET, HEAD, POST"
    assert [line["route"] for line in await edge.lines()] == ["none", "none"]


async def test_an_error_in_a_stream_breaks_the_connection(start: Any) -> None:
    edge = await start()
    async with edge.client.get("/stream") as answer:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        with pytest.raises(ClientError):
            await answer.read()


async def test_log_lines_tell_no_secrets(start: Any) -> None:
    edge = await start()
    headers = {"Authorization": f"Bearer {SECRET}"}
    async with edge.client.get(f"/t/7qk2-m4xr-9tdp?token={SECRET}", headers=headers):
        pass
    async with edge.client.get(f"/t/{SECRET}", headers=headers):
        pass
    async with edge.client.post("/fine", data=SECRET, headers=headers):
        pass
    async with edge.client.get(f"/{SECRET}"):
        pass
    lines = await edge.lines()
    assert len(lines) == 4
    assert [line["table"] for line in lines] == ["7QK2M4XR9TDP", None, None, None]
    assert SECRET not in edge.out.getvalue()


async def test_requests_are_counted_by_route_and_status(start: Any) -> None:
    edge = await start()
    counter = REQUESTS.labels("GET", "/fail/{how}", "409")
    before = counter._value.get()
    async with edge.client.get("/fail/problem"):
        pass
    assert counter._value.get() == before + 1


async def test_cors_is_closed_by_default(start: Any) -> None:
    edge = await start()
    async with edge.client.get("/fine", headers={"Origin": "https://evil.example"}) as answer:
        assert not [name for name in answer.headers if name.startswith("Access-Control")]
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    async with edge.client.options("/fine", headers=preflight) as answer:
        assert answer.status == 405
        assert not [name for name in answer.headers if name.startswith("Access-Control")]


async def test_cors_opens_for_the_origins_named(start: Any) -> None:
    edge = await start(cors_origin=("https://hearts.example", "http://localhost:3000"))
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    async with edge.client.options("/fine", headers={"Origin": "https://hearts.example", **asks}) as answer:
        assert answer.status == 204
        assert answer.headers["Access-Control-Allow-Origin"] == "https://hearts.example"
        assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
        assert "Idempotency-Key" in answer.headers["Access-Control-Allow-Headers"]
        assert "POST" in answer.headers["Access-Control-Allow-Methods"]
        assert "Access-Control-Allow-Credentials" not in answer.headers
    async with edge.client.get("/fail/problem", headers={"Origin": "http://localhost:3000"}) as answer:
        assert answer.headers["Access-Control-Allow-Origin"] == "http://localhost:3000"
        assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
        assert answer.headers["Vary"] == "Origin"
    async with edge.client.options("/fine", headers={"Origin": "https://evil.example", **asks}) as answer:
        assert answer.status == 405
        assert "Access-Control-Allow-Origin" not in answer.headers


async def test_cors_can_be_open_to_all(start: Any) -> None:
    edge = await start(cors_origin=("*",))
    async with edge.client.get("/fine", headers={"Origin": "null"}) as answer:
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


POST_JSON = b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
RAW = [
    b"GET /fine HTTP/1.1\r\nHost: x\r\nX-Request-ID: \xff\xfe\r\n\r\n",
    b"GET /fine HTTP/1.1\r\nHost: \xff\r\nOrigin: \xff\r\nX-Forwarded-For: \xff\r\n\r\n",
    b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Type: \xff/\xfe; charset=\xff\r\nContent-Length: 0\r\n\r\n",
    b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Type: application/json; charset=\xff\r\nContent-Length: 0\r\n\r\n",
    POST_JSON + b"Content-Length: 2\r\nIf-Match: \xff\r\n\r\n{}",
    POST_JSON + b"Content-Length: 99999999999\r\n\r\n",
    POST_JSON + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
    POST_JSON + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    POST_JSON + b"Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}",
    POST_JSON + b"Expect: \xff\r\nContent-Length: 2\r\n\r\n{}",
    b"GET /nowhere HTTP/1.1\r\nHost: x\r\nExpect: \xff\r\n\r\n",
    b"GET /fine?\xff=\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /t/%ff%fe HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /t/%00 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /secret/%ff HTTP/1.1\r\nHost: x\r\nAuthorization: \xff \xfe\r\n\r\n",
    b"GET //evil.example/%2e%2e/ HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET * HTTP/1.1\r\nHost: x\r\n\r\n",
    b"FROB /fine HTTP/1.1\r\nHost: x\r\n\r\n",
    b"CONNECT /fine HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /fine HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 20_000 + b"\r\n\r\n",
    b"GET /fine HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00",
    b"nonsense\r\n\r\n",
]


@pytest.mark.parametrize("raw", RAW, ids=lambda raw: repr(raw[:60]))
async def test_no_bytes_make_a_500(start: Any, raw: bytes) -> None:
    edge = await start(cors_origin=("https://hearts.example",), trusted_proxies=(ip_network("127.0.0.0/8"),))
    reader, writer = await asyncio.open_connection("127.0.0.1", edge.client.port)
    writer.write(raw)
    async with asyncio.timeout(10):
        answer = await reader.readline()
    writer.close()
    assert 200 <= int(answer.split()[1]) < 500, answer
    async with edge.client.get("/fine") as after:
        assert after.status == 200


@pytest.mark.parametrize(("path", "method", "status"), [("/nowhere", "GET", 404), ("/read", "GET", 405)])
async def test_what_no_route_takes_is_a_problem_whatever_it_expects(
    start: Any, path: str, method: str, status: int
) -> None:
    edge = await start()
    async with edge.client.request(method, path, headers={"Expect": "wonders"}) as answer:
        assert answer.status == status
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.headers["X-Request-ID"]
        assert answer.headers.get("Allow") == (None if status == 404 else "POST")


async def test_the_body_is_asked_for_where_the_client_waits_for_that(start: Any) -> None:
    edge = await start()
    reader, writer = await asyncio.open_connection("127.0.0.1", edge.client.port)
    writer.write(POST_JSON + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    async with asyncio.timeout(10):
        assert await reader.readline() == b"HTTP/1.1 100 Continue\r\n"
        assert await reader.readline() == b"\r\n"
        writer.write(b"{}")
        assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
    writer.close()


async def test_who_goes_away_is_no_error_of_ours(start: Any, caplog: pytest.LogCaptureFixture) -> None:
    edge = await start()
    _, writer = await asyncio.open_connection("127.0.0.1", edge.client.port)
    writer.write(POST_JSON + b"Content-Length: 9\r\n\r\n{")
    await writer.drain()
    writer.transport.abort()
    await until(lambda: edge.out.getvalue() != "")
    with pytest.raises(ClientError):
        await edge.client.get("/gone")
    assert [line["status"] for line in await edge.lines()] == [499, 499]
    assert not caplog.records
