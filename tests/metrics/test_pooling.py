"""From predictions to scores: what is put together, what is weighed by what, and what is refused."""

import math

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.dummy import DummyClassifier, DummyRegressor

import errbar
from errbar.errors import UndefinedMetricError
from errbar.metrics import LABEL, METRICS
from errbar.plans import (
    Bootstrap,
    Holdout,
    KFold,
    NestedKFold,
    Predefined,
    RollingOrigin,
    Subsampling,
)
from tests.metrics.cases import Says, SaysNumber, sample
from tests.refusals import refused

# 61 examples in 7 folds: unequal ones.
PLANS = {
    "holdout": Holdout(0.4),
    "folds": KFold(7),
    "repeats": KFold(7, repeats=3),
    "random": Subsampling(n_test=0.3, repeats=5),
    "nested": NestedKFold(5, repeats=2),
}
OF_CLASSES = {
    "f1": lambda y, p: sk.f1_score(y, p.argmax(axis=1)),
    "f1_macro": lambda y, p: sk.f1_score(y, p.argmax(axis=1), average="macro"),
    "matthews_corrcoef": lambda y, p: sk.matthews_corrcoef(y, p.argmax(axis=1)),
    "roc_auc": lambda y, p: sk.roc_auc_score(y, p[:, 1]),
    "average_precision": lambda y, p: sk.average_precision_score(y, p[:, 1]),
}
OF_NUMBERS = {
    "root_mean_squared_error": sk.root_mean_squared_error,
    "wape": lambda y, p: np.abs(y - p).sum() / np.abs(y).sum(),
    "explained_variance": sk.explained_variance_score,
}


def classes(n=61, skill=0.4, seed=1):
    """Features that hold the probabilities of two learners, and the classes."""
    target, predictions = sample("classification", 2, n=n, seed=seed, skill=skill, ties=False)
    other = sample("classification", 2, n=n, seed=seed, skill=1.0, ties=False)[1]
    return np.hstack([predictions["probability"], other["probability"]]), target.values


def table_of(key, plan, **how):
    X, y = classes()
    return (
        errbar.run({"a": Says(0), "b": Says(1)}, X, y, plan=plan, loss=key, random_state=3, **how),
        X[:, :2],
        y,
    )


def shown_scores(table):
    return table.loss.sign * table.scores[0]


def groups_of(table):
    """Repeat of each split, with the outer fold of an inner one: what a metric of pooled folds is computed of."""
    labels = table.splits.labels
    outer = np.where(labels["inner"] < 0, -1, labels["fold"])
    return np.unique(np.stack([labels["repeat"], outer]), axis=1, return_inverse=True)[1].ravel()


@pytest.mark.parametrize("key", OF_CLASSES)
@pytest.mark.parametrize("plan", ["folds", "repeats", "nested"])
def test_folds_together_give_the_metric_of_all_their_predictions(key, plan):
    table, p, y = table_of(key, PLANS[plan], pool="folds")
    number = groups_of(table)
    for group in np.unique(number):
        chosen = np.flatnonzero(number == group)
        tested = np.concatenate([table.cells.example[table.cells.split == j] for j in chosen])
        assert shown_scores(table)[chosen].mean() == pytest.approx(
            OF_CLASSES[key](y[tested], p[tested]), rel=1e-12
        )
        inside = np.isin(table.cells.split, chosen)
        points = table.loss.sign * table.points[0][inside]
        assert points.mean() == pytest.approx(OF_CLASSES[key](y[tested], p[tested]), rel=1e-12)


@pytest.mark.parametrize("key", OF_CLASSES)
@pytest.mark.parametrize("plan", PLANS)
def test_each_split_alone_gives_the_metric_of_scikit_learn(key, plan):
    table, p, y = table_of(key, PLANS[plan], pool="none")
    for j, score in enumerate(shown_scores(table)):
        tested = table.cells.example[table.cells.split == j]
        assert score == pytest.approx(OF_CLASSES[key](y[tested], p[tested]), rel=1e-12)


@pytest.mark.parametrize("key", OF_CLASSES)
@pytest.mark.parametrize("plan", ["random", "repeats"])
def test_all_splits_together(key, plan):
    table, p, y = table_of(key, PLANS[plan], pool="splits")
    tested = table.cells.example
    assert shown_scores(table).mean() == pytest.approx(
        OF_CLASSES[key](y[tested], p[tested]), rel=1e-12
    )


@pytest.mark.parametrize("key", OF_CLASSES)
def test_random_splits_stand_alone_where_folds_are_put_together(key):
    alone, together = (table_of(key, PLANS["random"], pool=pool)[0] for pool in ("none", "folds"))
    assert np.array_equal(alone.scores, together.scores)


@pytest.mark.parametrize("key", OF_NUMBERS)
@pytest.mark.parametrize("plan", ["folds", "repeats"])
def test_numbers_of_folds_together(key, plan):
    target, predictions = sample("regression", n=61, seed=2)
    X = predictions[LABEL][:, None]
    table = errbar.run(
        {"a": SaysNumber()}, X, target.values, plan=PLANS[plan], loss=key, random_state=3
    )
    assert table.loss.pool == "folds"
    expected = OF_NUMBERS[key](target.values, predictions[LABEL])
    for repeat in np.unique(table.splits.labels["repeat"]):
        assert shown_scores(table)[table.splits.labels["repeat"] == repeat].mean() == pytest.approx(
            expected, rel=1e-12
        )


@pytest.mark.parametrize(
    ("key", "statistic", "power"), [("r2", np.mean, 2), ("d2_absolute_error_score", np.median, 1)]
)
def test_skill_of_folds_compares_with_what_the_other_folds_say(key, statistic, power):
    """Hawinkel, Waegeman & Maere (2023): the rival of a test example is the mean of what its model was trained on."""
    target, predictions = sample("regression", n=61, seed=2)
    y, p = target.values, predictions[LABEL]
    table = errbar.run({"a": SaysNumber()}, p[:, None], y, plan=KFold(7), loss=key, random_state=3)
    rival = np.empty(61)
    for j in range(7):
        tested = table.cells.example[table.cells.split == j]
        rival[tested] = statistic(np.delete(y, tested))
    expected = 1 - (np.abs(y - p) ** power).sum() / (np.abs(y - rival) ** power).sum()
    assert shown_scores(table).mean() == pytest.approx(expected, rel=1e-12)
    # A learner that predicts its training mean has no skill at all, also of each split alone.
    ones = errbar.run(
        {"a": SaysNumber()}, rival[:, None], y, plan=KFold(7), loss=key, random_state=3
    )
    assert shown_scores(ones).mean() == pytest.approx(0.0, abs=1e-12)
    assert shown_scores(ones.with_loss(key, pool="none")) == pytest.approx(np.zeros(7), abs=1e-12)


def r2_by_hand(y, predicted, splits):
    """Return the R2 of each split against the mean of its training targets."""
    return [
        1 - np.square(y[test] - predicted[test]).sum() / np.square(y[test] - y[train].mean()).sum()
        for train, test in splits
    ]


@pytest.mark.parametrize(
    "plan",
    [
        KFold(7),
        Holdout(),
        Subsampling(repeats=4),
        Subsampling(n_train=20, repeats=3),
        Bootstrap(repeats=4),
        RollingOrigin(4),
    ],
    ids=str,
)
def test_r2_of_a_split_is_against_the_mean_of_its_training_set(plan):
    target, predictions = sample("regression", n=61, seed=2)
    y, p = target.values, predictions[LABEL]
    table = errbar.run(
        {"a": SaysNumber()}, p[:, None], y, plan=plan, loss="r2", pool="none", random_state=3
    )
    splits = [(split.train, split.test) for split in table.splits.drawn]
    assert shown_scores(table) == pytest.approx(r2_by_hand(y, p, splits), rel=1e-12)
    # Not the mean of the test set, as scikit-learn's r2_score takes.
    assert abs(shown_scores(table)[0] - sk.r2_score(y[splits[0][1]], p[splits[0][1]])) > 1e-6
    rows = table.select(np.arange(len(splits)) == len(splits) - 1)
    assert shown_scores(rows.with_loss("r2", pool="none")) == pytest.approx(
        r2_by_hand(y, p, splits[-1:]), rel=1e-12
    )


def test_r2_of_given_folds_is_against_the_mean_of_the_other_folds():
    target, predictions = sample("regression", n=60, seed=2)
    y, p, fold = target.values, predictions[LABEL], np.arange(60) % 6
    table = errbar.from_predictions({"a": p}, y, loss="r2", fold=fold, pool="none")
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(6)]
    assert shown_scores(table) == pytest.approx(r2_by_hand(y, p, splits), rel=1e-12)
    assert "taken-as" not in [note.code for note in errbar.infer(table, "cv-t", "a").notes]


@pytest.mark.parametrize(
    ("key", "codes"), [("r2", {"taken-as"}), ("root_mean_squared_error", set())]
)
def test_of_one_given_test_set_nobody_knows_the_training_targets(key, codes):
    """So R2 is that of scikit-learn, and a note says so."""
    target, predictions = sample("regression", n=60, seed=2)
    y, p = target.values, predictions[LABEL]
    found = errbar.infer(
        errbar.from_predictions({"a": p}, y, fold="none", loss=key), "holdout-t", "a"
    )
    assert {note.code for note in found.notes} & {"taken-as"} == codes
    assert key != "r2" or found.estimate == pytest.approx(sk.r2_score(y, p), rel=1e-12)


@pytest.mark.parametrize("plan", [None, KFold(5), Holdout(), Subsampling()], ids=str)
def test_a_dummy_has_an_r2_of_0_by_definition(plan, rng):
    """Its predictions are the training means that R2 compares with; so are those of the truth, see tests/lab/test_metrics.py."""
    X, y = rng.standard_normal((60, 2)), rng.standard_normal(60)
    found = errbar.evaluate(DummyRegressor(), X, y, plan=plan, loss="r2", random_state=0)
    assert (found.estimate, found.low, found.high) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert "no-variation" in [note.code for note in found.notes]


def test_shares_of_all_folds_weigh_the_influence_values_of_areas():
    """LeDell, Petersen & van der Laan (2015): not the classes that a fold happens to have."""
    table, p, y = table_of("roc_auc", KFold(4))
    share = y.mean()
    for j in range(4):
        cells = np.flatnonzero(table.cells.split == j)
        tested = table.cells.example[cells]
        score, positive = p[tested, 1], y[tested] == 1
        value = sk.roc_auc_score(positive, score)
        for cell, example, own in zip(cells, tested, score, strict=True):
            if y[example]:
                influence = ((own > score[~positive]).mean() - value) / share
            else:
                influence = ((own < score[positive]).mean() - value) / (1 - share)
            assert -table.points[0][cell] == pytest.approx(value + influence, rel=1e-12)


class TestUndefined:
    """8 positives of 60, in the first and the third of six folds."""

    Y = np.isin(np.arange(60), [0, 1, 2, 3, 20, 21, 22, 23]).astype(int)
    X = np.random.default_rng(1).dirichlet([1.0, 1.0], 60)
    FOLDS = Predefined(
        [
            (np.delete(np.arange(60), np.arange(k, k + 10)), np.arange(k, k + 10))
            for k in range(0, 60, 10)
        ]
    )

    class Never(Says):
        def fit(self, X, y):
            raise AssertionError("fitted")

    @pytest.mark.parametrize(
        "key", ["recall", "roc_auc", "f1", "balanced_accuracy", "matthews_corrcoef"]
    )
    def test_is_refused_before_any_fit_with_the_name_of_the_split(self, key):
        with pytest.raises(UndefinedMetricError):
            errbar.run({"a": self.Never()}, self.X, self.Y, plan=self.FOLDS, loss=key, pool="none")

    @pytest.mark.parametrize(
        "key", ["recall", "f1", "balanced_accuracy", "matthews_corrcoef", "roc_auc"]
    )
    def test_vanishes_with_pooling(self, key):
        table = errbar.run({"a": Says()}, self.X, self.Y, plan=self.FOLDS, loss=key, pool="splits")
        label = self.X.argmax(axis=1)
        by_key = {
            "recall": sk.recall_score(self.Y, label),
            "f1": sk.f1_score(self.Y, label),
            "balanced_accuracy": sk.balanced_accuracy_score(self.Y, label),
            "matthews_corrcoef": sk.matthews_corrcoef(self.Y, label),
            "roc_auc": sk.roc_auc_score(self.Y, self.X[:, 1]),
        }
        assert shown_scores(table).mean() == pytest.approx(by_key[key], rel=1e-12)

    def test_folds_are_put_together_without_asking(self):
        table = errbar.run({"a": Says()}, self.X, self.Y, plan=KFold(20), loss="f1", random_state=0)
        assert shown_scores(table).mean() == pytest.approx(
            sk.f1_score(self.Y, self.X.argmax(axis=1))
        )

    @pytest.mark.parametrize(
        "key", ["precision", "matthews_corrcoef", "precision_weighted", "f1_macro"]
    )
    def test_a_learner_that_predicts_no_positive_is_named(self, key):
        learners = {"good": Says(), "never": DummyClassifier(strategy="constant", constant=0)}
        if key == "f1_macro":
            # The F1 of a class that is there, and is never predicted, is 0 by its formula.
            table = errbar.run(learners, self.X, self.Y, plan=KFold(5), loss=key, random_state=0)
            assert shown_scores(table.subset(["never"])).mean() == pytest.approx(52 / 112)
            return
        with pytest.raises(UndefinedMetricError):
            errbar.run(learners, self.X, self.Y, plan=KFold(5), loss=key, random_state=0)

    def test_a_metric_of_one_class_is_undefined_as_a_whole_when_all_folds_are(self):
        one = np.append(np.zeros(52, dtype=int), 1)
        with pytest.raises(UndefinedMetricError):
            errbar.run(
                {"a": Says()}, self.X[:53], one, plan=Holdout(0.3), loss="roc_auc", random_state=0
            )


def test_tables_of_other_losses_pool_in_their_own_way():
    table, p, y = table_of("zero-one", KFold(7))
    f1, auc = table.with_loss("f1"), table.with_loss("roc_auc")
    assert (f1.loss.pool, auc.loss.pool) == ("folds", "none")
    assert shown_scores(f1).mean() == pytest.approx(sk.f1_score(y, p.argmax(axis=1)))
    pooled = table.with_loss("roc_auc", pool="folds")
    assert shown_scores(pooled).mean() == pytest.approx(sk.roc_auc_score(y, p[:, 1]))


def test_means_of_losses_are_the_same_however_they_are_pooled():
    tables = [table_of("accuracy", KFold(7), pool=pool)[0] for pool in ("none", "folds", "splits")]
    for table in tables[1:]:
        assert np.array_equal(table.scores, tables[0].scores)
    with refused("pool"):
        table_of("accuracy", KFold(7), pool="fold")


def test_every_metric_says_what_it_is_computed_of():
    ranks = {key for key in METRICS if key.startswith("roc_auc")}
    for key, loss in METRICS.items():
        assert loss.pointwise or loss.pool == ("none" if key in ranks else "folds"), key


def test_a_standard_error_of_one_cross_validation_is_that_of_its_influence_values():
    table, p, y = table_of("f1", KFold(7))
    hit, said = (p.argmax(axis=1) == 1) & (y == 1), p.argmax(axis=1) == 1
    f1 = 2 * hit.sum() / (said.sum() + y.sum())
    influence = (2.0 * hit - f1 * (said + y)) / (said + y).mean()
    result = errbar.infer(table, "cv-wald", "a")
    assert result.estimate == pytest.approx(f1)
    assert result.se == pytest.approx(influence.std() / math.sqrt(61))
