"""Reads positions from data: what one seat has seen, as text, made into what a bot is given."""

from typing import Any

from rules.cards import Card, Cards, Suit, in_order, parse_card, without
from rules.ruleset import RuleSet
from rules.state import GameState, HandState, Play, Trick
from rules.trick import settle
from rules.view import Seen, seen


def cards_of(text: str) -> Cards:
    return tuple(parse_card(face) for face in text.split())


def seen_in(row: dict[str, Any]) -> Seen:
    """What the seat of this position has seen.

    Hidden cards are dealt to the others anyhow: nothing that a seat may see depends on them.
    """
    rules = RuleSet.resolve(row.get("preset"), row["players"], row.get("rules", {}))
    state = GameState(
        rules=rules,
        dealer=0,
        phase=row.get("phase", "playing"),
        hand=_hand(rules, row),
        results=(),
        totals=tuple(row.get("totals", [0] * rules.players)),
        result=None,
    )
    return seen(state, row["seat"])


def _hand(rules: RuleSet, row: dict[str, Any]) -> HandState:
    players, seat = rules.players, row["seat"]
    mine = in_order(cards_of(row["cards"]))
    tricks, carried = _tricks(rules, row.get("tricks", []))
    plays = _plays(rules, row["trick"]) if "trick" in row else ()
    leader = plays[0].seat if plays else seat
    passing = row.get("phase") == "passing"
    gone = [play.card for trick in tricks for play in trick.plays] + [play.card for play in plays]
    hidden = list(without(rules.worked_out.cards, *mine, *gone))
    played = [play.seat for play in plays]
    hands = []
    for other in range(players):
        size = len(mine) if other == seat else len(mine) - (other in played)
        hands.append(mine if other == seat else in_order(hidden[:size]))
        hidden = hidden if other == seat else hidden[size:]
    points = list(row.get("points", [0] * players))
    for trick in tricks:
        if trick.taker is not None:
            points[trick.taker] += trick.points
    passed = row.get("passed")
    offset = row.get("offset", 0)
    nothing: tuple[Cards, ...] = ((),) * players
    return HandState(
        number=1,
        dealer=0,
        deal=tuple(hands),
        kitty=(),
        seed="",
        pass_offset=offset,
        pass_size=rules.pass_size if offset else 0,
        passed=tuple(None if passing else cards_of(passed or "") for _ in range(players)),
        received=None if passing or not offset else nothing,
        cards=tuple(hands),
        leader=None if passing else leader,
        turn=None if passing else seat,
        turn_number=len(gone),
        trick=plays,
        carried=carried,
        tricks=tricks,
        points=tuple(points),
        hearts_broken=any(card.suit is Suit.HEARTS for card in gone),
        revoked=(),
    )


def _plays(rules: RuleSet, trick: dict[str, Any]) -> tuple[Play, ...]:
    faces = cards_of(trick["cards"])
    return tuple(Play((trick["leader"] + at) % rules.players, card, "bot") for at, card in enumerate(faces))


def _tricks(rules: RuleSet, rows: list[dict[str, Any]]) -> tuple[tuple[Trick, ...], Cards]:
    tricks: list[Trick] = []
    carried: Cards = ()
    for row in rows:
        plays = _plays(rules, row)
        faces: tuple[Card, ...] = tuple(play.card for play in plays)
        settled = settle(rules, row["leader"], faces, carried, last=False)
        taken, points = (0, 0) if settled.taker is None else (settled.cards_taken, settled.points)
        tricks.append(Trick(row["leader"], plays, settled.cancelled, settled.taker, taken, points))
        carried = carried + faces if settled.taker is None else ()
    return tuple(tricks), carried
