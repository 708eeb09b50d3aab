"""Identities: who a player is, what a table is called, and what proves it. Nothing here is guessable."""

import hashlib
import re
import secrets

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TABLE_ID_LENGTH = 12
PLAYER_ID_LENGTH = 16

_READ = {character: character for character in CROCKFORD} | {"I": "1", "L": "1", "O": "0"}
_READ |= {character.lower(): value for character, value in _READ.items()}
_AS_STORED = re.compile(f"[{CROCKFORD}]{{{TABLE_ID_LENGTH}}}")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,128}")


def _random_base32(length: int) -> str:
    return _base32(secrets.randbits(5 * length), length)


def _base32(bits: int, length: int) -> str:
    return "".join(CROCKFORD[bits >> 5 * place & 31] for place in range(length))


def new_player_id() -> str:
    """16 characters of Crockford base32 (80 random bits): a public name, never a credential."""
    return _random_base32(PLAYER_ID_LENGTH)


def new_table_id() -> str:
    """12 characters of Crockford base32 (60 random bits): the invite to a table."""
    return _random_base32(TABLE_ID_LENGTH)


def table_id_from(digest: bytes) -> str:
    """The table id that the first 60 bits of a digest spell."""
    return _base32(int.from_bytes(digest[:8], "big") >> 4, TABLE_ID_LENGTH)


def parse_table_id(text: str) -> str | None:
    """The id as stored, from what a person typed: any case, dashes or not, I and L read as 1 and O as 0."""
    if _AS_STORED.fullmatch(text) is not None:
        return text
    if len(text) > 4 * TABLE_ID_LENGTH:
        return None
    read = [_READ.get(character) for character in text if character != "-"]
    if len(read) != TABLE_ID_LENGTH or None in read:
        return None
    return "".join(character for character in read if character is not None)


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
