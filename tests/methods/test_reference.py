"""Numbers from papers and other programs, and plain loops written from the formulas.

Each block names the program its numbers come from; they were computed there, and are copied here.
"""

import math

import numpy as np
import pytest
from scipy import optimize, stats

import errbar
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
from tests.refusals import refused

# Counts of correct predictions, over the size of each test set.
# fmt: off
RBF = np.array([
    23, 18, 19, 23, 25, 25, 25, 25, 24, 25, 24, 25, 25, 23, 21, 23, 25, 25, 20, 25, 20, 23, 22, 23, 25, 25, 22,
    23, 25, 25, 20, 24, 21, 25, 25, 25, 25, 24, 23, 25, 25, 23, 25, 23, 25, 19, 25, 25, 25, 25, 25, 21, 25, 25,
    25, 18, 23, 25, 25, 25, 23, 23, 25, 25, 20, 22, 25, 23, 24, 25, 24, 23, 21, 23, 25, 25, 25, 22, 23, 23, 25,
    23, 24, 25, 18, 25, 25, 25, 25, 19, 24, 22, 25, 18, 23, 25, 24, 25, 25, 21,
]) / 25
LINEAR = np.array([
    24, 21, 19, 23, 25, 24, 24, 25, 23, 25, 23, 24, 24, 22, 20, 24, 25, 25, 20, 25, 21, 24, 21, 25, 25, 24, 21,
    22, 25, 25, 21, 23, 21, 25, 24, 25, 25, 23, 22, 25, 24, 23, 25, 23, 25, 19, 25, 23, 25, 25, 25, 20, 24, 24,
    25, 17, 24, 23, 25, 25, 23, 23, 25, 20, 21, 22, 24, 23, 24, 25, 24, 22, 20, 21, 25, 24, 25, 23, 23, 23, 24,
    25, 23, 25, 17, 25, 25, 25, 25, 19, 24, 23, 25, 19, 23, 25, 23, 23, 25, 21,
]) / 25
STUMP_A = np.array([
    44, 44, 42, 44, 44, 44, 44, 44, 45, 43, 43, 45, 41, 42, 42, 45, 44, 45, 43, 43, 44, 45, 43, 43, 45, 43, 45,
    44, 42, 43,
]) / 45
STUMP_B = np.array([
    27, 29, 26, 29, 30, 27, 24, 26, 29, 24, 27, 31, 29, 26, 28, 28, 27, 30, 30, 29, 28, 26, 28, 28, 29, 23, 28,
    29, 30, 27,
]) / 45
IRIS = np.array([
    71, 73, 74, 69, 72, 74, 72, 72, 72, 72,
]) / 75
IRIS_TREE = np.array([
    71, 73, 71, 71, 71, 72, 71, 70, 71, 67,
]) / 75
IRIS_STUMP = np.array([
    47, 47, 48, 49, 47, 41, 48, 47, 48, 46,
]) / 75
# fmt: on

LOSSES = np.array([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4])
FOLDS = np.array([1, 1, 1, 2, 2, 2, 3, 3])
TEN = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
QUANTILE = 1e-11
"""Quantiles of t in SciPy 1.15.0 have eleven digits; later ones have twelve."""


class TestMlr3inferr:
    """R package mlr3inferr: ``MeasureCi*$.ci`` on these numbers."""

    def test_corrected_t(self):
        # MeasureCiCorrectedT$new("classif.acc")$.ci with ratio 0.9 of n = 105, so n1 = 94, n2 = 11; alpha = 0.05
        scores = [0.3, 0.25, 0.35, 0.28, 0.4, 0.22, 0.31, 0.27, 0.33, 0.29]
        result = corrected_t(Losses(scores, n_train=94, n_test=11))
        assert result.estimate == pytest.approx(0.3, abs=1e-12)
        assert (result.low, result.high) == pytest.approx(
            (0.245807254354598, 0.354192745645402), abs=QUANTILE
        )

    def test_cv_wald_all_pairs_on_unequal_folds(self):
        # MeasureCiWaldCV with variance = "all-pairs", alpha = 0.05
        result = cv_wald(Losses(LOSSES, fold=FOLDS))
        assert (result.low, result.high) == pytest.approx(
            (0.179770713681132, 0.570229286318868), abs=1e-12
        )

    def test_standard_error_of_a_holdout(self):
        # MeasureCiHoldout refers the same standard error to the normal law, so only that can be compared.
        low, high = 0.166291113922972, 0.583708886077028
        result = holdout_t(Losses(LOSSES))
        assert result.se == pytest.approx((high - low) / 2 / stats.norm.ppf(0.975), abs=1e-12)
        assert result.estimate == pytest.approx(0.375, abs=1e-15)

    def test_fifty_flawless_predictions_have_an_interval_without_width(self):
        result = holdout_t(Losses(np.zeros(50)))
        assert (result.low, result.high) == (0.0, 0.0)
        assert "no-variation" in {note.code for note in result.notes}


class TestInferGE:
    """R package inferGE: ``infer_52cv.loss_table``."""

    FOLD_MEANS = np.array([0.3, 0.34, 0.25, 0.31, 0.33, 0.27, 0.29, 0.36, 0.31, 0.3]).reshape(5, 2)
    LOW, HIGH = 0.204507123073443, 0.395492876926557

    def test_five_by_two_interval(self):
        result = five_by_two_t(forms.ten_scores(self.FOLD_MEANS))
        assert (result.low, result.high) == pytest.approx((self.LOW, self.HIGH), abs=1e-12)

    def test_five_by_two_standard_error(self):
        half = (self.HIGH - self.LOW) / 2
        assert five_by_two_t(forms.ten_scores(self.FOLD_MEANS)).se == pytest.approx(
            half / stats.t.ppf(0.975, 5), abs=1e-12
        )


class TestCorrectR:
    """R package correctR: ``resampled_ttest(x, y, n = 10, n1 = 90, n2 = 10)``."""

    X = np.array([0.81, 0.79, 0.84, 0.8, 0.78, 0.83, 0.82, 0.8, 0.79, 0.85])
    Y = np.array([0.79, 0.8, 0.8, 0.78, 0.77, 0.8, 0.81, 0.79, 0.78, 0.81])

    @pytest.mark.parametrize(
        ("alternative", "pvalue"),
        [
            ("two-sided", 0.0322998739898602),
            ("greater", 0.0161499369949301),
            ("less", 1 - 0.0161499369949301),
        ],
    )
    def test_resampled_ttest(self, alternative, pvalue):
        result = corrected_t(
            Losses(self.X - self.Y, n_train=90, n_test=10), alternative=alternative
        )
        assert result.statistic == pytest.approx(2.52878169127057, abs=1e-11)
        assert result.pvalue == pytest.approx(pvalue, abs=1e-12)


class TestScikitLearnGallery:
    """scikit-learn, examples/model_selection/plot_grid_search_stats.py: 10 x 10-fold, rbf against linear kernel."""

    @pytest.fixture
    def view(self):
        return Losses(RBF - LINEAR, n_train=90, n_test=10)

    def test_corrected_t_and_p_as_printed_there(self, view):
        # compute_corrected_ttest(differences, df=99, n_train=90, n_test=10) prints 0.750 and 0.227
        result = corrected_t(view, alternative="greater")
        assert result.statistic == pytest.approx(0.750, abs=5e-4)
        assert result.pvalue == pytest.approx(0.227, abs=5e-4)

    def test_corrected_t_to_all_digits(self, view):
        result = corrected_t(view)
        assert result.statistic == pytest.approx(0.7503126954482318, abs=1e-12)
        assert result.pvalue == pytest.approx(0.454845942026733, abs=1e-12)
        assert (result.low, result.high) == pytest.approx(
            (-0.016445200296138635, 0.03644520029613861), abs=QUANTILE
        )

    @pytest.mark.parametrize(
        ("level", "low", "high"),
        [
            (0.5, 0.0009774152876124223, 0.01902258471238755),
            (0.75, -0.005422087500795406, 0.02542208750079538),
        ],
    )
    def test_credible_intervals_of_the_same_law(self, view, level, low, high):
        result = corrected_t(view, level=level)
        assert (result.low, result.high) == pytest.approx((low, high), abs=1e-12)

    def test_naive_t(self, view):
        # The uncorrected p-value printed there is 0.005, the statistic 2.611
        result = resampled_t(view, alternative="greater")
        assert result.statistic == pytest.approx(2.6111648393354643, abs=1e-11)
        assert result.pvalue == pytest.approx(0.005213013150393235, abs=1e-12)


class TestMlxtend:
    """mlxtend 0.25: paired_ttest_resampled, paired_ttest_5x2cv and combined_ftest_5x2cv, from its own tests."""

    def test_naive_resampled_t(self):
        # paired_ttest_resampled(estimator1, estimator2, X, y, num_rounds=30, random_seed=1): t = 42.464
        result = resampled_t(Losses(STUMP_A - STUMP_B))
        assert result.statistic == pytest.approx(42.464, abs=5e-4)
        assert result.statistic == pytest.approx(42.46359582468541, rel=1e-11)
        assert result.pvalue == pytest.approx(1.1535848290081918e-27, rel=1e-6)

    def test_the_same_numbers_corrected(self):
        result = corrected_t(Losses(STUMP_A - STUMP_B, n_train=105, n_test=45))
        assert result.statistic == pytest.approx(11.407222704057087, rel=1e-11)
        assert result.pvalue == pytest.approx(3.0703629063269473e-12, rel=1e-6)
        assert (result.low, result.high) == pytest.approx(
            (0.28937538007071284, 0.41580980511447263), abs=1e-12
        )
        assert result.df == 29

    @pytest.mark.parametrize(
        ("other", "t", "p_t", "f", "p_f"),
        [
            (IRIS_TREE, 0.0, 1.0, 1.1395348837209296, 0.4704629478124442),
            (
                IRIS_STUMP,
                7.269390393784586,
                0.0007701198372066765,
                59.587155963302656,
                0.00014469995171312574,
            ),
        ],
        ids=["tree", "stump"],
    )
    def test_five_by_two(self, other, t, p_t, f, p_f):
        view = forms.ten_scores((IRIS - other).reshape(5, 2))
        one, both = five_by_two_t(view), five_by_two_f(view)
        assert (one.statistic, one.pvalue, one.df) == (
            pytest.approx(t, rel=1e-10),
            pytest.approx(p_t, rel=1e-8),
            5,
        )
        assert (both.statistic, both.pvalue) == (
            pytest.approx(f, rel=1e-10),
            pytest.approx(p_f, rel=1e-8),
        )
        assert both.df == (10.0, 5.0)


class TestNadeauBengio:
    """The formula as Weka's PairedStatsCorrected, julearn, hidimstat and correctR have it, evaluated apart from us."""

    @pytest.mark.parametrize(
        ("n_train", "n_test", "t", "p", "low", "high"),
        [
            (
                90,
                10,
                2.2770423280802516,
                0.04879793444448794,
                9.805591950455377e-05,
                0.029901944080495443,
            ),
            (
                70,
                30,
                1.4390464337269335,
                0.18399307837358492,
                -0.008579751595709742,
                0.03857975159570974,
            ),
        ],
    )
    def test_ratio(self, n_train, n_test, t, p, low, high):
        result = corrected_t(Losses(TEN, n_train=n_train, n_test=n_test))
        assert (result.statistic, result.pvalue) == pytest.approx((t, p), abs=1e-12)
        assert (result.low, result.high) == pytest.approx((low, high), abs=1e-12)
        assert result.df == 9

    def test_without_correction(self):
        result = resampled_t(Losses(TEN))
        assert (result.statistic, result.pvalue) == pytest.approx(
            (3.3084657994221343, 0.009106153759546409), abs=1e-12
        )
        assert (result.low, result.high) == pytest.approx(
            (0.0047437786880251895, 0.02525622131197481), abs=1e-12
        )

    @pytest.mark.parametrize(
        ("correlation", "t", "p"),
        [
            (0.0, 3.3084657994221343, 0.009106153759546409),
            (0.1, 2.277042328080251, 0.04879793444448794),
            (0.5, 0.9975399716733133, 0.3445651191925202),
        ],
    )
    def test_correlation_option(self, correlation, t, p):
        # Corani & Benavoli's correlated t with rho = correlation, which is baycomp's algebra
        result = corrected_t(Losses(TEN), correlation=correlation)
        assert (result.statistic, result.pvalue) == pytest.approx((t, p), abs=1e-12)

    def test_vanishing_test_sets_give_students_t(self):
        result = corrected_t(Losses(TEN, n_train=1e12, n_test=1))
        assert result.pvalue == pytest.approx(stats.ttest_1samp(TEN, 0.0).pvalue, rel=1e-8)

    def test_the_misplaced_square_root_is_not_repeated(self):
        # The port most found for the corrected t divides by sqrt(variance * 1/J) + ...: 5.50 where 2.53 is right.
        view = Losses(TestCorrectR.X - TestCorrectR.Y, n_train=90, n_test=10)
        assert corrected_t(view).statistic == pytest.approx(2.53, abs=0.005)


def loop_mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def loop_variance(values):
    centre = loop_mean(values)
    total = 0.0
    for value in values:
        total += (value - centre) ** 2
    return total / (len(values) - 1)


@pytest.fixture
def unequal(rng):
    """Split scores whose sizes all differ."""
    count = 7
    return Losses(
        rng.normal(0.3, 0.1, count),
        n_train=rng.integers(50, 90, count),
        n_test=rng.integers(5, 30, count),
    )


class TestPlainLoops:
    def test_corrected_t_with_unequal_splits(self, unequal):
        count = len(unequal.value)
        ratio = loop_mean(
            [
                test / train
                for test, train in zip(
                    unequal.index["n_test"], unequal.index["n_train"], strict=True
                )
            ]
        )
        se = math.sqrt(loop_variance(unequal.value) * (1 / count + ratio))
        result = corrected_t(unequal, null=0.25, alternative="greater", level=0.9)
        assert result.se == pytest.approx(se, rel=1e-12)
        assert result.statistic == pytest.approx((loop_mean(unequal.value) - 0.25) / se, rel=1e-10)
        assert result.pvalue == pytest.approx(stats.t.sf(result.statistic, count - 1), rel=1e-10)
        assert result.low == pytest.approx(
            loop_mean(unequal.value) - stats.t.ppf(0.9, count - 1) * se, rel=1e-10
        )
        assert result.n_train == pytest.approx(loop_mean(unequal.index["n_train"]))

    def test_resampled_t(self, unequal):
        se = math.sqrt(loop_variance(unequal.value) / len(unequal.value))
        assert resampled_t(unequal).se == pytest.approx(se, rel=1e-12)

    @pytest.mark.parametrize("rho", [0.0, 0.3, 0.7])
    def test_kfold_t(self, unequal, rho):
        folds = len(unequal.value)
        centre = loop_mean(unequal.value)
        theta3 = sum((value - centre) ** 2 for value in unequal.value) / (folds * (folds - 1))
        t = math.sqrt(1 - rho) * (centre - 0.2) / math.sqrt(theta3)
        result = kfold_t(unequal, rho=rho, null=0.2)
        assert result.statistic == pytest.approx(t, rel=1e-10)
        assert result.pvalue == pytest.approx(2 * stats.t.sf(abs(t), folds - 1), rel=1e-10)
        reach = stats.t.ppf(0.975, folds - 1) * math.sqrt(theta3 / (1 - rho))
        assert (result.low, result.high) == pytest.approx(
            (centre - reach, centre + reach), rel=1e-10
        )

    def test_holdout_t(self, rng):
        losses = rng.gamma(1.0, size=23)
        se = math.sqrt(loop_variance(losses)) / math.sqrt(23)
        result = holdout_t(Losses(losses), null=1.0, alternative="less")
        assert result.se == pytest.approx(se, rel=1e-12)
        assert result.pvalue == pytest.approx(
            stats.t.cdf((loop_mean(losses) - 1.0) / se, 22), rel=1e-10
        )
        assert result.df == 22

    def test_cv_wald_on_unequal_folds(self, rng):
        sizes = [9, 4, 6, 2]
        fold = rng.permutation(np.repeat(np.arange(4), sizes))
        losses = rng.gamma(1.0, size=21) + fold
        pooled = loop_mean([(value - loop_mean(losses)) ** 2 for value in losses])
        within = loop_mean(
            [
                loop_variance([x for x, f in zip(losses, fold, strict=True) if f == k])
                for k in range(4)
            ]
        )
        for variance, sigma2 in (("all-pairs", pooled), ("within-fold", within)):
            result = cv_wald(Losses(losses, fold=fold), variance=variance, null=2.0)
            assert result.estimate == pytest.approx(loop_mean(losses), rel=1e-12)
            assert result.se == pytest.approx(math.sqrt(sigma2 / 21), rel=1e-12)
            assert result.pvalue == pytest.approx(
                2 * stats.norm.sf(abs(result.estimate - 2.0) / result.se), rel=1e-10
            )
            assert result.df is None

    def test_five_by_two(self, rng):
        p = rng.normal(0.1, 0.05, (5, 2))
        squares = []
        for first, second in p:
            middle = (first + second) / 2
            squares.append((first - middle) ** 2 + (second - middle) ** 2)
        t = (p[0, 0] - 0.05) / math.sqrt(loop_mean(squares))
        f = sum((value - 0.05) ** 2 for row in p for value in row) / (2 * sum(squares))
        one, both = (
            five_by_two_t(forms.ten_scores(p), null=0.05),
            five_by_two_f(forms.ten_scores(p), null=0.05),
        )
        assert one.statistic == pytest.approx(t, rel=1e-10)
        assert one.pvalue == pytest.approx(2 * stats.t.sf(abs(t), 5), rel=1e-10)
        assert both.statistic == pytest.approx(f, rel=1e-10)
        assert both.pvalue == pytest.approx(stats.f.sf(f, 10, 5), rel=1e-10)

    def test_the_f_interval_ends_where_the_test_turns(self, rng):
        gaps = rng.uniform(0.1, 0.3, (5, 1))
        view = forms.ten_scores(rng.normal(0.1, 0.02, (5, 1)) + gaps * [[1.0, -1.0]])
        result = five_by_two_f(view, level=0.9)

        def surplus(null):
            return five_by_two_f(view, null=null).pvalue - 0.1

        low = optimize.brentq(surplus, result.estimate - 10, result.estimate, xtol=1e-14)
        high = optimize.brentq(surplus, result.estimate, result.estimate + 10, xtol=1e-14)
        assert (result.low, result.high) == pytest.approx((low, high), abs=1e-10)

    def test_f_that_rejects_every_value_says_so(self):
        p = np.arange(5.0)[:, np.newaxis] + [[0.0, 0.01]]
        result = five_by_two_f(forms.ten_scores(p))
        assert result.low == result.estimate == result.high
        assert five_by_two_f(forms.ten_scores(p), null=result.estimate).pvalue < 0.05
        assert "interval" in [note.numbers.get("quantity") for note in result.notes]


class TestRhoThreshold:
    def test_formula(self):
        t0 = 3.3084657994221343
        assert rho_threshold(Losses(TEN)) == pytest.approx(
            1 - (stats.t.ppf(0.975, 9) / t0) ** 2, abs=1e-12
        )

    def test_the_p_value_at_the_threshold_is_the_error_level(self):
        view = Losses(TEN)
        assert kfold_t(view, rho=rho_threshold(view, level=0.9)).pvalue == pytest.approx(
            0.1, abs=1e-12
        )

    def test_it_is_negative_where_even_zero_correlation_does_not_reject(self):
        view = Losses([0.1, -0.2, 0.3, 0.0])
        assert kfold_t(view).pvalue > 0.05
        assert rho_threshold(view) < 0.0

    def test_it_is_minus_infinity_at_a_statistic_of_zero(self):
        assert rho_threshold(Losses([-1.0, 1.0])) == -math.inf

    def test_it_is_finite_or_minus_infinity_near_zero(self):
        assert rho_threshold(Losses([1.0, -1.0, 1e-170])) <= -1e200

    def test_it_is_one_where_scores_do_not_vary(self):
        assert rho_threshold(Losses([0.5, 0.5, 0.5])) == 1.0

    def test_repeated_cross_validation_is_refused(self):
        with pytest.raises(errbar.UnsuitablePlanError):
            rho_threshold(Losses(TEN, repeat=[0] * 5 + [1] * 5, fold=[*range(5)] * 2))


class TestRefusals:
    def test_within_fold_variance_needs_two_examples_a_fold(self):
        with refused("fold"):
            cv_wald(Losses([1, 2, 3], fold=[0, 1, 2]), variance="within-fold")

    def test_leave_one_out_with_all_pairs_is_the_plain_variance(self):
        result = cv_wald(Losses(LOSSES, fold=np.arange(8)))
        assert result.se == pytest.approx(LOSSES.std() / math.sqrt(8), rel=1e-12)

    def test_cv_wald_refuses_repeats(self):
        with pytest.raises(errbar.UnsuitablePlanError):
            cv_wald(Losses([1, 2, 3, 4], fold=[0, 1, 0, 1], repeat=[0, 0, 1, 1]))

    def test_holdout_t_refuses_folds(self):
        with pytest.raises(errbar.UnsuitablePlanError):
            holdout_t(Losses(LOSSES, fold=FOLDS))

    def test_corrected_t_needs_sizes(self):
        with refused("n_train"):
            corrected_t(Losses(TEN))

    def test_corrected_t_with_a_stated_correlation_needs_none(self):
        assert corrected_t(Losses(TEN), correlation=0.1).se > 0

    def test_f_has_no_direction(self):
        with refused("alternative"):
            five_by_two_f(forms.ten_scores(np.eye(5)[:, :2]), alternative="less")


class TestNotes:
    @pytest.mark.parametrize(
        ("kind", "codes"),
        [
            ("subsampling", set()),
            ("kfold", {"heuristic"}),
            ("5x2", {"heuristic"}),
            ("other", {"heuristic"}),
        ],
    )
    def test_corrected_t_says_where_it_is_a_heuristic(self, kind, codes):
        result = corrected_t(Losses(TEN, n_train=90, n_test=10, kind=kind))
        assert {note.code for note in result.notes} == codes

    def test_kfold_t_warns_of_rho_zero_only(self):
        assert [note.code for note in kfold_t(Losses(TEN)).notes] == ["liberal"]
        assert [note.code for note in kfold_t(Losses(TEN), rho=-0.1).notes] == ["liberal"]
        assert kfold_t(Losses(TEN), rho=0.1).notes == ()
