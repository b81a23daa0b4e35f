"""Error rates of trained models: one, two on different examples, two on the same.

Numbers of other programs and papers are copied, with their source; the rest is written again as plain loops.
"""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import optimize, special, stats
from statsmodels.stats import contingency_tables, proportion

import errbar
from errbar import (
    Discordance,
    InvalidInputError,
    Losses,
    TwoSamples,
    UnsuitablePlanError,
    compare_table,
)
from errbar.methods import binomial, mcnemar, paired_proportions, two_proportion_z
from tests.refusals import refused

ALTERNATIVES = ("two-sided", "less", "greater")
BINOMIAL_KINDS = {
    "wilson": "wilson",
    "clopper-pearson": "beta",
    "agresti-coull": "agresti_coull",
    "jeffreys": "jeffreys",
    "normal": "normal",
}
MCNEMAR_KINDS = ("exact", "mid-p", "chi2", "chi2-corrected")
PAIRED_KINDS = ("tango", "newcombe")

levels = st.floats(0.5, 0.999)
alternatives = st.sampled_from(ALTERNATIVES)


def errors_of(errors, n):
    return Losses(np.arange(n) < errors)


def ends(result):
    return result.low, result.high


def require_agreement(run, low, high, level, alternative, null):
    """The interval holds just the nulls that are not rejected; too near to an end to say, there is no law."""
    result = run(level=level, alternative=alternative, null=null)
    assume(min(abs(null - end) for end in result.interval) > 1e-9)
    assert (not result.low <= null <= result.high) == (result.pvalue < 1.0 - level)
    assert math.isinf(result.low) == (alternative == "less")
    assert math.isinf(result.high) == (alternative == "greater")
    assert all(math.isinf(end) or low <= end <= high for end in result.interval)
    assert 0.0 <= result.pvalue <= 1.0


class TestBinomialIntervals:
    # statsmodels 0.15.0, proportion_confint(count, nobs, 0.05, method)
    STATSMODELS = (
        ("wilson", 7, 9, 0.45258896910698887, 0.9367748928821533),
        ("wilson", 0, 20, 0.0, 0.1611251580528194),
        ("normal", 7, 9, 0.5061661584975858, 1.0),
        ("normal", 0, 20, 0.0, 0.0),
        ("agresti-coull", 0, 20, 0.0, 0.18980956054248888),
        ("jeffreys", 7, 9, 0.45617556688065247, 0.950698077023406),
        ("jeffreys", 0, 20, 2.4246478459242733e-05, 0.11663898290487543),
    )

    @pytest.mark.parametrize(("kind", "errors", "n", "low", "high"), STATSMODELS)
    def test_numbers_of_statsmodels(self, kind, errors, n, low, high):
        result = binomial(errors_of(errors, n), kind=kind)
        assert ends(result) == pytest.approx((low, high), abs=1e-12)
        assert result.estimate == errors / n

    @pytest.mark.parametrize("kind", BINOMIAL_KINDS)
    @pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
    def test_statsmodels_for_every_number_of_errors(self, kind, level):
        for n in (2, 5, 20, 137):
            for errors in {0, 1, 2, n // 3, n // 2, n - 1, n}:
                wanted = proportion.proportion_confint(errors, n, 1.0 - level, BINOMIAL_KINDS[kind])
                assert ends(
                    binomial(errors_of(errors, n), level=level, kind=kind)
                ) == pytest.approx(wanted, abs=1e-12)

    @pytest.mark.parametrize(
        ("kind", "errors", "n", "low", "high"),
        [
            # Newcombe (1998), Statistics in Medicine 17, 857-872, Table I
            ("clopper-pearson", 15, 148, 0.0578, 0.1617),
            ("clopper-pearson", 0, 20, 0.0, 0.1684),
            ("clopper-pearson", 1, 29, 0.0009, 0.1776),
            ("wilson", 15, 148, 0.0624, 0.1605),
            ("wilson", 0, 20, 0.0, 0.1611),
            ("wilson", 1, 29, 0.0061, 0.1718),
        ],
    )
    def test_numbers_of_newcombe(self, kind, errors, n, low, high):
        assert ends(binomial(errors_of(errors, n), kind=kind)) == pytest.approx(
            (low, high), abs=5e-5
        )

    @pytest.mark.parametrize("kind", BINOMIAL_KINDS)
    def test_a_one_sided_end_is_that_of_the_two_sided_interval_with_twice_the_error(self, kind):
        view = errors_of(4, 30)
        low, high = ends(binomial(view, level=0.9, kind=kind))
        assert ends(binomial(view, level=0.95, kind=kind, alternative="greater")) == (
            pytest.approx(low),
            math.inf,
        )
        assert ends(binomial(view, level=0.95, kind=kind, alternative="less")) == (
            -math.inf,
            pytest.approx(high),
        )

    @pytest.mark.parametrize("n", [10, 25])
    def test_clopper_pearson_covers_every_error_rate(self, n):
        """The probability of covering is a sum over the n + 1 outcomes, so it is known without simulation."""
        intervals = [
            ends(binomial(errors_of(x, n), level=0.9, kind="clopper-pearson")) for x in range(n + 1)
        ]
        for rate in np.linspace(0.0, 1.0, 201):
            held = [x for x, (low, high) in enumerate(intervals) if low <= rate <= high]
            assert stats.binom.pmf(held, n, rate).sum() >= 0.9 - 1e-12


class TestBinomialTests:
    @given(
        st.integers(2, 60), st.data(), st.sampled_from(sorted(BINOMIAL_KINDS)), levels, alternatives
    )
    def test_interval_and_test_agree(self, n, data, kind, level, alternative):
        view = errors_of(data.draw(st.integers(0, n)), n)
        null = data.draw(st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 0.5, 1.0])))
        require_agreement(
            lambda **request: binomial(view, kind=kind, **request),
            0.0,
            1.0,
            level,
            alternative,
            null,
        )

    @pytest.mark.parametrize("kind", sorted(set(BINOMIAL_KINDS) - {"normal", "agresti-coull"}))
    @pytest.mark.parametrize(("errors", "n"), [(3, 20), (1, 7), (19, 40)])
    def test_p_at_the_ends_is_the_error_probability(self, kind, errors, n):
        for alternative, level in product(ALTERNATIVES, (0.5, 0.9, 0.99)):
            view = errors_of(errors, n)
            for end in ends(binomial(view, level=level, alternative=alternative, kind=kind)):
                if math.isfinite(end):
                    at_end = binomial(view, null=end, alternative=alternative, kind=kind)
                    assert at_end.pvalue == pytest.approx(1.0 - level, rel=1e-9)

    @pytest.mark.parametrize(
        ("errors", "n", "null"), [(3, 20, 0.3), (0, 9, 0.01), (12, 12, 0.8), (5, 31, 0.5)]
    )
    def test_clopper_pearson_is_the_exact_test(self, errors, n, null):
        view = errors_of(errors, n)
        for alternative in ("less", "greater"):
            known = stats.binomtest(errors, n, null, alternative=alternative).pvalue
            found = binomial(
                view, null=null, alternative=alternative, kind="clopper-pearson"
            ).pvalue
            assert found == pytest.approx(known, rel=1e-10)
        tails = [sum(math.comb(n, x) * null**x * (1 - null) ** (n - x) for x in part)
                 for part in (range(errors + 1), range(errors, n + 1))]  # fmt: skip
        found = binomial(view, null=null, kind="clopper-pearson").pvalue
        assert found == pytest.approx(min(1.0, 2.0 * min(tails)), rel=1e-10)

    @pytest.mark.parametrize(("kind", "variance"), [("wilson", 0.3), ("normal", None)])
    @pytest.mark.parametrize(("alternative", "theirs"), [("two-sided", "two-sided"), ("less", "smaller"), ("greater", "larger")])  # fmt: skip
    def test_wilson_and_normal_are_the_z_tests_of_statsmodels(
        self, kind, variance, alternative, theirs
    ):
        z, p = proportion.proportions_ztest(
            4, 25, 0.3, alternative=theirs, prop_var=variance or False
        )
        result = binomial(errors_of(4, 25), null=0.3, alternative=alternative, kind=kind)
        assert (result.statistic, result.pvalue) == (
            pytest.approx(z, rel=1e-12),
            pytest.approx(p, rel=1e-10),
        )

    def test_jeffreys_is_the_posterior(self):
        posterior = stats.beta(4.5, 22.5)
        for null in (0.05, 0.16, 0.4):
            less, greater = posterior.sf(null), posterior.cdf(null)
            found = [
                binomial(errors_of(4, 26), null=null, kind="jeffreys", alternative=a).pvalue
                for a in ALTERNATIVES
            ]
            assert found == pytest.approx([2 * min(less, greater), less, greater], rel=1e-10)

    @pytest.mark.parametrize("null", [0.01, 0.1, 0.2, 0.6])
    def test_agresti_coull_is_where_the_interval_of_statsmodels_ends_at_the_null(self, null):
        def misses(alpha):
            low, high = proportion.proportion_confint(5, 33, alpha, "agresti_coull")
            return (low if null < 5 / 33 else -high) - (null if null < 5 / 33 else -null)

        known = optimize.brentq(misses, 1e-12, 1.0 - 1e-9, xtol=1e-15)
        assert binomial(errors_of(5, 33), null=null, kind="agresti-coull").pvalue == pytest.approx(
            known, rel=1e-6
        )

    @pytest.mark.parametrize("kind", sorted(set(BINOMIAL_KINDS) - {"normal"}))
    def test_the_score_is_the_statistic_of_all_but_normal(self, kind):
        result = binomial(errors_of(4, 25), null=0.3, kind=kind)
        assert result.statistic == pytest.approx(
            (0.16 - 0.3) / math.sqrt(0.3 * 0.7 / 25), rel=1e-12
        )
        assert result.se == pytest.approx(math.sqrt(0.16 * 0.84 / 25), rel=1e-12)
        assert result.df is None

    @given(
        st.integers(2, 60),
        st.data(),
        st.sampled_from(sorted(BINOMIAL_KINDS)),
        levels,
        st.floats(0.01, 0.99),
    )
    def test_errors_and_hits_mirror_each_other(self, n, data, kind, level, null):
        errors = data.draw(st.integers(0, n))
        one = binomial(errors_of(errors, n), level=level, null=null, kind=kind)
        other = binomial(errors_of(n - errors, n), level=level, null=1.0 - null, kind=kind)
        assert ends(other) == pytest.approx((1.0 - one.high, 1.0 - one.low), abs=1e-9)
        assert other.pvalue == pytest.approx(one.pvalue, rel=1e-6, abs=1e-12)


class TestBinomialEdges:
    @pytest.mark.parametrize("kind", sorted(set(BINOMIAL_KINDS) - {"jeffreys"}))
    @pytest.mark.parametrize(("errors", "null"), [(0, 0.0), (12, 1.0)])
    def test_a_null_of_0_or_1_that_the_data_show(self, kind, errors, null):
        result = binomial(errors_of(errors, 12), null=null, kind=kind)
        assert (result.statistic, result.pvalue) == (0.0, 1.0)

    @pytest.mark.parametrize("kind", ["wilson", "clopper-pearson", "jeffreys"])
    @pytest.mark.parametrize(
        ("errors", "null", "sign"), [(1, 0.0, 1), (11, 1.0, -1), (12, 0.0, 1), (0, 1.0, -1)]
    )
    def test_a_null_of_0_or_1_that_the_data_refute(self, kind, errors, null, sign):
        result = binomial(errors_of(errors, 12), null=null, kind=kind)
        assert (result.statistic, result.pvalue) == (sign * math.inf, 0.0)
        assert binomial(errors_of(errors, 12), null=null, kind=kind, alternative="less").pvalue == (
            1.0 if sign > 0 else 0.0
        )

    def test_the_jeffreys_posterior_gives_no_weight_to_a_rate_of_0(self):
        result = binomial(errors_of(0, 20), null=0.0, kind="jeffreys")
        assert result.low > 0.0
        assert result.pvalue == 0.0

    @pytest.mark.parametrize("errors", [0, 30])
    def test_only_the_normal_interval_has_no_width_without_errors(self, errors):
        for kind in BINOMIAL_KINDS:
            result = binomial(errors_of(errors, 30), kind=kind)
            assert (result.high > result.low) == (kind != "normal")
            assert [note.code for note in result.notes] == ["no-variation"] * (kind == "normal")
        normal = binomial(errors_of(errors, 30), kind="normal")
        assert (abs(normal.statistic), normal.pvalue, normal.degenerate) == (math.inf, 0.0, True)

    def test_a_level_next_to_1(self):
        for kind in BINOMIAL_KINDS:
            result = binomial(errors_of(3, 10), level=1.0 - 1e-15, kind=kind)
            assert 0.0 <= result.low < 0.3 < result.high <= 1.0

    def test_a_million_examples(self):
        losses = errors_of(1234, 1_000_000)
        known = proportion.proportion_confint(1234, 1_000_000, 0.05, "beta")
        assert ends(binomial(losses, kind="clopper-pearson")) == pytest.approx(known, rel=1e-9)

    @pytest.mark.parametrize(
        "losses",
        [
            [0.0, 0.5, 1.0],
            [0.0, 1.0, -1.0],
            [0.0, 1e-300],
        ],
    )
    def test_other_losses_are_refused(self, losses):
        with refused("value"):
            binomial(Losses(losses))

    @pytest.mark.parametrize("null", [-0.01, 1.01, 50, math.nan, math.inf, "0.5", None])
    def test_nulls_that_are_no_error_rates_are_refused(self, null):
        with refused("null"):
            binomial(errors_of(1, 5), null=null)

    def test_several_splits_are_refused(self):
        for columns in ({"fold": [0, 0, 1, 1]}, {"repeat": [0, 0, 1, 1]}):
            with pytest.raises(UnsuitablePlanError):
                binomial(Losses([0, 1, 0, 1], **columns))

    def test_an_unknown_kind_is_refused(self):
        with refused("kind"):
            binomial(errors_of(1, 5), kind="Wilson")


class TestTwoProportionZ:
    def test_the_example_of_the_slides_to_six_digits(self):
        result = two_proportion_z(TwoSamples(0.3, 100, 0.2, 100), alternative="greater")
        assert result.estimate == pytest.approx(0.1, abs=1e-15)
        assert result.se == pytest.approx(0.060828, abs=5e-7)
        assert result.statistic == pytest.approx(1.643990, abs=5e-7)
        assert 1.0 - result.pvalue == pytest.approx(0.949911, abs=5e-7)

    def test_pooled_example_of_statsmodels(self):
        # proportions_ztest(count=[5, 12], nobs=[83, 99])
        result = two_proportion_z(TwoSamples(5 / 83, 83, 12 / 99, 99), pooled=True)
        assert result.statistic == pytest.approx(-1.4078304151258787, rel=1e-10)
        assert result.pvalue == pytest.approx(0.15918129181156992, rel=1e-10)

    @pytest.mark.parametrize(("alternative", "theirs"), [("two-sided", "two-sided"), ("less", "smaller"), ("greater", "larger")])  # fmt: skip
    def test_pooled_with_every_alternative(self, alternative, theirs):
        z, p = proportion.proportions_ztest([9, 14], [40, 31], alternative=theirs)
        result = two_proportion_z(
            TwoSamples(9 / 40, 40, 14 / 31, 31), alternative=alternative, pooled=True
        )
        assert (result.statistic, result.pvalue) == (
            pytest.approx(z, rel=1e-12),
            pytest.approx(p, rel=1e-10),
        )

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_unpooled_is_the_wald_test_of_statsmodels(self, alternative):
        theirs = {"two-sided": "two-sided", "less": "smaller", "greater": "larger"}[alternative]
        known = proportion.test_proportions_2indep(
            9, 40, 14, 31, value=0.05, method="wald", alternative=theirs, correction=False
        )
        result = two_proportion_z(
            TwoSamples(9 / 40, 40, 14 / 31, 31), null=0.05, alternative=alternative
        )
        assert result.statistic == pytest.approx(known.statistic, rel=1e-12)
        assert result.pvalue == pytest.approx(known.pvalue, rel=1e-10)

    def test_interval(self):
        known = proportion.confint_proportions_2indep(9, 40, 14, 31, method="wald", alpha=0.1)
        assert ends(
            two_proportion_z(TwoSamples(9 / 40, 40, 14 / 31, 31), level=0.9)
        ) == pytest.approx(known, abs=1e-12)

    def test_the_pooled_interval_has_the_pooled_standard_error(self):
        rate = (0.3 * 50 + 0.1 * 20) / 70
        se = math.sqrt(rate * (1 - rate) * (1 / 50 + 1 / 20))
        result = two_proportion_z(TwoSamples(0.3, 50, 0.1, 20), pooled=True)
        assert result.se == pytest.approx(se, rel=1e-12)
        reach = stats.norm.ppf(0.975) * se
        assert ends(result) == pytest.approx((0.2 - reach, 0.2 + reach), abs=1e-12)

    def test_pooling_goes_with_a_null_of_0_only(self):
        with refused("null"):
            two_proportion_z(TwoSamples(0.3, 50, 0.1, 20), pooled=True, null=0.1)

    @pytest.mark.parametrize("pooled", [False, True])
    def test_two_flawless_models(self, pooled):
        result = two_proportion_z(TwoSamples(0.0, 50, 0.0, 20), pooled=pooled)
        assert (result.statistic, result.pvalue, result.degenerate) == (0.0, 1.0, True)

    def test_a_flawless_model_and_a_hopeless_one(self):
        result = two_proportion_z(TwoSamples(1.0, 50, 0.0, 20))
        assert (result.statistic, result.pvalue, result.degenerate) == (math.inf, 0.0, True)
        assert not two_proportion_z(TwoSamples(1.0, 50, 0.0, 20), pooled=True).degenerate

    @pytest.mark.parametrize("pooled", [1, "yes", None, math.nan])
    def test_pooled_is_yes_or_no(self, pooled):
        with refused("pooled"):
            two_proportion_z(TwoSamples(0.3, 50, 0.1, 20), pooled=pooled)

    def test_numbers_of_examples_beyond_counting_are_refused(self):
        with refused("n_2"):
            two_proportion_z(TwoSamples(0.3, 50, 0.1, 10**400))


def mid_p(b, m, share):
    """Both mid-p tails, term by term."""
    mass = [math.comb(m, x) * share**x * (1 - share) ** (m - x) for x in range(m + 1)]
    return sum(mass[:b]) + mass[b] / 2, sum(mass[b + 1 :]) + mass[b] / 2


class TestMcNemar:
    @pytest.mark.parametrize(
        ("table", "kind", "statistic", "pvalue", "tolerance"),
        [
            # mlxtend 0.25.0, test_corrected_false and the user guide
            ([[101, 121], [59, 33]], "chi2", 21.355555555555554, 3.815135865112594e-06, 1e-9),
            ([[9945, 25], [15, 15]], "chi2-corrected", 2.025, 0.154728923485, 1e-9),
            # R, mcnemar.test
            ([[1434, 18], [33, 51]], "chi2", 4.4118, 0.03569, 5e-5),
            ([[1434, 18], [33, 51]], "chi2-corrected", 3.8431, 0.04995, 5e-5),
        ],
    )
    def test_numbers_of_other_programs(self, table, kind, statistic, pvalue, tolerance):
        (both_right, c), (b, both) = table
        result = mcnemar(Discordance(b, c, both_right + b + c + both, both), kind=kind)
        assert result.statistic == pytest.approx(statistic, abs=tolerance)
        assert result.pvalue == pytest.approx(pvalue, abs=tolerance)
        assert result.df == 1.0
        assert isinstance(result.df, float)

    def test_orientation_is_that_of_errors(self):
        # mlxtend 0.25.0, test_mcnemar_table: models with 2 and 1 examples that they alone get right
        truth, one, other = (
            [0] * 5 + [1] * 5,
            [0, 1, 0, 0, 0, 1, 1, 0, 0, 0],
            [0, 0, 1, 1, 0, 1, 1, 0, 0, 0],
        )
        wrong = [np.not_equal(truth, predicted).astype(float) for predicted in (one, other)]
        table = errbar.from_losses({"one": wrong[0], "other": wrong[1]}, metric="zero-one")
        result = errbar.infer(table, "mcnemar", "one", minus="other")
        assert result.estimate == (1 - 2) / 10
        known = mcnemar(Discordance(1, 2, 10, 3))
        assert (result.se, result.interval, result.pvalue) == (
            known.se,
            known.interval,
            known.pvalue,
        )

    @pytest.mark.parametrize(("b", "c"), [(25, 15), (3, 9), (0, 4), (7, 7), (1, 0), (40, 61)])
    def test_statsmodels(self, b, c):
        table = [[50, c], [b, 9]]
        counts = Discordance(b, c, 59 + b + c, 9)
        for kind, options in (
            ("exact", {"exact": True}),
            ("chi2", {"exact": False, "correction": False}),
            *([("chi2-corrected", {"exact": False, "correction": True})] if b != c else []),
        ):
            known = contingency_tables.mcnemar(table, **options)
            assert mcnemar(counts, kind=kind).pvalue == pytest.approx(known.pvalue, rel=1e-10)

    @pytest.mark.parametrize(("b", "c"), [(25, 15), (3, 9), (0, 4), (7, 7)])
    @pytest.mark.parametrize("null", [-0.05, 0.0, 0.02])
    def test_exact_and_mid_p_term_by_term(self, b, c, null):
        m, n = b + c, 60
        share = (null * n / m + 1) / 2
        for alternative in ("less", "greater"):
            known = stats.binomtest(b, m, share, alternative=alternative).pvalue
            found = mcnemar(Discordance(b, c, n), null=null, alternative=alternative).pvalue
            assert found == pytest.approx(known, rel=1e-10)
        less, greater = mid_p(b, m, share)
        found = [
            mcnemar(Discordance(b, c, n), null=null, alternative=a, kind="mid-p").pvalue
            for a in ALTERNATIVES
        ]
        assert found == pytest.approx([min(1.0, 2 * min(less, greater)), less, greater], rel=1e-10)

    @pytest.mark.parametrize("kind", ["chi2", "chi2-corrected"])
    @pytest.mark.parametrize("null", [-0.1, 0.0, 0.07])
    def test_chi_squares_with_another_null(self, kind, null):
        b, c, n = 14, 9, 80
        share = (null * n / 23 + 1) / 2
        gap = b - 23 * share
        kept = max(0.0, abs(gap) - (0.5 if kind == "chi2-corrected" else 0.0))
        known = math.copysign(kept, gap) / math.sqrt(23 * share * (1 - share))
        for alternative, p in (
            ("two-sided", 2 * stats.norm.sf(abs(known))),
            ("less", stats.norm.cdf(known)),
            ("greater", stats.norm.sf(known)),
        ):
            result = mcnemar(Discordance(b, c, n), null=null, alternative=alternative, kind=kind)
            assert result.statistic == pytest.approx(known**2, rel=1e-10)
            assert result.pvalue == pytest.approx(p, rel=1e-10)

    @pytest.mark.parametrize(
        ("kind", "b", "c", "low", "high"),
        [
            # Newcombe (1998), Statistics in Medicine 17, 857-872, Table I, for the probability behind b of b + c
            ("exact", 15, 133, 0.0578, 0.1617),
            ("exact", 0, 20, 0.0, 0.1684),
            ("exact", 1, 28, 0.0009, 0.1776),
            ("mid-p", 15, 133, 0.0601, 0.1581),
            ("mid-p", 0, 20, 0.0, 0.1391),
            ("mid-p", 1, 28, 0.0017, 0.1585),
            ("chi2", 15, 133, 0.0624, 0.1605),
            ("chi2", 0, 20, 0.0, 0.1611),
            ("chi2", 1, 28, 0.0061, 0.1718),
            ("chi2-corrected", 15, 133, 0.0598, 0.1644),
            ("chi2-corrected", 0, 20, 0.0, 0.2005),
            ("chi2-corrected", 1, 28, 0.0018, 0.1963),
        ],
    )
    def test_intervals_of_newcombe(self, kind, b, c, low, high):
        result = mcnemar(Discordance(b, c), kind=kind)
        assert [(1 + end) / 2 for end in result.interval] == pytest.approx([low, high], abs=5e-5)

    @pytest.mark.parametrize(("kind", "low", "high"), [("exact", 0.003, 1.112), ("mid-p", 0.006, 0.924), ("chi2", 0.023, 0.890)])  # fmt: skip
    def test_odds_ratios_of_fagerland(self, kind, low, high):
        # Fagerland, Lydersen & Laake (2014), Statistics in Medicine 33, 2850-2875: 1 and 7 pairs, odds b/c
        shares = [(1 + end) / 2 for end in mcnemar(Discordance(1, 7), kind=kind).interval]
        assert [share / (1 - share) for share in shares] == pytest.approx([low, high], abs=5e-4)

    def test_the_interval_is_in_shares_of_all_examples(self):
        few, many = (mcnemar(Discordance(9, 4, n=n)) for n in (13, 1300))
        assert ends(many) == pytest.approx((few.low / 100, few.high / 100), rel=1e-12)
        assert many.estimate == pytest.approx(5 / 1300, rel=1e-12)
        assert many.se == pytest.approx(math.sqrt(13 - 25 / 1300) / 1300, rel=1e-12)
        assert mcnemar(Discordance(9, 4)) == few

    @given(
        st.integers(0, 30), st.integers(0, 30), st.integers(0, 200), st.sampled_from(MCNEMAR_KINDS), levels, alternatives,
        st.floats(-0.6, 0.6),
    )  # fmt: skip
    def test_interval_and_test_agree(self, b, c, more, kind, level, alternative, null):
        counts = Discordance(b, c, max(1, b + c + more))
        bound = (b + c) / counts.size
        require_agreement(
            lambda **r: mcnemar(counts, kind=kind, **r), -bound, bound, level, alternative, null
        )

    @given(
        st.integers(0, 30),
        st.integers(0, 30),
        st.sampled_from(MCNEMAR_KINDS),
        levels,
        st.floats(-0.3, 0.3),
    )
    def test_swapped_models(self, b, c, kind, level, null):
        one = mcnemar(Discordance(b, c, 100), kind=kind, level=level, null=null, alternative="less")
        other = mcnemar(
            Discordance(c, b, 100), kind=kind, level=level, null=-null, alternative="greater"
        )
        assert other.low == pytest.approx(-one.high, abs=1e-9)
        assert other.pvalue == pytest.approx(one.pvalue, rel=1e-6, abs=1e-12)
        sign = 1.0 if kind.startswith("chi2") else -1.0
        assert other.statistic == pytest.approx(sign * one.statistic, rel=1e-6, abs=1e-6)

    @pytest.mark.parametrize("kind", MCNEMAR_KINDS)
    @pytest.mark.parametrize("n", [None, 1, 500])
    def test_no_example_on_which_just_one_errs(self, kind, n):
        for alternative, p in (("two-sided", 1.0), ("less", 0.5), ("greater", 0.5)):
            result = mcnemar(Discordance(0, 0, n), kind=kind, alternative=alternative)
            assert (result.estimate, result.se, result.statistic, result.pvalue) == (
                0.0,
                0.0,
                0.0,
                p,
            )
            assert [note.code for note in result.notes] == ["no-variation"]
            assert {end for end in result.interval if math.isfinite(end)} == {0.0}

    @pytest.mark.parametrize("kind", MCNEMAR_KINDS)
    @pytest.mark.parametrize("each", [1, 2, 7, 400])
    def test_as_many_errors_on_either_side(self, kind, each):
        result = mcnemar(Discordance(each, each, 3 * each), kind=kind)
        assert (result.estimate, result.statistic) == (0.0, 0.0)
        assert result.pvalue == pytest.approx(1.0, abs=1e-12)
        assert not result.notes

    @pytest.mark.parametrize("kind", MCNEMAR_KINDS)
    @pytest.mark.parametrize(("b", "c"), [(6, 2), (0, 0)])
    def test_nulls_that_the_number_of_discordant_examples_rules_out(self, kind, b, c):
        for null, wrong_side in ((0.5, "greater"), (-0.5, "less"), (1e300, "greater")):
            for alternative in ALTERNATIVES:
                result = mcnemar(
                    Discordance(b, c, 80), kind=kind, null=null, alternative=alternative
                )
                assert result.pvalue == (1.0 if alternative == wrong_side else 0.0)
                assert math.isinf(result.statistic)

    @pytest.mark.parametrize("kind", MCNEMAR_KINDS)
    def test_the_largest_difference_there_can_be_is_a_null_too(self, kind):
        """7/49 is not 1/7 as a float, but means the same."""
        assert mcnemar(Discordance(7, 0, 49), kind=kind, null=1 / 7).pvalue == 1.0

    @pytest.mark.parametrize(("kind", "chi_square"), [("exact", False), ("mid-p", False), ("chi2", True), ("chi2-corrected", True)])  # fmt: skip
    def test_what_the_statistic_is(self, kind, chi_square):
        result = mcnemar(Discordance(16, 9, 80), kind=kind)
        root = (16 - 9 - (kind == "chi2-corrected")) / 5
        assert result.statistic == pytest.approx(root**2 if chi_square else root, rel=1e-12)
        assert result.df == (1.0 if chi_square else None)

    @pytest.mark.parametrize("kind", MCNEMAR_KINDS)
    def test_millions_of_examples(self, kind):
        result = mcnemar(Discordance(2_001_000, 2_000_000, 10**9), kind=kind)
        z = 1000 / math.sqrt(4_001_000)
        assert result.pvalue == pytest.approx(2 * stats.norm.sf(z), rel=2e-3)
        assert result.low < 0 < result.high

    def test_counts_beyond_counting_are_refused(self):
        for counts, argument in (((10**400, 1), "b"), ((1, 1, 10**400), "n")):
            with refused(argument):
                Discordance(*counts)

    def test_an_unknown_kind_is_refused(self):
        with refused("kind"):
            mcnemar(Discordance(1, 2), kind="midp")


def likeliest(b, c, n, difference):
    """Probability that only the second model errs, at the maximum of the likelihood for a difference: a search."""
    low, high = max(0.0, -difference), (1.0 - difference) / 2.0

    def slope(q):
        return b / (q + difference) + c / q - 2.0 * (n - b - c) / (1.0 - 2.0 * q - difference)

    edge = 1e-13
    if slope(low + edge) <= 0.0:
        return low
    return (
        high
        if slope(high - edge) >= 0.0
        else optimize.brentq(slope, low + edge, high - edge, xtol=1e-16)
    )


def searched_z(b, c, n, difference):
    q = likeliest(b, c, n, difference)
    return (b - c - n * difference) / math.sqrt(n * (2 * q + difference - difference**2))


def newcombe_by_hand(both, b, c, neither, level):
    """Newcombe's method 10 with statsmodels' Wilson intervals."""
    n = both + b + c + neither
    p1, p2 = (both + b) / n, (both + c) / n
    l1, u1 = proportion.proportion_confint(both + b, n, 1 - level, "wilson")
    l2, u2 = proportion.proportion_confint(both + c, n, 1 - level, "wilson")
    product_of_margins = (both + b) * (c + neither) * (both + c) * (b + neither)
    numerator = both * neither - b * c
    if numerator > 0:
        numerator = max(numerator - n / 2, 0)
    phi = numerator / math.sqrt(product_of_margins) if product_of_margins else 0.0
    below = math.sqrt((p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2)
    above = math.sqrt((u1 - p1) ** 2 - 2 * phi * (u1 - p1) * (p2 - l2) + (p2 - l2) ** 2)
    return p1 - p2 - below, p1 - p2 + above


tables = st.tuples(*[st.integers(0, 25)] * 4).filter(lambda cells: sum(cells) > 0)


def counts_of(both, b, c, neither):
    return Discordance(b, c, both + b + c + neither, both)


class TestPairedProportions:
    @pytest.mark.parametrize(
        ("cells", "level", "low", "high", "digits"),
        [
            # Tango (1998), Statistics in Medicine 17, 891-908
            ((4, 9, 3, 16), 0.95, -0.027, 0.390, 3),
            ((43, 0, 1, 0), 0.90, -0.096, 0.037, 3),
            # Agresti & Min (2005), Statistics in Medicine 24, 729-740
            ((53, 16, 8, 9), 0.95, -0.020, 0.207, 3),
            # Fagerland, Lydersen & Laake (2014), Statistics in Medicine 33, 2850-2875
            ((1, 1, 7, 12), 0.95, -0.517, -0.026, 3),
            # Tang, Ling, Ling & Tian (2010), Statistics in Medicine 29, 2850-2866
            ((8, 3, 1, 2), 0.95, -0.1670, 0.4327, 4),
            # R package contingencytables, its tests of chapter 8
            ((59, 6, 16, 80), 0.95, -0.1240, -0.0054, 4),
        ],
    )
    def test_published_intervals_of_tango(self, cells, level, low, high, digits):
        result = paired_proportions(counts_of(*cells), level=level)
        assert ends(result) == pytest.approx((low, high), abs=0.5 * 10**-digits)

    @pytest.mark.parametrize(
        ("cells", "low", "high", "digits"),
        [
            # Newcombe (1998), Statistics in Medicine 17, 2635-2650, method 10
            ((20, 12, 2, 16), 0.0562, 0.3292, 4),
            # Fagerland, Lydersen & Laake (2014); Tang, Ling, Ling & Tian (2010); R package contingencytables
            ((1, 1, 7, 12), -0.507, -0.026, 3),
            ((8, 3, 1, 2), -0.1574, 0.4136, 4),
            ((59, 6, 16, 80), -0.1186, -0.0046, 4),
        ],
    )
    def test_published_intervals_of_newcombe(self, cells, low, high, digits):
        result = paired_proportions(counts_of(*cells), kind="newcombe")
        assert ends(result) == pytest.approx((low, high), abs=0.5 * 10**-digits)

    @pytest.mark.parametrize(
        ("b", "c", "n"), [(9, 3, 32), (0, 1, 44), (5, 0, 9), (14, 9, 80), (3, 3, 7), (2, 60, 500)]
    )
    def test_tango_against_a_search_for_the_maximum_of_the_likelihood(self, b, c, n):
        for null in (-0.9, -0.4, -0.05, 0.01, 0.03, 0.2, 0.7, 0.95):
            known = searched_z(b, c, n, null)
            result = paired_proportions(Discordance(b, c, n), null=null)
            assert result.statistic == pytest.approx(known, rel=1e-8)
            assert result.pvalue == pytest.approx(2 * stats.norm.sf(abs(known)), rel=1e-6)
        result = paired_proportions(Discordance(b, c, n), level=0.9)
        z = stats.norm.ppf(0.95)
        estimate = (b - c) / n
        low = optimize.brentq(
            lambda d: searched_z(b, c, n, d) - z, -1 + 1e-6, estimate - 1e-9, xtol=1e-14
        )
        high = optimize.brentq(
            lambda d: searched_z(b, c, n, d) + z, estimate + 1e-9, 1 - 1e-6, xtol=1e-14
        )
        assert ends(result) == pytest.approx((low, high), abs=1e-8)

    @given(tables)
    def test_tango_for_equal_error_rates_is_mcnemar(self, cells):
        counts = counts_of(*cells)
        known = mcnemar(counts, kind="chi2")
        result = paired_proportions(counts)
        assert result.statistic**2 == pytest.approx(known.statistic, rel=1e-9, abs=1e-12)
        assert result.pvalue == pytest.approx(known.pvalue, rel=1e-9)

    def test_tango_of_discordant_examples_alone_is_wilson(self):
        low, high = proportion.proportion_confint(9, 13, 0.05, "wilson")
        result = paired_proportions(Discordance(9, 4))
        assert ends(result) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-12)

    @given(tables, levels)
    def test_newcombe_by_hand(self, cells, level):
        known = newcombe_by_hand(*cells, level)
        assert ends(
            paired_proportions(counts_of(*cells), level=level, kind="newcombe")
        ) == pytest.approx(known, abs=1e-7)

    @given(tables, st.sampled_from(PAIRED_KINDS), levels, alternatives, st.floats(-1.0, 1.0))
    def test_interval_and_test_agree(self, cells, kind, level, alternative, null):
        counts = counts_of(*cells)
        require_agreement(
            lambda **r: paired_proportions(counts, kind=kind, **r),
            -1.0,
            1.0,
            level,
            alternative,
            null,
        )

    @given(tables, st.sampled_from(PAIRED_KINDS), levels, st.floats(-1.0, 1.0))
    def test_swapped_models(self, cells, kind, level, null):
        both, b, c, neither = cells
        one = paired_proportions(counts_of(*cells), kind=kind, level=level, null=null)
        other = paired_proportions(
            counts_of(both, c, b, neither), kind=kind, level=level, null=-null
        )
        assert ends(other) == pytest.approx((-one.high, -one.low), abs=1e-9)
        assert other.pvalue == pytest.approx(one.pvalue, rel=1e-6, abs=1e-12)
        assert other.statistic == pytest.approx(-one.statistic, rel=1e-6, abs=1e-6)

    @given(tables, st.sampled_from(PAIRED_KINDS))
    def test_intervals_grow_with_the_level_around_the_estimate(self, cells, kind):
        counts = counts_of(*cells)
        grown = [
            ends(paired_proportions(counts, kind=kind, level=level))
            for level in (0.1, 0.5, 0.9, 0.99, 0.9999)
        ]
        lows, highs = zip(*grown, strict=True)
        assert list(lows) == sorted(lows, reverse=True)
        assert list(highs) == sorted(highs)
        assert lows[0] <= counts.difference <= highs[0]

    @given(
        tables,
        st.sampled_from(PAIRED_KINDS),
        st.lists(st.integers(-999, 999), min_size=2, max_size=6),
    )
    def test_one_sided_p_values_move_with_the_null(self, cells, kind, nulls):
        p = [
            paired_proportions(
                counts_of(*cells), kind=kind, null=null / 999, alternative="greater"
            ).pvalue
            for null in sorted(nulls)
        ]
        assert p == sorted(p)

    @pytest.mark.parametrize("n", [1, 20, 1000])
    def test_no_example_on_which_just_one_errs(self, n):
        """Tango's interval is then known in closed form: d/(1 - d) = z^2/n."""
        result = paired_proportions(Discordance(0, 0, n, 0))
        edge = stats.norm.ppf(0.975) ** 2
        assert ends(result) == pytest.approx((-edge / (n + edge), edge / (n + edge)), rel=1e-9)
        assert (result.estimate, result.statistic, result.pvalue, result.notes) == (
            0.0,
            0.0,
            1.0,
            (),
        )
        newcombe = paired_proportions(Discordance(0, 0, n, 0), kind="newcombe")
        assert (newcombe.statistic, newcombe.pvalue) == (0.0, 1.0)
        assert newcombe.low < 0.0 < newcombe.high

    @pytest.mark.parametrize("kind", PAIRED_KINDS)
    def test_one_model_is_always_wrong_and_the_other_never(self, kind):
        result = paired_proportions(Discordance(12, 0, 12, 0), kind=kind)
        assert (result.estimate, result.high) == (1.0, 1.0)
        if kind == "tango":
            edge = stats.norm.ppf(0.975) ** 2
            assert result.low == pytest.approx((12 - edge) / (12 + edge), rel=1e-9)
        assert paired_proportions(Discordance(12, 0, 12, 0), kind=kind, null=1.0).pvalue == 1.0

    @pytest.mark.parametrize("kind", PAIRED_KINDS)
    def test_nulls_at_the_ends_of_what_can_be(self, kind):
        for null, sign in ((1.0, -1), (-1.0, 1)):
            result = paired_proportions(Discordance(3, 2, 30, 4), kind=kind, null=null)
            assert (result.statistic, result.pvalue) == (
                sign * math.inf,
                pytest.approx(0.0, abs=1e-300),
            )

    @pytest.mark.parametrize("kind", PAIRED_KINDS)
    def test_millions_of_examples(self, kind):
        result = paired_proportions(Discordance(2_001_000, 2_000_000, 10**9, 10**6), kind=kind)
        reach = stats.norm.ppf(0.975) * result.se
        assert ends(result) == pytest.approx((1e-6 - reach, 1e-6 + reach), rel=2e-3)

    @pytest.mark.parametrize("null", [-1.01, 1.5, math.nan, math.inf, "0", None])
    def test_nulls_that_are_no_differences_are_refused(self, null):
        with refused("null"):
            paired_proportions(Discordance(1, 2, 10), null=null)

    @pytest.mark.parametrize("counts", [Discordance(1, 2, 10), Discordance(1, 2, both=3)])
    def test_newcombe_needs_to_know_on_how_many_both_err(self, counts):
        with pytest.raises(InvalidInputError):
            paired_proportions(counts, kind="newcombe")

    def test_an_unknown_kind_is_refused(self):
        with refused("kind"):
            paired_proportions(Discordance(1, 2, 10), kind="wald")


@pytest.fixture(scope="module")
def table():
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    models = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB()}
    return errbar.run(
        models, X, y, plan=errbar.plans.Holdout(n_test=0.3), loss="zero-one", random_state=3
    )


def tally(table):
    """Counts from the stored predictions, one example at a time."""
    found = {"tree": 0, "bayes": 0, "both": 0, "n": 0}
    for position, example in enumerate(table.cells.example):
        truth = table.target.values[example]
        tree, bayes = (table.predictions[k]["label"][position] != truth for k in (0, 1))
        found["n"] += 1
        found["both"] += bool(tree and bayes)
        found["tree"] += bool(tree and not bayes)
        found["bayes"] += bool(bayes and not tree)
    return found


class TestTables:
    def test_pairs_on_real_data(self, table):
        found = tally(table)
        b, c, n, both = found["tree"], found["bayes"], found["n"], found["both"]
        assert n == 170
        assert min(b, c) > 0
        exact = errbar.infer(table, "mcnemar", "tree", minus="bayes")
        assert exact.pvalue == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-10)
        assert (exact.estimate, exact.n_train) == (pytest.approx((b - c) / n), 399)
        score = errbar.infer(table, "paired-proportions", "tree", minus="bayes")
        assert score.statistic == pytest.approx((b - c) / math.sqrt(b + c), rel=1e-12)
        newcombe = errbar.infer(table, "paired-proportions", "tree", minus="bayes", kind="newcombe")
        known = newcombe_by_hand(both, b, c, n - both - b - c, 0.95)
        assert ends(newcombe) == pytest.approx(known, abs=1e-9)

    def test_a_single_model_on_real_data(self, table):
        found = tally(table)
        result = errbar.infer(table, "binomial", "tree", kind="clopper-pearson")
        known = stats.binomtest(found["tree"] + found["both"], 170).proportion_ci(method="exact")
        assert ends(result) == pytest.approx((known.low, known.high), abs=1e-12)

    def test_paired_data_taken_for_independent_carry_a_note(self, table):
        found = tally(table)
        result = errbar.infer(table, "two-proportion-z", "tree", minus="bayes")
        rates = [(found[name] + found["both"]) / 170 for name in ("tree", "bayes")]
        assert result.se == pytest.approx(
            math.sqrt(sum(e * (1 - e) / 170 for e in rates)), rel=1e-12
        )
        assert [note.code for note in result.notes] == ["taken-as", "fixed-seed"]
        assert not two_proportion_z(TwoSamples(*[x for e in rates for x in (e, 170)])).notes

    def test_methods_find_their_partners(self, table):
        with pytest.raises(InvalidInputError):
            errbar.infer(table, "mcnemar", "tree")
        with pytest.raises(InvalidInputError):
            errbar.infer(table, "binomial", "tree", minus="bayes")

    def test_other_losses_are_refused(self):
        with pytest.raises(InvalidInputError):
            errbar.infer(
                errbar.from_losses({"a": [0, 1], "b": [1, 1]}, metric="brier"),
                "mcnemar",
                "a",
                minus="b",
            )
        halves = errbar.from_losses({"a": [0, 0.5, 1], "b": [0, 1, 1]}, metric="zero-one")
        for method in ("mcnemar", "paired-proportions", "two-proportion-z"):
            with pytest.raises(InvalidInputError):
                errbar.infer(halves, method, "a", minus="b")

    def test_losses_from_elsewhere(self):
        losses = {"a": [1, 1, 0, 0, 1, 0, 1, 1], "b": [0, 1, 0, 0, 0, 1, 0, 0]}
        known = mcnemar(Discordance(4, 1, 8, 1))
        table = errbar.from_losses(losses, metric="zero-one")
        found = errbar.infer(table, "mcnemar", "a", minus="b")
        assert (found.se, found.interval, found.pvalue) == (known.se, known.interval, known.pvalue)

    def test_comparisons_use_the_method_for_pairs_and_its_partner_for_each(self, table):
        found = tally(table)
        comparison = compare_table(table, method="mcnemar", kind="mid-p")
        less, greater = mid_p(found["tree"], found["tree"] + found["bayes"], 0.5)
        assert comparison.pairs[0].result.pvalue == pytest.approx(
            min(1.0, 2 * min(less, greater)), rel=1e-10
        )
        assert comparison.learners["tree"] == errbar.infer(table, "binomial", "tree")


def test_the_arc_tangent_is_no_loss_at_high_levels():
    """Ends at a level of 1 - 1e-12 still solve z(d) = -z."""
    z = -special.ndtri(0.5e-12)
    result = paired_proportions(Discordance(14, 9, 80), level=1 - 1e-12)
    assert searched_z(14, 9, 80, result.low) == pytest.approx(z, rel=1e-4)
