"""How the losses of one or several cross-validations vary: from example to example, and from fold to fold."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from errbar._check import FloatArray
from errbar.clusters import Units
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods.distributions import ROUNDING, mean


@dataclass(frozen=True, eq=False)
class FoldSpread:
    """Estimate and variances of a cross-validation, or of several of the same examples.

    Attributes
    ----------
    estimate : float
        Mean of all losses; of a metric that is averaged over folds, mean over folds.
    of_examples : float
        Variance of the mean of n independent losses with the variance of those within a repeat, W/n.
    of_folds : float
        Variance of the mean of K independent fold means, S_f^2/K.
    enlarged : float
        n/n1: how much larger a data set is than a training set.
    n, folds : int
        Number of examples, and of folds K.
    df : float
        Degrees of freedom of `of_examples`: of n losses, or of their clusters.
    means : ndarray, shape (n,)
        Mean over the repeats of the losses of each example.
    deviations : ndarray, shape (n,)
        The same less the mean, or less the metric of the fold: for a metric, influence values.
    """

    estimate: float
    of_examples: float
    of_folds: float
    enlarged: float
    n: int
    folds: int
    df: float
    means: FloatArray
    deviations: FloatArray

    @classmethod
    def of(cls, losses: Losses, key: str) -> Self:
        """Compute them from the outer losses; `key` names the method that asks."""
        losses.require_once()
        outer = losses.inner < 0
        value, repeat = losses.value[outer], np.unique(losses.repeat[outer], return_inverse=True)[1]
        folds, fold = np.unique(losses.fold[outer], return_inverse=True)
        repeats, count = int(repeat.max()) + 1, folds.size
        place = repeat * count + fold
        sizes = np.bincount(place, minlength=repeats * count).reshape(repeats, count)
        _require_folds(sizes, key)
        n = int(sizes[0].sum())
        by_fold = losses.by_fold
        means = np.bincount(place, value, sizes.size).reshape(sizes.shape) / sizes
        centre = means.mean(axis=1) if by_fold else np.bincount(repeat, value) / n
        left = value - (means.ravel()[place] if by_fold else centre[repeat])
        # Losses that are equal up to rounding do not vary.
        if np.ptp(value) <= ROUNDING * np.abs(value).max():
            left, means = np.zeros_like(left), np.full_like(means, value[0])
        example = np.unique(losses.example[outer], return_inverse=True)[1]
        times = np.bincount(example)
        averaged = np.bincount(example, left) / times
        groups = losses.index.codes("group") if "group" in losses.index else None
        units = None if groups is None else Units.of(_first(groups[outer], example))
        return cls(
            estimate=mean(means.ravel()) if by_fold else mean(value),
            of_examples=float(left @ left) / repeats / (n - 1) / n
            if units is None
            else units.squared_error(averaged),
            of_folds=float(np.square(means - means.mean(axis=1, keepdims=True)).sum())
            / repeats
            / (count - 1)
            / count,
            enlarged=count / (count - 1) if math.isnan(losses.n_train) else n / losses.n_train,
            n=n,
            folds=count,
            df=n - 1.0 if units is None else units.df,
            means=np.bincount(example, value) / times,
            deviations=averaged,
        )


def _first(labels: np.ndarray, example: np.ndarray) -> np.ndarray:
    """Return the label of each example."""
    found = np.empty(int(example.max()) + 1, dtype=labels.dtype)
    found[example] = labels
    return found


def _require_folds(sizes: np.ndarray, key: str) -> None:
    """Raise unless every repeat has the same number of folds and of examples."""
    if sizes.shape[1] < 2:
        raise InvalidInputError(
            f"must name at least two folds, got one; method {key!r} is for K-fold cross-validation",
            argument="fold",
        )
    if sizes.min() == 0:
        raise InvalidInputError("must name the same folds in every repeat", argument="fold")
    totals = sizes.sum(axis=1)
    if totals.min() != totals.max():
        raise InvalidInputError(
            f"must name repeats of the same examples, got {totals.min()} to {totals.max()} losses in one",
            argument="repeat",
        )
