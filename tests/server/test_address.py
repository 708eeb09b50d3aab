"""The client's address, from peers and proxies that may lie."""

from ipaddress import ip_network

import pytest

from server.address import client_address

TRUSTED = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("203.0.113.7", [], "203.0.113.7"),
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),  # the peer is no proxy of ours: its header is ignored
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, 198.51.100.1"], "198.51.100.1"),  # what the client wrote itself stays unread
        ("10.0.0.1", ["6.6.6.6", "198.51.100.1, 10.2.2.2"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", ['"[2001:db8:1:2::9]:4711"'], "2001:db8:1:2::/64"),
        ("10.0.0.1", ["198.51.100.1, nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["unknown"], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["10.0.0.2, 10.0.0.3"], "10.0.0.2"),  # all are proxies: the one farthest away
        ("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("fd00::1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("2001:db8:1:2:3:4:5:6", [], "2001:db8:1:2::/64"),
        ("fe80::1%eth0", [], "fe80::/64"),
        ("unknown", ["198.51.100.1"], "unknown"),
    ],
)
def test_the_right_most_address_that_is_no_proxy(peer: str, forwarded: list[str], address: str) -> None:
    assert client_address(peer, forwarded, TRUSTED) == address


def test_nobody_is_trusted_by_default() -> None:
    assert client_address("10.0.0.1", ["198.51.100.1"], ()) == "10.0.0.1"
