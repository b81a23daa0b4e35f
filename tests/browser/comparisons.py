"""Comparisons whose order is known, made from numbers."""

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import errbar
from errbar.datasets import ranks
from tests.forms import data_sets

NASTY = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "</title></style></script>")
LONG = (
    "RandomForestClassifier(n_estimators=500,max_features='sqrt')",
    "an_identifier_without_a_place_to_break_" * 2,
)


def many(count, names=(), **question):
    """Compare learners of which each is worse than the one before by half a standard deviation."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=15)
    learners = [*names, *(f"m{i}" for i in range(len(names), count))]
    scores = {name: base + 0.5 * i + 0.3 * rng.normal(size=15) for i, name in enumerate(learners)}
    table = errbar.from_scores(scores, n_train=90, n_test=10, higher_is_better=False)
    return errbar.compare_table(table, **question)


def ranked(count):
    """Rank learners of which each is worse than the one before, on twelve data sets."""
    rng = np.random.default_rng(0)
    return ranks(data_sets({f"m{i}": rng.normal(0.5 * i, 1.0, 12) for i in range(count)}))


def tuned(values):
    """Search over two parameters of a learner, one with so many values."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    y = (X[:, 0] + rng.normal(size=90) > 0.0).astype(int)
    grid = {"n_neighbors": [*range(1, values + 1)], "weights": ["uniform", "distance"]}
    search = GridSearchCV(KNeighborsClassifier(), grid, cv=5)
    return errbar.tune(search, X, y, baseline=GaussianNB(), random_state=0).named("ninety")


def shown():
    """Return what the pages of the tests show, by name."""
    return {
        "one": many(1),
        "three": many(3),
        "fifteen": many(15),
        "sixty": many(60),
        "bayesian": many(3, method="bayes-correlated-t", rope=0.1),
        "several": [many(3, method=method) for method in ("corrected-t", "resampled-t")],
        "ranks": ranked(4),
        "many-ranks": ranked(9),
        "tuned": tuned(3),
        "many-tuned": tuned(20),
        "nasty": many(3, NASTY),
        "long": many(20, LONG),
    }
