"""A gettext catalogue read from its .po file as translators write it: no compiled copy that could be stale.

The standard library reads only the compiled form. This reads what such files hold here: comments, `msgid`,
`msgid_plural`, `msgstr` and `msgstr[N]`, in strings over any number of lines. Contexts are not used.
"""

import gettext
import json
import re
from collections.abc import Callable

_PLURAL = re.compile(r"plural\s*=\s*([^;\n]+)")


class Catalogue(gettext.NullTranslations):
    """Messages of one language. What is not translated, or marked fuzzy, is said as the code has it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._messages: dict[str, str] = {}
        self._plurals: dict[str, dict[int, str]] = {}
        self._form: Callable[[int], int] = lambda number: int(number != 1)
        for block in re.split(r"\n\s*\n", text):
            self._take(block)

    def gettext(self, message: str) -> str:
        return self._messages.get(message) or message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        forms = self._plurals.get(msgid1, {})
        return forms.get(self._form(n)) or (msgid1 if n == 1 else msgid2)

    def _take(self, block: str) -> None:
        fields: dict[str, str] = {}
        field = ""
        for line in map(str.strip, block.splitlines()):
            if line.startswith("#,") and "fuzzy" in line:
                return
            if not line or line.startswith("#"):
                continue
            keyword, quote, rest = line.partition('"')
            field = keyword.strip() or field
            # The escapes of a .po string are those of JSON.
            fields[field] = fields.get(field, "") + str(json.loads(quote + rest))
        message = fields.get("msgid")
        if message == "":
            plural = _PLURAL.search(fields["msgstr"])
            if plural is not None:
                self._form = gettext.c2py(plural[1])  # as gettext itself does
        elif message is not None and "msgid_plural" in fields:
            self._plurals[message] = {
                int(name[7:-1]): value for name, value in fields.items() if name.startswith("msgstr[")
            }
        elif message is not None:
            self._messages[message] = fields.get("msgstr", "")
