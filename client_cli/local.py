"""Play at once: a server of my own, bots at every other seat, and everything stopped at the end."""

import ctypes
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from client_cli.api import Api
from client_cli.commands.caller import Caller, login_name, opened
from client_cli.errors import ClientError, Unreachable
from client_cli.i18n import _
from client_cli.sit import sit

READY_WITHIN = 30.0
STOP_WITHIN = 15.0


def play_here(
    caller: Caller,
    *,
    players: int,
    preset: str | None,
    level: str,
    port: int,
    data_dir: str | None,
    auto: bool,
) -> None:
    """Start a server, open a table full of bots, play. Without a terminal one hand plays itself."""
    auto = auto or not (sys.stdin.isatty() and sys.stdout.isatty())
    with tempfile.TemporaryDirectory(prefix="hearts-") as scratch:
        folder = Path(data_dir) if data_dir else Path(scratch)
        port = port or _free_port()
        click.echo(_("Starting a server on port {port} ...").format(port=port), err=True)
        # Nobody watches a hand that plays itself: its bots need not pretend to think.
        flags = ("--bot-delay", "0-0") if auto else ()
        with running_server(port, folder, *flags) as address:
            # The player of a server that ends with the game is not worth remembering.
            api = opened(address)
            api.token = api.create_player(caller.name or login_name()).json()["token"]
            body: dict[str, Any] = {"players": players, "fill": level, "name": _("At home"), "listed": False}
            if preset is not None:
                body["preset"] = preset
            if auto:
                body["rules"] = {"hands": 1, "target": None}
            table = str(api.create_table(body).json()["table"]["id"])
            api.act(table, {"action": "start"}, "start")
            sit(replace(caller, json=False), api, table, auto=auto, farewell=False)
    click.echo(_("The server is stopped. To play with others: make serve, or hearts-server --host 0.0.0.0"))
    click.echo(
        _("then give them this address: http://{host}:8080 (they type hearts --server ADDRESS lobby)").format(
            host=_own_address()
        )
    )


@contextmanager
def running_server(port: int, folder: Path, *flags: str) -> Iterator[str]:
    """A server process of this installation, ready to be called; stopped at the end.

    Raises Unreachable with its last words where it does not come up.
    """
    command = [sys.executable, "-m", "server", "--host", "127.0.0.1", "--port", str(port)]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [*command, "--data-dir", str(folder), *flags],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            # Ctrl-C is for the client, which then ends the server in order; kill -9 cannot do that.
            start_new_session=True,
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
        )
        before = signal.signal(signal.SIGTERM, _ended)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_ready(address, process, said)
            yield address
        finally:
            signal.signal(signal.SIGTERM, before)
            _stop(process)


def _end_with_parent() -> None:
    """Runs in the new process: have Linux send it SIGTERM when this program is gone (prctl PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _ended(number: int, frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _wait_ready(address: str, process: "subprocess.Popen[bytes]", said: Any) -> None:
    deadline = time.monotonic() + READY_WITHIN
    api = Api(address, timeout=2.0)
    while True:
        try:
            api.ready()
            api.close()
            return
        except ClientError as error:
            if process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            said.seek(0)
            words = said.read().decode("utf-8", "replace").strip().splitlines()
            reason = words[-1] if words else str(error)
            raise Unreachable(_("the server did not start: {reason}").format(reason=reason)) from None


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_WITHIN)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _free_port() -> int:
    """A port below those that systems give away: nobody else is given it before the server has bound it."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _own_address() -> str:
    """This machine's address as others see it; a name to replace where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses the interface
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
