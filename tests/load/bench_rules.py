"""How many random hands a second the rules play, beside OpenSpiel's hearts in the same run.

    python -m tests.load.bench_rules [--seconds 3]

Each play is chosen at random among the legal cards, validated and turned into events by `decide`, and each event into
the next state by `evolve`. OpenSpiel (PyPI `open-spiel`) is driven from Python the same way: legal actions, a random
one, apply. Both deal a fresh hand of four from one pack, and pass. The parts take turns so that load hits all alike.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from random import Random
from time import perf_counter

from rules.commands import Deal, Pass, PlayCard
from rules.decide import decide
from rules.evolve import evolve
from rules.legality import legal_cards
from rules.ruleset import RuleSet
from rules.state import new_game


def our_hand(rules: RuleSet, random: Random) -> None:
    order = list(rules.worked_out.cards)
    random.shuffle(order)
    state = new_game(rules, 0)
    for event in decide(state, None, Deal(tuple(order))):
        state = evolve(state, event)
    hand = state.hand
    assert hand is not None
    if state.phase == "passing":
        for seat in range(rules.players):
            for event in decide(state, seat, Pass(tuple(random.sample(hand.cards[seat], hand.pass_size)))):
                state = evolve(state, event)
    choice = random.choice
    while state.phase == "playing":
        hand = state.hand
        assert hand is not None
        seat = hand.turn
        assert seat is not None
        card = choice(legal_cards(state, seat))
        for event in decide(state, seat, PlayCard(card, hand.turn_number)):
            state = evolve(state, event)


def openspiel_hand() -> Callable[[Random], None] | None:
    try:
        import pyspiel  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        return None
    game = pyspiel.load_game("hearts(pass_cards=true,jd_bonus=false)")

    def play(random: Random) -> None:
        state = game.new_initial_state()
        choice = random.choice
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))

    return play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each part (default 3)")
    seconds = parser.parse_args().seconds
    random = Random(1)
    tables = {
        f"{players} players, {packs} pack": RuleSet.resolve(None, players, {"packs": packs})
        for packs, players in [(1, 4), (2, 8), (2, 11)]
    }
    parts: dict[str, Callable[[], None]] = {
        name: lambda rules=rules: our_hand(rules, random)
        for name, rules in tables.items()  # type: ignore[misc]
    }
    theirs = openspiel_hand()
    if theirs is not None:
        parts["OpenSpiel, 4 players"] = lambda: theirs(random)
    played, spent = dict.fromkeys(parts, 0), dict.fromkeys(parts, 0.0)
    while min(spent.values()) < seconds:
        for name, part in parts.items():
            start = perf_counter()
            for _ in range(20):
                part()
            spent[name] += perf_counter() - start
            played[name] += 20
    rates = {name: played[name] / spent[name] for name in parts}
    for name, rate in rates.items():
        cards = "" if name not in tables else f"{1e6 / rate / len(tables[name].worked_out.cards):6.2f} us a play"
        print(f"{name:<22}{rate:>9.0f} hands/s  {cards}")
    if theirs is None:
        print("OpenSpiel is not installed (pip install open-spiel): no ratio")
    else:
        print(f"ratio, 4 players      {rates['4 players, 1 pack'] / rates['OpenSpiel, 4 players']:>9.2f}")


if __name__ == "__main__":
    main()
