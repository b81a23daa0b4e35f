"""Single-step max-t: its law, its p-values and intervals, and what a comparison makes of it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special, stats
from sklearn.dummy import DummyRegressor

import errbar
from errbar import InvalidInputError
from errbar.simultaneous import (
    Maximum,
    OwnErrors,
    contrasts_of,
    joint_law,
    range_above,
    shrunk,
)
from tests.corpus.face import families
from tests.refusals import refused

max_t = families.max_t


def critical(law, alpha=0.05):
    tail = law.each(alpha) / (1 + law.two_sided)
    return -(special.ndtri(tail) if math.isinf(law.df) else special.stdtrit(law.df, tail))


COVARIANCE = [[4e-4, 1e-4, 5e-5], [1e-4, 3e-4, 1.5e-4], [5e-5, 1.5e-4, 5e-4]]


class TestReferenceValues:
    def test_all_pairs(self):
        """R multcomp 1.4.22: glht single-step p-values; the critical value by quadrature, checked with mvtnorm's pmvt."""
        found = max_t([0.2, 0.17, 0.155], COVARIANCE, df=14)
        assert found["pairs"] == [[0, 1], [0, 2], [1, 2]]
        assert found["pvalue"] == pytest.approx(
            [0.3914837716, 0.2772726764, 0.7804689973], abs=2e-6
        )
        assert found["critical"] == pytest.approx(2.60473071695459, abs=1e-6)
        assert found["low"] == pytest.approx([-0.028243549, -0.028672910, -0.043243549], abs=1e-7)

    def test_a_baseline(self):
        """R multcomp 1.4.22, as above."""
        found = max_t([0.2, 0.17, 0.155], COVARIANCE, df=14, baseline=0)
        assert found["pairs"] == [[1, 0], [2, 0]]
        assert found["pvalue"] == pytest.approx([0.314614345705, 0.215569647892], abs=2e-6)
        assert found["critical"] == pytest.approx(2.4310347963684107, abs=1e-6)

    def test_equal_covariances(self):
        """R qtukey(.95, 4, 9) / sqrt(2) and multcomp."""
        covariance = 3e-4 * np.eye(4) + 1e-4
        found = max_t([0.2, 0.17, 0.155, 0.18], covariance, df=9)
        p = [
            0.627844880654,
            0.317906415959,
            0.845315928924,
            0.925580253204,
            0.975665514684,
            0.742196013381,
        ]
        assert found["critical"] == pytest.approx(3.1217986768600845, abs=2e-4)
        assert found["pvalue"] == pytest.approx(p, abs=1e-4)

    @pytest.mark.parametrize(
        ("count", "near"),
        [(3, 1e-6), (6, 1e-3), (12, 1e-3), pytest.param(30, 1e-2, marks=pytest.mark.long)],
    )
    def test_the_studentized_range_of_scipy(self, count, near):
        law = Maximum.of(contrasts_of(count), np.eye(count), df=14.0)
        assert critical(law) == pytest.approx(
            stats.studentized_range.ppf(0.95, count, 14) / 2**0.5, abs=near
        )

    @pytest.mark.parametrize("count", [5, 12, pytest.param(60, marks=pytest.mark.long)])
    def test_the_range_of_normal_numbers(self, count):
        expected = stats.studentized_range.ppf(0.95, count, 1e6) / 2**0.5
        assert critical(Maximum.of(None, np.eye(count))) == pytest.approx(expected, abs=1e-4)

    @pytest.mark.long
    @pytest.mark.parametrize("spread", [0.0, 1.0])
    def test_unequal_variances_by_many_draws(self, spread):
        covariance = np.diag(np.linspace(1.0, 1.0 + spread, 12) ** 2)
        largest_of = critical(Maximum.of(None, covariance))
        draws = np.random.default_rng(1).standard_normal((200_000, 12)) * np.sqrt(
            np.diag(covariance)
        )
        contrasts = contrasts_of(12)
        largest = np.zeros(len(draws))
        for row in contrasts:
            np.maximum(largest, np.abs(draws @ row) / np.sqrt(row @ covariance @ row), out=largest)
        # Four standard errors of a share of 5 %.
        assert (largest > largest_of).mean() == pytest.approx(0.05, abs=0.002)

    def test_independent_statistics(self):
        """Sidak's: the largest of 8 independent ones; one-sided, the largest itself."""
        for two_sided in (True, False):
            law = Maximum.of(np.eye(8), np.eye(8), two_sided=two_sided)
            single = -special.ndtri((1.0 - 0.95 ** (1 / 8)) / (1 + two_sided))
            assert critical(law) == pytest.approx(single, abs=2e-3)
        law = Maximum.of(np.eye(2), np.eye(2), two_sided=False)
        assert law.adjusted(special.ndtr(0.5)) == pytest.approx(
            1.0 - special.ndtr(-0.5) ** 2, abs=1e-6
        )


@st.composite
def covariances(draw):
    size = draw(st.integers(3, 6))
    numbers = np.random.default_rng(draw(st.integers(0, 10**6))).standard_normal(
        (size, size + draw(st.integers(1, 9)))
    )
    return numbers @ numbers.T


class TestOwnErrors:
    """Standard errors that each difference has from the same splits."""

    @pytest.mark.long
    @pytest.mark.parametrize(
        ("learners", "splits", "two_sided"),
        [(3, 15, True), (6, 8, True), (6, 8, False), (12, 10, True)],
    )
    def test_by_many_draws(self, rng, learners, splits, two_sided):
        root = rng.standard_normal((learners, learners + 2))
        contrasts, draws = contrasts_of(learners), 40_000
        scores = root @ rng.standard_normal((draws, learners + 2, splits))
        differences = contrasts @ scores.mean(axis=2).T
        covariance = np.einsum(
            "nks,nls->nkl", left := scores - scores.mean(axis=2, keepdims=True), left
        ) / (splits - 1)
        squares = np.stack([np.einsum("k,nkl,l->n", c, covariance, c) for c in contrasts])
        largest = (np.abs(differences) if two_sided else differences) / np.sqrt(squares / splits)
        law = OwnErrors.of(contrasts, root @ root.T, splits - 1, two_sided=two_sided)
        for alpha in (0.3, 0.05, 0.01):
            bound = stats.t.isf(law.each(alpha) / (1 + two_sided), splits - 1)
            share = (largest.max(axis=0) > bound).mean()
            p = (1 + two_sided) * stats.t.sf(bound, splits - 1)
            assert law.adjusted(p) == pytest.approx(alpha, rel=1e-6)
            # Four standard errors of the share, and 2 % for the fixed draws.
            assert share == pytest.approx(alpha, abs=4.0 * np.sqrt(alpha / draws) + 0.02 * alpha)

    def test_far_out_all_pairs_count_by_themselves(self):
        law = OwnErrors.of(contrasts_of(5), np.eye(5), 9)
        assert 9.9e-12 < law.adjusted(1e-12) <= 1e-11
        assert law.adjusted(0.0) == 0.0

    @settings(max_examples=8, deadline=None)
    @given(covariances(), st.integers(1, 40), st.booleans())
    def test_between_one_test_and_bonferroni_and_rising(self, covariance, df, two_sided):
        law = OwnErrors.of(contrasts_of(len(covariance)), covariance, df, two_sided=two_sided)
        count = len(covariance) * (len(covariance) - 1) // 2
        p = np.geomspace(1e-13, 0.5, 60)
        found = np.array([law.adjusted(one) for one in p])
        assert (p <= found).all()
        assert (found <= np.minimum(1.0, count * p) * (1 + 1e-12)).all()
        assert (np.diff(found) >= 0.0).all()
        for alpha in (1e-6, 0.01, 0.05):
            assert law.adjusted(law.each(alpha)) == pytest.approx(alpha, rel=1e-6)

    def test_many_splits_give_the_normal_law(self):
        covariance = np.diag([1.0, 2.0, 3.0, 1.5])
        law = OwnErrors.of(contrasts_of(4), covariance, 200)
        assert law.each(0.05) == pytest.approx(Maximum.of(None, covariance).each(0.05), rel=0.02)

    def test_a_comparison_takes_it_where_splits_give_the_degrees_of_freedom(self, rng):
        scores = {name: rng.standard_normal(12) for name in "abcd"}
        found = errbar.compare_table(
            errbar.from_scores(scores, n_train=90, n_test=10, kind="subsampling"),
            method="corrected-t",
            adjust="max-t",
        )
        covariance, _ = shrunk(np.array([*scores.values()]))
        law = OwnErrors.of(contrasts_of(4), covariance, 11)
        for pair in found.pairs:
            assert pair.adjusted == pytest.approx(law.adjusted(pair.result.pvalue), rel=1e-9)


class TestProperties:
    @settings(max_examples=12, deadline=None)
    @given(covariances(), st.floats(1.0, 40.0), st.integers(0, 10**6))
    def test_p_values_and_intervals_agree(self, covariance, df, seed):
        means = (
            2.0
            * np.sqrt(np.diag(covariance).mean())
            * np.random.default_rng(seed).standard_normal(len(covariance))
        )
        found = max_t(means, covariance, df=df)
        outside = [
            low > 0.0 or high < 0.0 for low, high in zip(found["low"], found["high"], strict=True)
        ]
        assert outside == [p < 0.05 for p in found["pvalue"]]

    @settings(max_examples=12, deadline=None)
    @given(covariances())
    def test_between_one_test_and_bonferroni(self, covariance):
        law = Maximum.of(None, covariance)
        count = len(covariance) * (len(covariance) - 1) // 2
        for alpha in (1e-6, 0.01, 0.05, 0.3):
            assert alpha / count <= law.each(alpha) * (1 + 1e-9)
            assert law.each(alpha) <= alpha * (1 + 1e-9)

    @pytest.mark.parametrize("allowance", [False, True])
    def test_adjusted_is_the_level_at_which_a_test_just_finds_something(self, allowance):
        law = joint_law(Maximum.of(None, np.diag([1.0, 2.0, 3.0, 1.5, 2.5])), allowance=allowance)(
            9
        )
        for alpha in (1e-4, 0.01, 0.05, 0.2, 0.5):
            assert law.adjusted(law.each(alpha)) == pytest.approx(alpha, rel=1e-8)

    def test_an_allowance_is_one_factor_for_all(self):
        law = joint_law(Maximum.of(None, np.eye(5)), allowance=True)(9)
        found = -special.stdtrit(9, law.each(0.05) / 2)
        assert found == pytest.approx(
            stats.studentized_range.isf(0.05, 5, 9) / math.sqrt(2), rel=1e-6
        )

    @pytest.mark.parametrize("df", [1, 9])
    @pytest.mark.parametrize("count", [3, 12])
    def test_the_law_of_the_studentized_range(self, count, df):
        for value in (1.5, 3.0, 8.0):
            expected = stats.studentized_range.sf(value * math.sqrt(2), count, df)
            assert range_above(value, count, df) == pytest.approx(expected, abs=1e-6)


class TestShrinking:
    def test_by_the_formula_of_scikit_learn(self, rng):
        from sklearn.covariance import ledoit_wolf

        values = rng.standard_normal((4, 15)) * np.array([[1.0], [2.0], [1.5], [1.0]])
        expected, share = ledoit_wolf(values.T)
        covariance, found = shrunk(values, contrasts=False)
        assert found == pytest.approx(share, rel=1e-10)
        assert covariance == pytest.approx(expected, rel=1e-10)

    def test_what_all_learners_share_is_nothing_to_differences(self, rng):
        values = rng.standard_normal((4, 15))
        with_common = values + 100.0 * rng.standard_normal(15)
        assert shrunk(with_common)[0] == pytest.approx(shrunk(values)[0], rel=1e-6, abs=1e-9)

    def test_many_examples_are_hardly_shrunk(self, rng):
        values = rng.standard_normal((3, 5000)) * np.array([[1.0], [3.0], [5.0]])
        assert shrunk(values)[1] < 0.02


def test_it_needs_more_than_p_values():
    with refused("adjust"):
        errbar.simultaneous.adjust([0.1, 0.2], "max-t")


def scores(rng, learners=4, splits=15, gap=0.01):
    common = rng.normal(0.0, 0.02, splits)
    own = {f"l{i}": 0.2 + gap * i + common + rng.normal(0.0, 0.02, splits) for i in range(learners)}
    return errbar.from_scores(own, n_train=90, n_test=10)


def losses(rng, learners=4, n=80):
    common = rng.normal(1.0, 1.0, n)
    own = {f"l{i}": common + 0.2 * i + rng.normal(0.0, 0.7, n) for i in range(learners)}
    return errbar.from_losses(own, fold=np.arange(n) % 10, example=np.arange(n))


class TestComparisons:
    @pytest.mark.long
    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    @pytest.mark.parametrize("baseline", [None, "l1"])
    @pytest.mark.parametrize("method", ["corrected-t", "cv-t", "cv-wald"])
    def test_intervals_leave_out_0_where_p_values_are_small(
        self, method, baseline, alternative, rng
    ):
        for _ in range(5):
            table = scores(rng) if method == "corrected-t" else losses(rng)
            found = errbar.compare_table(
                table, method=method, adjust="max-t", baseline=baseline, alternative=alternative
            )
            for pair in found.pairs:
                low, high = found.simultaneous.pairs[pair.a, pair.b]
                assert (pair.adjusted < 0.05) == (not low <= 0.0 <= high)
                assert (
                    pair.result.pvalue
                    <= pair.adjusted
                    <= len(found.pairs) * pair.result.pvalue + 1e-12
                )
                assert low <= pair.result.low
                assert pair.result.high <= high

    def test_scores_of_higher_is_better_give_the_mirror_image(self, rng):
        table = losses(rng)
        errors = dict(zip(table.learners, table.points, strict=True))
        gains = {name: -row for name, row in errors.items()}
        labels = {"fold": np.arange(80) % 10, "example": np.arange(80)}
        one = errbar.compare_table(
            errbar.from_losses(errors, **labels), method="cv-t", adjust="max-t"
        )
        other = errbar.compare_table(
            errbar.from_losses(gains, **labels, higher_is_better=True),
            method="cv-t",
            adjust="max-t",
        )
        assert [p.adjusted for p in one.pairs] == pytest.approx(
            [p.adjusted for p in other.pairs], rel=1e-9
        )
        assert one.best.learners == other.best.learners

    def test_equal_learners_do_not_vary(self):
        values = [0.3, 0.2, 0.25, 0.4]
        table = errbar.from_scores(
            {"a": values, "b": values, "c": [0.1, 0.3, 0.2, 0.2]}, n_train=90, n_test=10
        )
        found = errbar.compare_table(table, method="corrected-t", adjust="max-t")
        assert not any(pair.significant for pair in found.pairs)
        assert set(found.best.learners) == {"a", "b", "c"}

    def test_two_learners_have_nothing_to_adjust(self, rng):
        found = errbar.compare_table(scores(rng, 2), method="corrected-t", adjust="max-t")
        assert found.pairs[0].adjusted == found.pairs[0].result.pvalue
        assert found.simultaneous is None
        assert found.best is None

    def test_clusters_are_taken_whole(self, rng):
        own = {f"l{i}": rng.normal(size=60) for i in range(3)}
        table = errbar.from_losses(own, groups=np.repeat(np.arange(12), 5))
        found = errbar.compare_table(table, method="cluster-t", adjust="max-t")
        assert found.simultaneous.of == "groups"
        assert found.best.confidence_set is None

    def test_methods_without_such_intervals_are_refused(self, rng):
        from errbar.methods import METHODS

        without = [key for key, method in METHODS.items() if not method.sides or method.own_units]
        assert "5x2cv-f" in without
        table = errbar.from_scores(
            {f"l{i}": rng.normal(size=10) for i in range(3)},
            repeat=np.repeat(np.arange(5), 2),
            fold=np.tile([0, 1], 5),
            kind="5x2",
        )
        with pytest.raises(InvalidInputError):
            errbar.compare_table(table, method="5x2cv-f", adjust="max-t")

    def test_looks_and_max_t_do_not_go_together(self, rng):
        with refused("adjust"):
            errbar.compare(
                {name: DummyRegressor() for name in "abc"},
                np.zeros((30, 1)),
                np.arange(30.0),
                looks=(5, 10),
                adjust="max-t",
            )
        with refused("adjust"):
            errbar.compare_table(scores(rng), method="corrected-t", adjust="max-t", looks=(15, 30))


def test_the_range_of_two_numbers_is_a_normal_difference():
    assert range_above(1.7, 2) == pytest.approx(2.0 * special.ndtr(-1.7), abs=1e-10)
