"""The bootstrap of Efron, for the losses on one test set."""

from collections.abc import Callable
from typing import Any

import numpy as np

from errbar import _rng
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TEST_SET, require_one_split
from errbar.methods._core.registry import register
from errbar.methods._core.resample import acceleration, bootstrap as draw_bootstrap, rowwise
from errbar.methods._core.resampled import EXEMPT, resampled


@register(
    "bootstrap",
    pointwise=True,
    **ONE_TEST_SET,
    claim="The mean loss (or another statistic of the losses), on new examples, of the model or models that were trained.",
    formula="SE = sd of the statistic over resamples of the losses; percentile, basic, BCa or normal interval",
    references=("efron1993", "davison1997"),
    assumptions=(
        "The test examples are independent draws from the population, and were not used in training.",
        "The statistic's distribution over resamples of the examples resembles that over samples of the population.",
    ),
    exempt={
        **EXEMPT,
        "nested-in-level": "a statistic with few values, such as the median of tied losses, may keep the ends at all levels",
    },
)
def bootstrap(
    losses: Losses,
    *,
    kind: str = "percentile",
    statistic: str | Callable[..., Any] = "mean",
    resamples: int = 10_000,
    bias_corrected: bool = False,
    random_state: int = 0,
) -> Answer:
    r"""Bootstrap of a statistic of the losses on one test set.

    The n losses are drawn n times with replacement, and the statistic is computed of each such resample; its spread
    over resamples stands for its spread over test sets ([1]_). The model is not trained again, so the result is about the
    very model, or pair of models, that was trained.

    Parameters
    ----------
    losses : Losses
        One loss (or difference of losses) per test example of one split.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Value of the statistic under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    kind : {"percentile", "basic", "bca", "normal"}, default "percentile"
        Kind of interval, and the test that belongs to it. "bca" corrects for bias and skewness; for a statistic of your
        own it computes it n times more.
    statistic : "mean" or callable, default "mean"
        ``statistic(values)`` returns one finite number, such as `numpy.median`; one that takes `axis` is called with many
        resamples at once. It should grow when the losses do. Of two learners it is the statistic of the first minus that
        of the second, with both resampled together; losses that are differences already have the statistic of those.
    resamples : int, default 10000
        Number B of resamples: 200 serve for standard errors, 1000 or more for intervals.
    bias_corrected : bool, default False
        Subtract the bias from the estimate. The percentile, basic and BCa intervals do not depend on it.
    random_state : int, default 0
        Root of the random numbers; the same one gives the same numbers.

    Returns
    -------
    Result
        Estimate, bootstrap standard error, interval and test. The statistic is (estimate - null)/SE, which only the kind
        "normal" refers to the normal distribution. A note gives the bias where it exceeds a quarter of the standard error.

    Raises
    ------
    UnsuitablePlanError
        If the losses come from more than one split.
    InvalidInputError
        If an option cannot be used, or the statistic fails.

    See Also
    --------
    holdout_t : The mean with Student's t.
    bootstrap_auc : The area under the ROC curve.
    permutation : A test of a difference without the normal distribution.
    oob_bootstrap : Resamples what the learner is trained on.

    Notes
    -----
    With :math:`\theta^*_b` the statistic of resample b, :math:`SE^2 = \frac{1}{B-1} \sum_b (\theta^*_b - \bar\theta^*)^2`,
    :math:`bias = \bar\theta^* - \hat\theta`, and the corrected estimate is :math:`2 \hat\theta - \bar\theta^*` ([1]_,
    chapters 6 and 10). The percentile interval lies between sorted values of the :math:`\theta^*_b` ([1]_, section 13.3):
    with B = 999 and level 0.9 the values 50 and 950. The basic one is that reflected about the estimate,
    :math:`2\hat\theta - \theta^*` ([2]_, eq. 5.6), BCa moves the levels ([1]_, section 14.3), and the normal one is
    :math:`\hat\theta \pm z\, SE`. A null is rejected exactly if it lies outside, with p-values such as
    :math:`(1 + \#\{\theta^*_b \le \mu_0\})/(1 + B)` against "greater", and twice the smaller of both two-sided.

    For a metric that is not a mean of losses, the resamples are of the metric plus influence values: of its linear part.

    References
    ----------
    .. [1] Efron & Tibshirani (1993), An Introduction to the Bootstrap, Chapman & Hall.
    .. [2] Davison & Hinkley (1997), Bootstrap Methods and their Application, Cambridge University Press.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4])
    >>> result = errbar.methods.bootstrap(losses, kind="bca")
    >>> round(result.estimate, 3), round(result.se, 2)
    (0.375, 0.1)
    """
    own = _own(statistic)
    require_one_split(losses, "bootstrap")
    rng = _rng.stream(_rng.root(random_state), "bootstrap")
    values = losses.value
    if own is not None and losses.pair is not None:
        # The statistic of a difference is not a difference of statistics, so examples are drawn and both follow.
        values, own = np.arange(losses.value.size, dtype=np.float64), _of_both(own, losses)
    return resampled(
        lambda count: draw_bootstrap(values, count, rng, own),
        lambda: acceleration(values, own),
        kind=kind,
        resamples=resamples,
        bias_corrected=bias_corrected,
        n_train=losses.n_train,
    )


def _of_both(statistic: Callable[..., Any], losses: Losses) -> Callable[..., Any]:
    """Return the statistic of the first learner minus that of the second, as a function of positions of examples."""
    assert losses.pair is not None
    first, second = (one.value for one in losses.pair)

    def difference(positions: FloatArray, axis: int = -1) -> FloatArray:
        del axis  # rows of positions, one per sample
        at = positions.astype(np.int64)
        return rowwise(statistic, first[at], "a sample") - rowwise(
            statistic, second[at], "a sample"
        )

    return difference


def _own(statistic: str | Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the statistic of the user's own, or None for the mean."""
    if isinstance(statistic, str) and statistic == "mean":
        return None
    if isinstance(statistic, str) or not callable(statistic):
        raise InvalidInputError(
            f"must be 'mean' or a function of the losses such as numpy.median, got {statistic!r}",
            argument="statistic",
        )
    return statistic
