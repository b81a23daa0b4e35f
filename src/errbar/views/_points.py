"""Views of losses, one per example."""

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.losses import CLASSIFICATION, LABEL
from errbar.rows import Rows


class MetricValues(NamedTuple):
    """What values are that are not losses, but a metric plus influence values.

    Attributes
    ----------
    by_fold : bool
        Whether each fold has a metric of its own, whose mean is the estimate, or all examples have one together.
    counts : bool
        Whether it depends on how often labels are right, and not on scores or numbers.
    share : bool
        Whether the estimate is the share of right ones among some of the examples.
    """

    by_fold: bool = False
    counts: bool = False
    share: bool = False


@dataclass(frozen=True, eq=False)
class PointLosses:
    """One loss per test example, of a learner or of the difference of two.

    Parameters
    ----------
    value : array-like, shape (N,)
        Losses.
    fold, repeat : int or array-like of int, shape (N,), default 0
        Fold and repeat in which the example was tested.
    inner : int or array-like of int, shape (N,), default -1
        Inner fold of nested cross-validation; -1 marks outer losses.
    example : array-like of int, shape (N,), optional
        Which example the loss belongs to.
    n_train : float, optional
        Mean training size, for the statement of what is estimated.
    minus : array-like, shape (N,), optional
        For a difference: the losses of the learner that was subtracted, for statistics other than the mean.
    metric : MetricValues, optional
        Where the values are not losses but a metric plus influence values, what metric that is.
    classes : array-like of int, shape (N,), optional
        Class of each example, where such a metric is taken given the classes, as an AUC is.
    cluster : array-like, shape (N,), optional
        Cluster of each example, such as the patient, where examples come in clusters and folds hold whole ones.

    Attributes
    ----------
    folds, repeats : int
        Number of different folds and repeats.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.PointLosses([0, 1, 0, 0], fold=[0, 0, 1, 1])
    >>> losses.folds
    2
    """

    value: FloatArray
    fold: IntArray
    repeat: IntArray
    inner: IntArray
    example: IntArray
    n_train: float
    minus: FloatArray | None
    metric: MetricValues | None
    classes: IntArray | None
    cluster: IntArray | None
    folds: int
    repeats: int

    def __init__(
        self,
        value: ArrayLike,
        fold: ArrayLike = 0,
        repeat: ArrayLike = 0,
        inner: ArrayLike = -1,
        example: ArrayLike | None = None,
        *,
        n_train: float = math.nan,
        minus: ArrayLike | None = None,
        metric: MetricValues | None = None,
        classes: ArrayLike | None = None,
        cluster: ArrayLike | None = None,
    ) -> None:
        cleaned = _check.vector(value, "value", "example", 2)
        n = cleaned.size
        vars(self).update(
            value=cleaned,
            fold=_check.labels(fold, n, "fold"),
            repeat=_check.labels(repeat, n, "repeat"),
            inner=_check.labels(inner, n, "inner"),
            example=np.arange(n) if example is None else _check.labels(example, n, "example"),
            n_train=float(n_train),
            minus=None if minus is None else _subtracted(minus, n),
            metric=metric,
            classes=None if classes is None else _check.labels(classes, n, "classes"),
            cluster=None if cluster is None else cluster_codes(cluster, n),
        )
        vars(self).update(folds=_check.distinct(self.fold), repeats=_check.distinct(self.repeat))
        if example is not None and _check.distinct(self.example) < n:
            self._refuse_twice()

    def _refuse_twice(self) -> None:
        """Raise if an example has several outer losses in a repeat, or several inner ones in a fold."""
        outer = self.inner < 0
        fold = np.where(outer, -1, self.fold)
        if _check.distinct(self.repeat, fold, self.inner, self.example) < self.example.size:
            raise InvalidInputError(
                ": an example is tested more than once in a repeat; give the mean of its losses, or number the repeats",
                argument="example",
            )

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table."""
        point, at, example = rows.points
        fold = rows.fold if (rows.fold >= 0).all() else np.zeros_like(rows.fold)
        repeat = np.maximum(rows.repeat, 0)
        mean_train = float(rows.n_train.mean())
        minus = rows.each[1].point if len(rows.each) == 2 else None
        metric, codes = metric_of(rows)
        return cls(
            point,
            fold[at],
            repeat[at],
            rows.label("inner")[at],
            example,
            n_train=mean_train,
            minus=minus,
            metric=metric,
            classes=None if codes is None else codes[example],
            cluster=None if rows.design.clusters is None else rows.design.clusters[example],
        )


def metric_of(rows: Rows) -> tuple[MetricValues | None, IntArray | None]:
    """Return what values are that are not losses, and the class of each example where the metric is taken given the classes."""
    loss = rows.loss
    if loss is None or loss.pointwise or rows.blank:
        return None, None
    counts = LABEL in loss.needs and loss.task == CLASSIFICATION
    metric = MetricValues(loss.pool == "none", counts, loss.trials is not None and len(rows.each) == 1)
    return metric, rows.target.codes if loss.given_class and rows.target is not None else None


def cluster_codes(value: ArrayLike, size: int) -> IntArray:
    """Return a whole number for each label of a cluster."""
    array = _check.categories(value, "`cluster`")
    if array.size != size:
        raise InvalidInputError(f"must hold one label per example, {size}, got {array.size}", argument="cluster")
    codes: IntArray = array.astype(np.int64) if array.dtype.kind in "iu" else np.unique(array, return_inverse=True)[1]
    return codes


def _subtracted(value: ArrayLike, size: int) -> FloatArray:
    array = _check.vector(value, "minus", "example")
    if array.size != size:
        raise InvalidInputError(f"must hold one loss per example, {size}, got {array.size}", argument="minus")
    return array
