"""Duplicate matches: the same deals with the seats rotated through every position, so that luck of the deal cancels."""

import math
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rules.cards import Card
from rules.commands import ChooseMoon, Deal, Pass, PlayCard
from rules.decide import decide
from rules.evolve import evolve
from rules.ruleset import RuleSet
from rules.state import GameState, new_game
from rules.view import Seen, seen

Player = Callable[[Seen, int], Pass | PlayCard | ChooseMoon]
"""Chooses for what a seat has seen; the number is the seed of this move."""


def play_hand(rules: RuleSet, order: Sequence[Card], dealer: int, players: Sequence[Player], seed: int) -> GameState:
    """One hand, dealt from `order`, to its end. Raises RuleViolation when a player chooses something illegal."""
    state = new_game(rules, dealer)
    for event in decide(state, None, Deal(tuple(order))):
        state = evolve(state, event)
    while state.phase not in ("dealing", "over"):
        assert state.hand is not None
        if state.phase == "passing":
            seat = next(seat for seat, passed in enumerate(state.hand.passed) if passed is None)
        else:
            assert state.hand.turn is not None
            seat = state.hand.turn
        move = (seed * 1009 + state.hand.turn_number) * 16 + seat
        for event in decide(state, seat, players[seat](seen(state, seat), move)):
            state = evolve(state, event)
    return state


class Difference(NamedTuple):
    """Mean points a hand that the guest scored more than the hosts, and its standard error clustered by deal."""

    mean: float
    error: float
    deals: int

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.mean - 1.96 * self.error

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.mean + 1.96 * self.error


def seatings(players: int, guests: int) -> list[tuple[int, ...]]:
    """The guests' seats, rotated through the table: every seat is a guest's equally often."""
    step = players / guests
    places = [int(at * step) for at in range(guests)]
    turns = players // guests if players % guests == 0 else players
    return [tuple(sorted((place + turn) % players for place in places)) for turn in range(turns)]


def shuffled(rules: RuleSet, number: int) -> tuple[list[Card], int]:
    """The order of deal `number`, and who deals it."""
    rng = random.Random(number)
    order = list(rules.worked_out.cards)
    rng.shuffle(order)
    return order, rng.randrange(rules.players)


def one_deal(rules: RuleSet, number: int, guest: Player, host: Player, guests: int = 1) -> float:
    """The guests' mean score less the hosts', over all seatings of deal `number`."""
    players = rules.players
    order, dealer = shuffled(rules, number)
    gaps = []
    for seats in seatings(players, guests):
        table = [guest if seat in seats else host for seat in range(players)]
        scores = play_hand(rules, order, dealer, table, number).results[-1].scores
        mine = sum(scores[seat] for seat in seats) / guests
        gaps.append(mine - (sum(scores) - mine * guests) / (players - guests))
    return sum(gaps) / len(gaps)


def rules_for(players: int, number: int, **options: object) -> RuleSet:
    """The default game for so many players, its end far away, passing as in hand `number`."""
    usual = RuleSet.resolve(None, players)
    cycle = usual.pass_cycle
    once = {"target": 1000, "pass_cycle": [cycle[number % len(cycle)]]}
    return RuleSet.resolve(None, players, {**once, **options})


def match(players: int, deals: Sequence[int], guest: Player, host: Player, guests: int = 1) -> Difference:
    """The difference over these deals; the number of a deal fixes its cards."""
    gaps = [one_deal(rules_for(players, number), number, guest, host, guests) for number in deals]
    return summed(gaps)


def summed(gaps: Sequence[float]) -> Difference:
    """Mean and standard error of one number a deal."""
    mean = sum(gaps) / len(gaps)
    spread = sum((gap - mean) ** 2 for gap in gaps) / max(1, len(gaps) - 1)
    return Difference(mean, math.sqrt(spread / len(gaps)), len(gaps))
