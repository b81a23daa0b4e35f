"""The bootstrap of the area under the ROC curve."""

import numpy as np

from errbar import _rng
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.methods._core.answer import Answer
from errbar.methods._core.ranking import (
    AREA,
    OF_ONE,
    OF_TWO,
    bootstrap_auc as draw_aucs,
    differences,
)
from errbar.methods._core.registry import register
from errbar.methods._core.resample import acceleration
from errbar.methods._core.resampled import EXEMPT, resampled
from errbar.methods.distributions import Bootstrapped, mean
from errbar.methods.inputs import RankScores


@register(
    "bootstrap-auc",
    **AREA,
    formula="SE = sd of the area over resamples of the examples; percentile, basic, BCa or normal interval",
    references=("efron1993", "davison1997"),
    assumptions=(
        "The test examples are independent draws from the population, and were not used in training.",
        "Each class has enough examples for resamples to show how the area varies.",
    ),
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
    above, below = differences(scores.truth, scores.value, scores.minus)
    answer = resampled(
        lambda count: Bootstrapped(
            mean(above), draw_aucs(scores.truth, scores.value, count, rng, scores.minus)
        ),
        lambda: _acceleration(above, below),
        kind=kind,
        resamples=resamples,
        bias_corrected=bias_corrected,
        n_train=scores.n_train,
    )
    answer.limits = OF_ONE if scores.minus is None else OF_TWO
    return answer


def _acceleration(above: FloatArray, below: FloatArray) -> float:
    if min(above.size, below.size) < 2:
        raise InvalidInputError(
            f"'bca' needs at least two examples of either class, got {above.size} positive and {below.size} negative",
            argument="kind",
        )
    area = mean(above)
    left_out = [(part.size * area - part) / (part.size - 1) for part in (above, below)]
    return acceleration(-np.concatenate(left_out))
