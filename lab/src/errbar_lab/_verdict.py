"""What is said of a coverage that was measured on so many data sets: one rule, for every study and figure.

A share has a 95 % Wilson interval. A verdict is given only where the whole of it speaks for it, so that too few data sets
give none: a fault that was not found is no proof that there is none.
"""

import math

MARGIN = 0.02
"""A coverage so near to the level is as good as the level."""

LIBERAL, NOMINAL, CONSERVATIVE, UNDECIDED = "liberal", "nominal", "conservative", "undecided"

_Z = 1.959963984540054


def verdict(low: float, high: float, level: float) -> str:
    """Return what the interval of a coverage says.

    Parameters
    ----------
    low, high : float
        Interval of the coverage.
    level : float
        Nominal coverage.

    Returns
    -------
    {"liberal", "nominal", "conservative", "undecided"}
        Nominal where the interval lies within two points of the level, liberal or conservative where it lies wholly beyond
        them, and undecided otherwise.

    Examples
    --------
    >>> from errbar_lab._verdict import verdict
    >>> [verdict(*ends, 0.95) for ends in ((0.90, 0.92), (0.94, 0.96), (0.98, 0.99), (0.92, 0.96))]
    ['liberal', 'nominal', 'conservative', 'undecided']
    """
    least, most = bounds(level)
    if high < least:
        return LIBERAL
    if low > most:
        return CONSERVATIVE
    return NOMINAL if low >= least and high <= most else UNDECIDED


def bounds(level: float) -> tuple[float, float]:
    """Return the least and the largest coverage that is as good as the level, to the last digit that a level is given with."""
    return round(level - MARGIN, 12), min(1.0, round(level + MARGIN, 12))


def to_decide(share: float, level: float) -> float:
    r"""Return how many data sets give a verdict, if their share stays what it is.

    The Wilson interval of a share p of N data sets leaves out a bound b exactly where
    :math:`N > z^2 b (1 - b) / (p - b)^2`.

    Parameters
    ----------
    share : float
        Coverage that was measured.
    level : float
        Nominal coverage.

    Returns
    -------
    float
        A whole number; infinite where the share is on a bound, so that none would do.

    Examples
    --------
    >>> from errbar_lab._verdict import to_decide
    >>> to_decide(0.95, 0.95), to_decide(0.93, 0.95)
    (626.0, inf)
    """
    least, most = bounds(level)
    if share > most:
        return _beyond(share, most)
    below = _beyond(share, least)
    return below if share < least or most >= 1.0 else max(below, _beyond(share, most))


def to_hold(share: float, level: float) -> float:
    """Return how many data sets show that a method is not liberal, if their share stays; infinite where none would.

    Parameters
    ----------
    share : float
        Coverage that was measured.
    level : float
        Nominal coverage.
    """
    least, _ = bounds(level)
    return _beyond(share, least) if share > least else math.inf


def _beyond(share: float, bound: float) -> float:
    """Return the number of data sets from which on the interval of a share leaves out a bound."""
    if share == bound:
        return math.inf
    return float(math.floor(_Z**2 * bound * (1.0 - bound) / (share - bound) ** 2) + 1)
