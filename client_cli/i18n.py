"""Messages in the person's language, by gettext.

Catalogues are `locale/LANGUAGE/LC_MESSAGES/hearts.po`, read as they are: no compiled copy that could be
stale, and a new language is one new file. English is the text in the code.
"""

import gettext
import os
from pathlib import Path

from client_cli.catalogue import Catalogue

_LOCALE = Path(__file__).parent / "locale"
_current: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"


def languages() -> list[str]:
    return sorted({"en", *(path.parts[-3] for path in _LOCALE.glob("*/LC_MESSAGES/hearts.po"))})


def wanted_language(flag: str | None = None) -> str:
    """Flag, else the locale of the environment (LANGUAGE, LC_ALL, LC_MESSAGES, LANG), else English."""
    wishes = [flag] if flag else os.environ.get("LANGUAGE", "").split(":")
    wishes += [os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    known = languages()
    for wish in wishes:
        short = wish.replace("-", "_").split("_")[0].split(".")[0].lower()
        if short in known:
            return short
        if short in ("c", "posix"):
            break
    return "en"


def set_language(language: str) -> None:
    """Make `_` and `ngettext` speak it. A language without a catalogue is English."""
    global _current, _language
    path = _LOCALE / language / "LC_MESSAGES" / "hearts.po"
    _language = language
    if not path.is_file():
        _current, _language = gettext.NullTranslations(), "en"
        return
    _current = Catalogue(path.read_text(encoding="utf-8"))


def language() -> str:
    return _language


def _(message: str) -> str:
    return _current.gettext(message)


def ngettext(one: str, many: str, number: int) -> str:
    return _current.ngettext(one, many, number)
