"""Folds as blocks: their losses and moments, what random halves tell, and the arithmetic of correlations."""

import math

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.methods._core.pivot import variance
from errbar.result import Note
from errbar.views import PairedHalves, PointLosses, SplitScores, difference

OVERLAP_NOTES = {
    "subsampling": (),
    "kfold": (
        Note(
            "heuristic-for-folds",
            "the correction is derived for independent random splits; for K-fold cross-validation it is a heuristic that works well",
        ),
    ),
    "other": (
        Note(
            "heuristic-for-splits",
            "the correction is derived for independent random splits of equal size; for these splits it is a rough guide",
        ),
    ),
}
OVERLAP_NOTES["5x2"] = OVERLAP_NOTES["kfold"]

# Numbers that differ by less than this share of their size differ by rounding alone.
_ROUNDING = 1e-12


def odds_of_correlation(scores: SplitScores, correlation: float | None) -> float:
    """Return r/(1 - r) for the correlation r of two split scores: the one given, or n2/n1 for r = n2/(n1 + n2)."""
    if correlation is None:
        return scores.ratio
    r = _check.between(correlation, 0.0, 1.0, "correlation", closed=False)
    return r / (1.0 - r)


def rho_from_correlation(correlation: float, folds: int) -> float:
    r"""Return the between-block correlation rho that belongs to a correlation of two fold scores.

    Parameters
    ----------
    correlation : float
        Correlation r of the scores of two folds, in [0, 1].
    folds : int
        Number of folds K, at least 2.

    Returns
    -------
    float
        Between-block correlation, in [0, 1].

    Raises
    ------
    InvalidInputError
        If `correlation` or `folds` is out of range.

    See Also
    --------
    correlation_from_rho : The other way round.
    kfold_t : Takes rho.
    corrected_t : Takes r.

    Notes
    -----
    With gamma the covariance of the losses of two examples in different folds, r is gamma over the variance of a fold
    score, and rho is gamma over the variance theta of the mean ([1]_, section 4), so
    :math:`\rho = K r / (1 + (K - 1) r)`.

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> round(errbar.methods.rho_from_correlation(0.1, 10), 4)
    0.5263
    """
    r = _check.between(correlation, 0.0, 1.0, "correlation")
    count = _check.count(folds, "folds", 2)
    return count * r / (1.0 + (count - 1) * r)


def correlation_from_rho(rho: float, folds: int) -> float:
    r"""Return the correlation of two fold scores that belongs to a between-block correlation rho.

    Parameters
    ----------
    rho : float
        Share gamma/theta of the between-fold covariance in the variance of the mean, in [0, 1].
    folds : int
        Number of folds K, at least 2.

    Returns
    -------
    float
        Correlation r of the scores of two folds, in [0, 1].

    Raises
    ------
    InvalidInputError
        If `rho` or `folds` is out of range.

    See Also
    --------
    rho_from_correlation : The other way round.
    kfold_t : Takes rho.
    corrected_t : Takes r.

    Notes
    -----
    :math:`r = \rho / (K - (K - 1) \rho)`, which solves :math:`\rho = K r / (1 + (K - 1) r)` for r ([1]_, section 4).

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> round(errbar.methods.correlation_from_rho(0.7, 10), 4)
    0.1892
    """
    share = _check.between(rho, 0.0, 1.0, "rho")
    count = _check.count(folds, "folds", 2)
    return share / (count - (count - 1) * share)


def equal_folds(losses: PointLosses, key: str) -> FloatArray:
    """Losses of one partition into equal folds, a row per fold; `key` names the method that needs it."""
    if losses.repeats > 1:
        raise UnsuitablePlanError(
            f"method {key!r} needs a single partition into folds, got {losses.repeats} repeats; try 'corrected-t'"
        )
    if (losses.inner >= 0).any():
        raise InvalidInputError("`inner` must be -1 throughout: the losses of inner folds belong to no partition")
    _, sizes = np.unique(losses.fold, return_counts=True)
    low, high = int(sizes.min()), int(sizes.max())
    if sizes.size < 2:
        raise InvalidInputError("`fold` must name at least two folds, got one")
    if low != high:
        raise InvalidInputError(
            f"`fold` must name folds of equal size, got {low} to {high} examples; "
            "use plan EqualKFold(), which leaves the rest of the examples out, or try 'kfold-t'"
        )
    if low < 2:
        raise InvalidInputError("`fold` must name folds of at least two examples, got one in each; try 'kfold-t'")
    order = np.argsort(losses.fold, kind="stable")
    return losses.value[order].reshape(sizes.size, low)


def theta3(scores: FloatArray) -> float:
    """Return the variance of the mean of K fold scores if folds were uncorrelated, sum (mu_k - mu)^2 / (K (K - 1))."""
    return variance(scores) / scores.size


def theta4(blocks: FloatArray) -> float:
    """Return the mean over folds of the variance within a fold, over the number n of losses; `blocks` has a row each."""
    folds, size = blocks.shape
    within: float = float(np.square(deviations(blocks)).sum()) / (folds * (size - 1))
    return within / blocks.size


def deviations(rows: FloatArray) -> FloatArray:
    """Return deviations from the mean of each row; a row whose numbers are equal up to rounding has none."""
    found: FloatArray = rows - rows.mean(axis=1, keepdims=True)
    ranges = rows.max(axis=1) - rows.min(axis=1)
    found[ranges <= _ROUNDING * np.abs(rows).max(axis=1)] = 0.0
    return found


def spread_of_halves(halves: PairedHalves) -> float:
    """Return the standard error of a mean on half the data, sqrt(sum_m (mu_m - mu_m^c)^2 / (2 M))."""
    means = halves.means
    gaps = difference(means[:, 0], means[:, 1])
    return root_sum_of_squares(gaps) / math.sqrt(2.0 * halves.halvings)


def root_sum_of_squares(values: FloatArray) -> float:
    """Return the root of the sum of squares, without overflow or underflow on the way."""
    return math.hypot(*values.ravel().tolist())


def splits_behind(halves: PairedHalves) -> int:
    """Return the number of splits of all data and, where the scores on halves are given one by one, of these."""
    return halves.value.size + (halves.halves.size if halves.halves.ndim == 3 else 0)
