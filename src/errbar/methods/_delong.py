"""Area under the ROC curve of one trained model, or the difference of two on the same examples."""

from errbar.methods._core import ranking
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.inputs import RankScores


@register(
    "delong",
    **ranking.AREA,
    formula="SE^2 = S10 / m + S01 / n, variances of the placements of m positive and n negative examples, standard normal",
    references=("delong1988", "sun2014"),
    assumptions=(
        "The test examples of each class are independent draws from that class.",
        "Both classes have enough examples for a normal approximation, some ten or more, and the classes overlap.",
    ),
)
def delong(scores: RankScores) -> Answer:
    r"""DeLong's interval and test for areas under the ROC curve.

    The area under the ROC curve is the probability that a positive example has a larger score than a negative one, ties
    counted half. Its variance, and the covariance of two areas on the same examples, follow from how each example is
    placed among those of the other class ([1]_). The statement is about the models that were trained.

    Parameters
    ----------
    scores : RankScores
        Scores of one model on test examples of two classes, or of two models on the same examples.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Difference of areas under the null hypothesis; for a single model its area, where 0.5 is that of guessing and the
        default of 0 is of no use.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        The estimate is the area, or the area of the first model minus that of the second: higher is better. The interval
        is cut at 0 and 1 (for a difference at -1 and 1); one that is cut shows that the normal distribution is a poor guide. An
        area of 1 has standard error 0, and the interval of as many trials that all agree as the smaller class has examples.

    Raises
    ------
    InvalidInputError
        If a class has a single example.

    See Also
    --------
    mcnemar : Two models by their errors at one threshold.
    corrected_t : Any score of several splits, about the learning algorithm.

    Notes
    -----
    With m positive scores x_i and n negative ones y_j, and :math:`\psi` 1 where x > y, 1/2 where they are equal and 0
    otherwise, the placements are :math:`V_{10}(x_i) = \frac{1}{n}\sum_j \psi(x_i, y_j)` and
    :math:`V_{01}(y_j) = \frac{1}{m}\sum_i \psi(x_i, y_j)`; the mean of either is the area A. For models r and s

    .. math:: \widehat{Cov}(A_r, A_s) = \frac{S_{10}^{rs}}{m} + \frac{S_{01}^{rs}}{n}

    with the sample covariances S of the placements (divisors m - 1 and n - 1; [1]_, section 3), and the difference of areas
    over its standard error is referred to the standard normal distribution. Placements come from ranks, in time of order
    (m + n) log(m + n) ([2]_).

    References
    ----------
    .. [1] DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, 837-845.
    .. [2] Sun & Xu (2014), IEEE Signal Processing Letters 21, 1389-1393.

    Examples
    --------
    >>> import errbar
    >>> truth = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = errbar.RankScores(truth, [0.1, 0.3, 0.2, 0.6, 0.5, 0.9, 0.4, 0.8], [0.4, 0.3, 0.6, 0.5, 0.2, 0.7, 0.9, 0.5])
    >>> result = errbar.methods.delong(scores)
    >>> result.estimate, round(result.se, 4), round(result.pvalue, 4)
    (0.21875, 0.2539, 0.3889)
    """
    estimate, se = ranking.delong(scores.truth, scores.value, scores.minus)
    limits = ranking.OF_TWO
    if scores.minus is None:
        limits = ranking.OF_ONE._replace(
            trials=lambda: float(min(scores.truth.sum(), (~scores.truth).sum()))
        )
    return Answer(estimate=estimate, se=se, n_train=scores.n_train, limits=limits)
