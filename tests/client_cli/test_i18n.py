"""Every message is translated, with the same fields; our reader agrees with Babel's.

New messages: add them to client_cli/locale/LANGUAGE/LC_MESSAGES/hearts.po; this test names those missing.
"""

import re
import string
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import client_cli
from client_cli import i18n
from client_cli.catalogue import Catalogue

PACKAGE = Path(client_cli.__file__).parent
OTHERS = [language for language in i18n.languages() if language != "en"]


def po_file(language: str) -> Path:
    return PACKAGE / "locale" / language / "LC_MESSAGES" / "hearts.po"


def messages_in_code() -> set[str | tuple[str, ...]]:
    keywords = {"_": None, "ngettext": (1, 2)}
    found = extract_from_dir(str(PACKAGE), [("**.py", "python")], keywords=keywords)
    return {message for _file, _line, message, _comments, _context in found}


def translated(language: str) -> Catalog:
    with po_file(language).open("rb") as file:
        return read_po(file)


def fields(text: str) -> set[str | None]:
    return {name for _text, name, _spec, _conversion in string.Formatter().parse(text) if name is not None}


def test_spanish_is_there() -> None:
    assert "es" in OTHERS


def test_no_message_hides_in_an_f_string() -> None:
    """Messages there are not found by the tools that collect them."""
    for path in PACKAGE.rglob("*.py"):
        assert "{_(" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_is_translated_and_none_is_left_over(language: str) -> None:
    in_file = {message.id for message in translated(language) if message.id}
    assert messages_in_code() - in_file == set()
    assert in_file - messages_in_code() == set()


@pytest.mark.parametrize("language", OTHERS)
def test_translations_have_the_same_fields(language: str) -> None:
    for message in translated(language):
        originals = message.id if isinstance(message.id, tuple) else (message.id,)
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        assert all(forms), message.id
        if message.id:
            for form in forms:
                assert fields(form) == fields(originals[0]), message.id


@pytest.mark.parametrize("language", OTHERS)
def test_the_small_reader_agrees_with_babel(language: str) -> None:
    catalogue = Catalogue(po_file(language).read_text(encoding="utf-8"))
    for message in translated(language):
        if isinstance(message.id, tuple):
            assert [catalogue.ngettext(*message.id, n) for n in (1, 2, 0)] == [
                message.string[0],
                message.string[1],
                message.string[1],
            ]
        elif message.id:
            assert catalogue.gettext(message.id) == message.string


def test_the_reader_takes_what_translators_write() -> None:
    catalogue = Catalogue(
        'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n<5 ? 1 : 2);\\n"\n\n'
        '# note\n#: file.py\nmsgid "one \\"quoted\\""\nmsgstr ""\n"in two "\n"lines"\n\n'
        '#, fuzzy\nmsgid "doubtful"\nmsgstr "wrong"\n\nmsgid "open"\nmsgstr ""\n\n'
        'msgid "{n} card"\nmsgid_plural "{n} cards"\nmsgstr[0] "a"\nmsgstr[1] "b"\nmsgstr[2] "c"\n\n'
        '#~ msgid "old"\n#~ msgstr "gone"\n'
    )
    assert catalogue.gettext('one "quoted"') == "in two lines"
    assert [catalogue.gettext(text) for text in ("doubtful", "open", "old")] == ["doubtful", "open", "old"]
    assert [catalogue.ngettext("{n} card", "{n} cards", n) for n in (1, 3, 9)] == ["a", "b", "c"]
    assert [catalogue.ngettext("{n} x", "{n} xs", n) for n in (1, 2)] == ["{n} x", "{n} xs"]


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "es_ES.UTF-8"}, "es"),
        ({"LANG": "es"}, "es"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "es_ES.UTF-8"}, "en"),
        ({"LC_ALL": "es_MX", "LANG": "en_US"}, "es"),
        ({"LANGUAGE": "fr:es", "LANG": "en_US"}, "es"),
    ],
)
def test_the_locale_chooses(environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert i18n.wanted_language() == language
    assert i18n.wanted_language("es") == "es"


def test_the_terms_are_those_spanish_players_use() -> None:
    text = po_file("es").read_text(encoding="utf-8").lower()
    for term in (
        "baza", "palo", "pasar", "corazones rotos", "disparado a la luna", "comodín", "anulada", "arrastradas",
    ):  # fmt: skip
        assert re.search(term, text), term
