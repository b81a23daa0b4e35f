"""View of losses of several fits, or answers, on the same examples."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import NO_LABEL
from errbar.rows import Rows
from errbar.views._clusters import Units
from errbar.views._points import MetricValues, cluster_codes, metric_of


@dataclass(frozen=True, eq=False)
class CrossedLosses:
    """Losses of several seeds on the same examples, of a learner or of two: a row per seed, a column per example.

    A seed is a fit that differs from the others in its random choices alone, or one of several answers to each question, or a
    reader.

    Parameters
    ----------
    value : array-like, shape (S, n)
        Losses of each seed; every cell is filled.
    minus : array-like, shape (S, n), optional
        Losses of the learner that is subtracted. Where both learners have seeds of their own, the numbers of seeds may differ.
    cluster : array-like, shape (n,), optional
        Cluster of each example, where examples of a cluster are alike.
    fold : array-like of int, shape (n,), optional
        For a metric that is averaged over folds: the fold in which the example was tested.
    n_train : float, optional
        Mean training size, for the statement of what is estimated.
    metric : MetricValues, optional
        Where the values are not losses but a metric plus influence values, what metric that is.
    classes : array-like of int, shape (n,), optional
        Class of each example, where such a metric is taken given the classes, as an AUC is.
    n_splits : int, optional
        Number of splits that the losses come from; by default one for each seed.

    Attributes
    ----------
    units : Units
        The clusters, or the examples.

    Examples
    --------
    >>> import errbar
    >>> errbar.CrossedLosses([[0, 1, 1, 0], [0, 1, 0, 0]]).value.shape
    (2, 4)
    """

    value: FloatArray
    minus: FloatArray | None
    cluster: IntArray | None
    fold: IntArray | None
    n_train: float
    metric: MetricValues | None
    classes: IntArray | None
    n_splits: int
    units: Units

    def __init__(
        self,
        value: ArrayLike,
        minus: ArrayLike | None = None,
        *,
        cluster: ArrayLike | None = None,
        fold: ArrayLike | None = None,
        n_train: float = math.nan,
        metric: MetricValues | None = None,
        classes: ArrayLike | None = None,
        n_splits: int | None = None,
    ) -> None:
        cleaned = _matrix(value, "value")
        other = None if minus is None else _matrix(minus, "minus")
        n = cleaned.shape[1]
        if other is not None and other.shape[1] != n:
            raise InvalidInputError(
                f"must hold losses of the same {n} examples, got {other.shape[1]} columns", argument="minus"
            )
        codes = None if cluster is None else cluster_codes(cluster, n)
        folds = None if fold is None else _check.labels(fold, n, "fold")
        vars(self).update(
            value=cleaned,
            minus=other,
            cluster=codes,
            fold=folds,
            n_train=float(n_train),
            metric=metric,
            classes=None if classes is None else _check.labels(classes, n, "classes"),
            n_splits=cleaned.shape[0] if n_splits is None else _check.count(n_splits, "n_splits"),
            units=Units.of(np.arange(n) if codes is None else codes, folds),
        )

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table."""
        _, at, example = rows.points
        points = [column.point for column in rows.each if column.point is not None]
        labels = rows.label("seed")
        seeds, seed = np.unique(labels, return_inverse=True)
        tested, place = np.unique(example, return_inverse=True)
        filled = np.zeros((seeds.size, tested.size), dtype=np.int64)
        np.add.at(filled, (seed[at], place), 1)
        if (labels == NO_LABEL).any() or (filled != 1).any():
            raise InvalidInputError(_unfilled(filled))
        fold = np.zeros(tested.size, dtype=np.int64)
        fold[place] = rows.fold[at]
        metric, codes = metric_of(rows)
        by_fold = metric is not None and metric.by_fold and np.unique(fold).size > 1
        clusters = rows.design.clusters
        matrices = np.empty((len(points), seeds.size, tested.size))
        for matrix, point in zip(matrices, points, strict=True):
            matrix[seed[at], place] = point
        return cls(
            *matrices,
            cluster=None if clusters is None else clusters[tested],
            fold=fold if by_fold else None,
            n_train=float(rows.n_train.mean()),
            metric=metric,
            classes=None if codes is None else codes[tested],
            n_splits=rows.score.size,
        )

    def less(self, other: Self) -> Self:
        """Return the comparison with another learner on the same examples."""
        made = object.__new__(type(self))
        metric = self.metric and self.metric._replace(share=False)
        vars(made).update(vars(self) | {"minus": other.value, "metric": metric})
        return made


def _matrix(value: ArrayLike, name: str) -> FloatArray:
    array = _check.numbers(value, name, "seed and example")
    if array.ndim != 2 or array.shape[0] < 2 or array.shape[1] < 2:
        raise InvalidInputError(
            f"must hold losses of at least 2 seeds (a row each) and 2 examples (a column each), got shape {array.shape}",
            argument=name,
        )
    return array


def _unfilled(filled: IntArray) -> str:
    """Say which cells are not filled once."""
    lacking, twice = int((filled == 0).sum()), int((filled > 1).sum())
    what = f"{lacking} of {filled.size} have none" if lacking else f"{twice} of {filled.size} have several"
    return (
        f"this method needs one loss for each seed and example, and {what}; give every seed all examples once, with `seed` and "
        "`example`, in a single repeat"
    )
