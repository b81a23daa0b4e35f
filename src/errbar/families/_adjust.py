"""Several learners at once: which pairs are compared, and what that does to p-values."""

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError

ADJUSTMENTS = ("holm", "bonferroni", "hommel", "benjamini-hochberg", "benjamini-yekutieli", "none")
"""Adjustments that p-values alone are enough for."""

JOINT = ("max-t",)
"""Adjustments that need the correlations of the statistics, too; see `max_t`."""

_SHORT = {"bh": "benjamini-hochberg", "by": "benjamini-yekutieli"}


def adjust(pvalues: ArrayLike, method: str = "holm") -> FloatArray:
    """Adjust p-values for having tested several hypotheses.

    Parameters
    ----------
    pvalues : array-like, shape (m,)
        P-values of the m hypotheses of the family, in [0, 1].
    method : str, default "holm"
        ``"holm"``, ``"bonferroni"`` and ``"hommel"`` control the probability of any false rejection in the family;
        ``"benjamini-hochberg"`` (``"bh"``) and ``"benjamini-yekutieli"`` (``"by"``) the expected share of false ones
        among the rejections; ``"none"`` changes nothing.

    Returns
    -------
    ndarray, shape (m,)
        Adjusted p-values in the order given: reject those at most 1 - level.

    Raises
    ------
    InvalidInputError
        If a p-value is outside [0, 1] or the method unknown.

    Notes
    -----
    The error rates hold if each p-value is valid by itself. P-values from resampling are approximate, and an adjustment makes
    their errors in the tail count: with n = 100 examples, Holm's adjustment of all pairs of 12 equal learners found a difference at 5 %
    in 0.5 % of simulated data sets by `cv_t`, and in 16 % by `corrected_t` (``benchmarks/several_learners.py``).

    Examples
    --------
    >>> from errbar.families import adjust
    >>> adjust([0.01, 0.02, 0.03, 0.04]).tolist()
    [0.04, 0.06, 0.06, 0.06]
    """
    kind = check_adjustment(method)
    if kind in JOINT:
        raise InvalidInputError(
            f"{kind!r} needs more than p-values; see errbar.families.max_t", argument="adjust"
        )
    p = _check.vector(pvalues, "pvalues", "hypothesis", 0)
    if p.size and (p.min() < 0.0 or p.max() > 1.0):
        raise InvalidInputError(
            f"must lie in [0, 1], got {p.min():g} to {p.max():g}", argument="pvalues"
        )
    if p.size < 2 or kind == "none":
        return p.copy()
    if kind.startswith("benjamini"):
        from scipy.stats import false_discovery_control

        return np.asarray(
            false_discovery_control(p, method="bh" if kind == "benjamini-hochberg" else "by")
        )
    return {"holm": _holm, "bonferroni": _bonferroni, "hommel": _hommel}[kind](p)


def check_adjustment(method: str) -> str:
    """Return the full name of an adjustment."""
    return _check.choice(_SHORT.get(method, method), (*ADJUSTMENTS, *JOINT), "adjust")


def pairs_of(learners: tuple[str, ...], baseline: str | None = None) -> list[tuple[str, str]]:
    """Return all pairs, first minus later, or every other learner minus the baseline.

    Parameters
    ----------
    learners : tuple of str
        Names.
    baseline : str, optional
        Learner that all others are compared with.

    Returns
    -------
    list of tuple of str
        Names of the pairs.

    Raises
    ------
    InvalidInputError
        If the baseline is not among the learners.

    Examples
    --------
    >>> from errbar.families import pairs_of
    >>> pairs_of(("a", "b", "c"), "a")
    [('b', 'a'), ('c', 'a')]
    """
    if baseline is None:
        return list(combinations(learners, 2))
    if baseline not in learners:
        raise InvalidInputError(
            f"must be one of {', '.join(map(repr, learners))}, got {baseline!r}",
            argument="baseline",
        )
    return [(name, baseline) for name in learners if name != baseline]


def _bonferroni(p: FloatArray) -> FloatArray:
    return np.minimum(1.0, p.size * p)


def _holm(p: FloatArray) -> FloatArray:
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(np.arange(p.size, 0, -1) * p[order])
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, steps)
    return adjusted


def _hommel(p: FloatArray) -> FloatArray:
    """Close Simes' test, in m log m steps (Meijer, Krebs & Goeman 2019).

    At level a, Simes' test rejects all intersections of more than h(a) hypotheses, and so Hommel's procedure those
    hypotheses with h(a) p <= a. The smallest such a is the smallest of max(least[k], k p) over k, where at level least[k]
    all intersections of more than k hypotheses are rejected; the first falls with k and the second rises.
    """
    m, order = p.size, np.argsort(p, kind="stable")
    ascending = p[order]
    simes = np.append(_simes_of_largest(ascending), 0.0)
    least = np.maximum.accumulate(simes[::-1])[::-1]
    # The first k with k p >= least[k]; the smallest maximum is there or one before.
    first = (
        1 + m - np.searchsorted((least[1:] / np.arange(1, m + 1))[::-1], ascending, side="right")
    )
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(
        first * ascending, np.maximum(least[first - 1], (first - 1) * ascending)
    )
    return np.minimum(1.0, adjusted)


def _simes_of_largest(ascending: FloatArray) -> FloatArray:
    """Return Simes' p-value of the k largest of m p-values, min over j of k p_(m-k+j) / j, for k = 1, ..., m.

    The place at which the minimum is taken moves up as fewer p-values are left, which halves the search in turn.
    """
    m = ascending.size
    found = np.empty(m)
    todo = [(0, m - 1, 0, m - 1)]
    while todo:
        first, last, low, high = todo.pop()
        left_out = (first + last) // 2
        start = max(low, left_out)
        ratios = ascending[start : high + 1] / np.arange(start + 1 - left_out, high + 2 - left_out)
        best = int(ratios.argmin())
        found[m - left_out - 1] = (m - left_out) * ratios[best]
        todo += [(first, left_out - 1, low, start + best)] if first < left_out else []
        todo += [(left_out + 1, last, start + best, high)] if left_out < last else []
    return found
