"""The signed-rank test of Wilcoxon, over several data sets."""

from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.orders import DATA_SETS
from errbar.methods._core.registry import register
from errbar.methods._core.wilcoxon import signed_ranks


@register(
    "wilcoxon",
    **DATA_SETS,
    claim="Whether the differences of two learners over independent data sets are centred at 0.",
    formula="z = sum sign(d_i) r_i / sqrt(sum r_i^2), r_i the ranks of |d_i|; exact up to 50 differences",
    references=("wilcoxon1945", "demsar2006", "hollander2014"),
    assumptions=(
        "The data sets are independent of each other: different problems, and not splits of the same data.",
        "Differences can be compared in size from one data set to the next, and are symmetric about their centre.",
    ),
    exempt={
        "estimate-inside": "A one-sided bound at level 0.5 is next to the pseudo-median, and may be below or above it.",
        "pvalue-at-the-ends": "With few data sets only few p-values are possible, so an end has one of those.",
        "direction": "Null values between the same two averages of differences have the same p-value and statistic.",
        "sides-add-up": "Both tails hold the probability of what was observed.",
        "degenerate": "Differences that are all equal and not 0 still give the p-value of their signs.",
        "interval-and-test-agree": "At a one-sided level of just one half, the middle of the distribution belongs to either side.",
    },
)
def wilcoxon(
    losses: Losses, *, null: float = 0.0, zeros: str = "wilcox", law: str = "auto"
) -> Answer:
    r"""Wilcoxon's signed-rank test of two learners over several data sets.

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
    zeros : {"wilcox", "pratt"}, default "wilcox"
        What becomes of differences equal to the null value: left out before ranking, or after it.
    law : {"auto", "exact", "normal"}, default "auto"
        How the p-value is computed: exactly for up to 50 differences, and from the normal distribution beyond; or always so.

    Returns
    -------
    Result
        The estimate is the pseudo-median of Hodges & Lehmann, and the interval theirs.

    Raises
    ------
    InvalidInputError
        If there are fewer than two differences, or an option cannot be used.

    See Also
    --------
    errbar.datasets.wilcoxon : The same for a plain array, with all details.
    sign_test : Fewer assumptions, less power.

    Notes
    -----
    With r_i the ranks of :math:`|d_i - \mu_0|`, the distribution of

    .. math:: z = \frac{\sum_i \mathrm{sign}(d_i - \mu_0)\, r_i}{\sqrt{\sum_i r_i^2}}

    is that of independent signs, given the sizes ([1]_; for learners [2]_, section 3.1.3). The interval lies between
    Walsh averages ([3]_).

    References
    ----------
    .. [1] Wilcoxon (1945), Biometrics Bulletin 1(6), 80-83.
    .. [2] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [3] Hollander, Wolfe & Chicken (2014), Nonparametric Statistical Methods, Wiley.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.031, 0.012, -0.004, 0.022, 0.017, 0.009, 0.025, -0.002, 0.014, 0.008]
    >>> result = errbar.methods.wilcoxon(errbar.Losses(differences))
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.013, 0.0098)
    """
    return signed_ranks(losses.splits.value, null, zeros, law)
