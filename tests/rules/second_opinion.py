"""A second opinion on the rule book, slow and by brute force: it shares no code and no type with the engine.

Cards are texts, a hand is a list, the options are a plain dict with every option in it.
"""

from typing import Any

LADDER = ["0", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]


def suit(card: str) -> str:
    return "C" if card == "JK" else card[1]


def height(card: str) -> int:
    return 0 if card == "JK" else LADDER.index(card[0])


def worth(options: dict[str, Any], card: str) -> int:
    if card[1] == "H":
        return 1
    if card == "QS":
        return 13
    if card == "KS" and options["dame_de_pique"]:
        return 10
    if card == "AS" and options["dame_de_pique"]:
        return 7
    if card == "7C" and options["hooligan"]:
        return 7
    if card == options["omnibus"]:
        return -10
    return 0


def stands(options: dict[str, Any], cards: list[str], at: int) -> bool:
    """Whether the card played at place `at` can win against equals: copies of the led suit cancel each other."""
    equals = [place for place, card in enumerate(cards) if card == cards[at]]
    if options["packs"] == 1 or options["duplicates"] == "later_wins":
        return at == equals[-1]
    if len(equals) == 1:
        return True
    return len(equals) == 3 and options["triples"] == "pair" and at == equals[2]


def winner(options: dict[str, Any], cards: list[str]) -> int | None:
    """The place of the card that beats all others, if there is one: each is held against each."""
    led = suit(cards[0])
    able = [place for place, card in enumerate(cards) if suit(card) == led and stands(options, cards, place)]
    for place in able:
        if all(height(cards[place]) > height(cards[other]) for other in able if other != place):
            return place
    assert not able
    return None


def cancelled(options: dict[str, Any], cards: list[str]) -> list[str]:
    if options["packs"] == 1 or options["duplicates"] == "later_wins":
        return []
    led = suit(cards[0])
    return sorted({card for card in cards if suit(card) == led and cards.count(card) > 1})


def taker(options: dict[str, Any], cards: list[str], last: bool) -> int | None:
    """The place of the play that takes the trick, None if nobody does."""
    won = winner(options, cards)
    if won is not None:
        return won
    if last and options["last_cancelled_trick"] == "high_pair_second":
        led = suit(cards[0])
        highest = max((card for card in cards if suit(card) == led), key=height)
        return [place for place, card in enumerate(cards) if card == highest][1]
    if last or options["cancelled_trick"] == "leader":
        return 0
    return None


def refusals(
    options: dict[str, Any], hand: list[str], trick: list[str], before: list[str], tricks: int, low: str | None
) -> dict[str, str | None]:
    """For each card of the hand on turn: why it may not be played, or None.

    trick: the cards of the running one; before: all cards of the `tricks` earlier ones; low: the unique low card.
    """
    broken = any(card[1] == "H" or (card == "QS" and options["queen_breaks_hearts"]) for card in before)
    return {card: _refusal(options, hand, card, trick, tricks, low, broken) for card in hand}


def _refusal(
    options: dict[str, Any], hand: list[str], card: str, trick: list[str], tricks: int, low: str | None, broken: bool
) -> str | None:
    leads = not trick
    if leads and tricks == 0 and options["first_lead"] == "low_card":
        return None if card == low else "must_lead_low_card"
    if not leads and suit(card) == suit(trick[0]):
        return None
    harmful = [held for held in hand if worth(options, held) > 0]
    points = tricks == 0 and not options["first_trick_points"] and card in harmful and len(harmful) < len(hand)
    if not leads and suit(trick[0]) in [suit(held) for held in hand]:
        return "points_on_first_trick" if points and options["revoke"] == "penalty" else "must_follow_suit"
    if points:
        return "points_on_first_trick"
    if leads and card[1] == "H" and options["hearts_must_break"] and not broken:
        return "hearts_not_broken" if [held for held in hand if held[1] != "H"] else None
    return None


def taken_by(
    options: dict[str, Any], players: int, kitty: list[str], tricks: list[tuple[int, list[str]]], each: int
) -> list[list[str]]:
    """What each seat has taken after these tricks: leader and cards in order of play."""
    taken: list[list[str]] = [[] for _ in range(players)]
    table: list[str] = []
    if options["kitty_to"] == "first_trick":
        table = table + kitty
    for number, (leader, cards) in enumerate(tricks, start=1):
        table = table + cards
        place = taker(options, cards, number == each)
        if place is None:
            continue
        if number == each and options["kitty_to"] == "last_trick":
            table = table + kitty
        taken[(leader + place) % players] += table
        table = []
    return taken


def moon_cards(options: dict[str, Any]) -> set[str]:
    hearts = {rank + "H" for rank in "23456789TJQKA"}
    return hearts | ({"QS", "KS", "AS"} if options["dame_de_pique"] else {"QS"})


def shooter(options: dict[str, Any], taken: list[list[str]]) -> int | None:
    """The seat that left the others no card of the moon."""
    if options["moon"] == "off":
        return None
    holders = [seat for seat, cards in enumerate(taken) if moon_cards(options) & set(cards)]
    return holders[0] if len(holders) == 1 else None


def scores(options: dict[str, Any], taken: list[list[str]], revoked: list[int], scored: str | None) -> list[int]:
    """The scores of a hand; scored: how a moon that was shot is scored."""
    whole = options["packs"] * (43 if options["dame_de_pique"] else 26)
    if revoked:
        return [whole if seat in revoked else 0 for seat in range(len(taken))]
    shot = shooter(options, taken)
    totals = []
    for seat, cards in enumerate(taken):
        if shot is None:
            totals.append(sum(worth(options, card) for card in cards))
            continue
        beside = sum(worth(options, card) for card in cards if card not in moon_cards(options))
        if scored == "add":
            totals.append(beside + (0 if seat == shot else whole))
        else:
            totals.append(beside - (whole if seat == shot else 0))
    return totals


def winners(options: dict[str, Any], totals: list[int], hands: int) -> list[int] | None:
    """Who has won after so many hands, None if the game goes on."""
    over = hands >= options["hands"] if options["hands"] else any(total >= options["target"] for total in totals)
    best = [seat for seat, total in enumerate(totals) if all(total <= other for other in totals)]
    return best if over and (options["tie"] == "share" or len(best) == 1) else None


def moon_scored(options: dict[str, Any], taken: list[list[str]], totals: list[int], hands: int) -> str:
    """How a shot moon is scored when nobody chooses."""
    if options["moon"] in ("add", "subtract"):
        return str(options["moon"])
    added = [total + score for total, score in zip(totals, scores(options, taken, [], "add"), strict=True)]
    best = winners(options, added, hands)
    return "subtract" if best is not None and shooter(options, taken) not in best else "add"
