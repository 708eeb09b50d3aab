"""The pages behind a key: score sheet, last trick, rules, who passed to whom, help."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from client_cli import words
from client_cli.i18n import _
from client_cli.options import option_lines
from client_cli.render.canvas import fit, wrap
from client_cli.render.centre import last_trick_title
from client_cli.render.scene import Scene
from client_cli.render.seats import played_card

HELP_COLUMN = 21


def score_lines(scene: Scene, width: int, max_hands: int = 99) -> list[Text]:
    """A line for each player, lowest total first; the newest hands in columns as far as they fit."""
    view = scene.view
    totals = view.scores.totals or [seat.score for seat in view.seats]
    name_room = min(16, max(6, width // 3))
    columns = max(0, (width - name_room - 7) // 5)
    hands = view.scores.hands[-min(columns, max_hands) :] if columns else []
    head = Text(" " * (name_room + 1))
    for hand in hands:
        head.append((_("h") + str(hand.number)).rjust(5), "dim")
    lines = [head.append(_("total").rjust(6), "bold")]
    for seat in sorted(range(len(view.seats)), key=lambda number: (totals[number], number)):
        mine = view.me is not None and view.me.seat == seat
        line = Text().append(fit(view.name(seat), name_room, scene.look.ellipsis), "bold" if mine else "")
        line.pad_right(name_room + 1 - line.cell_len)
        for hand in hands:
            shot = hand.moon is not None and hand.moon.get("shooter") == seat
            line.append((f"{hand.scores[seat]}" + ("(" if shot else "")).rjust(5))
        lines.append(line.append(str(totals[seat]).rjust(6), "bold"))
    if any(hand.moon for hand in hands):
        lines.append(Text(_("( = shot the moon"), "dim"))
    return lines


@dataclass(frozen=True)
class HandOver:
    """What the event of a scored hand says."""

    number: int
    scores: list[int]
    totals: list[int]
    moon: Mapping[str, Any] | None
    revoked: list[int]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "HandOver | None":
        """None where the event is malformed."""
        try:
            return cls(data["number"], list(data["scores"]), list(data["totals"]), data["moon"], list(data["revoked"]))
        except (KeyError, TypeError):
            return None


def hand_over_page(scene: Scene, width: int, scored: HandOver) -> list[Text]:
    """Who took what in a hand, the moon, and where that leaves everybody, lowest total first."""
    view = scene.view
    room = max(8, width - 18)
    lines = [Text(" " * min(room, 24) + _("this hand").rjust(10) + _("total").rjust(8), "dim")]
    for seat in sorted(range(len(scored.totals)), key=lambda number: (scored.totals[number], number)):
        mine = view.me is not None and view.me.seat == seat
        line = Text().append(fit(view.name(seat), min(room, 24) - 1, scene.look.ellipsis), "bold" if mine else "")
        line.pad_right(min(room, 24) - line.cell_len)
        line.append(f"{scored.scores[seat]:+d}".rjust(10))
        lines.append(line.append(str(scored.totals[seat]).rjust(8), "bold"))
    if scored.moon is not None:
        shot = _("{name} shot the moon!").format(name=view.name(scored.moon.get("shooter", -1)))
        counted = words.moon_scored(scored.moon.get("scored"))
        lines += [Text(), *(Text(line, "bold yellow") for line in wrap(f"{shot} ({counted})", width))]
    if scored.revoked:
        names = words.listing(map(view.name, scored.revoked))
        lines += [
            Text(),
            *(Text(line) for line in wrap(_("Failed to follow suit: {names}.").format(names=names), width)),
        ]
    return lines


def last_trick_page(scene: Scene, width: int) -> list[Text]:
    hand = scene.view.hand
    if hand is None or hand.last_trick is None or not hand.last_trick.plays:
        return [Text(_("No trick has been played in this hand."))]
    last = hand.last_trick
    lines = [Text(last_trick_title(scene.view, last), "bold"), Text()]
    for number, play in enumerate(last.plays, 1):
        line = Text().append(f"{number:>2} ", "dim")
        line.append(fit(scene.view.name(play.seat), 20, scene.look.ellipsis))
        line.pad_right(max(1, 25 - line.cell_len))
        lines.append(line.append_text(played_card(scene, play, short=not play.cancelled)))
    return lines


def passes_page(scene: Scene, width: int) -> list[Text]:
    """Who passes to whom in this hand, and my own cards either way."""
    view = scene.view
    hand = view.hand
    if hand is None:
        return [Text(_("No hand has been dealt."))]
    if hand.passing is None:
        return [Text(_("A hold hand: nobody passes."))]
    players, offset = len(view.seats), hand.passing.offset
    lines = [
        Text(
            _("Hand {number}: {cards} {direction}").format(
                number=hand.number,
                cards=words.cards(hand.passing.count),
                direction=words.pass_direction(offset, players),
            ),
            "bold",
        ),
        Text(),
    ]
    for seat in range(players):
        mine = view.me is not None and view.me.seat == seat
        line = Text().append(fit(view.name(seat), 20, scene.look.ellipsis), "bold" if mine else "")
        line.pad_right(max(1, 21 - line.cell_len))
        lines.append(line.append(f"{scene.look.arrow} {view.name((seat + offset) % players)}"))
    if view.me is not None:
        for title, cards in (
            (_("You passed: "), view.me.passed),
            (_("You received: "), view.me.received),
        ):
            if cards:
                lines += [Text(), Text().append(title, "dim").append(" ".join(map(scene.look.card, cards)), "bold")]
    return lines


def rules_page(scene: Scene, width: int) -> list[Text]:
    """The rules in force: the deck worked out, then every option as the server names it."""
    table, deck = scene.view.table, scene.view.table.deck
    card = scene.look.card
    lines = [
        Text(f"{table.preset or ''} {scene.look.dot} " + _("{n} players").format(n=len(scene.view.seats)), "bold"),
        Text(_("{cards} in play, {each} each").format(cards=words.cards(deck.cards), each=deck.each)),
    ]
    if deck.added:
        lines.append(Text(_("added: {cards}").format(cards=" ".join(map(card, deck.added)))))
    if deck.removed:
        lines.append(Text(_("removed: {cards}").format(cards=" ".join(map(card, deck.removed)))))
    if deck.low_card:
        lines.append(Text(_("{card} leads the first trick").format(card=card(deck.low_card))))
    if deck.kitty:
        lines.append(Text(_("kitty: {cards}").format(cards=words.cards(deck.kitty))))
    lines += [Text(_("{points} in the deck").format(points=words.points(deck.points))), Text()]
    column = min(44, width * 3 // 5)
    for label, value in option_lines(table.rules):
        lines += _two_columns(label, value, column, width, "dim")
    return lines


def _two_columns(left: str, right: str, column: int, width: int, style: str) -> list[Text]:
    """`left` in a column of so many cells and `right` beside it, both wrapped."""
    lefts, rights = wrap(left, column - 1), wrap(right, width - column)
    lines = []
    for index in range(max(len(lefts), len(rights))):
        line = Text(lefts[index] if index < len(lefts) else "", style)
        line.pad_right(column - line.cell_len)
        lines.append(Text.assemble(line, rights[index] if index < len(rights) else ""))
    return lines


def _revoking(scene: Scene) -> list[tuple[str, str]]:
    if scene.view.table.rules.get("revoke") != "penalty":
        return []
    return [(_("revoke") + " " + _("CARD"), _("fail to follow suit, which costs all the points of the deck"))]


def help_page(scene: Scene, width: int) -> list[Text]:
    """The keys of the full screen."""
    entries = [
        *_naming_cards(),
        ("<- ->", _("or move to it, then Enter (Space marks cards to pass)")),
        ("l", _("last trick")),
        ("p", _("score sheet")),
        ("r", _("rules in force")),
        ("w", _("who passes to whom")),
        ("i", _("a hint: what a bot would do, and why")),
        ("m", _("say something to the table")),
        ("b", _("bell on my turn: on or off")),
        ("Esc", _("clear what is typed, close a page")),
        *(("/" + command, what) for command, what in _commands(scene)),
        ("Ctrl-Q, Ctrl-C", _("quit; hearts play brings you back")),
    ]
    return _help(entries, scene, width)


def typed_help_page(scene: Scene, width: int) -> list[Text]:
    """The words to type where there are only lines."""
    entries = [
        *_naming_cards(),
        (_("hand"), _("the cards you hold")),
        (_("trick"), _("the trick on the table")),
        (_("last"), _("last trick")),
        (_("scores"), _("score sheet")),
        (_("rules"), _("rules in force")),
        (_("passes"), _("who passes to whom")),
        (_("table"), _("who sits where")),
        (_("hint"), _("a hint: what a bot would do, and why")),
        (_("say") + " " + _("TEXT"), _("say something to the table")),
        *_commands(scene),
        (_("quit"), _("quit; hearts play brings you back")),
    ]
    return _help(entries, scene, width)


def _naming_cards() -> list[tuple[str, str]]:
    return [
        ("qs 10h jk", _("name a card, then Enter (suits c d s h; jk is the joker)")),
        ("1 2 3", _("or its number in the hand, then Enter")),
    ]


def _commands(scene: Scene) -> list[tuple[str, str]]:
    return [
        (_("start"), _("host: begin the game")),
        ("bot " + _("[SEAT] [LEVEL]"), _("host: seat a bot (easy, normal, hard)")),
        (_("remove") + " " + _("SEAT"), _("host: free a seat")),
        (_("cover") + " " + _("SEAT"), _("let a bot play for somebody who is away")),
        *_revoking(scene),
        (_("leave"), _("give up the seat")),
        (_("rematch"), _("another game with the same players")),
        (_("close"), _("close the table")),
    ]


def _help(entries: list[tuple[str, str]], scene: Scene, width: int) -> list[Text]:
    signs = [
        (scene.look.winning, _("is taking the trick")),
        (scene.look.cancelled, _("cancelled by its twin")),
        (scene.look.turn, _("has the turn")),
    ]
    lines: list[Text] = []
    for key, what in [*entries, ("", ""), *signs]:
        lines += _two_columns(key, what, HELP_COLUMN, width, "bold")
    return lines
