"""Golden playthroughs: a game as a text that a person can read and that replays line by line.

One file a preset and one for each value of an option, in tests/data/golden. `make golden` rewrites them: a game is
sought, seed by seed, in which the option matters, that is, the same commands have other outcomes under another value
of it. Players try a card that is not legal now and then, so that refusals are among the outcomes.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from rules.cards import Card, Cards, parse_card
from rules.commands import ChooseMoon, Command, Deal, Pass, PlayCard
from rules.decide import RuleViolation, decide
from rules.events import (
    Dealt,
    Event,
    Exchanged,
    GameOver,
    HandScored,
    HeartsBroken,
    MoonShot,
    Passed,
    Played,
    TrickCancelled,
    TrickTaken,
)
from rules.evolve import evolve
from rules.legality import why_not
from rules.ruleset import PRESETS, RuleSet
from rules.state import new_game
from rules.view import pass_words
from tests.rules.playing import Game

FOLDER = Path(__file__).parent.parent / "data" / "golden"

Asked = tuple[int | None, Command]


class Case(NamedTuple):
    """A file to be: its name, how its rules are made, and what an option is held against, if it is one's."""

    name: str
    preset: str | None
    players: int
    options: dict[str, Any]
    against: dict[str, Any] | None = None

    def rules(self) -> RuleSet:
        return RuleSet.resolve(self.preset, self.players, self.options)


PRESET_PLAYERS = {"cancellation": 8, "triple": 11, "guts": 7, "bicycle": 9}
KITTY = {"deck": "kitty", "first_lead": "dealers_left"}
ONE_HAND = {"hands": 1}

# field: players, what else is set, values; each is held against the first, the first against the second
VALUES: dict[str, tuple[int, dict[str, Any], list[Any]]] = {
    "packs": (5, ONE_HAND, [1, 2]),
    "deck": (6, ONE_HAND | {"first_lead": "dealers_left"}, ["exact", "kitty"]),
    "kitty_to": (5, ONE_HAND | KITTY, ["first_trick", "last_trick"]),
    "first_lead": (4, ONE_HAND, ["low_card", "dealers_left"]),
    "first_trick_points": (4, ONE_HAND, [False, True]),
    "hearts_must_break": (4, ONE_HAND, [True, False]),
    "queen_breaks_hearts": (4, ONE_HAND, [False, True]),
    "duplicates": (5, ONE_HAND, ["cancel", "later_wins"]),
    "triples": (11, ONE_HAND | {"packs": 3}, ["all", "pair"]),
    "cancelled_trick": (5, ONE_HAND, ["carry", "leader"]),
    "last_cancelled_trick": (11, ONE_HAND, ["leader", "high_pair_second"]),
    "pass_count": (6, ONE_HAND, [0, "quarter", 1, 2, 3, 4, 5]),
    "pass_cycle": (7, {"hands": 3, "packs": 1}, ["rotate", [-1, 0]]),
    "moon": (3, ONE_HAND | {"first_trick_points": True}, ["add", "subtract", "choice", "auto", "off"]),
    "omnibus": (4, ONE_HAND, ["off", "JD", "TD"]),
    "hooligan": (4, ONE_HAND, [False, True]),
    "dame_de_pique": (4, ONE_HAND, [False, True]),
    "target": (4, {}, [100, 30]),
    "hands": (4, {}, [None, 2]),
    "tie": (4, ONE_HAND, ["share", "play_on"]),
    "revoke": (4, ONE_HAND, ["refuse", "penalty"]),
    "end_when_no_points": (4, ONE_HAND, [False, True]),
}


def cases() -> Iterator[Case]:
    for preset in PRESETS:
        yield Case(f"preset-{preset}", preset, PRESET_PLAYERS.get(preset, 4), {"hands": 2})
    for field, (players, others, values) in VALUES.items():
        for value in values:
            other = values[0] if value != values[0] else values[1]
            # `auto` is as `add` until somebody who shoots the moon would lose the game by it.
            shared = others | {"hands": 4} if value == "auto" else others
            yield Case(f"{field}-{_named(value)}", None, players, shared | {field: value}, shared | {field: other})


def _named(value: Any) -> str:
    if isinstance(value, list):
        return "_".join(map(str, value))
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    return str(value)


# Writing


class Refused(NamedTuple):
    """A card that was tried and refused."""

    seat: int
    card: Card
    code: str


Outcome = Event | Refused


def written(case: Case) -> str:
    """The text of a game that shows the option, or the preset."""
    for seed in range(20_000):
        game, commands = _tried(case.rules(), Random(seed))
        outcomes = _outcomes(case.rules(), game.dealer, commands)
        if case.against is None or outcomes != _outcomes(
            RuleSet.resolve(None, case.players, case.against), game.dealer, commands
        ):
            return rendered(case, game.dealer, outcomes)
    raise LookupError(f"no game shows {case.name}")


def _tried(rules: RuleSet, random: Random) -> tuple[Game, list[Asked]]:
    """A game to its end, and everything that was asked in it."""
    game, commands = Game(rules, random), list[Asked]()
    while game.state.phase != "over":
        seat, command = game.allowed()
        if isinstance(command, PlayCard) and seat is not None and random.random() < 0.1:
            barred = sorted(why_not(game.state, seat), key=str)
            tried = PlayCard(random.choice(barred), command.turn) if barred else command
            commands.append((seat, tried))
            try:
                game.do(seat, tried)
            except RuleViolation:
                continue
        else:
            commands.append((seat, command))
            game.do(seat, command)
    return game, commands


def _outcomes(rules: RuleSet, dealer: int, commands: Iterable[Asked]) -> list[Outcome]:
    """What comes of these commands, up to one that is refused otherwise than as a card that may not be played."""
    state, outcomes = new_game(rules, dealer), list[Outcome]()
    for seat, command in commands:
        if isinstance(command, PlayCard) and state.hand is not None:
            command = PlayCard(command.card, state.hand.turn_number)
        try:
            events = decide(state, seat, command)
        except RuleViolation as refused:
            if not isinstance(command, PlayCard) or seat is None:
                return outcomes
            outcomes.append(Refused(seat, command.card, refused.code))
            continue
        for event in events:
            outcomes.append(event)
            state = evolve(state, event)
    return outcomes


def rendered(case: Case, dealer: int, outcomes: Iterable[Outcome]) -> str:
    lines = [
        f"game {case.name}: {case.preset or 'default preset'}, {case.players} players, dealer {dealer}",
        "options " + (", ".join(f"{field} {_named(value)}" for field, value in case.options.items()) or "none"),
    ]
    tricks, trick = 0, list[str]()
    for outcome in outcomes:
        match outcome:
            case Refused():
                trick.append(f"{outcome.seat} not {outcome.card} ({outcome.code})")
            case Played():
                trick.append(f"{outcome.seat} {outcome.card}")
            case HeartsBroken():
                trick[-1] += " breaks hearts"
            case TrickTaken() | TrickCancelled():
                tricks += 1
                lines += [f"  trick {tricks}: {', '.join(trick)}", f"    {_taken(outcome)}"]
                trick = []
            case Dealt():
                tricks = 0
                lines += _dealt(outcome)
            case _:
                lines += _lines(outcome)
    return "\n".join(lines) + "\n"


def _taken(event: TrickTaken | TrickCancelled) -> str:
    cancelled = f"{_faces(event.cancelled)} cancelled, " if event.cancelled else ""
    if isinstance(event, TrickCancelled):
        return f"{cancelled}nobody takes it, {event.leader} leads again"
    return f"{cancelled}{event.taker} takes {event.cards_taken} cards, {event.points} points"


def _dealt(event: Dealt) -> list[str]:
    way = f"pass {event.pass_size} {pass_words(event.pass_offset, len(event.hands))}"
    lines = ["", f"hand {event.number}, dealer {event.dealer}, {way if event.pass_offset else 'hold'}"]
    lines += [f"  deal {seat}: {_faces(cards)}" for seat, cards in enumerate(event.hands)]
    if event.kitty:
        lines.append(f"  kitty: {_faces(event.kitty)}")
    return lines if event.leader is None else [*lines, f"  {event.leader} leads"]


def _lines(event: Event) -> list[str]:
    match event:
        case Passed():
            return [f"  pass {event.seat}: {_faces(event.cards)}"]
        case Exchanged():
            return [f"  {event.leader} leads"]
        case MoonShot():
            return [f"  {event.shooter} shot the moon: {event.scored or 'chooses'}"]
        case HandScored():
            moon = [f"  moon {event.moon.shooter} {event.moon.scored}"] if event.moon else []
            revoked = [f"  revoked: {_row(event.revoked)}"] if event.revoked else []
            return [*moon, *revoked, f"  scores: {_row(event.scores)}", f"  totals: {_row(event.totals)}"]
        case GameOver():
            return ["", f"game over ({event.reason}), won by {_row(event.winners)}"]
        case _:
            return []


def _faces(cards: Cards) -> str:
    return " ".join(map(str, cards))


def _row(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


# Replaying


def replayed(case: Case, text: str) -> str:
    """The text that the commands in `text` make: the same, if the rules still say what they said."""
    lines = text.splitlines()
    dealer = int(lines[0].rsplit(" ", 1)[1])
    return rendered(case, dealer, _outcomes(case.rules(), dealer, _commands(case.rules(), lines, dealer)))


def _commands(rules: RuleSet, lines: list[str], dealer: int) -> Iterator[Asked]:
    hands: list[Cards] = []
    for at, line in enumerate(lines):
        words = line.replace(":", "").split()
        match words:
            case ["hand", _, "dealer", seat, *_]:
                dealer, hands = int(seat.rstrip(",")), []
            case ["deal", _, *faces]:
                hands.append(tuple(map(parse_card, faces)))
                if len(hands) == rules.players:
                    kitty = lines[at + 1].partition("kitty: ")[2].split()
                    yield None, Deal(_order(hands, tuple(map(parse_card, kitty)), dealer))
            case ["pass", seat, *faces]:
                yield int(seat), Pass(tuple(map(parse_card, faces)))
            case ["trick", _, *_]:
                for item in line.partition(": ")[2].split(", "):
                    seat, face = item.replace(" not ", " ").split()[:2]
                    yield int(seat), PlayCard(parse_card(face), 0)
            case ["moon", seat, ("add" | "subtract") as scored] if rules.moon == "choice":
                yield int(seat), ChooseMoon(scored)  # type: ignore[arg-type]
            case _:
                pass


def _order(hands: list[Cards], kitty: Cards, dealer: int) -> Cards:
    """The deck in the order that deals these hands."""
    players = len(hands)
    seats = [(dealer + 1 + place) % players for place in range(players)]
    return tuple(hands[seat][row] for row in range(len(hands[0])) for seat in seats) + kitty
