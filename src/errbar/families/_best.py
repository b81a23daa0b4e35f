"""Multiple comparisons with the best."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.families._max_t import checked, degrees, standard_errors
from errbar.families._maximum import Maximum


@dataclass(frozen=True, eq=False)
class Best:
    """How far each estimate may be from the best of the others.

    Attributes
    ----------
    critical : ndarray, shape (k,)
        Critical value of each learner.
    low, high : ndarray, shape (k,)
        Intervals for its mean minus the smallest mean of the others.
    not_ruled_out : list of int
        Positions of those that may be the best.
    """

    critical: FloatArray
    low: FloatArray
    high: FloatArray
    not_ruled_out: list[int]


def best(
    estimates: ArrayLike,
    covariance: ArrayLike,
    *,
    df: float | None = None,
    level: float = 0.95,
    two_sided: bool = False,
) -> Best:
    r"""Compare each of several estimates with the best of the others; the smallest is the best.

    Parameters
    ----------
    estimates : array-like, shape (k,)
        Estimates, smaller is better.
    covariance : array-like, shape (k, k)
        Their estimated covariances.
    df : float, optional
        Degrees of freedom of the estimated covariances; by default they are taken for known.
    level : float, default 0.95
        Probability that all intervals cover their true values.
    two_sided : bool, default False
        Whether critical values are those of absolute statistics, which are larger.

    Returns
    -------
    Best
        Intervals, and who is not ruled out.

    Raises
    ------
    InvalidInputError
        If shapes do not fit, or a difference has no variance.

    Notes
    -----
    With d_ij the difference of two estimates, i minus j, s_ij its standard error and c_i the critical value of
    :math:`\max_{j \ne i} (d_{ij} - \mu_i + \mu_j)/s_{ij}`, learner i may be the best unless :math:`d_{ij} > c_i s_{ij}` for some j; G are
    those who may. The interval for :math:`\mu_i - \min_{j \ne i} \mu_j` is from :math:`\min(0, \max_{j \ne i} (d_{ij} - c_i s_{ij}))`, or
    0 for a learner that is ruled out, to :math:`\max(0, \max_{j \in G, j \ne i} (d_{ij} + c_j s_{ij}))` ([1]_, chapter 4). With unequal
    covariances each learner has a critical value of its own.

    References
    ----------
    .. [1] Hsu (1996), Multiple Comparisons: Theory and Methods, Chapman & Hall.

    Examples
    --------
    >>> from errbar.families import best
    >>> best([0.2, 0.1, 0.3], [[1e-4, 0, 0], [0, 1e-4, 0], [0, 0, 1e-4]], df=14).not_ruled_out
    [1]
    """
    means, spread = checked(estimates, covariance)
    freedom, alpha = degrees(df), 1.0 - _check.level(level)
    contrasts = [others_less(means.size, place) for place in range(means.size)]
    critical = np.array(
        [
            Maximum.of(one, spread, df=freedom, two_sided=two_sided).critical(alpha)
            for one in contrasts
        ]
    )
    difference = means[:, np.newaxis] - means
    se = np.array(
        [np.insert(standard_errors(one, spread), place, 0.0) for place, one in enumerate(contrasts)]
    )
    off = ~np.eye(means.size, dtype=bool)
    lowest = np.where(off, difference - critical[:, np.newaxis] * se, -np.inf).max(axis=1)
    possible = lowest <= 0.0
    highest = np.where(off & possible, difference + critical * se, -np.inf).max(axis=1)
    return Best(
        critical,
        np.minimum(lowest, 0.0),
        np.maximum(highest, 0.0),
        np.flatnonzero(possible).tolist(),
    )


def others_less(count: int, place: int) -> FloatArray:
    """Return the coefficients of one estimate minus each other, a row each."""
    found = -np.delete(np.eye(count), place, axis=0)
    found[:, place] = 1.0
    return found
