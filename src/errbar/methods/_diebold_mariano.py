"""Diebold and Mariano's test for losses that follow each other in time."""

import math

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TRAINING_SET
from errbar.methods._core.registry import register
from errbar.methods.distributions import mean, variance as variance_of
from errbar.methods.variance import skewed
from errbar.needs import SERIES
from errbar.plans import Holdout, KFold, RollingOrigin
from errbar.plans._kinds import OTHER
from errbar.result import Estimand, Note

# Standard errors of a correlation.
_FAR = 2.0
# Few and slow cosines, so that the correlation of neighbours does not reach them; t has as many degrees of freedom.
_COSINES = 8
# With fewer times for each of the horizon, the coverage of intervals by autocovariances is too low; with fewer at all, it is not seen how long
# losses are correlated.
_MANY_TIMES, _MANY_AT_ALL = 80, 200
# Of first-order correlated losses that say less than so many independent ones, cosines hold the mean too seldom.
_MANY_INDEPENDENT = 15
_BARTLETT = Note("out-of-bounds", quantity="variance", used="its estimate with Bartlett weights")


@register(
    "diebold-mariano",
    metrics=True,
    plans=(RollingOrigin.kind, Holdout.kind, OTHER, KFold.kind),
    default_plan=RollingOrigin(),
    needs=(SERIES,),
    once=True,
    estimand=Estimand.PROXY,
    scaled=True,
)
def diebold_mariano(losses: Losses, *, horizon: int = 1, variance: str | None = None) -> Answer:
    r"""Test for losses, or differences of losses, of forecasts that follow each other in time.

    :Claim: The mean loss of the forecasts that were made, over times like these.
    :Formula: ``V = (g_0 + 2 sum of g_k for k < h) / n with autocovariances g, t with n - 1 degrees
        of freedom and a correction``
    :Fits: one per origin (10 by default)
    :Assumption: The losses (or differences) are a stationary series.
    :Assumption: With autocovariances, losses that are h or more times apart are not correlated, as
        those of good forecasts h times ahead.
    :Sources: diebold1995, harvey1997, lazarus2018

    Forecasts h times ahead share the h - 1 times between them, so their losses are correlated up to
    lag h - 1 ([1]_). Losses of models that do not know the season or the trend are correlated for
    longer than that. Then the variance comes from slow cosines ([3]_).

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per time, in the order of time; more times than `horizon`.
    horizon : int, default 1
        Number h of times from the last that a forecast has seen to the one that it is about.
    variance : {"autocovariances", "cosines"}, optional
        Autocovariances take losses that are h or more apart as not correlated; cosines take no
        horizon. By default autocovariances, unless the losses are seen to be correlated at lag h:
        then cosines, and a note says so.

    See Also
    --------
    holdout_t

    Notes
    -----
    With losses :math:`d_1 \dots d_n` and :math:`\gamma_k = \frac{1}{n}\sum_{t > k} (d_t - \bar
    d)(d_{t-k} - \bar d)`,

    .. math:: V = \frac{1}{n}\Bigl(\gamma_0 + 2\sum_{k=1}^{h-1}\gamma_k\Bigr), \qquad
              SE^2 = V \Big/ \frac{n + 1 - 2h + h(h-1)/n}{n},

    and :math:`(\bar d - \mu_0)/SE` is referred to t with n - 1 degrees of freedom: the correction
    for short series of [2]_ (eq. 9). Where V is not positive, which can be for h > 1,
    :math:`\gamma_k` has the weight 1 - k/h, and a note says so. By cosines, with B = 8 (or n/2, if
    that is less),

    .. math:: SE^2 = \frac{1}{n B} \sum_{j=1}^{B} \Bigl(\sqrt{2/n} \sum_t d_t
              \cos\bigl(\pi j (t - \tfrac12)/n\bigr)\Bigr)^2,

    and t has B degrees of freedom. Losses are seen to be correlated at lag h where their
    autocorrelation is above two standard errors by Bartlett's formula. The interval near the least
    or largest loss is as for `cluster_t`, with examples for clusters.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.3, -0.1, 0.4, 0.2, 0.5, -0.2, 0.1, 0.6, 0.3, 0.0]
    >>> result = errbar.methods.diebold_mariano(errbar.Losses(differences), horizon=2)
    >>> round(result.se, 4), result.df
    (0.0559, 9)
    """
    examples = losses.count("example") if "example" in losses.index else losses.index.rows
    must = "must not be tested more than once; take test sets that do not overlap"
    _check.require(examples == losses.index.rows, must, losses.index.rows, "example")
    # Without times, rows are in order.
    role = "time" if "time" in losses.index else "example"
    d, most = losses.means(role), int(np.bincount(losses.index.codes(role)).max())
    n = d.size
    h = _check.count(horizon, "horizon", 1, n - 1)
    notes = [ONE_TRAINING_SET]
    if most > 1:
        notes.append(Note("means", unit="time", count=most, of="examples at most"))
    gamma = _autocovariances(d, h)
    correlations = gamma / gamma[0] if gamma[0] else gamma
    correlation, nearer = float(correlations[-1]), correlations[1:-1]
    far = correlation > _FAR * math.sqrt((1.0 + 2.0 * float(nearer @ nearer)) / n)
    kind = "cosines" if far else "autocovariances"
    if variance is not None:
        kind = _check.choice(variance, ("autocovariances", "cosines"), "variance")
    if kind == "cosines":
        df = min(_COSINES, n // 2)
        squared = _by_cosines(d, df) if gamma[0] else 0.0
        own, neighbour = gamma[:2]
        too_alike = n * (own - neighbour) < min(_MANY_INDEPENDENT, n / 2) * (own + neighbour)
        few = own > 0.0 and (too_alike or n < _MANY_AT_ALL)
    else:
        df = n - 1
        v = float(gamma[0] + 2.0 * gamma[1:h].sum()) / n
        if v <= 0.0 < gamma[0]:
            v = float(gamma[0] + 2.0 * gamma[1:h] @ (1.0 - np.arange(1, h) / h)) / n
            notes.append(_BARTLETT)
        # Harvey, Leybourne & Newbold (1997), eq. 9: n + 1 - 2h + h(h - 1)/n is (n - h)(n - h + 1)/n.
        squared = max(v, 0.0) * n**2 / ((n - h) * (n - h + 1.0))
        few = n < (_MANY_TIMES * h if h > 1 else _MANY_AT_ALL)
    if few:
        notes.append(Note("few-times", times=n))
    if far:
        notes.append(Note("correlated-losses", horizon=h, correlation=correlation, variance=kind))
    return Answer(
        mean(d),
        math.sqrt(squared),
        df,
        n_splits=1 if "example" in losses.index else losses.n_splits,
        notes=tuple(notes),
        remarks=skewed(d, "times"),
    )


def _autocovariances(d: FloatArray, h: int) -> FloatArray:
    """Return gamma_0 to gamma_h, each a sum over n."""
    if variance_of(d) == 0.0:
        return np.zeros(h + 1)
    n, centred = d.size, d - mean(d)
    return np.array([float(centred[k:] @ centred[: n - k]) for k in range(h + 1)]) / n


def _by_cosines(d: FloatArray, count: int) -> float:
    """Return the squared standard error from the mean square of the projections on slow cosines."""
    n = d.size
    angles = np.pi * np.outer(np.arange(1, count + 1), np.arange(n) + 0.5) / n
    projections = np.cos(angles) @ (d - mean(d)) * math.sqrt(2.0 / n)
    return float(np.square(projections).mean()) / n
