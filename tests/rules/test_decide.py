"""Commands and their refusals, the pass, and the order of things in a game."""

from collections import Counter
from random import Random
from typing import get_args

import pytest
from msgspec.structs import replace

from rules.cards import Card, in_order
from rules.commands import ChooseMoon, Close, Command, Deal, Pass, PlayCard
from rules.decide import _ANSWERS, RuleViolation, decide
from rules.events import Dealt, Event, Exchanged, GameOver, SeedRevealed
from rules.evolve import _STEPS, evolve
from rules.ruleset import RuleSet
from rules.state import GameState, new_game
from tests.rules.playing import SEED, Game
from tests.rules.positions import cards, do, play, position, refusal, rules_for, taken


def dealt(rules: RuleSet, dealer: int = 0, seed: int = SEED) -> GameState:
    order = list(rules.worked_out.cards)
    Random(seed).shuffle(order)
    state, _ = do(new_game(rules, dealer), None, Deal(tuple(order)))
    return state


def some(state: GameState, seat: int) -> Pass:
    assert state.hand is not None
    return Pass(state.hand.cards[seat][: state.hand.pass_size])


def test_deals_go_clockwise_from_the_dealers_left() -> None:
    rules = rules_for(4)
    order = rules.worked_out.cards
    (event,) = decide(new_game(rules, 2), None, Deal(order))
    assert isinstance(event, Dealt)
    for place, seat in enumerate([3, 0, 1, 2]):
        assert event.hands[seat] == order[place::4]
    assert event.seed == ""


def test_a_kitty_is_what_is_left() -> None:
    rules = RuleSet.resolve("bicycle", 9)
    order = rules.worked_out.cards[::-1]
    (event,) = decide(new_game(rules, 0), None, Deal(order))
    assert isinstance(event, Dealt)
    assert event.kitty == in_order(order[99:])
    assert event.leader == 1
    assert [len(hand) for hand in event.hands] == [11] * 9


@pytest.mark.parametrize("wrong", [(), (Card.C2,) * 52, "short"])
def test_an_order_that_is_not_the_deck_is_refused(wrong: tuple[Card, ...] | str) -> None:
    rules = rules_for(4)
    order = rules.worked_out.cards[1:] if isinstance(wrong, str) else wrong
    assert refusal(new_game(rules, 0), None, Deal(order)) == "wrong_deck"


def test_every_command_and_every_event_is_known() -> None:
    assert set(_ANSWERS) == set(get_args(Command))
    assert set(_STEPS) == set(get_args(Event))


def test_each_command_has_its_phase() -> None:
    rules = rules_for(4)
    game, passing = new_game(rules, 0), dealt(rules)
    deal = Deal(rules.worked_out.cards)
    playing = dealt(rules_for(4, pass_count=0))
    over, _ = do(playing, None, Close())
    lead = PlayCard(Card.C2, 0)
    for state, command in [
        (game, Pass(())),
        (game, lead),
        (game, ChooseMoon("add")),
        (passing, deal),
        (passing, lead),
        (passing, ChooseMoon("add")),
        (playing, deal),
        (playing, Pass(())),
        (playing, ChooseMoon("add")),
        (over, deal),
        (over, Pass(())),
        (over, lead),
        (over, ChooseMoon("add")),
        (over, Close()),
    ]:
        assert refusal(state, 0, command) == "wrong_phase"
    for state, command in [(passing, Pass(())), (playing, lead)]:
        assert refusal(state, None, command) == "wrong_phase"


def test_refusals_of_a_pass() -> None:
    state = dealt(rules_for(4))
    assert state.hand is not None
    hand = state.hand.cards[1]
    other = next(card for card in Card if card not in hand and card is not Card.JK)
    assert refusal(state, 1, Pass(hand[:2])) == "wrong_pass_size"
    assert refusal(state, 1, Pass(hand[:4])) == "wrong_pass_size"
    assert refusal(state, 1, Pass((*hand[:2], other))) == "card_not_held"
    assert refusal(state, 1, Pass((hand[0],) * 3)) == "card_not_held"
    state, _ = do(state, 1, Pass(hand[:3]))
    assert refusal(state, 1, Pass(hand[:3])) == "already_passed"


def test_refusals_of_a_play() -> None:
    state = position(rules_for(4), ["2C 3C", "4C 5D", "6C", "7C"], earlier=[])
    assert refusal(state, 0, PlayCard(Card.C2, 5)) == "stale_turn"
    assert refusal(state, 1, PlayCard(Card.C4, 0)) == "not_your_turn"
    assert refusal(state, 0, PlayCard(Card.HA, 0)) == "card_not_held"
    state, _ = play(state, "2C")
    with pytest.raises(RuleViolation) as refused:
        decide(state, 1, PlayCard(Card.D5, 1))
    assert refused.value.code == "must_follow_suit"
    assert refused.value.legal == (Card.C4,)


@pytest.mark.parametrize("offset", [1, -1, 2, -2, 3, -3, 4, -7, 7])
def test_passes_change_hands_at_once(offset: int) -> None:
    state = dealt(rules_for(8, pass_cycle=[offset]))
    hand = state.hand
    assert hand is not None
    passes = [some(state, seat) for seat in range(8)]
    for seat in Random(SEED).sample(range(8), 8):
        before = state.hand
        state, events = do(state, seat, passes[seat])
        if len(events) == 1:
            assert state.hand is not None
            assert before is not None
            assert state.hand.cards == before.cards
    assert state.hand is not None
    for seat in range(8):
        to = (seat + offset) % 8
        assert state.hand.received is not None
        assert state.hand.received[to] == passes[seat].cards
        expected = Counter(hand.deal[to])
        expected.subtract(passes[to].cards)
        expected.update(passes[seat].cards)
        assert Counter(state.hand.cards[to]) == +expected


def test_a_pass_across_is_an_exchange() -> None:
    state = dealt(rules_for(4, pass_cycle=[2]))
    for seat in range(4):
        state, _ = do(state, seat, some(state, seat))
    assert state.hand is not None
    assert state.hand.received is not None
    for seat in range(4):
        assert state.hand.received[seat] == state.hand.passed[(seat + 2) % 4]


def test_whoever_holds_the_low_card_after_the_pass_leads() -> None:
    for seed in range(40):
        state = dealt(rules_for(8), seed=seed)
        assert state.hand is not None
        (holder,) = [seat for seat, held in enumerate(state.hand.cards) if Card.JK in held]
        for seat in range(8):
            state, events = do(state, seat, some(state, seat))
        # The joker is the first card of its holder's hand, so it was passed to the left.
        assert isinstance(events[-1], Exchanged)
        assert events[-1].leader == (holder + 1) % 8
        assert state.hand is not None
        assert state.hand.turn == events[-1].leader


def test_both_copies_may_be_passed_to_the_same_player() -> None:
    hands = ["9C 9C 2D 3D", "9D 9D 2D 3D", *["4S 5S 6S 7S"] * 3, "JK 5S 6S 7S"]
    rules = rules_for(6, packs=2, pass_count=2)
    state = position(rules, hands)
    assert state.hand is not None
    state = replace(state, phase="passing", hand=replace(state.hand, pass_offset=1, pass_size=2))
    assert refusal(state, 2, Pass(cards("4S 4S"))) == "card_not_held"
    state, _ = do(state, 0, Pass(cards("9C 9C")))
    state, _ = do(state, 1, Pass(cards("9D 2D")))
    assert state.hand is not None
    assert state.hand.passed[:2] == (cards("9C 9C"), cards("2D 9D"))


def test_hold_hands_follow_the_cycle_and_play_at_once() -> None:
    rules = rules_for(4, pass_cycle=[1, 0])
    game = Game(rules, Random(SEED)).play(3)
    deals = [event for event in game.events if isinstance(event, Dealt)]
    assert [(event.pass_offset, event.pass_size) for event in deals] == [(1, 3), (0, 0), (1, 3)]
    assert [event.leader is None for event in deals] == [True, False, True]


def test_a_closed_game_has_no_winners() -> None:
    state, events = do(dealt(rules_for(4)), None, Close())
    assert events == (GameOver((), (0, 0, 0, 0), "closed"),)
    assert state.phase == "over"
    early, _ = do(new_game(rules_for(4), 0), None, Close())
    assert early.hand is None


def test_the_seed_is_told_when_its_hand_is_scored() -> None:
    game = Game(rules_for(4), Random(SEED)).play(2)
    told = [event for event in game.events if isinstance(event, SeedRevealed)]
    assert [event.number for event in told] == [1, 2]
    seedless = position(rules_for(4), ["2C", "3C", "4C", "5C"], earlier=[taken(0)] * 12)
    _, events = play(seedless, "2C 3C 4C 5C")
    assert not [event for event in events if isinstance(event, SeedRevealed)]


def test_a_refused_command_changes_nothing() -> None:
    state = dealt(rules_for(4))
    again = evolve(new_game(rules_for(4), 0), decide(new_game(rules_for(4), 0), None, Deal(state_order(state)))[0])
    refusal(state, 0, Pass(()))
    assert state == again


def state_order(state: GameState) -> tuple[Card, ...]:
    assert state.hand is not None
    return tuple(state.hand.deal[(1 + place) % 4][row] for row in range(13) for place in range(4))
