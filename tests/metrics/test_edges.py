"""No printed limit lies outside the range of a metric, whatever the metric, the method, the plan and the predictions."""

from functools import cache

import numpy as np
import pytest

import errbar
from errbar.errors import InvalidInputError
from errbar.methods import METHODS
from errbar.methods.distributions import Limits, Pivot
from errbar.metrics import METRICS, REGRESSION
from errbar.plans import Holdout, KFold, NestedKFold, Subsampling
from tests.metrics.cases import Says, SaysNumber

PLANS = (
    Holdout(0.5),
    KFold(4),
    KFold(4, repeats=2),
    Subsampling(n_test=0.4, repeats=4),
    NestedKFold(4, repeats=2),
)
LEVELS = (0.5, 0.95, 0.999)
SIDES = ("two-sided", "less", "greater")
N = 80
TINY = 1e-12


def two_learners(task, seed):
    """Features that hold the answers of a learner with two or three errors, and of one that is mostly wrong."""
    rng = np.random.default_rng(seed)
    if task == REGRESSION:
        y = rng.gamma(4.0, 1.0, N)
        return np.column_stack(
            [y * rng.choice([1.0, 1.2], N, p=[0.95, 0.05]), rng.gamma(4.0, 1.0, N)]
        ), y
    y = rng.permutation(np.arange(N) % 2)
    right = rng.random(N) > 0.04
    wrong = rng.random(N) > 0.8
    columns = []
    for hit in (right, wrong):
        sure = rng.uniform(0.5, 1.0, N)
        of_one = np.where(hit == (y == 1), sure, 1.0 - sure)
        columns += [1.0 - of_one, of_one]
    return np.column_stack(columns), y


@cache
def base(task, place, seed):
    X, y = two_learners(task, seed)
    learners = (
        {"good": SaysNumber(0), "bad": SaysNumber(1)}
        if task == REGRESSION
        else {"good": Says(0), "bad": Says(1)}
    )
    return errbar.run(learners, X, y, plan=PLANS[place], loss=None, random_state=seed)


def tables(key, seed):
    for place in range(len(PLANS)):
        try:
            yield base(METRICS[key].task, place, seed).with_loss(key)
        except errbar.errors.UndefinedMetricError:
            continue


def results(table):
    """Every result of every method that takes the table."""
    for method in sorted(METHODS):
        spec = errbar.methods.lookup(method)
        options = {name: 50 for name in ("resamples",) if name in spec.options}
        for minus in (None, "bad"):
            for level in LEVELS:
                for side in SIDES:
                    try:
                        found = errbar.infer(
                            table, method, "good", minus, level=level, alternative=side, **options
                        )
                    except InvalidInputError:
                        break
                    yield method, minus, level, side, found


@pytest.mark.thorough
@pytest.mark.parametrize("key", METRICS)
def test_no_limit_lies_outside_of_the_range(key):
    low, high = METRICS[key].range
    width, seen = high - low, set()
    for table in tables(key, seed=1):
        for method, minus, level, side, found in results(table):
            if found.interval is None or errbar.methods.lookup(method).quantity is not None:
                continue
            least, most = (low, high) if minus is None else (-width, width)
            for limit in (found.low, found.high):
                assert not np.isfinite(limit) or least - TINY <= limit <= most + TINY, (
                    method,
                    minus,
                    level,
                    side,
                    found,
                )
            assert found.low <= found.high
            seen.add(method)
    assert {"holdout-t", "cv-wald", "corrected-t", "nested-cv"} <= seen


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (-np.inf, 1.0), (0.0, np.inf)])
def test_plain_and_curved_scales_meet_far_from_an_edge(low, high):
    inside = {(0.0, 1.0): 0.5, (-1.0, 1.0): 0.0, (-np.inf, 1.0): 0.0, (0.0, np.inf): 1.0}[low, high]
    limits = Limits(low, high, near=5.0)
    for se, near, curved in ((0.05, np.inf, False), (0.5, np.inf, True), (0.5, 0.5, False)):
        law, notes = limits.law(Pivot(inside, se, None), near)
        assert (isinstance(law, Pivot) and law.limits is limits) == curved
        assert notes == ()
    assert limits.back(limits.scale(inside)) == pytest.approx(inside)
    step = 1e-6
    rise = limits.scale(inside + step) - limits.scale(inside - step)
    assert limits.slope(inside) == pytest.approx(rise / (2 * step), rel=1e-6)


@pytest.mark.parametrize("key", ["f1", "roc_auc", "r2", "root_mean_squared_error"])
def test_a_difference_that_many_examples_carry_is_the_plain_one(key):
    [table] = [one for one in tables(key, seed=1) if one.splits.kinds == ("holdout",)]
    result = errbar.infer(table, "holdout-t", "good", "bad")
    points = table.loss.sign * (table.points[0] - table.points[1])
    assert result.estimate == pytest.approx(points.mean(), rel=1e-12)
    se = points.std(ddof=1) / np.sqrt(points.size)
    assert result.se == pytest.approx(se, rel=1e-12)
    expected = Pivot(result.estimate, se, result.df).interval(0.95, "two-sided")
    width = METRICS[key].range[1] - METRICS[key].range[0]
    assert result.low == pytest.approx(max(expected.low, -width))
    assert result.high == pytest.approx(min(expected.high, width))


def test_near_an_edge_the_longer_arm_points_away_from_it():
    [table] = [one for one in tables("f1", seed=1) if one.splits.kinds == ("holdout",)]
    result = errbar.infer(table, "holdout-t", "good")
    assert result.high < 1.0
    assert result.estimate - result.low > result.high - result.estimate


def test_tests_and_intervals_agree_near_an_edge():
    [table] = [one for one in tables("f1", seed=1) if one.splits.kinds == ("holdout",)]
    for side in SIDES:
        for level in LEVELS:
            result = errbar.infer(table, "holdout-t", "good", level=level, alternative=side)
            # A limit near 1 has lost digits of its distance from it.
            for limit in (result.low, result.high):
                if np.isfinite(limit) and 0.0 < limit < 1.0:
                    again = errbar.infer(
                        table, "holdout-t", "good", level=level, alternative=side, null=limit
                    )
                    assert again.pvalue == pytest.approx(1.0 - level, rel=1e-6)


@pytest.mark.parametrize("count", [19, 7, 4, 1])
def test_few_examples_of_a_class_are_told(count):
    rng = np.random.default_rng(0)
    truth = np.array(["rare"] * count + ["often"] * 80)
    predicted = np.where(rng.random(truth.size) < 0.2, "rare", "often")
    table = errbar.from_predictions({"a": predicted}, truth, loss="balanced_accuracy", fold=0)
    [note] = [
        note for note in errbar.infer(table, "holdout-t").notes if note.code == "few-of-a-class"
    ]
    assert note.numbers == {"count": count, "label": "rare"}
