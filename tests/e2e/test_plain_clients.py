"""The client's line mode against the real server: two people and bots, a rematch, and somebody looking on."""

import asyncio
import queue
import re
from collections.abc import Iterator
from pathlib import Path

from client_cli.api import Api
from client_cli.plain import PlainTable
from tests.service import server


class Person:
    """Answers what the lines ask for: the first cards offered, one rematch, then the end."""

    def __init__(self, address: str, name: str) -> None:
        self.api = Api(address)
        self.api.token = self.api.create_player(name).json()["token"]
        self.said: list[str] = []
        self._typed: queue.Queue[str] = queue.Queue()
        self._asked_again = False

    def __iter__(self) -> Iterator[str]:
        while True:
            line = self._typed.get(timeout=60)
            yield f"{line}\n"
            if line == "quit":
                return

    def play(self, table: str) -> None:
        plain = PlainTable(self.api, table, self._hear)
        plain.run(self)
        assert plain.left is None
        self.api.close()

    @property
    def tables(self) -> list[str]:
        """The tables this person came to."""
        return re.findall(r"^Table (\w{12}):", "\n".join(self.said), re.MULTILINE)

    def _hear(self, line: str) -> None:
        self.said.append(line)
        if line.startswith("Your hand"):
            asked = self.said[-2]
            passing = asked.startswith("Type the")
            self._typed.put("pass 1 2 3" if passing else asked.rsplit(": ", 1)[1].split()[0].rstrip("."))
        elif line.startswith("Type start"):
            self._typed.put("start")
        elif line.startswith("Type rematch"):
            self._typed.put("quit" if self._asked_again else "rematch")
            self._asked_again = True


async def test_two_people_play_and_play_again_while_somebody_looks_on(tmp_path: Path) -> None:
    async with server(tmp_path / "log", "--data-dir", str(tmp_path / "data")) as running:
        ada, bob, eve = (Person(running.url, name) for name in ("Ada", "Bob", "Eve"))
        body = {"players": 4, "fill": "easy", "rules": {"hands": 1, "target": None}}
        table = str(ada.api.create_table(body).json()["table"]["id"])
        bob.api.act(table, {"action": "join"}, "join")
        async with asyncio.timeout(100):
            looking = asyncio.create_task(asyncio.to_thread(eve.play, table))
            try:
                await asyncio.gather(*(asyncio.to_thread(person.play, table) for person in (ada, bob)))
            finally:
                eve._typed.put("quit")  # or her thread would wait for ever
            await looking
    assert ada.tables == bob.tables
    assert len(set(ada.tables)) == 2
    for person in (ada, bob):
        assert sum("The game is over" in line for line in person.said) == 2
        assert sum(" the trick: " in line for line in person.said) == 26
    # What was played is open; what was dealt, passed or received is not for somebody looking on.
    assert eve.tables == [table]
    assert sum(" the trick: " in line for line in eve.said) == 13
    assert not any("Your hand" in line or "You " in line for line in eve.said)
