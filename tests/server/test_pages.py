"""The pages are whole, and load nothing from anywhere else."""

import gzip
import re
from importlib import resources
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from server.app import make_app
from server.config import Config
from server.problems import KINDS


@pytest.fixture
async def client(aiohttp_client: Any, redis_url: str) -> Any:
    return await aiohttp_client(make_app(Config(redis_url=redis_url)))


@pytest.mark.parametrize("path", ["/", "/docs"])
async def test_pages_load_only_from_here(client: Any, path: str) -> None:
    async with client.get(path) as answer:
        assert answer.content_type == "text/html"
        text = await answer.text()
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "//" not in text.replace("<!doctype", "")
    for source in re.findall(r'(?:src|href)="(/[^"]*)"', text):
        async with client.get(source) as answer:
            assert answer.status == 200


def test_the_style_sheet_loads_nothing() -> None:
    sheet = resources.files("server").joinpath("static", "swagger-ui.css").read_text()
    assert "@import" not in sheet
    assert all(url.startswith("data:") for url in re.findall(r"url\(['\"]?([^)'\"]*)", sheet))


def test_the_validator_of_another_host_is_off() -> None:
    script = resources.files("server").joinpath("static", "docs.js").read_text()
    assert "validatorUrl: null" in script


async def test_files_come_packed_to_who_takes_it(client: Any) -> None:
    sizes = {}
    for encoding in ("gzip", "identity"):
        headers = {"Accept-Encoding": encoding}
        async with client.get("/docs/swagger-ui-bundle.js", headers=headers, auto_decompress=False) as answer:
            sizes[encoding] = await answer.read()
            assert answer.content_type == "text/javascript"
            assert answer.headers.get("Content-Encoding") == ("gzip" if encoding == "gzip" else None)
    assert gzip.decompress(sizes["gzip"]) == sizes["identity"]
    assert len(sizes["gzip"]) < 600_000


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fapp.py", "%2e%2e%2fapp.py", "README.md", "%00"])
async def test_no_other_file_is_served(client: Any, name: str) -> None:
    from yarl import URL

    async with client.session.get(URL(f"{client.make_url('/')}docs/{name}", encoded=True)) as answer:
        assert answer.status == 404


async def test_the_contract_of_the_whole_server_is_valid(client: Any) -> None:
    async with client.get("/openapi.json") as answer:
        made = await answer.json()
    OpenAPIV31SpecValidator(made).validate()
    assert {"/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/problems/{code}"} <= set(made["paths"])


async def test_every_problem_type_leads_somewhere(client: Any) -> None:
    async with client.get("/problems") as answer:
        listed = await answer.json()
    assert [each["code"] for each in listed] == list(KINDS)
    for each in listed:
        async with client.get(each["type"]) as answer:
            assert await answer.json() == each
    async with client.get("/problems/none_such") as answer:
        assert (answer.status, (await answer.json(content_type=None))["code"]) == (404, "no_such_problem")
