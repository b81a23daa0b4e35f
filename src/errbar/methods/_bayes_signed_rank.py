"""Bayesian signed-rank test of two learners over several data sets."""

from dataclasses import replace
from typing import Any

from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.bayes import bayesian_signed_rank
from errbar.methods._core.orders import DATA_SETS
from errbar.methods._core.registry import register
from errbar.methods._core.wilcoxon import signed_ranks


@register(
    "bayes-signed-rank",
    **DATA_SETS,
    claim="How probable it is that the one learner is better on data sets of a kind, the other, or neither by more than a rope.",
    formula="theta = shares of pairs of data sets whose mean difference lies below, in and above the rope, weights Dirichlet",
    references=("benavoli2017",),
    assumptions=(
        "The data sets are independent of each other: different problems, and not splits of the same data.",
        "The prior counts for half of a data set, and lies in the region of practical equivalence.",
    ),
    exempt={
        "pvalue-at-the-ends": "Interval and p-value are those of the signed-rank test, which has few possible p-values.",
        "sides-add-up": "The p-values are those of the signed-rank test, whose two tails both include what was observed.",
        "degenerate": "Differences that are all equal and not 0 still give the p-value of their signs.",
        "interval-and-test-agree": "At a one-sided level of just one half, the middle of the distribution belongs to either side.",
    },
)
def bayes_signed_rank(
    losses: Losses,
    *,
    null: float = 0.0,
    rope: float = 0.0,
    samples: int = 50_000,
    random_state: Any = 0,
) -> Answer:
    r"""Bayesian signed-rank test of two learners over several data sets.

    Parameters
    ----------
    losses : Losses
        Difference of the two learners on each data set, such as of their mean losses.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Centre of the differences under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the differences.
    samples : int, default 50000
        Number of draws from the posterior.
    random_state : int or NumPy generator, default 0
        Root of the random numbers.

    Returns
    -------
    Result
        ``posterior`` holds the probabilities that the mean of two random data sets is most often left of the region, in it, or right of it. Estimate, interval and p-value are those of
        `wilcoxon`, for what a Bayesian statement does not have.

    Raises
    ------
    InvalidInputError
        If there are fewer than two differences, or an option cannot be used.

    See Also
    --------
    errbar.datasets.bayesian_signed_rank : The same for a plain array, with the draws.
    wilcoxon : The test of the same differences.

    Notes
    -----
    The weights of the data sets and of the prior follow a Dirichlet distribution ([1]_); a draw counts for the region with the
    largest share :math:`\theta`, left, within or right of the region of practical equivalence. Probabilities are
    relative to 0, whatever the null value.

    References
    ----------
    .. [1] Benavoli, Corani, Demsar & Zaffalon (2017), Journal of Machine Learning Research 18(77), 1-36.

    Examples
    --------
    >>> import errbar
    >>> differences = errbar.Losses([-0.031, -0.012, 0.004, -0.022, -0.017, -0.009, -0.025, 0.002])
    >>> result = errbar.methods.bayes_signed_rank(differences, rope=0.005)
    >>> result.posterior["left"] > 0.8
    True
    """
    found = bayesian_signed_rank(
        losses.splits.value, rope=rope, samples=samples, random_state=random_state
    )
    tested = signed_ranks(losses.splits.value, null, "wilcox", "auto")
    return replace(tested, posterior=found.probabilities)
