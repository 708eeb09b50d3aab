"""The numbers behind the `normal` level, found by comparing its choices with long searches."""

from msgspec import Struct


class Weights(Struct, frozen=True):
    """All in penalty points unless said otherwise.

    beaten: how willingly a player who could also duck plays over a card (a chance). twin: how readily one plays the
    copy that cancels (a chance). exponent: how many of the others count when a high card is feared (a share).
    lone, cover: fear of holding the queen without spades below her, and what each such spade leaves of it (a share).
    """

    beaten: float = 0.25
    twin: float = 0.35
    exponent: float = 0.6
    trick: float = 0.9
    late: float = 0.5
    void: float = 0.8
    lone: float = 9.0
    cover: float = 0.6
    court: float = 5.0
    lead: float = 0.3
    flush: float = 1.0
    heart: float = 0.3
    threat: float = 1.0


WEIGHTS = Weights()
