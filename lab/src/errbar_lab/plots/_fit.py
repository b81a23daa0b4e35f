"""Room for labels in figures that no layout engine of matplotlib looks after: axes shrink until all that belongs to them is inside.

A figure of its own, and one that its user gave an engine, is laid out by that engine each time it is drawn. Without one, axes stay
where ``subplots`` put them, and names at their left are cut at the edge of the figure. So they shrink once, when they are drawn
on, as far as what belongs to them would leave their place: it ends at the edge of the figure or half way to the next axes.
"""

from collections.abc import Sequence
from typing import Any

# In inches: what stays free at the edge of a figure, and between panels.
EDGE, _BETWEEN = 0.1, 0.12
# Widths of text differ a little between resolutions, and a figure may be saved at another one.
_SLACK = 1.02
_SMALLEST = 0.12  # inches of a panel, below which it would show nothing
_ROUNDS = 3  # labels of ticks depend on the room that is left, which depends on them


def fit(ax: Any, panels: Sequence[Any]) -> None:
    """Move axes, or the panels in their place with the legend below them, so that nothing leaves their place.

    Parameters
    ----------
    ax : matplotlib axes
        Those that were given.
    panels : sequence of matplotlib axes
        What was put in their place, the legend last; empty where there is nothing but the axes.
    """
    rows, weights = _grid(ax, panels)
    left, bottom, right, top = _place(ax, panels)
    own = _place_of(ax)
    for _ in range(_ROUNDS):
        over = [[_overhang(panel, alone=not panels) for panel in row] for row in rows]
        _arrange(rows, over, weights, (left, bottom, right, top), own, ax.figure)


def _grid(ax: Any, panels: Sequence[Any]) -> tuple[list[list[Any]], list[float]]:
    """Return the rows of panels from top to bottom, and how the height is shared among them."""
    if not panels:
        return [[ax]], [1.0]
    *drawn, legend = panels
    grid = drawn[0].get_subplotspec().get_gridspec()
    rows = [drawn[i : i + grid.ncols] for i in range(0, len(drawn), grid.ncols)]
    weights = [float(weight) for weight in grid.get_height_ratios()]
    return [*rows, [legend]], [*weights, 0.0]


def _place(ax: Any, panels: Sequence[Any]) -> tuple[float, float, float, float]:
    """Return the ends of the place of some axes in pixels of the figure: left, bottom, right and top."""
    figure = ax.figure
    edge = EDGE * figure.dpi
    box = figure.bbox
    left, bottom, right, top = box.x0 + edge, box.y0 + edge, box.x1 - edge, box.y1 - edge
    own = _place_of(ax)
    for other in figure.axes:
        if other is ax or other in panels or not other.get_visible():
            continue
        its = _place_of(other)
        if its.y0 < own.y1 and own.y0 < its.y1:
            left = max(left, (its.x1 + own.x0) / 2 + edge / 2) if its.x1 <= own.x0 else left
            right = min(right, (own.x1 + its.x0) / 2 - edge / 2) if its.x0 >= own.x1 else right
        if its.x0 < own.x1 and own.x0 < its.x1:
            bottom = max(bottom, (its.y1 + own.y0) / 2 + edge / 2) if its.y1 <= own.y0 else bottom
            top = min(top, (own.y1 + its.y0) / 2 - edge / 2) if its.y0 >= own.y1 else top
    return left, bottom, right, top


def _place_of(ax: Any) -> Any:
    """Return where axes are by their grid, whatever was done to them since, in pixels."""
    place = ax.get_subplotspec()
    box = ax.get_position(original=True) if place is None else place.get_position(ax.figure)
    return box.transformed(ax.figure.transSubfigure)


def _overhang(panel: Any, *, alone: bool) -> tuple[float, float, float, float]:
    """Return how far what belongs to a panel reaches beyond it, in pixels: left, bottom, right and top.

    A title may reach over the panels beside its own.
    """
    inner = panel.get_position(original=True).transformed(panel.figure.transSubfigure)
    outer = panel.get_tightbbox(for_layout_only=not alone)
    if outer is None:
        return 0.0, 0.0, 0.0, 0.0
    gaps = (inner.x0 - outer.x0, inner.y0 - outer.y0, outer.x1 - inner.x1, outer.y1 - inner.y1)
    left, bottom, right, top = (_SLACK * max(0.0, float(gap)) for gap in gaps)
    return left, bottom, right, top


def _arrange(
    rows: Sequence[Sequence[Any]],
    over: Sequence[Sequence[tuple[float, float, float, float]]],
    weights: Sequence[float],
    place: tuple[float, float, float, float],
    own: Any,
    figure: Any,
) -> None:
    """Put panels into columns of one width, with the gaps that their labels need, where the axes were."""
    left, bottom, right, top = place
    columns = max(map(len, rows))
    across = [[row[c] for row in over if len(row) == columns] for c in range(columns)]
    before, after = ([max(one[side] for one in column) for column in across] for side in (0, 2))
    below, above = ([max(one[side] for one in row) for row in over] for side in (1, 3))
    gap, least = _BETWEEN * figure.dpi, _SMALLEST * figure.dpi
    first, last = max(own.x0, left + before[0]), min(own.x1, right - after[-1])
    high, low = min(own.y1, top - above[0]), max(own.y0, bottom + below[-1])
    wide = max(
        least, (last - first - sum(before[1:]) - sum(after[:-1]) - gap * (columns - 1)) / columns
    )
    tall = max(least, high - low - sum(below[:-1]) - sum(above[1:]) - gap * (len(rows) - 1))
    y = high
    for row, weight, over_it, under_it in zip(rows, weights, [0.0, *above[1:]], below, strict=True):
        height = tall * weight / sum(weights)
        y -= over_it + height
        x = first
        for panel, lead, trail in zip(row, [0.0, *before[1:]], after, strict=False):
            # A single one below several, which is a legend, has all the width.
            span = wide if len(row) == columns else last - first
            x += lead
            _move(panel, x, y, span, max(height, 1.0))
            x += span + trail + gap
        y -= under_it + gap


def _move(panel: Any, x: float, y: float, wide: float, tall: float) -> None:
    box = panel.figure.bbox
    within = panel.get_in_layout()
    panel.set_position(
        ((x - box.x0) / box.width, (y - box.y0) / box.height, wide / box.width, tall / box.height)
    )
    # Setting a position takes axes out of the layout, and out of what savefig keeps with bbox_inches="tight".
    panel.set_in_layout(within)
