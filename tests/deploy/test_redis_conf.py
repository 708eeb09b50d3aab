"""redis.conf and sentinel.conf, each read by Debian's own programs."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.cluster.nodes import wait_until
from tests.deploy.nginx import free_port, replaced
from tests.service import ROOT

CONF = ROOT / "deploy" / "redis"

pytestmark = pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed")


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def started(tmp_path: Path, port: int) -> Iterator[redis.Redis]:
    """A Redis as hearts-redis.service starts it, on another port."""
    secret = tmp_path / "redis-secret.conf"
    secret.write_text("requirepass secret\n")
    command = ["redis-server", str(CONF / "redis.conf"), "--include", str(secret), "--dir", str(tmp_path)]
    process = subprocess.Popen([*command, "--port", str(port), "--daemonize", "no"], stdout=subprocess.DEVNULL)
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
    assert (tmp_path / "appendonlydir").is_dir()


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
