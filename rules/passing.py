"""The pass: what each seat receives, and who leads then ("rule book", section A hand)."""

from collections.abc import Sequence

from rules.cards import Cards, in_order, without
from rules.ruleset import RuleSet


def received_cards(passed: Sequence[Cards], offset: int) -> tuple[Cards, ...]:
    """What each seat receives when the cards in `passed` move `offset` seats to the left."""
    players = len(passed)
    return tuple(passed[(seat - offset) % players] for seat in range(players))


def after_exchange(
    hands: Sequence[Cards], passed: Sequence[Cards | None], received: Sequence[Cards]
) -> tuple[Cards, ...]:
    """The hands once all passes have changed hands at once."""
    return tuple(
        in_order(without(held, *(gone or ())) + new) for held, gone, new in zip(hands, passed, received, strict=True)
    )


def first_leader(rules: RuleSet, dealer: int, hands: Sequence[Cards], received: Sequence[Cards] = ()) -> int:
    """Who leads trick 1: the holder of the low card after the pass, or the dealer's left.

    hands: before the pass; received: what each seat gets by it. There is one low card: who receives it holds it.
    """
    low = rules.worked_out.low_card
    if rules.first_lead == "dealers_left" or low is None:
        return (dealer + 1) % rules.players
    return next(seat for holders in (received, hands) for seat, cards in enumerate(holders) if low in cards)
