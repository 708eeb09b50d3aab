"""The fair deal: bytes in, order out ("rule book", section Fair deal).

Seeds form a hash chain: the last link is published as the commitment, hands use the links before it, and a finished
hand's seed proves itself by hashing to the seed of the hand before (or to the commitment).
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence

from rules.cards import Card, Cards

CHAIN = 512
"""Links of the hash chain, and so the number of hands that one commitment can deal."""

_WORDS = 2**64


def hash_chain(secret: bytes) -> tuple[bytes, ...]:
    """The links s(0) = `secret` (32 bytes from the operating system) to s(CHAIN), the commitment."""
    links = [secret]
    for _ in range(CHAIN):
        links.append(hashlib.sha256(links[-1]).digest())
    return tuple(links)


def commitment(secret: bytes) -> str:
    """The hex text published before the first deal."""
    return hash_chain(secret)[CHAIN].hex()


def hand_seed(secret: bytes, number: int) -> str:
    """The seed of hand `number` (1, 2, ... CHAIN), in hex."""
    return hash_chain(secret)[CHAIN - number].hex()


def proves(seed: str, before: str) -> bool:
    """Whether `seed` (hex) hashes to `before`, the seed of the hand before or the commitment."""
    try:
        return hashlib.sha256(bytes.fromhex(seed)).hexdigest() == before
    except ValueError:
        return False


def shuffled(cards: Cards, seed: str, nonces: Sequence[str]) -> Cards:
    """The order in which the deck is dealt with this seed (hex). `cards`: the deck in order; nonces: by seat."""
    below = _Numbers(_key(seed, "hearts-deal/1", nonces)).below
    order: list[Card] = list(cards)
    for i in range(len(order) - 1, 0, -1):
        j = below(i + 1)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def first_dealer(players: int, seed: str, nonces: Sequence[str]) -> int:
    """The seat drawn to deal hand 1, from that hand's seed (hex)."""
    return _Numbers(_key(seed, "hearts-dealer/1", nonces)).below(players)


def _key(seed: str, purpose: str, nonces: Sequence[str]) -> bytes:
    message = purpose + "\n" + "\n".join(nonces)
    return hmac.digest(bytes.fromhex(seed), message.encode(), "sha256")


class _Numbers:
    """Uniform numbers drawn from a key."""

    def __init__(self, key: bytes) -> None:
        self._words = self._stream(key)

    @staticmethod
    def _stream(key: bytes) -> Iterator[int]:
        block = 0
        while True:
            digest = hmac.digest(key, str(block).encode(), "sha256")
            for at in range(0, 32, 8):
                yield int.from_bytes(digest[at : at + 8], "big")
            block += 1

    def below(self, n: int) -> int:
        """A number from 0 to n - 1; words that would favour some are passed over."""
        limit = _WORDS - _WORDS % n
        while True:
            word = next(self._words)
            if word < limit:
                return word % n
