"""View of all learners at once."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.plans._base import NO_LABEL
from errbar.table import LossTable


@dataclass(frozen=True, eq=False)
class Blocks:
    """One number per block and learner, where a block is an example, a split or a data set.

    Parameters
    ----------
    value : array-like, shape (blocks, learners)
        Losses: larger is worse.
    n_train : float, optional
        Training size of the models.
    kind : str, optional
        Kind of plan that the blocks come from, such as ``"bootstrap"`` or ``"data-sets"``, where it is known.

    Examples
    --------
    >>> import errbar
    >>> errbar.Blocks([[0, 1, 0], [1, 1, 0]]).value.shape
    (2, 3)
    """

    value: FloatArray
    n_train: float
    kind: str | None

    def __init__(self, value: ArrayLike, *, n_train: float = math.nan, kind: str | None = None) -> None:
        cleaned = _check.numbers(value, "value", "block and learner")
        if cleaned.ndim != 2 or cleaned.shape[0] < 2 or cleaned.shape[1] < 2:
            raise InvalidInputError(
                f"must have at least 2 rows, one per block, and 2 columns, one per learner, got shape {cleaned.shape}",
                argument="value",
            )
        vars(self).update(value=np.asarray(cleaned), n_train=float(n_train), kind=kind)

    @classmethod
    def of(cls, table: LossTable, *, pointwise: bool = False) -> "Blocks":
        """Make the view from the table of one plan: a block is a split, or where `pointwise`, a test example."""
        design, splits = table.splits.designs[0], table.splits
        chosen = splits.labels["resubstitution"] == NO_LABEL
        n_train = float(splits.n_train[chosen].mean())
        if not pointwise:
            return cls(table.scores[:, chosen].T, n_train=n_train, kind=design.kind)
        if table.points is None or table.cells is None:
            raise InvalidInputError(
                "this method needs one loss per example, and the table has one score per split only"
            )
        return cls(table.points[:, chosen[table.cells.split]].T, n_train=n_train, kind=design.kind)
