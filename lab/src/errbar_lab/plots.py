"""The picture of a study: panels of curves, or of rows with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.plots import GRID, INK, SOFT, STYLE, name_rows

__all__ = ["study"]

# Colours are told apart by the colour-blind too; lines differ in their dashes as well.
_STYLES: tuple[tuple[str, Any], ...] = (
    ("#0b5cad", "-"),
    ("#b8550a", (0, (6, 2))),
    ("#0a7a55", (0, (4, 1.5, 1, 1.5))),
    ("#a4478f", (0, (3, 1))),
    (INK, (0, (1, 1.2))),
)

# Inches.
_NAMES, _ROW, _AROUND, _LINE, _CURVES = 1.1, 0.165, 0.45, 0.13, (2.9, 2.0)


@dataclass(frozen=True)
class Series:
    """Values with their intervals, if they have any: a line, or marks.

    Attributes
    ----------
    name : str
        What the legend calls it.
    x, y : sequence of float
        Places; in panels of rows the values are `x`, and `y` counts the rows.
    low, high : sequence of float
        Ends of the intervals of the values.
    style : int
        Which colour and dashes.
    marker : str
        Mark of each value, or of every so many of a line.
    line : bool
        Whether the values are joined.
    every : int
        Of how many values one is marked.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    style: int = 0
    marker: str = ""
    line: bool = False
    every: int = 1


@dataclass(frozen=True)
class Panel:
    """Series in one pair of axes.

    Attributes
    ----------
    series : sequence of Series
        What is drawn.
    title, xlabel, ylabel : str
        Words.
    rows : sequence of str
        Names of the rows, first at the top; a panel without them has curves.
    across, upright : mapping of str to float
        Lines at values of y and of x, by what the legend says of them.
    band : mapping of str to tuple of float
        Grey bands between two values of x.
    ticks : sequence of float
        Where the logarithmic axis of x has numbers; without any it is linear.
    limits : tuple of float or None
        Ends of the axis of the values.
    """

    series: Sequence[Series]
    title: str = ""
    xlabel: str = ""
    ylabel: str = ""
    rows: Sequence[str] = ()
    across: Mapping[str, float] = field(default_factory=dict)
    upright: Mapping[str, float] = field(default_factory=dict)
    band: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    ticks: Sequence[float] = ()
    limits: tuple[float, float] | None = None


Picture = Sequence[Sequence[Panel]]
"""Panels, row by row."""


def intervals(
    found: Mapping[Any, Any] | Sequence[Any], name: str = "", scale: float = 100.0, **style: Any
) -> Series:
    """Return values with their intervals, in per cent unless told otherwise, each in its row."""
    rows = found if isinstance(found, Mapping) else dict(enumerate(found))
    value, low, high = (
        [scale * getattr(one, end) for one in rows.values()] for end in ("value", "low", "high")
    )
    return Series(name, value, list(rows), low, high, **({"marker": "o"} | style))


def study(found: Any) -> Any:
    """Draw what a study found.

    Parameters
    ----------
    found : Study
        From one of the functions of `errbar_lab`.

    Returns
    -------
    matplotlib axes
        The first panel.

    Raises
    ------
    InvalidInputError
        If it is no study.
    MissingPackageError
        If matplotlib is not installed.

    Examples
    --------
    >>> import errbar_lab as lab
    >>> found = lab.coverage(["gaussian-ridge-20"], ["holdout-t"], n=[60], replicates=3, truth_draws=3)
    >>> lab.plots.study(found).get_xlabel()
    'coverage of R, %'
    """
    picture: Picture | None = getattr(found, "picture", None)
    if picture is None:
        raise InvalidInputError(
            f"must be a study, as errbar_lab.coverage returns it, got {type(found).__name__}",
            argument="found",
        )
    _check.package("matplotlib", "app")
    from matplotlib import style
    from matplotlib.figure import Figure

    heights = [_height(panels[0]) for panels in picture]
    wide = len(picture[0]) * (_CURVES[0] if not picture[0][0].rows else 1.4)
    wide += _NAMES if picture[0][0].rows else 0.0
    with style.context(STYLE):
        size = (max(3.3, wide), sum(heights) + _LINE * _lines_of_legend(picture))
        figure = Figure(figsize=size, layout="constrained")
        first = _draw(picture, figure, figure.add_gridspec(1, 1)[0])
        figure.draw_without_rendering()  # ticks take their look when they are first drawn
    return first


def _height(panel: Panel) -> float:
    return _AROUND + _ROW * len(panel.rows) if panel.rows else _CURVES[1]


def _labels(picture: Picture) -> set[str]:
    panels = list(chain.from_iterable(picture))
    names = {one.name for panel in panels for one in panel.series}
    lines = {name for one in panels for name in (*one.across, *one.upright, *one.band)}
    return {name for name in names | lines if name}


def _lines_of_legend(picture: Picture) -> int:
    return -(-len(_labels(picture)) // _columns(picture))


def _columns(picture: Picture) -> int:
    return 2 if len(picture[0]) == 1 else 3


def _draw(picture: Picture, figure: Any, place: Any) -> Any:
    heights = [*map(_height, (panels[0] for panels in picture)), _LINE * _lines_of_legend(picture)]
    grid = place.subgridspec(len(heights), len(picture[0]), height_ratios=heights)
    labelled: dict[str, Any] = {}
    first = None
    for row, panels in enumerate(picture):
        for column, panel in enumerate(panels):
            ax = figure.add_subplot(grid[row, column])
            first = first or ax
            _draw_panel(ax, panel, named=column == 0)
            labelled |= {
                label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
            }
    below = figure.add_subplot(grid[-1, :])
    below.set_axis_off()
    below.legend(
        labelled.values(),
        labelled,
        loc="center",
        ncols=_columns(picture),
        frameon=False,
        borderpad=0.0,
        labelspacing=0.3,
    )
    return first


def _draw_panel(ax: Any, panel: Panel, *, named: bool) -> None:
    for one in panel.series:
        _draw_series(ax, one, by_row=bool(panel.rows))
    for label, (low, high) in panel.band.items():
        ax.axvspan(low, high, color=GRID, linewidth=0, zorder=0, label=label)
    for lines, draw in ((panel.across, ax.axhline), (panel.upright, ax.axvline)):
        for (label, place), dashes in zip(lines.items(), ("-", ":"), strict=False):
            draw(place, color=SOFT, linewidth=0.6, linestyle=dashes, zorder=1, label=label)
    if panel.ticks:
        ax.set_xscale("log")
        ax.set_xticks(panel.ticks, [f"{tick:g}" for tick in panel.ticks])
        ax.set_xticks([], minor=True)
    if panel.rows:
        name_rows(ax, panel.rows if named else [""] * len(panel.rows))
        ax.set_ylim(len(panel.rows) - 0.4, -0.6)
    if panel.limits is not None:
        (ax.set_xlim if panel.rows else ax.set_ylim)(panel.limits)
    ax.set_title(panel.title, loc="left", fontsize="medium", parse_math=False)
    ax.set_xlabel(panel.xlabel)
    ax.set_ylabel(panel.ylabel)


def _draw_series(ax: Any, one: Series, *, by_row: bool) -> None:
    color, dashes = _STYLES[one.style]
    ax.plot(
        one.x,
        one.y,
        color=color,
        linestyle=dashes if one.line else "none",
        linewidth=1.1,
        marker=one.marker,
        markersize=3.2,
        markevery=one.every,
        markerfacecolor="white" if one.line and one.every > 1 else color,
        markeredgewidth=0.8,
        zorder=3,
        label=one.name,
    )
    if len(one.low):
        low, high = np.asarray(one.low), np.asarray(one.high)
        known = np.isfinite(low) & np.isfinite(high)
        places = np.asarray(one.y if by_row else one.x)[known]
        draw = ax.hlines if by_row else ax.vlines
        draw(places, low[known], high[known], color=color, linewidth=0.9, zorder=2)
