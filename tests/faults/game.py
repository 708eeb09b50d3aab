"""One game that something happens to: set up, watched by everybody, played to its end, and held against the store."""

import asyncio
import contextlib
import itertools
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from server.clock import now
from tests.conditions import until
from tests.faults.ledger import Ledger, due, secrets_of, stored, unkept, unseen
from tests.faults.players import Caller, Human, Watcher

GAME_SECONDS = 40.0
"""How long a game may take, everything that happens to it included; far longer than it does."""

LONGEST_WAIT = 25.0
"""Seconds a game may stand still: what happens to it, and then a claim of due work that nobody kept."""

HUMANS = 3
_SEEN_SECONDS = 20.0


@dataclass
class Game:
    """A game in play. Set `lost` to the times (event loop's clock) between which acceptance may be lost.

    inside: what the servers know of it, told when it is stuck.
    """

    table: str
    ledger: Ledger
    humans: list[Human]
    watchers: list[Watcher]
    rng: random.Random
    hands: int
    lost: tuple[float, float | None] | None = None
    inside: Callable[[], object] = str
    playing: list[asyncio.Task[None]] = field(default_factory=list)

    async def reached(self, share: float) -> None:
        """Return when about this share of the cards the humans will play is played."""
        moment = asyncio.create_task(self.ledger.reached(round(share * 13 * self.hands * HUMANS)))
        done, _ = await asyncio.wait([moment, *self.playing], timeout=GAME_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        moment.cancel()
        for task in done:
            task.result()  # a player may have failed
        # Between two cards as well as right behind one.
        await asyncio.sleep(self.rng.uniform(0, 0.02))


@contextlib.asynccontextmanager
async def playing(
    urls: Sequence[str],
    redis_url: str,
    rng: random.Random,
    *,
    hands: int = 2,
    bots: int = 1,
    **settings: Any,
) -> AsyncIterator[Game]:
    """A game that has just started. Leaving waits for its end, then checks everything that was promised or shown."""
    ledger = Ledger()
    humans = [Human(urls, random.Random(rng.random()), ledger, seat) for seat in range(HUMANS)]
    async with aiohttp.ClientSession() as session:
        table = await _set_up(session, humans, {"hands": hands, "target": None}, HUMANS + bots, settings)
        watchers = [*humans, Watcher(urls, random.Random(rng.random()), ledger)]
        game = Game(table, ledger, humans, watchers, rng, hands)
        watching = [asyncio.create_task(watcher.watch(table)) for watcher in watchers]
        await until(lambda: all(watcher.segments for watcher in watchers))
        game.playing = [asyncio.create_task(human.play(table)) for human in humans]
        try:
            await humans[0].ask(
                session, "POST", f"/v1/tables/{table}/actions", {"action": "start"}, **{"Idempotency-Key": "start"}
            )
            yield game
            await _at_the_end(session, game, redis_url)
        finally:
            for task in (*watching, *game.playing):
                task.cancel()
            await asyncio.gather(*watching, *game.playing, return_exceptions=True)


async def _set_up(
    session: aiohttp.ClientSession, humans: list[Human], rules: dict[str, Any], seats: int, settings: dict[str, Any]
) -> str:
    for human in humans:
        await human.arrive(session)
    body = {"players": seats, "rules": rules, "fill": "easy", "nonce": humans[0].nonce, **settings}
    status, view = await humans[0].ask(session, "POST", "/v1/tables", body)
    assert status == 201, view
    table: str = view["table"]["id"]
    for human in humans[1:]:
        join = {"action": "join", "seat": human.seat, "nonce": human.nonce}
        status, view = await human.ask(session, "POST", f"/v1/tables/{table}/actions", join)
        assert status == 200, view
    return table


async def _at_the_end(session: aiohttp.ClientSession, game: Game, redis_url: str) -> None:
    ledger = game.ledger
    try:
        async with asyncio.timeout(GAME_SECONDS):
            await asyncio.gather(*game.playing)
    except TimeoutError:
        history, wrong = await stored(redis_url, game.table)
        state, inside = history.state, game.inside()
        last = [(entry.at, type(entry.event).__name__) for entry in history.entries[-3:]]
        raise AssertionError(
            f"the game is stuck in {state.phase} at {state.version}, waits for {state.to_act()} of {state.seats}, "
            f"last {last} at {now()}, due in {await due(redis_url, game.table)} ms; "
            f"servers {inside}; {ledger.answers}; {ledger.wrong}; {wrong}"
        ) from None
    history, wrong = await stored(redis_url, game.table)
    last = len(history.entries)
    with contextlib.suppress(TimeoutError):  # what they did not see is told below
        await until(lambda: all(watcher.position >= last for watcher in game.watchers), _SEEN_SECONDS)
    ledger.secrets += secrets_of(history)
    wrong += ledger.wrong
    wrong += unkept(history, ledger, *(game.lost or ()))
    for watcher in game.watchers:
        wrong += unseen(history, watcher.seat, watcher.segments, may_change=game.lost is not None)
    if history.state.phase != "over" or history.state.closed:
        wrong.append("the game did not end as it should")
    wrong += await _recorded(session, game)
    pause = max(after.at - before.at for before, after in itertools.pairwise(ledger.accepted))
    if pause > LONGEST_WAIT:
        wrong.append(f"the game stood still for {pause:.1f} s")
    streams = [f"{watcher.connections}/{len(watcher.segments)}" for watcher in game.watchers]
    print(f"{len(ledger.accepted)} accepted, {last} events, longest pause {pause:.1f} s", end=", ")
    print(f"answers {dict(ledger.answers)}, connections/views {' '.join(streams)}")
    assert not wrong, "\n".join(wrong)


async def _recorded(session: aiohttp.ClientSession, game: Game) -> list[str]:
    """What is wrong with the record."""
    someone: Caller = game.humans[0]
    _, record = await someone.ask(session, "GET", f"/v1/tables/{game.table}/record")
    _, checked = await someone.ask(session, "POST", "/v1/records/check", record)
    wrong = [] if checked["ok"] else [f"the record: {checked['differences']}"]
    if len(record["hands"]) != game.hands or record["result"] is None:
        wrong.append(f"the record has {len(record['hands'])} hands, result {record['result']}")
    return wrong
