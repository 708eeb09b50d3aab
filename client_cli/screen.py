"""The full-screen table, on Textual. Imported only when somebody sits down at one."""

import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.message import Message

from client_cli.announce import Announcer, hint_sentence
from client_cli.api import Api
from client_cli.errors import ClientError
from client_cli.i18n import _
from client_cli.keys import BELL_KEY, SAY_KEY, Keyboard
from client_cli.look import Look
from client_cli.model import View
from client_cli.render import panels
from client_cli.render.scene import Scene, instant
from client_cli.session import Ended, Event, Happened, Offline, Online, Seen, Session, Update, seated_at
from client_cli.typed import Act, Quit, Show, say
from client_cli.widgets import PageScreen, Picture, SayScreen

LOG_LENGTH = 200
SHOW_HAND_RESULT = 12.0

Page = Callable[[Scene, int], list[Text]]
PAGES: dict[str, Page] = {
    "last": panels.last_trick_page,
    "scores": panels.score_lines,
    "rules": panels.rules_page,
    "passes": panels.passes_page,
    "help": panels.help_page,
}


class Told(Message):
    """Something the session told, brought into the app's own thread."""

    def __init__(self, update: Update) -> None:
        super().__init__()
        self.update = update


class Noted(Message):
    """A sentence to show; `sent` where it ends the sending of an action."""

    def __init__(self, note: str, *, sent: bool = False) -> None:
        super().__init__()
        self.note = note
        self.sent = sent


class Following(Message):
    """I have a seat at the table of the rematch."""

    def __init__(self, table: str) -> None:
        super().__init__()
        self.table = table


class TableApp(App[str | None]):
    """One table. Its result is the id of the next table after a rematch, None when the person quits."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: black; }
    ModalScreen { background: black 60%; }
    Picture { width: 100%; height: 100%; background: black; color: #d0d0d0; }
    App:ansi Screen, App:ansi Picture, App:ansi VerticalScroll, App:ansi Static, App:ansi Input {
        background: ansi_default; color: ansi_default;
    }
    App:ansi ModalScreen { background: transparent; }
    """
    BINDINGS = [  # noqa: RUF012  Textual's own form
        Binding("ctrl+q,ctrl+c", "leave_screen", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False),
    ]

    def __init__(
        self,
        api: Api,
        table: str,
        *,
        look: Look | None = None,
        bell: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._look = look or Look()
        # Without colours the terminal's own stay as they are.
        super().__init__(ansi_color=not self._look.colours)
        self._api = api
        self._bell = bell
        self._clock = clock
        self._ahead = 0.0
        self._session = Session(api, table, self._told)
        # What is on the screen: keys mean what the person saw, not a view that came a moment ago.
        self._view: View | None = None
        self._announcer = Announcer(self._look.card)
        self._keyboard = Keyboard()
        self._spoken: deque[str] = deque(maxlen=LOG_LENGTH)
        self._offline: Offline | None = None
        self._retry_at = 0.0
        self._sending = False
        self._followed = False
        self._note = ""
        self._rung: tuple[int, int] | None = None
        self.ended: ClientError | None = None
        self._picture = Picture(self._scene, self._offline_text)

    @property
    def left(self) -> str | None:
        """The table left behind; None when there is nothing to come back to."""
        return self._session.left

    def compose(self) -> ComposeResult:
        yield self._picture

    def on_mount(self) -> None:
        self._session.start()
        self.set_interval(0.5, self._tick)
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and self._driver is not None and not self.is_headless:
                # Leave the terminal as it was, whoever ends the program.
                signal.signal(number, lambda *_: self.call_later(self.exit))

    def on_unmount(self) -> None:
        self._session.stop()

    def action_leave_screen(self) -> None:
        self.exit(None)

    def _told(self, update: Update) -> None:
        self.post_message(Told(update))

    # -- what is drawn

    def _scene(self) -> Scene | None:
        view = self._view
        if view is None:
            return None
        return Scene(
            view=view,
            look=self._look,
            now=self._clock() + self._ahead,
            cursor=self._keyboard.cursor,
            chosen=frozenset(self._keyboard.chosen),
            typed=self._keyboard.typed,
            note=self._keyboard.note or self._note,
            log=tuple(self._spoken),
            offline=self._offline_text(),
        )

    def _offline_text(self) -> str:
        if self._offline is None:
            return ""
        left = max(0, round(self._retry_at - self._clock()))
        return _("Offline: {reason}; next try in {n} s").format(reason=self._offline.reason, n=left)

    def _draw(self) -> None:
        self._picture.refresh()

    def _tick(self) -> None:
        view = self._view
        running = view is not None and view.hand is not None and view.hand.deadline is not None
        if running or self._offline is not None:
            self._draw()

    # -- what the server tells

    def on_told(self, told: Told) -> None:
        match told.update:
            case Seen() as seen:
                self._seen(seen)
            case Happened(happened):
                for event in happened:
                    self._happened(event)
            case Offline(_reason, wait) as offline:
                self._offline = offline
                self._retry_at = self._clock() + wait
            case Online():
                self._offline = None
            case Ended(error):
                self.ended = error
                self.exit(None)
        self._draw()

    def _seen(self, seen: Seen) -> None:
        before, view = self._view, seen.view
        self._view = view
        self._announcer.see(view, anew=seen.anew)
        if before is not None and before.me is not None and view.me is not None and before.me.cards != view.me.cards:
            self._keyboard.hand_changed()
        self._ahead = instant(view.now) - self._clock() if view.now else 0.0
        self._ring(view)
        if view.table.next_table and not self._followed:
            self._followed = True
            self._follow(view.table.next_table)

    def _ring(self, view: View) -> None:
        """Once for each thing that is wanted of me."""
        if view.hand is None or not (view.my_turn or view.may("pass") or view.may("moon")):
            return
        wanted = (view.hand.number, view.hand.turn_number)
        if wanted != self._rung:
            self._rung = wanted
            if self._bell:
                self.bell()

    def _happened(self, event: Event) -> None:
        sentences = self._announcer.sentences(event.type, event.data)
        if sentences:
            self._spoken.append(" ".join(sentences))
        if event.type == "hand_scored":
            scored = panels.HandOver.of(event.data)
            if scored is not None:
                title = _("Hand {number} is over").format(number=scored.number)
                self._open(title, partial(panels.hand_over_page, scored=scored), SHOW_HAND_RESULT)

    def _follow(self, table: str) -> None:
        """Move on to the next game, if I have a seat there."""
        self._in_background(lambda: Following(table) if seated_at(self._api, table) else None)

    def on_following(self, following: Following) -> None:
        self.exit(following.table)

    def _in_background(self, task: Callable[[], Message | None]) -> None:
        """Run it in a thread that an exit need not wait for, whatever the line does; its message comes here."""

        def run() -> None:
            message = task()
            if message is not None:
                self.post_message(message)

        threading.Thread(target=run, daemon=True).start()

    # -- what the person does

    def on_key(self, event: events.Key) -> None:
        view = self._view
        if view is None:
            return
        event.stop()
        self._note = ""
        wish = self._keyboard.press(event.key, event.character, view)
        match wish:
            case Quit():
                self.exit(None)
            case Show("hint"):
                self._hint()
            case Show(page) if page in PAGES:
                self._open(_title(page), PAGES[page])
            case Act():
                self._act(wish)
            case str(key) if key == SAY_KEY:
                self.push_screen(SayScreen(), self._say)
            case str(key) if key == BELL_KEY:
                self._bell = not self._bell
                self._note = _("The bell is on.") if self._bell else _("The bell is off.")
        self._draw()

    def _say(self, text: str | None) -> None:
        if text:
            self._act(say(text))

    def _open(self, title: str, page: Page, seconds: float | None = None) -> None:
        def lines(width: int) -> list[Text]:
            scene = self._scene()
            return page(scene, width) if scene is not None else []

        screen = PageScreen(title, lines, self._look)
        self.push_screen(screen)
        if seconds is not None:
            self.set_timer(seconds, partial(self._close, screen))

    def _close(self, screen: PageScreen) -> None:
        if screen.is_current:
            screen.dismiss()

    def _act(self, act: Act) -> None:
        if self._sending:
            self._note = _("Still sending the last one.")
            return
        self._sending = True
        self._note = _("Sending ...")

        def send() -> Noted:
            try:
                self._session.act(act.action, **act.fields)
            except ClientError as error:
                return Noted(str(error), sent=True)
            return Noted("", sent=True)

        self._in_background(send)

    def _hint(self) -> None:
        def ask() -> Noted:
            try:
                return Noted(hint_sentence(self._api.hint(self._session.table).json(), self._look.card))
            except ClientError as error:
                return Noted(str(error))

        self._in_background(ask)

    def on_noted(self, noted: Noted) -> None:
        if noted.sent:
            self._sending = False
        self._note = noted.note
        self._draw()


def _title(page: str) -> str:
    return {
        "last": _("Last trick"),
        "scores": _("Scores"),
        "rules": _("Rules of this table"),
        "passes": _("Who passes to whom"),
        "help": _("Help"),
    }[page]
