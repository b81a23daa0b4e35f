"""All at once: Friedman's test, mean ranks, the pairs, and the groups that are not told apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, families
from errbar._plain import plain
from errbar.datasets._data import DataSets, require_data_sets
from errbar.datasets._friedman import FriedmanResult, critical_difference, friedman
from errbar.datasets._pairs import RankPair, holm, made_pairs, nemenyi
from errbar.errors import InvalidInputError
from errbar.methods import wilcoxon
from errbar.result import Note

POST_HOC = ("nemenyi", "holm", "wilcoxon")


@dataclass(frozen=True, eq=False)
class Ranking:
    """Learners ranked over several data sets, and which of them are told apart.

    Attributes
    ----------
    data : DataSets
        The numbers.
    friedman : FriedmanResult
        Whether the learners differ at all.
    mean_ranks : dict of str to float
        Mean rank of each learner, best first.
    mean_scores : dict of str to float
        Mean score of each learner over the data sets, in the order of the mean ranks.
    pairs : tuple of RankPair
        The pairs that were tested.
    cliques : tuple of tuple of str
        Largest groups of learners no two of which are told apart, each ordered by mean rank; empty with a baseline,
        since the other pairs are then not tested.
    critical_difference : float or None
        Difference of mean ranks above which two learners differ; for the test of Nemenyi only.
    post_hoc : {"nemenyi", "holm", "wilcoxon"}
        Test of the pairs.
    adjust : str
        Adjustment of the p-values of the pairs; ``"none"`` for the test of Nemenyi, which needs none.
    baseline : str or None
        Learner that all others are compared with.
    level : float
        Confidence level; pairs are told apart where the adjusted p-value is at most 1 - level.
    """

    data: DataSets
    friedman: FriedmanResult
    mean_ranks: dict[str, float]
    mean_scores: dict[str, float]
    pairs: tuple[RankPair, ...]
    cliques: tuple[tuple[str, ...], ...]
    critical_difference: float | None
    post_hoc: str
    adjust: str
    baseline: str | None
    level: float

    @property
    def notes(self) -> tuple[Note, ...]:
        """Caveats that belong to the numbers."""
        return self.friedman.notes

    @property
    def apart(self) -> tuple[RankPair, ...]:
        """The pairs that are told apart at this level."""
        return tuple(pair for pair in self.pairs if pair.adjusted <= 1.0 - self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "n_data_sets": len(self.data.names),
            "direction": "higher is better" if self.data.higher_is_better else "lower is better",
            "level": self.level,
            "post_hoc": self.post_hoc,
            "adjust": self.adjust,
            "baseline": self.baseline,
            "critical_difference": self.critical_difference,
            "friedman": self.friedman.to_dict(),
            "learners": [
                {"name": name, "mean_rank": rank, "mean_score": self.mean_scores[name]}
                for name, rank in self.mean_ranks.items()
            ],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "cliques": [list(clique) for clique in self.cliques],
            "notes": list(map(plain, self.notes)),
        }

    def to_frame(self) -> Any:
        """Return a pandas frame of the pairs, one row each."""
        pandas = _check.package("pandas", "app")
        return pandas.DataFrame([pair.to_dict() for pair in self.pairs])

    def __str__(self) -> str:
        """Return the ranking as text."""
        direction = "higher is better" if self.data.higher_is_better else "lower is better"
        lines = [
            f"{len(self.mean_ranks)} learners on {len(self.data.names)} data sets, {direction}"
        ]
        lines += [*self.friedman.lines, "", *_learner_lines(self), "", *_pair_lines(self)]
        if self.cliques:
            lines += ["", "not told apart", *(f"  {', '.join(clique)}" for clique in self.cliques)]
        return "\n".join(lines + [f"note {note}" for note in self.notes])


def ranks(
    data: DataSets,
    *,
    level: float = 0.95,
    post_hoc: str | None = None,
    baseline: str | None = None,
    adjust: str = "holm",
) -> Ranking:
    """Rank learners over several data sets and test which of them differ.

    Parameters
    ----------
    data : DataSets
        One score per data set and learner.
    level : float, default 0.95
        Confidence level.
    post_hoc : {"nemenyi", "holm", "wilcoxon"}, optional
        Test of the pairs, by default ``"nemenyi"``, or ``"holm"`` with a baseline: mean ranks with the studentised range, mean ranks with adjusted normal p-values, or the
        signed-rank test of each pair with adjusted p-values. The last does not depend on which other learners are
        in the pool.
    baseline : str, optional
        Learner that all others are compared with; not for ``"nemenyi"``.
    adjust : str, default "holm"
        Adjustment of the p-values, as for `errbar.families.adjust`; the test of Nemenyi needs none and ignores it.

    Returns
    -------
    Ranking
        Friedman's test, mean ranks and scores, pairs, and groups that are not told apart.

    Raises
    ------
    InvalidInputError
        If `data` is no `DataSets`, an option is unknown, or a baseline is given to the test of Nemenyi.

    See Also
    --------
    friedman, nemenyi, holm, wilcoxon : The parts.
    errbar.plots.ranks : Draw the mean ranks.

    Notes
    -----
    The pairs are tested whatever Friedman's test says ([1]_, section 3.2.2). With ``"nemenyi"`` and ``"holm"``, whether
    two learners differ depends on which others are ranked with them, and can change when one is added ([2]_).

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [2] Benavoli, Corani & Mangili (2016), Journal of Machine Learning Research 17(5), 1-10.

    Examples
    --------
    >>> from errbar.datasets import DataSets, ranks
    >>> scores = {"a": [0.3, 0.4, 0.2, 0.5, 0.4, 0.3], "b": [0.2, 0.3, 0.3, 0.4, 0.3, 0.4], "c": [0.1, 0.3, 0.1, 0.2, 0.2, 0.2]}
    >>> data = DataSets(scores)
    >>> ranking = ranks(data)
    >>> ranking.mean_ranks
    {'c': 1.0833333333333333, 'b': 2.25, 'a': 2.6666666666666665}
    >>> ranking.cliques
    (('c', 'b'), ('b', 'a'))
    """
    found = require_data_sets(data)
    level = _check.level(level)
    natural = "nemenyi" if baseline is None else "holm"
    kind = _check.choice(natural if post_hoc is None else post_hoc, POST_HOC, "post_hoc")
    adjustment = families.check_adjustment(adjust)
    if kind == "nemenyi" and baseline is not None:
        raise InvalidInputError(
            f"{baseline!r} needs `post_hoc` 'holm' or 'wilcoxon'; 'nemenyi' tests all pairs",
            argument="baseline",
        )
    tested = friedman(found, level=level)
    ordered = dict(sorted(tested.mean_ranks.items(), key=lambda item: item[1]))
    pairs = _tested_pairs(found, kind, baseline, adjustment)
    return Ranking(
        data=found,
        friedman=tested,
        mean_ranks=ordered,
        mean_scores={name: found.mean_scores[name] for name in ordered},
        pairs=pairs,
        cliques=() if baseline is not None else _cliques(list(ordered), pairs, 1.0 - level),
        critical_difference=critical_difference(len(ordered), len(found.names), level)
        if kind == "nemenyi"
        else None,
        post_hoc=kind,
        adjust="none" if kind == "nemenyi" else adjustment,
        baseline=baseline,
        level=level,
    )


def _tested_pairs(
    data: DataSets, kind: str, baseline: str | None, adjust: str
) -> tuple[RankPair, ...]:
    if kind == "nemenyi":
        return nemenyi(data)
    if kind == "holm":
        return holm(data, baseline=baseline, adjust=adjust)
    pairs = families.pairs_of(data.learners, baseline)
    worse = -1.0 if data.higher_is_better else 1.0
    results = [wilcoxon(worse * data.differences(a, b)) for a, b in pairs]
    statistics, pvalues = np.array([(result.statistic, result.pvalue) for result in results]).T
    return made_pairs(data, pairs, statistics, pvalues, adjust)


def _cliques(
    ordered: list[str], pairs: tuple[RankPair, ...], alpha: float
) -> tuple[tuple[str, ...], ...]:
    """Return the largest groups of two or more learners no two of which are told apart, best first."""
    alike = np.zeros((len(ordered), len(ordered)), dtype=bool)
    for pair in pairs:
        i, j = ordered.index(pair.a), ordered.index(pair.b)
        alike[i, j] = alike[j, i] = pair.adjusted > alpha
    return tuple(tuple(ordered[i] for i in group) for group in groups(alike))


def groups(alike: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the largest groups of two or more, any two of which are alike, as positions; the first places first."""
    linked = {i: set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(alike)}
    found = [tuple(sorted(group)) for group in _largest(set(), set(linked), set(), linked)]
    return sorted(group for group in found if len(group) > 1)


def _largest(
    group: set[int], candidates: set[int], done: set[int], linked: dict[int, set[int]]
) -> Iterator[set[int]]:
    """Yield the largest groups that hold `group`, by the algorithm of Bron & Kerbosch with a pivot."""
    if not candidates:
        if not done:
            yield group
        return
    pivot = max(candidates | done, key=lambda i: len(linked[i] & candidates))
    for i in sorted(candidates - linked[pivot]):
        yield from _largest(group | {i}, candidates & linked[i], done & linked[i], linked)
        candidates = candidates - {i}
        done = done | {i}


def _learner_lines(ranking: Ranking) -> list[str]:
    width = max(len("learner"), *(len(name) for name in ranking.mean_ranks))
    mean = "mean score" if ranking.data.higher_is_better else "mean loss"
    lines = [f"{'learner':<{width}}  mean rank  {mean:>10}"]
    lines += [
        f"{name:<{width}}  {rank:9.3f}  {ranking.mean_scores[name]:10.5g}"
        for name, rank in ranking.mean_ranks.items()
    ]
    if ranking.critical_difference is not None:
        lines.append(
            f"critical difference {ranking.critical_difference:.4g} at {100 * ranking.level:.6g} % (Nemenyi)"
        )
    return lines


def _pair_lines(ranking: Ranking) -> list[str]:
    width = max(len("pair"), *(len(pair.a) + len(pair.b) + 3 for pair in ranking.pairs))
    lines = [f"{'pair':<{width}}  wins-ties-losses         p  adjusted"]
    for pair in ranking.pairs:
        counts = f"{pair.wins}-{pair.ties}-{pair.losses}"
        lines.append(
            f"{f'{pair.a} - {pair.b}':<{width}}  {counts:>16}  {pair.pvalue:8.4g}  {pair.adjusted:8.4g}"
        )
    return lines
