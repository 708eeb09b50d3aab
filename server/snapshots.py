"""The snapshot of a table: the cache of what its events fold to."""

from collections.abc import Iterable

import msgspec

from server.table.events import decode_entry
from server.table.evolve import evolve
from server.table.state import TableState

SCHEMA = b"1 "
"""Opens every snapshot. Raised when the meaning of a stored field changes; older ones are rebuilt from the events."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TableState).decode


def encode_snapshot(state: TableState) -> bytes:
    """The state as it is stored."""
    return SCHEMA + _encode(state)


def decode_snapshot(snapshot: bytes, version: int) -> TableState | None:
    """The stored state of `version`; None when it is of another schema, broken, or of another version."""
    if not snapshot.startswith(SCHEMA):
        return None
    try:
        state = _decode(snapshot[len(SCHEMA) :])
    except msgspec.MsgspecError:
        return None
    return state if state.version == version else None


def fold(events: Iterable[bytes]) -> TableState | None:
    """The state that stored events lead to from the beginning; None without any."""
    state = None
    for stored in events:
        entry = decode_entry(stored)
        state = evolve(state, entry.event, entry.at)
    return state
