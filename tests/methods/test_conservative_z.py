"""The conservative Z: loops from the formula, the t law of its variance, and what it says of itself."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import errbar
from errbar.methods import conservative_z
from errbar.plans import PairedHalves as PairedHalvesPlan
from tests import forms
from tests.bands import binomial_band, binomial_power
from tests.refusals import refused

MU = 0.3


def plain(values, halves):
    """Estimate and standard error, number by number."""
    squares = 0.0
    for one, other in halves:
        first, second = (
            sum(half) / len(half) for half in (np.atleast_1d(one), np.atleast_1d(other))
        )
        squares += (first - second) ** 2
    return sum(values) / len(values), math.sqrt(squares / (2 * len(halves)))


def codes(result):
    return [note.code for note in result.notes]


def halves_of(rng, halvings=10, splits=15, scale=0.05):
    return MU + scale * rng.standard_normal((halvings, 2, splits))


class TestAgainstTheFormula:
    @pytest.mark.parametrize(("halvings", "splits"), [(1, 1), (2, 7), (10, 15), (25, 3)])
    def test_every_score_given(self, halvings, splits, rng):
        values, halves = rng.random(splits), rng.random((halvings, 2, splits))
        result = conservative_z(forms.halves(values, halves, n_train=90, n_test=10, half_train=40))
        assert (result.estimate, result.se) == pytest.approx(plain(values, halves), rel=1e-13)
        assert result.n_splits == splits + 2 * halvings * splits
        assert result.n_train == 90.0

    def test_means_are_as_good_as_scores(self, rng):
        values, halves = rng.random(15), rng.random((10, 2, 15))
        all_scores = conservative_z(forms.halves(values, halves))
        means = conservative_z(forms.halves(values, halves.mean(axis=2)))
        assert (means.estimate, means.se) == (all_scores.estimate, all_scores.se)
        assert means.n_splits == 15 + 20

    def test_by_hand(self):
        # differences 3, -1, 1 and 1: sum of squares 12, over 2 M = 8
        view = forms.halves([2.0, 4.0], [[3.0, 0.0], [1.0, 2.0], [2.0, 1.0], [5.0, 4.0]])
        result = conservative_z(view, null=1.0, level=0.9, reference="normal")
        assert (result.estimate, result.se) == (3.0, pytest.approx(math.sqrt(1.5), rel=1e-15))
        assert result.statistic == pytest.approx(2.0 / math.sqrt(1.5), rel=1e-15)
        assert result.pvalue == pytest.approx(2 * stats.norm.sf(2.0 / math.sqrt(1.5)), rel=1e-12)
        assert result.high == pytest.approx(3.0 + stats.norm.ppf(0.95) * math.sqrt(1.5), rel=1e-12)
        assert result.df is None

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_with_a_t_law(self, alternative, rng):
        view = forms.halves(rng.random(15), halves_of(rng))
        result = conservative_z(view, null=0.2, alternative=alternative, reference="t")
        law = stats.t(10, loc=result.estimate, scale=result.se)
        expected = {
            "less": (-math.inf, law.ppf(0.95)),
            "greater": (law.ppf(0.05), math.inf),
            "two-sided": law.interval(0.95),
        }
        assert result.df == 10
        assert (result.low, result.high) == pytest.approx(expected[alternative], rel=1e-12)
        assert result.pvalue == pytest.approx(
            {
                "less": law.sf(0.2),
                "greater": law.cdf(0.2),
                "two-sided": 2 * min(law.sf(0.2), law.cdf(0.2)),
            }[alternative],
            rel=1e-10,
        )


class TestNotes:
    # Percentages of section 2.2 of the design, and by the t law.
    @pytest.mark.parametrize(("halvings", "percent"), [(5, 16.1), (10, 13.1), (20, 11.6)])
    def test_the_rates_of_the_normal_quantile(self, halvings, percent):
        assert 100 * 2 * stats.t.sf(stats.norm.ppf(0.95), halvings) == pytest.approx(
            percent, abs=0.05
        )

    @pytest.mark.parametrize("halvings", [1, 5, 10, 19])
    def test_few_halvings_are_said(self, halvings, rng):
        [note] = conservative_z(
            forms.halves(rng.random(15), halves_of(rng, halvings)), reference="normal"
        ).notes
        assert (note.code, note.numbers) == ("few", {"count": halvings, "what": "halvings"})

    def test_the_law_follows_the_number_of_halvings(self, rng):
        laws = [
            conservative_z(forms.halves(rng.random(15), halves_of(rng, m))).df
            for m in (5, 19, 20, 40)
        ]
        assert laws == [5, 19, None, None]

    def test_neither_many_halvings_nor_the_t_law_need_saying(self, rng):
        assert codes(conservative_z(forms.halves(rng.random(15), halves_of(rng, 20)))) == []
        assert (
            codes(conservative_z(forms.halves(rng.random(15), halves_of(rng, 5)), reference="t"))
            == []
        )

    @pytest.mark.parametrize(
        ("half_train", "n_test", "small"),
        [
            (40, 10, False),
            (9, 5, True),
            (10, 5, False),
            (24, 26, True),
            (25, 25, False),
            (math.nan, 25, False),
        ],
    )
    def test_small_training_sets_of_the_halves(self, half_train, n_test, small, rng):
        view = forms.halves(
            rng.random(15), halves_of(rng, 20), n_train=100, n_test=n_test, half_train=half_train
        )
        assert ("few" in codes(conservative_z(view))) == small


class TestDegenerateAndHostile:
    @pytest.mark.parametrize(
        ("null", "statistic", "pvalue"),
        [(0.1, 0.0, 1.0), (0.3, -math.inf, 0.0), (0.0, math.inf, 0.0)],
    )
    @pytest.mark.parametrize("reference", ["normal", "t"])
    def test_constant_scores(self, null, statistic, pvalue, reference):
        view = forms.halves(np.full(15, 0.1), np.full((10, 2, 15), 0.1), 90, 10)
        result = conservative_z(view, null=null, reference=reference)
        assert (result.se, result.statistic, result.pvalue) == (0.0, statistic, pvalue)
        assert result.degenerate

    def test_halves_that_differ_by_rounding_alone(self):
        halves = np.array([[0.1 + 0.2, 0.3], [0.7, 0.1 * 7]])
        assert conservative_z(forms.halves([0.3], halves)).se == 0.0

    @pytest.mark.parametrize("scale", [1e-300, 1e-155, 1e149])
    def test_very_small_and_very_large_numbers(self, scale):
        halves = scale * np.array([[0.1, 0.4], [0.5, 0.2]])
        result = conservative_z(forms.halves([0.2 * scale, 0.4 * scale], halves))
        assert result.se / scale == pytest.approx(math.sqrt(0.045), rel=1e-9)
        assert result.statistic == pytest.approx(0.3 / math.sqrt(0.045), rel=1e-9)

    def test_numbers_too_large_to_square_are_refused(self):
        with refused("value"):
            forms.halves([0.1], [[1e300, 0.0]])

    @pytest.mark.parametrize("bad", ["student", "", None, 1, "Normal"])
    def test_reference_is_checked(self, bad, rng):
        with refused("reference"):
            conservative_z(forms.halves(rng.random(3), rng.random((2, 2))), reference=bad)


numbers = st.floats(-10.0, 10.0).map(lambda x: round(x, 6))
tables = st.integers(1, 8).flatmap(
    lambda m: st.lists(st.tuples(numbers, numbers), min_size=m, max_size=m).map(np.array)
)


@given(st.lists(numbers, min_size=1, max_size=15), tables, st.floats(1e-3, 1e3), numbers)
def test_scale_and_shift(values, halves, factor, offset):
    one = conservative_z(forms.halves(values, halves), null=0.5)
    other = conservative_z(
        forms.halves(factor * np.array(values) + offset, factor * halves + offset),
        null=0.5 * factor + offset,
    )
    size = factor * 10 + abs(offset)
    assert other.se == pytest.approx(factor * one.se, rel=1e-6, abs=1e-9 * size)
    assert other.estimate == pytest.approx(factor * one.estimate + offset, abs=1e-9 * size)


@given(st.lists(numbers, min_size=1, max_size=15), tables, st.randoms(use_true_random=False))
def test_it_matters_not_which_half_and_which_halving_is_which(values, halves, random):
    order = random.sample(range(len(halves)), len(halves))
    turned = np.array([row[::-1] if random.random() < 0.5 else row for row in halves[order]])
    one, other = (
        conservative_z(forms.halves(values, halves)),
        conservative_z(forms.halves(values, turned)),
    )
    assert other.se == pytest.approx(one.se, rel=1e-12)


@pytest.mark.long
class TestCalibration:
    """Independent normal means: Z is then t with M degrees of freedom, exactly."""

    TRIALS = 6_000

    def rejections(self, rng, halvings, level, **options):
        means = MU + rng.standard_normal((self.TRIALS, 1))
        halves = MU + rng.standard_normal((self.TRIALS, halvings, 2))
        views = (forms.halves(value, pairs) for value, pairs in zip(means, halves, strict=True))
        return sum(
            conservative_z(view, null=MU, level=level, **options).pvalue < 1.0 - level
            for view in views
        )

    def require(self, count, rate):
        low, high = binomial_band(self.TRIALS, rate)
        assert low <= count <= high, (
            f"{count} of {self.TRIALS} rejected, between {low} and {high} expected"
        )

    @pytest.mark.parametrize("halvings", [1, 10])
    def test_the_t_law_is_exact(self, halvings, rng):
        self.require(self.rejections(rng, halvings, 0.9, reference="t"), 0.1)

    @pytest.mark.parametrize(("halvings", "rate"), [(5, 0.161), (10, 0.131)])
    def test_the_normal_law_is_as_liberal_as_it_says(self, halvings, rate, rng):
        exact = 2 * stats.t.sf(stats.norm.ppf(0.95), halvings)
        assert exact == pytest.approx(rate, abs=5e-4)
        self.require(self.rejections(rng, halvings, 0.9, reference="normal"), exact)

    def test_one_sided(self, rng):
        self.require(self.rejections(rng, 5, 0.95, reference="t", alternative="greater"), 0.05)

    def test_a_divisor_of_m_instead_of_2m_would_be_found(self, rng):
        rate = 2 * stats.t.sf(math.sqrt(2.0) * stats.t.ppf(0.95, 10), 10)
        assert binomial_power(self.TRIALS, 0.1, rate) > 1 - 1e-12


class TestOnRealData:
    """Through the engine, with the numbers computed again from the table's columns by plain loops."""

    PLAN = PairedHalvesPlan(n_test=20, repeats=3, halvings=4)

    def table(self):
        from sklearn.datasets import load_diabetes
        from sklearn.linear_model import LinearRegression, Ridge

        X, y = load_diabetes(return_X_y=True)
        learners = {"ols": LinearRegression(), "ridge": Ridge(10.0)}
        return errbar.run(learners, X[:121], y[:121], plan=self.PLAN, random_state=0)

    def test_difference(self):
        table = self.table()
        gaps = table.scores[0] - table.scores[1]
        labels = table.splits.labels
        values = [gap for gap, halving in zip(gaps, labels["halving"], strict=True) if halving < 0]
        halves = [
            [
                [
                    g
                    for g, h, s in zip(gaps, labels["halving"], labels["half"], strict=True)
                    if (h, s) == (halving, side)
                ]
                for side in (0, 1)
            ]
            for halving in range(4)
        ]
        result = errbar.infer(table, "conservative-z", "ols", minus="ridge", reference="t")
        assert (result.estimate, result.se) == pytest.approx(plain(values, halves), rel=1e-12)
        assert (result.n_train, result.n_splits, result.df) == (101.0, 3 + 2 * 4 * 3, 4)
        assert codes(result) == []

    def test_compare_and_evaluate_take_its_default_plan(self):
        from sklearn.datasets import load_diabetes
        from sklearn.linear_model import LinearRegression

        X, y = load_diabetes(return_X_y=True)
        result = errbar.evaluate(
            LinearRegression(), X[:80], y[:80], method="conservative-z", random_state=0
        )
        assert result.n_fits == 15 + 2 * 10 * 15
        assert result.low < result.estimate < result.high
        assert result.df == 10
        assert codes(result) == []
