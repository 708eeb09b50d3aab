"""The client's words for the server's codes: it knows each, and says in English what the server says."""

from client_cli import words
from server.bots.hints import SENTENCES


def test_every_reason_of_a_hint_is_known_and_the_same() -> None:
    assert {code: words.hint_reason(code) for code in SENTENCES} == SENTENCES


def test_a_reason_that_is_new_is_left_to_the_server() -> None:
    assert words.hint_reason("something_new") is None
