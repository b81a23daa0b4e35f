"""Error rate of one trained model."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from errbar import _check
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.methods._core.pivot import DEGENERATE, standardised
from errbar.methods._core.registry import register
from errbar.needs import EXAMPLES
from errbar.plans import Holdout
from errbar.result import Estimand, Interval, Note, Result
from errbar.views import PointLosses

_NO_WIDTH = Note(
    "normal-without-width", "the normal interval has no width at an error rate of 0 or 1; kind='wilson' has one there"
)

# The normal law has no probability, as a float, beyond this many standard deviations.
_FARTHEST = 40.0


@register(
    "binomial",
    plans=("holdout",),
    default_plan=Holdout(),
    needs=(EXAMPLES,),
    estimand=Estimand.PROXY,
    claim="The error rate, on new examples, of the one model that was trained.",
    formula="score (Wilson), Clopper-Pearson, Agresti-Coull, Jeffreys or normal interval of a binomial proportion",
    fits="1",
    references=("wilson1927", "clopper1934", "agresti1998", "brown2001", "mitchell1997"),
    assumptions=(
        "The test examples are independent draws from the population that the statement is about.",
        "The model was trained, and chosen, without a look at them.",
    ),
    subject="learner",
    partner="paired-proportions",
    loss="zero-one",
    exempt={
        "estimate-inside": "The median of the Jeffreys posterior, a one-sided bound at level 0.5, is not the error rate.",
        "pvalue-at-the-ends": "The normal and the Agresti-Coull interval are cut at 0 and 1, where p exceeds 1 - level.",
        "sides-add-up": "Both tails of the exact test hold the probability of the observed count.",
    },
)
def binomial(
    losses: PointLosses,
    *,
    level: float = 0.95,
    null: float = 0.5,
    alternative: str = "two-sided",
    kind: str = "wilson",
) -> Result:
    r"""Error rate of one trained model on one test set.

    The number of errors on n independent test examples has a binomial law. The interval is about the risk of the very
    model that was trained; what another training set would have given is no part of it.

    Parameters
    ----------
    losses : PointLosses
        Losses that are 0 or 1, one per test example of one split.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.5
        Error rate under the null hypothesis, in [0, 1].
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    kind : {"wilson", "clopper-pearson", "agresti-coull", "jeffreys", "normal"}, default "wilson"
        Interval, and the test that it belongs to. Clopper-Pearson covers at least at its level for every error rate and
        is wider for it; Wilson, Agresti-Coull and Jeffreys cover near it on average. The normal one is kept for
        comparison with textbooks ([5]_, section 5.2): it covers too seldom, and has no width at 0 or n errors.

    Returns
    -------
    Result
        The estimate is the error rate for every `kind`, the standard error sqrt(e (1 - e)/n). Ends lie in [0, 1]; for a
        one-sided alternative one end is infinite.

    Raises
    ------
    InvalidInputError
        If a loss is neither 0 nor 1, or `null` is no error rate.
    UnsuitablePlanError
        If the losses come from more than one split.

    See Also
    --------
    paired_proportions : The difference of two error rates on the same examples.
    holdout_t : The same question for any loss.

    Notes
    -----
    With x errors, e = x/n, z the normal quantile and n' = n + z^2,

    ================= ===================================================================================
    normal            :math:`e \pm z \sqrt{e(1-e)/n}`
    wilson            :math:`(x + z^2/2 \pm z \sqrt{x(n-x)/n + z^2/4})/n'` ([1]_)
    agresti-coull     :math:`\tilde e \pm z \sqrt{\tilde e(1-\tilde e)/n'}`, :math:`\tilde e = (x + z^2/2)/n'` ([3]_)
    clopper-pearson   quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x); 0 at x = 0, 1 at x = n ([2]_)
    jeffreys          quantiles of Beta(x + 1/2, n - x + 1/2), also at x = 0 and x = n ([4]_, section 3)
    ================= ===================================================================================

    The p-value inverts the interval, so that the interval excludes the null exactly when p < 1 - `level`: for wilson it
    is that of the score statistic, for clopper-pearson twice the smaller binomial tail, for jeffreys twice the
    smaller posterior probability on either side of the null, and for agresti-coull that of the z whose interval ends at
    the null. The statistic is :math:`(e - \mu_0)/\sqrt{e(1-e)/n}` for normal and the score
    :math:`(e - \mu_0)/\sqrt{\mu_0(1-\mu_0)/n}` for all others, where it is for information with all but wilson.

    References
    ----------
    .. [1] Wilson (1927), Journal of the American Statistical Association 22, 209-212.
    .. [2] Clopper & Pearson (1934), Biometrika 26, 404-413.
    .. [3] Agresti & Coull (1998), The American Statistician 52, 119-126.
    .. [4] Brown, Cai & DasGupta (2001), Statistical Science 16, 101-133.
    .. [5] Mitchell (1997), Machine Learning, chapter 5.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.PointLosses([0] * 17 + [1] * 3)
    >>> result = errbar.methods.binomial(losses)
    >>> result.estimate, round(result.low, 4), round(result.high, 4)
    (0.15, 0.0524, 0.3604)
    """
    level = _check.level(level)
    null = _check.between(_check.finite(null, "null"), 0.0, 1.0, "null")
    alternative = _check.alternative(alternative)
    kind = _check.choice(kind, _KINDS, "kind")
    errors, n = _counted(losses)
    rate = errors / n
    se = math.sqrt(rate * (1.0 - rate) / n)
    less, greater = _KINDS[kind].tails(errors, n, null)
    return Result(
        method="binomial",
        estimand=Estimand.PROXY,
        n_train=losses.n_train,
        estimate=rate,
        se=se,
        interval=_interval(kind, errors, n, level, alternative),
        level=level,
        statistic=standardised(rate, se if kind == "normal" else math.sqrt(null * (1.0 - null) / n), null),
        df=None,
        pvalue={"less": less, "greater": greater}.get(alternative, min(1.0, 2.0 * min(less, greater))),
        null=null,
        alternative=alternative,
        n_splits=1,
        notes=(DEGENERATE, _NO_WIDTH) if kind == "normal" and se == 0.0 else (),
    )


def _counted(losses: PointLosses) -> tuple[int, int]:
    if losses.folds > 1 or losses.repeats > 1:
        raise UnsuitablePlanError(
            "method 'binomial' needs the losses of a single split, got several folds or repeats; try 'cv-wald' or 'corrected-t'"
        )
    odd = np.flatnonzero((losses.value != 0.0) & (losses.value != 1.0))
    if odd.size:
        raise InvalidInputError(
            f"`value` must hold losses that are 0 or 1, got {losses.value[odd[0]]:g} at example {odd[0]} (counted from 0)"
        )
    return int(losses.value.sum()), losses.value.size


def _interval(kind: str, errors: int, n: int, level: float, alternative: str) -> Interval:
    tail = (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level
    low, high = (min(1.0, max(0.0, end)) for end in _KINDS[kind].ends(errors, n, tail))
    return Interval(-math.inf if alternative == "less" else low, math.inf if alternative == "greater" else high)


class _Kind(NamedTuple):
    """How one kind is computed from x errors on n examples.

    Attributes
    ----------
    ends : callable
        ``ends(x, n, tail)`` returns both ends, each with error probability `tail`.
    tails : callable
        ``tails(x, n, null)`` returns the p-values against the alternatives less and greater.
    """

    ends: Callable[[int, int, float], tuple[float, float]]
    tails: Callable[[int, int, float], tuple[float, float]]


def _normal_kind(end: Callable[[int, int, float], float], z_of: Callable[[int, int, float], float]) -> _Kind:
    """Return the kind whose interval ends at ``end(x, n, -z)`` and ``end(x, n, z)``, with the test's z at a null."""

    def ends(x: int, n: int, tail: float) -> tuple[float, float]:
        z = -float(special.ndtri(tail))
        return end(x, n, -z), end(x, n, z)

    def tails(x: int, n: int, null: float) -> tuple[float, float]:
        z = z_of(x, n, null)
        return float(special.ndtr(z)), float(special.ndtr(-z))

    return _Kind(ends, tails)


def _normal_end(x: int, n: int, z: float) -> float:
    return x / n + z * math.sqrt(x / n * (1.0 - x / n) / n)


def _normal_z(x: int, n: int, null: float) -> float:
    return standardised(x / n, math.sqrt(x / n * (1.0 - x / n) / n), null)


def _wilson_end(x: int, n: int, z: float) -> float:
    return (x + z * z / 2.0 + z * math.sqrt(x * (n - x) / n + z * z / 4.0)) / (n + z * z)


def _wilson_z(x: int, n: int, null: float) -> float:
    return standardised(x / n, math.sqrt(null * (1.0 - null) / n), null)


def _agresti_coull_end(x: int, n: int, z: float) -> float:
    size = n + z * z
    centre = (x + z * z / 2.0) / size
    return centre + z * math.sqrt(centre * (1.0 - centre) / size)


def _agresti_coull_z(x: int, n: int, null: float) -> float:
    """Return the z for which the interval ends at the null; the ends move outwards as z grows."""
    from scipy.optimize import brentq

    side = math.copysign(1.0, null - x / n)
    if null == x / n:
        return 0.0
    if side * (_agresti_coull_end(x, n, side * _FARTHEST) - null) <= 0.0:
        return -side * math.inf
    return -side * float(brentq(lambda z: _agresti_coull_end(x, n, side * z) - null, 0.0, _FARTHEST, xtol=1e-14))


def _exact_ends(x: int, n: int, tail: float) -> tuple[float, float]:
    low = float(special.betaincinv(x, n - x + 1, tail)) if x > 0 else 0.0
    high = float(special.betainccinv(x + 1, n - x, tail)) if x < n else 1.0
    return low, high


def _exact_tails(x: int, n: int, null: float) -> tuple[float, float]:
    at_most = float(special.betaincc(x + 1, n - x, null)) if x < n else 1.0
    at_least = float(special.betainc(x, n - x + 1, null)) if x > 0 else 1.0
    return at_most, at_least


def _jeffreys_ends(x: int, n: int, tail: float) -> tuple[float, float]:
    a, b = x + 0.5, n - x + 0.5
    return float(special.betaincinv(a, b, tail)), float(special.betainccinv(a, b, tail))


def _jeffreys_tails(x: int, n: int, null: float) -> tuple[float, float]:
    a, b = x + 0.5, n - x + 0.5
    return float(special.betaincc(a, b, null)), float(special.betainc(a, b, null))


_KINDS = {
    "wilson": _normal_kind(_wilson_end, _wilson_z),
    "clopper-pearson": _Kind(_exact_ends, _exact_tails),
    "agresti-coull": _normal_kind(_agresti_coull_end, _agresti_coull_z),
    "jeffreys": _Kind(_jeffreys_ends, _jeffreys_tails),
    "normal": _normal_kind(_normal_end, _normal_z),
}
