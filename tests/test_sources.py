import gzip
import lzma

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import model_selection as ms
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import InvalidInputError, PairingError
from errbar.methods._splits import five_by_two
from errbar.methods.variance import ratio_of_sizes
from tests.forms import same_splits
from tests.refusals import refused

TREE, NEAR = [0.31, 0.28, 0.35], [0.25, 0.27, 0.26]
SCORES = {"tree": TREE, "near": NEAR}
INPUTS = {
    "dict": SCORES,
    "pandas": pd.DataFrame(SCORES),
    "polars": pl.DataFrame(SCORES),
    "arrays": {name: np.array(values) for name, values in SCORES.items()},
    "series": {name: pd.Series(values, index=[5, 6, 7]) for name, values in SCORES.items()},
}


class TestFromScores:
    @pytest.mark.parametrize("scores", INPUTS.values(), ids=INPUTS)
    def test_every_kind_of_columns(self, scores):
        table = errbar.from_scores(scores)
        assert table.learners == ("tree", "near")
        assert table.scores.tolist() == [TREE, NEAR]

    def test_an_array_has_a_column_per_learner(self):
        table = errbar.from_scores(np.array([TREE, NEAR]).T)
        assert table.learners == ("learner 1", "learner 2")
        assert table.scores.tolist() == [TREE, NEAR]

    def test_names_of_the_columns_of_an_array(self):
        assert errbar.from_scores(np.array([TREE, NEAR]).T, names=["a", "b"]).learners == ("a", "b")

    def test_a_single_column(self):
        assert errbar.from_scores(TREE).scores.tolist() == [TREE]

    def test_larger_is_worse_inside(self):
        assert errbar.from_scores(SCORES, higher_is_better=True).scores[0].tolist() == [
            -x for x in TREE
        ]

    def test_sizes_reach_the_view(self):
        table = errbar.from_scores(SCORES, n_train=[90, 80, 70], n_test=[10, 20, 35])
        assert ratio_of_sizes(table.losses("tree")) == pytest.approx((1 / 9 + 1 / 4 + 1 / 2) / 3)

    def test_splits_are_random_unless_folds_are_labelled(self):
        assert errbar.from_scores(SCORES).splits.kinds == ("subsampling",)
        assert errbar.from_scores(SCORES, fold=[0, 1, 2]).splits.kinds == ("kfold",)

    def test_repeats_follow_from_folds(self):
        table = errbar.from_scores({"a": range(6)}, fold=[0, 1, 2, 0, 1, 2])
        assert table.splits.labels["repeat"].tolist() == [0, 0, 0, 1, 1, 1]

    def test_repeats_follow_from_sizes(self):
        """A hundred tests on a tenth are ten partitions, and no method for a single one may have them."""
        table = errbar.from_scores({"a": np.arange(100.0)}, kind="kfold", n_train=94, n_test=11)
        assert table.splits.repeats(0) == 10
        with pytest.raises(errbar.UnsuitablePlanError):
            errbar.infer(table, "kfold-t")

    @pytest.mark.parametrize(
        "sizes", [{}, {"n_train": 90, "n_test": 10}, {"n_train": 50, "n_test": 20}]
    )
    def test_one_partition_where_sizes_say_nothing_else(self, sizes):
        assert (
            errbar.from_scores({"a": np.arange(10.0)}, kind="kfold", **sizes).splits.repeats(0) == 1
        )

    def test_five_by_two_in_order(self):
        table = errbar.from_scores({"a": np.arange(10.0)}, kind="5x2")
        assert five_by_two(table.losses("a"))[0].tolist() == np.arange(10.0).reshape(5, 2).tolist()

    @pytest.mark.parametrize("labels", [{"fold": [0, 1] * 5}, {"fold": [0] * 5 + [1] * 5}])
    def test_five_by_two_by_labels(self, labels):
        table = errbar.from_scores({"a": np.arange(10.0)}, kind="5x2", **labels)
        by_fold = np.argsort(labels["fold"], kind="stable")
        assert five_by_two(table.losses("a"))[0].T.ravel().tolist() == by_fold.tolist()

    def test_ten_folds_are_not_five_by_two(self):
        table = errbar.from_scores({"a": np.arange(10.0)}, kind="kfold", n_train=90, n_test=10)
        with pytest.raises(InvalidInputError):
            errbar.infer(table, "5x2cv-t")

    @pytest.mark.parametrize(
        ("scores", "options", "error", "argument"),
        [
            ({"a": [1, 2], "b": [1, 2, 3]}, {}, PairingError, None),
            ({"a": [1, np.nan]}, {}, InvalidInputError, "a"),
            ({"a": [1, None]}, {}, InvalidInputError, "a"),
            (pl.DataFrame({"a": [1.0, None]}), {}, InvalidInputError, "a"),
            ({"a": ["x", "y"]}, {}, InvalidInputError, "a"),
            (pd.DataFrame({"a": ["x", "y"]}), {}, InvalidInputError, "learner"),
            ({}, {}, InvalidInputError, None),
            ({"a": []}, {}, InvalidInputError, "a"),
            ([[1, 2], [3, 4]], {"names": ["a"]}, InvalidInputError, "names"),
            ([[1, 2], [3, 4]], {"names": ["a", "a"]}, InvalidInputError, None),
            (np.zeros((2, 2, 2)), {}, InvalidInputError, "scores"),
            (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, InvalidInputError, None),
            (SCORES, {"kind": "folds"}, InvalidInputError, "kind"),
            (SCORES, {"n_train": [90, 90]}, InvalidInputError, "n_train"),
            (SCORES, {"n_test": 0}, InvalidInputError, "n_test"),
            (SCORES, {"fold": [0, 1]}, InvalidInputError, "fold"),
            (SCORES, {"fold": [0, 0, 1], "repeat": 0}, InvalidInputError, None),
        ],
    )
    def test_refusals(self, scores, options, error, argument):
        with refused(argument, error):
            errbar.from_scores(scores, **options)

    def test_the_input_is_not_modified(self):
        mine = np.array(TREE)
        errbar.from_scores({"tree": mine}, higher_is_better=True)
        assert mine.tolist() == TREE
        assert mine.flags.writeable


class TestFromLosses:
    FOLD = (2, 0, 0, 1, 2, 0, 1)
    A = (1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.5)

    def test_scores_are_the_means_of_unequal_folds(self):
        table = errbar.from_losses({"a": self.A}, fold=self.FOLD)
        assert table.scores[0] == pytest.approx([1 / 3, 0.75, 0.5])
        assert table.splits.n_test.tolist() == [3, 2, 2]

    def test_training_sizes_follow_from_a_partition(self):
        assert errbar.from_losses({"a": self.A}, fold=self.FOLD).splits.n_train.tolist() == [
            4,
            5,
            5,
        ]

    def test_points_keep_their_examples(self):
        losses = errbar.from_losses({"a": self.A}, fold=self.FOLD).losses("a")
        assert all(losses.value[i] == self.A[e] for i, e in enumerate(losses.example))
        assert all(losses.fold[i] == self.FOLD[e] for i, e in enumerate(losses.example))

    def test_repeats(self):
        table = errbar.from_losses(
            {"a": np.arange(8.0)},
            fold=[0, 0, 1, 1] * 2,
            repeat=[0] * 4 + [1] * 4,
            example=[0, 1, 2, 3] * 2,
        )
        assert table.splits.repeats(0) == 2
        assert table.splits.n_train.tolist() == [2, 2, 2, 2]
        assert table.splits.kinds == ("kfold",)

    def test_one_fold_is_a_holdout(self):
        table = errbar.from_losses({"a": self.A}, n_train=20)
        assert (table.splits.kinds, table.splits.n_train.tolist()) == (("holdout",), [20.0])
        assert errbar.infer(table, "holdout-t").df == 6

    def test_one_fold_in_each_repeat_is_subsampling(self):
        table = errbar.from_losses({"a": self.A}, repeat=[0, 0, 0, 1, 1, 2, 2], n_train=5)
        assert table.splits.kinds == ("subsampling",)
        assert [note.code for note in errbar.infer(table, "corrected-t").notes] == [
            "assumed-random-splits"
        ]
        known = errbar.from_losses(
            {"a": self.A}, repeat=[0, 0, 0, 1, 1, 2, 2], example=[0, 1, 2, 1, 3, 0, 3], n_train=5
        )
        assert errbar.infer(known, "corrected-t").notes == ()

    def test_folds_that_test_an_example_twice_are_no_partition(self):
        table = errbar.from_losses({"a": self.A[:4]}, fold=[0, 0, 1, 1], example=[0, 1, 0, 1])
        assert table.splits.kinds == ("other",)
        with pytest.raises(errbar.UnsuitablePlanError):
            errbar.infer(table, "cv-wald")

    @pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
    def test_frames(self, make):
        assert errbar.from_losses(make({"a": self.A}), fold=self.FOLD).points.shape == (1, 7)

    @pytest.mark.parametrize(
        ("options", "argument"),
        [
            ({"fold": [0, 1]}, "fold"),
            ({"fold": [0.5] * 7}, "fold"),
            ({"example": [0, 1, 2, 3, 4, 5, 5]}, None),
            ({"n_train": -1}, "n_train"),
        ],
    )
    def test_refusals(self, options, argument):
        with refused(argument):
            errbar.from_losses({"a": self.A}, **options)

    def test_missing_losses_are_refused(self):
        with refused("a"):
            errbar.from_losses({"a": [0, 1, np.nan]})


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def validated(iris, cv, learner=None, **options):
    return ms.cross_validate(learner or GaussianNB(), *iris, cv=cv, return_indices=True, **options)


class TestFromCrossValidate:
    CV = ms.StratifiedKFold(7, shuffle=True, random_state=0)

    def test_indices_tell_sizes_and_kind(self, iris):
        results = {
            "nb": validated(iris, self.CV),
            "tree": validated(iris, self.CV, DecisionTreeClassifier(random_state=0)),
        }
        table = errbar.from_cross_validate(results)
        assert table.splits.kinds == ("kfold",)
        assert (table.splits.n_train + table.splits.n_test).tolist() == [150.0] * 7
        assert table.splits.labels["fold"].tolist() == list(range(7))
        assert table.scores[0] == pytest.approx(-results["nb"]["test_score"])
        assert [note.code for note in table.notes] == ["not-verified"]
        assert errbar.from_cross_validate(results, stratified=True).notes == ()

    def test_shuffled_splits_are_subsampling(self, iris):
        table = errbar.from_cross_validate(
            {"nb": validated(iris, ms.ShuffleSplit(4, random_state=0))}
        )
        assert table.splits.kinds == ("subsampling",)

    def test_repeated_folds_keep_their_repeats(self, iris):
        cv = ms.RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)
        result = validated(iris, cv)
        table = errbar.from_cross_validate({"nb": result})
        assert errbar.infer(table, "5x2cv-t").estimate == pytest.approx(result["test_score"][0])

    def test_without_indices_a_note_says_what_was_taken_on_trust(self, iris):
        one = ms.cross_validate(GaussianNB(), *iris, cv=self.CV)
        table = errbar.from_cross_validate({"a": one, "b": one}, n_train=128, n_test=22)
        assert [note.code for note in table.notes] == ["not-verified", "not-verified"]

    def test_different_splits_are_refused(self, iris):
        other = ms.StratifiedKFold(7, shuffle=True, random_state=1)
        with pytest.raises(PairingError):
            errbar.from_cross_validate({"a": validated(iris, self.CV), "b": validated(iris, other)})

    def test_different_numbers_of_splits_are_refused(self, iris):
        with pytest.raises(PairingError):
            errbar.from_cross_validate({"a": validated(iris, self.CV), "b": validated(iris, 3)})

    def test_several_metrics(self, iris):
        result = validated(iris, self.CV, scoring=["accuracy", "neg_log_loss"])
        table = errbar.from_cross_validate({"nb": result}, metric="neg_log_loss")
        assert table.scores[0] == pytest.approx(-result["test_neg_log_loss"])
        with pytest.raises(InvalidInputError):
            errbar.from_cross_validate({"nb": result})

    @pytest.mark.parametrize("results", [{}, [1], None, {"a": [0.5, 0.6]}])
    def test_what_is_no_result_is_refused(self, results):
        with pytest.raises(InvalidInputError):
            errbar.from_cross_validate(results)

    def test_a_failed_fit_is_refused(self):
        with refused("a"):
            errbar.from_cross_validate({"a": {"test_score": [0.5, np.nan]}})


@pytest.mark.parametrize("form", [pd.DataFrame, dict])
@pytest.mark.parametrize("door", [errbar.from_scores, errbar.from_losses])
def test_the_column_of_a_role_is_said_by_its_name(form, door):
    rng = np.random.default_rng(0)
    losses = {"a": rng.random(12), "b": rng.random(12)}
    parts = np.arange(12) % 4
    said = door(form({"part": parts, **losses}), fold="part", n_train=9)
    assert said.learners == ("a", "b")
    assert same_splits(said.splits, door(losses, fold=parts, n_train=9).splits)
    with refused("fold"):
        door(form(losses), fold="part", n_train=9)


class TestFiles:
    CSV = "tree,near\n0.31,0.25\n0.28,0.27\n0.35,0.26\n"

    @pytest.fixture
    def write(self, tmp_path):
        def write(text, name="scores.csv"):
            path = tmp_path / name
            opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
            with opener(path, "wt") as file:
                file.write(text)
            return path

        return write

    @pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz", "scores.csv.xz"])
    def test_plain_and_compressed(self, write, name):
        table = errbar.read_table(write(self.CSV, name), n_train=90, n_test=10)
        assert table.learners == ("tree", "near")
        assert table.scores.tolist() == [TREE, NEAR]

    def test_parquet(self, tmp_path):
        pd.DataFrame(SCORES).to_parquet(tmp_path / "scores.parquet")
        assert errbar.read_table(
            tmp_path / "scores.parquet", kind="subsampling"
        ).scores.tolist() == [TREE, NEAR]

    def test_columns_that_describe_the_splits(self, write):
        text = "repeat,fold,n_train,n_test,a\n0,0,90,10,0.3\n0,1,80,20,0.2\n1,0,90,10,0.1\n1,1,80,20,0.4\n"
        splits = errbar.read_table(write(text)).splits
        assert (splits.kinds, splits.repeats(0)) == (("kfold",), 2)
        assert splits.n_train.tolist() == [90, 80, 90, 80]

    @pytest.mark.parametrize(
        ("text", "options"),
        [
            ("example,fold,a\n0,0,1\n1,0,0\n2,1,1\n3,1,1\n", {}),
            ("fold,a\n0,1\n0,0\n1,1\n1,1\n", {"kind": "examples"}),
            ("a\n1\n0\n1\n1\n", {"kind": "examples"}),
        ],
    )
    def test_rows_that_are_examples(self, write, text, options):
        table = errbar.read_table(write(text), **options)
        assert table.points.tolist() == [[1, 0, 1, 1]]

    def test_training_sizes_beside_examples_are_used(self, write):
        text = "example,n_train,a\n0,40,1\n1,40,0\n2,40,1\n"
        assert errbar.read_table(write(text)).splits.n_train.tolist() == [40.0]

    def test_accuracy(self, write):
        assert (
            errbar.read_table(
                write(self.CSV), kind="subsampling", higher_is_better=True
            ).loss.direction
            == "higher is better"
        )

    @pytest.mark.parametrize(
        ("text", "options", "argument"),
        [
            ("", {}, None),
            ("a,b\n", {}, None),
            ("a,b\n1,2\n3,\n", {}, None),
            ("a\n1\nx\n", {}, None),
            ("fold\n1\n2\n", {}, None),
            ("fold,a\n1,1\n,2\n", {}, "fold"),
            (",a,b\n0.5,1,2\n1,3,4\n", {}, None),
            ("example,a\n0,1\n0,2\n", {}, None),
            ("a\n1\n2\n", {"n_train": -1}, "n_train"),
        ],
    )
    def test_refusals(self, write, text, options, argument):
        with refused(argument):
            errbar.read_table(write(text), **options)

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(InvalidInputError):
            errbar.read_table(tmp_path / "none.csv")
        with pytest.raises(InvalidInputError):
            errbar.read_table(tmp_path)

    @pytest.mark.parametrize(
        "name", ["scores.csv", "scores.parquet", "scores.csv.gz", "scores.csv.xz"]
    )
    def test_a_file_that_is_something_else(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"\x89PNG\x00\xff\x00\x01" * 20)
        with pytest.raises(InvalidInputError):
            errbar.read_table(tmp_path / name)


@pytest.mark.parametrize("name", ["groups", "example", "strata", "time", "fold"])
@pytest.mark.parametrize(
    "labels",
    [
        ["1", 1, "2", 2],
        ["a", "a\0", "b", "c"],
        np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0]),
        [1, None, 3, 4],
        np.array([1.0, 2.0, np.nan, 4.0]),
    ],
    ids=["mixed", "NUL", "masked", "missing", "nan"],
)
def test_labels_that_numpy_would_make_one_of_are_refused(name, labels):
    with pytest.raises(InvalidInputError):
        errbar.from_losses({"a": [0.0, 1.0, 0.0, 1.0]}, **{name: labels})
