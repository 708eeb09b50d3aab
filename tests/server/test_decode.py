"""Everything a request can get wrong is named; nothing is a 500."""

import json
from typing import Annotated, Any, Literal

import msgspec
import pytest
from aiohttp import web

from server import decode
from server.config import CONFIG, Config
from server.encode import json_answer
from server.problems import Problem
from server.routes import TOKEN_HASH, Route, add_routes


class Inner(decode.Asked):
    numbers: tuple[int, ...] = ()


class Play(decode.Asked, tag="play", tag_field="action"):
    card: str
    turn: Annotated[int, msgspec.Meta(ge=0, le=500)]


class Say(decode.Asked, tag="say", tag_field="action"):
    text: Annotated[str, msgspec.Meta(max_length=200)] = ""
    mood: Literal["glad", "sad"] = "glad"
    inner: Inner | None = None


class Page(decode.Asked):
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    wait: float = 0
    state: Literal["lobby", "playing"] = "lobby"
    cursor: str | None = None


async def act(request: web.Request) -> web.StreamResponse:
    asked = await decode.body(request, Play | Say)
    return json_answer(
        {
            "body": asked,
            "key": decode.idempotency_key(request),
            "version": decode.if_match(request),
            "after": decode.last_event_id(request),
            "known": sorted(decode.if_none_match(request)),
            "lines": decode.wants_ndjson(request),
        }
    )


async def page(request: web.Request) -> web.StreamResponse:
    return json_answer(decode.query(request, Page))


async def table(request: web.Request) -> web.StreamResponse:
    return json_answer({"id": decode.table_id(request), "hash": request.get(TOKEN_HASH)})


ROUTES = (
    Route(method="POST", path="/act", handler=act, summary="", tag="", body=Play | Say, answers={200: None}),
    Route(method="GET", path="/page", handler=page, summary="", tag="", query=Page, answers={200: Page}),
    Route(method="GET", path="/t/{id}", handler=table, summary="", tag="", answers={200: None}),
    Route(method="GET", path="/me/{id}", handler=table, summary="", tag="", auth="required", answers={200: None}),
    Route(
        method="GET",
        path="/may/{id}",
        handler=table,
        summary="",
        tag="",
        auth="optional",
        answers={200: None},
    ),
)


@web.middleware
async def _problems(request: web.Request, handler: Any) -> web.StreamResponse:
    try:
        return await handler(request)
    except Problem as problem:
        return problem.response()


@pytest.fixture
async def client(aiohttp_client: Any) -> Any:
    app = web.Application(middlewares=[_problems])
    app[CONFIG] = Config(body_limit=1000, body_timeout=0.2)
    add_routes(app, ROUTES)
    return await aiohttp_client(app)


async def _post(client: Any, data: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    async with client.post("/act", data=data, headers=sent) as answer:
        return answer.status, await answer.json(content_type=None)


async def test_reads_what_is_right(client: Any) -> None:
    status, got = await _post(
        client,
        b'{"action":"play","card":"QS","turn":3}',
        Idempotency_Key="a-1",
        If_Match='"12"',
        Last_Event_ID="7",
        If_None_Match='"3", W/"4"',
        Accept="application/x-ndjson",
    )
    assert status == 200
    assert got == {
        "body": {"action": "play", "card": "QS", "turn": 3},
        "key": "a-1",
        "version": 12,
        "after": 7,
        "known": [3, 4],
        "lines": True,
    }


WRONG_BODIES = [
    (b"", "malformed_body", "$", "empty"),
    (b"{", "malformed_body", "$", "truncated"),
    (b"\xff\xfe", "malformed_body", "$", ""),
    (b'{"action":"say","text":"\xff"}', "malformed_body", "$", "UTF-8"),
    (b'{"action":"say","text":"\\ud800"}', "malformed_body", "$", ""),
    (b'{"action":"play","card":"QS","turn":NaN}', "malformed_body", "$", ""),
    (b'{"action":"play","card":"QS","turn":Infinity}', "malformed_body", "$", ""),
    (
        b'{"action":"play","card":"QS","turn":' + b"9" * 400 + b"}",
        "wrong_field",
        "$.turn",
        "expected int <= 500",
    ),
    (b'{"action":"play","card":"QS","turn":1e999}', "wrong_field", "$.turn", ""),
    (b'{"action":"play","card":"QS","turn":3.0}', "wrong_field", "$.turn", "got 3.0"),
    (b'{"action":"play","card":"QS","turn":"3"}', "wrong_field", "$.turn", 'expected int; got "3"'),
    (b'{"action":"play","card":"QS","turn":-1}', "wrong_field", "$.turn", "expected int >= 0; got -1"),
    (b'{"action":"play","card":null,"turn":1}', "wrong_field", "$.card", "expected str; got null"),
    (b'{"action":"play","turn":1}', "wrong_field", "$.card", "required"),
    (b'{"action":"play","card":"QS","turn":1,"seat":2}', "wrong_field", "$.seat", "action, card, turn"),
    (b'{"action":"fly"}', "wrong_field", "$.action", 'one of play, say; got "fly"'),
    (b'{"action":7}', "wrong_field", "$.action", "got 7"),
    (b"{}", "wrong_field", "$.action", "one of play, say"),
    (b'{"action":"say","mood":"mad"}', "wrong_field", "$.mood", 'one of glad, sad; got "mad"'),
    (b'{"action":"say","inner":{"numbers":[1,"x"]}}', "wrong_field", "$.inner.numbers[1]", 'got "x"'),
    (b'{"action":"say","inner":{"number":1}}', "wrong_field", "$.inner.number", "the fields are numbers"),
    (b'{"action":"say","inner":[]}', "wrong_field", "$.inner", "got []"),
    (b'{"action":"say","text":"' + b"x" * 300 + b'"}', "wrong_field", "$.text", "length <= 200"),
    (b'{"action":"say","action":"play"}', "wrong_field", "$.action", "more than once"),
    (b'{"action":"play","card":"QS","turn":1,"action":"say"}', "wrong_field", "$.action", "more than once"),
    (b'{"action":"say","text":7,"text":"\\ud800","\\ud800":1,"\\ud800":1}', "wrong_field", "$.text", "expected str"),
    (b"[]", "wrong_field", "$", "expected object; got []"),
    (b"null", "wrong_field", "$", "got null"),
    (b'"play"', "wrong_field", "$", 'got "play"'),
    (b"[" * 900, "wrong_field", "$", ""),
    (b'{"action":"say","inner":{"numbers":' + b"[" * 900, "wrong_field", "$.inner.numbers[0]", ""),
]


@pytest.mark.parametrize(("data", "code", "field", "says"), WRONG_BODIES, ids=lambda value: repr(value)[:40])
async def test_names_what_is_wrong_with_a_body(client: Any, data: bytes, code: str, field: str, says: str) -> None:
    status, got = await _post(client, data)
    assert (status, got["code"], got["field"]) == (400, code, field)
    assert says in got["detail"]


async def test_deep_nesting_in_an_open_field_is_malformed(aiohttp_client: Any) -> None:
    async def anything(request: web.Request) -> web.StreamResponse:
        return json_answer(await decode.body(request, dict[str, Any], limit=10**6))

    app = web.Application(middlewares=[_problems])
    app[CONFIG] = Config()
    app.router.add_post("/", anything)
    client = await aiohttp_client(app)
    deep = b'{"a":' * 100_000
    async with client.post("/", data=deep, headers={"Content-Type": "application/json"}) as answer:
        assert answer.status == 400
        assert "deep" in (await answer.json(content_type=None))["detail"]


async def test_a_nul_and_a_repeated_key_are_data(client: Any) -> None:
    status, got = await _post(client, b'{"action":"say","text":"a","text":"\\u0000"}')
    assert (status, got["body"]["text"]) == (200, "\x00")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"]
)
async def test_another_content_type_is_415(client: Any, kind: str) -> None:
    async with client.post("/act", data=b"{}", headers={"Content-Type": kind}) as answer:
        assert answer.status == 415
        assert kind[:10] in (await answer.json(content_type=None))["detail"]


async def test_a_body_over_the_limit_is_413(client: Any) -> None:
    status, got = await _post(client, b" " * 1001)
    assert (status, got["code"]) == (413, "body_too_large")
    assert "1000 bytes" in got["detail"]


async def test_a_long_body_without_a_length_is_413(client: Any) -> None:
    async def chunks() -> Any:
        for _ in range(50):
            yield b" " * 100

    async with client.post("/act", data=chunks(), headers={"Content-Type": "application/json"}) as answer:
        assert answer.status == 413


async def test_a_packed_body_is_measured_unpacked(client: Any) -> None:
    import zlib

    packed = zlib.compress(b" " * 100_000)
    status, got = await _post(client, packed, Content_Encoding="deflate")
    assert (status, got["code"]) == (413, "body_too_large")


async def test_a_body_that_does_not_come_is_408(client: Any) -> None:
    import asyncio

    reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
    writer.write(b"POST /act HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
    assert b" 408 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


WRONG_HEADERS = [
    ("Idempotency-Key", "a b"),
    ("Idempotency-Key", "x" * 65),
    ("Idempotency-Key", ""),
    ("Idempotency-Key", "\u00e9"),
    ("If-Match", "12"),
    ("If-Match", 'W/"12"'),
    ("If-Match", '"-1"'),
    ("If-Match", '"' + "9" * 40 + '"'),
    ("Last-Event-ID", "x"),
    ("Last-Event-ID", "-1"),
    ("Last-Event-ID", "1.5"),
]


@pytest.mark.parametrize(("name", "value"), WRONG_HEADERS)
async def test_names_a_wrong_header(client: Any, name: str, value: str) -> None:
    status, got = await _post(client, b'{"action":"say"}', **{name: value})
    assert (status, got["code"], got["field"]) == (400, "wrong_header", name)


async def test_a_header_given_twice_is_wrong(client: Any) -> None:
    headers = [("Content-Type", "application/json"), ("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
    async with client.post("/act", data=b'{"action":"say"}', headers=headers) as answer:
        assert answer.status == 400


async def test_if_match_star_asks_for_nothing(client: Any) -> None:
    status, got = await _post(client, b'{"action":"say"}', If_Match="*")
    assert (status, got["version"]) == (200, None)


WRONG_QUERIES = [
    ("limit=x", "limit", "whole number"),
    ("limit=1.0", "limit", "whole number"),
    ("limit=1e1", "limit", "whole number"),
    ("limit=+1", "limit", "whole number"),
    ("limit=%D9%A3", "limit", "whole number"),
    ("limit=", "limit", "whole number"),
    ("limit=0", "limit", "expected int >= 1"),
    ("limit=99999999999999999999", "limit", "whole number"),
    ("limit=1&limit=2", "limit", "more than once"),
    ("wait=nan", "wait", "a number"),
    ("wait=inf", "wait", "a number"),
    ("state=over", "state", "one of lobby, playing"),
    ("colour=red", "colour", "the fields are limit, wait, state, cursor"),
]


@pytest.mark.parametrize(("query", "field", "says"), WRONG_QUERIES)
async def test_names_a_wrong_parameter(client: Any, query: str, field: str, says: str) -> None:
    async with client.get(f"/page?{query}") as answer:
        got = await answer.json(content_type=None)
        assert (answer.status, got["code"], got["field"]) == (400, "wrong_query", field)
        assert says in got["detail"]


async def test_reads_a_query(client: Any) -> None:
    async with client.get("/page?limit=7&wait=2.5&state=playing&cursor=null") as answer:
        assert await answer.json() == {"limit": 7, "wait": 2.5, "state": "playing", "cursor": "null"}


@pytest.mark.parametrize("raw", ["%FF%FE=1", "limit=%FF", "=", "&&&", "%00=%00", "%ED%A0%80=1"])
async def test_a_broken_query_is_never_a_500(client: Any, raw: str) -> None:
    import asyncio

    reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
    writer.write(f"GET /page?{raw} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    status = int((await reader.readline()).split()[1])
    assert status in (200, 400)
    writer.close()
    await writer.wait_closed()


async def test_a_route_without_parameters_refuses_them(client: Any) -> None:
    async with client.get("/t/7QK2M4XR9TDP?x=1") as answer:
        assert (await answer.json(content_type=None))["field"] == "x"


async def test_reads_a_table_id_as_people_type_it(client: Any) -> None:
    async with client.get("/t/7qk2-m4xr-9tdp") as answer:
        assert (await answer.json())["id"] == "7QK2M4XR9TDP"
    async with client.get("/t/nonsense") as answer:
        assert (answer.status, (await answer.json(content_type=None))["code"]) == (404, "no_such_table")


async def test_asks_for_a_token_where_one_is_needed(client: Any) -> None:
    path = "/7QK2M4XR9TDP"
    async with client.get("/me" + path) as answer:
        assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    async with client.get("/may" + path) as answer:
        assert (answer.status, (await answer.json())["hash"]) == (200, None)
    for wrong in ("Bearer", "Bearer x", "Basic " + "a" * 43, "Bearer " + "a" * 300, "a" * 43):
        async with client.get("/may" + path, headers={"Authorization": wrong}) as answer:
            assert (answer.status, (await answer.json(content_type=None))["code"]) == (401, "token_unknown")
    async with client.get("/me" + path, headers={"Authorization": "bearer " + "a" * 43}) as answer:
        assert len((await answer.json())["hash"]) == 64


@pytest.mark.parametrize("text", ["", "   ", "a\nb", "x" * 33, "a\x00b", "\u202eevil", "\ud800"])
def test_names_must_be_printable(text: str) -> None:
    with pytest.raises(Problem, match="wrong_field"):
        decode.printable(text, field="$.name", most=32)


def test_names_lose_their_outer_spaces() -> None:
    assert decode.printable("  Ada L. \u00e9 ", field="$.name", most=32) == "Ada L. \u00e9"


def test_a_problem_encodes() -> None:
    problem = Problem("must_follow_suit", "Follow hearts.", version=3, legal=["2H"], retry_after=0.2)
    got = json.loads(problem.response().body)  # type: ignore[arg-type]
    assert got == {
        "type": "/problems/must_follow_suit",
        "title": "The led suit must be followed",
        "status": 409,
        "detail": "Follow hearts.",
        "code": "must_follow_suit",
        "version": 3,
        "legal": ["2H"],
        "retry_after": 1,
    }
