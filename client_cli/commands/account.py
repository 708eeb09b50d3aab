"""Who I am on which server, whether it is well, and completion for the shell."""

import sys

import click

from client_cli.commands.caller import Caller, one_line, opened, with_caller
from client_cli.credentials import forget_token, save_token
from client_cli.errors import Unreachable, WrongUse
from client_cli.i18n import _


@click.command("whoami", help=_("Say which player I am on the server."))
@with_caller
def whoami(caller: Caller) -> None:
    api = caller.player()
    caller.print(
        api.me(),
        lambda me: _("{name} ({id}) on {server}").format(
            name=me.get("name"), id=me.get("player_id"), server=api.server
        ),
    )


@click.command("login", help=_("Use the token of a player I already am; it is read from standard input."))
@click.option("--token-stdin", is_flag=True, help=_("Read the token from standard input."))
@with_caller
def login(caller: Caller, token_stdin: bool) -> None:
    if not token_stdin:
        # Never from argv: other people on the machine can read that.
        raise WrongUse(_("give the token on standard input: hearts login --token-stdin < FILE"))
    token = sys.stdin.readline().strip()
    if not token:
        raise WrongUse(_("standard input held no token"))
    api = opened(caller.address, token)
    answer = api.me()
    save_token(api.server, token)
    caller.print(answer, lambda me: _("You are {name} on {server}.").format(name=me["name"], server=api.server))


@click.command("logout", help=_("Forget the token on this machine."))
@with_caller
def logout(caller: Caller) -> None:
    forgotten = forget_token(caller.address)
    if caller.json:
        click.echo("{}")
    elif forgotten:
        click.echo(_("The token for {server} is forgotten here.").format(server=caller.address))
    else:
        click.echo(_("There was no token for {server}.").format(server=caller.address))


@click.command("server", help=_("Say whether the server is there and ready."))
@with_caller
def server(caller: Caller) -> None:
    api = caller.anybody()
    api.health()
    try:
        ready = api.ready()
    except Unreachable as error:
        raise Unreachable(_("{server} is up but not ready: {reason}").format(server=api.server, reason=error)) from None
    if caller.json:
        click.echo(one_line(ready.body) or "{}")
    else:
        click.echo(_("{server} is up and ready.").format(server=api.server))


@click.command("completion", help=_("Print the completion script for a shell; put it where the shell looks."))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@with_caller
@click.pass_context
def completion(context: click.Context, caller: Caller, shell: str) -> None:
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, "click knows these shells"
    click.echo(kind(context.find_root().command, {}, "hearts", "_HEARTS_COMPLETE").source())


COMMANDS = {command.name: command for command in (whoami, login, logout, server, completion)}
