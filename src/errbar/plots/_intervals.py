"""Estimates or differences, an interval a row: the tables of the first screen, drawn."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from errbar import _check
from errbar.comparison import Comparison
from errbar.datasets import Ranking
from errbar.errors import InvalidInputError
from errbar.plots._axes import GRID, MARK, QUIET, SOFT, drawing, name_rows, shortened
from errbar.report import story_of
from errbar.report.numbers import Digits, minus, percent
from errbar.report.story import Row, Table
from errbar.result import Result

MOST_ROWS = 60
_FIGURE_SPACE = "\u2007"


def intervals(
    source: Comparison | Ranking | Result | Mapping[str, Any],
    *,
    of: str = "estimates",
    label: str | None = None,
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
        What of a comparison or a ranking to draw.
    label : str, optional
        Label of the axis.
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
    rope, null, title = 0.0, None, ""
    if isinstance(source, (Comparison, Ranking)):
        story = story_of(source)
        table, title = story.ranking, story.subject[0]
        if of == "differences":
            table, title = story.differences, f"difference in {story.measure}"
        if table is None:
            raise InvalidInputError(
                "there is one learner, which has no differences; leave out of='differences'",
                argument="of",
            )
        if isinstance(source, Ranking):
            title = story.ranking.aside if of == "estimates" else table.title.lower()
        elif table.tested:
            null, rope = source.pairs[0].result.null, source.rope or 0.0
    else:
        table = _given(source)
        null = source.null if isinstance(source, Result) and source.tested else None
    heading = table.heads[2]
    if of == "estimates":
        first = "mean rank" if isinstance(source, Ranking) else "estimate"
        heading = f"{first}, {heading}"
    count = len(table.rows)
    table = replace(table, rows=table.rows[:MOST_ROWS])
    lines = [title if label is None else label]
    lines += [f"{table.sides[1]} →"] if table.sides else []
    if not all(row.strong for row in table.rows):
        lines.append(f"○ not {table.mark}" if table.tested else "grey: ruled out as best")
    lines += ["thin: selection accounted for"] if any(row.wide for row in table.rows) else []
    lines += [f"first {MOST_ROWS} of {count}"] if count > MOST_ROWS else []
    with drawing(ax, 0.36 + 0.165 * len(table.rows) + 0.12 * len(lines)) as axes:
        _draw(axes, table, heading, null, rope)
        axes.set_xlabel("\n".join(lines))
    return axes


def _given(source: Any) -> Table:
    """Return the table of results, or of (estimate, low, high)."""
    if isinstance(source, Result):
        names = [name for name in (source.learner, source.minus) if name is not None]
        source = {" - ".join(names) or source.method: source}
    if not isinstance(source, Mapping) or not source:
        raise InvalidInputError(
            "must be a comparison, a ranking, a result, or a mapping of names to results or "
            "(estimate, low, high)",
            argument="source",
        )
    found = {}
    for name, value in source.items():
        if isinstance(value, Result):
            strong = not value.tested or value.pvalue <= 1.0 - value.level
            found[str(name)] = (value.estimate, *value.interval, strong)
            continue
        try:
            numbers = np.asarray(value, dtype=float).ravel()
        except (TypeError, ValueError):
            numbers = np.empty(0)
        if numbers.size != 3 or np.isnan(numbers).any() or not np.isfinite(numbers[0]):
            raise InvalidInputError(
                f"needs (estimate, low, high) for {name!r}, got {_check.brief(value)}",
                argument="source",
            )
        estimate, low, high = numbers.tolist()
        found[str(name)] = (estimate, low, high, True)
    # A quarter of an interval is about a standard error.
    digits = Digits.of_errors(
        [(high - low) / 4.0 for _, low, high, _ in found.values()],
        [estimate for estimate, *_ in found.values()],
    )
    rows = [
        Row(name, estimate, low, high, (digits.number(estimate), digits.span(low, high)), strong)
        for name, (estimate, low, high, strong) in found.items()
    ]
    levels = {one.level for one in source.values() if isinstance(one, Result)}
    level = f"{percent(levels.pop())} interval" if len(levels) == 1 else "interval"
    heads = ("", "estimate", level)
    return Table("", "", heads, tuple(rows), tested=True, mark="significant")


def _draw(ax: Any, table: Table, heading: str, null: float | None, rope: float) -> None:
    from matplotlib import rcParams

    ink = rcParams["text.color"]
    ends = np.array([*table.limits, *([] if null is None else [null])])
    air = 0.03 * np.ptp(ends)
    low, high = ends.min() - air, ends.max() + air
    if rope:
        ax.axvspan(-rope, rope, color=GRID, linewidth=0, zorder=0)
    for y, row in enumerate(table.rows):
        color = MARK if row.strong else QUIET
        face = ax.get_facecolor() if table.tested and not row.strong else color
        look: dict[str, Any] = {"color": color, "solid_capstyle": "butt", "zorder": 2}
        if row.wide is not None:
            ax.plot(row.wide, [y, y], linewidth=0.6, **look)
        if row.drawn and row.low <= high and row.high >= low:
            ax.plot(np.clip([row.low, row.high], low, high), [y, y], linewidth=1.5, **look)
        if low <= row.estimate <= high:
            ax.plot(row.estimate, y, "o", color=color, markersize=3.6, mfc=face, zorder=3)
        for beyond, end, mark in ((row.low < low, low, "<"), (row.high > high, high, ">")):
            if beyond:
                ax.plot(end, y, mark, color=color, markersize=3.4, clip_on=False, zorder=3)
    if null is not None:
        ax.axvline(null, color=ink, linewidth=0.6, zorder=1)
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    names = shortened([row.name for row in table.rows])
    ax.locator_params(axis="x", nbins=4 if max(map(len, names)) <= 18 else 2)
    name_rows(ax, names)
    ax.set(xlim=(low, high), ylim=(len(names) - 0.4, -0.7))
    columns = [[minus(row.cells[place]) for row in table.rows] for place in (0, 1)]
    widths = [max(map(len, column)) for column in columns]
    beside: dict[str, Any] = {
        "xycoords": ("axes fraction", "data"),
        "textcoords": "offset points",
        "va": "center_baseline",
        "annotation_clip": False,
    }
    for y, (row, *cells) in enumerate(zip(table.rows, *columns, strict=True)):
        padded = [
            cell.rjust(width, _FIGURE_SPACE) for cell, width in zip(cells, widths, strict=True)
        ]
        color = ink if row.strong or table.tested else SOFT
        ax.annotate("\u2002".join(padded), (1.0, y), (6, 0), color=color, **beside)
    ax.annotate(heading, (1.0, -1.0), (6, 0), color=SOFT, **beside)
