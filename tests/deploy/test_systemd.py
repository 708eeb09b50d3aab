"""The units, as systemd's own tools see them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.nginx import replaced
from tests.service import ROOT

UNITS = ROOT / "deploy" / "systemd"
NAMES = ("hearts@.service", "hearts-redis.service")

pytestmark = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("name", "program", "instance"),
    [("hearts@.service", "/opt/hearts/bin/hearts-server", "hearts@8081.service"),
     ("hearts-redis.service", "/usr/bin/redis-server", "hearts-redis.service")],
)  # fmt: skip
def test_a_unit_is_understood(tmp_path: Path, name: str, program: str, instance: str) -> None:
    """Verified with a program that exists here in the place of the installed one."""
    (tmp_path / name).write_text(replaced((UNITS / name).read_text(), {f"={program} ": f"={sys.executable} "}))
    (tmp_path / instance).exists() or (tmp_path / instance).symlink_to(tmp_path / name)
    found = analyze("verify", "--man=no", tmp_path / instance)
    ours = [line for line in found.stderr.splitlines() if "hearts" in line]
    assert not ours


@pytest.mark.parametrize("name", NAMES)
def test_a_unit_is_hardened(name: str) -> None:
    found = analyze("security", "--offline=true", "--threshold=20", UNITS / name)
    assert found.returncode == 0, found.stdout
    level = re.search(r"exposure level for \S+: ([0-9.]+)", found.stdout)
    assert level is not None
    assert float(level[1]) < 2.0


def test_a_server_has_longer_to_stop_than_it_takes() -> None:
    from server.config import Config

    seconds = re.search(r"^TimeoutStopSec=(\d+)$", (UNITS / "hearts@.service").read_text(), re.MULTILINE)
    assert seconds is not None
    assert int(seconds[1]) > Config().drain_timeout + 2
