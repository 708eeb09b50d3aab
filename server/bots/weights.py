"""The numbers behind the `normal` level, found by comparing its choices with long searches (tests/load/tune.py)."""

from msgspec import Struct
from msgspec.structs import replace


class Weights(Struct, frozen=True):
    """Chances and shares are plain numbers, all else is in penalty points.

    The trick. over, over_rich: the chance that one who could duck plays over a card all the same, and how it changes
    with the points on the table. twin: the chance that one who could cancels. aardvark: the same for a queen of spades
    that is led, for whoever holds the other is glad to be rid of her. dump: how much of what a void seat may throw
    arrives. fall: the chance that a queen of spades falls under a higher spade. lead, lead_long: the cost of having to
    lead next, and what each further card in hand adds.

    The cards kept. crowd: how many of the others count when a card is feared (a share). reach: how many of a suit's
    coming tricks ask for a card. trick: a trick's points that count. heart: what a heart trick costs more, a player.
    void: the gain of having none of a suit. lone, cover: the fear of holding the queen alone, and what each spade
    beside her leaves of it. court, shield: the same for ace and king while she is out.

    The lead. flush, flush_high: the gain of drawing the queen with a low spade, without and with ace or king in hand.

    The moon. stop: what it is worth to keep a card of the moon from a shooter.
    """

    over: float = 0.108
    over_rich: float = -0.02
    twin: float = 0.257
    aardvark: float = 0.8
    dump: float = 0.444
    fall: float = 1.14
    lead: float = 0.521
    lead_long: float = 0.0193
    crowd: float = 0.154
    reach: float = 0.421
    trick: float = 0.496
    heart: float = 0.3
    void: float = 0.548
    lone: float = 6.29
    cover: float = 0.6
    court: float = 3.5
    shield: float = 0.119
    flush: float = 2.01
    flush_high: float = 0.00637
    stop: float = 4.0


WEIGHTS = Weights()

PASSING = replace(WEIGHTS, void=0.0, trick=0.9, cover=0.4, heart=0.1, shield=0.4)
"""What passes are chosen by: a card can still be got rid of, so other fears count."""
