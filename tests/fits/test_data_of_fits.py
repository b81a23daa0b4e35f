"""A kept fit is of the data as the learner sees them: values, types, order of categories, names."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import errbar
from errbar.fits import Store

N = 24
Y = np.tile([0, 0, 0, 1], N // 4)


class Sees(ClassifierMixin, BaseEstimator):
    """Predicts class 1 where it sees something in the features, and class 0 elsewhere."""

    def __init__(self, rule=None):
        self.rule = rule

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = int(self.rule(X))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[self.seen_])


def frame(column=None, **how):
    made = pd.DataFrame(
        {"a": np.arange(N) % 3 if column is None else column, "b": np.arange(float(N))}
    )
    return made.set_axis(how["index"]) if "index" in how else made


def letters(categories, *, ordered=False):
    return pd.Categorical(list("xyz") * (N // 3), categories=list(categories), ordered=ordered)


def levels(*names):
    return pd.MultiIndex.from_product([range(N // 2), range(2)], names=names)


KINDS = {
    "order of categories": (
        frame(letters("xyz")),
        frame(letters("zyx")),
        lambda X: X["a"].cat.categories[0] == "z",
    ),
    "ordered": (
        frame(letters("xyz")),
        frame(letters("xyz", ordered=True)),
        lambda X: X["a"].cat.ordered,
    ),
    "category without rows": (
        frame(letters("xyz")),
        frame(letters("xyzw")),
        lambda X: "w" in X["a"].cat.categories,
    ),
    "type of categories": (
        frame(pd.Categorical(np.arange(N) % 3)),
        frame(pd.Categorical((np.arange(N) % 3).astype("int8"))),
        lambda X: X["a"].cat.categories.dtype == "int8",
    ),
    "names of levels": (
        frame(index=levels("p", "q")),
        frame(index=levels("q", "p")),
        lambda X: X.index.names[0] == "q",
    ),
    "categories of an index": (
        frame(index=pd.CategoricalIndex(letters("xyz"))),
        frame(index=pd.CategoricalIndex(letters("zyx"))),
        lambda X: X.index.categories[0] == "z",
    ),
    "name of the columns": (
        frame(),
        frame().rename_axis(columns="k"),
        lambda X: X.columns.name == "k",
    ),
    "type of the index": (
        frame(index=pd.Index(range(N), dtype="int64")),
        frame(index=pd.Index(range(N), dtype="float64")),
        lambda X: X.index.dtype == "float64",
    ),
    "type of a column": (
        frame(np.ones(N)),
        frame(np.ones(N, dtype="float32")),
        lambda X: X["a"].dtype == "float32",
    ),
    "type of text": (
        frame(["x"] * N),
        frame(pd.Categorical(["x"] * N)),
        lambda X: X["a"].dtype == "category",
    ),
    "type of numbers": (
        np.ones((N, 3)),
        np.ones((N, 3), dtype="float32"),
        lambda X: X.dtype == "float32",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_other_data_are_fitted_anew(kind):
    without, with_it, rule = KINDS[kind]
    learner, store = {"sees": Sees(rule)}, Store()
    found = [
        errbar.run(learner, X, Y, plan=errbar.plans.KFold(4), random_state=0, store=store)
        for X in (without, with_it, without, with_it)
    ]
    # One in four is of class 1.
    assert [float(table.scores.mean()) for table in found] == [0.25, 0.75, 0.25, 0.75]
    assert [table.counts.reused for table in found] == [0, 0, 4, 4]


def test_a_look_at_a_frame_does_not_make_it_another():
    X, store = frame(letters("xyz")), Store()
    learner = {"sees": Sees(lambda X: X["a"].cat.ordered)}
    for reused in (0, 4):
        found = errbar.run(learner, X, Y, plan=errbar.plans.KFold(4), random_state=0, store=store)
        assert found.counts.reused == reused
        assert X["b"].mean() == (N - 1) / 2
        assert X.index.is_unique
