"""Friedman's test, the F of Iman & Davenport, mean ranks and the critical difference of Nemenyi."""

import math
from dataclasses import dataclass
from typing import Any

from errbar import _check
from errbar._plain import plain
from errbar.datasets._data import DataSets, means, require_data_sets
from errbar.methods._data_sets import friedman_of
from errbar.result import Note

CORRECTIONS = ("iman-davenport", "none")

_STILL = Note("no-variation")


@dataclass(frozen=True)
class FriedmanResult:
    """Whether the learners differ at all, judged by their ranks.

    Attributes
    ----------
    mean_ranks : dict of str to float
        Mean rank of each learner, 1 for one that is best everywhere.
    chi2, df, chi2_pvalue : float, int, float
        Friedman's statistic, with ties accounted for, its degrees of freedom and p-value.
    f, f_df, f_pvalue : float, tuple of int, float
        The statistic of Iman & Davenport, its degrees of freedom and p-value.
    correction : {"iman-davenport", "none"}
        Which of the two is the test's own statistic and p-value.
    level : float
        Confidence level; the test rejects where its p-value is at most 1 - level.
    n_data_sets : int
        Number of data sets.
    notes : tuple of Note
        Caveats that belong to the numbers.
    """

    mean_ranks: dict[str, float]
    chi2: float
    df: int
    chi2_pvalue: float
    f: float
    f_df: tuple[int, int]
    f_pvalue: float
    correction: str
    level: float
    n_data_sets: int
    notes: tuple[Note, ...] = ()

    @property
    def statistic(self) -> float:
        """F of Iman & Davenport, or Friedman's chi-square without that correction."""
        return self.chi2 if self.correction == "none" else self.f

    @property
    def pvalue(self) -> float:
        """P-value of `statistic`."""
        return self.chi2_pvalue if self.correction == "none" else self.f_pvalue

    @property
    def rejected(self) -> bool:
        """Whether it is rejected that all learners are equally good."""
        return self.pvalue <= 1.0 - self.level

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; an infinite F is ``"inf"``."""
        return plain(self, infinite=("f",))

    def __str__(self) -> str:
        """Return the test on a few lines."""
        return "\n".join([*self.lines, *(f"note {note}" for note in self.notes)])

    @property
    def lines(self) -> tuple[str, str]:
        """Both statistics with their p-values, a line each."""
        first, second = self.f_df
        return (
            f"Friedman: chi-square {self.chi2:.6g} with {self.df} degrees of freedom, p = {self.chi2_pvalue:.4g}",
            f"Iman & Davenport: F {self.f:.6g} with {first} and {second} degrees of freedom, p = {self.f_pvalue:.4g}",
        )


def friedman(
    data: DataSets, *, level: float = 0.95, correction: str = "iman-davenport"
) -> FriedmanResult:
    r"""Test whether some learners are better than others over several data sets.

    Parameters
    ----------
    data : DataSets
        One score per data set and learner.
    level : float, default 0.95
        Confidence level.
    correction : {"iman-davenport", "none"}, default "iman-davenport"
        Which p-value is the test's own. Friedman's chi-square is conservative; the F of Iman & Davenport is closer
        to the nominal level. Both are in the result.

    Returns
    -------
    FriedmanResult
        Both statistics, and the mean ranks.

    Raises
    ------
    InvalidInputError
        If `data` is no `DataSets`, or the level or correction cannot be used.

    See Also
    --------
    ranks : This, and which pairs differ.

    Notes
    -----
    With r_ij the rank of learner j on data set i (1 the best, mean ranks for ties), S_j its sum over the N data sets
    and k learners,

    .. math:: \chi^2 = (k-1)\,\frac{\sum_j (S_j - N(k+1)/2)^2}{\sum_{ij} (r_{ij} - (k+1)/2)^2}

    with k - 1 degrees of freedom ([1]_, section 3.2.2, which gives it without ties; ``scipy.stats.friedmanchisquare``
    gives the same), and

    .. math:: F = \frac{(N-1)\,\chi^2}{N(k-1) - \chi^2}

    with k - 1 and (k - 1)(N - 1) degrees of freedom ([2]_). F is infinite, and its p-value 0, where all data sets
    rank the learners alike; a note then says how often chance alone does that. Where all learners are equal
    everywhere, both statistics are 0 and both p-values 1.

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [2] Iman & Davenport (1980), Communications in Statistics A9(6), 571-595.

    Examples
    --------
    >>> from errbar.datasets import DataSets, friedman
    >>> scores = {"a": [0.3, 0.4, 0.2, 0.5, 0.4, 0.3], "b": [0.2, 0.3, 0.3, 0.4, 0.3, 0.4], "c": [0.1, 0.3, 0.1, 0.2, 0.2, 0.2]}
    >>> data = DataSets(scores)
    >>> result = friedman(data)
    >>> round(result.chi2, 4), round(result.f, 4), round(result.pvalue, 4)
    (8.4348, 11.8293, 0.0023)
    """
    found = require_data_sets(data)
    level = _check.level(level)
    correction = _check.choice(correction, CORRECTIONS, "correction")
    test = friedman_of(found.ranks)
    return FriedmanResult(
        mean_ranks(found),
        *test,
        correction=correction,
        level=level,
        n_data_sets=len(found.names),
        notes=_notes(found, alike=math.isinf(test.f)),
    )


def mean_ranks(data: DataSets) -> dict[str, float]:
    """Return the mean rank of each learner over the data sets.

    Parameters
    ----------
    data : DataSets
        One score per data set and learner.

    Returns
    -------
    dict of str to float
        Between 1, best on every data set, and the number of learners; equal scores share the mean of their ranks.

    Raises
    ------
    InvalidInputError
        If `data` is no `DataSets`.

    See Also
    --------
    errbar.plots.ranks : Draw them.

    Examples
    --------
    >>> from errbar.datasets import DataSets, mean_ranks
    >>> mean_ranks(DataSets({"tree": [0.31, 0.12, 0.40], "forest": [0.25, 0.12, 0.33]}))
    {'tree': 1.8333333333333333, 'forest': 1.1666666666666667}
    """
    found = require_data_sets(data)
    return means(found, found.ranks)


def critical_difference(k: int, n: int, level: float = 0.95) -> float:
    r"""Return the difference of mean ranks above which two learners differ by the test of Nemenyi.

    Parameters
    ----------
    k : int
        Number of learners.
    n : int
        Number of data sets.
    level : float, default 0.95
        Confidence level, for all pairs together.

    Returns
    -------
    float
        The critical difference.

    Raises
    ------
    InvalidInputError
        If there are fewer than two learners or data sets.

    See Also
    --------
    nemenyi : P-values of all pairs.

    Notes
    -----
    .. math:: CD = q \sqrt{\frac{k(k+1)}{6N}}

    with q the quantile of the studentised range of k values with infinite degrees of freedom, divided by
    :math:`\sqrt 2` ([1]_, section 3.2.2 and table 5).

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> from errbar.datasets import critical_difference
    >>> round(critical_difference(4, 14), 3)
    1.254
    """
    from scipy.stats import studentized_range

    learners, data_sets = _check.count(k, "k", 2), _check.count(n, "n", 2)
    q = float(studentized_range.isf(1.0 - _check.level(level), learners, math.inf)) / math.sqrt(2.0)
    return q * rank_error(learners, data_sets)


def rank_error(k: int, n: int) -> float:
    """Return the standard error of a difference of two mean ranks where all learners are equally good."""
    return math.sqrt(k * (k + 1) / (6.0 * n))


def _notes(data: DataSets, *, alike: bool) -> tuple[Note, ...]:
    if (data.ranks == data.ranks[0, 0]).all():
        return (*data.notes, _STILL)
    return (*data.notes, _STILL) if alike else data.notes
