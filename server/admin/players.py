"""Players for the operator: list them, ban one, let one back in."""

from collections.abc import AsyncIterator

import msgspec
from msgspec import Struct

from server.admin.desk import Desk, NotDone
from server.admin.survey import Holder
from server.clock import iso
from server.players import decode_record, encode_record


class PlayerRow(Struct, frozen=True):
    """A player as the operator sees one."""

    player: str
    name: str
    created: str
    banned: bool


async def rows(desk: Desk) -> AsyncIterator[PlayerRow]:
    """Every player."""
    async for holder in desk.players.all():
        record = decode_record(holder.record)
        yield PlayerRow(holder.player_id, record.name, iso(record.created), record.banned)


async def set_banned(desk: Desk, player_id: str, banned: bool) -> None:
    """Refuse the player everywhere, or no longer; every server hears of it. NotDone if there is no such player.

    The record lies under the token, which may be replaced while this runs: so it is looked for again until
    nothing of this player is left as it was.
    """
    found = False
    while True:
        held = [holder async for holder in _held_by(desk, player_id)]
        found = found or bool(held)
        wrong = [holder for holder in held if decode_record(holder.record).banned != banned]
        if not wrong:
            break
        for holder in wrong:
            record = msgspec.structs.replace(decode_record(holder.record), banned=banned)
            await desk.players.update(player_id, encode_record(record), holder.token_hash)
    if not found:
        raise NotDone(f"There is no player {player_id}.")
    await desk.players.tell_changed()


async def _held_by(desk: Desk, player_id: str) -> AsyncIterator[Holder]:
    async for holder in desk.players.all():
        if holder.player_id == player_id:
            yield holder
