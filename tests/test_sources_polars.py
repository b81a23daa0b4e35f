"""Frames of polars wherever those of pandas are taken, with the same answer."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import errbar
from tests.forms import same_splits


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X[:120], y[:120]


def compared(X, y, **options):
    scaled = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include=np.number))
    )
    learners = {"ridge": make_pipeline(scaled, Ridge()), "forest": RandomForestRegressor(5)}
    return errbar.compare(
        learners, X, y, plan=errbar.plans.KFold(4), method="cv-wald", random_state=0, **options
    )


def test_features_and_target_of_a_run(diabetes):
    X, y = diabetes
    of_pandas = compared(X, y)
    learners = {
        "ridge": make_pipeline(StandardScaler(), Ridge()),
        "forest": RandomForestRegressor(5),
    }
    wanted = errbar.compare(
        learners,
        pl.from_pandas(X),
        pl.from_pandas(y),
        plan=errbar.plans.KFold(4),
        method="cv-wald",
        random_state=0,
    )
    assert wanted.table.scores == pytest.approx(of_pandas.table.scores, rel=1e-9)


@pytest.mark.parametrize("target", [pl.Series, lambda y: pl.DataFrame({"y": y}), list])
def test_every_kind_of_target(diabetes, target):
    X, y = diabetes
    frame = pl.from_pandas(X)
    known = errbar.run(
        {"ridge": Ridge()}, X.to_numpy(), y.to_numpy(), plan=errbar.plans.KFold(4), random_state=0
    )
    found = errbar.run(
        {"ridge": Ridge()}, frame, target(y.to_numpy()), plan=errbar.plans.KFold(4), random_state=0
    )
    assert found.scores == pytest.approx(known.scores, rel=1e-9)


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical])
def test_classes_that_are_text(kind):
    X, codes = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[codes]
    learner = LogisticRegression(max_iter=2000)
    known = errbar.run({"a": learner}, X, names, plan=errbar.plans.KFold(3), random_state=0)
    frame = pl.DataFrame(X, schema=["a", "b", "c", "d"])
    found = errbar.run(
        {"a": learner},
        frame,
        pl.Series(names.tolist(), dtype=kind),
        plan=errbar.plans.KFold(3),
        random_state=0,
    )
    assert found.points.tolist() == known.points.tolist()


def test_groups(diabetes):
    from sklearn.model_selection import GroupKFold

    X, y = diabetes
    groups = np.arange(120) % 7
    plan = errbar.plans.Predefined(GroupKFold(3))
    found = [
        errbar.run({"a": Ridge()}, X, y, plan=plan, groups=g) for g in (groups, pl.Series(groups))
    ]
    assert found[0].scores.tolist() == found[1].scores.tolist()


SCORES = {"tree": [0.31, 0.28, 0.35, 0.30], "near": [0.25, 0.27, 0.26, 0.25]}


@pytest.mark.parametrize(
    "make",
    [pl.DataFrame, lambda s: {k: pl.Series(v) for k, v in s.items()}],
    ids=["frame", "series"],
)
class TestNumbers:
    def test_scores_with_labels_that_are_series(self, make):
        labels = pl.DataFrame(
            {"fold": [0, 1, 0, 1], "repeat": [0, 0, 1, 1], "train": [90, 91, 90, 91]}
        )
        table = errbar.from_scores(
            make(SCORES),
            fold=labels["fold"],
            repeat=labels["repeat"],
            n_train=labels["train"],
            n_test=10,
        )
        known = errbar.from_scores(
            pd.DataFrame(SCORES),
            fold=[0, 1, 0, 1],
            repeat=[0, 0, 1, 1],
            n_train=[90, 91, 90, 91],
            n_test=10,
        )
        assert table.scores.tolist() == known.scores.tolist()
        assert same_splits(table.splits, known.splits)

    def test_losses(self, make):
        table = errbar.from_losses(
            make(SCORES), fold=pl.Series([0, 0, 1, 1]), example=pl.Series([3, 2, 1, 0])
        )
        known = errbar.from_losses(SCORES, fold=[0, 0, 1, 1], example=[3, 2, 1, 0])
        assert table.points.tolist() == known.points.tolist()
        assert table.cells.example.tolist() == known.cells.example.tolist()


def test_a_view_of_a_series():
    known = errbar.Losses(SCORES["tree"], n_train=90, n_test=10)
    found = errbar.Losses(pl.Series(SCORES["tree"]), n_train=90, n_test=10)
    assert errbar.methods.corrected_t(found) == errbar.methods.corrected_t(known)


def test_cross_validate_on_frames(diabetes):
    X, y = diabetes
    asked = {"cv": KFold(4, shuffle=True, random_state=0), "return_indices": True}
    found = [
        cross_validate(Ridge(), *data, **asked)
        for data in ((pl.from_pandas(X), pl.from_pandas(y)), (X, y))
    ]
    table = errbar.from_cross_validate({"polars": found[0], "pandas": found[1]})
    assert table.scores[0] == pytest.approx(table.scores[1])
