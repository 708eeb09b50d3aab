"""The session against a scripted server: one-byte chunks, broken events, lost answers, a killed server."""

import queue
import threading
from collections.abc import Callable

import pytest

from client_cli.api import Api
from client_cli.errors import NotAllowed, Refused
from client_cli.session import Ended, Event, Happened, Offline, Online, Seen, Session, Update, back_off
from tests.client_cli.fake_server import TABLE, TOKEN, FakeServer, FakeTable, serving

WITHIN = 20.0


class Follower:
    """A session with everything it told."""

    def __init__(self, server: FakeServer, token: str = TOKEN) -> None:
        self.api = Api(server.address, token)
        self.told: list[Update] = []
        self._news: queue.Queue[Update] = queue.Queue()
        self.session = Session(self.api, TABLE, self._news.put)
        self.session.start()

    def until(self, wanted: Callable[[Update], bool]) -> Update:
        while True:
            update = self._news.get(timeout=WITHIN)
            self.told.append(update)
            if wanted(update):
                return update

    def until_event(self, kind: str) -> None:
        self.until(lambda update: isinstance(update, Happened) and any(e.type == kind for e in update.events))

    @property
    def events(self) -> list[Event]:
        return [event for update in self.told if isinstance(update, Happened) for event in update.events]

    def auto_play(self, server: FakeServer, plays: int) -> None:
        """Do what the server hints at, so many times."""
        for _ in range(plays):
            hint = server.table.hint()
            if hint["action"] == "pass":
                self.session.act("pass", cards=list(map(str, hint["cards"])))
            else:
                assert self.session.view is not None
                assert self.session.view.hand is not None
                turn = self.session.view.hand.turn_number
                self.session.act("play", card=str(hint["card"]), turn=turn)

    def close(self) -> None:
        self.session.stop()
        self.api.close()


def numbers(events: list[Event]) -> list[int]:
    return [event.number for event in events if event.number is not None]


@pytest.mark.parametrize("chunk", [1, 65536])
def test_every_event_comes_once_in_order_whatever_the_chunks(chunk: int) -> None:
    with serving(FakeTable(8)) as server:
        server.chunk = chunk
        follower = Follower(server)
        first = follower.until(lambda update: isinstance(update, Seen))
        assert isinstance(first, Seen)
        assert first.view.seats[4].name == "Zoë 🎲"
        follower.auto_play(server, 4)
        follower.until(lambda update: isinstance(update, Seen) and update.caught_up and update.view.version > 30)
        seen = numbers(follower.events)
        assert seen == list(range(first.view.version + 1, seen[-1] + 1))
        follower.close()


def test_malformed_and_unknown_events_do_not_stop_it() -> None:
    with serving(FakeTable(4)) as server:
        server.broken_events = True
        follower = Follower(server)
        follower.until(lambda update: isinstance(update, Seen))
        follower.auto_play(server, 14)
        follower.until_event("game_over")
        known = numbers(follower.events)
        assert known == sorted(set(known))
        follower.close()


def test_a_lost_answer_is_asked_for_again_with_the_same_key_and_counts_once() -> None:
    with serving(FakeTable(4)) as server:
        follower = Follower(server)
        follower.until(lambda update: isinstance(update, Seen))
        follower.auto_play(server, 1)
        server.lose_answers = 2
        follower.auto_play(server, 1)
        plays = [key for key, action in server.actions if action["action"] == "play"]
        assert len(plays) >= 3
        assert len(set(plays)) == 1
        assert server.table.plays_accepted == 1
        follower.close()


def test_a_store_that_is_away_is_waited_for() -> None:
    with serving(FakeTable(4)) as server:
        follower = Follower(server)
        follower.until(lambda update: isinstance(update, Seen))
        server.unavailable = 3
        follower.auto_play(server, 1)
        follower.until_event("passed")
        follower.close()


def test_a_cut_stream_resumes_after_the_last_event_seen() -> None:
    with serving(FakeTable(4)) as server:
        server.cut_streams = 3
        follower = Follower(server)
        first = follower.until(lambda update: isinstance(update, Seen))
        assert isinstance(first, Seen)
        follower.auto_play(server, 6)
        newest = server.table.view()["version"]
        follower.until(lambda update: isinstance(update, Seen) and update.caught_up and update.view.version >= newest)
        assert numbers(follower.events) == list(range(first.view.version + 1, newest + 1))
        assert server.connects[0] is None
        assert None not in server.connects[1:]
        assert any(isinstance(update, Offline) for update in follower.told)
        assert any(isinstance(update, Online) for update in follower.told)
        follower.close()


def test_lost_events_are_made_up_for_by_a_whole_view() -> None:
    with serving(FakeTable(4)) as server:
        server.skip_events = 2
        follower = Follower(server)
        follower.until(lambda update: isinstance(update, Seen) and update.anew)
        follower.auto_play(server, 2)
        newest = server.table.view()["version"]
        follower.until(lambda update: isinstance(update, Seen) and update.anew and update.view.version >= newest)
        follower.close()


def test_a_resync_is_taken_even_back_in_time() -> None:
    with serving(FakeTable(4)) as server:
        server.resync_first = True
        follower = Follower(server)
        seen = follower.until(lambda update: isinstance(update, Seen))
        assert isinstance(seen, Seen)
        again = follower.until(lambda update: isinstance(update, Seen))
        assert isinstance(again, Seen)
        assert again.anew
        assert again.view.version == seen.view.version - 1
        follower.close()


def test_a_killed_server_that_comes_back_gets_the_card_once() -> None:
    table = FakeTable(4)
    with serving(table) as server:
        port = server.server_address[1]
        follower = Follower(server)
        follower.until(lambda update: isinstance(update, Seen))
        follower.auto_play(server, 1)
    follower.until(lambda update: isinstance(update, Offline))
    # The card is played while nobody listens, and waits for the server.
    sending = threading.Thread(target=follower.auto_play, args=(server, 1))
    sending.start()
    with serving(table, port) as server:
        sending.join(timeout=WITHIN)
        assert not sending.is_alive()
        assert table.plays_accepted == 1
        follower.until_event("played")
        follower.close()


def test_refusals_are_raised_with_their_reason() -> None:
    with serving(FakeTable(4)) as server:
        follower = Follower(server)
        follower.until(lambda update: isinstance(update, Seen))
        with pytest.raises(Refused, match="This hand passes 3 cards") as refused:
            follower.session.act("pass", cards=["2C"])
        assert refused.value.code == "wrong_pass_size"
        follower.close()


def test_a_wrong_token_ends_it() -> None:
    with serving(FakeTable(4)) as server:
        follower = Follower(server, "wrong")
        ended = follower.until(lambda update: isinstance(update, Ended))
        assert isinstance(ended, Ended)
        assert isinstance(ended.error, NotAllowed)
        follower.close()


def test_two_clients_with_one_token_both_see_what_either_does() -> None:
    with serving(FakeTable(4)) as server:
        one, other = Follower(server), Follower(server)
        for follower in (one, other):
            follower.until(lambda update: isinstance(update, Seen))
        one.auto_play(server, 1)
        other.until(lambda update: isinstance(update, Seen) and update.view.my_turn)
        other.auto_play(server, 1)
        one.until(lambda update: isinstance(update, Happened) and any(e.data.get("turn", 0) > 0 for e in update.events))
        assert server.table.plays_accepted == 1
        one.close()
        other.close()


def test_waits_double_up_to_a_limit() -> None:
    waits = back_off(jitter=lambda: 1.0)
    assert [next(waits) for _ in range(8)] == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
