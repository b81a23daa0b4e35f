"""What the plots of studies share: panels in the place of axes, numbers with intervals, nominal levels, legends.

A study holds its numbers already, so its plot reads them from there and keeps no copy of its own.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from errbar.errors import InvalidInputError
from errbar_lab.plots._canvas import HIGHEST, drawn_by, entries_across, entry, ink
from errbar_lab.plots._names import (
    SMALL,
    escape,
    escaped,
    fold,
    inches_wide,
    letters_in,
    place_inches,
    row_points,
)

if TYPE_CHECKING:
    from errbar_lab.studies._cells import Interval

# One-sided, as in the figure of Nadeau & Bengio.
_SIGNIFICANCE = 0.05
# In inches: a line of a legend, the gap above a legend and between panels, and the least that panels are laid out in.
_LINE, _GAP, _LEAST = 0.18, 0.5, 2.0
_LEGEND: dict[str, Any] = {"frameon": False, "fontsize": "small"}
# Opacity of bands.
BAND = 0.13


@dataclass(frozen=True, eq=False)
class StudyChart:
    """A study of the laboratory, ready to be drawn by `draw` or `svg`.

    Attributes
    ----------
    size : tuple of float
        Width and height of its figure, in inches.
    paint : callable
        Draws it on axes.
    """

    size: tuple[float, float]
    paint: Callable[[Any], None]


@drawn_by(StudyChart, lambda chart: chart.size)
def _paint(chart: StudyChart, ax: Any) -> None:
    chart.paint(ax)


def known(found: Any, name: str) -> Any:
    """Return a study of the type `name` of `errbar_lab`, or say that it is none."""
    import errbar_lab as lab

    if not isinstance(found, getattr(lab, name)):
        raise InvalidInputError(
            f"must be a {name}, as errbar_lab makes it, got {type(found).__name__}",
            argument="found",
        )
    return found


def significant(alpha: float, total: int) -> float:
    """Return the smallest share of `total` data sets that lies significantly above `alpha`, one-sided at 5 %.

    It is above 1 where they are so few that none does.
    """
    from scipy.stats import binom

    return (float(binom.isf(_SIGNIFICANCE, total, alpha)) + 1.0) / total


def usual(share: float, total: int) -> tuple[float, float]:
    """Return between which measured shares at least 95 % of those of `total` data sets lie if `share` is the true one."""
    from scipy.stats import binom

    return float(binom.ppf(0.025, total, share)) / total, float(
        binom.isf(0.025, total, share)
    ) / total


def percentage(share: float) -> str:
    """Return a share in percent, without digits that mean nothing."""
    return f"{100.0 * share:.6g} %"


def shown(target: str) -> str:
    """Return the name of a target with a minus sign in differences."""
    return target.replace(" - ", " \N{MINUS SIGN} ")


def spread(
    ax: Any,
    rows: int,
    columns: int,
    handles: Sequence[Any],
    across: int,
    heights: Sequence[float] = (),
) -> list[list[Any]]:
    """Put panels in the place of some axes, and below them a legend with so many entries across; return the panels."""
    from matplotlib.gridspec import GridSpec

    ax.set_axis_off()
    across = min(across, entries_across(handles, place_inches(ax)))
    figure, place, box = ax.figure, ax.get_subplotspec(), ax.get_position()
    if place is None:  # axes that are in no grid
        place = GridSpec(1, 1, figure=figure, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1)[
            0
        ]
    wide, tall = (max(_LEAST, size / figure.dpi) for size in ax.get_window_extent().size)
    key = _LINE * -(-len(handles) // across)
    # The legend has a grid of its own, since axes that span columns would make all gaps as wide as the widest.
    upper, lower = place.subgridspec(
        2, 1, height_ratios=[tall - key, key], hspace=_gap(ax, tall, 2)
    )
    space = {"hspace": _gap(ax, tall - key, rows), "wspace": _gap(ax, wide, columns)}
    grid = upper.subgridspec(rows, columns, height_ratios=list(heights) or None, **space)
    panels = [
        [figure.add_subplot(grid[row, column]) for column in range(columns)] for row in range(rows)
    ]
    below = figure.add_subplot(lower)
    below.set_axis_off()
    below.legend(
        handles=list(handles), loc="upper center", ncols=across, borderaxespad=0.0, **_LEGEND
    )
    figure.sca(ax)
    return panels


def _gap(ax: Any, whole: float, count: int) -> float | None:
    """Return the gap as a share of the mean size of so many panels; None where a layout makes it as labels need it."""
    if ax.figure.get_layout_engine() is not None:
        return None
    return _GAP / max(0.1 * _GAP, (whole - (count - 1) * _GAP) / count)


def draw_found(
    ax: Any,
    places: Sequence[float],
    found: "Sequence[Interval]",
    *,
    scale: float = 100.0,
    upright: bool = True,
    thickness: float = 1.5,
    **style: Any,
) -> None:
    """Draw numbers at some places, in percent unless another scale is given: marks, and thin lines for the intervals.

    The marks are joined where the style has dashes; upright intervals belong to places on the horizontal axis.
    """
    values = [scale * one.value for one in found]
    ax.plot(
        *((places, values) if upright else (values, places)),
        **({"linestyle": "none", "zorder": 4} | style),
    )
    thin = {"color": style["color"], "linestyle": "-", "solid_capstyle": "butt", "zorder": 3}
    for place, one in zip(places, found, strict=True):
        ends = [scale * one.low, scale * one.high]
        if all(map(math.isfinite, ends)):
            both = [place, place]
            ax.plot(*((both, ends) if upright else (ends, both)), linewidth=thickness, **thin)


def tidy(ax: Any) -> None:
    """Leave out the frame where it says nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def name_rows(ax: Any, names: Sequence[str], bold: Sequence[bool]) -> None:
    """Write a name at the left of each row, some of them in bold; the rows go down from 0."""
    ax.set_yticks(range(len(names)), escaped(names), fontsize=row_points(ax, len(names), SMALL))
    for text, heavy in zip(ax.get_yticklabels(), bold, strict=True):
        text.set_fontweight("bold" if heavy else "normal")
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    tidy(ax)
    ax.spines["left"].set_visible(False)


def name_below(ax: Any, words: str) -> None:
    """Write below a panel what it shows, on more than one line where the panel is narrow."""
    ax.set_xlabel(fold(words, letters_in(1.2 * inches_wide(ax), SMALL)), fontsize="small")


def that_fit(heights: Sequence[float], around: float) -> int:
    """Return how many of some rows of panels fit on a page, with so much above and below them; at least one."""
    return max(1, sum(around + total <= HIGHEST for total in accumulate(heights)))


def left_out(shown: int, total: int, what: str) -> list[Any]:
    """Return the entry of the legend that says what is not shown; none where all is."""
    return [entry(f"the first {shown} of {total} {what}")] if shown < total else []


def label_logarithms(ax: Any, low: float, high: float, ticks: Any, **text: Any) -> None:
    """Make the horizontal axis logarithmic, with these ends and with labels at these numbers only."""
    from matplotlib.ticker import NullLocator

    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], **text)


def fine(style: str = "solid") -> dict[str, Any]:
    """Return the style of a line that marks a level."""
    return {"color": ink(), "linestyle": style, "linewidth": 1.0, "alpha": 0.8, "zorder": 2}


def hollow(marker: str, size: float) -> dict[str, Any]:
    """Return the style of an open mark."""
    return {"marker": marker, "markersize": size, "markerfacecolor": "none", "markeredgewidth": 1.1}


def band_entry(text: str) -> Any:
    """Return the entry of a band."""
    from matplotlib.patches import Patch

    return Patch(facecolor=ink(), alpha=BAND, linewidth=0, label=escape(text))


def draw_band(ax: Any, share: float, ends: tuple[float, float], *, upright: bool) -> None:
    """Draw a nominal share, in percent, and the band of those that are usual if it is the true one."""
    low, high = 100.0 * ends[0], 100.0 * ends[1]
    span, line = (ax.axvspan, ax.axvline) if upright else (ax.axhspan, ax.axhline)
    span(low, high, color=ink(), alpha=BAND, linewidth=0, zorder=1)
    line(100.0 * share, **fine())
