"""The matrix of all learners against all others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar._pairs import Pair
from errbar.comparison import MOST_LISTED, ComparisonData
from errbar.datasets import DataSets, Ranking, ranks
from errbar.errors import InvalidInputError
from errbar.losses import difference
from errbar.metrics import in_words
from errbar.plots._canvas import plot
from errbar.plots._matrix_chart import ComparisonMatrix
from errbar.plots._paths import paired_splits_of
from errbar.plots._pvalues import pvalue_table

Source = ComparisonData | Ranking | DataSets | Mapping[str, ArrayLike]


@plot
def comparison_matrix(
    source: Source,
    *,
    pvalues: Any = None,
    higher_is_better: bool = False,
    level: float | None = None,
    title: str = "",
) -> ComparisonMatrix:
    """Draw all learners against all others: difference, adjusted p-value, and wins, ties and losses of each pair.

    Parameters
    ----------
    source : Comparison, Ranking, DataSets or mapping of str to array-like
        A comparison, a ranking over data sets, data sets (whose pairs are then tested by the signed-rank test with
        Holm's adjustment), or for each learner its score, or its scores on each split.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    pvalues : mapping of pairs of str to float, or square array or data frame, optional
        Two-sided p-values where `source` is a mapping, adjusted already, as by `errbar.families.adjust`. An array is
        in the order of the mapping; NaN stands for a pair that was not tested.
    higher_is_better : bool, default False
        Whether larger numbers are better, where `source` is a mapping.
    level : float, optional
        P-values of at most 1 - level are bold, of a Bayesian comparison probabilities of at least the level; by default the
        level of the source, and 0.95 for a mapping.
    title : str, default ""
        Title of the matrix.

    Returns
    -------
    matplotlib axes
        With one cell per pair, the bluer the more evidence there is that the learner of the row is better, the more
        vermilion the more there is that it is worse: no colour from p = 0.1 on, all of it at 0.001. A Bayesian comparison
        shows the posterior probability that the row is better instead, with no colour up to 90 % and all of it at 99.9 %;
        grey cells are practically equivalent. A pair without a test has no colour. A triangle points up where the row is
        told to be better and down where it is told to be worse. The diagonal holds the estimates, by which rows and
        columns are ordered, the best first. Of more than 24 learners the best 24 are drawn.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If there are fewer than two learners, numbers of splits differ, or a p-value cannot be used.

    See Also
    --------
    differences : Differences with their intervals.
    critical_difference : Mean ranks over several data sets.

    Notes
    -----
    The numbers of a pair depend on its two learners alone, so that adding a learner changes no other cell, as [1]_ asks
    for. There are two exceptions. Adjusted p-values grow with the number of pairs. And the p-values of a ranking by
    ``"nemenyi"`` or ``"holm"`` come from mean ranks, which depend on all learners; those of ``"wilcoxon"`` do not.
    Of a one-sided comparison the two-sided p-values are computed anew.

    References
    ----------
    .. [1] Ismail-Fawaz et al. (2023), arXiv:2305.11921.

    Examples
    --------
    >>> from errbar import plots
    >>> scores = {"tree": [0.31, 0.28, 0.35], "forest": [0.25, 0.28, 0.26]}
    >>> ax = plots.comparison_matrix(scores, pvalues={("tree", "forest"): 0.21})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['forest', 'tree']
    >>> ax.texts[1].get_text().splitlines()
    ['−0.0500', 'p = 0.210', '2 / 1 / 0']
    """
    if isinstance(source, (ComparisonData, Ranking, DataSets)):
        if pvalues is not None or higher_is_better:
            raise InvalidInputError(
                f"and `higher_is_better` belong to a mapping of scores; a {type(source).__name__} has its own",
                argument="pvalues",
            )
        chart = (
            _of_comparison(source) if isinstance(source, ComparisonData) else _of_ranking(source)
        )
    else:
        chart = _of_scores(
            source, pvalues, higher_is_better=_check.flag(higher_is_better, "higher_is_better")
        )
    if level is not None:
        chart = replace(chart, level=_check.level(level))
    return replace(chart, title=title)


comparison_matrix_of = comparison_matrix.chart


def _of_comparison(comparison: ComparisonData) -> ComparisonMatrix:
    if not comparison.pairs:
        raise InvalidInputError(
            "there is one learner only, so there is nothing to compare; try errbar.plots.estimates"
        )
    tested, loss = comparison.two_sided, comparison.table.loss
    kinds = comparison.used.splits.kinds
    names, quantity = tuple(comparison.learners), in_words(loss.key)
    if comparison.large and len(names) > MOST_LISTED:
        quantity = f"{quantity}, the best {MOST_LISTED} of {len(names)} learners"
        names = comparison.listed_learners[:MOST_LISTED]
    pairs = [pair for pair in tested.pairs if pair.a in names and pair.b in names]
    chart = _chart(
        names,
        np.array([comparison.learners[name].estimate for name in names]),
        {(pair.a, pair.b): pair.adjusted for pair in pairs},
        paired_splits_of(comparison.used.subset(names)).values,
        unit="data set" if kinds == ("data-sets",) else "split",
        level=comparison.level,
        higher_is_better=loss.higher_is_better,
        quantity=quantity,
        test=_test_words(tested.pairs[0].result.method, comparison.adjust),
    )
    if any(pair.result.posterior for pair in pairs):
        chart = _with_posterior(chart, pairs)
    # The method's own estimate of a difference need not be that of the two estimates.
    for pair in () if tested.quantity else pairs:
        i, j = chart.learners.index(pair.a), chart.learners.index(pair.b)
        chart.differences[i, j], chart.differences[j, i] = (
            pair.result.estimate,
            0.0 - pair.result.estimate,
        )
    return chart


def _with_posterior(chart: ComparisonMatrix, pairs: Sequence[Pair]) -> ComparisonMatrix:
    """Return a matrix with posterior probabilities in the place of p-values."""
    better, same = np.full((2, *chart.pvalues.shape), np.nan)
    for pair in pairs:
        i, j = chart.learners.index(pair.a), chart.learners.index(pair.b)
        shares = pair.result.posterior
        lower, higher = shares["left"], shares["right"]
        better[i, j], better[j, i] = (higher, lower) if chart.higher_is_better else (lower, higher)
        same[i, j] = same[j, i] = shares["rope"]
    nothing = np.full_like(chart.pvalues, np.nan)
    method = pairs[0].result.method
    return replace(chart, pvalues=nothing, better=better, same=same, test=method)


def _of_ranking(source: Ranking | DataSets) -> ComparisonMatrix:
    ranking = ranks(source, post_hoc="wilcoxon") if isinstance(source, DataSets) else source
    data = ranking.data
    test = f"mean ranks, {ranking.post_hoc}" if ranking.post_hoc == "holm" else ranking.post_hoc
    return _chart(
        data.learners,
        np.array([data.mean_scores[name] for name in data.learners]),
        {(pair.a, pair.b): pair.adjusted for pair in ranking.pairs},
        data.scores,
        unit="data set",
        level=ranking.level,
        higher_is_better=data.higher_is_better,
        quantity="mean score",
        test=_test_words(test, ranking.adjust),
    )


def _of_scores(source: Any, pvalues: Any, *, higher_is_better: bool) -> ComparisonMatrix:
    if not isinstance(source, Mapping) or len(source) < 2:
        raise InvalidInputError(
            "a Comparison, a Ranking or DataSets are needed, or a mapping of at least two learners to their scores"
        )
    names = _check.names(list(source), "learner")
    columns = [
        _check.vector(np.atleast_1d(np.asarray(column)), name, "split")
        for name, column in zip(names, source.values(), strict=True)
    ]
    if len({column.size for column in columns}) != 1:
        raise InvalidInputError("every learner needs the same number of scores, one per split")
    scores = np.stack(columns, axis=1)
    counted = scores if len(scores) > 1 else None
    given = {} if pvalues is None else pvalues
    return _chart(names, scores.mean(axis=0), given, counted, higher_is_better=higher_is_better)


def _chart(
    names: tuple[str, ...],
    estimates: FloatArray,
    pvalues: Any,
    scores: FloatArray | None,
    *,
    higher_is_better: bool,
    **words: Any,
) -> ComparisonMatrix:
    """Return the matrix of learners, the best first; wins are counted where there are scores."""
    order = np.argsort(-estimates if higher_is_better else estimates, kind="stable")
    if len(order) > MOST_LISTED:
        order = order[:MOST_LISTED]
        words["quantity"] = (
            f"{words.get('quantity') or 'score'}, the best {MOST_LISTED} of {len(names)} learners"
        )
    best_first = estimates[order]
    return ComparisonMatrix(
        tuple(names[i] for i in order),
        tuple(best_first.tolist()),
        difference(best_first[:, np.newaxis], best_first),
        pvalue_table(pvalues, names)[np.ix_(order, order)],
        wins=None if scores is None else _wins(scores[:, order], higher_is_better=higher_is_better),
        count=0 if scores is None else len(scores),
        higher_is_better=higher_is_better,
        **words,
    )


def _wins(scores: FloatArray, *, higher_is_better: bool) -> IntArray:
    """Return how many rows each column wins against each other; numbers that differ by rounding alone are equal."""
    gaps = difference(scores[:, :, np.newaxis], scores[:, np.newaxis, :])
    better = gaps > 0.0 if higher_is_better else gaps < 0.0
    return np.asarray(np.add.reduce(better, axis=0, dtype=np.int64))


def _test_words(test: str, adjust: str) -> str:
    return test if adjust == "none" else f"{test}, {adjust}"
