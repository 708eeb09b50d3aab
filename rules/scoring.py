"""What cards are worth, what a hand scores, and when the game ends ("rule book", sections Options, A hand, Moon)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from rules.cards import Card, Cards
from rules.ruleset import RuleSet
from rules.worth import moon_cards

MAX_HANDS = 512
"""A game never has more hands than its fair deal has seeds."""

Seat = Annotated[int, Meta(ge=0, le=10)]
Score = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
Scored = Literal["add", "subtract"]
Reason = Literal["target", "hands", "closed"]


class Moon(Struct, frozen=True):
    """A shot moon: who shot it, and how it was scored."""

    shooter: Seat
    scored: Scored


class Result(Struct, frozen=True):
    """How a game ended: the winners' seats (none when it was closed), the totals, and why."""

    winners: tuple[Seat, ...]
    totals: tuple[Score, ...]
    reason: Reason


def card_values(rules: RuleSet) -> Mapping[Card, int]:
    """The penalty points of each card that has any; negative for a bonus. Cards left out are worth nothing."""
    return rules.worth


def points_of(rules: RuleSet, cards: Iterable[Card]) -> int:
    """The penalty points of these cards together, bonuses subtracted."""
    worth, points = rules.worth, 0
    for card in cards:
        if card in worth:
            points += worth[card]
    return points


def moon_value(rules: RuleSet) -> int:
    """M, what the cards of the moon are worth: 26 a pack, 43 with dame de pique."""
    return (43 if rules.dame_de_pique else 26) * rules.packs


def moon_shooter(rules: RuleSet, taken: Sequence[Cards]) -> int | None:
    """The seat that took every card of the moon, or None. Judged by cards, never by points."""
    if rules.moon == "off":
        return None
    moon = moon_cards(rules.dame_de_pique)
    takers = [seat for seat, cards in enumerate(taken) if not moon.isdisjoint(cards)]
    return takers[0] if len(takers) == 1 else None


def hand_scores(rules: RuleSet, taken: Sequence[Cards], moon: Moon | None, revoked: Sequence[int]) -> tuple[int, ...]:
    """The score of each seat for what it took, with the moon, if somebody shot it, scored as `moon` says.

    Seats in `revoked` each score all points of the deck and everybody else nothing, whatever was taken.
    """
    if revoked:
        return tuple(moon_value(rules) if seat in revoked else 0 for seat in range(rules.players))
    points = [points_of(rules, cards) for cards in taken]
    if moon is not None:
        worth = moon_value(rules)
        points[moon.shooter] -= worth
        if moon.scored == "subtract":
            points[moon.shooter] -= worth
        else:
            points = [score + worth * (seat != moon.shooter) for seat, score in enumerate(points)]
    return tuple(points)


def moon_scoring(rules: RuleSet, taken: Sequence[Cards], shooter: int, totals: Sequence[int], number: int) -> Scored:
    """How the moon is scored when nobody chooses: as the option says; `choice` is left to its deadline, as `auto`.

    auto: add, unless adding would end the game without the shooter among the winners, then subtract. Under
    `tie: play_on` a tie for the lowest total ends nothing, so it is added.
    """
    if rules.moon in ("add", "subtract"):
        return "add" if rules.moon == "add" else "subtract"
    added = hand_scores(rules, taken, Moon(shooter, "add"), ())
    result = game_result(rules, add(totals, added), number)
    return "add" if result is None or shooter in result.winners else "subtract"


def game_result(rules: RuleSet, totals: Sequence[int], number: int) -> Result | None:
    """The result if the game ends with these totals after hand `number`, else None.

    Under `tie: play_on` further hands follow one by one until the lowest total stands alone. A game that has used
    every seed of its fair deal ends with the hand of the last one, shared if need be.
    """
    if rules.hands is not None:
        reason: Reason = "hands"
        ended = number >= rules.hands
    else:
        assert rules.target is not None
        reason = "target"
        ended = max(totals) >= rules.target
    lowest = min(totals)
    winners = tuple(seat for seat, total in enumerate(totals) if total == lowest)
    if ended and rules.tie == "play_on" and len(winners) > 1:
        ended = False
    if number >= MAX_HANDS and not ended:
        ended, reason = True, "hands"
    return Result(winners, tuple(totals), reason) if ended else None


def add(totals: Sequence[int], scores: Sequence[int]) -> tuple[int, ...]:
    """The totals after a hand, seat by seat."""
    return tuple(total + score for total, score in zip(totals, scores, strict=True))
