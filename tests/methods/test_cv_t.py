"""cv-t: reference values, loops from the formulas, groups, metrics, coverage, hostile input."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import errbar
from errbar import Losses
from errbar.errors import UnsuitablePlanError
from errbar.methods import cv_t
from errbar.plans import KFold
from tests.bands import binomial_band
from tests.forms import two_lines as run
from tests.refusals import refused


def repeated(rng, n=23, folds=4, repeats=3):
    """Losses of several cross-validations, in no order."""
    example = np.tile(np.arange(n), repeats)
    fold = np.concatenate([rng.permutation(np.arange(n) % folds) for _ in range(repeats)])
    value = rng.gamma(1.0, size=n)[example] + 0.3 * rng.standard_normal(n * repeats)
    order = rng.permutation(value.size)
    repeat = np.repeat(np.arange(repeats), n)
    return Losses(
        value[order],
        fold=fold[order],
        repeat=repeat[order],
        example=example[order],
        n_train=n * (folds - 1) / folds,
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_formula_number_by_number(seed):
    view = repeated(np.random.default_rng(seed))
    n, folds, repeats = 23, 4, 3
    within, between = [], []
    for repeat in range(repeats):
        losses = [v for v, r in zip(view.value, view.repeat, strict=True) if r == repeat]
        centre = sum(losses) / n
        within.append(sum((v - centre) ** 2 for v in losses) / (n - 1))
        means = []
        for k in range(folds):
            own = [
                v
                for v, r, f in zip(view.value, view.repeat, view.fold, strict=True)
                if (r, f) == (repeat, k)
            ]
            means.append(sum(own) / len(own))
        middle = sum(means) / folds
        between.append(sum((m - middle) ** 2 for m in means) / (folds - 1))
    of_examples, of_folds = sum(within) / repeats / n, sum(between) / repeats / folds
    result = cv_t(view)
    assert result.estimate == pytest.approx(view.value.mean(), rel=1e-12)
    assert result.se**2 == pytest.approx(
        max(of_examples, of_folds) * folds / (folds - 1), rel=1e-12
    )
    assert cv_t(view, variance="examples").se ** 2 == pytest.approx(
        of_examples * folds / (folds - 1), rel=1e-12
    )
    assert result.df == folds - 1
    assert result.pvalue == pytest.approx(
        2 * stats.t.sf(abs(result.estimate / result.se), folds - 1), rel=1e-9
    )


def test_the_training_size_may_be_unknown():
    view = repeated(np.random.default_rng(0))
    bare = Losses(view.value, fold=view.fold, repeat=view.repeat, example=view.example)
    assert cv_t(bare).se == pytest.approx(cv_t(view).se, rel=1e-12)
    assert math.isnan(cv_t(bare).n_train)


def test_groups_of_one_example_change_nothing_but_the_folds():
    table = run(KFold(5, repeats=2), groups=np.arange(60))
    result = errbar.infer(table, "cv-t", "line")
    points, example = table.points[0], table.cells.example
    means = np.bincount(example, points) / 2
    assert result.df == 4
    assert result.se**2 >= means.var(ddof=1) / 60 * 60 / 48 * (1 - 1e-12)


def test_the_losses_of_a_group_stand_together():
    table = run(KFold(5), groups=np.repeat(np.arange(12), 5))
    clustered = errbar.infer(table, "cluster-t", "line")
    result = errbar.infer(table, "cv-t", "line", variance="examples")
    assert result.se == pytest.approx(
        clustered.se * math.sqrt(60 / table.splits.n_train.mean()), rel=1e-12
    )
    assert str(result.estimand) == "ER"


@pytest.mark.parametrize(
    ("plan", "more"),
    [
        (KFold(3), {"groups": np.arange(60) % 3}),
        (KFold(5), {"time": np.arange(60)}),
    ],
)
def test_designs_that_are_refused(plan, more):
    with pytest.raises(UnsuitablePlanError):
        errbar.infer(run(plan, **more), "cv-t", "line")


def test_means_over_seeds():
    table = run(errbar.plans.Seeds(2, plan=KFold(5)))
    assert "means" in [note.code for note in errbar.infer(table, "cv-t", "line").notes]


@pytest.mark.parametrize("loss", ["r2", "absolute-error"])
def test_metrics_have_intervals(loss):
    table = run(KFold(5), loss)
    for pair in (None, "flat"):
        result = errbar.infer(table, "cv-t", "line", minus=pair)
        assert result.low < result.estimate < result.high


def test_an_interval_of_a_share_has_no_end_beyond_zero():
    view = {"a": [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]}
    result = errbar.infer(
        errbar.from_losses(view, fold=np.arange(12) % 4, metric="zero-one"), "cv-t"
    )
    assert 0.0 < result.low < 1 / 12 < result.high < 1.0


@pytest.mark.parametrize(
    ("view", "argument"),
    [
        (Losses([0.1, 0.2, 0.3]), "fold"),
        (Losses([0.1, 0.2, 0.3, 0.4], fold=[0, 1, 0, 0], repeat=[0, 0, 1, 1]), "fold"),
        (Losses([0.1, 0.2, 0.3, 0.4, 0.5], fold=[0, 1, 0, 1, 1], repeat=[0, 0, 1, 1, 1]), "repeat"),
    ],
)
def test_what_is_no_cross_validation_is_refused(view, argument):
    with refused(argument):
        cv_t(view)


def uneven(result):
    return [note.numbers["ratio"] for note in result.notes if note.code == "uneven-folds"]


def test_folds_that_differ_more_than_their_losses_are_said():
    value = np.tile([0.0, 1.0], 30)
    fold = np.repeat(np.arange(6), 10)
    view = Losses(value + np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.2])[fold], fold=fold)
    left = view.value - view.value.mean()
    ratio = (
        np.var([view.value[fold == k].mean() for k in range(6)], ddof=1)
        / 6
        / (left @ left / 59 / 60)
    )
    assert ratio > stats.chi2.isf(0.01, 5) / 5
    assert uneven(cv_t(view)) == pytest.approx([ratio], rel=1e-12)
    assert uneven(cv_t(Losses(value, fold=fold))) == []


def test_a_learner_that_single_examples_upset_is_said_to_be():
    """A class of 8 % has few ones in a column of zeros and ones: where it has none, naive Bayes takes zero for certain."""
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.08).astype(int)
    X = np.c_[
        rng.normal(size=(300, 4)) + 0.5 * y[:, None],
        rng.random((300, 3)) < np.where(y, 0.04, 0.25)[:, None],
    ]
    found = errbar.compare(
        {"bayes": GaussianNB(), "logistic": LogisticRegression()},
        X,
        y,
        method="cv-t",
        random_state=0,
    )
    assert uneven(found.learners["bayes"])
    assert uneven(found.pairs[0].result)
    assert not uneven(found.learners["logistic"])
    assert any(note.code == "uneven-folds" for note in found.notes)


@pytest.mark.long
def test_even_folds_are_called_uneven_in_one_of_a_hundred_at_most(rng):
    def losses():
        fold = np.concatenate([rng.permutation(np.arange(100) % 10) for _ in range(2)])
        return Losses(
            np.tile(rng.normal(size=100), 2),
            fold=fold,
            repeat=np.repeat([0, 1], 100),
            example=np.tile(np.arange(100), 2),
        )

    said = sum(bool(uneven(cv_t(losses()))) for _ in range(2000))
    assert said <= binomial_band(2000, 0.01)[1]
