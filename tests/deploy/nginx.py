"""Debian's nginx on the configuration of `deploy/nginx`: only ports, servers and the place of its files differ."""

import contextlib
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.service import ROOT

CONF = ROOT / "deploy" / "nginx"
NGINX = shutil.which("nginx")

needs_nginx = pytest.mark.skipif(not (NGINX and shutil.which("openssl")), reason="nginx or openssl is not installed")


@dataclass
class Front:
    """A running nginx."""

    url: str
    plain_url: str


def replaced(text: str, changes: dict[str, str]) -> str:
    """The text with each piece replaced; each must be there once, so that no change of the file goes unnoticed."""
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def make_certificate(place: Path) -> None:
    place.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", place / "privkey.pem", "-out", place / "fullchain.pem"],
        check=True, capture_output=True,
    )  # fmt: skip


@contextlib.contextmanager
def nginx(place: Path, ports: Sequence[int]) -> Iterator[Front]:
    """nginx in front of two servers on these ports, its files in `place`."""
    assert NGINX is not None
    place.mkdir()
    make_certificate(place / "tls")
    tls, plain = free_port(), free_port()
    temporary = "".join(
        f"    {kind}_temp_path {place}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    conf = replaced(
        (CONF / "nginx.conf").read_text(),
        {
            "user www-data;": "",
            "worker_processes auto;": "worker_processes 1;",
            "http {\n": f"http {{\n{temporary}",
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{tls} ssl http2;",
        },
    )
    (place / "nginx.conf").write_text(conf)
    upstreams = {f":{written} ": f":{port} " for written, port in zip((8081, 8082), ports, strict=True)}
    (place / "upstreams.conf").write_text(replaced((CONF / "upstreams.conf").read_text(), upstreams))
    command = [NGINX, "-p", str(place), "-c", str(place / "nginx.conf"), "-g", f"pid {place}/pid; daemon off;"]
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait_open(tls, process, place / "log")
        yield Front(f"https://127.0.0.1:{tls}", f"http://127.0.0.1:{plain}")
    finally:
        process.terminate()
        process.wait()


def _wait_open(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    while True:
        assert process.poll() is None, log.read_text()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
