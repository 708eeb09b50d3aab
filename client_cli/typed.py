"""What a person typed, as something to do: the same words in plain mode and on the full screen."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from client_cli import words
from client_cli.cards import parse_choice, parse_choices
from client_cli.i18n import _
from client_cli.model import View


@dataclass(frozen=True)
class Act:
    """An action for the server."""

    action: str
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Show:
    """A page to look at: hand, trick, last, scores, rules, passes, table, help, hint."""

    page: str


@dataclass(frozen=True)
class Quit:
    """Stop looking; the seat stays mine."""


Wish = Act | Show | Quit


class NotUnderstood(Exception):
    """One sentence: why nothing was done."""


def _vocabulary() -> dict[str, tuple[str, ...]]:
    """Every command with the words for it, in English and in the language spoken."""
    return {
        "hand": ("hand", _("hand")),
        "trick": ("trick", "t", _("trick")),
        "last": ("last", "l", _("last")),
        "scores": ("scores", "score", "p", _("scores")),
        "rules": ("rules", "r", _("rules")),
        "passes": ("passes", "w", _("passes")),
        "table": ("table", "who", _("table")),
        "help": ("help", "?", _("help")),
        "hint": ("hint", "i", _("hint")),
        "quit": ("quit", "exit", "q", _("quit")),
        "start": ("start", _("start")),
        "bot": ("bot",),
        "remove": ("remove", _("remove")),
        "cover": ("cover", _("cover")),
        "leave": ("leave", _("leave")),
        "rematch": ("rematch", _("rematch")),
        "close": ("close", _("close")),
        "say": ("say", "m", _("say")),
        "revoke": ("revoke", _("revoke")),
        "add": ("add", _("add")),
        "subtract": ("subtract", _("subtract")),
    }


PAGES = ("hand", "trick", "last", "scores", "rules", "passes", "table", "help", "hint")
REACTIONS = ("👍", "👏", "😄", "😮", "😢", "🙈")
_PLAIN_ACTIONS = ("start", "leave", "rematch", "close")


def understand(line: str, view: View, hand: Sequence[str]) -> Wish | None:
    """The wish in a line, None for an empty one. `hand` is my cards in the order shown.

    Raises NotUnderstood, also for a card that the view says may not be played now.
    """
    text = line.strip()
    if not text:
        return None
    head, _space, rest = text.removeprefix("/").partition(" ")
    command = next((name for name, spoken in _vocabulary().items() if head.lower() in spoken), None)
    if command == "quit":
        return Quit()
    if command in PAGES:
        return Show(command)
    if command == "revoke":
        return _play(_to_revoke(rest, view, hand), view)
    if command is not None:
        return _act(command, rest.strip(), view)
    if view.table.phase == "passing":
        return Act("pass", {"cards": _to_pass(text, view, hand)})
    return _play(_to_play(text, view, hand), view)


def _play(card: str, view: View) -> Act:
    return Act("play", {"card": card, "turn": view.hand.turn_number if view.hand else 0})


def _act(command: str, rest: str, view: View) -> Act:
    if command in _PLAIN_ACTIONS:
        return Act(command)
    if command in ("add", "subtract"):
        return Act("moon", {"choice": command})
    if command == "say":
        if not rest:
            raise NotUnderstood(_("Say what? For example: say well played"))
        return say(rest)
    given = rest.split()
    if command == "bot":
        seat = _seat(given[0]) if given and given[0].isdigit() else _first_free(view)
        level = next((word for word in given if not word.isdigit()), "normal")
        return Act("add_bot", {"seat": seat, "level": level})
    if not given:
        raise NotUnderstood(_("Which seat? For example: {command} 3").format(command=command))
    return Act({"remove": "remove", "cover": "bot_for"}[command], {"seat": _seat(given[0])})


def say(text: str) -> Act:
    """A text for the table, or the reaction with that number."""
    if 1 <= _number(text) <= len(REACTIONS):
        return Act("say", {"reaction": REACTIONS[_number(text) - 1]})
    return Act("say", {"text": text})


def _seat(text: str) -> int:
    """Seats are counted from 1 by people and from 0 by the server."""
    number = _number(text)
    if number == 0:
        raise NotUnderstood(_("{text} is no seat; seats count from 1.").format(text=text))
    return number - 1


def _number(text: str) -> int:
    """A number of a seat or a reaction; 0 for what is none."""
    return int(text) if re.fullmatch(r"[0-9]{1,2}", text) else 0


def _first_free(view: View) -> int:
    for seat in view.seats:
        if seat.name is None:
            return seat.seat
    raise NotUnderstood(_("No seat is free."))


def _no_card(text: str) -> NotUnderstood:
    return NotUnderstood(_("{text} is neither a card nor a command; type help.").format(text=text))


def _to_play(text: str, view: View, hand: Sequence[str]) -> str:
    try:
        card = parse_choice(text, hand)
    except ValueError:
        raise _no_card(text) from None
    reason = cannot_play(card, view)
    if reason is not None:
        raise NotUnderstood(reason)
    return card


def _to_revoke(text: str, view: View, hand: Sequence[str]) -> str:
    """A card that fails to follow suit, where the table lets that happen at a price; never by a slip of the finger."""
    try:
        card = parse_choice(text, hand)
    except ValueError:
        raise _no_card(text) from None
    barred = view.me.why.get(card) if view.my_turn and view.me is not None else None
    if view.table.rules.get("revoke") != "penalty":
        raise NotUnderstood(_("This table does not let anybody fail to follow suit."))
    if barred != "must_follow_suit":
        raise NotUnderstood(
            cannot_play(card, view) or _("Just play {card}: it is legal.").format(card=words.card_name(card))
        )
    return card


def cannot_play(card: str, view: View) -> str | None:
    """Why this card may not be played now, in a sentence; None where it may."""
    if view.table.phase != "playing" or view.me is None:
        return _("No card can be played now.")
    if not view.my_turn:
        return _("It is not your turn.")
    if card not in view.me.cards:
        return _("You do not hold {card}.").format(card=words.card_name(card))
    if card not in view.me.legal:
        led = view.hand.trick[0].card if view.hand and view.hand.trick else None
        return _("Not {card}: {reason}.").format(
            card=words.card_name(card), reason=words.why_not(view.me.why.get(card, ""), led)
        )
    return None


def _to_pass(text: str, view: View, hand: Sequence[str]) -> list[str]:
    try:
        cards = parse_choices(text, hand)
    except ValueError as error:
        raise _no_card(str(error)) from None
    reason = cannot_pass(cards, view)
    if reason is not None:
        raise NotUnderstood(reason)
    return cards


def cannot_pass(cards: Sequence[str], view: View) -> str | None:
    """Why these cards may not be passed now, in a sentence; None where they may."""
    if not view.may("pass") or view.me is None or view.hand is None or view.hand.passing is None:
        return _("You have passed already.")
    count = view.hand.passing.count
    if len(cards) != count:
        return _("Choose exactly {cards}, not {n}.").format(cards=words.cards(count), n=len(cards))
    missing = Counter(cards) - Counter(view.me.cards)
    if missing:
        return _("You do not hold {card}.").format(card=words.card_name(next(iter(missing))))
    return None


def act_of_hint(hint: dict[str, Any], view: View | None) -> Act:
    """The action that follows a hint of the server."""
    if hint.get("cards"):
        return Act("pass", {"cards": hint["cards"]})
    if hint.get("card"):
        turn = view.hand.turn_number if view is not None and view.hand is not None else 0
        return Act("play", {"card": hint["card"], "turn": turn})
    return Act("moon", {"choice": hint.get("choice", "auto")})
