"""The naive t on split scores."""

from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.variance import SPLITS, t_of_splits
from errbar.needs import TRAINING_SETS
from errbar.result import Note


@register(
    "resampled-t",
    **SPLITS,
    needs=(TRAINING_SETS,),
    claim="What most people compute, and what corrected-t corrects. Kept for study and for the contrast in reports.",
    formula="SE = S / sqrt(J), t with J - 1 degrees of freedom",
    references=("dietterich1998", "nadeau2003"),
    assumptions=(
        "Split scores are independent of each other, which splits of the same data are not.",
    ),
    naive=True,
)
def resampled_t(losses: Losses) -> Answer:
    r"""Student's t on the scores of J splits, as if they were independent.

    Liberal: training sets overlap, so the scores are correlated, and the more splits there are the more certain
    the test becomes of differences that are not there ([1]_, section 3.2; [2]_, Table 1).

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per split.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        Estimate, standard error, interval and test.

    See Also
    --------
    corrected_t : The same with the correlation accounted for.

    Notes
    -----
    With S^2 the variance of the J scores (divisor J - 1), :math:`SE = S/\sqrt{J}` and
    :math:`(\hat\mu - \mu_0)/SE` is referred to t with J - 1 degrees of freedom.

    References
    ----------
    .. [1] Dietterich (1998), Neural Computation 10(7), 1895-1923.
    .. [2] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> round(errbar.methods.resampled_t(losses).statistic, 4)
    3.3085
    """
    J = losses.splits.value.size
    return t_of_splits(losses, 1.0 / J, (Note("liberal", assumed="independent split scores"),))
