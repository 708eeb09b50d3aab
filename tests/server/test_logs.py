"""Log lines in both forms, and what they never hold."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator

import pytest
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.web import RequestPayloadError

from server.logs import RequestLine, configure


@pytest.fixture(autouse=True)
def _own_root() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def _line() -> RequestLine:
    return RequestLine(method="GET", route="/v1/tables/{id}", table="7QK2M4XR9TDP", status=200, ms=1.25, request="r-1")


async def test_json_lines() -> None:
    out = io.StringIO()
    requests = configure("json", "info", out)
    logging.getLogger("hearts.x").warning("hello %s", "you")
    requests.write(_line())
    await asyncio.sleep(0)
    first, second = map(json.loads, out.getvalue().splitlines())
    assert first == {"time": first["time"], "level": "warning", "logger": "hearts.x", "message": "hello you"}
    assert second == {
        "time": second["time"],
        "level": "info",
        "logger": "hearts.request",
        "message": "request",
        "method": "GET",
        "route": "/v1/tables/{id}",
        "table": "7QK2M4XR9TDP",
        "status": 200,
        "ms": 1.25,
        "request": "r-1",
    }
    assert second["time"].endswith("Z")
    assert len(second["time"]) == len("2026-11-30T20:15:03.123Z")


async def test_text_lines_of_one_tick_come_together() -> None:
    out = io.StringIO()
    requests = configure("text", "info", out)
    requests.write(_line())
    requests.write(_line())
    assert out.getvalue() == ""
    await asyncio.sleep(0)
    lines = out.getvalue().splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("hearts.request: GET /v1/tables/{id} 200 1.2ms table=7QK2M4XR9TDP request=r-1")


def test_requests_are_quiet_above_info() -> None:
    assert configure("text", "info", io.StringIO()).enabled
    assert not configure("text", "warning", io.StringIO()).enabled


async def test_a_closed_stream_fails_no_request() -> None:
    out = io.StringIO()
    requests = configure("text", "info", out)
    requests.write(_line())
    out.close()
    requests.flush()


def test_a_message_cannot_forge_a_line() -> None:
    out = io.StringIO()
    configure("text", "info", out)
    logging.getLogger("hearts.x").info("said: %s", "a\r\n2026 error fake")
    assert len(out.getvalue().splitlines()) == 1


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_error_comes_with_its_traceback(form: str) -> None:
    out = io.StringIO()
    configure(form, "info", out)  # type: ignore[arg-type]
    try:
        raise ValueError("oh")
    except ValueError:
        logging.getLogger("hearts.x").exception("failed")
    assert "ValueError: oh" in out.getvalue()
    if form == "json":
        assert len(out.getvalue().splitlines()) == 1


@pytest.mark.parametrize("level", ["info", "warning"])
@pytest.mark.parametrize("error", [BadHttpMessage, RequestPayloadError])
def test_the_bytes_of_a_malformed_request_stay_out(error: type[Exception], level: str) -> None:
    out = io.StringIO()
    configure("text", level, out)
    try:
        raise error("b'Authorization: Bearer secret\\x00'")
    except error:
        logging.getLogger("aiohttp.server").exception("Error handling request from %s", "::1")
    assert "Traceback" not in out.getvalue()
    assert "secret" not in out.getvalue()
    assert ("malformed" in out.getvalue()) == (level == "info")
