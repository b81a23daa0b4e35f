"""Series by dates: reference values of independent programs, and laws of the formula."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

import errbar
from errbar import Losses
from errbar.methods import cluster_t, diebold_mariano, two_way_t
from tests.refusals import refused


def panel(rng, series=8, dates=12, shock=1.0):
    effects = rng.normal(size=(series, 1)) + shock * rng.normal(size=dates)
    return effects + rng.normal(size=(series, dates))


def both(values, **more):
    return Losses.of_grid(values, "group", "time", **more)


def codes(result):
    return [note.code for note in result.notes]


class TestValues:
    def test_statsmodels(self, rng):
        """Its two groups of clusters, with G/(G - 1) for each, on an intercept alone."""
        values = panel(rng)
        series, date = np.indices(values.shape)
        fit = sm.OLS(values.ravel(), np.ones((values.size, 1))).fit()
        squared = cov_cluster_2groups(fit, series.ravel(), date.ravel())[0].item()
        result = two_way_t(both(values), horizon=1)
        assert result.estimate == pytest.approx(fit.params[0], rel=1e-12)
        assert result.se**2 == pytest.approx(squared, rel=1e-10)

    def test_mean_squares(self, rng):
        """Of a full table, V_g, V_t and V_gt are variances of means of rows, of columns and of all."""
        values = panel(rng, 6, 9)
        group, time = values.mean(axis=1).var(ddof=1) / 6, values.mean(axis=0).var(ddof=1) / 9
        example = values.var(ddof=1) / values.size
        squared = group + time - example
        df = squared**2 / (group**2 / 5 + time**2 / 8 + example**2 / 40)
        result = two_way_t(both(values), horizon=1)
        parts = {"cluster": group - example, "time": time - example, "example": example}
        assert result.components == pytest.approx(parts)
        assert (result.se, result.df) == pytest.approx((math.sqrt(squared), df))
        low, high = result.estimate + stats.t.ppf([0.025, 0.975], df) * result.se
        assert (result.low, result.high) == pytest.approx((low, high))

    @pytest.mark.parametrize("options", [{"horizon": 1}, {"horizon": 3}, {"horizon": 11}])
    def test_the_part_of_times_is_diebold_mariano_s(self, rng, options):
        values = panel(rng)
        result = two_way_t(both(values), **options)
        of_times = diebold_mariano(Losses(values.mean(axis=0)), **options)
        time = result.components["time"] + result.components["example"]
        assert time == pytest.approx(of_times.se**2)

    def test_cosines_are_few(self, rng):
        """4 of 12 dates, 8 of 120."""
        for dates, count in ((12, 4), (60, 6), (120, 8)):
            values = panel(rng, 200, dates)
            centred = values.mean(axis=0) - values.mean()
            angles = np.pi * np.outer(np.arange(1, count + 1), np.arange(dates) + 0.5) / dates
            squared = np.square(np.cos(angles) @ centred).mean() * 2.0 / dates**2
            parts = two_way_t(both(values)).components
            assert parts["time"] + parts["example"] == pytest.approx(squared)

    def test_missing_cells(self, rng):
        values = panel(rng)
        series, date = np.indices(values.shape).reshape(2, -1)
        kept = rng.permutation(values.size)[:70]
        given = {"group": series[kept], "time": date[kept]}
        found = two_way_t(Losses(values.ravel()[kept], **given), horizon=1)
        left = values.ravel()[kept] - found.estimate
        time = np.bincount(date[kept], left)
        squared = cluster_t(Losses(values.ravel()[kept], group=series[kept])).se ** 2
        squared += 12 / 11 * (time @ time) / 70**2 - 70 / 69 * (left @ left) / 70**2
        assert found.se**2 == pytest.approx(squared)


class TestLaws:
    @given(st.integers(0, 10_000))
    def test_order_of_rows_and_units(self, seed):
        rng = np.random.default_rng(seed)
        values = panel(rng, rng.integers(5, 9), rng.integers(5, 20))
        series, date = np.indices(values.shape).reshape(2, -1)
        order = rng.permutation(values.size)
        one = two_way_t(both(values))
        other = two_way_t(
            Losses(3.0 - 2.0 * values.ravel()[order], group=series[order], time=date[order])
        )
        assert other.estimate == pytest.approx(3.0 - 2.0 * one.estimate)
        assert (other.se, other.df) == pytest.approx((2.0 * one.se, one.df))

    @given(st.integers(0, 10_000))
    def test_never_less_than_half_of_independent_cells(self, seed):
        """Nor more degrees of freedom than both together, nor fewer than where neither matters."""
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(rng.integers(5, 9), rng.integers(5, 20)))
        result = two_way_t(both(values), horizon=1)
        a, b = (size - 1 for size in values.shape)
        alone = math.sqrt(result.components["example"])
        assert result.se >= 0.5 * alone * (1.0 - 1e-12)
        assert a * b / (a + b) <= result.df * (1.0 + 1e-12) <= (a + b) * (1.0 + 1e-9)
        floored = result.se == pytest.approx(0.5 * alone, rel=1e-9)
        assert ("out-of-bounds" in codes(result)) == floored

    def test_losses_that_never_vary(self):
        result = two_way_t(both(np.full((6, 8), 0.3)))
        assert (result.se, "out-of-bounds" in codes(result)) == (0.0, False)

    @pytest.mark.parametrize(
        ("series", "dates", "roles"),
        [(4, 12, ("group", "time")), (12, 4, ("group", "time")), (8, 8, ("group", "example"))],
    )
    def test_refused(self, rng, series, dates, roles):
        with pytest.raises(errbar.InvalidInputError):
            two_way_t(Losses.of_grid(rng.normal(size=(series, dates)), *roles))

    @pytest.mark.parametrize("horizon", [0, 12, 1.5])
    def test_horizons_that_are_none(self, rng, horizon):
        with refused("horizon"):
            two_way_t(both(panel(rng)), horizon=horizon)
