"""Experiments: the same numbers however they are done, and truths that are right where they are known."""

import math
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import (
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    SGDRegressor,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

import errbar
import errbar_lab as lab
from errbar import FitFailedError, InvalidInputError, _rng, metrics, plans
from errbar.fits import Store
from errbar.metrics import Loss
from errbar_lab import _fitting
from errbar_lab._experiment import data_stream, procedures_of
from errbar_lab._replicates import with_root
from errbar_lab.populations import Drawn
from tests.refusals import refused

pytestmark = pytest.mark.long

GAUSSIAN = lab.GaussianRegression(features=4, relevant=2)
CLASSES = lab.GaussianClassification(features=4, relevant=2)
TWO = lab.Problem(
    lab.GaussianClassification(), {"bayes": GaussianNB(), "1-NN": KNeighborsClassifier(1)}
)
METHODS = [
    "holdout-t",
    "corrected-t",
    lab.Analysis("kfold-t", plans.KFold(5), {"rho": 0.7}),
    "mcnemar",
]


def outcomes(methods=("corrected-t",), replicates=3, problem=TWO, n=40, about=(), **how):
    options = {key: how.pop(key) for key in ("level", "pairs") if key in how}
    return lab.Experiment([problem], [n], methods, about=about, **options).run(replicates, **how)


def risks(learners, population=GAUSSIAN, loss=None, replicates=3, **how):
    problem = lab.Problem(population, learners, loss)
    found = outcomes(["holdout-t"], replicates, problem, 30, ["R"], **how)
    return {name: own["R"].to_numpy() for name, own in found.groupby("target", sort=False)}


class TestSameNumbers:
    def test_one_worker_two_workers_and_a_resumed_run(self, tmp_path):
        how = {"random_state": 3, "test_examples": 50, "about": ["R"]}
        serial = outcomes(METHODS, 12, n_jobs=1, **how)
        assert len(serial) == 12 * (3 * 3 + 1)
        assert serial.equals(outcomes(METHODS, 12, n_jobs=2, **how))
        store = tmp_path / "lab.db"
        outcomes(METHODS, 5, n_jobs=1, store=store, **how)
        with Store(store) as file:
            assert len(list(file.each())) == 5
        asked = []
        resumed = outcomes(METHODS, 12, n_jobs=1, store=store, progress=asked.append, **how)
        assert serial.equals(resumed)
        assert len(asked) == 7
        assert asked[-1].done == asked[-1].total == 7
        outcomes(METHODS, 12, n_jobs=1, store=store, progress=pytest.fail, **how)

    def test_more_replicates_begin_with_the_same(self):
        few, many = (outcomes(replicates=count)["estimate"] for count in (3, 6))
        assert set(few) <= set(many)

    def test_another_method_changes_nothing(self):
        alone, more = outcomes(), outcomes(METHODS)
        more = more[more["method"] == "corrected-t"]
        np.testing.assert_array_equal(alone["estimate"], more["estimate"])

    def test_the_order_of_learners_changes_nothing(self):
        turned = lab.Problem(TWO.population, dict(reversed(TWO.learners.items())))
        one, other = (
            own[own["minus"] != ""]["estimate"] for own in (outcomes(), outcomes(problem=turned))
        )
        np.testing.assert_allclose(one, -other, atol=1e-15)

    def test_a_replicate_is_what_the_pieces_give(self):
        found = outcomes(random_state=5)
        found = found[(found["target"] == "bayes") & (found["replicate"] == 1)].iloc[0]
        sample = TWO.population.sample(40, data_stream(5, TWO.population, 40, 1))
        table = errbar.run(
            TWO.learners,
            sample.X,
            sample.y,
            plan=plans.Subsampling(),
            random_state=_rng.seed(5, "splits", 40, 1),
        )
        result = errbar.infer(table, "corrected-t", "bayes")
        assert (found["estimate"], found["low"], found["pvalue"]) == (
            result.estimate,
            result.low,
            result.pvalue,
        )

    def test_a_root_is_drawn_once(self):
        rng = np.random.default_rng(1)
        how = with_root(random_state=rng, n_jobs=2)
        assert how == with_root(**how)
        assert how["random_state"] == np.random.default_rng(1).integers(0, 2**63 - 1)
        with pytest.raises(TypeError):
            outcomes(jobs=2)


def test_digest_tells_settings_apart():
    def digest(methods=("corrected-t",), level=0.95, n=40, **changes):
        problem = lab.Problem(**{"population": TWO.population, "learners": TWO.learners} | changes)
        return lab.Experiment([problem], [n], methods, level).simulated(problem, n).digest

    others = [
        digest(level=0.9),
        digest(n=41),
        digest(methods=("corrected-t", "cv-wald")),
        digest(methods=(lab.Analysis("corrected-t", plans.KFold(5)),)),
        digest(methods=(lab.Analysis("corrected-t", options={"correlation": 0.5}),)),
        digest(learners={"bayes": GaussianNB(), "1-NN": KNeighborsClassifier(2)}),
        digest(learners={"bayes": GaussianNB(), "nn": KNeighborsClassifier(1)}),
        digest(population=lab.GaussianClassification(features=21)),
        digest(loss="brier"),
    ]
    assert len({digest(), *others}) == 10
    assert digest() == digest(key="another name")


class TestTruth:
    def test_closed_form_of_least_squares(self):
        problem = lab.Problem(lab.GaussianRegression(), {"ols": LinearRegression()})
        found = lab.expected_risks(problem, [100, 500])
        assert round(found[100].of("ols")[0], 4) == 1.2690
        assert round(found[500].of("ols")[0], 4) == 1.0439
        assert found[100].of("ols")[1] == 0.0

    @pytest.mark.parametrize(
        ("learner", "loss", "exact"),
        [
            (LinearRegression(), None, True),
            (LinearRegression(fit_intercept=False), None, False),
            (LinearRegression(positive=True), None, False),
            (LinearRegression(), "absolute-error", False),
            (Ridge(), None, False),
        ],
    )
    def test_the_closed_form_is_for_ordinary_least_squares_alone(self, learner, loss, exact):
        problem = lab.Problem(GAUSSIAN, {"a": learner}, loss)
        assert (lab.expected_risks(problem, [30], draws=5)[30].of("a")[1] == 0.0) == exact

    def test_expected_risks_of_ridge_are_means_of_exact_ones(self):
        """With next to no penalty it is least squares, whose expected risk is known."""
        problem = lab.Problem(GAUSSIAN, {"ridge": Ridge(1e-9)})
        value, error = lab.expected_risks(problem, [30], draws=500)[30].of("ridge")
        assert abs(value - GAUSSIAN.least_squares_expected_risk(30)) < 5 * error < 0.05

    def test_differences_are_paired(self):
        found = lab.expected_risks(TWO, [20], draws=50, test_examples=100)[20]
        (a, ea), (b, eb), (gap, error) = (
            found.of("bayes"),
            found.of("1-NN"),
            found.of("bayes", "1-NN"),
        )
        assert gap == pytest.approx(a - b)
        assert 0.0 < error < np.hypot(ea, eb)


def square(truth, predicted):
    return np.square(truth - predicted)


def differ(truth, predicted):
    return (truth != predicted).astype(float)


class TestRisks:
    """Expected values come from other sources than the code under test: by hand, or from fresh test examples."""

    def test_r_of_least_squares_is_the_squared_distance_of_its_coefficients(self):
        [found] = risks({"least squares": LinearRegression()}, random_state=3).values()
        for number, risk in enumerate(found):
            X, y = GAUSSIAN.sample(30, data_stream(3, GAUSSIAN, 30, number))
            model = np.linalg.lstsq(np.column_stack([np.ones(30), X]), y, rcond=None)[0]
            assert risk == pytest.approx(1.0 + np.sum((model - [0, 1, 1, 0, 0]) ** 2), rel=1e-9)

    @pytest.mark.parametrize(
        ("population", "learners", "losses"),
        [
            (
                GAUSSIAN,
                {"lasso": Lasso(0.3), "ridge": Ridge(5.0)},
                (None, Loss("s", square, task="regression")),
            ),
            (
                CLASSES,
                {"logit": LogisticRegression(), "lda": LinearDiscriminantAnalysis()},
                (None, Loss("d", differ)),
            ),
        ],
    )
    def test_they_agree_with_test_examples(self, population, learners, losses):
        """A loss of the same values under another name is unknown to the population, so that it is measured."""
        exact, measured = (
            np.array(list(risks(learners, population, loss, pairs=False).values()))
            for loss in losses
        )
        assert not np.array_equal(exact, measured)
        # The variance of a squared error of a normal variable is at most 2 R^2 here, that of an error rate R(1 - R).
        spread = exact * math.sqrt(2.0)
        if population is CLASSES:
            spread = np.sqrt(exact * (1 - exact))
        assert (np.abs(measured - exact) < 5 * spread / math.sqrt(20_000)).all()

    def test_learners_of_both_kinds_may_stand_side_by_side(self):
        learners = {"tree": DecisionTreeRegressor(random_state=0), "ridge": Ridge()}
        found = risks(learners, test_examples=50)
        alone = risks({"ridge": Ridge()}, test_examples=9)
        assert np.array_equal(found["ridge"], alone["ridge"])
        assert np.array_equal(found["tree - ridge"], found["tree"] - found["ridge"])
        assert (found["tree"] > 1.0).all()

    def test_a_random_learner_is_seeded_as_the_engine_would(self):
        """The same model is found by the engine, whose test examples tell it apart from one with another seed."""
        learners = {"sgd": SGDRegressor(max_iter=3, tol=None)}
        data = GAUSSIAN.drawn(50, 200_000, np.random.default_rng(0))
        loss = metrics.resolve(None, "regression")
        mean = _fitting.measured(learners, loss, data, seed=7)[0]
        values = [_fitting.exact(GAUSSIAN, learners, loss, data, s)["sgd"] for s in (7, 7, 8)]
        assert values[0] == values[1] != values[2]
        assert abs(values[0] - mean) < 5 * mean * math.sqrt(2 / 200_000)

    @pytest.mark.parametrize("learner", [PoissonRegressor(), SVR(), SVR(kernel="linear")])
    def test_only_models_that_predict_linearly_are_taken_for_linear(self, learner):
        X = np.random.default_rng(0).normal(size=(50, 3))
        found = _fitting.linear(learner.fit(X, np.exp(X[:, 0])), X)
        assert (found is not None) == (getattr(learner, "kernel", "") == "linear")

    def test_classifiers_count_only_with_the_codes_of_two_classes(self):
        X = np.random.default_rng(0).normal(size=(60, 2))
        two, three = (X[:, 0] > 0).astype(int), np.digitize(X[:, 0], [-0.5, 0.5])
        assert _fitting.linear(LogisticRegression().fit(X, two), X) is not None
        assert _fitting.linear(LogisticRegression().fit(X, two + 1), X) is None
        assert _fitting.linear(LogisticRegression().fit(X, three), X) is None
        assert _fitting.linear(SVC().fit(X, two), X) is None

    @pytest.mark.parametrize(
        ("loss", "score"), [("f1", sk.f1_score), ("rmse", sk.root_mean_squared_error)]
    )
    def test_a_metric_is_that_of_the_test_examples(self, loss, score):
        population, learner = (
            (CLASSES, LogisticRegression()) if loss == "f1" else (GAUSSIAN, Ridge())
        )
        data = population.drawn(60, 4000, np.random.default_rng(3))
        resolved = metrics.resolve(loss, population.task)
        [risk] = _fitting.measured({"a": learner}, resolved, data, 0)
        model = learner.fit(data.X[:60], data.y[:60])
        assert risk == pytest.approx(score(data.y[60:], model.predict(data.X[60:])), rel=1e-12)

    def test_the_true_r2_of_a_model_is_against_the_mean_of_its_training_set(self):
        data = GAUSSIAN.drawn(30, 4000, np.random.default_rng(3))
        both = {"dummy": DummyRegressor(), "ridge": Ridge()}
        loss = metrics.resolve("r2", "regression")
        dummy, ridge = _fitting.measured(both, loss, data, 0)
        model, y = Ridge().fit(data.X[:30], data.y[:30]), data.y[30:]
        rival = np.square(y - data.y[:30].mean()).sum()
        error = np.square(y - model.predict(data.X[30:])).sum()
        assert ridge == pytest.approx(1 - error / rival, rel=1e-12)
        assert dummy == pytest.approx(0.0, abs=1e-12)

    def test_of_models_of_splits_they_are_those_of_scikit_learn(self):
        """Every model anew: the risk of the model of each fold, and that of the model of all examples."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 3))
        data = Drawn(X, np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5]), 50)
        learners, loss = {"1-NN": KNeighborsClassifier(1)}, metrics.resolve(None, "classification")
        table, models, whole = _fitting.fitted_and_tested(learners, data, plans.KFold(5), loss, 7)

        def risk(rows):
            model = KNeighborsClassifier(1).fit(X[rows], data.y[rows])
            return (model.predict(X[50:]) != data.y[50:]).mean()

        splits = plans.draw(plans.KFold(5), 50, 7, data.y[:50]).splits
        assert models[:, 0] == pytest.approx([risk(split.train) for split in splits])
        assert whole == pytest.approx([risk(np.arange(50))])
        direct = errbar.run(learners, X[:50], data.y[:50], plan=plans.KFold(5), random_state=7)
        np.testing.assert_array_equal(table.scores, direct.scores)


class TestWrongInput:
    @pytest.mark.parametrize(
        ("arguments", "argument"),
        [
            ({"methods": []}, "methods"),
            ({"methods": "corrected-t"}, "methods"),
            ({"methods": ["corected-t"]}, "method"),
            ({"methods": ["cochran-q"]}, None),
            ({"methods": ["permutation"], "pairs": False}, None),
            ({"methods": ["corrected-t", "corrected-t"]}, None),
            ({"methods": ["mcnemar"], "pairs": False}, None),
            ({"methods": ["outperformance"]}, None),
            ({"replicates": 0}, "replicates"),
            ({"level": 2}, "level"),
            ({"n": 1}, "n"),
        ],
    )
    def test_one_sentence(self, arguments, argument):
        with refused(argument):
            outcomes(**arguments)

    def test_learners_of_another_task(self):
        with pytest.raises(InvalidInputError):
            lab.Problem(lab.GaussianRegression(), {"bayes": GaussianNB()})

    def test_learners_that_fail_are_named_and_the_rest_is_kept(self, tmp_path):
        problem = lab.Problem(TWO.population, {"9-NN": KNeighborsClassifier(9)})
        half = lab.Analysis("holdout-t", plans.Holdout(n_test=0.5))
        with pytest.raises(FitFailedError):
            outcomes([half], 4, problem, 12, store=tmp_path / "lab.db")

    def test_methods_with_plans_of_their_own_keep_them(self):
        [one] = procedures_of([lab.Analysis("corrected-t", plans.KFold(5), name="mine")])
        assert (one.name, one.plans) == ("mine", (plans.KFold(5),))


def test_single_class_data_sets_are_drawn_again():
    population = lab.FinitePopulation(np.arange(50.0)[:, None], ["a"] * 48 + ["b"] * 2)
    problem = lab.Problem(population.with_replacement(), {"1-NN": KNeighborsClassifier(1)})
    assert len(outcomes([lab.Analysis("kfold-t", plans.KFold(4))], 20, problem, 8)) == 20


_RUN = """
import sys
from sklearn.naive_bayes import GaussianNB
import errbar_lab as lab
problem = lab.Problem(lab.GaussianClassification(), {"bayes": GaussianNB()})
experiment = lab.Experiment([problem], [60], ["corrected-t", "cv-wald"], about=[])
found = experiment.run(60, store=sys.argv[1], n_jobs=1)
print(found[["estimate", "low", "high"]].to_numpy().tobytes().hex(), flush=True)
"""


def _run(store):
    return subprocess.Popen(
        [sys.executable, "-c", _RUN, str(store)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.thorough
@pytest.mark.unix
def test_killed_again_and_again_it_gives_the_same_numbers(tmp_path, rng):
    whole = _run(tmp_path / "whole.db").communicate()[0]
    store = tmp_path / "killed.db"
    kept = 0
    for _ in range(4):
        run = _run(store)
        while run.poll() is None and _records(store) < kept + 2:
            time.sleep(0.01)
        time.sleep(float(rng.uniform(0.0, 0.1)))
        run.send_signal(signal.SIGKILL)
        run.communicate()
        assert _records(store) >= kept
        kept = _records(store)
    assert kept > 0
    assert _run(store).communicate()[0] == whole


def _records(store):
    if not store.is_file():
        return 0
    with Store(store) as file:
        return len(list(file.each()))
