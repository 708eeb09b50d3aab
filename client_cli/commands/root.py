"""The command `hearts` itself: which module holds which command, and what all commands share."""

import importlib
import importlib.metadata
from typing import Any

import click

from client_cli.commands.caller import Caller, shared_options
from client_cli.i18n import _

# In the order shown by --help: sitting down, looking, one-shot verbs, who I am.
_HOMES = {
    "local": "play",
    "new": "play",
    "join": "play",
    "play": "play",
    "watch": "play",
    "lobby": "tables",
    "tables": "tables",
    "show": "tables",
    "record": "records",
    "check": "records",
    "presets": "rules",
    "rules": "rules",
    "start": "verbs",
    "pass": "verbs",
    "card": "verbs",
    "hint": "verbs",
    "leave": "verbs",
    "whoami": "account",
    "login": "account",
    "logout": "account",
    "server": "account",
    "completion": "account",
}


class LazyGroup(click.Group):
    """Imports a command's module when the command is asked for, so that one-shot verbs start quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        home = _HOMES.get(cmd_name)
        if home is None:
            return None
        module = importlib.import_module(f"client_cli.commands.{home}")
        command: click.Command = module.COMMANDS[cmd_name]
        return command


def _show_version(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    try:
        version = importlib.metadata.version("cancellation-hearts")
    except importlib.metadata.PackageNotFoundError:
        version = _("of a checkout that is not installed")
    click.echo(f"{context.info_name} {version}")
    context.exit()


@click.group(
    "hearts",
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=_("Play Hearts over a network, for 3 to 11 players. Start with `hearts local` or `hearts lobby`."),
    epilog=_("Exit codes: 0 done, 1 refused by the server, 2 wrong use, 3 no connection, 4 no valid token."),
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help=_("Show the version and exit."),
)
@shared_options
@click.pass_context
def hearts(context: click.Context, /, **shared: Any) -> None:
    context.obj = Caller(**shared)
