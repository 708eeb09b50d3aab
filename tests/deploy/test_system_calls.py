"""What a server asks of the system in a whole game is what its unit lets it ask."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service import ROOT, Person, server

pytestmark = pytest.mark.skipif(
    not (shutil.which("strace") and shutil.which("systemd-analyze")),
    reason="strace or systemd-analyze is not installed",
)


def expanded(name: str) -> set[str]:
    """The system calls of a set like @system-service, those of the sets in it included; a call is itself."""
    if name[0] != "@":
        return {name}
    told = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True
    ).stdout
    words = [line.strip() for line in told.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return {word for word in words if word[0] != "@"}.union(*(expanded(word) for word in words if word[0] == "@"))


def allowed() -> set[str]:
    """By the lines of the unit, in their order."""
    found: set[str] = set()
    for line in re.findall(r"^SystemCallFilter=(.+)$", (ROOT / "deploy/systemd/hearts@.service").read_text(), re.M):
        calls = set().union(*(expanded(name) for name in line.removeprefix("~").split()))
        found = found - calls if line.startswith("~") else found | calls
    return found


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def test_a_server_needs_no_call_that_its_unit_forbids(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced = tmp_path / "python"
    traced.write_text(f'#!/bin/sh\nexec strace -f --seccomp-bpf -qq -o {tmp_path}/calls {sys.executable} "$@"\n')
    traced.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(traced))
    async with (
        server(tmp_path / "log", "--redis-url", redis_url, "--workers", "2") as process,
        Person(process.url) as ada,
    ):
        pid = process.process.pid
        [asked] = children(pid)
        try:
            table = await ada.create(fill="hard")
            await ada.act(table, "start")
            assert (await ada.play(table))["result"]["reason"] == "hands"
            await ada.call("GET", f"/v1/tables/{table}/record")
        finally:
            os.kill(asked, signal.SIGTERM)  # strace passes no signal on
            await process.process.wait()
    calls = (tmp_path / "calls").read_text()
    used = set(re.findall(r"^\d+ +(\w+)\(", calls, re.M))
    assert "epoll_ctl" in used
    assert used - allowed() == set()
    # MemoryDenyWriteExecute
    assert re.findall(r"mmap\(.*PROT_WRITE\|PROT_EXEC.*|mprotect\(.*PROT_EXEC.*", calls) == []
    # RestrictAddressFamilies
    assert set(re.findall(r"socket\((AF_\w+)", calls)) <= {"AF_INET", "AF_INET6", "AF_UNIX"}
