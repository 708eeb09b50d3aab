"""The player's token, one a server, in a file that only its owner can read.

The token goes from here to the Authorization header and nowhere else.
"""

import json
import os
import tempfile
from pathlib import Path

from client_cli.errors import WrongUse
from client_cli.i18n import _
from client_cli.settings import config_dir


def _path() -> Path:
    return config_dir() / "credentials.json"


def _read() -> dict[str, str]:
    try:
        tokens = json.loads(_path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise WrongUse(_("cannot read {path}; mend it or delete it").format(path=_path())) from None
    return {str(server): str(token) for server, token in tokens.items()} if isinstance(tokens, dict) else {}


def _write(tokens: dict[str, str]) -> None:
    # Written aside and moved into place, so that a crash never leaves half a file, and 0600 from its
    # first byte: mkstemp creates it so.
    folder = config_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".credentials")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(tokens, file, indent=1)
        os.replace(name, _path())
    except OSError as error:
        raise WrongUse(_("cannot write {path}: {reason}").format(path=_path(), reason=error.strerror)) from None


def load_token(server: str) -> str | None:
    return _read().get(server)


def save_token(server: str, token: str) -> None:
    _write(_read() | {server: token})


def forget_token(server: str) -> bool:
    """True if there was one to forget."""
    tokens = _read()
    if tokens.pop(server, None) is None:
        return False
    _write(tokens)
    return True
