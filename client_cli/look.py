"""How cards and marks are drawn: with symbols or in plain letters, with four colours or none."""

from dataclasses import dataclass

from client_cli.cards import JOKER, suit_of

_SYMBOLS = {"C": "♣", "D": "♦", "S": "♠", "H": "♥"}
_COLOURS = {"C": "green3", "D": "deep_sky_blue1", "S": "white", "H": "bright_red"}


@dataclass(frozen=True)
class Look:
    """Signs carry every meaning; colour only repeats it."""

    ascii: bool = False
    colours: bool = True

    def card(self, card: str) -> str:
        """Short form, two or three cells wide: `Q♠`, `10♥`, `QS`, `JK`."""
        if self.ascii or card == JOKER:
            return card
        return f"{card[0].replace('T', '10')}{_SYMBOLS[card[-1]]}"

    def suit(self, suit: str) -> str:
        return suit if self.ascii else _SYMBOLS[suit]

    def colour(self, card: str) -> str:
        return _COLOURS[suit_of(card)]

    @property
    def winning(self) -> str:
        return "*" if self.ascii else "★"

    @property
    def cancelled(self) -> str:
        return "x" if self.ascii else "✗"

    @property
    def turn(self) -> str:
        return ">" if self.ascii else "▶"

    @property
    def chosen(self) -> str:
        return "^" if self.ascii else "▲"

    @property
    def arrow(self) -> str:
        return "->" if self.ascii else "→"

    @property
    def dot(self) -> str:
        return "-" if self.ascii else "·"

    @property
    def rule(self) -> str:
        return "-" if self.ascii else "─"

    @property
    def ellipsis(self) -> str:
        return "." if self.ascii else "…"

    @property
    def heart(self) -> str:
        return "H" if self.ascii else "♥"
