"""Fits against plain scikit-learn, and what it promises about fits."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.plans import FiveByTwo, KFold, Plan, Predefined, Split, Subsampling
from tests.fits.learners import Counting

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


def scaled_logistic():
    return make_pipeline(StandardScaler(), LogisticRegression())


class Overlapping(Plan):
    """Several splits that share training sets and have different, overlapping, unsorted test sets."""

    kind = "other"

    def drawn(self, rows):
        order = np.random.default_rng(3).permutation(rows.n)
        first, second = np.sort(order[:80]), np.sort(order[40:120])
        for number, (train, test) in enumerate(
            [
                (first, order[80:100]),
                (second, order[120:]),
                (first, order[90:130]),
                (first, order[149:147:-1]),
            ]
        ):
            yield Split(train, test, {"repeat": number})


@pytest.mark.parametrize(
    "splitter",
    [
        StratifiedKFold(5),
        ShuffleSplit(4, random_state=1),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    ],
)
def test_per_split_scores_equal_cross_validate(splitter):
    X, y = CANCER
    learner, scorings = scaled_logistic(), ["accuracy", "roc_auc", "neg_log_loss", "f1"]
    expected = cross_validate(learner, X[:150, :5], y[:150], cv=splitter, scoring=scorings)
    table = errbar.run(
        {"a": learner}, X[:150, :5], y[:150], plan=Predefined(splitter), random_state=0
    )
    for scoring in scorings:
        own = table.with_loss(scoring, pool="none")
        np.testing.assert_allclose(-own.scores[0], expected[f"test_{scoring}"], rtol=1e-12)


def test_losses_per_example_equal_a_plain_loop_also_where_test_sets_overlap():
    X, y = IRIS
    learner = KNeighborsClassifier(3)
    table = errbar.run({"a": learner}, X, y, plan=Overlapping(), random_state=0)
    drawn = errbar.plans.draw(Overlapping(), 150, 0)
    expected = [
        clone(learner).fit(X[s.train], y[s.train]).predict(X[s.test]) != y[s.test]
        for s in drawn.splits
    ]
    np.testing.assert_array_equal(table.points[0], np.concatenate(expected))
    np.testing.assert_allclose(table.scores[0], [e.mean() for e in expected])
    np.testing.assert_array_equal(
        table.cells.example, np.concatenate([s.test for s in drawn.splits])
    )


def test_each_training_set_is_fitted_once_however_many_splits_need_it():
    X, y = IRIS
    Counting.fits.clear()
    table = errbar.run(
        {"a": Counting()}, X, y, plan=Overlapping() + KFold(5) + KFold(5, repeats=2), random_state=0
    )
    assert len(Counting.fits) == table.counts.fits == 2 + 10
    assert table.scores.shape == (1, 4 + 5 + 10)


def test_a_union_gives_each_method_its_own_plan():
    X, y = IRIS
    table = errbar.run(
        {"t": DecisionTreeClassifier(), "n": KNeighborsClassifier()},
        X,
        y,
        plan=KFold(10, repeats=3) + KFold(10) + FiveByTwo(),
        random_state=1,
    )
    assert errbar.infer(table, "corrected-t", "t", "n").n_splits == 30
    alone = errbar.run(
        {"t": DecisionTreeClassifier(), "n": KNeighborsClassifier()},
        X,
        y,
        plan=KFold(10),
        random_state=1,
    )
    assert errbar.infer(table, "cv-wald", "t", "n") == errbar.infer(alone, "cv-wald", "t", "n")
    assert errbar.infer(table, "5x2cv-f", "t", "n").n_splits == 10


def test_the_users_estimators_are_left_alone():
    X, y = IRIS
    tree, fitted = DecisionTreeClassifier(), KNeighborsClassifier().fit(X[::10], y[::10])
    before = fitted.n_samples_fit_
    errbar.run({"tree": tree, "nn": fitted}, X, y, plan=KFold(3), random_state=0)
    assert tree.random_state is None
    assert not hasattr(tree, "tree_")
    assert fitted.n_samples_fit_ == before


def test_default_losses_follow_the_task():
    X, y = load_diabetes(return_X_y=True)
    assert errbar.run({"r": Ridge()}, X, y, plan=KFold(3)).loss.key == "squared-error"
    assert errbar.run({"t": DecisionTreeClassifier()}, *IRIS, plan=KFold(3)).loss.key == "zero-one"


def test_another_loss_costs_no_fit_and_equals_a_run_with_it():
    X, y = CANCER
    learners = {"tree": DecisionTreeClassifier(), "logistic": scaled_logistic()}
    table = errbar.run(learners, X, y, plan=KFold(4), random_state=5)
    for loss in ("log-loss", "brier", "accuracy", "neg_log_loss", "zero-one"):
        direct = errbar.run(learners, X, y, plan=KFold(4), random_state=5, loss=loss)
        np.testing.assert_allclose(table.with_loss(loss).scores, direct.scores, rtol=1e-12)


def test_a_learner_without_probabilities_can_be_judged_by_its_decision_values():
    X, y = CANCER
    learner = make_pipeline(StandardScaler(), SVC())
    expected = cross_validate(learner, X, y, cv=StratifiedKFold(3), scoring="roc_auc")["test_score"]
    table = errbar.run({"svc": learner}, X, y, plan=Predefined(StratifiedKFold(3)), loss="roc_auc")
    np.testing.assert_allclose(-table.scores[0], expected)
    with pytest.raises(errbar.InvalidInputError):
        errbar.run({"svc": learner}, X, y, plan=KFold(3), loss="log-loss")


def test_training_sets_that_lack_a_class_still_give_a_column_for_it():
    X, y = IRIS
    plan = Predefined(
        [(np.arange(0, 100), np.arange(100, 150)), (np.arange(50, 150), np.arange(0, 50))]
    )
    table = errbar.run(
        {"tree": DecisionTreeClassifier()}, X, y, plan=plan, loss="brier", random_state=0
    )
    np.testing.assert_allclose(table.scores[0], [2.0, 2.0])


def test_labels_from_probabilities_are_those_that_predict_gives():
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.tree import ExtraTreeClassifier

    X, y = IRIS
    noisy = X + np.random.default_rng(0).normal(size=X.shape)
    learners = {
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        "extra": ExtraTreeClassifier(max_depth=2, random_state=0),
        "forest": RandomForestClassifier(4, max_depth=2, random_state=0),
        "extras": ExtraTreesClassifier(4, max_depth=2, random_state=0),
        "nn": make_pipeline(StandardScaler(), KNeighborsClassifier(4)),
    }
    both = errbar.run(learners, noisy, y, plan=KFold(5), random_state=0)
    labels = errbar.run(learners, noisy, y, plan=KFold(5), random_state=0, loss="zero-one")
    np.testing.assert_array_equal(both.scores, labels.scores)


def test_groups_are_kept_together():
    X, y = IRIS
    groups = np.repeat(np.arange(30), 5)
    table = errbar.run(
        {"nn": KNeighborsClassifier()},
        X,
        y,
        plan=Predefined(GroupKFold(5)),
        groups=groups,
        random_state=0,
    )
    for split in range(5):
        tested = set(groups[table.cells.example[table.cells.split == split]])
        outside = set(
            groups[np.setdiff1d(np.arange(150), table.cells.example[table.cells.split == split])]
        )
        assert not tested & outside


def test_progress_counts_every_fit():
    seen = []
    errbar.run(
        {"a": Counting(), "b": KNeighborsClassifier()}, *IRIS, plan=KFold(4), progress=seen.append
    )
    assert [state.done for state in seen] == list(range(1, 9))
    assert {state.total for state in seen} == {8}
    assert {state.learner for state in seen} == {"a", "b"}
    assert seen[-1].remaining == 0.0


def test_subsampling_may_leave_examples_out():
    table = errbar.run(
        {"nn": KNeighborsClassifier(1)}, *IRIS, plan=Subsampling(60, 30, 4), random_state=0
    )
    assert table.splits.n_train.tolist() == [60.0] * 4
    assert table.splits.n_test.tolist() == [30.0] * 4
    assert errbar.infer(table, "corrected-t").n_train == 60.0
