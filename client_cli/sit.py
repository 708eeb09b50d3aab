"""At a table, by the full screen or in plain lines, from one game to the next until the person quits."""

import codecs
import json
import os
import queue
import sys
from collections.abc import Iterator
from typing import TextIO

import click

from client_cli.api import Api
from client_cli.commands.caller import Caller, one_line
from client_cli.i18n import _
from client_cli.plain import PlainTable
from client_cli.render.centre import dashed
from client_cli.session import Ended, Happened, Session, Update
from client_cli.settings import read_config


def sit(
    caller: Caller,
    api: Api,
    table: str,
    *,
    auto: bool = False,
    bell: bool | None = None,
    hands: int | None = None,
    farewell: bool = True,
) -> None:
    """Show the table and play. Raises what ended it, if the server did."""
    if caller.json:
        _print_events(api, table)
    elif caller.full_screen and not auto:
        wanted = read_config().get("bell", True) is not False if bell is None else bell
        _full_screen(caller, api, table, bell=wanted, farewell=farewell)
    else:
        plain = PlainTable(api, table, click.echo, auto=auto, hands=hands)
        try:
            plain.run(None if auto else typed_lines(sys.stdin))
        finally:
            if farewell:
                _say_farewell(plain.left)


def typed_lines(source: TextIO) -> Iterator[str]:
    """Lines as they are typed. Reads past Python's own buffer, whose lock a thread still waiting for a
    line would hold when the program ends."""
    try:
        handle = source.fileno()
    except (OSError, ValueError):
        yield from source
        return
    decoder = codecs.getincrementaldecoder(source.encoding or "utf-8")("replace")
    waiting = ""
    while chunk := os.read(handle, 4096):
        *lines, waiting = (waiting + decoder.decode(chunk)).split("\n")
        yield from lines
    if waiting:
        yield waiting


def _full_screen(caller: Caller, api: Api, table: str, *, bell: bool, farewell: bool) -> None:
    from client_cli.screen import TableApp

    following: str | None = table
    while following is not None:
        app = TableApp(api, following, look=caller.look, bell=bell)
        following = app.run()
    if farewell:
        _say_farewell(app.left)
    if app.ended is not None:
        raise app.ended


def _say_farewell(left: str | None) -> None:
    if left is not None:
        click.echo(_("To come back: hearts play {id}").format(id=dashed(left)))


def _print_events(api: Api, table: str) -> None:
    """The view, then every event as it happens: a line of the API's own JSON each, until interrupted."""
    updates: queue.Queue[Update] = queue.Queue()
    click.echo(one_line(api.table(table).body))
    session = Session(api, table, updates.put)
    session.start()
    try:
        while True:
            match updates.get():
                case Happened(events):
                    for event in events:
                        click.echo(json.dumps(event.data, ensure_ascii=False))
                        if event.type in ("game_over", "closed"):
                            return
                case Ended(error):
                    raise error
    finally:
        session.stop()
