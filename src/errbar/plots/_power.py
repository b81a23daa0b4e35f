"""Power against the true difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.planning import DesignStudy, PowerCurve, Study
from errbar.plots._canvas import BLUE, GREEN, PURPLE, VERMILION, WIDTH, drawn_by, entry, ink, plot
from errbar.plots._names import name_axis, short

_LABEL = 40  # letters of an entry of the legend
# Told apart by their dashes too, and in print without colours.
_STYLES: tuple[tuple[str, Any], ...] = (
    (BLUE, "-"),
    (VERMILION, (0, (5, 1.5))),
    (GREEN, (0, (3, 1.5, 1, 1.5))),
    (PURPLE, (0, (1, 1))),
)


@dataclass(frozen=True, eq=False)
class PowerLine:
    """One line of a plot of power.

    Attributes
    ----------
    label : str
        What the line is about.
    differences, power : ndarray, shape (points,)
        Where the line runs.
    detectable : float
        Size of the smallest difference with the wanted power.
    dots : tuple of float
        Where on the line that is: on one side of 0 or on both, as far as the line goes.
    """

    label: str
    differences: FloatArray
    power: FloatArray
    detectable: float
    dots: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class PowerLines:
    """What a plot of power shows.

    Attributes
    ----------
    lines : tuple of PowerLine
        One per number of splits, or per size of the study.
    wanted : float
        Wanted power.
    axis : str
        Label of the horizontal axis.
    difference, power : float or None
        Difference that the study should find, and the power of the first line there.
    """

    lines: tuple[PowerLine, ...]
    wanted: float
    axis: str = ""
    difference: float | None = None
    power: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest difference of the lines."""
        together = np.concatenate([line.differences for line in self.lines])
        return float(together.min()), float(together.max())


Source = Study | DesignStudy | PowerCurve | Sequence[PowerCurve]


@plot
def power(source: Source) -> PowerLines:
    """Draw power against the true difference, one line per number of splits, or per size of a study.

    Parameters
    ----------
    source : Study, DesignStudy, PowerCurve or sequence of PowerCurve
        From `errbar.planning`; curves of one wanted power.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes
        With the curves. Where they meet the line of the wanted power a dot marks the smallest detectable difference,
        which the legend gives as a number.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If there are no curves, more than four of them, or they have different wanted powers.

    See Also
    --------
    errbar.planning.plan_study : The numbers behind the plot.

    Examples
    --------
    >>> from errbar import plots
    >>> from errbar.planning import plan_study
    >>> ax = plots.power(plan_study(0.02, deviation=0.02, n_train=270, n_test=30))
    >>> ax.get_xlabel()
    'true difference in loss'
    """
    curves = _curves(source)
    goal = (
        (source.difference, source.power)
        if isinstance(source, Study | DesignStudy)
        else (None, None)
    )
    return PowerLines(
        tuple(_line(curve) for curve in curves),
        curves[0].wanted,
        f"true difference in {short(curves[0].metric, 40)}",
        *goal,
    )


power_of = power.chart


def _curves(source: Source) -> tuple[PowerCurve, ...]:
    if isinstance(source, Study | DesignStudy):
        return source.curves()
    curves = (
        (source,)
        if isinstance(source, PowerCurve)
        else tuple(source)
        if isinstance(source, Sequence)
        else ()
    )
    if not curves or not all(isinstance(curve, PowerCurve) for curve in curves):
        raise InvalidInputError("a study or power curves are needed, as errbar.planning makes them")
    if len(curves) > len(_STYLES):
        raise InvalidInputError(
            f"at most {len(_STYLES)} curves can be told apart, got {len(curves)}"
        )
    if len({curve.wanted for curve in curves}) > 1:
        raise InvalidInputError("the curves have different wanted powers; draw them apart")
    return curves


def _line(curve: PowerCurve) -> PowerLine:
    label = curve.label or ("unlimited" if curve.repeats is None else f"{curve.repeats} splits")
    ends = (
        (curve.detectable, -curve.detectable)
        if curve.alternative == "two-sided"
        else (curve.detectable,)
    )
    low, high = float(curve.differences.min()), float(curve.differences.max())
    dots = tuple(end for end in ends if low <= end <= high)
    return PowerLine(label, curve.differences, curve.power, abs(curve.detectable), dots)


@drawn_by(PowerLines, lambda _: (WIDTH, 3.6))
def _draw_power(chart: PowerLines, ax: Any) -> None:
    handles = [
        _draw_line(ax, line, chart.wanted, *style)
        for line, style in zip(chart.lines, _STYLES, strict=False)
    ]
    low, high = chart.ends
    room = 0.02 * (high - low) or 0.02 * abs(high) or 1.0
    ax.set_xlim(low - room, high + room)
    ax.set_ylim(0.0, 1.02)
    _draw_wanted(chart, ax)
    _draw_goal(chart, ax)
    name_axis(ax, "x", chart.axis)
    ax.set_ylabel("power")
    ax.locator_params(axis="x", nbins=6)
    ax.spines[["top", "right"]].set_visible(False)
    corner = "lower left" if high <= 0.0 else "lower right" if low >= 0.0 else "best"
    title = "detectable difference"
    ax.legend(
        handles=handles,
        title=title,
        loc=corner,
        frameon=False,
        fontsize="small",
        title_fontsize="small",
    )


def _draw_line(ax: Any, line: PowerLine, wanted: float, color: str, style: Any) -> Any:
    """Draw a curve with its dot, and return its entry in the legend."""
    ax.plot(line.differences, line.power, color=color, linestyle=style, linewidth=1.9, zorder=3)
    ax.plot(line.dots, [wanted] * len(line.dots), "o", color=color, markersize=5.5, zorder=4)
    text = f"{line.label}: {_number(line.detectable)}"
    return entry(
        short(text, _LABEL), color=color, linestyle=style, linewidth=1.9, marker="o", markersize=5.5
    )


def _draw_wanted(chart: PowerLines, ax: Any) -> None:
    """Draw the line of the wanted power, named where the curves are low."""
    ax.axhline(chart.wanted, color=ink(), linewidth=0.8, alpha=0.6, zorder=1)
    at, side = (0.99, "right") if chart.ends[1] <= 0.0 else (0.01, "left")
    place = {"transform": ax.get_yaxis_transform(), "fontsize": "small", "va": "bottom"}
    ax.text(at, chart.wanted, f"wanted power {chart.wanted:.4g}", ha=side, **place)


def _draw_goal(chart: PowerLines, ax: Any) -> None:
    """Drop a line from the name of the difference to its power."""
    low, high = chart.ends
    if chart.difference is None or chart.power is None or not low <= chart.difference <= high:
        return
    at, power = chart.difference, chart.power
    ax.plot([at, at], [power, 1.02], color=ink(), linewidth=0.8, alpha=0.6, zorder=1)
    ax.plot(at, power, "D", color=ink(), markersize=5.0, zorder=4)
    share = (at - low) / (high - low)
    side = "left" if share < 0.2 else "right" if share > 0.8 else "center"
    words = f"difference {at:.6g}: power {power:.3g}".replace("-", "\N{MINUS SIGN}")
    ax.text(at, 1.03, words, ha=side, va="bottom", fontsize="small")


def _number(value: float) -> str:
    """Return a number with three digits, and no exponent where it can be read without."""
    return f"{value:.0f}" if 100.0 <= value < 1e9 else f"{value:#.3g}"
