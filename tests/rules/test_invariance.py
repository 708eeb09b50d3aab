"""Who takes what does not depend on how seats are numbered."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from rules.commands import Command, Deal
from rules.events import Event, MoonShot
from rules.ruleset import RuleSet
from rules.scoring import Moon
from rules.state import new_game
from tests.rules.playing import SEED, Game, tables

BY_SEAT = {"hands", "received", "scores", "totals"}
SEATS = {"winners", "revoked"}
SEAT = {"dealer", "leader", "seat", "taker", "shooter"}


def turned(event: Event, by: int, players: int) -> Event:
    """The event with every seat numbered `by` higher."""
    changes: dict[str, Any] = {}
    for name, value in asdict(event).items():
        if name in BY_SEAT:
            changes[name] = tuple(value[(seat - by) % players] for seat in range(players))
        elif name in SEATS:
            changes[name] = tuple(sorted((seat + by) % players for seat in value))
        elif name in SEAT and value is not None:
            changes[name] = (value + by) % players
        elif isinstance(value, Moon):
            changes[name] = Moon((value.shooter + by) % players, value.scored)
    return replace(event, **changes)


@pytest.mark.parametrize("rules", tables(), ids=lambda rules: f"{rules.packs}-{rules.players}")
def test_numbering_seats_otherwise_turns_every_event(rules: RuleSet) -> None:
    print("seed", SEED)
    random = Random(SEED)
    game, twin = Game(rules, random), Game(rules, random)
    by = random.randrange(1, rules.players)
    twin.state = new_game(rules, (game.state.dealer + by) % rules.players)
    while not game.state.results and game.state.phase != "over":
        seat, command = game.allowed()
        events = game.do(seat, command)
        again: Command = Deal(command.order, command.seed) if isinstance(command, Deal) else command
        twins = twin.do(None if seat is None else (seat + by) % rules.players, again)
        assert twins == tuple(turned(event, by, rules.players) for event in events)


def test_turning_knows_every_field_that_holds_a_seat() -> None:
    assert turned(MoonShot(3, "add"), 2, 4) == MoonShot(1, "add")
