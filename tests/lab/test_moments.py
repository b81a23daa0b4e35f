"""The covariances of losses in random splits: exact identities, models where they are known, and the study."""

import json
import math
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import hypergeom
from sklearn.dummy import DummyRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import errbar
import errbar_lab as lab
from errbar import _rng, plans
from errbar.errors import InvalidInputError
from errbar.metrics import Loss
from errbar_lab._moments import estimated, measure, moments, sums
from errbar_lab._scenario import Analysis, data_stream, drawn
from errbar_lab.studies import Table1, table1 as study_of
from tests.refusals import refused

pytestmark = pytest.mark.long

CLASSIFICATION = lab.GaussianClassification(features=3, relevant=2)
NORMAL = lab.GaussianRegression(features=1, relevant=0)
MEAN = {"mean": DummyRegressor()}
ZERO = {"zero": DummyRegressor(strategy="constant", constant=0.0)}


def two_classifiers(n=30):
    return lab.Scenario(CLASSIFICATION, n, {"bayes": GaussianNB(), "near": KNeighborsClassifier(1)})


def table_of(scenario, plan, number, base=0):
    """The table of one data set, made without the code under test."""
    sample, _ = drawn(
        scenario.population,
        scenario.n,
        0,
        data_stream(base, scenario.population, scenario.n, number),
    )
    seed = _rng.seed(base, "splits", scenario.n, number)
    return errbar.run(
        scenario.learners,
        sample.X,
        sample.y,
        plan=plan,
        loss=scenario.loss,
        random_state=seed,
        n_jobs=1,
    )


def by_loops(tables, learner, minus, repeats, n_test):
    """The covariances by the definitions: means of products of losses, less the mean product of different data sets."""
    blocks = []
    for table in tables:
        points = table.points[table.position(learner)]
        if minus is not None:
            points = points - table.points[table.position(minus)]
        blocks.append([[points[j * n_test + i] for i in range(n_test)] for j in range(repeats)])
    products = {name: [] for name in ("0", "1", "2", "3")}
    for block in blocks:
        means = [sum(row) / n_test for row in block]
        products["0"].append(np.mean([loss * loss for row in block for loss in row]))
        products["1"].append(
            np.mean([one * other for row in block for one in row for other in row])
        )
        products["2"].append(np.mean([one * other for one, other in combinations(means, 2)]))
        products["3"].append(
            np.mean([one * other for row in block for one, other in permutations(row, 2)])
        )
    centres = [np.mean(block) for block in blocks]
    square = np.mean([one * other for one, other in combinations(centres, 2)])
    found = {f"sigma{name}": np.mean(values) - square for name, values in products.items()}
    return found | {"mu": np.mean(centres), "rho": found["sigma2"] / found["sigma1"]}


@pytest.mark.parametrize(
    ("learner", "minus"), [("bayes", None), ("bayes", "near"), ("near", "bayes")]
)
def test_moments_are_what_plain_loops_over_the_definitions_give(learner, minus):
    scenario, plan = two_classifiers(), plans.Subsampling(n_test=5, repeats=4)
    expected = by_loops([table_of(scenario, plan, k) for k in range(6)], learner, minus, 4, 5)
    found = moments(scenario, learner, minus, n_test=5, repeats=4, replicates=6)
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-9, abs=1e-12)
    assert (found.n_train, found.n_test, found.naive_correlation) == (25, 5, 5 / 30)


def test_jackknife_errors_are_what_leaving_data_sets_out_by_hand_gives():
    rng, count = np.random.default_rng(0), 12
    values = rng.gamma(2.0, size=(count, 4))
    whole = estimated(values, ("a", None), 40, (30, 10), 5)
    left = [
        estimated(np.delete(values, k, axis=0), ("a", None), 40, (30, 10), 5) for k in range(count)
    ]
    for name in whole.values._fields:
        each = np.array([getattr(one, name) for one in left])
        assert getattr(whole.without, name) == pytest.approx(each)
        error = math.sqrt((count - 1) * each.var())
        assert getattr(whole.errors, name) == pytest.approx(error)


def test_identities_hold_exactly():
    scenario, plan = two_classifiers(), plans.Subsampling(n_train=20, n_test=6, repeats=5)
    found, results = measure(scenario, plan, [Analysis("resampled-t", plan)], replicates=20, how={})
    for position, one in enumerate(found):
        assert one.sigma1 == pytest.approx(one.sigma3 + (one.sigma0 - one.sigma3) / 6, rel=1e-12)
        assert one.variance() == pytest.approx(results[:, 0, position, 0].var(ddof=1), rel=1e-12)
        assert one.mu == pytest.approx(results[:, 0, position, 0].mean(), rel=1e-12)
        assert one.sigma2 <= one.sigma1 <= one.sigma0
        assert one.sigma3 <= one.sigma1


def test_shifted_losses_have_the_same_covariances_to_the_last_digits():
    rng = np.random.default_rng(1)
    losses = rng.normal(size=(8, 4, 5)) + rng.normal(size=(8, 1, 1))

    def of(shift):
        tables = [
            errbar.from_losses(
                {"a": (each + shift).ravel()}, fold=np.repeat(np.arange(4), 5)
            ).losses("a")
            for each in losses
        ]
        return estimated(np.array([sums(rows) for rows in tables]), ("a", None), 25, (20, 5), 4)

    plain, far = of(0.0), of(1e6)
    assert far.values[1:] == pytest.approx(plain.values[1:], rel=1e-7)
    assert far.mu - plain.mu == pytest.approx(1e6)


def test_variance_with_a_finite_number_of_draws():
    # Given the table, the draws add the variance inside the test sets over K J, and nothing else.
    scenario, plan, draws = (
        lab.Scenario(NORMAL, 20, MEAN),
        plans.Subsampling(n_test=5, repeats=3),
        2,
    )
    found = moments(scenario, n_test=5, repeats=3, replicates=40)
    added = []
    for number in range(40):
        table = table_of(scenario, plan, number)
        rng = np.random.default_rng(number)
        tested = [table.points[0, table.cells.split == split] for split in range(3)]
        again = [np.mean([rng.choice(own, draws) for own in tested]) for _ in range(150)]
        added.append(np.mean(np.square(np.array(again) - table.scores.mean())))
    expected = found.variance(draws=draws) - found.variance()
    assert expected == pytest.approx((found.sigma0 - found.sigma1) / (draws * 3))
    # 6000 draws of squares of heavy-tailed means, most of which differ between data sets only.
    assert np.mean(added) == pytest.approx(expected, rel=0.1)


def test_variance_at_the_limits():
    found = moments(lab.Scenario(NORMAL, 20, MEAN), n_test=4, repeats=3, replicates=10)
    assert found.variance(math.inf) == found.sigma2
    assert found.variance(1) == pytest.approx(found.sigma1)
    assert found.variance(1, 1) == pytest.approx(found.sigma0)
    assert found.variance(3) == found.variance()


def exact_for_the_mean(n_train, n_test):
    """Covariances of (y - mean of the training set)^2 for standard normal y, where all examples are used.

    Both residuals are normal around 0, so the covariance of their squares is twice the square of theirs.
    """
    n = n_train + n_test
    sigma0, sigma3 = 2 * (1 + 1 / n_train) ** 2, 2 / n_train**2
    sigma2 = 0.0
    for common in range(n_test + 1):
        chance = hypergeom.pmf(common, n, n_test, n_test)
        shared = (n - 2 * n_test + common) / n_train**2
        apart = n_test - common
        squares = (
            common * (1 + shared) ** 2
            + common * (common - 1) * shared**2
            + 2 * common * apart * (shared - 1 / n_train) ** 2
            + apart**2 * (shared - 2 / n_train) ** 2
        )
        sigma2 += chance * 2 * squares / n_test**2
    sigma1 = sigma3 + (sigma0 - sigma3) / n_test
    return {
        "sigma0": sigma0,
        "sigma1": sigma1,
        "sigma2": sigma2,
        "sigma3": sigma3,
        "rho": sigma2 / sigma1,
    }


def exact_without_training(n_train, n_test):
    """The same for the prediction 0, whose loss y^2 does not depend on the training set."""
    n = n_train + n_test
    return {
        "sigma0": 2.0,
        "sigma1": 2.0 / n_test,
        "sigma2": 2.0 / n,
        "sigma3": 0.0,
        "rho": n_test / n,
    }


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("learners", "truth", "mean"),
    [(MEAN, exact_for_the_mean, 1 + 1 / 6), (ZERO, exact_without_training, 1.0)],
    ids=["mean of the training set", "no training"],
)
def test_moments_of_models_where_they_are_known(learners, truth, mean, any_seed):
    found = moments(
        lab.Scenario(NORMAL, 10, learners),
        n_test=4,
        repeats=4,
        replicates=800,
        random_state=any_seed,
    )
    for name, value in (truth(6, 4) | {"mu": mean}).items():
        error = getattr(found.errors, name)
        # Five standard errors; and the errors themselves are small enough to find a wrong formula.
        assert abs(getattr(found, name) - value) < 5 * error
        assert error < 0.15 * truth(6, 4)["sigma0"]


def test_exact_values_used_above_are_right():
    # The sum over common test examples, against all pairs of splits of a small data set.
    n_train, n_test, n = 3, 2, 5
    total, count = 0.0, 0
    for first in combinations(range(n), n_test):
        for second in combinations(range(n), n_test):
            rows = []
            for test in (first, second):
                weights = np.array([0.0 if i in test else -1 / n_train for i in range(n)])
                rows.append([weights + np.eye(n)[i] for i in test])
            total += np.mean([2 * float(a @ b) ** 2 for a in rows[0] for b in rows[1]])
            count += 1
    assert exact_for_the_mean(n_train, n_test)["sigma2"] == pytest.approx(total / count)


@pytest.mark.thorough
def test_standard_errors_match_the_spread_of_repeated_measurements():
    scenario = lab.Scenario(NORMAL, 10, ZERO)
    found = [
        moments(scenario, n_test=5, repeats=2, replicates=40, random_state=seed)
        for seed in range(30)
    ]
    for name in ("mu", "sigma1"):
        spread = np.std([getattr(one, name) for one in found], ddof=1)
        claimed = np.sqrt(np.mean([getattr(one.errors, name) ** 2 for one in found]))
        # The spread of 30 numbers has a relative error of 0.13 or a little more.
        assert 0.55 < claimed / spread < 1.7


def test_scores_are_shown_in_their_own_direction():
    def right_or_not(truth, predicted):
        return (truth == predicted).astype(float)

    hit = Loss("hit", right_or_not, task="classification", higher_is_better=True)
    scenarios = (
        lab.Scenario(CLASSIFICATION, 30, {"bayes": GaussianNB()}, loss)
        for loss in (hit, "zero-one")
    )
    right, wrong = (moments(scenario, repeats=2, replicates=5) for scenario in scenarios)
    assert right.mu == pytest.approx(1.0 - wrong.mu)
    assert right.values[1:] == pytest.approx(wrong.values[1:])


def test_a_store_gives_identical_moments_and_saves_the_work(tmp_path):
    scenario, reports = two_classifiers(), []
    options = {"n_test": 5, "repeats": 3, "random_state": 3}
    plain = moments(scenario, "bayes", replicates=8, **options)
    store = tmp_path / "moments.db"
    moments(scenario, "bayes", replicates=5, store=store, **options)
    resumed = moments(
        scenario, "bayes", replicates=8, store=store, progress=reports.append, **options
    )
    assert len(reports) == 3
    assert resumed.to_dict() == plain.to_dict()
    moments(
        scenario, "bayes", "near", replicates=8, store=store, progress=reports.append, **options
    )
    assert len(reports) == 3


def test_two_workers_give_the_same_as_one():
    one, two = (
        moments(two_classifiers(), "near", repeats=3, replicates=6, n_jobs=jobs) for jobs in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({}, "learner"),
        ({"learner": "baies"}, "learner"),
        ({"learner": "bayes", "minus": "bayes"}, None),
        ({"learner": "bayes", "repeats": 1}, "repeats"),
        ({"learner": "bayes", "replicates": 2}, "replicates"),
        ({"learner": "bayes", "n_test": 1}, "n_test"),
        ({"learner": "bayes", "n_train": 29, "n_test": 5}, "n_train"),
    ],
)
def test_arguments_that_cannot_be_used(options, argument):
    with refused(argument):
        moments(two_classifiers(), **options)


@pytest.mark.parametrize("loss", ["roc_auc", "f1", "kappa_quadratic"])
def test_a_metric_is_refused(loss):
    scenario = lab.Scenario(CLASSIFICATION, 30, {"bayes": GaussianNB()}, loss)
    with pytest.raises(InvalidInputError):
        moments(scenario)


@pytest.mark.parametrize("value", [0, -1, math.nan])
def test_variance_refuses_numbers_below_one(value):
    found = moments(lab.Scenario(NORMAL, 20, MEAN), n_test=4, repeats=2, replicates=3)
    with pytest.raises(InvalidInputError):
        found.variance(value)


@pytest.fixture(scope="module")
def study():
    learners = {"bayes": GaussianNB(), "near": KNeighborsClassifier(1)}
    return study_of(CLASSIFICATION, learners, n=40, n_test=8, repeats=3, halvings=2, replicates=60)


def ratio(study, method, target="bayes"):
    return next(one for one in study.ratios if (one.method, one.target) == (method, target))


def test_the_ratios_of_both_resampled_tests_are_the_formula_by_algebra(study):
    for method in ("resampled-t", "corrected-t"):
        for target in ("bayes", "near", "bayes - near"):
            one = ratio(study, method, target)
            assert one.measured.value == pytest.approx(one.formula.value, rel=1e-10)
            assert one.measured.low == pytest.approx(one.formula.low, rel=1e-6)
            assert one.measured.high == pytest.approx(one.formula.high, rel=1e-6)
    size = 1 + 3 * 8 / 32
    assert ratio(study, "resampled-t").formula.value == pytest.approx(
        size * ratio(study, "corrected-t").formula.value
    )


def test_the_ratio_of_the_holdout_t_is_measured_on_other_splits(study):
    one = ratio(study, "holdout-t")
    assert (one.n_train, one.n_test) == (32, 8)
    assert one.measured.low < one.formula.value < one.measured.high
    assert ratio(study, "conservative-z").formula is None


def test_the_holdout_t_may_have_a_test_size_of_its_own():
    # The mean of the training set of 5: 1 + n2 sigma3/(sigma0 - sigma3) with the moments known exactly.
    found = study_of(NORMAL, MEAN, n=25, n_train=5, n_test=4, repeats=2, halvings=0, replicates=400)
    one = ratio(found, "holdout-t", "mean")
    assert (one.n_train, one.n_test) == (5, 20)
    sigma0, sigma3 = 2 * 1.2**2, 2 / 25
    expected = 1 + 20 * sigma3 / (sigma0 - sigma3)
    [moment] = found.moments
    assert one.formula.value == pytest.approx(
        1 + 20 * moment.sigma3 / (moment.sigma0 - moment.sigma3)
    )
    # Twice the reach on the logarithm: 99.99 % in place of 95 %.
    for each in (one.measured, one.formula):
        assert each.low**2 / each.value < expected < each.high**2 / each.value
    assert one.measured.low > 1.0


def test_the_study_says_what_it_found(study):
    assert isinstance(study, Table1)
    assert [table.key for table in study.tables()] == ["moments", "splits", "ratios"]
    for table in study.tables():
        assert all(len(row) == len(table.headers) for row in table.rows)
    assert len(study.conclusion()) == 3 + 4
    assert study.settings["Splits"] == "3 of each data set into 32 + 8"
    records = study.records()
    assert {"target", "quantity", "value", "error", "low", "high"} == set(records[0])
    assert len(records) == 3 * (7 + 7)
    assert json.loads(json.dumps(study.to_dict(), allow_nan=False))["study"] == "moments"


def test_a_study_of_losses_that_never_vary_says_so():
    nothing = lab.GaussianRegression(features=1, relevant=0, noise=0.0)
    found = study_of(nothing, ZERO, n=20, repeats=2, halvings=1, replicates=4)
    [one] = found.moments
    assert math.isnan(one.rho)
    assert one.to_dict()["rho"] is None
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_study_refuses_halves_without_training_examples():
    with pytest.raises(InvalidInputError):
        study_of(NORMAL, ZERO, n=20, n_train=10, n_test=10)
