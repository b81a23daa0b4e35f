"""Several data sets: one score per data set and learner, ranks over them, and tests that take data sets as the sample."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

import errbar
from errbar import _check, simultaneous
from errbar._check import FloatArray
from errbar._plain import Shown, plain
from errbar.design import Design, stated_columns
from errbar.errors import InvalidInputError, PairingError
from errbar.losses import difference
from errbar.methods import wilcoxon
from errbar.methods._core.infer import over_seeds
from errbar.methods._data_sets import (
    Friedman,
    SkillingsMack,
    friedman_of,
    midranks,
    skillings_mack_of,
)
from errbar.plans._base import DATA_SETS, OTHER
from errbar.result import Note, Result, distinct
from errbar.table import LossTable

__all__ = ["Ranking", "critical_difference", "from_tables", "ranks"]

POST_HOC = ("nemenyi", "holm", "wilcoxon")


def from_tables(tables: Mapping[str, LossTable]) -> LossTable:
    """Take the mean of every learner from one table per data set.

    The data sets must be independent of each other: different problems, not splits of the same data.

    Parameters
    ----------
    tables : mapping of str to LossTable
        Table by name of the data set, such as `errbar.run` makes them; all with the same learners and
        loss. Where a table holds several plans, the splits of the first are used.

    Returns
    -------
    LossTable
        Of kind ``"data-sets"``, with the mean over the splits of each table.

    Raises
    ------
    PairingError
        If learners or losses differ between tables, or two tables come from the same data.

    Examples
    --------
    >>> import errbar
    >>> wine = errbar.from_scores({"tree": [0.3, 0.2], "forest": [0.2, 0.2]}, metric="zero-one")
    >>> iris = errbar.from_scores({"tree": [0.1, 0.1], "forest": [0.0, 0.1]}, metric="zero-one")
    >>> errbar.datasets.from_tables({"wine": wine, "iris": iris}).scores.tolist()
    [[0.25, 0.1], [0.2, 0.05]]
    """
    given = dict(tables) if isinstance(tables, Mapping) else {}
    known = all(isinstance(table, LossTable) for table in given.values())
    must = "must map names of at least 2 data sets to LossTables"
    _check.require(len(given) > 1 and known, must, tables, "tables")
    first = next(iter(given.values()))
    asked = first.loss.key, first.loss.sign, {*first.learners}
    data = [table.provenance.get("data", name) for name, table in given.items()]
    means = []
    for table in given.values():
        if (table.loss.key, table.loss.sign, {*table.learners}) != asked:
            raise PairingError("all tables must have the same learners and loss")
        table.require_matched("a mean of each learner on the same rows")
        means.append(table.of_plan(0).subset(first.learners).scores.mean(axis=1))
    if len({*data}) < len(data):
        raise PairingError("two tables are of the same data, and data sets must be independent")
    unknown = any("data" not in table.provenance for table in given.values())
    what = "that the tables come from different data"
    note = Note("not-verified", what=what, by="a table that says which data it comes from")
    splits = stated_columns(Design.stated(DATA_SETS), len(given))
    scores = np.stack(means, axis=1)
    return LossTable(first.learners, first.loss, splits, scores, notes=(note,) * unknown)


class RankPair(NamedTuple):
    """Two learners over several data sets.

    Attributes
    ----------
    a, b : names
    rank_difference : mean rank of a minus that of b: negative where a is better
    statistic : standardised test statistic, negative where a is better
    pvalue : p-value of this pair alone; for the test of Nemenyi, of this pair among all
    adjusted : p-value adjusted over all pairs that were tested
    wins, ties, losses : number of data sets on which a is better than b, as good, and worse;
        those that lack one of the two are in none
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
class Ranking(Shown):
    """Learners ranked over several data sets, and which of them are told apart.

    Attributes
    ----------
    table : the numbers
    friedman : Friedman or None
        Whether the learners differ at all: ``chi2``, ``df`` and ``chi2_pvalue`` of Friedman,
        with ties accounted for; ``f``, ``f_df`` and ``f_pvalue`` of Iman & Davenport, closer to
        the nominal level. None where numbers are missing.
    skillings_mack : SkillingsMack or None
        The same where numbers are missing: ``chi2``, ``df`` and ``chi2_pvalue`` of Skillings & Mack.
    mean_ranks : mean rank of each learner, best first
    mean_scores : mean score of each learner over the data sets that it has, in the order of the
        mean ranks
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
    differences : tuple of Result
        Where each data set has several seeds: the differences of the same pairs in units of the
        loss, by `errbar.methods.data_sets_t`, each for itself.
    notes : caveats that belong to the numbers
    """

    table: LossTable
    friedman: Friedman | None
    skillings_mack: SkillingsMack | None
    mean_ranks: dict[str, float]
    mean_scores: dict[str, float]
    pairs: tuple[RankPair, ...]
    cliques: tuple[tuple[str, ...], ...]
    critical_difference: float | None
    post_hoc: str
    adjust: str
    baseline: str | None
    level: float
    differences: tuple[Result, ...]
    notes: tuple[Note, ...]

    @property
    def n_data_sets(self) -> int:
        """Number of data sets."""
        return int(self.table.scores.shape[1])

    @property
    def apart(self) -> tuple[RankPair, ...]:
        """The pairs that are told apart at this level."""
        return tuple(pair for pair in self.pairs if pair.adjusted <= 1.0 - self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        told = {name: value for name, value in vars(self).items() if name not in _TOLD_OTHERWISE}
        return plain(told) | {
            "n_data_sets": self.n_data_sets,
            "direction": self.table.loss.direction,
            "friedman": self.friedman and plain(self.friedman, infinite=("f",)),
            "differences": [one.to_dict() for one in self.differences],
            "learners": [
                {"name": name, "mean_rank": rank, "mean_score": self.mean_scores[name]}
                for name, rank in self.mean_ranks.items()
            ],
        }


_TOLD_OTHERWISE = ("table", "friedman", "mean_ranks", "mean_scores", "differences")


def ranks(
    table: LossTable,
    *,
    level: float = 0.95,
    post_hoc: str | None = None,
    baseline: str | None = None,
    adjust: str = "holm",
) -> Ranking:
    r"""Rank learners over several data sets and test which of them differ.

    Parameters
    ----------
    table : LossTable
        One number per data set and learner, or one for each seed of it: of `from_tables`,
        `errbar.from_scores` or `errbar.read_table`, of kind ``"data-sets"``. A number may be missing.
    level : float, default 0.95
    post_hoc : {"nemenyi", "holm", "wilcoxon"}, optional
        Test of the pairs, by default ``"nemenyi"``, or ``"holm"`` with a baseline: mean ranks with the
        studentised range, mean ranks with adjusted normal p-values, or the signed-rank test of each
        pair with adjusted p-values, which does not depend on the other learners in the pool. Where
        numbers are missing, it is ``"wilcoxon"``, on the data sets that both learners have.
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
        If this is no such table, an option is unknown, a baseline is given to the test of Nemenyi, or
        numbers are missing that a test of mean ranks needs.
    PairingError
        If the rows are splits of one data set, which share its examples ([6]_), or two learners have
        fewer than two data sets in common.

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

    Of several seeds the mean is ranked; one that lacks a seed is missing. Where numbers are missing,
    the k_i learners of data set i are ranked among themselves, and

    .. math:: T = A^\top V^- A, \qquad A_j = \sum_i \sqrt{\tfrac{12}{k_i+1}} \left(r_{ij} - \tfrac{k_i+1}{2}\right)

    with the covariances V of A under random orders has the chi-square distribution with k - 1 degrees
    of freedom ([7]_). V is taken given the ties, so that T is Friedman's chi-square where nothing is
    missing; programs that follow [7]_ with midranks, as [8]_ does, have smaller values with ties. With
    a fifth of the numbers missing and 10 to 40 data sets, equal learners differed at 5 % in 3.8 to
    4.7 % of 4000 simulations (``benchmarks/ranks.py``). A mean rank is then that of
    :math:`r_{ij} (k+1)/(k_i+1)`, the rank to be expected among all k learners if the missing ones fell
    in at random. A learner that failed for being bad is not missing at random: state what its failure
    is worth.

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [2] Iman & Davenport (1980), Communications in Statistics A9(6), 571-595.
    .. [3] Nemenyi (1963), Distribution-free multiple comparisons, Princeton University.
    .. [4] Garcia & Herrera (2008), Journal of Machine Learning Research 9, 2677-2694.
    .. [5] Benavoli, Corani & Mangili (2016), Journal of Machine Learning Research 17(5), 1-10.
    .. [6] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281, section 3.3.
    .. [7] Skillings & Mack (1981), Technometrics 23(2), 171-177.
    .. [8] Chatfield & Mander (2009), Stata Journal 9(2), 299-305.

    Examples
    --------
    >>> import errbar
    >>> errors = {"a": [0.3, 0.4, 0.2, 0.5], "b": [0.2, 0.3, 0.3, 0.4], "c": [0.1, 0.3, 0.1, 0.2]}
    >>> errbar.datasets.ranks(errbar.from_scores(errors, kind="data-sets")).mean_ranks
    {'c': 1.125, 'b': 2.125, 'a': 2.75}
    """
    must = "must be of two learners on two data sets, as from_scores(..., kind='data-sets') returns"
    _check.require(isinstance(table, LossTable), must, table, "table")
    splits, of_seeds, notes = table.splits, table, table.notes
    of_data = splits.fingerprint is not None or table.cells is not None
    if of_data or splits.kinds not in ((DATA_SETS,), (OTHER,)):
        raise PairingError(
            f"rows of kind {' + '.join(splits.kinds)} share examples of one data set; compare with errbar.compare_table and 'corrected-t'"
        )
    seeds = splits.designs[0].seeds > 1
    if seeds:
        table, note = over_seeds(table)
        notes += (note,)
    k, count = table.scores.shape
    _check.require(min(k, count) > 1, must, of_seeds, "table")
    level, adjust = _check.level(level), simultaneous.check_adjustment(adjust)
    couples = simultaneous.pairs_of(table.learners, baseline)
    known = ~np.isnan(table.scores)  # (k, N)
    whole = known.all()
    usual = "nemenyi" if baseline is None else "holm"
    if not whole:
        usual = "wilcoxon"
    test = _check.choice(usual if post_hoc is None else post_hoc, POST_HOC, "post_hoc")
    if not (whole or test == "wilcoxon"):
        raise InvalidInputError(
            f"{test!r} ranks all learners on all data sets, and numbers are missing; try 'wilcoxon'",
            argument="post_hoc",
        )
    bound = None
    if test == "nemenyi":
        must = "needs `post_hoc` 'holm' or 'wilcoxon'; 'nemenyi' tests all pairs"
        _check.require(baseline is None, must, baseline, "baseline")
        adjust = "none"
        bound = critical_difference(k, count, level)
    ranked = midranks(table.scores.T)  # (N, k)
    friedman, skillings_mack = None, None
    if whole:
        friedman = friedman_of(ranked)
        if math.isinf(friedman.f) or (ranked == ranked[0, 0]).all():
            notes = (*notes, Note("no-variation"))
    else:
        _require_common(table, couples)
        skillings_mack = skillings_mack_of(ranked)
        # The rank to be expected among all learners if the missing ones fell in at random.
        ranked *= (k + 1) / (known.sum(axis=0)[:, np.newaxis] + 1)
    pairs = _tested(table, ranked, test, couples, adjust)
    differences = [_difference(of_seeds, *couple, level) for couple in couples if seeds]
    notes = distinct([*notes, *(note for one in differences for note in one.notes)])
    shown = table.loss.sign * table.scores
    means, scores = (
        dict(zip(table.learners, (mean_of_known(own) + 0.0).tolist(), strict=True))
        for own in (ranked, shown.T)
    )
    order = sorted(table.learners, key=means.__getitem__)
    told = {frozenset((pair.a, pair.b)) for pair in pairs if pair.adjusted <= 1.0 - level}
    alike = np.array([[frozenset((a, b)) not in told for a in order] for b in order])
    found = groups(alike) if baseline is None else []
    return Ranking(
        table=table,
        friedman=friedman,
        skillings_mack=skillings_mack,
        mean_ranks={name: means[name] for name in order},
        mean_scores={name: scores[name] for name in order},
        pairs=pairs,
        cliques=tuple(tuple(order[place] for place in group) for group in found),
        critical_difference=bound,
        post_hoc=test,
        adjust=adjust,
        baseline=baseline,
        level=level,
        differences=tuple(differences),
        notes=notes,
    )


def _tested(
    table: LossTable,
    ranked: FloatArray,
    test: str,
    couples: Sequence[tuple[str, str]],
    adjust: str,
) -> tuple[RankPair, ...]:
    """Return the pairs with their p-values, adjusted, and what they have won."""
    places = np.array([[table.position(name) for name in couple] for couple in couples]).T
    first, second = ranked[:, places].swapaxes(0, 1)  # (N, pairs) each
    means = mean_of_known(ranked)
    gaps = means[places[0]] - means[places[1]]
    statistics = gaps / _rank_error(ranked.shape[1], len(ranked))
    if test == "nemenyi":
        from scipy.stats import studentized_range

        k = ranked.shape[1]
        tails = studentized_range.sf(math.sqrt(2.0) * np.abs(statistics), k, math.inf)
        # The complement of a computed probability may leave [0, 1] in the last digit.
        pvalues = np.clip(tails, 0.0, 1.0)
    elif test == "holm":
        pvalues = 2.0 * special.ndtr(-np.abs(statistics))
    else:
        both = [difference(*table.scores[couple]) for couple in places.T]
        results = [wilcoxon(own[~np.isnan(own)]) for own in both]
        statistics, pvalues = np.array([(one.statistic, one.pvalue) for one in results]).T
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


def mean_of_known(columns: FloatArray) -> FloatArray:
    """Return the mean of each column over the rows that it has."""
    return np.nansum(columns, axis=0) / (~np.isnan(columns)).sum(axis=0)


def _require_common(table: LossTable, couples: Sequence[tuple[str, str]]) -> None:
    for couple in couples:
        shared = int((~np.isnan(table.subset(couple).scores)).all(axis=0).sum())
        if shared < 2:
            raise PairingError(
                f"{couple[0]!r} and {couple[1]!r} share {shared} data sets, and 2 are needed; leave one out"
            )


def _difference(table: LossTable, a: str, b: str, level: float) -> Result:
    """Return the difference of two learners from the seeds that both have."""
    lacking = np.isnan(table.subset([a, b]).scores)  # (2, rows)
    return errbar.infer(table.select(~np.logical_or(*lacking)), "data-sets-t", a, b, level=level)


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
