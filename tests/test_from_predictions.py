"""Tables from predictions of models that were tested anywhere."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from sklearn import metrics
from sklearn.datasets import load_breast_cancer

import errbar
from tests.forms import same_splits
from tests.refusals import refused

# Where a test says no fold, there is one test set.
from_predictions = partial(errbar.from_predictions, fold="none")

# The values and standard errors are those of the formulas, written down apart from this package; the values are scikit-learn's too.
Y = np.array([1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
LABELS = np.array([0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1])
SCORE = np.array(
    [
        0.5,
        0.7,
        -0.2,
        0.9,
        1.6,
        1.8,
        -0.7,
        2.3,
        -1.2,
        1.2,
        -1.2,
        1.4,
        0.8,
        1.1,
        -0.9,
        0.7,
        -0.5,
        0.5,
        1.5,
        1.9,
    ]
)
CHANCE = np.array(
    [
        0.5,
        0.55,
        0.332,
        0.599,
        0.75,
        0.786,
        0.231,
        0.858,
        0.154,
        0.668,
        0.154,
        0.711,
        0.574,
        0.646,
        0.198,
        0.55,
        0.269,
        0.5,
        0.731,
        0.802,
    ]
)
BINARY = {
    "accuracy": (LABELS, 0.6, 0.11239029738980327),
    "precision": (LABELS, 0.5, 0.14808721943977304),
    "recall": (LABELS, 0.75, 0.1570702156093858),
    "specificity": (LABELS, 0.5, 0.14808721943977304),
    "f1": (LABELS, 0.6, 0.13298199324087373),
    "f2": (LABELS, 0.6818181818181818, 0.1336476732296958),
    "jaccard": (LABELS, 0.42857142857142844, 0.1356959114702793),
    "balanced_accuracy": (LABELS, 0.625, 0.10793618159933958),
    "mcc": (LABELS, 0.25, 0.21507725050365167),
    "kappa": (LABELS, 0.23076923076923084, 0.20294355262684677),
    "roc_auc": (SCORE, 0.8020833333333335, 0.09841097855075795),
    "log-loss": (CHANCE, 0.5541783089787231, 0.08783190823874859),
    "brier": (CHANCE, 0.18814725000000004, 0.03946824480361762),
}
THREE = np.array([0, 0, 0, 2, 1, 0, 1, 1, 1, 1, 1, 0, 0, 2, 2, 1, 1, 1, 0, 1])
OF_THREE = np.array([0, 0, 0, 2, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 2, 1, 2, 1, 0, 1])
SEVERAL = {
    "f1_macro": (0.8491228070175438, 0.09761920890764789),
    "mcc": (0.8401921595764712, 0.10417142715547628),
    "kappa": (0.8367346938775511, 0.10840753096444675),
    "kappa_quadratic": (0.736842105263158, 0.20219509504661298),
}
NUMBERS = np.array([2.02, 4.93, 2.73, 5.29, 1.92, 3.09, 3.7, 3.56, 1.15, 2.0, 2.71, 1.72])
OF_NUMBERS = np.array([2.66, 5.5, 1.26, 3.95, 0.99, 3.28, 5.43, 3.35, 1.45, 1.25, 1.97, 0.25])
REGRESSION = {
    "r2": (0.3342353330951856, 0.2999215333089819),
    "rmse": (0.9995832464915898, 0.14563689613976238),
    "mae": (0.8616666666666666, 0.15276161530669644),
    "wape": (0.29695577254451466, 0.060099500258880376),
}
TRUTH = ["no", "yes", "no", "yes", "no", "yes"]
ANSWER = ["no", "yes", "yes", "yes", "no", "no"]


def shown(table, method="holdout-t", **options):
    result = errbar.infer(table, method, **options)
    return result.estimate, result.se


class TestOneTestSet:
    @pytest.mark.parametrize("loss", BINARY)
    def test_metrics_of_two_classes(self, loss):
        predicted, value, se = BINARY[loss]
        assert shown(from_predictions({"a": predicted}, Y, loss=loss)) == pytest.approx(
            (value, se), rel=1e-9
        )

    @pytest.mark.parametrize("loss", SEVERAL)
    def test_metrics_of_several_classes(self, loss):
        table = from_predictions({"a": OF_THREE}, THREE, loss=loss)
        assert shown(table) == pytest.approx(SEVERAL[loss], rel=1e-9)

    @pytest.mark.parametrize("loss", REGRESSION)
    def test_metrics_of_numbers(self, loss):
        value, se = shown(from_predictions({"a": OF_NUMBERS}, NUMBERS, loss=loss))
        assert (abs(value), se) == pytest.approx(REGRESSION[loss], rel=1e-9)

    def test_values_are_those_of_scikit_learn(self):
        for loss, function, predicted in [
            ("f1", metrics.f1_score, LABELS),
            ("roc_auc", metrics.roc_auc_score, SCORE),
            ("average_precision", metrics.average_precision_score, SCORE),
            ("log-loss", metrics.log_loss, CHANCE),
        ]:
            table = from_predictions({"a": predicted}, Y, loss=loss)
            assert table.loss.sign * table.scores[0, 0] == pytest.approx(function(Y, predicted))

    def test_it_is_a_holdout(self):
        for fold in ("none", 0):
            table = from_predictions({"a": LABELS}, Y, fold=fold)
            assert table.splits.kinds == ("holdout",)
        assert (
            errbar.compare_table(from_predictions({"a": LABELS, "b": 1 - LABELS}, Y)).method
            == "paired-proportions"
        )

    def test_delong(self):
        """Values of R's pROC 1.18.0; ties count a half."""
        truth, score = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1], [1, 2, 3, 3, 4, 6, 3, 5, 6, 7, 8]
        table = from_predictions({"a": score}, truth, loss="roc_auc")
        assert shown(table, "delong") == pytest.approx((0.85, 0.1201850425154663), rel=1e-9)


class TestFolds:
    TRUTH = np.array(
        [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1]
    )
    LABELS = np.array(
        [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1]
    )
    SCORE = np.array(
        [
            -1.1,
            -1.3,
            0.2,
            0.0,
            1.7,
            1.5,
            -0.3,
            0.5,
            -0.1,
            -0.5,
            0.8,
            1.0,
            -1.0,
            2.1,
            1.5,
            1.0,
            0.3,
            -1.4,
            3.4,
            1.0,
            0.2,
            0.1,
            1.5,
            -0.7,
            1.3,
            0.1,
            1.5,
            0.3,
            0.9,
            0.9,
        ]
    )
    FOLD = np.arange(30) % 3

    def test_area_under_the_curve_as_cv_auc(self):
        """Values of R's cvAUC 1.1.4 on the same scores."""
        X, y = load_breast_cancer(return_X_y=True)
        rows = np.arange(y.size)
        table = from_predictions({"a": -(X[:, 0] + 1e-6 * rows)}, y, loss="roc_auc", fold=rows % 10)
        result = errbar.infer(table, "cv-wald")
        found = (result.estimate, result.se, result.low, result.high)
        expected = (
            0.9378461345568601,
            0.010606328023836447,
            0.9170581136219227,
            0.9586341554917974,
        )
        assert found == pytest.approx(expected, rel=1e-12)

    def test_influence_values_summed_over_clusters_as_ci_pooled_cv_auc(self):
        """R's ci.pooled.cvAUC: three examples in a row belong together, and stay in one fold."""
        X, y = load_breast_cancer(return_X_y=True)
        rows = np.arange(y.size)
        cluster = rows // 3
        table = from_predictions(
            {"a": -(X[:, 0] + 1e-6 * rows)}, y, loss="roc_auc", fold=cluster % 10
        )
        influence = table.points[0] - table.scores[0][table.cells.split]
        sums = np.bincount(cluster[table.cells.example], weights=influence)
        assert -table.scores.mean() == pytest.approx(0.9378641645993231, rel=1e-12)
        assert np.sqrt((sums**2).sum()) / y.size == pytest.approx(0.010908420349047543, rel=1e-12)

    def test_mean_of_folds(self):
        table = from_predictions(
            {"a": self.LABELS}, self.TRUTH, loss="f1", fold=self.FOLD, pool="none"
        )
        assert -table.scores[0] == pytest.approx([0.75, 0.7272727272727273, 0.5714285714285715])
        expected = (0.682900432900433, 0.1123405879863558)
        assert shown(table, "cv-wald", variance="within-fold") == pytest.approx(expected, rel=1e-9)

    def test_folds_together(self):
        table = from_predictions({"a": self.LABELS}, self.TRUTH, loss="f1", fold=self.FOLD)
        assert shown(table, "cv-wald")[0] == pytest.approx(
            metrics.f1_score(self.TRUTH, self.LABELS)
        )

    def test_areas_of_folds(self):
        """By class the divisors are those of each class and fold, as DeLong's."""
        table = from_predictions({"a": self.SCORE}, self.TRUTH, loss="roc_auc", fold=self.FOLD)
        assert shown(table, "cv-wald") == pytest.approx((0.77, 0.1066927051551948), rel=1e-9)

    def test_recall_of_folds(self):
        """The standard errors of the folds' own shares of hits, put together."""
        table = from_predictions(
            {"a": self.LABELS}, self.TRUTH, loss="recall", fold=self.FOLD, pool="none"
        )
        hits = [self.LABELS[(k == self.FOLD) & (self.TRUTH == 1)] for k in range(3)]
        expected = (
            np.mean([own.mean() for own in hits]),
            np.sqrt(sum(own.var(ddof=1) / own.size for own in hits)) / 3,
        )
        assert shown(table, "cv-wald") == pytest.approx(expected)

    def test_a_class_that_a_fold_lacks(self):
        with pytest.raises(errbar.errors.UndefinedMetricError):
            from_predictions(
                {"a": [1, 2, 3, 4, 5]}, [0, 1, 0, 1, 0], loss="roc_auc", fold=[0, 0, 1, 2, 2]
            )

    @settings(deadline=None, max_examples=30)
    @given(st.permutations(range(30)))
    def test_the_order_of_rows_does_not_matter(self, order):
        columns = {"a": self.SCORE, "b": self.SCORE[::-1]}
        known = from_predictions(columns, self.TRUTH, loss="roc_auc", fold=self.FOLD)
        moved = from_predictions(
            {name: column[order] for name, column in columns.items()},
            self.TRUTH[order],
            loss="roc_auc",
            fold=self.FOLD[order],
        )
        assert moved.scores == pytest.approx(known.scores)
        for pair in ({}, {"minus": "b"}):
            first, second = (
                shown(table, "cv-wald", learner="a", **pair) for table in (known, moved)
            )
            assert first == pytest.approx(second)


class TestKinds:
    """What a column is, and what is kept of it."""

    MATRIX = np.column_stack([1 - CHANCE, CHANCE])

    @pytest.mark.parametrize(
        "matrix",
        [
            MATRIX,
            MATRIX.tolist(),
            pd.DataFrame(MATRIX),
            pd.DataFrame(MATRIX[:, ::-1], columns=[1, 0]),
            pd.DataFrame(MATRIX[:, ::-1], columns=["1", "0"]),
            pl.DataFrame({"1": CHANCE, "0": 1 - CHANCE}),
            {1: CHANCE, 0: (1 - CHANCE).tolist()},
        ],
    )
    def test_matrices(self, matrix):
        table = from_predictions({"a": matrix}, Y, loss="log-loss")
        assert shown(table) == pytest.approx(BINARY["log-loss"][1:])
        assert shown(table.with_loss("roc_auc"))[0] == pytest.approx(
            metrics.roc_auc_score(Y, CHANCE)
        )
        # Of equal probabilities the first class is taken.
        assert shown(table.with_loss("f1"))[0] == pytest.approx(metrics.f1_score(Y, CHANCE > 0.5))

    def test_labels_are_the_default_of_a_matrix(self):
        table = from_predictions({"a": self.MATRIX, "b": LABELS}, Y)
        assert table.loss.key == "zero-one"
        assert table.scores[:, 0] == pytest.approx([np.mean((CHANCE > 0.5) != Y), 0.4])

    def test_classes_that_do_not_occur(self):
        matrix = np.array([[0.2, 0.7, 0.1], [0.1, 0.1, 0.8]])
        table = from_predictions(
            {"m": matrix}, ["b", "a"], loss="log-loss", classes=["c", "b", "a"]
        )
        assert table.points[0] == pytest.approx(-np.log([0.7, 0.8]))
        assert (
            from_predictions({"m": ["c", "a"]}, ["b", "a"], classes=["a", "b", "c"]).scores[0]
            == 0.5
        )

    @pytest.mark.parametrize("positive", ["bad", "good"])
    def test_the_positive_class_may_be_the_first(self, positive):
        truth = np.where(Y, "good", "bad")
        score = SCORE if positive == "good" else -SCORE
        table = from_predictions({"a": score}, truth, positive=positive)
        assert table.loss.key == "roc_auc"
        assert shown(table) == pytest.approx(BINARY["roc_auc"][1:])
        chance = CHANCE if positive == "good" else 1 - CHANCE
        table = from_predictions({"a": chance}, truth, loss="brier", positive=positive)
        assert shown(table) == pytest.approx(BINARY["brier"][1:])
        precision = from_predictions(
            {"a": score}, truth, loss="average_precision", positive=positive
        )
        assert -precision.scores[0, 0] == pytest.approx(
            metrics.average_precision_score(truth == positive, score)
        )

    @pytest.mark.parametrize("y", [Y, Y.astype(bool), Y.astype(float), np.where(Y, 1, -1)])
    def test_custom_names_the_positive_class(self, y):
        assert shown(from_predictions({"a": SCORE}, y, loss="roc_auc")) == pytest.approx(
            BINARY["roc_auc"][1:]
        )

    @pytest.mark.parametrize("positive", [None, 0, 1])
    def test_labels_may_be_scores(self, positive):
        table = from_predictions({"a": LABELS}, Y, loss="roc_auc", positive=positive)
        assert shown(table)[0] == pytest.approx(metrics.roc_auc_score(Y, LABELS))
        assert table.notes == (
            errbar.Note("taken-as", what=["labels of a"], kind="scores", say=["scores"]),
        )
        assert shown(table.with_loss("f1", positive=1))[0] == pytest.approx(0.6)

    def test_text(self):
        table = from_predictions({"a": ANSWER}, TRUTH, loss="f1", positive="yes")
        assert shown(table)[0] == pytest.approx(metrics.f1_score(TRUTH, ANSWER, pos_label="yes"))
        assert shown(table.with_loss("f1", positive="no"))[0] == pytest.approx(
            metrics.f1_score(TRUTH, ANSWER, pos_label="no")
        )
        assert from_predictions(ANSWER, TRUTH).learners == ("learner 1",)

    def test_numbers(self):
        table = from_predictions({"a": OF_NUMBERS}, NUMBERS)
        assert table.loss.key == "squared-error"
        assert shown(table.with_loss("r2"))[0] == pytest.approx(
            metrics.r2_score(NUMBERS, OF_NUMBERS)
        )
        counts = from_predictions({"a": [1.5, 2, 3, 4]}, [1, 2, 3, 5])
        assert counts.scores[0, 0] == (0.25 + 1) / 4
        classes = from_predictions({"a": [1, 2, 3, 3]}, [1, 2, 3, 5])
        assert classes.scores[0, 0] == 0.25
        assert classes.notes[0].numbers["classes"] == ("4 whole numbers",)

    def test_an_array_with_names(self):
        table = from_predictions(np.column_stack([LABELS, Y]), Y, names=["a", "b"])
        assert table.scores[:, 0].tolist() == [0.4, 0]

    def test_functions_of_the_user(self):
        def worst(truth, predicted):
            return np.abs(truth - predicted).max()

        table = from_predictions({"a": OF_NUMBERS}, NUMBERS, loss=worst)
        assert table.scores[0, 0] == pytest.approx(worst(NUMBERS, OF_NUMBERS))


class TestDesign:
    def test_labels_in_a_frame(self):
        frame = pd.DataFrame({"a": ANSWER, "fold": [0, 0, 1, 1, 2, 2]})
        table = errbar.from_predictions(frame, TRUTH)
        assert (table.learners, table.splits.kinds) == (("a",), ("kfold",))

    def test_the_same_as_from_losses(self):
        rng = np.random.default_rng(0)
        facts = {"fold": np.arange(60) % 5, "groups": np.arange(60) % 20, "n_train": 48}
        y, predicted = rng.normal(size=60), {"a": rng.normal(size=60), "b": rng.normal(size=60)}
        table = from_predictions(predicted, y, **facts)
        losses = errbar.from_losses({name: (y - p) ** 2 for name, p in predicted.items()}, **facts)
        assert same_splits(table.splits, losses.splits)
        assert np.array_equal(table.scores, losses.scores)
        assert np.array_equal(table.points, losses.points)

    def test_several_seeds(self):
        labels = {"seed": np.repeat([0, 1], 6), "example": np.tile(list("uvwxyz"), 2)}
        table = from_predictions({"a": ANSWER + TRUTH}, TRUTH * 2, **labels)
        assert table.splits.designs[0].seeds == 2
        assert table.target.values.size == 6
        with pytest.raises(errbar.UnsuitablePlanError):
            errbar.infer(table, "holdout-t")
        with refused("example"):
            from_predictions({"a": ANSWER}, TRUTH, seed=range(6))

    def test_groups_and_times(self):
        rows = {"a": np.tile(ANSWER, 5)}
        grouped = from_predictions(rows, TRUTH * 5, groups=np.repeat(range(15), 2))
        timed = from_predictions(rows, TRUTH * 5, time=range(30))
        for table in (grouped, timed):
            with pytest.raises(errbar.UnsuitablePlanError):
                errbar.infer(table, "holdout-t")
        with refused("groups"):
            from_predictions(
                {"a": ANSWER}, TRUTH, fold=[0, 0, 0, 1, 1, 1], groups=[0, 1, 2, 0, 1, 2]
            )

    def test_one_truth_for_each_example(self):
        with refused("y"):
            from_predictions({"a": ANSWER}, TRUTH, repeat=[0, 0, 0, 1, 1, 1], example=[0, 1, 2] * 2)
