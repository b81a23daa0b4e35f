"""The same on the command line: what a design forbids is refused in one line, and labels are no learners."""

import numpy as np
import pandas as pd
import pytest

import errbar as eb

SCORES = {"old": [0.30, 0.31, 0.29, 0.33, 0.30], "new": [0.28, 0.30, 0.27, 0.31, 0.29]}


@pytest.fixture
def write(tmp_path):
    def to_file(name, **columns):
        path = tmp_path / name
        pd.DataFrame(columns).to_csv(path, index=False)
        return path

    return to_file


@pytest.fixture
def losses(rng):
    """Losses of two models on 100 questions with 3 answers each, in passages of 5 questions."""
    question = np.repeat(np.arange(100), 3)
    return {
        "question": question,
        "sample": np.tile(np.arange(3), 100),
        "passage": question // 5,
        "old": (rng.uniform(size=300) < 0.3).astype(float),
        "new": (rng.uniform(size=300) < 0.3).astype(float),
    }


def read(outcome):
    """How columns were read."""
    return next(note["numbers"] for note in outcome.data["notes"] if note["code"] == "read")


def refused(outcome):
    assert outcome.status == 2
    assert outcome.out == ""
    assert len(outcome.err.splitlines()) == 1


class TestSeeds:
    def test_seeds_on_one_test_set(self, errbar, write):
        path = write("seeds.csv", seed=range(5), **SCORES)
        sizes = ("--n-train", "900", "--n-test", "300")
        refused(errbar("test", path, "--seed", "seed", *sizes))
        refused(errbar("test", path, "--method", "corrected-t", "--seed", "seed", *sizes))

    def test_a_seed_column_is_no_learner(self, errbar, write):
        path = write("seeds.csv", seed=range(5), **SCORES)
        sizes = ("--n-train", "90", "--n-test", "10")
        refused(errbar("test", path, *sizes))
        outcome = errbar("test", path, *sizes, "--repeat", "seed", "--json")
        assert [learner["name"] for learner in outcome.data["learners"]] == ["old", "new"]
        plain = errbar("test", write("plain.csv", **SCORES), *sizes, "--json")
        for one, other in zip(outcome.data["pairs"], plain.data["pairs"], strict=True):
            assert (one["estimate"], one["se"], one["df"]) == (
                other["estimate"],
                other["se"],
                other["df"],
            )

    def test_repeats_under_another_name_are_no_test_examples(self, errbar, write):
        path = write(
            "runs.csv",
            fold=[0, 1, 2, 3, 4] * 2,
            run=np.repeat([0, 1], 5),
            old=np.arange(10) / 30,
            new=0.2,
        )
        sizes = ("--n-train", "90", "--n-test", "10")
        for given in ((), sizes):
            refused(errbar("test", path, *given))
        outcome = errbar("test", path, *sizes, "--repeat", "run", "--json")
        assert outcome.data["n_splits"] == 10
        path = write("folds.csv", fold=[0, 1, 2, 3, 4] * 2, old=np.arange(10) / 30, new=0.2)
        refused(errbar("test", path, *sizes))

    def test_one_column_is_one_thing(self, errbar, write):
        path = write("twice.csv", question=range(5), **SCORES)
        outcome = errbar("test", path, "--example", "question", "--groups", "question")
        refused(outcome)

    @pytest.mark.parametrize("name", ["run", "trial", "iteration", "id", "index", "sample", "line"])
    def test_nor_are_columns_that_number_the_rows(self, errbar, write, name):
        path = write("numbered.csv", **{name: range(1, 6)}, **SCORES)
        sizes = ("--n-train", "90", "--n-test", "10")
        refused(errbar("test", path, *sizes))
        outcome = errbar("test", path, "--split", name, *sizes, "--json")
        assert [learner["name"] for learner in outcome.data["learners"]] == ["old", "new"]

    def test_an_index_that_pandas_wrote(self, errbar, tmp_path):
        pd.DataFrame(SCORES).to_csv(tmp_path / "indexed.csv")
        outcome = errbar(
            "test", tmp_path / "indexed.csv", "--n-train", "90", "--n-test", "10", "--json"
        )
        assert [learner["name"] for learner in outcome.data["learners"]] == ["old", "new"]


class TestAnswers:
    def test_several_answers_to_a_question(self, errbar, write, losses):
        path = write(
            "answers.csv", **{name: losses[name] for name in ("question", "sample", "old", "new")}
        )
        facts = ("--example", "question", "--seed", "sample")
        assert errbar("test", path, *facts, "--json").data["method"] == "crossed-t"
        refused(errbar("test", path, *facts, "--method", "holdout-t"))
        refused(errbar("test", path, "--example", "question"))
        answers = errbar("test", path, "--example", "question", "--answer", "sample", "--json").data
        gap = (losses["old"] - losses["new"]).reshape(100, 3).mean(axis=1)
        assert answers["method"] == "holdout-t"
        assert answers["pairs"][0]["estimate"] == pytest.approx(gap.mean())
        assert answers["pairs"][0]["se"] == pytest.approx(gap.std(ddof=1) / 10.0)

    def test_answers_without_their_question(self, errbar, write, losses):
        path = write(
            "answers.csv", **{name: losses[name] for name in ("question", "sample", "old", "new")}
        )
        refused(errbar("test", path, "--answer", "sample"))
        refused(
            errbar(
                "test", path, "--kind", "data-sets", "--example", "question", "--answer", "sample"
            )
        )

    def test_a_pilot_with_answers_is_planned_with_questions_as_clusters(
        self, errbar, write, losses
    ):
        path = write(
            "answers.csv", **{name: losses[name] for name in ("question", "sample", "old", "new")}
        )
        asked = ("power", path, "--difference", "0.1")
        refused(
            errbar(*asked, "--design", "crossed", "--example", "question", "--answer", "sample")
        )
        clusters = ("--design", "clusters", "--groups", "question")
        found = errbar(*asked, *clusters, "--ignore", "sample", "--json").data
        assert found["prospects"][0]["sizes"] == [100, 3]

    def test_means_of_answers_are_right(self, errbar, write, losses):
        means = {name: losses[name].reshape(100, 3).mean(axis=1) for name in ("old", "new")}
        outcome = errbar(
            "test",
            write("means.csv", **means),
            "--kind",
            "examples",
            "--method",
            "holdout-t",
            "--json",
        )
        assert outcome.status == 0


class TestGroups:
    @pytest.mark.parametrize(
        "method", ["holdout-t", "permutation", "mcnemar", "paired-proportions"]
    )
    def test_passages(self, errbar, write, losses, method):
        own = {name: losses[name][::3] for name in ("passage", "old", "new")}
        call = ("test", write("passages.csv", **own), "--groups", "passage")
        refused(errbar(*call, "--method", method))
        assert errbar(*call, "--method", "cluster-t", "--json").data["method"] == "cluster-t"

    def test_methods_for_a_file(self, errbar, write, losses):
        own = {name: losses[name][::3] for name in ("passage", "old", "new")}
        outcome = errbar(
            "methods", "--for", write("passages.csv", **own), "--groups", "passage", "--json"
        )
        found = {row["key"]: row for row in outcome.data}
        assert not found["holdout-t"]["suitable"]
        assert found["cluster-t"]["suitable"]

    def test_data_sets_in_groups(self, errbar, write, rng):
        path = write(
            "laboratories.csv",
            laboratory=list("aabbc"),
            old=rng.uniform(size=5),
            new=rng.uniform(size=5),
        )
        outcome = errbar("test", path, "--kind", "data-sets", "--groups", "laboratory")
        refused(outcome)
        folds = write("folds.csv", fold=range(5), old=rng.uniform(size=5), new=rng.uniform(size=5))
        refused(errbar("ranks", folds))

    def test_grouped_folds(self, errbar, write, rng):
        path = write(
            "patients.csv",
            x=rng.uniform(size=120),
            patient=np.repeat(np.arange(30), 4),
            y=(rng.uniform(size=120) < 0.5).astype(int),
        )
        call = (
            "evaluate",
            path,
            "--target",
            "y",
            "--groups",
            "patient",
            "--model",
            "sklearn.dummy.DummyClassifier",
        )
        refused(errbar(*call, "--plan", "5", "--method", "cv-wald"))
        assert errbar(*call, "--plan", "5", "--quiet").status == 0

    def test_a_column_that_is_not_there(self, errbar, write, losses):
        outcome = errbar("test", write("a.csv", old=losses["old"]), "--groups", "passage")
        refused(outcome)


class TestTime:
    def test_losses_in_time(self, errbar, write, rng):
        days = pd.date_range("2026-01-01", periods=60).strftime("%Y-%m-%d")
        path = write("days.csv", day=days, old=rng.uniform(size=60), new=rng.uniform(size=60))
        refused(errbar("test", path, "--time", "day", "--method", "holdout-t"))
        assert errbar("test", path, "--time", "day", "--json").data["method"] == "diebold-mariano"

    def test_series_in_time(self, errbar, write, rng):
        """30 series of 24 months: groups and time are two facts, and one method takes both."""
        gap = 0.5 * np.tile(rng.normal(size=24), 30) + rng.normal(size=720)
        roles = {"series": np.repeat(np.arange(30), 24), "month": np.tile(np.arange(24), 30)}
        path = write("series.csv", old=4.0 + gap, new=np.full(720, 4.0), **roles)
        call = ("test", path, "--columns", "old,new", "--time", "month")
        both = errbar(*call, "--groups", "series", "--json").data
        assert (both["method"], both["pairs"][0]["estimate"]) == (
            "two-way-t",
            pytest.approx(gap.mean()),
        )
        refused(errbar(*call, "--groups", "series", "--method", "cluster-t"))
        refused(errbar(*call))
        alone = errbar(*call, "--kind", "examples", "--ignore", "series", "--json").data
        means = gap.reshape(30, 24).mean(axis=0)
        assert (alone["method"], alone["pairs"][0]["df"]) == ("diebold-mariano", 23)
        assert alone["pairs"][0]["estimate"] == pytest.approx(means.mean())
        assert alone["pairs"][0]["se"] == pytest.approx(means.std(ddof=1) / 24**0.5)

    def test_random_splits_of_data_in_time(self, errbar, write, rng):
        days = pd.date_range("2026-01-01", periods=60).strftime("%Y-%m-%d")
        path = write("sales.csv", day=days, x=rng.uniform(size=60), sales=rng.uniform(size=60))
        call = (
            "evaluate",
            path,
            "--target",
            "sales",
            "--time",
            "day",
            "--model",
            "sklearn.dummy.DummyRegressor",
        )
        outcome = errbar(*call, "--plan", "5", "--json", "--quiet")
        assert outcome.status == 0
        assert "order-in-time" in [note["code"] for note in outcome.data["notes"]]
        refused(errbar(*call, "--method", "cv-wald"))


class TestStratified:
    def test_the_variance_between_classes_is_added(self, errbar, write, rng):
        y = np.arange(300) % 10 == 0
        path = write("rare.csv", x=rng.uniform(size=300), y=y.astype(int))
        call = (
            "evaluate",
            path,
            "--target",
            "y",
            "--model",
            "sklearn.dummy.DummyClassifier",
            "--json",
            "--quiet",
        )
        stratified, plain = errbar(*call, "--stratify"), errbar(*call)
        assert stratified.data["learners"][0]["se"] == pytest.approx(np.sqrt(0.09 / 299 * 7 / 6))
        assert plain.status == 0

    def test_undefined_splits(self, errbar, write, rng):
        y = np.arange(200) % 20 == 0
        path = write("rare.csv", x=rng.uniform(size=200), y=y.astype(int))
        call = (
            "evaluate",
            path,
            "--target",
            "y",
            "--model",
            "sklearn.dummy.DummyClassifier",
            "--quiet",
        )
        call = (*call, "--plan", "Subsampling()")
        for loss in ("f1", "recall", "precision", "balanced_accuracy", "matthews_corrcoef"):
            refused(errbar(*call, "--loss", loss))


def test_outperformance_is_for_bootstrap_samples(errbar, write, rng):
    path = write("seeds.csv", old=rng.uniform(size=30), new=rng.uniform(size=30))
    outcome = errbar("test", path, "--method", "outperformance", "--kind", "subsampling")
    refused(outcome)
    outcome = errbar("test", path, "--method", "outperformance", "--kind", "bootstrap", "--json")
    assert outcome.data["method"] == "outperformance"


def test_the_design_chooses(errbar, write, losses):
    own = {name: losses[name][::3] for name in ("old", "new")}
    path = write("losses.csv", example=range(100), **own)
    assert errbar("test", path, "--json").data["method"] == "paired-proportions"


class TestJudges:
    def frame(self, rng):
        truth = {name: rng.integers(0, 2, 80) for name in ("small", "large")}
        rows = [
            {
                "model": name,
                "question": f"q{i}",
                "people": own[i] if i % 4 == 0 else None,
                "says": own[i] if i % 7 else 1 - own[i],
            }
            for name, own in truth.items()
            for i in range(80)
        ]
        return pd.DataFrame(rows)

    def test_a_long_table(self, errbar, tmp_path, rng):
        frame = self.frame(rng).sample(frac=1.0, random_state=1)
        frame.to_csv(tmp_path / "judged.csv", index=False)
        columns = (
            "--learner",
            "model",
            "--value",
            "people",
            "--judge",
            "says",
            "--example",
            "question",
        )
        outcome = errbar("test", tmp_path / "judged.csv", *columns, "--higher-is-better", "--json")
        assert outcome.status == 0, outcome.err
        assert outcome.data["method"] == "ppi"
        order = frame.sort_values("question")
        parts = [order[order.model == name] for name in frame.model.unique()]
        people, judge = (
            {p.model.iloc[0]: p[c].to_numpy() for p in parts} for c in ("people", "says")
        )
        found = (
            eb.compare_table(eb.from_judged(people, judge, higher_is_better=True)).pairs[0].result
        )
        assert outcome.data["pairs"][0]["estimate"] == pytest.approx(found.estimate)
        assert outcome.data["pairs"][0]["se"] == pytest.approx(found.se)

    def test_one_model(self, errbar, tmp_path, rng):
        self.frame(rng)[:80].to_csv(tmp_path / "one.csv", index=False)
        outcome = errbar(
            "test", tmp_path / "one.csv", "--value", "people", "--judge", "says", "--json"
        )
        assert outcome.data["method"] == "ppi"

    @pytest.mark.parametrize(
        "words",
        [
            ("--judge", "says"),
            ("--judge", "says", "--value", "nobody"),
            ("--judge", "says", "--value", "people", "--groups", "model"),
            ("--judge", "people", "--value", "says"),
            ("--judge", "says", "--value", "people", "--example", "model"),
        ],
    )
    def test_refused(self, errbar, tmp_path, rng, words):
        self.frame(rng).to_csv(tmp_path / "judged.csv", index=False)
        outcome = errbar("test", tmp_path / "judged.csv", *words)
        assert outcome.status == 2
