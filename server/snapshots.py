"""The snapshot of a table: the cache of what its events fold to, or folded to some events ago."""

from collections.abc import Iterable

import msgspec

from server.store import Stored
from server.table.change import Change
from server.table.events import decode_entry
from server.table.evolve import evolve
from server.table.state import TableState

SCHEMA = b"1 "
"""Opens every snapshot. Raised when the meaning of a stored field changes; older ones are rebuilt from the events."""

SNAPSHOT_EVERY = 16
"""Events from one snapshot to the next. It is most of what an append would carry; a load folds what came since."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TableState).decode


def encode_snapshot(state: TableState) -> bytes:
    """The state as it is stored."""
    return SCHEMA + _encode(state)


def snapshot_of(change: Change) -> bytes | None:
    """The snapshot to store with a change; None while the one that is stored will do."""
    every = change.before.version // SNAPSHOT_EVERY < change.state.version // SNAPSHOT_EVERY
    return encode_snapshot(change.state) if every else None


def decode_snapshot(snapshot: bytes) -> TableState | None:
    """The stored state; None when it is of another schema or broken."""
    if not snapshot.startswith(SCHEMA):
        return None
    try:
        return _decode(snapshot[len(SCHEMA) :])
    except msgspec.MsgspecError:
        return None


def restored(stored: Stored) -> TableState | None:
    """The state of the stored version: the snapshot and the events since; None when these do not lead there."""
    state = decode_snapshot(stored.snapshot)
    if state is None or state.version > stored.version:
        return None
    newer = [(number, data) for number, data in stored.last if number > state.version]
    if [number for number, _ in newer] != list(range(state.version + 1, stored.version + 1)):
        return None
    return fold((data for _, data in newer), state)


def fold(events: Iterable[bytes], state: TableState | None = None) -> TableState | None:
    """The state that stored events lead to from `state`, or from the beginning; None without any."""
    for stored in events:
        entry = decode_entry(stored)
        state = evolve(state, entry.event, entry.at)
    return state
