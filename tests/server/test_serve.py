"""Real processes: start, greeting, drain, replacement of dead workers, exit codes."""

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import redis.asyncio

from server.serve import bind, greeting

DEADLINE = 30.0
ROOT = Path(__file__).parents[2]


async def until(condition: Callable[[], Awaitable[Any]]) -> Any:
    """What the condition gives once it gives something; errors of connecting count as nothing yet."""
    async with asyncio.timeout(DEADLINE):
        while True:
            with contextlib.suppress(aiohttp.ClientError, ConnectionError):
                if found := await condition():
                    return found
            await asyncio.sleep(0.02)


class Running:
    """A server process and what it said."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.url = ""

    async def wait_open(self) -> None:
        assert self.process.stdout is not None
        async with asyncio.timeout(DEADLINE):
            line = (await self.process.stdout.readline()).decode()
        found = re.search(r"open at (http://\S+)", line)
        assert found, line
        self.url = found[1]

    async def two_workers(self) -> list[int]:
        async def both() -> list[int] | None:
            workers = children(self.process.pid)
            return workers if len(workers) == 2 else None

        found: list[int] = await until(both)
        return found

    async def ended(self) -> tuple[int, str]:
        async with asyncio.timeout(DEADLINE):
            _, errors = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, errors.decode()


@contextlib.asynccontextmanager
async def server(*flags: str, **environ: str) -> AsyncIterator[Running]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "server", "--port", "0", *flags,
        cwd=ROOT, env=os.environ | environ,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield Running(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def children(pid: int) -> list[int]:
    """Worker processes of a parent; the embedded server and the resource tracker are none."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")


async def test_one_process_serves_and_stops(redis_url: str) -> None:
    async with server("--log-format", "json", HEARTS_REDIS_URL=redis_url) as running:
        await running.wait_open()
        async with aiohttp.ClientSession() as session:
            headers = {"Authorization": "Bearer topsecrettopsecrettopsecret"}
            async with session.get(running.url + "/readyz", headers=headers) as answer:
                assert answer.status == 200
        running.process.send_signal(signal.SIGTERM)
        code, errors = await running.ended()
    assert code == 0
    lines = [json.loads(line) for line in errors.splitlines()]
    assert [line["route"] for line in lines if line["message"] == "request"] == ["/readyz"]
    assert "topsecret" not in errors
    assert "Traceback" not in errors


async def test_an_embedded_server_starts_and_ends_with_it(data_dir: Path) -> None:
    async with server("--data-dir", str(data_dir)) as running:
        await running.wait_open()
        async with aiohttp.ClientSession() as session, session.get(running.url + "/readyz") as answer:
            assert answer.status == 200
        running.process.send_signal(signal.SIGINT)
        code, errors = await running.ended()
    assert code == 0
    assert "Traceback" not in errors


async def _new_table(session: aiohttp.ClientSession, url: str) -> tuple[str, dict[str, str]]:
    async with session.post(url + "/v1/players", json={"name": "Ada"}) as answer:
        headers = {"Authorization": f"Bearer {(await answer.json())['token']}"}
    async with session.post(url + "/v1/tables", json={"players": 4}, headers=headers) as answer:
        assert answer.status == 201
        return f"{url}{answer.headers['Location']}?after={answer.headers['ETag'][1:-1]}&wait=25", headers


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_who_waits_is_released_at_a_stop(redis_url: str, workers: str) -> None:
    async with server("--workers", workers, "--redis-url", redis_url) as running:
        await running.wait_open()
        async with aiohttp.ClientSession() as session:
            url, headers = await _new_table(session, running.url)
            port = int(running.url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"200" in await reader.readuntil(b"alive")
            path = url.removeprefix(running.url)
            writer.write(
                f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {headers['Authorization']}\r\n\r\n".encode()
            )
        started = asyncio.get_running_loop().time()
        running.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(DEADLINE):
            assert b"HTTP/1.1 304 " in await reader.read()
        writer.close()
        code, errors = await running.ended()
        took = asyncio.get_running_loop().time() - started
    assert code == 0
    assert took < 10
    assert "Traceback" not in errors


async def test_a_request_in_flight_is_finished(redis_url: str) -> None:
    """Redis pauses, a request waits for it, the server is told to stop: the request gets its answer."""
    async with server("--redis-url", redis_url) as running, redis.asyncio.Redis.from_url(redis_url) as store:
        await running.wait_open()
        async with aiohttp.ClientSession() as session:
            await store.client_pause(1500)
            asked = asyncio.create_task(_status(session, running.url + "/v1/players"))
            async with session.get(running.url + "/healthz"):
                pass  # comes after the request above, on the same loop
            assert not asked.done()
            running.process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(DEADLINE):
                assert await asked == 201
        code, errors = await running.ended()
    assert code == 0
    assert "Traceback" not in errors


async def _status(session: aiohttp.ClientSession, url: str) -> int:
    async with session.post(url, json={"name": "Ada"}) as answer:
        return answer.status


@needs_proc
async def test_a_killed_worker_is_replaced(redis_url: str) -> None:
    async with server("--workers", "2", "--redis-url", redis_url) as running:
        await running.wait_open()
        before = await running.two_workers()
        os.kill(before[0], signal.SIGKILL)

        async def replaced() -> bool:
            workers = children(running.process.pid)
            return len(workers) == 2 and before[0] not in workers and before[1] in workers

        await until(replaced)

        async def ready() -> bool:
            async with aiohttp.ClientSession() as session, session.get(running.url + "/readyz") as answer:
                return answer.status == 200

        await until(ready)
        running.process.send_signal(signal.SIGTERM)
        code, errors = await running.ended()
    assert code == 0
    assert "ended with -9" in errors


@needs_proc
async def test_workers_end_with_their_parent(redis_url: str) -> None:
    async with server("--workers", "2", "--redis-url", redis_url) as running:
        await running.wait_open()
        workers = await running.two_workers()
        running.process.kill()
        await running.process.wait()

        async def gone() -> bool:
            return not any(map(is_running, workers))

        await until(gone)


@needs_proc
async def test_all_workers_answer_and_are_counted_together(redis_url: str) -> None:
    async with server("--workers", "2", "--redis-url", redis_url) as running:
        await running.wait_open()
        asked = 0
        makers: set[str] = set()

        async def both() -> bool:
            nonlocal asked
            # a new connection each time: the system spreads connections, not requests
            async with aiohttp.ClientSession() as session, session.get(running.url + "/healthz") as answer:
                asked += 1
                makers.add(answer.headers["X-Request-ID"].partition("-")[0])
            return len(makers) == 2

        await until(both)
        async with aiohttp.ClientSession() as session, session.get(running.url + "/metrics") as answer:
            text = await answer.text()
        assert f'hearts_http_requests_total{{method="GET",route="/healthz",status="200"}} {float(asked)}' in text


async def test_counts_of_killed_parents_are_removed_at_the_next_start(redis_url: str, tmp_path: Path) -> None:
    flags = ("--workers", "2", "--redis-url", redis_url)
    others = tmp_path / f"hearts-metrics-{os.getpid()}-x"
    others.mkdir()

    def folders() -> set[Path]:
        return set(tmp_path.glob("hearts-metrics-*")) - {others}

    async with server(*flags, TMPDIR=str(tmp_path)) as running:
        await running.wait_open()
        left = folders()
        running.process.kill()
        await running.process.wait()
    assert len(left) == 1
    async with server(*flags, TMPDIR=str(tmp_path)) as running:
        await running.wait_open()
        assert len(folders()) == 1
        assert not folders() & left
        assert others.exists()
        running.process.send_signal(signal.SIGTERM)
        await running.ended()
    assert folders() == set()


async def test_a_second_interrupt_hurries(redis_url: str) -> None:
    async with server("--redis-url", redis_url, "--drain-timeout", "60", "--body-timeout", "60") as running:
        await running.wait_open()
        port = int(running.url.rpartition(":")[2])
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        head = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        writer.write(head + b"Content-Length: 9\r\n\r\n{")  # the rest never comes
        async with aiohttp.ClientSession() as session, session.get(running.url + "/healthz"):
            pass
        running.process.send_signal(signal.SIGINT)
        assert running.process.stderr is not None
        seen = b""
        async with asyncio.timeout(DEADLINE):
            while b"stopping" not in seen:
                seen = await running.process.stderr.readline()
        running.process.send_signal(signal.SIGINT)
        code, _ = await running.ended()
        writer.close()
    assert code == 0


async def test_a_connection_without_a_whole_request_is_closed(redis_url: str) -> None:
    async with server("--redis-url", redis_url, "--idle-timeout", "0.5") as running:
        await running.wait_open()
        port = int(running.url.rpartition(":")[2])
        whole = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        for sent in (b"", b"GET /healthz HTTP/1.1\r\nHost:", whole, whole + b"GET /hea"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            async with asyncio.timeout(DEADLINE):
                answer = await reader.read()  # to its end
            assert answer.count(b"HTTP/1.1 200") == sent.count(whole)
            writer.close()
        async with aiohttp.ClientSession(running.url) as session:
            async with session.post("/v1/players", json={"name": "Ada"}) as made:
                token = (await made.json())["token"]
            headers = {"Authorization": f"Bearer {token}"}
            async with session.post("/v1/tables", json={"players": 4}, headers=headers) as made:
                table = (await made.json())["table"]["id"]
            async with session.get(f"/v1/tables/{table}?after=1&wait=1.5", headers=headers) as waited:
                assert waited.status == 304, "who waits for an answer is not idle"


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        (("--redis-url", "box:6379"), 2, "hearts-server: A Redis URL starts with "),
        (("--redis-url", "redis://:sec/ret@box", "--workers", "2"), 2, "hearts-server: The Redis URL cannot be read: "),
        (("--workers", "none"), 2, "hearts-server: --workers cannot be 'none': it must be a whole number.\n"),
        (("--host", "203.0.113.1"), 1, "hearts-server: cannot listen on 203.0.113.1:0"),
        (("--host", "203.0.113.1", "--workers", "2"), 1, "hearts-server: cannot listen on 203.0.113.1:0"),
    ],
)
async def test_what_cannot_start_says_why(flags: tuple[str, ...], code: int, says: str) -> None:
    async with server("--redis-url", "unix:///nowhere", *flags) as running:
        got, errors = await running.ended()
    assert got == code
    assert errors.startswith(says)
    assert len(errors.splitlines()) == 1


async def test_a_port_in_use_is_refused_with_and_without_workers(redis_url: str) -> None:
    with bind("127.0.0.1", 0, shared=True) as sock:
        sock.listen()
        port = str(sock.getsockname()[1])
        for workers in ("1", "2"):
            async with server("--redis-url", redis_url, "--port", port, "--workers", workers) as running:
                code, errors = await running.ended()
            assert code == 1
            assert f"cannot listen on 127.0.0.1:{port}" in errors


def test_the_greeting_names_an_address_people_can_type() -> None:
    assert "http://127.0.0.1:8080 " in greeting("127.0.0.1", 8080)
    assert "http://[::1]:8080 " in greeting("::1", 8080)
    for everywhere in ("0.0.0.0", "::", ""):
        found = re.search(r"http://([\w.]+):8080 ", greeting(everywhere, 8080))
        assert found
        assert found[1] != "0.0.0.0"
