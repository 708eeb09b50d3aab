"""The Kubernetes manifests: against the schemas of Kubernetes, and against each other."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from server.config import Config
from tests.service import ROOT

PLACE = ROOT / "deploy" / "kubernetes"


def manifests() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{path.name}/{manifest['kind']}", manifest)
        for path in sorted(PLACE.glob("*.yaml"))
        for manifest in yaml.safe_load_all(path.read_text())
    ]


def one(kind: str, name: str = "hearts") -> dict[str, Any]:
    [found] = [m for _, m in manifests() if m["kind"] == kind and m["metadata"]["name"] == name]
    return found


@pytest.mark.parametrize(("where", "manifest"), [pytest.param(*each, id=each[0]) for each in manifests()])
def test_a_manifest_fits_its_schema(where: str, manifest: dict[str, Any]) -> None:
    if manifest["kind"] == "Kustomization":
        pytest.skip("no resource of the cluster")
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)


def test_kustomization_names_every_file_but_the_example_of_a_secret() -> None:
    named = set(yaml.safe_load((PLACE / "kustomization.yaml").read_text())["resources"])
    there = {path.name for path in Path(PLACE).glob("*.yaml")}
    assert named == there - {"kustomization.yaml", "secret.example.yaml"}


@pytest.mark.parametrize("workload", [("Deployment", "hearts"), ("StatefulSet", "redis")])
def test_pods_are_restricted(workload: tuple[str, str]) -> None:
    """As the namespace demands: pod-security.kubernetes.io/enforce: restricted."""
    pod = one(*workload)["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
    assert not pod["automountServiceAccountToken"]
    for container in pod["containers"]:
        context = container["securityContext"]
        assert context["capabilities"]["drop"] == ["ALL"]
        assert not context["allowPrivilegeEscalation"]
        assert context["readOnlyRootFilesystem"]


def test_everything_that_selects_the_servers_finds_them() -> None:
    labels = one("Deployment")["spec"]["template"]["metadata"]["labels"].items()
    selectors = [
        one("Deployment")["spec"]["selector"]["matchLabels"],
        one("Service")["spec"]["selector"],
        one("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        one("NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
    ]
    assert all(selector.items() <= labels for selector in selectors)
    target = one("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("Deployment", "hearts")
    backend = one("Ingress")["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": "hearts", "port": {"name": one("Service")["spec"]["ports"][0]["name"]}}


def test_a_pod_has_time_to_drain() -> None:
    pod = one("Deployment")["spec"]["template"]["spec"]
    [container] = pod["containers"]
    command, seconds = container["lifecycle"]["preStop"]["exec"]["command"]
    assert command == "sleep"
    assert pod["terminationGracePeriodSeconds"] > int(seconds) + Config().drain_timeout + 5


def test_probes_ask_for_what_the_server_has() -> None:
    [container] = one("Deployment")["spec"]["template"]["spec"]["containers"]
    paths = {kind: container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness", "readiness")}
    assert paths == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}
    assert container["ports"][0]["name"] == "http"


def test_the_settings_are_ones_the_server_takes() -> None:
    assert Config.load([], one("ConfigMap")["data"]).host == "0.0.0.0"
