"""A rectangle of terminal cells to put text on."""

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Span, Text


def fit(text: str, width: int, ellipsis: str = "…") -> str:
    """The text in at most `width` cells (an emoji takes two), cut with a mark where it is too long."""
    if cell_len(text) <= width:
        return text
    if width <= cell_len(ellipsis):
        return set_cell_size(text, max(0, width))
    return set_cell_size(text, width - cell_len(ellipsis)).rstrip() + ellipsis


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most `width` cells, broken between words; those after the first begin with `indent`."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if cell_len(longer) <= width or not lines[-1].strip():
            lines[-1] = fit(longer, width)
        else:
            lines.append(fit(indent + word, width))
    return lines


def pad(text: Text, width: int) -> Text:
    """A copy exactly `width` cells wide: cut, or filled with spaces."""
    padded = text.copy()
    padded.truncate(width, pad=False, overflow="crop")
    padded.pad_right(max(0, width - padded.cell_len))
    return padded


def colourless(text: Text) -> Text:
    """A copy with bold, dim, reverse and struck-through text only."""
    plain = text.copy()
    plain.style = _colourless(plain.style)
    plain.spans = [Span(span.start, span.end, _colourless(span.style)) for span in plain.spans]
    return plain


def _colourless(style: str | Style) -> Style:
    return (Style.parse(style) if isinstance(style, str) else style).without_color


def row(left: Text, right: Text, width: int) -> Text:
    """`left` and `right` at the two ends; the left one is cut where they would meet."""
    room = max(0, width - right.cell_len)
    if left.cell_len >= room and room:
        left = left.copy()
        left.truncate(room - 1, overflow="crop")
    return Text.assemble(pad(left, room), right)


class Canvas:
    """Text put later lies to the right of, never over, what was put before on the same line."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._rows: list[list[tuple[int, Text]]] = [[] for _ in range(height)]

    def put(self, x: int, y: int, text: Text) -> None:
        """Out of range lines are not drawn."""
        if 0 <= y < self.height:
            self._rows[y].append((x, text))

    def lines(self) -> list[Text]:
        drawn = []
        for pieces in self._rows:
            line = Text()
            for x, text in sorted(pieces, key=lambda piece: piece[0]):
                line.pad_right(max(0, x - line.cell_len))
                line.append_text(text)
            line.truncate(self.width, overflow="crop")
            drawn.append(line)
        return drawn
