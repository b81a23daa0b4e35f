"""Candidates of a loop of one's own: scored on the same splits, in any order, by threads and by Optuna."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import errbar
from tests.refusals import refused
from tests.tuning.learners import Counted, fits_in, two_classes

X, Y = two_classes()


def neighbours(loss="accuracy", **how):
    kept = errbar.keep(X, Y, plan=5, loss=loss, random_state=0, **how)
    return kept, {k: kept.score(KNeighborsClassifier(k)) for k in (1, 3, 9, 27)}


def test_scores_are_those_of_a_run():
    for loss in ("accuracy", "log-loss", "f1", "roc_auc"):
        kept, scores = neighbours(loss)
        for k, score in scores.items():
            table = errbar.run(
                {"one": KNeighborsClassifier(k)},
                X,
                Y,
                plan=5,
                loss=loss,
                pool="none",
                random_state=0,
            )
            assert score == pytest.approx(table.loss.sign * table.scores.mean())
        better = max if loss != "log-loss" else min
        assert errbar.tuned(kept).winner == f"n_neighbors={better(scores, key=scores.get)}"


def test_kept_is_what_a_search_keeps():
    data, target = load_diabetes(return_X_y=True)
    splits = KFold(6, shuffle=True, random_state=4)
    kept = errbar.keep(data, target, splits, random_state=0)
    for alpha in (0.01, 0.1, 1.0):
        kept.score(Ridge(alpha))
    search = GridSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1.0]}, cv=splits)
    found = errbar.tune(search, data, target, loss="squared-error", baseline=None, random_state=0)
    same = errbar.tuned(kept)
    assert same.possible_best == found.possible_best
    assert same.estimate == pytest.approx(found.estimate)
    assert same.interval == pytest.approx(found.interval)


def test_parameters_may_be_named():
    kept = errbar.keep(X, Y, plan=4, random_state=0)
    for depth in (1, 3):
        kept.score(DecisionTreeClassifier(max_depth=depth, random_state=0), depth=depth)
    found = errbar.tuned(kept, baseline="depth=1")
    assert {*found.parameters} == {"depth=1", "depth=3"}
    assert found.curves() == {"depth": {"1": "depth=1", "3": "depth=3"}}


def test_threads_and_order_change_no_number():
    def one_by_one(pool):
        kept = errbar.keep(X, Y, plan=5, random_state=0)
        return kept, list(pool.map(lambda k: kept.score(KNeighborsClassifier(k)), (1, 3, 9, 27)))

    with ThreadPoolExecutor(4) as pool:
        kept, scores = one_by_one(pool)
    assert scores == [*neighbours("zero-one")[1].values()]
    assert errbar.tuned(kept).estimate == pytest.approx(
        errbar.tuned(neighbours("zero-one")[0]).estimate, rel=0.02
    )


def test_kept_fits_are_not_made_again(tmp_path):
    fits, store = tmp_path / "fits", tmp_path / "store.db"
    fits.mkdir()
    for _ in range(2):
        kept = errbar.keep(X, Y, plan=3, random_state=0, store=store)
        for depth in (1, 2):
            kept.score(Counted(max_depth=depth, folder=str(fits)))
    assert fits_in(fits) == 6
    assert errbar.tuned(kept).table.counts.reused == 6


def test_a_candidate_that_fails_is_not_kept():
    kept, _ = neighbours()
    with pytest.raises(errbar.FitFailedError):
        kept.score(KNeighborsClassifier(-1))
    assert len(errbar.tuned(kept).parameters) == 4


def test_refused():
    with refused():
        errbar.tuned(errbar.keep(X, Y, random_state=0))
    with refused("source"):
        errbar.tuned([0.1, 0.2])
    kept, _ = neighbours()
    with refused("baseline"):
        errbar.tuned(kept, baseline="n_neighbors=2")
    with refused():  # one number per split
        errbar.tuned(
            errbar.from_scores({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.2, 0.4]}, n_train=9, n_test=3)
        )
    time = errbar.plans.RollingOrigin(n_train=40, n_test=20)
    kept = errbar.keep(X, Y, time, random_state=0, time=np.arange(Y.size))
    kept.score(KNeighborsClassifier(1))
    with refused():
        errbar.tuned(kept)


@pytest.mark.filterwarnings("ignore")
def test_an_optuna_study():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    kept = errbar.keep(X, Y, plan=5, loss="roc_auc", random_state=0)

    def objective(trial):
        depth, leaf = (
            trial.suggest_int("max_depth", 1, 6),
            trial.suggest_int("min_samples_leaf", 1, 20),
        )
        tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=0)
        return kept.score(tree, **trial.params)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=15)
    found = errbar.tuned(kept)
    assert len(found.parameters) == 15
    assert found.reported == pytest.approx(study.best_value, abs=1e-12)
    assert found.estimate < study.best_value
    assert dict(found.parameters[found.winner]) == study.best_params
