"""One-shot verbs for scripts: one action each, sent until it is known to have happened once."""

import time
import uuid
from typing import Any

import click

from client_cli import words
from client_cli.announce import hint_sentence
from client_cli.api import Answer, Api
from client_cli.cards import parse_card
from client_cli.commands.caller import Caller, print_json, with_caller
from client_cli.errors import Unreachable, WrongUse
from client_cli.i18n import _
from client_cli.model import decode_view
from client_cli.session import back_off

TRIES = 5


def act(api: Api, table: str, action: str, **fields: Any) -> Answer:
    """The action, repeated with one key while no answer comes. Raises Unreachable after some tries."""
    key = uuid.uuid4().hex
    waits = back_off()
    for attempt in range(1, TRIES + 1):
        try:
            return api.act(table, {"action": action, **fields}, key)
        except Unreachable as error:
            if attempt == TRIES:
                raise
            time.sleep(min(error.retry_after or next(waits), 5.0))
    raise AssertionError("the last try returns or raises")


def _card(text: str) -> str:
    try:
        return parse_card(text)
    except ValueError:
        raise WrongUse(_("{text} is no card; write rank and suit, for example QS or 10h").format(text=text)) from None


@click.command("card", help=_("Play one card: hearts card ID QS."))
@click.argument("table", metavar="ID")
@click.argument("card", metavar="CARD")
@with_caller
def card(caller: Caller, table: str, card: str) -> None:
    chosen = _card(card)
    api = caller.player()
    view = decode_view(api.table(table).body)
    turn = view.hand.turn_number if view.hand is not None else 0
    answer = act(api, table, "play", card=chosen, turn=turn)
    caller.print(answer, lambda _view: _("Played {card}.").format(card=words.card_name(chosen)))


@click.command("pass", help=_("Pass cards: hearts pass ID AS KS QS."))
@click.argument("table", metavar="ID")
@click.argument("cards", metavar="CARD...", nargs=-1, required=True)
@with_caller
def pass_cards(caller: Caller, table: str, cards: tuple[str, ...]) -> None:
    chosen = [_card(text) for text in cards]
    answer = act(caller.player(), table, "pass", cards=chosen)
    names = words.listing(map(words.card_name, chosen))
    caller.print(answer, lambda _view: _("Passed {cards}.").format(cards=names))


@click.command("start", help=_("Begin the game at my table."))
@click.argument("table", metavar="ID")
@with_caller
def start(caller: Caller, table: str) -> None:
    caller.print(act(caller.player(), table, "start"), lambda _view: _("The game begins."))


@click.command("leave", help=_("Give up my seat at a table."))
@click.argument("table", metavar="ID")
@with_caller
def leave(caller: Caller, table: str) -> None:
    caller.print(act(caller.player(), table, "leave"), lambda _view: _("You have left the table."))


@click.command("hint", help=_("Ask what a bot would do in my place, and why."))
@click.argument("table", metavar="ID")
@with_caller
def hint(caller: Caller, table: str) -> None:
    answer = caller.player().hint(table)
    if caller.json:
        print_json(answer)
    else:
        click.echo(hint_sentence(answer.json(), words.card_name))


COMMANDS = {command.name: command for command in (card, pass_cards, start, leave, hint)}
