"""Events as sentences: the whole of plain mode, and the log beside the full-screen table.

Knows the trick on the table from the events themselves, so that every sentence depends on them alone
and not on how far ahead the newest view happens to be.
"""

from collections.abc import Callable, Sequence
from typing import Any

from client_cli import words
from client_cli.cards import sort_hand, suit_of
from client_cli.i18n import _, ngettext
from client_cli.model import View, printable

CardText = Callable[[str], str]


class Announcer:
    """Feed it views as they come and events in order; `card` decides how cards are written."""

    def __init__(self, card: CardText = words.card_name) -> None:
        self._card = card
        self._view = View()
        self._trick: list[tuple[int, str]] = []

    def see(self, view: View, *, anew: bool) -> None:
        """Learn names and rules; `anew` also the trick on the table, whose events were not told."""
        self._view = view
        if anew:
            self._trick = [(play.seat, play.card) for play in view.hand.trick] if view.hand else []

    def sentences(self, kind: str, data: dict[str, Any]) -> list[str]:
        """What to say about one event. An event of an unknown kind or shape says nothing."""
        say = _SAYINGS.get(kind)
        if say is None:
            return []
        try:
            return say(self, data)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            return []

    # -- who

    def _is_me(self, seat: int) -> bool:
        return self._view.me is not None and self._view.me.seat == seat

    def _name(self, seat: int) -> str:
        return self._view.name(seat)

    def _by_seat(self, values: Sequence[int]) -> str:
        return ", ".join(f"{self._name(seat)} {value}" for seat, value in enumerate(values))

    # -- the game

    def _dealt(self, data: dict[str, Any]) -> list[str]:
        self._trick = []
        said = [
            _("Hand {number} is dealt; {dealer} is the dealer.").format(
                number=data["number"], dealer=self._name(data["dealer"])
            )
        ]
        passing = data["pass"]
        if passing is not None:
            direction = words.pass_direction(passing["offset"], len(self._view.seats))
            said.append(_("Pass {cards} {direction}.").format(cards=words.cards(passing["count"]), direction=direction))
            return said
        said.append(_("A hold hand: nobody passes."))
        leader = data.get("leader")
        return said if leader is None else [*said, self._leads(leader)]

    def _passed(self, data: dict[str, Any]) -> list[str]:
        if self._is_me(data["seat"]):
            return [_("You pass {cards}.").format(cards=words.listing(map(self._card, sort_hand(data["cards"]))))]
        return [_("{name} has passed.").format(name=self._name(data["seat"]))]

    def _exchanged(self, data: dict[str, Any]) -> list[str]:
        said = [_("The passed cards change hands.")]
        if data.get("received"):
            received = words.listing(map(self._card, sort_hand(data["received"])))
            said.append(_("You receive {cards}.").format(cards=received))
        return [*said, self._leads(data["leader"])]

    def _leads(self, seat: int) -> str:
        if self._is_me(seat):
            return _("You lead.")
        return _("{name} leads.").format(name=self._name(seat))

    def _played(self, data: dict[str, Any]) -> list[str]:
        seat, card = data["seat"], data["card"]
        self._trick.append((seat, card))
        led = self._trick[0][1]
        follows = suit_of(card) == suit_of(led)
        shown = self._card(card)
        name = self._name(seat)
        if self._is_me(seat):
            if len(self._trick) == 1:
                said = [_("You lead {card}.").format(card=shown)]
            elif follows:
                said = [_("You play {card}.").format(card=shown)]
            else:
                said = [_("You discard {card}.").format(card=shown)]
        elif len(self._trick) == 1:
            said = [_("{name} leads {card}.").format(name=name, card=shown)]
        elif follows:
            said = [_("{name} plays {card}.").format(name=name, card=shown)]
        else:
            said = [_("{name} discards {card}.").format(name=name, card=shown)]
        if data.get("by") == "timeout":
            said.append(_("The time was out: the server played for that seat."))
        if follows and self._view.table.rules.get("duplicates", "cancel") == "cancel":
            said += self._cancels(card)
        return said

    def _cancels(self, card: str) -> list[str]:
        seats = [seat for seat, played in self._trick if played == card]
        if len(seats) == 2:
            return [self._twin(seats[0])]
        if len(seats) == 3:
            if self._view.table.rules.get("triples", "all") == "all":
                return [_("It is the third of its kind: all three are cancelled.")]
            return [_("It is the third of its kind and stands; the other two are cancelled.")]
        return []

    def _twin(self, seat: int) -> str:
        if self._is_me(seat):
            return _("It meets its twin from you: both are cancelled.")
        return _("It meets its twin from {name}: both are cancelled.").format(name=self._name(seat))

    def _trick_taken(self, data: dict[str, Any]) -> list[str]:
        taker, number = data["taker"], data["cards_taken"]
        what = words.cards(number), words.points(data["points"])
        self._trick = []
        if self._is_me(taker):
            return [_("You take the trick: {cards}, {points}.").format(cards=what[0], points=what[1])]
        return [
            _("{name} takes the trick: {cards}, {points}.").format(
                name=self._name(taker), cards=what[0], points=what[1]
            )
        ]

    def _trick_cancelled(self, data: dict[str, Any]) -> list[str]:
        self._trick = []
        return [
            _("Every card of the led suit is cancelled: nobody takes the trick, it is carried over."),
            self._leads(data["leader"]),
        ]

    def _hearts_broken(self, data: dict[str, Any]) -> list[str]:
        return [_("Hearts are broken.")]

    def _moon_shot(self, data: dict[str, Any]) -> list[str]:
        shooter = data["shooter"]
        said = [
            _("You shot the moon!")
            if self._is_me(shooter)
            else _("{name} shot the moon!").format(name=self._name(shooter))
        ]
        scored = words.moon_scored(data.get("scored"))
        if scored:
            said.append(_("It counts so: {scored}.").format(scored=scored))
        return said

    def _hand_scored(self, data: dict[str, Any]) -> list[str]:
        self._trick = []
        said = [
            _("Hand {number} is over. Points: {points}.").format(
                number=data["number"], points=self._by_seat(data["scores"])
            ),
            _("Scores: {scores}.").format(scores=self._by_seat(data["totals"])),
        ]
        revoked = data.get("revoked")
        if revoked:
            said.append(_("Failed to follow suit: {names}.").format(names=words.listing(map(self._name, revoked))))
        return said

    def _game_over(self, data: dict[str, Any]) -> list[str]:
        winners = data.get("winners") or []
        reason = words.game_end(data.get("reason", ""))
        if not winners:
            return [_("The game is over: {reason}.").format(reason=reason)]
        names = words.listing(map(self._name, winners))
        return [
            ngettext(
                "The game is over ({reason}). The winner is {names}.",
                "The game is over ({reason}). The winners are {names}.",
                len(winners),
            ).format(reason=reason, names=names)
        ]

    # -- the table

    def _player_joined(self, data: dict[str, Any]) -> list[str]:
        name = printable(data.get("name") or self._name(data["seat"]))
        return [_("{name} takes seat {seat}.").format(name=name, seat=data["seat"] + 1)]

    def _player_left(self, data: dict[str, Any]) -> list[str]:
        seat = data["seat"]
        return [_("{name} leaves seat {seat}.").format(name=self._name(seat), seat=seat + 1)]

    def _seat_changed(self, data: dict[str, Any]) -> list[str]:
        seat = data["seat"] + 1
        if data.get("kind") == "bot":
            return [_("{name}, a bot, takes seat {seat}.").format(name=printable(data["name"]), seat=seat)]
        return [_("Seat {seat} is free.").format(seat=seat)] if data.get("kind") == "none" else []

    def _host_changed(self, data: dict[str, Any]) -> list[str]:
        seat = data["seat"]
        return [] if seat is None else [_("{name} is the host now.").format(name=self._name(seat))]

    def _started_game(self, data: dict[str, Any]) -> list[str]:
        return [_("The game begins.")]

    def _turn_warning(self, data: dict[str, Any]) -> list[str]:
        return [_("Hurry: your time is nearly out.")] if any(map(self._is_me, data["seats"])) else []

    def _controller_changed(self, data: dict[str, Any]) -> list[str]:
        name = self._name(data["seat"])
        if data["controller"] == "human":
            return [_("{name} is back and plays.").format(name=name)]
        return [_("A bot plays for {name}.").format(name=name)]

    def _said(self, data: dict[str, Any]) -> list[str]:
        text = data.get("text") or data.get("reaction")
        return [f"{self._name(data['seat'])}: {printable(text)}"] if text else []

    def _rematch(self, data: dict[str, Any]) -> list[str]:
        said = []
        if data["seat"] is not None:
            said.append(_("{name} wants another game.").format(name=self._name(data["seat"])))
        if data["next_table"] is not None:
            said.append(_("The next game is at table {table}.").format(table=data["next_table"]))
        return said

    def _closed(self, data: dict[str, Any]) -> list[str]:
        return [_("The table is closed.")]


def hint_sentence(hint: dict[str, Any], card: Callable[[str], str]) -> str:
    """A hint of the server as one sentence; `card` decides how cards are written."""
    cards = hint.get("cards") or [hint["card"]] if hint.get("card") or hint.get("cards") else []
    what = words.listing(map(card, cards)) or str(hint.get("choice") or "")
    reason = words.hint_reason(str(hint.get("reason"))) or str(hint.get("why") or "")
    return _("Hint: {what}. {reason}").format(what=what, reason=reason).strip()


_SAYINGS: dict[str, Callable[[Announcer, dict[str, Any]], list[str]]] = {
    "player_joined": Announcer._player_joined,
    "player_left": Announcer._player_left,
    "seat_changed": Announcer._seat_changed,
    "host_changed": Announcer._host_changed,
    "started": Announcer._started_game,
    "dealt": Announcer._dealt,
    "passed": Announcer._passed,
    "exchanged": Announcer._exchanged,
    "played": Announcer._played,
    "trick_taken": Announcer._trick_taken,
    "trick_cancelled": Announcer._trick_cancelled,
    "hearts_broken": Announcer._hearts_broken,
    "moon_shot": Announcer._moon_shot,
    "hand_scored": Announcer._hand_scored,
    "game_over": Announcer._game_over,
    "turn_warning": Announcer._turn_warning,
    "controller_changed": Announcer._controller_changed,
    "said": Announcer._said,
    "rematch": Announcer._rematch,
    "closed": Announcer._closed,
}
