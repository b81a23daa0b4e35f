"""Risks of trained models: exact where the population knows them, otherwise the mean loss on test examples."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from errbar import fits, metrics
from errbar._check import FloatArray
from errbar.fits import learners as learners_module
from errbar.metrics import Loss
from errbar.plans import Plan, Predefined, draw
from errbar.table import LossTable
from errbar_lab.populations import Population, Sample

Formula = Callable[[FloatArray, float], float]

_FORMULAS = {"squared-error": "least_squares_risk", "zero-one": "zero_one_risk"}
_CLOSE = 1e-6


def formula(population: Population, loss: Loss) -> Formula | None:
    """Return the function that gives a linear model's risk from coefficients and intercept, if the population has one."""
    name = _FORMULAS.get(loss.key)
    found: Formula | None = None if name is None else getattr(population, name, None)
    return found


def linear(model: Any, X: FloatArray) -> tuple[FloatArray, float] | None:
    """Return coefficients and intercept of a fitted model that predicts linearly, or None for any other.

    Some models pass the linear predictor through a curve; their predictions for the features `X` show that.
    """
    try:
        coefficients = np.asarray(model.coef_, dtype=np.float64).ravel()
        [intercept] = np.asarray(getattr(model, "intercept_", 0.0), dtype=np.float64).ravel()
    except (AttributeError, TypeError, ValueError):
        return None
    if coefficients.size != X.shape[1]:
        return None
    value = X @ coefficients + intercept
    return (coefficients, float(intercept)) if _agrees(model, X, value) else None


def expected(
    population: Population, learners: Mapping[str, Any], loss: Loss, n: int
) -> float | None:
    """Return the expected risk at training size n where all learners are ordinary least squares, and it is known."""
    closed = getattr(population, "least_squares_expected_risk", None)
    if (
        closed is None
        or loss.key != "squared-error"
        or not all(map(_least_squares, learners.values()))
    ):
        return None
    return float(closed(n))


def risks(
    population: Population,
    learners: Mapping[str, Any],
    loss: Any,
    sample: Sample,
    test: Sample,
    seed: int,
) -> FloatArray:
    """Return the risk of each learner trained on a whole data set: exact where it is known, otherwise on test examples."""
    found = exact(population, learners, loss, sample, seed)
    unknown = {name: learners[name] for name, value in found.items() if value is None}
    if unknown:
        found |= dict(
            zip(unknown, measured(unknown, loss, sample, test, seed).tolist(), strict=True)
        )
    return np.array([found[name] for name in learners], dtype=np.float64)


def exact(
    population: Population, learners: Mapping[str, Any], loss: Any, sample: Sample, seed: int
) -> dict[str, float | None]:
    """Return the exact risk of each learner trained on a whole data set, or None where it is not known."""
    resolved = metrics.resolve(loss, population.task)
    known = formula(population, resolved)
    if known is None:
        return dict.fromkeys(learners)
    [whole] = draw(_whole(sample.y.size, 1), sample.y.size + 1).training_sets
    found: dict[str, float | None] = {}
    for prototype in learners_module.prepared(learners, [resolved], only_loss=True).prototypes:
        model = prototype.fresh(seed, whole)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(sample.X, sample.y)
        parts = linear(model, sample.X)
        found[prototype.name] = None if parts is None else known(*parts)
    return found


def measured(
    learners: Mapping[str, Any], loss: Any, sample: Sample, test: Sample, seed: int
) -> FloatArray:
    """Return the mean loss on test examples of each learner trained on a whole data set."""
    X, y = np.concatenate([sample.X, test.X]), np.concatenate([sample.y, test.y])
    plan = _whole(sample.y.size, test.y.size)
    table = fitted(learners, X, y, plan, loss, seed)
    return table.loss.sign * table.scores[:, 0]


def fitted(
    learners: Mapping[str, Any], X: Any, y: Any, plan: Plan, loss: Any, seed: int
) -> LossTable:
    """Fit learners in this process; nobody will ask for another loss, so only what this one takes is predicted."""
    setup = fits.prepare(learners, X, y, plan=plan, loss=loss, random_state=seed, only_loss=True)
    return fits.execute(setup, fits.RunOptions(n_jobs=1))


def _whole(n: int, count: int) -> Predefined:
    return Predefined([(np.arange(n), np.arange(n, n + count))])


def _least_squares(learner: Any) -> bool:
    plain = learner.get_params()
    return type(learner).__name__ in ("LeastSquares", "LinearRegression") and (
        plain.get("fit_intercept", True) and not plain.get("positive", False)
    )


def _agrees(model: Any, X: FloatArray, value: FloatArray) -> bool:
    predicted = np.asarray(model.predict(X))
    classes = getattr(model, "classes_", None)
    scale = _CLOSE * float(np.abs(value).max(initial=1.0))
    if classes is None:
        return predicted.shape == value.shape and bool((np.abs(predicted - value) <= scale).all())
    if np.asarray(classes).tolist() != [0, 1]:
        return False
    return bool(((predicted == (value > 0.0)) | (np.abs(value) <= scale)).all())
