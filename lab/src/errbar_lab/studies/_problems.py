"""The problems of the coverage study: populations with a law, and learners for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar_lab._scenario import Scenario
from errbar_lab.populations import Friedman1, GaussianClassification, GaussianRegression, Population

__all__ = ["PROBLEMS", "Problem", "problem"]


@dataclass(frozen=True, eq=False)
class Problem:
    """A population with learners and a loss.

    Parameters
    ----------
    key : str
        Short name.
    data : str
        The data in words, such as "20 Gaussian features".
    population : Population
        Where data sets come from.
    learners : mapping of str to estimator
        Learners by name.
    loss : str, Loss or callable, optional
        As for `errbar.run`.
    smallest : int, default 20
        Smallest data sets that the problem makes sense for.

    Examples
    --------
    >>> import errbar_lab as lab
    >>> found = lab.problem("gaussian-ridge-20")
    >>> found.words("ridge regression"), found.scenario(100).name
    ('ridge regression, 20 Gaussian features', 'gaussian-ridge-20, n = 100')
    """

    key: str
    data: str
    population: Population
    learners: Mapping[str, Any]
    loss: Any = None
    smallest: int = 20

    def words(self, learner: str) -> str:
        """Return learner and data in words."""
        return f"{learner}, {self.data}"

    def scenario(self, n: int) -> Scenario:
        """Return the scenario with data sets of `n` examples.

        Parameters
        ----------
        n : int
            Examples in a data set.

        Returns
        -------
        Scenario
            It is named after the problem and `n`.

        Raises
        ------
        InvalidInputError
            If that is too few for the problem.
        """
        if _check.count(n, "n") < self.smallest:
            raise InvalidInputError(
                f"must be at least {self.smallest} for the problem {self.key!r}, got {n}: "
                "its learners could not be trained on part of so few examples",
                argument="n",
            )
        return Scenario(self.population, n, self.learners, self.loss, name=f"{self.key}, n = {n}")


def _gaussian_regression(features: int) -> Problem:
    # Least squares has an infinite expected risk unless it is trained on p + 3 examples; half samples come first.
    return _gaussian(
        "regression", features, {"least squares": _least_squares()}, smallest=3 * features
    )


def _gaussian_ridge(features: int) -> Problem:
    from sklearn.linear_model import Ridge

    return _gaussian("ridge", features, {"ridge regression": Ridge()}, smallest=20)


def _gaussian(kind: str, features: int, learners: Mapping[str, Any], *, smallest: int) -> Problem:
    population, data = GaussianRegression(features=features), f"{features} Gaussian features"
    return Problem(
        f"gaussian-{kind}-{features}", data, population, learners, "squared-error", smallest
    )


def _gaussian_classification(features: int) -> Problem:
    from sklearn.linear_model import LogisticRegression

    key, data = f"gaussian-classification-{features}", f"two classes, {features} Gaussian features"
    learners = {"logistic regression": LogisticRegression(max_iter=1000)}
    return Problem(
        key, data, GaussianClassification(features=features), learners, "zero-one", smallest=40
    )


def _friedman() -> Problem:
    from sklearn.tree import DecisionTreeRegressor

    learners = {
        "least squares": _least_squares(),
        "regression tree": DecisionTreeRegressor(min_samples_leaf=5),
    }
    return Problem("friedman-1", "Friedman 1", Friedman1(), learners, "squared-error", smallest=40)


def _least_squares() -> Any:
    try:
        from errbar_lab.learners import LeastSquares
    except ImportError:
        # It needs a compiler of Python code; this one gives the same models, but for rounding, in more time.
        from sklearn.linear_model import LinearRegression

        return LinearRegression()
    return LeastSquares()


_GAUSSIAN = {
    "regression": _gaussian_regression,
    "ridge": _gaussian_ridge,
    "classification": _gaussian_classification,
}

PROBLEMS: dict[str, Callable[[], Problem]] = {
    f"gaussian-{kind}-{features}": partial(make, features)
    for kind, make in _GAUSSIAN.items()
    for features in (20, 100)
} | {"friedman-1": _friedman}
"""Functions that make the problems, by key; nothing is imported before a problem is asked for."""


def problem(key: str) -> Problem:
    """Return a problem by its key.

    Parameters
    ----------
    key : str
        One of `PROBLEMS`, such as ``"gaussian-regression-20"``.

    Returns
    -------
    Problem
        Population, learners and loss.

    Raises
    ------
    InvalidInputError
        If there is no such problem; the message lists all and the nearest.

    References
    ----------
    .. [1] Schulz-Kuempel, H., Fischer, S., Hornung, R., Boulesteix, A.-L., Nagler, T. & Bischl, B. (2024). Constructing
           confidence intervals for 'the' generalization error: a comprehensive benchmark study. arXiv:2409.18836.
    .. [2] Friedman, J. H. (1991). Multivariate adaptive regression splines. The Annals of Statistics 19(1), 1-67.

    Examples
    --------
    >>> import errbar_lab as lab
    >>> lab.problem("friedman-1").population.name
    'Friedman 1, 10 features, noise 1'
    """
    return PROBLEMS[_check.choice(key, PROBLEMS, "problems")]()
