"""What rank tests share: intervals and standard errors from order statistics, and checked differences."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check, needs
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.methods._core.answer import Asked
from errbar.result import Estimand, Interval, Note

DATA_SETS: dict[str, Any] = {
    "plans": ("data-sets",),
    "default_plan": None,
    "needs": (needs.DATA_SETS,),
    "estimand": Estimand.DATA_SETS,
    "fits": "none",
}
"""What methods for several data sets declare alike."""

# The Walsh averages of more differences would not fit into memory.
MOST = 5000

STILL = Note("no-variation")
NOTHING_LEFT = Note("ties", share="all")


def checked(differences: ArrayLike) -> FloatArray:
    """Return differences, one per data set and at least two."""
    values = _check.vector(differences, "differences", "data set", 2)
    if values.size > MOST:
        raise InvalidInputError(
            f"must be one per data set, at most {MOST}, got {values.size}", argument="differences"
        )
    return values


def signs_and_sizes(differences: FloatArray, null: float) -> tuple[FloatArray, FloatArray]:
    """Return the signs and sizes of what is left of the differences after the null value, 0 up to rounding."""
    from errbar.losses import difference

    left = difference(differences, np.full(differences.size, null))
    return np.sign(left), np.abs(left)


def ends_between(
    ascending: FloatArray, cut: Callable[[float], int]
) -> Callable[[float], tuple[float, float]]:
    """Return the ends of an interval between two order statistics as a function of the probability of a tail.

    Parameters
    ----------
    ascending : ndarray
        Sorted values.
    cut : callable
        For the probability of a tail, how many values may be left out at one end, or -1 if none may.
    """

    def ends(tail: float) -> tuple[float, float]:
        beyond = cut(tail)
        if beyond < 0:
            return -math.inf, math.inf
        return float(ascending[beyond]), float(ascending[ascending.size - 1 - beyond])

    return ends


def standard_error(ascending: FloatArray, deviation: float) -> float:
    """Return half the distance of the order statistics that lie `deviation` positions on either side of the middle."""
    place = max(0.0, (ascending.size - 1) / 2 - deviation)
    whole = int(place)
    share = place - whole
    steps = np.array(
        [ascending[-1 - whole] - ascending[whole], ascending[-2 - whole] - ascending[whole + 1]]
    )
    return float((1.0 - share) * steps[0] + share * steps[1]) / 2


def remarks(
    values: FloatArray, counted: int, asked: Asked, interval: Interval, *, ties: bool
) -> tuple[Note, ...]:
    """Return what has to be said of a rank test of which so many differences count, and in which there may be ties."""
    if not counted:
        return (NOTHING_LEFT,)
    notes = asked.if_unbounded(interval, values.size, "data sets")
    if values.min() == values.max():
        return (*notes, STILL)
    return (*notes, Note("ties", share="some")) if ties else notes
