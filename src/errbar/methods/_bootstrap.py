"""The bootstrap of Efron, for the losses on one test set."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from errbar import _check, _rng
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TEST_SET, require_one_split
from errbar.methods._core.registry import register
from errbar.methods._core.resample import acceleration, arranged_values, bootstrap_means
from errbar.methods._core.resampled import EXEMPT, resampled
from errbar.methods.distributions import Bootstrapped, mean

# Values of resamples that a statistic is given at once.
_BLOCK = 2**20


@register(
    "bootstrap",
    pointwise=True,
    **ONE_TEST_SET,
    references=("efron1993", "davison1997"),
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

    :Claim: The mean loss (or another statistic of the losses), on new examples, of the model or
        models that were trained.
    :Formula: ``SE = sd of the statistic over resamples of the losses; percentile, basic, BCa or
        normal interval``
    :Fits: 1
    :Assumption: The test examples are independent draws from the population, and were not used
        in training.
    :Assumption: The statistic's distribution over resamples of the examples resembles that over
        samples of the population.

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
    require_one_split(losses, "bootstrap")
    rng = _rng.stream(_rng.root(random_state), "bootstrap")
    d, n = losses.value, losses.value.size
    of_mean = isinstance(statistic, str) and statistic == "mean"
    theta = None if of_mean else _statistic_of(losses, statistic)

    def draw(count: int) -> Bootstrapped:
        if theta is None:
            return Bootstrapped(mean(d), bootstrap_means(d, count, rng))
        estimate = theta(np.arange(n)[np.newaxis])[0]
        drawn = _in_blocks(theta, count, n, lambda rows: rng.integers(0, n, (rows.size, n)))
        return Bootstrapped(float(estimate), drawn)

    def influence() -> FloatArray:
        if theta is None:
            return d
        others = np.arange(n - 1)
        return -_in_blocks(theta, n, n, lambda rows: others + (others >= rows[:, np.newaxis]))

    return resampled(
        draw,
        lambda: acceleration(influence()),
        kind=kind,
        resamples=resamples,
        bias_corrected=bias_corrected,
        n_train=losses.n_train,
    )


def _statistic_of(losses: Losses, statistic: Any) -> Callable[[IntArray], FloatArray]:
    """Return the statistic of samples of examples, as a function of their positions, a row for each sample."""
    if isinstance(statistic, str) or not callable(statistic):
        raise InvalidInputError(
            f"must be 'mean' or a function of the losses such as numpy.median, got {statistic!r}",
            argument="statistic",
        )
    if losses.pair is None:
        values = arranged_values(losses.value)
        return lambda positions: _rowwise(statistic, values[positions])
    # The statistic of a difference is not a difference of statistics, so examples are drawn and both follow.
    first, second = (one.value for one in losses.pair)
    return lambda positions: (
        _rowwise(statistic, first[positions]) - _rowwise(statistic, second[positions])
    )


def _in_blocks(
    theta: Callable[[IntArray], FloatArray],
    count: int,
    n: int,
    positions: Callable[[IntArray], IntArray],
) -> FloatArray:
    """Return the statistic of so many samples of n, of which a bounded number of values is held at a time."""
    size = max(1, _BLOCK // n)
    blocks = [np.arange(start, min(count, start + size)) for start in range(0, count, size)]
    return np.concatenate([theta(positions(block)) for block in blocks])


def _rowwise(statistic: Callable[..., Any], samples: FloatArray) -> FloatArray:
    """Return the statistic of each row; one that takes `axis` gets all rows at once."""
    try:
        at_once = "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):
        at_once = False  # a built-in function
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            found = statistic(samples, axis=-1) if at_once else list(map(statistic, samples))
        if np.iscomplexobj(found):
            raise TypeError("complex numbers have no order")
        numbers = np.asarray(found, dtype=np.float64)
    except Exception as error:  # noqa: BLE001 - whatever it raises, the statistic is at fault
        raise InvalidInputError(
            f"fails on a sample of the losses: {type(error).__name__}: {error}",
            argument="statistic",
        ) from None
    if numbers.shape != (len(samples),) or not np.isfinite(numbers).all():
        raise InvalidInputError(
            f"must give one finite number for each of {len(samples)} samples, got {_check.brief(numbers)}",
            argument="statistic",
        )
    return numbers
