"""Several methods of one run, plans as text, ranks, and which methods fit."""

import json

import numpy as np
import pandas as pd
import pytest

from errbar.methods import METHODS, catalogue
from tests.cli.conftest import NEIGHBOURS, TREE
from tests.cli.test_errors import refused

COMPARE = ("--target", "species", "--model", TREE, "--model", NEIGHBOURS)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """Files with numbers of one's own."""
    place = tmp_path_factory.mktemp("numbers")
    rng = np.random.default_rng(0)
    accuracies = pd.DataFrame(rng.normal([0.9, 0.8, 0.8], 0.02, (12, 3)), columns=["a", "b", "c"])
    accuracies.insert(0, "data set", [f"set {i}" for i in range(12)])
    accuracies.to_csv(place / "accuracies.csv", index=False)
    folds = pd.DataFrame({"a": rng.normal(0.3, 0.02, 10), "b": rng.normal(0.27, 0.02, 10)})
    folds.to_csv(place / "folds.csv", index=False)
    folds[["a"]].to_csv(place / "one.csv", index=False)
    nested = []
    for k in range(3):
        parts = np.array_split(np.arange(12), 3)
        nested += [(0, k, -1, i, rng.random()) for i in parts[k]]
        nested += [(0, k, j, i, rng.random()) for j in range(3) if j != k for i in parts[j]]
    pd.DataFrame(nested, columns=["repeat", "fold", "inner", "example", "loss"]).to_csv(
        place / "nested.csv", index=False
    )
    whole = pd.DataFrame(
        {"halving": -1, "half": -1, "repeat": range(3), "a": rng.random(3), "b": rng.random(3)}
    )
    half = [
        (m, h, j, rng.random(), rng.random()) for m in range(4) for h in (0, 1) for j in range(3)
    ]
    halves = pd.DataFrame(half, columns=["halving", "half", "repeat", "a", "b"])
    pd.concat([whole, halves]).to_csv(place / "halves.csv", index=False)
    return place


class TestSeveralMethods:
    def test_one_run_answers_all(self, errbar, folder):
        outcome = errbar(
            "compare", folder / "iris.csv", *COMPARE, "--method", "corrected-t", "--method", "nested-cv",
            "--plan", "KFold(folds=5, repeats=2)", "--plan", "NestedKFold(folds=5, repeats=2)", "--json",
        )  # fmt: skip
        assert outcome.status == 0
        assert [one["method"] for one in outcome.data["comparisons"]] == [
            "corrected-t",
            "nested-cv",
        ]
        assert outcome.data["counts"]["fits"] == 2 * 2 * 15
        assert outcome.data["method"] == "corrected-t"

    def test_default_plans_are_added_up(self, errbar, folder):
        outcome = errbar(
            "compare",
            folder / "iris.csv",
            *COMPARE,
            "--method",
            "cv-wald",
            "--method",
            "kfold-t",
            "--json",
        )
        assert outcome.data["counts"]["fits"] == 20

    def test_an_option_goes_to_the_methods_that_have_it(self, errbar, folder):
        outcome = errbar(
            "compare", folder / "iris.csv", *COMPARE, "--method", "cv-wald", "--method", "kfold-t", "--option", "rho=0.7",
            "--json",
        )  # fmt: skip
        assert [one["options"] for one in outcome.data["comparisons"]] == [{}, {"rho": 0.7}]

    def test_one_report_holds_all_methods(self, errbar, folder, tmp_path):
        errbar(
            "compare", folder / "iris.csv", *COMPARE, "--method", "cv-wald", "--method", "kfold-t",
            "--out", tmp_path / "report.md",
        )  # fmt: skip
        [report] = tmp_path.glob("*.md")
        assert report.name == "report.md"
        assert all(key in report.read_text(encoding="utf-8") for key in ("cv-wald", "kfold-t"))

    def test_parameters_of_plans(self, errbar, folder):
        outcome = errbar(
            "compare", folder / "iris.csv", *COMPARE, "--method", "conservative-z", "--plan",
            "PairedHalves(repeats=3, halvings=2, n_test=0.2)", "--json",
        )  # fmt: skip
        assert outcome.data["counts"]["fits"] == 2 * (3 + 2 * 2 * 3)

    @pytest.mark.parametrize(
        ("arguments", "argument"),
        [
            (("--plan", "KFold(folds=1)"), "folds"),
            (("--plan", "Folds()"), None),
            (("--plan", "KFold(folds=__import__('os'))"), None),
            (("--plan", "Seeds(5, 6, 7)"), "plan"),
            (("--plan", "Seeds(5, seeds=6)"), None),
            (("--plan", "Seeds(plan=Nothing())"), None),
            (("--plan", "Seeds(5, plan=Holdout(size=3))"), None),
            (("--plan", "Seeds(plan=Seeds())"), "plan"),
            (("--plan", "RollingOrigin(n_train=149, n_test=2)"), "n_train"),
            (("--method", "5x2cv-t", "--stratify"), "stratify"),
            (("--plan", "KFold(size=3)"), None),
            (("--method", "wilcoxon"), None),
            (("--method", "corrected-t", "--method", "nothing"), "method"),
            (("--method", "mcnemar", "--loss", "log-loss"), None),
        ],
    )
    def test_bad_requests_are_one_line_and_status_2(self, errbar, folder, arguments, argument):
        refused(errbar("compare", folder / "iris.csv", *COMPARE, *arguments), argument)

    def test_a_method_of_pairs_evaluates_nobody(self, errbar, folder):
        refused(
            errbar(
                "evaluate",
                folder / "iris.csv",
                "--target",
                "species",
                "--model",
                TREE,
                "--method",
                "mcnemar",
            )
        )


class TestOwnNumbers:
    def test_nested_losses(self, errbar, numbers):
        outcome = errbar("test", numbers / "nested.csv", "--method", "nested-cv", "--json")
        assert outcome.status == 0
        assert outcome.data["result"]["method"] == "nested-cv"

    def test_scores_on_halves(self, errbar, numbers):
        outcome = errbar("test", numbers / "halves.csv", "--method", "conservative-z", "--json")
        assert outcome.status == 0
        assert outcome.data["pairs"][0]["df"] < 20

    def test_data_sets(self, errbar, numbers):
        outcome = errbar(
            "test",
            numbers / "accuracies.csv",
            "--method",
            "wilcoxon",
            "--higher-is-better",
            "--json",
        )
        assert outcome.status == 0
        assert outcome.data["overall"]["method"] == "friedman"
        assert [pair["a"] for pair in outcome.data["pairs"]] == ["a", "a", "b"]
        assert outcome.data["estimand"] == "DS"


class TestRanks:
    def test_text_and_picture(self, errbar, numbers, tmp_path):
        outcome = errbar(
            "ranks",
            numbers / "accuracies.csv",
            "--higher-is-better",
            "--out",
            tmp_path / "ranks.png",
        )
        assert outcome.status == 0
        assert (tmp_path / "ranks.png").stat().st_size > 5000

    def test_json(self, errbar, numbers):
        data = errbar(
            "ranks",
            numbers / "accuracies.csv",
            "--higher-is-better",
            "--post-hoc",
            "holm",
            "--json",
        ).data
        assert data["learners"][0]["name"] == "a"
        assert data["n_data_sets"] == 12

    def test_a_direction_that_nobody_states_is_noted_at_the_end(self, errbar, numbers):
        table = numbers / "accuracies.csv"
        assert "--higher-is-better" in errbar("ranks", table).out
        notes = errbar("ranks", table, "--json").data["notes"]
        assert [note["code"] for note in notes if note["code"] != "read"] == ["direction"]
        for stated in ("--higher-is-better", "--lower-is-better"):
            notes = errbar("ranks", table, stated, "--json").data["notes"]
            assert {note["code"] for note in notes} <= {"read"}

    @pytest.mark.parametrize(
        ("arguments", "argument"),
        [
            (("--post-hoc", "tukey"), "post_hoc"),
            (("--baseline", "z"), "baseline"),
            (("--out", "ranks.docx"), None),
        ],
    )
    def test_bad_requests(self, errbar, numbers, arguments, argument):
        refused(errbar("ranks", numbers / "accuracies.csv", *arguments), argument)

    def test_one_learner(self, errbar, numbers):
        refused(errbar("ranks", numbers / "one.csv"))

    def test_a_long_table_is_read_by_its_names(self, errbar, tmp_path):
        rows = [
            f"{name},{learner},0.{i}{j}"
            for i, name in enumerate("abcdef")
            for j, learner in enumerate(("svm", "rf"))
        ]
        path = tmp_path / "long.csv"
        path.write_text("\n".join(["dataset,model,accuracy", *rows]))
        assert errbar("ranks", path, "--json").data["n_data_sets"] == 6
        long = (
            "--learner",
            "model",
            "--value",
            "accuracy",
            "--higher-is-better",
            "--kind",
            "data-sets",
        )
        assert errbar("test", path, *long).status == 0


class TestCatalogue:
    def test_which_methods_fit(self, errbar, numbers):
        rows = errbar("methods", "--for", numbers / "folds.csv", "--kind", "kfold", "--json").data
        assert {row["key"] for row in rows} == set(catalogue())
        assert {row["suitable"] for row in rows} == {True, False}

    @pytest.mark.long
    @pytest.mark.parametrize("key", list(catalogue()))
    def test_every_method_is_explained(self, errbar, key):
        method = catalogue()[key]
        text = " ".join(errbar("methods", key).out.split())
        for part in ("claim", "formula", "fits", "references", *(name for name in method.options)):
            assert part in text
        for sentence in method.assumptions:
            assert sentence in text
        assert json.loads(errbar("methods", key, "--json").out)["assumptions"] == list(
            method.assumptions
        )

    def test_every_method_states_its_assumptions(self):
        assert [key for key, method in METHODS.items() if not method.assumptions] == []
