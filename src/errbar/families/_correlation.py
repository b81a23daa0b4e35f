"""How the means of several learners vary together, estimated from splits or examples and shrunk where there are few."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError


class Spread(NamedTuple):
    """Covariances of several learners' numbers.

    Attributes
    ----------
    covariance : ndarray, shape (k, k)
        Covariances, shrunk.
    shrinkage : float
        Share of the target in them, in [0, 1].
    """

    covariance: FloatArray
    shrinkage: float


def shrunk(values: ArrayLike, *, contrasts: bool = True) -> Spread:
    r"""Estimate covariances from a row per learner, shrunk towards those of independent learners with equal variances.

    Parameters
    ----------
    values : array-like, shape (k, n)
        A row per learner: its scores on the same n splits, or its losses or influence values of the same n examples.
    contrasts : bool, default True
        Whether the covariances are for differences of learners: what all learners have in common is then left out.

    Returns
    -------
    Spread
        Covariances, and how much they are shrunk.

    Raises
    ------
    InvalidInputError
        If there are fewer than two columns.

    Notes
    -----
    With x_i the column of split or example i less the mean column, S the mean of :math:`x_i x_i^T` and v the mean variance,

    .. math:: \hat\Sigma = (1 - a) S + a v I, \qquad
              a = \min\left(1, \frac{n^{-2} \sum_i \lVert x_i x_i^T - S \rVert^2}{\lVert S - v I \rVert^2}\right),

    the estimate of [1]_. For differences each column is taken less its own mean first, and I is the identity on what is left. The
    target is cautious: among independent learners equal variances give the largest critical values for all pairs ([2]_).

    References
    ----------
    .. [1] Ledoit & Wolf (2004), Journal of Multivariate Analysis 88(2), 365-411.
    .. [2] Hayter (1984), The Annals of Statistics 12(1), 61-75.

    Examples
    --------
    >>> from errbar.families import shrunk
    >>> found = shrunk([[0.31, 0.28, 0.35, 0.30], [0.25, 0.27, 0.26, 0.22], [0.20, 0.25, 0.21, 0.24]])
    >>> found.covariance.shape, 0.0 < found.shrinkage <= 1.0
    ((3, 3), True)
    """
    given = _check.numbers(values, "values", "learner and split or example")
    if given.ndim != 2 or given.shape[1] < 2:
        raise InvalidInputError(
            f"must have a row per learner and at least two columns, got shape {given.shape}",
            argument="values",
        )
    learners, count = given.shape
    left = given - given.mean(axis=1, keepdims=True)
    target = np.eye(learners)
    if contrasts:
        left -= left.mean(axis=0)
        target -= 1.0 / learners
    sample = left @ left.T / count
    target *= np.trace(sample) / np.trace(target)
    apart = float(np.square(sample - target).sum())
    noise = (
        float((np.square(left).sum(axis=0) ** 2).sum()) / count**2
        - float(np.square(sample).sum()) / count
    )
    share = min(1.0, max(0.0, noise) / apart) if apart > 0.0 else 1.0
    return Spread((1.0 - share) * sample + share * target, share)
