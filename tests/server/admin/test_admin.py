"""`hearts-admin` on a running service."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.server.admin.conftest import Admin, Service
from tests.service import Person, server, until

SECRET = re.compile(r"\b[0-9a-f]{64}\b")
CARD = re.compile(r'"(?:10|[2-9TJQKA])[CDHS]"')


def lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


async def run(admin: Admin, *words: str, fails: bool = False) -> str:
    return await asyncio.to_thread(admin, *words, fails=fails)


async def is_banned(person: Person) -> bool:
    try:
        await person.call("GET", "/v1/players/me")
    except ValueError as problem:
        return bool(problem.args[0]["code"] == "banned")
    return False


async def test_tables_are_listed_by_phase(service: Service, admin: Admin) -> None:
    listed = lines(await run(admin, "tables", "list"))
    assert {row["table"]: row["phase"] for row in listed}.items() >= {
        (service.lobby, "lobby"),
        (service.over, "over"),
    }
    assert [row["table"] for row in lines(await run(admin, "tables", "list", "--phase", "over"))] == [service.over]


async def test_what_is_shown_of_a_table_tells_no_secret(service: Service, admin: Admin) -> None:
    shown = await run(admin, "tables", "show", service.playing.lower())
    sheet = json.loads(shown)
    assert sheet["table"]["phase"] in ("passing", "playing")
    assert sheet["events"]["dealt"] == 1
    assert sheet["seats"][0]["player"] == service.person.player
    assert sheet["memory_bytes"] > 1_000
    for output in (shown, await run(admin, "tables", "list"), await run(admin, "players", "list")):
        assert not SECRET.search(output)
        assert not CARD.search(output)
        assert service.person.token not in output


async def test_a_closed_table_tells_everybody_and_leaves_the_lobby(service: Service, admin: Admin) -> None:
    watching = asyncio.create_task(service.person.watch(service.playing))
    await run(admin, "tables", "close", service.playing)
    await run(admin, "tables", "close", service.lobby)
    events = await watching
    assert [event["type"] for event in events[-2:]] == ["closed", "game_over"]
    assert events[-2]["reason"] == "operator"
    view = await service.person.view(service.lobby)
    assert view is not None
    assert view["table"]["phase"] == "over"
    page = await service.person.call("GET", "/v1/tables")
    assert page["tables"] == []
    assert "over already" in await run(admin, "tables", "close", service.lobby, fails=True)
    assert "no table" in await run(admin, "tables", "close", "000000000000", fails=True)
    assert "is no table id" in await run(admin, "tables", "close", "nonsense", fails=True)


async def test_a_banned_player_is_refused_at_once_and_may_come_back(service: Service, admin: Admin) -> None:
    player = service.person.player
    [row] = lines(await run(admin, "players", "list"))
    assert (row["player"], row["name"], row["banned"]) == (player, "Ada", False)

    async def welcome() -> bool:
        return not await is_banned(service.person)

    await run(admin, "players", "ban", player.lower())
    # by the hint, long before a server asks again by itself
    await until(lambda: is_banned(service.person), seconds=2)
    assert [row["player"] for row in lines(await run(admin, "players", "list", "--banned"))] == [player]
    await run(admin, "players", "unban", player)
    await until(welcome, seconds=2)
    assert "no player" in await run(admin, "players", "ban", "NOBODY", fails=True)


async def test_a_ban_holds_after_a_token_that_was_just_replaced(service: Service, admin: Admin) -> None:
    made = await service.person.call("POST", "/v1/players/me/token")
    service.person.token = made["token"]
    await run(admin, "players", "ban", service.person.player)
    await until(lambda: is_banned(service.person), seconds=2)


async def test_stats_count_everything(service: Service, admin: Admin) -> None:
    stats = json.loads(await run(admin, "stats"))
    assert stats["tables"] == 3
    assert stats["phases"]["lobby"] == stats["phases"]["over"] == stats["listed"] == stats["players"] == 1
    assert stats["humans_seated"] == 2
    assert stats["banned"] == 0
    assert stats["redis_bytes"] > stats["table_bytes"] > 0


async def test_records_go_out_and_come_back_the_same(
    service: Service, admin: Admin, redis_url: str, tmp_path: Path
) -> None:
    assert "2 records" in await run(admin, "export", "--all", "-o", str(tmp_path / "out"))
    told = await service.person.call("GET", f"/v1/tables/{service.over}/record")
    path = tmp_path / "out" / f"{service.over}.json"
    assert json.loads(path.read_text()) == told

    assert "is there already" in await run(admin, "import", str(path), fails=True)
    with redis.Redis.from_url(redis_url) as client:
        client.delete(*client.keys(f"*{service.over}*"))
    await run(admin, "import", str(path))
    view = await service.person.view(service.over)
    assert view is not None
    assert view["result"] == told["result"]
    assert await service.person.call("GET", f"/v1/tables/{service.over}/record") == told
    await run(admin, "check", "--settle", "0.1")


async def test_a_closed_game_comes_back_too(service: Service, admin: Admin, redis_url: str, tmp_path: Path) -> None:
    await run(admin, "tables", "close", service.playing)
    await run(admin, "export", service.playing, "-o", str(tmp_path))
    path = tmp_path / f"{service.playing}.json"
    told = json.loads(path.read_text())
    assert told["result"]["reason"] == "closed"
    with redis.Redis.from_url(redis_url) as client:
        client.delete(*client.keys(f"*{service.playing}*"))
    await run(admin, "import", str(path))
    await run(admin, "export", service.playing, "-o", str(tmp_path / "again"))
    assert json.loads((tmp_path / "again" / path.name).read_text()) == told


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda record: record | {"result": None}, "result"),
        (lambda record: record | {"format": "other"}, "format"),
        (lambda record: record | {"commitment": "0" * 64}, "hands[0].seed"),
        (lambda record: record | {"table": "x"}, "no table id"),
    ],
)
async def test_what_is_no_finished_game_is_not_taken_in(
    service: Service, admin: Admin, tmp_path: Path, change: Any, says: str
) -> None:
    told = await service.person.call("GET", f"/v1/tables/{service.over}/record")
    path = tmp_path / "record.json"
    path.write_text(json.dumps(change(told)))
    output = await run(admin, "import", str(path), fails=True)
    assert says in output
    assert "1 of 1 records were not taken in" in output


async def test_a_server_is_drained(service: Service, admin: Admin) -> None:
    pid = service.process.process.pid
    assert "has ended" in await run(admin, "drain", str(pid))
    assert await service.process.process.wait() == 0
    assert "no hearts-server" in await run(admin, "drain", "1", fails=True)


async def test_a_redis_that_is_away_is_said_in_one_line() -> None:
    output = await run(Admin("redis://127.0.0.1:1"), "stats", fails=True)
    assert output == "hearts-admin: Redis does not answer at 127.0.0.1:1.\n"
    assert "data directory" in await run(Admin(""), "--data-dir", "/nowhere", "stats", fails=True)


async def test_an_embedded_server_is_looked_at_while_it_runs_and_after(tmp_path: Path) -> None:
    data = ("--data-dir", str(tmp_path / "data"))
    admin = Admin("")
    async with server(tmp_path / "log", *data) as process, Person(process.url) as person:
        table = await person.create()
        assert [row["table"] for row in lines(await run(admin, *data, "tables", "list"))] == [table]
        await process.stop()
    assert [row["table"] for row in lines(await run(admin, *data, "tables", "list"))] == [table]
    assert "0 findings left" in await run(admin, *data, "check")
