"""How often: one rate limiter and one counter of things held, both in process, of bounded memory and without a clock.

With several worker processes each counts for itself: a limit is then at most that many times as wide.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class RateLimit:
    """At most `burst` at once and `per_second` lasting, for each key (GCRA: one number a key).

    A key's number is the time at which it would be as good as new. When `keys` of them are remembered, those that
    are as good as new are forgotten, and if none is, the one unused longest: memory stays bounded under any attack.
    """

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float], *, keys: int = 50_000) -> None:
        self._interval = 1.0 / per_second
        self._tolerance = self._interval * (burst - 1)
        self._clock = clock
        self._keys = keys
        self._clear_at: dict[str, float] = {}

    def take(self, key: str) -> float:
        """Count one for the key: 0 when it may, else the seconds after which it may again; a refusal counts nothing."""
        now = self._clock()
        clear_at = max(self._clear_at.pop(key, now), now)
        too_early = clear_at - self._tolerance - now
        if too_early <= 0:
            clear_at += self._interval
        if key not in self._clear_at and len(self._clear_at) >= self._keys:
            self._forget(now)
        self._clear_at[key] = clear_at  # re-inserted last: the dict is in order of use
        return max(0.0, too_early)

    def wait(self, key: str) -> float:
        """The seconds until the key may again, without counting."""
        now = self._clock()
        return max(0.0, self._clear_at.get(key, now) - self._tolerance - now)

    def _forget(self, now: float) -> None:
        stale = [key for key, clear_at in self._clear_at.items() if clear_at <= now]
        for key in stale or [next(iter(self._clear_at))]:
            del self._clear_at[key]

    def __len__(self) -> int:
        return len(self._clear_at)


class AtOnce:
    """At most `most` of something at the same time for each key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: Counter[str] = Counter()

    @contextmanager
    def one(self, key: str) -> Iterator[bool]:
        """Hold one more while the block runs; yields whether the key may, and holds nothing if not."""
        if self._held[key] >= self._most:
            yield False
            return
        self._held[key] += 1
        try:
            yield True
        finally:
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]

    def __len__(self) -> int:
        return len(self._held)
