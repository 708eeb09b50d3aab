"""What a seat may know: what is shown when, and that unseen cards change no byte of it."""

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from rules.cards import Card, Cards, in_order
from rules.commands import Pass, PlayCard
from rules.decide import decide
from rules.events import Dealt, Event, Exchanged, HandScored, Passed, SeedRevealed
from rules.evolve import evolve
from rules.legality import legal_cards
from rules.ruleset import RuleSet
from rules.state import GameState, new_game
from rules.view import CarriedView, PassView, PlayView, pass_words, redact, seen, view
from tests.rules.playing import DECK_ROWS, SEED, Game
from tests.rules.positions import play, position, rules_for, taken

encode = msgspec.json.encode
TABLES = [RuleSet.resolve(None, players, {"packs": packs}) for packs, players in DECK_ROWS]
TABLES += [RuleSet.resolve("bicycle", players, {"pass_count": "quarter"}) for players in (5, 9, 11)]
TABLES += [RuleSet.resolve("bicycle", 9, {"kitty_to": "last_trick"}), rules_for(6, revoke="penalty")]


# Secrets


def shuffled_among(hands: Sequence[Cards], random: Random) -> list[Cards]:
    """Hands of the same sizes with the same cards, dealt anew."""
    pool = [card for cards in hands for card in cards]
    random.shuffle(pool)
    return [in_order(pool.pop() for _ in cards) for cards in hands]


def with_other_secrets(state: GameState, seat: int, random: Random) -> GameState:
    """The state with everything dealt anew that `seat` cannot know: others' cards, the kitty, the seed, passes."""
    hand = state.hand
    assert hand is not None
    others = [other for other in range(state.rules.players) if other != seat]

    def anew(hands: Sequence[Cards], *more: Cards) -> tuple[list[Cards], list[Cards]]:
        mixed = shuffled_among([*(hands[other] for other in others), *more], random)
        told = list(hands)
        for other in others:
            told[other] = mixed.pop(0)
        return told, mixed

    cards, (kitty,) = anew(hand.cards, hand.kitty)
    deal, _ = anew(hand.deal)
    passed: list[Cards | None] = [
        cards if other == seat or cards is None else (*cards, Card.SQ) for other, cards in enumerate(hand.passed)
    ]
    received = None if hand.received is None else tuple(anew(hand.received)[0])
    return replace(
        state,
        hand=replace(
            hand,
            cards=tuple(cards),
            kitty=kitty,
            deal=tuple(deal),
            passed=tuple(passed),
            received=received,
            seed="another",
            revoked=(others[0],),
        ),
    )


def event_with_other_secrets(event: Event, seat: int, random: Random) -> Event:
    match event:
        case Dealt():
            hands = shuffled_among([*event.hands[:seat], *event.hands[seat + 1 :], event.kitty], random)
            kitty = hands.pop()
            hands.insert(seat, event.hands[seat])
            return replace(event, hands=tuple(hands), kitty=kitty, seed="another")
        case Passed() if event.seat != seat:
            return replace(event, cards=(Card.SQ,))
        case Exchanged():
            hands = shuffled_among([*event.received[:seat], *event.received[seat + 1 :]], random)
            hands.insert(seat, event.received[seat])
            return replace(event, received=tuple(hands))
        case _:
            return event


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: f"{rules.packs}-{rules.players}-{rules.deck}")
def test_unseen_cards_change_no_byte_of_a_view_or_an_event(rules: RuleSet) -> None:
    print("seed", SEED)
    random = Random(SEED)
    game = Game(rules, random)
    for events in game.play_hand():
        seat = random.randrange(rules.players)
        for event in events:
            other = event_with_other_secrets(event, seat, random)
            assert encode(redact(event, seat)) == encode(redact(other, seat))
            assert encode(redact(event, None)) == encode(redact(other, None))
        if random.random() < 0.2 or game.state.phase == "passing":
            other_state = with_other_secrets(game.state, seat, random)
            assert encode(view(game.state, seat)) == encode(view(other_state, seat))
            assert encode(seen(game.state, seat)) == encode(seen(other_state, seat))
            assert encode(view(game.state, None)) == encode(view(other_state, None))


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: f"{rules.packs}-{rules.players}-{rules.deck}")
def test_worlds_that_differ_in_unseen_cards_look_the_same_while_the_same_is_played(rules: RuleSet) -> None:
    """Two cards swap places between two other hands; all then play what they may in both worlds."""
    print("seed", SEED)
    random = Random(SEED)
    compared = 0
    for _ in range(3):
        game = Game(rules, random)
        while game.state.phase != "playing":
            game.do(*game.allowed())
        for _ in range(random.randrange(rules.players * rules.worked_out.each // 2)):
            game.do(*game.allowed())
        state = game.state
        hand = state.hand
        assert hand is not None
        seat, one, two = random.sample(range(rules.players), 3)
        if not hand.cards[one] or not hand.cards[two]:
            continue
        cards = list(hand.cards)
        mine, yours = random.choice(cards[one]), random.choice(cards[two])
        cards[one] = in_order([*cards[one][: cards[one].index(mine)], *cards[one][cards[one].index(mine) + 1 :], yours])
        cards[two] = in_order(
            [*cards[two][: cards[two].index(yours)], *cards[two][cards[two].index(yours) + 1 :], mine]
        )
        twin = replace(state, hand=replace(hand, cards=tuple(cards)))
        while state.phase == "playing" and state.hand and state.hand.turn is not None:
            turn = state.hand.turn
            both = [card for card in legal_cards(state, turn) if card in legal_cards(twin, turn)]
            if not both:
                break
            command = PlayCard(random.choice(both), state.hand.turn_number)
            events, twins = decide(state, turn, command), decide(twin, turn, command)
            if any(isinstance(event, HandScored) for event in events):
                break
            for who in (seat, None):
                assert [encode(redact(event, who)) for event in events] == [
                    encode(redact(event, who)) for event in twins
                ]
            for event in events:
                state, twin = evolve(state, event), evolve(twin, event)
            assert encode(view(state, seat)) == encode(view(twin, seat))
            assert encode(view(state, None)) == encode(view(twin, None))
            compared += 1
    assert compared > 5


def test_no_card_of_others_is_in_a_view() -> None:
    """With one pack a card is in one place, so its text betrays it."""
    game = Game(rules_for(4), Random(SEED))
    for _ in game.play_hand():
        hand = game.state.hand
        assert hand is not None
        if game.state.phase not in ("passing", "playing"):
            break
        for seat in (*range(4), None):
            text = encode(view(game.state, seat)).decode()
            for other in range(4):
                known = set(hand.received[other] if hand.received else ()) if seat is not None else set()
                for card in hand.cards[other]:
                    if other != seat and card not in known:
                        mine = seat is not None and hand.passed[seat] and card in (hand.passed[seat] or ())
                        assert mine or f'"{card.value}"' not in text
            assert hand.seed not in text


def test_the_seed_is_told_only_with_its_own_event() -> None:
    game = Game(rules_for(4), Random(SEED)).play(1)
    for event in game.events:
        assert isinstance(event, SeedRevealed) or '"seed"' not in encode(redact(event, 0)).decode()


# What is shown


def test_nothing_is_in_play_before_the_first_deal() -> None:
    shown = view(new_game(rules_for(4), 1), 0)
    assert (shown.phase, shown.hand, shown.me, shown.result) == ("dealing", None, None, None)
    assert [seat.cards for seat in shown.seats] == [0] * 4
    with pytest.raises(AssertionError):
        seen(new_game(rules_for(4), 1), 0)


def test_a_pass_shows_to_its_seat_at_once_and_what_it_received_after_the_exchange() -> None:
    game = Game(rules_for(4), Random(SEED))
    game.do(*game.allowed())
    hand = game.state.hand
    assert hand is not None
    shown = view(game.state, 0)
    assert shown.hand is not None
    assert shown.hand.pass_ == PassView(1, 3, "1 to the left")
    assert (shown.hand.leader, shown.hand.turn) == (None, None)
    game.do(0, Pass(hand.cards[0][:3]))
    for seat in range(4):
        me = view(game.state, seat).me
        assert me is not None
        assert me.passed == (hand.cards[0][:3] if seat == 0 else None)
        assert me.received is None
        assert [other.passed for other in view(game.state, seat).seats] == [True, False, False, False]
    for seat in (1, 2, 3):
        game.do(seat, Pass(hand.cards[seat][:3]))
    me = view(game.state, 1).me
    assert me is not None
    assert me.received == hand.cards[0][:3]
    assert seen(game.state, 1).dealt == hand.cards[1]


def test_a_trick_shows_what_is_cancelled_and_what_wins_now() -> None:
    hands = ["9S", "9S", "3S", "9D", "2H", "4S"]
    state, _ = play(position(rules_for(6), [f"{face} 2D" for face in hands], earlier=[taken(0)]), "9S 9S 3S 9D")
    shown = view(state, 4)
    assert shown.hand is not None
    assert shown.hand.trick == (
        PlayView(0, Card.S9, True, False),
        PlayView(1, Card.S9, True, False),
        PlayView(2, Card.S3, False, True),
        PlayView(3, Card.D9, False, False),
    )
    assert shown.me is not None
    assert shown.me.legal == (Card.D2, Card.H2)


def test_carried_cards_are_counted_without_the_kitty() -> None:
    hands = ["2S 2D", "2S 2D", "4S 3D", "4S 3D", "6H 7H"]
    state, _ = play(position(RuleSet.resolve("bicycle", 5), hands, kitty="QS 2H 3H 4C"), "2S 2S 4S 4S 6H")
    shown = view(state, 0)
    assert shown.hand is not None
    assert shown.hand.carried == CarriedView(5, 1)
    last = shown.hand.last_trick
    assert last is not None
    assert (last.taker, last.cards_taken, last.points) == (None, 0, 0)
    assert [play.cancelled for play in last.plays] == [True, True, True, True, False]


def test_why_a_card_is_not_legal() -> None:
    me = view(position(rules_for(4), ["3D 4H", "", "", ""], earlier=[taken(0)]), 0).me
    assert me is not None
    assert me.why == {Card.H4: "hearts_not_broken"}
    assert encode(me.why) == b'{"4H":"hearts_not_broken"}'


@pytest.mark.parametrize(
    ("offset", "players", "words"),
    [
        (0, 4, "hold"),
        (1, 4, "1 to the left"),
        (-1, 5, "1 to the right"),
        (2, 4, "across"),
        (-2, 4, "across"),
        (4, 8, "across"),
        (2, 5, "2 to the left"),
        (-3, 8, "3 to the right"),
    ],
)
def test_pass_in_words(offset: int, players: int, words: str) -> None:
    assert pass_words(offset, players) == words


def test_a_hold_hand_has_no_pass_to_show() -> None:
    game = Game(rules_for(4, pass_count=0), Random(SEED))
    (event,) = game.do(*game.allowed())
    shown: Any = redact(event, 2)
    assert shown.pass_ is None
    assert shown.leader is not None
    assert shown.cards == event.hands[2]  # type: ignore[union-attr]
    assert redact(event, None).cards is None  # type: ignore[union-attr]
