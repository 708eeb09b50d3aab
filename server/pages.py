"""What the server shows of itself: the contract, a page to read it on, and what each problem means."""

import asyncio
import functools
import gzip
from importlib import resources
from typing import Any

import msgspec
from aiohttp import web

from server.encode import json_answer, json_bytes, to_json
from server.openapi import document
from server.problems import KINDS, Problem
from server.routes import ROUTES, Route

_MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
}
_ASSETS = ("docs.js", "swagger-ui-bundle.js", "swagger-ui.css")
_DOCUMENT: web.AppKey[dict[str, bytes]] = web.AppKey("document", dict)
_DESCRIPTION = """\
Hearts over a network for 3 to 11 players. Seats are numbered clockwise from 0; times are ISO-8601 UTC with
milliseconds. Ignore fields you do not know. Every refusal is `application/problem+json` with a stable `code`.
"""


class ProblemKind(msgspec.Struct, frozen=True):
    """What all problems of one code have in common."""

    type: str
    code: str
    status: int
    title: str


@functools.cache
def _file(name: str) -> tuple[bytes, bytes]:
    """A packaged file, as it is and packed."""
    data = resources.files("server").joinpath("static", name).read_bytes()
    return data, gzip.compress(data, mtime=0)


async def _serve(request: web.Request, name: str) -> web.Response:
    data, packed = await asyncio.to_thread(_file, name)  # packing the bundle takes a tenth of a second
    headers = {
        "Content-Type": _MEDIA_TYPES[name.rpartition(".")[2]],
        "Cache-Control": "public, max-age=3600",
        "Vary": "Accept-Encoding",
    }
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
        data = packed
    return web.Response(body=data, headers=headers)


async def index(request: web.Request) -> web.StreamResponse:
    """Handler of `/`: what this is, for whoever opens the address in a browser."""
    return await _serve(request, "index.html")


async def docs(request: web.Request) -> web.StreamResponse:
    """Handler of `/docs`."""
    return await _serve(request, "docs.html")


async def asset(request: web.Request) -> web.StreamResponse:
    """Handler of what `/docs` loads."""
    name = request.match_info["file"]
    if name not in _ASSETS:
        raise Problem("not_found", "There is no such file.")
    return await _serve(request, name)


async def openapi(request: web.Request) -> web.StreamResponse:
    """Handler of `/openapi.json`; the document is made when first asked for."""
    made = request.app[_DOCUMENT]
    if "json" not in made:
        routes = request.app[ROUTES]
        made["json"] = to_json(document(routes, title="Hearts", version="1", description=_DESCRIPTION))
    return json_bytes(made["json"])


def _kind(code: str) -> ProblemKind:
    kind = KINDS[code]
    return ProblemKind(f"/problems/{code}", code, kind.status, kind.title)


async def problems(request: web.Request) -> web.StreamResponse:
    """Handler of `/problems`."""
    return json_answer([_kind(code) for code in KINDS])


async def problem(request: web.Request) -> web.StreamResponse:
    """Handler of `/problems/{code}`: where every problem's `type` leads."""
    code = request.match_info["code"]
    if code not in KINDS:
        raise Problem("no_such_problem", "No problem has this code; /problems lists them all.")
    return json_answer(_kind(code))


ABOUT = "about"


def add_document(app: web.Application) -> None:
    """Make room for the document; the app's routes may still grow until it is first asked for."""
    app[_DOCUMENT] = {}


PAGES = (
    Route(method="GET", path="/", handler=index, summary="What this is", tag="", answers={200: "text/html"}),
    Route(method="GET", path="/docs", handler=docs, summary="This page", tag=ABOUT, answers={200: "text/html"}),
    Route(method="GET", path="/docs/{file}", handler=asset, summary="", tag="", answers={200: "text/css"}),
    Route(
        method="GET",
        path="/openapi.json",
        handler=openapi,
        summary="The contract as OpenAPI 3.1",
        tag=ABOUT,
        answers={200: dict[str, Any]},
    ),
    Route(
        method="GET",
        path="/problems",
        handler=problems,
        summary="Every problem there is",
        tag=ABOUT,
        answers={200: list[ProblemKind]},
    ),
    Route(
        method="GET",
        path="/problems/{code}",
        handler=problem,
        summary="What a problem's type means",
        tag=ABOUT,
        answers={200: ProblemKind},
        problems=(404,),
    ),
)
