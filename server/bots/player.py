"""The one door to the computer players: a level and what a seat has seen in, a command out."""

import logging
import random
from collections.abc import Callable
from typing import Literal

from rules.commands import ChooseMoon, Pass, PlayCard
from rules.events import By
from rules.view import Seen
from server.bots.beginner import beginners_card, beginners_pass
from server.bots.fallback import any_legal
from server.bots.memory import CARD_OF, Memory
from server.bots.moon import scoring
from server.bots.passing import cards_to_pass
from server.bots.play import best_card
from server.bots.search import search
from server.bots.weights import PASSING, WEIGHTS

Level = Literal["easy", "normal", "hard"]
Choice = Pass | PlayCard | ChooseMoon
PLAYOUTS = 2000
LEVELS: tuple[Level, ...] = ("easy", "normal", "hard")

_log = logging.getLogger(__name__)


def choose(
    level: Level,
    seen: Seen,
    seed: int,
    by: By = "bot",
    failed: Callable[[Level], object] | None = None,
    playouts: int = PLAYOUTS,
) -> Choice:
    """What a bot of `level` does at its turn: to pass, to play, or to choose how its moon is scored.

    playouts: how far `hard` looks.
    Pure: the same for the same `seen` and `seed`. Never raises: a bot that fails answers with a legal command, the
    failure is logged and `failed` is told its level.
    """
    try:
        return _choices(level, seen, random.Random(seed), by, playouts)
    except Exception:
        _log.exception("a %s bot failed; a plain legal choice stands in", level)
        if failed is not None:
            failed(level)
        return any_legal(seen, by)


def _choices(level: Level, seen: Seen, rng: random.Random, by: By, playouts: int) -> Choice:
    hand = seen.view.hand
    assert hand is not None
    if seen.view.phase == "moon":
        return ChooseMoon(scoring(seen))
    memory = Memory(seen)
    if seen.view.phase == "passing":
        assert hand.pass_ is not None
        count = hand.pass_.count
        gone = beginners_pass(memory, count, rng) if level == "easy" else cards_to_pass(memory, count, PASSING)
        return Pass(tuple(CARD_OF[face] for face in gone), by)
    if level == "easy":
        face = beginners_card(memory, rng)
    elif level == "hard":
        face = search(memory, playouts, rng)
    else:
        face = best_card(memory, WEIGHTS, rng)
    return PlayCard(CARD_OF[face], hand.turn_number, by)
