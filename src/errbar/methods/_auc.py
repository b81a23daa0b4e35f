"""Area under the ROC curve of one trained model, or the difference of two on the same examples."""

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from errbar import _rng
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TEST_SET
from errbar.methods._core.registry import register
from errbar.methods._core.resample import acceleration
from errbar.methods._core.resampled import EXEMPT, resampled
from errbar.methods.distributions import Bootstrapped, Limits, mean, variance
from errbar.methods.inputs import RankScores
from errbar.metrics.ranks import placements

_AREA = {
    **ONE_TEST_SET,
    "own_units": True,
    "loss": "roc_auc",
    "pointwise": False,
    "null_range": (-1.0, 1.0),
}
"""What both methods declare alike."""

# Counts of examples that are worked on at once.
_BLOCK = 2**16


@register(
    "delong",
    **_AREA,
    references=("delong1988", "sun2014"),
)
def delong(scores: RankScores) -> Answer:
    r"""DeLong's interval and test for areas under the ROC curve.

    :Claim: The area under the ROC curve, on new examples, of the one model (or the difference
        of the two) that was trained.
    :Formula: ``SE^2 = S10 / m + S01 / n, variances of the placements of m positive and n
        negative examples, standard normal``
    :Fits: 1
    :Assumption: The test examples of each class are independent draws from that class.
    :Assumption: Both classes have enough examples for a normal approximation, some ten or more,
        and the classes overlap.

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
    above, below = _placements(scores)
    m, n = _two_of_each(above, below, "truth")
    limits = Limits(-1.0, 1.0)
    if scores.minus is None:
        limits = Limits(0.0, 1.0, trials=lambda: float(min(m, n)))
    return Answer(
        estimate=mean(above),
        se=math.sqrt(variance(above) / m + variance(below) / n),
        n_train=scores.n_train,
        limits=limits,
    )


def _placements(scores: RankScores) -> tuple[FloatArray, FloatArray]:
    """Return V10 of the positive examples and V01 of the negative ones, those of the second model subtracted."""
    above, below = placements(scores.truth, scores.value)
    if scores.minus is None:
        return above, below
    # Models that agree everywhere differ by 0 with error 0, exactly.
    of_second = placements(scores.truth, scores.minus)
    return above - of_second[0], below - of_second[1]


def _two_of_each(above: FloatArray, below: FloatArray, argument: str) -> tuple[int, int]:
    m, n = above.size, below.size
    if min(m, n) < 2:
        raise InvalidInputError(
            f"needs at least two examples of either class, got {m} positive and {n} negative",
            argument=argument,
        )
    return m, n


@register(
    "bootstrap-auc",
    **_AREA,
    references=("efron1993", "davison1997"),
    exempt=EXEMPT,
)
def bootstrap_auc(
    scores: RankScores,
    *,
    kind: str = "percentile",
    resamples: int = 10_000,
    bias_corrected: bool = False,
    random_state: int = 0,
) -> Answer:
    r"""Bootstrap of the area under the ROC curve on one test set.

    :Claim: The area under the ROC curve, on new examples, of the one model (or the difference
        of the two) that was trained.
    :Formula: ``SE = sd of the area over resamples of the examples; percentile, basic, BCa or
        normal interval``
    :Fits: 1
    :Assumption: The test examples are independent draws from the population, and were not used
        in training.
    :Assumption: Each class has enough examples for resamples to show how the area varies.

    The examples are drawn with replacement, each with its class and its scores, so two models meet the same resamples
    ([1]_). A resample with a single class is drawn again. The statement is about the models that were trained.

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
    kind : {"percentile", "basic", "bca", "normal"}, default "percentile"
        Kind of interval, and the test that belongs to it; see `bootstrap`.
    resamples : int, default 10000
        Number B of resamples.
    bias_corrected : bool, default False
        Subtract the bias from the estimate. The percentile, basic and BCa intervals do not depend on it.
    random_state : int, default 0
        Root of the random numbers; the same one gives the same numbers.

    Returns
    -------
    Result
        The estimate is the area, or the area of the first model minus that of the second: higher is better. The statistic
        is (estimate - null)/SE, which only the kind "normal" refers to the normal distribution.

    Raises
    ------
    InvalidInputError
        If an option cannot be used, or a class has a single example and the kind is "bca".

    See Also
    --------
    delong : The same question by a formula.
    bootstrap : The mean, or another statistic, of losses.
    corrected_t : Areas of several splits, about the learning algorithm.

    Notes
    -----
    With :math:`\theta^*_b` the area of resample b, standard error, bias, intervals and p-values are those of `bootstrap`
    ([1]_; [2]_, section 5.3). The acceleration of BCa comes from leaving out one example after the other: without positive
    example i of m the area A is :math:`(m A - V_{10}(i))/(m - 1)`, with :math:`V_{10}(i)` the share of negative examples that
    it scores above, ties by half; likewise for negative examples.

    References
    ----------
    .. [1] Efron & Tibshirani (1993), An Introduction to the Bootstrap, Chapman & Hall.
    .. [2] Davison & Hinkley (1997), Bootstrap Methods and their Application, Cambridge University Press.

    Examples
    --------
    >>> import errbar
    >>> truth = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = errbar.RankScores(truth, [0.1, 0.3, 0.2, 0.6, 0.5, 0.9, 0.4, 0.8])
    >>> result = errbar.methods.bootstrap_auc(scores, null=0.5)
    >>> result.estimate, round(result.se, 2)
    (0.875, 0.15)
    """
    rng = _rng.stream(_rng.root(random_state), "bootstrap-auc")
    above, below = _placements(scores)
    answer = resampled(
        lambda count: Bootstrapped(mean(above), resampled_areas(scores, count, rng)),
        lambda: acceleration(-_jackknifed(above, below)),
        kind=kind,
        resamples=resamples,
        bias_corrected=bias_corrected,
        n_train=scores.n_train,
    )
    answer.limits = Limits(0.0, 1.0) if scores.minus is None else Limits(-1.0, 1.0)
    return answer


def _jackknifed(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the area without each example in turn."""
    m, n = _two_of_each(above, below, "kind")
    area = mean(above)
    return np.concatenate([(m * area - above) / (m - 1), (n * area - below) / (n - 1)])


def resampled_areas(scores: RankScores, resamples: int, rng: Generator) -> FloatArray:
    """Return areas, or differences of two, on resamples of the examples that have both classes.

    Scores and truth are drawn together, and both models meet the same draws. A resample that has one class only is drawn
    again. Scores are sorted once; a resample is a count for each example, from which its area follows by cumulative sums. The
    order of the examples does not change what is drawn, nor does, where the areas differ, which of two models is subtracted.
    """
    truth, sign, columns = scores.truth, 1.0, [scores.value]
    if scores.minus is not None:
        columns.append(scores.minus)
        first, second = (mean(placements(truth, column)[0]) for column in columns)
        # The better model comes first, whichever is subtracted.
        if first < second:
            sign, columns = -1.0, columns[::-1]
    order = np.lexsort((*columns[::-1], truth))
    positive = truth[order]
    areas_of = [_areas_of(positive, column[order]) for column in columns]
    positives, n = np.flatnonzero(positive), truth.size
    rows = min(resamples, max(1, _BLOCK // n))
    found, filled = np.empty(resamples), 0
    while filled < resamples:
        counts = _counts(n, rows, rng)
        drawn = np.add.reduce(counts[:, positives], axis=1)
        counts = counts[(drawn > 0) & (drawn < n)][: resamples - filled]
        areas = [of(counts) for of in areas_of]
        found[filled : filled + len(counts)] = areas[0] if len(areas) == 1 else areas[0] - areas[1]
        filled += len(counts)
    return sign * found


def _areas_of(positive: NDArray[np.bool_], score: FloatArray) -> Callable[[IntArray], FloatArray]:
    """Return areas as a function of how often each example counts, a row for each area."""
    negatives, positives = np.flatnonzero(~positive), np.flatnonzero(positive)
    negatives = negatives[np.argsort(score[negatives], kind="stable")]
    # How many negative examples score below each positive one, and how many at most as high.
    below = score[negatives].searchsorted(score[positives], side="left")
    upto = score[negatives].searchsorted(score[positives], side="right")
    untied = bool((below == upto).all())

    def areas(counts: IntArray) -> FloatArray:
        weights = counts[:, positives]
        passed = np.zeros((len(counts), negatives.size + 1), dtype=np.int64)
        np.cumsum(counts[:, negatives], axis=1, out=passed[:, 1:])
        # Whole numbers up to here: twice the pairs in the right order.
        twice = np.einsum("ij,ij->i", weights, passed[:, below])
        twice += twice if untied else np.einsum("ij,ij->i", weights, passed[:, upto])
        found: FloatArray = twice / (2 * passed[:, -1] * np.add.reduce(weights, axis=1))
        return found

    return areas


def _counts(size: int, rows: int, rng: Generator) -> IntArray:
    """Return how often each of so many examples is drawn, in so many resamples."""
    drawn = rng.integers(0, size, (rows, size))
    drawn += np.arange(0, rows * size, size)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
