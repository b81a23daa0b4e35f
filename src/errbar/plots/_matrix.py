"""The matrix of all learners against all others."""

import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.comparison import ComparisonData
from errbar.datasets import DataSets, Ranking, ranks
from errbar.errors import InvalidInputError
from errbar.losses import in_words
from errbar.methods import lookup
from errbar.plots._canvas import (
    BLUE,
    COLUMN_NAME,
    VERMILION,
    WIDTH,
    draw,
    drawn_by,
    inches_wide,
    ink,
    name_columns,
    short,
    stands_level,
)
from errbar.plots._comparison import paired_splits_of
from errbar.plots._pvalues import pvalue_table
from errbar.views import difference

_GREY = (0.91, 0.91, 0.91)
_STRONGEST = 0.8  # share of blue or vermilion in the strongest colour, so that text on it can be read
_ROOMY = 6  # up to so many learners have large cells
_MOST_DECIMALS, _LARGEST = 6, 1e6  # beyond them numbers are written with a power of 10
_UNLAID = 0.775  # share of the width of a figure that its axes have before the layout
_LETTER = 0.62  # width of a digit, in sizes of the font


@dataclass(frozen=True, eq=False)
class ComparisonMatrix:
    """What a matrix of learners against learners shows.

    Attributes
    ----------
    learners : tuple of str
        Names, best first.
    estimates : tuple of float
        Estimate of each learner.
    differences : ndarray, shape (k, k)
        Estimate of the learner of the row minus that of the column.
    pvalues : ndarray, shape (k, k)
        Adjusted two-sided p-values; NaN where a pair was not tested.
    wins : ndarray, shape (k, k), or None
        On how many splits or data sets the learner of the row is better.
    count : int
        Number of splits or data sets.
    unit : {"split", "data set"}
        What is counted.
    level : float
        A pair is told apart where its p-value is at most 1 - level.
    higher_is_better : bool
        Whether larger numbers are better.
    quantity : str
        What the numbers are.
    test : str
        Where the p-values come from.
    limit : float
        Difference at which colours are full; 0 if no two learners differ.
    title : str
        Title of the matrix.
    """

    learners: tuple[str, ...]
    estimates: tuple[float, ...]
    differences: FloatArray
    pvalues: FloatArray
    wins: IntArray | None = None
    count: int = 0
    unit: str = "split"
    level: float = 0.95
    higher_is_better: bool = False
    quantity: str = ""
    test: str = ""
    limit: float = 0.0
    title: str = ""

    @property
    def ties(self) -> IntArray | None:
        """On how many splits or data sets two learners are as good; on the diagonal, on all."""
        return None if self.wins is None else self.count - self.wins - self.wins.T

    @property
    def apart(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which pairs are told apart."""
        return np.asarray(self.pvalues <= 1.0 - self.level)

    @property
    def advantage(self) -> FloatArray:
        """How much better the learner of the row is, from -1 to 1 at the limit: what the colours show."""
        if not self.limit:
            return np.zeros_like(self.differences)
        towards = self.differences if self.higher_is_better else -self.differences
        return np.asarray(np.clip(towards / self.limit, -1.0, 1.0) + 0.0)

    @property
    def tested(self) -> bool:
        """Whether any pair was tested."""
        return not bool(np.isnan(self.pvalues).all())


Source = ComparisonData | Ranking | DataSets | Mapping[str, ArrayLike]


def comparison_matrix(
    source: Source,
    ax: Any = None,
    *,
    pvalues: Any = None,
    higher_is_better: bool = False,
    level: float | None = None,
    limit: float | None = None,
    title: str = "",
) -> Any:
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
        P-values of at most 1 - level are bold; by default the level of the source, and 0.95 for a mapping.
    limit : float, optional
        Difference at which the colours are full, to give several matrices the same colours; by default the largest
        that is shown.
    title : str, default ""
        Title of the matrix.

    Returns
    -------
    matplotlib axes
        With one cell per pair, blue where the learner of the row is better, vermilion where it is worse and grey
        where neither is. The diagonal holds the estimates, by which rows and columns are ordered, the best first.

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
    chart = comparison_matrix_of(
        source, pvalues=pvalues, higher_is_better=higher_is_better, level=level, limit=limit, title=title
    )
    return draw(chart, ax)


def comparison_matrix_of(
    source: Source,
    *,
    pvalues: Any = None,
    higher_is_better: bool = False,
    level: float | None = None,
    limit: float | None = None,
    title: str = "",
) -> ComparisonMatrix:
    """Compute what `comparison_matrix` draws.

    Parameters
    ----------
    source : Comparison, Ranking, DataSets or mapping
        As for `comparison_matrix`.
    pvalues, higher_is_better, level, limit, title : mapping or array, bool, float, float, str
        As for `comparison_matrix`.

    Returns
    -------
    ComparisonMatrix
        Learners ordered by their estimates, and tables in that order.
    """
    if isinstance(source, (ComparisonData, Ranking, DataSets)):
        if pvalues is not None or higher_is_better:
            raise InvalidInputError(
                f"`pvalues` and `higher_is_better` belong to a mapping of scores; a {type(source).__name__} has its own"
            )
        chart = _of_comparison(source) if isinstance(source, ComparisonData) else _of_ranking(source)
    else:
        chart = _of_scores(source, pvalues, higher_is_better=_check.flag(higher_is_better, "higher_is_better"))
    if level is not None:
        chart = replace(chart, level=_check.level(level))
    largest = float(np.abs(chart.differences).max())
    return _sorted(replace(chart, limit=largest if limit is None else _positive(limit), title=title))


def _positive(limit: float) -> float:
    value = _check.finite(limit, "limit")
    if value <= 0.0:
        raise InvalidInputError(f"`limit` must be positive, got {limit!r}")
    return value


def _of_comparison(comparison: ComparisonData) -> ComparisonMatrix:
    if not comparison.pairs:
        raise InvalidInputError("there is one learner only, so there is nothing to compare; try errbar.plots.estimates")
    tested = comparison.two_sided
    names = tuple(comparison.learners)
    estimates = np.array([result.estimate for result in comparison.learners.values()])
    table = difference(estimates[:, np.newaxis], estimates)
    spec = lookup(tested.pairs[0].result.method)
    for pair in tested.pairs if spec.quantity is None else ():
        i, j = names.index(pair.a), names.index(pair.b)
        table[i, j], table[j, i] = pair.result.estimate, 0.0 - pair.result.estimate
    loss = comparison.table.loss
    scores = paired_splits_of(comparison).values
    kinds = comparison.table.of_plan(comparison.plan).splits.kinds
    return ComparisonMatrix(
        names,
        tuple(estimates.tolist()),
        table,
        pvalue_table({(pair.a, pair.b): pair.adjusted for pair in tested.pairs}, names),
        _wins(scores, higher_is_better=loss.higher_is_better),
        len(scores),
        "data set" if kinds == ("data-sets",) else "split",
        comparison.level,
        loss.higher_is_better,
        in_words(loss.key),
        _test_words(spec.key, comparison.adjust),
    )


def _of_ranking(source: Ranking | DataSets) -> ComparisonMatrix:
    ranking = ranks(source, post_hoc="wilcoxon") if isinstance(source, DataSets) else source
    data = ranking.data
    estimates = np.array([data.mean_scores[name] for name in data.learners])
    return ComparisonMatrix(
        data.learners,
        tuple(estimates.tolist()),
        difference(estimates[:, np.newaxis], estimates),
        pvalue_table({(pair.a, pair.b): pair.adjusted for pair in ranking.pairs}, data.learners),
        _wins(data.scores, higher_is_better=data.higher_is_better),
        len(data.names),
        "data set",
        ranking.level,
        data.higher_is_better,
        "mean score",
        _test_words(
            f"mean ranks, {ranking.post_hoc}" if ranking.post_hoc == "holm" else ranking.post_hoc, ranking.adjust
        ),
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
    estimates = scores.mean(axis=0)
    several = len(scores) > 1
    return ComparisonMatrix(
        names,
        tuple(estimates.tolist()),
        difference(estimates[:, np.newaxis], estimates),
        pvalue_table({} if pvalues is None else pvalues, names),
        _wins(scores, higher_is_better=higher_is_better) if several else None,
        len(scores) if several else 0,
        higher_is_better=higher_is_better,
    )


def _wins(scores: FloatArray, *, higher_is_better: bool) -> IntArray:
    """Return how many rows each column wins against each other; numbers that differ by rounding alone are equal."""
    gaps = difference(scores[:, :, np.newaxis], scores[:, np.newaxis, :])
    better = gaps > 0.0 if higher_is_better else gaps < 0.0
    return np.asarray(np.add.reduce(better, axis=0, dtype=np.int64))


def _test_words(test: str, adjust: str) -> str:
    return test if adjust == "none" else f"{test}, {adjust}"


def _sorted(chart: ComparisonMatrix) -> ComparisonMatrix:
    key = -np.array(chart.estimates) if chart.higher_is_better else np.array(chart.estimates)
    order = np.argsort(key, kind="stable")
    both = np.ix_(order, order)
    return replace(
        chart,
        learners=tuple(chart.learners[i] for i in order),
        estimates=tuple(chart.estimates[i] for i in order),
        differences=chart.differences[both],
        pvalues=chart.pvalues[both],
        wins=None if chart.wins is None else chart.wins[both],
    )


def _lines(chart: ComparisonMatrix, row: int, column: int) -> list[str]:
    """Return what stands in a cell."""
    if row == column:
        return [_number(chart, chart.estimates[row], signed=False)]
    lines = [_number(chart, chart.differences[row, column], signed=True)]
    pvalue = chart.pvalues[row, column]
    if not math.isnan(pvalue):
        lines.append("p < 0.001" if pvalue < 0.001 else f"p = {pvalue:.3f}")
    if chart.wins is not None:
        losses = chart.wins[column, row]
        wins = chart.wins[row, column]
        lines.append(f"{wins} / {chart.count - wins - losses} / {losses}")
    return lines


def _number(chart: ComparisonMatrix, value: float, *, signed: bool) -> str:
    """Write a number with as many digits as show three of the largest difference; what rounds to 0 has no sign."""
    largest = float(np.abs(chart.differences).max()) or max(map(abs, chart.estimates)) or 1.0
    decimals = max(0, 2 - math.floor(math.log10(largest)))
    if decimals > _MOST_DECIMALS or max(map(abs, chart.estimates)) >= _LARGEST:
        text = f"{value + 0.0:.2e}" if value else "0"
    else:
        text = f"{round(value, decimals) + 0.0:.{decimals}f}"
    plus = "+" if signed and float(text) > 0.0 else ""
    return plus + text.replace("-", "−")


def _caption(chart: ComparisonMatrix) -> list[str]:
    direction = "higher is better" if chart.higher_is_better else "lower is better"
    quantity = f", {chart.quantity}" if chart.quantity else ""
    parts = [f"row minus column{quantity} ({direction})", "diagonal: estimates"]
    parts.append("blue: row better, vermilion: row worse")
    if chart.wins is not None:
        parts.append(f"wins / ties / losses over {chart.count} {chart.unit}{'s' * (chart.count != 1)}")
    if chart.tested:
        parts.append(f"bold: p ≤ {1.0 - chart.level:.4g}{f' ({chart.test})' if chart.test else ''}")
    return parts


def _cell_size(chart: ComparisonMatrix) -> tuple[float, float]:
    k = len(chart.learners)
    widest = max(len(line) for i in range(k) for j in range(k) for line in _lines(chart, i, j))
    wide = max(0.11 * widest if k <= _ROOMY else 0.085 * widest, 0.72)
    return max(wide, min(1.5, (WIDTH - 1.4) / k)), 0.66 if k <= _ROOMY else 0.56


def _size(chart: ComparisonMatrix) -> tuple[float, float]:
    k = len(chart.learners)
    wide, high = _cell_size(chart)
    letters = max(len(short(name, COLUMN_NAME)) for name in chart.learners)
    level = stands_level(chart.learners, wide)
    above = 0.65 if level else 0.35 + 0.055 * letters
    aside = 0.3 + 0.085 * letters + (0.0 if level else 0.04 * letters)
    width = aside + k * wide
    below = 0.25 + 0.16 * len(_caption_lines(chart, _UNLAID * width))
    return width, above + k * high + below + 0.3 * bool(chart.title)


def _caption_lines(chart: ComparisonMatrix, inches: float) -> list[str]:
    """Return the caption in lines, each of as many parts as fit into the width."""
    letters = max(50, int(11.0 * inches))
    lines = [""]
    for part in _caption(chart):
        joined = f"{lines[-1]}; {part}" if lines[-1] else part
        if len(joined) <= letters:
            lines[-1] = joined
        else:
            lines += textwrap.wrap(part, letters)
    return [line for line in lines if line]


@drawn_by(ComparisonMatrix, _size)
def _draw_comparison_matrix(chart: ComparisonMatrix, ax: Any) -> None:
    k = len(chart.learners)
    size = _font_size(chart, ax)
    for row in range(k):
        for column in range(k):
            _draw_cell(chart, ax, row, column, size)
    ax.set_xlim(0.0, k)
    ax.set_ylim(k, 0.0)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    centres = [i + 0.5 for i in range(k)]
    ax.set_yticks(centres, [short(name, COLUMN_NAME).replace("$", r"\$") for name in chart.learners])
    inches = inches_wide(ax)
    name_columns(ax, centres, chart.learners, 0.9 * inches / k, above=True)
    ax.set_xlabel("\n".join(_caption_lines(chart, inches)).replace("$", r"\$"), fontsize="small")
    if chart.title:
        ax.set_title(chart.title.replace("$", r"\$"))


def _font_size(chart: ComparisonMatrix, ax: Any) -> float:
    """Return the size at which the longest line and the most lines fit into a cell, in points."""
    k = len(chart.learners)
    box = ax.get_window_extent()
    points = 72.0 / ax.figure.dpi / k
    cells = [_lines(chart, i, j) for i in range(k) for j in range(k)]
    widest = max(len(line) for lines in cells for line in lines)
    most = max(len(lines) for lines in cells)
    fitting = min(0.9 * box.width * points / (widest * _LETTER), 0.85 * box.height * points / (1.25 * most))
    return float(min(9.0, max(4.0, fitting)))


def _draw_cell(chart: ComparisonMatrix, ax: Any, row: int, column: int, size: float) -> None:
    from matplotlib.patches import Rectangle

    own = row == column
    fill = _color(float(chart.advantage[row, column]))
    gap = 0.03
    edge = {"facecolor": "none", "edgecolor": ink(), "alpha": 0.35} if own else {"facecolor": fill, "edgecolor": "none"}
    ax.add_patch(Rectangle((column + gap / 2, row + gap / 2), 1.0 - gap, 1.0 - gap, linewidth=0.6, **edge))
    bold = bool(chart.apart[row, column])
    color = {} if own else {"color": _text_color(fill)}
    ax.text(
        column + 0.5,
        row + 0.5,
        "\n".join(_lines(chart, row, column)),
        ha="center",
        va="center",
        fontsize=size,
        linespacing=1.25,
        weight="bold" if bold else "normal",
        **color,
    )


def _color(advantage: float) -> tuple[float, float, float]:
    """Return grey for 0, and towards 1 more and more blue, towards -1 more and more vermilion."""
    name = BLUE if advantage > 0.0 else VERMILION
    hue = [int(name[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    share = _STRONGEST * abs(advantage)
    red, green, blue = ((1.0 - share) * grey + share * own for grey, own in zip(_GREY, hue, strict=True))
    return red, green, blue


def _text_color(fill: tuple[float, float, float]) -> str:
    """Return black or white, whichever has more contrast with a colour, by the formula of the WCAG."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in fill]
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"
