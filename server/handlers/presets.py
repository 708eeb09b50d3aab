"""The rule sets, worked out and explained."""

from typing import Annotated, Literal

from aiohttp import web
from msgspec import Meta

from rules.ruleset import PRESETS, RuleSet, preset_players
from server import decode
from server.encode import json_answer
from server.guide import guide
from server.presets import PresetList, PresetTable, PresetView, preset_list, preset_table, preset_view
from server.problems import Problem
from server.routes import Route

Players = Annotated[int, Meta(ge=3, le=11, description="table size, 3 to 11")]


class ForPlayers(decode.Asked, frozen=True):
    """For which table size; without it the preset in general."""

    players: Players | None = None


class GuideFor(decode.Asked, frozen=True):
    """For which table size (by default one the preset is usual for), in which language."""

    players: Players | None = None
    lang: Literal["en", "es"] = "en"


async def presets(request: web.Request) -> web.StreamResponse:
    """All presets."""
    return json_answer(preset_list())


async def preset(request: web.Request) -> web.StreamResponse:
    """One preset, worked out when `players` is given."""
    name = _name(request)
    players = decode.query(request, ForPlayers).players
    return json_answer(preset_view(name) if players is None else preset_table(name, players))


async def preset_guide(request: web.Request) -> web.StreamResponse:
    """The rules of one preset at one table size, for people."""
    name = _name(request)
    query = decode.query(request, GuideFor)
    players = query.players
    if players is None:
        players = next(iter((*preset_view(name).default_for, *preset_players(name))))
    page = guide(RuleSet.resolve(name, players), name, query.lang)
    return web.Response(text=page, content_type="text/markdown", headers={"Content-Language": query.lang})


def _name(request: web.Request) -> str:
    name = request.match_info["preset"]
    if name not in PRESETS:
        raise Problem("no_such_preset", f"There is no preset {name[:40]!r}; there are {', '.join(PRESETS)}.")
    return name


_TAG = "presets"
ROUTES = (
    Route(
        method="GET",
        path="/v1/presets",
        handler=presets,
        summary="The rule sets",
        tag=_TAG,
        answers={200: PresetList},
    ),
    Route(
        method="GET",
        path="/v1/presets/{preset}",
        handler=preset,
        summary="A rule set; with `players` everything worked out",
        tag=_TAG,
        query=ForPlayers,
        answers={200: PresetView | PresetTable},
        problems=(404, 422),
    ),
    Route(
        method="GET",
        path="/v1/presets/{preset}/guide",
        handler=preset_guide,
        summary="The rules of exactly that table on one page",
        tag=_TAG,
        query=GuideFor,
        answers={200: "text/markdown"},
        problems=(404, 422),
    ),
)
