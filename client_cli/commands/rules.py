"""The rule sets, worked out for a number of players, and the guide to them."""

import sys
from typing import Any

import click

from client_cli import words
from client_cli.commands.caller import Caller, with_caller
from client_cli.i18n import _, language, ngettext


def usual_preset(players: int) -> str:
    return "classic" if players < 5 else "cancellation"


@click.command("presets", help=_("List the rule sets, or work one out for a number of players."))
@click.argument("preset", required=False)
@click.option("--players", type=click.IntRange(3, 11), help=_("Number of players."))
@with_caller
def presets(caller: Caller, preset: str | None, players: int | None) -> None:
    api = caller.anybody()
    if preset is None and players is None:
        caller.print(api.presets(), _list)
    else:
        chosen = preset or usual_preset(players or 8)
        if players is None:
            sizes = api.preset(chosen).json()["players"]
            players = 8 if 8 in sizes else sizes[-1]
        caller.print(api.preset(chosen, players), _one)


def _list(answer: Any) -> str:
    lines = []
    for preset in answer["presets"]:
        sizes = preset["players"]
        span = f"{sizes[0]}-{sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
        lines.append(f"{preset['name']:<13} {span:>5}  {preset['description']}".rstrip())
    return "\n".join(lines)


def _one(answer: Any) -> str:
    deck, players = answer["deck"], answer["players"]
    changes = [
        (_("added: {cards}"), deck["added"]),
        (_("removed: {cards}"), deck["removed"]),
    ]
    packs = ngettext("{n} pack", "{n} packs", answer["rules"]["packs"]).format(n=answer["rules"]["packs"])
    lines = [
        _("{preset} for {n} players: {packs}").format(preset=answer["name"], n=players, packs=packs),
        *(f"  {text.format(cards=' '.join(cards))}" for text, cards in changes if cards),
        "  " + _("{cards} in play, {each} each").format(cards=words.cards(deck["cards"]), each=deck["each"]),
        "  " + _leads(answer["leads"]),
        "  " + _("{points} in the deck").format(points=words.points(deck["points"])),
    ]
    if deck["kitty"]:
        lines.append("  " + _("kitty: {cards}").format(cards=words.cards(deck["kitty"])))
    for hand in answer["passes"]:
        direction = words.pass_direction(hand["offset"], players)
        what = f"{words.cards(hand['count'])} {direction}" if hand["offset"] else direction
        lines.append("  " + _("hand {hand}").format(hand=hand["hand"]) + f": {what}")
    if not answer["passes"]:
        lines.append("  " + words.pass_direction(0, players))
    return "\n".join(lines)


def _leads(leads: dict[str, Any]) -> str:
    if leads["card"] is None:
        return _("the player left of the dealer leads the first trick")
    return _("{card} leads the first trick").format(card=words.card_name(leads["card"]))


@click.command("rules", help=_("The rules of exactly this game on one page, with tips for beginners."))
@click.argument("preset", required=False)
@click.option("--players", type=click.IntRange(3, 11), default=8, show_default=True, help=_("Number of players."))
@with_caller
def rules(caller: Caller, preset: str | None, players: int) -> None:
    answer = caller.anybody().guide(preset or usual_preset(players), players, language())
    text = answer.body.decode("utf-8", "replace")
    if caller.json:
        import json

        click.echo(json.dumps({"guide": text}, ensure_ascii=False))
    elif sys.stdout.isatty() and not caller.plain:
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console(width=min(Console().width, 88))
        with console.capture() as page:
            console.print(Markdown(text))
        click.echo_via_pager(page.get())
    else:
        click.echo(text.rstrip())


COMMANDS = {command.name: command for command in (presets, rules)}
