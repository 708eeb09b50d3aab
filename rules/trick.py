"""Who takes a trick, and what ("rule book", sections Options and A hand)."""

from collections.abc import Sequence

from msgspec import Struct

from rules.cards import Card, Cards
from rules.ruleset import RuleSet
from rules.scoring import points_of


class Settlement(Struct, frozen=True):
    """A complete trick, settled.

    taker: the seat that takes it, None when it is cancelled and carried; cancelled: the led-suit faces that
    cancelled, one entry a face, in the order of their text form; cards_taken, points: what goes to the taker,
    pile included; next_leader: who leads next, None after the last trick.
    """

    taker: int | None
    cancelled: Cards
    cards_taken: int
    points: int
    next_leader: int | None


def cancelled_faces(rules: RuleSet, cards: Sequence[Card]) -> Cards:
    """The faces of the led suit that cancel among the cards of a trick so far, in the order of their text form."""
    if rules.packs == 1 or rules.duplicates == "later_wins" or len(set(cards)) == len(cards):
        return ()
    led = cards[0].suit
    following = [card for card in cards if card.suit is led]
    return tuple(sorted({card for card in following if following.count(card) > 1}, key=str))


def standing_plays(rules: RuleSet, cards: Sequence[Card]) -> list[bool]:
    """For each card of a trick so far, in order of play: whether it stands, that is, is not cancelled.

    Under `triples: pair` the third copy of a led-suit face, the last one played, stands although the first two do not.
    """
    return _standing(rules, cards, cancelled_faces(rules, cards))


def winning_play(rules: RuleSet, cards: Sequence[Card]) -> int | None:
    """Which play (0 is the lead) wins a trick of these cards: the highest led-suit card that is not cancelled.

    None when every led-suit card is cancelled. Off-suit cards never win. Equal cards meet here only where the later
    beats the earlier.
    """
    return _winner(rules, cards, cancelled_faces(rules, cards))


def standing_and_winner(rules: RuleSet, cards: Sequence[Card]) -> tuple[list[bool], int | None]:
    """`standing_plays` and `winning_play` in one."""
    cancelled = cancelled_faces(rules, cards)
    return _standing(rules, cards, cancelled), _winner(rules, cards, cancelled)


def settle(rules: RuleSet, leader: int, cards: Sequence[Card], pile: Sequence[Card], last: bool) -> Settlement:
    """Settle a complete trick: `cards` in order of play from `leader`; `pile` goes to whoever takes it.

    pile: what lies on the table from cancelled tricks, and a kitty that is due. last: no trick follows.
    """
    cancelled = cancelled_faces(rules, cards)
    best = _winner(rules, cards, cancelled)
    if best is None:
        best = _taker_of_cancelled(rules, cards, cancelled, last)
    if best is None:
        return Settlement(None, cancelled, 0, 0, leader)
    taker = (leader + best) % len(cards)
    points = points_of(rules, cards)
    if pile:
        points += points_of(rules, pile)
    return Settlement(taker, cancelled, len(cards) + len(pile), points, None if last else taker)


def _standing(rules: RuleSet, cards: Sequence[Card], cancelled: Cards) -> list[bool]:
    if not cancelled:
        return [True] * len(cards)
    standing = [card not in cancelled for card in cards]
    if rules.triples == "pair":
        for face in cancelled:
            copies = [at for at, card in enumerate(cards) if card is face]
            standing[copies[-1]] = len(copies) == 3
    return standing


def _winner(rules: RuleSet, cards: Sequence[Card], cancelled: Cards) -> int | None:
    standing = _standing(rules, cards, cancelled) if cancelled else None
    led = cards[0].suit
    best: int | None = None
    rank = -1
    for at, card in enumerate(cards):
        if card.suit is led and card.rank >= rank and (standing is None or standing[at]):
            best, rank = at, card.rank
    return best


def _taker_of_cancelled(rules: RuleSet, cards: Sequence[Card], cancelled: Cards, last: bool) -> int | None:
    if last and rules.last_cancelled_trick == "high_pair_second":
        highest = max(cancelled, key=lambda card: card.rank)
        return cards.index(highest, cards.index(highest) + 1)
    return 0 if last or rules.cancelled_trick == "leader" else None
