"""`stats`: the service in numbers."""

from collections import Counter

from msgspec import Struct

from server.admin.desk import Desk
from server.players import decode_record


class Stats(Struct, frozen=True):
    """The service in numbers. due_lag_seconds: how long the longest due table has been waiting; a running
    service keeps it below some seconds."""

    tables: int
    phases: dict[str, int]
    listed: int
    humans_seated: int
    humans_connected: int
    players: int
    banned: int
    due: int
    due_lag_seconds: float
    events: int
    table_bytes: int
    redis_bytes: int


async def stats(desk: Desk) -> Stats:
    """Walk everything and count."""
    phases: Counter[str] = Counter()
    seated = connected = events = table_bytes = players = banned = 0
    async for state in desk.tables():
        phases[state.phase] += 1
        events += state.version
        table_bytes += await desk.store.memory(state.id)
        if state.phase != "over":
            seated += sum(seat.is_human for seat in state.seats)
            connected += sum(seat.is_human and seat.connected for seat in state.seats)
    async for holder in desk.players.all():
        players += 1
        banned += decode_record(holder.record).banned
    return Stats(
        tables=phases.total(),
        phases=dict(sorted(phases.items())),
        listed=len(await desk.store.all_listed()),
        humans_seated=seated,
        humans_connected=connected,
        players=players,
        banned=banned,
        due=len(await desk.store.all_due()),
        due_lag_seconds=await desk.store.due_lag() / 1000,
        events=events,
        table_bytes=table_bytes,
        redis_bytes=await desk.store.memory_used(),
    )
