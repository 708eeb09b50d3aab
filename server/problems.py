"""Every refusal the server can give, in one registry, as RFC 9457 problem details.

`raise Problem("seat_taken", "Seat 3 is taken by Grace.")` anywhere below a handler answers with that code's
status and title. The registry is what the OpenAPI document and `/problems/{code}` list, so a code that is
not in it is a mistake a test finds; at run time it still answers as a plain 409, never as a 500.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from aiohttp import web

from rules.decide import RuleViolation
from rules.ruleset import RuleSetError
from server.link import StoreAway

MEDIA_TYPE = "application/problem+json"


class Kind(NamedTuple):
    """What every problem of one code has in common."""

    status: int
    title: str


KINDS: dict[str, Kind] = {
    # 400: the request itself is malformed
    "malformed_body": Kind(400, "The body is not valid JSON"),
    "wrong_field": Kind(400, "A field of the body is wrong"),
    "wrong_query": Kind(400, "A query parameter is wrong"),
    "wrong_header": Kind(400, "A header is wrong"),
    "malformed_request": Kind(400, "The request is malformed"),
    # 401 and 403: who is calling
    "token_missing": Kind(401, "A token is needed"),
    "token_unknown": Kind(401, "The token is not known"),
    "not_seated": Kind(403, "You are not seated at this table"),
    "not_host": Kind(403, "Only the host may do this"),
    "not_the_shooter": Kind(403, "Only the player who shot the moon may choose"),
    "banned": Kind(403, "This player may not play here"),
    "no_spectators": Kind(403, "This table has no spectators"),
    # 404 and its kin: what is asked for
    "not_found": Kind(404, "There is nothing at this address"),
    "no_such_table": Kind(404, "No such table"),
    "no_such_preset": Kind(404, "No such preset"),
    "no_such_problem": Kind(404, "No such problem"),
    "method_not_allowed": Kind(405, "This address does not take that method"),
    "body_too_slow": Kind(408, "The body did not arrive in time"),
    # 409: well formed, not possible now
    "not_your_turn": Kind(409, "It is not your turn"),
    "stale_turn": Kind(409, "That turn is over"),
    "must_follow_suit": Kind(409, "The led suit must be followed"),
    "hearts_not_broken": Kind(409, "Hearts are not broken yet"),
    "points_on_first_trick": Kind(409, "No penalty cards on the first trick"),
    "must_lead_low_card": Kind(409, "The first lead must be the low card"),
    "card_not_held": Kind(409, "That card is not in your hand"),
    "wrong_pass_size": Kind(409, "That is not the number of cards to pass"),
    "already_passed": Kind(409, "You have passed already"),
    "wrong_phase": Kind(409, "Not possible in this phase of the table"),
    "wrong_deck": Kind(409, "That is not the deck of this table"),
    "seat_taken": Kind(409, "That seat is taken"),
    "own_seat_waits": Kind(409, "Your own seat is still yours"),
    "seat_empty": Kind(409, "Nobody sits there"),
    "no_such_seat": Kind(409, "This table has no such seat"),
    "table_full": Kind(409, "Every seat is taken"),
    "seats_empty": Kind(409, "Some seats are still empty"),
    "not_away": Kind(409, "That player is not away"),
    "hints_off": Kind(409, "This table gives no hints"),
    "table_closed": Kind(409, "The table is closed"),
    "conflict": Kind(409, "Others acted at the same time"),
    "version_moved": Kind(412, "The table has moved on"),
    # the body as a whole
    "body_too_large": Kind(413, "The body is too large"),
    "not_json": Kind(415, "The body must be JSON"),
    "rules_make_no_sense": Kind(422, "These rules make no sense"),
    # 429: slow down
    "too_many_actions": Kind(429, "Too many actions"),
    "too_many_players": Kind(429, "Too many new players from this address"),
    "too_many_lookups": Kind(429, "Too many unknown ids from this address"),
    "too_many_tables": Kind(429, "Too many open tables"),
    "too_many_streams": Kind(429, "Too many open streams"),
    "too_much_chat": Kind(429, "Too much chat"),
    # 5xx: not the caller's doing
    "internal": Kind(500, "Something went wrong here"),
    "store_away": Kind(503, "The store does not answer"),
    "stopping": Kind(503, "This server is stopping"),
}


class ProblemBody(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A refusal as it travels: RFC 9457 members, then ours."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    version: int | None = None
    field: str | None = None
    legal: list[str] | None = None
    retry_after: int | None = None


class Problem(Exception):
    """A refusal: raise it anywhere below a handler.

    `detail` is one sentence for a person; `field` the JSON path, query parameter or header at fault;
    `version` the table's version the refusal is about; `legal` the cards that would have been accepted;
    `retry_after` whole seconds, also sent as `Retry-After`.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        version: int | None = None,
        field: str | None = None,
        legal: Sequence[Any] | None = None,
        retry_after: float | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(code, detail)
        kind = KINDS.get(code) or Kind(409, code.replace("_", " ").capitalize())
        self.code = code
        self.status = kind.status
        self.title = kind.title
        self.detail = _sendable(detail)
        self.version = version
        self.field = field and _sendable(field)
        self.legal = legal
        self.retry_after = None if retry_after is None else max(1, -int(-retry_after // 1))
        self.headers = headers or {}

    def body(self) -> ProblemBody:
        """The problem as the client will read it."""
        return ProblemBody(
            type=f"/problems/{self.code}",
            title=self.title,
            status=self.status,
            detail=self.detail,
            code=self.code,
            version=self.version,
            field=self.field,
            legal=None if self.legal is None else [str(getattr(card, "value", card)) for card in self.legal],
            retry_after=self.retry_after,
        )

    def response(self) -> web.Response:
        """The whole answer, `Retry-After` and `WWW-Authenticate` included."""
        headers = {"Content-Type": MEDIA_TYPE, **self.headers}
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        return web.Response(status=self.status, body=_encode(self.body()), headers=headers)


_encode = msgspec.json.Encoder().encode


def _sendable(text: str) -> str:
    """The text as UTF-8 can carry it: what is quoted from a header may hold bytes that are no text."""
    return text.encode("utf-8", "replace").decode()


def from_error(error: Exception) -> Problem:
    """What a client is told of anything raised below a handler; `internal` for what nobody foresaw."""
    match error:
        case Problem():
            return error
        case RuleViolation():
            return from_rules(error)
        case RuleSetError():
            return Problem("rules_make_no_sense", f"{error}.", field=error.field)
        case StoreAway():
            return Problem("store_away", "The store does not answer; nothing else is wrong.", retry_after=1)
        case web.HTTPException():
            return _from_http(error)
        case _:
            return Problem("internal", "Something went wrong here; the request id helps to find out what.")


def from_rules(error: RuleViolation, version: int | None = None) -> Problem:
    """A refusal by the rules, at this version of the table."""
    return Problem(error.code, error.detail, version=version, legal=error.legal or None)


def _from_http(error: web.HTTPException) -> Problem:
    """aiohttp's own refusal (no route, wrong method, body too large, bad request) as a problem of ours."""
    match error:
        case web.HTTPMethodNotAllowed():
            allowed = ", ".join(sorted(error.allowed_methods))
            return Problem(
                "method_not_allowed",
                f"{error.method} is not possible here; these methods are: {allowed}.",
                headers={"Allow": allowed},
            )
        case web.HTTPNotFound():
            return Problem("not_found", "There is nothing at this address; /docs lists every address.")
        case web.HTTPRequestEntityTooLarge():
            return Problem("body_too_large", "The body is larger than this server takes.")
        case _ if 400 <= error.status < 500:
            return Problem("malformed_request", error.text or error.reason)
        case _:
            return Problem("internal", "Something went wrong here; the request id helps to find out what.")
