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
from errbar_lab._experiment import data_stream
from errbar_lab._summary import jackknife_error
from errbar_lab.studies.table1 import moments, sums
from tests.refusals import refused

pytestmark = pytest.mark.long

CLASSIFICATION = lab.GaussianClassification(features=3, relevant=2)
NORMAL = lab.GaussianRegression(features=1, relevant=0)
MEAN = {"mean": DummyRegressor()}
ZERO = {"zero": DummyRegressor(strategy="constant", constant=0.0)}
BOTH = {"bayes": GaussianNB(), "near": KNeighborsClassifier(1)}


def measured(population, learners, place=0, **options):
    return lab.table1(population, learners, **options).content["moments"][place]


def table_of(n, plan, number):
    """The table of one data set, made without the code under test."""
    sample = CLASSIFICATION.drawn(n, 0, data_stream(0, CLASSIFICATION, n, number))
    seed = _rng.seed(0, "splits", n, number)
    return errbar.run(BOTH, sample.X, sample.y, plan=plan, random_state=seed, n_jobs=1)


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


@pytest.mark.parametrize("place", [0, 1, 2])
def test_moments_are_what_plain_loops_over_the_definitions_give(place):
    plan = plans.Subsampling(n_test=5, repeats=4)
    tables = [table_of(30, plan, number) for number in range(6)]
    learner, minus = (("bayes", None), ("near", None), ("bayes", "near"))[place]
    found = measured(CLASSIFICATION, BOTH, place, n=30, n_test=5, repeats=4, replicates=6)
    for name, value in by_loops(tables, learner, minus, 4, 5).items():
        assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-12)
    assert (found["n_train"], found["n_test"], found["naive_correlation"]) == (25, 5, 5 / 30)


def test_jackknife_errors_are_what_leaving_data_sets_out_by_hand_gives():
    rng, count = np.random.default_rng(0), 12
    values = rng.gamma(2.0, size=(count, 4))
    _, without = moments(values, 5)
    left = [moments(np.delete(values, k, axis=0), 5)[0] for k in range(count)]
    for found, each in zip(without, np.array(left).T, strict=True):
        assert found == pytest.approx(each)
        assert jackknife_error(found) == pytest.approx(math.sqrt((count - 1) * each.var()))


def test_identities_hold_exactly():
    study = lab.table1(CLASSIFICATION, BOTH, n=30, n_train=20, n_test=6, repeats=5, replicates=20)
    own = study.outcomes[study.outcomes["method"] == "resampled-t"]
    for one, (_, cell) in zip(
        study.content["moments"], own.groupby("target", sort=False), strict=True
    ):
        sigma0, sigma1, sigma2, sigma3 = (one[f"sigma{k}"] for k in range(4))
        assert sigma1 == pytest.approx(sigma3 + (sigma0 - sigma3) / 6, rel=1e-12)
        variance = sigma2 + (sigma1 - sigma2) / 5
        assert variance == pytest.approx(cell["estimate"].var(), rel=1e-12)
        assert one["mu"] == pytest.approx(cell["estimate"].mean(), rel=1e-12)


def test_shifted_losses_have_the_same_covariances_to_the_last_digits():
    rng = np.random.default_rng(1)
    losses = rng.normal(size=(8, 4, 5)) + rng.normal(size=(8, 1, 1))

    def of(shift):
        fold = np.repeat(np.arange(4), 5)
        tables = [
            errbar.from_losses({"a": (each + shift).ravel()}, fold=fold).losses("a")
            for each in losses
        ]
        return moments(np.array([sums(rows) for rows in tables]), 4)[0]

    plain, far = of(0.0), of(1e6)
    assert far[1:] == pytest.approx(plain[1:], rel=1e-7)
    assert far.mu - plain.mu == pytest.approx(1e6)


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
    options = {"n": 10, "n_test": 4, "repeats": 4, "replicates": 800, "random_state": any_seed}
    found = measured(NORMAL, learners, **options)
    for name, value in (truth(6, 4) | {"mu": mean}).items():
        error = found[f"{name}_error"]
        # Five standard errors; and the errors themselves are small enough to find a wrong formula.
        assert abs(found[name] - value) < 5 * error
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


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"repeats": 1}, "repeats"),
        ({"replicates": 2}, "replicates"),
        ({"n_test": 1}, "n_test"),
        ({"n_train": 29, "n_test": 5}, "n_train"),
    ],
)
def test_arguments_that_cannot_be_used(options, argument):
    with refused(argument):
        lab.table1(CLASSIFICATION, BOTH, n=30, **options)


def test_the_ratios_of_both_resampled_tests_are_the_formula_by_algebra():
    study = lab.table1(CLASSIFICATION, BOTH, n=40, n_test=8, repeats=3, replicates=60)
    ratios = {(one["method"], one["target"]): one for one in study.content["ratios"]}
    size = 1 + 3 * 8 / 32
    for target in ("bayes", "near", "bayes - near"):
        for method in ("resampled-t", "corrected-t"):
            one = ratios[method, target]
            assert one["measured"].value == pytest.approx(one["formula"].value, rel=1e-10)
            assert one["measured"].low == pytest.approx(one["formula"].low, rel=1e-6)
        resampled, corrected = (ratios[f"{key}-t", target] for key in ("resampled", "corrected"))
        assert resampled["formula"].value == pytest.approx(size * corrected["formula"].value)
    one = ratios["holdout-t", "bayes"]
    assert (one["n_train"], one["n_test"]) == (32, 8)
    assert one["measured"].low < one["formula"].value < one["measured"].high
    assert ratios["conservative-z", "bayes"]["formula"] is None


def test_a_study_of_losses_that_never_vary_says_so():
    nothing = lab.GaussianRegression(features=1, relevant=0, noise=0.0)
    found = lab.table1(nothing, ZERO, n=20, repeats=2, replicates=4)
    assert math.isnan(found.content["moments"][0]["rho"])
    assert found.to_dict()["moments"][0]["rho"] is None
    json.dumps(found.to_dict(), allow_nan=False)
