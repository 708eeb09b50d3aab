"""Many at once: at one table, from one process or from eight, with keys, versions and lost replies."""

import asyncio
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from server.embedded import EmbeddedRedis
from server.table.state import TableState
from tests.e2e.prepared import prepared, store
from tests.e2e.serving import Answer, Player, Server, calling, serving
from tests.faults.proxy import Proxy

PROCESS = [sys.executable, "-m", "server", "--port", "0", "--log-level", "warning"]
LIMITS = ["--actions-burst", "10000", "--chat-burst", "10000", "--bot-delay", "0"]


@asynccontextmanager
async def process(redis_url: str, *flags: str) -> AsyncIterator[Server]:
    """A server in a process of its own."""
    child = await asyncio.create_subprocess_exec(
        *PROCESS, "--redis-url", redis_url, *LIMITS, *flags, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert child.stdout is not None
        async with asyncio.timeout(30):
            hello = (await child.stdout.readline()).decode()
        async with calling(hello.split()[4]) as server:
            yield server
    finally:
        if child.returncode is None:
            child.send_signal(signal.SIGTERM)
        async with asyncio.timeout(15):
            await child.wait()


async def at_once(*asked: Awaitable[Answer]) -> list[Answer]:
    return await asyncio.gather(*asked)


def codes(answers: list[Answer]) -> Counter[str]:
    return Counter("200" if answer.status == 200 else answer.code for answer in answers)


async def contiguous(server: Server, table: str) -> list[int]:
    """The numbers of all stored events, which must have no gap."""
    numbers = [number for number, _ in await server.services.store.events(table)]
    assert numbers == list(range(1, len(numbers) + 1))
    return numbers


@asynccontextmanager
async def playing(server: Server) -> AsyncIterator[tuple[list[Player], TableState]]:
    """A table where seat 1 is to lead the two of clubs."""
    seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
    yield seats, await store(prepared("playing", seats), server.services.store)


async def test_twenty_join_eleven_seats_at_once_and_nobody_sits_on_another(redis_url: str) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(redis_url)) for _ in range(3)]
        host = await servers[0].player("Host")
        table = await host.make_table(11)
        players = [await servers[0].player(f"P{number}") for number in range(20)]
        answers = await at_once(
            *(player.at(servers[number % 3]).act(table, "join") for number, player in enumerate(players))
        )
        assert codes(answers) == {"200": 10, "table_full": 10}
        seats = [answer.json["me"]["seat"] for answer in answers if answer.status == 200]
        assert sorted(seats) == list(range(1, 11))
        view = await host.view(table)
        names = {seat["seat"]: seat["name"] for seat in view["seats"]}
        for player, answer in zip(players, answers, strict=True):
            if answer.status == 200:
                assert names[answer.json["me"]["seat"]] == player.name
        assert len(await contiguous(servers[0], table)) == 11


async def test_twenty_ask_for_the_same_seat_and_one_gets_it(redis_url: str) -> None:
    async with serving(redis_url) as server:
        table = await (await server.player("Host")).make_table(11)
        players = [await server.player(f"P{number}") for number in range(20)]
        answers = await at_once(*(player.act(table, "join", seat=5) for player in players))
        assert codes(answers) == {"200": 1, "seat_taken": 19}


async def test_of_fifty_equal_plays_at_once_one_leaves_the_hand(redis_url: str) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(redis_url)) for _ in range(2)]
        async with playing(servers[0]) as (seats, stored):
            answers = await at_once(
                *(seats[1].at(servers[n % 2]).act(stored.id, "play", card="2C", turn=0) for n in range(50))
            )
            assert codes(answers) == {"200": 1, "stale_turn": 49}
            view = await seats[1].view(stored.id)
            assert (len(view["me"]["cards"]), view["version"]) == (16, stored.version + 1)


async def test_of_fifty_different_cards_at_once_one_leaves_the_hand(redis_url: str) -> None:
    async with serving(redis_url) as server, playing(server) as (seats, stored):
        await seats[1].do(stored.id, "play", card="2C", turn=0)
        view = await seats[2].view(stored.id)
        legal = view["me"]["legal"]
        answers = await at_once(
            *(seats[2].act(stored.id, "play", card=legal[n % len(legal)], turn=1) for n in range(50))
        )
        assert codes(answers)["200"] == 1
        assert len((await seats[2].view(stored.id))["me"]["cards"]) == 16


async def test_repeats_with_a_key_are_one_event_and_all_are_answered(redis_url: str) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(redis_url)) for _ in range(2)]
        async with playing(servers[0]) as (seats, stored):
            key = {"Idempotency_Key": "k1"}
            answers = await at_once(
                *(seats[1].at(servers[n % 2]).act(stored.id, "play", key, card="2C", turn=0) for n in range(20))
            )
            assert codes(answers) == {"200": 20}
            assert len(await contiguous(servers[0], stored.id)) == stored.version + 1
            said = await at_once(
                *(seats[0].act(stored.id, "say", {"Idempotency_Key": "s"}, text="x") for _ in range(9))
            )
            assert codes(said) == {"200": 9}
            assert len(await contiguous(servers[0], stored.id)) == stored.version + 2


async def test_a_repeat_after_the_turn_has_moved_on_answers_the_view(redis_url: str) -> None:
    async with serving(redis_url) as server, playing(server) as (seats, stored):
        key = {"Idempotency_Key": "k1"}
        await seats[1].act(stored.id, "play", key, card="2C", turn=0)
        view = await seats[2].view(stored.id)
        after = await seats[2].step(stored.id, view)
        again = await seats[1].act(stored.id, "play", key, card="2C", turn=0)
        assert (again.status, again.json["version"]) == (200, after["version"])
        # Another player's key of the same name is another key, and a refused action does not burn its own.
        assert (await seats[0].act(stored.id, "play", key, card="QS", turn=0)).code == "stale_turn"
        view = await seats[0].view(stored.id)
        assert (await seats[0].act(stored.id, "play", key, card=view["me"]["legal"][0], turn=2)).status == 200


async def test_a_repeated_leave_of_a_closed_table_shows_nothing_new(redis_url: str) -> None:
    async with serving(redis_url) as server:
        seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
        stored = await store(prepared("playing", seats, spectators="none"), server.services.store)
        key = {"Idempotency_Key": "bye"}
        assert (await seats[2].act(stored.id, "leave", key)).status == 200
        assert (await seats[2].act(stored.id, "leave", key)).code == "no_spectators"


async def test_if_match_refuses_what_was_decided_on_an_older_view(redis_url: str) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(redis_url)) for _ in range(2)]
        async with playing(servers[0]) as (seats, stored):
            old = await seats[1].act(stored.id, "say", {"If_Match": f'"{stored.version - 1}"'}, text="x")
            assert (old.status, old.code, old.json["version"]) == (412, "version_moved", stored.version)
            version = stored.version
            for turn in range(20):  # each version comes from the other process, its hint perhaps still under way
                player = seats[1].at(servers[turn % 2])
                said = await player.act(stored.id, "say", {"If_Match": f'"{version}"'}, text="x")
                assert said.status == 200
                version = said.json["version"]
            answers = await at_once(
                *(
                    seats[1].at(servers[n % 2]).act(stored.id, "say", {"If_Match": f'"{version}"'}, text="y")
                    for n in range(10)
                )
            )
            assert codes(answers) == {"200": 1, "version_moved": 9}


async def test_a_process_that_has_not_heard_yet_refuses_nothing_that_is_right(redis_url: str) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(serving(redis_url)) for _ in range(2)]
        async with playing(servers[0]) as (seats, stored):
            for server in servers:
                await seats[0].at(server).view(stored.id)
            servers[1].services.held.on_hint = lambda table_id, version: False  # type: ignore[method-assign]
            view = (await seats[1].act(stored.id, "play", card="2C", turn=0)).json
            for _ in range(5):
                seat = view["hand"]["turn"]
                mine = await seats[seat].view(stored.id)
                played = (
                    await seats[seat]
                    .at(servers[1])
                    .act(stored.id, "play", card=mine["me"]["legal"][0], turn=mine["hand"]["turn_number"])
                )
                assert played.status == 200, played.body
                seat = played.json["hand"]["turn"]
                mine = await seats[seat].at(servers[0]).view(stored.id, f"?after={played.json['version'] - 1}&wait=5")
                view = (
                    await seats[seat].act(
                        stored.id, "play", card=mine["me"]["legal"][0], turn=mine["hand"]["turn_number"]
                    )
                ).json
            # A reader ahead of this process is not answered with what it has already left behind.
            late = await seats[0].at(servers[1]).get(f"/v1/tables/{stored.id}?after={view['version']}")
            assert late.status == 304


async def test_a_lost_reply_is_found_again_by_the_same_act(embedded_redis: EmbeddedRedis, redis_url: str) -> None:
    async with (
        Proxy(redis_url.removeprefix("unix://")) as proxy,
        serving(f"redis://127.0.0.1:{proxy.port}") as server,
        playing(server) as (seats, stored),
    ):
        await seats[1].view(stored.id)
        proxy.cut_before_reply(b"2C")
        played = await seats[1].act(stored.id, "play", {"Idempotency_Key": "k"}, card="2C", turn=0)
        assert (played.status, played.json["version"]) == (200, stored.version + 1)
        assert proxy.cuts == 1
        again = await seats[1].act(stored.id, "play", {"Idempotency_Key": "k"}, card="2C", turn=0)
        assert (again.status, again.json["version"]) == (200, stored.version + 1)
        await contiguous(server, stored.id)


async def eight_applications(redis_url: str, stack: AsyncExitStack) -> list[Server]:
    return [await stack.enter_async_context(serving(redis_url)) for _ in range(8)]


async def eight_processes(redis_url: str, stack: AsyncExitStack) -> list[Server]:
    workers, *singles = await asyncio.gather(
        stack.enter_async_context(process(redis_url, "--workers", "4")),
        *(stack.enter_async_context(process(redis_url)) for _ in range(4)),
    )
    return [workers] * 4 + singles


@pytest.mark.parametrize("started", [eight_applications, pytest.param(eight_processes, marks=pytest.mark.slow)])
async def test_eight_race_on_one_table_and_versions_are_contiguous(
    redis_url: str, started: Callable[[str, AsyncExitStack], Awaitable[list[Server]]]
) -> None:
    each = 12
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(serving(redis_url))
        servers = await started(redis_url, stack)
        players = [await here.player(f"P{number}") for number in range(8)]
        table = await players[0].make_table(8, rules={"hands": 1})
        for player in players[1:]:
            await player.do(table, "join")
        watching = await stack.enter_async_context(players[0].at(servers[5]).stream(table))

        async def talk(player: Player) -> list[int]:
            versions = []
            for number in range(each):
                said = await player.act(table, "say", {"Idempotency_Key": f"k{number}"}, text=f"{player.name}/{number}")
                assert said.status == 200, said.body
                versions.append(said.json["version"])
            return versions

        spoken = await asyncio.gather(
            *(talk(player.at(server)) for player, server in zip(players, servers, strict=True))
        )
        for versions in spoken:
            assert versions == sorted(versions)
        numbers = await contiguous(here, table)
        assert len(numbers) >= 8 + 8 * each
        await watching.reach(numbers[-1])
        said = [message["text"] for _, message in watching.messages if message["type"] == "said"]
        assert Counter(said) == Counter(f"P{player}/{number}" for player in range(8) for number in range(each))
        assert watching.versions == list(range(watching.versions[0], numbers[-1] + 1))
        # And a whole hand, every seat calling another process.
        view = await players[0].do(table, "start")
        seated: list[Callable[[], Player]] = [lambda p=p, s=s: p.at(s) for p, s in zip(players, servers, strict=True)]
        while view["table"]["phase"] != "over":
            if view["table"]["phase"] == "passing":
                seat = next(seat["seat"] for seat in view["seats"] if not seat["passed"])
            else:
                seat = view["hand"]["turn"]
            player = seated[seat]()
            mine = await player.view(table, f"?after={view['version'] - 1}&wait=5")
            assert mine["version"] >= view["version"]
            view = await player.step(table, mine)
        numbers = await contiguous(here, table)
        await watching.reach(numbers[-1])
        assert watching.versions == list(range(watching.versions[0], numbers[-1] + 1))
