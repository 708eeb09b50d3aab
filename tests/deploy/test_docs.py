"""Documents name files, tests and addresses that exist."""

import re
from pathlib import Path

import pytest

from tests.service import ROOT

DOCUMENTS = sorted(
    path for place in (ROOT, ROOT / "docs", ROOT / "docs" / "adr", ROOT / "deploy") for path in place.glob("*.md")
)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_within_a_document_lead_to_a_heading(document: Path) -> None:
    text = document.read_text()
    headings = {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.+)$", text, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_paths_in_code_exist(document: Path) -> None:
    for path in re.findall(r"`((?:tests|server|rules|client_cli|deploy|docs)/[\w./-]+)`", document.read_text()):
        assert (ROOT / path).exists(), path


def test_decisions_are_numbered_and_say_what_was_decided() -> None:
    records = sorted((ROOT / "docs" / "adr").glob("*.md"))
    for number, record in enumerate(records, start=1):
        text = record.read_text()
        assert record.name.startswith(f"{number:04}-")
        assert text.startswith(f"# {number}. ")
        assert "**Decision.**" in text
        assert "**So.**" in text
