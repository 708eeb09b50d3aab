"""Which sections a guide has, and that it tells every option of its table."""

from typing import Any

import pytest

from rules.ruleset import RuleSet
from server.guide import LANGUAGES, guide

ALWAYS = {
    "en": [
        "What it is about",
        "Ten steps for the hasty",
        "The deck",
        "The pass",
        "Who leads",
        "Playing a trick",
        "Breaking hearts",
        "The first trick",
        "What cards cost",
        "Shooting the moon",
        "The end of the game",
        "A fair deal you can check",
        "Tips for beginners",
        "Questions people ask",
    ],
    "es": [
        "De qué va",
        "Diez pasos para quien tiene prisa",
        "El mazo",
        "El pase",
        "Quién sale",
        "Cómo se juega una baza",
        "Corazones rotos",
        "La primera baza",
        "Cuánto cuestan las cartas",
        "Disparar a la luna",
        "El final de la partida",
        "Un reparto limpio que puedes comprobar",
        "Consejos para empezar",
        "Preguntas frecuentes",
    ],
}
DIFFERENT = {"en": "What is different at this table", "es": "Qué tiene de especial esta mesa"}
SOMETIMES = {
    "different": DIFFERENT,
    "cancel": {"en": "When cards cancel", "es": "Cuándo se anulan las cartas"},
    "later": {"en": "Equal cards", "es": "Cartas iguales"},
    "carried": {"en": "Carried tricks and the last trick", "es": "Bazas arrastradas y la última baza"},
    "cancelled": {"en": "Cancelled tricks", "es": "Bazas anuladas"},
    "joker": {"en": "The joker", "es": "El comodín"},
    "kitty": {"en": "The kitty", "es": "La viuda"},
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("preset", "players", "options", "expected"),
    [
        ("classic", 4, {}, set()),
        ("omnibus", 4, {}, {"different"}),
        ("classic", 4, {"duplicates": "later_wins", "cancelled_trick": "leader", "triples": "pair"}, set()),
        ("classic", 4, {"pass_count": "quarter"}, set()),
        ("cancellation", 8, {}, {"cancel", "carried", "joker"}),
        ("cancellation", 8, {"triples": "pair", "kitty_to": "last_trick"}, {"cancel", "carried", "joker"}),
        ("cancellation", 9, {}, {"cancel", "carried"}),
        ("cancellation", 7, {"duplicates": "later_wins"}, {"different", "later", "joker"}),
        ("cancellation", 9, {"cancelled_trick": "leader"}, {"different", "cancel", "cancelled"}),
        ("triple", 11, {}, {"cancel", "carried"}),
        ("guts", 8, {}, {"different", "cancel", "carried", "joker"}),
        ("bicycle", 7, {}, {"different", "cancel", "carried", "kitty"}),
        ("bicycle", 8, {}, {"different", "cancel", "carried"}),
    ],
)
def test_sections(
    read: Any, language: str, preset: str, players: int, options: dict[str, Any], expected: set[str]
) -> None:
    sections = list(read(RuleSet.resolve(preset, players, options), preset, language).sections)
    optional = {names[language]: key for key, names in SOMETIMES.items()}
    assert {optional[name] for name in sections if name in optional} == expected
    assert [name for name in sections if name not in optional] == ALWAYS[language]


# Each option with a value that is no default; each item of the last two columns stands in the guide in that
# language, in the section of differences or below, and in no guide of the same table without the option.
TOLD = [
    ("classic", 4, {"first_lead": "dealers_left"}, ["dealer's left leads"], ["izquierda de quien reparte"]),
    ("classic", 4, {"first_trick_points": True}, ["Penalty cards may be", "like any other"], ["es como las demás"]),
    ("classic", 4, {"hearts_must_break": False}, ["broken or not", "Nothing has to be broken"], ["rotos o no"]),
    ("classic", 4, {"queen_breaks_hearts": True}, ["breaks hearts too", "breaks them as well"], ["también los rompe"]),
    ("cancellation", 6, {"duplicates": "later_wins"}, ["later one beats"], ["la última gana a la primera"]),
    ("triple", 11, {"triples": "pair"}, ["two cancel and the last", "first two cancel"], ["dos primeras se anulan"]),
    ("cancellation", 6, {"cancelled_trick": "leader"}, ["to its leader at once", "at once: 6 cards"], ["enseguida"]),
    (
        "cancellation",
        6,
        {"last_cancelled_trick": "high_pair_second"},
        ["highest cancelled pair", "the second copy of it"],
        ["pareja anulada más alta"],
    ),
    ("classic", 4, {"pass_count": 2}, ["You pass 2 cards", "choose 2 cards"], ["Se pasan 2 cartas"]),
    ("classic", 4, {"pass_count": 1}, ["You pass 1 card.", "choose 1 card and"], ["eliges 1 carta y"]),
    ("classic", 4, {"pass_count": 0}, ["Nobody passes cards", "There is no pass"], ["No se pasan cartas"]),
    ("classic", 4, {"pass_cycle": [0]}, ["Nobody passes cards", "There is no pass"], ["No se pasan cartas"]),
    ("classic", 4, {"pass_cycle": [1]}, ["own order", "In every hand"], ["es propio", "En todas las manos"]),
    ("classic", 4, {"pass_cycle": [2, 3]}, ["own order", "2: 3 seats to the left"], ["2: al 3.º asiento"]),
    ("classic", 4, {"moon": "subtract"}, ["off the shooter instead", "scores -26"], ["se apunta -26"]),
    ("classic", 4, {"moon": "choice"}, ["chooses how", "or -26"], ["elige cómo", "o -26"]),
    ("classic", 4, {"moon": "auto"}, ["serves the shooter", "scores -26 instead"], ["más le conviene", "-26"]),
    ("classic", 4, {"moon": "off"}, ["no shooting the moon", "no reward"], ["No se puede disparar"]),
    ("classic", 4, {"omnibus": "JD"}, ["Each J♦ takes 10 points off", "| J♦ | -10 |"], ["Cada J♦ quita 10 puntos"]),
    ("classic", 4, {"omnibus": "TD"}, ["Each 10♦ takes 10 points off", "| 10♦ | -10 |"], ["| 10♦ | -10 |"]),
    ("classic", 4, {"hooligan": True}, ["Each 7♣ costs 7 points", "| 7♣ | 7 |"], ["Cada 7♣ cuesta 7 puntos"]),
    ("classic", 4, {"dame_de_pique": True}, ["Each K♠ costs 10", "1 K♠ and 1 A♠"], ["1 Q♠, 1 K♠ y 1 A♠"]),
    ("classic", 4, {"target": 50}, ["ends at 50 points", "reaches 50 points"], ["llega a 50 puntos"]),
    ("classic", 4, {"target": 1}, ["ends at 1 point.", "reaches 1 point,"], ["llega a 1 punto."]),
    ("classic", 4, {"hands": 7}, ["exactly 7 hands", "After 7 hands"], ["exactamente 7 manos"]),
    ("classic", 4, {"hands": 1}, ["exactly 1 hand.", "After 1 hand the"], ["exactamente 1 mano."]),
    ("classic", 4, {"tie": "play_on"}, ["is played on", "one player stands alone"], ["se sigue jugando"]),
    ("classic", 4, {"revoke": "penalty"}, ["and punished", "scores 26 points"], ["se apunta 26 puntos"]),
    ("classic", 4, {"end_when_no_points": True}, ["no points are left", "The rest is not played"], ["no se juega"]),
    (
        "cancellation",
        7,
        {"deck": "kitty", "first_lead": "dealers_left"},
        ["All 104 cards", "6 cards stay face down"],
        ["6 cartas se quedan boca abajo"],
    ),
    ("bicycle", 7, {"kitty_to": "last_trick"}, ["Whoever takes the last trick gets the kitty"], ["la última baza se"]),
]


@pytest.mark.parametrize(("preset", "players", "options", "english", "spanish"), TOLD)
def test_every_option_is_told(
    read: Any, preset: str, players: int, options: dict[str, Any], english: list[str], spanish: list[str]
) -> None:
    rules, plain = RuleSet.resolve(preset, players, options), RuleSet.resolve(preset, players)
    for language, phrases in (("en", english), ("es", spanish)):
        page = read(rules, preset, language)
        assert DIFFERENT[language] in page.sections
        without = guide(plain, preset, language)
        for phrase in phrases:
            assert phrase in page.text
            assert phrase not in without


def test_the_list_of_options_is_whole() -> None:
    told = {field for _, _, options, _, _ in TOLD for field in options}
    assert told == set(RuleSet.__struct_fields__) - {"players", "packs"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_difference_has_one_line(read: Any, language: str) -> None:
    options = {"pass_count": 0, "moon": "auto", "hands": 3, "omnibus": "JD"}
    page = read(RuleSet.resolve("guts", 8, options), None, language)
    lines = page.sections[DIFFERENT[language]].strip().splitlines()
    assert len(lines) == 2 + len(options)
    assert all(line.startswith("- ") for line in lines)


def test_the_title_names_the_game() -> None:
    rules = RuleSet.resolve("cancellation", 8)
    assert guide(rules, "cancellation", "en").startswith("# Cancellation Hearts for 8 players\n\n## ")
    assert guide(rules, None, "en").startswith("# Hearts for 8 players\n\n## ")
    assert guide(rules, None, "es").startswith("# Corazones para 8 jugadores\n\n## ")


@pytest.mark.parametrize(("preset", "language"), [("classic", "de"), ("classic", ""), ("whist", "en")])
def test_an_unknown_language_or_preset_is_a_key_error(preset: str, language: str) -> None:
    with pytest.raises(KeyError):
        guide(RuleSet.resolve("classic", 4), preset, language)


def test_a_joker_that_leads_is_not_kept_for_later(read: Any) -> None:
    leads = read(RuleSet.resolve("cancellation", 8), None, "en")
    follows = read(RuleSet.resolve("guts", 8), None, "en")
    assert "after that it is gone" in leads.sections["The joker"]
    assert "safest club" not in leads.text
    assert "you must play it" in follows.sections["The joker"]
    assert "safest club" in follows.text


def test_no_sum_is_promised_where_a_revoke_changes_it(read: Any) -> None:
    rules = RuleSet.resolve("classic", 4, {"revoke": "penalty"})
    assert "always adds up" not in read(rules, None, "en").text
    assert "always adds up to 26" in read(RuleSet.resolve("classic", 4), None, "en").text
