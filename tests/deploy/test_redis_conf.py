"""redis.conf and sentinel.conf, each read by Debian's own programs."""

import asyncio
import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from server.admin.__main__ import main
from tests.cluster.nodes import wait_until
from tests.deploy.nginx import replaced
from tests.ports import free_port
from tests.service import ROOT, Person, server

CONF = ROOT / "deploy" / "redis"

pytestmark = pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed")


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def started(tmp_path: Path, port: int) -> Iterator[redis.Redis]:
    """A Redis as hearts-redis.service starts it, on another port."""
    with running(tmp_path / "data", port) as client:
        yield client


@contextlib.contextmanager
def running(data: Path, port: int, *flags: str) -> Iterator[redis.Redis]:
    data.mkdir(exist_ok=True)
    secret = data / "redis-secret.conf"
    secret.write_text("requirepass secret\n")
    command = ["redis-server", str(CONF / "redis.conf"), "--include", str(secret), "--dir", str(data)]
    process = subprocess.Popen([*command, "--port", str(port), "--daemonize", "no", *flags], stdout=subprocess.DEVNULL)
    with redis.Redis(port=port, password="secret", retry=None) as client:
        try:
            wait_until(lambda: answers(client), "Redis answers")
            yield client
        finally:
            process.terminate()
            process.wait()


def answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False


def test_redis_keeps_everything_and_throws_nothing_away(started: redis.Redis, tmp_path: Path) -> None:
    config = started.config_get("*")
    assert config["appendonly"] == "yes"
    assert config["appendfsync"] == "everysec"
    assert config["maxmemory-policy"] == "noeviction"
    assert int(config["maxmemory"]) > 0
    assert config["bind"].startswith("127.0.0.1")
    assert config["requirepass"] == "secret"
    started.set("kept", "yes")
    assert (tmp_path / "data" / "appendonlydir").is_dir()


def is_written(client: redis.Redis) -> bool:
    """Whether the file is not being rewritten, and nothing waits to be written while the disk is busy."""
    told = client.info("persistence")
    return not told["aof_rewrite_in_progress"] and not told["aof_buffer_length"]


async def looked_over(url: str) -> str:
    """What `hearts-admin check` says."""
    result = await asyncio.to_thread(CliRunner().invoke, main, ["--redis-url", url, "check", "--settle", "0.1"])
    assert result.exit_code == 0, result.output
    return result.output


async def test_a_backup_taken_while_a_game_goes_on_is_restored(started: redis.Redis, port: int, tmp_path: Path) -> None:
    """Both ways of RUNBOOK.md, each restored as it says."""
    async with (
        server(tmp_path / "log", "--redis-url", f"redis://:secret@127.0.0.1:{port}/0") as process,
        Person(process.url) as ada,
    ):
        over, going_on = await ada.create(), await ada.create(hands=5)
        for table in (over, going_on):
            await ada.act(table, "start")
        await ada.play(over)
        playing = asyncio.create_task(ada.play(going_on))
        started.config_set("auto-aof-rewrite-percentage", 0)
        await asyncio.to_thread(wait_until, lambda: is_written(started), "the finished game is in the file")
        await asyncio.to_thread(shutil.copytree, tmp_path / "data" / "appendonlydir", tmp_path / "files/appendonlydir")
        dump = ["redis-cli", "-p", str(port), "--rdb", str(tmp_path / "data" / "backup.rdb")]
        command = await asyncio.create_subprocess_exec(
            *dump, env=os.environ | {"REDISCLI_AUTH": "secret"}, stdout=asyncio.subprocess.DEVNULL
        )
        assert await command.wait() == 0
        record = await ada.call("GET", f"/v1/tables/{over}/record")
        await playing
    for data, flags in (("files", ()), ("data", ("--appendonly", "no", "--dbfilename", "backup.rdb"))):
        own = free_port()
        with running(tmp_path / data, own, *flags) as restored:
            restored.config_set("appendonly", "yes")
            url = f"redis://:secret@127.0.0.1:{own}/0"
            assert "2 tables and 1 players looked at" in await looked_over(url)
            async with server(tmp_path / "log", "--redis-url", url) as process, Person(process.url) as eve:
                assert await eve.call("GET", f"/v1/tables/{over}/record") == record


@pytest.mark.skipif(not shutil.which("redis-sentinel"), reason="redis-sentinel is not installed")
def test_sentinel_watches_the_master(started: redis.Redis, port: int, tmp_path: Path) -> None:
    own = free_port()
    conf = tmp_path / "sentinel.conf"
    changes = {"port 26379\n": f"port {own}\n", "10.0.0.11 6379": f"127.0.0.1 {port}", "CHANGE-ME": "secret"}
    conf.write_text(replaced((CONF / "sentinel.conf").read_text(), changes))
    process = subprocess.Popen(["redis-sentinel", str(conf)], stdout=subprocess.DEVNULL)
    try:
        with redis.Redis(port=own, retry=None, decode_responses=True) as sentinel:
            wait_until(lambda: answers(sentinel), "the sentinel answers")
            wait_until(lambda: "disconnected" not in sentinel.sentinel_master("hearts")["flags"], "it sees the master")
            assert sentinel.sentinel_get_master_addr_by_name("hearts") == ("127.0.0.1", port)
    finally:
        process.terminate()
        process.wait()
