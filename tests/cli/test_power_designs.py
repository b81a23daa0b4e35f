"""errbar power for seeds against examples and for clusters."""

import numpy as np
import pytest

import errbar as library
from errbar import planning
from tests.cli.test_errors import refused

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


CLUSTERS = ("--design", "clusters", "--groups", "patient")


@pytest.mark.parametrize(("name", "how"), [("two.csv", ROLES), ("patients.csv", CLUSTERS)])
def test_the_plot_is_written(errbar, folder, name, how, tmp_path):
    outcome = errbar("power", folder / name, *how, "--difference", "0.1", "--out", "power.svg")
    assert outcome.status == 0
    assert (tmp_path / "power.svg").stat().st_size > 1000


FILES = {
    "no seeds": ("two.csv", ("--design", "crossed")),
    "no groups": ("two.csv", ("--design", "clusters", "--example", "question", "--seed", "sample")),
    "design": ("two.csv", ("--design", "cross")),
    "assumed beside": ("two.csv", (*ROLES, "--deviation", "1")),
    "few clusters": ("patients.csv", (*CLUSTERS, "--clusters", "4", "--per-cluster", "5")),
    "one cost": ("two.csv", (*ROLES, "--cost-seed", "3")),
    "cost": ("two.csv", (*ROLES, "--cost-seed", "-3", "--cost-example", "1")),
    "of clusters": ("two.csv", (*ROLES, "--clusters", "5")),
    "of no design": ("two.csv", (*ROLES, "--repeats", "5")),
    "three learners": ("three.csv", ROLES),
    "constant difference": ("three.csv", (*ROLES, "--pair", "b,c", "--shared-seeds")),
}


@pytest.mark.parametrize(("name", "arguments"), FILES.values(), ids=FILES)
def test_refused_of_a_file(errbar, folder, name, arguments):
    refused(errbar("power", folder / name, *arguments))
