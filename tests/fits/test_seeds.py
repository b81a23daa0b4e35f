"""Randomness: every learner seeded from names, the same bits whoever does the fits and in whatever order."""

import random

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import errbar
from tests.fits.learners import GlobalNoise, OwnNoise, PythonNoise

X, Y = load_iris(return_X_y=True)
NOISY = X + np.random.default_rng(0).normal(scale=1.5, size=X.shape)

COMPOSITES = {
    "forest": RandomForestClassifier(5),
    "pipeline": make_pipeline(StandardScaler(), SGDClassifier()),
    "vote": VotingClassifier([("a", RandomForestClassifier(3)), ("b", SGDClassifier())]),
    "boost": AdaBoostClassifier(DecisionTreeClassifier(max_features=1), n_estimators=3),
    "bag": BaggingClassifier(make_pipeline(StandardScaler(), SGDClassifier()), n_estimators=3),
    "search": GridSearchCV(
        DecisionTreeClassifier(max_features=1),
        {"max_depth": [1, 3]},
        cv=StratifiedKFold(2, shuffle=True),
    ),
    "steps": GridSearchCV(
        Pipeline([("model", LogisticRegression())]),
        {"model": [RandomForestClassifier(2), make_pipeline(StandardScaler(), SGDClassifier())]},
        cv=KFold(2, shuffle=True),
    ),
    "random search": RandomizedSearchCV(
        DecisionTreeClassifier(max_features=1), {"max_depth": [1, 2, 3]}, n_iter=2, cv=2
    ),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_composites_are_reproducible_and_really_random(name):
    def scores(seed):
        return errbar.run(
            {name: COMPOSITES[name]}, NOISY, Y, plan=errbar.plans.KFold(3), random_state=seed
        ).points

    first = scores(1)
    np.random.seed(5)  # noqa: NPY002 - the global state must not matter
    np.testing.assert_array_equal(first, scores(1))


def test_unseeded_learners_differ_between_training_sets_and_roots():
    X, y = load_diabetes(return_X_y=True)
    table = errbar.run({"noise": OwnNoise()}, X, y, plan=errbar.plans.KFold(5), random_state=0)
    shifts = {float(table.predictions[0]["label"][table.cells.split == j][0]) for j in range(5)}
    assert len(shifts) == 5
    other = errbar.run({"noise": OwnNoise()}, X, y, plan=errbar.plans.KFold(5), random_state=1)
    assert not np.isin(other.predictions[0]["label"], table.predictions[0]["label"]).any()


def test_a_seed_of_the_users_is_kept():
    X, y = load_diabetes(return_X_y=True)
    table = errbar.run(
        {"noise": OwnNoise(random_state=3)}, X, y, plan=errbar.plans.KFold(5), random_state=0
    )
    assert np.unique(table.predictions[0]["label"]).tolist() == [np.random.default_rng(3).normal()]


@pytest.mark.long
@pytest.mark.parametrize("noise", [GlobalNoise(), PythonNoise()], ids=["numpy", "python"])
def test_learners_that_use_a_global_generator_are_reproducible_and_leave_it_alone(noise):
    X, y = load_diabetes(return_X_y=True)

    def run(n_jobs=1):
        plan = errbar.plans.Seeds(2, errbar.plans.KFold(5))
        return errbar.run({"noise": noise}, X, y, plan=plan, random_state=0, n_jobs=n_jobs).scores

    before = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
    first = run()
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # noqa: NPY002
    np.random.seed(9)  # noqa: NPY002
    random.seed(9)
    np.testing.assert_array_equal(first, run())
    np.testing.assert_array_equal(first, run(n_jobs=2))
    assert np.unique(first).size == first.size


def test_streams_belong_to_names_not_to_places():
    one = errbar.run(
        {"a": RandomForestClassifier(3), "b": SGDClassifier()},
        NOISY,
        Y,
        plan=errbar.plans.KFold(4),
        random_state=0,
    )
    other = errbar.run(
        {"b": SGDClassifier(), "new": SGDClassifier(), "a": RandomForestClassifier(3)},
        NOISY,
        Y,
        plan=errbar.plans.KFold(4),
        random_state=0,
    )
    np.testing.assert_array_equal(one.points[0], other.points[2])
    np.testing.assert_array_equal(one.points[1], other.points[0])


def learners():
    return {
        "forest": RandomForestRegressor(8, n_jobs=2),
        "noise": OwnNoise(),
        "global": GlobalNoise(),
    }


@pytest.mark.long
def test_workers_do_not_change_a_bit():
    X, y = load_diabetes(return_X_y=True)
    plan = errbar.plans.Subsampling(repeats=6) + errbar.plans.KFold(3)
    serial = errbar.run(learners(), X, y, plan=plan, random_state=7)

    pids = []
    parallel = errbar.run(
        learners(), X, y, plan=plan, random_state=7, n_jobs=2, progress=pids.append
    )
    assert len(pids) == 27
    np.testing.assert_array_equal(serial.points, parallel.points)


def test_generators_and_seed_sequences_are_roots_too():
    def scores(root):
        return errbar.run(
            {"noise": OwnNoise()},
            *load_diabetes(return_X_y=True),
            plan=errbar.plans.KFold(3),
            random_state=root,
        ).scores

    np.testing.assert_array_equal(
        scores(np.random.default_rng(1)), scores(np.random.default_rng(1))
    )
    assert not np.array_equal(scores(None), scores(None))
