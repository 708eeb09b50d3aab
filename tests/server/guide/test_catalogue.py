"""The texts themselves: complete in every language, all in use, nothing left to fill in or to translate."""

import random
import re
import string
from collections.abc import Iterator
from typing import Any

import pytest

from rules.ruleset import PRESETS, RuleSet, RuleSetError, preset_players
from server.guide import LANGUAGES, guide
from server.guide.catalogue import catalogue
from server.guide.facts import facts
from server.guide.outline import outline
from tests.rules.option_values import OPTION_VALUES

VALUES: dict[str, list[Any]] = OPTION_VALUES | {
    "pass_cycle": ["rotate", [0], [1], [2, -1], [-2, 0, 0]],
    "target": [1, 50, 1000],
    "hands": [1, 12],
}
NOT_CHOSEN = ("name", "about", "word", "to", "drawing")
ENGLISH = re.compile(
    r"\b(the|and|or|of|is|are|you|your|may|must|with|who|whoever|from|first|last|each|every|card|cards|deck|pack|packs"
    r"|trick|tricks|hand|hands|player|players|lead|leads|pass|passes|suit|heart|hearts|queen|king|ace|club|clubs"
    r"|diamonds|spades|joker|kitty|moon|score|scores|points?|nothing|yes|not|left|right|takes|cancel|cancelled)\b",
    re.IGNORECASE,
)
SPANISH = re.compile(
    r"\b(el|los|las|una|que|quien|con|para|carta|cartas|baza|bazas|mano|manos|palo|jugador|jugadores|puntos?|mazo"
    r"|corazones|comodín|anulada|nada)\b",
    re.IGNORECASE,
)


def single_options() -> Iterator[RuleSet]:
    """Every preset at every size, plain and with each single option that it can have."""
    for preset in PRESETS:
        for players in preset_players(preset):
            yield RuleSet.resolve(preset, players)
            for field, values in VALUES.items():
                for value in values:
                    try:
                        yield RuleSet.resolve(preset, players, {field: value})
                    except RuleSetError:
                        continue


def mixed_options(seed: int, count: int) -> Iterator[RuleSet]:
    """Rule sets with any options together."""
    dice = random.Random(seed)
    while count:
        preset = dice.choice(list(PRESETS))
        options = {field: dice.choice(values) for field, values in VALUES.items() if dice.random() < 0.5}
        options.pop(dice.choice(["target", "hands"]), None)
        try:
            yield RuleSet.resolve(preset, dice.choice(preset_players(preset)), options)
        except RuleSetError:
            continue
        count -= 1


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_texts(language: str) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert list(other) == list(english)
    for key, text in other.items():
        assert text.strip(), key
        assert placeholders(text) == placeholders(english[key]), key


def test_every_text_of_a_section_is_used_by_some_table() -> None:
    used = {key for rules in single_options() for keys in outline(rules).values() for key in keys}
    used |= {key for rules in mixed_options(1, 300) for keys in outline(rules).values() for key in keys}
    assert used == {key for key in catalogue("en") if key.partition(".")[0] not in NOT_CHOSEN}


class Recorded(dict[str, str]):
    """A catalogue that remembers which of its texts were asked for."""

    def __init__(self) -> None:
        super().__init__(catalogue("en"))
        self.used: set[str] = set()

    def __getitem__(self, key: str) -> str:
        self.used.add(key)
        return super().__getitem__(key)


def test_every_word_is_used_by_some_table() -> None:
    text = Recorded()
    for rules in single_options():
        facts(rules, text)
    assert text.used == {key for key in text if key.startswith(("word.", "to.", "drawing."))}


def test_every_preset_has_a_name_and_a_sentence() -> None:
    named = {key for key in catalogue("en") if key.startswith(("name.", "about."))} - {"name.own", "name.table"}
    assert named == {f"{section}.{preset}" for section in ("name", "about") for preset in PRESETS}


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_left_to_fill_in_or_to_translate(language: str) -> None:
    seed = random.randrange(10**9)
    print("seed", seed)
    foreign = SPANISH if language == "en" else ENGLISH
    for rules in (*single_options(), *mixed_options(seed, 300)):
        text = guide(rules, None, language)
        assert not re.search(r"[{}]|None|__|  \n|\n\n\n|\.\.|\(\)", text), rules
        assert "  " not in re.sub(r"```.*?```", "", text, flags=re.DOTALL), rules
        found = foreign.search(text)
        assert found is None, (found, rules)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_paragraph_is_a_sentence(language: str) -> None:
    for key, text in catalogue(language).items():
        section, _, name = key.partition(".")
        if section not in NOT_CHOSEN and name not in ("title", "title_carry", "table") and section != "deck":
            assert text.endswith((".", "```", ".{extra_values}")), key
