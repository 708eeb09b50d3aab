"""Rates and holdings, under a clock that only tests move."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.limits import AtOnce, RateLimit


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_then_the_lasting_rate() -> None:
    clock = Clock()
    limit = RateLimit(2.0, 3, clock)
    assert [limit.take("a") for _ in range(3)] == [0, 0, 0]
    assert limit.take("a") == pytest.approx(0.5)
    assert limit.take("b") == 0
    clock.now += 0.4
    assert limit.take("a") == pytest.approx(0.1)
    clock.now += 0.1
    assert limit.take("a") == 0
    assert limit.take("a") == pytest.approx(0.5)
    clock.now += 100
    assert [limit.take("a") for _ in range(4)] == [0, 0, 0, pytest.approx(0.5)]


def test_asking_counts_nothing() -> None:
    clock = Clock()
    limit = RateLimit(1.0, 1, clock)
    assert limit.wait("a") == 0
    assert limit.wait("a") == 0
    limit.take("a")
    assert limit.wait("a") == pytest.approx(1)
    assert len(limit) == 1


@given(st.lists(st.floats(0, 2), min_size=1, max_size=200), st.integers(1, 5))
def test_never_more_than_burst_and_rate(pauses: list[float], burst: int) -> None:
    clock = Clock()
    limit = RateLimit(1.0, burst, clock)
    start, taken = clock.now, 0
    for pause in pauses:
        clock.now += pause
        wait = limit.take("a")
        taken += wait == 0
        assert taken <= burst + (clock.now - start) + 1e-6
        assert wait <= 1.0 + 1e-6


def test_memory_is_bounded_and_those_in_use_are_kept() -> None:
    clock = Clock()
    limit = RateLimit(1.0, 1, clock, keys=100)
    limit.take("kept")
    for number in range(1000):
        clock.now += 0.0001
        limit.take(f"key {number}")
        assert limit.take("kept") > 0
    assert len(limit) == 100
    clock.now += 10
    limit.take("new")
    assert len(limit) == 1


def test_holding_ends_with_the_block() -> None:
    held = AtOnce(2)
    with held.one("a") as first, held.one("a") as second:
        assert (first, second) == (True, True)
        with held.one("a") as third, held.one("b") as other:
            assert (third, other) == (False, True)
    with held.one("a") as again:
        assert again
        assert len(held) == 1
    assert len(held) == 0


def test_holding_ends_with_an_error_too() -> None:
    held = AtOnce(1)
    with pytest.raises(ValueError, match="x"), held.one("a"):
        raise ValueError("x")
    with held.one("a") as again:
        assert again
