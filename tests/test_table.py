import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.naive_bayes import GaussianNB

import errbar
from errbar import InvalidInputError
from errbar.plans import KFold, Subsampling
from tests.refusals import refused

TRUTH = ["no", "yes", "yes"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(53, 4))
    return X, np.where(X[:, 0] + rng.normal(size=53) > 0, "yes", "no")


def made(data, learners=("lr", "nb"), plan=None, seed=0, loss=None):
    known = {"lr": LogisticRegression(), "nb": GaussianNB()}
    plan = plan or KFold(5) + Subsampling(n_test=9, repeats=3)
    return errbar.run(
        {name: known[name] for name in learners}, *data, plan=plan, random_state=seed, loss=loss
    )


@pytest.fixture(scope="module")
def table(data):
    """Five unequal folds (53 examples) and three random splits, two learners."""
    return made(data)


class TestRows:
    def test_the_score_of_a_split_is_the_mean_of_its_points(self, table):
        losses = table.losses("lr")
        assert losses.splits.value == pytest.approx(losses.means("repeat", "fold"))

    def test_a_difference_is_a_row_minus_another(self, table):
        one, other, difference = table.losses("lr"), table.losses("nb"), table.losses("lr", "nb")
        assert difference.splits.value == pytest.approx(one.splits.value - other.splits.value)
        assert np.array_equal(difference.value, one.value - other.value)

    def test_the_other_way_round_is_the_negative(self, table):
        assert np.array_equal(table.losses("lr", "nb").value, -table.losses("nb", "lr").value)

    def test_scores_that_differ_by_rounding_alone_do_not_differ(self):
        table = errbar.from_scores(
            {"a": [0.1 + 0.2, 0.7, 0.6], "b": [0.3, 0.7, 0.3 + 0.3]}, n_train=90, n_test=10
        )
        result = errbar.infer(table, "corrected-t", "a", minus="b")
        assert (result.estimate, result.se, result.pvalue) == (0.0, 0.0, 1.0)

    def test_each_plan_has_rows_of_its_own(self, table):
        folds, random = table.losses("lr", plan=0), table.losses("lr", plan=1)
        assert (folds.kind, folds.splits.value.size, folds.value.size) == ("kfold", 5, 53)
        assert (random.kind, random.splits.value.size, random.value.size) == ("subsampling", 3, 27)
        assert random.index["repeat"].tolist() == np.repeat([0, 1, 2], 9).tolist()
        assert random.splits.index["repeat"].tolist() == [0, 1, 2]

    def test_every_example_is_tested_once_by_folds(self, table):
        assert sorted(table.losses("lr").example.tolist()) == list(range(53))

    def test_sizes_and_labels(self, table):
        index = table.losses("lr").splits.index
        assert (index["n_train"] + index["n_test"]).tolist() == [53.0] * 5
        assert index["fold"].tolist() == [0, 1, 2, 3, 4]
        assert set(index["repeat"].tolist()) == {0}

    def test_views_are_made_from_rows(self, table):
        scores, points = table.losses("lr", plan=1), table.losses("lr")
        assert (scores.kind, scores.n_train, scores.size("n_test")) == ("subsampling", 44.0, 9.0)
        assert (points.folds, points.repeats, points.n_train) == (5, 1, pytest.approx(53 * 4 / 5))

    def test_unknown_learners_are_refused_with_a_list(self, table):
        with pytest.raises(InvalidInputError):
            table.losses("svm")

    def test_a_learner_is_not_compared_with_itself(self, table):
        with pytest.raises(InvalidInputError):
            table.losses("lr", "lr")


class TestOtherLosses:
    def test_points_of_another_loss(self, table, data):
        brier = made(data, loss="brier")
        assert np.array_equal(table.with_loss("brier").points, brier.points)

    def test_a_score_per_split_comes_from_the_test_sets(self, table, data):
        X, y = data
        scores = table.with_loss("f1_macro", pool="none").scores
        split = next(KFold(5).splits(53, 0))
        model = LogisticRegression().fit(X[split.train], y[split.train])
        assert scores[0, 0] == pytest.approx(
            -f1_score(y[split.test], model.predict(X[split.test]), average="macro")
        )

    def test_going_back_gives_the_first_table(self, table):
        again = table.with_loss("log-loss").with_loss("zero-one")
        assert np.array_equal(again.scores, table.scores)

    def test_numbers_made_elsewhere_have_no_other_loss(self):
        with pytest.raises(InvalidInputError):
            errbar.from_scores({"a": [1, 2]}).with_loss("brier")

    def test_a_loss_of_another_task_is_refused(self, table):
        with pytest.raises(InvalidInputError):
            table.with_loss("squared-error")


class TestParts:
    def test_subset_keeps_order_and_rows(self, table):
        part = table.subset(["nb"])
        assert part.learners == ("nb",)
        assert np.array_equal(part.scores[0], table.scores[1])
        assert part.with_loss("brier").scores.shape == (1, 8)

    @pytest.mark.parametrize("learners", [[], ["lr", "lr"], ["x"]])
    def test_subset_refuses_what_makes_no_table(self, table, learners):
        with pytest.raises(InvalidInputError):
            table.subset(learners)

    def test_of_plan_is_the_table_of_that_plan(self, table):
        part = table.of_plan(1)
        assert part.splits.kinds == ("subsampling",)
        mine, whole = part.losses("lr", "nb"), table.losses("lr", "nb", plan=1)
        assert np.array_equal(mine.value, whole.value)
        assert np.array_equal(mine.splits.value, whole.splits.value)
        assert all(np.array_equal(column, whole.index[role]) for role, column in mine.index.items())

    def test_of_plan_of_a_single_plan_is_the_table_itself(self, data):
        single = made(data, plan=KFold(3))
        assert single.of_plan(0) is single

    def test_arrays_cannot_be_written_to(self, table):
        with pytest.raises(ValueError, match="read-only"):
            table.scores[0, 0] = 1.0


class TestInfer:
    def test_the_plan_that_a_method_needs_is_found(self, table):
        assert errbar.infer(table, "cv-wald", "lr", minus="nb").n_splits == 5
        assert errbar.infer(table, "kfold-t", "lr").n_splits == 5

    def test_the_kind_of_plan_that_is_natural_to_a_method_goes_first(self, table):
        assert errbar.infer(table, "corrected-t", "lr").n_splits == 3
        assert errbar.infer(table.of_plan(0), "corrected-t", "lr").n_splits == 5

    def test_a_function_name_will_do(self, table):
        assert errbar.infer(table, "cv_wald", "lr") == errbar.infer(table, "cv-wald", "lr")

    def test_scores_are_inferred_in_their_own_direction(self):
        accuracy = {"a": [0.9, 0.8, 0.85], "b": [0.7, 0.75, 0.6]}
        sizes = {"n_train": 90, "n_test": 10}
        table = errbar.from_scores(accuracy, higher_is_better=True, **sizes)
        errors = errbar.from_scores(
            {name: 1 - np.array(x) for name, x in accuracy.items()}, **sizes
        )
        up = errbar.infer(table, "corrected-t", "a", minus="b", alternative="greater", null=0.05)
        down = errbar.infer(errors, "corrected-t", "a", minus="b", alternative="less", null=-0.05)
        assert up.estimate == pytest.approx(0.85 - 0.41 / 0.6)
        assert (up.pvalue, up.statistic) == pytest.approx((down.pvalue, -down.statistic))
        assert (up.low, up.high) == pytest.approx((-down.high, -down.low))
        assert (up.null, up.alternative) == (0.05, "greater")

    def test_a_level_of_accuracy_can_be_the_null(self):
        table = errbar.from_scores(
            {"a": [0.9, 0.8, 0.85]}, higher_is_better=True, n_train=90, n_test=10
        )
        result = errbar.infer(table, "corrected-t", null=0.85)
        assert result.statistic == pytest.approx(0.0, abs=1e-9)

    @pytest.mark.parametrize(
        ("arguments", "options", "argument"),
        [
            (("no-such", "lr"), {}, "method"),
            (("corrected-t",), {}, "learner"),
            (
                ("corrected-t", "lr"),
                {"rho": 0.5},
                "rho",
            ),
            (("holdout-t", "lr"), {}, None),
            (("5x2cv-t", "lr"), {}, None),
            (("corrected-t", "lr"), {"level": 2}, "level"),
        ],
    )
    def test_refusals(self, table, arguments, options, argument):
        with refused(argument):
            errbar.infer(table, *arguments, **options)

    def test_repeated_folds_are_refused_where_one_partition_is_needed(self, data):
        repeated = made(data, ["lr"], plan=KFold(5, repeats=2))
        for method in ("kfold-t", "cv-wald"):
            with pytest.raises(errbar.UnsuitablePlanError):
                errbar.infer(repeated, method)

    def test_losses_per_example_are_needed_for_some(self):
        with pytest.raises(InvalidInputError):
            errbar.infer(errbar.from_scores({"a": [1, 2]}, kind="kfold"), "cv-wald")


@pytest.mark.parametrize("source", ["scores", "run"])
def test_tables_and_comparisons_can_be_pickled(source, data):
    if source == "scores":
        table = errbar.from_scores(
            {"a": [0.1, 0.3, 0.2], "b": [0.2, 0.1, 0.4]}, n_train=90, n_test=10
        )
    else:
        table = made(data, plan=KFold(3), loss="accuracy")
    comparison = errbar.compare_table(table)
    again = pickle.loads(pickle.dumps(comparison))
    assert again.to_dict() == comparison.to_dict()
    np.testing.assert_array_equal(again.table.scores, table.scores)
