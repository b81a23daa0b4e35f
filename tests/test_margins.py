"""Equivalence and non-inferiority."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

import errbar
from errbar import InvalidInputError, Losses, equivalence, non_inferiority
from errbar.methods import METHODS, corrected_t
from tests.bands import binomial_band
from tests.laws import cases
from tests.refusals import refused

DIFFERENCES = Losses([0.02, -0.01, 0.03, -0.01, 0.0, 0.01], n_train=90, n_test=10)


def test_without_correlation_it_is_the_known_test_of_two_one_sided_t(rng):
    values = rng.normal(0.02, 0.1, 25)
    found = equivalence(Losses(values), "holdout-t", margin=0.1)
    pvalue, (above, *_), (below, *_) = DescrStatsW(values).ttost_mean(-0.1, 0.1)
    assert found.pvalue == pytest.approx(pvalue, rel=1e-9)
    assert (found.above, found.below) == pytest.approx(
        (
            stats.ttest_1samp(values, -0.1, alternative="greater").pvalue,
            stats.ttest_1samp(values, 0.1, alternative="less").pvalue,
        )
    )
    assert found.above == pytest.approx(stats.t.sf(above, 24)) or found.below == pytest.approx(
        stats.t.cdf(below, 24)
    )


def test_by_hand():
    result = corrected_t(DIFFERENCES)
    found = equivalence(DIFFERENCES, "corrected-t", margin=0.05)
    low, high = (result.estimate + 0.05) / result.se, (result.estimate - 0.05) / result.se
    assert found.pvalue == pytest.approx(max(stats.t.sf(low, 5), stats.t.cdf(high, 5)), rel=1e-10)
    reach = stats.t.ppf(0.95, 5) * result.se
    assert found.interval == pytest.approx((result.estimate - reach, result.estimate + reach))


@given(
    st.lists(st.integers(-50, 50), min_size=3, max_size=20).filter(lambda x: len(set(x)) > 1),
    st.floats(0.001, 1.0),
    st.floats(0.55, 0.999),
)
def test_it_is_shown_exactly_when_the_interval_lies_within_the_margins(values, margin, level):
    view = Losses(np.array(values) / 50, n_train=90, n_test=10)
    found = equivalence(view, "corrected-t", margin=margin, level=level)
    inside = -margin < found.interval.low and found.interval.high < margin
    near = min(abs(found.interval.low + margin), abs(found.interval.high - margin)) < 1e-9
    assert found.shown == inside or near


@pytest.mark.parametrize(
    "key", [k for k, m in METHODS.items() if m.sides and not m.own_units and m.subject != "learner"]
)
def test_every_method_with_sides_can_show_it(key):
    for case in cases(METHODS[key], 3):
        if not case.has_losses or case.options:
            continue
        wide = 100.0 * max(1.0, abs(case.run().estimate), case.run().se)
        assert equivalence(case.view, key, margin=wide).shown
        assert not equivalence(case.view, key, margin=1e-9).shown


def test_non_inferiority_has_one_side():
    result = corrected_t(DIFFERENCES, null=0.05, alternative="less")
    found = non_inferiority(DIFFERENCES, "corrected-t", margin=0.05)
    assert (found.pvalue, found.above, found.interval) == (result.pvalue, None, result.interval)
    assert (
        non_inferiority(DIFFERENCES, "corrected-t", margin=0.0).pvalue
        == corrected_t(DIFFERENCES, alternative="less").pvalue
    )


def test_of_scores_lower_is_worse():
    scores = {"new": [0.80, 0.81, 0.79, 0.80], "old": [0.81, 0.80, 0.80, 0.80]}
    table = errbar.from_scores(
        scores, n_train=90, n_test=10, metric="accuracy", higher_is_better=True
    )
    found = non_inferiority(table, "corrected-t", "new", "old", margin=0.05)
    losses = errbar.from_scores(
        {k: 1 - np.array(v) for k, v in scores.items()}, n_train=90, n_test=10
    )
    same = non_inferiority(losses, "corrected-t", "new", "old", margin=0.05)
    assert found.pvalue == pytest.approx(same.pvalue)
    assert found.estimate == pytest.approx(-same.estimate)
    assert math.isinf(found.interval.high)


def test_scores_that_never_differ_are_equivalent():
    found = equivalence(Losses([0.01] * 5, n_train=90, n_test=10), "corrected-t", margin=0.02)
    assert (found.pvalue, found.shown) == (0.0, True)
    assert (
        equivalence(Losses([0.03] * 5, n_train=90, n_test=10), "corrected-t", margin=0.02).pvalue
        == 1.0
    )


@pytest.mark.long
def test_its_size_at_the_margin(rng):
    """At a true difference of just the margin equivalence is shown in 5 % of the studies, where the margin is wide."""
    trials, count, margin = 20_000, 12, 5.0
    values = rng.normal(margin, 1.0, (trials, count))
    shown = sum(equivalence(Losses(row), "holdout-t", margin=margin).shown for row in values)
    low, high = binomial_band(trials, 0.05)
    assert low <= shown <= high


@pytest.mark.parametrize("margin", [0.0, -0.1, math.nan, math.inf, "0.1", None])
def test_margins_that_make_no_sense(margin):
    with refused("margin"):
        equivalence(DIFFERENCES, "corrected-t", margin=margin)


@pytest.mark.parametrize("key", ["5x2cv-f"])
def test_methods_without_sides_are_refused(key):
    with pytest.raises(InvalidInputError):
        equivalence(DIFFERENCES, key, margin=0.1)


def test_the_wrong_view_is_refused():
    with pytest.raises(InvalidInputError):
        equivalence(DIFFERENCES, "holdout-t", margin=0.1)


def test_a_comparison_with_a_rope_holds_the_tests_adjusted():
    table = errbar.from_scores(
        {"a": [0.30, 0.31, 0.29], "b": [0.30, 0.30, 0.30], "c": [0.5, 0.6, 0.4]},
        n_train=90,
        n_test=10,
    )
    found = errbar.compare_table(table, rope=0.1)
    tests = [pair.equivalence for pair in found.pairs]
    raw = [
        equivalence(table, "corrected-t", pair.a, pair.b, margin=0.1).pvalue for pair in found.pairs
    ]
    assert [test.pvalue for test in tests] == raw
    assert [test.adjusted for test in tests] == pytest.approx(
        errbar.simultaneous.adjust(raw).tolist()
    )
    assert found.to_dict()["pairs"][0]["equivalence"]["shown"] is True
