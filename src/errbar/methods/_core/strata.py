"""The variance between strata, which stratified splits take out of the variation of their scores."""

import math

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import compact
from errbar.losses import Losses, Units


def between_strata(values: ArrayLike, strata: ArrayLike, shares: ArrayLike | None = None) -> float:
    r"""Return the variance of the stratum means of a loss, weighted by the shares of the strata.

    Parameters
    ----------
    values, strata : array-like, shape (N,)
        Losses, or influence values of a metric, and the stratum of each, from 0 on.
    shares : array-like, shape (strata,), optional
        Share of each stratum in the data, or number of its examples; by default among the values.

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
    seen = counts > 0
    means = np.bincount(codes, numbers)[seen] / counts[seen]
    p = np.asarray(counts if shares is None else shares)[seen]
    p = p / p.sum()
    return float(p @ np.square(means - p @ means))


def variance_of_shares(losses: Losses) -> float:
    """Return B/n1; 0 where B is not known."""
    between = between_of(losses)
    if not between > 0.0:
        return 0.0
    must = "is needed for stratified splits: the variance between strata is divided by it"
    _check.require(not math.isnan(losses.n_train), must, None, "n_train")
    return between / losses.n_train


def between_of(losses: Losses) -> float:
    """Return B; it is 0 for splits that are not stratified and for metrics given the class, and NaN where it is not known."""
    if losses.between is not None:
        return losses.between
    stratum = losses.index.get("stratum")
    table = losses.table
    if table is None:
        return 0.0 if stratum is None else between_strata(losses.value, compact(stratum))
    design = table.splits.designs[0]
    if not design.stratified or table.loss.given_class:
        return 0.0
    if stratum is None or design.strata is None:
        return math.nan
    if table.blank:
        return 0.0
    if design.clusters is None:
        # The shares are those in the data; where only examples that were tested are known, those in the test sets are nearer.
        counts = None if table.splits.n is None else np.bincount(design.strata)
        return between_strata(losses.value, stratum, counts)
    # Examples of a cluster are of one stratum, or nearly, so the shares vary like those of fewer examples: B is n times the
    # squared error of the mean of n examples that have the mean loss of their stratum, where whole clusters are drawn.
    counts = np.bincount(stratum, minlength=int(design.strata.max()) + 1)
    means = np.bincount(stratum, losses.value, counts.size) / np.maximum(counts, 1)
    means[counts == 0] = losses.value.mean()
    return design.strata.size * Units.of(design.clusters).squared_error(means[design.strata])
