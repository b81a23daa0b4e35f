"""Difference of two error rates on the same test examples."""

import math
from collections.abc import Callable

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TEST_SET
from errbar.methods._core.registry import register
from errbar.methods.distributions import score_law, standardised, wilson_end, z_that_ends_at
from errbar.methods.inputs import Discordance

_Score = tuple[Callable[[float], float], Callable[[float], float]]
"""The statistic of a null, and the end of the interval at a normal quantile, which is negative for the lower end."""


@register(
    "paired-proportions",
    **ONE_TEST_SET,
    subject="pair",
    partner="binomial",
    loss="zero-one",
    claim="The difference in error rate of the two models that were trained, on new examples.",
    formula="z = (b - c - n d) / sqrt(n (2 q + d (1 - d))), q the likeliest share c/n for a difference d, standard normal",
    references=("tango1998", "newcombe1998", "wilson1927"),
    assumptions=(
        "The test examples are independent draws, and both models were tested on all of them.",
    ),
    null_range=(-1.0, 1.0),
)
def paired_proportions(counts: Discordance, *, kind: str = "tango") -> Answer:
    r"""Score interval and test for the difference of two error rates on the same examples.

    Estimates the difference in risk of the two models that were trained. Unlike McNemar's the interval is not conditional
    on the number of examples on which just one of them errs, and has a width also where there are none.

    Parameters
    ----------
    counts : Discordance
        Number b of examples on which only the first model errs, number c on which only the second errs, the number n of
        all examples, and for ``"newcombe"`` the number on which both err.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Difference of error rates under the null hypothesis, first minus second, in [-1, 1].
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    kind : {"tango", "newcombe"}, default "tango"
        Tango's score interval ([1]_), or the simpler one of Newcombe ([2]_, method 10), which puts together Wilson
        intervals ([3]_) of the two error rates.

    Returns
    -------
    Result
        The estimate is (b - c)/n, with standard error :math:`\sqrt{b + c - (b-c)^2/n}/n`, on which neither interval is
        built; where n is unknown, shares are of b + c. The statistic is the z below.

    Raises
    ------
    InvalidInputError
        If `null` is not in [-1, 1], or ``"newcombe"`` lacks the number of examples on which both models err.

    See Also
    --------
    mcnemar : Exact test that the error rates are equal.
    two_proportion_z : Two models on different examples.
    binomial : One error rate.

    Notes
    -----
    **Tango.** For a difference d,

    .. math:: z(d) = \frac{b - c - n d}{\sqrt{n (2 \hat q + d (1 - d))}}, \qquad
              \hat q = \frac{\sqrt{B^2 + 8 n c d (1-d)} - B}{4 n}, \quad B = (2n - b + c) d - b - c,

    where q is the maximum-likelihood estimate, for that d, of the probability that only the second model errs. z is
    referred to the standard normal distribution; for d = 0 it is McNemar's :math:`(b-c)/\sqrt{b+c}`. The ends of the interval
    solve :math:`z(d) = \pm z_{1-\alpha/2}`.

    **Newcombe.** With e_i the error rates, [l_i, h_i] their Wilson intervals and :math:`\phi` their correlation, the lower
    end lies :math:`\sqrt{u^2 - 2 \phi u v + v^2}` below the estimate, where u = e_1 - l_1 and v = h_2 - e_2; for the upper
    end u = h_1 - e_1 and v = e_2 - l_2. :math:`\phi = A/\sqrt{(a+b)(c+d)(a+c)(b+d)}` with a examples on which both err,
    d on which neither does, and A = ad - bc where that is negative, else ad - bc - n/2 or 0, whichever is larger;
    :math:`\phi` is 0 where the product is. The interval grows with the level, and its p-value is that of
    the z at which it ends at the null; it is 0 for a null that no level reaches.

    References
    ----------
    .. [1] Tango (1998), Statistics in Medicine 17, 891-908.
    .. [2] Newcombe (1998), Statistics in Medicine 17, 2635-2650.
    .. [3] Wilson (1927), Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> import errbar
    >>> counts = errbar.Discordance(9, 3, n=32, both=4)
    >>> result = errbar.methods.paired_proportions(counts)
    >>> result.estimate, round(result.low, 3), round(result.high, 3)
    (0.1875, -0.027, 0.39)
    """
    z, end = _KINDS[_check.choice(kind, _KINDS, "kind")](counts)
    return Answer(
        estimate=counts.difference,
        se=counts.se,
        n_train=counts.n_train,
        law=score_law(z, end),
        statistic=z,
    )


def _tango(counts: Discordance) -> _Score:
    def z(null: float) -> float:
        if null < 0.0:
            return -_score(counts.c, counts.b, counts.size, -null)
        return _score(counts.b, counts.c, counts.size, null)

    def end(quantile: float) -> float:
        from scipy.optimize import brentq

        def beyond(difference: float) -> float:
            # z(d) has infinite values and its arc tangent has none.
            return math.atan(z(difference)) + math.atan(quantile)

        estimate = counts.difference
        limit = math.copysign(1.0, quantile)
        if quantile == 0.0 or estimate == limit:
            return estimate
        return float(brentq(beyond, estimate, limit, xtol=1e-15))

    return z, end


def _score(b: int, c: int, n: int, d: float) -> float:
    """Return Tango's z at a difference d that is not negative, where the estimate of q loses no digits."""
    linear = (2 * n - b + c) * d - b - c
    constant = 2.0 * n * c * d * (1.0 - d)
    root = math.sqrt(linear * linear + 4.0 * constant)
    q = (root - linear) / (4.0 * n) if linear <= 0.0 else constant / n / (root + linear)
    return standardised(b - c - n * d, math.sqrt(n * (2.0 * q + d * (1.0 - d))), 0.0)


def _newcombe(counts: Discordance) -> _Score:
    """Return the hybrid score of Newcombe (1998), method 10."""
    if counts.both is None or counts.n is None:
        raise InvalidInputError(
            "'newcombe' needs the number of examples `n` and on how many `both` models err; try 'tango'",
            argument="kind",
        )
    n, a, b, c = counts.n, counts.both, counts.b, counts.c
    d = n - a - b - c
    # The correlation of both errors; a positive one is corrected for continuity.
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    excess: float = a * d - b * c
    if excess > 0.0:
        excess = max(0.0, excess - n / 2.0)
    phi = excess / math.sqrt(margins) if margins else 0.0

    def end(z: float) -> float:
        u = wilson_end(a + b, n, z) - (a + b) / n
        v = (a + c) / n - wilson_end(a + c, n, -z)
        reach = math.sqrt(max(0.0, u * u - 2.0 * phi * u * v + v * v))
        return min(1.0, max(-1.0, counts.difference + math.copysign(reach, z)))

    return lambda null: z_that_ends_at(null, counts.difference, end), end


_KINDS = {"tango": _tango, "newcombe": _newcombe}
