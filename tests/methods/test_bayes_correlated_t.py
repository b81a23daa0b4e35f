"""The Bayesian correlated t: numbers of other programs, numerical integration, and its likeness to the corrected t."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import integrate, stats

import errbar
from errbar import InvalidInputError, Losses
from errbar.methods import bayes_correlated_t, corrected_t
from tests.methods.test_reference import LINEAR, RBF
from tests.refusals import refused

# Accuracies in percent of naive Bayes and a decision tree on the UCI data set anneal, ten times ten folds.
# fmt: off
BAYES = [
    94.444, 98.889, 94.444, 98.889, 96.667, 95.556, 98.889, 96.667, 94.382, 95.506, 96.667, 97.778, 96.667, 95.556,
    97.778, 95.556, 95.556, 88.889, 87.64, 100.0, 96.667, 95.556, 95.556, 94.444, 94.444, 97.778, 96.667, 97.778,
    94.382, 94.382, 95.556, 96.667, 96.667, 94.444, 94.444, 91.111, 97.778, 95.556, 97.753, 94.382, 96.667, 97.778,
    93.333, 96.667, 95.556, 97.778, 94.444, 96.667, 100.0, 93.258, 93.333, 95.556, 97.778, 96.667, 94.444, 94.444,
    96.667, 93.333, 96.629, 96.629, 96.667, 97.778, 95.556, 100.0, 88.889, 95.556, 96.667, 97.778, 95.506, 97.753,
    100.0, 95.556, 95.556, 96.667, 96.667, 96.667, 95.556, 98.889, 94.382, 96.629, 95.556, 92.222, 95.556, 97.778,
    95.556, 97.778, 94.444, 96.667, 94.382, 96.629, 95.556, 100.0, 95.556, 92.222, 95.556, 97.778, 97.778, 96.667,
    94.382, 97.753,
]
TREE = [
    96.667, 100.0, 97.778, 100.0, 97.778, 98.889, 98.889, 98.889, 97.753, 97.753, 98.889, 98.889, 98.889, 97.778,
    98.889, 98.889, 98.889, 96.667, 100.0, 100.0, 98.889, 97.778, 98.889, 98.889, 93.333, 98.889, 97.778, 98.889,
    98.876, 98.876, 97.778, 98.889, 97.778, 97.778, 96.667, 97.778, 100.0, 98.889, 100.0, 98.876, 97.778, 100.0,
    97.778, 97.778, 100.0, 98.889, 100.0, 97.778, 98.876, 98.876, 98.889, 100.0, 100.0, 100.0, 96.667, 97.778,
    97.778, 96.667, 100.0, 98.876, 98.889, 98.889, 98.889, 98.889, 100.0, 98.889, 98.889, 97.778, 98.876, 98.876,
    97.778, 100.0, 100.0, 97.778, 97.778, 100.0, 98.889, 98.889, 96.629, 100.0, 98.889, 97.778, 100.0, 98.889,
    98.889, 98.889, 97.778, 97.778, 100.0, 98.876, 100.0, 98.889, 97.778, 100.0, 100.0, 96.667, 97.778, 98.889,
    98.876, 98.876,
]
# fmt: on
SONAR_X = [94.203, 92.754, 95.652, 91.176, 92.647, 91.176, 92.647, 92.647, 86.765, 91.176]
SONAR_Y = [92.754, 92.754, 89.855, 89.706, 95.588, 89.706, 95.588, 94.118, 91.176, 92.647]


def posterior(result):
    return tuple(result.posterior[region] for region in ("left", "rope", "right"))


class TestBaycomp:
    """Python package baycomp 1.0.3, ``two_on_single(x, y, runs=...)``: its left is x better, so it speaks of y - x."""

    def test_anneal(self):
        view = Losses(np.subtract(TREE, BAYES), n_train=90, n_test=10)
        result = bayes_correlated_t(view)
        # mean, scale^2 and degrees of freedom of the posterior
        assert (result.estimate, result.se**2) == pytest.approx(
            (2.69631, 0.6309306618351295), rel=1e-12
        )
        assert result.df == 99
        assert posterior(result) == pytest.approx(
            (0.0004951299014712696, 0.0, 0.9995048700985287), abs=1e-12
        )

    def test_anneal_with_a_region(self):
        view = Losses(np.subtract(TREE, BAYES), n_train=90, n_test=10)
        expected = (5.065468804824252e-06, 0.017585482722251244, 0.9824094518089439)
        assert posterior(bayes_correlated_t(view, rope=1.0)) == pytest.approx(expected, abs=1e-12)

    def test_sonar(self):
        # docs/functions.rst, with the correlation of ten folds
        view = Losses(np.subtract(SONAR_Y, SONAR_X))
        assert posterior(bayes_correlated_t(view, correlation=0.1)) == pytest.approx(
            (0.4145119975061462, 0.0, 0.5854880024938538), abs=1e-12
        )
        assert posterior(bayes_correlated_t(view, correlation=0.1, rope=0.5)) == pytest.approx(
            (0.28584464173791, 0.2691518716880249, 0.4450034865740651), abs=1e-12
        )


class TestScikitLearnGallery:
    """scikit-learn, examples/model_selection/plot_grid_search_stats.py: 10 x 10-fold, rbf against linear kernel."""

    @pytest.fixture
    def view(self):
        return Losses(RBF - LINEAR, n_train=90, n_test=10)

    def test_probabilities(self, view):
        assert posterior(bayes_correlated_t(view))[2] == pytest.approx(
            0.7725770289866335, abs=1e-12
        )
        assert posterior(bayes_correlated_t(view, rope=0.01))[1] == pytest.approx(
            0.43168245824269996, abs=1e-12
        )

    @pytest.mark.parametrize(
        ("level", "ends"),
        [
            (0.5, (0.0009774152876124223, 0.01902258471238755)),
            (0.75, (-0.005422087500795406, 0.02542208750079538)),
            (0.95, (-0.016445200296138635, 0.03644520029613861)),
        ],
    )
    def test_credible_intervals(self, view, level, ends):
        assert bayes_correlated_t(view, level=level).interval == pytest.approx(
            ends, abs=1e-11
        )  # quantiles of SciPy 1.15.0


class TestPosterior:
    @pytest.mark.parametrize("rope", [0.0, 0.02, 0.3])
    @pytest.mark.parametrize("correlation", [0.0, 0.3])
    def test_by_integration_over_mean_and_variance(self, rope, correlation, rng):
        """The likelihood of correlated normal scores times the prior 1/variance, integrated without knowing of a t."""
        x = rng.normal(0.05, 0.1, 6)
        count = x.size
        inverse = np.linalg.inv((1 - correlation) * np.eye(count) + correlation)
        ones = np.ones(count)
        center = ones @ inverse @ x / (ones @ inverse @ ones)

        def density(mu):
            square = float((x - mu) @ inverse @ (x - mu))
            # integral of v^(-count/2 - 1) exp(-square/(2 v)) over v, up to a constant
            return square ** (-count / 2)

        def mass(low, high):
            return integrate.quad(density, low, high, epsabs=0, epsrel=1e-11, limit=500)[0]

        breaks = sorted({-rope, center, rope})
        pieces = list(zip([-np.inf, *breaks], [*breaks, np.inf], strict=True))
        masses = [(low, high, mass(low, high)) for low, high in pieces]
        total = sum(m for _, _, m in masses)
        left = sum(m for _, high, m in masses if high <= -rope) / total
        right = sum(m for low, _, m in masses if low >= rope) / total
        result = bayes_correlated_t(Losses(x), correlation=correlation, rope=rope)
        assert posterior(result) == pytest.approx((left, 1 - left - right, right), abs=1e-8)

    @pytest.mark.parametrize("null", [0.0, 0.1])
    def test_it_is_relative_to_0_whatever_the_null(self, null, rng):
        view = Losses(rng.random(10), n_train=90, n_test=10)
        assert posterior(bayes_correlated_t(view, null=null, rope=0.3)) == posterior(
            bayes_correlated_t(view, rope=0.3)
        )

    def test_the_pvalue_is_twice_the_smaller_side(self, rng):
        view = Losses(rng.normal(0.1, 0.3, 10), n_train=90, n_test=10)
        result = bayes_correlated_t(view)
        left, _, right = posterior(result)
        assert result.pvalue == pytest.approx(2 * min(left, right), rel=1e-12)

    def test_swapping_the_learners_swaps_the_sides(self, rng):
        x = rng.normal(0.1, 0.3, 10)
        one = bayes_correlated_t(Losses(x, n_train=90, n_test=10), rope=0.05)
        other = bayes_correlated_t(Losses(-x, n_train=90, n_test=10), rope=0.05).mirrored()
        assert posterior(other) == pytest.approx(posterior(one), rel=1e-12)


numbers = st.floats(-10.0, 10.0).map(lambda x: round(x, 6))
scores = st.lists(numbers, min_size=2, max_size=30).map(np.array)


@given(
    scores,
    numbers,
    st.floats(0.01, 0.99),
    st.sampled_from(["two-sided", "less", "greater"]),
    st.floats(0.0, 5.0),
)
def test_it_is_the_corrected_t_with_other_words(values, null, level, alternative, rope):
    view = Losses(values, n_train=90, n_test=10)
    one = bayes_correlated_t(view, null=null, level=level, alternative=alternative, rope=rope)
    other = corrected_t(view, null=null, level=level, alternative=alternative)
    for name in ("estimate", "se", "interval", "statistic", "pvalue", "df", "n_train", "n_splits"):
        assert getattr(one, name) == getattr(other, name)


@given(scores, st.floats(0.0, 20.0), st.floats(0.0, 20.0))
def test_probabilities_sum_to_one_and_a_wider_region_holds_more(values, one, other):
    view = Losses(values, n_train=90, n_test=10)
    narrow, wide = (bayes_correlated_t(view, rope=rope) for rope in sorted((one, other)))
    for result in (narrow, wide):
        assert sum(posterior(result)) == pytest.approx(1.0, abs=1e-12)
        assert min(posterior(result)) >= 0.0
    assert wide.posterior["rope"] >= narrow.posterior["rope"] - 1e-12


@given(scores, st.floats(1e-3, 1e3), st.floats(0.0, 5.0))
def test_scale(values, factor, rope):
    assume(np.ptp(values) > 1e-3)
    one = bayes_correlated_t(Losses(values, n_train=90, n_test=10), rope=rope)
    other = bayes_correlated_t(Losses(factor * values, n_train=90, n_test=10), rope=factor * rope)
    assert posterior(other) == pytest.approx(posterior(one), rel=1e-6, abs=1e-10)


class TestDegenerateAndHostile:
    @pytest.mark.parametrize(
        ("constant", "rope", "region"),
        [
            (0.1, 0.0, "right"),
            (-0.1, 0.0, "left"),
            (0.0, 0.0, "rope"),
            (0.1, 0.05, "right"),
            (-0.1, 0.05, "left"),
            (0.1, 0.1, "rope"),
            (-0.1, 0.1, "rope"),
            (0.1, 0.2, "rope"),
        ],
    )
    def test_constant_scores_lie_in_one_region(self, constant, rope, region):
        result = bayes_correlated_t(Losses(np.full(7, constant), n_train=90, n_test=10), rope=rope)
        assert result.posterior == {"left": 0.0, "rope": 0.0, "right": 0.0} | {region: 1.0}
        assert {note.code for note in result.notes} == {"no-variation"}

    @pytest.mark.parametrize("bad", [-0.01, math.nan, math.inf, "0.1", None, True])
    def test_rope_is_checked(self, bad):
        with refused("rope"):
            bayes_correlated_t(Losses([0.1, 0.2], n_train=90, n_test=10), rope=bad)

    @pytest.mark.parametrize("bad", [-0.1, 1.0, math.nan, "0.1"])
    def test_correlation_is_checked(self, bad):
        with refused("correlation"):
            bayes_correlated_t(Losses([0.1, 0.2], n_train=90, n_test=10), correlation=bad)

    def test_sizes_are_needed(self):
        with refused("n_train"):
            bayes_correlated_t(Losses([0.1, 0.2]))

    @pytest.mark.parametrize("rope", [1e300, 1e-300])
    def test_extreme_regions(self, rope, rng):
        result = bayes_correlated_t(Losses(rng.random(5), n_train=90, n_test=10), rope=rope)
        assert result.posterior["rope"] == (1.0 if rope > 1 else pytest.approx(0.0, abs=1e-15))

    def test_large_numbers_work_and_vanishing_ones_are_refused(self, rng):
        values = rng.random(5)
        one, other = (
            bayes_correlated_t(Losses(f * values, n_train=90, n_test=10)) for f in (1.0, 1e149)
        )
        assert posterior(other) == pytest.approx(posterior(one), rel=1e-10)
        with pytest.raises(InvalidInputError):
            bayes_correlated_t(Losses(1e-300 * values, n_train=90, n_test=10))

    @pytest.mark.parametrize(
        ("kind", "code"),
        [
            ("subsampling", None),
            (None, None),
            ("kfold", "heuristic"),
            ("5x2", "heuristic"),
            ("other", "heuristic"),
        ],
    )
    def test_it_says_what_the_correlation_is_worth(self, kind, code, rng):
        view = Losses(rng.random(10), n_train=90, n_test=10, kind=kind)
        assert [note.code for note in bayes_correlated_t(view).notes] == ([code] if code else [])
        assert bayes_correlated_t(view).notes == corrected_t(view).notes


class TestOnRealData:
    def table(self):
        from sklearn.datasets import load_breast_cancer
        from sklearn.naive_bayes import GaussianNB
        from sklearn.tree import DecisionTreeClassifier

        X, y = load_breast_cancer(return_X_y=True)
        learners = {"nb": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
        return errbar.run(
            learners, X[:120], y[:120], plan=errbar.plans.Subsampling(repeats=12), random_state=0
        )

    def test_difference(self):
        table = self.table()
        x = (table.scores[0] - table.scores[1]).tolist()
        mean = sum(x) / 12
        variance = sum((value - mean) ** 2 for value in x) / 11
        law = stats.t(11, loc=mean, scale=math.sqrt(variance * (1 / 12 + 12 / 108)))
        result = errbar.infer(table, "bayes-correlated-t", "nb", minus="stump", rope=0.02)
        expected = (law.cdf(-0.02), law.cdf(0.02) - law.cdf(-0.02), law.sf(0.02))
        assert posterior(result) == pytest.approx(expected, rel=1e-9)

    def test_scores_are_read_in_their_own_direction(self):
        table = self.table()
        loss, accuracy = (
            errbar.infer(each, "bayes-correlated-t", "nb", minus="stump", rope=0.01)
            for each in (table, table.with_loss("accuracy"))
        )
        assert posterior(accuracy) == pytest.approx(posterior(loss)[::-1], rel=1e-9)
