"""The game's terms in words: cards, suits, passing directions, phases, reasons."""

from collections.abc import Iterable

from client_cli.cards import JOKER, suit_of
from client_cli.i18n import _, ngettext


def suit_name(suit: str) -> str:
    return {"C": _("clubs"), "D": _("diamonds"), "S": _("spades"), "H": _("hearts")}[suit]


def rank_name(card: str) -> str:
    """The rank alone, as it is said in a list of one suit."""
    if card == JOKER:
        return _("joker")
    return {
        "2": _("two"),
        "3": _("three"),
        "4": _("four"),
        "5": _("five"),
        "6": _("six"),
        "7": _("seven"),
        "8": _("eight"),
        "9": _("nine"),
        "T": _("ten"),
        "J": _("jack"),
        "Q": _("queen"),
        "K": _("king"),
        "A": _("ace"),
    }[card[0]]


def card_name(card: str) -> str:
    """The card with its article, as it is said in a sentence."""
    if card == JOKER:
        return _("the joker")
    phrase = {
        "2": _("the two of {suit}"),
        "3": _("the three of {suit}"),
        "4": _("the four of {suit}"),
        "5": _("the five of {suit}"),
        "6": _("the six of {suit}"),
        "7": _("the seven of {suit}"),
        "8": _("the eight of {suit}"),
        "9": _("the nine of {suit}"),
        "T": _("the ten of {suit}"),
        "J": _("the jack of {suit}"),
        "Q": _("the queen of {suit}"),
        "K": _("the king of {suit}"),
        "A": _("the ace of {suit}"),
    }[card[0]]
    return phrase.format(suit=suit_name(suit_of(card)))


def listing(items: Iterable[str]) -> str:
    """`a, b and c`."""
    words = list(items)
    if len(words) < 2:
        return "".join(words)
    return _("{list} and {last}").format(list=", ".join(words[:-1]), last=words[-1])


def points(number: int) -> str:
    return ngettext("{n} point", "{n} points", number).format(n=number)


def cards(number: int) -> str:
    return ngettext("{n} card", "{n} cards", number).format(n=number)


def pass_direction(offset: int, players: int) -> str:
    """Where the cards go: +1 is the left neighbour, -1 the right one, half the table is across."""
    if offset == 0:
        return _("nobody passes")
    if 2 * abs(offset) == players:
        return _("across")
    if offset == 1:
        return _("to the left neighbour")
    if offset == -1:
        return _("to the right neighbour")
    if offset > 0:
        return _("{n} to the left").format(n=offset)
    return _("{n} to the right").format(n=-offset)


def why_not(code: str, led: str | None) -> str:
    """Why a card may not be played, by the server's code."""
    if code == "must_follow_suit" and led is not None:
        return _("you must follow suit: {suit}").format(suit=suit_name(suit_of(led)))
    reasons = {
        "must_follow_suit": _("you must follow suit"),
        "hearts_not_broken": _("hearts are not broken yet"),
        "points_on_first_trick": _("no penalty cards on the first trick"),
        "must_lead_low_card": _("the first lead must be the low card"),
        "not_your_turn": _("it is not your turn"),
        "card_not_held": _("you do not hold that card"),
    }
    return reasons.get(code, code.replace("_", " "))


def game_end(reason: str) -> str:
    reasons = {
        "target": _("somebody reached the target"),
        "hands": _("all hands are played"),
        "closed": _("the table was closed"),
    }
    return reasons.get(reason, reason)


def moon_scored(scored: str | None) -> str:
    ways = {
        "add": _("everybody else gets the points"),
        "subtract": _("the points are taken off the shooter's score"),
        "off": _("the moon does not count at this table"),
    }
    return ways.get(scored or "", "")


def hint_reason(code: str) -> str | None:
    """Why the server's hint is what it is, by its code; None for a code that is new here."""
    reasons = {
        "pass_danger": _("These are the cards most likely to cost you points."),
        "moon_choice": _("The table's rules settle which way of scoring your moon serves you."),
        "shoot_moon": _("Nobody else has a card of the moon, and your hand may well take the rest of it."),
        "stop_moon": _("Somebody seems to be shooting the moon: a card of it must go elsewhere."),
        "only_card": _("It is the only card you may play."),
        "must_lead": _("The first trick is led with the low card."),
        "lead_low": _("Somebody is likely to play over it, so the trick goes elsewhere."),
        "lead_safe": _("The trick should be cheap, and a high card is out of your hand."),
        "draw_queen": _("Low spades draw the queen from whoever holds her."),
        "duck": _("It stays under the winning card, and is the highest that does."),
        "take_cheaply": _("The trick costs little, so it is the moment to part with a high card."),
        "take_bonus": _("The trick is worth winning."),
        "take_forced": _("You can hardly stay under, so play the card you would most like to lose."),
        "drop_queen": _("You cannot follow suit: the queen of spades goes to somebody else."),
        "drop_points": _("You cannot follow suit: give your penalty card away."),
        "drop_danger": _("You cannot follow suit: part with the card that would hurt you most later."),
    }
    return reasons.get(code)


def refusal(code: str) -> str | None:
    """The server's refusal in the language spoken, by its code. The server explains in English only, and
    says more; so this serves the other languages, and a code that is new here stays English."""
    sentences = {
        "not_your_turn": _("It is not your turn."),
        "stale_turn": _("That turn is over."),
        "must_follow_suit": _("You must follow suit."),
        "hearts_not_broken": _("Hearts are not broken yet."),
        "points_on_first_trick": _("No penalty cards on the first trick."),
        "must_lead_low_card": _("The first lead must be the low card."),
        "card_not_held": _("You do not hold that card."),
        "wrong_pass_size": _("That is not the number of cards to pass."),
        "already_passed": _("You have passed already."),
        "wrong_phase": _("That is not possible now."),
        "seat_taken": _("That seat is taken."),
        "own_seat_waits": _("Your own seat is still yours: come back to it."),
        "seat_empty": _("Nobody sits there."),
        "no_such_seat": _("This table has no such seat."),
        "table_full": _("Every seat is taken."),
        "seats_empty": _("Some seats are still empty."),
        "not_away": _("That player is not away."),
        "hints_off": _("This table gives no hints."),
        "table_closed": _("The table is closed."),
        "not_seated": _("You are not seated at this table."),
        "not_host": _("Only the host may do this."),
        "no_spectators": _("This table has no spectators."),
        "no_such_table": _("There is no such table."),
        "no_such_preset": _("There is no such rule set."),
        "token_missing": _("A token is needed."),
        "token_unknown": _("The server does not know this token."),
        "too_many_actions": _("Not so fast, please."),
        "too_much_chat": _("That was a lot to say; wait a little."),
        "store_away": _("The server cannot reach its data just now."),
        "stopping": _("The server is stopping."),
    }
    return sentences.get(code)
