"""Power over a range of true differences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.planning._setting import MOST_REPEATS, Setting, number_of_splits, setting_of

_POINTS = 201
# Curves end where power is close to 1.
TOP = 0.99


@dataclass(frozen=True, eq=False)
class PowerCurve:
    """Power of the corrected t over a range of true differences.

    Attributes
    ----------
    differences, power : ndarray, shape (points,)
        True differences, and the power at each.
    repeats : int or None
        Number of splits; None for the limit that more and more splits approach.
    level, alternative : float, str
        Of the test.
    wanted : float
        Wanted power.
    detectable : float
        Smallest difference with the wanted power, with its sign.
    metric : str
        Name of the loss or score.
    label : str
        The study in words, where it is not one of so many splits.
    """

    differences: FloatArray
    power: FloatArray
    repeats: int | None
    level: float
    alternative: str
    wanted: float
    detectable: float
    metric: str = "loss"
    label: str = ""


def power_curve(
    differences: ArrayLike | None = None,
    power: float = 0.8,
    *,
    deviation: float | None = None,
    variance: float | None = None,
    correlation: float | None = None,
    n_train: float,
    n_test: float,
    repeats: int = 15,
    level: float = 0.95,
    alternative: str = "two-sided",
    metric: str = "loss",
) -> PowerCurve:
    """Power of the corrected resampled t over a range of true differences.

    Parameters
    ----------
    differences : array-like, shape (points,), optional
        True differences in units of the loss; by default from 0 to where power is about 0.99.
    power : float, default 0.8
        Wanted probability of finding the difference.
    deviation : float, optional
        Expected sample standard deviation of the split differences, in units of the loss. Give this or `variance`.
    variance : float, optional
        Variance of one split difference over data sets and splits, in squared units of the loss.
    correlation : float, optional
        True correlation of two split differences, in [0, 1); by default n2/(n1 + n2).
    n_train, n_test : float
        Training and test size n1 and n2 of the splits.
    repeats : int, default 15
        Number of splits J.
    level : float, default 0.95
        Confidence level; the test rejects at 1 - level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.
    metric : str, default "loss"
        Name of the loss or score, for the axis of a plot.

    Returns
    -------
    PowerCurve
        To look at, or to draw with `errbar.plots.curves`.

    Raises
    ------
    InvalidInputError
        If an argument is out of its range, or not exactly one of `deviation` and `variance` is given.

    See Also
    --------
    power : The model.
    errbar.plots.curves : The plot.

    Examples
    --------
    >>> from errbar.planning import power_curve
    >>> curve = power_curve([0.0, 0.02, 0.04], deviation=0.02, n_train=270, n_test=30)
    >>> curve.power.round(3).tolist()
    [0.05, 0.598, 0.993]
    """
    setting = setting_of(deviation, variance, correlation, n_train, n_test, level, alternative)
    wanted, splits = _check.level(power, "power"), number_of_splits(repeats)
    given = (
        range_of(setting, splits, wanted)
        if differences is None
        else _check.vector(differences, "differences", "point")
    )
    return curve_of(setting, splits, wanted, given, metric)


def range_of(setting: Setting, repeats: int, wanted: float, goal: float = 0.0) -> FloatArray:
    """Return differences from 0 to where power is close to 1, or to a goal that is not too far beyond."""
    return differences_to(setting.detectable(max(TOP, wanted), repeats), goal, setting.alternative)


def differences_to(end: float, goal: float, alternative: str) -> FloatArray:
    """Return differences from 0 to an end, or to a goal that is not too far beyond, on the side of the alternative."""
    if end < abs(goal) <= 1.25 * end:
        end = abs(goal)
    return np.linspace(0.0, -end if goal < 0.0 or alternative == "less" else end, _POINTS)


def curve_of(
    setting: Setting, repeats: int | None, wanted: float, differences: FloatArray, metric: str
) -> PowerCurve:
    number = repeats or MOST_REPEATS
    values = np.array([setting.power(float(difference), number) for difference in differences])
    size = setting.detectable(wanted, number)
    detectable = -size if setting.alternative == "less" else size
    return PowerCurve(
        differences, values, repeats, setting.level, setting.alternative, wanted, detectable, metric
    )
