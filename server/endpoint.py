"""Where Redis is: a URL, and how a ready connection to it is made.

`redis://`, `rediss://` (TLS) and `unix://` name one server. `redis+sentinel://h1:p1,h2:p2/service/db`
names sentinels that know the master, `redis+cluster://h1:p1,h2:p2` some nodes of a Cluster; both take
`rediss+` for TLS. A user and password go before the hosts, `sentinel_username` and
`sentinel_password` into the query.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from redis.asyncio.connection import AbstractConnection, Connection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

Address: TypeAlias = tuple[str, int]
T = TypeVar("T")
Kind: TypeAlias = Literal["server", "sentinel", "cluster"]

_DEFAULT_PORTS: dict[Kind, int] = {"server": 6379, "sentinel": 26379, "cluster": 6379}


class WrongURL(ValueError):
    """No URL of a Redis. The message says why, without the URL's secrets."""


@dataclass(frozen=True)
class Endpoint:
    """A parsed Redis URL. `str()` of it carries no password and may be logged."""

    kind: Kind
    seeds: tuple[Address, ...]
    service: str
    options: Mapping[str, Any] = field(repr=False)
    sentinel_options: Mapping[str, Any] = field(repr=False)

    @classmethod
    def parse(cls, url: str) -> "Endpoint":
        """Read a URL; raises WrongURL when it is not one of the forms above."""
        try:
            return cls._read(url)
        except WrongURL:
            raise
        except (ValueError, RedisError):  # whose words may quote a password with a slash in it as a port
            raise WrongURL(
                "The Redis URL cannot be read: a port or an option is wrong, or a sign in the password is not written"
                " like %2F."
            ) from None

    @classmethod
    def _read(cls, url: str) -> "Endpoint":
        scheme, _, kind_name = urlsplit(url).scheme.partition("+")
        if scheme not in ("redis", "rediss", "unix") or kind_name not in ("", "sentinel", "cluster"):
            raise WrongURL(
                "A Redis URL starts with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://."
            )
        if not kind_name:
            return cls("server", (), "", _checked(dict(parse_url(url))), {})
        kind = cast(Kind, kind_name)
        parts = urlsplit(url)
        credentials, _, hosts = parts.netloc.rpartition("@")
        seeds = tuple(_address(host, _DEFAULT_PORTS[kind]) for host in hosts.split(",") if host)
        if not seeds:
            raise WrongURL("The Redis URL names no host.")
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        sentinel_login = {
            name: query.pop(f"sentinel_{name}") for name in ("username", "password") if f"sentinel_{name}" in query
        }
        service, _, db = parts.path.strip("/").partition("/") if kind == "sentinel" else ("", "", "")
        if kind == "sentinel" and not service:
            raise WrongURL("A Sentinel URL names its service: redis+sentinel://host:26379/service.")
        login = f"{credentials}@" if credentials else ""
        plain = f"{scheme}://{login}host/{db}?{urlencode(query)}"
        options = _checked({k: v for k, v in parse_url(plain).items() if k not in ("host", "port")})
        sentinels = {
            name: value for name, value in options.items() if name == "connection_class" or name.startswith("ssl_")
        }
        return cls(kind, seeds, service, options, sentinels | sentinel_login)

    def __str__(self) -> str:
        if self.kind == "server":
            return str(self.options.get("path") or "{host}:{port}".format_map(_HostAndPort(self.options)))
        hosts = ",".join(f"{host}:{port}" for host, port in self.seeds)
        return f"{self.kind} {hosts}" + (f" service {self.service}" if self.service else "")

    async def connect(self, seconds: float) -> AbstractConnection:
        """A connection that has answered: of the server, of the sentinels' master, of any Cluster node.

        Raises RedisError or OSError when none is had within `seconds`.
        """
        if self.kind == "server":
            return await _open(self.options, seconds)
        if self.kind == "cluster":
            return await _first([_open(self._at(seed), seconds) for seed in self.seeds])
        return await _open(self._at(await self._master(seconds / 3)), seconds, master=True)

    async def connect_to(self, address: Address, seconds: float) -> AbstractConnection:
        """The same to one named node of a Cluster."""
        return await _open(self._at(address), seconds)

    async def is_current(self, connection: AbstractConnection, seconds: float) -> bool:
        """Whether the sentinels still name this connection's server, as far as any of them answers.

        After a planned failover, or one behind a cut in the network, the old master goes on for seconds and
        takes writes that are then lost. Without sentinels there is nobody to ask, and the answer is yes.
        """
        if self.kind != "sentinel":
            return True
        try:
            host, port = await self._master(seconds / 3)
        except (RedisError, OSError):
            return True
        return (host, port) == (getattr(connection, "host", host), getattr(connection, "port", port))

    def _at(self, address: Address) -> dict[str, Any]:
        return {**self.options, "host": address[0], "port": address[1]}

    async def _master(self, seconds: float) -> Address:
        asked = [self._ask_sentinel(seed, seconds) for seed in self.seeds]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        named = [answer for answer in answers if not isinstance(answer, BaseException)]
        if not named:
            raise RedisConnectionError(f"No sentinel names a master: {answers[0]}")
        return max(named)[1]

    async def _ask_sentinel(self, seed: Address, seconds: float) -> tuple[int, Address]:
        """The master one sentinel names, after the age of what it knows: of several the highest is right."""
        options = {**self.sentinel_options, "host": seed[0], "port": seed[1]}
        connection = await _open(options, seconds)
        try:
            async with asyncio.timeout(seconds):
                await connection.send_command("SENTINEL", "MASTER", self.service)
                flat = await connection.read_response()
        finally:
            await connection.disconnect(nowait=True)
        master = dict(zip(flat[::2], flat[1::2], strict=True))
        return int(master[b"config-epoch"]), (master[b"ip"].decode(), int(master[b"port"]))


class _HostAndPort(dict[str, Any]):
    def __missing__(self, key: str) -> Any:
        return {"host": "localhost", "port": 6379}[key]


def _address(text: str, default_port: int) -> Address:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise WrongURL("The Redis URL has an empty host.")
    return parts.hostname, parts.port or default_port


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    # What the client library would only say at the first connection, and then with the password in view.
    try:
        _connection(options, 1.0)
    except TypeError as error:
        raise WrongURL(f"The Redis URL has an option that is not known: {error}") from None
    return options


def _connection(options: Mapping[str, Any], seconds: float) -> AbstractConnection:
    settings = {
        **options,
        "protocol": 2,
        "client_name": "hearts",
        "driver_info": None,
        # Never a retry below us, and no time-out on single reads: who uses the connection watches over it.
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": None,
        "socket_connect_timeout": seconds,
    }
    made = settings.pop("connection_class", Connection)(**settings)
    return cast(AbstractConnection, made)


async def _open(options: Mapping[str, Any], seconds: float, *, master: bool = False) -> AbstractConnection:
    connection = _connection(options, seconds)
    try:
        async with asyncio.timeout(seconds):
            await connection.connect()  # type: ignore[no-untyped-call]
            # A server that is loading its file, or that hangs, accepts connections all the same.
            await connection.send_command("PING")
            await connection.read_response()
            if master:
                await connection.send_command("ROLE")
                if (await connection.read_response())[0] != b"master":
                    raise RedisConnectionError("The sentinels named a server that is not a master now")
    except TimeoutError:
        await connection.disconnect(nowait=True)
        raise RedisConnectionError("Redis did not answer in time") from None
    except BaseException:
        await connection.disconnect(nowait=True)
        raise
    return connection


async def _first(attempts: Sequence[Coroutine[Any, Any, T]]) -> T:
    """The first result that is had, all tried at once; the last error when none is."""
    tasks = [asyncio.ensure_future(attempt) for attempt in attempts]
    error: Exception = RedisConnectionError("Redis did not answer")
    winner: T | None = None
    try:
        for done in asyncio.as_completed(tasks):
            try:
                winner = await done
            except (RedisError, OSError) as failure:
                error = failure
            else:
                return winner
        raise error
    finally:
        for task in tasks:
            task.cancel()
        for spare in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(spare, AbstractConnection) and spare is not winner:
                await spare.disconnect(nowait=True)
