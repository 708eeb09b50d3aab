"""Answers in JSON, encoded once by one encoder."""

from collections.abc import Mapping
from typing import Any

import msgspec
from aiohttp import web

to_json = msgspec.json.Encoder().encode
"""Any msgspec value as compact UTF-8 JSON bytes."""


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """The value as an `application/json` answer."""
    return json_bytes(to_json(value), status, headers)


def json_bytes(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """JSON that is encoded already as an answer."""
    named = {"Content-Type": "application/json"}
    if headers:
        named.update(headers)
    return web.Response(body=body, status=status, headers=named)


def etag(version: int) -> str:
    """A table's version as an entity tag: `"214"`, quotes included."""
    return f'"{version}"'
