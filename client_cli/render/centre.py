"""The middle of the table: the trick in order of play, what is carried, and how the last trick ended."""

from rich.text import Text

from client_cli import words
from client_cli.cards import suit_of
from client_cli.i18n import _
from client_cli.model import LastTrick, Play, View
from client_cli.render.canvas import fit, pad, wrap
from client_cli.render.scene import Scene
from client_cli.render.seats import played_card


def centre_lines(scene: Scene, width: int, height: int) -> list[Text]:
    """At most `height` lines, each at most `width` cells."""
    phase = scene.view.table.phase
    draw = {"lobby": _lobby, "passing": _passing, "moon": _moon, "over": _over}.get(phase, _trick)
    return draw(scene, width, height)[:height]


def _wrapped(text: str, width: int, style: str = "") -> list[Text]:
    return [Text(line, style) for line in wrap(text, width)]


def _lobby(scene: Scene, width: int, height: int) -> list[Text]:
    view = scene.view
    free = sum(1 for seat in view.seats if seat.name is None)
    lines = _wrapped(_("Waiting for players; free seats: {n}.").format(n=free), width)
    lines += _wrapped(_("Friends come in with"), width, "dim")
    lines.append(Text(f"  hearts join {dashed(view.table.id)}", "bold"))
    if view.may("start"):
        lines += _wrapped(_("/start begins, /bot seats a bot."), width, "dim")
    elif view.table.host is not None:
        lines += _wrapped(_("{name} starts the game.").format(name=view.name(view.table.host)), width, "dim")
    return lines


def dashed(table: str) -> str:
    """A table id in groups of four, as it is read aloud."""
    return "-".join(table[i : i + 4] for i in range(0, len(table), 4))


def _passing(scene: Scene, width: int, height: int) -> list[Text]:
    view = scene.view
    assert view.hand is not None
    passing = view.hand.passing
    if passing is None:
        return []
    players = len(view.seats)
    direction = words.pass_direction(passing.offset, players)
    what = _("Everybody passes {cards} {direction}.").format(cards=words.cards(passing.count), direction=direction)
    lines = _wrapped(what, width)
    if view.me is not None:
        target = view.name((view.me.seat + passing.offset) % players)
        source = view.name((view.me.seat - passing.offset) % players)
        lines += _wrapped(_("You give to {to} and get from {giver}.").format(to=target, giver=source), width)
        if view.me.passed:
            shown = " ".join(scene.look.card(card) for card in view.me.passed)
            lines += _wrapped(_("You pass {cards}.").format(cards=shown), width, "bold")
    waiting = sum(1 for seat in view.seats if not seat.passed)
    return lines + _wrapped(_("Still choosing: {n}").format(n=waiting), width, "dim")


def _moon(scene: Scene, width: int, height: int) -> list[Text]:
    view = scene.view
    if view.may("moon"):
        return _wrapped(
            _("You shot the moon! Type add (everybody else gets the points) or subtract (yours go down)."),
            width,
            "bold",
        )
    return _wrapped(_("Somebody shot the moon and is choosing how it counts."), width)


def _over(scene: Scene, width: int, height: int) -> list[Text]:
    view = scene.view
    if view.result is None:
        return []
    lines = _wrapped(_("The game is over: {reason}.").format(reason=words.game_end(view.result.reason)), width)
    if view.result.winners:
        names = words.listing(view.name(seat) for seat in view.result.winners)
        lines += _wrapped(f"{scene.look.winning} {names}", width, "bold yellow")
    if view.may("rematch"):
        lines += _wrapped(_("/rematch asks for another game."), width, "dim")
    return lines


def _trick(scene: Scene, width: int, height: int) -> list[Text]:
    hand = scene.view.hand
    if hand is None:
        return []
    lines: list[Text] = []
    if hand.trick:
        led = suit_of(hand.trick[0].card)
        lines.append(
            Text.assemble(
                (_("Led suit: "), "dim"),
                (f"{scene.look.suit(led)} {words.suit_name(led)}", scene.look.colour(hand.trick[0].card)),
            )
        )
        lines += _plays(scene, hand.trick, width, height - 1)
    elif hand.turn is not None:
        leads = _("{name} is to lead.").format(name=scene.view.name(hand.turn))
        lines += _wrapped(_("You are to lead.") if scene.view.my_turn else leads, width, "dim")
    if hand.carried is not None and hand.carried.cards:
        carried = _("Carried over: {cards}, {points}").format(
            cards=words.cards(hand.carried.cards), points=words.points(hand.carried.points)
        )
        lines += _wrapped(carried, width, "bold magenta")
    last = hand.last_trick
    if last is not None and last.plays:
        # Only whole: half a summary in the last line says less than none.
        summary = last_trick_lines(scene, last, width)
        for part in (summary, summary[:1]):
            if len(lines) + len(part) <= height:
                return [*lines, *([Text()] if len(lines) + len(part) < height else []), *part]
    return lines


def _plays(scene: Scene, plays: list[Play], width: int, height: int) -> list[Text]:
    """Numbered in order of play, in two columns where one would be too tall."""
    columns = 1 if len(plays) <= height else 2
    each = -(-len(plays) // columns)
    room = width // columns
    lines = [Text() for _line in range(each)]
    for index, play in enumerate(plays):
        name_room = room - 10 if columns == 2 else min(24, room - 20)
        cell = Text().append(f"{index + 1:>2} ", "dim")
        cell.append(fit(scene.view.name(play.seat), max(3, name_room), scene.look.ellipsis))
        cell = pad(cell, min(room - 6, 3 + max(3, name_room)))
        cell.append(" ").append_text(played_card(scene, play, short=columns == 2))
        lines[index % each].append_text(pad(cell, room))
    return lines


def last_trick_lines(scene: Scene, last: LastTrick, width: int) -> list[Text]:
    """Who took it, and its cards in order of play."""
    lines = [Text(fit(line, width, scene.look.ellipsis), "dim") for line in [last_trick_title(scene.view, last)]]
    cards = Text()
    for play in last.plays:
        piece = Text.assemble(played_card(scene, play, short=True), " ")
        if cards.cell_len + piece.cell_len - 1 > width:
            lines.append(cards)
            cards = Text()
        cards.append_text(piece)
    return [*lines, cards]


def last_trick_title(view: View, last: LastTrick) -> str:
    if last.taker is None:
        return _("Last trick: cancelled, carried over")
    return _("Last trick: {name}, {cards}, {points}").format(
        name=view.name(last.taker), cards=words.cards(last.cards_taken), points=words.points(last.points)
    )
