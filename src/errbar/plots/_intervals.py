"""Estimates or differences, an interval a row: the tables of the first screen, drawn."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from errbar import _check
from errbar.comparison import Comparison
from errbar.datasets import Ranking
from errbar.errors import InvalidInputError
from errbar.plots._axes import GRID, MARK, QUIET, SOFT, drawing, name_rows, shortened
from errbar.report.numbers import Digits, minus, percent
from errbar.report.story import Row, Story, Table
from errbar.result import Result

MOST_ROWS = 60
_NAME_OF_PAIR = 14
_FIGURE_SPACE = "\u2007"


class _Chart(NamedTuple):
    table: Table
    names: list[str]
    heading: str
    lines: tuple[str, ...] = ()
    null: float | None = None
    rope: float = 0.0
    hollow: bool = False

    @property
    def limits(self) -> tuple[float, float]:
        low, high = self.table.limits
        return (low, high) if self.null is None else (min(low, self.null), max(high, self.null))


def intervals(
    source: Comparison | Ranking | Result | Mapping[str, Any],
    *,
    of: str = "estimates",
    null: float | None = None,
    label: str | None = None,
    limits: tuple[float, float] | None = None,
    ax: Any = None,
) -> Any:
    """Draw one interval a row, with its numbers at the right.

    Of a comparison, learners that are ruled out as best are grey, and thin ends account for the
    selection of the best. Differences are larger minus smaller, or minus the baseline; with more
    than five learners and no baseline each is drawn against the best so far. Hollow marks are not
    significant. Few rows far from all others are cut off, with an arrow.

    Parameters
    ----------
    source : Comparison, Ranking, Result or mapping of str
        A mapping holds a `Result` or (estimate, low, high) for each name. A ranking by Nemenyi's
        test is drawn as mean ranks with half the critical difference on either side.
    of : {"estimates", "differences"}, default "estimates"
        What of a comparison to draw.
    null : float, optional
        Where to draw a line; intervals of a mapping that cover it are hollow.
    label, limits : str, tuple of float, optional
        Label and ends of the axis; what lies beyond is cut off.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, or `source` has no such intervals.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.intervals({"tree": (0.31, 0.25, 0.37), "forest": (0.22, 0.18, 0.26)})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['tree', 'forest']
    """
    _check.choice(of, ("estimates", "differences"), "of")
    if isinstance(source, Comparison):
        chart = _estimates(source) if of == "estimates" else _differences(source)
    elif isinstance(source, Ranking):
        chart = _mean_ranks(source)
    else:
        chart = _given({_name(source): source} if isinstance(source, Result) else source, null)
    lines = chart.lines if label is None else (label, *chart.lines[1:])
    chart = chart._replace(lines=lines, null=chart.null if null is None else null)
    height = 0.36 + 0.165 * len(chart.names) + 0.12 * max(1, len(lines))
    with drawing(ax, height) as axes:
        _draw(axes, chart, limits or chart.limits)
    return axes


def _estimates(comparison: Comparison) -> _Chart:
    story = Story(comparison)
    table = story.ranking
    lines = [f"{story.measure}, {comparison.table.loss.direction}"]
    if not all(row.strong for row in table.rows):
        lines.append("grey: ruled out as best")
    if any(row.wide for row in table.rows):
        lines.append("thin: selection accounted for")
    heading = f"estimate, {percent(comparison.level)} interval"
    return _first(_Chart(table, shortened([row.name for row in table.rows]), heading, tuple(lines)))


def _differences(comparison: Comparison) -> _Chart:
    story = Story(comparison)
    table = story.differences
    if table is None:
        raise InvalidInputError(
            "there is one learner, which has no differences; leave out of='differences'",
            argument="of",
        )
    learners = list(comparison.learners)
    short = dict(zip(learners, shortened(learners, _NAME_OF_PAIR), strict=True))
    link = " over " if comparison.quantity else " − "
    names = [link.join(short[name] for name in row.learners) for row in table.rows]
    side = "better" if comparison.higher_is_better or comparison.quantity else "worse"
    lines = [comparison.quantity or f"difference in {story.measure}", f"first {side} →"]
    if story.reference is not None:
        lines = [f"{lines[0]} from {short[story.reference]}", f"{side} →"]
    if not all(row.strong for row in table.rows):
        lines.append(f"○ not {story.significant}")
    heading = f"{percent(comparison.level)} {'simultaneous' if story.simultaneous else 'interval'}"
    null = comparison.pairs[0].result.null
    return _first(_Chart(table, names, heading, tuple(lines), null, story.rope, hollow=True))


def _first(chart: _Chart) -> _Chart:
    count = len(chart.names)
    if count <= MOST_ROWS:
        return chart
    table = chart.table.first(MOST_ROWS)
    lines = (*chart.lines, f"first {MOST_ROWS} of {count}")
    return chart._replace(table=table, names=chart.names[:MOST_ROWS], lines=lines)


def _mean_ranks(ranking: Ranking) -> _Chart:
    half = (ranking.critical_difference or math.nan) / 2.0
    if math.isnan(half):
        raise InvalidInputError(
            f"{ranking.post_hoc!r} has no critical difference to draw; use errbar.plots.ranks",
            argument="source",
        )
    best = next(iter(ranking.mean_ranks.values()))
    rows = [
        Row((name,), rank, rank - half, rank + half, half / 2.0, strong=rank - best < 2.0 * half)
        for name, rank in ranking.mean_ranks.items()
    ]
    lines = (
        f"mean rank over {len(ranking.data.names)} data sets (1 is best)",
        "intervals apart: significant",
    )
    return _of_rows(rows, "mean rank, half a CD", lines)


def _of_rows(rows: Sequence[Row], heading: str, lines: tuple[str, ...] = ()) -> _Chart:
    table = Table("", "", (), tuple(rows), Digits.of(rows))
    return _Chart(table, shortened([row.name for row in table.rows]), heading, lines)


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
    chart = _of_rows(rows, f"estimate, {level}interval")
    lines = () if all(row.strong for row in rows) else ("", "○ not significant")
    tested = nulls.pop() if len(nulls) == 1 else None
    return chart._replace(null=tested, lines=lines, hollow=True)


def _given_row(name: str, value: Any, null: float | None) -> Row:
    if isinstance(value, Result):
        strong = not value.tested or value.pvalue <= 1.0 - value.level
        return Row((name,), value.estimate, *value.interval, value.se, strong=strong)
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
    strong = null is None or not low <= null <= high
    return Row((name,), estimate, low, high, (high - low) / 4.0, strong=strong)


def _name(result: Result) -> str:
    names = [name for name in (result.learner, result.minus) if name is not None]
    return " − ".join(names) or result.method


def _draw(ax: Any, chart: _Chart, limits: tuple[float, float]) -> None:
    from matplotlib import rcParams

    ink = rcParams["text.color"]
    air = 0.03 * (limits[1] - limits[0])
    low, high = limits[0] - air, limits[1] + air
    if chart.rope:
        ax.axvspan(-chart.rope, chart.rope, color=GRID, linewidth=0, zorder=0)
    for y, row in enumerate(chart.table.rows):
        _draw_row(ax, row, y, (low, high), hollow=chart.hollow and not row.strong)
    if chart.null is not None:
        ax.axvline(chart.null, color=ink, linewidth=0.6, zorder=1)
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.locator_params(axis="x", nbins=4 if max(map(len, chart.names)) <= 18 else 2)
    name_rows(ax, chart.names)
    ax.set(xlim=(low, high), ylim=(len(chart.names) - 0.4, -0.7))
    ax.set_xlabel("\n".join(chart.lines))
    _write_numbers(ax, chart, ink)


def _draw_row(ax: Any, row: Row, y: int, ends: tuple[float, float], *, hollow: bool) -> None:
    low, high = ends
    color = MARK if row.strong else QUIET
    look: dict[str, Any] = {"color": color, "solid_capstyle": "butt", "zorder": 2}
    if row.wide is not None:
        ax.plot(row.wide, [y, y], linewidth=0.6, **look)
    left, right = max(row.low, low), min(row.high, high)
    if left <= right:
        ax.plot([left, right], [y, y], linewidth=1.5, **look)
    if low <= row.estimate <= high:
        face = ax.get_facecolor() if hollow else color
        ax.plot(row.estimate, y, "o", color=color, markersize=3.6, markerfacecolor=face, zorder=3)
    for beyond, end, marker in ((row.low < low, low, "<"), (row.high > high, high, ">")):
        if beyond:
            ax.plot(end, y, marker, color=color, markersize=3.4, clip_on=False, zorder=3)


def _write_numbers(ax: Any, chart: _Chart, ink: str) -> None:
    digits = chart.table.digits
    cells = [
        (minus(digits.number(row.estimate)), minus(digits.span(row.low, row.high)))
        for row in chart.table.rows
    ]
    first, second = (max(map(len, column)) for column in zip(*cells, strict=True))
    look: dict[str, Any] = {
        "xycoords": ("axes fraction", "data"),
        "textcoords": "offset points",
        "va": "center_baseline",
        "annotation_clip": False,
    }
    for y, (row, (estimate, ends)) in enumerate(zip(chart.table.rows, cells, strict=True)):
        text = f"{estimate.rjust(first, _FIGURE_SPACE)}\u2002{ends.rjust(second, _FIGURE_SPACE)}"
        color = ink if row.strong or chart.hollow else SOFT
        ax.annotate(text, (1.0, y), (6, 0), color=color, **look)
    ax.annotate(chart.heading, (1.0, -1.0), (6, 0), color=SOFT, **look)
