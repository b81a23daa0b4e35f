"""The bootstrap of losses and of the area under the ROC curve: published numbers, SciPy, all resamples of few values."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeRegressor

import errbar
from errbar import InvalidInputError, Losses, RankScores, UnsuitablePlanError
from errbar.methods import bootstrap, bootstrap_auc
from errbar.plans import Holdout, KFold
from tests.refusals import refused

KINDS = ("percentile", "basic", "bca", "normal")

# Efron & Tibshirani (1993), table 2.1: survival of treated mice, in days.
MICE = np.array([94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0])
# mlxtend, test_bootstrap.py::test_defaults: mean 5.03, standard error 0.11, percentile interval (4.80, 5.26).
NORMAL = np.array(
    [
        3.9144,
        5.9973,
        5.2830,
        3.4937,
        4.4214,
        6.6514,
        2.5733,
        4.5711,
        6.2659,
        4.1333,
        4.3211,
        4.9053,
        6.4914,
        4.3611,
        4.5560,
        4.5656,
        7.2059,
        7.1868,
        6.0041,
        5.3862,
        5.7374,
        6.4907,
        4.0642,
        6.1758,
        3.7461,
        4.3622,
        5.9071,
        3.5713,
        4.8599,
        4.1382,
        4.7444,
        2.2014,
        3.2285,
        4.3001,
        5.9275,
        4.8264,
        5.0028,
        5.6882,
        4.1205,
        5.2836,
        4.1946,
        3.2723,
        4.6091,
        5.5738,
        5.3386,
        4.9882,
        7.3924,
        5.4129,
        5.9787,
        7.2381,
        3.7059,
        3.9612,
        6.7437,
        4.2019,
        5.0297,
        6.0693,
        5.8907,
        6.7549,
        6.4956,
        6.0694,
        4.2273,
        5.7949,
        5.3143,
        3.6737,
        6.4173,
        5.8072,
        5.0455,
        4.7669,
        3.8017,
        5.1995,
        5.4684,
        4.1688,
        6.1622,
        3.9028,
        2.8769,
        6.0397,
        4.5966,
        4.8740,
        4.1625,
        3.3940,
        6.2552,
        4.3111,
        6.6610,
        5.8073,
        4.6852,
        3.9141,
        4.2675,
        3.7875,
        7.0871,
        5.1644,
        6.1502,
        3.7326,
        5.1810,
        6.1779,
        4.6650,
        6.0311,
        3.9154,
        3.6365,
        5.3794,
        4.6208,
    ]
)
# MLstatkit, DeLong on 60 examples: areas 0.7262443438914026 and 0.7833710407239818.
TRUTH = np.array(
    [
        1,
        1,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
        0,
        1,
        1,
        0,
        0,
        1,
        1,
        0,
        1,
        1,
        1,
        0,
        0,
        1,
        0,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        1,
        1,
        1,
        0,
        1,
        1,
        0,
        0,
        1,
        1,
        1,
        0,
        1,
        1,
        1,
    ]
)
FIRST = np.array(
    [
        -0.01,
        0.791,
        0.841,
        0.541,
        0.215,
        0.355,
        -0.654,
        -0.13,
        0.784,
        2.493,
        -0.259,
        2.514,
        2.346,
        1.781,
        1.264,
        0.686,
        2.458,
        2.96,
        2.802,
        2.315,
        0.357,
        -0.208,
        0.996,
        0.656,
        -1.288,
        1.395,
        1.43,
        0.696,
        -0.184,
        0.338,
        0.564,
        -1.17,
        1.739,
        0.504,
        0.329,
        0.741,
        1.583,
        1.32,
        0.633,
        -2.204,
        0.052,
        0.684,
        1.004,
        -0.618,
        1.822,
        -0.32,
        0.338,
        1.935,
        0.049,
        3.002,
        1.189,
        -0.633,
        -0.378,
        -0.091,
        -0.278,
        1.63,
        0.581,
        2.295,
        0.245,
        2.689,
    ]
)
SECOND = np.array(
    [
        0.626,
        3.047,
        0.437,
        -0.956,
        0.325,
        1.341,
        0.209,
        -0.761,
        -1.744,
        -0.822,
        1.653,
        2.287,
        0.786,
        -0.397,
        2.135,
        -0.665,
        0.073,
        1.807,
        -1.925,
        1.502,
        -0.756,
        1.142,
        0.902,
        0.263,
        0.902,
        0.014,
        2.847,
        0.944,
        2.097,
        2.514,
        2.024,
        1.097,
        0.098,
        -0.855,
        -0.176,
        -0.0,
        -1.85,
        0.336,
        -0.739,
        -1.339,
        -1.356,
        0.349,
        0.466,
        1.719,
        -0.018,
        2.354,
        2.823,
        2.495,
        -3.075,
        2.597,
        1.442,
        0.551,
        0.483,
        1.498,
        1.415,
        0.533,
        -2.472,
        0.858,
        -0.045,
        2.404,
    ]
)


def every_resample(values, statistic):
    """The statistic of all n^n resamples, which are equally likely."""
    n = len(values)
    return np.array(
        [statistic(np.array(drawn)) for drawn in itertools.product(values, repeat=n)]
    ), n**n


class TestReference:
    @pytest.mark.parametrize(("statistic", "se"), [("mean", 23.36), (np.median, 37.83)])
    def test_standard_errors_of_the_mice(self, statistic, se):
        """Efron & Tibshirani (1993), table 2.2, infinitely many resamples."""
        result = bootstrap(Losses(MICE), statistic=statistic, resamples=100_000)
        assert result.se == pytest.approx(se, rel=0.01)

    def test_mean_of_the_mice(self):
        assert bootstrap(Losses(MICE)).estimate == pytest.approx(86.86, abs=0.005)

    def test_mlxtend(self):
        result = bootstrap(Losses(NORMAL))
        assert result.estimate == pytest.approx(5.0271, abs=5e-5)
        assert result.se == pytest.approx(0.11425, abs=0.004)
        assert (result.low, result.high) == pytest.approx((4.8044, 5.2576), abs=0.02)

    @pytest.mark.parametrize(
        ("kind", "scipy"), [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")]
    )
    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_intervals_against_scipy(self, kind, scipy, alternative):
        x = np.random.default_rng(6).gamma(0.7, size=25)
        expected = stats.bootstrap(
            (x,),
            np.mean,
            n_resamples=60_000,
            method=scipy,
            alternative=alternative,
            confidence_level=0.9,
            rng=0,
        )
        interval = expected.confidence_interval
        result = bootstrap(
            Losses(x), kind=kind, alternative=alternative, level=0.9, resamples=60_000
        )
        assert result.se == pytest.approx(expected.standard_error, rel=0.02)
        assert (result.low, result.high) == pytest.approx(
            (interval.low, interval.high), abs=0.04 * result.se
        )

    def test_bca_of_another_statistic_against_scipy(self):
        x = np.random.default_rng(7).normal(size=30)
        expected = stats.bootstrap(
            (x,), np.std, n_resamples=60_000, method="BCa", rng=0
        ).confidence_interval
        result = bootstrap(Losses(x), kind="bca", statistic=np.std, resamples=60_000)
        assert (result.low, result.high) == pytest.approx(
            (expected.low, expected.high), abs=0.1 * result.se
        )


class TestAllResamples:
    X = (0.0, 0.1, 0.5, 0.55, 2.0)

    @pytest.mark.parametrize("statistic", [np.mean, np.median, np.max])
    def test_standard_error_and_bias(self, statistic):
        values, _ = every_resample(self.X, statistic)
        own = "mean" if statistic is np.mean else statistic
        result = bootstrap(Losses(self.X), statistic=own, resamples=200_000)
        corrected = bootstrap(Losses(self.X), statistic=own, resamples=200_000, bias_corrected=True)
        assert result.estimate == pytest.approx(statistic(self.X))
        assert result.se == pytest.approx(values.std(), rel=0.01)
        bias = values.mean() - statistic(self.X)
        assert corrected.estimate == pytest.approx(
            statistic(self.X) - bias, abs=5 * values.std() / math.sqrt(200_000)
        )
        assert corrected.se == result.se

    def test_percentile_interval_and_p_values(self):
        values, total = every_resample(self.X, np.mean)
        for level in (0.8, 0.95):
            result = bootstrap(Losses(self.X), level=level, resamples=200_000)
            assert result.low == pytest.approx(np.quantile(values, (1 - level) / 2), abs=0.01)
            assert result.high == pytest.approx(np.quantile(values, (1 + level) / 2), abs=0.01)
        for null in (0.25, 0.5, 0.9):
            below, above = (
                (values <= null + 1e-12).sum() / total,
                (values >= null - 1e-12).sum() / total,
            )
            for alternative, p in (
                ("greater", below),
                ("less", above),
                ("two-sided", min(1, 2 * min(below, above))),
            ):
                found = bootstrap(
                    Losses(self.X), null=null, alternative=alternative, resamples=200_000
                ).pvalue
                assert found == pytest.approx(p, abs=0.01)

    def test_area_under_the_curve(self):
        truth = [0, 1, 0, 1, 1]
        first, second = np.array([0.3, 0.4, 0.5, 0.5, 0.9]), np.array([0.2, 0.1, 0.6, 0.4, 0.3])
        areas = []
        for drawn in itertools.product(range(5), repeat=5):
            positive = [i for i in drawn if truth[i]]
            negative = [i for i in drawn if not truth[i]]
            if positive and negative:
                areas.append([loop_auc(s[positive], s[negative]) for s in (first, second)])
        one, two = np.array(areas).T
        single = bootstrap_auc(RankScores(truth, first), resamples=100_000)
        both = bootstrap_auc(
            RankScores(truth, first, second), resamples=100_000, bias_corrected=True
        )
        assert single.estimate == pytest.approx(4.5 / 6)
        assert single.se == pytest.approx(one.std(), rel=0.01)
        assert both.se == pytest.approx((one - two).std(), rel=0.01)
        gap = (4.5 - 2.0) / 6
        assert both.estimate == pytest.approx(2 * gap - (one - two).mean(), abs=0.01)


def loop_auc(positive, negative):
    wins = sum(1.0 if p > q else 0.5 if p == q else 0.0 for p in positive for q in negative)
    return wins / (len(positive) * len(negative))


def rank_auc(truth, score):
    positive = int(truth.sum())
    ranks = stats.rankdata(score)[truth == 1].sum()
    return (ranks - positive * (positive + 1) / 2) / (positive * (len(truth) - positive))


class TestKinds:
    def test_basic_is_the_percentile_interval_reflected(self):
        view = Losses(np.random.default_rng(1).gamma(1.0, size=30))
        one, other = bootstrap(view), bootstrap(view, kind="basic")
        assert (other.low, other.high) == pytest.approx(
            (2 * one.estimate - one.high, 2 * one.estimate - one.low)
        )

    def test_normal_is_the_pivot(self):
        view = Losses(np.random.default_rng(1).gamma(1.0, size=30))
        result = bootstrap(view, kind="normal", null=0.8, alternative="greater", level=0.9)
        assert result.low == pytest.approx(result.estimate - stats.norm.ppf(0.9) * result.se)
        assert result.pvalue == pytest.approx(stats.norm.sf(result.statistic))

    def test_bias_correction_moves_the_normal_interval_alone(self):
        view = Losses(MICE)
        for kind in KINDS:
            plain = bootstrap(view, kind=kind, statistic=np.max)
            corrected = bootstrap(view, kind=kind, statistic=np.max, bias_corrected=True)
            assert corrected.estimate > plain.estimate
            moved = corrected.estimate - plain.estimate if kind == "normal" else 0.0
            assert corrected.interval == pytest.approx((plain.low + moved, plain.high + moved))

    def test_bca_corrects_for_skewness(self):
        """Against the exact interval of an exponential mean, whose upper end is farther away than the lower."""
        x = stats.expon.ppf((np.arange(40) + 0.5) / 40)
        exact = 80 * x.mean() / stats.chi2.ppf([0.975, 0.025], 80)
        plain, moved = bootstrap(Losses(x)), bootstrap(Losses(x), kind="bca")
        assert abs(moved.high - exact[1]) < abs(plain.high - exact[1])
        assert abs(moved.low - exact[0]) < abs(plain.low - exact[0])

    @pytest.mark.parametrize("kind", KINDS)
    def test_zero_one_losses(self, kind):
        """Wrong on 30 of 100: the standard error is that of a proportion."""
        result = bootstrap(Losses(np.arange(100) < 30), kind=kind, resamples=50_000)
        assert result.se == pytest.approx(math.sqrt(0.3 * 0.7 / 100), rel=0.02)
        assert (result.low, result.high) == pytest.approx((0.21, 0.39), abs=0.011)

    def test_a_statistic_without_axis(self):
        def middle(values):
            return float(np.median(values))

        view = Losses(MICE)
        one = bootstrap(view, statistic=middle, resamples=500)
        other = bootstrap(view, statistic=np.median, resamples=500)
        assert one == other

    @pytest.mark.parametrize("kind", KINDS)
    def test_exchanging_the_learners_mirrors_everything(self, kind, rng):
        x = rng.gamma(1.0, size=21) - 0.7
        one, other = (
            bootstrap(Losses(x), kind=kind, null=0.1),
            bootstrap(Losses(-x), kind=kind, null=-0.1),
        )
        assert other.mirrored().interval == pytest.approx(one.interval, rel=1e-12)
        assert other.pvalue == pytest.approx(one.pvalue, rel=1e-12)


def said(result):
    return {note.code: note.numbers for note in result.notes}


class TestNotes:
    def test_what_it_is_about(self):
        result = bootstrap(Losses(MICE))
        assert result.estimand == "PQ"
        assert [note.code for note in result.notes] == ["fixed"]

    def test_a_notable_bias(self):
        """The largest of a resample is on average well below the largest of the sample."""
        plain, removed = (
            bootstrap(Losses(MICE), statistic=np.max, bias_corrected=on) for on in (False, True)
        )
        for result in (plain, removed):
            assert said(result)["bias"]["bias"] == pytest.approx(plain.estimate - removed.estimate)
            assert said(result)["bias"]["errors"] == pytest.approx(
                abs(said(result)["bias"]["bias"]) / result.se
            )

    def test_too_few_resamples(self):
        result = bootstrap(Losses(MICE), resamples=20)
        assert result.interval == (-math.inf, math.inf)
        assert said(result)["unbounded"] == {
            "count": 20,
            "what": "resamples",
            "level": 0.95,
            "needed": 39,
        }
        enough = bootstrap(Losses(MICE), resamples=39)
        assert math.isfinite(enough.low)
        assert math.isfinite(enough.high)
        assert "unbounded" not in said(enough)

    def test_a_one_sided_interval_is_unbounded_on_one_side(self):
        result = bootstrap(Losses(MICE), alternative="less")
        assert result.low == -math.inf
        assert math.isfinite(result.high)
        assert "unbounded" not in said(result)


class TestHostileInput:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("null", [0.25, 0.5, 0.0])
    def test_equal_losses(self, kind, null):
        result = bootstrap(Losses(np.full(6, 0.25)), kind=kind, null=null)
        assert result.interval == (0.25, 0.25)
        assert (result.se, result.pvalue) == (0.0, 1.0 if null == 0.25 else 0.0)
        assert result.degenerate

    @pytest.mark.parametrize("kind", KINDS)
    def test_two_losses(self, kind):
        result = bootstrap(Losses([0.0, 1.0]), kind=kind)
        assert result.estimate == 0.5
        assert result.low <= 0.5 <= result.high

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("size", [1e-300, 1e-20, 1e20, 1e149])
    def test_sizes_do_not_matter(self, kind, size):
        usual, result = (
            bootstrap(Losses(MICE / 256), kind=kind),
            bootstrap(Losses(size * MICE / 256), kind=kind),
        )
        assert result.se / size == pytest.approx(usual.se, rel=1e-9)
        assert result.low / size == pytest.approx(usual.low, rel=1e-9)

    @pytest.mark.parametrize("bad", [math.nan, math.inf, 1e300])
    def test_losses_that_cannot_be_used(self, bad):
        with pytest.raises(InvalidInputError):
            Losses([0.1, bad, 0.3])

    @pytest.mark.parametrize("empty", [[], [0.1], [[0.1, 0.2]]])
    def test_too_few_losses(self, empty):
        with refused("value"):
            Losses(empty)

    @pytest.mark.parametrize(
        "statistic",
        [lambda x: math.nan, lambda x: x, lambda x: 1 / 0, lambda x: "many", lambda: 0.0],
    )
    def test_a_statistic_that_fails(self, statistic):
        with refused("statistic"):
            bootstrap(Losses(MICE), statistic=statistic)

    @pytest.mark.parametrize("statistic", ["median", "", None, 3, ["mean"]])
    def test_what_is_no_statistic(self, statistic):
        with refused("statistic"):
            bootstrap(Losses(MICE), statistic=statistic)

    @pytest.mark.parametrize(
        ("option", "bad"),
        [
            ("kind", "BCa"),
            ("kind", None),
            ("resamples", 1),
            ("resamples", 100.0),
            ("resamples", True),
            ("bias_corrected", 1),
            ("random_state", -1),
            ("random_state", "0"),
            ("level", 95),
            ("null", math.nan),
            ("alternative", "both"),
        ],
    )
    @pytest.mark.parametrize("method", [bootstrap, bootstrap_auc])
    def test_options(self, method, option, bad):
        view = Losses(MICE) if method is bootstrap else RankScores(TRUTH, FIRST)
        with pytest.raises(InvalidInputError):
            method(view, **{option: bad})

    @pytest.mark.parametrize("labels", [{"fold": [0, 0, 1, 1]}, {"repeat": [0, 0, 1, 1]}])
    def test_several_splits(self, labels):
        with pytest.raises(UnsuitablePlanError):
            bootstrap(Losses([0.1, 0.2, 0.3, 0.5], **labels))

    def test_equal_seeds_give_equal_bits(self):
        view = Losses(MICE)
        assert bootstrap(view, random_state=4) == bootstrap(view, random_state=4)
        assert bootstrap(view, random_state=4) != bootstrap(view, random_state=5)


class TestArea:
    def test_reference(self):
        """Areas as DeLong's method has them; the bootstrap's standard errors agree with its own."""
        one, other = (
            bootstrap_auc(RankScores(TRUTH, FIRST)),
            bootstrap_auc(RankScores(TRUTH, SECOND)),
        )
        assert one.estimate == pytest.approx(0.7262443438914026, abs=1e-12)
        assert other.estimate == pytest.approx(0.7833710407239818, abs=1e-12)
        assert one.se == pytest.approx(
            (0.8533479754177073 - 0.5991407123650978) / 2 / stats.norm.ppf(0.975), rel=0.06
        )
        assert other.se == pytest.approx(
            (0.8981993605274325 - 0.668542720920531) / 2 / stats.norm.ppf(0.975), rel=0.06
        )
        both = bootstrap_auc(RankScores(TRUTH, FIRST, SECOND))
        gap = 0.7262443438914026 - 0.7833710407239818
        assert both.estimate == pytest.approx(gap, abs=1e-12)
        assert both.se == pytest.approx(abs(gap) / 0.5871191249743899, rel=0.06)

    @pytest.mark.parametrize("kind", KINDS)
    def test_exchanging_the_models_mirrors_everything(self, kind):
        one = bootstrap_auc(RankScores(TRUTH, FIRST, SECOND), kind=kind, null=0.02)
        other = bootstrap_auc(RankScores(TRUTH, SECOND, FIRST), kind=kind, null=-0.02)
        assert other.mirrored().interval == pytest.approx(one.interval, rel=1e-10)
        assert other.pvalue == pytest.approx(one.pvalue, rel=1e-10)

    def test_bca_by_hand(self):
        """Constants from the resamples' median bias and from leaving out one example after the other."""
        n = TRUTH.size
        keep = [np.delete(np.arange(n), i) for i in range(n)]
        left_out = np.array([rank_auc(TRUTH[k], FIRST[k]) for k in keep])
        d = left_out.mean() - left_out
        a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
        rng = np.random.default_rng(0)
        draws = (rng.integers(n, size=n) for _ in range(4000))
        areas = np.array([rank_auc(TRUTH[k], FIRST[k]) for k in draws])
        area = roc_auc_score(TRUTH, FIRST)
        assert rank_auc(TRUTH, FIRST) == pytest.approx(area, rel=1e-12)
        z0 = stats.norm.ppf(((areas < area).mean() + (areas <= area).mean()) / 2)
        z = z0 + stats.norm.ppf([0.025, 0.975])
        expected = np.quantile(areas, stats.norm.cdf(z0 + z / (1 - a * z)))
        result = bootstrap_auc(RankScores(TRUTH, FIRST), kind="bca", resamples=40_000)
        assert (result.low, result.high) == pytest.approx(expected, abs=0.1 * result.se)
        assert result.low < bootstrap_auc(RankScores(TRUTH, FIRST)).low

    @pytest.mark.parametrize("kind", KINDS)
    def test_perfect_separation(self, kind):
        result = bootstrap_auc(RankScores([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4]), kind=kind, null=0.5)
        assert (result.estimate, result.se, result.pvalue) == (1.0, 0.0, 0.0)
        assert result.degenerate

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_model_against_itself(self, kind):
        result = bootstrap_auc(RankScores(TRUTH, FIRST, FIRST), kind=kind)
        assert (result.estimate, result.se, result.pvalue) == (0.0, 0.0, 1.0)

    def test_a_class_with_one_example(self):
        view = RankScores([0, 0, 0, 1], [0.1, 0.5, 0.3, 0.4])
        assert 0.0 < bootstrap_auc(view).se < 1.0
        with refused("kind"):
            bootstrap_auc(view, kind="bca")

    def test_one_class_only(self):
        with refused("truth"):
            RankScores([1, 1, 1], [0.1, 0.2, 0.3])


class TestThroughTheWholeWay:
    def test_diabetes_by_hand(self):
        X, y = load_diabetes(return_X_y=True)
        learners = {"ridge": Ridge(0.1), "tree": DecisionTreeRegressor(max_depth=3, random_state=0)}
        plan = Holdout(n_test=0.3)
        found = errbar.compare(
            learners, X, y, method="bootstrap", plan=plan, random_state=3, kind="bca"
        )
        split = next(iter(plan.splits(len(y), 3)))
        losses = {}
        for name, learner in learners.items():
            predicted = learner.fit(X[split.train], y[split.train]).predict(X[split.test])
            losses[name] = np.square(predicted - y[split.test])
            assert found.learners[name].estimate == pytest.approx(losses[name].mean(), rel=1e-12)
        gap = losses["ridge"] - losses["tree"]
        pair = found.pairs[0].result
        assert pair.estimate == pytest.approx(gap.mean(), rel=1e-10)
        ideal = gap.std() / math.sqrt(gap.size)
        assert pair.se == pytest.approx(ideal, rel=0.05)
        expected = stats.bootstrap((gap,), np.mean, method="BCa", rng=0).confidence_interval
        assert (pair.low, pair.high) == pytest.approx(
            (expected.low, expected.high), abs=0.15 * pair.se
        )
        assert pair.n_train == split.train.size

    def test_breast_cancer_by_hand(self):
        X, y = load_breast_cancer(return_X_y=True)
        X = scale(X[:, :4])
        learners = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
        plan = Holdout(n_test=0.4)
        found = errbar.compare(
            learners,
            X,
            y,
            loss="roc_auc",
            method="bootstrap-auc",
            plan=plan,
            random_state=3,
            resamples=2000,
        )
        split = next(iter(plan.splits(len(y), 3)))
        truth, areas = y[split.test], {}
        for name, learner in learners.items():
            scores = learner.fit(X[split.train], y[split.train]).predict_proba(X[split.test])[:, 1]
            areas[name] = roc_auc_score(truth, scores)
            assert found.learners[name].estimate == pytest.approx(areas[name], rel=1e-12)
        pair = found.pairs[0].result
        assert pair.estimate == pytest.approx(areas["logistic"] - areas["bayes"], abs=1e-12)
        delong = errbar.infer(found.table, "delong", "logistic", "bayes")
        assert pair.se == pytest.approx(delong.se, rel=0.15)

    def test_folds_are_refused(self):
        X, y = (part[::6] for part in load_diabetes(return_X_y=True))
        with pytest.raises(UnsuitablePlanError):
            errbar.evaluate(Ridge(), X, y, method="bootstrap", plan=KFold(5), random_state=0)


class TestCoverage:
    @pytest.mark.long
    def test_of_a_skewed_mean(self):
        """BCa covers an exponential mean more often than the percentile interval, and both nearly as often as they say."""
        rng = np.random.default_rng(12)
        samples = rng.exponential(size=(400, 40))
        covered = dict.fromkeys(("percentile", "bca"), 0)
        for values in samples:
            for kind in covered:
                result = bootstrap(Losses(values), kind=kind, resamples=999)
                covered[kind] += result.low <= 1.0 <= result.high
        assert 0.87 * 400 < covered["percentile"] <= covered["bca"] < 0.98 * 400
