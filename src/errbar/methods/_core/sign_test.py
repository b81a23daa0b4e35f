"""The sign test, with the median and its interval."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from errbar import _check
from errbar._check import FloatArray
from errbar.methods._core import orders
from errbar.methods._core.answer import Answer, Asked, Tails
from errbar.result import Estimand, Interval, Note, Result

ZEROS = ("drop", "split")


def sign_test(
    differences: ArrayLike,
    *,
    level: float = 0.95,
    null: float = 0.0,
    alternative: str = "two-sided",
    zeros: str = "drop",
) -> Result:
    r"""Test by counts of wins and losses whether the median difference of two learners is a given value.

    Parameters
    ----------
    differences : array-like, shape (N,)
        Difference of the two learners on each data set.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Median of the differences under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    zeros : {"drop", "split"}, default "drop"
        What becomes of differences equal to the null value: left out, or half of them counted on each side (of an
        odd number one is left out).

    Returns
    -------
    Result
        The estimate is the median. The statistic is the number above minus the number below the null value, over the
        root of their sum; the p-value is exact. An end of the interval is infinite, and a note says so, where there
        are too few data sets for the level.

    Raises
    ------
    InvalidInputError
        If there are fewer than two differences, more than 5000, or one is not finite.

    See Also
    --------
    wilcoxon : More power, where differences are comparable in size.
    bayesian_sign : Probabilities that one learner is better.

    Notes
    -----
    With w of m differences above the null value and the others below it, the p-value is that of w under the binomial
    law with m trials and probability 1/2, as ``scipy.stats.binomtest`` has it ([1]_, section 3.1.4). The interval lies between the order statistics number
    c + 1 from below and from above, where c is the largest count with
    :math:`P(B \le c) \le (1 - \mathrm{level})/2` for B binomial with N trials ([2]_, section 3.6). Where no difference
    equals the null value, it excludes exactly the rejected null values. The standard error is half the distance of
    the order statistics :math:`\sqrt N / 2` positions on either side of the middle.

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [2] Hollander, Wolfe & Chicken (2014), Nonparametric Statistical Methods, Wiley.

    Examples
    --------
    >>> from errbar.datasets import sign_test
    >>> result = sign_test([0.031, 0.012, -0.004, 0.022, 0.017, 0.009, 0.025, -0.002, 0.014, 0.008])
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.013, 0.1094)
    >>> result.low, result.high
    (-0.002, 0.025)
    """
    asked = Asked(level, null, alternative).checked()
    return signs(differences, zeros).result("sign-test", Estimand.DATA_SETS, asked)


def signs(differences: ArrayLike, zeros: str) -> Answer:
    """Return the answer of the sign test for any level and null."""
    values = orders.checked(differences)
    split = _check.choice(zeros, ZEROS, "zeros") == "split"
    ascending = np.sort(values)

    def tails(null: float) -> tuple[float, float]:
        above, below = _counts(values, null, split=split)
        return float(special.bdtr(above, above + below, 0.5)), float(
            special.bdtr(below, above + below, 0.5)
        )

    def statistic(null: float) -> float:
        above, below = _counts(values, null, split=split)
        return (above - below) / math.sqrt(above + below) if above + below else 0.0

    def remarks(asked: Asked, interval: Interval) -> tuple[Note, ...]:
        counted = sum(_counts(values, asked.null, split=split))
        return orders.remarks(values, counted, asked, interval, ties=counted < values.size)

    return Answer(
        estimate=float(np.median(ascending)),
        se=orders.standard_error(ascending, math.sqrt(values.size) / 2),
        n_train=math.nan,
        n_splits=values.size,
        law=Tails(tails, orders.ends_between(ascending, lambda tail: _cut(values.size, tail))),
        statistic=statistic,
        remarks=remarks,
    )


def _counts(values: FloatArray, null: float, *, split: bool) -> tuple[int, int]:
    signs, _ = orders.signs_and_sizes(values, null)
    above, below = int(np.count_nonzero(signs > 0.0)), int(np.count_nonzero(signs < 0.0))
    share = (values.size - above - below) // 2 if split else 0
    return above + share, below + share


def _cut(count: int, tail: float) -> int:
    """Return the largest count with a binomial probability of at most `tail` up to it, -1 where there is none."""
    cumulative = special.bdtr(np.arange(count + 1), count, 0.5)
    return int(np.searchsorted(cumulative, tail, side="right")) - 1
