"""The diagram of mean ranks and their critical difference."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar import _check
from errbar.datasets import Ranking
from errbar.datasets._ranking import groups as groups_of
from errbar.errors import InvalidInputError
from errbar.plots._canvas import BLUE, VERMILION, WIDTH, drawn_by, ink, plot, positive
from errbar.plots._fonts import drawable
from errbar.plots._names import (
    SMALL,
    entitle,
    escape,
    letters_in,
    name_axis,
    place_inches,
    short,
    told_apart,
    width,
)
from errbar.plots._pvalues import pvalue_table

_NAME_LENGTH = 28
_RANK = 6  # letters of a mean rank beside a name
# Heights in rows of text, counted downwards from the axis.
_FIRST_BAR, _BAR_STEP, _SCALE_ROW, _TICK_ROW = 0.55, 0.5, -1.8, -0.4
_ROW_INCHES = 0.24
_TESTS = {"nemenyi": "Nemenyi", "holm": "normal test of mean ranks", "wilcoxon": "signed-rank test"}


@dataclass(frozen=True)
class CriticalDifference:
    """What a diagram of mean ranks shows.

    Attributes
    ----------
    learners : tuple of str
        Names, best first.
    ranks : tuple of float
        Mean rank of each learner.
    cliques : tuple of tuple of int
        Groups that are not told apart, as positions in `learners`; with a baseline, the baseline and those that are
        not told apart from it.
    cd : float or None
        Critical difference, drawn as a scale.
    baseline : int or None
        Position of the learner that all others are compared with.
    caption : str
        What the axis and the bars mean.
    title : str
        Title of the diagram.
    """

    learners: tuple[str, ...]
    ranks: tuple[float, ...]
    cliques: tuple[tuple[int, ...], ...] = ()
    cd: float | None = None
    baseline: int | None = None
    caption: str = "mean rank, best at the right"
    title: str = ""

    @property
    def levels(self) -> tuple[int, ...]:
        """Height of the bar of each group: the lowest at which it touches no earlier bar."""
        ends: list[float] = []
        chosen = []
        for group in self.cliques:
            low, high = self.ranks[group[0]], self.ranks[group[-1]]
            level = next(
                (i for i, end in enumerate(ends) if end + 3 * self.overhang < low), len(ends)
            )
            ends[level : level + 1] = [high]
            chosen.append(level)
        return tuple(chosen)

    @property
    def overhang(self) -> float:
        """How far a bar reaches beyond the mean ranks that it joins."""
        return 0.012 * self.span

    @property
    def span(self) -> float:
        """Length of the axis; the critical difference must fit on it."""
        return max(float(len(self.learners) - 1), 1.05 * (self.cd or 0.0))

    @property
    def first_row(self) -> float:
        """Where the highest name stands, below the axis and all bars."""
        return _FIRST_BAR + _BAR_STEP * (1 + max(self.levels, default=-1)) + 0.45

    @property
    def top(self) -> float:
        """Where the diagram ends, above the axis and the scale of the critical difference."""
        return (_TICK_ROW if self.cd is None else _SCALE_ROW) - 1.0

    @property
    def rows(self) -> int:
        """Number of names on the fuller side."""
        return (len(self.learners) + 1) // 2


@plot
def critical_difference(
    source: Ranking | Mapping[str, float],
    *,
    cd: float | None = None,
    cliques: Iterable[Sequence[str]] = (),
    pvalues: Any = None,
    level: float = 0.95,
    title: str = "",
) -> CriticalDifference:
    """Draw mean ranks over several data sets on one axis, the best at the right, and join those not told apart.

    Parameters
    ----------
    source : Ranking or mapping of str to float
        What `errbar.datasets.ranks` returns, or the mean rank of each learner.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    cd : float, optional
        Critical difference, where `source` is a mapping.
    cliques : iterable of sequences of str, optional
        Groups of learners that are not told apart, where `source` is a mapping; by default, if `cd` is given, the
        largest groups within that difference.
    pvalues : mapping of pairs of str to float, or square array or data frame, optional
        Where `source` is a mapping, p-values of all pairs by any test, adjusted already, from which the groups follow:
        the largest in which no p-value is at most 1 - `level`. An array is in the order of the mapping.
    level : float, default 0.95
        Level at which `pvalues` tell learners apart.
    title : str, default ""
        Title of the diagram.

    Returns
    -------
    matplotlib axes
        With the diagram. A thick bar joins a group of learners no two of which are told apart; its members have dots
        on the bar. With a baseline the one bar joins it to those that are not told apart from it.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If there are fewer than two learners, a rank is outside 1 and their number, or a group is unknown.

    See Also
    --------
    errbar.datasets.ranks : Compute the numbers.

    Notes
    -----
    The axis runs from the worst rank at the left to rank 1 at the right, as in [1]_, figure 1.

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.critical_difference({"tree": 2.8, "forest": 1.4, "1-NN": 1.8}, cd=0.9)
    >>> [text.get_text() for text in ax.texts][-3:]
    ['1.40  forest', '1.80  1-NN', 'tree  2.80']
    """
    groups = [tuple(group) for group in cliques]
    if isinstance(source, Ranking):
        if cd is not None or groups or pvalues is not None:
            raise InvalidInputError(
                "`cd`, `cliques` and `pvalues` belong to a mapping of mean ranks; a Ranking has its own"
            )
        return _of_ranking(source, title)
    ranks = _ordered_ranks(source)
    distance = None if cd is None else positive(cd, "cd")
    names = list(ranks)
    found = [_positions(group, names) for group in groups]
    at = ""
    if pvalues is not None:
        if groups:
            raise InvalidInputError(
                "say which groups there are, so `cliques` cannot be given as well",
                argument="pvalues",
            )
        found = _not_apart(
            pvalues, tuple(str(name) for name in source), names, 1.0 - _check.level(level)
        )
        at = f" at {100 * level:.6g} %"
    elif distance is not None and not groups:
        values = np.array(list(ranks.values()))
        found = groups_of(np.abs(values[:, np.newaxis] - values) < distance)
    caption = "mean rank, best at the right"
    if found:
        caption += f"; bars join learners that are not told apart{at}"
    elif pvalues is not None:
        caption += f"; all are told apart{at}"
    return CriticalDifference(
        tuple(names), tuple(ranks.values()), tuple(sorted(found)), distance, None, caption, title
    )


critical_difference_of = critical_difference.chart


def _not_apart(
    pvalues: Any, given: tuple[str, ...], names: list[str], alpha: float
) -> list[tuple[int, ...]]:
    """Return the largest groups of learners no two of which are told apart, as positions by rank."""
    table = pvalue_table(pvalues, given)
    order = [given.index(name) for name in names]
    table = table[np.ix_(order, order)]
    missing = np.argwhere(np.isnan(table) & ~np.eye(len(names), dtype=bool))
    if len(missing):
        i, j = missing[0]
        raise InvalidInputError(
            f"must hold every pair; that of {names[i]!r} and {names[j]!r} is missing",
            argument="pvalues",
        )
    return groups_of(table > alpha)


def _of_ranking(ranking: Ranking, title: str) -> CriticalDifference:
    names = list(ranking.mean_ranks)
    if ranking.baseline is None:
        baseline, together = None, ranking.cliques
        joined, apart = "bars join learners that are not told apart", "all are told apart"
    else:
        baseline, shown = names.index(ranking.baseline), short(ranking.baseline, _NAME_LENGTH)
        near = [pair.a for pair in ranking.pairs if pair not in ranking.apart]
        together = ((*near, ranking.baseline),) if near else ()
        joined, apart = (
            f"the bar joins {shown} to those not told apart from it",
            f"all differ from {shown}",
        )
    adjusted = "" if ranking.adjust == "none" else f", {ranking.adjust}"
    caption = (
        f"mean rank over {len(ranking.data.names)} data sets, best at the right\n"
        f"{joined if together else apart} at {100 * ranking.level:.6g} % ({_TESTS[ranking.post_hoc]}{adjusted})"
    )
    ranks = tuple(ranking.mean_ranks.values())
    groups = tuple(_positions(clique, names) for clique in together)
    return CriticalDifference(
        tuple(names), ranks, groups, ranking.critical_difference, baseline, caption, title
    )


def _ordered_ranks(source: Any) -> dict[str, float]:
    if not isinstance(source, Mapping) or len(source) < 2:
        raise InvalidInputError(
            "a Ranking is needed, or a mapping of at least two learners to their mean ranks"
        )
    names = _check.names(list(source), "learner")
    ranks = [
        _check.between(rank, 1.0, len(names), name)
        for name, rank in zip(names, source.values(), strict=True)
    ]
    return dict(sorted(zip(names, ranks, strict=True), key=lambda item: item[1]))


def _positions(group: Sequence[str], names: list[str]) -> tuple[int, ...]:
    return tuple(sorted({names.index(_check.choice(name, names, "cliques")) for name in group}))


def _size(chart: CriticalDifference) -> tuple[float, float]:
    letters = 2 * max(
        map(width, told_apart([drawable(name) for name in chart.learners], _NAME_LENGTH))
    )
    height = _ROW_INCHES * (
        chart.first_row + chart.rows - chart.top + 1.6 + 1.5 * bool(chart.title)
    )
    return max(WIDTH, 2.9 + 0.085 * (letters + 12)), height


@drawn_by(CriticalDifference, _size)
def _draw_critical_difference(chart: CriticalDifference, ax: Any) -> None:
    _draw_axis(chart, ax)
    if chart.cd is not None:
        _draw_scale(chart, chart.cd, ax)
    color = BLUE if chart.baseline is None else VERMILION
    for group, level in zip(chart.cliques, chart.levels, strict=True):
        joined = [chart.ranks[i] for i in group]
        y = _FIRST_BAR + _BAR_STEP * level
        ends = [joined[0] - chart.overhang, joined[-1] + chart.overhang]
        ax.plot(
            ends,
            [y, y],
            "-",
            color=color,
            linewidth=3.0,
            solid_capstyle="butt",
            zorder=3,
            clip_on=False,
        )
        ax.plot(
            joined, [y] * len(joined), "o", color=color, markersize=5.5, zorder=4, clip_on=False
        )
    _draw_names(chart, ax)
    name_axis(ax, "x", chart.caption, scale=SMALL)
    entitle(ax, chart.title)


def _draw_axis(chart: CriticalDifference, ax: Any) -> None:
    """Draw the axis by hand, since it has names on all sides, and the best rank at the right."""
    k = len(chart.learners)
    ax.set_xlim(1.0 + chart.span, 1.0)
    ax.set_ylim(chart.first_row + chart.rows - 0.5, chart.top)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    ax.plot(
        [1.0, k],
        [0.0, 0.0],
        "-",
        color=ink(),
        linewidth=1.0,
        solid_capstyle="projecting",
        clip_on=False,
    )
    labelled = _ticks(k)
    for rank in range(1, k + 1) if k <= 40 else labelled:
        height = -0.28 if rank in labelled else -0.14
        ax.plot([rank, rank], [0.0, height], "-", color=ink(), linewidth=1.0, clip_on=False)
    for rank in labelled:
        ax.text(rank, _TICK_ROW, f"{rank}", ha="center", va="bottom", fontsize="small")


def _ticks(k: int) -> list[int]:
    """Return which ranks are labelled: all up to 10, else the ends and round numbers."""
    if k <= 10:
        return list(range(1, k + 1))
    step = 5 if k <= 40 else 10 * math.ceil(k / 100)
    inner = range(step, k, step)
    return [1, *(rank for rank in inner if k - rank > 0.3 * step), k]


def _draw_scale(chart: CriticalDifference, cd: float, ax: Any) -> None:
    """Draw the critical difference above the left end of the axis."""
    left = float(len(chart.learners)) if cd <= len(chart.learners) - 1 else 1.0 + chart.span
    ax.plot([left, left - cd], [_SCALE_ROW] * 2, "-", color=ink(), linewidth=1.6, clip_on=False)
    for end in (left, left - cd):
        ax.plot(
            [end, end],
            [_SCALE_ROW - 0.2, _SCALE_ROW + 0.2],
            "-",
            color=ink(),
            linewidth=1.6,
            clip_on=False,
        )
    text = f"critical difference {cd:.3g}"
    ax.text(left, _SCALE_ROW - 0.3, text, ha="left", va="bottom", fontsize="small")


def _draw_names(chart: CriticalDifference, ax: Any) -> None:
    """Write the better half at the right, best on top, and the others at the left, worst on top."""
    k = len(chart.learners)
    room = 0.02 * chart.span
    # Names take at most two thirds of the width, on both sides together.
    length = min(_NAME_LENGTH, max(10, letters_in(place_inches(ax) / 3) - _RANK))
    names = told_apart([drawable(name) for name in chart.learners], length)
    for place, (name, rank) in enumerate(zip(names, chart.ranks, strict=True)):
        right = place < k - k // 2
        y = chart.first_row + (place if right else k - 1 - place)
        edge = 1.0 - room if right else 1.0 + chart.span + room
        ax.plot(
            [rank, rank, edge],
            [0.0, y, y],
            "-",
            color=ink(),
            linewidth=0.8,
            alpha=0.65,
            zorder=2,
            clip_on=False,
        )
        shown = escape(name)
        text, side, gap = (
            (f"{rank:.2f}  {shown}", "left", -room)
            if right
            else (f"{shown}  {rank:.2f}", "right", room)
        )
        weight = "bold" if place == chart.baseline else "normal"
        ax.text(edge + gap, y, text, ha=side, va="center", weight=weight)
