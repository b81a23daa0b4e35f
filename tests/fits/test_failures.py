"""A fit that fails is recorded, the rest is finished, and then there is one clear error."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier

import errbar
from errbar.plans import KFold
from tests.fits.learners import (
    Exits,
    Majority,
    NotANumber,
    Raises,
    RaisesSometimes,
    UnknownLabel,
    Warns,
    WrongShape,
)

pytestmark = pytest.mark.long

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("learner", "kind"),
    [
        (Raises(), "ValueError"),
        (Exits(), "SystemExit"),
        (WrongShape(), "ValueError"),
        (UnknownLabel(), "ValueError"),
        (KNeighborsClassifier(n_neighbors=-3), "InvalidParameterError"),
    ],
)
def test_a_broken_learner_is_named_and_the_others_are_kept(learner, kind):
    with pytest.raises(errbar.FitFailedError) as caught:
        errbar.run({"broken": learner, "good": Majority()}, X, Y, plan=KFold(5), random_state=0)
    assert {failure.learner for failure in caught.value.failures} == {"broken"}
    assert len(caught.value.failures) == 5
    assert caught.value.failures[0].split == "repeat 0, fold 0"
    assert caught.value.failures[0].message.startswith(f"{kind}: ")
    assert caught.value.table.learners == ("good",)
    whole = errbar.run({"good": Majority()}, X, Y, plan=KFold(5), random_state=0)
    np.testing.assert_array_equal(caught.value.table.scores, whole.scores)


def test_a_failure_keeps_its_traceback_and_split():
    marked = X.copy()
    marked[0, 0] = 0
    with pytest.raises(errbar.FitFailedError) as caught:
        errbar.run({"broken": RaisesSometimes()}, marked, Y, plan=KFold(5), random_state=0)
    failures = caught.value.failures
    assert len(failures) == 4
    assert caught.value.table is None
    assert "RaisesSometimes" in failures[0].traceback or "raise ValueError" in failures[0].traceback
    assert "fold" in failures[0].split


def test_predictions_that_are_not_finite_are_failures():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(errbar.FitFailedError):
        errbar.run({"nan": NotANumber(), "ridge": Ridge()}, X, y, plan=KFold(3))


def test_failures_in_workers_come_back():
    with pytest.raises(errbar.FitFailedError) as caught:
        errbar.run(
            {"broken": Exits(), "good": Majority()}, X, Y, plan=KFold(10), random_state=0, n_jobs=2
        )
    assert caught.value.table.learners == ("good",)


def test_finished_fits_stay_in_the_store_when_others_fail():
    store = errbar.Store()
    with pytest.raises(errbar.FitFailedError):
        errbar.run(
            {"broken": Raises(), "good": Majority()},
            X,
            Y,
            plan=KFold(5),
            random_state=0,
            store=store,
        )
    assert sum("error" not in record.facts for _, record in store.each()) == 5 + 1  # and the target
    again = errbar.run({"good": Majority()}, X, Y, plan=KFold(5), random_state=0, store=store)
    assert (again.counts.fits, again.counts.reused) == (0, 5)


def test_warnings_of_fits_become_one_note_per_learner():
    table = errbar.run({"warns": Warns()}, X, Y, plan=KFold(5), random_state=0)
    [note] = table.notes
    assert note.code == "fits"
    assert note.numbers == {
        "warned": ("warns (5 of 5)",),
        "first_warning": ("UserWarning: this was close",),
    }


def test_compare_names_failures_and_keeps_the_rest():
    with pytest.raises(errbar.FitFailedError) as caught:
        errbar.compare(
            {"broken": Raises(), "a": Majority(), "b": KNeighborsClassifier()}, X, Y, random_state=0
        )
    comparison = errbar.compare_table(caught.value.table)
    assert list(comparison.learners) == ["a", "b"]


def test_decision_values_where_a_training_set_has_two_of_three_classes():
    """Scikit-learn then gives one number per example; every split must have one per class of the whole target."""
    from sklearn.linear_model import RidgeClassifier

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.repeat([0, 1, 2], 10)
    some = (np.r_[0:8, 10:18], np.r_[8:10, 18:30])
    plan = errbar.plans.Predefined([some, (np.r_[0:8, 10:18, 20:28], np.r_[8:10, 18:20, 28:30])])
    table = errbar.run({"ridge": RidgeClassifier()}, X, y, plan=plan, random_state=0)
    decisions = table.predictions[0]["decision"]
    assert decisions.shape == (20, 3)
    fitted = RidgeClassifier().fit(X[some[0]], y[some[0]])
    np.testing.assert_allclose(decisions[:14, 1], fitted.decision_function(X[some[1]]))
    np.testing.assert_allclose(decisions[:14, 0], -decisions[:14, 1])
    assert (decisions[:14, 2] < -1e300).all()
