"""Tables to draw: made by rule of thumb, not by the rules; only their shape matters here."""

from client_cli.cards import SUITS
from client_cli.model import (
    Carried,
    Deck,
    Hand,
    HandScores,
    LastTrick,
    Me,
    Passing,
    Play,
    Result,
    Scores,
    Seat,
    Table,
    View,
)

NAMES = [
    "Ada",
    "Grace Hopper",
    "Blaise",
    "Emmy",
    "Zoë 🎲",
    "Sofia K",
    "Maximiliane von Y",
    "Paul",
    "Ines",
    "Kurt",
    "陈景润",
]
PER_SEAT = {3: 17, 4: 13, 5: 21, 6: 17, 7: 15, 8: 13, 9: 11, 10: 10, 11: 9}

RULES = {
    "packs": 2,
    "deck": "exact",
    "kitty_to": "first_trick",
    "first_lead": "low_card",
    "first_trick_points": False,
    "hearts_must_break": True,
    "queen_breaks_hearts": False,
    "duplicates": "cancel",
    "triples": "all",
    "cancelled_trick": "carry",
    "last_cancelled_trick": "high_pair_second",
    "pass_count": "quarter",
    "pass_cycle": [1, -1, 2, -2, 3, -3, 4, 0],
    "moon": "auto",
    "omnibus": "JD",
    "hooligan": True,
    "dame_de_pique": False,
    "target": 100,
    "hands": None,
    "tie": "share",
    "revoke": "refuse",
    "end_when_no_points": False,
    "an_option_of_tomorrow": [1, 2],
}


def playing(players: int) -> View:
    """In the middle of a trick, my turn next: cancelled cards, a winning one, a carried trick, somebody away."""
    each = PER_SEAT[players]
    seats = [
        Seat(
            seat=i,
            name=NAMES[i],
            kind="bot" if i == 3 else "human",
            controller="bot" if i in (2, 3) else "human",
            connected=i != 5,
            cards=each - 4,
            points=(i * 5) % 7,
            score=i * 9 % 64,
            passed=True,
        )
        for i in range(players)
    ]
    trick = [
        Play(1, "9C", cancelled=players > 4),
        Play(2, "TC", winning=True),
        Play(3, "9C" if players > 4 else "8C", cancelled=players > 4),
        Play(4, "QS"),
        Play(5, "JK"),
        Play(6, "AH"),
        Play(7, "3C"),
        Play(8, "4C"),
        Play(9, "5C"),
        Play(10, "6C"),
    ][: players - 1]
    last = LastTrick(
        leader=2,
        plays=[Play(i, "23456789TJQ"[i] + "D", winning=i == players - 1) for i in range(players)],
        taker=players - 1,
        cards_taken=players,
        points=0,
    )
    hand = Hand(
        number=3,
        dealer=2,
        passing=Passing(2, 3, "2 to the left"),
        leader=1,
        turn=0,
        turn_number=players * 4 + players - 1,
        deadline="2026-11-30T20:15:31.000Z",
        hearts_broken=True,
        trick=trick,
        carried=Carried(8, 2) if players > 4 else None,
        last_trick=last,
    )
    cards = ["2C", "JC", "KC", "3D", "TD", "5S", "KS", "QH", "AH"][: each - 4]
    me = Me(
        seat=0,
        cards=cards,
        legal=["2C", "JC", "KC"],
        why=dict.fromkeys(cards[3:], "must_follow_suit"),
        passed=["AS", "KS", "QS"],
        received=["3C", "4C", "9D"],
        can=["play", "say", "leave"],
    )
    scores = Scores(
        hands=[
            HandScores(1, [i * 3 % 11 for i in range(players)]),
            HandScores(2, [26 if i else 0 for i in range(players)], {"shooter": 0}),
        ],
        totals=[seat.score for seat in seats],
    )
    table = Table(
        id="7QK2M4XR9TDP",
        name="Friday",
        host=0,
        phase="playing",
        preset="cancellation" if players > 4 else "classic",
        rules={"players": players, **RULES},
        turn_seconds=30,
        deck=Deck(players * each, each, ["JK"], ["2C"], "JK", 52, 0),
    )
    return View(214, "2026-11-30T20:15:03.123Z", table, seats, hand, me, scores)


def full_hand(players: int) -> View:
    """Passing, with every card still held."""
    view = playing(players)
    assert view.me is not None
    assert view.hand is not None
    each = PER_SEAT[players]
    view.table.phase = "passing"
    view.hand.trick, view.hand.turn, view.hand.turn_number, view.hand.last_trick, view.hand.carried = (
        [],
        None,
        0,
        None,
        None,
    )
    view.me.cards = [rank + suit for suit in SUITS for rank in "2579TQA"][:each]
    view.me.legal, view.me.passed, view.me.received, view.me.can = [], None, None, ["pass", "say", "leave"]
    for seat in view.seats[::2]:
        seat.passed = False
    return view


def phase(players: int, name: str) -> View:
    """Lobby with two empty seats, my choice after the moon, or a finished game."""
    view = playing(players)
    view.table.phase = name
    assert view.me is not None
    assert view.hand is not None
    view.hand.trick, view.hand.turn, view.hand.deadline = [], None, None
    if name == "lobby":
        view.hand = None
        view.me.cards, view.me.can = [], ["start", "add_bot", "say", "leave"]
        view.seats[3:5] = [Seat(seat=3), Seat(seat=4)]
    elif name == "moon":
        view.me.cards, view.me.can = [], ["moon", "say", "leave"]
    else:
        view.me.cards, view.me.can = [], ["rematch", "say", "leave"]
        view.result = Result([0, 1], [seat.score for seat in view.seats], "target")
    return view
