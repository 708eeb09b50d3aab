"""What the full screen is put together from: the table itself, a page over it, and the line to say something."""

from collections.abc import Callable

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from client_cli.i18n import _
from client_cli.look import Look
from client_cli.render.canvas import colourless
from client_cli.render.scene import Scene
from client_cli.render.table import draw
from client_cli.typed import REACTIONS


class Picture(Widget):
    """The whole table, drawn anew from the scene whenever something changes."""

    def __init__(self, scene: Callable[[], Scene | None], offline: Callable[[], str]) -> None:
        super().__init__()
        self._scene = scene
        self._offline = offline

    def render(self) -> Text:
        scene = self._scene()
        if scene is None:
            return Text(" " + (self._offline() or _("Connecting ...")))
        lines = draw(scene, self.size.width, self.size.height)
        if not scene.look.colours:
            lines = list(map(colourless, lines))
        return Text("\n", no_wrap=True, overflow="crop").join(lines)


class PageScreen(ModalScreen[None]):
    """A page over the table. Arrows scroll, any other key closes it."""

    CSS = """
    PageScreen { align: center middle; }
    PageScreen > VerticalScroll { width: 90%; max-width: 84; height: auto; max-height: 90%; padding: 0 1;
                                scrollbar-size-vertical: 1; }
    """

    def __init__(self, title: str, lines: Callable[[int], list[Text]], look: Look) -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._look = look

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            box.styles.border = (
                "ascii" if self._look.ascii else "round",
                "yellow" if self._look.colours else "ansi_default",
            )
            box.border_title = self._title
            # What is left of 90 % of the screen within frame, padding and scroll bar.
            width = min(78, self.app.size.width * 9 // 10 - 5)
            lines = self._lines(width)
            if not self._look.colours:
                lines = list(map(colourless, lines))
            yield Static(Text("\n", no_wrap=True).join(lines))

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.key not in ("up", "down", "pageup", "pagedown", "home", "end"):
            event.prevent_default()
            self.dismiss()


class SayScreen(ModalScreen[str]):
    """One line for the table; Escape says nothing."""

    CSS = """
    SayScreen { align: center bottom; }
    SayScreen > Input { width: 100%; height: 1; border: none; background: #303030; }
    """
    BINDINGS = [Binding("escape", "dismiss('')", show=False)]  # noqa: RUF012  Textual's own form

    def compose(self) -> ComposeResult:
        reactions = "  ".join(f"{number} {sign}" for number, sign in enumerate(REACTIONS, 1))
        yield Input(placeholder=_("say something, or react: {reactions}").format(reactions=reactions), max_length=200)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())
