"""The current code on what every released version has stored."""

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from server.admin.check import Check
from server.admin.desk import Desk
from server.config import Config
from server.embedded import EmbeddedRedis
from server.link import Link
from server.snapshots import decode_snapshot, fold
from tests.data.make_stored import STORED, TIMELESS
from tests.service import Person, server

RELEASES = sorted(path.name for path in STORED.iterdir())


@pytest.fixture(params=RELEASES)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the data directory a release has left."""
    shutil.copytree(STORED / request.param, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def expected(stored: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((stored / "expected.json").read_text())
    return found


@pytest_asyncio.fixture
async def desk(stored: Path) -> AsyncIterator[Desk]:
    async with EmbeddedRedis(stored) as redis, Link(redis.url) as link:
        yield Desk(link, Config())


def as_told(view: dict[str, Any]) -> dict[str, Any]:
    """A view without what passing time changes."""
    return {key: value for key, value in view.items() if key != "now"}


def includes(now: Any, then: Any) -> bool:
    """Whether everything told then is told now; later versions may tell more."""
    if isinstance(then, dict):
        return isinstance(now, dict) and all(key in now and includes(now[key], then[key]) for key in then)
    if isinstance(then, list):
        return isinstance(now, list) and len(now) == len(then) and all(map(includes, now, then))
    return bool(now == then)


async def test_everything_is_found_and_played_on(stored: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    async with server(tmp_path / "log", "--data-dir", str(stored), *TIMELESS) as process, Person(process.url) as eve:
        ada = Person(process.url)
        ada.token = expected["token"]
        try:
            assert (await ada.call("GET", "/v1/players/me"))["player_id"] == expected["player"]
            tables = expected["tables"]
            for table in tables.values():
                view = await ada.view(table)
                assert view is not None
                assert includes(as_told(view), as_told(expected["views"][table]))
            mine = await ada.call("GET", "/v1/players/me/tables")
            assert {row["id"] for row in mine["tables"]} == set(tables.values())
            listed = (await ada.call("GET", "/v1/tables"))["tables"]
            assert [row["id"] for row in listed] == [tables["lobby"]]
            record = await ada.call("GET", f"/v1/tables/{tables['over']}/record")
            assert includes(record, expected["record"])
            assert (await ada.call("POST", "/v1/records/check", expected["record"]))["ok"]

            await eve.act(tables["lobby"], "join")
            view = await ada.act(tables["lobby"], "start")
            assert view["table"]["phase"] == "passing"
            view = await ada.play(tables["middle"])
            assert view["result"]["reason"] == "hands"
            assert len(await eve.watch(tables["middle"])) == view["version"]
        finally:
            await ada._session.close()


async def test_what_is_stored_agrees_with_itself(desk: Desk, expected: dict[str, Any]) -> None:
    walk = Check(desk, settle=0)
    assert [finding async for finding in walk.findings()] == []
    assert walk.tables == len(expected["tables"])


async def test_fields_of_a_later_version_are_passed_over(desk: Desk, expected: dict[str, Any]) -> None:
    """Two versions work side by side: what is new to the older one does not stop it."""

    def with_more(value: Any) -> Any:
        if isinstance(value, dict):
            return {"a_field_of_the_future": [1, {"x": None}]} | {key: with_more(inner) for key, inner in value.items()}
        return value

    for table in expected["tables"].values():
        stored, events = await desk.store.whole(table)
        assert stored is not None
        state = fold(data for _, data in events)
        later = (
            msgspec.json.encode([at, with_more(event)])
            for at, event in (msgspec.json.decode(data) for _, data in events)
        )
        assert fold(later) == state
        schema, body = stored.snapshot[:2], msgspec.json.decode(stored.snapshot[2:])
        newer = schema + msgspec.json.encode({"a_field_of_the_future": 1, **body})
        assert decode_snapshot(newer) == state
