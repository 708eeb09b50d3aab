"""Whatever is generated from the OpenAPI document is answered as that document says, and never with a 5xx."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.e2e.prepared import prepared, store
from tests.e2e.serving import serving

EXAMPLES = int(os.environ.get("CONTRACT_EXAMPLES", "4"))
"""Requests made for each operation, right ones and wrong ones; more where there is a body to vary."""

CHECKS: list[Callable[..., Any]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")  # schemathesis draws at random
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
async def test_generated_requests_are_answered_as_documented(redis_url: str, mode: GenerationMode) -> None:
    async with serving(redis_url) as server:
        seats = [await server.player(name) for name in ("Ada", "Ben", "Cid")]
        tables = [
            (await store(prepared(phase, seats), server.services.store)).id
            for phase in ("lobby", "passing", "playing", "moon", "over")
        ]
        document = (await server.stranger().get("/openapi.json")).json
        await asyncio.to_thread(_ask_everything, document, server.url, seats[1].auth, tables, mode)


def _ask_everything(
    document: dict[str, Any], url: str, auth: dict[str, str], tables: list[str], mode: GenerationMode
) -> None:
    schema = schemathesis.openapi.from_dict(document)
    with requests.Session() as session:
        for found in schema.get_all_operations():
            operation = found.ok()
            if operation.path.endswith("/events") or operation.path == "/v1/players/me/token":
                continue  # the stream never ends; the new token would leave the rest without one
            _ask(operation, url, session, auth, tables, mode)


def _ask(
    operation: Any, url: str, session: requests.Session, auth: dict[str, str], tables: list[str], mode: GenerationMode
) -> None:
    @hypothesis.settings(
        max_examples=EXAMPLES * (5 if operation.body else 1),
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(
        case=operation.as_strategy(generation_mode=mode),
        table=hypothesis.strategies.sampled_from(tables),
        known=hypothesis.strategies.booleans(),
    )
    def ask(case: Any, table: str, known: bool) -> None:
        if known and "{id}" in operation.path:
            case.path_parameters = {"id": table}
        if isinstance(case.query, dict) and "wait" in case.query:
            case.query["wait"] = 0
        case.call_and_validate(base_url=url, session=session, headers=auth, checks=CHECKS, timeout=20)

    # Nothing can be wrong about a request without parameters.
    with contextlib.suppress(hypothesis.errors.Unsatisfiable):
        ask()
