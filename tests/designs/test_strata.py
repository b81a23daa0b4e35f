"""Stratified splits: the variance between strata is added, by per-example losses, or a note says what it can amount to."""

import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import Losses
from errbar.methods import between_strata
from errbar.plans import KFold, Predefined, Subsampling

# Scores of 8 stratified splits into 27 and 3, and influence values of 30 examples in strata of 14 and 16, with the
# interval by hand: S^2 (1/8 + 3/27) + B/27, t with 7 degrees of freedom.
SCORES = [0.272, 0.358, 0.339, 0.272, 0.32, 0.257, 0.304, 0.253]
INFLUENCE = [
    *(1.33, -2.17, -1.65, 1.46, 0.61, 0.79, -0.28, -0.47, 0.2, -0.94, -1.53, -1.11, 0.12, 0.64),
    *(
        1.85,
        0.57,
        0.67,
        1.89,
        -0.58,
        -0.76,
        -0.34,
        0.1,
        2.22,
        -0.15,
        1.51,
        -0.27,
        0.69,
        0.88,
        0.73,
        0.95,
    ),
]
STRATA = [0] * 14 + [1] * 16


def test_reference_value():
    between = between_strata(INFLUENCE, STRATA)
    assert between == pytest.approx(0.17427457142857145, rel=1e-10)
    assert errbar.methods.corrected_t(Losses(SCORES, n_train=27, n_test=3)).se == pytest.approx(
        0.01912940866293704, rel=1e-10
    )


@pytest.mark.parametrize("method", ["corrected-t", "bayes-correlated-t", "resampled-t", "kfold-t"])
def test_a_classifier_that_always_says_no(method):
    """Its scores do not vary over stratified splits; B is p (1 - p), and the standard error the binomial one."""
    X, y = np.zeros((300, 1)), (np.arange(300) % 10 == 0).astype(int)
    plan = Predefined(
        StratifiedKFold(10) if method == "kfold-t" else StratifiedShuffleSplit(15, test_size=30)
    )
    result = errbar.evaluate(DummyClassifier(), X, y, plan=plan, method=method, random_state=0)
    assert result.estimate == pytest.approx(0.1)
    assert result.se == pytest.approx(math.sqrt(0.09 / 270))


@pytest.mark.parametrize("method", ["corrected-t", "bayes-correlated-t", "kfold-t"])
def test_strata_of_whole_groups_are_those_of_as_many_groups(method):
    """Where all examples of a group are of one class, its share is known as well as from one example of each group."""
    group = np.repeat(np.arange(30), 10)
    X, y = np.zeros((300, 1)), (group % 10 == 0).astype(int)
    plan = (
        KFold(3, stratify=True) if method == "kfold-t" else Subsampling(n_test=0.5, stratify=True)
    )
    result = errbar.evaluate(
        DummyClassifier(), X, y, plan=plan, groups=group, method=method, random_state=0
    )
    n_train = 20 if method == "kfold-t" else 15
    assert result.estimate == pytest.approx(0.1, abs=0.04)
    assert result.se == pytest.approx(math.sqrt(0.09 / n_train * 30 / 29), rel=0.15)


def test_plain_splits_are_as_they_were(rng):
    X, y = rng.standard_normal((100, 2)), np.arange(100) % 2
    table = errbar.run(
        {"a": DecisionTreeClassifier()}, X, y, plan=errbar.plans.Subsampling(), random_state=0
    )
    scores = table.scores[0]
    assert errbar.infer(table, "corrected-t").se == pytest.approx(
        math.sqrt(scores.var(ddof=1) * (1 / 15 + 10 / 90))
    )


def test_stated_strata(rng):
    """The same losses as numbers of one's own, with the class of each example."""
    X, y = rng.standard_normal((200, 2)), (rng.uniform(size=200) < 0.2).astype(int)
    learners = {"a": DecisionTreeClassifier(), "b": DummyClassifier()}
    run = errbar.run(
        learners, X, y, plan=Predefined(StratifiedShuffleSplit(8, test_size=40)), random_state=0
    )
    given = errbar.from_losses(
        dict(zip("ab", run.points, strict=True)),
        repeat=run.cells.split,
        example=run.cells.example,
        strata=y[run.cells.example],
        n_train=160,
    )
    for pair in (("a", None), ("b", None), ("a", "b")):
        own, other = (errbar.infer(table, "corrected-t", *pair) for table in (run, given))
        # Shares are those in the data, or where these are not known, in the test sets, which have them but for rounding.
        assert other.se == pytest.approx(own.se, rel=0.02)


class TestScoresAlone:
    def test_a_note_says_that_it_is_not_known(self):
        table = errbar.from_scores(
            {"a": [0.1, 0.12, 0.08], "b": [0.1, 0.1, 0.12]}, n_train=270, n_test=30, stratified=True
        )
        for pair in (("a",), ("a", "b")):
            result = errbar.infer(table, "corrected-t", *pair)
            assert "strata-not-known" in [note.code for note in result.notes]

    def test_metrics_given_the_class_need_none(self, rng):
        X, y = rng.standard_normal((200, 2)), (np.arange(200) % 5 == 0).astype(int)
        plan = Predefined(StratifiedShuffleSplit(8, test_size=40))
        for loss, known in (
            ("roc_auc", True),
            ("balanced_accuracy", True),
            ("recall", True),
            ("f1", True),
        ):
            result = errbar.evaluate(
                DecisionTreeClassifier(), X, y, loss=loss, plan=plan, random_state=0
            )
            assert ("strata-not-known" not in [note.code for note in result.notes]) == known

    def test_fewer_than_one_of_a_class_in_a_test_set(self):
        X, y = np.zeros((300, 1)), (np.arange(300) < 9).astype(int)
        plan = Predefined(StratifiedShuffleSplit(15, test_size=30))
        with pytest.raises(errbar.UnsuitablePlanError):
            errbar.evaluate(DummyClassifier(), X, y, plan=plan, random_state=0)


def _coverage(plan_of, replicates, rng):
    """Share of data sets with 6 % positives in which the corrected t of a tree of depth 2 holds its expected risk."""
    weights = np.array([1.5, -1.0])

    def sample(n):
        y = (rng.uniform(size=n) < 0.06).astype(int)
        return rng.standard_normal((n, 4)) + np.outer(y, [*weights, 0, 0]), y

    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    X_new, y_new = sample(20_000)
    risks = []
    for _ in range(300):
        X, y = sample(450)
        risks.append((tree.fit(X, y).predict(X_new) != y_new).mean())
    truth = float(np.mean(risks)) - (y_new.mean() - 0.06) * 0.5
    held = 0
    for i in range(replicates):
        X, y = sample(500)
        result = errbar.evaluate(tree, X, y, plan=plan_of(i), method="corrected-t", random_state=i)
        held += result.low <= truth <= result.high
    return held / replicates


@pytest.mark.slow
def test_coverage_of_stratified_splits():
    """6 % positives, a tree of depth 2, n = 500, 15 splits: it was 78 % without the term, and is 92 % with it."""
    rng = np.random.default_rng(20261122)
    share = _coverage(
        lambda i: Predefined(StratifiedShuffleSplit(15, test_size=50, random_state=i)), 400, rng
    )
    assert 0.885 <= share <= 0.98
