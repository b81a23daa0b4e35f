"""Estimates or differences, an interval a row: the tables of the first screen, drawn."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from errbar import _check
from errbar._plain import Data
from errbar.comparison import Comparison
from errbar.datasets import Ranking
from errbar.errors import InvalidInputError
from errbar.plots._axes import GRID, MARK, QUIET, SOFT, drawing, name_rows, shortened
from errbar.report import story_of
from errbar.report.numbers import Digits, minus, percent
from errbar.report.story import Row, Table
from errbar.result import Result

_SPACE = "\u2007"  # as wide as a digit


def intervals(
    source: Comparison | Ranking | Mapping[str, Any], *, of: str = "estimates", ax: Any = None
) -> Any:
    """Draw one interval a row, with its numbers at the right.

    Of a comparison, learners that are ruled out as best are grey, and thin ends account for the
    selection of the best. Differences are larger minus smaller, or minus the baseline; with more
    than five learners and no baseline each is drawn against the best so far. Hollow marks are not
    significant. Few rows far from all others are cut off, with an arrow.

    Parameters
    ----------
    source : Comparison, Ranking or mapping of str
        A mapping holds a `Result` or (estimate, low, high) for each name. A ranking by Nemenyi's
        test is drawn as mean ranks with half the critical difference on either side.
    of : {"estimates", "differences"}, default "estimates"
        What of a comparison or a ranking to draw.
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
    if isinstance(source, (Comparison, Ranking)):
        story = story_of(source)
        table = story.ranking if of == "estimates" else story.differences
    else:
        table = _given(source)
    if table is None:
        raise InvalidInputError(
            "there is one learner, which has no differences; leave out of='differences'",
            argument="of",
        )
    lines = [table.label]
    lines += [f"{table.sides[1]} →"] if table.sides else []
    if not all(row.strong for row in table.rows):
        lines.append(f"○ not {table.mark}" if table.tested else "grey: ruled out as best")
    lines += ["thin: selection accounted for"] if any(row.wide for row in table.rows) else []
    with drawing(ax, 0.36 + 0.165 * len(table.rows) + 0.12 * len(lines)) as axes:
        if table.sides:
            rope = getattr(source, "rope", None) or 0.0
            axes.axvspan(-rope, rope, color=GRID, linewidth=0, zorder=0)
            axes.axvline(0.0, color=SOFT, linewidth=0.6, zorder=1)
        _draw(axes, table)
        _write(axes, table)
        axes.set_xlabel("\n".join(lines))
    return axes


def _given(source: Any) -> Table:
    """Return the table of results, or of (estimate, low, high)."""
    if not isinstance(source, Mapping) or not source:
        raise InvalidInputError(
            "must be a comparison, a ranking, or a mapping of names to results or "
            "(estimate, low, high)",
            argument="source",
        )
    found, levels = [], set()
    for name, value in source.items():
        numbers, strong = value, True
        if isinstance(value, Result):
            numbers = (value.estimate, *value.interval)
            strong = not value.tested or value.pvalue <= 1.0 - value.level
            levels.add(f"{percent(value.level)} ")
        try:
            estimate, low, high = map(float, numbers)
        except (TypeError, ValueError):
            estimate = low = high = math.nan
        if not math.isfinite(estimate) or math.isnan(low) or math.isnan(high):
            raise InvalidInputError(
                f"needs (estimate, low, high) for {name!r}, got {_check.brief(value)}",
                argument="source",
            )
        found.append(Row(str(name), estimate, low, high, (), strong))
    # A quarter of an interval is about a standard error.
    errors = [(row.high - row.low) / 4.0 for row in found]
    digits = Digits.of_errors(errors, [row.estimate for row in found])
    rows = [
        replace(row, cells=(digits.number(row.estimate), digits.span(row.low, row.high)))
        for row in found
    ]
    level = levels.pop() if len(levels) == 1 else ""
    return Table(
        "", "", ("", "estimate", f"{level}interval"), rows, tested=True, mark="significant"
    )


def _draw(ax: Any, table: Table) -> None:
    air = 0.03 * np.ptp(table.limits)
    low, high = table.limits[0] - air, table.limits[1] + air
    for y, row in enumerate(table.rows):
        color = MARK if row.strong else QUIET
        face = ax.get_facecolor() if table.tested and not row.strong else color
        look: Data = {"color": color, "solid_capstyle": "butt", "zorder": 2}
        if row.wide is not None:
            ax.plot(row.wide, [y, y], linewidth=0.6, **look)
        if row.drawn and row.low <= high and row.high >= low:
            ax.plot(np.clip([row.low, row.high], low, high), [y, y], linewidth=1.5, **look)
        if low <= row.estimate <= high:
            ax.plot(row.estimate, y, "o", color=color, markersize=3.6, mfc=face, zorder=3)
        for beyond, end, mark in ((row.low < low, low, "<"), (row.high > high, high, ">")):
            if beyond:
                ax.plot(end, y, mark, color=color, markersize=3.4, clip_on=False, zorder=3)
    names = shortened([row.name for row in table.rows])
    name_rows(ax, names)
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.locator_params(axis="x", nbins=4 if max(map(len, names)) <= 18 else 2)
    ax.set(xlim=(low, high), ylim=(len(names) - 0.4, -0.7))


def _write(ax: Any, table: Table) -> None:
    """Write estimates and intervals at the right, in columns of digits of one width."""
    cells = [("", table.heads[2]), *(row.cells[:2] for row in table.rows)]
    first, second = (max(map(len, column)) for column in zip(*cells[1:], strict=True))
    for y, (estimate, ends) in enumerate(cells, -1):
        text = f"{minus(estimate).rjust(first, _SPACE)}\u2002{minus(ends).rjust(second, _SPACE)}"
        quiet = y < 0 or not (table.tested or table.rows[y].strong)
        ax.annotate(
            text,
            (1.0, y),
            (6, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center_baseline",
            annotation_clip=False,
            color=SOFT if quiet else None,
        )
