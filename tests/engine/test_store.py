"""What the store saves."""

import itertools

import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.plans import KFold, Subsampling

X, Y = load_iris(return_X_y=True)


def run(learners, store, plan=None, seed=0, X=X, loss="zero-one"):
    counts = errbar.run(
        learners, X, Y, plan=plan or KFold(5), random_state=seed, store=store, loss=loss
    ).counts
    return counts.fits, counts.reused


def test_only_what_is_new_is_fitted():
    store = errbar.MemoryStore()
    tree, nn = DecisionTreeClassifier(), LogisticRegression(max_iter=1000)
    assert run({"tree": tree}, store) == (5, 0)
    assert run({"tree": tree, "nn": nn}, store) == (5, 5)
    assert run({"tree": tree, "nn": nn}, store, KFold(5, repeats=2)) == (10, 10)
    assert run({"tree": tree, "nn": nn}, store, KFold(5) + Subsampling(repeats=3)) == (6, 10)


def test_what_the_outcome_depends_on_is_in_the_key():
    store = errbar.MemoryStore()
    run({"tree": DecisionTreeClassifier()}, store)
    assert run({"tree": DecisionTreeClassifier(max_depth=2)}, store) == (5, 0)
    assert run({"tree": KNeighborsClassifier()}, store) == (5, 0)
    assert run({"other": DecisionTreeClassifier()}, store) == (5, 0)
    assert run({"tree": DecisionTreeClassifier()}, store, seed=1) == (5, 0)
    assert run({"tree": DecisionTreeClassifier()}, store, X=X + 1e-9) == (5, 0)
    assert run({"tree": DecisionTreeClassifier()}, store) == (0, 5)


def test_another_loss_costs_no_fit():
    store = errbar.MemoryStore()
    model = {"m": LogisticRegression(max_iter=1000)}
    assert run(model, store) == (5, 0)
    for loss in ("accuracy", "log-loss", "brier", "roc_auc_ovr"):
        assert run(model, store, loss=loss) == (0, 5)


def test_a_learner_that_cannot_be_written_down_is_never_mistaken_for_another():
    store = errbar.MemoryStore()
    for _ in range(2):
        endless = itertools.count()
        endless = (number for number in endless)
        model = make_pipeline(
            FunctionTransformer(lambda x: x + 0 * next(endless)),  # noqa: B023 - what cannot be written down
            KNeighborsClassifier(),
        )
        assert run({"m": model}, store) == (5, 0)


def test_functions_without_a_name_are_told_apart_by_what_they_do():
    store = errbar.MemoryStore()
    for power in (1, 2):
        model = make_pipeline(FunctionTransformer(lambda x, p=power: x**p), KNeighborsClassifier())
        assert run({"m": model}, store) == (5, 0)
        model = make_pipeline(FunctionTransformer(lambda x, p=power: x**p), KNeighborsClassifier())
        assert run({"m": model}, store) == (0, 5)


def test_results_from_the_store_are_the_same_bits():
    store = errbar.MemoryStore()
    learners = {"tree": DecisionTreeClassifier(max_features=1)}
    first = errbar.run(learners, X, Y, plan=KFold(5), random_state=0, store=store)
    again = errbar.run(learners, X, Y, plan=KFold(5), random_state=0, store=store)
    np.testing.assert_array_equal(first.points, again.points)
