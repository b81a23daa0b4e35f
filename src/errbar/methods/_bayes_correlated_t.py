"""The Bayesian correlated t of Corani & Benavoli."""

import math

from errbar import _check
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.distributions import ROUNDING, lower_tail
from errbar.methods.variance import SPLITS, odds_of_correlation, t_of_splits
from errbar.needs import RANDOM_SPLITS


@register(
    "bayes-correlated-t",
    **SPLITS,
    needs=(RANDOM_SPLITS,),
    references=("corani2015", "nadeau2003"),
)
def bayes_correlated_t(
    losses: Losses, *, rope: float = 0.0, correlation: float | None = None
) -> Answer:
    r"""Bayesian correlated t: posterior probabilities of a difference and of practical equivalence.

    :Claim: How probable it is that the expected loss at training size n1 lies below, within or
        above a region around 0.
    :Formula: ``posterior t with J - 1 degrees of freedom, location the mean, scale S sqrt(1/J +
        n2/n1)``
    :Fits: J (15 by default)
    :Assumption: The scores are normal, with one variance and one correlation between any two of
        them.
    :Assumption: That correlation is n2/(n1 + n2), or the one given.
    :Assumption: Nothing is known beforehand about the expected loss and its variance.

    Takes the J split scores for normal with a common correlation r, and a prior that says nothing. The expected risk
    of the learning algorithm at training size n1, or the difference of two, then has a Student t posterior ([1]_). How
    much of it lies left of, within and right of a region of practical equivalence is the answer.

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per split, with the sizes of the splits.
    level : float, default 0.95
        Probability of the credible interval.
    null : float, default 0.0
        Value that the p-value is about; the posterior probabilities are relative to 0, whatever the null.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        A one-sided one gives a one-sided credible interval.
    rope : float, default 0.0
        Half-width of the region of practical equivalence around 0, in units of the loss.
    correlation : float, optional
        Correlation r of two split scores, in [0, 1), instead of the one derived from the sizes, n2/(n1 + n2).

    Returns
    -------
    Result
        Its ``posterior`` holds the probabilities of (-inf, -rope) as ``left``, of [-rope, rope] as ``rope`` and of
        (rope, inf) as ``right``. The interval is the central credible interval.

    Raises
    ------
    InvalidInputError
        If `rope` is negative, or neither the sizes of the splits nor `correlation` are given.

    See Also
    --------
    corrected_t : The same numbers, read as a test.

    Notes
    -----
    With S^2 the variance of the J scores (divisor J - 1), the posterior is

    .. math:: \mu \mid x \sim t_{J-1}\left(\bar x,\; S^2 \left(\frac{1}{J} + \frac{r}{1-r}\right)\right),
              \qquad r = \frac{n_2}{n_1 + n_2}

    ([1]_). Under this prior the credible interval is the confidence interval of the corrected t ([2]_), and twice
    the smaller posterior probability of the two sides of `null` is its two-sided p-value: that is what ``pvalue`` holds.
    Scores that do not vary put all probability on the region that holds their mean.

    References
    ----------
    .. [1] Corani & Benavoli (2015), Machine Learning 100(2-3), 285-304.
    .. [2] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01]
    >>> view = errbar.Losses(differences, n_train=90, n_test=10)
    >>> result = errbar.methods.bayes_correlated_t(view, rope=0.01)
    >>> {region: round(probability, 4) for region, probability in result.posterior.items()}
    {'left': 0.0021, 'rope': 0.2315, 'right': 0.7664}
    """
    r = _check.between(_check.finite(rope, "rope"), 0.0, math.inf, "rope")
    J = losses.splits.value.size
    answer = t_of_splits(losses, 1.0 / J + odds_of_correlation(losses, correlation))
    m, scale = answer.estimate, answer.se
    if scale > 0.0:
        left = lower_tail((-r - m) / scale, J - 1)
        right = lower_tail((m - r) / scale, J - 1)
    else:
        beyond = abs(m) - r > ROUNDING * r
        left, right = float(beyond and m < 0.0), float(beyond and m > 0.0)
    within = max(0.0, 1.0 - left - right) if r > 0.0 or scale == 0.0 else 0.0
    answer.posterior = {"left": left, "rope": within, "right": right}
    return answer
