"""Strict reading of requests: what is wrong is a `Problem` saying where, what was expected and what came.

In a handler::

    asked = await decode.body(request, NewTable)     # 400 408 413 415
    query = decode.query(request, LobbyQuery)        # 400; unknown and repeated parameters are refused
    table_id = decode.table_id(request)              # 404; any case, dashes or not
    key = decode.idempotency_key(request)            # str | None, 400
    version = decode.if_match(request)               # int | None, 400
    after = decode.last_event_id(request)            # int | None, 400
    known = decode.if_none_match(request)            # set of versions, never refuses
    lines = decode.wants_ndjson(request)             # bool
    name = decode.printable(asked.name, field="$.name", most=32)

Types that are read from requests derive from `Asked` (frozen, unknown fields refused).
"""

import asyncio
import functools
import re
from types import UnionType
from typing import Any, TypeVar, get_args, get_type_hints, overload

import msgspec
from aiohttp import web

from rules.accepted import shown
from server.config import CONFIG
from server.explain import explain
from server.problems import Problem
from server.tokens import hash_token, looks_like_token, parse_table_id

T = TypeVar("T")

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,18})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?")
_KEY = re.compile(r"[\x21-\x7e]{1,64}")
_VERSION_TAG = re.compile(r'"(0|[1-9][0-9]{0,15})"')
_VERSION = re.compile(r"0|[1-9][0-9]{0,15}")


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of everything read from a request: an unknown field is an error, not a surprise."""


@functools.cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


async def raw(request: web.Request, limit: int | None = None) -> bytes:
    """The bytes of a body that is said to be JSON; `limit` in bytes stands in for the configured one.

    Raises `Problem`: `not_json` 415, `body_too_large` 413, `body_too_slow` 408.
    """
    sent = request.headers.get("Content-Type", "nothing")
    if sent != "application/json" and not _is_json(request):
        raise Problem(
            "not_json",
            f"Content-Type must be application/json in UTF-8; got {sent[:60]}.",
            field="Content-Type",
        )
    return await _read(request, request.app[CONFIG].body_limit if limit is None else limit)


@overload
async def body(request: web.Request, kind: type[T], limit: int | None = None) -> T: ...
@overload
async def body(request: web.Request, kind: UnionType, limit: int | None = None) -> Any: ...
async def body(request: web.Request, kind: Any, limit: int | None = None) -> Any:
    """The request's body as a value of `kind`.

    Raises `Problem` as `raw` does, and `malformed_body` and `wrong_field` 400. Of a key given twice the last
    one counts.
    """
    data = await raw(request, limit)
    try:
        value = _decoder(kind).decode(data)
    except msgspec.ValidationError as error:
        field, detail = explain(str(error), data, kind)
        raise Problem("wrong_field", detail, field=field) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = str(error) if data else "The body is empty"
        raise Problem("malformed_body", f"{reason}.", field="$") from None
    except RecursionError:
        raise Problem("malformed_body", "The body is nested too deeply.", field="$") from None
    return value


def _is_json(request: web.Request) -> bool:
    """What the Content-Type says once it is taken apart, which costs as much as reading the body."""
    return request.content_type == "application/json" and (request.charset or "utf-8").lower() in ("utf-8", "utf8")


async def _read(request: web.Request, limit: int) -> bytes:
    content = request.content
    if (request.content_length or 0) <= limit:
        if content.is_eof():
            data = content.read_nowait()
        else:
            data = await _read_slowly(request, limit)
        if len(data) <= limit:
            return data
    raise Problem("body_too_large", f"The body may have {limit} bytes at most.")


async def _read_slowly(request: web.Request, limit: int) -> bytes:
    data = bytearray()
    try:
        async with asyncio.timeout(request.app[CONFIG].body_timeout):
            while len(data) <= limit:
                chunk = await request.content.readany()
                if not chunk:
                    break
                data += chunk
    except TimeoutError:
        raise Problem("body_too_slow", "The body did not arrive in time.", headers={"Connection": "close"}) from None
    except (web.RequestPayloadError, ValueError):
        raise Problem("malformed_body", "The body is cut off or wrongly encoded.", field="$") from None
    return bytes(data)


@functools.cache
def _numbers(kind: type[msgspec.Struct]) -> dict[str, re.Pattern[str]]:
    """How the numeric parameters of a query type are written: plainly, in decimal digits."""
    forms = {}
    for name, hint in get_type_hints(kind).items():
        kinds = {hint, *get_args(hint)}
        if int in kinds or float in kinds:
            forms[name] = _NUMBER if float in kinds else _INTEGER
    return forms


def query(request: web.Request, kind: type[T]) -> T:
    """The query parameters as a value of `kind`, a struct of plain fields.

    Raises `Problem` `wrong_query` 400 for unknown, repeated and wrong ones, naming the parameter.
    """
    given: dict[str, str] = {}
    numbers = _numbers(kind)  # type: ignore[arg-type]  # every query type is a struct
    for name, value in request.query.items():
        if name in given:
            raise Problem("wrong_query", f"{name} is given more than once.", field=name)
        form = numbers.get(name)
        if form is not None and form.fullmatch(value) is None:
            wanted = "a whole number" if form is _INTEGER else "a number"
            raise Problem("wrong_query", f"{name}: expected {wanted}; got {shown(value)}.", field=name)
        given[name] = value
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        path, detail = explain(str(error), msgspec.json.encode(given), kind)
        raise Problem("wrong_query", detail.removeprefix("$."), field=path.removeprefix("$.")) from None


def table_id(request: web.Request) -> str:
    """The table id of the path as stored; `no_such_table` 404 when it cannot be one."""
    found = parse_table_id(request.match_info["id"])
    if found is None:
        raise Problem("no_such_table", "A table id has 12 letters and digits, like 7QK2-M4XR-9TDP.")
    return found


def token_hash(request: web.Request) -> str | None:
    """The hash of the bearer token sent, or `None` without one; `token_unknown` 401 for another form."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not looks_like_token(token):
        raise Problem("token_unknown", "Authorization must be 'Bearer TOKEN' with a token this server gave out.")
    return hash_token(token)


def _header(request: web.Request, name: str) -> str | None:
    values = request.headers.getall(name, ())
    if len(values) > 1:
        raise Problem("wrong_header", f"{name} is given more than once.", field=name)
    return values[0] if values else None


def idempotency_key(request: web.Request) -> str | None:
    """`Idempotency-Key`: 1-64 printable ASCII characters without spaces; `wrong_header` 400."""
    value = _header(request, "Idempotency-Key")
    if value is not None and _KEY.fullmatch(value) is None:
        raise Problem(
            "wrong_header",
            f"Idempotency-Key must be 1 to 64 printable ASCII characters without spaces; got {len(value)} characters.",
            field="Idempotency-Key",
        )
    return value


def if_match(request: web.Request) -> int | None:
    """The version that `If-Match: "V"` asks for; `None` when absent or `*`; `wrong_header` 400."""
    value = _header(request, "If-Match")
    if value is None or value == "*":
        return None
    found = _VERSION_TAG.fullmatch(value)
    if found is None:
        raise Problem(
            "wrong_header",
            f'If-Match must be one version in quotes, like "214"; got {value[:60]}.',
            field="If-Match",
        )
    return int(found[1])


def if_none_match(request: web.Request) -> set[int]:
    """The versions that `If-None-Match` says the caller has; what cannot be read counts as none."""
    value = request.headers.get("If-None-Match", "")
    return {int(version) for version in _VERSION_TAG.findall(value)}


def last_event_id(request: web.Request) -> int | None:
    """The event number of `Last-Event-ID`; `None` when absent or empty; `wrong_header` 400."""
    value = _header(request, "Last-Event-ID")
    if not value:
        return None
    if _VERSION.fullmatch(value) is None:
        raise Problem(
            "wrong_header",
            f"Last-Event-ID must be an event's number; got {value[:60]!r}.",
            field="Last-Event-ID",
        )
    return int(value)


def wants_ndjson(request: web.Request) -> bool:
    """Whether the caller asks for one JSON object a line rather than server-sent events."""
    return "application/x-ndjson" in request.headers.get("Accept", "").lower()


def printable(text: str, *, field: str, most: int, least: int = 1) -> str:
    """The text without outer spaces, when it has `least` to `most` characters, all of them printable.

    Raises `wrong_field` 400 otherwise: line breaks and control characters have no place in a name.
    """
    trimmed = text.strip()
    if not least <= len(trimmed) <= most or not trimmed.isprintable():
        came = f"{len(trimmed)} characters" + ("" if trimmed.isprintable() else ", some of them not printable")
        raise Problem(
            "wrong_field",
            f"{field}: expected {least} to {most} printable characters; got {came}.",
            field=field,
        )
    return trimmed
