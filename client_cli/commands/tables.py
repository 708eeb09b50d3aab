"""Tables to look at: the lobby, mine, and one."""

import sys
import time
from typing import Any

import click

from client_cli.api import Api
from client_cli.commands.caller import Caller, print_json, with_caller
from client_cli.i18n import _
from client_cli.model import decode_view, printable
from client_cli.render.centre import dashed
from client_cli.render.scene import Scene, instant
from client_cli.render.table import draw

EVERY = 2.0


@click.command("lobby", help=_("Tables that wait for players; on a terminal the list stays up to date."))
@click.option("--once", is_flag=True, help=_("Print the list once and end."))
@click.option("--state", default="lobby", show_default=True, help=_("Which tables: lobby, playing, over ..."))
@with_caller
def lobby(caller: Caller, once: bool, state: str) -> None:
    api = caller.anybody()
    if caller.json:
        print_json(api.tables(state=state))
    elif once or caller.plain or not sys.stdout.isatty():
        click.echo("\n".join(_rows(api, state)))
    else:
        _live(api, state)


def _live(api: Api, state: str) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(), auto_refresh=False) as live:
        while True:
            head = Text(_("Tables at {server} (Ctrl-C ends)").format(server=api.server), "bold")
            live.update(Text("\n").join([head, *map(Text, _rows(api, state))]), refresh=True)
            time.sleep(EVERY)


def _rows(api: Api, state: str) -> list[str]:
    tables: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        page = api.tables(state=state, cursor=cursor).json()
        tables += page["tables"]
        cursor = page.get("next") or page.get("cursor")
        if not cursor or len(tables) >= 500:
            break
    if not tables:
        return [_("No table is waiting. Open one: hearts new --players 8")]
    return [_row(table) for table in tables]


def _row(table: dict[str, Any]) -> str:
    seated = table.get("seated", table.get("taken", ""))
    name = printable(table.get("name") or "")
    count = f"{seated}/{table.get('players', '')}"
    return f"{dashed(table['id'])}  {count:>5}  {table.get('preset') or '':<13} {name}".rstrip()


@click.command("tables", help=_("Where I am seated, newest first."))
@with_caller
def tables(caller: Caller) -> None:
    caller.print(caller.player().my_tables(), _mine)


def _mine(answer: Any) -> str:
    entries = answer["tables"]
    if not entries:
        return _("You sit at no table.")
    return "\n".join(
        f"{dashed(entry['id'])}  {entry.get('phase', ''):<8} {printable(entry.get('name') or '')}".rstrip()
        for entry in entries
    )


@click.command("show", help=_("Show a table as it stands, once."))
@click.argument("table", metavar="ID")
@with_caller
def show(caller: Caller, table: str) -> None:
    answer = caller.anybody().table(table)
    if caller.json:
        print_json(answer)
        return
    view = decode_view(answer.body)
    scene = Scene(view, caller.look, instant(view.now))
    lines = draw(scene, 80, 24)
    # Without the note, the prompt and the keys, which belong to the live table.
    click.echo("\n".join(line.plain.rstrip() for line in lines[:-3]))


COMMANDS = {command.name: command for command in (lobby, tables, show)}
