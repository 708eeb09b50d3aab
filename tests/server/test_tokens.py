"""Ids and tokens: their form, their randomness, and reading them back."""

from hypothesis import given
from hypothesis import strategies as st

from server import tokens


def test_ids_have_their_form() -> None:
    ids = {tokens.new_table_id() for _ in range(500)}
    assert len(ids) == 500
    assert all(len(each) == 12 and set(each) <= set(tokens.CROCKFORD) for each in ids)
    players = {tokens.new_player_id() for _ in range(500)}
    assert len(players) == 500
    assert all(len(each) == 16 for each in players)
    assert set("".join(ids)) == set(tokens.CROCKFORD)


def test_a_typed_id_is_read_back() -> None:
    for typed in ("7QK2-M4XR-9TDP", "7qk2m4xr9tdp", "7qk-2m4xr9-tdp-"):
        assert tokens.parse_table_id(typed) == "7QK2M4XR9TDP"
    assert tokens.parse_table_id("iIlLoO-000000") == "111100000000"
    for wrong in (
        "",
        "7QK2M4XR9TD",
        "7QK2M4XR9TDPP",
        "7QK2M4XR9TDU",
        "7QK2 M4XR9TDP",
        "-" * 1000,
        "é" * 12,
        "\x00" * 12,
    ):
        assert tokens.parse_table_id(wrong) is None


@given(st.text(alphabet=tokens.CROCKFORD, min_size=12, max_size=12))
def test_an_id_parses_to_itself_in_any_writing(table_id: str) -> None:
    assert tokens.parse_table_id(f"{table_id[:4]}-{table_id[4:8]}-{table_id[8:]}") == table_id
    assert tokens.parse_table_id(table_id.lower()) == table_id


@given(st.text())
def test_any_text_parses_or_is_none(text: str) -> None:
    found = tokens.parse_table_id(text)
    assert found is None or tokens.parse_table_id(found) == found


def test_tokens_are_long_and_stored_only_as_hashes() -> None:
    token, other = tokens.new_token(), tokens.new_token()
    assert token != other
    assert len(token) * 6 >= 256
    assert tokens.looks_like_token(token)
    assert not tokens.looks_like_token("short")
    assert not tokens.looks_like_token(token + " ")
    assert len(tokens.hash_token(token)) == 64
    assert token not in tokens.hash_token(token)
