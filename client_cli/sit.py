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
    try:
        if caller.json:
            _print_events(api, table)
        elif caller.full_screen and not auto:
            wanted = read_config().get("bell", True) is not False if bell is None else bell
            table = _full_screen(caller, api, table, wanted)
        else:
            table = PlainTable(api, table, click.echo, auto=auto, hands=hands).run(
                None if auto else typed_lines(sys.stdin)
            )
    finally:
        if farewell and not caller.json:
            click.echo(_("To come back: hearts play {id}").format(id=dashed(table)))


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


def _full_screen(caller: Caller, api: Api, table: str, bell: bool) -> str:
    from client_cli.screen import TableApp

    while True:
        app = TableApp(api, table, look=caller.look, bell=bell)
        following = app.run()
        if app.ended is not None:
            raise app.ended
        if following is None:
            return table
        table = following


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
