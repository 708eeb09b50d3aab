"""Random games at every table: every deck row with every single option, each step held against the second opinion."""

from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest

from rules.cards import FACES
from rules.commands import PlayCard
from rules.decide import RuleViolation, decide
from rules.events import Dealt, Event, GameOver, HandScored, Played, TrickCancelled, TrickTaken
from rules.evolve import evolve
from rules.legality import legal_cards, why_not
from rules.ruleset import RuleSet
from rules.state import GameState, HandState, new_game
from tests.rules import second_opinion
from tests.rules.playing import DECK_ROWS, SEED, Game, tables

encode = msgspec.msgpack.encode
decode_state = msgspec.msgpack.Decoder(GameState).decode
decode_events = msgspec.msgpack.Decoder(list[Event]).decode
TABLES = tables()
NAMES = [f"{rules.packs}-{rules.players}-{at}" for at, rules in enumerate(TABLES)]


@pytest.mark.parametrize("rules", TABLES, ids=NAMES)
def test_every_step_of_a_hand(rules: RuleSet) -> None:
    assert_every_step(rules, SEED)


@pytest.mark.slow
@pytest.mark.parametrize("rules", TABLES, ids=NAMES)
def test_every_step_of_many_hands(rules: RuleSet) -> None:
    for seed in range(SEED + 1, SEED + 11):
        assert_every_step(rules, seed)


def assert_every_step(rules: RuleSet, seed: int) -> None:
    print("seed", seed)
    game = Game(rules, Random(seed))
    plain = msgspec.to_builtins(rules)
    offenders: set[int] = set()
    for events in game.play_hand():
        assert_cards_are_conserved(game.state)
        assert_legality(game.state, plain, game.random)
        for event in events:
            if isinstance(event, Played) and has_revoked(game.state, event):
                offenders.add(event.seat)
            assert_event(game, event, plain, offenders)
        if not isinstance(events[-1], Played):
            assert decode_state(encode(game.state)) == game.state
    assert folded(game) == game.state


@pytest.mark.parametrize("tie", ["share", "play_on"])
@pytest.mark.parametrize(("packs", "players"), DECK_ROWS)
def test_games_to_their_end(packs: int, players: int, tie: str) -> None:
    print("seed", SEED)
    for end in [{"target": 40}, {"hands": 2}]:
        rules = RuleSet.resolve(None, players, {"packs": packs, "moon": "auto", "tie": tie, **end})
        game = Game(rules, Random(SEED))
        while game.state.phase != "over":
            for events in game.play_hand():
                for event in events:
                    assert_event(game, event, msgspec.to_builtins(rules), set())
        assert folded(game) == game.state
        dealers = [event.dealer for event in game.events if isinstance(event, Dealt)]
        assert dealers == [(dealers[0] + number) % players for number in range(len(dealers))]


def has_revoked(state: GameState, event: Played) -> bool:
    """Whether that play, the last one, did not follow suit though its seat still holds the led suit."""
    hand = state.hand
    assert hand is not None
    led = (hand.trick or hand.tricks[-1].plays)[0].card.suit
    return event.card.suit is not led and any(card.suit is led for card in hand.cards[event.seat])


def folded(game: Game) -> GameState:
    """The state that the stored events make, from the first dealer on."""
    first = game.events[0]
    assert isinstance(first, Dealt)
    state = new_game(game.rules, first.dealer)
    for event in decode_events(encode(game.events)):
        state = evolve(state, event)
    return state


def assert_cards_are_conserved(state: GameState) -> None:
    hand = state.hand
    assert hand is not None
    cards = Counter(hand.kitty)
    for held in hand.cards:
        cards.update(held)
    cards.update(play.card for play in hand.trick)
    for trick in hand.tricks:
        cards.update(play.card for play in trick.plays)
    assert cards == Counter(state.rules.worked_out.cards)
    for held in hand.cards:
        assert list(held) == sorted(held, key=lambda card: card.order)


def assert_legality(state: GameState, plain: dict[str, Any], random: Random) -> None:
    """Legal cards are accepted, every other card is refused with its code, and the second opinion is the same."""
    hand, seat = state.hand, state.hand and state.hand.turn
    if state.phase != "playing" or hand is None or seat is None:
        for other in range(state.rules.players):
            assert legal_cards(state, other) == ()
            assert why_not(state, other) == {}
        return
    held = [card.value for card in hand.cards[seat]]
    trick = [play.card.value for play in hand.trick]
    before = [play.card.value for earlier in hand.tricks for play in earlier.plays]
    low = state.rules.worked_out.low_card
    expected = second_opinion.refusals(plain, held, trick, before, len(hand.tricks), low and low.value)
    assert [card.value for card in legal_cards(state, seat)] == [card for card in expected if expected[card] is None]
    assert {card.value: bar for card, bar in why_not(state, seat).items()} == {
        card: bar for card, bar in expected.items() if bar
    }
    assert legal_cards(state, seat)
    for face in {*hand.cards[seat], *random.sample(FACES, 3)}:
        bar = expected.get(face.value, "card_not_held")
        if bar is None:
            decide(state, seat, PlayCard(face, hand.turn_number))
        elif bar != "must_follow_suit" or plain["revoke"] == "refuse":
            with pytest.raises(RuleViolation) as refused:
                decide(state, seat, PlayCard(face, hand.turn_number))
            assert refused.value.code == bar
            assert refused.value.legal == legal_cards(state, seat)


def assert_event(game: Game, event: Event, plain: dict[str, Any], offenders: set[int]) -> None:
    hand, players = game.state.hand, game.rules.players
    assert hand is not None
    match event:
        case TrickTaken() | TrickCancelled():
            trick = hand.tricks[-1]
            cards = [play.card.value for play in trick.plays]
            assert [play.seat for play in trick.plays] == [(trick.leader + at) % players for at in range(players)]
            place = second_opinion.taker(plain, cards, last=len(hand.tricks) == game.rules.worked_out.each)
            assert trick.taker == (None if place is None else (trick.leader + place) % players)
            assert [card.value for card in trick.cancelled] == second_opinion.cancelled(plain, cards)
        case HandScored():
            assert event.revoked == tuple(sorted(offenders))
            assert_scores(game, hand, event, plain)
        case GameOver():
            assert list(event.winners) == second_opinion.winners(plain, list(event.totals), len(game.state.results))
        case _:
            pass


def taken_by(rules: RuleSet, hand: HandState, plain: dict[str, Any]) -> list[list[str]]:
    tricks = [(trick.leader, [play.card.value for play in trick.plays]) for trick in hand.tricks]
    kitty = [card.value for card in hand.kitty]
    return second_opinion.taken_by(plain, rules.players, kitty, tricks, rules.worked_out.each)


def assert_scores(game: Game, hand: HandState, event: HandScored, plain: dict[str, Any]) -> None:
    taken = taken_by(game.rules, hand, plain)
    deck = sum(second_opinion.worth(plain, card.value) for card in game.rules.worked_out.cards)
    assert sum(second_opinion.worth(plain, card) for cards in taken for card in cards) == deck
    assert list(hand.points) == [sum(second_opinion.worth(plain, card) for card in cards) for cards in taken]
    assert sum(trick.cards_taken for trick in hand.tricks) == sum(map(len, taken))
    revoked = [seat for seat in range(game.rules.players) if seat in event.revoked]
    shooter = None if revoked else second_opinion.shooter(plain, taken)
    assert (event.moon and event.moon.shooter) == shooter
    scored = event.moon and event.moon.scored
    before = [total - score for total, score in zip(event.totals, event.scores, strict=True)]
    if event.moon and plain["moon"] != "choice":
        assert scored == second_opinion.moon_scored(plain, taken, before, event.number)
    assert list(event.scores) == second_opinion.scores(plain, taken, revoked, scored)
    ended = second_opinion.winners(plain, list(event.totals), event.number) is not None
    assert ended == (game.state.phase == "over")
