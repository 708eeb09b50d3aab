"""What the server and Redis ask of the system at work is what their units let them ask."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import redis

from tests.cluster.nodes import wait_until
from tests.deploy.test_redis_conf import answers
from tests.ports import free_port
from tests.service import ROOT, Person, server

STRACE = ("strace", "-f", "--seccomp-bpf", "-qq", "-o")


def can_trace() -> bool:
    """Whether strace is there and may trace: some containers forbid it."""
    if not (shutil.which("strace") and shutil.which("systemd-analyze")):
        return False
    return subprocess.run([*STRACE, "/dev/null", "true"], capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not can_trace(), reason="strace or systemd-analyze is not installed, or may not trace")


def expanded(name: str) -> set[str]:
    """The system calls of a set like @system-service, those of the sets in it included; a call is itself."""
    if name[0] != "@":
        return {name}
    told = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True
    ).stdout
    words = [line.strip() for line in told.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return {word for word in words if word[0] != "@"}.union(*(expanded(word) for word in words if word[0] == "@"))


def allowed(unit: str) -> set[str]:
    """By the lines of the unit, in their order."""
    found: set[str] = set()
    for line in re.findall(r"^SystemCallFilter=(.+)$", (ROOT / "deploy/systemd" / unit).read_text(), re.M):
        calls = set().union(*(expanded(name) for name in line.removeprefix("~").split()))
        found = found - calls if line.startswith("~") else found | calls
    return found


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def test_a_server_needs_no_call_that_its_unit_forbids(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced = tmp_path / "python"
    traced.write_text(f'#!/bin/sh\nexec {" ".join(STRACE)} {tmp_path}/calls {sys.executable} "$@"\n')
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
    assert "epoll_ctl" in keeps_to("hearts@.service", (tmp_path / "calls").read_text())


@pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed")
def test_redis_needs_no_call_that_its_unit_forbids(tmp_path: Path) -> None:
    port = free_port()
    command = [*STRACE, f"{tmp_path}/calls", "redis-server", str(ROOT / "deploy/redis/redis.conf")]
    process = subprocess.Popen([*command, "--dir", str(tmp_path), "--port", str(port)], stdout=subprocess.DEVNULL)
    with redis.Redis(port=port, retry=None) as client:
        wait_until(lambda: answers(client), "Redis answers")
        client.eval("return redis.call('XADD', KEYS[1], '1-0', 'e', 'x')", 1, "stream")
        client.bgrewriteaof()
        wait_until(lambda: (tmp_path / "appendonlydir/appendonly.aof.2.base.rdb").exists(), "the file is rewritten")
        client.shutdown(save=False)
    process.wait()
    assert "fdatasync" in keeps_to("hearts-redis.service", (tmp_path / "calls").read_text())


def keeps_to(unit: str, calls: str) -> set[str]:
    """The system calls that were made; nothing is among them that the unit forbids."""
    used = set(re.findall(r"^\d+ +(\w+)\(", calls, re.M))
    assert used - allowed(unit) == set()
    # MemoryDenyWriteExecute
    assert re.findall(r"mmap\(.*PROT_WRITE\|PROT_EXEC.*|mprotect\(.*PROT_EXEC.*", calls) == []
    # RestrictAddressFamilies
    assert set(re.findall(r"socket\((AF_\w+)", calls)) <= {"AF_INET", "AF_INET6", "AF_UNIX"}
    return used
