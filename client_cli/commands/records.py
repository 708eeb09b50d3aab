"""Records of games: fetch one, check one."""

from typing import BinaryIO

import click

from client_cli.commands.caller import Caller, print_json, with_caller
from client_cli.errors import ClientError, WrongUse
from client_cli.i18n import _


@click.command("record", help=_("Fetch the record of a game: every finished hand, replayable and checkable."))
@click.argument("table", metavar="ID")
@click.option("-o", "--output", metavar="FILE", help=_("Write it there instead of to standard output."))
@with_caller
def record(caller: Caller, table: str, output: str | None) -> None:
    answer = caller.anybody().record(table)
    if output is None or output == "-":
        print_json(answer)
        return
    try:
        with open(output, "wb") as file:
            file.write(answer.body.strip() + b"\n")
    except OSError as error:
        raise WrongUse(_("cannot write {file}: {reason}").format(file=output, reason=error.strerror)) from None
    if caller.json:
        print_json(answer)
    else:
        click.echo(_("Written to {file}.").format(file=output))


@click.command("check", help=_("Check a record: replay it by the rules and verify the fair deal."))
@click.argument("file", type=click.File("rb"))
@with_caller
def check(caller: Caller, file: BinaryIO) -> None:
    answer = caller.anybody().check_record(file.read())
    differences = [f"{found['where']}: {found['what']}" for found in answer.json()["differences"]]
    if caller.json:
        print_json(answer)
    elif not differences:
        click.echo(_("The record is right: every play was legal, every score and every deal is as it must be."))
    if differences:
        raise ClientError(_("the record is wrong: {what}").format(what="; ".join(differences)))


COMMANDS = {command.name: command for command in (record, check)}
