"""Sitting down: open a table, join one, come back to one, watch one, or play here alone."""

import json
import secrets
from typing import Any

import click

from client_cli.api import Api
from client_cli.commands.caller import Caller, print_json, with_caller
from client_cli.commands.verbs import act
from client_cli.errors import WrongUse
from client_cli.i18n import _
from client_cli.render.centre import dashed
from client_cli.sit import sit


def parse_rule(text: str) -> tuple[str, Any]:
    """`key=value`; the value is JSON, a list of numbers with commas, or a word. Raises WrongUse."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise WrongUse(_("a rule is key=value, for example moon=subtract; not {text}").format(text=text))
    for written in (value, f"[{value}]" if "," in value else value):
        try:
            return key, json.loads(written)
        except ValueError:
            continue
    return key, value


def nonce() -> str:
    """My share in the chance of the deal; the server can then not have chosen it alone."""
    return secrets.token_hex(16)


@click.command("new", help=_("Open a table, say its id for the others, and sit down."))
@click.option("--players", type=click.IntRange(3, 11), default=8, show_default=True, help=_("Seats."))
@click.option("--preset", help=_("Rule set; hearts presets lists them."))
@click.option("--rule", "rules", multiple=True, metavar="KEY=VALUE", help=_("One option over the rule set."))
@click.option("--turn-seconds", type=int, help=_("Time for a turn; 0 is none."))
@click.option("--fill", metavar="LEVEL", help=_("Bots of this level take empty seats at the start."))
@click.option("--unlisted", is_flag=True, help=_("Keep it out of the lobby."))
@click.option("--table-name", help=_("What the lobby calls it."))
@click.option("--absent", type=click.Choice(["bot", "wait"]), help=_("Who plays for somebody who is away."))
@click.option("--no-spectators", is_flag=True, help=_("Nobody may watch."))
@click.option("--no-hints", is_flag=True, help=_("No hints at this table."))
@click.option("--no-play", is_flag=True, help=_("Only open it; do not go to the table."))
@with_caller
def new(caller: Caller, rules: tuple[str, ...], no_play: bool, **wanted: Any) -> None:
    body = {"players": wanted["players"], "nonce": nonce()}
    for option, field in (
        ("preset", "preset"),
        ("turn_seconds", "turn_seconds"),
        ("fill", "fill"),
        ("table_name", "name"),
        ("absent", "absent"),
    ):
        if wanted[option] is not None:
            body[field] = wanted[option]
    if rules:
        body["rules"] = dict(map(parse_rule, rules))
    body |= {"listed": False} if wanted["unlisted"] else {}
    body |= {"spectators": "none"} if wanted["no_spectators"] else {}
    body |= {"hints": False} if wanted["no_hints"] else {}
    api = caller.player_or_new()
    answer = api.create_table(body)
    table = str(answer.json()["table"]["id"])
    if caller.json:
        print_json(answer)
        return
    click.echo(_("Table {id}. The others come in with: hearts join {id}").format(id=dashed(table)))
    if not no_play:
        sit(caller, api, table)


@click.command("join", help=_("Take a seat at a table and play."))
@click.argument("table", metavar="ID")
@click.option("--seat", type=click.IntRange(1, 11), help=_("This seat, counted from 1; else the first free one."))
@click.option("--no-play", is_flag=True, help=_("Only take the seat; do not go to the table."))
@with_caller
def join(caller: Caller, table: str, seat: int | None, no_play: bool) -> None:
    api = caller.player_or_new()
    fields: dict[str, Any] = {"nonce": nonce()}
    if seat is not None:
        fields["seat"] = seat - 1
    answer = act(api, table, "join", **fields)
    if caller.json:
        print_json(answer)
    elif no_play:
        click.echo(_("You have a seat at table {id}.").format(id=dashed(table)))
    else:
        sit(caller, api, table)


@click.command("play", help=_("Go back to my table after anything: the newest, or the one named."))
@click.argument("table", metavar="[ID]", required=False)
@click.option("--auto", is_flag=True, help=_("The server's hints play for me."))
@click.option("--no-bell", is_flag=True, help=_("No bell on my turn."))
@with_caller
def play(caller: Caller, table: str | None, auto: bool, no_bell: bool) -> None:
    api = caller.player()
    sit(caller, api, table or _my_table(api), auto=auto, bell=False if no_bell else None)


def _my_table(api: Api) -> str:
    entries = api.my_tables().json()["tables"]
    running = [entry for entry in entries if entry.get("phase") not in ("over", "closed")]
    if not running:
        raise WrongUse(_("you sit at no table; open one with hearts new or find one with hearts lobby"))
    return str(running[0]["id"])


@click.command("watch", help=_("Look on at a table."))
@click.argument("table", metavar="ID")
@with_caller
def watch(caller: Caller, table: str) -> None:
    sit(caller, caller.anybody(), table, bell=False, farewell=False)


@click.command("local", help=_("Start a server here, sit down among bots and play at once."))
@click.option("--players", type=click.IntRange(3, 11), default=8, show_default=True, help=_("Seats."))
@click.option("--preset", help=_("Rule set; hearts presets lists them."))
@click.option("--level", default="normal", show_default=True, help=_("Level of the bots."))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help=_("Port; 0 takes a free one."))
@click.option("--data-dir", type=click.Path(file_okay=False), help=_("Where the server keeps its data."))
@click.option("--auto", is_flag=True, help=_("The server's hints play for me, one hand, in plain lines."))
@with_caller
def local(caller: Caller, **wanted: Any) -> None:
    from client_cli.local import play_here

    play_here(caller, **wanted)


COMMANDS = {command.name: command for command in (new, join, play, watch, local)}
