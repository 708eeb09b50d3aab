"""A table in lines: every event a sentence, no cursor movement, no colour. For screen readers and pipes."""

import queue
import threading
import time
from collections.abc import Callable, Iterable

from client_cli import words
from client_cli.announce import Announcer, hint_sentence
from client_cli.api import Api
from client_cli.cards import SUITS, sort_hand, suit_of
from client_cli.errors import ClientError, Refused, Unreachable
from client_cli.i18n import _
from client_cli.look import Look
from client_cli.model import View
from client_cli.render import panels
from client_cli.render.scene import Scene
from client_cli.session import Ended, Event, Happened, Offline, Online, Seen, Session, Update, back_off, seated_at
from client_cli.typed import Act, NotUnderstood, Quit, Show, act_of_hint, understand

_WIDTH = 76


class PlainTable:
    """Runs one table until the game is over, the table is gone or the person quits.

    `auto` plays the server's hints for my seat; `hands` ends it after so many hands.
    """

    def __init__(
        self,
        api: Api,
        table: str,
        write: Callable[[str], None],
        *,
        auto: bool = False,
        hands: int | None = None,
        look: Look | None = None,
    ) -> None:
        self._api = api
        self._write = write
        self._auto = auto
        self._hands = hands
        self._look = look or Look(ascii=True)
        self._queue: queue.Queue[tuple[str, Update] | str | None] = queue.Queue()
        self._hands_seen = 0
        self._lines: Iterable[str] | None = None
        self._silent = False
        self._sit_at(table)

    def _sit_at(self, table: str) -> None:
        self._session = Session(self._api, table, lambda update: self._queue.put((table, update)))
        self._announcer = Announcer()
        self._asked: tuple[int, int, str] | None = None
        self._greeted = False
        self._over = False
        self._told_over = False
        self._followed = False

    @property
    def left(self) -> str | None:
        """The table left behind, the next one after a rematch; None when there is nothing to come back to."""
        return None if self._told_over else self._session.left

    def run(self, lines: Iterable[str] | None) -> None:
        """Play. Lines typed come from `lines`, and wait for the first view. Raises the error with which the server
        ended it."""
        self._lines = lines
        self._session.start()
        try:
            while True:
                match self._queue.get():
                    case None:
                        ends = self._typed_out()
                    case str(line):
                        ends = self._typed(line)
                    case (table, update):
                        # What waited here when the rematch began is of a table that is over.
                        ends = table == self._session.table and self._update(update)
                if ends:
                    return
        finally:
            self._session.stop()

    def _listen(self) -> None:
        """Read what is typed, now that there is something to answer: a view, or that there is none."""
        lines, self._lines = self._lines, None
        if lines is not None:
            threading.Thread(target=self._read, args=(lines,), name="typing", daemon=True).start()

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._queue.put(line)
        self._queue.put(None)

    def _typed_out(self) -> bool:
        """The end of typing is a wish to leave, except where nothing had to be typed anyway: who looks on, in a pipe
        or without a keyboard, is told the game to its end."""
        view = self._session.view
        self._silent = True
        # What was told of the game counts, not what is known: events may be waiting to be told.
        return not self._auto and (view is None or view.me is not None or self._told_over)

    # -- what comes from the server

    def _update(self, update: Update) -> bool:
        match update:
            case Happened(events):
                # Every event is told, also those after the one that ends it.
                ends = [self._happened(event) for event in events]
                return any(ends)
            case Seen() as seen:
                return self._seen(seen)
            case Offline(reason):
                self._write(_("Connection lost: {reason}. Trying again.").format(reason=reason))
                self._listen()
            case Online():
                self._write(_("Connected again."))
            case Ended(error):
                raise error
        return False

    def _happened(self, event: Event) -> bool:
        sentences = self._announcer.sentences(event.type, event.data)
        if sentences:
            self._write(" ".join(sentences))
        if event.type == "hand_scored":
            self._hands_seen += 1
            return self._hands is not None and self._hands_seen >= self._hands
        self._told_over = self._told_over or event.type == "game_over"
        return event.type == "closed" or (event.type == "game_over" and (self._auto or self._silent))

    def _seen(self, seen: Seen) -> bool:
        view = seen.view
        self._announcer.see(view, anew=seen.anew)
        if seen.anew and view.table.phase == "over":
            self._told_over = True
        if not self._greeted:
            self._greeted = True
            self._greet(view)
        if seen.caught_up:
            self._ask(view)
            self._listen()
            if view.table.next_table and not self._followed:
                self._followed = True
                self._follow(view.table.next_table)
        return False

    def _follow(self, table: str) -> None:
        """Move on to the next game, if I have a seat there."""
        if seated_at(self._api, table):
            self._session.stop()
            self._sit_at(table)
            self._session.start()

    def _greet(self, view: View) -> None:
        table = view.table
        self._write(
            _("Table {id}: {preset}, {n} players.").format(id=table.id, preset=table.preset or "", n=len(view.seats))
        )
        self._show_table(view)

    def _ask(self, view: View) -> None:
        """Say once what is wanted of me."""
        hand = view.hand
        if hand is None or view.me is None:
            if view.may("start"):
                self._once(view, "start", _("Type start to begin the game."))
            return
        if view.may("pass") and hand.passing is not None:
            what = _("Type the {cards} to pass, for example: pass as ks qs, or qs ks as.")
            if self._once(view, "pass", what.format(cards=words.cards(hand.passing.count))):
                self._show_hand(view)
                self._play_hint()
        elif view.my_turn:
            if self._once(view, "play", self._your_turn(view)):
                self._show_hand(view)
                self._play_hint()
        elif view.may("moon") and self._once(view, "moon", _("You shot the moon: type add or subtract.")):
            self._play_hint()
        elif view.table.phase == "over" and not self._over:
            self._over = True
            if view.may("rematch"):
                self._write(_("Type rematch for another game, or quit."))

    def _once(self, view: View, what: str, sentence: str) -> bool:
        asked = (view.hand.number, view.hand.turn_number, what) if view.hand else (0, 0, what)
        if asked == self._asked:
            return False
        self._asked = asked
        if not self._auto:
            self._write(sentence)
        return True

    def _your_turn(self, view: View) -> str:
        assert view.hand is not None
        assert view.me is not None
        legal = " ".join(sort_hand(set(view.me.legal)))
        if view.hand.trick:
            led = words.suit_name(suit_of(view.hand.trick[0].card))
            return _("Your turn; {suit} were led. You may play: {cards}.").format(suit=led, cards=legal)
        return _("Your turn to lead. You may play: {cards}.").format(cards=legal)

    def _play_hint(self) -> None:
        if not self._auto:
            return
        for wait in back_off():
            try:
                self._act(act_of_hint(self._api.hint(self._session.table).json(), self._session.view))
                return
            except Refused as error:
                # Somebody was quicker (a deadline, another client of mine): the next view asks again.
                self._write(str(error))
                return
            except Unreachable:
                time.sleep(wait)

    # -- what is typed

    def _typed(self, line: str) -> bool:
        view = self._session.view
        if view is None:
            return False
        hand = sort_hand(view.me.cards) if view.me else []
        spoken = line.strip()
        for verb in ("pass ", "play ", _("pass") + " ", _("play") + " "):
            spoken = spoken.removeprefix(verb)
        try:
            wish = understand(spoken, view, hand)
        except NotUnderstood as error:
            self._write(str(error))
            return False
        match wish:
            case Quit():
                return True
            case Show(page):
                self._show(page, view)
            case Act(action):
                self._act(wish)
                return action in ("leave", "close")
        return False

    def _act(self, act: Act) -> None:
        try:
            self._session.act(act.action, **act.fields)
        except Refused as error:
            self._write(str(error))

    # -- pages

    def _show(self, page: str, view: View) -> None:
        if page == "hand":
            self._show_hand(view)
        elif page == "trick":
            self._show_trick(view)
        elif page == "table":
            self._show_table(view)
        elif page == "hint":
            try:
                hint = self._api.hint(self._session.table).json()
            except ClientError as error:
                self._write(str(error))
            else:
                self._write(hint_sentence(hint, words.card_name))
        else:
            draw = {
                "last": panels.last_trick_page,
                "scores": panels.score_lines,
                "rules": panels.rules_page,
                "passes": panels.passes_page,
                "help": panels.typed_help_page,
            }[page]
            for line in draw(Scene(view, self._look, time.time()), _WIDTH):
                self._write(line.plain.rstrip())

    def _show_hand(self, view: View) -> None:
        if self._auto or view.me is None:
            return
        cards = sort_hand(view.me.cards)
        said = []
        for suit in SUITS:
            held = [card for card in cards if suit_of(card) == suit]
            if held:
                names = ", ".join(words.rank_name(card) for card in held)
                said.append(f"{words.suit_name(suit)}: {names} ({' '.join(held)})")
        self._write(_("Your hand: {cards}.").format(cards="; ".join(said)) if said else _("Your hand is empty."))

    def _show_trick(self, view: View) -> None:
        hand = view.hand
        if hand is None or not hand.trick:
            self._write(_("No card lies on the table."))
        else:
            for play in hand.trick:
                mark = _(", cancelled") if play.cancelled else _(", taking it") if play.winning else ""
                self._write(f"{view.name(play.seat)}: {words.card_name(play.card)}{mark}.")
        if hand is not None and hand.carried is not None and hand.carried.cards:
            self._write(
                _("Carried over: {cards}, {points}.").format(
                    cards=words.cards(hand.carried.cards), points=words.points(hand.carried.points)
                )
            )

    def _show_table(self, view: View) -> None:
        for seat in view.seats:
            who = view.name(seat.seat) if seat.name is not None else _("empty")
            if view.me is not None and view.me.seat == seat.seat:
                who += " (" + _("you") + ")"
            elif seat.kind == "bot":
                who += " (" + _("bot") + ")"
            score = "" if view.table.phase == "lobby" else ", " + _("score {n}").format(n=seat.score)
            self._write(_("Seat {n}: {name}{score}.").format(n=seat.seat + 1, name=who, score=score))
