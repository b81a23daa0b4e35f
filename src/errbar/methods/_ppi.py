"""Prediction-powered inference: few human labels, and many of another judge."""

import math

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.distributions import mean, variance
from errbar.methods.variance import skewed
from errbar.plans._kinds import JUDGED
from errbar.result import Estimand, Note

_JUDGES = Note(
    "not-verified",
    what="that people have judged a random part of the examples",
    by="drawing them at random",
)


_FEWEST_PEOPLE, _FEWEST_RARE = 40, 5


@register(
    "ppi",
    pointwise=True,
    metrics=False,
    plans=(JUDGED,),
    default_plan=None,
    estimand=Estimand.PROXY,
    scaled=True,
)
def ppi(losses: Losses, *, weight: float | None = None) -> Answer:
    r"""Mean loss by people's judgement, made more precise by a judge that has seen more examples.

    :Claim: The mean loss that people would give to examples like these, of the models that were
        trained.
    :Formula: ``mean(Y) + w (mean f_U - mean f_L), SE^2 = w^2 var(f_U)/N + var(Y - w f)/n, standard
        normal``
    :Fits: none
    :Assumption: The examples that people have judged are a random part of all.
    :Assumption: Examples are independent, and there are some dozens that people have judged.
    :Sources: angelopoulos2023

    The mean of people's losses is moved by what a cheap and biased judge finds on the other
    examples, less what it finds on theirs. A bad judge makes the interval no shorter, and no less
    valid. A difference has a weight of its own, so it need not be the difference of the two
    estimates.

    Parameters
    ----------
    losses : Losses
        Losses by people and by the judge (or differences of two learners).
    weight : float, optional
        Weight w of the judge, from 0 (people alone) to 1; by default that with the smallest
        standard error.

    See Also
    --------
    holdout_t, errbar.from_judged

    Notes
    -----
    With people's losses Y and the judge's f on the same n examples, and the judge's u on N others,
    :math:`\hat\theta = \bar Y + w(\bar u - \bar f)`, :math:`SE^2 = w^2 \mathrm{var}(u)/N +
    \mathrm{var}(Y - w f)/n`, and the best weight is :math:`w = \mathrm{cov}(Y, f)/((1 +
    n/N)\,\mathrm{var}(f))`, cut at 0 and 1 ([1]_). Variances and the covariance are sums over n, or
    N; var(f) in the weight is that of all judged examples, over n + N - 1. The interval near the
    least or largest loss is as for `cluster_t`, by the normal distribution.

    Examples
    --------
    >>> import errbar
    >>> people, judge = [1, 0, 1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1, 1, 1, 1, 1]
    >>> others = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1]
    >>> index = {"judge": [0] * 10 + [1] * 30, "example": [*range(10), *range(30)]}
    >>> result = errbar.methods.ppi(errbar.Losses(people + judge + others, **index))
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.7181, 0.1304)
    """
    y, f, u = _judged(losses)
    n, more = y.size, u.size
    w = weight
    if w is None:
        pooled = variance(np.concatenate([f, u]))
        together = float((y - mean(y)) @ (f - mean(f))) / n
        best = together / ((1.0 + n / more) * pooled) if pooled else 0.0
        w = min(1.0, max(0.0, best))
    w = _check.between(w, 0.0, 1.0, "weight")
    notes = [_JUDGES]
    rare = n - int(np.unique(y, return_counts=True)[1].max())
    if n < _FEWEST_PEOPLE:
        notes.append(Note("few", count=n, what="examples judged by people"))
    elif rare < _FEWEST_RARE:
        notes.append(Note("few", count=rare, what="examples judged by people and unlike most"))
    return Answer(
        mean(y) + w * (mean(u) - mean(f)),
        math.sqrt(w * w * variance(u, more) / more + variance(y - w * f, n) / n),
        notes=tuple(notes),
        remarks=skewed(y, "losses by people"),
    )


def _judged(losses: Losses) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return losses Y by people, those f of the same examples by the judge, and those u of others by the judge."""
    judge = losses.index.label("judge")
    known = not losses.is_blank and set(np.unique(judge).tolist()) == {0, 1}
    must = "must tell people from one judge, 0 and 1; make the table with errbar.from_judged"
    _check.require(known, must, np.unique(judge).tolist(), "judge")
    value, example = losses.value, losses.example
    by_judge = np.flatnonzero(judge == 1)
    by_judge = by_judge[np.argsort(example[by_judge], kind="stable")]
    place = np.searchsorted(example[by_judge], example[judge == 0])
    return value[judge == 0], value[by_judge[place]], value[np.sort(np.delete(by_judge, place))]
