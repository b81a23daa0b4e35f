"""The replace-one variance: an independent program's numbers, loops from the formula, hostile input."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import errbar
from errbar.methods import replace_one
from errbar.plans import ReplaceOne as ReplaceOnePlan
from tests import forms
from tests.refusals import refused


def plain(values, n, baseline, factor=0.25):
    """Standard error, number by number."""
    half, total = n // 2, 0.0
    for mean in values.tolist():
        total += (baseline - mean) ** 2
    variance = factor * n * total * half / len(values)
    return math.sqrt(variance / n)


class TestInferGE:
    """R package inferGE: ``infer_austern_zhou.loss_table`` with correct = TRUE, n = 6, K = 2, alpha = 0.05.

    The first two iterations of its variance table are the folds of the first half, rows 1 to 3, and every further two
    the folds with row 1, 2 or 3 replaced by 4, 5 or 6.
    """

    def view(self):
        every, half = (0.2, 0.5, 0.3, 0.6, 0.1, 0.9), (0.2, 0.5, 0.3)
        replaced = ((0.6, 0.4, 0.35), (0.25, 0.1, 0.3), (0.2, 0.45, 0.9))
        return forms.replaced(
            sum(every) / 6, sum(half) / 3, [sum(row) / 3 for row in replaced], n=6, folds=2
        )

    def test_interval(self):
        result = replace_one(self.view())
        assert result.estimate == pytest.approx(0.433333333333333, abs=1e-12)
        assert (result.low, result.high) == pytest.approx(
            (0.191626514580966, 0.675040152085701), abs=1e-12
        )
        assert result.notes == ()

    def test_variance(self):
        assert 6 * replace_one(self.view()).se ** 2 == pytest.approx(0.09125, abs=1e-12)

    def test_the_published_factor_is_twice_as_large(self):
        assert 6 * replace_one(self.view(), factor=0.5).se ** 2 == pytest.approx(0.1825, abs=1e-12)


class TestAgainstTheFormula:
    @pytest.mark.parametrize(("n", "replaced"), [(4, 2), (40, 20), (41, 20), (300, 100)])
    @pytest.mark.parametrize("factor", [0.25, 0.5])
    def test_loops(self, n, replaced, factor, rng):
        values, folds = rng.normal(0.35, 0.02, replaced), 2
        means = forms.replaced(0.3, 0.35, values, n=n, n_train=0.8 * n, folds=folds)
        result = replace_one(means, factor=factor)
        assert result.se == pytest.approx(plain(values, n, 0.35, factor), rel=1e-12)
        assert (result.df, result.n_train) == (None, pytest.approx(0.8 * n))
        assert result.estimate == pytest.approx(0.3, rel=1e-12)
        assert result.n_splits == folds * (replaced + 2)

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_normal_law(self, alternative, rng):
        result = replace_one(
            forms.replaced(0.3, 0.35, rng.normal(0.35, 0.02, 20), n=40),
            null=0.25,
            level=0.9,
            alternative=alternative,
        )
        law = stats.norm(result.estimate, result.se)
        expected = {
            "two-sided": (*law.interval(0.9), 2 * min(law.cdf(0.25), law.sf(0.25))),
            "less": (-math.inf, law.ppf(0.9), law.sf(0.25)),
            "greater": (law.ppf(0.1), math.inf, law.cdf(0.25)),
        }[alternative]
        assert (result.low, result.high, result.pvalue) == pytest.approx(expected, rel=1e-9)

    def test_a_sample_of_the_replacements_estimates_the_whole_sum(self, rng):
        every = rng.normal(0.35, 0.02, 20)
        whole = replace_one(forms.replaced(0.3, 0.35, every, n=40)).se ** 2
        squares = [
            replace_one(forms.replaced(0.3, 0.35, every[[i, (i + 1) % 20]], n=40)).se ** 2
            for i in range(20)
        ]
        assert np.mean(squares) == pytest.approx(whole, rel=1e-12)

    def test_it_says_how_many_were_replaced(self, rng):
        [note] = replace_one(forms.replaced(0.3, 0.35, rng.random(7), n=41)).notes
        assert (note.code, note.numbers["what"]) == ("left-out", ("13 of 20 examples",))

    @pytest.mark.long
    def test_the_mean_of_independent_losses(self, rng):
        """Where nothing is learnt the mean is that of n losses, and S^2/n must be its variance, sigma^2/n, on average."""
        n, trials = 40, 4_000
        losses = rng.standard_normal((trials, n))
        squares = []
        for row in losses:
            first, second = row[: n // 2], row[n // 2 :]
            mean = first.mean()
            squares.append(
                replace_one(
                    forms.replaced(row.mean(), mean, mean + (second - first) / (n // 2), n=n)
                ).se
                ** 2
            )
        noise = np.std(squares) / math.sqrt(trials)
        assert np.mean(squares) == pytest.approx(1 / n, abs=5.5 * noise)


class TestDegenerateAndHostile:
    @pytest.mark.parametrize(("null", "statistic"), [(0.1, 0.0), (0.4, -math.inf)])
    def test_constant_losses(self, null, statistic):
        result = replace_one(forms.replaced(0.1, 0.1, np.full(10, 0.1), n=20), null=null)
        assert (result.se, result.statistic, result.degenerate) == (0.0, statistic, True)

    def test_means_that_differ_by_rounding_alone(self):
        assert replace_one(forms.replaced(0.3, 0.3, [0.1 + 0.2, 0.3], n=4)).se == 0.0

    @pytest.mark.parametrize("scale", [1e-300, 1e149])
    def test_very_small_and_very_large_numbers(self, scale, rng):
        values = rng.random(5)
        one = replace_one(forms.replaced(0.3, 0.35, values, n=10))
        other = replace_one(forms.replaced(0.3 * scale, 0.35 * scale, scale * values, n=10))
        assert other.se / scale == pytest.approx(one.se, rel=1e-9)
        assert other.statistic == pytest.approx(one.statistic, rel=1e-9)

    @pytest.mark.parametrize("bad", [0.0, -0.25, math.nan, math.inf, "0.25", None, True])
    def test_factor_is_checked(self, bad):
        with refused("factor"):
            replace_one(forms.replaced(0.3, 0.35, [0.1, 0.2], n=10), factor=bad)


numbers = st.floats(-10.0, 10.0).map(lambda x: round(x, 6))


@given(numbers, numbers, st.lists(numbers, min_size=2, max_size=20), st.floats(1e-3, 1e3), numbers)
def test_scale_shift_and_order(estimate, baseline, values, factor, offset):
    one = replace_one(forms.replaced(estimate, baseline, values, n=50), null=0.5)
    moved = forms.replaced(
        factor * estimate + offset,
        factor * baseline + offset,
        [factor * v + offset for v in reversed(values)],
        n=50,
    )
    other = replace_one(moved, null=0.5 * factor + offset)
    size = 10 * factor + abs(offset)
    assert other.estimate == pytest.approx(factor * one.estimate + offset, abs=1e-12 * size)
    assert other.se == pytest.approx(factor * one.se, rel=1e-9, abs=1e-10 * size)


class TestOnRealData:
    @pytest.mark.parametrize(
        ("replacements", "codes"), [(25, ["many-features"]), (6, ["left-out", "many-features"])]
    )
    def test_difference(self, replacements, codes):
        from sklearn.datasets import load_diabetes
        from sklearn.linear_model import LinearRegression, Ridge

        X, y = load_diabetes(return_X_y=True)
        learners = {"ols": LinearRegression(), "ridge": Ridge(1.0)}
        plan = ReplaceOnePlan(folds=3, replacements=replacements)
        table = errbar.run(learners, X[:51], y[:51], plan=plan, random_state=0)
        losses = (table.points[0] - table.points[1]).tolist()
        labels = [
            (table.splits.labels["half"][j], table.splits.labels["replaced"][j])
            for j in table.cells.split
        ]

        def mean(wanted):
            chosen = [loss for loss, found in zip(losses, labels, strict=True) if found == wanted]
            assert len(chosen) == (51 if wanted == (-1, -1) else 25)
            return sum(chosen) / len(chosen)

        replaced = sorted({i for half, i in labels if half == 0 and i >= 0})
        changes = [mean((0, i)) - mean((0, -1)) for i in replaced]
        variance = 51 / 4 * sum(change**2 for change in changes) * 25 / len(changes)
        result = errbar.infer(table, "replace-one", "ols", minus="ridge")
        assert result.estimate == pytest.approx(mean((-1, -1)), rel=1e-10)
        assert result.se == pytest.approx(math.sqrt(variance / 51), rel=1e-9)
        assert result.n_train == pytest.approx(34.0)
        assert [note.code for note in result.notes] == codes

    def test_evaluate_takes_its_default_plan(self):
        from sklearn.datasets import load_breast_cancer
        from sklearn.naive_bayes import GaussianNB

        X, y = load_breast_cancer(return_X_y=True)
        result = errbar.evaluate(GaussianNB(), X, y, method="replace-one", random_state=0)
        assert result.n_fits == 2 * 5 + 100 * 4
        assert result.low < result.estimate < result.high
