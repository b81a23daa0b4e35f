"""The paired sign-flip test."""

import math

from errbar import _check, _rng
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.flips import flip_means
from errbar.methods._core.one_split import ONE_TEST_SET, ONE_TRAINING_SET, require_one_split
from errbar.methods._core.registry import register
from errbar.methods.distributions import DEGENERATE, mean, variance


@register(
    "permutation",
    pointwise=True,
    **ONE_TEST_SET,
    references=("fisher1935", "hartigan1969", "phipson2010"),
    subject="pair",
    partner="bootstrap",
    exempt={
        "degenerate": "the p-value of a permutation test is never 0, also where all differences are equal",
        "pvalue-at-the-ends": "there are finitely many sign flips, so p-values jump at the ends of the interval",
        "sides-add-up": "flips that give just the observed mean count on both sides",
    },
)
def permutation(losses: Losses, *, resamples: int = 9_999, random_state: int = 0) -> Answer:
    r"""Paired permutation test: flip the signs of the differences on one test set.

    :Claim: The mean difference of the losses, on new examples, of the two models that were
        trained.
    :Formula: ``p = (1 + number of sign flips at least as extreme) / (1 + number of flips)``
    :Fits: 1
    :Assumption: The test examples are independent draws from the population, and were not used
        in training.
    :Assumption: Under the null hypothesis the two models are exchangeable on every example, up
        to the null as a constant.

    If two models are exchangeable on every example, exchanging them there, which flips the sign of the example's difference,
    gives a mean difference that was as likely as the observed one. The p-value is the share of such exchanges with a mean at
    least as extreme ([1]_, section 21). It assumes no distribution of the losses, and with all 2^n flips, which are gone through up to 14
    examples, it is exact.

    Parameters
    ----------
    losses : Losses
        Loss of one model minus loss of the other, for each test example of one split.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean difference under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    resamples : int, default 9999
        Number of random sign flips where there are more than 14 examples.
    random_state : int, default 0
        Root of the random numbers; the same one gives the same numbers.

    Returns
    -------
    Result
        The estimate is the mean difference and the standard error that of a mean. The interval consists of the nulls that the
        same flips do not reject; with few examples it may be unbounded, which a note says. The statistic is
        (estimate - null)/SE and plays no part in the p-value.

    Raises
    ------
    UnsuitablePlanError
        If the losses come from more than one split.

    See Also
    --------
    holdout_t : The same question by Student's t.
    mcnemar : The same for losses that are 0 or 1, by counts.
    bootstrap : Resamples the examples.

    Notes
    -----
    With d_i the n differences, a null mu and the signs of those in a set S flipped, the mean of the flipped d_i - mu is at least
    the observed one exactly if the mean of the d_i in S is at most mu, or S is empty. So with B random sets ([2]_)

    .. math:: p_{greater} = \frac{1 + \#\{S: \bar d_S \le \mu\}}{1 + B}, \qquad
              p_{less} = \frac{1 + \#\{S: \bar d_S \ge \mu\}}{1 + B},

    empty sets counting on both sides, and :math:`\min(1, 2\min(p_{less}, p_{greater}))` two-sided. Counting the observed
    differences as one more flip keeps the level with random flips, too ([3]_). As the sets do not depend on mu, sorted means
    :math:`\bar d_S` are the ends of the interval.

    For a metric that is not a mean of losses, the differences are those of the metrics plus influence values. Flipping their signs is no
    exchange of the learners then, and the test is right for large n only.

    References
    ----------
    .. [1] Fisher (1935), The Design of Experiments, Oliver & Boyd.
    .. [2] Hartigan (1969), Journal of the American Statistical Association 64(328), 1303-1317.
    .. [3] Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1), article 39.

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.permutation(errbar.Losses([0.2, -0.1, 0.4, 0.3, 0.1, 0.5, 0.2, 0.6]))
    >>> result.pvalue, round(result.low, 3), round(result.high, 3)
    (0.0234375, 0.067, 0.467)
    """
    flips = _check.count(resamples, "resamples")
    require_one_split(losses, "permutation", "'corrected-t'")
    d = losses.value
    se = math.sqrt(variance(d) / d.size)
    return Answer(
        estimate=mean(d),
        se=se,
        n_train=losses.n_train,
        law=flip_means(d, flips, _rng.stream(_rng.root(random_state), "permutation")),
        notes=(ONE_TRAINING_SET,) if se > 0.0 else (ONE_TRAINING_SET, DEGENERATE),
        remarks=lambda asked, interval: asked.if_unbounded(interval, d.size, "examples"),
    )
