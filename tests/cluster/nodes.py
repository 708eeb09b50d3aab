"""Redis nodes for tests: a Cluster, or a master with a replica behind sentinels."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from server.embedded import _find_binary
from tests.ports import free_port

PASSWORD = "pass:w@rd"
SLOTS = 16384


def wait_until(true: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    """Return once it is true; nodes tell nobody, so they are asked often."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"after {seconds} s still not: {what}")
        time.sleep(0.02)


@dataclass
class Node:
    """One server process on a port of its own, to be talked to with `node(command, ...)`."""

    port: int
    process: subprocess.Popen[bytes]
    client: redis.Redis

    def __call__(self, *command: Any) -> Any:
        try:
            return self.client.execute_command(*command)
        except redis.ConnectionError:  # sentinels cut the connections of whom they demote
            return self.client.execute_command(*command)

    @property
    def id(self) -> str:
        node_id: bytes = self("CLUSTER", "MYID")
        return node_id.decode()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def answers(self) -> bool:
        try:
            return bool(self("PING"))
        except redis.RedisError:
            return False


class Nodes:
    """Starts nodes and ends them."""

    def __init__(self, place: Path) -> None:
        # Debian's, where it is installed, so that two servers are tried between these tests and the others.
        self._binary = shutil.which("redis-server") or str(_find_binary())
        self._place = place
        self.started: list[Node] = []

    def start(self, *options: object, sentinel_conf: Sequence[str] = ()) -> Node:
        port = free_port()
        place = self._place / str(port)
        place.mkdir()
        conf = place / "node.conf"
        conf.write_text("\n".join(sentinel_conf))
        command = [self._binary, str(conf), "--port", str(port), "--dir", str(place), "--bind", "127.0.0.1"]
        command += [str(option) for option in options]
        with (place / "log").open("wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
        password = None if sentinel_conf else PASSWORD
        # One connection that parses nothing: replies are read as the server words them.
        client = redis.Redis(port=port, password=password, socket_timeout=5, retry=None, protocol=2)
        client.response_callbacks.clear()
        node = Node(port, process, client)
        self.started.append(node)
        wait_until(node.answers, f"node {port} answers")
        return node

    def stop(self) -> None:
        for node in self.started:
            node.client.close()
            with contextlib.suppress(ProcessLookupError):
                os.kill(node.process.pid, signal.SIGKILL)
            node.process.wait()


@contextlib.contextmanager
def nodes_in(place: Path) -> Iterator[Nodes]:
    nodes = Nodes(place)
    try:
        yield nodes
    finally:
        nodes.stop()


_DATA_OPTIONS = ("--requirepass", PASSWORD, "--masterauth", PASSWORD, "--save", "", "--appendonly", "no")


@dataclass
class ClusterNodes:
    """Three masters with a third of the slots each, and replicas of the first."""

    masters: list[Node]
    replicas: list[Node]

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in (self.masters + self.replicas)[-2:])
        return f"redis+cluster://:pass%3Aw%40rd@{hosts}"

    def flush(self) -> None:
        for node in self.masters:
            node("FLUSHALL")

    def owner(self, key: str) -> Node:
        slot = self.masters[0]("CLUSTER", "KEYSLOT", key)
        for first, last, master, *_ in self.masters[0]("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(node for node in self.masters if node.port == master[1])
        raise LookupError(key)

    def move_slot(self, key: str, target: Node, *, between: Callable[[], None] = lambda: None) -> None:
        """Move the slot of a key with all its keys, one key at a time; `between` runs after each."""
        source, slot = self.owner(key), self.masters[0]("CLUSTER", "KEYSLOT", key)
        target("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        between()
        while keys := source("CLUSTER", "GETKEYSINSLOT", slot, 1):
            source("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "AUTH", PASSWORD, "KEYS", *keys)
            between()
        for node in (target, source):
            node("CLUSTER", "SETSLOT", slot, "NODE", target.id)


def start_cluster(nodes: Nodes, replicas: int = 0) -> ClusterNodes:
    options = (*_DATA_OPTIONS, "--cluster-enabled", "yes", "--cluster-node-timeout", 1000)

    def start() -> Node:
        return nodes.start(*options, "--cluster-port", free_port())

    masters = [start() for _ in range(3)]
    spare = [start() for _ in range(replicas)]
    for n, node in enumerate(masters):
        node("CLUSTER", "ADDSLOTSRANGE", SLOTS * n // 3, SLOTS * (n + 1) // 3 - 1)
        node("CLUSTER", "SET-CONFIG-EPOCH", n + 1)
    for node in (*masters[1:], *spare):
        bus = node("CONFIG", "GET", "cluster-port")[1]
        masters[0]("CLUSTER", "MEET", "127.0.0.1", node.port, bus)
    everyone = [*masters, *spare]
    wait_until(lambda: all(len(_known(node)) == len(everyone) for node in everyone), "all nodes have met")
    for node in spare:
        node("CLUSTER", "REPLICATE", masters[0].id)
    wait_until(lambda: all(map(_is_whole, everyone)), "all know all slots")
    wait_until(lambda: all(map(_is_synced, spare)), "the replicas are up")
    return ClusterNodes(masters, spare)


def _known(node: Node) -> list[bytes]:
    return [line for line in node("CLUSTER", "NODES").splitlines() if b"handshake" not in line]


def _is_whole(node: Node) -> bool:
    known = sum(last - first + 1 for first, last, *_ in node("CLUSTER", "SLOTS"))
    return known == SLOTS and b"cluster_state:ok" in node("CLUSTER", "INFO")


def _is_synced(replica: Node) -> bool:
    return b"master_link_status:up" in replica("INFO", "REPLICATION")


@dataclass
class SentinelNodes:
    """A master, a replica and three sentinels that watch them under the name `main`."""

    data: list[Node]
    sentinels: list[Node]

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.sentinels)
        return f"redis+sentinel://:pass%3Aw%40rd@{hosts}/main/0"

    @property
    def master(self) -> Node:
        """Who is the master in the eyes of the first sentinel."""
        _, port = self.sentinels[0]("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")
        return next(node for node in self.data if node.port == int(port))


def start_sentinels(nodes: Nodes) -> SentinelNodes:
    master = nodes.start(*_DATA_OPTIONS, "--repl-diskless-sync-delay", 0)
    replica = nodes.start(*_DATA_OPTIONS, "--replicaof", f"127.0.0.1 {master.port}")
    wait_until(lambda: _is_synced(replica), "the replica is up")
    conf = [
        f"sentinel monitor main 127.0.0.1 {master.port} 2",
        f'sentinel auth-pass main "{PASSWORD}"',
        "sentinel down-after-milliseconds main 500",
        "sentinel failover-timeout main 2000",
    ]
    sentinels = [nodes.start("--sentinel", sentinel_conf=conf) for _ in range(3)]

    def know_each_other() -> bool:
        states = [
            dict(zip(flat[::2], flat[1::2], strict=True))
            for flat in (node("SENTINEL", "MASTER", "main") for node in sentinels)
        ]
        return all(s[b"num-other-sentinels"] == b"2" and s[b"num-slaves"] == b"1" for s in states)

    wait_until(know_each_other, "the sentinels know each other and the replica")
    return SentinelNodes([master, replica], sentinels)
