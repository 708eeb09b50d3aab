"""Every program says which version it is, also in a checkout that is not installed."""

import os
import subprocess
import sys

import pytest

PROGRAMS = {"server": "hearts-server", "server.admin": "hearts-admin", "client_cli": "hearts"}


@pytest.mark.parametrize("package", PROGRAMS)
@pytest.mark.parametrize(
    ("found", "version"),
    [
        ("'1.2.3'", "1.2.3"),
        ("(_ for _ in ()).throw(importlib.metadata.PackageNotFoundError)", "of a checkout that is not installed"),
    ],
    ids=["installed", "not installed"],
)
def test_the_version_is_shown(package: str, found: str, version: str) -> None:
    code = (
        f"import importlib.metadata, runpy, sys; importlib.metadata.version = lambda name: {found};"
        f"sys.argv[1:] = ['--version']; runpy.run_module({package!r}, run_name='__main__')"
    )
    english = os.environ | {"LC_ALL": "C"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=english)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{PROGRAMS[package]} {version}\n", "")
