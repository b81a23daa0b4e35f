"""Estimates or differences, an interval a row."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar.comparison import ComparisonData
from errbar.datasets import Ranking
from errbar.errors import InvalidInputError
from errbar.metrics import in_words
from errbar.plots._axes import (
    GRID,
    MARK,
    QUIET,
    SOFT,
    decimals,
    drawing,
    name_rows,
    number,
    shortened,
)
from errbar.report.numbers import percent
from errbar.report.story import FEW
from errbar.result import Result

MOST_ROWS = 60
_FIGURE_SPACE = "\u2007"


class _Row(NamedTuple):
    name: str
    estimate: float
    low: float
    high: float
    strong: bool = True
    hollow: bool = False
    wide: Sequence[float] | None = None


class _Chart(NamedTuple):
    rows: Sequence[_Row]
    lines: tuple[str, ...] = ()
    heading: str = "estimate, interval"
    null: float | None = None
    rope: float | None = None


def intervals(
    source: ComparisonData | Ranking | Result | Mapping[str, Any],
    *,
    of: str = "estimates",
    null: float | None = None,
    label: str | None = None,
    limits: tuple[float, float] | None = None,
    ax: Any = None,
) -> Any:
    """Draw one interval a row, with its numbers at the right.

    Of a comparison, learners that are ruled out as best are grey, and thin ends account for the
    selection of the best. Differences are larger minus smaller; those from a baseline are each
    learner minus the baseline. With more than five learners and no baseline each is drawn against
    the best so far. Hollow marks are not significant. Few rows far from all others are cut off,
    with an arrow.

    Parameters
    ----------
    source : Comparison, Ranking, Result or mapping of str
        What to draw. A mapping holds a `Result` or (estimate, low, high) for each name. A ranking by
        Nemenyi's test is drawn as mean ranks with half the critical difference on either side.
    of : {"estimates", "differences"}, default "estimates"
        What of a comparison to draw.
    null : float, optional
        Where to draw a line; intervals of a mapping that cover it are hollow.
    label : str, optional
        Label of the axis.
    limits : tuple of float, optional
        Ends of the axis; what lies beyond is cut off.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes
        The axes drawn on.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If `source` has no such intervals.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.intervals({"tree": (0.31, 0.25, 0.37), "forest": (0.22, 0.18, 0.26)})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['tree', 'forest']
    """
    _check.choice(of, ("estimates", "differences"), "of")
    if isinstance(source, ComparisonData):
        chart = _estimates(source) if of == "estimates" else _differences(source)
    elif isinstance(source, Ranking):
        chart = _mean_ranks(source)
    else:
        chart = _given({_name(source): source} if isinstance(source, Result) else source, null)
    lines = chart.lines[1:] if label is not None else chart.lines
    chart = chart._replace(lines=(label, *lines) if label is not None else lines)
    if null is not None:
        chart = chart._replace(null=null)
    height = 0.36 + 0.165 * len(chart.rows) + 0.12 * max(1, len(chart.lines))
    with drawing(ax, height) as axes:
        _draw(axes, chart, limits or _limits(chart))
    return axes


def _estimates(comparison: ComparisonData) -> _Chart:
    names = comparison.listed_learners
    standing = comparison.possible_best or names
    best = None if comparison.bayesian else comparison.best
    rows = [
        _Row(
            name,
            comparison.learners[name].estimate,
            *comparison.learners[name].interval,
            strong=name in standing,
            wide=best.risk if best is not None and name == best.winner else None,
        )
        for name in names[:MOST_ROWS]
    ]
    loss = comparison.table.loss
    lines = [f"{in_words(loss.key)}, {loss.direction}"]
    if len(names) > len(rows):
        lines.append(f"best {len(rows)} of {len(names)}")
    if not all(row.strong for row in rows):
        lines.append("grey: ruled out as best")
    if best is not None:
        lines.append("thin: selection accounted for")
    return _Chart(rows, tuple(lines), f"estimate, {percent(comparison.level)} interval")


def _differences(comparison: ComparisonData) -> _Chart:
    if not comparison.pairs:
        raise InvalidInputError(
            "there is one learner, which has no differences; leave out of='differences'",
            argument="of",
        )
    decisions = list(comparison.decisions)
    ranking = comparison.standing.ranking
    hub = comparison.baseline
    if hub is None and len(ranking) > FEW:
        hub = ranking[0]
        decisions = [one for one in decisions if hub in (one.pair.a, one.pair.b)]
    short = dict(zip(ranking, shortened(ranking, 14), strict=True))
    rows = []
    for decision in decisions:
        pair, result = decision.pair, comparison.shown(decision.pair)
        names, link = [pair.a, pair.b], "−"
        if comparison.quantity:
            link = "over"
        elif comparison.baseline is None and result.estimate < 0.0:
            names, result = [pair.b, pair.a], result.mirrored()
        found = decision.significant
        name = f" {link} ".join(short[name] for name in names)
        rows.append(_Row(name, result.estimate, *result.interval, strong=found, hollow=not found))
    null = comparison.pairs[0].result.null
    if hub is None:
        rows.sort(key=lambda row: -abs(row.estimate - null))
    else:
        rows.sort(key=lambda row: row.estimate, reverse=comparison.higher_is_better)
    better = comparison.higher_is_better or comparison.quantity
    lines = [
        comparison.quantity or f"difference in {in_words(comparison.table.loss.key)}",
        f"first {'better' if better else 'worse'} →",
    ]
    if len(rows) > MOST_ROWS:
        lines.append(f"first {MOST_ROWS} of {len(rows)}")
    if not all(row.strong for row in rows):
        lines.append(f"○ not significant at {percent(comparison.alpha)}")
    kind = "interval" if comparison.joint is None else "simultaneous"
    heading = f"{percent(comparison.level)} {kind}"
    return _Chart(rows[:MOST_ROWS], tuple(lines), heading, null, comparison.rope)


def _mean_ranks(ranking: Ranking) -> _Chart:
    half = (ranking.critical_difference or math.nan) / 2.0
    if math.isnan(half):
        raise InvalidInputError(
            f"{ranking.post_hoc!r} has no critical difference to draw; use errbar.plots.ranks",
            argument="source",
        )
    best = next(iter(ranking.mean_ranks.values()))
    rows = [
        _Row(name, rank, rank - half, rank + half, strong=rank - best < 2.0 * half)
        for name, rank in ranking.mean_ranks.items()
    ]
    lines = (
        f"mean rank over {len(ranking.data.names)} data sets (1 is best)",
        "intervals apart: significant",
    )
    return _Chart(rows, lines, "mean rank, half a CD")


def _given(source: Any, null: float | None) -> _Chart:
    if not isinstance(source, Mapping) or not source:
        raise InvalidInputError(
            "must be a comparison, a ranking, a result, or a mapping of names to results or "
            "(estimate, low, high)",
            argument="source",
        )
    results = [value for value in source.values() if isinstance(value, Result)]
    levels = {result.level for result in results}
    nulls = {result.null for result in results if result.tested}
    level = f"{percent(levels.pop())} " if len(levels) == 1 and len(results) == len(source) else ""
    rows = [_given_row(str(name), value, null) for name, value in source.items()]
    chart = _Chart(rows, heading=f"estimate, {level}interval")
    if len(nulls) == 1:
        chart = chart._replace(null=nulls.pop())
    if any(row.hollow for row in rows):
        chart = chart._replace(lines=("", "○ not significant"))
    return chart


def _given_row(name: str, value: Any, null: float | None) -> _Row:
    if isinstance(value, Result):
        hollow = value.tested and value.pvalue > 1.0 - value.level
        return _Row(name, value.estimate, *value.interval, strong=not hollow, hollow=hollow)
    try:
        estimate, low, high = map(float, value)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"needs (estimate, low, high) for {name!r}, got {_check.brief(value)}",
            argument="source",
        ) from None
    if not math.isfinite(estimate) or math.isnan(low) or math.isnan(high):
        raise InvalidInputError(
            f"needs a finite estimate and interval for {name!r}", argument="source"
        )
    hollow = null is not None and low <= null <= high
    return _Row(name, estimate, low, high, strong=not hollow, hollow=hollow)


def _name(result: Result) -> str:
    names = [name for name in (result.learner, result.minus) if name is not None]
    return " − ".join(names) or result.method


def _limits(chart: _Chart) -> tuple[float, float]:
    """Return the ends of the axis: of all rows, but for a minority that would squeeze the others.

    Rows are left out where the farther ones more than double the reach of the others, and typical
    intervals would get less than a fifth of the width.
    """
    rows = chart.rows
    ends = np.array([[row.low, row.high] for row in rows])
    estimates = np.array([row.estimate for row in rows])
    ends = np.where(np.isfinite(ends), ends, estimates[:, np.newaxis])
    strong = np.array([row.strong for row in rows])
    center = chart.null
    if center is None:
        center = float(np.median(estimates[strong] if strong.any() else estimates))
    reach = np.abs(ends - center).max(axis=1)
    order = np.argsort(reach, kind="stable")
    reach = reach[order]
    typical = float(np.median(ends[:, 1] - ends[:, 0]))
    fewest = max(2, len(rows) // 2 + 1)
    kept = len(rows)
    if typical < (ends.max() - ends.min()) / 5.0 and fewest < len(rows):
        steps = reach[fewest:] / np.maximum(reach[fewest - 1 : -1], 1e-300)
        if steps.max() > 2.0:
            kept = fewest + int(steps.argmax())
    shown = ends[order[:kept]].ravel().tolist()
    shown += [end for row in rows for end in row.wide or () if math.isfinite(end)]
    shown += [] if chart.null is None else [chart.null]
    low, high = min(shown), max(shown)
    return (low, high) if low < high else (low - 1.0, high + 1.0)


def _draw(ax: Any, chart: _Chart, limits: tuple[float, float]) -> None:
    from matplotlib import rcParams

    ink = rcParams["text.color"]
    low, high = limits
    air = 0.03 * (high - low)
    low, high = low - air, high + air
    if chart.rope:
        ax.axvspan(-chart.rope, chart.rope, color=GRID, linewidth=0, zorder=0)
    for y, row in enumerate(chart.rows):
        _draw_row(ax, row, y, low, high)
    if chart.null is not None:
        ax.axvline(chart.null, color=ink, linewidth=0.6, zorder=1)
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    longest = max(len(row.name) for row in chart.rows)
    ax.locator_params(axis="x", nbins=4 if longest <= 18 else 2)
    name_rows(ax, [row.name for row in chart.rows])
    ax.set(xlim=(low, high), ylim=(len(chart.rows) - 0.4, -0.7))
    ax.set_xlabel("\n".join(chart.lines))
    _write_numbers(ax, chart, ink)


def _draw_row(ax: Any, row: _Row, y: int, low: float, high: float) -> None:
    """Draw a line and a dot, as far as they lie within the axis; an arrow says that more lies beyond."""
    color = MARK if row.strong else QUIET
    look: dict[str, Any] = {"color": color, "solid_capstyle": "butt", "zorder": 2}
    if row.wide is not None:
        ax.plot(row.wide, [y, y], linewidth=0.6, **look)
    left, right = max(row.low, low), min(row.high, high)
    if left <= right:
        ax.plot([left, right], [y, y], linewidth=1.5, **look)
    if low <= row.estimate <= high:
        face = ax.get_facecolor() if row.hollow else color
        ax.plot(row.estimate, y, "o", color=color, markersize=3.6, markerfacecolor=face, zorder=3)
    for beyond, end, marker in ((row.low < low, low, "<"), (row.high > high, high, ">")):
        if beyond:
            ax.plot(end, y, marker, color=color, markersize=3.4, clip_on=False, zorder=3)


def _write_numbers(ax: Any, chart: _Chart, ink: str) -> None:
    """Write estimates and intervals at the right, in columns by spaces as wide as digits."""
    widths = [row.high - row.low for row in chart.rows if math.isfinite(row.high - row.low)]
    digits = decimals(float(np.median(widths)) / 4.0 if widths else math.nan)
    cells = [
        (
            number(row.estimate, digits),
            f"{number(row.low, digits)} to {number(row.high, digits)}",
        )
        for row in chart.rows
    ]
    first, second = (max(map(len, column)) for column in zip(*cells, strict=True))
    look: dict[str, Any] = {
        "xycoords": ("axes fraction", "data"),
        "textcoords": "offset points",
        "va": "center_baseline",
        "annotation_clip": False,
    }
    for y, (row, (estimate, ends)) in enumerate(zip(chart.rows, cells, strict=True)):
        text = f"{estimate.rjust(first, _FIGURE_SPACE)}\u2002{ends.rjust(second, _FIGURE_SPACE)}"
        color = ink if row.strong or row.hollow else SOFT
        ax.annotate(text, (1.0, y), (6, 0), color=color, **look)
    ax.annotate(chart.heading, (1.0, -1.0), (6, 0), color=SOFT, **look)
