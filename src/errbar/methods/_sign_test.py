"""The sign test, over several data sets."""

from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.orders import DATA_SETS
from errbar.methods._core.registry import register
from errbar.methods._core.sign_test import signs


@register(
    "sign-test",
    **DATA_SETS,
    claim="Whether one learner does better than another on more than half of the data sets of a kind.",
    formula="wins of m binomial with probability 1/2, m the data sets without a tie",
    references=("demsar2006", "hollander2014"),
    assumptions=(
        "The data sets are independent of each other: different problems, and not splits of the same data.",
    ),
    exempt={
        "pvalue-at-the-ends": "With few data sets only few p-values are possible, so an end has one of those.",
        "sides-add-up": "Both tails hold the probability of what was observed.",
        "degenerate": "Differences that are all equal and not 0 still give the p-value of their signs.",
        "direction": "Null values between the same two differences have the same p-value and statistic.",
    },
)
def sign_test(losses: Losses, *, zeros: str = "drop") -> Answer:
    r"""Sign test of two learners over several data sets.

    Parameters
    ----------
    losses : Losses
        Difference of the two learners on each data set, such as of their mean losses.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Median of the differences under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    zeros : {"drop", "split"}, default "drop"
        What becomes of differences equal to the null value: left out, or half of them counted on each side.

    Returns
    -------
    Result
        The estimate is the median, the p-value exact, and the interval lies between order statistics.

    Raises
    ------
    InvalidInputError
        If there are fewer than two differences, or an option cannot be used.

    See Also
    --------
    errbar.datasets.sign_test : The same for a plain array, with all details.
    wilcoxon : More power, where differences can be compared in size.

    Notes
    -----
    With w of m differences above the null value and the others below, the statistic is

    .. math:: \frac{w - (m - w)}{\sqrt m}

    and the p-value that of w under the binomial distribution with probability 1/2 ([1]_, section 3.1.4; [2]_).

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [2] Hollander, Wolfe & Chicken (2014), Nonparametric Statistical Methods, Wiley.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.031, 0.012, -0.004, 0.022, 0.017, 0.009, 0.025, -0.002, 0.014, 0.008]
    >>> round(errbar.methods.sign_test(errbar.Losses(differences)).pvalue, 4)
    0.1094
    """
    return signs(losses.splits.value, zeros)
