"""The command line with a real Dask cluster on this machine."""

import json
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


@pytest.fixture
def iris(tmp_path):
    from sklearn.datasets import load_iris

    place = tmp_path / "iris.csv"
    load_iris(as_frame=True).frame.to_csv(place, index=False)
    return place


MODELS = (
    *("--model", "tree=sklearn.tree.DecisionTreeClassifier(max_features=1)"),
    *("--model", "bayes=sklearn.naive_bayes.GaussianNB"),
)


def without_counts(ended):
    assert ended.status == 0, ended.err
    return {name: value for name, value in json.loads(ended.out).items() if name != "counts"}


def test_compare(errbar, iris, address, tmp_path):
    command = ("compare", iris, "--target", "target", *MODELS, "--json")
    here = errbar(*command)
    there = errbar(*command, "--cluster", address, "--store", tmp_path / "runs.db")
    assert without_counts(there) == without_counts(here)
    again = errbar(*command, "--store", tmp_path / "runs.db")
    assert again.data["counts"]["reused"] == 56


def test_evaluate(errbar, iris, address):
    command = ("evaluate", iris, "--target", "target", *MODELS[:2], "--method", "cv-wald", "--json")
    assert without_counts(errbar(*command, "--cluster", address)) == without_counts(
        errbar(*command)
    )


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
def test_no_cluster(errbar, iris, where, monkeypatch):
    monkeypatch.setattr("errbar.cli.runs.SECONDS", 1.0)
    refused(errbar("compare", iris, "--target", "target", *MODELS, "--cluster", where), "cluster")


def test_limits_are_for_workers_of_this_machine(errbar, iris):
    refused(
        errbar(
            "compare",
            iris,
            "--target",
            "target",
            *MODELS,
            "--cluster",
            "tcp://127.0.0.1:9",
            "--fit-timeout",
            5,
        )
    )
