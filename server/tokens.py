"""Identities: who a player is, what a table is called, and what proves it. Nothing here is guessable."""

from __future__ import annotations

import hashlib
import re
import secrets

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TABLE_ID_LENGTH = 12
PLAYER_ID_LENGTH = 16

_STORED_ID = re.compile(f"[{CROCKFORD}]{{{TABLE_ID_LENGTH}}}")
_LOOKALIKES = str.maketrans({"I": "1", "L": "1", "O": "0", "-": None})
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,128}")


def _random_base32(length: int) -> str:
    bits = secrets.randbits(5 * length)
    return "".join(CROCKFORD[bits >> 5 * place & 31] for place in range(length))


def new_player_id() -> str:
    """16 characters of Crockford base32 (80 random bits): a public name, never a credential."""
    return _random_base32(PLAYER_ID_LENGTH)


def new_table_id() -> str:
    """12 characters of Crockford base32 (60 random bits): the invite to a table."""
    return _random_base32(TABLE_ID_LENGTH)


def parse_table_id(text: str) -> str | None:
    """The id as stored, from what a person typed: any case, dashes or not, I and L read as 1 and O as 0."""
    if _STORED_ID.fullmatch(text):
        return text
    if len(text) > 4 * TABLE_ID_LENGTH or not text.isascii():
        return None  # beyond ASCII, other letters would turn into these in upper case
    read = text.upper().translate(_LOOKALIKES)
    return read if _STORED_ID.fullmatch(read) else None


def show_table_id(table_id: str) -> str:
    """The id in groups of four, for people to read out: ``7QK2-M4XR-9TDP``."""
    return "-".join(table_id[start : start + 4] for start in range(0, len(table_id), 4))


def new_token() -> str:
    """A bearer token of 256 random bits, URL-safe; shown to its player once and never stored."""
    return secrets.token_urlsafe(32)


def looks_like_token(text: str) -> bool:
    """Whether the text has a token's form; spares the store a look-up for what cannot be one."""
    return _TOKEN.fullmatch(text) is not None


def hash_token(token: str) -> str:
    """SHA-256 of a token in hex: what is stored, and what a token is looked up by.

    A look-up by hash needs no compare of secrets, and with 256 random bits no slow hash either.
    """
    return hashlib.sha256(token.encode()).hexdigest()
