"""Nested cross-validation: an independent program's numbers, loops from the formula, structure, hostile input."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import errbar
from errbar import InvalidInputError, Losses
from errbar.methods import nested_cv
from errbar.methods._folds import moments
from errbar.plans import NestedKFold, draw
from tests.refusals import refused

COLUMNS = ("value", "fold", "repeat", "inner")

# repeat, fold, inner fold (0 is outer) and two losses each
# fmt: off
ROWS = [
    (1, 1, 0, .837, .878), (1, 2, 0, .082, .69), (1, 3, 0, .412, .269),
    (1, 1, 2, .543, .018), (1, 1, 3, .432, .497), (1, 2, 1, .21, .517), (1, 2, 3, .874, .065), (1, 3, 1, .214, .884), (1, 3, 2, .957, .014),
    (2, 1, 0, .226, .314), (2, 2, 0, .817, .019), (2, 3, 0, .978, .896),
    (2, 1, 2, .007, .264), (2, 1, 3, .152, .82), (2, 2, 1, .2, .699), (2, 2, 3, .544, .658), (2, 3, 1, .151, .469), (2, 3, 2, .0, .694),
]
# fmt: on


def rows_view(rows):
    flat = [
        (loss, fold, repeat, inner or -1)
        for repeat, fold, inner, *losses in rows
        for loss in losses
    ]
    return Losses(
        **dict(zip(COLUMNS, (list(column) for column in zip(*flat, strict=True)), strict=True))
    )


def plain(view, exponent=1.0):
    """Estimate and standard error, number by number."""
    rows = list(
        zip(
            *(column.tolist() for column in (view.value, view.repeat, view.fold, view.inner)),
            strict=True,
        )
    )
    repeats, folds = sorted({row[1] for row in rows}), sorted({row[2] for row in rows})
    K = len(folds)
    gaps, all_inner, all_outer = [], [], []
    for repeat in repeats:
        for fold in folds:
            o = [e for e, r, k, j in rows if (r, k, j) == (repeat, fold, -1)]
            q = [e for e, r, k, j in rows if (r, k) == (repeat, fold) and j != -1]
            mean_o, mean_q = sum(o) / len(o), sum(q) / len(q)
            noise = sum((e - mean_o) ** 2 for e in o) / (len(o) - 1) / len(o)
            gaps.append((mean_q - mean_o) ** 2 - noise)
            all_inner += q
            all_outer += o
    n = len(all_outer) // len(repeats)
    mse = (K - 1) / K * sum(gaps) / len(gaps)
    inner, outer = sum(all_inner) / len(all_inner), sum(all_outer) / len(all_outer)
    low = math.sqrt(sum((e - inner) ** 2 for e in all_inner) / (len(all_inner) - 1)) / math.sqrt(n)
    se = max(low, min(math.sqrt(max(mse, 0.0)), math.sqrt(K) * low))
    return inner - (1 + ((K - 2) / K) ** exponent) * (inner - outer), se


def random_view(rng, n=23, folds=4, repeats=3, value=None):
    splits = draw(NestedKFold(folds, repeats), n, 0).splits
    sizes = [split.test.size for split in splits]
    columns = (
        np.repeat([split.labels.get(name, -1) for split in splits], sizes)
        for name in ("fold", "repeat", "inner")
    )
    fold, repeat, inner = columns
    values = rng.gamma(1.0, size=fold.size) if value is None else np.full(fold.size, value)
    return Losses(values, fold=fold, repeat=repeat, inner=inner)


class TestMlr3inferr:
    """R package mlr3inferr: ``MeasureCiNestedCV$.ci`` with bias = TRUE and alpha = 0.05 on these numbers."""

    def test_interval(self):
        result = nested_cv(rows_view(ROWS))
        assert result.estimate == pytest.approx(0.575847222222222, abs=1e-12)
        assert (result.low, result.high) == pytest.approx(
            (0.167814348486924, 0.98388009595752), abs=1e-12
        )
        assert (result.n_train, result.n_splits, result.df, result.notes) == (6.0, 18, None, ())

    def test_intermediate_values(self):
        found = moments(rows_view(ROWS))
        assert (found.inner, found.outer) == pytest.approx(
            (0.4117916666666666, 0.5348333333333333), abs=1e-15
        )
        assert found.mse == pytest.approx(0.043340520833333326, abs=1e-15)
        assert found.se_low == pytest.approx(0.1270913159764205, abs=1e-15)
        assert math.sqrt(found.folds) * found.se_low == pytest.approx(
            0.22012861647195048, abs=1e-15
        )
        assert nested_cv(rows_view(ROWS)).se == pytest.approx(0.20818386304738734, abs=1e-15)
        assert (found.folds, found.n) == (3, 6)


class TestAgainstTheFormula:
    @pytest.mark.parametrize(
        ("n", "folds", "repeats"), [(6, 3, 1), (23, 4, 3), (50, 5, 2), (24, 12, 1)]
    )
    @pytest.mark.parametrize("exponent", [1.0, 1.5])
    def test_loops(self, n, folds, repeats, exponent, rng):
        view = random_view(rng, n, folds, repeats)
        result = nested_cv(view, bias_exponent=exponent)
        assert (result.estimate, result.se) == pytest.approx(plain(view, exponent), rel=1e-11)
        assert (result.n_train, result.n_splits) == (n, repeats * folds**2)

    def test_exponent_of_the_authors_program(self):
        result = nested_cv(rows_view(ROWS), bias_exponent=1.5)
        inner, outer = 0.4117916666666666, 0.5348333333333333
        assert result.estimate == pytest.approx(
            inner - (1 + (1 / 3) ** 1.5) * (inner - outer), abs=1e-14
        )
        assert result.se == nested_cv(rows_view(ROWS)).se

    def test_a_huge_exponent_gives_the_mean_of_the_outer_losses(self):
        """The part for going from (K - 2)/K to (K - 1)/K is all that is corrected for, and that leads to Err_out."""
        assert nested_cv(rows_view(ROWS), bias_exponent=1e6).estimate == pytest.approx(
            0.5348333333333333, abs=1e-14
        )

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_normal_law(self, alternative, rng):
        result = nested_cv(random_view(rng), null=0.8, level=0.9, alternative=alternative)
        law = stats.norm(result.estimate, result.se)
        expected = {
            "two-sided": (*law.interval(0.9), 2 * min(law.cdf(0.8), law.sf(0.8))),
            "less": (-math.inf, law.ppf(0.9), law.sf(0.8)),
            "greater": (law.ppf(0.1), math.inf, law.cdf(0.8)),
        }[alternative]
        assert (result.low, result.high, result.pvalue) == pytest.approx(expected, rel=1e-9)


class TestBounds:
    def view(self, inner, outer):
        """Three folds of two examples, with given inner and outer losses."""
        rows = [(0, k, -1, *outer[k]) for k in range(3)]
        rows += [(0, k, j, *inner[k]) for k in range(3) for j in range(3) if j != k]
        flat = [
            (loss, fold, repeat, place) for repeat, fold, place, *losses in rows for loss in losses
        ]
        return Losses(
            **dict(zip(COLUMNS, (list(column) for column in zip(*flat, strict=True)), strict=True))
        )

    def test_a_negative_error_estimate_leads_to_the_lower_bound(self):
        view = self.view(inner=[(0.4, 0.6)] * 3, outer=[(0.0, 1.0)] * 3)
        found, result = moments(view), nested_cv(view)
        assert found.mse < 0
        assert result.se == found.se_low
        assert [note.code for note in result.notes] == ["out-of-bounds"]

    def test_a_large_error_estimate_leads_to_the_upper_bound(self):
        view = self.view(inner=[(0.5, 0.6)] * 3, outer=[(0.0, 0.01), (1.0, 1.01), (2.0, 2.01)])
        found, result = moments(view), nested_cv(view)
        assert result.se == pytest.approx(math.sqrt(3) * found.se_low, rel=1e-15)
        assert [note.code for note in result.notes] == ["out-of-bounds"]


class TestDegenerateAndHostile:
    @pytest.mark.parametrize("constant", [0.0, 0.1, -1 / 3, 1e150])
    @pytest.mark.parametrize("offset", [0.0, 0.5])
    def test_constant_losses(self, constant, offset, rng):
        null = constant + (offset if constant < 1e9 else 0.0)
        result = nested_cv(random_view(rng, value=constant), null=null)
        assert result.se == 0.0
        assert result.statistic == (0.0 if null == constant else -math.inf)
        assert result.degenerate

    def test_large_numbers_work_and_vanishing_ones_are_refused(self, rng):
        view = random_view(rng)
        columns = {"fold": view.fold, "repeat": view.repeat, "inner": view.inner}
        scaled = nested_cv(Losses(1e148 * view.value, **columns))
        assert scaled.se / 1e148 == pytest.approx(nested_cv(view).se, rel=1e-10)
        with pytest.raises(InvalidInputError):
            nested_cv(Losses(1e-300 * view.value, **columns))

    @pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, "1", None, True])
    def test_exponent_is_checked(self, bad):
        with refused("bias_exponent"):
            nested_cv(rows_view(ROWS), bias_exponent=bad)

    @pytest.mark.parametrize(
        ("spoil", "argument"),
        [
            (lambda rows: [row for row in rows if row[2] == 0], "inner"),
            (lambda rows: [row for row in rows if row[2] != 0], "inner"),
            (lambda rows: rows[:-1], "inner"),
            (lambda rows: [*rows, (2, 3, 3, 0.1, 0.2)], "inner"),
            (lambda rows: [*rows, (1, 1, 2, 0.1)], "inner"),
            (lambda rows: [*rows, (1, 1, 7, 0.1)], "inner"),
            (lambda rows: [(r, k, j, e) for r, k, j, e, _ in rows], "fold"),
            (lambda rows: [row for row in rows if row[1] < 3 and row[2] < 3], "fold"),
            (
                lambda rows: [
                    (r, k, j, *e, 0.5) if r == 2 else (r, k, j, *e) for r, k, j, *e in rows
                ],
                "repeat",
            ),
            (lambda rows: rows[:-9], None),
        ],
    )
    def test_structure(self, spoil, argument):
        view = rows_view(spoil(ROWS))
        if argument is None:
            assert nested_cv(view).n_splits == 9
            return
        with refused(argument):
            nested_cv(view)

    def test_labels_may_be_any_numbers(self, rng):
        view = random_view(rng)
        names = np.array([5, 10**12, -7, 3])
        inner = np.where(view.inner < 0, -1, names[view.inner])
        other = Losses(view.value, fold=names[view.fold], repeat=10**15 * view.repeat, inner=inner)
        assert nested_cv(other).se == pytest.approx(nested_cv(view).se, rel=1e-12)
        assert nested_cv(other).estimate == pytest.approx(nested_cv(view).estimate, rel=1e-12)


losses = st.lists(st.floats(-10, 10).map(lambda x: round(x, 6)), min_size=36, max_size=36)


@given(losses, st.floats(1e-3, 1e3), st.floats(-100, 100), st.randoms(use_true_random=False))
def test_scale_shift_and_order(values, factor, offset, random):
    view = rows_view(ROWS)
    order = np.array(random.sample(range(36), 36))
    one = nested_cv(Losses(values, fold=view.fold, repeat=view.repeat, inner=view.inner), null=0.5)
    moved = Losses(
        (factor * np.array(values) + offset)[order],
        fold=view.fold[order],
        repeat=view.repeat[order],
        inner=view.inner[order],
    )
    other = nested_cv(moved, null=0.5 * factor + offset)
    size = 10 * factor + abs(offset)
    assert other.estimate == pytest.approx(factor * one.estimate + offset, abs=1e-9 * size)
    # the root of a mean squared error near 0 magnifies rounding
    assert other.se == pytest.approx(factor * one.se, rel=1e-5, abs=1e-6 * size)


class TestOnRealData:
    PLAN = NestedKFold(folds=4, repeats=2)

    def test_difference(self):
        from sklearn.datasets import load_diabetes
        from sklearn.linear_model import LinearRegression, Ridge

        X, y = load_diabetes(return_X_y=True)
        learners = {"ols": LinearRegression(), "ridge": Ridge(1.0)}
        table = errbar.run(learners, X[:90], y[:90], plan=self.PLAN, random_state=0)
        at, labels = table.cells.split, table.splits.labels
        columns = {name: labels[name][at] for name in ("fold", "repeat", "inner")}
        view = Losses(table.points[0] - table.points[1], **columns)
        result = errbar.infer(table, "nested-cv", "ols", minus="ridge")
        assert (result.estimate, result.se) == pytest.approx(plain(view), rel=1e-10)
        assert (result.n_train, result.n_splits) == (90.0, 32)

    def test_half_the_inner_fits_are_shared(self):
        from sklearn.datasets import load_diabetes
        from sklearn.linear_model import LinearRegression

        X, y = load_diabetes(return_X_y=True)
        result = errbar.evaluate(
            LinearRegression(), X, y, method="nested-cv", plan=self.PLAN, random_state=0
        )
        assert result.n_fits == 2 * 4 * 5 / 2
        assert result.low < result.estimate < result.high
