"""Alerts and dashboard speak only of metrics and labels that the server has, and the RUNBOOK knows every alert."""

import json
import re
from typing import Any

import prometheus_client
import pytest
import yaml

import server.metrics  # noqa: F401 - registers what is exposed
from tests.service import ROOT

ALERTS = [
    rule
    for group in yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy" / "grafana" / "dashboard.json").read_text())
PANELS = [(target["expr"], panel["title"]) for panel in DASHBOARD["panels"] for target in panel["targets"]]
EXPRESSIONS = [(rule["expr"], rule["alert"]) for rule in ALERTS] + PANELS


def exposed() -> dict[str, set[str]]:
    """Every series of ours by name, with its labels."""
    suffixes = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
    found = {}
    for collector in list(prometheus_client.REGISTRY._names_to_collectors.values()):
        name, kind = getattr(collector, "_name", ""), getattr(collector, "_type", "")
        if name.startswith("hearts_"):
            for suffix in suffixes[kind]:
                labels = set(collector._labelnames) | ({"le"} if suffix == "_bucket" else set())  # type: ignore[attr-defined]
                found[name + suffix] = labels | {"instance", "job"}
    return found


@pytest.mark.parametrize(("expression", "where"), EXPRESSIONS)
def test_an_expression_names_what_exists(expression: str, where: str) -> None:
    known = exposed()
    names = re.findall(r"\b(hearts_\w+|up)\b", expression)
    assert names
    unknown = [name for name in names if name != "up" and name not in known]
    assert not unknown, f"{where}: {unknown}"
    labels = {"instance", "job"}.union(*(known.get(name, set()) for name in names))
    grouped = {label.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(",")}
    matched = set(re.findall(r"[{,]\s*(\w+)\s*[=!]~?\"", expression))
    assert grouped | matched <= labels, where


@pytest.mark.parametrize(("expression", "where"), EXPRESSIONS)
def test_an_expression_is_promql(expression: str, where: str) -> None:
    parser = pytest.importorskip("promql_parser")
    parser.parse(expression.replace("$__rate_interval", "1m"))


def test_every_metric_is_on_the_dashboard() -> None:
    shown = " ".join(expression for expression, _ in PANELS)
    missing = {name for name in exposed() if not name.endswith(("_sum", "_count")) and name not in shown}
    assert missing <= {"hearts_append_round_trips_total"}


def test_every_alert_is_explained() -> None:
    runbook = (ROOT / "deploy" / "RUNBOOK.md").read_text()
    for rule in ALERTS:
        assert f"### {rule['alert']}\n" in runbook, rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket")


def test_labels_in_words_are_kept_by_the_expression() -> None:
    for rule in ALERTS:
        for label in re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]):
            assert "by (" not in rule["expr"] or re.search(rf"by \([^)]*\b{label}\b", rule["expr"]), rule["alert"]


def test_panels_do_not_overlap() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(places)
