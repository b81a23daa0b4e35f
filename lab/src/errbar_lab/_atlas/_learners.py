"""The learners of the atlas, and the pairs that are compared."""

from typing import Any

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, QuantileRegressor, Ridge
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.random_projection import GaussianRandomProjection
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from errbar.metrics import CLASSIFICATION

_BOOSTING: dict[str, Any] = {
    "max_iter": 20,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 10,
    "early_stopping": False,
}
_FOREST: dict[str, Any] = {"n_estimators": 10, "min_samples_leaf": 2, "max_features": "sqrt"}
_RANDOM: dict[str, Any] = {"splitter": "random", "min_samples_leaf": 5}

_COSTLY = ("forest", "boosting", "tuned logistic", "quantile")

PAIRS = {
    CLASSIFICATION: (
        ("random tree a", "random tree b", "identical"),
        ("logistic", "logistic .3", "near-equal"),
        ("discriminant", "logistic", "near-equal"),
        ("neighbours", "tree", "different"),
        ("tree", "forest", "different"),
        ("forest", "boosting", "different"),
        ("naive Bayes", "logistic", "different"),
        ("dummy", "logistic", "different"),
        ("balanced logistic", "logistic", "different"),
        ("balanced tree", "tree", "different"),
        ("balanced tree", "balanced logistic", "different"),
        ("even discriminant", "discriminant", "different"),
        ("logistic at .2", "logistic", "different"),
        ("tuned logistic", "logistic", "near-equal"),
    ),
    "regression": (
        ("random tree a", "random tree b", "identical"),
        ("ridge", "least squares", "near-equal"),
        ("ridge", "ridge 20", "near-equal"),
        ("neighbours", "tree", "different"),
        ("tree", "forest", "different"),
        ("forest", "boosting", "different"),
        ("neighbours", "ridge", "different"),
        ("dummy", "ridge", "different"),
    ),
}
"""Learner, the one that is subtracted, and how they are related, by task."""


def learners(task: str, *, classes: int = 2, cheap: bool = False) -> dict[str, Any]:
    """Return the learners for classification or regression; with `cheap`, those that take a few milliseconds a fit."""
    if task == CLASSIFICATION:
        found = {
            "logistic": LogisticRegression(max_iter=300),
            "logistic .3": LogisticRegression(C=0.3, max_iter=300),
            "discriminant": LinearDiscriminantAnalysis(),
            "naive Bayes": GaussianNB(),
            "neighbours": KNeighborsClassifier(5),
            "tree": DecisionTreeClassifier(min_samples_leaf=5),
            "random tree a": DecisionTreeClassifier(**_RANDOM),
            "random tree b": DecisionTreeClassifier(**_RANDOM),
            "dummy": DummyClassifier(),
            "balanced logistic": LogisticRegression(class_weight="balanced", max_iter=300),
            "balanced tree": DecisionTreeClassifier(max_depth=3, class_weight="balanced"),
            "even discriminant": LinearDiscriminantAnalysis(priors=[1 / classes] * classes),
            "logistic at .2": FixedThresholdClassifier(
                LogisticRegression(max_iter=300), threshold=0.2
            ),
            "projections": make_pipeline(
                GaussianRandomProjection(3, random_state=0), LinearDiscriminantAnalysis()
            ),
            "tuned logistic": GridSearchCV(
                LogisticRegression(max_iter=300), {"C": [0.01, 0.1, 1.0, 10.0]}, cv=3
            ),
            "forest": RandomForestClassifier(**_FOREST),
            "boosting": HistGradientBoostingClassifier(**_BOOSTING),
        }
    else:
        found = {
            "ridge": Ridge(5.0),
            "ridge 20": Ridge(20.0),
            "least squares": LinearRegression(),
            "neighbours": KNeighborsRegressor(5),
            "tree": DecisionTreeRegressor(min_samples_leaf=5),
            "random tree a": DecisionTreeRegressor(**_RANDOM),
            "random tree b": DecisionTreeRegressor(**_RANDOM),
            "dummy": DummyRegressor(),
            "quantile": QuantileRegressor(quantile=0.9, alpha=0.0),
            "forest": RandomForestRegressor(**_FOREST),
            "boosting": HistGradientBoostingRegressor(**_BOOSTING),
        }
    left_out = set(_COSTLY) if cheap else set()
    if classes > 2:
        left_out.add("logistic at .2")  # a threshold is for two classes
    return {name: learner for name, learner in found.items() if name not in left_out}


def pairs(task: str, names: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Return the pairs of a task whose learners are all there."""
    return tuple(pair for pair in PAIRS[task] if {*pair[:2]} <= {*names})
