"""Dot plots of coverage and width by method, for the studies of coverage and of calibration."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from errbar.plots._canvas import BLUE, GREEN, VERMILION, draw, drawn_by, ink, short
from errbar.plots._lab_panels import (
    Mark,
    band_entry,
    draw_band,
    draw_bar,
    entry,
    escape,
    in_percent,
    known,
    percentage,
    shown,
    spread,
    tidy,
    usual,
)

if TYPE_CHECKING:
    from errbar.lab import Performance
    from errbar.lab.studies import Calibration, CoverageStudy

_TWO_SIDED_95 = 1.959963984540054
_STYLES = {"liberal": (VERMILION, "<"), "nominal": (BLUE, "o"), "conservative": (GREEN, ">")}
_ROW_INCHES = 0.24


@dataclass(frozen=True)
class Dot:
    """How often the intervals of one method hold the truth.

    Attributes
    ----------
    coverage : Mark
        Share of intervals.
    verdict : {"liberal", "nominal", "conservative"}
        Whether that is significantly less than promised, neither, or more.
    """

    coverage: Mark
    verdict: str


@dataclass(frozen=True)
class DotRow:
    """One row of panels.

    Attributes
    ----------
    name : str
        What it is about.
    methods : tuple of str
        From top to bottom.
    dots : tuple of tuple of Dot
        Per truth, one per method.
    widths : tuple of Mark
        Mean widths of the intervals.
    differences : tuple of Mark
        Share of data sets in which equality is rejected; empty where there is no difference.
    recommended : str or None
        Method to use, where one is recommended.
    """

    name: str
    methods: tuple[str, ...]
    dots: tuple[tuple[Dot, ...], ...]
    widths: tuple[Mark, ...]
    differences: tuple[Mark, ...] = ()
    recommended: str | None = None


@dataclass(frozen=True)
class DotRows:
    """What a plot of coverage shows.

    Attributes
    ----------
    rows : tuple of DotRow
        From top to bottom.
    about : tuple of str
        Truths, one per column.
    level : float
        Nominal coverage.
    usual : tuple of float
        Between which shares at least 95 % of the measured ones lie for an interval that covers as it promises.
    """

    rows: tuple[DotRow, ...]
    about: tuple[str, ...]
    level: float
    usual: tuple[float, float]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Those that occur."""
        found = {dot.verdict for row in self.rows for dots in row.dots for dot in dots}
        return tuple(verdict for verdict in _STYLES if verdict in found)

    @property
    def lowest(self) -> float:
        """Where the axis of the coverage begins: a round share below all intervals."""
        least = min(dot.coverage.low for row in self.rows for dots in row.dots for dot in dots)
        return max(0.0, math.floor(20.0 * min(least, self.usual[0]) - 0.2) / 20.0)


def coverage(found: "CoverageStudy", ax: Any = None) -> Any:
    """Draw how often the intervals of every method hold the truth, and how wide they are.

    Parameters
    ----------
    found : CoverageStudy
        From `errbar.lab.coverage`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure. The panels take the place of the axes.

    Returns
    -------
    matplotlib axes
        With the panels in their place: a row per problem, size n and learner, and a column per truth. The band about
        the nominal coverage is where measured ones usually lie if the true one is nominal.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study.

    See Also
    --------
    calibration : The same for your own learners and data.
    errbar.lab.coverage : The numbers behind the plot.

    Examples
    --------
    >>> from errbar import lab, plots
    >>> found = lab.coverage(["gaussian-regression-20"], ["holdout-t", "cv-wald"], n=60, replicates=5)
    >>> ax = plots.coverage(found)
    >>> [panel.get_xlabel() for panel in ax.figure.axes[1:5]]
    ['coverage of R, %', 'coverage of ER(n), %', 'coverage of ER(n1), %', 'mean width']
    """
    return draw(coverage_of(found), ax)


def coverage_of(found: "CoverageStudy") -> DotRows:
    """Compute what `coverage` draws.

    Parameters
    ----------
    found : CoverageStudy
        As for `coverage`.

    Returns
    -------
    DotRows
        One row per problem, size n and learner.
    """
    study: CoverageStudy = known(found, "CoverageStudy")
    about = tuple(dict.fromkeys(one.about for one in study.performances))
    rows = []
    for (scenario, learner), words in study.words.items():
        chosen = [study.select(about=truth, scenario=scenario, target=learner) for truth in about]
        rows.append(_row(f"{words}, n = {chosen[0][0].n}", chosen))
    return DotRows(tuple(rows), about, study.level, _usual(study.performances))


def calibration(found: "Calibration", ax: Any = None) -> Any:
    """Draw how often the intervals of every method hold the truth about your own learners, and how wide they are.

    Parameters
    ----------
    found : Calibration
        From `errbar.lab.calibrate`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure. The panels take the place of the axes.

    Returns
    -------
    matplotlib axes
        With the panels in their place: a row per learner and difference, and a column per truth. The method that is
        recommended is set in bold. For differences the last column shows how often equality is rejected.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study.

    See Also
    --------
    coverage : The same on problems whose truth is known.
    errbar.lab.calibrate : The numbers behind the plot.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from errbar import lab, plots
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = X[:, 0] + rng.normal(size=600)
    >>> learners = {"least squares": LinearRegression()}
    >>> found = lab.calibrate(X, y, learners, methods=["holdout-t", "cv-wald"], replicates=10, truth_draws=20)
    >>> ax = plots.calibration(found)
    >>> [panel.get_xlabel() for panel in ax.figure.axes[1:4]]
    ['coverage of ER(n1), %', 'coverage of ER(n), %', 'mean width']
    """
    return draw(calibration_of(found), ax)


def calibration_of(found: "Calibration") -> DotRows:
    """Compute what `calibration` draws.

    Parameters
    ----------
    found : Calibration
        As for `calibration`.

    Returns
    -------
    DotRows
        One row per learner and difference.
    """
    study: Calibration = known(found, "Calibration")
    about = tuple(dict.fromkeys(one.about for one in study.performances))
    advised = {one.target: one.method for one in study.recommendations}
    rows = []
    for target in study.targets:
        chosen = [study.select(target, truth) for truth in about]
        asked = [study.differences.get((target, one.method)) for one in chosen[0]]
        differences = [Mark.of(one) for one in asked if one is not None]
        rows.append(_row(target, chosen, differences, advised.get(target)))
    return DotRows(tuple(rows), about, study.level, _usual(study.performances))


def _row(
    name: str,
    chosen: "Sequence[Sequence[Performance]]",
    differences: Sequence[Mark] = (),
    recommended: str | None = None,
) -> DotRow:
    return DotRow(
        name,
        tuple(one.method for one in chosen[0]),
        tuple(tuple(_dot(one) for one in column) for column in chosen),
        tuple(_width(one) for one in chosen[0]),
        tuple(differences),
        recommended,
    )


def _dot(one: "Performance") -> Dot:
    return Dot(Mark.of(one.coverage), one.verdict)


def _width(one: "Performance") -> Mark:
    reach = _TWO_SIDED_95 * one.width_error
    return Mark(one.width, one.width - reach, one.width + reach)


def _usual(performances: "Sequence[Performance]") -> tuple[float, float]:
    return usual(performances[0].level, performances[0].coverage.total)


def _columns(chart: DotRows) -> int:
    return len(chart.about) + 1 + any(row.differences for row in chart.rows)


def _heights(chart: DotRows) -> list[float]:
    """Height of every row of panels with its head, in inches."""
    return [0.3 + _ROW_INCHES * len(row.methods) for row in chart.rows]


def _size(chart: DotRows) -> tuple[float, float]:
    return 1.5 + 1.85 * _columns(chart), 1.3 + sum(0.35 + height for height in _heights(chart))


@drawn_by(DotRows, _size)
def _draw_dots(chart: DotRows, ax: Any) -> None:
    columns = _columns(chart)
    panels = spread(ax, len(chart.rows), columns, _handles(chart), 2 if columns < 4 else 3, _heights(chart))
    for row, own in zip(chart.rows, panels, strict=True):
        _draw_row(chart, row, own)
    for panel, words in zip(panels[-1], _axes(chart), strict=True):
        panel.set_xlabel(words, fontsize="small")


def _draw_row(chart: DotRows, row: DotRow, panels: Sequence[Any]) -> None:
    for dots, panel in zip(row.dots, panels, strict=False):
        _draw_coverage(chart, dots, panel)
    place = len(row.dots)
    _draw_marks(panels[place], row.widths)
    if place + 1 < len(panels):
        _draw_marks(panels[place + 1], [in_percent(mark) for mark in row.differences])
        panels[place + 1].set_xlim(0.0, 100.0)
        panels[place + 1].set_visible(bool(row.differences))
    for panel in panels:
        panel.set_yticks(range(len(row.methods)), [""] * len(row.methods))
        panel.set_ylim(len(row.methods) - 0.4, -0.6)
        panel.tick_params(axis="y", length=0)
        panel.tick_params(axis="x", labelsize="small")
        panel.grid(axis="y", color=ink(), alpha=0.12, linewidth=0.8)
        tidy(panel)
        panel.spines["left"].set_visible(False)
    _name(row, panels[0])


def _name(row: DotRow, ax: Any) -> None:
    """Write what a row is about above it, and its methods at the left."""
    names = [escape(short(method, 28)) for method in row.methods]
    ax.set_yticks(range(len(names)), names, fontsize="small")
    for text, method in zip(ax.get_yticklabels(), row.methods, strict=True):
        text.set_fontweight("bold" if method == row.recommended else "normal")
    # The empty line keeps it away from the panels above.
    title = "\n" + escape(short(shown(row.name), 90))
    ax.set_title(title, loc="left", fontsize="medium", linespacing=0.6)


def _draw_coverage(chart: DotRows, dots: Sequence[Dot], ax: Any) -> None:
    draw_band(ax, chart.level, chart.usual, upright=True)
    for place, dot in enumerate(dots):
        color, marker = _STYLES[dot.verdict]
        mark = in_percent(dot.coverage)
        draw_bar(ax, mark, place, color=color)
        ax.plot(mark.value, place, marker, color=color, markersize=5.5, zorder=4, clip_on=False)
    ax.set_xlim(100.0 * chart.lowest, 100.0)
    ax.locator_params(axis="x", nbins=5, integer=True)


def _draw_marks(ax: Any, marks: Sequence[Mark]) -> None:
    """Draw numbers from 0 on; one that is unbounded is an arrow at the edge."""
    for place, mark in enumerate(marks):
        if math.isfinite(mark.value):
            draw_bar(ax, mark, place, color=ink())
            ax.plot(mark.value, place, "D", color=ink(), markersize=4.5, zorder=4, clip_on=False)
        else:
            edge = {"transform": ax.get_yaxis_transform(), "clip_on": False}
            ax.plot(1.0, place, ">", color=ink(), markersize=5.5, zorder=4, **edge)
    highest = max((max(mark.value, mark.high) for mark in marks if math.isfinite(mark.value)), default=1.0)
    ax.set_xlim(0.0, 1.05 * highest or 1.0)
    ax.locator_params(axis="x", nbins=4)


def _axes(chart: DotRows) -> list[str]:
    words = [*(f"coverage of {truth}, %" for truth in chart.about), "mean width", "finds a difference, %"]
    return words[: _columns(chart)]


def _handles(chart: DotRows) -> list[Any]:
    level = percentage(chart.level)
    words = {
        "liberal": f"significantly below {level}",
        "nominal": "neither below nor above",
        "conservative": f"significantly above {level}",
    }
    found = [
        entry(words[verdict], color=_STYLES[verdict][0], marker=_STYLES[verdict][1], markersize=5.5)
        for verdict in chart.verdicts
    ]
    bold = [entry("bold: recommended")] if any(row.recommended for row in chart.rows) else []
    return [*found, band_entry(f"95 % band if the true coverage is {level}"), *bold]
