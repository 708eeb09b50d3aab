"""The whole screen of a table, for any size from 80x24 up and for 3 to 11 seats."""

from rich.text import Text

from client_cli import words
from client_cli.i18n import _
from client_cli.model import printable
from client_cli.render.canvas import Canvas, fit, pad, row, wrap
from client_cli.render.centre import centre_lines, dashed
from client_cli.render.hand import hand_lines
from client_cli.render.panels import score_lines
from client_cli.render.scene import Scene, countdown
from client_cli.render.seats import BOXED_HEIGHT, PLAIN_HEIGHT, around, boxed, own_line, places, seat_lines

WIDE = 130
SIDE_PANEL = 42
_BELOW_HAND = 3  # note, prompt, keys


def draw(scene: Scene, width: int, height: int) -> list[Text]:
    """Exactly `height` lines of at most `width` cells."""
    hand = hand_lines(scene, width)
    top = [_header(scene, width), _facts(scene, width)]
    bottom = [_status(scene, width), *hand, _note(scene, width), _prompt(scene, width), _keys(scene, width)]
    middle = _middle(scene, width, max(0, height - len(top) - len(bottom)))
    lines = [*top, *middle, *bottom]
    # On a screen too low for everything the hand and the prompt stay.
    return lines[-height:] if len(lines) > height else lines


def _middle(scene: Scene, width: int, height: int) -> list[Text]:
    """The table with the log below it, or beside it where there is room."""
    panel = width >= WIDE
    room = width - SIDE_PANEL - 1 if panel else width
    drawn = _seats(scene, room, height if panel else height - 2)
    if not panel:
        free = height - len(drawn)
        return [*drawn, *_log(scene, width, free)] if free > 0 else drawn[:height]
    blank = (height - len(drawn)) // 2
    table = [Text()] * blank + drawn
    scores = score_lines(scene, SIDE_PANEL - 2, max_hands=max(1, height // 3))
    scores = [pad(line, SIDE_PANEL - 2) for line in scores[: height // 2]]
    beside = [*scores, Text(), *_log(scene, SIDE_PANEL - 2, max(0, height - len(scores) - 1))]
    bar = "|" if scene.look.ascii else "│"
    joined = []
    for y in range(height):
        left = table[y] if y < len(table) else Text()
        right = beside[y] if y < len(beside) else Text()
        joined.append(Text.assemble(pad(left, room), (f"{bar} ", "dim"), right))
    return joined


def _seats(scene: Scene, width: int, height: int) -> list[Text]:
    view = scene.view
    players = len(view.seats)
    if players < 3:
        return []
    bottom = view.me.seat if view.me is not None else 0
    sides, top = places(players)
    left, above, right = around(players, bottom)
    frames = height >= BOXED_HEIGHT * (sides + bool(top)) + 1
    each = BOXED_HEIGHT if frames else PLAIN_HEIGHT
    block = boxed if frames else seat_lines
    cell = min(26, (width - 2) // max(4, top))
    first = each + (0 if frames else 1) if top else 0
    # Side blocks are spread over the height of the trick, which may need more than they do.
    side_height = min(max(sides * each, players + 4), max(sides * each, height - first - 1))
    gap = max(0, (side_height - sides * each) // sides) if sides > 1 else 0
    offset = (side_height - sides * each - gap * (sides - 1)) // 2
    canvas = Canvas(width, first + side_height + 1)
    for index, seat in enumerate(above):
        x = (width * (2 * index + 1)) // (2 * top) - cell // 2
        _put(canvas, x, 0, block(scene, seat, cell))
    for index in range(sides):
        y = first + offset + index * (each + gap)
        _put(canvas, 0, y, block(scene, left[index], cell))
        _put(canvas, width - cell, y, block(scene, right[index], cell))
    inner = width - 2 * cell - 4
    _put(canvas, cell + 2, first, centre_lines(scene, inner, side_height))
    for y, line in enumerate(_own_seat(scene, bottom, width)):
        canvas.put(0, first + side_height + y, line)
    return canvas.lines()


def _put(canvas: Canvas, x: int, y: int, lines: list[Text]) -> None:
    for index, line in enumerate(lines):
        canvas.put(x, y + index, line)


def _own_seat(scene: Scene, seat: int, width: int) -> list[Text]:
    line = own_line(scene, seat, width - 4)
    return [Text(" " * max(0, (width - line.cell_len) // 2)).append_text(line)]


def _header(scene: Scene, width: int) -> Text:
    table = scene.view.table
    dot = f" {scene.look.dot} "
    parts = [printable(table.name or _("Hearts")), dashed(table.id), table.preset or "", _players(scene)]
    right = Text()
    if scene.view.hand is not None:
        hand = scene.view.hand
        right = Text(_("hand {hand}").format(hand=hand.number), "bold")
        trick = current_trick(scene)
        if trick:
            right.append(dot + _("trick {n} of {all}").format(n=trick, all=scene.view.table.deck.each), "bold")
    left = fit(dot.join(filter(None, parts)), max(1, width - right.cell_len - 2), scene.look.ellipsis)
    return row(Text(f" {left}", "bold"), right.append(" "), width).copy()


def _players(scene: Scene) -> str:
    return _("{n} players").format(n=len(scene.view.seats))


def current_trick(scene: Scene) -> int:
    """Number of the trick being played, from the plays made; 0 outside play."""
    hand = scene.view.hand
    if hand is None or scene.view.table.phase != "playing" or not scene.view.seats:
        return 0
    return hand.turn_number // len(scene.view.seats) + 1


def _facts(scene: Scene, width: int) -> Text:
    hand = scene.view.hand
    if hand is None:
        return Text()
    facts = Text(" ")
    if hand.hearts_broken:
        facts.append(f"{scene.look.heart} " + _("hearts broken"), "bold bright_red")
    else:
        facts.append(f"{scene.look.heart} " + _("hearts not broken"), "dim")
    offset = hand.passing.offset if hand.passing is not None else 0
    facts.append(f"  {scene.look.dot}  ", "dim")
    facts.append(_("pass: {direction}").format(direction=words.pass_direction(offset, len(scene.view.seats))))
    return facts


def _status(scene: Scene, width: int) -> Text:
    """A rule with whose turn it is and how long is left."""
    said, style = _whose_turn(scene)
    if scene.offline:
        said, style = scene.offline, "bold red"
    text = Text().append(scene.look.rule * 2 + " ", "dim")
    text.append(fit(said, width - 14, scene.look.ellipsis), style)
    seconds = scene.seconds_left
    if seconds is not None and not scene.offline:
        text.append(f" {scene.look.dot} {countdown(seconds)}", "bold red" if seconds <= 5 else "bold")
    text.append(" ")
    text.append(scene.look.rule * max(0, width - text.cell_len), "dim")
    return text


def _whose_turn(scene: Scene) -> tuple[str, str]:
    view = scene.view
    phase = view.table.phase
    if phase == "passing" and view.hand is not None and view.hand.passing is not None:
        if view.may("pass"):
            count = view.hand.passing.count
            return _("Choose {cards} to pass").format(cards=words.cards(count)), "bold yellow"
        return _("Waiting for the others to pass"), ""
    if phase == "moon":
        return (_("Your choice"), "bold yellow") if view.may("moon") else (_("Waiting for the shooter"), "")
    if phase == "playing" and view.hand is not None and view.hand.turn is not None:
        if view.my_turn:
            return _("Your turn"), "bold yellow"
        return _("Waiting for {name}").format(name=view.name(view.hand.turn)), ""
    if phase == "over":
        return _("The game is over"), "bold"
    return _("Before the game"), ""


def _note(scene: Scene, width: int) -> Text:
    note = scene.note
    if not note and _stood_in_for(scene):
        note = _("You were away, so the server plays for you until you do something.")
    return Text(" " + fit(note, width - 2, scene.look.ellipsis), "yellow")


def _stood_in_for(scene: Scene) -> bool:
    view = scene.view
    if view.me is None or view.table.phase not in ("passing", "playing", "moon"):
        return False
    seat = view.seats[view.me.seat]
    return seat.away or seat.controller == "bot"


def _prompt(scene: Scene, width: int) -> Text:
    prompt = Text().append(" > ", "bold").append(scene.typed)
    prompt.append("_" if scene.look.ascii else "▏", "blink")
    return prompt


def _keys(scene: Scene, width: int) -> Text:
    keys = [
        ("?", _("help")),
        ("l", _("last trick")),
        ("p", _("scores")),
        ("r", _("rules")),
        ("w", _("passes")),
        ("m", _("say")),
        ("i", _("hint")),
        ("^Q", _("quit")),
    ]
    line = Text(" ")
    for key, name in keys:
        line.append(key, "bold reverse").append(f" {name}  ", "dim")
    return line


def _log(scene: Scene, width: int, height: int) -> list[Text]:
    """The newest sentences, the newest last."""
    if height <= 0:
        return []
    lines: list[str] = []
    for sentence in list(scene.log)[-height:]:
        lines += wrap(sentence, max(10, width - 2), "  ")
    lines = lines[-height:]
    shown = [Text(f" {line}", "dim") for line in lines]
    return [*shown, *[Text()] * (height - len(shown))]
