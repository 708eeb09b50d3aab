"""The line being typed at the full-screen table, the cursor and the chosen cards. Pure: keys in, wishes out.

No single key ever acts: a card needs to be typed or moved to first, and Enter after that.
"""

from dataclasses import dataclass, field

from client_cli import words
from client_cli.cards import parse_choice, sort_hand
from client_cli.i18n import _
from client_cli.model import View
from client_cli.typed import Act, NotUnderstood, Show, Wish, cannot_pass, cannot_play, understand

# None of these letters can begin a card.
PAGE_KEYS = {"l": "last", "p": "scores", "r": "rules", "w": "passes", "i": "hint", "?": "help"}
SAY_KEY = "m"
BELL_KEY = "b"


@dataclass
class Keyboard:
    """What has been typed since the last wish."""

    typed: str = ""
    cursor: int | None = None
    chosen: set[int] = field(default_factory=set)
    note: str = ""

    def clear(self) -> None:
        self.typed, self.cursor, self.note = "", None, ""
        self.chosen.clear()

    def hand_changed(self) -> None:
        """Forget places in the hand: they mean other cards now. Names of cards and commands stay."""
        self.cursor, self.note = None, ""
        self.chosen.clear()
        if self.typed.replace(" ", "").isdigit():
            self.typed = ""

    def press(self, key: str, character: str | None, view: View) -> Wish | str | None:
        """The wish a key completes, `SAY_KEY` or `BELL_KEY` for those, else None."""
        hand = sort_hand(view.me.cards) if view.me else []
        self.note = ""
        if key == "escape":
            self.clear()
        elif key in ("left", "right", "home", "end"):
            self._move(key, len(hand))
        elif key in ("backspace", "ctrl+h"):
            self.typed = self.typed[:-1]
        elif key == "enter":
            return self._enter(view, hand)
        elif key == "space" and not self.typed and self.cursor is not None and view.table.phase == "passing":
            self.chosen ^= {self.cursor}
        elif character and character.isprintable():
            return self._character(character, view, hand)
        if not self.note:
            self.note = self._preview(view, hand)
        return None

    def _character(self, character: str, view: View, hand: list[str]) -> Wish | str | None:
        if not self.typed:
            letter = character.lower()
            if letter in PAGE_KEYS:
                return Show(PAGE_KEYS[letter])
            if letter in (SAY_KEY, BELL_KEY):
                return letter
            if character == " ":
                return None
        self.typed += character
        self.note = self._preview(view, hand)
        return None

    def _move(self, key: str, cards: int) -> None:
        if not cards:
            return
        if self.cursor is None:
            self.cursor = 0 if key in ("right", "home") else cards - 1
        else:
            step = {"left": self.cursor - 1, "right": self.cursor + 1, "home": 0, "end": cards - 1}[key]
            self.cursor = step % cards

    def _enter(self, view: View, hand: list[str]) -> Wish | None:
        try:
            wish = self._wish(view, hand)
        except NotUnderstood as error:
            self.note = str(error)
            self.typed = ""
            return None
        if wish is not None:
            self.clear()
        return wish

    def _wish(self, view: View, hand: list[str]) -> Wish | None:
        if self.typed.strip():
            return understand(self.typed, view, hand)
        if view.table.phase == "passing" and self.chosen:
            cards = [hand[index] for index in sorted(self.chosen) if index < len(hand)]
            reason = cannot_pass(cards, view)
            if reason is not None:
                raise NotUnderstood(reason)
            return Act("pass", {"cards": cards})
        if view.table.phase == "passing" and self.cursor is not None:
            raise NotUnderstood(_("Space marks a card for the pass; Enter sends them when all are marked."))
        if self.cursor is not None and self.cursor < len(hand) and view.hand is not None:
            reason = cannot_play(hand[self.cursor], view)
            if reason is not None:
                raise NotUnderstood(reason)
            return Act("play", {"card": hand[self.cursor], "turn": view.hand.turn_number})
        return None

    def _preview(self, view: View, hand: list[str]) -> str:
        """What Enter would do, or why it would not."""
        if view.table.phase == "passing" and self.chosen and not self.typed:
            cards = [hand[index] for index in sorted(self.chosen) if index < len(hand)]
            reason = cannot_pass(cards, view)
            names = words.listing(words.card_name(card) for card in cards)
            return reason or _("Enter passes {cards}.").format(cards=names)
        if view.table.phase != "playing":
            return ""
        card = self._card(hand)
        if card is None:
            return ""
        reason = cannot_play(card, view)
        return reason or _("Enter plays {card}.").format(card=words.card_name(card))

    def _card(self, hand: list[str]) -> str | None:
        if self.typed:
            try:
                return parse_choice(self.typed, hand)
            except ValueError:
                return None
        return hand[self.cursor] if self.cursor is not None and self.cursor < len(hand) else None
