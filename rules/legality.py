"""Which cards may be played now, and why others may not ("rule book", sections Options and A hand)."""

from collections.abc import Mapping, Sequence
from typing import Literal

from rules.cards import HEARTS, Card, Cards
from rules.ruleset import RuleSet
from rules.state import GameState, HandState

Bar = Literal["must_lead_low_card", "must_follow_suit", "points_on_first_trick", "hearts_not_broken"]

REASONS: Mapping[Bar, str] = {
    "must_lead_low_card": "The first trick is led with the low card.",
    "must_follow_suit": "You hold a card of the led suit and must follow it.",
    "points_on_first_trick": "No penalty card may be played on the first trick.",
    "hearts_not_broken": "Hearts are not broken yet and may not be led.",
}


def narrowed(rules: RuleSet, hand: HandState, seat: int) -> tuple[Sequence[Card], Bar | None]:
    """The cards that `seat`, on turn, may play, copies included, and the one rule that bars all its others.

    A cascade: each rule keeps the cards that pass it, or all of them if none does; the first that keeps fewer
    than all settles the matter. So the leader of trick 1, too, keeps to cards of no positive value while it has any,
    and with only hearts and QS in hand and hearts unbroken QS must be led.
    """
    cards, trick = hand.cards[seat], hand.trick
    if trick:
        led = trick[0].card.suit
        following = [card for card in cards if card.suit is led]
        if following:
            return following, "must_follow_suit"
    first = not hand.tricks
    if first and not trick and rules.first_lead == "low_card":
        return [card for card in cards if card is rules.worked_out.low_card], "must_lead_low_card"
    if first and not rules.first_trick_points:
        harmless = _harmless(rules, cards)
        if harmless:
            return harmless, "points_on_first_trick"
    if not trick and rules.hearts_must_break and not hand.hearts_broken:
        others = [card for card in cards if card.suit is not HEARTS]
        if others:
            return others, "hearts_not_broken"
    return cards, None


def bar(rules: RuleSet, hand: HandState, seat: int, card: Card) -> Bar | None:
    """The rule that forbids `seat`, on turn, to play this card of its hand; None if it is legal."""
    # Most plays need no look at the rest of the hand: they follow suit, or lead what is no heart after trick 1.
    if card.suit is hand.trick[0].card.suit if hand.trick else hand.tricks and card.suit is not HEARTS:
        return None
    legal, found = narrowed(rules, hand, seat)
    return None if card in legal else found


def bar_to_revoke(rules: RuleSet, hand: HandState, seat: int, card: Card) -> Bar | None:
    """The rule that forbids `seat` to fail to follow suit with this card where `revoke: penalty` lets it; or None.

    Points on the first trick stay barred for one who revokes, unless the whole hand is such cards.
    """
    if hand.tricks or rules.first_trick_points:
        return None
    harmless = _harmless(rules, hand.cards[seat])
    return "points_on_first_trick" if harmless and card not in harmless else None


def legal_cards(state: GameState, seat: int) -> Cards:
    """The distinct cards `seat` may play now, in order; () when it is not its turn to play."""
    hand = state.hand
    if state.phase != "playing" or hand is None or hand.turn != seat:
        return ()
    legal, _ = narrowed(state.rules, hand, seat)
    return tuple(legal) if state.rules.packs == 1 else tuple(dict.fromkeys(legal))


def why_not(state: GameState, seat: int) -> dict[Card, Bar]:
    """Each card that `seat` holds and may not play on this its turn, with the reason; {} when it is not its turn.

    Under `revoke: penalty` the reason "must_follow_suit" is a warning: such a card is accepted for its penalty.
    """
    hand, rules = state.hand, state.rules
    if state.phase != "playing" or hand is None or hand.turn != seat:
        return {}
    legal, found = narrowed(rules, hand, seat)
    if found is None:
        return {}
    reasons: dict[Card, Bar] = {card: found for card in hand.cards[seat] if card not in legal}
    if found == "must_follow_suit" and rules.revoke == "penalty":
        return {card: bar_to_revoke(rules, hand, seat, card) or found for card in reasons}
    return reasons


def revoked_with(hand: HandState, seat: int, card: Card) -> tuple[int, ...]:
    """The seats that have failed to follow suit in this hand once `seat` has played `card`, in order."""
    if not hand.trick or card.suit is hand.trick[0].card.suit or seat in hand.revoked:
        return hand.revoked
    led = hand.trick[0].card.suit
    if any(held.suit is led for held in hand.cards[seat]):
        return tuple(sorted((*hand.revoked, seat)))
    return hand.revoked


def _harmless(rules: RuleSet, cards: Cards) -> list[Card]:
    worth = rules.worth
    return [card for card in cards if worth.get(card, 0) <= 0]
