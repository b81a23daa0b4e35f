"""Invariances on numbers that nobody chose."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

from errbar import Losses
from errbar.methods import (
    corrected_t,
    cv_wald,
    five_by_two_f,
    five_by_two_t,
    holdout_t,
    kfold_t,
    resampled_t,
    rho_threshold,
)
from tests import forms

numbers = st.floats(-10.0, 10.0).map(lambda x: round(x, 6))
levels = st.floats(0.01, 0.999)
alternatives = st.sampled_from(["two-sided", "less", "greater"])
factors = st.floats(1e-3, 1e3)


def scores(minimum=2):
    return st.lists(numbers, min_size=minimum, max_size=30).map(np.array)


def varied(values):
    assume(np.ptp(values) > 1e-3)
    return values


@given(scores(), numbers, levels, alternatives)
def test_zero_correlation_is_students_t(values, null, level, alternative):
    varied(values)
    known = stats.ttest_1samp(values, null, alternative=alternative)
    for result in (
        resampled_t(Losses(values), level=level, null=null, alternative=alternative),
        corrected_t(
            Losses(values), level=level, null=null, alternative=alternative, correlation=0.0
        ),
        kfold_t(Losses(values), level=level, null=null, alternative=alternative, rho=0.0),
        holdout_t(Losses(values), level=level, null=null, alternative=alternative),
    ):
        assert result.statistic == pytest.approx(known.statistic, rel=1e-6, abs=1e-6)
        assert result.pvalue == pytest.approx(known.pvalue, rel=1e-5, abs=1e-9)
        ends = known.confidence_interval(level)
        assert (result.low, result.high) == pytest.approx((ends.low, ends.high), rel=1e-6, abs=1e-6)


@given(scores(), st.integers(2, 500), st.integers(1, 500), factors)
def test_a_scale_changes_nothing_but_the_scale(values, n_train, n_test, factor):
    varied(values)
    one = corrected_t(Losses(values, n_train=n_train, n_test=n_test), null=0.5)
    other = corrected_t(Losses(factor * values, n_train=n_train, n_test=n_test), null=0.5 * factor)
    assert other.statistic == pytest.approx(one.statistic, rel=1e-6, abs=1e-9)
    assert other.se == pytest.approx(factor * one.se, rel=1e-9)


@given(scores(3), st.randoms(use_true_random=False))
def test_the_order_of_splits_with_their_sizes_is_irrelevant(values, random):
    n_test = np.array([random.randint(1, 20) for _ in values])
    order = np.array(random.sample(range(values.size), values.size))
    one = corrected_t(Losses(values, n_train=100, n_test=n_test))
    other = corrected_t(Losses(values[order], n_train=100, n_test=n_test[order]))
    assert other.se == pytest.approx(one.se, rel=1e-9, abs=1e-12)


@given(scores(4), st.sampled_from(["all-pairs", "within-fold"]), st.randoms(use_true_random=False))
def test_the_order_and_the_names_of_folds_are_irrelevant(values, variance, random):
    fold = np.arange(values.size) % 2
    order = np.array(random.sample(range(values.size), values.size))
    one = cv_wald(Losses(values, fold=fold), variance=variance)
    other = cv_wald(Losses(values[order], fold=7 - 3 * fold[order]), variance=variance)
    assert (other.estimate, other.se) == pytest.approx((one.estimate, one.se), rel=1e-9, abs=1e-9)


@given(st.lists(numbers, min_size=10, max_size=10), st.randoms(use_true_random=False))
def test_f_does_not_care_which_repeat_and_fold_is_which(values, random):
    table = np.array(values).reshape(5, 2)
    order = random.sample(range(5), 5)
    flipped = np.array([row[::-1] if random.random() < 0.5 else row for row in table[order]])
    one, other = (
        five_by_two_f(forms.ten_scores(table), null=0.3),
        five_by_two_f(forms.ten_scores(flipped), null=0.3),
    )
    assert other.statistic == pytest.approx(one.statistic, rel=1e-6)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=1e-5, abs=1e-5)


@given(st.lists(numbers, min_size=10, max_size=10), levels)
def test_the_f_interval_holds_just_the_nulls_that_are_not_rejected(values, level):
    view = forms.ten_scores(np.array(values).reshape(5, 2))
    result = five_by_two_f(view, level=level)
    assume(result.high - result.low > 1e-3)
    inside = result.estimate + 0.999 * (result.high - result.estimate)
    outside = result.estimate + 1.001 * (result.high - result.estimate)
    assert (
        five_by_two_f(view, null=inside).pvalue
        > 1.0 - level
        > five_by_two_f(view, null=outside).pvalue
    )


@given(st.lists(numbers, min_size=10, max_size=10))
def test_five_by_two_t_divides_the_first_score_by_a_spread_all_repeats_share(values):
    table = np.array(values).reshape(5, 2)
    varied(table[:, 0] - table[:, 1])
    result = five_by_two_t(forms.ten_scores(table))
    assert result.estimate == table[0, 0]
    assert result.se == pytest.approx(
        math.sqrt(((table[:, 0] - table[:, 1]) ** 2).sum() / 10), rel=1e-9
    )


@given(scores(3), st.floats(0.6, 0.99), st.floats(1e-4, 0.2))
def test_kfold_t_rejects_exactly_below_the_threshold(values, level, step):
    varied(values)
    view = Losses(values)
    threshold = rho_threshold(view, level=level, null=0.2)
    for rho in (threshold - step, threshold + step):
        if 0.0 <= rho < 1.0:
            rejected = kfold_t(view, level=level, null=0.2, rho=rho).pvalue < 1.0 - level
            assert rejected == (rho < threshold)


@given(scores(), st.floats(0.0, 0.95), st.floats(0.0, 0.95))
def test_more_correlation_means_more_doubt(values, one, other):
    varied(values)
    low, high = sorted((one, other))
    assert (
        corrected_t(Losses(values), correlation=low).se
        <= corrected_t(Losses(values), correlation=high).se
    )
    assert kfold_t(Losses(values), rho=low).se <= kfold_t(Losses(values), rho=high).se


@given(st.floats(0.0, 0.99), scores(2))
def test_rho_of_kfold_t_and_r_of_corrected_t_are_one_thing(rho, values):
    varied(values)
    count = values.size
    r = rho / (count - (count - 1) * rho)
    assert rho == pytest.approx(count * r / (1 + (count - 1) * r), abs=1e-9)
    assert kfold_t(Losses(values), rho=rho).se == pytest.approx(
        corrected_t(Losses(values), correlation=r).se, rel=1e-6
    )


@given(st.floats(-1e6, 1e6), st.integers(2, 40))
def test_equal_scores_never_vary_by_rounding(value, count):
    result = corrected_t(Losses(np.full(count, value), n_train=90, n_test=10), null=value)
    assert (result.se, result.statistic, result.pvalue) == (0.0, 0.0, 1.0)


@given(st.floats(0.01, 1.0), st.floats(0.01, 1.0), st.integers(2, 40))
def test_a_constant_difference_never_varies_by_rounding(a, b, count):
    """a - b is computed from noisy copies: the difference varies in the last digit only."""
    assume(abs(a - b) > 1e-3)
    noise = np.where(np.arange(count) % 2, np.nextafter(a, 2.0), a)
    assert corrected_t(Losses(noise - b, n_train=90, n_test=10)).se == 0.0
