"""No key, token or password of anything real is in the repository."""

import shutil
import subprocess

import pytest

from tests.service import ROOT

detect_secrets = pytest.importorskip("detect_secrets")

PLUGINS = ("PrivateKeyDetector", "AWSKeyDetector", "BasicAuthDetector", "GitHubTokenDetector", "JwtTokenDetector")
INVENTED = {"tests/server/test_endpoint.py", "tests/server/test_link.py"}
"""Tests of how a Redis URL is read, and of its password staying out of messages."""


@pytest.mark.skipif(not (shutil.which("git") and (ROOT / ".git").exists()), reason="no checkout of git")
def test_no_secrets_are_tracked() -> None:
    from detect_secrets.settings import transient_settings

    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [
        name
        for name in listed.splitlines()
        if not name.startswith(("server/static/", "tests/data/", "tests/client_cli/golden/"))
    ]
    found = detect_secrets.SecretsCollection(root=str(ROOT))
    with transient_settings({"plugins_used": [{"name": name} for name in PLUGINS]}):
        for name in files:
            found.scan_file(name)
    assert len(files) > 100
    assert {name for name, _ in found} <= INVENTED
