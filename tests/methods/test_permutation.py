"""The sign-flip test: Fisher's own numbers, SciPy, all flips by loops, and exactness of its size."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale

import errbar
from errbar import InvalidInputError, Losses, UnsuitablePlanError
from errbar.methods import permutation
from errbar.plans import Holdout
from tests.bands import binomial_band

# Fisher (1935), The Design of Experiments, section 21: Darwin's maize, cross- minus self-fertilised, eighths of an inch.
# Of the 2^15 flips 1726 give a sum as far from 0 as the observed 314: 5.267 %.
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def loop_pvalues(differences, null):
    """One-sided p-values from all flips of signs, and the two-sided one."""
    values = [d - null for d in differences]
    observed = sum(values)
    slack = 1e-9 * max(map(abs, values))
    sums = [
        sum(s * v for s, v in zip(signs, values, strict=True))
        for signs in itertools.product((1, -1), repeat=len(values))
    ]
    greater = sum(total >= observed - slack for total in sums) / len(sums)
    less = sum(total <= observed + slack for total in sums) / len(sums)
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}


class TestFisher:
    def test_by_random_flips(self):
        result = permutation(Losses(DARWIN), resamples=400_000)
        # four standard errors of a share of 400000
        assert result.pvalue == pytest.approx(0.05267, abs=4 * 2 * math.sqrt(0.0263 / 400_000))
        assert result.estimate == pytest.approx(314 / 15)

    def test_by_all_flips_of_his_count(self):
        """The loop oracle of these tests finds his 863 of 32768."""
        assert loop_pvalues(DARWIN, 0.0)["greater"] * 2**15 == 863

    def test_interval(self):
        """He notes that Student's t is nearly the same: 5.32 % there."""
        result = permutation(Losses(DARWIN))
        expected = stats.ttest_1samp(DARWIN, 0.0).confidence_interval()
        assert (result.low, result.high) == pytest.approx((expected.low, expected.high), abs=1.5)


class TestAllFlips:
    @pytest.mark.parametrize("n", [2, 5, 9, 12])
    @pytest.mark.parametrize("null", [0.0, 0.3, -1.0])
    def test_plain_loops(self, rng, n, null):
        differences = rng.normal(0.4, 1.0, size=n)
        for alternative, p in loop_pvalues(differences, null).items():
            assert permutation(
                Losses(differences), null=null, alternative=alternative
            ).pvalue == pytest.approx(p)

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_scipy(self, rng, alternative):
        differences = rng.normal(0.4, 1.0, size=10)
        expected = stats.permutation_test(
            (differences,),
            np.mean,
            permutation_type="samples",
            n_resamples=np.inf,
            alternative=alternative,
        )
        assert permutation(Losses(differences), alternative=alternative).pvalue == pytest.approx(
            expected.pvalue
        )

    @given(st.lists(st.integers(-3, 3), min_size=2, max_size=8), st.integers(-3, 3))
    def test_ties_and_zeros(self, differences, null):
        for alternative, p in loop_pvalues(differences, null).items():
            found = permutation(Losses(differences), null=null, alternative=alternative).pvalue
            assert found == pytest.approx(p, rel=1e-12)

    @pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_the_interval_holds_just_the_nulls_that_are_not_rejected(self, rng, level, alternative):
        differences = rng.normal(0.4, 1.0, size=9)
        result = permutation(Losses(differences), level=level, alternative=alternative)
        for null in rng.normal(0.4, 1.0, size=40):
            rejected = loop_pvalues(differences, null)[alternative] < 1 - level
            assert rejected == (not result.low <= null <= result.high)

    @pytest.mark.parametrize("level", [0.9, 0.95])
    def test_its_ends_are_means_of_subsets(self, rng, level):
        """Hartigan: the k-th smallest and largest of the 2^n - 1 means of sets that are not empty."""
        differences = rng.normal(size=8)
        sets = [s for r in range(1, 9) for s in itertools.combinations(differences, r)]
        means = sorted(sum(s) / len(s) for s in sets)
        k = math.ceil(256 * (1 - level) / 2) - 1
        result = permutation(Losses(differences), level=level)
        assert (result.low, result.high) == pytest.approx((means[k - 1], means[-k]), rel=1e-12)


class TestRandomFlips:
    def test_against_all_flips(self):
        differences = np.random.default_rng(3).normal(0.35, 1.0, size=16)
        for alternative, p in loop_pvalues(differences, 0.0).items():
            found = permutation(
                Losses(differences), alternative=alternative, resamples=100_000
            ).pvalue
            assert found == pytest.approx(p, abs=8 * math.sqrt(p / 100_000))

    def test_it_is_never_zero(self):
        result = permutation(Losses(np.arange(1.0, 31.0)), resamples=999)
        assert result.pvalue == 2 / 1000

    def test_zero_one_losses_against_mcnemar(self):
        """The exact test of 30 against 12 discordant examples, among a thousand."""
        differences = np.repeat([1.0, -1.0, 0.0], [30, 12, 958])
        expected = stats.binomtest(30, 42).pvalue
        found = permutation(Losses(differences), resamples=200_000).pvalue
        assert found == pytest.approx(expected, abs=8 * math.sqrt(expected / 200_000))

    def test_many_examples_agree_with_the_t(self):
        differences = np.random.default_rng(0).gamma(2.0, size=2000) - 1.95
        result, expected = permutation(Losses(differences)), stats.ttest_1samp(differences, 0.0)
        assert result.pvalue == pytest.approx(expected.pvalue, abs=0.02)
        interval = expected.confidence_interval()
        assert (result.low, result.high) == pytest.approx(
            (interval.low, interval.high), abs=0.15 * result.se
        )
        assert (result.estimate, result.statistic) == pytest.approx(
            (differences.mean(), expected.statistic), rel=1e-10
        )

    def test_a_seed_gives_the_same_bits(self):
        view = Losses(DARWIN)
        assert permutation(view, random_state=3) == permutation(view, random_state=3)
        assert (
            permutation(view, random_state=3).interval != permutation(view, random_state=4).interval
        )

    @pytest.mark.long
    def test_its_size(self):
        """Symmetric differences: rejections are as frequent as they say, by all flips and by random ones."""
        rng = np.random.default_rng(8)
        # Without ties the p-value is at most 0.05 for 12 of 2^9 flips on each side, or for 10 of 400.
        for n, size in ((9, 24 / 512), (20, 0.05)):
            samples = rng.standard_t(2, size=(1200, n))
            rejected = sum(
                permutation(Losses(sample), resamples=399).pvalue <= 0.05 for sample in samples
            )
            low, high = binomial_band(1200, size)
            assert low <= rejected <= high


def codes(result):
    return [note.code for note in result.notes]


class TestHostileInput:
    def test_few_examples_cannot_be_significant(self):
        result = permutation(Losses([1.0, 1.1, 1.2, 1.3, 1.4]))
        assert result.pvalue == 2 / 32
        assert result.interval == (-math.inf, math.inf)
        assert "unbounded" in codes(result)
        assert "unbounded" not in codes(permutation(Losses([1.0, 1.1, 1.2, 1.3, 1.4, 1.5])))

    def test_a_one_sided_interval_is_unbounded_on_one_side(self):
        result = permutation(Losses(DARWIN), alternative="greater")
        assert math.isfinite(result.low)
        assert result.high == math.inf
        assert "unbounded" not in codes(result)

    @pytest.mark.parametrize("n", [6, 50])
    def test_equal_differences(self, n):
        result = permutation(Losses(np.full(n, 0.1)))
        assert result.se == 0.0
        assert result.statistic == math.inf
        assert result.pvalue == 2 / 64 if n == 6 else result.pvalue == pytest.approx(2 / 10_000)
        assert result.degenerate
        assert permutation(Losses(np.full(n, 0.1)), null=0.1).pvalue == 1.0
        assert result.interval == pytest.approx((0.1, 0.1))

    def test_no_difference_at_all(self):
        result = permutation(Losses(np.zeros(20)))
        assert (result.estimate, result.statistic, result.pvalue) == (0.0, 0.0, 1.0)
        assert result.interval == (0.0, 0.0)

    @pytest.mark.parametrize("size", [1e-140, 1e-9, 1e9, 1e140])
    def test_sizes_do_not_matter(self, size):
        usual, result = permutation(Losses(DARWIN)), permutation(Losses(size * np.array(DARWIN)))
        assert result.pvalue == usual.pvalue
        assert (result.low / size, result.high / size) == pytest.approx(
            (usual.low, usual.high), rel=1e-12
        )

    @pytest.mark.parametrize("bad", [math.nan, math.inf, 1e300])
    def test_differences_that_cannot_be_used(self, bad):
        with pytest.raises(InvalidInputError):
            Losses([bad, 0.2])

    def test_differences_too_small_to_square(self):
        with pytest.raises(InvalidInputError):
            permutation(Losses([1e-300, 2e-300]))

    @pytest.mark.parametrize(
        ("option", "bad"),
        [
            ("resamples", 0),
            ("resamples", 9.0),
            ("level", 1.0),
            ("null", None),
            ("alternative", ""),
            ("random_state", 0.5),
        ],
    )
    def test_options(self, option, bad):
        with pytest.raises(InvalidInputError):
            permutation(Losses(DARWIN), **{option: bad})

    def test_several_splits(self):
        with pytest.raises(UnsuitablePlanError):
            permutation(Losses([0.1, 0.2], fold=[0, 1]))


class TestThroughTheWholeWay:
    X, y = load_breast_cancer(return_X_y=True)
    learners = {"bayes": GaussianNB(), "1-NN": KNeighborsClassifier(1)}  # noqa: RUF012 - never changed

    def test_by_hand(self):
        plan = Holdout(n_test=0.3)
        comparison = errbar.compare(
            self.learners,
            scale(self.X),
            self.y,
            method="permutation",
            plan=plan,
            random_state=2,
            resamples=50_000,
        )
        split = next(iter(plan.splits(len(self.y), 2)))
        X = scale(self.X)
        wrong = [
            clone(learner).fit(X[split.train], self.y[split.train]).predict(X[split.test])
            != self.y[split.test]
            for learner in self.learners.values()
        ]
        b, c = int((wrong[0] & ~wrong[1]).sum()), int((wrong[1] & ~wrong[0]).sum())
        pair = comparison.pairs[0].result
        assert pair.estimate == pytest.approx((b - c) / split.test.size)
        expected = min(
            1.0, 2 * min(stats.binom.cdf(b, b + c, 0.5), stats.binom.sf(b - 1, b + c, 0.5))
        )
        assert pair.pvalue == pytest.approx(expected, abs=0.02)
        assert {result.method for result in comparison.learners.values()} == {"bootstrap"}

    def test_a_single_learner_is_refused(self):
        with pytest.raises(InvalidInputError):
            errbar.evaluate(GaussianNB(), self.X, self.y, method="permutation", random_state=0)
