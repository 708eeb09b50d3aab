"""The indexes of tables: the lobby list, and each player's own tables. A sweep can rebuild both."""

import asyncio
from collections.abc import Awaitable

import msgspec
from msgspec import Struct

from server.clock import iso
from server.store import Store
from server.table.change import Change
from server.table.events import Created, PlayerJoined, PlayerLeft
from server.table.state import TableState


class LobbyRow(Struct, frozen=True, kw_only=True):
    """A listed table that has not started: who waits there, and for what."""

    id: str
    name: str
    host: str | None
    preset: str
    packs: int
    players: int
    seated: int
    bots: int
    fill: str | None
    turn_seconds: int
    created: str


encode_row = msgspec.json.Encoder().encode
decode_row = msgspec.json.Decoder(LobbyRow).decode


class Lobby:
    """Keeps the indexes in step with the tables."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def follow(self, change: Change) -> None:
        """Bring the indexes in step with a change that has been stored."""
        state = change.state
        work: list[Awaitable[object]] = []
        for event in change.events:
            match event:
                case Created():
                    work += [
                        self._store.seated(seat.player, state.id, change.at) for seat in event.seats if seat.player
                    ]
                case PlayerJoined():
                    work.append(self._store.seated(event.player, state.id, change.at))
                case PlayerLeft() if change.before.game is None:
                    player = change.before.seats[event.seat].player
                    if player is not None:
                        work.append(self._store.unseated(player, state.id))
                case _:
                    pass
        if state.settings.listed and (state.phase == "lobby" or change.before.phase == "lobby"):
            work.append(self.listing(state))
        if work:
            await asyncio.gather(*work)

    async def listing(self, state: TableState) -> None:
        """Put the table on the lobby list if it belongs there, else take it off."""
        if in_lobby(state):
            await self._store.list_table(state.id, state.created, encode_row(lobby_row(state)))
        else:
            await self._store.unlist(state.id)


def in_lobby(state: TableState) -> bool:
    """Whether the table belongs on the lobby list."""
    return state.settings.listed and state.phase == "lobby" and any(seat.is_human for seat in state.seats)


def lobby_row(state: TableState) -> LobbyRow:
    """What the list shows of the table."""
    settings = state.settings
    return LobbyRow(
        id=state.id,
        name=settings.name,
        host=None if state.host is None else state.seats[state.host].name,
        preset=settings.preset,
        packs=settings.rules.packs,
        players=len(state.seats),
        seated=sum(seat.kind is not None for seat in state.seats),
        bots=sum(seat.kind == "bot" for seat in state.seats),
        fill=settings.fill,
        turn_seconds=settings.turn_seconds,
        created=iso(state.created),
    )
