"""The benchmark itself still runs: every section that is quick, with very small numbers."""

import pytest

from tests.load.bench import SECTIONS, measure, options
from tests.load.report import page


@pytest.mark.parametrize("section", [name for name in SECTIONS if name != "stopped"])
async def test_a_section_measures_what_it_says(section: str) -> None:
    given = options([section, "--scale=0.004", "--seconds=0.1", "--turns=1", "--processes=1"])
    sections = await measure([section], given)
    rows = [row for _, _, rows in sections for row in rows]
    assert rows
    for row in rows:
        assert row.here > 0 or "CPU" in row.what or row.mark in ("0", "flat"), row
        if row.mark == "0":
            assert row.here == 0, row
    text = page(sections, "a test")
    assert all(str(row) in text for row in rows)


def test_an_unknown_section_is_refused() -> None:
    with pytest.raises(SystemExit):
        options(["nothing"])
