"""errbar power for seeds against examples and for clusters."""

import numpy as np
import pytest

import errbar as library
from errbar import planning
from tests.cli.test_errors import refused

CROSSED = ("--design", "crossed", "--seed-sd", "0.02", "--example-sd", "0.4", "--error-sd", "0.2")
CLUSTERS = ("--design", "clusters", "--cluster-sd", "0.14", "--within-sd", "0.42")
ROLES = ("--design", "crossed", "--example", "question", "--seed", "sample")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Answers sampled three times per question on passages, of two learners and of three; patients with several rows."""
    place, rng = tmp_path_factory.mktemp("pilots"), np.random.default_rng(5)
    rows = [(i, s, f"p{i // 4}") for i in range(40) for s in range(3)]
    values = rng.normal(size=(120, 3)) + np.repeat(rng.normal(size=40), 3)[:, np.newaxis]
    values[:, 2] = values[:, 1] + 1.0
    for name, labels, learners in (("two", 2, 2), ("grouped", 3, 2), ("three", 2, 3)):
        lines = [
            ",".join(map(str, (*row[:labels], *value[:learners])))
            for row, value in zip(rows, values, strict=True)
        ]
        head = ",".join((*("question", "sample", "passage")[:labels], *"abc"[:learners]))
        (place / f"{name}.csv").write_text("\n".join([head, *lines]) + "\n")
    lines = [f"P{i % 12},{value[0]},{value[1]}" for i, value in enumerate(values)]
    (place / "patients.csv").write_text("\n".join(["patient,a,b", *lines]) + "\n")
    return place


def test_seeds_from_a_pilot(errbar, folder):
    how = (
        "--difference",
        "0.3",
        "--seeds",
        "6",
        "--examples",
        "200",
        "--cost-seed",
        "3",
        "--cost-example",
        "0.05",
    )
    outcome = errbar("power", folder / "two.csv", *ROLES, *how, "--json")
    table = library.read_table(folder / "two.csv", example="question", seed="sample")
    expected = planning.plan_study(
        planning.pilot(table, design="crossed"),
        seeds=6,
        examples=200,
        difference=0.3,
        cost_seed=3,
        cost_example=0.05,
    )
    assert outcome.data == expected.to_dict()
    assert errbar("power", folder / "two.csv", *ROLES, *how).out == f"{expected}\n"


def test_shared_seeds_and_passages(errbar, folder):
    shared = errbar("power", folder / "two.csv", *ROLES, "--shared-seeds", "--json").data
    assert shared["components"]["learners"] == []
    grouped = errbar("power", folder / "grouped.csv", *ROLES, "--groups", "passage", "--json").data
    assert grouped["components"]["units"] == pytest.approx(10 / 40)


def test_clusters_from_a_pilot(errbar, folder):
    outcome = errbar(
        "power", folder / "patients.csv", "--design", "clusters", "--groups", "patient", "--json"
    )
    assert (outcome.data["method"], outcome.data["sizes"]) == ("cluster-t", [12, 10])
    seeds = ("--groups", "passage", "--example", "question", "--seed", "sample")
    refused(errbar("power", folder / "grouped.csv", "--design", "clusters", *seeds))


def test_from_stated_components(errbar):
    seeds = errbar("power", *CROSSED, "--seeds", "5", "--examples", "200", "--json").data
    parts = planning.CrossedComponents(0.02**2, 0.4**2, 0.2**2)
    assert seeds == planning.plan_study(parts, seeds=5, examples=200).to_dict()
    clusters = errbar(
        "power",
        *CLUSTERS,
        "--clusters",
        "40",
        "--per-cluster",
        "5",
        "--difference",
        "0.1",
        "--json",
    )
    parts = planning.ClusterComponents(0.14**2, 0.42**2)
    assert (
        clusters.data
        == planning.plan_study(parts, clusters=40, per_cluster=5, difference=0.1).to_dict()
    )


@pytest.mark.parametrize(
    "how",
    [
        (*CROSSED, "--seeds", "5", "--examples", "200"),
        (*CLUSTERS, "--clusters", "40", "--per-cluster", "5"),
    ],
)
def test_the_plot_is_written(errbar, how, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = errbar("power", *how, "--difference", "0.1", "--out", "power.svg")
    assert outcome.status == 0
    assert (tmp_path / "power.svg").stat().st_size > 1000


SIZES = ("--seeds", "5", "--examples", "200")
REFUSED = {
    "design": (
        ("--design", "cross"),
        None,
    ),
    "no sizes": (CROSSED, None),
    "a deviation is missing": ((*CROSSED[:-2], *SIZES), None),
    "none is positive": (("--design", "clusters", "--cluster-sd", "0", "--within-sd", "0"), None),
    "negative": (
        ("--design", "clusters", "--cluster-sd", "-1", "--within-sd", "0"),
        None,
    ),
    "few clusters": ((*CLUSTERS, "--clusters", "4", "--per-cluster", "5"), "clusters"),
    "one cost": ((*CROSSED, *SIZES, "--cost-seed", "3"), "cost_example"),
    "cost": ((*CROSSED, *SIZES, "--cost-seed", "-3", "--cost-example", "1"), "cost_seed"),
    "of clusters": (
        (*CROSSED, "--clusters", "5"),
        None,
    ),
    "of splits": ((*CROSSED, "--n-train", "5"), None),
    "of designs": (
        ("--deviation", "1", "--cost-example", "1"),
        None,
    ),
    "columns without a file": (
        (*CROSSED, *SIZES, "--seed", "s"),
        None,
    ),
    "shared without a file": ((*CROSSED, *SIZES, "--shared-seeds"), None),
}


@pytest.mark.parametrize(("arguments", "argument"), REFUSED.values(), ids=REFUSED)
def test_refused(errbar, arguments, argument):
    refused(errbar("power", *arguments), argument)


FILES = {
    "no seeds": ("two.csv", ("--design", "crossed")),
    "no groups": ("patients.csv", ("--design", "clusters")),
    "stated beside": ("two.csv", (*ROLES, "--seed-sd", "1")),
    "three learners": ("three.csv", ROLES),
    "constant difference": ("three.csv", (*ROLES, "--pair", "b,c", "--shared-seeds")),
}


@pytest.mark.parametrize(("name", "arguments"), FILES.values(), ids=FILES)
def test_refused_of_a_file(errbar, folder, name, arguments):
    refused(errbar("power", folder / name, *arguments))
