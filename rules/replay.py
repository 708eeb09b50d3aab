"""Checking a record: it is played again by `decide` and `evolve`, and its deals are drawn again from their seeds.

What a record says and what the rules say are compared at each step. A hand is played from the deal in the record,
right or not, so that one false entry is one difference; where the play cannot go on the check ends.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from rules.commands import ChooseMoon, Command, Deal, Pass, PlayCard
from rules.decide import RuleViolation, decide
from rules.evolve import evolve
from rules.record import Difference, HandRecord, Record, RecordError, TrickRecord, read
from rules.ruleset import Options, RuleSet, RuleSetError
from rules.shuffle import first_dealer, proves, shuffled
from rules.state import GameState, HandState, new_game


def check_json(data: bytes | str) -> list[Difference]:
    """Everything that is wrong with the record in this JSON, whatever it is; nothing if it is right."""
    try:
        record = read(data)
    except RecordError as error:
        return [error.difference]
    return check(record)


def check(record: Record) -> list[Difference]:
    """Everything in which the record differs from what the rules and the fair deal say; nothing if it is right."""
    found: list[Difference] = []
    try:
        found += _frame(record)
        if not found:
            _game(record, found)
    except _Stop as stop:
        found.append(stop.difference)
    return found


class _Stop(Exception):
    """The replay cannot go on from here."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(where, what)
        self.difference = Difference(where, what)


def _frame(record: Record) -> Iterator[Difference]:
    rules = record.rules
    given = {name: getattr(rules, name) for name in Options.__struct_fields__}
    try:
        RuleSet.resolve(None, rules.players, given)
    except RuleSetError as error:
        yield Difference(f"rules.{error.field}", f"These rules make no sense: {error.detail}.")
        return
    for name, entries in (("seats", record.seats), ("nonces", record.nonces)):
        if len(entries) != rules.players:
            yield Difference(name, f"There are {len(entries)} for {rules.players} players.")


def _game(record: Record, found: list[Difference]) -> None:
    state = new_game(record.rules, 0)
    if record.hands:
        state = replace(state, dealer=first_dealer(record.rules.players, record.hands[0].seed, record.nonces))
    link = record.commitment
    for index, hand in enumerate(record.hands):
        where = f"hands[{index}]"
        if state.phase == "over":
            raise _Stop(where, "The game was over before this hand.")
        if not proves(hand.seed, link):
            before = "the seed of the hand before" if index else "the commitment"
            found.append(Difference(f"{where}.seed", f"This seed does not hash to {before}."))
        link = hand.seed
        state = _Hand(record.nonces, hand, where, found).replayed(state)
    _result(record, state, found)


def _result(record: Record, state: GameState, found: list[Difference]) -> None:
    told, right = record.result, state.result
    if right is None and told is not None and told.reason == "closed":
        if told.winners:
            found.append(Difference("result.winners", "A closed game has no winners."))
        if told.totals != state.totals:
            found.append(_differs("result.totals", told.totals, state.totals))
    elif told is None or right is None:
        if told is not right:
            found.append(_differs("result", told, right))
    else:
        found += _compare("result", told, right, "winners", "totals", "reason")


class _Hand:
    """One hand of a record, being replayed; what differs is added to `found`."""

    def __init__(self, nonces: Sequence[str], hand: HandRecord, where: str, found: list[Difference]) -> None:
        self._nonces = nonces
        self._hand = hand
        self._where = where
        self._found = found

    def replayed(self, state: GameState) -> GameState:
        """The game after this hand. Raises _Stop where it cannot be played on."""
        number = len(state.results) + 1
        if self._hand.number != number:
            self._differ("number", self._hand.number, number)
        if self._hand.dealer != state.dealer:
            self._differ("dealer", self._hand.dealer, state.dealer)
        state = self._dealt(state)
        state = self._passed(state)
        for index, trick in enumerate(self._hand.tricks):
            state = self._trick(state, trick, f"{self._where}.tricks[{index}]")
        if state.phase == "playing":
            raise _Stop(f"{self._where}.tricks", f"The hand is not over after {len(self._hand.tricks)} tricks.")
        return self._scored(state)

    def _dealt(self, state: GameState) -> GameState:
        rules, hand, players = state.rules, self._hand, state.rules.players
        drawn = _ask(state, None, Deal(shuffled(rules.worked_out.cards, hand.seed, self._nonces), hand.seed), "")
        right = _hand_of(drawn)
        if hand.deal == right.deal and hand.kitty == right.kitty:
            return drawn
        if len(hand.deal) != players:
            raise _Stop(f"{self._where}.deal", f"There are {len(hand.deal)} hands for {players} players.")
        for seat, cards in enumerate(hand.deal):
            if cards != right.deal[seat]:
                self._differ(f"deal[{seat}]", cards, right.deal[seat])
        if hand.kitty != right.kitty:
            self._differ("kitty", hand.kitty, right.kitty)
        each = rules.worked_out.each
        if any(len(cards) != each for cards in hand.deal):
            raise _Stop(f"{self._where}.deal", f"Each player is dealt {each} cards.")
        seats = [(state.dealer + 1 + place) % players for place in range(players)]
        order = tuple(hand.deal[seat][place] for place in range(each) for seat in seats) + hand.kitty
        return _ask(state, None, Deal(order, hand.seed), f"{self._where}.deal")

    def _passed(self, state: GameState) -> GameState:
        told, right = self._hand.pass_, _hand_of(state)
        where = f"{self._where}.pass"
        if state.phase == "playing":
            if told is not None:
                self._differ("pass", told, None)
            return state
        if told is None:
            raise _Stop(where, f"Each player passes {right.pass_size} cards in this hand.")
        if told.offset != right.pass_offset:
            self._differ("pass.offset", told.offset, right.pass_offset)
        if len(told.cards) != state.rules.players:
            raise _Stop(f"{where}.cards", f"There are {len(told.cards)} passes for {state.rules.players} players.")
        for seat, cards in enumerate(told.cards):
            state = _ask(state, seat, Pass(cards), f"{where}.cards[{seat}]")
        return state

    def _trick(self, state: GameState, told: TrickRecord, where: str) -> GameState:
        if state.phase != "playing":
            raise _Stop(where, "The hand was over before this trick.")
        number, players = len(_hand_of(state).tricks), state.rules.players
        for index, play in enumerate(told.plays[:players]):
            hand = _hand_of(state)
            at = f"{where}.plays[{index}]"
            if play.seat != hand.turn:
                self._found.append(_differs(f"{at}.seat", play.seat, hand.turn))
            state = _ask(state, hand.turn, PlayCard(play.card, hand.turn_number), at)
        if len(told.plays) != players:
            raise _Stop(f"{where}.plays", f"A trick has {players} plays, not {len(told.plays)}.")
        right = _hand_of(state).tricks[number]
        self._found += _compare(where, told, right, "leader", "cancelled", "taker", "cards_taken", "points")
        return state

    def _scored(self, state: GameState) -> GameState:
        told = self._hand
        if state.phase == "moon":
            choice = "auto" if told.moon is None else told.moon.scored
            state = _ask(state, _hand_of(state).turn, ChooseMoon(choice), f"{self._where}.moon")
        self._found += _compare(self._where, told, state.results[-1], "moon", "scores")
        self._found += _compare(self._where, told, state, "totals")
        self._found += _compare(self._where, told, _hand_of(state), "revoked")
        return state

    def _differ(self, name: str, told: object, right: object) -> None:
        self._found.append(_differs(f"{self._where}.{name}", told, right))


def _ask(state: GameState, seat: int | None, command: Command, where: str) -> GameState:
    try:
        events = decide(state, seat, command)
    except RuleViolation as refused:
        raise _Stop(where, refused.detail) from None
    for event in events:
        state = evolve(state, event)
    return state


def _hand_of(state: GameState) -> HandState:
    assert state.hand is not None, "a hand was dealt"
    return state.hand


def _compare(where: str, told: object, right: object, *names: str) -> Iterator[Difference]:
    for name in names:
        if getattr(told, name) != getattr(right, name):
            yield _differs(f"{where}.{name}", getattr(told, name), getattr(right, name))


def _differs(where: str, told: object, right: object) -> Difference:
    return Difference(where, f"The record says {_json(told)}, the rules say {_json(right)}.")


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
