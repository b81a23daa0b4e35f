"""Which learners depend on the units of features, and when that is said."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from errbar.sources._scales import unscaled

COUNT = 50
RNG = np.random.default_rng(0)
SHARE, INCOME = RNG.random(COUNT), 1e4 * RNG.random(COUNT)
NUMBERS = {"share": "number", "income": "number"}


@pytest.mark.parametrize("learner", [LogisticRegression(), Ridge(), SVC(), KNeighborsRegressor()])
def test_learners_that_depend_on_units(learner):
    for X in (np.stack([SHARE, INCOME], axis=1), pd.DataFrame({"share": SHARE, "income": INCOME})):
        [note] = unscaled(X, NUMBERS, {"mine": learner, "tree": DecisionTreeClassifier()})
        assert note.numbers == {"wide": "income", "narrow": "share", "ratio": 10_000, "learners": ("mine",)}
    assert not [*unscaled(pd.DataFrame({"share": SHARE, "income": SHARE}), NUMBERS, {"mine": learner})]


@pytest.mark.parametrize(
    "learner", [LinearRegression(), DecisionTreeClassifier(), make_pipeline(StandardScaler(), SVC())]
)
def test_learners_that_do_not(learner):
    assert not [*unscaled(np.stack([SHARE, INCOME], axis=1), NUMBERS, {"mine": learner})]


def test_dates_are_days_and_gaps_do_not_count():
    days = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 900, COUNT), "D")).where(SHARE > 0.1)
    X = pd.DataFrame({"when": days, "share": pd.Series(SHARE).where(SHARE < 0.9), "colour": "red", "none": np.nan})
    columns = {"id": "name", "when": "date", "share": "number", "colour": "text", "none": "number"}
    [note] = unscaled(X, columns, {"a": SVC(), "b": Ridge()})
    assert note.numbers == {"wide": "when", "narrow": "share", "ratio": 1_000, "learners": ("a", "b")}
