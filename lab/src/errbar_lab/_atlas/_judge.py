"""From the fits of the atlas to its rows: many methods on every data set, and how often they were right."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.methods._core.infer import Settled, settle
from errbar.methods._core.registry import lookup
from errbar.plans import draw
from errbar.table import LossTable
from errbar_lab._atlas._fits import COSTLY, PLANS, Fits
from errbar_lab._atlas._learners import pairs
from errbar_lab._replicates import Arrays

LEVEL = 0.95

Target = tuple[str, str | None, str]
"""A learner, the one that is subtracted, and how the two are related."""

_FOLDS_OF_A_REPEAT = 10
_ESTIMATE, _SE, _LOW, _HIGH, _SIZE, _FITS = range(6)


@dataclass(frozen=True)
class Measured:
    """A method on a plan of the atlas.

    Attributes
    ----------
    method : str
        Key.
    plan : str
        Name of the plan.
    repeats : int, optional
        So many repeats of it; by default all.
    options : mapping
        Options of the method's own.
    """

    method: str
    plan: str
    repeats: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Method, options and plan in words."""
        own = "".join(f" {key}={value}" for key, value in self.options.items())
        times = "" if self.repeats is None else f" x{self.repeats}"
        return f"{self.method}{own}, {self.plan}{times}"

    def settled(self, table: LossTable, plans: Sequence[str]) -> Settled:
        """Find the method's splits in a table of all plans."""
        own = table.of_plan(plans.index(self.plan))
        if self.repeats is not None:
            own = own.select(own.splits.labels["repeat"] < self.repeats)
        return settle(lookup(self.method), own)


MEASURED = (
    Measured("corrected-t", "random splits"),
    Measured("corrected-t", "folds", 1),
    Measured("corrected-t", "folds", 2),
    Measured("corrected-t", "folds", 3),
    Measured("corrected-t", "5 folds"),
    Measured("corrected-t", "stratified", 2),
    Measured("cv-t", "folds", 1),
    Measured("cv-t", "folds", 2),
    Measured("cv-t", "folds", 3),
    Measured("cv-t", "5 folds"),
    Measured("cv-t", "stratified", 2),
    Measured("cv-t", "folds", 2, {"variance": "examples"}),
    Measured("cv-wald", "folds", 1),
    Measured("kfold-t", "folds", 1),
    Measured("kfold-t", "folds", 1, {"rho": 0.7}),
    Measured("kfold-theta", "folds", 1),
    Measured("cluster-t", "folds", 1),
    Measured("cluster-t", "one split"),
    Measured("resampled-t", "random splits"),
    Measured("5x2cv-t", "5x2"),
    Measured("5x2cv-f", "5x2"),
    Measured("holdout-t", "one split"),
    Measured("binomial", "one split"),
    Measured("paired-proportions", "one split"),
    Measured("delong", "one split"),
    Measured("nested-cv", "nested"),
    Measured("cv-jackknife", "nested"),
    Measured("conservative-z", "halves"),
    Measured("halved-kfold-t", "halved folds"),
    Measured("replace-one", "replaced"),
    Measured("oob-bootstrap", "samples"),
    Measured("632", "samples"),
    Measured("632-plus", "samples"),
)
"""What is measured on every data set."""


def targets_of(task: str, learners: Sequence[str]) -> tuple[Target, ...]:
    """Return every learner and every pair."""
    single: list[Target] = [(name, None, "") for name in learners]
    return (*single, *pairs(task, tuple(learners)))


def results_of(fits: Fits, number: int, found: Arrays, base: int = 0) -> FloatArray:
    """Return estimate, standard error, ends, training size and number of fits by loss, method and target.

    They are NaN where a method does not apply.

    Parameters
    ----------
    fits : Fits
        The experiment.
    number : int
        Number of the data set.
    found : mapping of str to ndarray
        What was kept of its fits.
    base : int, default 0
        Root of the random streams.
    """
    table, plans = fits.table(base, number, found), plan_names(fits)
    targets = targets_of(fits.population.task, table.learners)
    values = np.full((len(fits.losses), len(MEASURED), len(targets), 6), np.nan)
    for i, key in enumerate(fits.losses):
        try:
            own = table.with_loss(key)
        except InvalidInputError:
            continue
        for j, measured in enumerate(MEASURED):
            for k, row in _answers(measured, own, plans, targets):
                values[i, j, k] = row
                values[i, j, k, -1] *= _fits_of_a_split(measured.plan, fits.n)
    return values


@cache
def _fits_of_a_split(plan: str, n: int) -> float:
    """Return how many fits a split takes on average: less than one where splits share training sets, as nested folds do."""
    if plan not in COSTLY:
        return 1.0
    drawn = draw(COSTLY[plan], n, 0)
    return len(set(drawn.fits)) / len(drawn.splits)


def _answers(
    measured: Measured, table: LossTable, plans: Sequence[str], targets: Sequence[Target]
) -> Iterator[tuple[int, list[float]]]:
    if measured.plan not in plans:
        return
    subject = lookup(measured.method).subject
    try:
        settled = measured.settled(table, plans)
    except InvalidInputError:
        return
    for k, (learner, minus, _) in enumerate(targets):
        if subject not in ("either", "learner" if minus is None else "pair"):
            continue
        try:
            result = settled.result(learner, minus, level=LEVEL, **measured.options)
        except InvalidInputError:
            continue
        sign = table.loss.sign
        ends = sorted((sign * result.low, sign * result.high))
        yield (
            k,
            [
                sign * result.estimate,
                result.se,
                *ends,
                result.n_train,
                settled.table.scores.shape[1],
            ],
        )


def plan_names(fits: Fits) -> tuple[str, ...]:
    """Return the names of the plans of an experiment."""
    every = {**PLANS, **COSTLY}
    return tuple(
        next(name for name, known in every.items() if known == plan) for plan in fits.plans
    )


@dataclass(frozen=True, eq=False)
class Truth:
    """What is true in one cell of the atlas, larger is worse.

    Attributes
    ----------
    sizes : tuple of int
        Training sizes.
    expected, error : ndarray, shape (losses, targets, sizes)
        Expected risks and their standard errors.
    models : ndarray, shape (data sets, losses, targets, models)
        Risks of single models: of the ten folds, of the single split, of the whole data set.
    """

    sizes: tuple[int, ...]
    expected: FloatArray
    error: FloatArray
    models: FloatArray

    @classmethod
    def of(
        cls, fits: Fits, sizes: tuple[int, ...], draws: FloatArray, models: FloatArray
    ) -> "Truth":
        """Make it from risks of models, by draw, loss and learner, at some training sizes, and of those of each data set."""
        names = tuple(fits.learners)
        targets = targets_of(fits.population.task, names)
        by_target, of_models = _by_target(draws, names, targets), _by_target(models, names, targets)
        count = np.maximum(np.isfinite(by_target).sum(axis=0), 1)
        with np.errstate(all="ignore"):
            error = np.nanstd(by_target, axis=0, ddof=1) / np.sqrt(count)
        return cls(sizes, _nan_mean(by_target), error, of_models)


def _nan_mean(values: FloatArray) -> FloatArray:
    counts = np.isfinite(values).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(values, axis=0) / np.where(counts > 0, counts, np.nan))


def _by_target(values: FloatArray, names: Sequence[str], targets: Sequence[Target]) -> FloatArray:
    """Turn numbers of learners (third axis) into those of targets."""
    columns = []
    for learner, minus, _ in targets:
        own = values[:, :, names.index(learner)]
        columns.append(own if minus is None else own - values[:, :, names.index(minus)])
    return np.stack(columns, axis=2)


ABOUT = ("ER(n1)", "ER(n)", "PQ", "R")
"""What an interval may hold."""


def rows_of(
    key: str, fits: Fits, results: FloatArray, truth: Truth, seconds: FloatArray, first: int = 0
) -> list[dict[str, Any]]:
    """Return a row for each loss, method and target of a cell.

    Parameters
    ----------
    key : str
        Name of the problem.
    fits : Fits
        The experiment.
    results : ndarray, shape (data sets, losses, methods, targets, 6)
        From `results_of`.
    truth : Truth
        What is true.
    seconds : ndarray, shape (data sets, learners)
        How long a fit takes.
    first : int, default 0
        Number of the first data set.
    """
    rows = []
    of_a_fit = dict(zip(fits.learners, seconds.mean(axis=0), strict=True))
    targets = targets_of(fits.population.task, tuple(fits.learners))
    for i, loss in enumerate(fits.losses):
        for j, measured in enumerate(MEASURED):
            for k, target in enumerate(targets):
                own = results[:, i, j, k]
                if np.isfinite(own[:, _ESTIMATE]).any():
                    each = sum(float(of_a_fit[name]) for name in target[:2] if name is not None)
                    cell = {"problem": key, "n": fits.n, "loss": loss, "first": first}
                    rows.append(
                        cell
                        | _row(measured, target, own, each)
                        | _held(own, _truths(measured, own, i, k, truth))
                    )
    return rows


def _truths(
    measured: Measured, own: FloatArray, loss: int, target: int, truth: Truth
) -> dict[str, tuple[Any, float]]:
    """Return what the interval may hold, in every data set, and the standard error of that."""
    size = float(np.nanmedian(own[:, _SIZE]))
    place = int(np.argmin(np.abs(np.array(truth.sizes) - size)))
    models = truth.models[:, loss, target]
    nowhere = np.full(len(own), np.nan)
    proxy = nowhere
    if measured.plan == "folds" and measured.repeats == 1:
        proxy = models[:, :_FOLDS_OF_A_REPEAT].mean(axis=1)
    elif measured.plan == "one split":
        proxy = models[:, _FOLDS_OF_A_REPEAT]
    return {
        "ER(n1)": (truth.expected[loss, target, place], truth.error[loss, target, place]),
        "ER(n)": (truth.expected[loss, target, -1], truth.error[loss, target, -1]),
        "PQ": (proxy, 0.0),
        "R": (models[:, -1], 0.0),
    }


def _row(measured: Measured, target: Target, own: FloatArray, each: float) -> dict[str, Any]:
    """Return what the intervals are like; `each` is the seconds of a fit of all learners concerned."""
    done = own[_complete(own)]
    estimate, low, high = (done[:, place] for place in (_ESTIMATE, _LOW, _HIGH))
    fits = float(np.nanmedian(own[:, _FITS]))
    return {
        "method": measured.name,
        "learner": target[0],
        "minus": target[1] or "",
        "pair": target[2],
        "data_sets": len(own),
        "answers": len(done),
        "n_train": float(np.nanmedian(own[:, _SIZE])),
        "fits": fits,
        "seconds": fits * each,
        "estimate": float(estimate.mean()) if len(done) else np.nan,
        "sd": float(estimate.std(ddof=1)) if len(done) > 1 else np.nan,
        "se": float(np.sqrt(np.square(done[:, _SE]).mean())) if len(done) else np.nan,
        "width": float((high - low).mean()) if len(done) else np.nan,
        "rejects": int(((low > 0.0) | (high < 0.0)).sum()),
    }


def _held(own: FloatArray, about: Mapping[str, tuple[Any, float]]) -> dict[str, Any]:
    """Return how many intervals lie below and above each truth; -1 where it is not known."""
    kept = _complete(own)
    low, high = own[kept, _LOW], own[kept, _HIGH]
    row: dict[str, Any] = {}
    for name, (true, error) in about.items():
        value: NDArray[Any] = np.broadcast_to(true, len(own))[kept]
        known = np.isfinite(value)
        row |= {
            f"{name} value": float(value[known].mean()) if known.any() else np.nan,
            f"{name} error": error,
            f"{name} below": int((high[known] < value[known]).sum()) if known.any() else -1,
            f"{name} above": int((low[known] > value[known]).sum()) if known.any() else -1,
        }
    return row


def _complete(own: FloatArray) -> NDArray[np.bool_]:
    return np.isfinite(own[:, _LOW]) & np.isfinite(own[:, _HIGH])
