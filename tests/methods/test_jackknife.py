"""cv-jackknife: sums by hand, loops from the formulas, bounds, repeats, groups, metrics, coverage."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import special
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import errbar
from errbar import Losses
from errbar.methods import cv_jackknife
from errbar.methods._jackknife import Shared, shared_by, training_part
from errbar.plans import KFold, NestedKFold
from tests.forms import two_lines as run
from tests.refusals import refused

# Mean losses on fold k (column) without folds g (row) and k; on the diagonal, without fold k alone.
MEANS = [
    [0.30, 0.42, 0.28, 0.36],
    [0.34, 0.40, 0.30, 0.35],
    [0.31, 0.45, 0.27, 0.37],
    [0.33, 0.41, 0.29, 0.35],
]


def test_the_parts_of_a_table_by_hand():
    """In hundredths, tau - mean tau = (-9, 3, 7, -1)/12 and e - mean e = (-3, 7, -6, 2)."""
    of_training, noise = training_part(np.array(MEANS))
    T = 3 / 4 * (9**2 + 3**2 + 7**2 + 1) / 12**2
    X = -2 / 4 * (-3 * -9 + 7 * 3 + -6 * 7 + 2 * -1) / 12
    assert of_training == pytest.approx((T + X) / 1e4, rel=1e-9)
    # By another program, with exact fractions.
    raw = of_training + np.var([0.30, 0.40, 0.27, 0.35], ddof=1) / 4
    assert raw - noise == pytest.approx(0.00073375, rel=1e-9)


def nested_losses(X, y, folds, repeats=1):
    """Losses of least squares under nested cross-validation, fitted by scikit-learn."""
    columns = []
    for repeat in range(repeats):
        fold = np.random.default_rng(repeat).permutation(np.arange(y.size) % folds)
        for g in range(folds):
            for k in (-1, *(k for k in range(folds) if k != g)):
                test = fold == (g if k == -1 else k)
                train = (fold != g) & (fold != k)
                wrong = LinearRegression().fit(X[train], y[train]).predict(X[test]) - y[test]
                columns += [
                    (loss, repeat, g, k, i)
                    for loss, i in zip(wrong**2, np.flatnonzero(test), strict=True)
                ]
    value, *labels = np.transpose(columns)
    repeat, fold, inner, example = (label.astype(int) for label in labels)
    return Losses(value, repeat=repeat, fold=fold, inner=inner, example=example)


def least_squares(n, p, folds, repeats=1):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, p))
    return nested_losses(X, X.sum(axis=1) + rng.standard_normal(n), folds, repeats)


def by_loops(view, K):
    """W/n, S_f^2/K, T + X by way of the raw jackknife variance, and the noise, of one repeat."""
    e = np.array([view.value[(view.fold == k) & (view.inner == -1)].mean() for k in range(K)])
    E = np.zeros((K, K))
    for g in range(K):
        for k in range(K):
            if k != g:
                E[k, g] = view.value[(view.fold == g) & (view.inner == k)].mean()
    without = [sum(E[k, g] for k in range(K) if k != g) / (K - 1) for g in range(K)]
    raw = (K - 1) / K * sum((u - sum(without) / K) ** 2 for u in without)
    # Row and column effects by alternating means, until they stand still.
    off, row, column = ~np.eye(K, dtype=bool), np.zeros(K), np.zeros(K)
    for _ in range(2000):
        row = np.array(
            [np.mean([E[k, g] - column[g] for g in range(K) if g != k]) for k in range(K)]
        )
        column = np.array(
            [np.mean([E[k, g] - row[k] for k in range(K) if k != g]) for g in range(K)]
        )
    noise = sum((E - row[:, None] - column)[off] ** 2) / (K * (K - 1) - 2 * K + 1)
    outer = view.value[view.inner == -1]
    of_folds = e.var(ddof=1) / K
    return outer.var(ddof=1) / outer.size, of_folds, raw - of_folds, (K - 2) / K * noise


FORMS = {"steady": 0.5, "middle": 0.5, "lower": 1.0, "upper": 0.0}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("p", [2, 30])
def test_least_squares_number_by_number(form, p):
    """Of 60 examples with 2 features, and with 30, where training sets are most of the variance."""
    view, K = least_squares(60, p, 5), 5
    of_examples, of_folds, of_training, noise = by_loops(view, K)
    x = (of_examples if form == "steady" else of_folds) + of_training - FORMS[form] * noise
    b = of_examples * K / (K - 1)
    V = max(x, b)
    result = cv_jackknife(view, variance=form)
    assert result.estimate == pytest.approx(view.value[view.inner == -1].mean(), rel=1e-12)
    assert result.se**2 == pytest.approx(V, rel=1e-8)
    assert result.df == pytest.approx(
        min(59, V**2 / (b**2 / 59 + (V - b) ** 2 / (K - 1))), rel=1e-8
    )
    assert (result.n_train, result.n_splits) == (48.0, 25)
    assert result.components["examples"] == pytest.approx(b, rel=1e-8)
    assert sum(result.components.values()) == pytest.approx(V, rel=1e-12)
    if p == 30:
        assert x > b


def test_repeats_are_averaged():
    view, K = least_squares(60, 30, 5, repeats=3), 5
    parts = [by_loops(only(view, view.repeat == r), K) for r in range(3)]
    of_examples, _, of_training, noise = np.mean(parts, axis=0)
    V = of_examples + of_training - noise / 2
    result = cv_jackknife(view)
    assert result.se**2 == pytest.approx(V, rel=1e-8)
    b = of_examples * K / (K - 1)
    assert result.df == pytest.approx(V**2 / (b**2 / 59 + (V - b) ** 2 / (K - 1)), rel=1e-8)


def only(view, rows):
    names = ("repeat", "fold", "inner", "example")
    return Losses(view.value[rows], **{name: view.index[name][rows] for name in names})


def test_losses_that_do_not_depend_on_the_training_set_are_those_of_a_test_set():
    """Then x falls below b, and t has n - 1 degrees of freedom."""
    loss = np.random.default_rng(0).standard_normal(40)
    fold = np.arange(40) % 4
    places = [(g, k) for g in range(4) for k in (-1, *(k for k in range(4) if k != g))]
    rows = [np.flatnonzero(fold == (g if k == -1 else k)) for g, k in places]
    example = np.concatenate(rows)
    labels = np.repeat(places, [own.size for own in rows], axis=0).T
    result = cv_jackknife(Losses(loss[example], fold=labels[0], inner=labels[1], example=example))
    assert result.df == 39
    assert result.se == pytest.approx(math.sqrt(loss.var(ddof=1) / 40 * 4 / 3), rel=1e-12)
    assert result.components["training"] == 0.0


def test_groups_stand_together():
    groups = {"groups": np.repeat(np.arange(12), 5)}
    outer = run(KFold(4), **groups)
    b = errbar.infer(outer, "cv-t", "line", variance="examples").se ** 2
    result = errbar.infer(run(NestedKFold(4, repeats=1), **groups), "cv-jackknife", "line")
    assert result.components["examples"] == pytest.approx(b, rel=1e-12)
    assert result.df <= 11


@pytest.mark.parametrize("loss", ["r2", "absolute-error"])
@pytest.mark.parametrize("form", FORMS)
def test_metrics_have_intervals(form, loss):
    table = run(NestedKFold(5, repeats=1), loss)
    for pair in (None, "flat"):
        result = errbar.infer(table, "cv-jackknife", "line", minus=pair, variance=form)
        assert result.low < result.estimate < result.high


def test_equal_losses_have_no_error():
    table = run(NestedKFold(5, repeats=1))
    view = table.losses("line")
    same = Losses(np.full(view.value.size, 0.1), fold=view.fold, inner=view.inner)
    assert cv_jackknife(same).se == 0.0


def test_what_differences_share_by_hand():
    """Four degrees of freedom of each ratio, and of all as many as their logarithms vary little."""
    view, K = least_squares(60, 30, 5), 5
    of_examples, _, of_training, noise = by_loops(view, K)
    b = of_examples * K / (K - 1)
    ratio = (of_examples + of_training - noise / 2) / b
    result = cv_jackknife(view, shared=Shared(6.0, 3.0, 4))
    assert result.se**2 == pytest.approx(b * (6.0 * 3.0 + 4.0 * ratio) / 10.0, rel=1e-8)
    assert result.df == 8  # K - 1 + 4 learners
    alike = cv_jackknife(view, shared=Shared(math.inf, 3.0, 12))
    assert (alike.se**2, alike.df) == (pytest.approx(3.0 * b, rel=1e-8), 16)
    assert cv_jackknife(view, shared=Shared(1.0, 1.0, 4)).df == 5


def ratio_of(view, K):
    of_examples, _, of_training, noise = by_loops(view, K)
    return (of_examples + of_training - noise / 2) / (of_examples * K / (K - 1))


def test_degrees_of_freedom_of_what_is_shared():
    views = [least_squares(60, p, 5) for p in (1, 2, 20, 36)]
    ratios = np.array([ratio_of(view, 5) for view in views])
    assert ratios.min() < 1.0 < ratios.max()
    spread = np.log(np.maximum(ratios, 1.0)).var(ddof=1)
    assert spread > special.polygamma(1, 2.0)
    shared = shared_by(views, 4, "steady")
    assert special.polygamma(1, shared.df / 2) == pytest.approx(
        spread - special.polygamma(1, 2.0), rel=1e-9
    )
    assert (shared.ratio, shared.learners) == (pytest.approx(ratios.mean(), rel=1e-8), 4)


def test_ratios_that_are_alike_are_one():
    large, small = least_squares(60, 30, 5), least_squares(60, 1, 5)
    found = shared_by([large] * 5, 4, "steady")
    assert found == (math.inf, pytest.approx(ratio_of(large, 5), rel=1e-8), 4)
    assert shared_by([small] * 5, 4, "steady") == (math.inf, 1.0, 4)
    same = Losses(np.full(small.value.size, 0.1), fold=small.fold, inner=small.inner)
    assert shared_by([same], 3, "steady") is None
    assert shared_by([large, same], 3, "steady").df == 0.0


@pytest.mark.parametrize("adjust", ["max-t", None])
def test_what_is_said_of_all_is_never_sharper_than_what_is_said_of_one(adjust):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((120, 6))
    y = (X[:, :2].sum(axis=1) + rng.logistic(size=120) > 2.0).astype(int)
    learners = {
        f"on {j}": make_pipeline(
            FunctionTransformer(partial(np.take, indices=[j, j + 1], axis=1)),
            LogisticRegression(class_weight="balanced"),
        )
        for j in range(4)
    }
    found = errbar.compare(learners, X, y, adjust=adjust, random_state=0)
    assert found.method == "cv-jackknife"
    for pair in found.pairs:
        assert pair.adjusted >= pair.result.pvalue
        low, high = found.simultaneous.pairs[pair.a, pair.b]
        assert low <= pair.result.low
        assert pair.result.high <= high
        assert (pair.adjusted <= 0.05) == (low > 0.0 or high < 0.0)


def test_what_is_shared_is_made_by_comparisons():
    with refused("shared"):
        cv_jackknife(least_squares(30, 2, 5), shared=(3.0, 2.0, 4))


def test_forms_are_named():
    with refused("variance"):
        cv_jackknife(least_squares(30, 2, 5), variance="larger")


@pytest.mark.slow
def test_coverage_of_least_squares():
    """2000 data sets of 40 examples and 20 features: the jackknife has the part of the training sets, cv-t has not."""
    import errbar_lab as lab

    problem = lab.Problem(lab.GaussianRegression(), {"ols": LinearRegression()})
    experiment = lab.Experiment([problem], [40], ["cv-t", "cv-jackknife"])
    outcomes = experiment.run(2000, random_state=1, n_jobs=2)
    without, with_it = (one.coverage for one in lab.summary(outcomes))
    assert without.high < 0.9
    assert with_it.low > 0.94
