"""The coverage study: exact risks, exact coverage where theory knows it, and the evidence that the package quotes."""

import csv
import json
import math
from importlib.resources import files

import numpy as np
import pytest
from scipy import stats
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
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

from errbar import _rng, lab
from errbar.lab import _risk
from errbar.lab._scenario import Analysis, data_stream
from errbar.lab.studies import _problems as problems
from errbar.lab.studies._coverage import ABOUT, METHODS, coverage, every_method
from errbar.methods import evidence
from errbar.metrics import Loss
from tests.bands import binomial_band, binomial_power
from tests.refusals import refused

pytestmark = pytest.mark.long

GAUSSIAN = lab.GaussianRegression(features=4, relevant=2)
CLASSES = lab.GaussianClassification(features=4, relevant=2)


def signed(truth, predicted):
    return truth - predicted


def square(truth, predicted):
    return np.square(truth - predicted)


def differ(truth, predicted):
    return (truth != predicted).astype(float)


SIGNED = Loss("signed-error", signed, task="regression")


def constant_problem(**more):
    """Losses are standard normal whatever the training set, so that intervals for their mean are textbook ones."""
    population = lab.GaussianRegression(features=1, relevant=0)
    learners = {"zero": DummyRegressor(strategy="constant", constant=0.0)}
    return problems.Problem(
        "constant", "standard normal losses", population, learners, SIGNED, **more
    )


@pytest.fixture(scope="module")
def constant():
    return coverage(
        [constant_problem()],
        ["holdout-t", "resampled-t"],
        n=40,
        replicates=600,
        truth_draws=500,
        test_examples=4000,
        random_state=1,
    )


@pytest.fixture(scope="module")
def small():
    return coverage(
        ["gaussian-ridge-20", "friedman-1"],
        ["holdout-t", "kfold-t", Analysis("kfold-t", options={"rho": 0.7})],
        n=[60, 80],
        replicates=6,
        truth_draws=20,
        test_examples=200,
    )


class TestExactRisks:
    """Expected values come from other sources than the code under test: by hand, or from fresh test examples."""

    def test_r_of_least_squares_is_the_squared_distance_of_its_coefficients(self):
        scenario = lab.Scenario(GAUSSIAN, 30, {"least squares": LinearRegression()})
        found = lab.simulate(scenario, ["holdout-t"], replicates=5, test_examples=1, random_state=3)
        for number, risk in enumerate(next(iter(found)).risk):
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
        count, both = 20_000, []
        for loss in losses:
            scenario = lab.Scenario(population, 40, learners, loss, name="one")
            found = lab.simulate(
                scenario,
                ["holdout-t"],
                replicates=8,
                pairs=False,
                test_examples=count,
                random_state=4,
            )
            both.append(np.array([one.risk for one in found]))
        assert not np.array_equal(*both)
        # The variance of a squared error of a normal variable is at most 2 R^2 here, that of an error rate R(1 - R).
        spread = (
            both[0] * math.sqrt(2.0) if population is GAUSSIAN else np.sqrt(both[0] * (1 - both[0]))
        )
        assert (np.abs(both[1] - both[0]) < 5 * spread / math.sqrt(count)).all()

    def test_test_examples_do_not_matter_where_risks_are_exact(self):
        scenario = lab.Scenario(GAUSSIAN, 30, {"ridge": Ridge()})
        few, many = (
            lab.simulate(scenario, ["holdout-t"], replicates=3, test_examples=k) for k in (1, 50)
        )
        assert np.array_equal(next(iter(few)).risk, next(iter(many)).risk)

    def test_learners_of_both_kinds_may_stand_side_by_side(self):
        learners = {"tree": DecisionTreeRegressor(random_state=0), "ridge": Ridge()}
        both = lab.Scenario(GAUSSIAN, 30, learners)
        found = lab.simulate(both, ["holdout-t"], replicates=3, test_examples=50)
        alone = lab.simulate(
            lab.Scenario(GAUSSIAN, 30, {"ridge": Ridge()}),
            ["holdout-t"],
            replicates=3,
            test_examples=9,
        )
        tree, ridge, gap = (one.risk for one in found)
        assert np.array_equal(ridge, next(iter(alone)).risk)
        assert np.array_equal(gap, tree - ridge)
        assert (tree > 1.0).all()

    def test_a_random_learner_is_seeded_as_the_engine_would(self):
        """The same model is found by the engine, whose test examples tell it apart from one with another seed."""
        learners = {"sgd": SGDRegressor(max_iter=3, tol=None)}
        sample, test = GAUSSIAN.sample_with_test(50, 200_000, np.random.default_rng(0))
        mean = _risk.measured(learners, None, sample, test, seed=7)[0]
        values = [_risk.exact(GAUSSIAN, learners, None, sample, seed)["sgd"] for seed in (7, 7, 8)]
        assert values[0] == values[1] != values[2]
        assert abs(values[0] - mean) < 5 * mean * math.sqrt(2 / 200_000)

    @pytest.mark.parametrize(
        "learner",
        [PoissonRegressor(), SVR(), SVR(kernel="linear"), make_pipeline(StandardScaler(), Ridge())],
    )
    def test_only_models_that_predict_linearly_are_taken_for_linear(self, learner):
        X = np.random.default_rng(0).normal(size=(50, 3))
        y = np.exp(X[:, 0])
        found = _risk.linear(learner.fit(X, y), X)
        assert (found is not None) == (getattr(learner, "kernel", "") == "linear")

    def test_classifiers_count_only_with_the_codes_of_two_classes(self):
        X = np.random.default_rng(0).normal(size=(60, 2))
        two, three = (X[:, 0] > 0).astype(int), np.digitize(X[:, 0], [-0.5, 0.5])
        assert _risk.linear(LogisticRegression().fit(X, two), X) is not None
        assert _risk.linear(LogisticRegression().fit(X, two + 1), X) is None
        assert _risk.linear(LogisticRegression().fit(X, three), X) is None
        assert _risk.linear(SVC().fit(X, two), X) is None

    def test_the_closed_form_is_for_ordinary_least_squares_alone(self):
        def exact(learner, loss=None):
            return (
                lab.expected_risks(lab.Scenario(GAUSSIAN, 30, {"a": learner}, loss), draws=5)[
                    30
                ].draws
                == 0
            )

        assert exact(LinearRegression())
        assert not exact(LinearRegression(fit_intercept=False))
        assert not exact(LinearRegression(positive=True))
        assert not exact(LinearRegression(), "absolute-error")
        assert not exact(Ridge())

    def test_expected_risks_of_ridge_are_means_of_exact_ones(self):
        """With next to no penalty it is least squares, whose expected risk is known."""
        scenario = lab.Scenario(GAUSSIAN, 30, {"ridge": Ridge(1e-9)})
        value, error = lab.expected_risks(scenario, draws=500, test_examples=1)[30].of("ridge")
        assert abs(value - GAUSSIAN.least_squares_expected_risk(30)) < 5 * error < 0.05


class TestCoverage:
    @pytest.mark.thorough
    def test_the_holdout_t_is_exact_where_losses_are_normal_and_do_not_depend_on_training(
        self, constant
    ):
        low, high = binomial_band(600, 0.95)
        assert binomial_power(600, 0.95, 0.86) > 0.99
        for about in ABOUT:
            [one] = [found for found in constant.select(about=about) if found.method == "holdout-t"]
            assert low <= one.coverage.count <= high
            assert abs(one.bias) < 5 * one.bias_error

    @pytest.mark.thorough
    def test_the_resampled_t_falls_short_as_theory_says(self, constant):
        """Means over 15 tests of 4 of 40 examples: their t would need to be larger by the root of 1 + J rho/(1 - rho)."""
        rho, repeats = 4 / 40, 15
        share = 1 - 2 * stats.t.sf(
            stats.t.ppf(0.975, repeats - 1) / math.sqrt(1 + repeats * rho / (1 - rho)), repeats - 1
        )
        [one] = [
            found for found in constant.select(about="ER(n1)") if found.method == "resampled-t"
        ]
        low, high = binomial_band(600, share)
        assert low <= one.coverage.count <= high

    @pytest.mark.thorough
    def test_risks_agree_with_their_expectation(self, constant, small):
        assert all(abs(one.deviation) < 5 for one in (*constant.checks, *small.checks))
        assert all(one.expected_error > 0 for one in (*constant.checks, *small.checks))

    def test_least_squares_has_an_exact_truth_and_the_risks_agree(self):
        study = coverage(["gaussian-regression-20"], ["holdout-t"], n=100, replicates=100)
        [check] = study.checks
        assert (round(check.expected, 4), check.expected_error) == (1.2690, 0.0)
        assert abs(check.deviation) < 5
        assert study.select(about="ER(n1)")[0].truth == pytest.approx(1 + 20 / 53 + 73 / (75 * 53))

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        ("problem", "loss"),
        [("friedman-1", "squared-error"), ("gaussian-classification-20", "zero-one")],
    )
    def test_every_method_of_the_catalogue_runs(self, problem, loss):
        judges = every_method(loss)
        costly = {"nested-cv", "conservative-z", "halved-kfold-t", "part-jackknife"}
        assert {
            "oob-bootstrap",
            "632-plus",
            "bootstrap",
            "replace-one",
            "bayes-correlated-t",
            "5x2cv-t",
        } <= {one.method for one in judges}
        chosen = [one for one in judges if one.method not in costly or problem == "friedman-1"]
        study = coverage(
            [fast(problem)], chosen, n=60, replicates=2, truth_draws=5, test_examples=50
        )
        assert len(study.select(about="R")) == len(chosen) * len(study.checks)
        assert all(
            math.isfinite(one.width) and one.coverage.total == 2 for one in study.performances
        )

    def test_names_of_problems_make_problems_of_either_task(self):
        for key in problems.PROBLEMS:
            found = problems.problem(key)
            assert found.key == key
            assert found.scenario(max(100, found.smallest)).population is found.population


def fast(key):
    """The problem with a single cheap learner."""
    found = problems.problem(key)
    learner = (
        LogisticRegression(max_iter=100) if found.population.task == "classification" else Ridge()
    )
    return problems.Problem(key, found.data, found.population, {"linear": learner}, found.loss)


class TestStudy:
    def test_records_have_the_columns_of_the_evidence(self, small, tmp_path):
        lines = (
            files("errbar.methods")
            .joinpath("evidence.csv")
            .read_text(encoding="utf-8")
            .splitlines()
        )
        header = next(csv.reader(line for line in lines if not line.startswith("#")))
        rows = small.records()
        assert all(list(row) == header for row in rows)
        assert len(rows) == 2 * 3 * 3 + 2 * 2 * 3 * 3
        assert {row["problem"] for row in rows} == {
            "ridge regression, 20 Gaussian features",
            "least squares, Friedman 1",
            "regression tree, Friedman 1",
        }
        assert {row["method"] for row in rows} == {"holdout-t", "kfold-t", "kfold-t rho=0.7"}
        first = rows[0]
        assert (first["n_train"], first["n"], first["replicates"], first["level"]) == (
            45.0,
            60,
            6,
            0.95,
        )

    def test_its_default_words_are_those_of_the_evidence(self):
        known = {row.problem for row in evidence.of("cv-wald")}
        assert problems.problem("gaussian-regression-20").words("least squares") in known

    def test_tables_are_text_of_one_shape(self, small):
        tables = small.tables()
        assert len(tables) == 2 + 4 + 1
        assert len({table.key for table in tables}) == len(tables)
        for table in tables:
            assert {len(row) for row in table.rows} == {len(table.headers)}
            assert all(isinstance(cell, str) for row in table.rows for cell in row)
        assert len(small.conclusion()) == 6 * 3

    def test_json_is_plain(self, small, constant):
        for study in (small, constant):
            assert json.loads(json.dumps(study.to_dict(), allow_nan=False)) == study.to_dict()

    def test_a_wider_rho_covers_no_less(self, small):
        plain, wide = (
            [one for one in small.performances if one.method == name]
            for name in ("kfold-t", "kfold-t rho=0.7")
        )
        for a, b in zip(plain, wide, strict=True):
            assert a.coverage.count <= b.coverage.count
            assert a.width < b.width

    def test_it_is_resumed_and_gives_the_same(self, tmp_path):
        told = []
        asked = {"n": 60, "truth_draws": 10, "test_examples": 50, "progress": told.append}
        problem = [fast("friedman-1")]
        fresh = coverage(problem, ["holdout-t"], replicates=6, **asked)
        coverage(problem, ["holdout-t"], replicates=3, store=tmp_path / "x.db", **asked)
        resumed = coverage(problem, ["holdout-t"], replicates=6, store=tmp_path / "x.db", **asked)
        assert resumed.to_dict() == fresh.to_dict()
        done = len(told)
        again = coverage(problem, ["holdout-t"], replicates=6, store=tmp_path / "x.db", **asked)
        assert len(told) == done
        assert again.to_dict() == fresh.to_dict()

    @pytest.mark.parametrize(
        ("problem", "methods", "more", "argument"),
        [
            (["gaussian-regresion-20"], METHODS, {}, "problems"),
            (
                "friedman-1",
                METHODS,
                {},
                "problems",
            ),
            ([], METHODS, {}, "problems"),
            (["friedman-1", "friedman-1"], METHODS, {}, None),
            (["friedman-1"], "cv-wald", {}, "methods"),
            (["friedman-1"], ["binomial"], {}, None),
            (["friedman-1"], ["permutation"], {}, None),
            (["friedman-1"], ["friedman"], {}, None),
            (["friedman-1"], ["wilcoxon"], {}, None),
            (["friedman-1"], ["cv-wald", "cv-wald"], {}, None),
            (["gaussian-regression-100"], METHODS, {"n": 100}, "n"),
            (["friedman-1"], METHODS, {"n": []}, "n"),
            (["friedman-1"], METHODS, {"n": "100"}, "n"),
            (["friedman-1"], METHODS, {"level": 95}, "level"),
            (["friedman-1"], METHODS, {"replicates": 1}, "replicates"),
            (["friedman-1"], METHODS, {"test_examples": 0}, "test_examples"),
        ],
    )
    def test_what_cannot_be_used_is_said_in_one_sentence(self, problem, methods, more, argument):
        with refused(argument):
            coverage(problem, methods, **more)


@pytest.mark.slow
def test_a_smaller_run_agrees_with_the_evidence():
    """Least squares, 20 features, n = 100, with data sets of its own: other seeds than those of the evidence."""
    study = coverage(n=100, replicates=200, random_state=_rng.seed(1, "coverage"), n_jobs=2)
    [check] = study.checks
    assert abs(check.deviation) < 5
    assert {row["method"] for row in study.records()} == set(METHODS)
    for row in study.records():
        [before] = [
            one
            for one in evidence.of(row["method"])
            if (one.n, one.target, one.problem) == (row["n"], row["target"], row["problem"])
        ]
        counts = [
            [row["covered"], row["replicates"] - row["covered"]],
            [before.covered, before.replicates - before.covered],
        ]
        assert stats.fisher_exact(counts).pvalue > 1e-6
        assert row["width"] == pytest.approx(before.width, rel=0.15)
        assert abs(row["bias"]) < 5 * row["bias_error"]
