"""Snapshots: written seldom, carried on by the events since."""

from msgspec.structs import replace

from server.snapshots import SNAPSHOT_EVERY, decode_snapshot, encode_snapshot, restored, snapshot_of
from server.store import LAST_EVENTS, Stored
from server.table.change import Change
from server.table.events import Entry, Said, encode_entry
from tests.server.table.sitting import Table


def test_a_snapshot_with_the_last_events_is_the_state_however_far_the_game_is() -> None:
    table = Table(8, rules={"hands": 1}).sit().start()
    events = [encode_entry(entry) for entry in table.entries]
    kept, written, changes = encode_snapshot(table.state), 0, 0
    while table.state.phase != "over":
        before = table.state
        table.step()
        events += [encode_entry(entry) for entry in table.entries[len(events) :]]
        change = Change(before, table.now)
        change.state = table.state
        snapshot = snapshot_of(change)
        kept, written, changes = snapshot or kept, written + (snapshot is not None), changes + 1
        last = tuple(enumerate(events, 1))[-LAST_EVENTS:]
        assert restored(Stored(table.state.version, kept, "", last)) == table.state
        behind = decode_snapshot(kept)
        assert behind is not None
        assert table.state.version - behind.version < SNAPSHOT_EVERY <= LAST_EVENTS
    assert 0 < written < changes / 8


def test_a_snapshot_that_the_events_do_not_carry_on_is_none() -> None:
    state = Table(4).sit().state
    snapshot, version = encode_snapshot(state), state.version
    said = encode_entry(Entry(0, Said(0, "x")))
    one, two = (version + 1, said), (version + 2, said)
    assert restored(Stored(version, snapshot)) == state
    assert restored(Stored(version + 2, snapshot, "", (one, two))) == replace(state, version=version + 2)
    assert restored(Stored(version + 2, snapshot, "", (two,))) is None, "an event is missing"
    assert restored(Stored(version + 2, snapshot, "", (one,))) is None, "the last one is missing"
    assert restored(Stored(version - 1, snapshot)) is None, "of a version that is lost"
    assert restored(Stored(version, b"")) is None
    assert restored(Stored(version, b"0" + snapshot[1:])) is None, "of another schema"
