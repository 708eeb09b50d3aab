"""What a store must do on every kind of Redis: one server, a Cluster, a master behind sentinels.

A test module makes subclasses named `Test...`, with fixtures `store` and `players`.
"""

import asyncio

import pytest

from server.player_store import PlayerStore
from server.store import KEYS_REMEMBERED, LAST_EVENTS, Append, Store, Stored

HOUR = 3_600_000


class StoreContract:
    async def test_a_table_is_created_once_and_a_retry_finds_its_own(self, store: Store) -> None:
        assert await store.load("T1") is None
        assert await store.create("T1", [b"one", b"two"], b"snap 2", "act-1", 60)
        assert await store.create("T1", [b"one", b"two"], b"snap 2", "act-1", 60)
        assert not await store.create("T1", [b"other"], b"other", "act-2", 60)
        assert await store.load("T1") == Stored(2, b"snap 2")
        assert await store.events("T1") == [(1, b"one"), (2, b"two")]

    async def test_a_retry_of_the_creation_is_known_even_after_more_was_appended(self, store: Store) -> None:
        await store.create("T1", [b"one"], b"1", "act-1", 60)
        await store.append("T1", 1, [b"two"], b"2", "act-2", None, 60)
        assert await store.create("T1", [b"one"], b"1", "act-1", 60)
        assert await store.load("T1") == Stored(2, b"2")

    async def test_an_append_follows_on_the_version_or_changes_nothing(self, store: Store) -> None:
        await store.create("T1", [b"one"], b"1", "act-1", 60)
        assert await store.append("T1", 1, [b"two", b"three"], b"3", "a", None, 60) == Append("appended", 3)
        assert await store.append("T1", 1, [b"late"], b"x", "b", None, 60) == Append("moved", 3)
        assert await store.append("T1", 4, [b"early"], b"x", "c", None, 60) == Append("moved", 3)
        assert await store.append("NO", 1, [b"lost"], b"x", "d", None, 60) == Append("gone", 0)
        assert await store.load("T1") == Stored(3, b"3")
        assert await store.load("NO") is None
        assert await store.events("T1", 1) == [(2, b"two"), (3, b"three")]
        assert await store.events("T1", 1, 1) == [(2, b"two")]
        assert await store.events("T1", 3) == []

    async def test_an_append_without_a_snapshot_keeps_the_last_one_and_the_last_events_come_with_it(
        self, store: Store
    ) -> None:
        await store.create("T1", [b"1"], b"snap 1", "act-1", 60)
        for number in range(2, LAST_EVENTS + 3):
            await store.append("T1", number - 1, [b"%d" % number], None, f"act-{number}", f"ada:{number}", 60)
            stored = await store.load("T1")
            assert stored == Stored(number, b"snap 1")
            assert stored.act == f"act-{number}"
            first = max(1, number - LAST_EVENTS + 1)
            assert stored.last == tuple((n, b"%d" % n) for n in range(first, number + 1))

    async def test_an_append_follows_on_the_act_it_knows(self, store: Store) -> None:
        """After a failover that lost events the same version may come again, with another history."""
        await store.create("T1", [b"one"], b"1", "act-1", 60)
        stored = await store.load("T1")
        assert stored is not None
        assert stored.act == "act-1"
        assert await store.append("T1", 1, [b"x"], b"x", "a", None, 60, on="lost") == Append("moved", 1)
        assert await store.append("T1", 1, [b"two"], b"2", "act-2", None, 60, on="act-1") == Append("appended", 2)
        assert await store.append("T1", 1, [b"two"], b"2", "act-2", None, 60, on="act-1") == Append("appended", 2)
        assert await store.append("T1", 2, [b"x"], b"x", "b", None, 60, on="act-1") == Append("moved", 2)
        assert await store.append("T1", 2, [b"three"], b"3", "c", None, 60) == Append("appended", 3)

    async def test_a_retry_of_an_append_finds_its_own_act(self, store: Store) -> None:
        await store.create("T1", [b"one"], b"1", "act-1", 60)
        for _ in range(2):
            appended = await store.append("T1", 1, [b"two", b"three"], b"3", "mine", "ada:k", 60)
            assert appended == Append("appended", 3)
        await store.append("T1", 3, [b"four"], b"4", "other", None, 60)
        again = await store.append("T1", 1, [b"two", b"three"], b"3", "mine", "ada:k", 60)
        assert again == Append("appended", 3)
        assert await store.load("T1") == Stored(4, b"4")

    async def test_a_key_is_good_once_for_each_player(self, store: Store) -> None:
        await store.create("T1", [b"one"], b"1", "act-1", 60)
        await store.append("T1", 1, [b"two"], b"2", "a", "ada:key", 60)
        assert await store.append("T1", 2, [b"x"], b"x", "b", "ada:key", 60) == Append("repeated", 2)
        assert await store.append("T1", 1, [b"x"], b"x", "c", "ada:key", 60) == Append("repeated", 2)
        assert await store.append("T1", 2, [b"three"], b"3", "d", "bob:key", 60) == Append("appended", 3)
        assert await store.seen("T1", "ada:key")
        assert not await store.seen("T1", "ada:other")
        assert not await store.seen("T1", "eve:key")
        assert not await store.seen("NO", "ada:key")

    async def test_a_refused_append_does_not_burn_its_key(self, store: Store) -> None:
        await store.create("T1", [b"one"], b"1", "act-1", 60)
        assert (await store.append("T1", 7, [b"x"], b"x", "a", "ada:key", 60)).outcome == "moved"
        assert not await store.seen("T1", "ada:key")
        assert (await store.append("T1", 1, [b"two"], b"2", "a", "ada:key", 60)).outcome == "appended"

    async def test_the_last_keys_of_each_player_are_remembered(self, store: Store) -> None:
        await store.create("T1", [b"one"], b"1", "act-1", 60)
        for n in range(1, KEYS_REMEMBERED + 2):
            await store.append("T1", n, [b"e"], b"s", f"act-{n}", f"ada:{n}", 60)
        assert not await store.seen("T1", "ada:1")
        assert all([await store.seen("T1", f"ada:{n}") for n in range(2, KEYS_REMEMBERED + 2)])

    async def test_what_cannot_be_meant_is_refused(self, store: Store) -> None:
        with pytest.raises(ValueError, match="at least one event"):
            await store.create("T1", [], b"1", "act-1", 60)
        with pytest.raises(ValueError, match="at least version 1"):
            await store.append("T1", 0, [b"one"], b"1", "act-1", None, 60)

    async def test_the_newest_act_comes_with_the_events_since(self, store: Store) -> None:
        await store.create("T1", [b"one"], b"1", "act-1", 60)
        await store.append("T1", 1, [b"two", b"three"], None, "act-2", None, 60)
        assert await store.since("T1", 1) == ([(1, b"one"), (2, b"two"), (3, b"three")], "act-2")
        assert await store.since("T1", 3) == ([(3, b"three")], "")
        assert await store.since("T1", 4) == ([], "")
        assert await store.since("NO", 1) == ([], "")

    async def test_any_bytes_come_back_as_they_went(self, store: Store) -> None:
        event, snapshot = bytes(range(256)), bytes(reversed(range(256))) * 100
        await store.create("T1", [event, b""], snapshot, "act", 60)
        assert await store.events("T1") == [(1, event), (2, b"")]
        assert await store.load("T1") == Stored(2, snapshot)

    async def test_a_snapshot_is_replaced_only_at_its_version(self, store: Store) -> None:
        await store.create("T1", [b"one"], b"broken", "act-1", 60)
        assert not await store.replace_snapshot("T1", 2, b"wrong")
        assert not await store.replace_snapshot("NO", 1, b"wrong")
        assert await store.replace_snapshot("T1", 1, b"rebuilt")
        assert await store.load("T1") == Stored(1, b"rebuilt")

    async def test_an_erased_table_is_gone_everywhere(self, store: Store) -> None:
        await store.create("T1", [b"one"], b"1", "act-1", 60)
        await asyncio.gather(store.due_in("T1", 0), store.list_table("T1", 5, b"row"))
        await store.erase("T1")
        assert await store.load("T1") is None
        assert await store.events("T1") == []
        assert await store.claim_due(10, 10) == []
        assert await store.lobby(10) == ([], None)

    async def test_due_work_goes_to_one_claimer_and_comes_back_after_its_lease(self, store: Store) -> None:
        await asyncio.gather(*(store.due_in(f"T{n}", HOUR) for n in range(5)))
        assert await store.claim_due(HOUR, 10) == []
        assert await store.due_lag() == 0
        await asyncio.gather(*(store.due_in(f"T{n}", n - HOUR) for n in range(5)))
        assert HOUR <= await store.due_lag() < 2 * HOUR
        claims = await asyncio.gather(*(store.claim_due(HOUR, 2) for _ in range(4)))
        assert sorted(table_id for claim in claims for table_id in claim) == [f"T{n}" for n in range(5)]
        assert await store.claim_due(HOUR, 10) == []
        assert await store.due_lag() == 0
        await asyncio.gather(store.not_due("T0"), *(store.due_in(f"T{n}", -1_000 * n) for n in range(1, 5)))
        assert await store.claim_due(-1, 10) == ["T4", "T3", "T2", "T1"]
        assert sorted(await store.claim_due(HOUR, 10)) == ["T1", "T2", "T3", "T4"], "that lease is over"

    async def test_the_lobby_is_paged_newest_first(self, store: Store) -> None:
        times = [10, 30, 30, 30, 20]
        for n, at in enumerate(times):
            await store.list_table(f"T{n}", at, b"row %d" % n)
        order = ["T3", "T2", "T1", "T4", "T0"]
        for limit in (1, 2, 3, 5, 50):
            seen: list[str] = []
            cursor = None
            while True:
                page, cursor = await store.lobby(limit, cursor)
                assert len(page) <= limit
                seen += [table_id for table_id, _ in page]
                assert all(row == b"row " + table_id[1:].encode() for table_id, row in page)
                if cursor is None:
                    break
            assert seen == order

    async def test_a_lobby_that_changes_between_pages_neither_repeats_nor_skips(self, store: Store) -> None:
        for n in range(6):
            await store.list_table(f"T{n}", n, b"row")
        page, cursor = await store.lobby(2)
        assert [table_id for table_id, _ in page] == ["T5", "T4"]
        await asyncio.gather(store.unlist("T4"), store.unlist("T2"), store.list_table("T9", 9, b"row"))
        page, cursor = await store.lobby(2, cursor)
        assert [table_id for table_id, _ in page] == ["T3", "T1"]
        assert await store.lobby(2, cursor) == ([("T0", b"row")], None)

    @pytest.mark.parametrize("cursor", ["", "x", "-", "12", "12-", "-T1", "1e3-T1", "٣-T1", "9" * 400 + "-T1"])
    async def test_a_cursor_that_is_none_is_refused(self, store: Store, cursor: str) -> None:
        with pytest.raises(ValueError, match="cursor"):
            await store.lobby(2, cursor)

    async def test_the_tables_of_a_player(self, store: Store) -> None:
        assert await store.count_tables("ada") == 0
        await asyncio.gather(*(store.seated("ada", f"T{n}", n) for n in range(4)))
        await store.unseated("ada", "T2")
        assert await store.count_tables("ada") == 3
        assert await store.tables_of("ada", 2) == ["T3", "T1"]
        assert await store.tables_of("bob", 2) == []

    async def test_all_tables_are_found(self, store: Store) -> None:
        wanted = {f"TABLE{n}" for n in range(40)}
        await asyncio.gather(*(store.create(table_id, [b"e"], b"s", "act", 60) for table_id in wanted))
        await asyncio.gather(store.seated("ada", "T1", 1), store.due_in("T1", 1))
        assert {table_id async for table_id in store.all_tables()} == wanted


class PlayerStoreContract:
    async def test_players_and_their_tokens(self, players: PlayerStore) -> None:
        assert await players.by_token("h1") is None
        assert await players.record("ada") is None
        await players.put("ada", b"Ada", "h1")
        assert await players.by_token("h1") == ("ada", b"Ada")
        assert await players.record("ada") == b"Ada"
        assert await players.update("ada", b"Ada L.", "h1")
        assert await players.by_token("h1") == ("ada", b"Ada L.")
        assert await players.record("ada") == b"Ada L."
        assert not await players.update("bob", b"Bob", "h1")
        assert await players.record("bob") is None

    async def test_a_replaced_token_is_dead(self, players: PlayerStore) -> None:
        await players.put("ada", b"Ada", "h1")
        assert await players.replace_token("ada", "h1", "h2")
        assert await players.replace_token("ada", "h1", "h2"), "the same replacement again is a retry"
        assert await players.by_token("h1") is None
        assert await players.by_token("h2") == ("ada", b"Ada")
        assert not await players.update("ada", b"woken", "h1")
        assert await players.by_token("h1") is None
        assert not await players.replace_token("ada", "h1", "h3")
        assert not await players.replace_token("ada", "unknown", "h3")
        assert await players.by_token("h3") is None

    async def test_of_two_replacements_at_once_one_wins(self, players: PlayerStore) -> None:
        await players.put("ada", b"Ada", "h0")
        wins = await asyncio.gather(*(players.replace_token("ada", "h0", f"h{n}") for n in range(1, 6)))
        alive = [n for n in range(6) if await players.by_token(f"h{n}")]
        assert sum(wins) == 1
        assert alive == [wins.index(True) + 1]

    async def test_presence(self, players: PlayerStore) -> None:
        assert await players.last_seen(["ada"]) == {"ada": 0}
        await asyncio.gather(players.saw("ada", 1_000), players.saw("bob", 2_000))
        await players.saw("ada", 3_000)
        assert await players.last_seen(["ada", "bob"]) == {"ada": 3_000, "bob": 2_000}
