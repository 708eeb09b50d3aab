"""How many random hands a second the rules play, beside OpenSpiel's hearts in the same run.

    python -m tests.load.bench_rules [--seconds 3]

Each play is chosen at random among the legal cards, validated and turned into events by `decide`, and each event into
the next state by `evolve`; hands are dealt from a shuffled deck and passed left, right, across and not at all in turn.
OpenSpiel (PyPI `open-spiel`) is driven from Python the same way, with the same passes drawn by lot: its legal actions,
a random one, apply. It deals card by card; a card is drawn from its chance outcomes, or, quicker, from what it calls
the legal actions of chance. All take turns, so that load hits them alike.
"""

import argparse
from collections.abc import Callable
from random import Random
from time import perf_counter

from rules.commands import Deal, Pass, PlayCard
from rules.decide import decide
from rules.evolve import evolve
from rules.legality import legal_cards
from rules.ruleset import RuleSet
from rules.state import GameState, new_game
from tests.load.report import NUMBERS, Row, ratio

HANDS = 4
"""In a turn of each part: one of each pass."""

TABLES = [(1, 4), (2, 8), (2, 11)]


def play_hand(state: GameState, random: Random) -> GameState:
    """A whole hand: from one deal until the next, or the end."""
    rules, hands = state.rules, len(state.results)
    order = list(rules.worked_out.cards)
    random.shuffle(order)
    for event in decide(state, None, Deal(tuple(order))):
        state = evolve(state, event)
    hand = state.hand
    assert hand is not None
    if state.phase == "passing":
        for seat in range(rules.players):
            for event in decide(state, seat, Pass(tuple(random.sample(hand.cards[seat], hand.pass_size)))):
                state = evolve(state, event)
    choice = random.choice
    while len(state.results) == hands:
        hand = state.hand
        assert hand is not None
        seat = hand.turn
        assert seat is not None
        card = choice(legal_cards(state, seat))
        for event in decide(state, seat, PlayCard(card, hand.turn_number)):
            state = evolve(state, event)
    return state


def hands(rules: RuleSet, random: Random) -> Callable[[], None]:
    def play() -> None:
        state = new_game(rules, 0)
        for _ in range(HANDS):
            state = play_hand(state, random)

    return play


def openspiel_hands(random: Random) -> dict[str, Callable[[], None]]:
    """Its hands, dealt by chance outcomes or by legal actions; nothing when it is not installed."""
    try:
        import pyspiel  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        return {}
    game = pyspiel.load_game("hearts")
    choice = random.choice

    def by_outcomes() -> None:
        for _ in range(HANDS):
            state = game.new_initial_state()
            while state.is_chance_node():
                state.apply_action(choice(state.chance_outcomes())[0])
            while not state.is_terminal():
                state.apply_action(choice(state.legal_actions()))

    def by_actions() -> None:
        for _ in range(HANDS):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(choice(state.legal_actions()))

    return {"chance outcomes": by_outcomes, "legal actions of chance": by_actions}


def rates(parts: dict[str, Callable[[], None]], seconds: float) -> dict[str, float]:
    """Hands a second of each part, taking turns for so many seconds each."""
    turns, spent = dict.fromkeys(parts, 0), dict.fromkeys(parts, 0.0)
    while min(spent.values()) < seconds:
        for name, part in parts.items():
            start = perf_counter()
            for _ in range(10):
                part()
            spent[name] += perf_counter() - start
            turns[name] += 10
    return {name: HANDS * turns[name] / spent[name] for name in parts}


def rules_rows(seconds: float) -> list[Row]:
    """Random hands at 4, 8 and 11 players, and beside OpenSpiel's; so many seconds for each part."""
    random = Random(1)
    tables = {players: RuleSet.resolve(None, players, {"packs": packs, "hands": 99}) for packs, players in TABLES}
    ours: dict[str, Callable[[], None]] = {str(players): hands(rules, random) for players, rules in tables.items()}
    theirs = openspiel_hands(random)
    found = rates(ours | theirs, seconds)
    per_card = {players: found[str(players)] * len(rules.worked_out.cards) for players, rules in tables.items()}
    rows = [
        Row(
            "random hands/s",
            f"{players} players",
            found[str(players)],
            None,
            ratio(per_card[players], per_card[4]),
            mark,
        )
        for players, mark in [(4, ""), (8, "100 % a card"), (11, "100 % a card")]
    ]
    rows += [
        Row(
            "random hands/s",
            f"beside OpenSpiel, {dealt}",
            found["4"],
            found[dealt],
            ratio(found["4"], found[dealt]),
            "50 %",
        )
        for dealt in theirs
    ]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each part (default 3)")
    rows = rules_rows(parser.parse_args().seconds)
    print(NUMBERS, *rows, sep="\n")
    if len(rows) == len(TABLES):
        print("OpenSpiel is not installed: pip install open-spiel")


if __name__ == "__main__":
    main()
