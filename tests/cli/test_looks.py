"""``errbar compare --looks``: what it prints, keeps and refuses."""

import pytest

from tests.cli.conftest import NEIGHBOURS, TREE
from tests.cli.test_errors import refused

pytestmark = pytest.mark.long

MAJORITY = "none=sklearn.dummy.DummyClassifier(strategy='most_frequent')"
MODELS = ("--model", TREE, "--model", NEIGHBOURS, "--model", MAJORITY)


@pytest.fixture
def ask(errbar, folder):
    def call(*more):
        return errbar("compare", folder / "iris.csv", "--target", "species", *MODELS, *more)

    return call


@pytest.mark.thorough
def test_json_and_store(ask):
    first = ask("--looks", "8,16,30", "--json", "--store", "runs.db")
    looks, counts = first.data["looks"], first.data["counts"]
    assert looks["planned"] == [8, 16, 30]
    assert looks["splits"]["none"] == 8
    assert counts["fits"] == sum(looks["splits"].values())
    again = ask("--looks", "8,16,30", "--json", "--store", "runs.db")
    assert again.data["counts"]["fits"] == 0
    assert (again.data["pairs"], again.data["looks"]) == (first.data["pairs"], looks)


def test_without_looks_there_are_none(ask):
    assert ask("--json").data["looks"] is None


def test_a_gate_is_judged_by_the_splits_of_its_pair(ask):
    assert ask("--looks", "8,16", "--fail-if", "tree worse-than none by 0").status == 0
    assert ask("--looks", "8,16", "--fail-if", "none worse-than tree by 0").status == 1


def test_other_splits_and_method(ask):
    found = ask(
        "--looks",
        "8,16",
        "--plan",
        "Subsampling(n_test=0.2)",
        "--stratify",
        "--method",
        "corrected-t",
        "--json",
    )
    assert found.status == 0
    assert found.data["n_train"] == 120


@pytest.mark.parametrize(
    ("more", "argument"),
    [
        (("--looks", "8,x"), None),
        (("--looks", "16,8"), "looks"),
        (("--looks", "8,16", "--plan", "5"), "looks"),
        (("--looks", "8,16", "--method", "cv-wald"), "looks"),
        (("--looks", "8,16", "--adjust", "benjamini-hochberg"), "adjust"),
    ],
)
def test_refused(ask, more, argument):
    refused(ask(*more), argument)
