"""Hard bots think in workers: in time, without holding up the event loop, and gone when the server is gone."""

import asyncio
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rules.commands import PlayCard
from rules.ruleset import RuleSet
from rules.view import Seen, seen
from server.bots import Bots, Level, choose, pool
from tests.server.bots.test_playout import position


def a_choice(players: int = 8) -> Seen:
    """What a seat sees that has several legal cards."""
    rng = random.Random(players)
    rules = RuleSet.resolve(None, players)
    while True:
        reached = position(rules, rng)
        if reached is not None:
            known = seen(reached[0], reached[2])
            assert known.view.me is not None
            if len(known.view.me.legal) > 3:
                return known


async def ready(bots: Bots) -> None:
    bots.warm()
    while bots._warming is not None:
        await asyncio.wait([bots._warming])
    assert bots._pool is not None


@pytest.fixture
async def bots() -> AsyncIterator[Bots]:
    failures: list[Level] = []
    async with Bots(failures.append, playouts=200) as players:
        await ready(players)
        yield players
    assert multiprocessing.active_children() == []


async def test_a_worker_finds_what_the_search_finds(bots: Bots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "BUDGET", 30)
    known = a_choice()
    chosen = await bots.choose_for("hard", known, 7, by="timeout")
    expected = choose("hard", known, 7, "timeout", playouts=200)
    assert chosen == expected


async def test_until_the_workers_are_ready_normal_answers() -> None:
    known = a_choice()
    async with Bots() as bots:
        assert await bots.choose_for("hard", known, 7) == choose("normal", known, 7)


async def test_no_answer_is_late_and_none_is_missing_when_many_ask(bots: Bots) -> None:
    known = a_choice()
    bots._playouts = 10**6
    start = time.monotonic()
    answers = await asyncio.gather(*(bots.choose_for("hard", known, seed) for seed in range(50)))
    assert time.monotonic() - start < 10 * pool.BUDGET
    assert all(answer == choose("normal", known, 0) for answer in answers)


async def test_the_event_loop_runs_while_a_bot_thinks(bots: Bots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "BUDGET", 30)
    known = a_choice()
    thought = asyncio.create_task(bots.choose_for("hard", known, 7))
    turns = 0
    while not thought.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 10


async def test_a_dead_worker_is_replaced(bots: Bots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "BUDGET", 30)
    known = a_choice()
    failures: list[Level] = []
    bots._failed = failures.append
    for worker in multiprocessing.active_children():
        worker.kill()
        worker.join()
    assert await bots.choose_for("hard", known, 7) == choose("normal", known, 7)
    assert failures == ["hard"]
    await ready(bots)
    assert isinstance(await bots.choose_for("hard", known, 7), PlayCard)
    assert failures == ["hard"]


PARENT = """
import asyncio, multiprocessing
from server.bots import Bots

async def main():
    bots = Bots()
    bots.warm()
    await bots._warming
    print(*[worker.pid for worker in multiprocessing.active_children()], flush=True)
    await asyncio.sleep(3600)

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_workers_do_not_outlive_a_killed_server(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    paths = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    ) as parent:
        assert parent.stdout is not None
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        assert workers
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert parent.stdout.read() == "", "the pipe closes when the last worker is gone"
    assert not any(Path(f"/proc/{pid}").exists() and _alive(pid) for pid in workers)


def _alive(pid: int) -> bool:
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
