"""The OpenAPI 3.1 document, made from the routes and their msgspec types; nothing of it is written by hand."""

import re
from collections.abc import Iterable
from types import UnionType
from typing import Any, get_args

import msgspec

from server.problems import KINDS, MEDIA_TYPE, ProblemBody
from server.routes import Route

_VERSION_TAG = {"type": "string", "pattern": '^"(0|[1-9][0-9]{0,15})"$', "examples": ['"214"']}
_REQUEST_HEADERS: dict[str, tuple[str, dict[str, Any]]] = {
    "Idempotency-Key": (
        "Names this action: a repeat with the same key changes nothing and answers with the current view.",
        {"type": "string", "pattern": r"^[!-~]{1,64}$"},
    ),
    "If-Match": ("Refuse with 412 unless the table is at this version.", _VERSION_TAG),
    "If-None-Match": ("Answer 304 when the table is still at this version.", _VERSION_TAG),
    "Last-Event-ID": (
        "Resume behind this event; sent by browsers when they reconnect.",
        {"type": "string", "pattern": "^(0|[1-9][0-9]{0,15})$"},
    ),
}
_RESPONSE_HEADERS: dict[str, tuple[str, dict[str, Any]]] = {
    "ETag": ("The table's version, in quotes.", _VERSION_TAG),
    "Location": ("Where the new table is.", {"type": "string"}),
    "Retry-After": ("Seconds to wait before the next try.", {"type": "string", "pattern": "^[0-9]+$"}),
    "WWW-Authenticate": ("How to say who is calling.", {"type": "string"}),
    "Allow": ("The methods that are possible.", {"type": "string"}),
}
_PATH_PARAMETERS: dict[str, dict[str, Any]] = {
    "id": {"type": "string", "pattern": "^[0-9A-Za-z-]{12,48}$", "examples": ["7QK2-M4XR-9TDP"]},
    "code": {"type": "string", "enum": list(KINDS)},
}
_HEADERS_OF_STATUS = {401: ("WWW-Authenticate",), 405: ("Allow",), 429: ("Retry-After",), 503: ("Retry-After",)}
_TEXTS = {200: "Done", 201: "Created", 204: "Done", 304: "Not changed"}


def document(routes: Iterable[Route], *, title: str, version: str, description: str) -> dict[str, Any]:
    """The whole contract of these routes."""
    routes = [route for route in routes if route.tag]
    types: list[Any] = [ProblemBody]
    for route in routes:
        types += [kind for kind in (route.query, route.body) if kind is not None]
        types += [kind for answer in route.answers.values() if _is_type(answer) for kind in _kinds(answer)]
    made, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    schemas = _Schemas(types, made, components)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    queries = {schemas.name(route.query) for route in routes if route.query is not None}
    statuses = sorted({status for route in routes for status in route.refusals})
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version, "description": description, "license": {"name": "MIT"}},
        "servers": [{"url": "/"}],
        "tags": [{"name": tag} for tag in dict.fromkeys(route.tag for route in routes)],
        "paths": paths,
        "components": {
            "schemas": {name: schema for name, schema in components.items() if name not in queries},
            "responses": {f"Problem{status}": _problem(status, schemas) for status in statuses},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "The token of POST /v1/players."}
            },
        },
    }


class _Schemas:
    """The schemas of all types by type; `schema_components` gives them in the order asked."""

    def __init__(self, types: list[Any], made: tuple[dict[str, Any], ...], components: dict[str, Any]) -> None:
        self._made = list(zip(types, made, strict=True))
        self._components = components

    def of(self, kind: Any) -> dict[str, Any]:
        return next(schema for each, schema in self._made if each is kind or each == kind)

    def name(self, kind: Any) -> str:
        return str(self.of(kind)["$ref"]).rpartition("/")[2]

    def fields(self, kind: Any) -> dict[str, Any]:
        schema: dict[str, Any] = self._components[self.name(kind)]
        return schema


def _is_type(answer: Any) -> bool:
    return answer is not None and not isinstance(answer, str | tuple)


def _kinds(answer: Any) -> tuple[Any, ...]:
    """The types an answer may have: one, or several that only their fields tell apart."""
    return get_args(answer) if isinstance(answer, UnionType) else (answer,)


def _operation(route: Route, schemas: _Schemas) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": f"{route.method.lower()}_{re.sub('[^a-z0-9]+', '_', route.path.lower()).strip('_')}",
        "summary": route.summary,
        "tags": [route.tag],
        "parameters": list(_parameters(route, schemas)),
        "responses": {
            **{str(status): _answer(status, answer, route, schemas) for status, answer in route.answers.items()},
            **{str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in route.refusals},
        },
    }
    if route.description:
        operation["description"] = route.description
    if route.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schemas.of(route.body)}},
        }
    if route.auth != "none":
        operation["security"] = [{"bearer": []}] if route.auth == "required" else [{}, {"bearer": []}]
    return operation


def _parameters(route: Route, schemas: _Schemas) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"\{(\w+)\}", route.path):
        schema = _PATH_PARAMETERS.get(name, {"type": "string", "minLength": 1})
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    if route.query is not None:
        fields = schemas.fields(route.query)
        for name, schema in fields.get("properties", {}).items():
            parameter = {"name": name, "in": "query", "required": name in fields.get("required", ())}
            if "description" in schema:
                parameter["description"] = schema["description"]
            yield parameter | {"schema": _written(schema)}
    for name in route.takes:
        description, schema = _REQUEST_HEADERS[name]
        yield {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


def _written(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema: it is given or left out, so the null that stands for "left out" is no value of it."""
    rest = {key: value for key, value in schema.items() if key != "description"}
    choices = [choice for choice in rest.pop("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        rest |= choices[0]
    elif choices:
        rest["anyOf"] = choices
    if rest.get("default", ...) is None:
        del rest["default"]
    return rest


def _answer(status: int, answer: Any, route: Route, schemas: _Schemas) -> dict[str, Any]:
    response: dict[str, Any] = {"description": _TEXTS.get(status, "Done")}
    if _is_type(answer):
        choices = [schemas.of(kind) for kind in _kinds(answer)]
        response["content"] = {"application/json": {"schema": choices[0] if len(choices) == 1 else {"anyOf": choices}}}
    elif answer is not None:
        media_types = (answer,) if isinstance(answer, str) else answer
        response["content"] = {media: {"schema": {"type": "string"}} for media in media_types}
    given = [name for name in route.gives if name != "Location" or status == 201]
    if given:
        response["headers"] = _headers(given)
    return response


def _problem(status: int, schemas: _Schemas) -> dict[str, Any]:
    codes = [f"`{code}`: {kind.title}" for code, kind in KINDS.items() if kind.status == status]
    response: dict[str, Any] = {
        "description": "\n".join(f"- {line}" for line in codes) or "Refused",
        "content": {MEDIA_TYPE: {"schema": schemas.of(ProblemBody)}},
    }
    if status in _HEADERS_OF_STATUS:
        response["headers"] = _headers(_HEADERS_OF_STATUS[status])
    return response


def _headers(names: Iterable[str]) -> dict[str, Any]:
    return {name: {"description": _RESPONSE_HEADERS[name][0], "schema": _RESPONSE_HEADERS[name][1]} for name in names}
