"""Fixtures of the client's tests: a home of its own, English, golden files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client_cli import i18n
from client_cli.api import Api
from tests.client_cli.fake_server import TOKEN, FakeServer

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A config folder of its own, no settings from outside, and English whatever a test chose."""
    for name in ("HEARTS_SERVER", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    i18n.set_language("en")
    yield tmp_path / "config" / "hearts"
    i18n.set_language("en")


@pytest.fixture
def call() -> Iterator[Callable[..., Api]]:
    """An Api for a fake server, closed at the end."""
    opened: list[Api] = []

    def connect(server: FakeServer, token: str = TOKEN) -> Api:
        opened.append(Api(server.address, token))
        return opened[-1]

    yield connect
    for api in opened:
        api.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "golden" in getattr(item, "fixturenames", ()):
            item.add_marker("golden")


@pytest.fixture
def golden(pytestconfig: pytest.Config) -> Callable[[str, str], None]:
    """Compare a text with tests/client_cli/golden/NAME.

    After a wanted change: `make golden`, then look at the difference in git.
    """

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if pytestconfig.getoption("rewrite_golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing: make golden"
        assert text == path.read_text(encoding="utf-8")

    return compare
