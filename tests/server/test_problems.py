"""The registry of problems, and what each kind of failure becomes."""

import http
import re
from pathlib import Path

import pytest

import rules
from server.problems import KINDS, Problem


@pytest.mark.parametrize("code", KINDS)
def test_every_kind_is_well_formed(code: str) -> None:
    kind = KINDS[code]
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", code)
    assert http.HTTPStatus(kind.status) >= 400
    assert kind.title[0].isupper()
    assert not kind.title.endswith(".")


def test_every_code_raised_is_in_the_registry() -> None:
    packages = [Path(rules.__file__).parent, Path(rules.__file__).parent.parent / "server"]
    raised = set()
    for package in packages:
        for file in package.rglob("*.py"):
            raised |= set(re.findall(r"(?:RuleViolation|Refusal|Problem)\(\s*\"(\w+)\"", file.read_text()))
    assert {"wrong_phase", "malformed_body"} <= raised
    assert raised <= set(KINDS)


def test_every_bar_to_a_card_is_in_the_registry() -> None:
    from rules.legality import REASONS

    assert set(REASONS) <= set(KINDS)


@pytest.mark.parametrize(("seconds", "shown"), [(0.0, 1), (0.2, 1), (1.0, 1), (1.01, 2), (59.5, 60)])
def test_retry_after_is_whole_seconds_never_too_few(seconds: float, shown: int) -> None:
    response = Problem("store_away", "Gone.", retry_after=seconds).response()
    assert response.headers["Retry-After"] == str(shown)


def test_an_unknown_code_is_a_plain_409() -> None:
    problem = Problem("not_registered", "What is this?")
    assert (problem.status, problem.title) == (409, "Not registered")


def test_a_401_says_how_to_authenticate() -> None:
    assert Problem("token_missing", "Who are you?").response().headers["WWW-Authenticate"] == "Bearer"
