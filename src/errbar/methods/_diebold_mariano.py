"""Diebold and Mariano's test for losses that follow each other in time."""

import math

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TRAINING_SET
from errbar.methods._core.pivot import mean, variance
from errbar.methods._core.registry import register
from errbar.needs import SERIES
from errbar.plans import Holdout, KFold, RollingOrigin
from errbar.plans._kinds import OTHER
from errbar.result import Estimand, Note
from errbar.views import SeriesLosses

_FAR = 3.0  # standard errors: at one lag, chance goes so far in 3 series of 1000

_MEANS_OF_TIMES = Note(
    "means-of-times", "several examples share a time; their losses are averaged, and every time counts the same"
)
_BARTLETT = Note(
    "bartlett-weights",
    "the autocovariances gave a negative variance, so they have Bartlett's weights, which shrink with the lag",
)


@register(
    "diebold-mariano",
    plans=(RollingOrigin.kind, Holdout.kind, OTHER, KFold.kind),
    default_plan=RollingOrigin(),
    needs=(SERIES,),
    estimand=Estimand.PROXY,
    claim="The mean loss of the forecasts that were made, over times like these.",
    formula="V = (g_0 + 2 sum of g_k for k < h) / n with autocovariances g, t with n - 1 degrees of freedom and a correction",
    fits="one per origin",
    references=("diebold1995", "harvey1997"),
    assumptions=(
        "The losses (or differences) are a stationary series.",
        "Losses that are h or more times apart are not correlated, as those of good forecasts h times ahead.",
    ),
)
def diebold_mariano(losses: SeriesLosses, *, horizon: int = 1) -> Answer:
    r"""Test for losses, or differences of losses, of forecasts that follow each other in time.

    Forecasts h times ahead share the h - 1 times between them, so their losses are correlated up to lag h - 1 ([1]_). The
    statistic has the correction for short series of [2]_.

    Parameters
    ----------
    losses : SeriesLosses
        One loss (or difference of losses) per time, in the order of time.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean loss (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    horizon : int, default 1
        Number h of times from the last that a forecast has seen to the one that it is about. Losses that are farther apart are
        taken as uncorrelated; a note says where they are not.

    Returns
    -------
    Result
        The standard error holds the correction, so that the statistic is (estimate - null)/se.

    Raises
    ------
    InvalidInputError
        If there are not more times than `horizon`.

    See Also
    --------
    holdout_t : Independent test examples; the same for a horizon of 1.

    Notes
    -----
    With losses :math:`d_1 \dots d_n` and :math:`\gamma_k = \frac{1}{n}\sum_{t > k} (d_t - \bar d)(d_{t-k} - \bar d)`,

    .. math::

        V = \frac{1}{n}\Bigl(\gamma_0 + 2\sum_{k=1}^{h-1}\gamma_k\Bigr), \qquad
        SE^2 = V \Big/ \frac{n + 1 - 2h + h(h-1)/n}{n},

    and :math:`(\bar d - \mu_0)/SE` is referred to t with n - 1 degrees of freedom ([2]_, eq. 9). Where V is not positive, which can
    be for h > 1, :math:`\gamma_k` has the weight 1 - k/h, and a note says so.

    References
    ----------
    .. [1] Diebold & Mariano (1995), Journal of Business & Economic Statistics 13(3), 253-263.
    .. [2] Harvey, Leybourne & Newbold (1997), International Journal of Forecasting 13(2), 281-291.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.3, -0.1, 0.4, 0.2, 0.5, -0.2, 0.1, 0.6, 0.3, 0.0]
    >>> result = errbar.methods.diebold_mariano(errbar.SeriesLosses(differences), horizon=2)
    >>> round(result.se, 4), result.df
    (0.0559, 9)
    """
    h, n = _check.count(horizon, "horizon"), losses.value.size
    if h >= n:
        raise InvalidInputError(f"`horizon` must be less than the number of times, {n}, got {h}")
    covariances, notes = autocovariances(losses.value, 2 * h), [ONE_TRAINING_SET]
    squared = (covariances[0] + 2.0 * float(covariances[1:h].sum())) / n
    if squared <= 0.0 < covariances[0]:
        squared = (covariances[0] + 2.0 * float(covariances[1:h] @ (1.0 - np.arange(1, h) / h))) / n
        notes.append(_BARTLETT)
    correction = (n - h) * (n - h + 1.0) / n**2
    if losses.several > 1:
        notes.append(_MEANS_OF_TIMES)
    return Answer(
        estimate=mean(losses.value),
        se=math.sqrt(max(squared, 0.0) / correction),
        df=n - 1,
        n_train=losses.n_train,
        n_splits=losses.n_splits,
        notes=(*notes, *_beyond(covariances, h, n)),
    )


def autocovariances(values: FloatArray, lags: int) -> FloatArray:
    """Return the autocovariances of lags 0 to `lags` (fewer for a short series), each a sum over n."""
    n = values.size
    centred = values - mean(values)
    most = min(lags, n - 1)
    found = np.array([float(centred[lag:] @ centred[: n - lag]) for lag in range(most + 1)]) / n
    return found if variance(values) > 0.0 else np.zeros_like(found)


def _beyond(covariances: FloatArray, h: int, n: int) -> tuple[Note, ...]:
    """Say that losses are correlated at lags from the horizon on, by Bartlett's formula for the error of a correlation."""
    if covariances[0] <= 0.0 or covariances.size <= h:
        return ()
    correlation = covariances / covariances[0]
    error = math.sqrt((1.0 + 2.0 * float(correlation[1:h] @ correlation[1:h])) / n)
    if correlation[h] < _FAR * error:
        return ()
    text = (
        f"losses {h} apart are correlated ({correlation[h]:.2f}), and horizon={h} takes them as not correlated, so the standard error is "
        "too small; give a larger `horizon`"
    )
    return (Note("correlated-losses", text),)
