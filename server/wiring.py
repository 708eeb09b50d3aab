"""What handlers work with, wired once a process, and what a process does besides answering requests."""

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from aiohttp import web

from server.attendant import Attendant
from server.bots.pool import Bots
from server.clock import Clock
from server.config import Config
from server.held import HeldTables
from server.hints import Hints
from server.hub import Hub
from server.limits import AtOnce, RateLimit
from server.link import Link, StoreAway
from server.lobby import Lobby
from server.metrics import BOT_ERRORS
from server.player_store import PlayerStore
from server.players import Players
from server.presence import Presence
from server.problems import Problem
from server.service import Lifetimes, Tables
from server.store import Store
from server.sweep import Sweep
from server.table.duties import Times
from server.timers import Timers

REAP_SECONDS = 1.0
"""How often streams whose connection is gone are looked for."""

SWEEP_SECONDS = 600.0

CHECKS_AT_ONCE = 2
"""Records checked at the same time, in threads that others need too: anybody may ask for it, and it takes a while."""

_log = logging.getLogger(__name__)


class Services:
    """The parts of one process that handlers call. stopping: set when the process stops; nobody waits then."""

    def __init__(self, config: Config, link: Link, stopping: asyncio.Event, clock: Clock) -> None:
        self.stopping = stopping
        self.tables_per_player = config.tables_per_player
        self.clock = clock
        self.store = Store(link)
        self.player_store = PlayerStore(link)
        self.hub = Hub(self.clock)
        self.held = HeldTables(self.store, self.hub)
        self.players = Players(self.player_store, self.clock)
        self.presence = Presence(self.player_store, self.clock)
        self.lobby = Lobby(self.store)
        self.bots = Bots(failed=lambda level: BOT_ERRORS.labels(level).inc())
        self.attendant = Attendant(
            held=self.held,
            presence=self.presence,
            bots=self.bots,
            clock=self.clock,
            times=_times(config),
            connected_window=config.connected_window,
        )
        self.tables = Tables(
            store=self.store,
            held=self.held,
            hub=self.hub,
            lobby=self.lobby,
            presence=self.presence,
            clock=self.clock,
            lifetimes=Lifetimes(idle=config.game_idle, finished=config.finished_kept),
            announce=self.attendant.announce,
            changed=self.attendant.schedule,
            overtaken=lambda table_id: self.attendant.timers.forget(table_id),
            uncertain=lambda table_id: self.attendant.look_soon(table_id),
        )
        self.attendant.tables = self.tables
        self.sweep = Sweep(
            store=self.store, held=self.held, lobby=self.lobby, tables=self.tables, attendant=self.attendant
        )
        self.actions = RateLimit(config.actions_per_second, config.actions_burst, time.monotonic)
        self.chat = RateLimit(config.chat_per_minute / 60, config.chat_burst, time.monotonic)
        self.new_players = RateLimit(config.players_per_minute / 60, config.players_burst, time.monotonic)
        self.lookups = RateLimit(config.lookups_per_minute / 60, config.lookups_burst, time.monotonic)
        self.player_streams = AtOnce(config.streams_per_player)
        self.address_streams = AtOnce(config.streams_per_address)
        self.checks = asyncio.Semaphore(CHECKS_AT_ONCE)
        self._tokens_in_doubt = False

    def forget_players(self) -> None:
        """Believe nothing of any token without asking again; those of open streams are asked for soon."""
        self.players.forget()
        self._tokens_in_doubt = True

    async def end_streams_of_dead_tokens(self) -> None:
        """End what was opened with a token that was replaced since, or whose player was banned. Raises StoreAway."""
        if not self._tokens_in_doubt:
            return
        self._tokens_in_doubt = False
        try:
            for token_hash in self.hub.tokens():
                try:
                    await self.players.caller(token_hash)
                except Problem as problem:
                    if problem.code not in ("token_unknown", "banned"):
                        raise
                    self.hub.end_token(token_hash)
        except Exception:
            self._tokens_in_doubt = True
            raise


SERVICES: web.AppKey[Services] = web.AppKey("services", Services)


@contextlib.asynccontextmanager
async def running(config: Config, link: Link, stopping: asyncio.Event, clock: Clock) -> AsyncIterator[Services]:
    """The services of a process, from its start to its end."""
    services = Services(config, link, stopping, clock)

    def hinted(channel: str, version: int) -> None:
        if channel == PlayerStore.CHANNEL:
            services.forget_players()
        elif services.held.on_hint(channel, version):
            # Whoever changed it attends to it now.
            services.attendant.timers.forget(channel)

    def gap() -> None:
        services.forget_players()
        services.held.on_gap()

    async def keep_alive() -> None:
        services.hub.keep_alive()
        for player in services.hub.players():
            await services.presence.heard(player)

    async def reap() -> None:
        services.hub.reap()
        await services.end_streams_of_dead_tokens()

    async with contextlib.AsyncExitStack() as stack:
        services.held.hints = await stack.enter_async_context(Hints(config.redis_url, on_hint=hinted, on_gap=gap))
        services.held.hints.subscribe(PlayerStore.CHANNEL)
        await stack.enter_async_context(services.bots)
        services.attendant.timers = await stack.enter_async_context(
            Timers(services.store, services.attendant.wake, services.clock)
        )
        for seconds, work in (
            (REAP_SECONDS, reap),
            (config.keep_alive, keep_alive),
            (SWEEP_SECONDS, services.sweep.walk),
        ):
            stack.callback(asyncio.create_task(_every(seconds, work)).cancel)
        yield services


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    """Work again and again, at moments that many processes do not share."""
    while True:
        await asyncio.sleep(seconds * random.uniform(0.9, 1.0))
        try:
            await work()
        except StoreAway:
            pass  # Redis is away: the next time is soon
        except Exception:
            _log.exception("regular work failed")


def _times(config: Config) -> Times:
    return Times(
        bot_delay_least=config.bot_delay.least,
        bot_delay_most=config.bot_delay.most,
        absent_after=config.absent_after,
        lobby_idle=config.lobby_idle,
        game_idle=config.game_idle,
        rematch_wait=config.rematch_wait,
    )
