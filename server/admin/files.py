"""Records of games as files: `export` and `import`."""

import asyncio
from pathlib import Path

import msgspec

from rules.record import Record, RecordError, read
from rules.replay import check
from server.admin.desk import Desk, NotDone
from server.clock import now
from server.table.record import record_of, table_of
from server.table.state import TableState
from server.tokens import parse_table_id


async def export(desk: Desk, state: TableState, directory: Path) -> Path:
    """Write the record of a game that has started: finished hands, whole when it is over."""
    events = [data for number, data in await desk.store.events(state.id) if number <= state.version]
    path = directory / f"{state.id}.json"
    await asyncio.to_thread(_write, path, state, events)
    return path


def _write(path: Path, state: TableState, events: list[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(msgspec.json.encode(record_of(state, events)))
    part.replace(path)


async def take_in(desk: Desk, path: Path) -> str:
    """Make the finished table of a record, so that it can be had again under its table id; the id.

    Raises NotDone for what is no record, breaks the rules, is of a game not over, or is there already.
    """
    record = await asyncio.to_thread(_checked, path)
    if record.result is None:
        raise NotDone("The game was not over; only finished games are taken in.")
    if parse_table_id(record.table) != record.table:
        raise NotDone(f"{record.table!r} is no table id.")
    change = await asyncio.to_thread(table_of, record, now())
    if not await desk.create(change):
        raise NotDone(f"Table {record.table} is there already.")
    return record.table


def _checked(path: Path) -> Record:
    try:
        record = read(path.read_bytes())
    except RecordError as error:
        raise NotDone(str(error)) from None
    differences = check(record)
    if differences:
        raise NotDone(f"{differences[0].where}: {differences[0].what}")
    return record
