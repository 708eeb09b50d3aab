"""Which cards may be played now, and why others may not ("rule book", sections Options and A hand)."""

from collections.abc import Mapping
from typing import Literal

from rules.cards import Card, Cards, Suit
from rules.ruleset import RuleSet
from rules.scoring import card_values
from rules.state import GameState, HandState

Bar = Literal["must_lead_low_card", "must_follow_suit", "points_on_first_trick", "hearts_not_broken"]

REASONS: Mapping[Bar, str] = {
    "must_lead_low_card": "The first trick is led with the low card.",
    "must_follow_suit": "You hold a card of the led suit and must follow it.",
    "points_on_first_trick": "No penalty card may be played on the first trick.",
    "hearts_not_broken": "Hearts are not broken yet and may not be led.",
}


def bar(rules: RuleSet, hand: HandState, seat: int, card: Card) -> Bar | None:
    """The rule that forbids `seat`, on turn, to play this card of its hand; None if it is legal."""
    cards = hand.cards[seat]
    if not hand.trick:
        return _bar_to_lead(rules, hand, cards, card)
    led = hand.trick[0].card.suit
    if card.suit is led:
        return None
    for held in cards:
        if held.suit is led:
            return "must_follow_suit"
    return _bar_on_first_trick(rules, hand, cards, card)


def bar_besides_revoking(rules: RuleSet, hand: HandState, seat: int, card: Card) -> Bar | None:
    """As `bar`, with failing to follow suit allowed: what `revoke: penalty` still refuses."""
    found = bar(rules, hand, seat, card)
    if found != "must_follow_suit":
        return found
    return _bar_on_first_trick(rules, hand, hand.cards[seat], card)


def legal_cards(state: GameState, seat: int) -> Cards:
    """The distinct cards `seat` may play now, in order; () when it is not its turn to play."""
    if state.phase != "playing" or state.hand is None or state.hand.turn != seat:
        return ()
    rules, hand = state.rules, state.hand
    cards = hand.cards[seat]
    if hand.trick:
        led = hand.trick[0].card.suit
        following = [card for card in cards if card.suit is led]
        if following:
            return tuple(dict.fromkeys(following))
    return tuple(card for card in dict.fromkeys(cards) if bar(rules, hand, seat, card) is None)


def why_not(state: GameState, seat: int) -> dict[Card, Bar]:
    """Each card that `seat` holds and may not play on this its turn, with the reason; {} when it is not its turn."""
    if state.phase != "playing" or state.hand is None or state.hand.turn != seat:
        return {}
    rules, hand = state.rules, state.hand
    bars: dict[Card, Bar] = {}
    for card in dict.fromkeys(hand.cards[seat]):
        found = bar(rules, hand, seat, card)
        if found is not None:
            bars[card] = found
    return bars


def is_revoke(hand: HandState, seat: int, card: Card) -> bool:
    """Whether playing `card` fails to follow the led suit although `seat` holds it."""
    if not hand.trick:
        return False
    led = hand.trick[0].card.suit
    return card.suit is not led and any(held.suit is led for held in hand.cards[seat])


def revoked_with(hand: HandState, seat: int, card: Card) -> tuple[int, ...]:
    """The seats that have revoked in this hand once `seat` has played `card`, in order."""
    if seat in hand.revoked or not is_revoke(hand, seat, card):
        return hand.revoked
    return tuple(sorted((*hand.revoked, seat)))


def _bar_to_lead(rules: RuleSet, hand: HandState, cards: Cards, card: Card) -> Bar | None:
    if not hand.tricks and rules.first_lead == "low_card":
        return None if card is rules.worked_out.low_card else "must_lead_low_card"
    found = _bar_on_first_trick(rules, hand, cards, card)
    if found is not None:
        return found
    if card.suit is Suit.HEARTS and rules.hearts_must_break and not hand.hearts_broken:
        for held in cards:
            if held.suit is not Suit.HEARTS:
                return "hearts_not_broken"
    return None


def _bar_on_first_trick(rules: RuleSet, hand: HandState, cards: Cards, card: Card) -> Bar | None:
    """No card of positive value on trick 1, unless the whole hand is such cards. The card does not follow suit."""
    if hand.tricks or rules.first_trick_points:
        return None
    values = card_values(rules)
    if values.get(card, 0) <= 0 or all(values.get(held, 0) > 0 for held in cards):
        return None
    return "points_on_first_trick"
