"""View of scores that rank examples: what the area under the ROC curve is made of."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.loss_rows import Losses


@dataclass(frozen=True, eq=False)
class RankScores:
    """Scores of one model, or of two, on test examples of two classes.

    Parameters
    ----------
    truth : array-like, shape (n,)
        Whether each example is of the positive class: True and False, or 1 and 0. Both must occur.
    value : array-like, shape (n,)
        Scores of the model: the larger, the more it takes the example for positive.
    minus : array-like, shape (n,), optional
        Scores of the model that is subtracted.
    n_train : float, optional
        Training size of the models.

    Examples
    --------
    >>> import errbar
    >>> errbar.RankScores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.4, 0.7]).truth.tolist()
    [False, True, False, True]
    """

    truth: NDArray[np.bool_]
    value: FloatArray
    minus: FloatArray | None
    n_train: float

    def __init__(
        self, truth: ArrayLike, value: ArrayLike, minus: ArrayLike | None = None, *, n_train: float = math.nan
    ) -> None:
        cleaned = _check.vector(value, "value", "example", 2)
        positive = np.asarray(_check.vector(truth, "truth", "example", 2))
        if not np.isin(positive, (0.0, 1.0)).all() or np.unique(positive).size < 2:
            raise InvalidInputError("must hold 0 and 1 (or False and True), and both must occur", argument="truth")
        other = None if minus is None else _check.vector(minus, "minus", "example", 2)
        for name, column in (("value", cleaned), ("minus", other)):
            if column is not None and column.size != positive.size:
                raise InvalidInputError(
                    f"must hold one score per example, {positive.size}, got {column.size}", argument=name
                )
        vars(self).update(truth=positive == 1.0, value=cleaned, minus=other, n_train=float(n_train))

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Take the scores from the predictions of the table that losses come from."""
        if losses.is_blank:
            return cls(np.arange(4) % 2, np.arange(4.0), np.arange(4.0) if len(losses.each) == 2 else None)
        table = None if losses.origin is None else losses.origin.table
        if table is None or table.loss.key != "roc_auc":
            raise InvalidInputError("this method is about the area under the ROC curve; use loss='roc_auc'")
        if table.target is None or table.cells is None or table.predictions is None:
            raise InvalidInputError(
                "this method needs the stored predictions of a run, and this table has numbers only"
            )
        truth, target, loss = table.target.values[table.cells.example], table.target, table.loss
        assert losses.origin is not None
        places = [table.position(name) for name in losses.origin.learners]
        samples = [loss.sample(target, truth, table.predictions[place]) for place in places]
        return cls(samples[0].is_positive, *(sample.score for sample in samples), n_train=losses.n_train)
