"""Every setting, its default and its meaning; flag beats environment beats default.

Each field of `Config` is the flag `--field-name` and the variable `HEARTS_FIELD_NAME`. Times are
seconds, plain or with a unit: `90`, `1.5s`, `10m`, `1h`, `7d`. Lists are comma-separated.
"""

import argparse
import importlib.metadata
import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, get_args, get_origin

import msgspec
from aiohttp import web

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class ConfigError(ValueError):
    """A setting cannot be used; the message is one sentence that names it."""


class Span(NamedTuple):
    """A time between two bounds, in seconds."""

    least: float
    most: float


class _Time(NamedTuple):
    """Marks a field as a time in seconds, written with or without a unit."""


class _Lasting(NamedTuple):
    """Marks a time that must be longer than none at all."""


class _Networks(NamedTuple):
    """Marks a field as a list of networks in CIDR form."""


class _Origins(NamedTuple):
    """Marks a field as a list of web origins."""


def _says(description: str, **bounds: Any) -> msgspec.Meta:
    return msgspec.Meta(description=description, **bounds)


Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
Seconds = Annotated[float, _Time()]
Lasting = Annotated[float, _Time(), _Lasting()]
PerSecond = Annotated[float, msgspec.Meta(gt=0, le=1_000_000)]


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """All settings of one server; built once at the start and handed down."""

    # where
    host: Annotated[str, _says("address to listen on; 0.0.0.0 for every interface")] = "127.0.0.1"
    port: Annotated[int, _says("port to listen on; 0 picks a free one", ge=0, le=65535)] = 8080
    redis_url: Annotated[
        str, _says("redis://, rediss://, unix://, Sentinel or Cluster URL; empty starts an embedded server")
    ] = ""
    data_dir: Annotated[str, _says("directory of the embedded server's data", min_length=1)] = "data"
    workers: Annotated[int, _says("processes that share the port", ge=1, le=256)] = 1
    # how it shows
    log_format: Annotated[Literal["text", "json"], _says("form of the log lines")] = "text"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], _says("least level logged; requests are logged at info")
    ] = "info"
    trusted_proxies: Annotated[
        tuple[Network, ...], _Networks(), _says("networks whose X-Forwarded-For is believed, like 10.0.0.0/8")
    ] = ()
    cors_origin: Annotated[
        tuple[str, ...],
        _Origins(),
        _says("web origin that may call from a browser, or * for any; may repeat"),
    ] = ()
    # limits
    body_limit: Annotated[Count, _says("bytes in a request's body")] = 16_384
    record_limit: Annotated[Count, _says("bytes in the body of a record check")] = 4_194_304
    tables_per_player: Annotated[Count, _says("open tables a player may sit at")] = 20
    streams_per_player: Annotated[Count, _says("live streams a player may hold")] = 8
    streams_per_address: Annotated[Count, _says("live streams one address may hold")] = 200
    actions_per_second: Annotated[PerSecond, _says("actions a second per player, lasting")] = 10.0
    actions_burst: Annotated[Count, _says("actions at once per player")] = 40
    players_per_minute: Annotated[PerSecond, _says("new players a minute per address, lasting")] = 10.0
    players_burst: Annotated[Count, _says("new players at once per address")] = 50
    lookups_per_minute: Annotated[PerSecond, _says("look-ups of unknown ids a minute per address, lasting")] = 10.0
    lookups_burst: Annotated[Count, _says("look-ups of unknown ids at once per address")] = 30
    chat_per_minute: Annotated[PerSecond, _says("chat lines a minute per player, lasting")] = 20.0
    chat_burst: Annotated[Count, _says("chat lines at once per player")] = 5
    # times
    keep_alive: Annotated[Lasting, _says("between keep-alive lines on a quiet stream")] = 15.0
    connected_window: Annotated[Lasting, _says("a seat counts as connected this long after a request")] = 60.0
    absent_after: Annotated[Seconds, _says("a seat not connected this long on its own turn is absent")] = 90.0
    lobby_idle: Annotated[Seconds, _says("a lobby without a connected human closes after this")] = 3_600.0
    game_idle: Annotated[Lasting, _says("a game without a connected human closes after this")] = 7 * 86_400.0
    finished_kept: Annotated[Lasting, _says("a finished table is kept this long")] = 30 * 86_400.0
    rematch_wait: Annotated[Seconds, _says("a rematch waits this long for the last players to agree")] = 60.0
    bot_delay: Annotated[Span, _says("a bot takes this long to act, as LEAST-MOST")] = Span(0.4, 1.5)
    idle_timeout: Annotated[
        Lasting, _says("a connection is closed after this without a request, or with one whose head is not whole")
    ] = 75.0
    body_timeout: Annotated[Lasting, _says("a request's body must have arrived after this")] = 10.0
    drain_timeout: Annotated[Seconds, _says("requests in flight may take this long at a stop")] = 8.0

    @classmethod
    def load(cls, argv: Sequence[str], environ: Mapping[str, str]) -> "Config":
        """The settings from flags and `HEARTS_*` variables.

        Raises `ConfigError`; prints and leaves with `SystemExit` for `--help` and `--version`.
        """
        flags = vars(_parser().parse_args(argv))
        values: dict[str, Any] = {}
        for setting in _settings():
            flag, variable = flags[setting.name], environ.get(setting.variable)
            if flag is not None:
                written, origin = ",".join(flag) if isinstance(flag, list) else flag, setting.flag
            elif variable is not None:
                written, origin = variable, setting.variable
            else:
                continue
            try:
                values[setting.name] = setting.read(written)
            except ValueError as error:
                raise ConfigError(f"{origin} cannot be {written!r}: {error}.") from None
        return cls(**values)


CONFIG: web.AppKey[Config] = web.AppKey("config", Config)


class _Setting(NamedTuple):
    name: str
    read: Callable[[str], Any]
    help: str
    is_list: bool

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "HEARTS_" + self.name.upper()


def _settings() -> list[_Setting]:
    hints = {field.name: field for field in msgspec.structs.fields(Config)}
    settings = []
    for name, field in hints.items():
        marks = getattr(field.type, "__metadata__", ())
        meaning = next(mark.description for mark in marks if isinstance(mark, msgspec.Meta) and mark.description)
        kinds = {type(mark) for mark in marks}
        is_list = bool(kinds & {_Networks, _Origins})
        default = field.default
        if is_list:
            shown = "none"
        elif isinstance(default, Span):
            shown = f"{default.least:g}-{default.most:g}"
        elif _Time in kinds:
            shown = _show_seconds(default)
        else:
            shown = f"{default:g}" if isinstance(default, float) else str(default) or "empty"
        settings.append(_Setting(name, _reader(field.type, kinds), f"{meaning} ({shown})", is_list))
    return settings


def _reader(kind: Any, marks: set[type]) -> Callable[[str], Any]:
    if _Lasting in marks:
        return _lasting
    if _Time in marks:
        return _seconds
    if _Networks in marks:
        return _networks
    if _Origins in marks:
        return _origins
    if get_origin(kind) is Annotated and get_args(kind)[0] is Span:
        return _span
    return lambda text: _plain(text, kind)


def _plain(text: str, kind: Any) -> Any:
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        choices = msgspec.inspect.type_info(kind)
        while isinstance(choices, msgspec.inspect.Metadata):
            choices = choices.type
        if isinstance(choices, msgspec.inspect.LiteralType):
            raise ValueError(f"it must be {' or '.join(str(value) for value in choices.values)}") from None
        what = str(error).partition(", got ")[0].replace("`", "").replace("Expected int", "a whole number")
        raise ValueError(f"it must be {what.replace('Expected ', '').replace('float', 'a number')}") from None


_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, None: 1.0}


def _seconds(text: str) -> float:
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise ValueError("it must be a time like 90, 1.5s, 10m, 1h or 7d")
    return float(found[1]) * _UNITS[found[2]]


def _lasting(text: str) -> float:
    seconds = _seconds(text)
    if seconds == 0:
        raise ValueError("it must be longer than no time at all")
    return seconds


def _show_seconds(seconds: float) -> str:
    for unit in ("d", "h", "m"):
        if seconds >= _UNITS[unit] and seconds % _UNITS[unit] == 0 and seconds > 60:
            return f"{seconds / _UNITS[unit]:g}{unit}"
    return f"{seconds:g}s"


def _span(text: str) -> Span:
    least, dash, most = text.partition("-")
    try:
        span = Span(_seconds(least), _seconds(most if dash else least))
    except ValueError:
        raise ValueError("it must be two times like 0.4-1.5") from None
    if span.least > span.most:
        raise ValueError("its first time must not be longer than its second")
    return span


def _items(text: str) -> list[str]:
    return [item for item in re.split(r"[,\s]+", text) if item]


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(item) for item in _items(text))


_ORIGIN = re.compile(r"https?://[^/\s?#@]+")


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(_items(text))
    for origin in origins:
        if origin != "*" and _ORIGIN.fullmatch(origin) is None:
            raise ValueError(f"{origin} is no origin like https://hearts.example.org")
    return origins


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message[:1].upper()}{message[1:]}; hearts-server --help lists the settings.")


def version() -> str:
    """The version that is installed, or words that say that none is."""
    try:
        return importlib.metadata.version("cancellation-hearts")
    except importlib.metadata.PackageNotFoundError:
        return "of a checkout that is not installed"


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(parser.prog, version())
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="hearts-server",
        description="Serves tables of Hearts over HTTP. Flag beats environment beats default (in brackets).",
        epilog="Times are seconds, or with a unit: 90, 1.5s, 10m, 1h, 7d. Lists are comma-separated.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    for setting in _settings():
        parser.add_argument(
            setting.flag,
            dest=setting.name,
            action="append" if setting.is_list else "store",
            metavar=setting.name.rpartition("_")[2].upper(),
            help=f"{setting.help} [{setting.variable}]".replace("%", "%%"),
        )
    return parser
