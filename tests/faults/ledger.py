"""What clients were promised and what they saw, held against what is stored at the end."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from rules.events import Passed, Played
from server.link import Link
from server.snapshots import fold, restored
from server.store import Store
from server.table.events import Entry, Said, decode_entry
from server.table.state import TableState
from server.table.told import message

Kind = Literal["play", "pass", "moon", "say"]


class Act(Struct, frozen=True, kw_only=True):
    """An action as a player sent it. hand and turn are those of the view it answers to."""

    seat: int
    hand: int
    turn: int
    body: dict[str, Any]

    @property
    def kind(self) -> str:
        kind: str = self.body["action"]
        return kind


class Accepted(Struct, frozen=True):
    """An action that was answered 200, and when (seconds of the event loop's clock)."""

    act: Act
    at: float


class Seen(Struct):
    """What a stream showed since its last whole view: behind event `start`, these, numbered on without a gap."""

    start: int
    events: list[str]

    @property
    def position(self) -> int:
        return self.start + len(self.events)


class Ledger:
    """Everything a game's clients were told. `wrong`: what should not have been, in words."""

    def __init__(self) -> None:
        self.accepted: list[Accepted] = []
        self.refused_late: list[Act] = []
        self.sent: list[Act] = []
        self.answers: Counter[int] = Counter()
        self.wrong: list[str] = []
        self.secrets: list[str] = []
        self._moved = asyncio.Condition()

    async def accept(self, act: Act) -> None:
        """An action was answered 200."""
        self.accepted.append(Accepted(act, asyncio.get_running_loop().time()))
        async with self._moved:
            self._moved.notify_all()

    @property
    def plays(self) -> int:
        """How many cards were played and answered 200."""
        return sum(done.act.kind == "play" for done in self.accepted)

    async def reached(self, plays: int) -> None:
        """Return when so many cards were played by humans."""
        async with self._moved:
            await self._moved.wait_for(lambda: self.plays >= plays)

    def answered(self, status: int, headers: Any, what: str) -> None:
        """Note an answer; no answer may be a failure of the server's own."""
        self.answers[status] += 1
        if status >= 500 and status != 503:
            self.wrong.append(f"{what} was answered {status}")
        if status in (429, 503) and "Retry-After" not in headers:
            self.wrong.append(f"{what} was answered {status} without Retry-After")


class History(Struct, frozen=True):
    """A table as it is stored: its events in order, and what they fold to."""

    entries: tuple[Entry, ...]
    state: TableState


async def stored(redis_url: str, table_id: str) -> tuple[History, list[str]]:
    """Read a table from Redis itself; and what is wrong with it."""
    wrong = []
    async with Link(redis_url) as link:
        store = Store(link)
        events, kept = await store.events(table_id), await store.load(table_id)
    assert kept is not None, "the table is lost"
    numbers = [number for number, _ in events]
    if numbers != list(range(1, len(numbers) + 1)):
        wrong.append(f"the events are numbered {numbers}")
    if kept.version != len(numbers):
        wrong.append(f"the version is {kept.version} with {len(numbers)} events")
    state = fold(data for _, data in events)
    assert state is not None
    if restored(kept) != state:
        wrong.append("the snapshot is not what the events fold to")
    return History(tuple(decode_entry(data) for _, data in events), state), wrong


async def due(redis_url: str, table_id: str) -> float | None:
    """In how many milliseconds of Redis' clock a table is due by the index; None for never."""
    async with Link(redis_url) as link:
        (seconds, micros), at = await asyncio.gather(link.call("TIME"), link.call("ZSCORE", "hearts:due", table_id))
    return None if at is None else float(at) - int(seconds) * 1000 - int(micros) / 1000


def unkept(history: History, ledger: Ledger, since: float | None = None, until: float | None = None) -> list[str]:
    """Which promises were broken. What was accepted between `since` and `until` may be lost, as documented."""
    plays: dict[tuple[int, int], Played] = {}
    passes: dict[tuple[int, int], Passed] = {}
    said: Counter[str | None] = Counter()
    hand = 0
    for entry in history.entries:
        match entry.event:
            case Played():
                plays[hand, entry.event.turn] = entry.event
            case Passed():
                passes[hand, entry.event.seat] = entry.event
            case Said():
                said[entry.event.text] += 1
            case event if type(event).__name__ == "Dealt":
                hand += 1

    def is_kept(act: Act) -> bool:
        match act.kind:
            case "play":
                play = plays.get((act.hand, act.turn))
                return play is not None and (play.seat, play.card.value, play.by) == (
                    act.seat,
                    act.body["card"],
                    "human",
                )
            case "pass":
                passed = passes.get((act.hand, act.seat))
                return passed is not None and sorted(card.value for card in passed.cards) == sorted(act.body["cards"])
            case "say":
                return said[act.body["text"]] == 1
            case _:
                return True

    wrong = []
    for done in ledger.accepted:
        may_be_lost = since is not None and since <= done.at and (until is None or done.at <= until)
        if not may_be_lost and not is_kept(done.act):
            wrong.append(f"answered 200, not kept: {done.act}")
    # A look at a process that had not heard of an action yet may lead to the same one again, which is then refused.
    done_before = [done.act for done in ledger.accepted]
    wrong += [f"refused, yet done: {act}" for act in ledger.refused_late if is_kept(act) and act not in done_before]
    wrong += [f"said {times} times: {text}" for text, times in said.items() if times > 1]
    return wrong


def unseen(history: History, seat: int | None, segments: Sequence[Seen], may_change: bool) -> list[str]:
    """What a stream showed that is not so, or did not show. `may_change`: Redis lost events while it ran."""
    wrong = []
    last = len(history.entries)
    told = [message(number, entry, seat).decode() for number, entry in enumerate(history.entries, 1)]
    for place, segment in enumerate(segments):
        is_last = place == len(segments) - 1
        if is_last and segment.position != last:
            wrong.append(f"seat {seat} saw events until {segment.position} of {last}")
        if not may_change or is_last:
            for number, data in enumerate(segment.events, segment.start + 1):
                if number > last or data != told[number - 1]:
                    wrong.append(f"seat {seat} saw another event {number}: {data[:120]}")
    return wrong


def secrets_of(history: History) -> list[str]:
    """What of a table must be in no log: its secret, its seeds, nonces."""
    seeds = [event.seed for entry in history.entries if hasattr(event := entry.event, "seed")]
    nonces = [seat.nonce for seat in history.state.seats if seat.nonce]
    return [history.state.secret, *seeds, *nonces]


read_json = msgspec.json.decode
