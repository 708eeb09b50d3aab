"""The rules of one table on one page of Markdown, for people who have never played.

`outline` chooses which texts apply, `facts` what is filled into them, `catalogue` has the words.
"""

from collections.abc import Iterable

from rules.ruleset import RuleSet
from server.guide.catalogue import LANGUAGES, Language, catalogue
from server.guide.facts import facts
from server.guide.outline import outline

__all__ = ["LANGUAGES", "Language", "guide"]


def guide(rules: RuleSet, preset: str | None, lang: str) -> str:
    """The rules of a table with this rule set, as Markdown in the language `lang`.

    preset: names the game in the title; None for a rule set of one's own. Raises KeyError for a language not in
    LANGUAGES and for an unknown preset.
    """
    text = catalogue(lang)
    values = facts(rules, text)
    game = text[f"name.{preset or 'own'}"]
    blocks = ["# " + text["name.table"].format(game=game, players=rules.players)]
    for title, *keys in outline(rules).values():
        blocks.append(f"## {text[title]}")
        blocks += (text[key].format_map(values) for key in keys)
    return _page(blocks)


def _page(blocks: Iterable[str]) -> str:
    """The blocks below each other, a blank line between them unless both are items of one list."""
    page = ""
    listed = False
    for block in blocks:
        item = block.startswith("- ") or block.partition(". ")[0].isdigit()
        page += ("\n" if item and listed else "\n\n" if page else "") + block
        listed = item
    return page + "\n"
