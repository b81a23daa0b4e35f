"""The bootstrap benchmark experiment of Hothorn, Leisch, Zeileis & Hornik."""

import math

from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.distributions import variance
from errbar.methods.variance import t_of_scores
from errbar.needs import TRAINING_SETS
from errbar.plans import Bootstrap
from errbar.result import Estimand, Note


@register(
    "bootstrap-benchmark",
    default_plan=Bootstrap(),
    needs=(TRAINING_SETS,),
    estimand=Estimand.PERFORMANCE,
    references=("hothorn2005",),
)
def bootstrap_benchmark(losses: Losses) -> Answer:
    r"""Bootstrap benchmark experiment: out-of-bag performance of learners, paired by bootstrap sample.

    :Claim: The mean out-of-bag loss over bootstrap samples of these very data, not over other
        data sets.
    :Formula: ``SE = S / sqrt(B), t with B - 1 degrees of freedom``
    :Fits: B (200 by default)
    :Assumption: The examples at hand are all there is: their empirical distribution takes the
        place of the population.
    :Assumption: The mean over the bootstrap samples is nearly normal.

    The data at hand are taken for the population. From its empirical distribution B samples are drawn; a learner is
    trained on each and tested on the examples that it lacks, which gives independent draws from the distribution of its
    performance ([1]_). Two learners share their samples, so the test is the paired t.

    Parameters
    ----------
    losses : Losses
        Mean out-of-bag loss (or difference of losses) of each sample.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean performance (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        Estimate, standard error, interval and test of the mean of the performance distribution. A note says what they
        are about: by drawing more samples the interval can be made as narrow, and the p-value of any two learners that
        differ as small, as one likes.

    See Also
    --------
    friedman : Whether any of several learners differs.
    oob_bootstrap : The same fits, with a standard error that is about new data.
    outperformance : In how many of the samples one learner is better.

    Notes
    -----
    With p_b the mean out-of-bag loss of sample b and S^2 the variance of the B of them (divisor B - 1),
    :math:`SE = S/\sqrt B` and :math:`(\bar p - \mu_0)/SE` is referred to t with B - 1 degrees of freedom ([1]_).

    References
    ----------
    .. [1] Hothorn, Leisch, Zeileis & Hornik (2005), Journal of Computational and Graphical Statistics 14(3), 675-699.

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.bootstrap_benchmark(errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0]))
    >>> round(result.statistic, 4), result.df
    (1.9415, 5)
    """
    p = losses.splits.value
    return t_of_scores(losses, math.sqrt(variance(p) / p.size), (Note("fixed", what="data"),))
