"""Several data sets: one score per data set and learner, ranks over them, and tests that take data sets as the sample."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

import errbar
from errbar import _check, simultaneous
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.errors import PairingError
from errbar.losses import difference
from errbar.methods import wilcoxon
from errbar.methods._data_sets import Friedman, bayesian_hierarchical, friedman_of, midranks
from errbar.result import Note
from errbar.table import LossTable

__all__ = ["DataSets", "Ranking", "bayesian_hierarchical", "critical_difference", "ranks"]

POST_HOC = ("nemenyi", "holm", "wilcoxon")


class DataSets:
    """One score per data set and learner: the sample of every test in `errbar.datasets`.

    The data sets must be independent of each other: different problems, not splits of the same data.

    Parameters
    ----------
    scores : mapping, data frame or array-like of shape (N, k)
        N numbers per learner: one per data set, such as the mean loss of a cross-validation.
    learners : sequence of str, optional
        Names of the learners, where `scores` is an array.
    names : sequence of str, optional
        Names of the data sets; by default the text index of a pandas frame, or numbers from 1.
    higher_is_better : bool, default False
        Whether larger numbers are better, as for accuracy.
    notes : tuple of Note
        Caveats on where the numbers come from.

    Raises
    ------
    InvalidInputError, PairingError
        If there are fewer than two data sets or learners, or a number is not finite; if learners have
        different numbers of data sets.

    Examples
    --------
    >>> from errbar.datasets import DataSets
    >>> data = DataSets({"tree": [0.31, 0.12, 0.40], "forest": [0.25, 0.12, 0.33]})
    >>> data
    DataSets(3 data sets, 2 learners, lower is better)
    >>> data.differences("tree", "forest").round(2).tolist()
    [0.06, 0.0, 0.07]
    """

    notes: tuple[Note, ...] = ()

    def __init__(
        self,
        scores: Any,
        learners: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        *,
        higher_is_better: bool = False,
    ) -> None:
        columns = None
        table = scores
        if isinstance(scores, Mapping) or hasattr(scores, "columns"):
            must = "names the columns of an array; a mapping or data frame has names already"
            _check.require(learners is None, must, learners, "learners")
            columns = list(getattr(scores, "columns", scores))
            table = [scores[name] for name in columns]
        table = np.array(_check.numbers(table, "scores", "data set and learner"))
        self.scores = table if columns is None else table.T
        must = "must have a row for each of at least 2 data sets and a column for each of at least 2 learners"
        _check.require(table.ndim == 2 and min(table.shape) > 1, must, self.scores.shape, "scores")
        self.scores.setflags(write=False)
        rows = [] if columns is None else list(getattr(scores, "index", ()))
        if rows and all(isinstance(one, str) for one in rows):
            names = names or rows
        count, k = self.scores.shape
        self.learners = _titles(learners or columns, k, "learners", "learner")
        self.names = _titles(names, count, "names", "data set")
        self.higher_is_better = _check.flag(higher_is_better, "higher_is_better")

    @classmethod
    def from_tables(cls, tables: Mapping[str, LossTable]) -> Self:
        """Take the mean loss of every learner from one table per data set.

        Parameters
        ----------
        tables : mapping of str to LossTable
            Table by name of the data set, such as `errbar.run` makes them; all with the same learners and
            loss. Where a table holds several plans, the splits of the first are used.

        Returns
        -------
        DataSets
            Means over the splits, in the direction in which the loss is shown.

        Raises
        ------
        PairingError
            If learners or losses differ between tables, or two tables come from the same data.

        Examples
        --------
        >>> import errbar
        >>> wine = errbar.from_scores({"tree": [0.3, 0.2], "forest": [0.2, 0.2]}, metric="zero-one")
        >>> iris = errbar.from_scores({"tree": [0.1, 0.1], "forest": [0.0, 0.1]}, metric="zero-one")
        >>> errbar.datasets.DataSets.from_tables({"wine": wine, "iris": iris}).scores.tolist()
        [[0.25, 0.2], [0.1, 0.05]]
        """
        given = dict(tables) if isinstance(tables, Mapping) else {}
        known = all(isinstance(table, LossTable) for table in given.values())
        must = "must map names of at least 2 data sets to LossTables"
        _check.require(len(given) > 1 and known, must, tables, "tables")
        (one, first), *_ = given.items()
        seen: dict[str, str] = {}
        rows = []
        for name, table in given.items():
            asked, answered = (
                (each.loss.key, each.loss.sign, set(each.learners)) for each in (first, table)
            )
            twin = seen.setdefault(table.provenance.get("data", f"of {name}"), name)
            if asked != answered or twin != name:
                raise PairingError(
                    f"the tables of {twin if twin != name else one!r} and {name!r} must have the same learners and loss, and not the same data"
                )
            scores = table.of_plan(0).scores
            means = np.add.reduce(scores, axis=1) / scores.shape[1]
            places = [table.position(learner) for learner in first.learners]
            rows.append(table.loss.sign * means[places] + 0.0)
        made = cls(rows, first.learners, list(given), higher_is_better=first.loss.higher_is_better)
        if any("data" not in table.provenance for table in given.values()):
            what = "that the tables come from different data"
            by = "a table that says which data it comes from"
            made.notes = (Note("not-verified", what=what, by=by),)
        return made

    @classmethod
    def from_table(cls, table: LossTable) -> Self:
        """Take each row of one table of scores for a data set, unless the rows are splits of the same data.

        Parameters
        ----------
        table : LossTable
            Numbers made elsewhere, of kind ``"data-sets"`` (or ``"other"``), with one row per data set.

        Returns
        -------
        DataSets
            In the direction in which the loss is shown, with the notes of the table.

        Raises
        ------
        PairingError
            If the rows are splits of one data set.

        Notes
        -----
        The variation must come from the data sets; resampling one of them serves only to measure its score
        ([1]_, section 3), since scores of its splits are correlated ([2]_, section 3.3).

        References
        ----------
        .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
        .. [2] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

        Examples
        --------
        >>> import errbar
        >>> scores = {"tree": [0.3, 0.1], "forest": [0.2, 0.1]}
        >>> errbar.datasets.DataSets.from_table(errbar.from_scores(scores, kind="data-sets"))
        DataSets(2 data sets, 2 learners, lower is better)
        """
        splits = table.splits
        known = splits.fingerprint is not None or table.cells is not None
        if known or splits.kinds not in (("data-sets",), ("other",)):
            raise PairingError(
                f"the {splits.plan.size} splits of this table ({' + '.join(splits.kinds)}) share examples of one data set; "
                "compare its learners with errbar.compare_table and the method 'corrected-t'"
            )
        shown = table.loss.sign * table.scores.T + 0.0
        made = cls(shown, table.learners, higher_is_better=table.loss.higher_is_better)
        made.notes = table.notes
        return made

    @cached_property
    def ranks(self) -> FloatArray:
        """Rank of each learner on each data set, shape (N, k): 1 for the best, and the mean rank for equal scores."""
        return midranks(-self.scores if self.higher_is_better else self.scores)

    def means(self, table: FloatArray) -> dict[str, float]:
        """Return the mean over the data sets of each column of a table, such as `scores` or `ranks`, by learner."""
        found = np.add.reduce(table, axis=0) / len(self.names)
        return dict(zip(self.learners, found.tolist(), strict=True))

    def differences(self, a: str, b: str) -> FloatArray:
        """Return the score of learner `a` minus that of `b` on each data set, 0 for rounding alone.

        Parameters
        ----------
        a, b : str

        Returns
        -------
        ndarray, shape (N,)

        Raises
        ------
        InvalidInputError
            If a learner is unknown, or both are the same.
        """
        first = _check.choice(a, self.learners, "a")
        second = _check.choice(b, [name for name in self.learners if name != a], "b")
        one, other = (self.scores[:, self.learners.index(name)] for name in (first, second))
        return difference(one, other)

    def __repr__(self) -> str:
        """Return the shape in words."""
        return f"DataSets({len(self.names)} data sets, {len(self.learners)} learners, {self.direction})"

    @property
    def direction(self) -> str:
        """Which numbers are better, in words."""
        return "higher is better" if self.higher_is_better else "lower is better"


def _titles(given: Any, count: int, argument: str, unit: str) -> tuple[str, ...]:
    if given is None:
        given = [f"{unit} {place + 1}" for place in range(count)]
    whole = not isinstance(given, str) and hasattr(given, "__len__") and len(given) == count
    _check.require(whole, f"must hold {count} names, one per {unit}", given, argument)
    return _check.names(given, unit)


class RankPair(NamedTuple):
    """Two learners over several data sets.

    Attributes
    ----------
    a, b : names
    rank_difference : mean rank of a minus that of b: negative where a is better
    statistic : standardised test statistic, negative where a is better
    pvalue : p-value of this pair alone; for the test of Nemenyi, of this pair among all
    adjusted : p-value adjusted over all pairs that were tested
    wins, ties, losses : number of data sets on which a is better than b, as good, and worse
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


@dataclass(frozen=True, eq=False)
class Ranking:
    """Learners ranked over several data sets, and which of them are told apart.

    Attributes
    ----------
    data : the numbers
    friedman : Friedman
        Whether the learners differ at all: ``chi2``, ``df`` and ``chi2_pvalue`` of Friedman,
        with ties accounted for; ``f``, ``f_df`` and ``f_pvalue`` of Iman & Davenport, closer to
        the nominal level.
    mean_ranks : mean rank of each learner, best first
    mean_scores : mean score of each learner over the data sets, in the order of the mean ranks
    pairs : the pairs that were tested
    cliques : tuple of tuple of str
        Largest groups of learners no two of which are told apart, each ordered by mean rank;
        empty with a baseline, since the other pairs are then not tested.
    critical_difference : float or None
        Difference of mean ranks above which two learners differ; for the test of Nemenyi only.
    post_hoc : test of the pairs
    adjust : str
        Adjustment of the p-values of the pairs; ``"none"`` for the test of Nemenyi, which needs
        none.
    baseline : learner that all others are compared with
    level : confidence level; pairs are told apart where the adjusted p-value is at most 1 - level
    notes : caveats that belong to the numbers
    """

    data: DataSets
    friedman: Friedman
    mean_ranks: dict[str, float]
    mean_scores: dict[str, float]
    pairs: tuple[RankPair, ...]
    cliques: tuple[tuple[str, ...], ...]
    critical_difference: float | None
    post_hoc: str
    adjust: str
    baseline: str | None
    level: float
    notes: tuple[Note, ...]

    @property
    def apart(self) -> tuple[RankPair, ...]:
        """The pairs that are told apart at this level."""
        return tuple(pair for pair in self.pairs if pair.adjusted <= 1.0 - self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        told = {name: value for name, value in vars(self).items() if name not in _TOLD_OTHERWISE}
        return plain(told) | {
            "n_data_sets": len(self.data.names),
            "direction": self.data.direction,
            "friedman": plain(self.friedman, infinite=("f",)),
            "learners": [
                {"name": name, "mean_rank": rank, "mean_score": self.mean_scores[name]}
                for name, rank in self.mean_ranks.items()
            ],
        }

    def __str__(self) -> str:
        """Return the ranking as text."""
        return errbar.report.text(self)


_TOLD_OTHERWISE = ("data", "friedman", "mean_ranks", "mean_scores")


def ranks(
    data: DataSets,
    *,
    level: float = 0.95,
    post_hoc: str | None = None,
    baseline: str | None = None,
    adjust: str = "holm",
) -> Ranking:
    r"""Rank learners over several data sets and test which of them differ.

    Parameters
    ----------
    data : DataSets
        One score per data set and learner.
    level : float, default 0.95
    post_hoc : {"nemenyi", "holm", "wilcoxon"}, optional
        Test of the pairs, by default ``"nemenyi"``, or ``"holm"`` with a baseline: mean ranks with the
        studentised range, mean ranks with adjusted normal p-values, or the signed-rank test of each
        pair with adjusted p-values, which does not depend on the other learners in the pool.
    baseline : str, optional
        Learner that all others are compared with; not for ``"nemenyi"``.
    adjust : str, default "holm"
        As for `errbar.simultaneous.adjust`; the test of Nemenyi needs none and ignores it.

    Returns
    -------
    Ranking
        Friedman's test, mean ranks and scores, pairs, and groups that are not told apart.

    Raises
    ------
    InvalidInputError
        If `data` is no `DataSets`, an option is unknown, or a baseline is given to the test of Nemenyi.

    Notes
    -----
    With r_ij the rank of learner j on data set i (1 the best, mean ranks for ties), S_j its sum over
    the N data sets and k learners,

    .. math:: \chi^2 = (k-1)\,\frac{\sum_j (S_j - N(k+1)/2)^2}{\sum_{ij} (r_{ij} - (k+1)/2)^2},
              \qquad F = \frac{(N-1)\,\chi^2}{N(k-1) - \chi^2}

    with k - 1, and k - 1 and (k - 1)(N - 1) degrees of freedom ([1]_, section 3.2.2, without ties;
    [2]_). The pairs are tested whatever Friedman's test says, by

    .. math:: z = \frac{R_a - R_b}{\sqrt{k(k+1)/(6N)}},

    R the mean ranks: :math:`\sqrt 2 |z|` is referred to the studentised range of k values ([3]_), or z
    to the normal distribution ([4]_ for all pairs). Whether two learners differ then depends on which
    others are ranked with them ([5]_).

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [2] Iman & Davenport (1980), Communications in Statistics A9(6), 571-595.
    .. [3] Nemenyi (1963), Distribution-free multiple comparisons, Princeton University.
    .. [4] Garcia & Herrera (2008), Journal of Machine Learning Research 9, 2677-2694.
    .. [5] Benavoli, Corani & Mangili (2016), Journal of Machine Learning Research 17(5), 1-10.

    Examples
    --------
    >>> from errbar.datasets import DataSets, ranks
    >>> scores = {"a": [0.3, 0.4, 0.2, 0.5], "b": [0.2, 0.3, 0.3, 0.4], "c": [0.1, 0.3, 0.1, 0.2]}
    >>> ranks(DataSets(scores)).mean_ranks
    {'c': 1.125, 'b': 2.125, 'a': 2.75}
    """
    must = "must be errbar.datasets.DataSets(scores, higher_is_better=...)"
    _check.require(isinstance(data, DataSets), must, data, "data")
    level, adjust = _check.level(level), simultaneous.check_adjustment(adjust)
    usual = "nemenyi" if baseline is None else "holm"
    test = _check.choice(usual if post_hoc is None else post_hoc, POST_HOC, "post_hoc")
    bound = None
    if test == "nemenyi":
        must = "needs `post_hoc` 'holm' or 'wilcoxon'; 'nemenyi' tests all pairs"
        _check.require(baseline is None, must, baseline, "baseline")
        adjust = "none"
        bound = critical_difference(len(data.learners), len(data.names), level)
    friedman, notes = friedman_of(data.ranks), data.notes
    if math.isinf(friedman.f) or (data.ranks == data.ranks[0, 0]).all():
        notes = (*notes, Note("no-variation"))
    pairs = _tested(data, test, simultaneous.pairs_of(data.learners, baseline), adjust)
    means, scores = data.means(data.ranks), data.means(data.scores)
    order = sorted(data.learners, key=means.__getitem__)
    told = {frozenset((pair.a, pair.b)) for pair in pairs if pair.adjusted <= 1.0 - level}
    alike = np.array([[frozenset((a, b)) not in told for a in order] for b in order])
    found = groups(alike) if baseline is None else []
    return Ranking(
        data=data,
        friedman=friedman,
        mean_ranks={name: means[name] for name in order},
        mean_scores={name: scores[name] for name in order},
        pairs=pairs,
        cliques=tuple(tuple(order[place] for place in group) for group in found),
        critical_difference=bound,
        post_hoc=test,
        adjust=adjust,
        baseline=baseline,
        level=level,
        notes=notes,
    )


def _tested(
    data: DataSets, test: str, couples: Sequence[tuple[str, str]], adjust: str
) -> tuple[RankPair, ...]:
    """Return the pairs with their p-values, adjusted, and what they have won."""
    means, k = data.means(data.ranks), len(data.learners)
    gaps = np.array([means[a] - means[b] for a, b in couples])
    statistics = gaps / _rank_error(k, len(data.names))
    if test == "nemenyi":
        from scipy.stats import studentized_range

        tails = studentized_range.sf(math.sqrt(2.0) * np.abs(statistics), k, math.inf)
        # The complement of a computed probability may leave [0, 1] in the last digit.
        pvalues = np.clip(tails, 0.0, 1.0)
    elif test == "holm":
        pvalues = 2.0 * special.ndtr(-np.abs(statistics))
    else:
        worse = -1.0 if data.higher_is_better else 1.0
        results = [wilcoxon(worse * data.differences(a, b)) for a, b in couples]
        statistics, pvalues = np.array([(one.statistic, one.pvalue) for one in results]).T
    places = np.array([[data.learners.index(name) for name in couple] for couple in couples])
    first, second = data.ranks[:, places.T].swapaxes(0, 1)  # (N, pairs) each
    columns = (
        gaps,
        statistics,
        pvalues,
        simultaneous.adjust(pvalues, adjust),
        (first < second).sum(axis=0),
        (first == second).sum(axis=0),
        (first > second).sum(axis=0),
    )
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(RankPair(*couple, *row) for couple, row in zip(couples, rows, strict=True))


def critical_difference(k: int, n: int, level: float = 0.95) -> float:
    r"""Return the difference of mean ranks above which two learners differ by the test of Nemenyi.

    Parameters
    ----------
    k, n : int
        Numbers of learners and of data sets.
    level : float, default 0.95
        Confidence level, for all pairs together.

    Returns
    -------
    float

    Raises
    ------
    InvalidInputError
        If there are fewer than two learners or data sets.

    Notes
    -----
    .. math:: CD = q \sqrt{\frac{k(k+1)}{6N}}

    with q the quantile of the studentised range of k values with infinite degrees of freedom, divided
    by :math:`\sqrt 2` ([1]_, section 3.2.2 and table 5).

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
    return q * _rank_error(learners, data_sets)


def _rank_error(k: int, n: int) -> float:
    """Return the standard error of a difference of two mean ranks where all learners are equally good."""
    return math.sqrt(k * (k + 1) / (6.0 * n))


def groups(alike: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the largest groups of two or more, any two of which are alike, as positions; the first places first."""
    found = {frozenset[int]()}
    for place, row in enumerate(alike):
        near = frozenset(np.flatnonzero(row[:place]).tolist())
        # A largest group with this place is a largest group before it, less those that are not alike.
        found |= {(group & near) | {place} for group in found}
        found = {group for group in found if not any(group < other for other in found)}
    return sorted(tuple(sorted(group)) for group in found if len(group) > 1)
