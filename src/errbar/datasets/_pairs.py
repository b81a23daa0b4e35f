"""Which pairs of learners differ, judged by their mean ranks."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import special

from errbar import families
from errbar._check import FloatArray
from errbar.datasets._data import DataSets, require_data_sets
from errbar.datasets._friedman import mean_ranks, rank_error


@dataclass(frozen=True)
class RankPair:
    """Two learners over several data sets.

    Attributes
    ----------
    a, b : str
        Names.
    rank_difference : float
        Mean rank of a minus that of b: negative where a is better.
    statistic : float
        Standardised test statistic, negative where a is better.
    pvalue : float
        P-value of this pair alone; for the test of Nemenyi, of this pair among all.
    adjusted : float
        P-value adjusted over all pairs that were tested.
    wins, ties, losses : int
        Number of data sets on which a is better than b, as good, and worse.
    """

    a: str
    b: str
    rank_difference: float
    statistic: float
    pvalue: float
    adjusted: float
    wins: int
    ties: int
    losses: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def nemenyi(data: DataSets) -> tuple[RankPair, ...]:
    r"""Test all pairs of learners by their mean ranks.

    Parameters
    ----------
    data : DataSets
        One score per data set and learner.

    Returns
    -------
    tuple of RankPair
        All pairs. P-values hold for all pairs together, so that `adjusted` equals `pvalue`.

    Raises
    ------
    InvalidInputError
        If `data` is no `DataSets`.

    See Also
    --------
    critical_difference : The same test as a bound on differences of mean ranks.
    holm : Adjusted p-values of normal tests, often smaller ones.

    Notes
    -----
    With R_a the mean rank of a over N data sets and k learners,

    .. math:: z = \frac{R_a - R_b}{\sqrt{k(k+1)/(6N)}},

    and :math:`\sqrt 2 |z|` is referred to the studentised range of k values with infinite degrees of freedom ([1]_;
    [2]_, section 3.2.2). The mean ranks of a and b depend on which other learners are in the pool, and so does
    whether a and b differ.

    References
    ----------
    .. [1] Nemenyi (1963), Distribution-free multiple comparisons, Princeton University.
    .. [2] Demsar (2006), Journal of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> from errbar.datasets import DataSets, nemenyi
    >>> scores = {"a": [0.3, 0.4, 0.2, 0.5, 0.4, 0.3], "b": [0.2, 0.3, 0.3, 0.4, 0.3, 0.4], "c": [0.1, 0.3, 0.1, 0.2, 0.2, 0.2]}
    >>> data = DataSets(scores)
    >>> [(pair.a, pair.b, round(pair.pvalue, 4)) for pair in nemenyi(data)]
    [('a', 'b', 0.7506), ('a', 'c', 0.0168), ('b', 'c', 0.1072)]
    """
    from scipy.stats import studentized_range

    found = require_data_sets(data)

    def of_range(z: FloatArray) -> FloatArray:
        # The complement of a computed probability may leave [0, 1] in the last digit.
        tail = studentized_range.sf(math.sqrt(2.0) * np.abs(z), len(found.learners), math.inf)
        return np.asarray(np.clip(tail, 0.0, 1.0))

    return _by_mean_ranks(found, None, "none", of_range)


def holm(
    data: DataSets, *, baseline: str | None = None, adjust: str = "holm"
) -> tuple[RankPair, ...]:
    r"""Test pairs of learners by their mean ranks, with normal p-values that are adjusted.

    Parameters
    ----------
    data : DataSets
        One score per data set and learner.
    baseline : str, optional
        Learner that all others are compared with; by default all pairs are tested.
    adjust : str, default "holm"
        Adjustment of the p-values over the pairs, as for `errbar.families.adjust`.

    Returns
    -------
    tuple of RankPair
        The pairs that were tested; the statistic is z.

    Raises
    ------
    InvalidInputError
        If `data` is no `DataSets`, or the baseline or adjustment is unknown.

    See Also
    --------
    nemenyi : All pairs by the studentised range.

    Notes
    -----
    With R_a the mean rank of a over N data sets and k learners, the two-sided p-value is that of

    .. math:: z = \frac{R_a - R_b}{\sqrt{k(k+1)/(6N)}}

    under the standard normal distribution ([1]_, section 3.2.2; [2]_ for all pairs), adjusted by default by the step-down
    method of [3]_.

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [2] Garcia & Herrera (2008), Journal of Machine Learning Research 9, 2677-2694.
    .. [3] Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70.

    Examples
    --------
    >>> from errbar.datasets import DataSets, holm
    >>> scores = {"a": [0.3, 0.4, 0.2, 0.5, 0.4, 0.3], "b": [0.2, 0.3, 0.3, 0.4, 0.3, 0.4], "c": [0.1, 0.3, 0.1, 0.2, 0.2, 0.2]}
    >>> data = DataSets(scores)
    >>> [(pair.a, pair.b, round(pair.adjusted, 4)) for pair in holm(data, baseline="c")]
    [('a', 'c', 0.0122), ('b', 'c', 0.0433)]
    """
    found = require_data_sets(data)
    return _by_mean_ranks(found, baseline, adjust, lambda z: 2.0 * special.ndtr(-np.abs(z)))


def _by_mean_ranks(
    data: DataSets, baseline: str | None, adjust: str, pvalues: Callable[[FloatArray], FloatArray]
) -> tuple[RankPair, ...]:
    means = mean_ranks(data)
    pairs = families.pairs_of(data.learners, baseline)
    z = np.array([means[a] - means[b] for a, b in pairs]) / rank_error(
        len(data.learners), len(data.names)
    )
    return made_pairs(data, pairs, z, pvalues(z), adjust)


def made_pairs(
    data: DataSets,
    pairs: list[tuple[str, str]],
    statistics: FloatArray,
    pvalues: FloatArray,
    adjust: str,
) -> tuple[RankPair, ...]:
    """Return pairs with their adjusted p-values and what they have won."""
    adjusted = families.adjust(pvalues, adjust)
    means = mean_ranks(data)
    made = []
    for (a, b), statistic, pvalue, after in zip(pairs, statistics, pvalues, adjusted, strict=True):
        gap = data.ranks[:, data.position(a)] - data.ranks[:, data.position(b)]
        wins, losses = int(np.count_nonzero(gap < 0)), int(np.count_nonzero(gap > 0))
        ties = gap.size - wins - losses
        made.append(
            RankPair(
                a,
                b,
                means[a] - means[b],
                float(statistic),
                float(pvalue),
                float(after),
                wins,
                ties,
                losses,
            )
        )
    return tuple(made)
