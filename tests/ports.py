"""Ports for programs that cannot choose one by themselves."""

import contextlib
import secrets
import socket

_FIRST, _COUNT = 20_000, 12_000
"""Below what systems give away by themselves: nobody else is given the port before the program has bound it."""


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    while True:
        port = _FIRST + secrets.randbelow(_COUNT)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
