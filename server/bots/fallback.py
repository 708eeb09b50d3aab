"""A legal command for any position, by the simplest means: what is left when everything else went wrong."""

from rules.commands import ChooseMoon, Pass, PlayCard
from rules.events import By
from rules.view import Seen


def any_legal(seen: Seen, by: By) -> Pass | PlayCard | ChooseMoon:
    """The lowest legal card, the highest cards as a pass, or the moon as the rules have it."""
    view, hand, me = seen.view, seen.view.hand, seen.view.me
    assert hand is not None
    assert me is not None
    if view.phase == "moon":
        return ChooseMoon("auto")
    if view.phase == "passing" and hand.pass_ is not None:
        highest = sorted(me.cards, key=lambda card: card.rank)[-hand.pass_.count :]
        return Pass(tuple(highest), by)
    return PlayCard(min(me.legal, key=lambda card: card.rank), hand.turn_number, by)
