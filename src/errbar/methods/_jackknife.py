"""The fold jackknife: what test examples and training sets add to the variance of a cross-validation."""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import special

from errbar import _check
from errbar._check import FloatArray
from errbar.losses import Losses, whole
from errbar.methods._core.registry import method
from errbar.methods.distributions import ROUNDING, Answer, root
from errbar.methods.variance import FoldVariances, fold_variances, nested_cells, t_of_folds

# How much of the noise of single models each form takes out of x.
_FORMS = {"steady": 0.5, "middle": 0.5, "lower": 1.0, "upper": 0.0}

# x varies about as a variance with so many degrees of freedom, and not K - 1: it is a sum of terms of both signs.
_OF_X = 4.0

# So little more do logarithms of ratios vary than by chance that they count as alike.
_BY_CHANCE = 1e-9


class Shared(NamedTuple):
    """What the differences of one data set share of the ratio V/b.

    Attributes
    ----------
    df : Degrees of freedom that the common ratio is worth; infinite where they vary as by chance.
    ratio : Mean ratio.
    learners : Number of learners, which bounds how much is shared.
    """

    df: float
    ratio: float
    learners: int


@method("cv-jackknife")
def cv_jackknife(
    losses: Losses, *, variance: str = "steady", shared: Shared | None = None
) -> Answer:
    r"""Student's t of K-fold cross-validation, whose folds are left out of training one after another.

    :Claim: The expected loss of the learning algorithm at training size n1, also where training
        sets add much to its variance.
    :Formula: ``SE^2 = V = max(x, b), b = W/n K/(K - 1), x = W/n + T + X - (K - 2)/(2 K) s^2, t with
        V^2 / (b^2/(n - 1) + (V - b)^2/(K - 1)) degrees of freedom``
    :Assumption: Without one fold the variance is about K/(K - 1) times that with all of them.
    :Assumption: The mean of the losses is close to normal.

    A fold that is left out of nested cross-validation ([2]_) is not trained on, so how the losses
    on the other folds change tells what its examples do as training examples. That is much where
    a learner minimises another loss than the one that is evaluated (class weights, thresholds), has
    few examples of what it fits, or fails now and then. It does not go away with more data.
    Degrees of freedom are many where test examples make up the variance, and K - 1 where training
    sets do. The estimate is the mean over the outer losses; of a metric that is averaged over
    folds, the mean over folds.

    Parameters
    ----------
    losses : Losses
        Losses (or differences) of nested cross-validation with at least three folds: outer ones
        have ``inner`` -1; inner ones belong to a model trained without folds ``fold`` and
        ``inner``, tested on ``inner``.
    variance : {"steady", "middle", "lower", "upper"}, default "steady"
        Which x is the jackknife variance: ``"upper"`` with the noise of single models, ``"lower"``
        without it, ``"middle"`` half way; ``"steady"`` is ``"middle"`` with W/n in place of the
        variance of the means of folds.
    shared : Shared, optional
        What other differences of the data set tell of V/b. Comparisons of several learners state it
        for what is said of all differences at once.

    See Also
    --------
    cv_t, nested_cv

    Notes
    -----
    With :math:`e_k` the mean outer loss of fold k and :math:`E_{kg}` that of the model trained
    without folds k and g, leaving out fold g changes the loss on the other folds by :math:`\tau_g =
    \frac{1}{K-1} \sum_{k \ne g} (E_{kg} - e_k)`. The jackknife variance ([1]_) of the mean
    :math:`U_{-g} = \frac{1}{K-1} \sum_{k \ne g} E_{kg}` has three parts:

    .. math:: v_0 = \frac{K-1}{K} \sum_g (U_{-g} - \bar U)^2 = \frac{S_f^2}{K} + T + X, \qquad
              T = \frac{K-1}{K} \sum_g (\tau_g - \bar\tau)^2, \qquad
              X = -\frac{2}{K} \sum_g (e_g - \bar e)(\tau_g - \bar\tau),

    with :math:`S_f^2` the variance of the :math:`e_k`. The noise of single models is in T. It is
    taken out by :math:`\frac{K-2}{K} s^2`, where :math:`s^2` is the residual variance of the table
    E around row and column effects, with :math:`K(K-1) - (2K-1)` degrees of freedom. With W the
    variance of the n outer losses,

    ==========  ===============================================
    variance    x
    ==========  ===============================================
    upper       :math:`v_0`
    lower       :math:`v_0 - \frac{K-2}{K} s^2`
    middle      :math:`v_0 - \frac{K-2}{2K} s^2`
    steady      :math:`W/n + T + X - \frac{K-2}{2K} s^2`
    ==========  ===============================================

    .. math:: b = \frac{W}{n} \frac{K}{K-1}, \qquad SE^2 = V = \max(x, b), \qquad
              df = \frac{V^2}{b^2/\nu_b + (V - b)^2/(K - 1)}

    with [3]_, and at most :math:`\nu_b`. All parts are means over the repeats. b and
    :math:`\nu_b = n - 1` are those of the test examples, as in `cv_t` with
    ``variance="examples"``: of groups and metrics, they are what they are there.

    These degrees of freedom are too many far out in the tails, which families of tests need: where
    x falls below b by chance, they jump to n - 1. Differences of several learners on one data set
    then share the ratio V/b as in [4]_: with :math:`r = \max(x/b, 1)`, the mean :math:`r_0` of x/b over
    the differences, or 1 if that is more, its degrees of freedom :math:`d_0` by how much the
    logarithms of r vary, and :math:`\nu = 4`,

    .. math:: r' = \frac{d_0 r_0 + \nu r}{d_0 + \nu}, \qquad V = r' b, \qquad
              df = \min(d_0 + \nu,\ K - 1 + \text{number of learners}).

    Examples
    --------
    >>> import errbar
    >>> import numpy as np
    >>> split = [(fold, inner) for fold in range(4) for inner in (-1, 0, 1, 2, 3) if inner != fold]
    >>> fold, inner = np.repeat(split, 3, axis=0).T
    >>> losses = errbar.Losses(np.cos(np.arange(48) / 5) ** 2, fold=fold, inner=inner, n_train=9)
    >>> result = errbar.methods.cv_jackknife(losses)
    >>> round(result.estimate, 4), round(result.se, 4), round(result.df, 1)
    (0.4923, 0.2087, 6.9)
    """
    must = "must be a Shared, which comparisons of several learners make"
    _check.require(shared is None or isinstance(shared, Shared), must, shared, "shared")
    x, b, folds = _parts(losses, variance)
    K = folds.K
    extra, most = max(x - b, 0.0), math.inf
    if shared is not None and b > 0.0:
        ratio = shared.ratio
        if math.isfinite(shared.df):
            of_both = shared.df * ratio + _OF_X * (extra / b + 1.0)
            ratio = of_both / (shared.df + _OF_X)
        extra = b * (ratio - 1.0)
        most = min(shared.df + _OF_X, K - 1.0 + shared.learners)
    answer, df = t_of_folds(losses, folds, b + extra)
    squared = answer.se**2
    if shared is not None:
        df = min(df, most)
    elif squared > 0.0:
        df = min(df, squared**2 / ((squared - extra) ** 2 / df + extra**2 / (K - 1)))
    answer.df = whole(float(df))
    answer.n_train = folds.n * (1.0 - 1.0 / K)
    answer.components = {"examples": float(squared - extra), "training": float(extra)}
    return answer


def _parts(losses: Losses, form: str) -> tuple[float, float, FoldVariances]:
    """Return the jackknife variance x, the part b of the test examples, and how outer losses vary."""
    cell, sizes = nested_cells(losses)
    K = sizes.shape[1]
    # Row g, column k: without folds g and k, tested on k; on the diagonal, without fold k alone.
    value = losses.value
    means = np.bincount(cell, value).reshape(sizes.shape) / sizes
    if np.ptp(value) <= ROUNDING * np.abs(value).max():
        means = np.zeros_like(means)
    folds = fold_variances(losses)
    of_training, noise = np.mean([training_part(table) for table in means], axis=0)
    of_tests = folds.of_examples if form == "steady" else folds.of_folds
    x = of_tests + of_training - _FORMS[form] * noise
    return float(x), folds.of_examples * K / (K - 1), folds


def training_part(means: FloatArray) -> tuple[float, float]:
    """Return T + X of one repeat, and (K - 2)/K s^2, the noise of single models in it."""
    K = len(means)
    off = ~np.eye(K, dtype=bool)
    e = means.diagonal()
    tau = np.where(off, means - e, 0.0).sum(axis=1) / (K - 1)
    tau = tau - tau.mean()
    T = (K - 1) / K * float(tau @ tau)
    X = -2.0 / K * float((e - e.mean()) @ tau)
    # What row and column effects leave of the K (K - 1) means.
    effects = _effects(K)
    left = means[off] - effects @ (means[off] @ effects)
    s2 = float(left @ left) / (K * (K - 1) - effects.shape[1])
    return T + X, (K - 2) / K * s2


def shared_by(views: Sequence[Losses], learners: int, variance: str) -> Shared | None:
    """Return what the differences of one data set share; None where test examples make up none of their variance."""
    found = [_parts(view, variance) for view in views]
    ratios = np.array([x / b for x, b, _ in found if b > 0.0])
    if not ratios.size:
        return None
    df = 0.0  # a single ratio has nothing to share
    if ratios.size > 1:
        # Logarithms of two variances vary by the trigamma functions of half their degrees of freedom.
        spread = float(np.log(np.maximum(ratios, 1.0)).var(ddof=1))
        left = spread - float(special.polygamma(1, _OF_X / 2))
        df = math.inf if left < _BY_CHANCE else 2.0 * _inverse_trigamma(left)
    return Shared(df, max(float(ratios.mean()), 1.0), learners)


def _inverse_trigamma(value: float) -> float:
    """Return where the trigamma function has a value; it lies between 1/y and 1/y + 1/y^2."""
    high = (1.0 + math.sqrt(1.0 + 4.0 * value)) / (2.0 * value)
    return root(lambda y: float(special.polygamma(1, y)) - value, 1.0 / value, high)


@cache
def _effects(K: int) -> FloatArray:
    """Return 2 K - 1 orthonormal columns that span the rows and columns of a K x K table without its diagonal."""
    row, column = np.nonzero(~np.eye(K, dtype=bool))
    units = np.concatenate([np.eye(K)[row], np.eye(K)[column]], axis=1)
    return np.linalg.svd(units, full_matrices=False)[0][:, : 2 * K - 1]
