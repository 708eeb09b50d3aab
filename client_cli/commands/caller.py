"""Who calls which server, and how answers are printed: what every command needs."""

import getpass
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import click

from client_cli.api import Answer, Api
from client_cli.credentials import load_token, save_token
from client_cli.errors import NotAllowed
from client_cli.i18n import _, languages
from client_cli.look import Look
from client_cli.settings import config_dir, server_address


@dataclass(frozen=True)
class Caller:
    """The options every command takes."""

    server: str | None = None
    name: str | None = None
    lang: str | None = None
    json: bool = False
    plain: bool = False
    ascii: bool = False

    def merged(self, given: dict[str, Any]) -> "Caller":
        """With options given after the command's name going before those given before it."""
        return replace(self, **{key: value for key, value in given.items() if value})

    @property
    def address(self) -> str:
        return server_address(self.server)

    @property
    def look(self) -> Look:
        encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
        letters = self.ascii or self.plain or not encoding.startswith("utf")
        return Look(ascii=letters, colours=not os.environ.get("NO_COLOR"))

    @property
    def full_screen(self) -> bool:
        """Only where a person looks at the output and types the input."""
        return not (self.plain or self.json) and sys.stdin.isatty() and sys.stdout.isatty()

    def anybody(self) -> Api:
        """The server with my token if I have one, for what needs none."""
        address = self.address
        return opened(address, load_token(address))

    def player(self) -> Api:
        """The server as the player I am there. Raises NotAllowed where I am none."""
        api = self.anybody()
        if api.token is None:
            reason = _("no player on {server} yet; hearts new, join or login makes one").format(server=api.server)
            raise NotAllowed({"detail": reason}, 401)
        return api

    def player_or_new(self) -> Api:
        """The server as the player I am there; the first time this creates the player and says so."""
        api = self.anybody()
        if api.token is None:
            created = api.create_player(self._wanted_name()).json()
            save_token(api.server, created["token"])
            api.token = created["token"]
            click.echo(
                _("You are now the player {name} on {server}; the token is kept in {folder}.").format(
                    name=created["name"], server=api.server, folder=config_dir()
                ),
                err=True,
            )
        return api

    def _wanted_name(self) -> str:
        if self.name:
            return self.name
        login = login_name()
        if sys.stdin.isatty() and sys.stderr.isatty():
            name: str = click.prompt(_("Your name at the table"), default=login, err=True)
            return name
        return login

    def print(self, answer: Answer, sentence: Callable[[Any], str]) -> None:
        """The API's own JSON in one line with --json, else `sentence` of it."""
        if self.json:
            print_json(answer)
        else:
            click.echo(sentence(answer.json()))


def opened(address: str, token: str | None = None) -> Api:
    """A server to call until the command ends."""
    api = Api(address, token)
    click.get_current_context().call_on_close(api.close)
    return api


def print_json(answer: Answer) -> None:
    click.echo(one_line(answer.body))


def one_line(body: bytes) -> str:
    # Line breaks inside JSON strings are escaped, so those left are layout.
    return " ".join(body.decode("utf-8", "replace").split("\n")).strip()


def login_name() -> str:
    try:
        return getpass.getuser()[:32]
    except (OSError, KeyError):
        return _("Player")


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--ascii", is_flag=True, help=_("Letters instead of suit symbols.")),
        click.option("--plain", is_flag=True, help=_("Sentences only: no cursor movement, no colour.")),
        click.option("--json", is_flag=True, help=_("Print the API's own JSON, one line.")),
        click.option("--lang", type=click.Choice(languages()), help=_("Language; default: the locale.")),
        click.option("--name", help=_("Your name, when this creates your player.")),
        click.option("--server", metavar="URL", help=_("Server; also HEARTS_SERVER or the config file.")),
    ):
        command = option(command)
    return command


def with_caller(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command its Caller first, made of the options before and after its name."""

    @shared_options
    @click.pass_context
    @wraps(command)
    def run(context: click.Context, /, **options: Any) -> Any:
        given = {key: options.pop(key) for key in ("server", "name", "lang", "json", "plain", "ascii")}
        before = context.obj if isinstance(context.obj, Caller) else Caller()
        return command(before.merged(given), **options)

    return run
