"""Where a request comes from: the peer, or what trusted proxies say about it."""

import functools
import ipaddress
from collections.abc import Iterable, Sequence

from aiohttp import web

from server.config import CONFIG, Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _parse(text: str) -> Address | None:
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def client_address(peer: str, forwarded: Iterable[str], trusted: Sequence[Network]) -> str:
    """The right-most address that is no trusted proxy: the peer, or the hop it vouches for, and so on.

    `forwarded` are the values of the `X-Forwarded-For` headers in their order. Each trusted hop vouches
    only for the one to its left, so what a client writes into the header itself is never believed. An entry
    that is no address ends the walk at the proxy that passed it on. IPv6 addresses count by their /64 network,
    which is what one subscriber holds.
    """
    address = _parse(peer)
    if address is None:
        return peer
    hops = [hop for value in forwarded for hop in value.split(",")] if trusted else []
    while hops and any(address in network for network in trusted):
        before = _parse(hops.pop())
        if before is None:
            break
        address = before
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def address_of(request: web.Request) -> str:
    """The client's address, as the limits per address count it."""
    peer, trusted = request.remote or "unknown", request.app[CONFIG].trusted_proxies
    return client_address(peer, request.headers.getall("X-Forwarded-For", ()), trusted) if trusted else _direct(peer)


@functools.lru_cache(maxsize=4096)
def _direct(peer: str) -> str:
    """The address of a peer that nothing stands between: clients ask again and again over one connection."""
    return client_address(peer, (), ())
