"""The packages know each other in one direction: client_cli over HTTP only, server knows rules, rules nobody."""

import ast
import sys
from pathlib import Path

import pytest

from tests.service import ROOT

WORLD = {"asyncio", "datetime", "io", "os", "pathlib", "random", "secrets", "socket", "subprocess", "threading", "time"}
"""Clock, randomness and I/O: what makes a function of the rules impure."""


def modules(package: str) -> list[Path]:
    found = list((ROOT / package).rglob("*.py"))
    assert found
    return found


def imported(path: Path) -> set[str]:
    """The top-level packages a module imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize(
    ("package", "others"),
    [("rules", {"server", "client_cli"}), ("server", {"client_cli"}), ("client_cli", {"rules", "server"})],
)
def test_imports_go_one_way(package: str, others: set[str]) -> None:
    for path in modules(package):
        assert not imported(path) & (others | {"tests"}), path


def test_the_rules_need_the_standard_library_and_msgspec_and_nothing_of_the_world() -> None:
    for path in modules("rules"):
        assert imported(path) <= sys.stdlib_module_names - WORLD | {"msgspec", "rules"}, path


def test_textual_is_only_for_the_screen() -> None:
    assert {path.name for path in modules("client_cli") if "textual" in imported(path)} == {"screen.py", "widgets.py"}
