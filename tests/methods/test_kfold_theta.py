"""The five variance estimators of K-fold cross-validation: double sums, identities, biases, and the tests they give."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

import errbar
from errbar import InvalidInputError, Losses, UnsuitablePlanError
from errbar.methods import kfold_t, kfold_theta
from errbar.plans import KFold
from tests.bands import binomial_band
from tests.refusals import refused

NAMES = ("theta1", "theta2", "theta3", "theta4", "theta5")


def kfold_variance(losses):
    return SimpleNamespace(**errbar.methods.kfold_variance(losses))


def double_sums(e, fold):
    """s1, s2 and s3 by summing over all pairs."""
    n = len(e)
    m = n // len(set(fold))
    s1 = sum(x * x for x in e) / n
    s2 = s3 = 0.0
    for i, j in itertools.permutations(range(n), 2):
        if fold[i] == fold[j]:
            s2 += e[i] * e[j]
        else:
            s3 += e[i] * e[j]
    return s1, s2 / (n * (m - 1)), s3 / (n * (n - m))


def by_moments(s1, s2, s3, n, m):
    """The middle column of the table in section 2.4 of the design."""
    return {
        "theta1": s1 / n + (m - 1) / n * s2 + (n - m) / n * s3,
        "theta2": s1 / n - (n + 1 - m) / n * s2 + (n - m) / n * s3,
        "theta3": s1 / n + (m - 1) / n * s2 - m / n * s3,
        "theta4": (s1 - s2) / n,
        "theta5": s1 / n - (m - 1) / (n * (n - 1)) * s2 - (n - m) / (n * (n - 1)) * s3,
    }


def compact(e, fold):
    """The compact forms, by loops."""
    n, names = len(e), sorted(set(fold))
    K, m = len(names), n // len(names)
    folds = [[x for x, f in zip(e, fold, strict=True) if f == name] for name in names]
    mu = sum(e) / n
    means = [sum(part) / m for part in folds]
    within = [
        sum((x - c) ** 2 for x in part) / (m - 1) for part, c in zip(folds, means, strict=True)
    ]
    return {
        "theta1": mu * mu,
        "theta3": sum((c - mu) ** 2 for c in means) / (K * (K - 1)),
        "theta4": sum(within) / K / n,
        "theta5": sum((x - mu) ** 2 for x in e) / (n * (n - 1)),
    }


@pytest.fixture(params=[(2, 2), (3, 4), (10, 3), (4, 25)], ids=str)
def sample(request, rng):
    folds, size = request.param
    fold = rng.permutation(np.repeat(np.arange(folds), size))
    return rng.normal(0.4, 1.0, fold.size), fold


class TestMoments:
    def test_moments_are_the_double_sums(self, sample):
        e, fold = sample
        found = kfold_variance(Losses(e, fold=fold))
        assert (found.s1, found.s2, found.s3) == pytest.approx(
            double_sums(e, fold), rel=1e-12, abs=1e-13
        )

    def test_estimators_are_the_combinations_of_moments(self, sample):
        e, fold = sample
        found = kfold_variance(Losses(e, fold=fold))
        expected = by_moments(*double_sums(e, fold), e.size, e.size // len(set(fold)))
        for name in NAMES:
            assert getattr(found, name) == pytest.approx(expected[name], rel=1e-12, abs=1e-14)

    def test_compact_forms(self, sample):
        e, fold = sample
        found = kfold_variance(Losses(e, fold=fold))
        for name, value in compact(e, fold).items():
            assert getattr(found, name) == pytest.approx(value, rel=1e-12)
        assert found.theta2 == pytest.approx(found.theta1 - found.s2, rel=1e-12, abs=1e-14)

    def test_by_hand(self):
        # folds (0, 2), (4, 2): means 1 and 3, mu = 2, variance within each fold 2
        found = kfold_variance(Losses([0.0, 2.0, 4.0, 2.0], fold=[0, 0, 1, 1]))
        assert (found.s1, found.s2, found.s3) == pytest.approx((6.0, 4.0, 3.0), rel=1e-15)
        assert [getattr(found, name) for name in NAMES] == pytest.approx(
            [4.0, 0.0, 1.0, 0.5, 2 / 3], abs=1e-15
        )

    def test_a_large_offset_leaves_the_centred_ones_as_they_are(self, rng):
        e, fold = rng.standard_normal(60), np.arange(60) % 5
        near, far = (kfold_variance(Losses(e + offset, fold=fold)) for offset in (0.0, 1e6))
        for name in NAMES[1:]:
            assert getattr(far, name) == pytest.approx(getattr(near, name), rel=1e-8, abs=1e-12)


class TestBias:
    """Unbiased as Table 1 of Grandvalet & Bengio says, and biased by as much otherwise."""

    K, M, MU, SIGMA2 = 5, 4, 0.3, 1.0

    def draws(self, rng, omega, gamma, trials):
        """Normal losses whose covariance is omega within folds and gamma between them."""
        n = self.K * self.M
        fold = np.repeat(np.arange(self.K), self.M)
        covariance = np.where(fold[:, None] == fold, omega, gamma) + (self.SIGMA2 - omega) * np.eye(
            n
        )
        return self.MU + rng.standard_normal((trials, n)) @ np.linalg.cholesky(covariance).T, fold

    @pytest.mark.parametrize(
        ("omega", "gamma"),
        [(0.0, 0.0), (0.3, 0.1), (0.2, 0.2), (0.4, -0.05)],
    )
    def test_expectations(self, omega, gamma, rng):
        n, m, trials = self.K * self.M, self.M, 2_000
        theta = self.SIGMA2 / n + (m - 1) / n * omega + (n - m) / n * gamma
        bias = {
            "theta1": self.MU**2,
            "theta2": -omega,
            "theta3": -gamma,
            "theta4": -m / n * omega - (n - m) / n * gamma,
            "theta5": -(m - 1) / (n - 1) * omega - (n - m) / (n - 1) * gamma,
        }
        losses, fold = self.draws(rng, omega, gamma, trials)
        found = [kfold_variance(Losses(row, fold=fold)) for row in losses]
        for name in NAMES:
            values = np.array([getattr(one, name) for one in found])
            noise = values.std(ddof=1) / math.sqrt(trials)
            assert values.mean() == pytest.approx(theta + bias[name], abs=5.5 * noise)
        assert losses.mean(axis=1).var(ddof=1) == pytest.approx(
            theta, rel=5.5 * math.sqrt(2 / trials)
        )

    @pytest.mark.parametrize(
        ("name", "omega", "gamma"),
        [
            ("theta2", 0.0, 0.05),
            ("theta3", 0.3, 0.0),
            ("theta4", 0.32, -0.08),
            ("theta5", 0.0, 0.0),
        ],
    )
    def test_no_bias_under_its_own_assumption(self, name, omega, gamma):
        n, m = self.K * self.M, self.M
        bias = {
            "theta2": -omega,
            "theta3": -gamma,
            "theta4": -m / n * omega - (n - m) / n * gamma,
            "theta5": -(m - 1) / (n - 1) * omega - (n - m) / (n - 1) * gamma,
        }
        assert bias[name] == pytest.approx(0.0, abs=1e-16)


class TestTheTest:
    def test_theta3_is_the_kfold_t(self, sample):
        e, fold = sample
        means = [e[fold == f].mean() for f in np.unique(fold)]
        one, other = kfold_theta(Losses(e, fold=fold), null=0.2), kfold_t(Losses(means), null=0.2)
        for name in ("estimate", "se", "statistic", "pvalue", "low", "high"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-11)
        assert one.df == other.df

    @pytest.mark.parametrize("estimator", NAMES[1:])
    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_reference_laws(self, estimator, alternative, rng):
        e, fold = rng.normal(0.2, 1.0, 40), np.arange(40) % 5
        for k in range(5):  # folds that are alike, so that theta2 is positive
            e[fold == k] -= 0.8 * (e[fold == k].mean() - 0.2)
        result = kfold_theta(
            Losses(e, fold=fold), null=0.1, alternative=alternative, estimator=estimator, level=0.9
        )
        df = {"theta3": 4, "theta4": 35, "theta5": 39, "theta2": None}[estimator]
        law = stats.norm() if df is None else stats.t(df)
        t = (e.mean() - 0.1) / math.sqrt(by_moments(*double_sums(e, fold), 40, 8)[estimator])
        assert result.df == df
        assert result.statistic == pytest.approx(t, rel=1e-10)
        pvalue = {"less": law.cdf(t), "greater": law.sf(t), "two-sided": 2 * law.sf(abs(t))}[
            alternative
        ]
        assert result.pvalue == pytest.approx(pvalue, rel=1e-9)
        reach = law.ppf(0.95 if alternative == "two-sided" else 0.9) * result.se
        for end, finite in (
            (result.low, alternative != "less"),
            (result.high, alternative != "greater"),
        ):
            assert math.isinf(end) != finite
            assert not finite or abs(end - e.mean()) == pytest.approx(reach, rel=1e-10)

    def test_theta5_is_students_t_on_all_losses(self, sample):
        e, fold = sample
        known = stats.ttest_1samp(e, 0.3)
        result = kfold_theta(Losses(e, fold=fold), null=0.3, estimator="theta5")
        assert (result.statistic, result.pvalue) == pytest.approx(
            (known.statistic, known.pvalue), rel=1e-10
        )

    def test_theta1_is_refused(self, sample):
        with refused("estimator"):
            kfold_theta(Losses(sample[0], fold=sample[1]), estimator="theta1")

    def test_a_negative_theta2_is_refused(self):
        # folds that differ far more than the losses in them
        losses = Losses([0.0, 0.1, 3.0, 3.1], fold=[0, 0, 1, 1])
        assert kfold_variance(losses).theta2 < 0
        with refused("estimator"):
            kfold_theta(losses, estimator="theta2")

    def test_every_estimator_says_what_it_assumes(self, rng):
        losses = Losses(rng.standard_normal(20), fold=np.arange(20) % 4)
        notes = [
            kfold_theta(losses, estimator=estimator).notes
            for estimator in ("theta3", "theta4", "theta5")
        ]
        assert [[note.code for note in own] for own in notes] == [["liberal"]] * 3
        assert len({own[0].numbers["assumed"] for own in notes}) == 3

    @pytest.mark.long
    @pytest.mark.parametrize(("estimator", "df"), [("theta3", 4), ("theta4", 15), ("theta5", 19)])
    def test_exact_for_independent_normal_losses(self, estimator, df, rng):
        trials, fold = 4_000, np.arange(20) % 5
        views = (Losses(row, fold=fold) for row in rng.normal(0.3, 2.0, (trials, 20)))
        count = sum(
            kfold_theta(view, null=0.3, estimator=estimator).pvalue < 0.05 for view in views
        )
        low, high = binomial_band(trials, 0.05)
        assert low <= count <= high


class TestDegenerateAndHostile:
    @pytest.mark.parametrize("estimator", NAMES[1:])
    @pytest.mark.parametrize("constant", [0.0, 0.1, -1 / 3])
    def test_constant_losses(self, estimator, constant):
        losses = Losses(np.full(12, constant), fold=np.arange(12) % 4)
        found = kfold_variance(losses)
        assert [getattr(found, name) for name in NAMES[1:]] == [0.0] * 4
        result = kfold_theta(losses, null=constant, estimator=estimator)
        assert (result.se, result.statistic, result.pvalue, result.degenerate) == (
            0.0,
            0.0,
            1.0,
            True,
        )

    def test_equal_folds_that_vary_inside(self):
        """Every fold has the same mean, so theta3 is 0, exactly, and the others are not."""
        losses = Losses([0.1, 0.2, 0.3, 0.3, 0.1, 0.2, 0.2, 0.3, 0.1], fold=np.repeat([0, 1, 2], 3))
        found = kfold_variance(losses)
        assert found.theta3 == 0.0
        assert found.theta4 == pytest.approx(0.01 / 9, rel=1e-12)
        assert kfold_theta(losses).degenerate

    def test_folds_that_are_constant_inside(self):
        found = kfold_variance(Losses(np.repeat([0.1, 0.3, 0.7], 4), fold=np.repeat([0, 1, 2], 4)))
        assert found.theta4 == 0.0
        assert found.theta3 > 0.0

    def test_folds_with_numbers_near_zero_beside_others(self):
        """Losses of 1e-160 in one fold are as good as zeros; nothing must be scaled up."""
        fold = np.repeat([0, 1, 2], 2)
        tiny = kfold_variance(Losses([1e-160, 3e-160, 0.4, 0.1, 0.3, 0.3], fold=fold))
        zero = kfold_variance(Losses([0.0, 0.0, 0.4, 0.1, 0.3, 0.3], fold=fold))
        assert tiny.theta4 == pytest.approx(zero.theta4, rel=1e-14)

    def test_large_numbers_work_and_vanishing_ones_are_refused(self):
        e, fold = np.array([0.1, 0.4, 0.2, 0.9]), np.array([0, 0, 1, 1])
        small, large = (
            kfold_variance(Losses(e, fold=fold)),
            kfold_variance(Losses(1e149 * e, fold=fold)),
        )
        assert large.theta5 / 1e298 == pytest.approx(small.theta5, rel=1e-12)
        with pytest.raises(InvalidInputError):
            kfold_variance(Losses(1e-300 * e, fold=fold))

    @pytest.mark.parametrize("call", [kfold_variance, kfold_theta])
    @pytest.mark.parametrize(
        ("view", "error", "argument"),
        [
            (
                Losses([1.0, 2, 3, 4, 5], fold=[0, 0, 0, 1, 1]),
                InvalidInputError,
                "fold",
            ),
            (Losses([1.0, 2, 3, 4], fold=[0, 1, 2, 3]), InvalidInputError, "fold"),
            (Losses([1.0, 2, 3, 4]), InvalidInputError, "fold"),
            (
                Losses([1.0, 2, 3, 4], fold=[0, 1, 0, 1], repeat=[0, 0, 1, 1]),
                UnsuitablePlanError,
                None,
            ),
            (
                Losses([1.0, 2, 3, 4], fold=[0, 1, 0, 1], repeat=0, inner=[-1, -1, 0, 0]),
                InvalidInputError,
                "fold",
            ),
        ],
    )
    def test_what_is_no_partition_into_equal_folds(self, call, view, error, argument):
        with refused(argument, error):
            call(view)

    @pytest.mark.parametrize("bad", ["theta6", "", None, 3])
    def test_estimator_is_checked(self, bad, rng):
        with refused("estimator"):
            kfold_theta(Losses(rng.random(8), fold=np.arange(8) % 2), estimator=bad)


numbers = st.floats(-10.0, 10.0).map(lambda x: round(x, 6))


@given(
    st.tuples(st.integers(2, 6), st.integers(2, 6)).flatmap(
        lambda shape: st.lists(
            numbers, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
        ).map(lambda e: (np.array(e), np.arange(len(e)) % shape[0]))
    ),
    st.floats(1e-3, 1e3),
    numbers,
    st.randoms(use_true_random=False),
)
def test_invariances(sample, factor, offset, random):
    e, fold = sample
    assume(np.ptp(e) > 1e-3)
    one = kfold_variance(Losses(e, fold=fold))
    order = np.array(random.sample(range(e.size), e.size))
    moved = kfold_variance(Losses(factor * e[order] + offset, fold=11 - 2 * fold[order]))
    size = factor**2 * np.square(e).max() + offset**2
    for name in NAMES[1:]:
        assert getattr(moved, name) == pytest.approx(
            factor**2 * getattr(one, name), rel=1e-6, abs=1e-11 * size
        )


class TestOnRealData:
    def test_breast_cancer(self):
        from sklearn.datasets import load_breast_cancer
        from sklearn.naive_bayes import GaussianNB
        from sklearn.tree import DecisionTreeClassifier

        X, y = load_breast_cancer(return_X_y=True)
        learners = {"nb": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
        table = errbar.run(
            learners, X[:200], y[:200], plan=errbar.plans.KFold(folds=8), random_state=0
        )
        e = table.points[0] - table.points[1]
        fold = table.splits.labels["fold"][table.cells.split]
        expected = by_moments(*double_sums(e.tolist(), fold.tolist()), 200, 25)
        for estimator in ("theta3", "theta4", "theta5"):
            result = errbar.infer(table, "kfold-theta", "nb", minus="stump", estimator=estimator)
            assert result.se == pytest.approx(math.sqrt(expected[estimator]), rel=1e-11)
            assert result.n_train == 175.0

    def test_unequal_folds_are_refused_before_any_fit(self):
        from sklearn.datasets import load_diabetes

        X, y = load_diabetes(return_X_y=True)
        with refused("fold"):
            errbar.evaluate(
                NeverFitted(), X, y, method="kfold-theta", plan=KFold(10), random_state=0
            )


class NeverFitted:
    """A regressor that must not be fitted."""

    _estimator_type = "regressor"

    def get_params(self, deep=True):
        return {}

    def set_params(self, **params):
        return self

    def fit(self, X, y):
        raise AssertionError("fitted")

    def predict(self, X):
        raise AssertionError("asked")
