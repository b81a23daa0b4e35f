"""Cochran's Q: numbers of other programs, loops written from the formula, and what must not change it."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats import contingency_tables

import errbar
from errbar import Blocks, Discordance, InvalidInputError
from errbar.methods import GLOBAL_TESTS, METHODS, cochran_q, mcnemar
from tests.refusals import refused


def ones_at(*positions):
    column = np.zeros(100)
    column[list(positions)] = 1.0
    return column


# mlxtend 0.25.0, test_cochran_q: errors of three models on 100 examples, all of class 0
FIRST = ones_at(*range(16))
SECOND = ones_at(*range(6), 20, 21)
THIRD = ones_at(0, 1, 2, 6, 20, 21, 98, 99)

zero_one = st.tuples(st.integers(2, 15), st.integers(2, 6), st.integers(0, 2**32 - 1)).map(
    lambda sizes: np.random.default_rng(sizes[2]).integers(0, 2, sizes[:2]).astype(float)
)


def by_loops(value):
    """Q from deviations of the column sums, and rows that are not all alike."""
    n, k = value.shape
    columns = [sum(value[i][j] for i in range(n)) for j in range(k)]
    middle = sum(columns) / k
    above = sum((column - middle) ** 2 for column in columns)
    below = sum(sum(value[i]) * (k - sum(value[i])) for i in range(n))
    return k * (k - 1) * above / below


class TestNumbers:
    def test_three_models_of_mlxtend(self):
        result = cochran_q(Blocks(np.stack([FIRST, SECOND, THIRD], axis=1), n_train=50))
        assert result.statistic == pytest.approx(7.529411764705882, rel=1e-12)
        assert result.pvalue == pytest.approx(0.023174427241061245, rel=1e-10)
        assert (result.df, result.n_blocks, result.n_train) == (2.0, 100, 50.0)
        assert result.means == (0.16, 0.08, 0.08)

    def test_two_models_are_mcnemar_without_correction(self):
        result = cochran_q(Blocks(np.stack([FIRST, SECOND], axis=1)))
        assert result.statistic == pytest.approx(5.333333333333333, rel=1e-12)
        assert result.pvalue == pytest.approx(0.020921335337794035, rel=1e-10)
        known = mcnemar(Discordance(10, 2, 100, 6), kind="chi2")
        assert (result.statistic, result.pvalue) == (
            pytest.approx(known.statistic),
            pytest.approx(known.pvalue),
        )

    @given(zero_one)
    def test_loops_and_statsmodels(self, value):
        if np.ptp(value, axis=1).any():
            result = cochran_q(Blocks(value))
            known = contingency_tables.cochrans_q(value)
            assert result.statistic == pytest.approx(by_loops(value), rel=1e-10, abs=1e-12)
            assert result.statistic == pytest.approx(known.statistic, rel=1e-10, abs=1e-12)
            assert result.pvalue == pytest.approx(known.pvalue, rel=1e-8)
            assert result.pvalue == pytest.approx(
                stats.chi2.sf(by_loops(value), value.shape[1] - 1), rel=1e-8
            )

    def test_it_is_in_the_catalogue(self):
        entry = GLOBAL_TESTS["cochran-q"]
        assert (entry.subject, entry.partners, entry.loss, entry.pointwise) == (
            "all",
            ("mcnemar",),
            "zero-one",
            True,
        )
        assert "cochran-q" not in METHODS


class TestInvariance:
    @given(zero_one, st.randoms(use_true_random=False))
    def test_order_of_examples_and_learners(self, value, random):
        rows = random.sample(range(value.shape[0]), value.shape[0])
        columns = random.sample(range(value.shape[1]), value.shape[1])
        one, other = cochran_q(Blocks(value)), cochran_q(Blocks(value[np.ix_(rows, columns)]))
        assert (other.statistic, other.pvalue) == (one.statistic, one.pvalue)
        assert other.means == tuple(one.means[column] for column in columns)

    @given(zero_one)
    def test_errors_and_hits(self, value):
        assert cochran_q(Blocks(1.0 - value)).statistic == pytest.approx(
            cochran_q(Blocks(value)).statistic, rel=1e-12
        )

    @given(zero_one, st.integers(1, 5), st.sampled_from([0.0, 1.0]))
    def test_examples_that_all_judge_alike_add_nothing(self, value, count, alike):
        more = np.vstack([value, np.full((count, value.shape[1]), alike)])
        assert cochran_q(Blocks(more)).statistic == pytest.approx(
            cochran_q(Blocks(value)).statistic, rel=1e-12
        )


class TestEdges:
    @pytest.mark.parametrize(
        "value", [np.zeros((5, 3)), np.ones((2, 2)), np.repeat([[0.0], [1.0], [1.0]], 4, axis=1)]
    )
    def test_models_that_never_differ(self, value):
        result = cochran_q(Blocks(value))
        assert (result.statistic, result.pvalue) == (0.0, 1.0)
        assert [note.code for note in result.notes] == ["no-variation"]

    def test_equal_error_rates_on_different_examples(self):
        result = cochran_q(Blocks(np.eye(4)))
        assert (result.statistic, result.pvalue, result.notes) == (0.0, 1.0, ())

    def test_a_model_that_is_always_wrong_among_flawless_ones(self):
        value = np.zeros((1000, 3))
        value[:, 1] = 1.0
        result = cochran_q(Blocks(value))
        assert result.statistic == pytest.approx(2000.0, rel=1e-12)
        assert result.pvalue == pytest.approx(0.0, abs=1e-300)

    def test_many_learners_and_examples(self):
        """Sums of squares are whole numbers, so nothing is lost: Q is exactly what the fraction is."""
        rng = np.random.default_rng(5)
        value = (rng.random((40_000, 60)) < 0.3).astype(float)
        columns, rows = value.sum(axis=0).astype(int), value.sum(axis=1).astype(int)
        above = 60 * sum(int(c) ** 2 for c in columns) - int(columns.sum()) ** 2
        below = 60 * int(rows.sum()) - sum(int(r) ** 2 for r in rows)
        assert cochran_q(Blocks(value)).statistic == 59 * above / below

    @pytest.mark.parametrize(
        "value",
        [
            [[0, 1], [0.5, 1]],
            [[0, 1], [0, -1]],
            [[0, 1], [0, 1e-300]],
        ],
    )
    def test_other_losses_are_refused(self, value):
        with refused("value"):
            cochran_q(Blocks(value))

    @pytest.mark.parametrize("level", [0.0, 1.0, 95, math.nan, "0.95", None])
    def test_bad_levels_are_refused(self, level):
        with refused("level"):
            cochran_q(Blocks([[0, 1], [1, 1]]), level=level)


class TestTables:
    def test_real_data(self):
        from sklearn.datasets import load_breast_cancer
        from sklearn.naive_bayes import GaussianNB
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.tree import DecisionTreeClassifier

        X, y = load_breast_cancer(return_X_y=True)
        models = {
            "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
            "bayes": GaussianNB(),
            "neighbours": KNeighborsClassifier(),
        }
        table = errbar.run(
            models, X, y, plan=errbar.plans.Holdout(n_test=0.3), loss="zero-one", random_state=3
        )
        wrong = [
            [
                float(stored["label"][cell] != table.target.values[example])
                for stored in table.predictions
            ]
            for cell, example in enumerate(table.cells.example)
        ]
        result = errbar.overall(table, "cochran-q", level=0.9)
        assert result.statistic == pytest.approx(by_loops(np.array(wrong)), rel=1e-10)
        assert (result.learners, result.level, result.n_blocks) == (
            ("tree", "bayes", "neighbours"),
            0.9,
            170,
        )
        assert "cochran-q: statistic" in str(result)
        two = errbar.overall(table.subset(["tree", "bayes"]), "cochran-q")
        known = errbar.infer(table, "mcnemar", "tree", minus="bayes", kind="chi2")
        assert two.pvalue == pytest.approx(known.pvalue, rel=1e-10)

    def test_losses_from_elsewhere(self):
        table = errbar.from_losses(
            {"a": [0, 1, 1, 0], "b": [0, 1, 0, 0], "c": [0, 0, 0, 1]}, metric="zero-one"
        )
        assert errbar.overall(table, "cochran-q").statistic == pytest.approx(
            by_loops(table.points.T), rel=1e-12
        )

    def test_what_it_is_not_made_for(self):
        table = errbar.from_losses({"a": [0.0, 0.5], "b": [0.2, 1.0]}, metric="zero-one")
        with pytest.raises(InvalidInputError):
            errbar.overall(table, "cochran-q")
        with pytest.raises(InvalidInputError):
            errbar.overall(
                errbar.from_losses({"a": [0, 1], "b": [1, 1]}, metric="squared-error"), "cochran-q"
            )
        with pytest.raises(InvalidInputError):
            errbar.infer(table, "cochran-q", "a", minus="b")
