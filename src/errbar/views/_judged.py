"""View of losses that people have judged, beside those that a cheaper judge gave to these and to more examples."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.rows import Rows


@dataclass(frozen=True, eq=False)
class JudgedLosses:
    """Losses by people on some examples, and by another judge on these and on more.

    Parameters
    ----------
    value : array-like, shape (n,)
        Losses by people, or their difference for two learners.
    judged : array-like, shape (n,)
        Losses of the same examples by the other judge.
    others : array-like, shape (N,)
        Losses of other examples by that judge; people have not judged these.
    n_train : float, optional
        Training size, for the statement of what is estimated.

    Examples
    --------
    >>> import errbar
    >>> errbar.JudgedLosses([1, 0, 1], [1, 0, 0], [1, 1, 0, 1]).others.size
    4
    """

    value: FloatArray
    judged: FloatArray
    others: FloatArray
    n_train: float

    def __init__(self, value: ArrayLike, judged: ArrayLike, others: ArrayLike, *, n_train: float = math.nan) -> None:
        people = _check.vector(value, "value", "example", 2)
        same, more = _check.vector(judged, "judged", "example", 2), _check.vector(others, "others", "example", 2)
        if same.size != people.size:
            raise InvalidInputError(
                f"must hold one loss for each of the {people.size} of `value`, got {same.size}", argument="judged"
            )
        vars(self).update(value=people, judged=same, others=more, n_train=float(n_train))

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table as `errbar.from_judged` makes it."""
        point, at, example = rows.points
        judge = rows.label("judge")
        if rows.blank or set(judge.tolist()) != {0, 1}:
            raise InvalidInputError(
                "this method needs the losses by people and by a judge; make the table with errbar.from_judged"
            )
        by_people, by_judge = (judge[at] == 0), (judge[at] == 1)
        people, other = point[by_people], point[by_judge]
        asked = np.searchsorted(example[by_judge], example[by_people])
        more = np.ones(other.size, dtype=bool)
        more[asked] = False
        return cls(people, other[asked], other[more], n_train=float(rows.n_train.mean()))
