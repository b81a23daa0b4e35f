"""Tests over several data sets: published numbers, other programs, plain loops and simulation."""

import itertools
import json
import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import integrate, special, stats
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from statsmodels.stats.multitest import multipletests

import errbar
from errbar import InvalidInputError, Losses, PairingError
from errbar.datasets import (
    critical_difference,
    from_tables,
    ranks,
)
from errbar.methods import _data_sets, bayes_sign, bayes_signed_rank, sign_test, wilcoxon
from errbar.methods._data_sets import midranks
from errbar.plans import FiveByTwo, KFold, Subsampling
from tests.bands import binomial_band
from tests.forms import data_sets
from tests.refusals import refused

# Accuracies, in percent, of five classifiers on 54 data sets, from the documentation of baycomp 1.0.3.
# fmt: off
ACCURACIES = np.array([
    [95.94595, 71.39521, 83.3377, 49.98591, 76.16673, 86.21744, 86.21744, 81.87252, 52.8114, 75.04, 71.93504, 50.12499, 72.03123, 60, 83.6875, 84.36091, 98.31118, 89.40237, 93.33322, 87.79086, 87.59993, 56.84723, 85.09998, 62.66532, 74.63639, 96.38929, 95.76072, 90.29939, 92.16903, 93.37478, 80.41671, 87.72004, 75.26002, 68.11142, 47.19786, 91.14715, 85.59372, 86.62217, 93.81435, 76.71185, 92.19582, 89.82622, 79.21932, 95.41686, 59.03334, 62.06667, 46.32085, 58.78783, 79.968, 64.92861, 98.70582, 97.19638, 57.61428, 93.98181],
    [97.88477, 71.6561, 82.87099, 50.70515, 74.16672, 86.68119, 86.68119, 82.02315, 60.08016, 75.83, 74.5346, 45.7625, 72.64526, 60, 84.3125, 84.42988, 98.52327, 91.0858, 93.06656, 91.03252, 88.43326, 56.84723, 86.86189, 64.52785, 84.63801, 96.73215, 99.9508, 92.73304, 96.91635, 96.92301, 79.83337, 97.76273, 75.70347, 66.77809, 47.87167, 95.06921, 88.36932, 87.31057, 97.81069, 77.04996, 93.30815, 93.11031, 80.90305, 96.11599, 59.4, 67.66667, 46.72085, 75.69693, 85.008, 66.7381, 98.2058, 97.05376, 57.81658, 94.66363],
    [98.19664, 73.14819, 81.95057, 51.71036, 61.00001, 84.88411, 84.88411, 80.12298, 63.39823, 75.65, 73.77053, 38.66669, 72.31939, 56.9375, 85.54998, 84.80345, 99.05625, 91.48102, 92.06654, 92.34689, 91.59994, 56.61866, 85.57139, 66.24374, 100, 97.99556, 99.9631, 94.24765, 96.21347, 96.67273, 83.16672, 97.66812, 74.56967, 65.1114, 47.8458, 96.47191, 88.61455, 87.46307, 97.31636, 76.12854, 94.6709, 92.27349, 81.80477, 96.13167, 57.46667, 71.79999, 43.93333, 84.60603, 84.874, 77.90477, 97.58814, 96.36779, 57.73517, 99.6],
    [98.64226, 77.2214, 77.1957, 49.49834, 83.50006, 86.28991, 86.28991, 80.21214, 64.20668, 72.17, 72.31167, 39.66248, 71.50976, 60, 78.57087, 80.51726, 99.18611, 90.11586, 93.59991, 99.43702, 85.79996, 56.84723, 76.37137, 64.09357, 97.80228, 98.91727, 100, 97.18137, 78.59252, 96.60513, 73.16674, 88.61625, 74.32345, 69.77806, 41.00794, 94.14284, 88.9546, 89.9792, 97.841, 74.67613, 92.63445, 92.85163, 81.05974, 94.16605, 63.5, 77.66667, 46.78335, 76.53533, 74.872, 60.95248, 90.72864, 95.03683, 57.0753, 92.60908],
    [98.65337, 77.26883, 77.22797, 49.53232, 83.50006, 86.40586, 86.40586, 80.41979, 64.19279, 72.17, 72.31384, 40.04585, 71.57642, 60, 79.08754, 80.58623, 99.17557, 90.14524, 93.59991, 99.39943, 85.39996, 56.84723, 77.24757, 64.07691, 97.80228, 98.91727, 100, 97.18986, 80.38254, 96.54662, 73.66674, 89.56246, 74.31062, 69.77806, 40.94911, 94.09091, 88.9546, 90.01045, 97.841, 74.86423, 93.03048, 93.22753, 81.51275, 94.15662, 63.5, 77.5, 46.78335, 76.68688, 75.522, 60.95248, 90.94432, 95.28029, 57.08878, 92.60908],
]).T
# fmt: on
CLASSIFIERS = ["nbc", "aode", "hnb", "j48", "j48-gr"]
MANY = data_sets(ACCURACIES, CLASSIFIERS, higher_is_better=True)

# Demsar (2006), table 2: AUC of C4.5 with and without a minimum number of examples in a leaf.
C45 = [
    0.763,
    0.599,
    0.954,
    0.628,
    0.882,
    0.936,
    0.661,
    0.583,
    0.775,
    1.0,
    0.940,
    0.619,
    0.972,
    0.957,
]
C45_M = [
    0.768,
    0.591,
    0.971,
    0.661,
    0.888,
    0.931,
    0.668,
    0.583,
    0.838,
    1.0,
    0.962,
    0.666,
    0.981,
    0.978,
]


def bayesian(test, values, **options):
    """The posterior, with the shares of the regions in each draw."""
    kept, right = [], _data_sets._posterior
    _data_sets._posterior = lambda shares: kept.append(shares) or right(shares)
    try:
        posterior = test(Losses(values), **options).posterior
    finally:
        _data_sets._posterior = right
    return SimpleNamespace(samples=kept[0], **posterior)


bayesian_sign = partial(bayesian, bayes_sign)
bayesian_signed_rank = partial(bayesian, bayes_signed_rank)


def friedman(data, **options):
    return ranks(data, **options).friedman


def nemenyi(data):
    return ranks(data).pairs


def holm(data, **options):
    return ranks(data, post_hoc="holm", **options).pairs


def ranks_by_counting(row):
    """Rank 1 for the smallest: one more than how many are smaller, and half of the others that are equal."""
    return [1 + sum(x < y for x in row) + (sum(x == y for x in row) - 1) / 2 for y in row]


def tied_scores(rng, n, k, digits=1):
    return np.round(rng.random((n, k)), digits)


grids = (
    st.integers(2, 6)
    .flatmap(
        lambda k: st.lists(
            st.lists(st.integers(-8, 8), min_size=k, max_size=k), min_size=2, max_size=9
        )
    )
    .map(lambda rows: np.array(rows, dtype=float))
)
differences = st.lists(st.integers(-30, 30), min_size=2, max_size=12).map(
    lambda values: np.array(values) / 8
)


class TestRanksOfNumbers:
    @given(grids)
    def test_ranks_are_counted(self, table):
        assert midranks(table).tolist() == [ranks_by_counting(row) for row in table.tolist()]

    def test_numbers_that_differ_by_rounding_share_a_rank(self):
        assert midranks(np.array([[0.1 + 0.2, 0.3, 0.2], [1e-300, 2e-300, 0.0]])).tolist() == [
            [2.5, 2.5, 1],
            [2, 3, 1],
        ]

    @given(grids, st.booleans())
    def test_ranks_ignore_how_scores_are_measured(self, table, higher):
        data = ranks(data_sets(table, higher_is_better=higher))
        rows = np.arange(1.0, len(table) + 1.0)[:, np.newaxis]
        bent = rows * np.exp(table / 4) - 3.0 * rows
        for other in (
            data_sets(bent, higher_is_better=higher),
            data_sets(-table, higher_is_better=not higher),
        ):
            assert ranks(other).mean_ranks == data.mean_ranks


def one_table(kind="other", **options):
    return errbar.from_scores({"a": [0.3, 0.2, 0.4], "b": [0.1, 0.2, 0.2]}, kind=kind, **options)


def on_iris(plan, columns=(0, 1), **options):
    X, y = load_iris(return_X_y=True)
    learners = {"bayes": GaussianNB(), "most frequent": DummyClassifier()}
    return errbar.run(learners, X[:, columns], y, plan=plan, random_state=0, **options)


class TestGuard:
    @pytest.mark.parametrize(
        "plan", [KFold(3), Subsampling(n_test=0.2, repeats=3), FiveByTwo()], ids=lambda p: p.kind
    )
    def test_splits_of_a_run_are_no_data_sets(self, plan):
        table = on_iris(plan)
        with pytest.raises(PairingError):
            ranks(table)

    @pytest.mark.parametrize("kind", ["subsampling", "kfold"])
    def test_numbers_of_splits_are_no_data_sets(self, kind):
        with pytest.raises(PairingError):
            ranks(one_table(kind))

    def test_losses_of_known_examples_are_no_data_sets(self):
        table = errbar.from_losses(
            {"a": [0, 1, 1, 0], "b": [1, 1, 0, 0]}, fold=[0, 0, 1, 1], example=[3, 5, 3, 5]
        )
        assert (table.splits.kinds, table.splits.fingerprint) == (("other",), None)
        with pytest.raises(PairingError):
            ranks(table)

    @pytest.mark.parametrize("higher", [False, True])
    def test_rows_of_no_plan_may_be_data_sets(self, higher):
        found = ranks(one_table(higher_is_better=higher))
        assert found.mean_scores == pytest.approx({"a": 0.3, "b": 0.5 / 3})
        assert found.mean_ranks["a"] == pytest.approx(3.5 / 3 if higher else 5.5 / 3)

    @pytest.mark.parametrize(
        "given",
        [
            ACCURACIES,
            {"x": one_table(), "y": one_table()},
            data_sets({"a": [1, 2]}),
            data_sets({"a": [1], "b": [2]}),
        ],
    )
    def test_what_is_no_table_of_data_sets_is_refused(self, given):
        with refused("table"):
            ranks(given)

    def test_one_table_per_data_set(self):
        tables = {"sepal": on_iris(KFold(3)), "petal": on_iris(KFold(5), (2, 3))}
        data = from_tables(tables)
        assert not data.notes
        expected = [[table.scores[0].mean(), table.scores[1].mean()] for table in tables.values()]
        assert data.scores.T.tolist() == [pytest.approx(means) for means in expected]

    def test_the_same_data_twice_is_refused(self):
        with pytest.raises(PairingError):
            from_tables(
                {"x": on_iris(KFold(3)), "y": on_iris(KFold(3), (2, 3)), "z": on_iris(KFold(5))}
            )

    def test_only_the_first_plan_counts(self):
        both = on_iris(KFold(3) + Subsampling(n_test=0.2, repeats=4))
        data = from_tables({"x": both, "y": on_iris(KFold(3), (2, 3))})
        assert data.scores[0, 0] == pytest.approx(both.scores[0, :3].mean())

    def test_scores_keep_their_direction_and_learners_their_order(self):
        first = errbar.from_scores({"a": [0.8, 0.9], "b": [0.7, 0.7]}, higher_is_better=True)
        second = errbar.from_scores({"b": [0.5, 0.5], "a": [0.6, 0.4]}, higher_is_better=True)
        data = from_tables({"x": first, "y": second})
        assert data.scores.T.tolist() == [[pytest.approx(-0.85), pytest.approx(-0.7)], [-0.5, -0.5]]
        assert data.loss.higher_is_better
        assert [note.code for note in data.notes] == ["not-verified"]
        assert ranks(data).notes == data.notes

    @pytest.mark.parametrize(
        "other",
        [
            errbar.from_scores({"a": [1, 2], "c": [1, 2]}),
            one_table(metric="auc"),
            one_table(higher_is_better=True),
        ],
    )
    def test_tables_must_agree(self, other):
        with pytest.raises(PairingError):
            from_tables({"x": one_table(), "y": other})

    @pytest.mark.parametrize(
        ("tables", "argument"),
        [
            ({}, "tables"),
            ({"x": one_table()}, "tables"),
            ([one_table(), one_table()], "tables"),
            ({"x": one_table(), "y": [0.1]}, "tables"),
        ],
    )
    def test_what_is_no_mapping_of_tables_is_refused(self, tables, argument):
        with refused(argument):
            from_tables(tables)


def variance_ratio(rank_table):
    """F of a two-way analysis of variance of ranks, data sets by learners, in plain loops."""
    n, k = rank_table.shape
    middle = (k + 1) / 2
    between = sum(n * (sum(rank_table[i, j] for i in range(n)) / n - middle) ** 2 for j in range(k))
    total = sum((rank_table[i, j] - middle) ** 2 for i in range(n) for j in range(k))
    return (between / (k - 1)) / ((total - between) / ((k - 1) * (n - 1)))


class TestFriedman:
    def test_54_data_sets(self):
        """By scipy 1.17.1, on the accuracies above."""
        result = friedman(MANY)
        assert result.chi2 == pytest.approx(20.84049665711556, rel=1e-9)
        assert result.chi2_pvalue == pytest.approx(0.00034058004490788676, rel=1e-9)
        expected = [
            3.685185185185185,
            2.4444444444444446,
            2.7037037037037037,
            3.25,
            2.9166666666666665,
        ]
        means = ranks(MANY).mean_ranks
        assert [means[name] for name in CLASSIFIERS] == pytest.approx(expected, rel=1e-12)
        assert (result.df, result.f_df) == (4, (4, 212))

    @pytest.mark.parametrize(("n", "k"), [(8, 3), (10, 4), (30, 3), (5, 12)])
    @pytest.mark.parametrize("digits", [1, 17])
    def test_other_programs_and_loops(self, n, k, digits, rng):
        table = tied_scores(rng, n, k, digits)
        result = friedman(data_sets(table))
        known = stats.friedmanchisquare(*table.T)
        assert (result.chi2, result.chi2_pvalue) == pytest.approx(
            (known.statistic, known.pvalue), rel=1e-9
        )
        f = variance_ratio(midranks(table))
        assert result.f == pytest.approx(f, rel=1e-9)
        assert result.f_pvalue == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)), rel=1e-9)
        untied = (n - 1) * result.chi2 / (n * (k - 1) - result.chi2)
        assert result.f == pytest.approx(untied, rel=1e-9)

    def test_demsars_example(self):
        """Demsar (2006), section 3.2.2: 4 learners on 14 data sets, chi-square 9.28, F 3.69."""
        means = np.array([3.143, 2.000, 2.893, 1.964])
        chi2 = 12 * 14 / (4 * 5) * (np.sum(means**2) - 4 * 5**2 / 4)
        assert (chi2, 13 * chi2 / (14 * 3 - chi2)) == pytest.approx((9.28, 3.69), abs=0.02)

    @given(grids)
    def test_order_of_data_sets_and_learners_is_irrelevant(self, table):
        one, turned = ranks(data_sets(table)), ranks(data_sets(table[::-1, ::-1]))
        assert turned.friedman == one.friedman
        assert list(turned.mean_ranks.values()) == list(one.mean_ranks.values())
        assert 0.0 <= one.friedman.chi2 <= len(table) * (table.shape[1] - 1) + 1e-9

    @pytest.mark.parametrize("value", [0.0, 1.0, -1e-300, 1e150])
    def test_equal_learners_do_not_differ(self, value):
        found = ranks(data_sets(np.full((4, 3), value)))
        result = found.friedman
        assert (result.chi2, result.chi2_pvalue, result.f, result.f_pvalue) == (0.0, 1.0, 0.0, 1.0)
        assert [note.code for note in found.notes] == ["no-variation"]

    def test_two_learners_that_win_as_often(self):
        found = ranks(data_sets([[0.1, 0.2], [0.2, 0.1]]))
        result = found.friedman
        assert (result.chi2, result.chi2_pvalue, result.f, result.f_pvalue) == (0.0, 1.0, 0.0, 1.0)
        assert not found.notes

    @pytest.mark.parametrize(
        "table", [[[1, 2]] * 2, [[1, 2, 3]] * 4, [[1, 1, 3]] * 5, [[1, 1, 2, 2]] * 2]
    )
    def test_one_order_everywhere(self, table):
        found = ranks(data_sets(table))
        assert (found.friedman.f, found.friedman.f_pvalue) == (math.inf, 0.0)
        assert found.friedman.chi2 == pytest.approx(len(table) * (len(table[0]) - 1))
        assert [note.code for note in found.notes] == ["no-variation"]

    @pytest.mark.parametrize("scale", [1e-300, 1e-3, 1e147])
    def test_sizes_of_scores_are_irrelevant(self, scale):
        assert (
            friedman(data_sets(scale * ACCURACIES, higher_is_better=True)).chi2
            == friedman(MANY).chi2
        )

    @pytest.mark.long
    def test_size_of_iman_and_davenport(self, rng):
        """Of learners that are equally good, whose scores on one data set go together; and the check can fail."""
        trials = 4000
        scores = rng.standard_normal((trials, 20, 5)) + 3.0 * rng.standard_normal((trials, 20, 1))
        results = [friedman(data_sets(table)) for table in scores]
        low, high = binomial_band(trials, 0.05)
        assert low <= sum(result.f_pvalue <= 0.05 for result in results) <= high
        wrong = sum(stats.f.sf([result.f for result in results], 2, 38) <= 0.05)
        assert not low <= wrong <= high


def range_tail(q, k):
    """Probability that the range of k standard normal values exceeds q, by adaptive quadrature."""

    def density(z):
        return k * stats.norm.pdf(z) * (stats.norm.cdf(z) - stats.norm.cdf(z - q)) ** (k - 1)

    return 1.0 - integrate.quad(density, -9.0, 9.0 + q, epsabs=1e-13, limit=400)[0]


class TestMeanRanks:
    # Demsar (2006), table 5, and the same at more digits by scipy 1.17.1.
    @pytest.mark.parametrize(
        ("level", "printed"),
        [
            (0.95, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
            (0.90, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
        ],
    )
    def test_printed_quantiles(self, level, printed):
        for k, q in enumerate(printed, start=2):
            assert critical_difference(k, 14, level) / math.sqrt(k * (k + 1) / 84) == pytest.approx(
                q, abs=1.1e-3
            )

    @pytest.mark.parametrize(
        ("k", "n", "level", "expected"),
        [
            (4, 14, 0.95, 1.2535591471176057),
            (2, 10, 0.90, 0.5201483878755574),
            (4, 14, 0.90, 1.1180601669815278),
            (5, 54, 0.90, 0.7484068136838969),
            (6, 50, 0.90, 0.9685357230999283),
        ],
    )
    def test_critical_differences(self, k, n, level, expected):
        assert critical_difference(k, n, level) == pytest.approx(expected, rel=1e-9)

    @pytest.mark.long
    @pytest.mark.parametrize("k", range(2, 21))
    @pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
    def test_quantiles_by_quadrature(self, k, level):
        q = critical_difference(k, 6, level) / math.sqrt(k * (k + 1) / 36) * math.sqrt(2.0)
        assert range_tail(q, k) == pytest.approx(1.0 - level, abs=1e-9)

    @pytest.mark.parametrize(("k", "n"), [(1, 5), (3, 1), (2.5, 5), (True, 5), (3, 0), ("3", 5)])
    def test_bad_numbers_are_refused(self, k, n):
        with pytest.raises(InvalidInputError):
            critical_difference(k, n)

    def test_nemenyi_by_quadrature(self):
        for pair in nemenyi(MANY):
            z = abs(pair.rank_difference) / math.sqrt(5 * 6 / (6 * 54))
            assert (
                pair.pvalue
                == pair.adjusted
                == pytest.approx(range_tail(math.sqrt(2.0) * z, 5), abs=1e-10)
            )

    @given(grids)
    def test_nemenyi_agrees_with_the_critical_difference(self, table):
        data = data_sets(table)
        cd = critical_difference(table.shape[1], len(table))
        for pair in nemenyi(data):
            assume(abs(abs(pair.rank_difference) - cd) > 1e-6)
            assert (pair.pvalue < 0.05) == (abs(pair.rank_difference) > cd)
            assert 0.0 <= pair.pvalue <= 1.0

    def test_nemenyi_for_two_learners_is_the_normal_test(self):
        data = data_sets(ACCURACIES[:, :2], ["a", "b"])
        [range_pair], [normal_pair] = nemenyi(data), holm(data)
        assert range_pair.pvalue == pytest.approx(normal_pair.pvalue, rel=1e-8)

    @pytest.mark.parametrize("adjust", ["holm", "bonferroni", "hommel"])
    def test_holm(self, adjust):
        pairs = holm(MANY, adjust=adjust)
        error = math.sqrt(5 * 6 / (6 * 54))
        means = {
            name: np.mean([ranks_by_counting((-row).tolist())[j] for row in ACCURACIES])
            for j, name in enumerate(CLASSIFIERS)
        }
        z = [(means[a] - means[b]) / error for a, b in itertools.combinations(CLASSIFIERS, 2)]
        p = [2 * stats.norm.sf(abs(value)) for value in z]
        assert [pair.statistic for pair in pairs] == pytest.approx(z, abs=1e-12)
        assert [pair.pvalue for pair in pairs] == pytest.approx(p, rel=1e-10)
        assert [pair.adjusted for pair in pairs] == pytest.approx(
            multipletests(p, method=adjust)[1], rel=1e-10
        )

    def test_holm_against_a_baseline(self):
        pairs = holm(MANY, baseline="j48")
        assert [(pair.a, pair.b) for pair in pairs] == [
            (name, "j48") for name in CLASSIFIERS if name != "j48"
        ]
        assert [pair.adjusted for pair in pairs] == pytest.approx(
            multipletests([pair.pvalue for pair in pairs], method="holm")[1]
        )
        with refused("baseline"):
            holm(MANY, baseline="svm")
        with refused("adjust"):
            holm(MANY, adjust="sidak")

    def test_wins_and_losses_are_counted(self):
        for pair in nemenyi(MANY):
            a, b = (ACCURACIES[:, CLASSIFIERS.index(name)] for name in (pair.a, pair.b))
            assert (pair.wins, pair.ties, pair.losses) == (
                np.sum(a > b),
                np.sum(a == b),
                np.sum(a < b),
            )

    @given(grids)
    def test_swapping_the_direction_mirrors(self, table):
        for test in (nemenyi, holm):
            for one, other in zip(
                test(data_sets(table)), test(data_sets(table, higher_is_better=True)), strict=True
            ):
                assert one.rank_difference == pytest.approx(-other.rank_difference, abs=1e-12)
                assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
                assert one.pvalue == pytest.approx(other.pvalue, abs=1e-9)


def walsh_by_loops(values):
    return sorted((values[i] + values[j]) / 2 for i in range(len(values)) for j in range(i + 1))


def wilcoxon_by_enumeration(values, zeros):
    """P-values of 'less' and 'greater' from all 2^m signs."""
    kept = [v for v in values if v != 0] if zeros == "wilcox" else list(values)
    ranked = [
        (r, v)
        for r, v in zip(ranks_by_counting([abs(v) for v in kept]), kept, strict=True)
        if v != 0
    ]
    observed = sum(r for r, v in ranked if v > 0)
    sums = [
        sum(itertools.compress([r for r, _ in ranked], s))
        for s in itertools.product((0, 1), repeat=len(ranked))
    ]
    return sum(s <= observed for s in sums) / len(sums), sum(s >= observed for s in sums) / len(
        sums
    )


def wilcoxon_interval_by_enumeration(values, level, alternative):
    n = len(values)
    sums = sorted(
        sum(itertools.compress(range(1, n + 1), s)) for s in itertools.product((0, 1), repeat=n)
    )
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    allowed = [
        c for c in range(n * (n + 1) // 2 + 1) if sum(s <= c for s in sums) / len(sums) <= tail
    ]
    walsh = walsh_by_loops(values)
    low = walsh[allowed[-1]] if allowed and alternative != "less" else -math.inf
    high = walsh[-1 - allowed[-1]] if allowed and alternative != "greater" else math.inf
    return low, high


class TestWilcoxon:
    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    @pytest.mark.parametrize("n", [2, 3, 6, 13, 25, 50])
    def test_exact_p_values_are_those_of_scipy(self, n, alternative, rng):
        values = rng.normal(0.3, 1.0, n)
        result = wilcoxon(values, alternative=alternative)
        assert result.pvalue == pytest.approx(
            stats.wilcoxon(values, alternative=alternative).pvalue, rel=1e-10
        )

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    @pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
    @pytest.mark.parametrize(("n", "digits"), [(60, 17), (60, 1), (200, 1), (20, 1)])
    def test_normal_p_values_are_those_of_scipy(self, n, digits, zeros, alternative, rng):
        values = np.round(rng.normal(0.05, 0.4, n), digits) + 0.0
        known = stats.wilcoxon(
            values, zero_method=zeros, alternative=alternative, method="asymptotic"
        )
        result = wilcoxon(values, zeros=zeros, alternative=alternative, law="normal")
        assert result.pvalue == pytest.approx(known.pvalue, rel=1e-9)
        assert abs(result.statistic) == pytest.approx(abs(known.zstatistic), rel=1e-9)
        if np.count_nonzero(values) > 50:
            assert wilcoxon(values, zeros=zeros, alternative=alternative).pvalue == result.pvalue

    @pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
    @pytest.mark.parametrize("n", [3, 8, 14])
    def test_exact_p_values_with_ties_and_zeros(self, n, zeros, rng):
        values = rng.integers(-3, 5, n).astype(float)
        less, greater = wilcoxon_by_enumeration(values, zeros)
        assert wilcoxon(values, zeros=zeros, alternative="less").pvalue == pytest.approx(
            less, rel=1e-12
        )
        assert wilcoxon(values, zeros=zeros, alternative="greater").pvalue == pytest.approx(
            greater, rel=1e-12
        )
        assert wilcoxon(values, zeros=zeros).pvalue == pytest.approx(
            min(1.0, 2 * min(less, greater)), rel=1e-12
        )

    def test_both_laws_agree_for_many(self, rng):
        values = rng.normal(0.1, 1.0, 300)
        assert wilcoxon(values, law="exact").pvalue == pytest.approx(
            wilcoxon(values, law="normal").pvalue, abs=1e-3
        )

    def test_demsars_example(self):
        """Demsar (2006), section 3.1.3: rank sums 93 and 12, with the two zeros split between them."""
        data = data_sets({"C4.5": C45, "C4.5+m": C45_M}, higher_is_better=True)
        gaps = data.losses("C4.5", "C4.5+m").value
        known = np.array(ranks_by_counting(np.abs(gaps).round(3).tolist()))[gaps != 0]
        result = wilcoxon(gaps, zeros="pratt")
        assert result.statistic * math.sqrt(known @ known) == pytest.approx(93 - 12)

    def test_estimate_is_the_median_of_walsh_averages(self, rng):
        values = rng.normal(size=11)
        assert wilcoxon(values).estimate == pytest.approx(
            np.median(walsh_by_loops(values)), rel=1e-12
        )

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    @pytest.mark.parametrize("level", [0.3, 0.8, 0.95, 0.99])
    @pytest.mark.parametrize("n", [2, 5, 9, 12])
    def test_interval_by_enumeration(self, n, level, alternative, rng):
        values = rng.normal(size=n)
        result = wilcoxon(values, level=level, alternative=alternative)
        assert result.interval == pytest.approx(
            wilcoxon_interval_by_enumeration(values, level, alternative)
        )

    def test_interval_for_many_by_the_normal_law(self, rng):
        values = rng.normal(size=80)
        middle, deviation = 80 * 81 / 4, math.sqrt(80 * 81 * 161 / 24)
        cut = math.floor(middle - stats.norm.isf(0.025) * deviation)
        walsh = walsh_by_loops(values)
        assert wilcoxon(values).interval == pytest.approx((walsh[cut], walsh[-1 - cut]))

    def test_standard_error_is_close_to_that_of_the_mean(self, rng):
        """The pseudo-median of normal values has 3/pi of the mean's efficiency."""
        values = rng.normal(size=2000)
        assert wilcoxon(values).se == pytest.approx(math.sqrt(math.pi / 3 / 2000), rel=0.1)

    @pytest.mark.long
    def test_size_is_exact(self, rng):
        """With 15 values the two-sided test at 5 % rejects for 26 smallest sums of positive ranks on either side."""
        trials = 4000
        law = _law_by_enumeration(15)
        rate = 2 * max(p for p in np.cumsum(law) if p <= 0.025)
        low, high = binomial_band(trials, rate)
        values = rng.standard_normal((trials, 15)) * 10.0 ** rng.uniform(-2, 2, (trials, 15))
        assert low <= sum(wilcoxon(row).pvalue <= 0.05 for row in values) <= high

    def test_laws_are_chosen(self):
        values = np.arange(1.0, 41.0)
        assert wilcoxon(values).pvalue == wilcoxon(values, law="exact").pvalue == 2.0**-39
        assert wilcoxon(values, law="normal").pvalue > 2.0**-39
        for count, law in ((1001, "exact"), (5001, "auto")):
            with refused("value"):
                wilcoxon(np.arange(float(count)), law=law)


def _law_by_enumeration(n):
    sums = [
        sum(itertools.compress(range(1, n + 1), s)) for s in itertools.product((0, 1), repeat=n)
    ]
    return np.bincount(sums) / len(sums)


class TestSign:
    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    @pytest.mark.parametrize("n", [2, 5, 20, 101])
    def test_p_values_are_those_of_scipy(self, n, alternative, rng):
        values = rng.integers(-2, 4, n) + 0.0
        above, below = int(np.sum(values > 0)), int(np.sum(values < 0))
        known = (
            stats.binomtest(above, above + below, alternative=alternative).pvalue
            if above + below
            else 1.0
        )
        assert sign_test(values, alternative=alternative).pvalue == pytest.approx(known, rel=1e-10)

    def test_zeros_are_dropped_or_split(self):
        values = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -1.0]
        assert sign_test(values).pvalue == pytest.approx(stats.binomtest(6, 7).pvalue)
        assert sign_test(values, zeros="split").pvalue == pytest.approx(
            stats.binomtest(7, 9).pvalue
        )

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    @pytest.mark.parametrize("level", [0.3, 0.8, 0.95, 0.99])
    @pytest.mark.parametrize("n", [2, 5, 9, 30])
    def test_interval_in_plain_loops(self, n, level, alternative, rng):
        values = sorted(rng.normal(size=n))
        tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
        allowed = [c for c in range(n) if sum(math.comb(n, i) for i in range(c + 1)) / 2**n <= tail]
        low = values[allowed[-1]] if allowed and alternative != "less" else -math.inf
        high = values[-1 - allowed[-1]] if allowed and alternative != "greater" else math.inf
        result = sign_test(values, level=level, alternative=alternative)
        assert result.interval == pytest.approx((low, high))
        assert result.estimate == np.median(values)

    def test_standard_error_is_close_to_that_of_the_median(self, rng):
        assert sign_test(rng.normal(size=4000)).se == pytest.approx(
            math.sqrt(math.pi / 2 / 4000), rel=0.2
        )


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
class TestBothRankTests:
    @given(values=differences, shift=st.integers(-20, 20))
    def test_swapping_the_learners_mirrors(self, test, values, shift):
        null = shift / 8
        opposite = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
        for alternative, other in opposite.items():
            one = test(values, null=null, alternative=alternative)
            assert test(-values, null=-null, alternative=other).mirrored() == one

    @given(values=differences, data=st.data())
    def test_order_and_unit_are_irrelevant(self, test, values, data):
        one = test(values, null=0.125)
        order = data.draw(st.permutations(range(values.size)))
        assert test(values[order], null=0.125) == one
        scaled = test(4.0 * values, null=0.5)
        assert (scaled.estimate, scaled.se, scaled.statistic) == (
            4.0 * one.estimate,
            4.0 * one.se,
            one.statistic,
        )
        assert scaled.interval == (4.0 * one.low, 4.0 * one.high)
        assert scaled.pvalue == one.pvalue

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    @pytest.mark.parametrize("n", [2, 7, 30, 70])
    def test_interval_excludes_what_is_rejected(self, test, n, alternative, rng):
        values = rng.normal(size=n)
        for level in (0.5, 0.9, 0.95):
            result = test(values, level=level, alternative=alternative)
            for null in rng.normal(0.0, 1.0, 20):
                tested = test(values, level=level, null=null, alternative=alternative)
                assert tested.interval == result.interval
                assert (tested.pvalue <= 1.0 - level) == (not result.low <= null <= result.high)

    def test_intervals_grow_with_the_level(self, test, rng):
        values = rng.normal(size=20)
        found = [test(values, level=level) for level in (0.5, 0.8, 0.9, 0.95, 0.99)]
        for narrow, wide in itertools.pairwise(found):
            assert wide.low <= narrow.low <= narrow.high <= wide.high
            assert (wide.estimate, wide.se) == (narrow.estimate, narrow.se)

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_differences_that_are_all_zero(self, test, alternative):
        result = test(np.zeros(8), alternative=alternative)
        assert (result.estimate, result.se, result.statistic, result.pvalue) == (0.0, 0.0, 0.0, 1.0)
        assert result.notes[0] == errbar.Note("ties", share="all")
        assert len(result.notes) == 1
        assert not result.degenerate
        json.dumps(result.to_dict(), allow_nan=False)

    @pytest.mark.parametrize("value", [0.1, -1.0 / 3.0, 1e-300, 1e150])
    def test_differences_that_are_all_equal(self, test, value):
        result = test(np.full(8, value))
        assert (result.estimate, result.se, result.interval) == (value, 0.0, (value, value))
        assert result.pvalue == 2.0**-7
        assert [note.code for note in result.notes] == ["no-variation"]
        moved = test(np.full(8, value), null=value)
        assert (moved.statistic, moved.pvalue) == (0.0, 1.0)

    def test_too_few_for_a_bounded_interval(self, test):
        result = test([0.1, 0.2, 0.4])
        assert result.interval == (-math.inf, math.inf)
        assert "unbounded" in [note.code for note in result.notes]
        assert result.to_dict()["low"] is None
        assert math.isfinite(test([0.1, 0.2, 0.4], level=0.5).high)

    def test_what_a_result_says(self, test):
        result = test([0.1, 0.2, -0.4, 0.3], level=0.9, null=0.05, alternative="greater")
        assert result.method == {"wilcoxon": "wilcoxon", "sign_test": "sign-test"}[test.__name__]
        assert (result.estimand, result.n_splits, result.level, result.null) == ("DS", 4, 0.9, 0.05)
        assert math.isnan(result.n_train)
        assert json.loads(json.dumps(result.to_dict()))["estimate"] == result.estimate

    @pytest.mark.parametrize(
        "values",
        [
            [0.1],
            [],
            [0.1, math.nan],
            [math.inf, 0.1],
            [[0.1, 0.2]],
            [0.1, 1e300],
            ["a", "b"],
            None,
        ],
    )
    def test_bad_differences_are_refused(self, test, values):
        with refused("value"):
            test(values)

    @pytest.mark.parametrize(
        "options",
        [
            {"level": 95},
            {"null": math.nan},
            {"alternative": "both"},
            {"zeros": "keep"},
            {"level": "0.95"},
        ],
    )
    def test_bad_options_are_refused(self, test, options):
        with pytest.raises(InvalidInputError):
            test([0.1, 0.2], **options)

    @pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e148])
    def test_sizes_are_irrelevant(self, test, scale):
        values = np.array([0.3, -0.1, 0.25, 0.4, 0.07, 0.9, -0.2])
        one, scaled = test(values), test(scale * values)
        assert (scaled.pvalue, scaled.statistic) == (one.pvalue, one.statistic)
        assert scaled.estimate == pytest.approx(scale * one.estimate, rel=1e-12)


@pytest.mark.parametrize("law", ["third", None, ""])
def test_an_unknown_law_is_refused(law):
    with refused("law"):
        wilcoxon([0.1, 0.2], law=law)


def shares_in_plain_loops(points, weights, rope):
    left = rope_share = right = 0.0
    for w, z in zip(weights, points, strict=True):
        for v, x in zip(weights, points, strict=True):
            if z + x < -2 * rope:
                left += w * v
            elif z + x > 2 * rope:
                right += w * v
            else:
                rope_share += w * v
    return left, rope_share, right


class TestBayes:
    def test_54_data_sets(self):
        """Documentation of baycomp 1.0.3: nbc and j48 with a region of 1, left being j48 worse; Monte Carlo."""
        found = bayesian_signed_rank(ACCURACIES[:, 3] - ACCURACIES[:, 0], rope=1.0)
        assert (found.left, found.rope, found.right) == pytest.approx(
            (0.23014, 0.00674, 0.76312), abs=0.006
        )

    @pytest.mark.parametrize("rope", [0.0, 0.25, 1.0])
    def test_signed_rank_in_plain_loops(self, rope):
        values = np.array([0.75, -0.5, 1.25, 0.125, -2.0])
        found = bayesian_signed_rank(values, rope=rope, samples=20_000, random_state=3)
        points, rng = [0.0, *values], np.random.default_rng(4)
        drawn = rng.dirichlet([0.5, 1.0, 1.0, 1.0, 1.0, 1.0], 2000)
        shares = np.array([shares_in_plain_loops(points, weights, rope) for weights in drawn])
        assert found.samples.mean(axis=0) == pytest.approx(shares.mean(axis=0), abs=0.02)
        assert found.samples.std(axis=0) == pytest.approx(shares.std(axis=0), abs=0.02)

    @pytest.mark.parametrize(("below", "above"), [(3, 5), (1, 9), (4, 4)])
    def test_sign_test_of_two_regions_is_a_beta_law(self, below, above):
        found = bayesian_sign([-1.0] * below + [1.0] * above, prior=0.0, samples=100_000)
        expected = special.betainc(above, below, 0.5)
        assert found.left == pytest.approx(expected, abs=5 * math.sqrt(0.25 / 100_000))
        assert found.rope == 0.0

    def test_sign_test_has_the_means_of_dirichlet(self):
        found = bayesian_sign([-2.0, -2.0, 0.0, 0.5, 3.0, 3.0, 3.0], rope=0.5, prior=2.0)
        assert found.samples.mean(axis=0) == pytest.approx([2 / 9, 4 / 9, 3 / 9], abs=0.005)

    @pytest.mark.parametrize("test", [bayesian_sign, bayesian_signed_rank])
    def test_same_seed_same_bits(self, test):
        values = [0.3, -0.1, 0.25, 0.4, 0.07]
        one, same, other = (test(values, random_state=seed, samples=500) for seed in (7, 7, 8))
        assert np.array_equal(one.samples, same.samples)
        assert not np.array_equal(one.samples, other.samples)
        assert one.samples.shape == (500, 3)
        assert (one.samples >= 0.0).all()
        assert one.samples.sum(axis=1) == pytest.approx(1.0)
        assert one.left + one.rope + one.right == pytest.approx(1.0)

    def test_memory_is_bounded_and_changes_nothing(self, monkeypatch):
        values = np.linspace(-1.0, 1.5, 20)
        whole = bayesian_signed_rank(values, rope=0.1, samples=1000)
        monkeypatch.setattr(_data_sets, "_BLOCK", 300)
        assert bayesian_signed_rank(values, rope=0.1, samples=1000).samples == pytest.approx(
            whole.samples, abs=1e-12
        )

    @given(
        st.lists(st.integers(1, 40), min_size=2, max_size=10, unique=True),
        st.randoms(use_true_random=False),
    )
    def test_order_is_irrelevant_and_swapping_mirrors(self, sizes, random):
        values = np.array([size * random.choice([-1, 1]) / 8 for size in sizes])
        shuffled = values[random.sample(range(values.size), values.size)]
        one = bayesian_signed_rank(values, rope=0.5, samples=200)
        assert bayesian_signed_rank(shuffled, rope=0.5, samples=200).samples == pytest.approx(
            one.samples, abs=1e-12
        )
        turned = bayesian_signed_rank(-values, rope=0.5, samples=200)
        assert turned.samples[:, ::-1] == pytest.approx(one.samples, abs=1e-12)

    @pytest.mark.parametrize("test", [bayesian_sign, bayesian_signed_rank])
    @pytest.mark.parametrize("rope", [0.0, 0.1])
    def test_equal_learners_are_equivalent(self, test, rope):
        found = test(np.zeros(10), rope=rope)
        assert (found.left, found.rope, found.right) == (0.0, 1.0, 0.0)

    @pytest.mark.parametrize("test", [bayesian_sign, bayesian_signed_rank])
    @pytest.mark.parametrize("scale", [1e-300, 1.0, 1e150])
    def test_one_learner_wins_everywhere(self, test, scale):
        found = test(np.full(30, scale))
        assert found.right > 0.999
        assert test(np.full(30, scale), rope=scale).rope == 1.0

    @pytest.mark.parametrize("test", [bayesian_sign, bayesian_signed_rank])
    @pytest.mark.parametrize(
        "options",
        [
            {"rope": -0.1},
            {"rope": math.nan},
            {"rope": math.inf},
            {"prior": -1.0},
            {"prior": math.inf},
            {"samples": 0},
            {"samples": 1e4},
            {"random_state": -1},
            {"random_state": "0"},
        ],
    )
    def test_bad_options_are_refused(self, test, options):
        with pytest.raises(InvalidInputError):
            test([0.1, 0.2], **options)

    def test_it_agrees_with_the_signed_rank_test(self, rng):
        """For many data sets the posterior probability is close to one minus the one-sided p-value."""
        for centre in (-0.2, -0.1, 0.0, 0.1, 0.2):
            values = rng.normal(centre, 1.0, 100)
            p = wilcoxon(values, alternative="greater").pvalue
            assert bayesian_signed_rank(values, samples=20_000).left == pytest.approx(p, abs=0.05)


def cliques_of_all_subsets(ranking):
    """All groups without a pair that is told apart, and not part of a larger one."""
    names = list(ranking.mean_ranks)
    apart = {frozenset((pair.a, pair.b)) for pair in ranking.apart}
    free = [
        set(group)
        for size in range(2, len(names) + 1)
        for group in itertools.combinations(names, size)
        if not any(frozenset(two) in apart for two in itertools.combinations(group, 2))
    ]
    largest = [group for group in free if not any(group < other for other in free)]
    return {frozenset(group) for group in largest}


class TestRanking:
    @pytest.mark.parametrize("post_hoc", ["nemenyi", "holm", "wilcoxon"])
    @pytest.mark.parametrize("level", [0.3, 0.9, 0.99])
    def test_cliques_are_all_largest_groups(self, post_hoc, level, rng):
        scores = rng.normal(size=(12, 6)) + 0.4 * np.arange(6) + rng.normal(size=(12, 1))
        found = ranks(data_sets(scores), level=level, post_hoc=post_hoc)
        assert {frozenset(group) for group in found.cliques} == cliques_of_all_subsets(found)
        order = list(found.mean_ranks)
        places = [[order.index(name) for name in group] for group in found.cliques]
        assert places == sorted(sorted(group) for group in places)

    def test_groups_need_not_be_neighbours(self):
        """b is always a little worse than a; c is worse than both more often than not, but where it wins, by far."""
        a = np.linspace(1.0, 2.0, 40)
        b = a + np.linspace(0.1, 0.2, 40)
        c = a + np.r_[np.linspace(1.0, 1.1, 28), np.linspace(-5.0, -5.1, 12)]
        found = ranks(data_sets({"a": a, "b": b, "c": c}), post_hoc="wilcoxon")
        assert list(found.mean_ranks) == ["a", "b", "c"]
        assert found.cliques == (("a", "c"), ("b", "c"))

    def test_nemenyi(self):
        found = ranks(MANY)
        assert list(found.mean_ranks) == ["aode", "hnb", "j48-gr", "j48", "nbc"]
        assert found.critical_difference == critical_difference(5, 54)
        assert found.pairs == nemenyi(MANY)
        assert found.cliques == (("aode", "hnb", "j48-gr", "j48"), ("j48-gr", "j48", "nbc"))
        assert found.mean_scores["nbc"] == pytest.approx(ACCURACIES[:, 0].mean())
        assert found.friedman == _data_sets.friedman_of(midranks(MANY.scores.T))
        assert [(pair.a, pair.b) for pair in found.apart] == [("nbc", "aode"), ("nbc", "hnb")]

    def test_holm_against_a_baseline(self):
        found = ranks(MANY, post_hoc="holm", baseline="nbc", adjust="hommel")
        assert found.pairs == holm(MANY, baseline="nbc", adjust="hommel")
        assert (found.cliques, found.critical_difference, found.adjust) == ((), None, "hommel")

    def test_wilcoxon_pairs(self):
        found = ranks(MANY, post_hoc="wilcoxon", adjust="none")
        for pair in found.pairs:
            result = wilcoxon(MANY.losses(pair.b, pair.a).value)
            assert pair.pvalue == pair.adjusted == result.pvalue
            assert pair.statistic == pytest.approx(-result.statistic)
        adjusted = ranks(MANY, post_hoc="wilcoxon")
        known = multipletests([pair.pvalue for pair in found.pairs], method="holm")[1]
        assert [pair.adjusted for pair in adjusted.pairs] == pytest.approx(known)

    def test_wilcoxon_does_not_depend_on_the_pool(self):
        few = data_sets(ACCURACIES[:, [0, 3]], ["nbc", "j48"], higher_is_better=True)
        [alone] = ranks(few, post_hoc="wilcoxon").pairs
        [among] = [
            p for p in ranks(MANY, post_hoc="wilcoxon").pairs if (p.a, p.b) == ("nbc", "j48")
        ]
        assert alone.pvalue == among.pvalue
        [normal] = ranks(few, post_hoc="holm").pairs
        [other] = [p for p in ranks(MANY, post_hoc="holm").pairs if (p.a, p.b) == ("nbc", "j48")]
        assert normal.pvalue != pytest.approx(other.pvalue, rel=0.01)

    @pytest.mark.parametrize("post_hoc", ["nemenyi", "holm", "wilcoxon"])
    def test_plain_data_and_text(self, post_hoc):
        for data in (MANY, data_sets([[1, 2], [1, 2]]), data_sets(np.ones((3, 4)))):
            found = ranks(data, post_hoc=post_hoc)
            plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
            assert [row["name"] for row in plain["learners"]] == list(found.mean_ranks)
            assert len(found.pairs) == len(plain["pairs"])
            text = str(found)
            assert all(name in text for name in data.learners)
            assert "nan" not in text
            assert max(len(line) for line in text.splitlines()) < 160

    def test_equal_learners_are_one_group(self):
        found = ranks(data_sets(np.ones((4, 3)), ["a", "b", "c"]))
        assert found.cliques == (("a", "b", "c"),)
        assert [pair.pvalue for pair in found.pairs] == [1.0, 1.0, 1.0]
        assert [(pair.wins, pair.ties, pair.losses) for pair in found.pairs] == [(0, 4, 0)] * 3

    def test_many_learners(self, rng):
        found = ranks(data_sets(rng.normal(size=(10, 40))), post_hoc="holm")
        assert len(found.pairs) == 780
        assert found.cliques

    @pytest.mark.parametrize(
        ("options", "argument"),
        [
            ({"post_hoc": "tukey"}, "post_hoc"),
            ({"adjust": "sidak"}, "adjust"),
            ({"level": 1.0}, "level"),
            ({"baseline": "nbc", "post_hoc": "nemenyi"}, "baseline"),
            ({"baseline": "svm", "post_hoc": "holm"}, "baseline"),
        ],
    )
    def test_bad_options_are_refused(self, options, argument):
        with refused(argument):
            ranks(MANY, **options)

    def test_with_a_baseline_the_natural_test_is_that_of_holm(self):
        assert ranks(MANY, baseline=MANY.learners[0]).post_hoc == "holm"
        assert ranks(MANY).post_hoc == "nemenyi"


def test_names_with_spaces_keep_their_p_values():
    data = data_sets({"a  b": [0.1, 0.2, 0.1, 0.3, 0.2, 0.1], "c": [0.2, 0.3, 0.2, 0.4, 0.3, 0.2]})
    [line] = [line for line in str(ranks(data)).splitlines() if line.startswith("c  ")]
    assert any(cell.startswith((".", "<.")) for cell in line.split())
