"""Dietterich's 5x2cv t."""

import math

from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.variance import FIVE_BY_TWO, five_by_two
from errbar.result import Note


@register(
    "5x2cv-t",
    **FIVE_BY_TWO,
    claim="The expected loss at training size n/2.",
    formula="t = (p_11 - null) / sqrt(mean s_i^2), t with 5 degrees of freedom",
    references=("dietterich1998",),
)
def five_by_two_t(losses: Losses) -> Answer:
    r"""Dietterich's t on five repeats of two-fold cross-validation.

    Within one repeat the two training sets share nothing, so the spread of its two scores is an honest measure of
    the variance of one. The estimand is the expected risk at half the examples.

    Parameters
    ----------
    losses : Losses
        The ten scores (or differences of scores).
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        The estimate is p_11, the score of the first split.

    See Also
    --------
    five_by_two_f : Uses all ten scores in the numerator.

    Notes
    -----
    With p_ij the score of fold j in repeat i and :math:`s_i^2 = (p_{i1}-\bar p_i)^2 + (p_{i2}-\bar p_i)^2`,
    :math:`t = (p_{11} - \mu_0) / \sqrt{\frac{1}{5}\sum_i s_i^2}` is referred to t with 5 degrees of freedom ([1]_).

    References
    ----------
    .. [1] Dietterich (1998), Neural Computation 10(7), 1895-1923, section 3.5.

    Examples
    --------
    >>> import errbar
    >>> p = [[0.3, 0.25], [0.35, 0.28], [0.4, 0.22], [0.31, 0.27], [0.33, 0.29]]
    >>> result = errbar.methods.five_by_two_t(errbar.Losses.of_grid(p, "repeat", "fold"))
    >>> round(result.estimate, 2), round(result.se, 4)
    (0.3, 0.0656)
    """
    p, squares = five_by_two(losses)
    return Answer(
        estimate=float(p[0, 0]),
        se=math.sqrt(squares / 5.0),
        df=5,
        n_train=losses.n_train,
        n_splits=10,
        notes=(Note("as-defined", quantity="estimate", what="the score of the first split alone"),),
    )
