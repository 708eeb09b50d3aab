"""Ends of tricks, hands and games: carries, the kitty, moons, revokes, early ends, targets and ties."""

from collections.abc import Sequence
from typing import Any

import pytest

from rules.cards import Card
from rules.commands import ChooseMoon
from rules.events import Event, GameOver, HandScored, MoonShot, TrickCancelled, TrickTaken
from rules.ruleset import RuleSet
from rules.scoring import MAX_HANDS, Moon, game_result
from rules.state import Trick
from tests.rules.positions import do, play, position, refusal, rules_for, taken

HEARTS = " ".join(f"{rank}H" for rank in "23456789TJQKA")


def only(events: Sequence[Event], kind: type[Any]) -> Any:
    (event,) = [event for event in events if isinstance(event, kind)]
    return event


def kitty_rules(**options: Any) -> RuleSet:
    return RuleSet.resolve("bicycle", 5, options)


# The kitty


def test_the_kitty_goes_with_the_first_trick() -> None:
    hands = ["2S 2D", "3S 2D", "4S 3D", "5S 3D", "6S 4D"]
    _, events = play(position(kitty_rules(), hands, kitty="QS 2H 3H 4C"), "2S 3S 4S 5S 6S")
    assert only(events, TrickTaken) == TrickTaken(4, (), 9, 15)


def test_the_kitty_travels_with_cancelled_first_tricks() -> None:
    hands = ["2S 2D 2C", "2S 2D 3C", "4S 3D 4C", "4S 3D 5C", "6D 6H 6C"]
    state, events = play(position(kitty_rules(), hands, kitty="QS 2H 3H 4C"), "2S 2S 4S 4S 6D")
    assert only(events, TrickCancelled) == TrickCancelled(0, (Card.S2, Card.S4))
    state, events = play(state, "2D 2D 3D 3D 6H")
    assert only(events, TrickCancelled).leader == 0
    assert state.hand is not None
    assert len(state.hand.carried) == 10
    _, events = play(state, "2C 3C 4C 5C 6C")
    assert only(events, TrickTaken) == TrickTaken(4, (), 3 * 5 + 4, 16)


def test_the_leader_of_a_cancelled_first_trick_takes_the_kitty_at_once() -> None:
    hands = ["2S 2D", "2S 2D", "4S 3D", "4S 3D", "6D 4D"]
    state, events = play(position(kitty_rules(cancelled_trick="leader"), hands, kitty="QS 2H 3H 4C"), "2S 2S 4S 4S 6D")
    assert only(events, TrickTaken) == TrickTaken(0, (Card.S2, Card.S4), 9, 15)
    _, events = play(state, "2D 2D 3D 3D 4D")
    assert only(events, TrickTaken).cards_taken == 5


def test_the_kitty_goes_with_the_last_trick() -> None:
    rules = kitty_rules(kitty_to="last_trick", moon="off")
    earlier = [taken(0)] * 18
    hands = ["2S 2D", "3S 2D", "4S 3D", "5S 3D", "6S 4D"]
    state, events = play(position(rules, hands, kitty="QS 2H 3H 4C", earlier=earlier), "2S 3S 4S 5S 6S")
    assert only(events, TrickTaken).cards_taken == 5
    state, events = play(state, "4D 2D 2D 3D 3D")
    assert only(events, TrickTaken) == TrickTaken(4, (Card.D2, Card.D3), 9, 15)
    assert only(events, HandScored).scores == (0, 0, 0, 0, 15)


@pytest.mark.parametrize(("mode", "taker"), [("leader", 0), ("high_pair_second", 3)])
def test_a_cancelled_last_trick_takes_all_carries_and_the_kitty(mode: str, taker: int) -> None:
    rules = kitty_rules(kitty_to="last_trick", last_cancelled_trick=mode, moon="off")
    earlier = [*[taken(0)] * 17, taken(None, "2H 2H 3D 3D 5C"), taken(None, "2C 2C 3C 3C 5H")]
    hands = ["2S", "2S", "4S", "4S", "6D"]
    state = position(rules, hands, carried="2H 2H 3D 3D 5C 2C 2C 3C 3C 5H", kitty="QS 2H 3H 4C", earlier=earlier)
    _, events = play(state, "2S 2S 4S 4S 6D")
    assert only(events, TrickTaken) == TrickTaken(taker, (Card.S2, Card.S4), 5 + 10 + 4, 3 + 15)
    scores = [0] * 5
    scores[taker] = 18
    assert only(events, HandScored).scores == tuple(scores)


# Cancelled tricks


def test_the_same_player_leads_again_and_carries_accumulate() -> None:
    rules = rules_for(6, moon="off")
    earlier = [taken(0)]
    hands = ["2S 2D 3C", "2S 2D 4C", "4S 3D 5C", "4S 3D 6C", "6D 6H 7C", "6D 6H 8C"]
    state, _ = play(position(rules, hands, earlier=earlier, leader=0), "2S 2S 4S 4S 6D 6D")
    assert state.hand is not None
    assert state.hand.turn == 0
    state, _ = play(state, "2D 2D 3D 3D 6H 6H")
    assert state.hand is not None
    assert state.hand.tricks[-1] == Trick(0, state.hand.tricks[-1].plays, (Card.D2, Card.D3), None, 0, 0)
    state, events = play(state, "3C 4C 5C 6C 7C 8C")
    assert only(events, TrickTaken) == TrickTaken(5, (), 18, 2)
    assert only(events, HandScored).scores == (0, 0, 0, 0, 0, 2)


def test_the_leader_takes_a_cancelled_trick_at_once_by_the_option() -> None:
    hands = ["2S 2D", "2S 2D", "4S 3D", "4S 3D", "6D 6H", "6D 6H"]
    _, events = play(position(rules_for(6, cancelled_trick="leader"), hands, earlier=[taken(0)]), "2S 2S 4S 4S 6D 6D")
    assert only(events, TrickTaken) == TrickTaken(0, (Card.S2, Card.S4), 6, 0)


def test_off_suit_cards_never_win_not_even_when_the_led_suit_is_cancelled() -> None:
    hands = ["2S", "2S", "AD", "AC", "KH", "QH"]
    _, events = play(position(rules_for(6), hands, earlier=[taken(0)] * 16), "2S 2S AD AC KH QH")
    assert only(events, TrickTaken).taker == 0


@pytest.mark.parametrize(("mode", "taker"), [("leader", 0), ("high_pair_second", 4)])
def test_a_cancelled_last_trick(mode: str, taker: int) -> None:
    rules = rules_for(6, last_cancelled_trick=mode)
    earlier = [*[taken(0)] * 15, taken(None, "4H")]
    state = position(rules, ["2S", "9S", "2S", "AH", "9S", "AH"], earlier=earlier, carried="4H")
    _, events = play(state, "2S 9S 2S AH 9S AH")
    assert only(events, TrickTaken) == TrickTaken(taker, (Card.S2, Card.S9), 7, 3)


@pytest.mark.parametrize(
    ("triples", "trick", "taker", "cancelled"),
    [
        ("all", "9S 9S 9S 2S 2H 2H 2H 2H 2H 2H 2H", 3, (Card.S9,)),
        ("pair", "9S 9S 9S 2S 2H 2H 2H 2H 2H 2H 2H", 2, (Card.S9,)),
        ("pair", "9S 9S TS TS TS 2S 2S 2H 2H 2H 2H", 4, (Card.S2, Card.S9, Card.ST)),
        ("all", "9S 9S TS TS TS 2S 2S 2H 2H 2H 2H", None, (Card.S2, Card.S9, Card.ST)),
        ("pair", "9S 9S 3S 2H 2H 2H 2H 2H 2H 2H 2H", 2, (Card.S9,)),
    ],
)
def test_three_copies_in_a_trick(triples: str, trick: str, taker: int | None, cancelled: tuple[Card, ...]) -> None:
    rules = rules_for(11, packs=3, triples=triples)
    hands = [f"{face} 3D" for face in trick.split()]
    _, events = play(position(rules, hands, earlier=[taken(0)]), trick)
    last = events[-1]
    assert isinstance(last, TrickTaken | TrickCancelled)
    assert last.cancelled == cancelled
    assert (last.taker if isinstance(last, TrickTaken) else None) == taker


def test_later_of_equal_cards_wins_by_the_option() -> None:
    rules = rules_for(6, duplicates="later_wins")
    hands = ["9S 2D", "9S 2D", "4S 3D", "4S 3D", "6D 6H", "6D 6H"]
    _, events = play(position(rules, hands, earlier=[taken(0)]), "9S 9S 4S 4S 6D 6D")
    assert only(events, TrickTaken) == TrickTaken(1, (), 6, 0)


# An early end


def test_the_hand_ends_once_every_card_that_counts_is_taken() -> None:
    rules = rules_for(4, end_when_no_points=True)
    earlier = [taken(1, HEARTS.removesuffix(" AH"))]
    hands = ["2S 3S 4S", "QS 3C 4C", "AS 2D 3D", "AH 4D 5D"]
    state, events = play(position(rules, hands, earlier=earlier), "2S QS AS AH")
    assert only(events, HandScored).scores == (0, 12, 14, 0)
    assert state.phase == "dealing"
    _, events = play(position(rules_for(4), hands, earlier=earlier), "2S QS AS AH")
    assert not [event for event in events if isinstance(event, HandScored)]


def test_a_bonus_or_a_hooligan_still_out_keeps_the_hand_going() -> None:
    earlier = [taken(1, HEARTS.removesuffix(" AH"))]
    hands = ["2S 3S 4S", "QS 3C 4C", "AS 2D 3D", "AH JD 7C"]
    for options, ends in [({}, True), ({"omnibus": "JD"}, False), ({"hooligan": True}, False)]:
        rules = rules_for(4, end_when_no_points=True, **options)
        _, events = play(position(rules, hands, earlier=earlier), "2S QS AS AH")
        assert any(isinstance(event, HandScored) for event in events) == ends


def test_points_still_carried_keep_the_hand_going() -> None:
    """Cards on the table of cancelled tricks are taken by nobody yet."""
    rules = rules_for(6, end_when_no_points=True)
    all_but_two = f"{HEARTS} {HEARTS} QS QS".replace("2H ", "")
    earlier = [taken(1, all_but_two)]
    hands = ["2S 2D 5C", "2S 2D 6C", "4S 3D 7C", "4S 3D 8C", "2H 3D 9C", "2H 4D TC"]
    state, events = play(position(rules, hands, earlier=earlier), "2S 2S 4S 4S 2H 2H")
    assert only(events, TrickCancelled)
    assert state.phase == "playing"
    state, events = play(state, "5C 6C 7C 8C 9C TC")
    assert only(events, HandScored).scores == (0, 50, 0, 0, 0, 2)


def test_points_in_a_kitty_not_yet_taken_keep_the_hand_going() -> None:
    rules = kitty_rules(kitty_to="last_trick", end_when_no_points=True)
    most = f"{HEARTS} {HEARTS} QS QS".replace("2H ", "")
    hands = ["2S 3S", "3S 3C", "AS 2D", "4S 4D", "5S 5D"]
    for kitty, rest, ends in [("2H 2H 2C 2C", "", False), ("2D 2D 2C 2C", " 2H 2H", True)]:
        state = position(rules, hands, earlier=[taken(1, most + rest)], kitty=kitty)
        state, events = play(state, "2S 3S AS 4S 5S")
        assert any(isinstance(event, HandScored) for event in events) == ends


# The moon


def shot(rules: RuleSet, number: int = 1, totals: Sequence[int] = (0, 0, 0, 0), rest: str = "") -> Any:
    """Seat 1 has every heart and takes the queen with the last trick; `rest` went to seat 2."""
    earlier = [taken(1, HEARTS), taken(2, rest), *[taken(0)] * (rules.worked_out.each - 3)]
    state = position(rules, ["2S", "AS", "QS", "3S"], earlier=earlier, number=number, totals=totals)
    return play(state, "2S AS QS 3S")


@pytest.mark.parametrize(
    ("moon", "scores", "scored"),
    [
        ("add", (26, 0, 26, 26), "add"),
        ("subtract", (0, -26, 0, 0), "subtract"),
        ("auto", (26, 0, 26, 26), "add"),
        ("off", (0, 26, 0, 0), None),
    ],
)
def test_moon(moon: str, scores: tuple[int, ...], scored: str | None) -> None:
    _, events = shot(rules_for(4, moon=moon))
    score = only(events, HandScored)
    assert score.scores == scores
    assert score.moon == (scored and Moon(1, scored))
    assert [event for event in events if isinstance(event, MoonShot)] == ([MoonShot(1, scored)] if scored else [])


@pytest.mark.parametrize(
    ("choice", "scores"), [("add", (26, 0, 26, 26)), ("subtract", (0, -26, 0, 0)), ("auto", (26, 0, 26, 26))]
)
def test_the_shooter_chooses(choice: Any, scores: tuple[int, ...]) -> None:
    state, events = shot(rules_for(4, moon="choice"))
    assert events[-1] == MoonShot(1, None)
    assert state.phase == "moon"
    assert state.hand.turn == 1
    assert refusal(state, 0, ChooseMoon("add")) == "not_the_shooter"
    assert refusal(state, None, ChooseMoon("add")) == "not_the_shooter"
    state, events = do(state, 1, ChooseMoon(choice))
    assert only(events, HandScored).scores == scores
    assert state.phase == "dealing"
    assert state.hand.turn is None


def test_bonus_and_hooligan_stay_with_their_takers() -> None:
    _, events = shot(rules_for(4, omnibus="JD", hooligan=True), rest="JD 7C")
    assert only(events, HandScored).scores == (26, 0, 26 - 10 + 7, 26)
    _, events = shot(rules_for(4, omnibus="JD", hooligan=True, moon="subtract"), rest="JD 7C")
    assert only(events, HandScored).scores == (0, -26, -3, 0)


def test_dame_de_pique_makes_the_moon_bigger() -> None:
    _, events = shot(rules_for(4, dame_de_pique=True), rest="KS")
    assert only(events, HandScored).moon is None
    state = position(
        rules_for(4, dame_de_pique=True), ["2S", "AS", "QS", "KS"], earlier=[taken(1, HEARTS), *[taken(0)] * 11]
    )
    _, events = play(state, "2S AS QS KS")
    assert only(events, HandScored).scores == (43, 0, 43, 43)


@pytest.mark.parametrize(
    ("end", "number", "totals", "scored"),
    [
        # The target would be reached and the shooter would not win: subtract.
        ({"target": 100}, 5, (80, 60, 20, 50), "subtract"),
        # It would be reached, and the shooter wins, alone or sharing the lowest total.
        ({"target": 100}, 5, (80, 20, 20, 50), "add"),
        ({"target": 100}, 5, (80, 46, 20, 50), "add"),
        # It would not be reached.
        ({"target": 100}, 5, (73, 60, 20, 50), "add"),
        # The last of so many hands, and one before it.
        ({"hands": 3}, 3, (0, 60, 20, 0), "subtract"),
        ({"hands": 3}, 2, (0, 60, 20, 0), "add"),
        # Others tie for the win, so adding does not end the game.
        ({"target": 100, "tie": "play_on"}, 5, (80, 60, 20, 20), "add"),
        ({"target": 100, "tie": "share"}, 5, (80, 60, 20, 20), "subtract"),
    ],
)
def test_auto_subtracts_where_adding_would_lose_the_game(
    end: dict[str, Any], number: int, totals: tuple[int, ...], scored: str
) -> None:
    _, events = shot(rules_for(4, moon="auto", **end), number, totals)
    assert only(events, MoonShot).scored == scored
    state, _ = shot(rules_for(4, moon="choice", **end), number, totals)
    _, events = do(state, 1, ChooseMoon("auto"))
    assert only(events, HandScored).moon == Moon(1, scored)


# Revokes


@pytest.mark.parametrize(
    ("players", "options", "whole"),
    [(4, {}, 26), (4, {"dame_de_pique": True}, 43), (4, {"hooligan": True, "omnibus": "JD"}, 26), (8, {}, 52)],
)
def test_each_offender_scores_all_points_of_the_deck(players: int, options: dict[str, Any], whole: int) -> None:
    rules = rules_for(players, revoke="penalty", **options)
    hands = ["2S", "3S", "QS", "4D", *["5D"] * (players - 4)]
    earlier = [taken(0, "2H JD 7C")] * (rules.worked_out.each - 1)
    _, events = play(position(rules, hands, earlier=earlier, revoked=(1, 3)), " ".join(hands))
    score = only(events, HandScored)
    assert score.revoked == (1, 3)
    assert score.scores == tuple(whole if seat in (1, 3) else 0 for seat in range(players))


@pytest.mark.parametrize("moon", ["add", "choice", "auto"])
def test_no_moon_is_judged_when_somebody_revoked(moon: str) -> None:
    rules = rules_for(4, revoke="penalty", moon=moon)
    state = position(rules, ["2S", "AS", "QS", "3S"], earlier=[taken(1, HEARTS), *[taken(0)] * 11], revoked=(2,))
    state, events = play(state, "2S AS QS 3S")
    assert only(events, HandScored).moon is None
    assert only(events, HandScored).scores == (0, 0, 26, 0)
    assert not [event for event in events if isinstance(event, MoonShot)]


def test_a_revoke_with_the_play_that_ends_the_hand_counts() -> None:
    rules = rules_for(4, revoke="penalty", end_when_no_points=True)
    earlier = [taken(1, HEARTS)]
    hands = ["2S 3C", "QS 4C", "AS 5C", "3S 6D"]
    _, events = play(position(rules, hands, earlier=earlier), "2S QS AS 6D")
    assert only(events, HandScored).revoked == (3,)
    assert only(events, HandScored).scores == (0, 0, 0, 26)


# The end of the game


def ended(totals: tuple[int, ...], number: int = 4, **options: Any) -> tuple[tuple[int, ...], str] | None:
    result = game_result(rules_for(len(totals), **options), totals, number)
    assert result is None or result.totals == totals
    return result and (result.winners, result.reason)


def test_the_game_ends_at_its_target_or_after_its_hands() -> None:
    assert ended((99, 0, 1, 4)) is None
    assert ended((100, 0, 1, 4)) == ((1,), "target")
    assert ended((30, 0, 1, 4), target=30) == ((1,), "target")
    assert ended((500, 0, 1, 4), number=3, hands=4) is None
    assert ended((0, -1, 1, 4), hands=4) == ((1,), "hands")


def test_equal_lowest_totals_share_or_play_on() -> None:
    assert ended((100, 7, 7, 9)) == ((1, 2), "target")
    assert ended((100, 7, 7, 9), tie="play_on") is None
    assert ended((100, 7, 8, 9), tie="play_on") == ((1,), "target")
    assert ended((5, 7, 5, 9), hands=4, tie="play_on") is None
    assert ended((5, 7, 6, 9), number=5, hands=4, tie="play_on") == ((0,), "hands")


def test_a_game_ends_when_its_fair_deal_has_no_seed_left() -> None:
    assert ended((0, 0, 0, 0), number=MAX_HANDS) == ((0, 1, 2, 3), "hands")
    assert ended((0, 0, 0, 0), number=MAX_HANDS - 1) is None


def test_the_end_of_the_game_comes_with_the_hand() -> None:
    state, events = shot(rules_for(4), totals=(80, 0, 0, 0))
    assert only(events, GameOver) == GameOver((1,), (106, 0, 26, 26), "target")
    assert state.phase == "over"
    assert state.result.winners == (1,)
