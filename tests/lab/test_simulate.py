"""Simulations: the same numbers however they are done, and numbers that are right where the truth is known."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import errbar
from errbar import FitFailedError, InvalidInputError, lab, plans
from errbar.fits import Store
from errbar.lab._scenario import Simulated, data_stream
from tests.bands import binomial_band
from tests.refusals import refused

pytestmark = pytest.mark.long


class Constant(RegressorMixin, BaseEstimator):
    """Predicts 0 whatever it is trained on, so that losses depend on the test examples alone."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.zeros(len(X))


@pytest.fixture
def scenario():
    return lab.Scenario(
        lab.GaussianClassification(),
        40,
        {"bayes": GaussianNB(), "1-NN": KNeighborsClassifier(1)},
        name="two",
    )


METHODS = [
    "holdout-t",
    "corrected-t",
    lab.Analysis("kfold-t", plans.KFold(5), {"rho": 0.7}),
    "mcnemar",
]


def same(one, other):
    return all(
        np.array_equal(a.results, b.results, equal_nan=True)
        and (a.risks is b.risks is None or np.array_equal(a.risks, b.risks))
        for a, b in zip(one.runs, other.runs, strict=True)
    )


class TestSameNumbers:
    def test_one_worker_two_workers_and_a_resumed_run(self, scenario, tmp_path):
        options = {"replicates": 12, "random_state": 3, "test_examples": 50}
        serial = lab.simulate(scenario, METHODS, n_jobs=1, **options)
        assert same(serial, lab.simulate(scenario, METHODS, n_jobs=2, **options))
        store = tmp_path / "lab.db"
        lab.simulate(scenario, METHODS, n_jobs=1, store=store, **options | {"replicates": 5})
        with Store(store) as file:
            assert len(list(file)) == 5
        asked = []
        resumed = lab.simulate(
            scenario, METHODS, n_jobs=1, store=store, progress=asked.append, **options
        )
        assert same(serial, resumed)
        assert len(asked) == 7
        assert asked[-1].done == asked[-1].total == 7
        lab.simulate(scenario, METHODS, n_jobs=1, store=store, progress=pytest.fail, **options)

    def test_more_replicates_begin_with_the_same(self, scenario):
        few, many = (lab.simulate(scenario, ["corrected-t"], replicates=count) for count in (3, 6))
        np.testing.assert_array_equal(few.runs[0].results, many.runs[0].results[:3])

    def test_another_method_changes_nothing(self, scenario):
        alone = lab.simulate(scenario, ["corrected-t"], replicates=3)
        more = lab.simulate(scenario, [*METHODS], replicates=3)
        pair = ("corrected-t", "bayes", "1-NN")
        np.testing.assert_array_equal(alone.select(*pair).estimate, more.select(*pair).estimate)

    def test_the_order_of_learners_changes_nothing(self, scenario):
        turned = lab.Scenario(
            scenario.population, 40, dict(reversed(scenario.learners.items())), name="two"
        )
        one = lab.simulate(scenario, ["corrected-t"], replicates=3).select(
            "corrected-t", "bayes", "1-NN"
        )
        other = lab.simulate(turned, ["corrected-t"], replicates=3).select(
            "corrected-t", "1-NN", "bayes"
        )
        np.testing.assert_allclose(one.estimate, -other.estimate, atol=1e-15)

    def test_equal_data_sets_in_all_scenarios(self):
        """Common random numbers: what is drawn depends on the population, its size and the number of the replicate."""
        population = lab.GaussianRegression()
        one, other = (data_stream(7, population, 30, 2) for _ in range(2))
        np.testing.assert_array_equal(population.sample(30, one).X, population.sample(30, other).X)

    def test_a_replicate_is_what_the_pieces_give(self, scenario):
        found = lab.simulate(scenario, ["corrected-t"], replicates=2, random_state=5).select(
            "corrected-t", "bayes"
        )
        sample = scenario.population.sample(40, data_stream(5, scenario.population, 40, 1))
        from errbar import _rng

        seed = _rng.seed(5, "splits", 40, 1)
        table = errbar.run(
            scenario.learners, sample.X, sample.y, plan=plans.Subsampling(), random_state=seed
        )
        result = errbar.infer(table, "corrected-t", "bayes")
        assert (found.estimate[1], found.low[1], found.pvalue[1]) == (
            result.estimate,
            result.low,
            result.pvalue,
        )


def test_digest_tells_settings_apart(scenario):
    def digest(methods=("corrected-t",), level=0.95, **changes):
        settings = {
            "population": scenario.population,
            "n": 40,
            "learners": scenario.learners,
            "loss": None,
        }
        from errbar.lab._scenario import simulated

        judges = [lab.Analysis(method) if isinstance(method, str) else method for method in methods]
        return simulated(
            lab.Scenario(**settings | changes), judges, level=level, pairs=True, test_examples=0
        ).digest

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
    assert digest() == digest(name="another name")


class TestTruth:
    def test_closed_form_of_least_squares(self):
        scenario = lab.Scenario(lab.GaussianRegression(), 100, {"ols": LinearRegression()})
        risks = lab.expected_risks(scenario, [100, 500])
        assert round(risks[100].of("ols")[0], 4) == 1.2690
        assert round(risks[500].of("ols")[0], 4) == 1.0439
        assert risks[100].of("ols")[1] == 0.0

    def test_simulated_truth_agrees_with_the_closed_form(self):
        class Same(LinearRegression):
            pass

        scenario = lab.Scenario(lab.GaussianRegression(), 60, {"ols": Same()})
        value, error = lab.expected_risks(scenario, draws=300, test_examples=200)[60].of("ols")
        assert error > 0.0
        assert abs(value - lab.GaussianRegression().least_squares_expected_risk(60)) < 4 * error

    def test_differences_are_paired(self, scenario):
        risks = lab.expected_risks(scenario, [20], draws=50, test_examples=100)[20]
        (a, ea), (b, eb), (gap, error) = (
            risks.of("bayes"),
            risks.of("1-NN"),
            risks.of("bayes", "1-NN"),
        )
        assert gap == pytest.approx(a - b)
        assert 0.0 < error < np.hypot(ea, eb)


@pytest.mark.thorough
def test_coverage_where_it_is_exact():
    """Losses that do not depend on training are independent: the t of one split covers 95 % but for their skewness."""
    population = lab.GaussianRegression(features=1, relevant=0)
    scenario = lab.Scenario(population, 400, {"zero": Constant()}, "absolute-error")
    found = lab.simulate(
        scenario, [lab.Analysis("holdout-t", plans.Holdout(n_test=200))], replicates=1500
    )
    truths = {scenario.name: {200: _exact(np.sqrt(2 / np.pi), 200)}}
    [one] = lab.judge(found, truths)
    low, high = binomial_band(1500, 0.95)
    assert low <= one.coverage.count <= high
    assert one.size.count == 1500 - one.coverage.count == one.below.count + one.above.count
    assert one.ratio.low < 1.0 < one.ratio.high
    assert abs(one.bias) < 4 * one.bias_error
    alpha = lab.power(found.select("holdout-t", "zero"), np.sqrt(2 / np.pi))
    assert float(alpha) == one.size.value


def _exact(value, n):
    return lab.ExpectedRisk(n, ("zero",), np.array([value]), np.zeros((1, 1)), 0)


class TestSummaries:
    def test_power_counts_intervals(self, scenario):
        outcomes = lab.simulate(scenario, ["corrected-t"], replicates=8).select(
            "corrected-t", "bayes", "1-NN"
        )
        nulls = [-0.3, 0.0, 0.2]
        by_hand = [
            sum(not lo <= null <= hi for lo, hi in zip(outcomes.low, outcomes.high, strict=True))
            / 8
            for null in nulls
        ]
        assert lab.power(outcomes, nulls).tolist() == by_hand
        at_zero = (outcomes.pvalue < 0.05).mean()
        assert lab.power(outcomes, 0.0) == at_zero

    def test_variance_ratio_and_its_jackknife(self, rng):
        estimates, errors = rng.normal(size=40), rng.gamma(2.0, size=40)
        found = lab.variance_ratio(estimates, errors)
        assert found.value == pytest.approx(estimates.var(ddof=1) / np.mean(errors**2))
        logs = []
        for i in range(40):
            rest = np.delete(estimates, i), np.delete(errors, i)
            logs.append(np.log(rest[0].var(ddof=1) / np.mean(rest[1] ** 2)))
        error = np.sqrt(39 / 40 * np.sum((np.array(logs) - np.mean(logs)) ** 2))
        assert found.low == pytest.approx(found.value * np.exp(-stats.norm.ppf(0.975) * error))

    def test_ratio_of_nothing_is_not_a_number(self):
        assert np.isnan(lab.variance_ratio(np.ones(5), np.zeros(5)).value)

    def test_proportion_is_wilsons(self):
        from statsmodels.stats.proportion import proportion_confint

        found = lab.proportion(7, 90)
        assert (found.low, found.high) == pytest.approx(proportion_confint(7, 90, method="wilson"))

    def test_frame(self, scenario):
        frame = lab.simulate(scenario, METHODS, replicates=2).to_frame()
        assert len(frame) == 2 * (3 * 3 + 1)
        assert set(frame["method"]) == {"holdout-t", "corrected-t", "kfold-t rho=0.7", "mcnemar"}


class TestWrongInput:
    @pytest.mark.parametrize(
        ("arguments", "argument"),
        [
            ({"methods": []}, "methods"),
            ({"methods": "corrected-t"}, "methods"),
            ({"methods": ["corected-t"]}, "method"),
            ({"methods": ["cochran-q"]}, None),
            ({"methods": ["wilcoxon"]}, None),
            ({"replicates": 0}, "replicates"),
            ({"level": 2}, "level"),
            ({"methods": ["corrected-t", "corrected-t"]}, None),
        ],
    )
    def test_one_sentence(self, scenario, arguments, argument):
        with refused(argument):
            lab.simulate(scenario, **{"methods": ["corrected-t"], "replicates": 2} | arguments)

    def test_learners_of_another_task(self):
        with pytest.raises(InvalidInputError):
            lab.Scenario(lab.GaussianRegression(), 50, {"bayes": GaussianNB()})

    def test_learners_that_fail_are_named_and_the_rest_is_kept(self, tmp_path):
        scenario = lab.Scenario(
            lab.GaussianClassification(), 12, {"3-NN": KNeighborsClassifier(9)}, name="few"
        )
        store = tmp_path / "lab.db"
        with pytest.raises(FitFailedError):
            lab.simulate(
                scenario,
                [lab.Analysis("holdout-t", plans.Holdout(n_test=0.5))],
                replicates=4,
                store=store,
            )


_RUN = """
import sys
from sklearn.naive_bayes import GaussianNB
from errbar import lab
scenario = lab.Scenario(lab.GaussianClassification(), 60, {"bayes": GaussianNB()})
found = lab.simulate(scenario, ["corrected-t", "cv-wald"], replicates=60, store=sys.argv[1], n_jobs=1)
print(found.runs[0].results.tobytes().hex(), flush=True)
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
    assert store.stat().st_size > 0


def _records(store):
    if not store.is_file():
        return 0
    with Store(store, write=False) as file:
        return len(list(file))


def test_single_class_data_sets_are_drawn_again():
    population = lab.FinitePopulation(np.arange(50.0)[:, None], ["a"] * 48 + ["b"] * 2)
    scenario = lab.Scenario(population.with_replacement(), 8, {"1-NN": KNeighborsClassifier(1)})
    found = lab.simulate(scenario, [lab.Analysis("kfold-t", plans.KFold(4))], replicates=20)
    assert found.runs[0].results.shape == (20, 1, 1, 8)
    assert isinstance(found.runs[0], lab._simulation.Run)
    assert Simulated.__dataclass_fields__["population"]
