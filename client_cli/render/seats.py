"""The players round the table: where each sits, and the block that tells about one."""

from rich.text import Text

from client_cli import words
from client_cli.i18n import _
from client_cli.model import Play, Seat
from client_cli.render.canvas import fit, row
from client_cli.render.scene import Scene

PLAIN_HEIGHT = 2
BOXED_HEIGHT = 4


def places(players: int) -> tuple[int, int]:
    """Seats on each side, and at the top, for everybody but the one at the bottom."""
    sides = max(1, (players - 1) // 3)
    return sides, players - 1 - 2 * sides


def around(players: int, bottom: int) -> tuple[list[int], list[int], list[int]]:
    """Seats on the left (top to bottom), at the top (left to right) and on the right (top to bottom).

    Seen from above, play goes clockwise: the left neighbour of the one at the bottom is lowest on the left.
    """
    sides, top = places(players)
    order = [(bottom + step) % players for step in range(1, players)]
    return order[:sides][::-1], order[sides : sides + top], order[sides + top :]


def played_card(scene: Scene, play: Play, *, short: bool = False) -> Text:
    """A card on the table: struck through and marked when cancelled, marked when it is winning."""
    look = scene.look
    shown = look.card(play.card)
    style = look.colour(play.card)
    if play.cancelled:
        text = Text().append(shown, style + " dim strike")
        text.append(look.cancelled, "bold")
        return text if short else text.append(" " + _("cancelled"), "dim")
    text = Text().append(shown, style + " bold")
    if play.winning:
        text.append(look.winning, "bold yellow")
        return text if short else text.append(" " + _("taking it"), "yellow")
    return text


def seat_lines(scene: Scene, number: int, width: int) -> list[Text]:
    """Two lines about a seat: whose turn, name, score; and card or state, cards left, points of this hand."""
    seat = scene.view.seats[number]
    view, look = scene.view, scene.look
    hand = view.hand
    turn = hand is not None and hand.turn == number and view.table.phase == "playing"
    if seat.name is None:
        return [Text("  " + _("empty"), "dim"), Text("  " + _("seat {n}").format(n=number + 1), "dim")]
    score = Text(str(seat.score) if view.table.phase != "lobby" else "", "bold")
    dealer = " (" + _("D") + ")" if hand is not None and hand.dealer == number else ""
    room = max(1, width - 3 - score.cell_len - len(dealer))
    name = Text().append(f"{look.turn} " if turn else "  ", "bold yellow")
    name.append(fit(view.name(number), room, look.ellipsis), "bold yellow" if turn else "bold")
    name.append(dealer, "dim")
    return [row(name, score, width), row(_state(scene, seat), _counts(scene, seat, width), width)]


def _state(scene: Scene, seat: Seat) -> Text:
    """The card it played in this trick, else what there is to say."""
    phase = scene.view.table.phase
    if scene.view.hand is not None:
        for play in scene.view.hand.trick:
            if play.seat == seat.seat:
                return Text("  ").append_text(played_card(scene, play, short=True))
    if phase == "lobby" and scene.view.table.host == seat.seat:
        return Text("  " + _("host"), "dim")
    if phase == "passing":
        return Text("  " + (_("has passed") if seat.passed else _("is choosing")), "dim")
    if seat.left:
        return Text("  " + _("has left"), "italic")
    if seat.away or (seat.kind == "human" and seat.controller == "bot"):
        return Text("  " + _("away"), "italic")
    if seat.kind == "human" and not seat.connected:
        return Text("  " + _("offline"), "italic")
    if seat.kind == "bot":
        return Text("  " + _("bot"), "dim")
    return Text()


def _counts(scene: Scene, seat: Seat, width: int) -> Text:
    if scene.view.table.phase in ("lobby", "over"):
        return Text()
    points = f"{seat.points:+d}"
    # Before the exchange everybody holds as many, and the words of the state need the room.
    if width >= 20 and scene.view.table.phase != "passing":
        return Text().append(f"{words.cards(seat.cards)} ", "dim").append(points, "" if seat.points else "dim")
    return Text(points, "" if seat.points else "dim")


def own_line(scene: Scene, number: int, width: int) -> Text:
    """The seat at the bottom, in one line."""
    seat, look = scene.view.seats[number], scene.look
    if seat.name is None:
        return Text(_("seat {n}").format(n=number + 1), "dim")
    mine = scene.view.me is not None and scene.view.me.seat == number
    turn = scene.view.hand is not None and scene.view.hand.turn == number
    line = Text().append(f"{look.turn} " if turn else "", "bold yellow")
    name = fit(scene.view.name(number), max(6, width - 44), look.ellipsis)
    line.append(name + (" (" + _("you") + ")" if mine else ""), "bold yellow" if turn else "bold")
    if scene.view.hand is not None and scene.view.hand.dealer == number:
        line.append(" (" + _("D") + ")", "dim")
    if scene.view.table.phase != "lobby":
        line.append(f" {look.dot} " + _("score {n}").format(n=seat.score))
        line.append(f" {look.dot} " + _("this hand {n}").format(n=f"{seat.points:+d}"))
    state = _state(scene, seat)
    if state.plain.strip() and not turn:
        line.append(f" {look.dot}").append_text(state[1:])
    return line


def boxed(scene: Scene, number: int, width: int) -> list[Text]:
    """The seat's lines in a frame, which is bold on its turn."""
    hand = scene.view.hand
    turn = hand is not None and hand.turn == number and scene.view.table.phase == "playing"
    style = "bold yellow" if turn else "dim"
    corner = "++++" if scene.look.ascii else "╭╮╰╯"
    side = "|" if scene.look.ascii else "│"
    edge = scene.look.rule * (width - 2)
    lines = [Text(corner[0] + edge + corner[1], style)]
    for line in seat_lines(scene, number, width - 3):
        line.pad_right(max(0, width - 3 - line.cell_len))
        lines.append(Text.assemble((side, style), line, (" " + side, style)))
    return [*lines, Text(corner[2] + edge + corner[3], style)]
