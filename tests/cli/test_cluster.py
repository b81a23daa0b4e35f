"""The laboratory with a real Dask cluster on this machine."""

import logging

import distributed
import pytest

from tests.cli.test_errors import refused

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def address():
    """A scheduler with two workers."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.thorough
def test_lab(errbar, address):
    command = (
        "lab",
        "coverage",
        "--method",
        "corrected-t",
        "--method",
        "cv-t",
        "--replicates",
        6,
        "--n",
        60,
        "--json",
    )
    there, here = errbar(*command, "--cluster", address), errbar(*command)
    assert here.status == there.status == 0, there.err
    assert there.data == here.data


@pytest.mark.parametrize(
    "where",
    [
        "tcp://127.0.0.1:9",
        "nowhere",
    ],
)
def test_no_cluster(errbar, where, monkeypatch):
    monkeypatch.setattr("errbar.cli.cluster._SECONDS", 1.0)
    refused(errbar("lab", "coverage", "--replicates", 2, "--cluster", where), "cluster")
