"""The options of a table in words. One that this client does not know is shown as the server names it."""

from collections.abc import Mapping
from typing import Any

from client_cli import words
from client_cli.i18n import _

# Told elsewhere on the page, with the deck.
_WITH_THE_DECK = ("players", "packs", "deck", "pass_count", "pass_cycle")


def option_lines(rules: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each option that matters at this table as a question and its answer."""
    players = int(rules.get("players", 0))
    labels, values = _labels(), _values()
    lines = [(_("Packs"), str(rules.get("packs", "")))] if "packs" in rules else []
    if "pass_cycle" in rules:
        cycle = [words.pass_direction(offset, players) for offset in rules["pass_cycle"]]
        lines.append((_("Passing, hand by hand"), "; ".join(cycle)))
    for name, value in rules.items():
        if name in _WITH_THE_DECK or not _matters(name, rules):
            continue
        label = labels.get(name, name)
        lines.append((label, values.get(f"{name}={value}") or _plain(value)))
    return lines


def _matters(name: str, rules: Mapping[str, Any]) -> bool:
    """Leaves out what cannot happen at this table: twins with one pack, triples with two, a kitty without one."""
    packs = rules.get("packs", 2)
    if name in ("duplicates", "cancelled_trick", "last_cancelled_trick"):
        return bool(packs > 1)
    if name == "triples":
        return bool(packs > 2)
    if name == "kitty_to":
        return rules.get("deck") == "kitty"
    return True


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return _("none") if value is None else str(value)


def _labels() -> dict[str, str]:
    return {
        "kitty_to": _("The kitty goes to whoever takes"),
        "first_lead": _("The first trick is led by"),
        "first_trick_points": _("Penalty cards on the first trick"),
        "hearts_must_break": _("Hearts must be broken before they are led"),
        "queen_breaks_hearts": _("The queen of spades breaks hearts"),
        "duplicates": _("Equal cards in a trick"),
        "triples": _("Three equal cards"),
        "cancelled_trick": _("A trick without a winner"),
        "last_cancelled_trick": _("If that is the last trick"),
        "moon": _("Shooting the moon"),
        "omnibus": _("A diamond worth 10 points off"),
        "hooligan": _("The seven of clubs costs 7"),
        "dame_de_pique": _("King of spades 10, ace of spades 7"),
        "target": _("The game ends at"),
        "hands": _("Number of hands"),
        "tie": _("Equal lowest totals"),
        "revoke": _("Failing to follow suit"),
        "end_when_no_points": _("The hand ends when no points are left"),
    }


def _values() -> dict[str, str]:
    return {
        "kitty_to=first_trick": _("the first trick"),
        "kitty_to=last_trick": _("the last trick"),
        "first_lead=low_card": _("whoever holds the low card"),
        "first_lead=dealers_left": _("the player left of the dealer"),
        "duplicates=cancel": _("cancel each other"),
        "duplicates=later_wins": _("the later one is higher"),
        "triples=all": _("all three cancel"),
        "triples=pair": _("two cancel, the last one stands"),
        "cancelled_trick=carry": _("goes to whoever takes the next one"),
        "cancelled_trick=leader": _("goes to its leader"),
        "last_cancelled_trick=leader": _("its leader takes it, with all carried"),
        "last_cancelled_trick=high_pair_second": _("the second of the highest pair takes it"),
        "moon=add": _("everybody else gets the points"),
        "moon=subtract": _("the points are taken off the shooter's score"),
        "moon=choice": _("the shooter chooses"),
        "moon=auto": _("whichever serves the shooter"),
        "moon=off": _("the moon does not count at this table"),
        "tie=share": _("share the win"),
        "tie=play_on": _("further hands decide"),
        "revoke=refuse": _("is refused"),
        "revoke=penalty": _("costs all the points of the deck"),
        "omnibus=off": _("none"),
    }
