"""Folds as blocks: their losses and moments, what random halves tell, and the arithmetic of correlations."""

import math
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import Losses, difference
from errbar.methods._core.answer import Answer
from errbar.methods._core.layouts import Halves
from errbar.methods._core.strata import between_of
from errbar.methods.distributions import ROUNDING, mean, variance
from errbar.plans import FiveByTwo, KFold, Subsampling
from errbar.plans._kinds import OTHER
from errbar.result import Estimand, Note

SPLITS: dict[str, Any] = {
    "plans": (Subsampling.kind, KFold.kind, FiveByTwo.kind, OTHER),
    "default_plan": Subsampling(),
    "estimand": Estimand.EXPECTED_RISK,
    "fits": "J (15 by default)",
}
"""What methods for the scores of random splits declare alike."""


def odds_of_correlation(losses: Losses, correlation: float | None) -> float:
    """Return r/(1 - r) for the correlation r of two split scores: the one given, or n2/n1 for r = n2/(n1 + n2)."""
    if correlation is None:
        return ratio_of_sizes(losses)
    r = _check.between(correlation, 0.0, 1.0, "correlation", closed=False)
    return r / (1.0 - r)


def ratio_of_sizes(losses: Losses) -> float:
    """Return the mean over splits of test size over training size, n2/n1."""
    index = losses.splits.index
    if "n_train" in index and "n_test" in index:
        ratios = index["n_test"] / index["n_train"]
        mean_ratio: float = float(np.add.reduce(ratios)) / ratios.size
        return mean_ratio
    if losses.kind == FiveByTwo.kind:
        return 1.0  # each half is the training set of one fold, and the test set of the other
    raise InvalidInputError(
        "and `n_test` are needed, the sizes of the splits: give them together with the numbers, such as n_train=90, "
        "n_test=10, or to errbar.from_cross_validate results with return_indices=True (on the command line --n-train and --n-test); where a row is one test example, give its column as `example`, "
        "or --example, and one of times as `time`, or --time",
        argument="n_train",
    )


def split_error(losses: Losses, factor: float) -> float:
    """Return sqrt(S^2 factor + B/n1): the standard error of a mean of split scores.

    S^2 is the variance of the scores. Stratified splits take the variance B between strata out of it, and the population
    has it; it is added over the training size n1 (designs with 6 % positives: coverage was nominal with B/n1, too low with B/n).
    """
    known = variance(losses.splits.value) * factor
    between, _ = between_of(losses)
    if between > 0.0:
        if "n_train" not in losses.splits.index:
            raise InvalidInputError(
                "stratified splits need `n_train`, the training size: the variance between strata is divided by it"
            )
        known += between / losses.n_train
    return math.sqrt(known)


def strata_notes(losses: Losses, se: float) -> tuple[Note, ...]:
    """Say by how much a standard error can be too small where splits are stratified and B is not known."""
    between, limit = between_of(losses)
    if not math.isnan(between):
        return ()
    known = math.isfinite(limit) and "n_train" in losses.splits.index
    least = _rounded(math.sqrt(se * se + limit / losses.n_train)) if known else _NO_LIMIT
    return (Note("strata-not-known", se=_rounded(se), at_most=least),)


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def t_of_scores(losses: Losses, se: float, notes: tuple[Note, ...], **more: Any) -> Answer:
    """Return the answer that refers the mean of J split scores, with this standard error, to t with J - 1 degrees."""
    scores = losses.splits.value
    return Answer(
        estimate=mean(scores),
        se=se,
        df=scores.size - 1,
        n_train=losses.n_train,
        n_splits=scores.size,
        notes=notes,
        **more,
    )


_NO_LIMIT = "any size"


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


def require_one_partition(losses: Losses, key: str) -> None:
    """Raise if folds come from more than one partition; `key` names the method that needs a single one."""
    losses.require_once()
    repeats = losses.repeats
    if repeats > 1:
        raise UnsuitablePlanError(
            f"method {key!r} needs a single partition into folds, got {repeats} repeats; try 'corrected-t'"
        )


def equal_folds(losses: Losses, key: str) -> FloatArray:
    """Losses of one partition into equal folds, a row per fold; `key` names the method that needs it."""
    require_one_partition(losses, key)
    if (losses.inner >= 0).any():
        raise InvalidInputError(
            "must be -1 throughout: the losses of inner folds belong to no partition",
            argument="inner",
        )
    _, sizes = np.unique(losses.fold, return_counts=True)
    low, high = int(sizes.min()), int(sizes.max())
    if sizes.size < 2:
        raise InvalidInputError("must name at least two folds, got one", argument="fold")
    if low != high:
        raise InvalidInputError(
            f"must name folds of equal size, got {low} to {high} examples; "
            "use plan EqualKFold(), which leaves the rest of the examples out, or try 'kfold-t'",
            argument="fold",
        )
    if low < 2:
        raise InvalidInputError(
            "must name folds of at least two examples, got one in each; try 'kfold-t'",
            argument="fold",
        )
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
    found[ranges <= ROUNDING * np.abs(rows).max(axis=1)] = 0.0
    return found


def spread_of_halves(halves: Halves) -> float:
    """Return the standard error of a mean on half the data, sqrt(sum_m (mu_m - mu_m^c)^2 / (2 M))."""
    means = halves.means
    gaps = difference(means[:, 0], means[:, 1])
    return root_sum_of_squares(gaps) / math.sqrt(2.0 * halves.halvings)


def root_sum_of_squares(values: FloatArray) -> float:
    """Return the root of the sum of squares, without overflow or underflow on the way."""
    return math.hypot(*values.ravel().tolist())
