"""Forest plots of estimates and differences."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from errbar import _check
from errbar._pairs import Pair
from errbar.comparison import MOST_LISTED, ComparisonData
from errbar.errors import InvalidInputError
from errbar.metrics import in_words
from errbar.plots._canvas import (
    BLUE,
    HIGHEST,
    VERMILION,
    WIDTH,
    drawn_by,
    entry,
    ink,
    measured,
    place_legend,
    plot,
)
from errbar.plots._names import (
    labels,
    name_axis,
    name_directions,
    pair_labels,
    row_points,
    told_apart,
    width,
)
from errbar.result import Result

_SHORT_NAME = 22
# In inches: a row, one where there are many, and what stands above and below them.
_ROW, _CLOSE_ROW, _AROUND = 0.36, 0.175, 1.2
MOST_ROWS = 60
_OWN: dict[str, Any] = {"color": BLUE, "linestyle": "-", "linewidth": 2.2}
_NAIVE: dict[str, Any] = {"color": VERMILION, "linestyle": (0, (4, 2)), "linewidth": 1.4}


@dataclass(frozen=True)
class Bar:
    """One row of a forest plot.

    Attributes
    ----------
    label : str
        What the row is about.
    estimate, low, high : float
        Estimate and ends of the interval; an end may be infinite.
    naive_low, naive_high : float or None
        Ends of the interval of the naive t, where it applies.
    """

    label: str
    estimate: float
    low: float
    high: float
    naive_low: float | None = None
    naive_high: float | None = None

    @property
    def finite(self) -> list[float]:
        """All numbers that can be drawn."""
        values = (self.estimate, self.low, self.high, self.naive_low, self.naive_high)
        return [value for value in values if value is not None and math.isfinite(value)]


@dataclass(frozen=True)
class Forest:
    """What a forest plot shows.

    Attributes
    ----------
    bars : tuple of Bar
        Rows from top to bottom.
    axis : str
        Label of the horizontal axis.
    interval : str
        Name of the intervals, for the legend.
    zero : bool
        Whether a line marks the null hypothesis.
    null : float
        Where that line is.
    rope : float or None
        Half-width of the region of practical equivalence.
    left, right : str
        What it means to lie left and right of 0.
    """

    bars: tuple[Bar, ...]
    axis: str = ""
    interval: str = "interval"
    zero: bool = False
    null: float = 0.0
    rope: float | None = None
    left: str = ""
    right: str = ""


Source = ComparisonData | Mapping[str, Any]


@plot
def estimates(source: Source) -> Forest:
    """Draw the estimate of every learner with its interval.

    Parameters
    ----------
    source : Comparison or mapping
        A comparison, or a mapping of names to results or to triples (estimate, low, high).
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes
        With the forest plot.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If the mapping is empty or does not hold triples of numbers.

    See Also
    --------
    differences : Whether the learners differ; the intervals shown here do not tell.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.estimates({"tree": (0.31, 0.25, 0.37), "forest": (0.22, 0.18, 0.26)})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['tree', 'forest']
    """
    if not isinstance(source, ComparisonData):
        return _given(source)
    names, axis = source.listed_learners, measured(source)
    if source.large and len(names) > MOST_LISTED:
        axis = f"{axis}\nthe best {MOST_LISTED} of {len(names)} learners"
        names = names[:MOST_LISTED]
    rows = tuple(_bar(name, source.learners[name], source.naive.get(name)) for name in names)
    return Forest(rows, axis, _interval_name(source))


estimates_of = estimates.chart


@plot
def differences(
    source: Source, *, rope: float | None = None, left: str | None = None, right: str | None = None
) -> Forest:
    """Draw the differences of pairs with their intervals, and the naive intervals beside them.

    Parameters
    ----------
    source : Comparison or mapping
        A comparison, or a mapping of labels to results or to triples (estimate, low, high).
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    rope : float, optional
        Half-width of the region of practical equivalence, drawn as a band; by default that of the comparison.
    left, right : str, optional
        What it means to lie left and right of 0; a comparison knows by itself.

    Returns
    -------
    matplotlib axes
        With the forest plot.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If there are no pairs, or the mapping does not hold triples of numbers.

    See Also
    --------
    estimates : The learners one by one.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.differences({"tree - forest": (0.09, 0.04, 0.14)}, rope=0.02)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['tree - forest']
    """
    forest = _forest_of_pairs(source)
    return replace(
        forest,
        rope=forest.rope if rope is None else _check.finite(rope, "rope"),
        left=forest.left if left is None else left,
        right=forest.right if right is None else right,
    )


differences_of = differences.chart


def _forest_of_pairs(source: Source) -> Forest:
    if not isinstance(source, ComparisonData):
        return _given(source, "difference", zero=True)
    if not source.pairs:
        raise InvalidInputError(
            "there is one learner only, so there are no differences; try errbar.plots.estimates"
        )
    quantity = source.quantity
    link = "over" if quantity else "−"
    pairs, some = _drawn_pairs(source)
    names = pair_labels([(pair.a, pair.b) for pair in pairs], link)
    rows = tuple(
        _bar(name, source.shown(pair), pair.naive) for name, pair in zip(names, pairs, strict=True)
    )
    axis = quantity or f"difference in {in_words(source.table.loss.key)}"
    together = "simultaneous " if source.joint is not None else ""
    forest = Forest(rows, f"{axis}{some}", f"{together}{_interval_name(source)}", zero=True)
    if quantity:
        return replace(forest, null=source.pairs[0].result.null)
    left, right = directions(source.pairs, higher_is_better=source.higher_is_better)
    return replace(forest, rope=source.rope, left=left, right=right)


def _drawn_pairs(comparison: ComparisonData) -> tuple[Sequence[Pair], str]:
    """Return the pairs that there is room for, and which these are."""
    if not comparison.large:
        return comparison.pairs, ""
    found = len(comparison.standing.established)
    if found:
        listed = [one.pair for one in comparison.listed]
        return listed, f"\n{len(listed)} largest of {found} that are established" if len(
            listed
        ) < found else ""
    largest = sorted(comparison.pairs, key=lambda pair: -abs(pair.gap))[:MOST_LISTED]
    return largest, f"\n{len(largest)} largest of {len(comparison.pairs)}, none of them established"


def _interval_name(comparison: ComparisonData) -> str:
    return f"{100 * comparison.level:.6g} % interval"


def _bar(label: str, result: Result, naive: Result | None) -> Bar:
    ends = (None, None) if naive is None else (naive.low, naive.high)
    return Bar(label, result.estimate, result.low, result.high, *ends)


def _given(source: Mapping[str, Any], axis: str = "", *, zero: bool = False) -> Forest:
    """Return a plot of numbers that were given, as many as can be read on a page."""
    if not isinstance(source, Mapping) or not source:
        raise InvalidInputError(
            "a comparison is needed, or a mapping of names to results or (estimate, low, high)"
        )
    bars = tuple(_given_bar(str(name), value) for name, value in source.items())
    if len(bars) > MOST_ROWS:
        axis = f"{axis}\nthe first {MOST_ROWS} of {len(bars)} rows".strip()
    return Forest(bars[:MOST_ROWS], axis, zero=zero)


def _given_bar(name: str, value: Any) -> Bar:
    if isinstance(value, Result):
        return _bar(name, value, None)
    try:
        estimate, low, high = (float(number) for number in value)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"{name!r} needs three numbers, (estimate, low, high), got {value!r}"
        ) from None
    if not math.isfinite(estimate) or math.isnan(low) or math.isnan(high):
        raise InvalidInputError(f"{name!r} needs a finite estimate and an interval, got {value!r}")
    return Bar(name, estimate, low, high)


def directions(pairs: Sequence[Pair], *, higher_is_better: bool) -> tuple[str, str]:
    """Say which learner is better on the left of 0 and on the right."""
    firsts, seconds = {pair.a for pair in pairs}, {pair.b for pair in pairs}
    names = told_apart((min(firsts, default=""), min(seconds, default="")))
    single = [names[0] if len(firsts) == 1 else None, names[1] if len(seconds) == 1 else None]
    first, second = _better(single[0], single[1], "first"), _better(single[1], single[0], "second")
    return (second, first) if higher_is_better else (first, second)


def _better(name: str | None, other: str | None, place: str) -> str:
    if name is not None:
        return f"{name} better"
    return "the other better" if other is not None else f"{place} better"


def _size(chart: Forest) -> tuple[float, float]:
    rows = len(chart.bars)
    return WIDTH, _AROUND + rows * min(_ROW, max(_CLOSE_ROW, (HIGHEST - _AROUND) / rows))


@drawn_by(Forest, _size)
def _draw_forest(chart: Forest, ax: Any) -> None:
    low, high = _range(chart)
    naive = any(bar.naive_low is not None for bar in chart.bars)
    shift = 0.16 if naive else 0.0
    for row, bar in enumerate(chart.bars):
        _draw_interval(ax, bar.low, bar.high, row - shift, low, high, _OWN)
        ax.plot(bar.estimate, row - shift, "o", color=BLUE, markersize=5.5, zorder=4)
        if bar.naive_low is not None and bar.naive_high is not None:
            _draw_interval(ax, bar.naive_low, bar.naive_high, row + shift, low, high, _NAIVE)
    ax.set_xlim(low, high)
    names = labels([bar.label for bar in chart.bars], ax)
    _draw_reference(chart, ax, names)
    ax.set_yticks(range(len(chart.bars)), names, fontsize=row_points(ax, len(chart.bars)))
    ax.set_ylim(len(chart.bars) - 0.4, -0.6)
    name_axis(ax, "x", chart.axis)
    ax.tick_params(axis="y", length=0)
    # More of them would touch where they have many digits, or where long names leave little room.
    ax.locator_params(axis="x", nbins=6 if max(map(width, names)) <= _SHORT_NAME else 4)
    ax.spines[["left", "top", "right"]].set_visible(False)
    _draw_legend(chart, ax, naive=naive)


def _draw_interval(
    ax: Any, low: float, high: float, y: float, left: float, right: float, style: dict[str, Any]
) -> None:
    """Draw a line with caps; an unbounded end runs to the edge and has an arrow instead of a cap."""
    start, stop = max(low, left), min(high, right)
    ax.plot([start, stop], [y, y], **style, zorder=3, solid_capstyle="butt")
    inset = 0.012 * (right - left)
    for end, at, arrow in ((low, start + inset, "<"), (high, stop - inset, ">")):
        if math.isfinite(end):
            ax.plot(end, y, "|", color=style["color"], markersize=7, zorder=3)
        else:
            ax.plot(at, y, arrow, color=style["color"], markersize=5, zorder=3)


def _draw_reference(chart: Forest, ax: Any, names: Sequence[str]) -> None:
    if chart.rope:
        ax.axvspan(-chart.rope, chart.rope, color=ink(), alpha=0.1, linewidth=0, zorder=1)
    if chart.zero:
        ax.axvline(chart.null, color=ink(), linewidth=1.0, zorder=2)
    name_directions(ax, chart.left, chart.right, names)


def _draw_legend(chart: Forest, ax: Any, *, naive: bool) -> None:
    from matplotlib.patches import Patch

    shown: list[Any] = [entry(chart.interval, **_OWN, marker="o", markersize=5.5)]
    if naive:
        shown.append(entry("naive interval", **_NAIVE, marker="|"))
    if chart.rope:
        shown.append(
            Patch(color=ink(), alpha=0.1, linewidth=0, label=f"equivalent within ±{chart.rope:.6g}")
        )
    if len(shown) > 1:
        place_legend(ax, shown)


def _range(chart: Forest) -> tuple[float, float]:
    """Return the ends of the axis: all that is finite, 0 and the band, and some room."""
    values = [value for bar in chart.bars for value in bar.finite]
    if chart.zero:
        values.append(chart.null)
    if chart.rope:
        values += [-chart.rope, chart.rope]
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    if chart.left or chart.right:
        # Both directions are named above the axis, so 0 must not lie at an edge.
        width = high - low or room
        low, high = min(low, -0.35 * width), max(high, 0.35 * width)
    return low - room, high + room
