"""Views of losses that follow each other in time."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.rows import Rows


@dataclass(frozen=True, eq=False)
class SeriesLosses:
    """One loss per time, of a learner or of the difference of two, in the order of time.

    Parameters
    ----------
    value : array-like, shape (n,)
        Losses.
    n_train : float, optional
        Mean training size, for the statement of what is estimated.
    several : int, default 1
        Largest number of losses that one value is the mean of.
    n_splits : int, default 1
        Number of splits that the losses come from.

    Examples
    --------
    >>> import errbar
    >>> errbar.SeriesLosses([0.2, 0.1, 0.4]).value.size
    3
    """

    value: FloatArray
    n_train: float
    several: int
    n_splits: int

    def __init__(self, value: ArrayLike, *, n_train: float = math.nan, several: int = 1, n_splits: int = 1) -> None:
        vars(self).update(
            value=_check.vector(value, "value", "time", 2),
            n_train=float(n_train),
            several=_check.count(several, "several"),
            n_splits=_check.count(n_splits, "n_splits"),
        )

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table: losses of one time are averaged; without losses, so are scores of splits."""
        if rows.point is None or rows.example is None:
            times = np.arange(rows.score.size) if rows.design.time is None else rows.design.time
            value, several = _by_time(times, rows.score)
            return cls(value, n_train=float(rows.n_train.mean()), several=several, n_splits=rows.score.size)
        point, example = rows.point, rows.example
        if _check.distinct(example) < example.size:
            raise InvalidInputError(
                "this method needs one loss for each example, and some are tested more than once; take test sets that do not overlap"
            )
        times = example if rows.design.time is None else rows.design.time[example]
        value, several = _by_time(times, point)
        return cls(value, n_train=float(rows.n_train.mean()), several=several)


def _by_time(times: NDArray[Any], losses: FloatArray) -> tuple[FloatArray, int]:
    """Return the mean loss of each time, in order, and of how many it is the mean at most."""
    _, at, count = np.unique(times, return_inverse=True, return_counts=True)
    return np.bincount(at.ravel(), losses) / count, int(count.max())
