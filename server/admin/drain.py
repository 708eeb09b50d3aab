"""`drain`: end a server process of this machine without cutting anybody off in the middle of a request."""

import os
import signal
import time
from pathlib import Path

from server.admin.desk import NotDone

_LOOKED_EVERY = 0.05


def drain(pid: int, wait: float) -> float:
    """Ask the process to stop as its service manager would, and wait until it has; the seconds it took.

    It takes no new connections, finishes the requests it has, ends its streams (their clients resume
    elsewhere, from the event they had) and leaves. Raises NotDone for what is no server process, is not
    ours to end, or still runs after `wait` seconds.
    """
    if not _is_server(pid):
        raise NotDone(f"Process {pid} is no hearts-server.")
    try:
        os.kill(pid, signal.SIGTERM)
    except PermissionError:
        raise NotDone(f"Process {pid} belongs to another user.") from None
    started = time.monotonic()
    while _is_server(pid):
        if time.monotonic() - started > wait:
            raise NotDone(f"Process {pid} has not ended within {wait:g} s; it was asked to.")
        time.sleep(_LOOKED_EVERY)
    return time.monotonic() - started


def _is_server(pid: int) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    by_module = any(words[n : n + 2] == [b"-m", b"server"] for n in range(len(words)))
    return by_module or any(Path(os.fsdecode(word)).name == "hearts-server" for word in words[:2])
