"""The laboratory with metrics: their truth, the methods that take them, and the command line."""

import math

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge

import errbar_lab as lab
from errbar.errors import InvalidInputError
from errbar_lab import _risk
from errbar_lab.populations import Sample
from errbar_lab.studies._coverage import coverage, every_method
from errbar_lab.studies._problems import Problem
from tests.refusals import refused

pytestmark = pytest.mark.long

CLASSES = lab.GaussianClassification(features=4, relevant=2)
NUMBERS = lab.GaussianRegression(features=4, relevant=2)
METHODS = ["holdout-t", "corrected-t", "cv-wald", "nested-cv", "kfold-t"]


def problem(loss):
    if loss in ("r2", "rmse", "explained_variance"):
        return Problem("numbers", "4 features", NUMBERS, {"ridge": Ridge()}, "squared-error")
    return Problem(
        "classes", "4 features", CLASSES, {"linear": LinearDiscriminantAnalysis()}, "zero-one"
    )


def of_both(loss, **how):
    options = {
        "n": 160,
        "replicates": 3,
        "truth_draws": 6,
        "test_examples": 500,
        "random_state": 2,
    } | how
    return coverage([problem(loss)], METHODS, loss=loss, **options)


@pytest.mark.parametrize("loss", ["f1", "f1_macro", "matthews_corrcoef", "roc_auc", "r2", "rmse"])
def test_methods_judge_a_metric(loss):
    study = of_both(loss)
    assert {one.method for one in study.performances} == set(METHODS)
    assert all(math.isfinite(one.width) and one.coverage.total == 3 for one in study.performances)
    # Estimates are of the very number that the truth is: within a few tenths of it, in its own direction.
    assert all(abs(one.bias) < 0.3 for one in study.performances)
    assert all(abs(check.deviation) < 6 for check in study.checks)
    assert study.settings["Loss"] == {"rmse": "root_mean_squared_error"}.get(loss, loss)


@pytest.mark.parametrize(
    ("loss", "score"), [("f1", sk.f1_score), ("rmse", sk.root_mean_squared_error)]
)
def test_the_risk_of_a_model_is_its_metric_on_test_examples(loss, score):
    posed = problem(loss)
    rng = np.random.default_rng(3)
    sample, test = (Sample(*posed.population.sample(n, rng)) for n in (60, 4000))
    [risk] = _risk.measured(posed.learners, loss, sample, test, 0)
    [model] = posed.learners.values()
    assert risk == pytest.approx(
        score(test.y, model.fit(sample.X, sample.y).predict(test.X)), rel=1e-12
    )


def test_the_true_r2_of_a_model_is_against_the_mean_of_its_training_set():
    posed, rng = problem("r2"), np.random.default_rng(3)
    sample, test = (Sample(*posed.population.sample(n, rng)) for n in (30, 4000))
    both = {"dummy": DummyRegressor(), **posed.learners}
    dummy, ridge = _risk.measured(both, "r2", sample, test, 0)
    predicted = Ridge().fit(sample.X, sample.y).predict(test.X)
    rival = np.square(test.y - sample.y.mean()).sum()
    assert ridge == pytest.approx(1 - np.square(test.y - predicted).sum() / rival, rel=1e-12)
    assert dummy == pytest.approx(0.0, abs=1e-12)


def test_many_replicates_hold_the_metric_of_the_model():
    study = coverage(
        [problem("r2")],
        ["holdout-t"],
        loss="r2",
        n=400,
        replicates=200,
        truth_draws=20,
        test_examples=5000,
        random_state=1,
    )
    [found] = study.select(about="ER(n1)")
    assert 0.9 <= found.coverage.count / 200 <= 0.99


@pytest.mark.parametrize("loss", ["f1", "f2", "r2"])
def test_methods_that_need_losses_are_left_out(loss):
    keys = {one.method for one in every_method(loss)}
    assert {"cv-wald", "holdout-t", "corrected-t", "nested-cv", "kfold-t"} <= keys
    assert not {"632", "632-plus", "oob-bootstrap", "binomial", "mcnemar"} & keys


def test_a_method_that_needs_losses_is_refused():
    with pytest.raises(InvalidInputError):
        coverage([problem("f1")], ["632"], loss="f1", n=60, replicates=2)


def test_a_metric_of_another_task_is_refused():
    with refused("loss"):
        coverage([problem("r2")], ["holdout-t"], loss="f1", n=60, replicates=2)


@pytest.mark.thorough
def test_a_store_tells_losses_apart(tmp_path):
    store = tmp_path / "lab.db"
    first, second = (of_both(loss, store=store) for loss in ("f1", "roc_auc"))
    plain = of_both("roc_auc")
    assert second.content() == plain.content()
    assert first.content() != plain.content()
