"""Whether two models err equally often on the same examples."""

import math
from collections.abc import Callable
from functools import partial

from errbar import _check
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TEST_SET
from errbar.methods._core.registry import register
from errbar.methods.distributions import (
    ROUNDING,
    Tails,
    at_least,
    at_most,
    exact,
    score_law,
    standardised,
    wilson_end,
)
from errbar.methods.inputs import Discordance


@register(
    "mcnemar",
    **ONE_TEST_SET,
    subject="pair",
    partner="binomial",
    loss="zero-one",
    claim="The difference in error rate of the two models that were trained, from the examples on which just one errs.",
    formula="b of b + c binomial with probability 1/2 (exact, mid-p), or (b - c)^2 / (b + c), chi-square with 1 degree",
    references=("mcnemar1947", "edwards1948", "fagerland2013", "dietterich1998"),
    assumptions=(
        "The test examples are independent draws, and both models were tested on all of them.",
    ),
    exempt={
        "estimate-inside": "The mid-p bound at level 0.5 is a median, which need not be the estimate.",
        "sides-add-up": "Both tails of the exact test hold the probability of the observed counts.",
    },
)
def mcnemar(counts: Discordance, *, kind: str = "exact") -> Answer:
    r"""McNemar's test that two models err equally often on the same examples.

    Examples that both models get right, or both wrong, tell nothing about the difference of the error rates. Given the number
    m = b + c of the others, b has a binomial distribution whose probability is 1/2 where the error rates are equal ([1]_). The
    test is about the two models that were trained ([4]_, section 3.1).

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
    errs where just one does; a `null` for which this is not a probability has p-value 0, or 1 on the wrong side of a
    one-sided alternative. With X binomial of m trials with probability :math:`\pi_0`,

    ============== ================================================================================================
    exact          p-value against greater P(X >= b), against less P(X <= b); Clopper-Pearson interval
    mid-p          the same with half of P(X = b); the interval consists of what that does not reject ([3]_)
    chi2           :math:`(b - m\pi_0)^2/(m\pi_0(1-\pi_0))`, for `null` 0 :math:`(b-c)^2/(b+c)`; Wilson's interval
    chi2-corrected the same with :math:`\max(|b - m\pi_0| - 1/2, 0)`, for `null` 0 :math:`\max(|b-c|-1,0)^2/(b+c)`
    ============== ================================================================================================

    and two-sided p-values are twice the smaller one, at most 1. An interval [l, h] for :math:`\pi` is one of
    :math:`(m/n) [2l - 1, 2h - 1]` for d. The statistic of the chi-squares has one degree of freedom, and one-sided p-values
    come from its root with the sign of :math:`b - m\pi_0`, against the normal distribution. For exact and mid-p that root, without
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
    law = _LAWS[_check.choice(kind, _LAWS, "kind")]
    n, b, m = counts.size, counts.b, counts.b + counts.c
    of_share = law(b, m)
    chi_square = kind.startswith("chi2")
    correction = 0.5 if kind == "chi2-corrected" else 0.0

    def share_of(null: float) -> float:
        """Return the probability of b, given b or c, that a difference stands for; none does outside of [0, 1]."""
        if m == 0:
            return 0.5 if null == 0.0 else math.copysign(math.inf, null)
        share = (null * n / m + 1.0) / 2.0
        nearest = min(1.0, max(0.0, share))
        return nearest if abs(share - nearest) <= ROUNDING else share

    def statistic(null: float) -> float:
        share = share_of(null)
        root = -math.copysign(math.inf, null)
        if 0.0 <= share <= 1.0:
            root = _root(b, m, share, correction)
        return root * root if chi_square else root

    def tails(null: float) -> tuple[float, float]:
        share = share_of(null)
        if share > 1.0:
            return 0.0, 1.0
        return of_share.tails(share) if share >= 0.0 else (1.0, 0.0)

    def ends(tail: float) -> tuple[float, float]:
        low, high = of_share.ends(tail)
        return m / n * (2.0 * low - 1.0), m / n * (2.0 * high - 1.0)

    return Answer(
        estimate=counts.difference,
        se=counts.se,
        df=1.0 if chi_square else None,
        directed=not chi_square,
        n_train=counts.n_train,
        law=Tails(tails, ends) if m else None,
        statistic=statistic,
    )


def _root(b: int, m: int, share: float, correction: float) -> float:
    """Return the signed root of the chi-square, with or without the correction of Edwards (1948)."""
    difference = b - m * share
    excess = math.copysign(max(0.0, abs(difference) - correction), difference)
    return standardised(excess, math.sqrt(m * share * (1.0 - share)), 0.0)


def _mid_p(b: int, m: int) -> Tails:
    """Return the binomial distribution with half of the observed count's probability in either tail (Fagerland et al. 2013)."""

    def above(count: int, share: float) -> float:
        return (at_least(count, m, share) + at_least(count + 1, m, share)) / 2.0

    def low(count: int, tail: float) -> float:
        from scipy.optimize import brentq

        if above(count, 0.0) >= tail:
            return 0.0
        if above(count, 1.0) <= tail:
            return 1.0
        return float(brentq(lambda share: above(count, share) - tail, 0.0, 1.0, xtol=1e-15))

    return Tails(
        lambda share: ((at_most(b, m, share) + at_most(b - 1, m, share)) / 2.0, above(b, share)),
        lambda tail: (low(b, tail), 1.0 - low(m - b, tail)),
    )


def _chi_square(b: int, m: int, correction: float = 0.0) -> Tails:
    def end(z: float) -> float:
        moved = b + math.copysign(correction, z)
        return wilson_end(min(float(m), max(0.0, moved)), m, z)

    return score_law(lambda share: _root(b, m, share, correction), end)


_LAWS: dict[str, Callable[[int, int], Tails]] = {
    "exact": exact,
    "mid-p": _mid_p,
    "chi2": _chi_square,
    "chi2-corrected": partial(_chi_square, correction=0.5),
}
