"""Who may do what, when: every endpoint and action in every phase, by everybody there is, in one table."""

from collections.abc import Awaitable, Callable

import pytest

from server.problems import KINDS
from server.table.state import Phase, TableState
from tests.e2e.prepared import prepared, store
from tests.e2e.serving import Answer, Player, serving

PHASES: tuple[Phase, ...] = ("lobby", "passing", "playing", "moon", "over")
ROLES = ("nobody", "stranger", "host", "player")


def act(action: str, **fields: object) -> Callable[[Player, TableState], Awaitable[Answer]]:
    return lambda player, table: player.act(table.id, action, **fields)


def get(path: str) -> Callable[[Player, TableState], Awaitable[Answer]]:
    return lambda player, table: player.get(path.format(id=table.id))


async def play(player: Player, table: TableState) -> Answer:
    turn = 0 if table.game is None or table.game.hand is None else table.game.hand.turn_number
    return await player.act(table.id, "play", card="2C", turn=turn)


async def pass_cards(player: Player, table: TableState) -> Answer:
    view = (await player.get(f"/v1/tables/{table.id}")).json
    cards = view["me"]["cards"] if view.get("me") else []
    return await player.act(table.id, "pass", cards=cards[:3])


async def events(player: Player, table: TableState) -> Answer:
    async with player.stream(table.id) as stream:
        assert stream.response is not None
        return Answer(stream.status, {}, b"" if stream.status == 200 else await stream.response.read())


REQUESTS: dict[str, Callable[[Player, TableState], Awaitable[Answer]]] = {
    "make a player": lambda player, table: player.post("/v1/players", {"name": "Eve"}),
    "me": get("/v1/players/me"),
    "rename": lambda player, table: player.call("PATCH", "/v1/players/me", {"name": "Eve"}),
    "my tables": get("/v1/players/me/tables"),
    "presets": get("/v1/presets"),
    "a preset": get("/v1/presets/cancellation?players=8"),
    "a guide": get("/v1/presets/classic/guide?players=4"),
    "make a table": lambda player, table: player.post("/v1/tables", {"players": 4}),
    "the lobby": get("/v1/tables"),
    "look": get("/v1/tables/{id}"),
    "wait": get("/v1/tables/{id}?after=0&wait=1"),
    "events": events,
    "hint": get("/v1/tables/{id}/hint"),
    "record": get("/v1/tables/{id}/record"),
    "check a record": lambda player, table: player.post("/v1/records/check", {}),
    "healthz": get("/healthz"),
    "readyz": get("/readyz"),
    "metrics": get("/metrics"),
    "openapi": get("/openapi.json"),
    "docs": get("/docs"),
    "join": act("join"),
    "leave": act("leave"),
    "start": act("start"),
    "add_bot": act("add_bot", seat=2, level="easy"),
    "remove": act("remove", seat=2),
    "bot_for": act("bot_for", seat=2),
    "pass": pass_cards,
    "play": play,
    "moon": act("moon", choice="add"),
    "rematch": act("rematch"),
    "say": act("say", text="hello"),
    "close": act("close"),
}


async def ask(name: str, player: Player, table: TableState) -> str:
    answer = await REQUESTS[name](player, table)
    if answer.status < 400:
        return str(answer.status)
    assert KINDS[answer.code].status == answer.status
    assert answer.json["detail"]
    return answer.code


# request         | phases                    | no token       | token, no seat | host, not to act | to act, not host
MATRIX = """
    make a player   | all                       | 201            | 201            | 201            | 201
    me              | all                       | token_missing  | 200            | 200            | 200
    rename          | all                       | token_missing  | 200            | 200            | 200
    my tables       | all                       | token_missing  | 200            | 200            | 200
    presets         | all                       | 200            | 200            | 200            | 200
    a preset        | all                       | 200            | 200            | 200            | 200
    a guide         | all                       | 200            | 200            | 200            | 200
    make a table    | all                       | token_missing  | 201            | 201            | 201
    the lobby       | all                       | 200            | 200            | 200            | 200
    look            | all                       | 200            | 200            | 200            | 200
    wait            | all                       | 200            | 200            | 200            | 200
    events          | all                       | 200            | 200            | 200            | 200
    hint            | lobby over                | token_missing  | not_seated     | not_your_turn  | not_your_turn
    hint            | passing                   | token_missing  | not_seated     | 200            | 200
    hint            | playing moon              | token_missing  | not_seated     | not_your_turn  | 200
    record          | lobby                     | wrong_phase    | wrong_phase    | wrong_phase    | wrong_phase
    record          | passing playing moon over | 200            | 200            | 200            | 200
    check a record  | all                       | 200            | 200            | 200            | 200
    healthz         | all                       | 200            | 200            | 200            | 200
    readyz          | all                       | 200            | 200            | 200            | 200
    metrics         | all                       | 200            | 200            | 200            | 200
    openapi         | all                       | 200            | 200            | 200            | 200
    docs            | all                       | 200            | 200            | 200            | 200
    join            | lobby passing playing moon | token_missing  | table_full     | 200            | 200
    join            | over                      | token_missing  | wrong_phase    | 200            | 200
    leave           | all                       | token_missing  | not_seated     | 200            | 200
    start           | lobby                     | token_missing  | not_seated     | 200            | not_host
    start           | passing playing moon over | token_missing  | not_seated     | wrong_phase    | wrong_phase
    add_bot         | lobby                     | token_missing  | not_seated     | seat_taken     | not_host
    add_bot         | passing playing moon over | token_missing  | not_seated     | wrong_phase    | wrong_phase
    remove          | lobby                     | token_missing  | not_seated     | 200            | not_host
    remove          | passing playing moon over | token_missing  | not_seated     | wrong_phase    | wrong_phase
    bot_for         | lobby over                | token_missing  | not_seated     | wrong_phase    | wrong_phase
    bot_for         | passing playing moon      | token_missing  | not_seated     | not_away       | not_away
    pass            | lobby playing moon over   | token_missing  | not_seated     | wrong_phase    | wrong_phase
    pass            | passing                   | token_missing  | not_seated     | 200            | 200
    play            | lobby passing moon over   | token_missing  | not_seated     | wrong_phase    | wrong_phase
    play            | playing                   | token_missing  | not_seated     | not_your_turn  | 200
    moon            | lobby passing playing over | token_missing  | not_seated     | wrong_phase    | wrong_phase
    moon            | moon                      | token_missing  | not_seated     | not_the_shooter | 200
    rematch         | lobby passing playing moon | token_missing  | not_seated     | wrong_phase    | wrong_phase
    rematch         | over                      | token_missing  | not_seated     | 200            | 200
    say             | all                       | token_missing  | not_seated     | 200            | 200
    close           | lobby                     | token_missing  | not_seated     | 200            | not_host
    close           | passing playing moon      | token_missing  | not_seated     | 200            | 200
    close           | over                      | token_missing  | not_seated     | wrong_phase    | wrong_phase
"""

# At a table that is not open to spectators, once its game has started.
CLOSED_TO_SPECTATORS = """
    look            | passing playing moon over | no_spectators  | no_spectators  | 200            | 200
    wait            | passing playing moon over | no_spectators  | no_spectators  | 200            | 200
    events          | passing playing moon over | no_spectators  | no_spectators  | 200            | 200
    record          | passing playing moon over | no_spectators  | no_spectators  | 200            | 200
    hint            | over                      | token_missing  | not_seated     | not_your_turn  | not_your_turn
    say             | passing playing moon over | token_missing  | not_seated     | 200            | 200
    look            | lobby                     | 200            | 200            | 200            | 200
"""


def rows(matrix: str) -> list[tuple[str, str, list[str]]]:
    found = []
    for line in matrix.strip().splitlines():
        name, phases, *expected = (cell.strip() for cell in line.split("|"))
        assert len(expected) == len(ROLES)
        found.append((name, phases, expected))
    return found


def test_the_matrix_has_a_row_for_every_request_in_every_phase() -> None:
    asked = [
        (name, phase) for name, phases, _ in rows(MATRIX) for phase in PHASES if phase in phases or phases == "all"
    ]
    assert sorted(asked) == sorted((name, phase) for name in REQUESTS for phase in PHASES)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("spectators", ["public", "none"])
async def test_everybody_may_do_what_the_matrix_says(redis_url: str, phase: Phase, spectators: str) -> None:
    async with serving(redis_url) as server:
        seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
        callers = dict(zip(ROLES, (server.stranger(), await server.player("Zoe"), *seats), strict=False))
        table = prepared(phase, seats, spectators=spectators)
        for name, phases, expected in rows(MATRIX if spectators == "public" else CLOSED_TO_SPECTATORS):
            if phase not in phases and phases != "all":
                continue
            for role, code in zip(ROLES, expected, strict=True):
                stored = await store(table, server.services.store)
                assert await ask(name, callers[role], stored) == code, (name, phase, role)


async def test_a_token_that_is_not_or_no_longer_known_opens_nothing(redis_url: str) -> None:
    async with serving(redis_url) as server:
        seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
        renewed = await seats[0].post("/v1/players/me/token", {})
        assert renewed.json["token"] != seats[0].token
        stored = await store(prepared("playing", seats), server.services.store)
        old, made_up, malformed = seats[0], server.stranger(), server.stranger()
        made_up.token, malformed.token = "A" * 43, "Ada"
        for name, _, expected in rows(MATRIX):
            if expected[0] == "token_missing" or name in ("look", "wait", "events", "record"):
                for caller in (old, made_up, malformed):
                    assert await ask(name, caller, stored) == "token_unknown", name
        old.token = renewed.json["token"]
        assert await ask("me", old, stored) == "200"


async def test_what_a_stranger_may_do_at_a_seat_that_was_left(redis_url: str) -> None:
    async with serving(redis_url) as server:
        seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
        zoe = await server.player("Zoe")
        stored = await store(prepared("playing", seats, spectators="none", absent="wait"), server.services.store)
        assert await ask("leave", seats[2], stored) == "200"
        assert await ask("look", seats[2], stored) == "no_spectators"
        mine = (await seats[2].get("/v1/players/me/tables")).json["tables"]
        assert [(row["id"], row["seat"], row["left"], row["to_act"]) for row in mine] == [(stored.id, 2, True, False)]
        assert await ask("bot_for", seats[0], stored) == "200"
        assert await ask("join", zoe, stored) == "200"
        assert await ask("look", zoe, stored) == "200"
        assert await ask("join", seats[2], stored) == "seat_taken"
        assert (await seats[2].get("/v1/players/me/tables")).json == {"tables": []}
