"""Fits on one data set, and the risks of the models that they give: by a formula where there is one."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from errbar import fits, metrics
from errbar._check import FloatArray
from errbar.design import SplitColumns
from errbar.fits import learners as learners_module
from errbar.fits.run import table_of
from errbar.fits.task import take
from errbar.metrics import Loss
from errbar.plans import Draw, Plan, Rows, Split, draw
from errbar.table import LossTable
from errbar_lab.populations import Drawn, Population

_FORMULAS = {"squared-error": "least_squares_risk", "zero-one": "zero_one_risk"}
_CLOSE = 1e-6

Learners = Mapping[str, Any]


class Known(Plan, eq=False):
    """Splits that were drawn before."""

    known: tuple[Split, ...]

    keeps_groups = True

    def drawn(self, rows: Rows) -> Iterator[Split]:
        yield from self.known


def fitted(
    learners: Learners, data: Drawn, plan: Plan, loss: Loss, seed: int, positive: Any = None
) -> LossTable:
    """Return the losses of a data set on the splits of a plan."""
    rows = np.arange(data.n)
    return _executed(
        learners,
        take(data.X, rows),
        data.y[rows],
        seed,
        plan=plan,
        loss=loss,
        groups=data.groups,
        positive=positive,
        only_loss=True,
    )


def fitted_and_tested(
    learners: Learners, data: Drawn, plan: Plan, loss: Loss, seed: int, positive: Any = None
) -> tuple[LossTable, FloatArray, FloatArray]:
    """Return the same, the risks of the model of each split, by learner, and those of the models of all examples."""
    drawn = draw(plan, data.n, seed, data.y[: data.n], data.groups)
    others = np.arange(data.n, data.y.size)
    splits = dict(zip(drawn.fits, drawn.splits, strict=True))  # one of each fit
    models = [_tested(split, others) for split in splits.values()]
    models.append(Split(np.arange(data.n), others, {"judge": 0}))
    table = _of_splits(learners, data, (*drawn.splits, *models), loss, seed, positive)
    *of_fits, whole = _risks(table.select(table.splits.labels["judge"] == 0), loss).T
    by_fit = dict(zip(splits, of_fits, strict=True))
    return inside(table, drawn, data.n, loss), np.array([by_fit[fit] for fit in drawn.fits]), whole


def _tested(split: Split, others: Any) -> Split:
    seed = {} if split.seed is None else {"seed": split.seed}
    return Split(split.train, others, {"judge": 0, **seed})


def inside(table: LossTable, drawn: Draw, n: int, loss: Loss) -> LossTable:
    """Return the part of a table that is tested in the data set itself."""
    assert table.predictions is not None
    assert table.target is not None
    target = replace(table.target, values=table.target.values[:n])
    tests = [split.test for split in drawn.splits]
    count = sum(test.size for test in tests)
    found = {
        name: {kind: values[:count] for kind, values in own.items()}
        for name, own in zip(table.learners, table.predictions, strict=True)
    }
    splits = SplitColumns.of(drawn, target.codes)
    return table_of(found, target, splits, tests).with_loss(loss)


def _of_splits(
    learners: Learners,
    data: Drawn,
    splits: Any,
    loss: Loss,
    seed: int,
    positive: Any,
) -> LossTable:
    task = learners_module.check(learners)[1]
    return _executed(
        learners,
        data.X,
        data.y,
        seed,
        plan=Known(tuple(splits)),
        loss=loss if loss.pointwise else metrics.default(task),
        positive=positive,
        only_loss=loss.pointwise,
    )


def _executed(learners: Learners, X: Any, y: Any, seed: int, **options: Any) -> LossTable:
    [table] = fits.execute(fits.prepare(learners, X, y, random_state=seed, n_jobs=1, **options))
    return table


def _risks(table: LossTable, loss: Loss) -> FloatArray:
    own = table if loss.pointwise else table.with_loss(replace(loss, pool="none"))
    return np.asarray(loss.sign * own.scores)


def risks(
    population: Population, learners: Learners, loss: Loss, data: Drawn, seed: int
) -> FloatArray:
    """Return the risks of the models of a whole data set: exact ones where the population has a formula."""
    found = exact(population, learners, loss, data, seed)
    unknown = {name: learners[name] for name, value in found.items() if value is None}
    if unknown:
        positive = getattr(population, "positive", None)
        found |= dict(zip(unknown, measured(unknown, loss, data, seed, positive), strict=True))
    return np.array([found[name] for name in learners], dtype=np.float64)


def measured(
    learners: Learners, loss: Loss, data: Drawn, seed: int, positive: Any = None
) -> FloatArray:
    """Return the mean losses of the models of a whole data set on its test examples."""
    whole = Split(np.arange(data.n), np.arange(data.n, data.y.size), {"judge": 0})
    return _risks(_of_splits(learners, data, [whole], loss, seed, positive), loss)[:, 0]


def exact(
    population: Population, learners: Learners, loss: Loss, data: Drawn, seed: int
) -> dict[str, float | None]:
    """Return the risks that follow from the coefficients of linear models, None for other models."""
    known = formula(population, loss)
    if known is None:
        return dict.fromkeys(learners)
    X, y = data.X[: data.n], data.y[: data.n]
    [whole] = draw(
        Known((Split(np.arange(data.n), np.arange(data.n, data.n + 1), {}),)), data.n + 1
    ).training_sets
    found: dict[str, float | None] = {}
    for prototype in learners_module.prepared(learners, [loss], only_loss=True)[0]:
        model = prototype.fresh(seed, whole)  # with the seed that it has among other fits
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        parts = linear(model, X)
        found[prototype.name] = None if parts is None else known(*parts)
    return found


def formula(population: Population, loss: Loss) -> Callable[[FloatArray, float], float] | None:
    """Return the function of coefficients and intercept that gives the risk of a linear model, if there is one."""
    found: Callable[[FloatArray, float], float] | None = getattr(
        population, _FORMULAS.get(loss.key, ""), None
    )
    return found


def linear(model: Any, X: FloatArray) -> tuple[FloatArray, float] | None:
    """Return coefficients and intercept of a model that predicts by them, which its predictions must bear out."""
    try:
        coefficients = np.asarray(model.coef_, dtype=np.float64).ravel()
        [intercept] = np.asarray(getattr(model, "intercept_", 0.0), dtype=np.float64).ravel()
        value = X @ coefficients + intercept
    except (AttributeError, TypeError, ValueError):
        return None
    predicted, classes = np.asarray(model.predict(X)), getattr(model, "classes_", None)
    near = _CLOSE * float(np.abs(value).max(initial=1.0))
    if classes is not None:
        # Where the value is next to 0, rounding decides.
        value = np.where(np.abs(value) <= near, predicted, value > 0.0)
    same = predicted.shape == value.shape and (np.abs(predicted - value) <= near).all()
    agrees = same and (classes is None or list(classes) == [0, 1])
    return (coefficients, float(intercept)) if agrees else None


def expected(population: Population, learners: Learners, loss: Loss, n: int) -> float | None:
    """Return the expected risk that all learners have, where they are least squares and it has a closed form."""
    closed = getattr(population, "least_squares_expected_risk", None)
    if closed is None or loss.key != "squared-error":
        return None
    return float(closed(n)) if all(map(_least_squares, learners.values())) else None


def _least_squares(learner: Any) -> bool:
    plain = learner.get_params()
    return (
        type(learner).__name__ == "LinearRegression"
        and plain.get("fit_intercept", True)
        and not plain.get("positive", False)
    )
