"""The client knows the contract and nothing behind it."""

import ast
from pathlib import Path

import client_cli


def imported(path: Path) -> set[str]:
    """Top-level names of everything a module imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


def test_it_imports_neither_rules_nor_server() -> None:
    for path in Path(client_cli.__file__).parent.rglob("*.py"):
        assert not imported(path) & {"rules", "server"}, path


def test_textual_is_only_for_the_screen() -> None:
    package = Path(client_cli.__file__).parent
    assert {path.name for path in package.rglob("*.py") if "textual" in imported(path)} == {"screen.py", "widgets.py"}
