"""The one pivot: (estimate - null) / se against a t or the normal law."""

import math

import numpy as np
from scipy import special

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.result import Estimand, Interval, Note, Result

DEGENERATE = Note(
    "no-variation",
    "the scores do not vary, so the standard error is 0 and neither interval nor p-value says how sure the estimate is",
)

# Scores that differ by less than this share of their size differ by rounding alone.
_ROUNDING = 1e-12
_SMALLEST = 1e-150


def mean(values: FloatArray) -> float:
    """Return the mean."""
    return float(np.add.reduce(values)) / values.size


def variance(values: FloatArray, divisor: int | None = None) -> float:
    """Return the sum of squared deviations over `divisor` (by default one less than the number of values).

    Values that are equal up to rounding have variance 0, exactly.
    """
    low, high = float(values.min()), float(values.max())
    if high - low <= _ROUNDING * max(abs(low), abs(high)):
        return 0.0
    if high - low < _SMALLEST:
        raise InvalidInputError(
            f"the numbers differ by {high - low:g} only, and squares of numbers below {_SMALLEST:g} vanish; scale them up"
        )
    deviations = values - mean(values)
    return float(deviations @ deviations) / (values.size - 1 if divisor is None else divisor)


def quantile(probability: float, df: float | None) -> float:
    """Return a quantile of the t law with `df` degrees of freedom, or of the normal law for None."""
    return float(special.ndtri(probability) if df is None else special.stdtrit(df, probability))


def lower_tail(statistic: float, df: float | None) -> float:
    """Return the probability of a value below `statistic`."""
    return float(special.ndtr(statistic) if df is None else special.stdtr(df, statistic))


def pvalue(statistic: float, df: float | None, alternative: str) -> float:
    """Return the p-value of a statistic."""
    if alternative == "less":
        return lower_tail(statistic, df)
    if alternative == "greater":
        return lower_tail(-statistic, df)
    return min(1.0, 2.0 * lower_tail(-abs(statistic), df))


def interval(estimate: float, se: float, df: float | None, level: float, alternative: str) -> Interval:
    """Return the interval of all null values that are not rejected at 1 - `level`."""
    probability = 0.5 + level / 2 if alternative == "two-sided" else level
    reach = se * quantile(probability, df) if se > 0.0 else 0.0
    low = -math.inf if alternative == "less" else estimate - reach
    high = math.inf if alternative == "greater" else estimate + reach
    return Interval(low, high)


def standardised(estimate: float, se: float, null: float) -> float:
    """Return (estimate - null) / se; with se = 0 it is 0, or infinite with the sign of the difference."""
    difference = estimate - null
    if se > 0.0:
        return difference / se
    negligible = abs(difference) <= _ROUNDING * max(abs(estimate), abs(null))
    return 0.0 if negligible else math.copysign(math.inf, difference)


def pivot(
    method: str,
    estimand: Estimand,
    *,
    estimate: float,
    se: float,
    df: float | None,
    n_train: float,
    n_splits: int,
    level: float,
    null: float,
    alternative: str,
    notes: tuple[Note, ...] = (),
) -> Result:
    """Return the result of a method whose statistic is (estimate - null) / se.

    Parameters
    ----------
    method : str
        Key of the method.
    estimand : Estimand
        What is estimated.
    estimate, se : float
        Point estimate and standard error.
    df : float or None
        Degrees of freedom of the t law; None for the normal law.
    n_train, n_splits : float, int
        Training size and number of splits.
    level, null, alternative : float, float, str
        As the user gave them; checked here.
    notes : tuple of Note
        Caveats of the method.
    """
    level = _check.level(level)
    null = _check.finite(null, "null")
    alternative = _check.alternative(alternative)
    statistic = standardised(estimate, se, null)
    return Result(
        method=method,
        estimand=estimand,
        n_train=n_train,
        estimate=estimate,
        se=se,
        interval=interval(estimate, se, df, level, alternative),
        level=level,
        statistic=statistic,
        df=df,
        pvalue=pvalue(statistic, df, alternative),
        null=null,
        alternative=alternative,
        n_splits=n_splits,
        notes=notes if se > 0.0 else (*notes, DEGENERATE),
    )
