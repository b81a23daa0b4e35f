"""The bootstrap and the sign-flip test against their exact laws, plain loops and SciPy."""

import math
import tracemalloc
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

import errbar
from errbar import Losses
from errbar.methods._core import resample
from errbar.methods._core.resample import acceleration, bootstrap_means, flip_means
from errbar.methods.distributions import (
    Bootstrapped,
    ConfidenceDistribution,
    Pivot,
    basic,
    bca,
    least_resamples,
    mean,
    percentile,
)
from tests.refusals import refused

ALTERNATIVES = ("two-sided", "less", "greater")
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)

numbers = st.floats(-10.0, 10.0).map(lambda x: round(x, 6))
samples = st.lists(numbers, min_size=2, max_size=30).map(np.array)
alternatives = st.sampled_from(ALTERNATIVES)


def stream(seed=0):
    return np.random.default_rng(seed)


def bootstrap(values, resamples, rng):
    return Bootstrapped(mean(values), bootstrap_means(values, resamples, rng))


def normal(sample):
    return Pivot(sample.estimate, sample.se, None)


def same_law(one, other):
    """Two-sample tests of place, spread and shape, which equal laws fail once in a million seeds."""
    assert stats.ks_2samp(one, other, method="asymp").pvalue > 1e-6
    assert stats.ttest_ind(one, other, equal_var=False).pvalue > 1e-6
    ratio = one.var(ddof=1) / other.var(ddof=1)
    assert abs(math.log(ratio)) < 5.0 * math.sqrt(2.0 / one.size + 2.0 / other.size)


def plain_means(values, resamples, rng):
    """The bootstrap as every book has it."""
    return np.array(
        [values[rng.integers(0, values.size, values.size)].mean() for _ in range(resamples)]
    )


class TestLaw:
    """Whatever the path, the law of a mean is the bootstrap's."""

    def test_zero_one_losses_are_binomial(self, any_seed):
        n, ones = 40, 9
        values = np.repeat([0.0, 1.0], [n - ones, ones])
        found = np.rint(bootstrap_means(values, 20_000, stream(any_seed)) * n).astype(int)
        expected = 20_000 * stats.binom.pmf(np.arange(n + 1), n, ones / n)
        rare = expected < 10
        observed = np.bincount(found, minlength=n + 1)
        assert (
            stats.chisquare(
                np.append(observed[~rare], observed[rare].sum()),
                np.append(expected[~rare], expected[rare].sum()),
            ).pvalue
            > 1e-6
        )

    def test_few_distinct_values_are_multinomial(self, any_seed):
        """Differences of 0-1 losses, by binomial draws one after the other."""
        values = np.repeat([-1.0, 0.0, 1.0], [300, 500, 200])
        assert resample.kinds_of(values, 128) is not None
        found = bootstrap_means(values, 20_000, stream(any_seed))
        same_law(found, plain_means(values, 6_000, stream(any_seed + 1)))
        assert found.std(ddof=1) == pytest.approx(values.std() / math.sqrt(1000), rel=0.03)

    @pytest.mark.parametrize("n", [1, 2, 7, 255, 256, 257, 513, 700])
    def test_other_values_are_drawn_one_by_one_or_two_by_two(self, n, any_seed):
        values = np.exp(stream(5).normal(size=n))
        found = bootstrap_means(values, 6_000, stream(any_seed))
        if n == 1:
            assert (found == values).all()
        else:
            same_law(found, plain_means(values, 6_000, stream(any_seed + 1)))

    def test_every_resample_of_three_values_has_its_probability(self, any_seed):
        values = np.array([0.0, 1.0, 10.0])
        found = np.rint(bootstrap_means(values, 27_000, stream(any_seed)) * 3).astype(int)
        exact = [sum(draw) for draw in product((0, 1, 10), repeat=3)]
        sums, expected = np.unique(exact, return_counts=True)
        observed = [(found == one).sum() for one in sums]
        assert sum(observed) == found.size
        assert stats.chisquare(observed, expected * 1000).pvalue > 1e-6

    def test_every_value_of_a_full_chunk_is_drawn_as_often(self, any_seed):
        """The sum of two even draws of 0 to 255 is triangular, up to its steps of 1; a single draw is even."""
        chunk = np.arange(256.0)
        bits = resample.random_bits(stream(any_seed))
        pairs = [
            resample._sums_of_draws(chunk, np.array([2] * 5_000), bits, stream(any_seed))
            for _ in range(8)
        ]
        sums = np.concatenate(pairs)
        assert stats.kstest(sums, stats.triang(0.5, loc=-1, scale=512).cdf).pvalue > 1e-6
        odd = resample._sums_of_draws(chunk, np.ones(20_000, dtype=int), bits, stream(any_seed))
        assert stats.chisquare(np.bincount(odd.astype(int), minlength=256)).pvalue > 1e-6

    def test_moments_are_those_of_theory(self, any_seed):
        """Mean, variance m2/n and third moment m3/n^2 of the bootstrap mean."""
        values = stream(3).gamma(0.5, size=1000)
        deviations = values - values.mean()
        found = bootstrap_means(values, 40_000, stream(any_seed))
        se = math.sqrt((deviations**2).mean() / 1000)
        assert found.mean() == pytest.approx(values.mean(), abs=5 * se / 200)
        assert found.std(ddof=1) == pytest.approx(se, rel=5 / math.sqrt(80_000))
        skewness = (deviations**3).mean() / (deviations**2).mean() ** 1.5 / math.sqrt(1000)
        assert stats.skew(found) == pytest.approx(skewness, abs=5 * math.sqrt(6 / 40_000))

    def test_a_statistic_is_taken_of_resamples(self, any_seed):
        values = stream(2).normal(size=60)
        by_rows, by_loop = (
            errbar.methods.bootstrap(
                Losses(values), statistic=statistic, resamples=4_000, random_state=any_seed
            )
            for statistic in (
                np.median,
                lambda sample: sorted(sample)[29] / 2 + sorted(sample)[30] / 2,
            )
        )
        assert (by_rows.se, by_rows.interval) == (by_loop.se, by_loop.interval)
        rng = stream(any_seed + 1)
        plain = [np.median(rng.choice(values, 60)) for _ in range(4_000)]
        assert by_rows.se == pytest.approx(np.std(plain, ddof=1), rel=0.1)

    def test_resamples_do_not_repeat(self):
        found = bootstrap_means(stream(0).normal(size=1000), 5_000, stream(0))
        assert np.unique(found).size == found.size
        assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 0.07


class TestForm:
    """What holds for every seed."""

    @pytest.mark.parametrize("n", [5, 40, 1000])
    @pytest.mark.parametrize("kind", ["zero-one", "grades", "continuous"])
    def test_the_same_seed_gives_the_same_bits(self, n, kind):
        rng = stream(n)
        values = {
            "zero-one": rng.integers(0, 2, n),
            "grades": rng.integers(0, 4, n),
            "continuous": rng.normal(size=n),
        }
        one, other = (bootstrap_means(values[kind].astype(float), 50, stream(1)) for _ in range(2))
        assert one.tobytes() == other.tobytes()
        assert not np.array_equal(one, bootstrap_means(values[kind].astype(float), 50, stream(2)))

    @pytest.mark.parametrize("n", [5, 40, 1000])
    @pytest.mark.parametrize("kind", ["zero-one", "grades", "continuous"])
    def test_scale_shift_sign_and_order_change_nothing_else(self, n, kind):
        rng = stream(n)
        values = {
            "zero-one": rng.permutation(np.arange(n) % 5 == 0),
            "grades": rng.binomial(4, 0.2, n),
            "continuous": rng.gamma(1.0, size=n),
        }
        values = values[kind].astype(float)
        found = bootstrap_means(values, 200, stream(1))
        for factor, offset in ((3.0, 0.0), (1.0, 0.3), (-1.0, 0.0), (-0.01, 5.0)):
            moved = bootstrap_means(rng.permutation(factor * values + offset), 200, stream(1))
            assert moved == pytest.approx(factor * found + offset, rel=1e-9, abs=1e-9)

    def test_means_of_whole_numbers_are_exact(self):
        """So that a null such as 0.1 meets the resamples that are 0.1."""
        for values in (
            np.repeat([0.0, 1.0], [90, 10]),
            np.repeat([-1.0, 0.0, 1.0], 500),
            stream(0).integers(0, 200, 300).astype(float),
        ):
            found = bootstrap_means(values, 500, stream(0))
            assert np.array_equal(found, np.rint(found * values.size) / values.size)

    @pytest.mark.parametrize("value", [0.0, 0.1, -3e300, 1e-310])
    def test_equal_values_have_equal_means(self, value):
        sample = bootstrap(np.full(7, value), 100, stream())
        assert (sample.distribution == value).all()
        assert sample.se == 0.0
        assert sample.estimate == pytest.approx(value, rel=1e-15)

    @pytest.mark.parametrize("size", [1e300, 1e-300])
    def test_sizes_at_the_edge_of_the_numbers(self, size):
        values = stream(0).normal(size=300)
        with np.errstate(all="raise", under="ignore"):
            sample = bootstrap(values * size, 500, stream(0))
            assert sample.se / size == pytest.approx(bootstrap(values, 500, stream(0)).se, rel=1e-9)
            assert sample.bias / size == pytest.approx(
                bootstrap(values, 500, stream(0)).bias, rel=1e-6
            )
            assert acceleration(values * size) == pytest.approx(acceleration(values), rel=1e-9)
            law = flip_means(values * size, 500, stream(0))
        assert law.pvalue(0.0, "less") == flip_means(values, 500, stream(0)).pvalue(0.0, "less")

    def test_the_input_stays_as_it_is(self):
        for values in (stream(0).normal(size=50), -stream(0).gamma(1.0, size=50)):
            values.setflags(write=False)
            before = values.copy()
            bootstrap_means(values, 10, stream())
            errbar.methods.bootstrap(
                Losses(values), statistic=lambda sample: sample.sort() or sample[0], resamples=10
            )
            flip_means(values, 10, stream())
            assert np.array_equal(values, before)

    def test_memory_is_bounded(self):
        """Under three times the input and a block, for as many resamples as one likes."""
        values = stream(0).normal(size=100_000)
        block = 8 * 2**16
        tracemalloc.start()
        try:
            found = bootstrap_means(values, 300, stream(0))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 3 * values.nbytes + block
        assert found.std() == pytest.approx(values.std() / math.sqrt(values.size), rel=0.1)


class TestStatistic:
    """What a statistic may be."""

    @pytest.mark.parametrize(
        "statistic",
        [
            lambda sample: math.nan,
            lambda sample: 1.0 / (sample.max() - sample.max()),
            lambda sample: sample,
            lambda sample: "many",
            lambda sample: sample.no_such,
            lambda sample, axis: 1.0,
            lambda sample, axis: sample.mean(axis=0),
            lambda: 1.0,
            lambda sample: None,
            lambda sample: 1j,
            lambda sample, axis: sample.mean(axis=axis) + 1j,
        ],
    )
    def test_one_that_cannot_be_used_is_refused_by_name(self, statistic):
        with refused("statistic"):
            errbar.methods.bootstrap(Losses(np.arange(8.0)), statistic=statistic, resamples=20)

    def test_builtin_functions_serve(self):
        result = errbar.methods.bootstrap(Losses([3.0, 1.0, 2.0]), statistic=max, resamples=500)
        assert (result.estimate, result.low, result.high) == (3.0, 1.0, 3.0)

    def test_acceleration_is_that_of_the_jackknife(self):
        values = stream(0).gamma(1.0, size=50)
        jackknifed = np.array([np.delete(values, i).mean() for i in range(50)])
        u = jackknifed.mean() - jackknifed
        assert acceleration(values) == pytest.approx(
            (u**3).sum() / (6 * (u**2).sum() ** 1.5), rel=1e-9
        )
        assert acceleration(-jackknifed) == pytest.approx(acceleration(values), rel=1e-9)
        assert acceleration(-values) == pytest.approx(-acceleration(values), rel=1e-12)
        assert acceleration(np.full(9, 0.1)) == 0.0

    def test_bca_of_a_statistic_uses_its_jackknife(self):
        values = stream(0).gamma(1.0, size=50)
        of_mean, of_function = (
            errbar.methods.bootstrap(
                Losses(values), kind="bca", statistic=statistic, random_state=1
            ).interval
            for statistic in ("mean", np.mean)
        )
        assert of_function == pytest.approx(of_mean, abs=0.02)


class TestBootstrapped:
    def test_error_and_bias_are_those_of_efron_and_tibshirani(self):
        sample = Bootstrapped(2.0, np.array([1.0, 2.5, 4.0, 3.5]))
        assert sample.se == pytest.approx(
            math.sqrt(((1 - 2.75) ** 2 + 0.25**2 + 1.25**2 + 0.75**2) / 3)
        )
        assert sample.bias == pytest.approx(0.75)

    def test_mlxtend_percentile_of_a_mean(self):
        """mlxtend's tests of `bootstrap` on 100 normal numbers, RandomState(123): mean 5.03, se 0.11, 95 % [4.8, 5.26]."""
        values = np.random.RandomState(123).normal(loc=5.0, size=100)
        sample = bootstrap(values, 9_999, stream(0))
        low, high = percentile(sample).interval(0.95, "two-sided")
        assert sample.estimate == pytest.approx(5.02710907349036, abs=1e-12)
        assert sample.se == pytest.approx(0.11424913005131243, abs=0.005)
        assert (low, high) == pytest.approx((4.804439668238974, 5.257622739784622), abs=0.02)

    def test_the_bias_of_the_plug_in_variance(self):
        """It is known: -variance/n, in the bootstrap world as well."""
        losses = Losses(stream(4).normal(size=20))
        plain, corrected = (
            errbar.methods.bootstrap(losses, statistic=np.var, bias_corrected=corrected)
            for corrected in (False, True)
        )
        bias = plain.estimate - corrected.estimate
        assert bias == pytest.approx(-losses.value.var() / 20, abs=5 * plain.se / math.sqrt(10_000))


class TestIntervals:
    """Order statistics, and p-values that agree."""

    @pytest.mark.parametrize(
        ("resamples", "ranks"),
        [(1000, (50, 951)), (1001, (50, 952)), (10_000, (500, 9501)), (20, (1, 20))],
    )
    def test_order_statistics(self, resamples, ranks):
        """Five percent on each side: the 50th of 1000 from either end."""
        law = percentile(Bootstrapped(0.0, stream(0).permutation(np.arange(1.0, resamples + 1))))
        assert law.interval(0.9, "two-sided") == ranks
        assert law.interval(0.95, "greater") == (ranks[0], math.inf)
        assert law.interval(0.95, "less") == (-math.inf, ranks[1])

    def test_pvalues_count_the_observed_one_too(self):
        law = percentile(Bootstrapped(0.0, np.arange(1.0, 100.0)))
        assert law.pvalue(0.5, "greater") == 1 / 100
        assert law.pvalue(3.0, "greater") == 4 / 100
        assert law.pvalue(3.0, "less") == 98 / 100
        assert law.pvalue(3.0, "two-sided") == 8 / 100
        assert law.pvalue(1e9, "greater") == 1.0 == law.pvalue(-1e9, "less")
        assert law.pvalue(50.0, "two-sided") == 1.0

    @given(
        st.lists(st.integers(-6, 6), min_size=2, max_size=300),
        st.integers(-13, 13),
        st.sampled_from(LEVELS),
        alternatives,
        st.integers(0, 3),
        st.floats(-0.3, 0.3),
        st.floats(-0.9, 0.9),
    )
    def test_a_null_is_outside_exactly_if_it_is_rejected(
        self, values, half, level, alternative, kind, a, estimate
    ):
        """Also with many ties, at the ends themselves, and with constants of BCa that nobody would meet."""
        sample = Bootstrapped(estimate, np.array(values, dtype=float))
        law = (percentile(sample), basic(sample), bca(sample, a), bca(sample, 0.0))[kind]
        ends = law.interval(level, alternative)
        for null in (half / 2, *(end for end in ends if math.isfinite(end))):
            outside = not ends.low <= null <= ends.high
            assert outside == (law.pvalue(null, alternative) < 1.0 - level)

    @given(st.integers(2, 3000), st.floats(0.01, 0.999), alternatives)
    def test_enough_resamples_are_just_enough(self, resamples, level, alternative):
        ends = percentile(Bootstrapped(0.0, np.arange(float(resamples)))).interval(
            level, alternative
        )
        bounded = sum(map(math.isfinite, ends)) == (2 if alternative == "two-sided" else 1)
        assert bounded == (resamples >= least_resamples(level, alternative))
        assert ends.low <= ends.high

    def test_basic_is_the_percentile_interval_reflected(self):
        sample = Bootstrapped(3.0, stream(0).gamma(1.0, size=999))
        direct, turned = percentile(sample), basic(sample)
        for alternative, other in (
            ("two-sided", "two-sided"),
            ("less", "greater"),
            ("greater", "less"),
        ):
            low, high = direct.interval(0.9, other)
            assert turned.interval(0.9, alternative) == pytest.approx(
                (6.0 - high, 6.0 - low), rel=1e-12
            )
            for null in (1.0, 2.3, 4.0, 5.5):
                assert turned.pvalue(null, alternative) == direct.pvalue(6.0 - null, other)

    @pytest.mark.parametrize("kind", ["percentile", "basic", "BCa"])
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("level", [0.8, 0.95])
    def test_scipy_on_the_same_distribution(self, kind, alternative, level):
        """scipy.stats.bootstrap given the distribution; it interpolates between order statistics."""
        values = stream(7).gamma(0.7, size=60)
        sample = bootstrap(values, 9_999, stream(0))
        given_away = SimpleNamespace(
            bootstrap_distribution=sample.distribution, standard_error=sample.se
        )
        ends = stats.bootstrap(
            (values,),
            np.mean,
            n_resamples=0,
            bootstrap_result=given_away,
            method=kind,
            confidence_level=level,
            alternative=alternative,
        ).confidence_interval
        law = {
            "percentile": percentile,
            "basic": basic,
            "BCa": lambda s: bca(s, acceleration(values)),
        }[kind](sample)
        low, high = law.interval(level, alternative)
        for got, wanted in ((low, ends.low), (high, ends.high)):
            if math.isinf(wanted):
                assert got == wanted
                continue
            near = np.searchsorted(law.ordered, wanted)
            assert law.ordered[max(0, near - 3)] <= got <= law.ordered[min(near + 3, 9_998)]

    def test_bca_without_constants_is_the_percentile_interval(self):
        draws = stream(0).normal(size=1000)
        sample = Bootstrapped(float(np.median(draws)), draws)
        assert bca(sample, 0.0).centre == 0.0
        for alternative in ALTERNATIVES:
            assert bca(sample, 0.0).interval(0.9, alternative) == percentile(sample).interval(
                0.9, alternative
            )

    def test_bca_by_its_formula(self):
        """Ends at the levels Phi(z0 + (z0 + z)/(1 - a (z0 + z))), up to the next order statistic."""
        draws = np.sort(stream(0).gamma(3.0, size=4999))
        a, share = 0.05, 0.43
        sample = Bootstrapped(float(np.quantile(draws, share)), draws)
        law = bca(sample, a)
        z0 = law.centre
        assert z0 == pytest.approx(stats.norm.ppf((draws < sample.estimate).mean()), abs=1e-3)
        for level, alternative in product((0.5, 0.9, 0.99), ALTERNATIVES):
            alpha = (1 - level) / 2 if alternative == "two-sided" else 1 - level
            for end, z in zip(
                law.interval(level, alternative), stats.norm.ppf([alpha, 1 - alpha]), strict=True
            ):
                if math.isfinite(end):
                    wanted = stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
                    rank = 1 + np.searchsorted(draws, end)
                    assert rank / 5000 == pytest.approx(wanted, abs=1.0001 / 5000)

    def test_an_estimate_beyond_all_resamples_has_a_bca_interval(self):
        for estimate in (-5.0, 5.0):
            law = bca(Bootstrapped(estimate, stream(0).normal(size=999)), 0.02)
            assert math.isfinite(law.centre)
            assert 0.0 < law.pvalue(0.0, "two-sided") <= 1.0

    @given(samples, st.sampled_from(LEVELS), alternatives, numbers)
    def test_the_other_sign_gives_the_mirror_image(self, values, level, alternative, null):
        assume(abs(stats.skew(values)) > 1e-3 if np.ptp(values) > 1e-3 else False)
        opposite = {"two-sided": "two-sided", "less": "greater", "greater": "less"}[alternative]
        one, other = bootstrap(values, 99, stream(0)), bootstrap(-values, 99, stream(0))
        laws = [(law(one), law(other)) for law in (percentile, basic, normal)]
        for law, mirrored in [
            *laws,
            (bca(one, acceleration(values)), bca(other, acceleration(-values))),
        ]:
            low, high = law.interval(level, alternative)
            assert mirrored.interval(level, opposite) == pytest.approx(
                (-high, -low), rel=1e-9, abs=1e-9
            )
            assert mirrored.pvalue(-null, opposite) == pytest.approx(
                law.pvalue(null, alternative), abs=1e-9
            )

    def test_normal_is_the_pivot(self):
        law = normal(Bootstrapped(1.0, np.array([0.0, 1.0, 2.0])))
        assert law.se == 1.0
        assert law.interval(0.95, "two-sided") == pytest.approx(
            (1 - 1.959963984540054, 1 + 1.959963984540054)
        )
        assert law.pvalue(0.0, "greater") == pytest.approx(stats.norm.sf(1.0))

    def test_coverage_of_a_mean_is_near_nominal(self, rng):
        """300 samples of 100 exponential numbers: nine in ten intervals hold the mean, less what skewness costs."""
        hits = 0
        for _ in range(300):
            low, high = percentile(bootstrap(rng.exponential(size=100), 399, rng)).interval(
                0.9, "two-sided"
            )
            hits += low <= 1.0 <= high
        assert 0.80 < hits / 300 < 0.96


class TestFlips:
    """The sign-flip test."""

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("null", [0.0, 0.25, -0.4, 1.0])
    @pytest.mark.parametrize("n", [2, 9])
    def test_scipy_goes_through_all_signs(self, n, null, alternative):
        """scipy.stats.permutation_test(permutation_type="samples"), with all 2^n of them."""
        values = np.round(stream(n).normal(0.3, size=n), 1)
        known = stats.permutation_test(
            (values - null,),
            math.fsum,
            permutation_type="samples",
            n_resamples=np.inf,
            alternative=alternative,
        ).pvalue
        assert flip_means(values, 1, stream()).pvalue(null, alternative) == pytest.approx(
            min(1.0, known), abs=1e-12
        )

    @given(st.lists(st.integers(-5, 5), min_size=1, max_size=8), st.integers(-6, 6))
    def test_all_signs_by_a_plain_loop(self, values, null):
        shifted = [value - null for value in values]
        sums = [
            sum(s * v for s, v in zip(signs, shifted, strict=True))
            for signs in product((1, -1), repeat=len(values))
        ]
        law = flip_means(np.array(values, dtype=float), 1, stream())
        assert law.pvalue(null, "greater") == sum(one >= sum(shifted) for one in sums) / len(sums)
        assert law.pvalue(null, "less") == sum(one <= sum(shifted) for one in sums) / len(sums)

    @given(
        st.lists(numbers, min_size=1, max_size=25), st.sampled_from(LEVELS), alternatives, numbers
    )
    def test_a_null_is_outside_exactly_if_it_is_rejected(self, values, level, alternative, null):
        law = flip_means(np.array(values), 199, stream())
        ends = law.interval(level, alternative)
        for one in (null, *(end for end in ends if math.isfinite(end))):
            assert (not ends.low <= one <= ends.high) == (
                law.pvalue(one, alternative) < 1.0 - level
            )

    @pytest.mark.parametrize("kind", ["continuous", "few", "two"])
    def test_random_signs_come_near_a_plain_loop(self, kind, any_seed):
        rng = stream(11)
        values = {
            "continuous": rng.normal(0.1, size=83),
            "few": rng.choice([-1.0, 0.0, 1.0], 900, p=[0.15, 0.65, 0.2]),
            "two": np.repeat([0.0, 1.0], [30, 20]),
        }[kind]
        law = flip_means(values, 8_000, stream(any_seed))
        null = {"continuous": -0.05, "few": -0.01, "two": 0.3}[kind]
        signs = np.sign(stream(any_seed + 1).random((8_000, values.size)) - 0.5)
        sums = signs @ (values - null)
        plain = (1 + (sums >= (values - null).sum() - 1e-9).sum()) / 8_001
        assert law.pvalue(null, "greater") == pytest.approx(
            plain, abs=7 * math.sqrt(plain / 8_000) + 1e-4
        )
        assert law.always + law.ordered.size == 8_001

    def test_subsets_are_even(self, any_seed):
        """Each value is in half of the sets, and pairs of values are in a quarter."""
        values = 2.0 ** np.arange(20)
        sums, sizes = resample._random_subsets(values, 40_000, stream(any_seed))
        inside = sums.astype(np.int64)[:, None] >> np.arange(20) & 1
        assert np.array_equal(inside.sum(axis=1), sizes)
        together = inside.T @ inside / 40_000
        wanted = np.where(np.eye(20, dtype=bool), 0.5, 0.25)
        assert np.abs(together - wanted).max() < 6 * math.sqrt(0.25 / 40_000)

    def test_counted_subsets_are_even_too(self, any_seed):
        values = np.repeat([0.0, 1.0], [300, 700])
        sums, sizes = resample._random_subsets(values, 40_000, stream(any_seed))
        for drawn, count in ((sums, 700), (sizes - sums, 300)):
            assert drawn.mean() == pytest.approx(count / 2, abs=5 * math.sqrt(count / 4 / 40_000))
            assert drawn.var() == pytest.approx(count / 4, rel=0.05)

    def test_rounding_does_not_break_ties(self):
        """0.1 + 0.2 - 0.3 is not 0 in binary; in the test it is."""
        law = flip_means(np.array([0.1, 0.2, -0.3]), 1, stream())
        assert law.pvalue(0.0, "greater") == 5 / 8 == law.pvalue(0.0, "less")

    def test_the_empty_set_is_beyond_every_null(self):
        law = flip_means(np.array([1.0, 2.0, 3.0]), 1, stream())
        assert (law.always, law.ordered.tolist()) == (1, [1.0, 1.5, 2.0, 2.0, 2.0, 2.5, 3.0])
        assert law.pvalue(-1e9, "greater") == 1 / 8
        assert law.interval(0.95, "two-sided") == (-math.inf, math.inf)
        assert law.interval(0.8, "greater") == (1.0, math.inf)
        nothing = ConfidenceDistribution(np.array([]), always=3)
        assert nothing.pvalue(1.0, "two-sided") == 1.0
        assert nothing.interval(0.9, "less") == (-math.inf, math.inf)

    def test_differences_that_are_all_zero_reject_nothing_but_other_nulls(self):
        law = flip_means(np.zeros(40), 999, stream())
        assert law.pvalue(0.0, "two-sided") == 1.0
        assert law.pvalue(0.1, "two-sided") == pytest.approx(2 / 1000)

    def test_size_is_exact_where_the_hypothesis_holds(self, rng):
        """1000 symmetric samples: a test at 10 % rejects a tenth of them, whatever the tails."""
        rejected = sum(
            flip_means(rng.standard_cauchy(20), 199, rng).pvalue(0.0, "greater") <= 0.1
            for _ in range(1000)
        )
        assert stats.binomtest(rejected, 1000, 0.1).pvalue > 1e-6
