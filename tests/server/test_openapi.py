"""The document follows from routes and types, and is valid OpenAPI 3.1."""

import json
from typing import Annotated, Any, Literal

import msgspec
import pytest
from aiohttp import web
from openapi_spec_validator import OpenAPIV31SpecValidator

from server.decode import Asked
from server.openapi import document
from server.problems import KINDS
from server.routes import Route


class Pass(Asked, tag="pass", tag_field="action"):
    cards: list[str]


class Say(Asked, tag="say", tag_field="action"):
    text: Annotated[str, msgspec.Meta(max_length=200)]


class Page(Asked):
    state: Literal["lobby", "playing"]
    limit: Annotated[int, msgspec.Meta(ge=1, le=100, description="How many at most.")] = 50
    cursor: str | None = None


class View(msgspec.Struct):
    version: int
    phase: str


class Short(msgspec.Struct):
    name: str


async def handler(request: web.Request) -> web.StreamResponse:
    raise NotImplementedError


def _route(method: Any, path: str, **more: Any) -> Route:
    return Route(
        method=method, path=path, handler=handler, summary="What it does", tag=more.pop("tag", "tables"), **more
    )


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    routes = [
        _route(
            "POST",
            "/v1/tables/{id}/actions",
            auth="required",
            body=Pass | Say,
            takes=("Idempotency-Key", "If-Match"),
            answers={200: View},
            gives=("ETag",),
            problems=(403, 404, 409, 412),
        ),
        _route("POST", "/v1/tables", auth="required", answers={201: View}, gives=("ETag", "Location")),
        _route("GET", "/v1/tables", query=Page, answers={200: list[View]}),
        _route("GET", "/v1/tables/{id}", auth="optional", answers={200: View, 304: None}, gives=("ETag",)),
        _route(
            "GET",
            "/v1/tables/{id}/events",
            auth="optional",
            takes=("Last-Event-ID",),
            answers={200: ("text/event-stream", "application/x-ndjson")},
            description="The live stream.",
        ),
        _route("GET", "/v1/presets/{preset}", answers={200: View | Short}),
        _route("GET", "/internal", tag="", answers={200: "text/html"}),
    ]
    return json.loads(msgspec.json.encode(document(routes, title="T", version="1", description="D")))  # type: ignore[no-any-return]


def test_it_is_valid(made: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(made).validate()


def test_actions_are_a_union_told_apart_by_their_name(made: dict[str, Any]) -> None:
    operation = made["paths"]["/v1/tables/{id}/actions"]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    assert schema["discriminator"]["propertyName"] == "action"
    assert len(schema["anyOf"]) == 2
    assert made["components"]["schemas"]["Say"]["additionalProperties"] is False
    assert operation["security"] == [{"bearer": []}]
    assert [(each["name"], each["in"]) for each in operation["parameters"]] == [
        ("id", "path"),
        ("Idempotency-Key", "header"),
        ("If-Match", "header"),
    ]
    assert "ETag" in operation["responses"]["200"]["headers"]


def test_every_refusal_that_follows_is_documented(made: dict[str, Any]) -> None:
    responses = made["paths"]["/v1/tables/{id}/actions"]["post"]["responses"]
    assert set(responses) == {"200", *map(str, (400, 401, 403, 404, 408, 409, 412, 413, 415, 429, 503))}
    conflict = made["components"]["responses"]["Problem409"]
    assert all(f"`{code}`" in conflict["description"] for code, kind in KINDS.items() if kind.status == 409)
    assert list(conflict["content"]) == ["application/problem+json"]
    assert "Retry-After" in made["components"]["responses"]["Problem429"]["headers"]


def test_queries_are_parameters(made: dict[str, Any]) -> None:
    parameters = {each["name"]: each for each in made["paths"]["/v1/tables"]["get"]["parameters"]}
    assert parameters["limit"]["description"] == "How many at most."
    assert parameters["limit"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}
    assert parameters["cursor"]["schema"] == {"type": "string"}
    assert parameters["state"]["required"]
    assert "Page" not in made["components"]["schemas"]


def test_streams_and_empty_answers(made: dict[str, Any]) -> None:
    stream = made["paths"]["/v1/tables/{id}/events"]["get"]
    assert set(stream["responses"]["200"]["content"]) == {"text/event-stream", "application/x-ndjson"}
    assert stream["security"] == [{}, {"bearer": []}]
    table = made["paths"]["/v1/tables/{id}"]["get"]
    assert "content" not in table["responses"]["304"]
    created = made["paths"]["/v1/tables"]["post"]["responses"]["201"]
    assert set(created["headers"]) == {"ETag", "Location"}


def test_an_answer_may_be_one_of_several(made: dict[str, Any]) -> None:
    schema = made["paths"]["/v1/presets/{preset}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema == {"anyOf": [{"$ref": "#/components/schemas/View"}, {"$ref": "#/components/schemas/Short"}]}


def test_routes_without_a_tag_stay_out(made: dict[str, Any]) -> None:
    assert "/internal" not in made["paths"]
    names = [each["operationId"] for path in made["paths"].values() for each in path.values()]
    assert len(names) == len(set(names))
