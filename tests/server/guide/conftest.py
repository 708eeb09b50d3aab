"""Guides taken apart again, so that what they say can be compared with the rules."""

import re
from collections.abc import Callable

import msgspec
import pytest

from rules.cards import Card, parse_card
from rules.ruleset import RuleSet
from server.guide import guide

WORDS = {
    "en": {
        "packs": "Packs",
        "cards": "Cards in the deck",
        "each": "Cards each",
        "added": "Added",
        "removed": "Taken out",
        "kitty": "Left over, in the kitty",
        "points": "Points in a hand",
        "hand": r"^- Hand (\d+): (.*)$",
        "nothing": "nothing",
        "joker": "joker",
    },
    "es": {
        "packs": "Barajas",
        "cards": "Cartas en el mazo",
        "each": "Cartas por jugador",
        "added": "Se añade",
        "removed": "Se quita",
        "kitty": "Sobran, para la viuda",
        "points": "Puntos por mano",
        "hand": r"^- Mano (\d+): (.*)$",
        "nothing": "nada",
        "joker": "comodín",
    },
}

LEFT = {"en": ("left", "right"), "es": ("izquierda", "derecha")}
ACROSS = {"en": "opposite", "es": "enfrente"}
HOLD = {"en": "nobody passes", "es": "no se pasa"}


class Drawn(msgspec.Struct):
    """A trick read back from its drawing."""

    names: list[str]
    cards: list[Card]
    cancelled: list[bool]
    taker: int | None


class Page(msgspec.Struct):
    """A guide, its title, and the text of each section by its heading."""

    language: str
    text: str
    title: str
    sections: dict[str, str]

    def label(self, name: str) -> str:
        """What stands after a label of the deck section."""
        found = re.search(rf"^- {re.escape(WORDS[self.language][name])}: (.*)$", self.text, re.MULTILINE)
        assert found, name
        return found[1]

    def pile(self, name: str) -> list[Card]:
        """The cards that stand after a label, `2♣ ×2` as two."""
        words = self.label(name)
        if words == WORDS[self.language]["nothing"]:
            return []
        cards: list[Card] = []
        for item in words.split(", "):
            face, _, copies = item.partition(" ×")
            card = Card.JK if face == WORDS[self.language]["joker"] else parse_card(face)
            cards += [card] * int(copies or 1)
        return cards

    def cycle(self, players: int) -> list[int]:
        """The pass of each hand of the cycle, as offsets; [] where none is listed."""
        hands = re.findall(WORDS[self.language]["hand"], self.text, re.MULTILINE)
        assert [int(number) for number, _ in hands] == list(range(1, len(hands) + 1))
        return [self._offset(words, players) for _, words in hands]

    def _offset(self, words: str, players: int) -> int:
        left, right = LEFT[self.language]
        if words == HOLD[self.language]:
            return 0
        if ACROSS[self.language] in words:
            return players // 2
        number = re.search(r"\d+", words)
        distance = int(number[0]) if number else 1
        assert (left in words) != (right in words), words
        return distance if left in words else -distance

    def table(self) -> tuple[list[tuple[str, int, int, int]], int]:
        """The rows of the score table (card, worth, copies, together) and its total."""
        rows = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in self.text.splitlines()
            if line.startswith("|")
        ]
        *body, total = rows[2:]
        return [(card, int(worth), int(copies), int(all_)) for card, worth, copies, all_ in body], int(total[3])

    def drawings(self) -> list[Drawn]:
        """Every drawn trick."""
        return [_drawn(block) for block in re.findall(r"```\n(.*?)\n```", self.text, re.DOTALL)]


def _drawn(block: str) -> Drawn:
    lines = block.splitlines()
    takers = [at for at, line in enumerate(lines) if "★" in line]
    assert len(takers) <= 1
    return Drawn(
        names=[line.split()[0] for line in lines],
        cards=[parse_card(line.split()[1]) for line in lines],
        cancelled=["✗" in line for line in lines],
        taker=takers[0] if takers else None,
    )


Read = Callable[[RuleSet, str | None, str], Page]


@pytest.fixture(scope="session")
def read() -> Read:
    """Writes a guide and takes it apart."""

    def page(rules: RuleSet, preset: str | None, language: str) -> Page:
        text = guide(rules, preset, language)
        title, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
        sections = dict(part.split("\n", 1) for part in parts)
        assert len(sections) == len(parts)
        return Page(language, text, title.strip(), sections)

    return page
