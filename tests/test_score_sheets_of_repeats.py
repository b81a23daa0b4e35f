"""Which column of a sheet numbers repeats, folds or seeds, by its name and by how the columns cross."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import errbar
from errbar import from_scores, read_scores
from errbar.errors import InvalidInputError

SIZES = {"n_train": 900, "n_test": 100}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(frame):
    frame.to_csv("scores.csv", index=False)
    return "scores.csv"


def notes(table):
    return {note.code: note.numbers for note in table.notes}


class TestRepeatsFoldsAndSeeds:
    """Ten times ten folds under the names that people give them."""

    @pytest.fixture
    def scores(self):
        rng = np.random.default_rng(3)
        frame = pd.DataFrame({"r": np.repeat(range(10), 10), "f": np.tile(range(10), 10)})
        return frame.assign(a=rng.normal(0.8, 0.05, 100).round(4), b=rng.normal(0.8, 0.05, 100).round(4))

    @pytest.fixture
    def refits(self):
        """Ten folds with five seeds each: a fold has its own difficulty."""
        rng = np.random.default_rng(4)
        frame = pd.DataFrame({"seed": np.repeat(range(5), 10), "fold": np.tile(range(10), 5)})
        hard = rng.normal(0.8, 0.05, 10)[frame["fold"]]
        return frame.assign(a=(hard + rng.normal(0, 0.01, 50)).round(4), b=(hard + rng.normal(0, 0.01, 50)).round(4))

    @pytest.mark.parametrize("repeat", ["repeat", "rep", "repetition", "Replicate", "repeat_no", "round", "cv_repeat"])
    @pytest.mark.parametrize("fold", ["fold", "fold_id", "cv", "k", "outer_fold"])
    def test_repeats_and_folds_by_name(self, scores, repeat, fold):
        frame = scores.rename(columns={"r": repeat, "f": fold})
        wanted = from_scores(scores[["a", "b"]].to_numpy(), repeat=scores["r"], fold=scores["f"], **SIZES)
        long = frame.melt([repeat, fold], var_name="model", value_name="value")
        for table in (
            read_scores(written(frame), **SIZES),
            from_scores(frame, **SIZES),
            errbar.from_long(long, "model", "value", **SIZES),
        ):
            assert table.splits.kinds == ("kfold",)
            assert table.learners == ("a", "b")
            assert np.array_equal(table.splits.labels["repeat"], wanted.splits.labels["repeat"])
            assert np.array_equal(table.scores, wanted.scores)

    @pytest.mark.parametrize("name", ["experiment", "permutation", "Durchlauf", "run"])
    def test_any_other_column_that_crosses_the_folds_is_asked_about(self, scores, name):
        frame = scores.rename(columns={"r": name, "f": "fold"})
        with pytest.raises(InvalidInputError):
            read_scores(written(frame))

    def test_rows_that_share_a_fold_are_said_to_be_examples(self, scores):
        told = read_scores(written(scores[["f", "a", "b"]].rename(columns={"f": "fold"})))
        assert notes(told)["taken-as"]["kind"] == "a test example"

    @pytest.mark.parametrize("read", ["file", "frame", "long"])
    def test_seeds_that_refit_the_same_folds(self, refits, read):
        table = self.seeds_of(refits, read)
        assert table.splits.designs[0].seeds == 5
        assert notes(table)["taken-as"]["say"] == ("repeat=seed",)

    @pytest.mark.parametrize("read", ["file", "frame", "long"])
    def test_seeds_that_shuffle_the_folds(self, scores, read):
        """Read as refits, two equal learners were told apart at 5 % in 18 % of tables."""
        frame = scores.rename(columns={"r": "seed", "f": "fold"})
        table = self.seeds_of(frame, read)
        assert table.splits.designs[0].seeds == 1
        assert np.array_equal(table.splits.labels["repeat"], scores["r"])
        assert notes(table)["taken-as"]["say"] == ("seed=seed",)

    @staticmethod
    def seeds_of(frame, read):
        if read == "long":
            long = frame.melt(["seed", "fold"], var_name="model", value_name="value")
            return errbar.from_long(long, "model", "value", **SIZES)
        return from_scores(frame, **SIZES) if read == "frame" else read_scores(written(frame), **SIZES)

    def test_what_is_stated_is_not_looked_at(self, scores, refits):
        frame = scores.rename(columns={"r": "seed", "f": "fold"})
        assert read_scores(written(frame), roles={"seed": "seed"}, **SIZES).splits.designs[0].seeds == 10
        table = read_scores(written(refits), roles={"repeat": "seed"}, **SIZES)
        assert table.splits.designs[0].seeds == 1
        assert "taken-as" not in notes(table)

    def test_how_often_either_is_mistaken_for_the_other(self):
        """With two seeds and five folds: refits whose folds differ as those of 100 examples do, and folds that are shuffled."""
        mistaken = np.zeros(2, dtype=int)
        for i in range(200):
            rng = np.random.default_rng(i)
            hard = rng.normal(0.8, 0.04, 5)
            for refit in (True, False):
                values = {n: np.tile(hard, 2) * refit + rng.normal(0, 0.01, 10) for n in "ab"}
                frame = pd.DataFrame({"seed": np.repeat([0, 1], 5), "fold": np.tile(range(5), 2), **values})
                mistaken[int(refit)] += (from_scores(frame, **SIZES).splits.designs[0].seeds == 2) != refit
        assert binom.sf(mistaken[0] - 1, 200, 0.01) > 1e-3
        assert mistaken[1] < 60  # the wider reading is the safer one


class TestDependentNumbers:
    """What was correlated beside a column of dates or groups was once taken as independent, in frames at least."""

    @pytest.fixture
    def series(self):
        rng = np.random.default_rng(5)
        common = np.convolve(rng.normal(size=109), np.ones(10) / 3, "valid")
        days = pd.date_range("2024-01-01", periods=100, name="when")
        return pd.DataFrame({"a": 5 + common, "b": 5 + rng.normal(size=100)}, index=days)

    @pytest.fixture
    def passages(self):
        rng = np.random.default_rng(6)
        alike = np.repeat(rng.normal(size=20), 5)
        return pd.DataFrame(
            {"passage": np.repeat([f"p{i}" for i in range(20)], 5), "a": 5 + alike, "b": 5 + rng.normal(size=100)}
        )

    def test_dates_of_an_index(self, series):
        with pytest.raises(InvalidInputError):
            errbar.from_losses(series)
        table = errbar.from_losses(series, time=series.index)
        assert table.learners == ("a", "b")
        assert "read" not in notes(table)
        assert errbar.from_losses(series, names=["a", "b"]).learners == ("a", "b")

    def test_passages(self, passages):
        for read in (lambda: errbar.from_losses(passages), lambda: read_scores(written(passages), pointwise=True)):
            with pytest.raises(InvalidInputError):
                read()
        table = errbar.from_losses(passages, groups=passages["passage"])
        assert table.splits.designs[0].clusters is not None
        calm = passages.assign(a=5 + np.random.default_rng(7).normal(size=100))
        assert notes(errbar.from_losses(calm))["read"]["perhaps"] == ("groups=passage",)

    @pytest.mark.parametrize("named", [False, True])
    def test_learners_of_a_long_table_are_not_pooled(self, named):
        frame = pd.DataFrame({"model": ["a", "b"] * 10, "fold": np.repeat(range(10), 2), "accuracy": 0.8, "f1": 0.7})
        chosen = {"names": ["accuracy"]} if named else {}
        with pytest.raises(InvalidInputError):
            read_scores(written(frame), **SIZES, **chosen)
        with pytest.raises(InvalidInputError):
            from_scores(frame, **SIZES, **chosen)


def rejected(tables, rng):
    """Return how many tables of two equal learners are told apart at 5 %, with seeds that shuffle ten folds read as refits and as repeats."""
    n, seeds, folds = 200, 5, 10
    labels = {"fold": np.tile(np.arange(folds), seeds)}
    seed = np.repeat(np.arange(seeds), folds)
    found = np.zeros(2, dtype=int)
    for _ in range(tables):
        X = rng.normal(size=(n, 20))
        y = X[:, 0] + X[:, 10] + rng.normal(size=n)
        scores = []
        for _ in range(seeds):
            for test in rng.permutation(n).reshape(folds, -1):
                train = np.setdiff1d(np.arange(n), test)
                fits = [(c, np.linalg.lstsq(X[train, c], y[train], rcond=None)[0]) for c in (slice(10), slice(10, 20))]
                scores.append([((y[test] - X[test, c] @ fit) ** 2).mean() for c, fit in fits])
        for i, role in enumerate(("seed", "repeat")):
            table = from_scores(np.array(scores), n_train=180, n_test=20, **labels, **{role: seed})
            found[i] += errbar.infer(table, "corrected-t", "learner 1", minus="learner 2").pvalue < 0.05
    return found


@pytest.mark.thorough
def test_seeds_that_shuffle_are_no_refits():
    """Why errbar asks: the page on numbers of your own quotes the rate over 2000 tables."""
    refits, repeats = rejected(200, np.random.default_rng(0))
    assert binom.sf(refits - 1, 200, 0.05) < 1e-3
    assert binom.sf(repeats - 1, 200, 0.05) > 1e-3
