"""`hearts-admin` and `python -m server.admin`."""

import asyncio
import functools
import logging
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import click
import msgspec

from server.admin.desk import Desk, NotDone, opened
from server.config import Config, ConfigError, version
from server.embedded import EmbeddedError
from server.endpoint import WrongURL
from server.link import StoreAway
from server.tokens import parse_table_id

P = ParamSpec("P")
Phases = click.Choice(["lobby", "passing", "playing", "moon", "over"])


class Failed(click.ClickException):
    """Something was wrong; exit code 1."""

    def show(self, file: Any = None) -> None:
        click.echo(f"hearts-admin: {self.message}", err=True)


class TableId(click.ParamType[str]):
    """A table id as a person types it."""

    name = "table"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        table_id = parse_table_id(str(value))
        if table_id is None:
            self.fail(f"{value!r} is no table id.", param, ctx)
        return table_id


def at_desk(work: Callable[Concatenate[Desk, P], Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """A command that is given a desk at the service's Redis."""

    @functools.wraps(work)
    def command(*args: P.args, **kwargs: P.kwargs) -> None:
        async def run() -> None:
            async with opened(click.get_current_context().find_object(Config) or Config()) as desk:
                await work(desk, *args, **kwargs)

        try:
            asyncio.run(run())
        except (NotDone, EmbeddedError, StoreAway, WrongURL) as error:
            raise Failed(str(error)) from None

    return command


def say(value: Any) -> None:
    """Print a struct as one line of JSON."""
    click.echo(msgspec.json.encode(value))


def _say_once(context: click.Context) -> None:
    """While the command runs, what goes wrong is said by it alone and not logged as well."""
    log = logging.getLogger("server")
    context.call_on_close(functools.partial(log.setLevel, log.level))
    log.setLevel(logging.CRITICAL)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="hearts-admin", message="%(prog)s %(version)s")
@click.option("--redis-url", metavar="URL", help="Redis of the service [HEARTS_REDIS_URL].")
@click.option("--data-dir", metavar="DIR", help="Data directory of an embedded server [HEARTS_DATA_DIR].")
@click.pass_context
def main(context: click.Context, redis_url: str | None, data_dir: str | None) -> None:
    """Look at and look after a Hearts service, running or not, through its Redis.

    Settings are the server's own HEARTS_* variables. What is listed comes as one JSON object a line.
    Exit code 1: it could not be done, or check found something that is still wrong.
    """
    _say_once(context)
    flags = {"--redis-url": redis_url, "--data-dir": data_dir}
    try:
        context.obj = Config.load(
            [word for flag, value in flags.items() if value for word in (flag, value)], os.environ
        )
    except ConfigError as error:
        raise Failed(str(error)) from None


@main.group()
def tables() -> None:
    """Tables: list, show, close."""


@tables.command("list")
@click.option("--phase", type=Phases, help="Only tables in this phase.")
@at_desk
async def list_tables(desk: Desk, phase: str | None) -> None:
    """Every table in one line."""
    from server.admin.tables import row

    async for state in desk.tables():
        if phase in (None, state.phase):
            say(row(state))


@tables.command()
@click.argument("table", type=TableId())
@at_desk
async def show(desk: Desk, table: str) -> None:
    """One table, without cards, seeds or what was said."""
    from server.admin.tables import sheet

    click.echo(msgspec.json.format(msgspec.json.encode(await sheet(desk, table))))


@tables.command()
@click.argument("table", type=TableId())
@at_desk
async def close(desk: Desk, table: str) -> None:
    """Close a table; its game ends without winners."""
    from server.admin.tables import close_table

    state = await close_table(desk, table)
    click.echo(f"Table {table} is closed, version {state.version}.")


@main.group()
def players() -> None:
    """Players: list, ban, unban."""


@players.command("list")
@click.option("--banned", is_flag=True, help="Only those who are banned.")
@at_desk
async def list_players(desk: Desk, banned: bool) -> None:
    """Every player in one line."""
    from server.admin.players import rows

    async for player in rows(desk):
        if player.banned or not banned:
            say(player)


@players.command()
@click.argument("player")
@at_desk
async def ban(desk: Desk, player: str) -> None:
    """Refuse a player everywhere, from now on."""
    from server.admin.players import set_banned

    await set_banned(desk, player.upper(), True)
    click.echo(f"Player {player.upper()} is banned.")


@players.command()
@click.argument("player")
@at_desk
async def unban(desk: Desk, player: str) -> None:
    """Let a banned player back in."""
    from server.admin.players import set_banned

    await set_banned(desk, player.upper(), False)
    click.echo(f"Player {player.upper()} may play.")


@main.command()
@at_desk
async def stats(desk: Desk) -> None:
    """The service in numbers."""
    from server.admin.stats import stats as counted

    click.echo(msgspec.json.format(msgspec.json.encode(await counted(desk))))


@main.command()
@click.argument("table", type=TableId(), nargs=-1)
@click.option("--all", "every", is_flag=True, help="Every game that has started.")
@click.option("-o", "directory", type=click.Path(file_okay=False, path_type=Path), default=".", help="Where to.")
@at_desk
async def export(desk: Desk, table: tuple[str, ...], every: bool, directory: Path) -> None:
    """Write records of games, one file a table: finished hands, whole when the game is over."""
    from server.admin.files import export as written

    if every == bool(table):
        raise NotDone("Name tables, or say --all.")
    done = 0
    if every:
        async for state in desk.tables():
            if state.game is not None:
                await written(desk, state, directory)
                done += 1
    for table_id in table:
        found = await desk.table(table_id)
        if found is None or found.game is None:
            raise NotDone(f"There is no game at table {table_id}.")
        await written(desk, found, directory)
        done += 1
    click.echo(f"{done} records in {directory}")


@main.command("import")
@click.argument("files", type=click.Path(exists=True, dir_okay=False, path_type=Path), nargs=-1, required=True)
@at_desk
async def take_records(desk: Desk, files: tuple[Path, ...]) -> None:
    """Take finished games in from their records: they can be seen and had again under their table ids.

    Each record is played again first and refused where rules or deal differ. Nobody is seated at such a table: a
    record does not say which players they were.
    """
    from server.admin.files import take_in

    refused = 0
    for path in files:
        try:
            click.echo(f"{path}: table {await take_in(desk, path)}")
        except NotDone as error:
            refused += 1
            click.echo(f"{path}: {error}", err=True)
    if refused:
        raise NotDone(f"{refused} of {len(files)} records were not taken in.")


@main.command()
@click.option("--fix", is_flag=True, help="Repair snapshots and indexes; events are never changed.")
@click.option("--settle", default=2.0, show_default=True, help="Seconds after which a finding must still be so.")
@at_desk
async def check(desk: Desk, fix: bool, settle: float) -> None:
    """Whether events, snapshots, indexes and players agree."""
    from server.admin.check import Check

    walk, wrong = Check(desk, settle), 0
    async for finding in walk.findings():
        repaired = fix and finding.repair is not None
        if repaired and finding.repair is not None:
            await finding.repair()
        wrong += not repaired
        click.echo(f"{finding.where}: {finding.what}{' (repaired)' if repaired else ''}")
    click.echo(f"{walk.tables} tables and {walk.players} players looked at; {wrong} findings left.")
    if wrong:
        raise NotDone("What is stored does not agree with itself.")


@main.command()
@click.argument("pids", type=int, nargs=-1, required=True)
@click.option("--wait", default=30.0, show_default=True, help="Seconds it may take.")
def drain(pids: tuple[int, ...], wait: float) -> None:
    """End server processes of this machine gently, one after the other."""
    from server.admin.drain import drain as drained

    for pid in pids:
        try:
            click.echo(f"Process {pid} has ended after {drained(pid, wait):.1f} s.")
        except NotDone as error:
            raise Failed(str(error)) from None


if __name__ == "__main__":
    main()
