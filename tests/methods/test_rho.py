"""The correlation between blocks: its arithmetic, what hangs on it, and its estimate from random halves."""

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

import errbar
from errbar import InvalidInputError, Losses, UnsuitablePlanError
from errbar.methods import (
    corrected_t,
    correlation_from_rho,
    halved_kfold_t,
    kfold_t,
    rho_from_correlation,
    rho_sensitivity,
    rho_threshold,
)
from errbar.plans import HalvedKFold
from tests import forms
from tests.refusals import refused


def rho_from_halves(losses):
    [rho] = [note.numbers["rho"] for note in halved_kfold_t(losses).notes if "rho" in note.numbers]
    return rho


TEN = [0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01]
numbers = st.floats(-10.0, 10.0).map(lambda x: round(x, 6))
fold_scores = st.lists(numbers, min_size=2, max_size=20).map(np.array)


class TestArithmetic:
    @pytest.mark.parametrize(
        ("r", "folds", "rho"),
        [(0.0, 10, 0.0), (1.0, 10, 1.0), (0.1, 10, 1 / 1.9), (0.5, 2, 2 / 3), (0.2, 5, 1 / 1.8)],
    )
    def test_known_values(self, r, folds, rho):
        assert rho_from_correlation(r, folds) == pytest.approx(rho, rel=1e-15)
        assert correlation_from_rho(rho, folds) == pytest.approx(r, rel=1e-14, abs=1e-16)

    def test_the_conservative_value_is_less_than_a_fifth_of_a_correlation(self):
        assert correlation_from_rho(0.7, 10) == pytest.approx(0.7 / 3.7, rel=1e-15)

    @given(st.floats(0.0, 1.0), st.integers(2, 500))
    def test_one_undoes_the_other(self, value, folds):
        assert correlation_from_rho(rho_from_correlation(value, folds), folds) == pytest.approx(
            value, rel=1e-9, abs=1e-15
        )
        assert rho_from_correlation(correlation_from_rho(value, folds), folds) == pytest.approx(
            value, rel=1e-9, abs=1e-15
        )

    def test_from_the_covariances_themselves(self):
        """gamma over the variance of the mean, and gamma over that of a fold score, for K exchangeable scores."""
        folds, variance, gamma = 8, 1.7, 0.6
        covariance = np.full((folds, folds), gamma) + (variance - gamma) * np.eye(folds)
        theta = covariance.mean()
        assert rho_from_correlation(gamma / variance, folds) == pytest.approx(
            gamma / theta, rel=1e-14
        )

    @given(st.floats(0.0, 0.99), fold_scores, numbers)
    def test_kfold_t_and_corrected_t_agree_where_rho_and_r_do(self, rho, values, null):
        assume(np.ptp(values) > 1e-3)
        r = correlation_from_rho(rho, values.size)
        one = kfold_t(Losses(values), rho=rho, null=null)
        other = corrected_t(Losses(values), correlation=r, null=null)
        assert (one.se, one.pvalue) == pytest.approx((other.se, other.pvalue), rel=1e-9)

    @pytest.mark.parametrize("function", [rho_from_correlation, correlation_from_rho])
    @pytest.mark.parametrize(
        ("value", "folds"),
        [
            (-0.1, 10),
            (1.1, 10),
            (math.nan, 10),
            ("0.5", 10),
            (True, 10),
            (0.5, 1),
            (0.5, 2.5),
            (0.5, None),
        ],
    )
    def test_arguments_are_checked(self, function, value, folds):
        with pytest.raises(InvalidInputError):
            function(value, folds)


class TestThreshold:
    @pytest.mark.parametrize("alternative", ["less", "greater"])
    def test_one_sided(self, alternative):
        view = Losses(np.array(TEN) * (1 if alternative == "greater" else -1))
        threshold = rho_threshold(view, alternative=alternative)
        t0 = stats.ttest_1samp(TEN, 0.0).statistic
        assert threshold == pytest.approx(1 - (stats.t.ppf(0.95, 9) / t0) ** 2, rel=1e-10)
        assert kfold_t(view, rho=threshold, alternative=alternative).pvalue == pytest.approx(
            0.05, rel=1e-9
        )

    def test_the_wrong_side_is_never_significant(self):
        assert rho_threshold(Losses(TEN), alternative="less") == -math.inf

    @pytest.mark.parametrize(("null", "expected"), [(0.1, -math.inf), (0.0, 1.0)])
    def test_constant_scores(self, null, expected):
        assert rho_threshold(Losses(np.full(10, 0.1)), null=null) == expected

    def test_one_sided_levels_below_one_half_have_no_threshold(self):
        assert rho_threshold(Losses(TEN), level=0.4) < 1
        with refused("level"):
            rho_threshold(Losses(TEN), level=0.4, alternative="less")

    @given(
        fold_scores,
        st.floats(0.5, 0.99),
        st.sampled_from(["less", "greater"]),
        st.floats(1e-4, 0.2),
    )
    def test_one_sided_tests_reject_exactly_below_it(self, values, level, alternative, step):
        assume(np.ptp(values) > 1e-3)
        view = Losses(values)
        threshold = rho_threshold(view, level=level, null=0.2, alternative=alternative)
        for rho in (threshold - step, threshold + step):
            if 0.0 <= rho < 1.0:
                p = kfold_t(view, level=level, null=0.2, rho=rho, alternative=alternative).pvalue
                assert (p < 1.0 - level) == (rho < threshold)


def plain_rho(halves):
    """rho from half samples, number by number."""
    theta3, squares = [], 0.0
    for pair in halves:
        means = []
        for fold_means in pair:
            count = len(fold_means)
            mean = sum(fold_means) / count
            theta3.append(sum((x - mean) ** 2 for x in fold_means) / (count * (count - 1)))
            means.append(mean)
        squares += (means[0] - means[1]) ** 2
    return 1.0 - sum(theta3) / len(theta3) / (squares / (2 * len(halves)))


def correlated(rng, halvings, folds, correlation):
    shared = rng.standard_normal((halvings, 2, 1))
    own = rng.standard_normal((halvings, 2, folds))
    return 0.3 + math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own


class TestSensitivity:
    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_every_row_is_the_kfold_t(self, alternative):
        view = Losses(TEN, n_train=90, n_test=10)
        found = rho_sensitivity(view, level=0.9, null=0.002, alternative=alternative)
        assert (np.diff(found.rho) > 0).all()
        assert {0.0, 0.5, 0.7, 0.99} <= set(found.rho.tolist())
        for i in (0, 7, len(found.rho) - 1):
            result = kfold_t(
                view, level=0.9, null=0.002, alternative=alternative, rho=float(found.rho[i])
            )
            assert (found.pvalue[i], found.low[i], found.high[i]) == (
                result.pvalue,
                result.low,
                result.high,
            )
        assert (found.folds, found.level, found.null, found.alternative) == (
            10,
            0.9,
            0.002,
            alternative,
        )
        assert found.estimate == pytest.approx(0.015, rel=1e-12)

    def test_against_scipy(self):
        found = rho_sensitivity(Losses(TEN))
        known = stats.ttest_1samp(TEN, 0.0)
        assert found.pvalue[0] == pytest.approx(known.pvalue, rel=1e-10)
        for rho, p in zip(found.rho, found.pvalue, strict=True):
            assert p == pytest.approx(
                2 * stats.t.sf(math.sqrt(1 - rho) * known.statistic, 9), rel=1e-9
            )

    @pytest.mark.parametrize(
        "sizes", [(90, 10), (180, 20), (None, None), (70, 30), (90, [9, 11] * 5)]
    )
    def test_at_the_nadeau_bengio_mark_it_is_the_corrected_t(self, sizes):
        view = Losses(TEN, **dict(zip(("n_train", "n_test"), sizes, strict=True)))
        found = rho_sensitivity(view)
        at = found.rho.tolist().index(found.marks["Nadeau-Bengio"])
        expected = corrected_t(view, correlation=0.1) if sizes[0] is None else corrected_t(view)
        assert found.pvalue[at] == pytest.approx(expected.pvalue, rel=1e-9)
        assert (found.low[at], found.high[at]) == pytest.approx(
            (expected.low, expected.high), rel=1e-9
        )

    def test_for_equal_folds_the_mark_depends_on_their_number_only(self):
        # r = 1/K, so rho = K/(2K - 1)
        assert rho_sensitivity(Losses(TEN)).marks["Nadeau-Bengio"] == pytest.approx(
            10 / 19, rel=1e-14
        )
        assert rho_sensitivity(Losses(TEN, n_train=90, n_test=10)).marks[
            "Nadeau-Bengio"
        ] == pytest.approx(10 / 19, rel=1e-14)
        assert rho_sensitivity(Losses(TEN[:5], n_train=80, n_test=20)).marks[
            "Nadeau-Bengio"
        ] == pytest.approx(5 / 9, rel=1e-14)

    def test_at_the_threshold_the_test_is_on_the_edge(self):
        found = rho_sensitivity(Losses(TEN), level=0.95)
        at = found.rho.tolist().index(found.marks["threshold"])
        assert found.rho[at] == found.threshold == rho_threshold(Losses(TEN))
        assert found.pvalue[at] == pytest.approx(0.05, rel=1e-9)
        assert found.low[at] == pytest.approx(0.0, abs=1e-16)

    def test_a_threshold_next_to_one(self):
        """A huge statistic: the threshold lies beyond the grid and is added to it."""
        found = rho_sensitivity(Losses([1.0, 1.0001, 0.9999, 1.0]))
        assert 0.99 < found.threshold < 1.0
        assert found.rho[-1] == found.threshold
        assert found.pvalue[-1] == pytest.approx(0.05, rel=1e-6)

    def test_values_of_your_own(self):
        found = rho_sensitivity(Losses(TEN), rhos=[0.4, 0.2, 0.2])
        assert found.rho == pytest.approx([0.0, 0.2, 0.4, 10 / 19, found.threshold, 0.7], rel=1e-14)

    @pytest.mark.parametrize("bad", [[1.0], [-1 / 9], [math.nan], ["x"], [[0.1]], []])
    def test_values_of_your_own_are_checked(self, bad):
        with pytest.raises(InvalidInputError):
            rho_sensitivity(Losses(TEN), rhos=bad)

    def test_negative_correlations_are_taken(self):
        found = rho_sensitivity(Losses(TEN), rhos=[-0.1])
        assert found.rho[0] == -0.1
        assert found.low[0] > found.low[1]

    def test_repeated_cross_validation_is_refused(self):
        with pytest.raises(UnsuitablePlanError):
            rho_sensitivity(Losses(TEN, repeat=[0] * 5 + [1] * 5, fold=[*range(5)] * 2))

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    @pytest.mark.parametrize("scores", [TEN, [0.1] * 4, [1.0, -1.0]])
    def test_json(self, scores, alternative):
        data = rho_sensitivity(Losses(scores), alternative=alternative).to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert len(data["rho"]) == len(data["pvalue"]) == len(data["low"]) == len(data["high"])
        assert (set(data["low"]) == {None}) == (alternative == "less")


class TestFromHalves:
    @pytest.mark.parametrize(("halvings", "folds"), [(1, 2), (4, 5), (30, 10)])
    def test_against_loops(self, halvings, folds, rng):
        halves = correlated(rng, halvings, folds, 0.5)
        expected = plain_rho(halves.tolist())
        found = rho_from_halves(forms.halves(np.zeros(folds), halves))
        assert found == pytest.approx(min(max(expected, 0.0), 0.99), rel=1e-11)

    @pytest.mark.parametrize("correlation", [0.1, 0.5])
    def test_it_finds_the_rho_of_a_large_simulation(self, correlation, rng):
        halves = correlated(rng, 4_000, 10, correlation)
        expected = rho_from_correlation(correlation, 10)
        # the ratio of two variances, one of them with 4000 degrees of freedom
        assert rho_from_halves(forms.halves(np.zeros(10), halves)) == pytest.approx(
            expected, abs=6 * (1 - expected) * math.sqrt(2 / 4_000)
        )

    def test_negative_estimates_are_zero(self):
        halves = [[[0.0, 1.0], [1.0, 0.1]]]
        assert plain_rho(halves) < 0
        assert rho_from_halves(forms.halves([0.0, 1.0], halves)) == 0.0

    @pytest.mark.parametrize(
        ("halves", "rho"),
        [
            ([[[0.0, 1.0], [1.0, 0.0]]], 0.0),  # equal means: minus infinity
            ([[[0.2, 0.2], [0.1, 0.1]]], 0.99),  # no variation within: one
            ([[[0.1, 0.1], [0.1, 0.1]]], 0.99),  # no variation at all: unknown
        ],
    )
    def test_ends(self, halves, rho):
        assert rho_from_halves(forms.halves([0.2, 0.3], halves)) == rho

    @pytest.mark.parametrize("scale", [1e-300, 1e149])
    def test_scale(self, scale, rng):
        halves = correlated(rng, 5, 4, 0.5)
        view, scaled = (forms.halves(np.zeros(4), factor * halves) for factor in (1.0, scale))
        assert rho_from_halves(scaled) == pytest.approx(rho_from_halves(view), rel=1e-10)


class TestHalvedKFoldT:
    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_it_is_the_kfold_t_at_the_estimated_rho(self, alternative, rng):
        values, halves = rng.normal(0.1, 0.2, 10), correlated(rng, 10, 10, 0.1)
        view = forms.halves(values, halves, 90, 10, half_train=45)
        one = halved_kfold_t(view, null=0.05, level=0.9, alternative=alternative)
        other = kfold_t(
            Losses(values, n_train=90, n_test=10),
            null=0.05,
            level=0.9,
            alternative=alternative,
            rho=rho_from_halves(view),
        )
        for name in ("estimate", "se", "statistic", "pvalue", "low", "high", "df", "n_train"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-13)
        assert one.n_splits == 10 + 2 * 10 * 10

    def test_it_says_the_rho(self, rng):
        view = forms.halves(rng.random(5), correlated(rng, 50, 5, 0.5))
        [note] = halved_kfold_t(view).notes
        rho = rho_from_halves(view)
        assert (note.code, note.numbers) == (
            "rho-estimated",
            {"rho": rho, "halvings": 50, "found": rho},
        )

    @pytest.mark.parametrize(
        ("halves", "found"),
        [
            ([[[0.0, 1.0], [1.0, 0.1]]], pytest.approx(-180.0, abs=0.6)),
            ([[[0.2, 0.2], [0.1, 0.1]]], 1.0),
            ([[[0.0, 1.0], [1.0, 0.0]]], "no estimate"),
            ([[[0.1, 0.1], [0.1, 0.1]]], "no estimate"),
        ],
    )
    def test_it_says_what_rho_was_before_it_was_truncated(self, halves, found):
        [note] = halved_kfold_t(forms.halves([0.2, 0.3], halves)).notes
        assert (note.code, note.numbers["found"]) == ("rho-estimated", found)
        assert 0.0 <= note.numbers["rho"] < 1.0

    @pytest.mark.parametrize(("null", "statistic"), [(0.1, 0.0), (0.0, math.inf)])
    def test_constant_scores(self, null, statistic):
        result = halved_kfold_t(forms.halves(np.full(5, 0.1), np.full((3, 2, 5), 0.1)), null=null)
        assert (result.se, result.statistic, result.degenerate) == (0.0, statistic, True)

    def test_every_half_needs_as_many_folds(self, rng):
        with pytest.raises(InvalidInputError):
            halved_kfold_t(forms.halves(rng.random(10), rng.random((3, 2, 5))))

    def test_on_real_data(self):
        from sklearn.datasets import load_breast_cancer
        from sklearn.naive_bayes import GaussianNB

        X, y = load_breast_cancer(return_X_y=True)
        plan = HalvedKFold(folds=4, halvings=3)
        table = errbar.run({"nb": GaussianNB()}, X[:151], y[:151], plan=plan, random_state=0)
        labels, scores = table.splits.labels, table.scores[0].tolist()
        rows = list(
            zip(
                scores,
                *(labels[name].tolist() for name in ("halving", "half", "fold")),
                strict=True,
            )
        )
        whole = [score for score, halving, _, _ in rows if halving < 0]
        halves = [
            [[s for s, h, side, _ in rows if (h, side) == (m, two)] for two in (0, 1)]
            for m in range(3)
        ]
        mean = sum(whole) / 4
        theta3 = sum((score - mean) ** 2 for score in whole) / 12
        rho = min(max(plain_rho(halves), 0.0), 0.99)

        result = errbar.infer(table, "halved-kfold-t")
        assert result.estimate == pytest.approx(mean, rel=1e-13)
        assert result.se == pytest.approx(math.sqrt(theta3 / (1 - rho)), rel=1e-10)
        assert result.n_train == pytest.approx(151 * 3 / 4)
