"""Redis URLs: all forms, and what is said of them."""

import pytest
from redis.asyncio.connection import SSLConnection, UnixDomainSocketConnection

from server.endpoint import Endpoint, WrongURL


def test_one_server() -> None:
    endpoint = Endpoint.parse("redis://ada:p%40ss@box:6380/3")
    assert endpoint.kind == "server"
    assert dict(endpoint.options) == {
        "username": "ada",
        "password": "p@ss",
        "host": "box",
        "port": 6380,
        "db": 3,
    }
    assert str(endpoint) == "box:6380"
    assert str(Endpoint.parse("redis://")) == "localhost:6379"


def test_a_unix_socket() -> None:
    endpoint = Endpoint.parse("unix:///run/redis.sock?db=2")
    assert endpoint.options == {"path": "/run/redis.sock", "db": 2, "connection_class": UnixDomainSocketConnection}
    assert str(endpoint) == "/run/redis.sock"


def test_tls() -> None:
    endpoint = Endpoint.parse("rediss://box?ssl_ca_certs=/etc/ca.pem")
    assert endpoint.options["connection_class"] is SSLConnection
    assert endpoint.options["ssl_ca_certs"] == "/etc/ca.pem"


def test_sentinels() -> None:
    endpoint = Endpoint.parse("redis+sentinel://:pw@a:1,b,[::1]:3/main/2?sentinel_password=other")
    assert endpoint.kind == "sentinel"
    assert endpoint.seeds == (("a", 1), ("b", 26379), ("::1", 3))
    assert endpoint.service == "main"
    assert endpoint.options == {"password": "pw", "db": 2}
    assert endpoint.sentinel_options == {"password": "other"}
    assert str(endpoint) == "sentinel a:1,b:26379,::1:3 service main"


def test_tls_behind_sentinels_is_for_both() -> None:
    endpoint = Endpoint.parse("rediss+sentinel://a/main?ssl_cert_reqs=none")
    for options in (endpoint.options, endpoint.sentinel_options):
        assert options == {"connection_class": SSLConnection, "ssl_cert_reqs": "none"}


def test_cluster() -> None:
    endpoint = Endpoint.parse("redis+cluster://ada:pw@a:7000,b:7001")
    assert endpoint.kind == "cluster"
    assert endpoint.seeds == (("a", 7000), ("b", 7001))
    assert endpoint.options == {"username": "ada", "password": "pw"}
    assert str(endpoint) == "cluster a:7000,b:7001"


@pytest.mark.parametrize(
    "url",
    [
        "http://ada:secret@box",
        "redis+proxy://ada:secret@box",
        "redis+sentinel://ada:secret@box",
        "redis+cluster://ada:secret@",
        "redis+cluster://ada:secret@:1",
        "redis://ada:secret@box?no_such_option=secret",
        "redis://ada:secret@box?socket_timeout=secret",
        "redis+cluster://ada:secret@box:port",
        "redis://box:port",
        "redis://box:99999",
        "redis://:secret/2@box:6379",
        "redis+cluster://:secret/2@box:6379",
        "redis+sentinel://ada:sec?ret@box:secret/main",
        "rediss://box?ssl_cert_reqs=secret",
        "redis://[::1",
        "box:6379",
        "",
    ],
)
def test_what_is_no_redis_url_is_refused_without_telling_secrets(url: str) -> None:
    with pytest.raises(WrongURL) as caught:
        Endpoint.parse(url)
    assert "secret" not in str(caught.value)


def test_no_password_shows() -> None:
    for url in ("redis://ada:secret@box", "redis+sentinel://ada:secret@box/main?sentinel_password=secret"):
        endpoint = Endpoint.parse(url)
        assert "secret" not in f"{endpoint} {endpoint!r}"
