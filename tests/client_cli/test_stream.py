import itertools
import random

import pytest

from client_cli.stream import Message, SseParser

TEXT = (
    ": keep-alive\n\n"
    'id: 7\nevent: said\ndata: {"name": "Zoë 🎲", "text": "♠♥♦♣"}\n\n'
    "id: 8\r\nevent: played\r\ndata: one\r\ndata: two\r\n\r\n"
    "id: 9\revent: played\rdata:bare\r\r"
    "retry: 10\nunknown\nevent: nothing\n\n"
    "data: last\n\n"
)
MESSAGES = [
    Message("7", "said", '{"name": "Zoë 🎲", "text": "♠♥♦♣"}'),
    Message("8", "played", "one\ntwo"),
    Message("9", "played", "bare"),
    Message(None, "message", "last"),
]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 64, 4096])
def test_chunks_of_any_size_give_the_same_messages(size: int) -> None:
    data = ("\ufeff" + TEXT).encode()
    parser = SseParser()
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert list(itertools.chain.from_iterable(map(parser.feed, chunks))) == MESSAGES


def test_random_cuts_give_the_same_messages() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    data = TEXT.encode()
    for _ in range(200):
        cuts = sorted(chance.sample(range(len(data)), 12))
        parser = SseParser()
        chunks = [data[a:b] for a, b in itertools.pairwise([0, *cuts, len(data)])]
        assert list(itertools.chain.from_iterable(map(parser.feed, chunks))) == MESSAGES


def test_bytes_that_are_no_utf8_do_not_stop_it() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\xff\n\ndata: b\n\n") == [
        Message(None, "message", "a\ufffd"),
        Message(None, "message", "b"),
    ]


def test_an_unfinished_message_waits() -> None:
    parser = SseParser()
    assert parser.feed(b"id: 1\ndata: x\n") == []
    assert parser.feed(b"\n") == [Message("1", "message", "x")]
