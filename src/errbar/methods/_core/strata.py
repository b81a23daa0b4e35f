"""The variance between strata, which stratified splits take out of the variation of their scores."""

import math

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.clusters import Units
from errbar.index import compact
from errbar.losses import Losses


def between_strata(values: ArrayLike, strata: ArrayLike, shares: ArrayLike | None = None) -> float:
    r"""Return the variance of the stratum means of a loss, weighted by the shares of the strata.

    Parameters
    ----------
    values : array-like, shape (N,)
        Losses, or influence values of a metric.
    strata : array-like of int, shape (N,)
        Stratum of each, from 0 on.
    shares : array-like, shape (strata,), optional
        Share of each stratum in the data; by default among the values.

    Returns
    -------
    float
        :math:`B = \sum_c p_c (\bar I_c - \sum_d p_d \bar I_d)^2`.

    Examples
    --------
    >>> from errbar.methods import between_strata
    >>> between_strata([0.0, 0.0, 1.0, 0.0], [0, 0, 1, 1])
    0.0625
    """
    numbers = _check.vector(values, "values", "loss")
    codes = _check.labels(strata, numbers.size, "strata")
    counts = np.bincount(codes)
    weights = counts / numbers.size if shares is None else np.asarray(shares, dtype=np.float64)
    seen = counts > 0
    means = np.bincount(codes, weights=numbers)[seen] / counts[seen]
    kept = weights[: counts.size][seen] / weights[: counts.size][seen].sum()
    return float(kept @ np.square(means - kept @ means))


def between_of(losses: Losses) -> tuple[float, float]:
    """Return B for the scores of splits, and a bound for it where it is not known (NaN where there is neither).

    It is 0 for splits that are not stratified, and for metrics that are taken given the class.
    """
    if losses.between is not None:
        return losses.between, math.nan
    if losses.origin is None:
        found = (
            between_strata(losses.value, compact(losses.index["stratum"]))
            if "stratum" in losses.index
            else 0.0
        )
        return found, found
    table = losses.origin.table
    design, loss, target = table.splits.designs[0], table.loss, table.target
    if not design.stratified or loss.given_class:
        return 0.0, 0.0
    if "stratum" not in losses.index:
        # Influence values of a metric that is not a mean of losses may vary more than such losses can.
        if target is not None and not loss.pointwise and loss.key != "accuracy":
            return math.nan, math.nan
        return math.nan, _largest(tuple(one.splits.value for one in losses.each))
    if table.blank:
        return 0.0, 0.0
    assert design.strata is not None
    strata = losses.index["stratum"]
    if design.clusters is not None:
        found = _of_clusters(losses.value, strata, design.strata, design.clusters)
        return found, found
    # The shares are those in the data; where only examples that were tested are known, those in the test sets are nearer.
    shares = None if table.splits.n is None else np.bincount(design.strata) / design.strata.size
    found = between_strata(losses.value, strata, shares)
    return found, found


def _of_clusters(
    values: FloatArray, tested: IntArray, strata: IntArray, cluster: IntArray
) -> float:
    """Return n times the squared standard error that the strata add to the mean of n examples where whole clusters are drawn.

    Examples of a cluster are of one stratum, or nearly, so the shares of the strata vary like those of fewer examples.
    """
    counts = np.bincount(tested, minlength=int(strata.max()) + 1)
    means = np.bincount(tested, weights=values, minlength=counts.size) / np.maximum(counts, 1)
    means[counts == 0] = values.mean()
    return strata.size * Units.of(cluster).squared_error(means[strata])


def _largest(columns: tuple[FloatArray, ...]) -> float:
    """Return the largest B of scores that are means of losses in [0, 1]: the whole variance of a loss, or of a difference.

    A difference of two such losses with means a and b is at most 1 in size and not 0 for at most a + b of the examples (or
    2 - a - b, counted from the other end), so its mean square is at most that.
    """
    turned = [np.abs(column) for column in columns]
    of_both_signs = any(np.ptp(np.sign(c[c != 0])) > 0 for c in columns if c.any())
    if of_both_signs or any(float(column.max()) > 1.0 for column in turned):
        return math.nan
    means = [float(column.mean()) for column in turned]
    if len(means) == 1:
        return means[0] * (1.0 - means[0])
    a, b = means
    return min(1.0, a + b, 2.0 - a - b) - (a - b) ** 2
