"""Golden playthroughs replay line by line; every preset and every value of every option has one."""

from typing import get_args, get_type_hints

import pytest

from rules.ruleset import PRESETS, Options
from tests.rules.golden import FOLDER, VALUES, Case, cases, replayed, written

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_golden_playthrough(case: Case, request: pytest.FixtureRequest) -> None:
    path = FOLDER / f"{case.name}.txt"
    if request.config.getoption("--rewrite-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(written(case))
    assert path.exists(), "make golden writes it"
    text = path.read_text()
    assert replayed(case, text).splitlines() == text.splitlines()


def test_golden_files_are_all_known() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {case.name for case in CASES}


def test_golden_playthroughs_leave_out_no_preset_option_or_value() -> None:
    assert {case.preset for case in CASES} >= set(PRESETS)
    assert set(VALUES) == set(Options.__struct_fields__)
    for field, hint in get_type_hints(Options).items():
        choices = {choice for part in get_args(hint) for choice in get_args(part) if isinstance(choice, str)}
        if bool in get_args(hint):
            choices |= {False, True}
        assert choices <= {value for value in VALUES[field][2] if not isinstance(value, list)}
