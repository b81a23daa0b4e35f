"""Searches of every kind: what they kept, the fits that they made, and that they are what scikit-learn makes of them alone."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - makes them importable
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    PredefinedSplit,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.model_selection._search import BaseSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import errbar
from tests.refusals import refused
from tests.tuning.learners import Counted, fits_in, two_classes

X, Y = two_classes()
DEPTHS = {"max_depth": [1, 2, 4, None]}
TREE = DecisionTreeClassifier(random_state=0)


def accuracy(estimator, X, y):
    return estimator.score(X, y)


def two_scores(estimator, X, y):
    return {"right": estimator.score(X, y), "wrong": 1.0 - estimator.score(X, y)}


class InTurn(BaseSearchCV):
    """A search with scikit-learn's interface that asks for one candidate after the other, as those by models do."""

    def __init__(self, estimator, *, scoring=None, refit=True, cv=None):
        super().__init__(estimator, scoring=scoring, refit=refit, cv=cv)

    def _run_search(self, evaluate_candidates):
        for depth in DEPTHS["max_depth"]:
            found = evaluate_candidates([{"max_depth": depth}])
        assert len(found["params"]) == 4


SEARCHES = {
    "grid": GridSearchCV(TREE, DEPTHS, cv=5),
    "random": RandomizedSearchCV(
        TREE, {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 5, 9]}, n_iter=5, random_state=3
    ),
    "halving examples": HalvingRandomSearchCV(
        TREE, {"max_depth": [1, 2, 3, 4, 5, 6]}, n_candidates=6, random_state=1, cv=3
    ),
    "halving trees": HalvingGridSearchCV(
        RandomForestClassifier(random_state=0),
        {"max_depth": [1, 2, 4]},
        resource="n_estimators",
        max_resources=9,
        cv=3,
        random_state=0,
    ),
    "several scores": GridSearchCV(TREE, DEPTHS, scoring=["accuracy", "roc_auc"], refit="roc_auc"),
    "scores by name": GridSearchCV(
        TREE, DEPTHS, scoring={"a": "accuracy", "f": make_scorer(f1_score)}, refit="f"
    ),
    "no refit": GridSearchCV(TREE, DEPTHS, refit=False),
    "no refit of several": GridSearchCV(TREE, DEPTHS, scoring=["accuracy", "roc_auc"], refit=False),
    "refit by a function": GridSearchCV(TREE, DEPTHS, refit=lambda found: 2),
    "a function": GridSearchCV(TREE, DEPTHS, scoring=accuracy),
    "a function of several": GridSearchCV(TREE, DEPTHS, scoring=two_scores, refit="right"),
    "training scores": GridSearchCV(TREE, DEPTHS, return_train_score=True),
    "threads": GridSearchCV(TREE, DEPTHS, n_jobs=2),
    "in turn": InTurn(TREE, cv=4),
    "repeats": GridSearchCV(
        TREE, DEPTHS, cv=RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1)
    ),
    "random splits": GridSearchCV(TREE, DEPTHS, cv=ShuffleSplit(8, random_state=2)),
    "one test set": GridSearchCV(
        TREE, DEPTHS, cv=PredefinedSplit(np.where(np.arange(Y.size) < 40, 0, -1))
    ),
    "pipeline": GridSearchCV(
        make_pipeline(StandardScaler(), SVC()),
        {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.1, 1.0]},
    ),
}


@pytest.mark.parametrize("kind", SEARCHES)
def test_a_search_is_what_it_is_alone(kind):
    search = SEARCHES[kind]
    alone = clone(search).fit(X, Y)
    before = repr(search.get_params())
    found = errbar.tune(search, X, Y, loss="accuracy", baseline=None, random_state=0)
    assert repr(search.get_params()) == before
    if search.scoring is None:
        assert found.search.scoring == "accuracy"
        found.search.set_params(scoring=None)
    else:
        assert repr(found.search.get_params()) == before
    names = [name for name in alone.cv_results_ if "time" not in name]
    assert {*names} == {name for name in found.search.cv_results_ if "time" not in name}
    for name in names:
        np.testing.assert_array_equal(found.search.cv_results_[name], alone.cv_results_[name])
    for name in ("best_index_", "best_score_", "best_params_", "multimetric_"):
        assert getattr(found.search, name, None) == getattr(alone, name, None)
    if search.refit:
        assert found.search.score(X, Y) == alone.score(X, Y)
        pickle.loads(pickle.dumps(found.search.best_estimator_))


@pytest.mark.parametrize("kind", SEARCHES)
def test_scores_of_splits_are_those_of_the_search(kind):
    search = SEARCHES[kind]
    found = errbar.tune(search, X, Y, loss="accuracy", baseline=None, random_state=0)
    table, results = found.table, found.search.cv_results_
    name = {
        "several scores": "accuracy",
        "scores by name": "a",
        "no refit of several": "accuracy",
    }.get(kind, "score")
    name = "right" if kind == "a function of several" else name
    columns = [results[f"split{j}_test_{name}"] for j in range(table.scores.shape[1])]
    last = results["iter"] == max(results["iter"]) if "iter" in results else slice(None)
    expected = np.array(columns)[:, last].T
    np.testing.assert_allclose(-table.scores, expected, atol=1e-12)
    parameters = np.array(results["params"])[last]
    assert [dict(one) for one in found.parameters.values()] == [dict(one) for one in parameters]


def test_fits_are_counted(tmp_path):
    search = GridSearchCV(Counted(folder=str(tmp_path)), {"max_depth": [1, 2, None]}, cv=4)
    found = errbar.tune(search, X, Y, random_state=0)
    # The estimator as it stands, without a limit of depth, is one of the candidates.
    assert (found.baseline, found.extra_fits) == ("max_depth=None", 0)
    assert fits_in(tmp_path) == found.table.counts.fits == 3 * 4 + 1
    for baseline, more in (({"max_depth": 2}, 0), ({"max_depth": 3}, 4), (GaussianNB(), 4)):
        found = errbar.tune(search, X, Y, baseline=baseline, random_state=0)
        assert found.extra_fits == more
        assert found.gain is not None
    assert fits_in(tmp_path) == 13 + 3 * 13 + 4
    errbar.tune(clone(search).set_params(refit=False), X, Y, baseline=None, random_state=0)
    assert fits_in(tmp_path) == 13 + 3 * 13 + 4 + 12


def test_a_baseline_that_was_fitted_apart_is_no_candidate():
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 2]}, cv=5)
    found = errbar.tune(search, X, Y, baseline=GaussianNB(), random_state=0)
    alone = errbar.tune(search, X, Y, baseline=None, random_state=0)
    assert found.result.to_dict() == alone.result.to_dict()
    assert found.possible_best == alone.possible_best
    assert found.table.learners == (*alone.table.learners, "baseline")


@pytest.mark.parametrize(
    "loss", ["zero-one", "log-loss", "roc_auc", "f1", "brier", "matthews_corrcoef"]
)
def test_predictions_are_those_out_of_fold(loss):
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=5)
    found = errbar.tune(search, X, Y, loss=loss, baseline=None, random_state=0)
    for name, cost in {"C=0.01": 0.01, "C=1": 1.0}.items():
        learner = LogisticRegression(C=cost)
        direct = errbar.run({name: learner}, X, Y, plan=search_splits(5), loss=loss, random_state=0)
        np.testing.assert_allclose(
            found.table.subset([name]).scores, direct.scores, rtol=1e-12, atol=1e-12
        )


def search_splits(folds):
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(folds)


def test_another_loss_costs_no_fit():
    found = errbar.tune(
        GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}), X, Y, random_state=0
    )
    other = errbar.tuned(found.table.with_loss("log-loss"), random_state=0)
    assert other.winner in found.parameters
    assert other.table.loss.key == "log-loss"


def test_selected_by_one_loss_and_told_in_another():
    """Accuracy is the same wherever a threshold is; the winner by accuracy has the AUC of its own."""
    search = GridSearchCV(TREE, DEPTHS, scoring="accuracy", cv=5)
    found = errbar.tune(search, X, Y, loss="roc_auc", random_state=0)
    assert found.winner == f"max_depth={found.search.best_params_['max_depth']}"
    assert found.table.loss.key == "roc_auc"
    assert found.reported == found.plain.estimate


def test_a_rule_of_refit_is_not_made_the_best():
    search = GridSearchCV(TREE, DEPTHS, refit=lambda found: 3, cv=5)
    found = errbar.tune(search, X, Y, baseline=None, random_state=0)
    assert found.winner == "max_depth=None"
    assert [note.code for note in found.notes] == ["selection-not-counted"]
    best = errbar.tune(GridSearchCV(TREE, DEPTHS, cv=5), X, Y, baseline=None, random_state=0)
    assert found.shift == pytest.approx(best.shift)


def test_regression_groups_and_scores():
    data, target = load_diabetes(return_X_y=True)
    groups = np.arange(target.size) // 13
    search = GridSearchCV(
        Ridge(),
        {"alpha": np.geomspace(0.001, 10, 9)},
        cv=GroupKFold(6),
        scoring="neg_mean_absolute_error",
    )
    found = errbar.tune(search, data, target, groups=groups, random_state=0)
    assert found.table.loss.higher_is_better is False
    assert found.reported == pytest.approx(-found.search.best_score_)
    assert found.plain.low < found.plain.estimate < found.estimate < found.interval.high
    assert found.gain.estimate > 0.0


def test_text_labels_and_several_classes():
    words = np.array(["no", "yes"])[Y]
    found = errbar.tune(
        GridSearchCV(SVC(), {"C": [0.1, 1.0, 10.0]}),
        X,
        words,
        loss="f1",
        positive="yes",
        random_state=0,
    )
    best = max(found.candidates.values(), key=lambda one: one.estimate)
    assert best.learner == found.winner
    for loss in ("roc_auc", "log-loss"):
        learners = {"C": [0.1, 1.0]}
        found = errbar.tune(
            GridSearchCV(LogisticRegression(), learners), X, words, loss=loss, random_state=0
        )
        numbers = errbar.tune(
            GridSearchCV(LogisticRegression(), learners), X, Y, loss=loss, random_state=0
        )
        assert found.interval == pytest.approx(numbers.interval)
    data, target = load_iris(return_X_y=True)
    for loss in ("log-loss", "roc_auc_ovr", "f1_macro"):
        found = errbar.tune(
            GridSearchCV(LogisticRegression(max_iter=500), {"C": [0.1, 1.0]}),
            data,
            target,
            loss=loss,
            random_state=0,
        )
        assert 0.0 < found.interval.low <= found.estimate <= found.interval.high


def test_frames_with_text():
    frame = pd.DataFrame({"size": X[:, 0], "colour": np.where(X[:, 1] > 0, "red", "blue")})
    first = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    search = GridSearchCV(
        make_pipeline(first, KNeighborsClassifier()),
        {"kneighborsclassifier__n_neighbors": [1, 5, 15]},
    )
    found = errbar.tune(search, frame, pd.Series(Y), random_state=0)
    assert {*found.parameters} == {"n_neighbors=1", "n_neighbors=5", "n_neighbors=15"}


def test_weights_reach_the_fits():
    weights = np.where(Y == 1, 5.0, 1.0)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=5)
    found = errbar.tune(search, X, Y, loss="zero-one", random_state=0, sample_weight=weights)
    expected = cross_val_predict(
        LogisticRegression(C=0.01), X, Y, cv=5, params={"sample_weight": weights}
    )
    own = found.table.predictions[0]["label"]
    assert (own[np.argsort(found.table.cells.example)] == expected).all()


def test_failed_candidates_are_left_out():
    found = errbar.tune(GridSearchCV(TREE, {"max_depth": [1, -1, 2, -2]}), X, Y, random_state=0)
    assert {*found.parameters} == {"max_depth=1", "max_depth=2", "default parameters"}
    [note] = found.notes
    assert (note.code, note.numbers["what"]) == ("left-out", ("max_depth=-1", "max_depth=-2"))


def test_a_baseline_that_fails_costs_nothing_that_was_found():
    found = errbar.tune(
        GridSearchCV(TREE, DEPTHS), X, Y, baseline={"max_leaf_nodes": -1}, random_state=0
    )
    assert found.gain is None
    assert found.baseline is None
    assert [note.code for note in found.notes] == ["left-out"]


def test_more_candidates_than_examples_equal_ones_and_a_single_one():
    few = slice(0, 24)
    many = {"max_depth": [*range(1, 31)]}
    found = errbar.tune(GridSearchCV(TREE, many, cv=3), X[few], Y[few], random_state=0)
    assert len(found.parameters) == 31
    assert found.winner == f"max_depth={found.search.best_params_['max_depth']}"
    equal = errbar.tune(
        GridSearchCV(TREE, {"max_depth": [3, 3, 3]}), X, Y, baseline=None, random_state=0
    )
    assert [*equal.parameters] == ["max_depth=3", "max_depth=3 (2)", "max_depth=3 (3)"]
    assert equal.possible_best == tuple(equal.parameters)
    single = errbar.tune(GridSearchCV(TREE, {"max_depth": [3]}), X, Y, random_state=0)
    assert single.possible_best == ("max_depth=3",)


def test_the_same_for_any_number_of_workers():
    one, two = (
        errbar.tune(GridSearchCV(TREE, DEPTHS, n_jobs=jobs), X, Y, random_state=5).to_dict()
        for jobs in (1, 2)
    )
    for found in (one, two):
        found["counts"].pop("seconds")
    assert one == two


@pytest.mark.parametrize(
    ("argument", "given"),
    [
        ("search", {"search": SVC()}),
        ("search", {"search": GridSearchCV}),
        ("loss", {"search": GridSearchCV(SVC(), {"C": [1, 2]}, scoring=accuracy)}),
        ("loss", {"loss": "rmse"}),
        ("baseline", {"baseline": "best"}),
        ("baseline", {"baseline": {"D": 1}}),
        ("level", {"level": 95}),
        (None, {"search": GridSearchCV(SVC(), {"C": [1, 2]}, cv=TimeSeriesSplit(5))}),
        ("plan", {"plan": "ten"}),
    ],
)
def test_refused_before_any_fit(argument, given, tmp_path):
    search = GridSearchCV(Counted(folder=str(tmp_path)), {"max_depth": [1, 2]})
    with refused(argument):
        errbar.tune(**{"search": search, "X": X, "y": Y, "random_state": 0} | given)
    assert fits_in(tmp_path) == 0


def test_searches_that_fail_say_why():
    for search in (
        GridSearchCV(TREE, {"max_depth": [-1, -2]}),
        GridSearchCV(TREE, {"max_depth": [-1, 2]}, error_score="raise"),
        GridSearchCV(TREE, {"depth": [1]}),
    ):
        with pytest.raises(errbar.FitFailedError, match="the search failed"):
            errbar.tune(search, X, Y, random_state=0)


def nothing(estimator, X, y):
    return float("nan")


def test_scores_that_are_undefined_select_nothing():
    search = GridSearchCV(TREE, DEPTHS, scoring=nothing)
    with pytest.raises(errbar.FitFailedError, match="undefined"):
        errbar.tune(search, X, Y, loss="accuracy", random_state=0)
    words = np.array(["no", "yes"])[Y]
    with refused():
        errbar.tune(GridSearchCV(TREE, DEPTHS, scoring="f1"), X, words, random_state=0)
