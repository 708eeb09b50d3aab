"""Dockerfile and compose.yaml: no engine runs here, so their words are checked, and what can be run is run."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.service import ROOT, server

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()
COMPOSE = ROOT / "deploy" / "compose.yaml"


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile: word and rest, lines joined."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE))
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in joined.splitlines() if line.strip()]


def test_the_image_has_two_stages_and_no_root() -> None:
    words = [word for word, _ in instructions()]
    assert words.count("FROM") == 2
    last = instructions()[words.index("FROM", 1) :]
    users = [rest for word, rest in last if word == "USER"]
    assert users
    assert users[-1] == "10001:10001"
    assert not any(word == "COPY" and "--from=build" not in rest for word, rest in last)


def test_everything_copied_is_there_and_let_through() -> None:
    sources = [
        source
        for word, rest in instructions()
        if word == "COPY" and "--from" not in rest
        for source in shlex.split(rest)[:-1]
    ]
    ignored = (ROOT / ".dockerignore").read_text().split()
    for source in sources:
        assert (ROOT / source).exists(), source
        assert f"!{source}" in ignored, source
    project = (ROOT / "pyproject.toml").read_text()
    packages = re.search(r"packages = (\[.*\])", project)
    assert packages is not None
    assert set(json.loads(packages[1])) <= set(sources)


async def test_the_health_check_tells_alive_from_dead(redis_url: str, tmp_path: Path) -> None:
    check = next(rest for word, rest in instructions() if word == "HEALTHCHECK")
    _, _, code = json.loads(check.partition("CMD ")[2])

    def healthy(port: int) -> bool:
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env={"HEARTS_PORT": str(port)}, capture_output=True).returncode == 0

    async with server(tmp_path / "log", "--redis-url", redis_url) as process:
        assert healthy(process.port)
        await process.stop()
        assert not healthy(process.port)


def test_settings_of_the_image_are_settings_of_the_server() -> None:
    from server.config import Config

    names = re.findall(r"HEARTS_\w+(?==)", DOCKERFILE)
    assert len(names) >= 4
    assert all(hasattr(Config(), name.removeprefix("HEARTS_").lower()) for name in names)


def test_compose_fits_its_schema() -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return found


def test_compose_has_two_servers_a_redis_and_nginx(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {"hearts-1", "hearts-2", "redis", "nginx"}
    upstreams = (ROOT / "deploy" / "nginx" / "upstreams.compose.conf").read_text()
    assert re.findall(r"server (\S+):8080", upstreams) == ["hearts-1", "hearts-2"]
    for name in ("hearts-1", "hearts-2"):
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["read_only"]
    assert [name for name in services if "ports" in services[name]] == ["nginx"]


def test_what_compose_mounts_is_there(compose: dict[str, Any]) -> None:
    mounted = [
        volume.split(":")[0]
        for service in compose["services"].values()
        for volume in service.get("volumes", ())
        if volume.startswith("./") and not volume.startswith("./nginx/tls")
    ]
    assert len(mounted) == 3
    assert all((COMPOSE.parent / path).is_file() for path in mounted)
    assert (COMPOSE.parent / compose["services"]["hearts-1"]["build"]["context"]).resolve() == ROOT
