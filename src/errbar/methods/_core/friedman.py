"""Friedman's test: ranks within blocks, the chi-square with ties accounted for, and the F of Iman & Davenport."""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from errbar._check import FloatArray
from errbar.methods.distributions import ROUNDING


class Friedman(NamedTuple):
    """Both statistics, each with its degrees of freedom and p-value."""

    chi2: float
    df: int
    chi2_pvalue: float
    f: float
    f_df: tuple[int, int]
    f_pvalue: float


def midranks(table: FloatArray) -> FloatArray:
    """Return the ranks within each row, 1 for the smallest; numbers that are equal up to rounding share their mean.

    Parameters
    ----------
    table : ndarray, shape (blocks, learners)
        Numbers.

    Returns
    -------
    ndarray, shape (blocks, learners)
        Whole and half numbers.
    """
    order = np.argsort(table, axis=1, kind="stable")
    ascending = np.take_along_axis(table, order, axis=1)
    size = np.maximum(np.abs(ascending[:, 1:]), np.abs(ascending[:, :-1]))
    starts = np.ones(ascending.shape, dtype=bool)
    starts[:, 1:] = np.diff(ascending, axis=1) > ROUNDING * size
    group = np.cumsum(starts.ravel()) - 1
    positions = np.tile(np.arange(1.0, table.shape[1] + 1.0), table.shape[0])
    shared = np.bincount(group, weights=positions) / np.bincount(group)
    ranks = np.empty_like(ascending)
    np.put_along_axis(ranks, order, shared[group].reshape(table.shape), axis=1)
    return ranks


def friedman_of(ranks: FloatArray) -> Friedman:
    """Return the test of ranks.

    Parameters
    ----------
    ranks : ndarray, shape (blocks, learners)
        Ranks within each row, as `midranks` gives them.

    Returns
    -------
    Friedman
        Statistics of 0 and p-values of 1 where all learners are equal in every block; an infinite F with p-value 0
        where all blocks rank the learners alike.
    """
    n, k = ranks.shape
    middle = (k + 1) / 2
    # Multiples of one quarter, so both sums are exact.
    between = float(np.square(np.add.reduce(ranks, axis=0) - n * middle).sum())
    within = float(np.square(ranks - middle).sum())
    chi2 = (k - 1) * between / within if within else 0.0
    one, two = k - 1, (k - 1) * (n - 1)
    rest = n * within - between
    f, pvalue = 0.0, 1.0
    if between:
        f = (n - 1) * between / rest if rest else math.inf
        pvalue = float(special.fdtrc(one, two, f))
    return Friedman(chi2, one, float(special.chdtrc(one, chi2)), f, (one, two), pvalue)
