"""Error rate of one trained model."""

import math
from functools import partial

from scipy import special

from errbar import _check
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TEST_SET, require_one_split
from errbar.methods._core.registry import register
from errbar.methods.distributions import (
    DEGENERATE,
    Tails,
    exact,
    score_law,
    standardised,
    wilson_end,
    z_that_ends_at,
)
from errbar.methods.inputs import require_zero_one


@register(
    "binomial",
    pointwise=True,
    **ONE_TEST_SET,
    claim="The error rate, on new examples, of the one model that was trained.",
    formula="score (Wilson), Clopper-Pearson, Agresti-Coull, Jeffreys or normal interval of a binomial proportion",
    references=("wilson1927", "clopper1934", "agresti1998", "brown2001", "mitchell1997"),
    assumptions=(
        "The test examples are independent draws from the population that the statement is about.",
        "The model was trained, and chosen, without a look at them.",
    ),
    subject="learner",
    partner="paired-proportions",
    loss="zero-one",
    null=0.5,
    null_range=(-1.0, 1.0),
    exempt={
        "estimate-inside": "The median of the Jeffreys posterior, a one-sided bound at level 0.5, is not the error rate.",
        "pvalue-at-the-ends": "The normal and the Agresti-Coull interval are cut at 0 and 1, where p exceeds 1 - level.",
        "sides-add-up": "Both tails of the exact test hold the probability of the observed count.",
    },
)
def binomial(losses: Losses, *, kind: str = "wilson") -> Answer:
    r"""Error rate of one trained model on one test set.

    The number of errors on n independent test examples has a binomial distribution. The interval is about the risk of the very
    model that was trained; what another training set would have given is no part of it.

    Parameters
    ----------
    losses : Losses
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
        If a loss is neither 0 nor 1, or `null` is not an error rate.
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
    >>> losses = errbar.Losses([0] * 17 + [1] * 3)
    >>> result = errbar.methods.binomial(losses)
    >>> result.estimate, round(result.low, 4), round(result.high, 4)
    (0.15, 0.0524, 0.3604)
    """
    law = _LAWS[_check.choice(kind, _LAWS, "kind")]
    require_one_split(losses, "binomial")
    # Shares of right answers are kept as losses of 0 and -1, which are those of errors less 1.
    less = 1.0 if losses.value.min() == -1.0 and losses.value.max() <= 0.0 else 0.0
    value = losses.value + less
    require_zero_one(value)
    x, n = int(value.sum()), value.size
    se = _error(x, n)
    of_share = law(x, n)

    def tails(null: float) -> tuple[float, float]:
        return of_share.tails(null + less)

    def ends(tail: float) -> tuple[float, float]:
        low, high = of_share.ends(tail)
        return low - less, high - less

    def statistic(null: float) -> float:
        share = _check.between(null + less, 0.0, 1.0, "null")
        return standardised(x / n, se, share) if kind == "normal" else _score(x, n, share)

    return Answer(
        estimate=x / n - less,
        se=se,
        n_train=losses.n_train,
        law=Tails(tails, ends),
        statistic=statistic,
        notes=(DEGENERATE,) if kind == "normal" and se == 0.0 else (),
    )


def _error(x: float, n: float) -> float:
    """Return the standard error of a share."""
    return math.sqrt(x / n * (1.0 - x / n) / n)


def _score(x: int, n: int, null: float) -> float:
    return standardised(x / n, _error(n * null, n), null)


def _wilson(x: int, n: int) -> Tails:
    return score_law(partial(_score, x, n), lambda z: wilson_end(x, n, z))


def _normal(x: int, n: int) -> Tails:
    se = _error(x, n)
    return score_law(
        lambda null: standardised(x / n, se, null),
        lambda z: min(1.0, max(0.0, x / n + z * se)),
    )


def _agresti_coull(x: int, n: int) -> Tails:
    """Return the normal law of z^2 more examples, of which half are errors."""

    def end(z: float) -> float:
        more = x + z * z / 2.0
        size = n + z * z
        return more / size + z * _error(more, size)

    return score_law(
        lambda null: z_that_ends_at(null, x / n, end), lambda z: min(1.0, max(0.0, end(z)))
    )


def _jeffreys(x: int, n: int) -> Tails:
    """Return the posterior law, beta with half an error and half a hit more."""
    a, b = x + 0.5, n - x + 0.5
    return Tails(
        lambda null: (float(special.betaincc(a, b, null)), float(special.betainc(a, b, null))),
        lambda tail: (
            float(special.betaincinv(a, b, tail)),
            float(special.betainccinv(a, b, tail)),
        ),
    )


_LAWS = {
    "wilson": _wilson,
    "clopper-pearson": exact,
    "agresti-coull": _agresti_coull,
    "jeffreys": _jeffreys,
    "normal": _normal,
}
