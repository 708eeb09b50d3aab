"""What each seat may be told at each moment, worked out from the stored events alone."""

import re
from collections import Counter
from collections.abc import Iterable

from rules.cards import Card
from rules.events import Dealt, Exchanged, Passed, Played, SeedRevealed, TrickCancelled, TrickTaken
from rules.legality import legal_cards, why_not
from server.table.events import Entry, decode_entry
from server.table.evolve import evolve
from server.table.state import TableState

_FACE = re.compile(rb"(?<![0-9A-Za-z])(?:[2-9TJQKA][CDSH]|JK)(?![0-9A-Za-z])")


def faces(data: bytes) -> Counter[str]:
    """Every card named anywhere in these bytes, as often as it is."""
    return Counter(found.decode() for found in _FACE.findall(data))


class Truth:
    """The table as it really was after each event."""

    def __init__(self, stored: Iterable[tuple[int, bytes]]) -> None:
        self.entries: list[Entry] = [decode_entry(data) for _, data in stored]
        self.states: list[TableState] = []
        state = None
        for entry in self.entries:
            state = evolve(state, entry.event, entry.at)
            self.states.append(state)

    @property
    def version(self) -> int:
        return len(self.entries)

    def view(self, version: int, seat: int | None) -> Counter[str]:
        """The cards that a view shows, besides those that a lobby's shows too."""
        game = self.states[version - 1].game
        if game is None or game.hand is None:
            return Counter()
        hand = game.hand
        shown: list[Card] = [play.card for play in hand.trick]
        if hand.tricks:
            shown += [play.card for play in hand.tricks[-1].plays]
            shown += hand.tricks[-1].cancelled
        if seat is not None:
            shown += hand.cards[seat]
            shown += legal_cards(game, seat)
            shown += why_not(game, seat)
            shown += hand.passed[seat] or ()
            shown += () if hand.received is None else hand.received[seat]
        return Counter(card.value for card in shown)

    def event(self, version: int, seat: int | None) -> Counter[str]:
        """The cards that an event names."""
        shown: Iterable[Card] = ()
        match self.entries[version - 1].event:
            case Dealt() as event:
                shown = () if seat is None else event.hands[seat]
            case Passed() as event:
                shown = event.cards if event.seat == seat else ()
            case Exchanged() as event:
                shown = () if seat is None else event.received[seat]
            case Played() as event:
                shown = (event.card,)
            case TrickTaken() | TrickCancelled() as event:
                shown = event.cancelled
            case _:
                pass
        return Counter(card.value for card in shown)

    def secrets(self, version: int) -> list[bytes]:
        """What nobody may know when the table is at this version: its secret, ids, nonces, seeds to come."""
        state = self.states[-1]
        told = {entry.event.seed for entry in self.entries[:version] if isinstance(entry.event, SeedRevealed)}
        dealt = [entry.event.seed for entry in self.entries if isinstance(entry.event, Dealt)]
        hidden = [state.secret, *(seed for seed in dealt if seed not in told)]
        hidden += [part for seat in state.seats for part in (seat.player, seat.nonce) if part]
        return [text.encode() for text in hidden]
