"""Whether two models err equally often on the same examples."""

import math
from collections.abc import Callable
from typing import NamedTuple

from scipy import special

from errbar import _check
from errbar.methods._core.pivot import DEGENERATE, standardised
from errbar.methods._core.registry import register
from errbar.needs import EXAMPLES
from errbar.plans import Holdout
from errbar.result import Estimand, Interval, Result
from errbar.views import Discordance

# Counts up to this one are exact as floats.
_LARGEST = 2**53

_ROUNDING = 1e-12


@register(
    "mcnemar",
    plans=("holdout",),
    default_plan=Holdout(),
    needs=(EXAMPLES,),
    estimand=Estimand.PROXY,
    claim="The difference in error rate of the two models that were trained, from the examples on which just one errs.",
    formula="b of b + c binomial with probability 1/2 (exact, mid-p), or (b - c)^2 / (b + c), chi-square with 1 degree",
    fits="1",
    references=("mcnemar1947", "edwards1948", "fagerland2013", "dietterich1998"),
    assumptions=("The test examples are independent draws, and both models were tested on all of them.",),
    subject="pair",
    partner="binomial",
    loss="zero-one",
    exempt={
        "estimate-inside": "The mid-p bound at level 0.5 is a median, which need not be the estimate.",
        "sides-add-up": "Both tails of the exact test hold the probability of the observed counts.",
    },
)
def mcnemar(
    counts: Discordance,
    *,
    level: float = 0.95,
    null: float = 0.0,
    alternative: str = "two-sided",
    kind: str = "exact",
) -> Result:
    r"""McNemar's test that two models err equally often on the same examples.

    Examples that both models get right, or both wrong, say nothing on the difference of the error rates. Given the number
    m = b + c of the others, b has a binomial law whose probability is 1/2 where the error rates are equal ([1]_). The
    test speaks of the two models that were trained ([4]_, section 3.1).

    Parameters
    ----------
    counts : Discordance
        Number b of examples on which only the first model errs, number c on which only the second errs, and the number n
        of all examples.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Difference of error rates under the null hypothesis, first minus second.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    kind : {"exact", "mid-p", "chi2", "chi2-corrected"}, default "exact"
        Test. The exact one never rejects too often and the mid-p one seldom, with more power ([3]_); the chi-squares are
        for large m, with a continuity correction ([2]_) or without.

    Returns
    -------
    Result
        The estimate is (b - c)/n, with standard error :math:`\sqrt{b + c - (b-c)^2/n}/n`; where n is unknown, shares
        are of m. The interval is conditional on m. For b = c the statistic is 0 and p is 1, also where both are 0; a
        note says so there.

    See Also
    --------
    paired_proportions : Interval for the difference of error rates that is not conditional on m.
    two_proportion_z : Two models on different examples.
    cochran_q : More than two models.

    Notes
    -----
    A difference d of error rates stands for the probability :math:`\pi = (d n/m + 1)/2` that it is the first model that
    errs where just one does; a `null` for which this is no probability has p-value 0, or 1 on the wrong side of a
    one-sided alternative. With X binomial of m trials with probability :math:`\pi_0`,

    ============== ================================================================================================
    exact          p-value against greater P(X >= b), against less P(X <= b); Clopper-Pearson interval
    mid-p          the same with half of P(X = b); the interval holds what that does not reject ([3]_)
    chi2           :math:`(b - m\pi_0)^2/(m\pi_0(1-\pi_0))`, for `null` 0 :math:`(b-c)^2/(b+c)`; Wilson's interval
    chi2-corrected the same with :math:`\max(|b - m\pi_0| - 1/2, 0)`, for `null` 0 :math:`\max(|b-c|-1,0)^2/(b+c)`
    ============== ================================================================================================

    and two-sided p-values are twice the smaller one, at most 1. An interval [l, h] for :math:`\pi` is one of
    :math:`(m/n) [2l - 1, 2h - 1]` for d. The statistic of the chi-squares has one degree of freedom, and one-sided p-values
    come from its root with the sign of :math:`b - m\pi_0`, against the normal law. For exact and mid-p that root, without
    correction, is the statistic, for information: :math:`(b-c)/\sqrt{b+c}` for `null` 0.

    References
    ----------
    .. [1] McNemar (1947), Psychometrika 12, 153-157.
    .. [2] Edwards (1948), Psychometrika 13, 185-187.
    .. [3] Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology 13, 91.
    .. [4] Dietterich (1998), Neural Computation 10(7), 1895-1923.

    Examples
    --------
    >>> import errbar
    >>> counts = errbar.Discordance(25, 15, n=10000)
    >>> round(errbar.methods.mcnemar(counts).pvalue, 4)
    0.1539
    >>> result = errbar.methods.mcnemar(counts, kind="chi2-corrected")
    >>> round(result.statistic, 4), result.df, round(result.pvalue, 4)
    (2.025, 1.0, 0.1547)
    """
    level = _check.level(level)
    null = _check.finite(null, "null")
    alternative = _check.alternative(alternative)
    kind = _check.choice(kind, _KINDS, "kind")
    n = _check.between(counts.size, 1, _LARGEST, "n")
    b, m = counts.b, counts.b + counts.c
    share = _share(m, n, null)
    less, greater = _tails(kind, b, m, share)
    root = _root(b, m, share, 0.5 if kind == "chi2-corrected" else 0.0)
    chi_square = kind.startswith("chi2")
    return Result(
        method="mcnemar",
        estimand=Estimand.PROXY,
        n_train=counts.n_train,
        estimate=counts.difference,
        se=math.sqrt(max(0.0, m - (b - counts.c) ** 2 / n)) / n,
        interval=_interval(kind, b, m, n, level, alternative),
        level=level,
        statistic=root * root if chi_square else root,
        df=1.0 if chi_square else None,
        directed=not chi_square,
        pvalue={"less": less, "greater": greater}.get(alternative, min(1.0, 2.0 * min(less, greater))),
        null=null,
        alternative=alternative,
        n_splits=1,
        notes=() if m else (DEGENERATE,),
    )


def _share(m: int, n: float, null: float) -> float:
    """Return the probability that a difference of error rates stands for; it is not in [0, 1] where none does."""
    if m == 0:
        return 0.5 if null == 0.0 else math.copysign(math.inf, null)
    share = (null * n / m + 1.0) / 2.0
    nearest = min(1.0, max(0.0, share))
    return nearest if abs(share - nearest) <= _ROUNDING else share


def _tails(kind: str, b: int, m: int, share: float) -> tuple[float, float]:
    """Return the p-values against the alternatives less and greater."""
    if not 0.0 <= share <= 1.0:
        return (0.0, 1.0) if share > 1.0 else (1.0, 0.0)
    return _KINDS[kind].tails(b, m, share) if m else (0.5, 0.5)


def _interval(kind: str, b: int, m: int, n: float, level: float, alternative: str) -> Interval:
    tail = (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level
    shares = _KINDS[kind].ends(b, m, tail) if m else (0.5, 0.5)
    low, high = (m / n * (2.0 * share - 1.0) for share in shares)
    return Interval(-math.inf if alternative == "less" else low, math.inf if alternative == "greater" else high)


def _root(b: int, m: int, share: float, correction: float) -> float:
    """Return the signed root of the chi-square."""
    if not 0.0 <= share <= 1.0:
        return -math.inf if share > 1.0 else math.inf
    difference = b - m * share
    excess = math.copysign(max(0.0, abs(difference) - correction), difference)
    return standardised(excess, math.sqrt(m * share * (1.0 - share)), 0.0)


class _Kind(NamedTuple):
    """How one kind is computed from b of m.

    Attributes
    ----------
    ends : callable
        ``ends(b, m, tail)`` returns both ends for the probability, each with error probability `tail`.
    tails : callable
        ``tails(b, m, share)`` returns the p-values against the alternatives less and greater.
    """

    ends: Callable[[int, int, float], tuple[float, float]]
    tails: Callable[[int, int, float], tuple[float, float]]


def _at_most(b: int, m: int, share: float) -> float:
    if not 0 <= b < m:
        return float(b >= m)
    return float(special.betaincc(b + 1, m - b, share))


def _at_least(b: int, m: int, share: float) -> float:
    if not 0 < b <= m:
        return float(b <= 0)
    return float(special.betainc(b, m - b + 1, share))


def _exact_tails(b: int, m: int, share: float) -> tuple[float, float]:
    return _at_most(b, m, share), _at_least(b, m, share)


def _exact_ends(b: int, m: int, tail: float) -> tuple[float, float]:
    low = float(special.betaincinv(b, m - b + 1, tail)) if b > 0 else 0.0
    high = float(special.betainccinv(b + 1, m - b, tail)) if b < m else 1.0
    return low, high


def _mid_tails(b: int, m: int, share: float) -> tuple[float, float]:
    less = (_at_most(b, m, share) + _at_most(b - 1, m, share)) / 2.0
    greater = (_at_least(b, m, share) + _at_least(b + 1, m, share)) / 2.0
    return less, greater


def _mid_ends(b: int, m: int, tail: float) -> tuple[float, float]:
    return _mid_low(b, m, tail), 1.0 - _mid_low(m - b, m, tail)


def _mid_low(b: int, m: int, tail: float) -> float:
    """Return the largest probability below which `greater` is accepted; its p-value grows with the probability."""
    from scipy.optimize import brentq

    def excess(share: float) -> float:
        return _mid_tails(b, m, share)[1] - tail

    if excess(0.0) >= 0.0:
        return 0.0
    return 1.0 if excess(1.0) <= 0.0 else float(brentq(excess, 0.0, 1.0, xtol=1e-15))


def _score_tails(correction: float) -> Callable[[int, int, float], tuple[float, float]]:
    def tails(b: int, m: int, share: float) -> tuple[float, float]:
        z = _root(b, m, share, correction)
        return float(special.ndtr(z)), float(special.ndtr(-z))

    return tails


def _score_ends(correction: float) -> Callable[[int, int, float], tuple[float, float]]:
    def ends(b: int, m: int, tail: float) -> tuple[float, float]:
        z = -float(special.ndtri(tail))
        shift = correction if z >= 0.0 else -correction
        return _wilson_end(max(0.0, b - shift), m, -z), _wilson_end(min(float(m), b + shift), m, z)

    return ends


def _wilson_end(b: float, m: int, z: float) -> float:
    end = (b + z * z / 2.0 + z * math.sqrt(b * (m - b) / m + z * z / 4.0)) / (m + z * z)
    return min(1.0, max(0.0, end))


_KINDS = {
    "exact": _Kind(_exact_ends, _exact_tails),
    "mid-p": _Kind(_mid_ends, _mid_tails),
    "chi2": _Kind(_score_ends(0.0), _score_tails(0.0)),
    "chi2-corrected": _Kind(_score_ends(0.5), _score_tails(0.5)),
}
