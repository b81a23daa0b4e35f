"""The signed-rank test of Wilcoxon, with the estimate and interval of Hodges & Lehmann."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.methods._core import orders
from errbar.methods._core.answer import Answer, Asked, Tails
from errbar.methods._core.friedman import midranks
from errbar.result import Estimand, Note, Result

ZEROS = ("wilcox", "pratt")
LAWS = ("auto", "exact", "normal")
_PSEUDO_MEDIAN = Note(
    "as-defined", quantity="estimate", what="the pseudo-median of Hodges and Lehmann"
)
_MOST_EXACT = 50
_MOST_ON_REQUEST = 1000


def wilcoxon(
    differences: ArrayLike,
    *,
    level: float = 0.95,
    null: float = 0.0,
    alternative: str = "two-sided",
    zeros: str = "wilcox",
    law: str = "auto",
) -> Result:
    r"""Test by signed ranks whether the differences of two learners over data sets are centred at a value.

    Parameters
    ----------
    differences : array-like, shape (N,)
        Difference of the two learners on each data set.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Centre of the differences under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    zeros : {"wilcox", "pratt"}, default "wilcox"
        What becomes of differences equal to the null value: left out before ranking, or after it.
    law : {"auto", "exact", "normal"}, default "auto"
        How the p-value is computed: exactly for up to 50 differences that are not zero, also with ties, and from the
        normal distribution with ties accounted for beyond; or always in one of these ways.

    Returns
    -------
    Result
        The estimate is the pseudo-median of Hodges & Lehmann, the median of all Walsh averages. The statistic is the
        signed-rank sum over its standard deviation. An end of the interval is infinite, and a note says so, where
        there are too few data sets for the level.

    Raises
    ------
    InvalidInputError
        If there are fewer than two differences, more than 5000, or one is not finite.

    See Also
    --------
    sign_test : Fewer assumptions, less power.
    bayesian_signed_rank : Probabilities that one learner is better.

    Notes
    -----
    With r_i the ranks of the sizes :math:`|d_i - \mu_0|`, equal sizes sharing their mean rank, the test refers

    .. math:: z = \frac{\sum_i \mathrm{sign}(d_i - \mu_0)\, r_i}{\sqrt{\sum_i r_i^2}}

    to its law when every sign is + or - with probability 1/2, given the sizes ([1]_; [2]_, section 3.1.3). P-values
    equal those of ``scipy.stats.wilcoxon`` for its methods "exact" without ties and zeros, "asymptotic" for the
    normal distribution, and ``PermutationMethod`` for the exact law with ties.

    The interval lies between the Walsh averages :math:`(d_i + d_j)/2`, i <= j, number c + 1 from below and from above,
    where c is the largest sum of positive ranks with a tail probability of at most (1 - level)/2 ([3]_, section 3.3).
    It excludes exactly the rejected null values. With equal differences or zeros c is that of differences without
    them, which makes the interval wider than need be; a note says so. The standard error is half the distance of the
    Walsh averages one standard deviation of the sum of positive ranks on either side of the middle. The pseudo-median
    is the median where the differences are symmetric, which the interval takes for granted.

    References
    ----------
    .. [1] Wilcoxon (1945), Biometrics Bulletin 1(6), 80-83.
    .. [2] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [3] Hollander, Wolfe & Chicken (2014), Nonparametric Statistical Methods, Wiley.

    Examples
    --------
    >>> from errbar.datasets import wilcoxon
    >>> result = wilcoxon([0.031, 0.012, -0.004, 0.022, 0.017, 0.009, 0.025, -0.002, 0.014, 0.008])
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.013, 0.0098)
    >>> round(result.low, 4), round(result.high, 4)
    (0.005, 0.0215)
    """
    asked = Asked(level, null, alternative).checked()
    return signed_ranks(differences, asked.null, zeros, law).result(
        "wilcoxon", Estimand.DATA_SETS, asked
    )


def signed_ranks(differences: ArrayLike, null: float, zeros: str, law: str) -> Answer:
    """Return the answer of the signed-rank test; its law, also of the interval, is that of the differences from a null."""
    values = orders.checked(differences)
    signs, ranks = _signed_ranks(values, null, _check.choice(zeros, ZEROS, "zeros"))
    exact = _is_exact(_check.choice(law, LAWS, "law"), ranks.size, values.size)
    walsh = _walsh_averages(values)
    total = values.size * (values.size + 1) / 2
    deviation = math.sqrt(total * (2 * values.size + 1) / 12)
    ties = ranks.size < values.size or np.unique(ranks).size < ranks.size
    tails = _tails(signs, ranks, exact=exact)
    return Answer(
        estimate=float(np.median(walsh)),
        se=orders.standard_error(walsh, deviation),
        n_train=math.nan,
        n_splits=values.size,
        law=Tails(
            lambda _: tails, orders.ends_between(walsh, _cut(values.size, deviation, exact=exact))
        ),
        statistic=lambda _: _standardised(signs, ranks),
        notes=(_PSEUDO_MEDIAN,) if np.ptp(values) else (),
        remarks=lambda asked, ends: orders.remarks(values, ranks.size, asked, ends, ties=ties),
    )


def _signed_ranks(values: FloatArray, null: float, zeros: str) -> tuple[FloatArray, FloatArray]:
    """Return signs and ranks of the differences that are not zero."""
    signs, sizes = orders.signs_and_sizes(values, null)
    kept = signs != 0.0
    if zeros == "wilcox":
        signs, sizes, kept = signs[kept], sizes[kept], kept[kept]
    ranks = midranks(sizes[np.newaxis])[0] if sizes.size else sizes
    return signs[kept], ranks[kept]


def _is_exact(law: str, count: int, total: int) -> bool:
    if law == "exact" and total > _MOST_ON_REQUEST:
        raise InvalidInputError(
            f"'exact' is for at most {_MOST_ON_REQUEST} data sets, got {total}; try 'normal'",
            argument="law",
        )
    return law == "exact" or (law == "auto" and count <= _MOST_EXACT)


def _standardised(signs: FloatArray, ranks: FloatArray) -> float:
    return float(signs @ ranks) / math.sqrt(float(ranks @ ranks)) if ranks.size else 0.0


def _tails(signs: FloatArray, ranks: FloatArray, *, exact: bool) -> tuple[float, float]:
    if exact:
        # Twice the ranks are whole numbers, also with ties.
        weights = np.rint(2.0 * ranks).astype(np.int64)
        law = _law_of_sums(weights)
        positive = int(weights[signs > 0.0].sum())
        return min(1.0, float(law[: positive + 1].sum())), min(1.0, float(law[positive:].sum()))
    z = _standardised(signs, ranks)
    return float(special.ndtr(z)), float(special.ndtr(-z))


def _law_of_sums(weights: IntArray) -> FloatArray:
    """Return the probability of each sum from 0, where every weight is in or out with probability 1/2."""
    law = np.zeros(int(weights.sum()) + 1)
    law[0] = 1.0
    for weight in weights.tolist():
        moved = law[: law.size - weight].copy()
        law[weight:] += moved
        law *= 0.5
    return law


def _cut(count: int, deviation: float, *, exact: bool) -> Callable[[float], int]:
    """Return how many Walsh averages a tail of given probability leaves out at one end, -1 where none."""
    if exact:
        cumulative = np.cumsum(_law_of_sums(np.arange(1, count + 1)))
        return lambda tail: int(np.searchsorted(cumulative, tail, side="right")) - 1
    most = count * (count + 1) // 2 - 1
    return lambda tail: int(
        np.clip(math.floor((most + 1) / 2 + deviation * float(special.ndtri(tail))), -1, most)
    )


def _walsh_averages(values: FloatArray) -> FloatArray:
    """Return the means of all pairs, each value with itself too, in ascending order."""
    halves = 0.5 * values
    walsh = np.concatenate([half + halves[i:] for i, half in enumerate(halves)])
    walsh.sort()
    return walsh
