"""Fixtures: a Cluster and a set of sentinels for each module that asks for one."""

from collections.abc import Iterator

import pytest

from tests.cluster.nodes import ClusterNodes, SentinelNodes, nodes_in, start_cluster, start_sentinels


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterNodes]:
    with nodes_in(tmp_path_factory.mktemp("cluster")) as nodes:
        yield start_cluster(nodes, replicas=1)


@pytest.fixture(scope="module")
def sentinels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentinelNodes]:
    with nodes_in(tmp_path_factory.mktemp("sentinels")) as nodes:
        yield start_sentinels(nodes)
