"""One watcher's trouble is not another's."""

import asyncio
from typing import Any

from server.hub import MOST_UNSENT, Hub, Watcher
from server.table.events import Entry, Said
from tests.server.table.sitting import Table


class Transport(asyncio.WriteTransport):
    """Takes what is written; raises when closed, as uvloop's does."""

    def __init__(self, unsent: int = 0) -> None:
        self.written: list[Any] = []
        self.closed = False
        self.unsent = unsent

    def write(self, data: Any) -> None:
        if self.closed:
            raise RuntimeError("the handler is closed")
        self.written.append(data)

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def is_closing(self) -> bool:
        return self.closed

    def abort(self) -> None:
        self.closed = True


def told(*transports: Transport) -> list[Watcher]:
    """Watchers on these connections, after an event."""
    hub, table = Hub(lambda: 0), Table()
    watchers = [Watcher(None, "sse", transport) for transport in transports]
    for watcher in watchers:
        hub.go_live(table.state.id, watcher)
    hub.publish(table.state, 1, [Entry(0, Said(0, text="x"))])
    return watchers


async def test_a_connection_that_is_closed_ends_its_watcher_and_nobody_elses() -> None:
    gone, there = Transport(), Transport()
    gone.closed = True
    first, second = told(gone, there)
    assert first.ended.done()
    assert not second.ended.done()
    assert len(there.written) == 1


async def test_a_connection_that_takes_no_more_is_aborted() -> None:
    slow, fast = Transport(MOST_UNSENT + 1), Transport(MOST_UNSENT)
    first, second = told(slow, fast)
    assert first.ended.done()
    assert slow.closed
    assert not second.ended.done()
