"""Problems with a known truth that the study of coverage can be asked about."""

from collections.abc import Callable
from functools import partial
from typing import Any

from errbar import _check
from errbar_lab._experiment import Problem
from errbar_lab.populations import Friedman1, GaussianClassification, GaussianRegression


def _regression(key: str, features: int) -> Problem:
    # Least squares has an infinite expected risk unless it is trained on p + 3 examples; half samples come first.
    from sklearn.linear_model import LinearRegression

    learners = {"least squares": LinearRegression()}
    return _gaussian(key, features, learners, smallest=3 * features)


def _ridge(key: str, features: int) -> Problem:
    from sklearn.linear_model import Ridge

    return _gaussian(key, features, {"ridge regression": Ridge()}, smallest=20)


def _gaussian(key: str, features: int, learners: dict[str, Any], smallest: int) -> Problem:
    population = GaussianRegression(features=features)
    words = f"{features} Gaussian features"
    return Problem(population, learners, "squared-error", key, words, smallest)


def _classification(key: str, features: int) -> Problem:
    from sklearn.linear_model import LogisticRegression

    learners = {"logistic regression": LogisticRegression(max_iter=1000)}
    words = f"two classes, {features} Gaussian features"
    return Problem(GaussianClassification(features=features), learners, "zero-one", key, words, 40)


def _friedman() -> Problem:
    from sklearn.linear_model import LinearRegression
    from sklearn.tree import DecisionTreeRegressor

    learners = {
        "least squares": LinearRegression(),
        "regression tree": DecisionTreeRegressor(min_samples_leaf=5),
    }
    return Problem(Friedman1(), learners, "squared-error", "friedman-1", "Friedman 1", 40)


_KINDS = {"regression": _regression, "ridge": _ridge, "classification": _classification}

PROBLEMS: dict[str, Callable[[], Problem]] = {
    key: partial(make, key, features)
    for kind, make in _KINDS.items()
    for features in (20, 100)
    for key in [f"gaussian-{kind}-{features}"]
} | {"friedman-1": _friedman}
"""Makers of problems by key."""


def problem(key: str) -> Problem:
    """Return a problem by its key.

    Parameters
    ----------
    key : str
        One of `PROBLEMS`.

    Returns
    -------
    Problem
        With its learners and its loss.
    """
    return PROBLEMS[_check.choice(key, PROBLEMS, "problems")]()
