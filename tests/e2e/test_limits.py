"""Every limit over HTTP: 429 with its own code and a Retry-After, and what stays possible."""

import asyncio
import threading
from ipaddress import ip_network

import pytest

from server.wiring import CHECKS_AT_ONCE
from tests.conditions import until
from tests.e2e.serving import Answer, serving


def limited(answer: Answer, code: str) -> None:
    assert (answer.status, answer.code) == (429, code), answer.body
    assert int(answer.headers["Retry-After"]) >= 1
    assert answer.json["retry_after"] == int(answer.headers["Retry-After"])


async def test_new_players_by_address(redis_url: str) -> None:
    async with serving(redis_url, players_burst=3, players_per_minute=1.0) as server:
        for _ in range(3):
            await server.player()
        limited(await server.stranger().post("/v1/players", {"name": "Eve"}), "too_many_players")
        assert (await server.stranger().post("/v1/players", {"name": ""})).status == 400


async def test_addresses_behind_a_trusted_proxy_are_told_apart_and_others_are_not_believed(redis_url: str) -> None:
    limits = {"players_burst": 1, "players_per_minute": 1.0}
    async with serving(redis_url, **limits, trusted_proxies=(ip_network("127.0.0.0/8"),)) as server:
        for address in ("203.0.113.1", "203.0.113.2"):
            made = await server.stranger().post("/v1/players", {"name": "Eve"}, X_Forwarded_For=address)
            assert made.status == 201
        again = await server.stranger().post("/v1/players", {"name": "Eve"}, X_Forwarded_For="203.0.113.1")
        limited(again, "too_many_players")
    async with serving(redis_url, **limits) as server:
        assert (await server.stranger().post("/v1/players", {"name": "Eve"}, X_Forwarded_For="192.0.2.1")).status == 201
        again = await server.stranger().post("/v1/players", {"name": "Eve"}, X_Forwarded_For="192.0.2.2")
        limited(again, "too_many_players")


async def test_actions_and_chat_by_player(redis_url: str) -> None:
    limits = {"actions_burst": 5, "actions_per_second": 0.1, "chat_burst": 2, "chat_per_minute": 1.0}
    async with serving(redis_url, **limits) as server:
        ada, ben = await server.player("Ada"), await server.player("Ben")
        table = await ada.make_table(4)
        await ada.do(table, "say", text="1")
        await ada.do(table, "say", text="2")
        limited(await ada.act(table, "say", text="3"), "too_much_chat")
        assert (await ada.act(table, "rematch")).code == "wrong_phase"
        limited(await ada.act(table, "rematch"), "too_many_actions")
        limited(await ada.post("/v1/tables", {"players": 4}), "too_many_actions")
        await ben.do(table, "join")
        assert (await ada.view(table))["seats"][1]["name"] == "Ben"


async def test_unknown_tables_by_address_and_known_ones_not(redis_url: str) -> None:
    async with serving(redis_url, lookups_burst=2, lookups_per_minute=1.0) as server:
        ada = await server.player("Ada")
        table = await ada.make_table(4)
        for _ in range(3):
            await ada.view(table)
        for _ in range(2):
            assert (await ada.get("/v1/tables/7QK2M4XR9TDP")).code == "no_such_table"
        for path in ("7QK2M4XR9TDP", "7QK2M4XR9TDP/record", "7QK2M4XR9TDP/events", "7QK2M4XR9TDP/hint"):
            limited(await ada.get(f"/v1/tables/{path}"), "too_many_lookups")


async def test_one_who_guesses_tables_does_not_end_the_games_of_the_house(redis_url: str) -> None:
    async with serving(redis_url, lookups_burst=2, lookups_per_minute=1.0) as server:
        ada, eve = await server.player("Ada"), await server.player("Eve")
        table = await ada.make_table(4, fill="easy")
        for _ in range(2):
            assert (await eve.get("/v1/tables/7QK2M4XR9TDP")).code == "no_such_table"
        await ada.view(table)
        await ada.do(table, "start")
        assert (await ada.get(f"/v1/tables/{table}/hint")).status == 200
        for other in (eve, server.stranger()):  # whether an id is known is not told
            limited(await other.get(f"/v1/tables/{table}"), "too_many_lookups")
        limited(await eve.act(table, "join"), "too_many_lookups")
        limited(await ada.get("/v1/tables/7QK2M4XR9TDP"), "too_many_lookups")


async def test_open_tables_by_player(redis_url: str) -> None:
    async with serving(redis_url, tables_per_player=2) as server:
        ada, ben = await server.player("Ada"), await server.player("Ben")
        own = [await ada.make_table(4) for _ in range(2)]
        bens = await ben.make_table(4)
        limited(await ada.post("/v1/tables", {"players": 4}), "too_many_tables")
        limited(await ada.act(bens, "join"), "too_many_tables")
        assert (await ada.act(bens, "start")).code == "not_seated"
        await ada.do(own[0], "close")
        await ada.do(bens, "join")
        await ada.do(bens, "join")  # seated there already
        limited(await ada.post("/v1/tables", {"players": 4}), "too_many_tables")
        await ada.do(bens, "leave")
        assert await ada.make_table(4)


async def test_a_body_and_its_words_have_a_size(redis_url: str) -> None:
    async with serving(redis_url) as server:
        ada = await server.player("Ada")
        table = await ada.make_table(4)
        large = await ada.post(f"/v1/tables/{table}/actions", b'{"action":"say","text":"' + b"x" * 16_400 + b'"}')
        assert (large.status, large.code) == (413, "body_too_large")
        for fields in ({"text": "x" * 201}, {"text": ""}, {"reaction": "x" * 17}):
            refused = await ada.act(table, "say", **fields)
            assert (refused.status, refused.code) == (400, "wrong_field")
        for body in ({"players": 2}, {"players": 12}, {"players": 4, "turn_seconds": 4}, {"players": 4, "seat": 4}):
            assert (await ada.post("/v1/tables", body)).code == "wrong_field"
        sense = await ada.post("/v1/tables", {"players": 5, "rules": {"packs": 3}})
        assert (sense.status, sense.code, sense.json["field"]) == (422, "rules_make_no_sense", "packs")


async def test_thirty_two_keys_of_a_player_are_remembered(redis_url: str) -> None:
    async with serving(redis_url) as server:
        ada = await server.player("Ada")
        table = await ada.make_table(4)
        for number in range(32):
            await ada.act(table, "say", {"Idempotency_Key": f"k{number}"}, text="x")
        version = (await ada.view(table))["version"]
        for number in range(32):
            again = await ada.act(table, "say", {"Idempotency_Key": f"k{number}"}, text="x")
            assert (again.status, again.json["version"]) == (200, version)
        refused = await ada.act(table, "say", {"Idempotency_Key": "with space"}, text="x")
        assert (refused.status, refused.code) == (400, "wrong_header")


async def test_the_lobby_is_paged_and_shows_listed_lobbies_only(redis_url: str) -> None:
    async with serving(redis_url) as server:
        ada = await server.player("Ada")
        made = [await ada.make_table(4, name=f"T{number}") for number in range(7)]
        await ada.make_table(4, listed=False)
        await ada.do(made[3], "close")
        playing = await ada.make_table(4, fill="easy")
        await ada.do(playing, "start")
        found, cursor = [], ""
        while cursor is not None:
            page = (await server.stranger().get(f"/v1/tables?limit=2{cursor and '&cursor=' + cursor}")).json
            found += [row["id"] for row in page["tables"]]
            cursor = page["next"]
        assert sorted(found) == sorted(set(made) - {made[3]})
        assert (await server.stranger().get("/v1/tables?cursor=x")).code == "wrong_query"


async def test_a_crowd_of_record_checks_leaves_threads_for_others(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    under_way: list[int] = []
    most: list[int] = []

    def check(data: bytes) -> list[str]:
        under_way.append(1)
        most.append(len(under_way))
        go_on.wait(30)
        under_way.pop()
        return []

    monkeypatch.setattr("server.handlers.records.check_json", check)
    async with serving(redis_url) as server:
        ada = await server.player("Ada")
        table = await ada.make_table(4, fill="easy")
        await ada.do(table, "start")
        asked = [asyncio.create_task(ada.post("/v1/records/check", {})) for _ in range(40)]
        try:
            await until(lambda: len(under_way) == CHECKS_AT_ONCE)
            assert (await ada.get(f"/v1/tables/{table}/record")).status == 200
        finally:
            go_on.set()
        assert {(await answer).status for answer in asked} == {200}
    assert max(most) == CHECKS_AT_ONCE
