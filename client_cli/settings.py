"""Which server, which language: flag before environment before config file before default."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from client_cli.errors import WrongUse
from client_cli.i18n import _

DEFAULT_SERVER = "http://127.0.0.1:8080"


def config_dir() -> Path:
    """The folder of this client in the person's config folder (XDG base directory specification)."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "hearts"


def read_config() -> dict[str, Any]:
    """Contents of `config.toml`, empty where there is none. Raises WrongUse where it is no TOML."""
    path = config_dir() / "config.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise WrongUse(f"{path}: {error}") from None


def server_address(flag: str | None) -> str:
    """The server to talk to, without a slash at the end. Raises WrongUse where it is no http address."""
    address = flag or os.environ.get("HEARTS_SERVER") or read_config().get("server") or DEFAULT_SERVER
    address = str(address).strip()
    if "://" not in address:
        address = f"http://{address}"
    if not _can_be_called(address):
        raise WrongUse(_("not an http or https address: {address}").format(address=address))
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def _can_be_called(address: str) -> bool:
    """Whether it is scheme, host, perhaps port and path, written so that HTTP can carry them."""
    try:
        parts = urlsplit(address)
        host, _port = (parts.hostname or "").encode("idna"), parts.port
    except ValueError:  # UnicodeError is one, too
        return False
    plain = "@" not in parts.netloc and parts.path.isascii() and not re.search(r"[\s?#]", address)
    return parts.scheme in ("http", "https") and host != b"" and plain
