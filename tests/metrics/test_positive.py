"""Which class is the positive one: named, by custom, or proposed in the error and not guessed."""

import numpy as np
import pytest
from sklearn import metrics as sk

import errbar
from errbar.errors import InvalidInputError
from errbar.metrics import METRICS, resolve
from errbar.metrics._functions import target_of
from errbar.plans import Holdout, KFold
from tests.metrics.cases import Says, SaysNumber
from tests.metrics.test_pooling import classes
from tests.refusals import refused

PLAN = KFold(6)
NAMES = np.array(["ape", "bee"])


def two(names=NAMES):
    X, y = classes()
    return X, np.array(names)[y]


def shown(table):
    return table.loss.sign * table.scores[0].mean()


@pytest.mark.parametrize("positive", ["ape", "bee"])
@pytest.mark.parametrize(
    ("key", "score"),
    [("f1", sk.f1_score), ("precision", sk.precision_score), ("recall", sk.recall_score)],
)
def test_either_of_two_names(key, score, positive):
    X, y = two()
    table = errbar.run({"a": Says()}, X, y, plan=PLAN, loss=key, positive=positive, random_state=0)
    label = NAMES[X[:, :2].argmax(axis=1)]
    assert shown(table) == pytest.approx(score(y, label, pos_label=positive), rel=1e-12)
    other = table.with_loss(key, positive=NAMES[positive != NAMES][0])
    assert shown(other) == pytest.approx(
        score(y, label, pos_label=NAMES[positive != NAMES][0]), rel=1e-12
    )


@pytest.mark.parametrize("positive", ["ape", "bee"])
def test_average_precision_ranks_by_the_positive_class(positive):
    X, y = two()
    asked = {"loss": "average_precision", "positive": positive, "pool": "none"}
    table = errbar.run({"a": Says()}, X, y, plan=PLAN, **asked, random_state=0)
    place = int(np.flatnonzero(positive == NAMES)[0])
    for j, score in enumerate(-table.scores[0]):
        tested = table.cells.example[table.cells.split == j]
        assert score == pytest.approx(
            sk.average_precision_score(y[tested], X[tested, place], pos_label=positive)
        )


def test_an_area_is_the_same_for_both_classes():
    X, y = two()
    areas = [
        errbar.run(
            {"a": Says()}, X, y, plan=PLAN, loss="roc_auc", positive=positive, random_state=0
        )
        for positive in (None, "ape", "bee")
    ]
    for table in areas[1:]:
        assert table.scores == pytest.approx(areas[0].scores, rel=1e-12)
        assert table.points == pytest.approx(areas[0].points, rel=1e-9)


@pytest.mark.parametrize("names", [(0, 1), (-1, 1), (False, True), (0.0, 1.0)])
def test_custom_knows_it(names):
    X, y = two(names)
    table = errbar.run({"a": Says()}, X, y, plan=PLAN, loss="f1", random_state=0)
    label = np.array(names)[X[:, :2].argmax(axis=1)]
    assert shown(table) == pytest.approx(sk.f1_score(y, label, pos_label=names[1]))


@pytest.mark.parametrize(
    ("names", "proposed"),
    [
        (("no", "yes"), "'yes'"),
        (("sick", "healthy"), "'sick'"),
        ((1, 2), "1"),
        (("Positive", "other"), "'Positive'"),
    ],
)
def test_another_is_proposed_and_not_guessed(names, proposed):
    X, y = two(names)
    keep = np.r_[np.flatnonzero(y == names[0])[:15], np.flatnonzero(y == names[1])]
    with pytest.raises(InvalidInputError):
        errbar.run({"a": Says()}, X[keep], y[keep], plan=PLAN, loss="f1", random_state=0)


class TestThree:
    rng = np.random.default_rng(1)
    X = rng.dirichlet([1.0, 1.0, 1.0], 90)
    Y = np.array(["ape", "bee", "cow"])[
        np.where(rng.random(90) < 0.6, X.argmax(axis=1), rng.integers(0, 3, 90))
    ]
    LABEL = np.array(["ape", "bee", "cow"])[X.argmax(axis=1)]

    @pytest.mark.parametrize("positive", ["ape", "bee", "cow"])
    def test_one_against_all_others(self, positive):
        table = errbar.run(
            {"a": Says()}, self.X, self.Y, plan=PLAN, loss="f1", positive=positive, random_state=0
        )
        assert shown(table) == pytest.approx(
            sk.f1_score(self.Y, self.LABEL, labels=[positive], average="macro")
        )
        specificity = table.with_loss("specificity")
        assert shown(specificity) == pytest.approx(
            sk.recall_score(positive != self.Y, positive != self.LABEL)
        )
        area = table.with_loss("roc_auc", pool="folds")
        place = ["ape", "bee", "cow"].index(positive)
        assert shown(area) == pytest.approx(sk.roc_auc_score(positive == self.Y, self.X[:, place]))

    @pytest.mark.parametrize("key", [key for key, loss in METRICS.items() if loss.about != "all"])
    def test_are_too_many_without_a_name(self, key):
        with pytest.raises(InvalidInputError):
            errbar.run({"a": Says()}, self.X, self.Y, plan=PLAN, loss=key, random_state=0)


def test_an_unknown_class_is_refused_with_those_there_are():
    X, y = two()
    with refused("positive"):
        errbar.run({"a": Says()}, X, y, plan=PLAN, loss="f1", positive="cat", random_state=0)


def test_numbers_may_be_given_as_text_but_not_the_other_way_round():
    X, y = two((1, 2))
    by_text, by_number = (
        errbar.run({"a": Says()}, X, y, plan=PLAN, loss="f1", positive=positive, random_state=0)
        for positive in ("2", 2)
    )
    assert np.array_equal(by_text.scores, by_number.scores)
    X, y = two(("1", "2"))
    with refused("positive"):
        errbar.run({"a": Says()}, X, y, plan=PLAN, loss="f1", positive=2, random_state=0)


def test_a_regression_has_none():
    X = np.arange(20.0)[:, None]
    with refused("positive"):
        errbar.run(
            {"a": SaysNumber()},
            X,
            X[:, 0],
            plan=Holdout(0.5),
            loss="r2",
            positive=1,
            random_state=0,
        )


def test_a_label_in_a_scorer_counts_and_may_not_be_contradicted():
    X, y = two()
    scorer = sk.make_scorer(sk.f1_score, pos_label="ape")
    assert resolve(scorer, "classification").positive == "ape"
    with refused("positive"):
        errbar.run({"a": Says()}, X, y, plan=PLAN, loss=scorer, positive="bee", random_state=0)
    table = errbar.run({"a": Says()}, X, y, plan=PLAN, loss=scorer, random_state=0)
    assert shown(table) == pytest.approx(
        sk.f1_score(y, NAMES[X[:, :2].argmax(axis=1)], pos_label="ape")
    )


@pytest.mark.parametrize(
    ("classes", "named", "place"),
    [
        ([0.0, 1.0], "1", 1),
        ([False, True], "TRUE", 1),
        ([False, True], "false", 0),
        ([0, 1], "1.0", 1),
    ],
)
def test_a_class_as_the_command_line_names_it(classes, named, place):
    assert target_of(np.array(classes), "classification").position(named) == place


def test_a_class_that_is_none():
    for labels, named in (([False, True], "2"), ([0, 1], "yes"), (["yes", "no"], "YES")):
        with refused("positive"):
            target_of(np.array(labels), "classification").position(named)


def test_the_text_that_is_no_number_is_named():
    with pytest.raises(InvalidInputError):
        target_of(np.array(["1", "x"]), "regression")
