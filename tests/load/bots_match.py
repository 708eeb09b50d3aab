"""Lets the bots' levels play each other: python -m tests.load.bots_match [--hands N] [--playouts N] [--jobs N].

Duplicate matches: every deal is played with the guests in every position. Prints each result and writes docs/bots.md.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from server.bots import choose
from server.bots.player import PLAYOUTS
from tests.load.duplicate import Difference, Player, one_deal, play_hand, rules_for, seatings, shuffled, summed
from tests.load.report import machine
from tests.load.yardsticks import at_random, bot, cheap, shooter

PAGE = Path("docs/bots.md")
SIZES = (4, 8, 5, 11)
QUICK = [("random", "cheap"), ("easy", "random"), ("easy", "cheap"), ("normal", "cheap"), ("normal", "easy")]
SLOW = [("hard", "cheap"), ("hard", "normal")]

ABOUT = """# How good the bots are

Written by `make bots`. One guest sits among hosts (or as many as the table says); the number is the guests' penalty
points a hand less the hosts', so less is better. Every deal is played with the guests in every position. +- is one
standard error, clustered by deal; the range holds the true value with 95 % confidence. A hand is one of the default
game for so many seats: one pack at 4, two at 5, 8 and 11.

- `random` plays any legal card.
- `cheap` leads low, ducks as high as it can, else plays its highest card; throws QS, then hearts, then high cards;
  passes the high spades and then the highest cards.
- `shooter` is `normal`, but tries to shoot the moon whenever that looks possible at all.
- `easy`, `normal` and `hard` are the levels of the server. `hard` looks at {playouts} playouts a move here; on the
  server at {served}, within 300 ms.
- `ISMCTS` is OpenSpiel's, with 1000 simulations a move, on hold hands of the one-pack game (where cards are passed its
  release 2.0.2 crashes).
"""


class Pair(NamedTuple):
    """A match: who plays whom, how many seats the guests have, and how many hands are played."""

    players: int
    guest: str
    host: str
    guests: int
    hands: int


def plan(hands: int, hard_hands: int) -> Iterator[Pair]:
    """All matches, the telling ones first; of the longest a quarter of the hands."""
    for players in SIZES:
        yield from (Pair(players, guest, host, 1, hands) for guest, host in QUICK)
    for players in SIZES[:2]:
        yield from (Pair(players, guest, host, 1, hard_hands) for guest, host in SLOW)
    yield Pair(4, "hard", "normal", 2, hard_hands)
    yield Pair(4, "normal", "shooter", 1, hands)
    yield Pair(4, "hard", "shooter", 1, hard_hands)
    for players in SIZES[2:]:
        yield from (Pair(players, guest, host, 1, hard_hands // 4) for guest, host in SLOW)
    yield Pair(4, "hard", "ISMCTS", 1, hard_hands)


def player(name: str, playouts: int) -> Player:
    """The player of this name."""
    if name == "hard":
        return lambda seen, seed: choose("hard", seen, seed, playouts=playouts)
    named = {"random": at_random, "cheap": cheap, "shooter": shooter, "easy": bot("easy"), "normal": bot("normal")}
    return named[name]


def gap(pair: Pair, playouts: int, number: int) -> float:
    """What deal `number` says about a pair."""
    guest = player(pair.guest, playouts)
    if pair.host == "ISMCTS":
        from tests.load import openspiel

        return openspiel.one_deal(number, guest, 1000)
    rules = rules_for(pair.players, number)
    return one_deal(rules, number, guest, player(pair.host, playouts), pair.guests)


def row(pair: Pair, found: Difference) -> str:
    """A match as a line of the table."""
    seats = f"{pair.guests} of {pair.players}"
    hands = found.deals * len(seatings(pair.players, pair.guests))
    return (
        f"| {seats} | {pair.guest} | {pair.host} | {hands} | {found.mean:+.2f} +- {found.error:.2f} "
        f"| {found.low:+.2f} to {found.high:+.2f} |"
    )


def seat_bias(players: int, deals: int) -> str:
    """How far the seats' mean scores are apart when `normal` plays them all, as a line of the table."""
    normal = bot("normal")
    scores = []
    for number in range(deals):
        rules = rules_for(players, number)
        order, dealer = shuffled(rules, number)
        scores.append(play_hand(rules, order, dealer, [normal] * players, number).results[-1].scores)
    means = [sum(hand[seat] for hand in scores) / deals for seat in range(players)]
    middle = sum(means) / players
    errors = [
        math.sqrt(sum((hand[seat] - means[seat]) ** 2 for hand in scores) / (deals - 1) / deals)
        for seat in range(players)
    ]
    worst = max(range(players), key=lambda seat: abs(means[seat] - middle) / errors[seat])
    far = means[worst] - middle
    return f"| {players} | {deals} | {middle:.2f} | {far:+.2f} | {abs(far) / errors[worst]:.1f} |"


def page(rows: Sequence[str], bias: Sequence[str], playouts: int) -> str:
    """The page as it stands."""
    return "\n".join(
        [
            ABOUT.format(playouts=playouts, served=PLAYOUTS),
            "| seats | guest | hosts | hands | difference | 95 % |",
            "|---|---|---|--:|--:|---|",
            *rows,
            "",
            "## No seat is better than another",
            "",
            "`normal` in all seats: the seat whose mean is farthest from the others', also in standard errors.",
            "",
            "| seats | hands | mean | farthest | errors |",
            "|--:|--:|--:|--:|--:|",
            *bias,
            "",
            f"Measured on {machine()}.",
            "",
        ]
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--hands", type=int, default=1000, help="hands of each match without `hard`")
    options.add_argument("--hard-hands", type=int, default=1000, help="hands of each match with it")
    options.add_argument("--playouts", type=int, default=PLAYOUTS, help="playouts of `hard` a move")
    options.add_argument("--jobs", type=int, default=None, help="processes; by default one a processor")
    given = options.parse_args()
    rows: list[str] = []
    bias = [seat_bias(players, min(given.hands, 400)) for players in SIZES]
    with ProcessPoolExecutor(given.jobs) as pool:
        for pair in plan(given.hands, given.hard_hands):
            began = perf_counter()
            deals = range(max(2, pair.hands // len(seatings(pair.players, pair.guests))))
            try:
                gaps = list(pool.map(partial(gap, pair, given.playouts), deals))
            except ImportError:
                print(f"{pair.host} is not installed: pip install open-spiel")
                continue
            rows.append(row(pair, summed(gaps)))
            print(rows[-1], f"{perf_counter() - began:.0f} s", flush=True)
            PAGE.write_text(page(rows, bias, given.playouts))


if __name__ == "__main__":
    main()
