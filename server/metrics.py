"""What the server counts, for Prometheus.

With several workers `PROMETHEUS_MULTIPROC_DIR` is set before this module is first imported: prometheus-client
decides then whether values live in the process or in files that all processes share.
"""

import os

from aiohttp import web
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

_FAST = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_LAG = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

REQUESTS = Counter("hearts_http_requests", "Requests answered", ("method", "route", "status"))
REQUEST_SECONDS = Histogram(
    "hearts_http_request_duration_seconds",
    "Time to answer a request; streams and long polls are left out",
    ("method", "route"),
    buckets=_FAST,
)
ACTIONS = Counter("hearts_actions", "Actions by kind and outcome: accepted, repeated, refused", ("action", "outcome"))
CONFLICTS = Counter("hearts_append_conflicts", "Appends that met a newer version and were decided again")
APPEND_ROUND_TRIPS = Counter("hearts_append_round_trips", "Script calls made to append events")
REDIS_SECONDS = Histogram("hearts_redis_command_duration_seconds", "Time until Redis answered a command", buckets=_FAST)
OPEN_STREAMS = Gauge("hearts_open_streams", "Live streams open", multiprocess_mode="livesum")
DROPPED_READERS = Counter("hearts_dropped_readers", "Streams closed because their reader was too slow")
TABLES = Gauge("hearts_tables", "Tables by phase, as last counted", ("phase",), multiprocess_mode="livemostrecent")
CACHED_TABLES = Gauge("hearts_cached_tables", "Tables held in memory", multiprocess_mode="livesum")
TIMER_LAG_SECONDS = Histogram("hearts_timer_lag_seconds", "How late due work was begun", buckets=_LAG)
BOT_SECONDS = Histogram("hearts_bot_think_duration_seconds", "Time a bot took to choose", ("level",), buckets=_FAST)
BOT_ERRORS = Counter("hearts_bot_errors", "Bots that failed to choose a legal command", ("level",))
LIMITED = Counter("hearts_limited", "Requests refused by a limit", ("limit",))

_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"


def exposition() -> bytes:
    """All metrics in Prometheus' text format, those of the other workers included."""
    if _DIRECTORY not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


async def metrics(request: web.Request) -> web.StreamResponse:
    """Handler of `/metrics`."""
    return web.Response(body=exposition(), headers={"Content-Type": CONTENT_TYPE_LATEST})


class RequestMeter:
    """Counts requests with the labels looked up once a combination."""

    def __init__(self) -> None:
        self._counters: dict[tuple[str, str, int], Counter] = {}
        self._histograms: dict[tuple[str, str], Histogram] = {}

    def count(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """Count one request; `seconds` is None where it waited on purpose."""
        counter = self._counters.get((method, route, status))
        if counter is None:
            counter = self._counters[method, route, status] = REQUESTS.labels(method, route, str(status))
        counter.inc()
        if seconds is not None:
            histogram = self._histograms.get((method, route))
            if histogram is None:
                histogram = self._histograms[method, route] = REQUEST_SECONDS.labels(method, route)
            histogram.observe(seconds)
