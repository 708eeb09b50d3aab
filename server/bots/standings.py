"""On whom points should fall, as the game stands: what decides between two seats that could take a card."""

from collections.abc import Sequence

from rules.ruleset import RuleSet
from rules.scoring import moon_value
from server.bots.memory import Memory

_LEAN = 0.2
"""What a point on a seat far ahead is worth, as a share of a point of one's own."""

_FAR = 0.25
"""How far ahead or behind counts as far, as a share of the game's length."""

_END = 0.6
"""The same for a point on a seat that may end the game with it."""


def gains(memory: Memory) -> list[float] | None:
    """What a point on each seat is worth to this one, as a share of a point of its own; None: all are level.

    Points belong on whoever leads the others, not on one who is losing badly already. A seat near the target ends
    the game with them, which serves whoever leads the table and nobody else; that includes the own seat.
    """
    if not any(memory.totals):
        return None
    rules, me = memory.rules, memory.seat
    now = [total + shown for total, shown in zip(memory.totals, memory.shown, strict=True)]
    others = [total for seat, total in enumerate(now) if seat != me]
    ahead = now[me] <= min(others)
    middle, far = sum(others) / len(others), _FAR * _length(rules)
    found = [_LEAN * max(-1.0, min(1.0, (middle - total) / far)) for total in now]
    found[me] = 0.0
    if rules.target is not None:
        for seat, total in enumerate(now):
            if rules.target - total <= moon_value(rules) / 2:
                found[seat] += _END if ahead else -_END
        found[me] = min(0.0, found[me])
    elif rules.hands is not None and memory.number >= rules.hands:
        found = [2 * gain for gain in found]
    return found


def chosen(gains: Sequence[float], takers: Sequence[float], price: float) -> float:
    """What it gains that a trick of this price falls to each seat with these chances."""
    return price * sum(gain * chance for gain, chance in zip(gains, takers, strict=True))


def _length(rules: RuleSet) -> float:
    """About the total with which the last of the table ends the game."""
    if rules.target is not None:
        return rules.target
    assert rules.hands is not None
    return 1.5 * rules.hands * moon_value(rules) / rules.players
