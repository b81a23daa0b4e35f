"""Estimates or power against a setting."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.comparison import Comparison
from errbar.errors import InvalidInputError
from errbar.metrics import in_words
from errbar.planning import Study
from errbar.plots._axes import GRID, SOFT, drawing, shortened
from errbar.report.numbers import percent
from errbar.result import Result

# Lines differ in colour, marker and dash; no two of the first twelve are alike in all three.
_COLORS = ("#0b5cad", "#b8550a", "#3f4a54", "#0a7a55")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_DASHES = ("-", "--", ":", "-.")

_MOST_MARKED = 12
"""Lines of so many points have markers, and ticks where the points are."""
_SHORT_NAME = 12
"""Letters of names that leave room for the axes at their left."""


class _Chart(NamedTuple):
    series: Mapping[str, FloatArray]  # name -> (points, 4): x, y, low, high; no interval is NaN
    xlabel: str = ""
    ylabel: str = ""
    reference: float | None = None
    said: str = ""  # of the reference
    marks: Sequence[tuple[float, float, str]] = ()


def curves(
    source: Study | Mapping[Any, Any],
    *,
    xlabel: str | None = None,
    ylabel: str | None = None,
    reference: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw lines against a setting: learning curves, coverage or power.

    Parameters
    ----------
    source : mapping or Study
        A mapping of settings to comparisons gives a line per learner. A mapping of names gives a
        line per name: an array of shape (points, 2) with x and y, or (points, 4) with x, estimate,
        low and high, or a mapping of x to a `Result`. Studies are drawn as power against the true
        difference.
    xlabel, ylabel : str, optional
    reference : float, optional
        Where to draw a horizontal line, such as the nominal coverage.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, or `source` holds no such lines.

    Examples
    --------
    >>> from errbar import plots
    >>> rows = [(50, 0.31, 0.25, 0.37), (100, 0.27, 0.23, 0.31)]
    >>> ax = plots.curves({"tree": rows}, xlabel="training examples", ylabel="error rate")
    >>> ax.get_xticks().tolist()
    [50.0, 100.0]
    """
    if isinstance(source, Study):
        chart = _power(source)
    elif isinstance(source, Mapping) and source:
        chart = _given(source)
    else:
        raise InvalidInputError(
            "must be a mapping of names to rows of numbers, or a study of errbar.planning",
            argument="source",
        )
    if reference is not None:
        chart = chart._replace(reference=_check.finite(reference, "reference"), said="")
    names = dict(zip(chart.series, shortened(list(chart.series)), strict=True))
    beside = max(map(len, names.values())) <= _SHORT_NAME
    height = 2.1 if beside else 2.1 + 0.12 * len(names)
    with drawing(ax, height) as axes:
        _draw(axes, chart)
        if any(names):
            _name_lines(axes, chart, names, beside=beside)
        axes.set_xlabel(chart.xlabel if xlabel is None else xlabel)
        axes.set_ylabel(chart.ylabel if ylabel is None else ylabel)
    return axes


def _power(study: Study) -> _Chart:
    series: dict[str, FloatArray] = {}
    marks: list[tuple[float, float, str]] = []
    for row, (name, curve) in zip(study.prospects, study.curves().items(), strict=True):
        series[f"{name}: {row.detectable:.3g}"] = _rows_of(*curve.T)
        ends = {-row.detectable, row.detectable}
        if study.alternative != "two-sided":
            ends = {row.detectable if study.alternative == "greater" else -row.detectable}
        low, high = curve[:, 0].min(), curve[:, 0].max()
        marks += [(end, study.wanted, "") for end in sorted(ends) if low <= end <= high]
    if study.difference is not None and study.power is not None:
        marks.append((study.difference, study.power, f"power {study.power:.2f}"))
    return _Chart(
        series,
        f"true difference in {study.components.metric}",
        "power (dots: detectable difference)",
        study.wanted,
        f"{study.wanted:g}",
        marks,
    )


def _given(source: Mapping[Any, Any]) -> _Chart:
    values = list(source.values())
    if all(isinstance(value, Comparison) for value in values):
        learners = values[0].listed_learners
        series = {
            name: _rows(
                name,
                {x: one.learners[name] for x, one in source.items() if name in one.learners},
            )
            for name in learners
        }
        ylabel = f"{in_words(values[0].table.loss.key)}, {percent(values[0].level)} intervals"
        return _Chart(series, ylabel=ylabel)
    return _Chart({str(name): _rows(str(name), value) for name, value in source.items()})


def _rows(name: str, value: Any) -> FloatArray:
    if isinstance(value, Mapping):
        value = [
            (x, y.estimate, y.low, y.high) if isinstance(y, Result) else (x, *np.atleast_1d(y))
            for x, y in value.items()
        ]
    try:
        rows = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or not len(rows) or rows.shape[1] not in (2, 4):
        raise InvalidInputError(
            f"needs rows of (x, y) or (x, estimate, low, high) for {name!r}", argument="source"
        )
    if not np.isfinite(rows[:, :2]).all():
        raise InvalidInputError(f"needs finite x and y for {name!r}", argument="source")
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return rows if rows.shape[1] == 4 else _rows_of(*rows.T)


def _rows_of(x: FloatArray, y: FloatArray) -> FloatArray:
    nothing = np.full(len(x), math.nan)
    return np.column_stack([x, y, nothing, nothing])


def _look(k: int) -> dict[str, Any]:
    return {
        "color": _COLORS[k % len(_COLORS)],
        "marker": _MARKERS[k % len(_MARKERS)],
        "linestyle": _DASHES[k % len(_DASHES)],
        "linewidth": 1.0,
        "markersize": 3.2,
    }


def _draw(ax: Any, chart: _Chart) -> None:
    from matplotlib import rcParams
    from matplotlib.transforms import offset_copy

    ink = rcParams["text.color"]
    settings = np.unique(np.concatenate([rows[:, 0] for rows in chart.series.values()]))
    few = len(settings) <= _MOST_MARKED
    if few and len(settings) > 1 and settings[0] > 0.0 and settings[-1] >= 4.0 * settings[0]:
        ax.set_xscale("log")
    for k, rows in enumerate(chart.series.values()):
        look = _look(k)
        x, y, low, high = rows.T
        whole = np.isfinite(low) & np.isfinite(high)
        # Points of one setting stand beside each other, not on each other.
        aside = 3.0 * (k - (len(chart.series) - 1) / 2.0) if few and whole.any() else 0.0
        place = offset_copy(ax.transData, ax.figure, x=aside, units="points")
        if few:
            beside = {"transform": place, "linewidth": 0.9, "alpha": 0.75}
            ax.vlines(x[whole], low[whole], high[whole], color=look["color"], **beside)
        else:
            look["marker"] = ""
            ax.fill_between(x, low, high, color=look["color"], alpha=0.15, linewidth=0)
        ax.plot(x, y, transform=place, **look)
        # Limits of the axes leave out what is moved aside, unless they are told.
        ends = np.concatenate([y, low[whole], high[whole]])
        ax.update_datalim(np.column_stack([np.concatenate([x, x[whole], x[whole]]), ends]))
    ax.autoscale_view()
    if few:
        ax.set_xticks(settings, [f"{setting:.6g}" for setting in settings])
        ax.minorticks_off()
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    if chart.reference is not None:
        ax.axhline(chart.reference, color=ink, linewidth=0.6, zorder=1)
        _name_reference(ax, chart)
    for x, y, text in chart.marks:
        ax.plot(x, y, "D" if text else "o", color=ink, markersize=3, zorder=4)
        ax.annotate(text, (x, y), (4, -2), textcoords="offset points", ha="left", va="top")


def _name_reference(ax: Any, chart: _Chart) -> None:
    first = next(iter(chart.series.values()))[0, 1]
    above = first <= (chart.reference or 0.0)
    ax.annotate(
        chart.said,
        (0.0, chart.reference),
        (3, 2 if above else -2),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="bottom" if above else "top",
        color=SOFT,
    )


def _name_lines(ax: Any, chart: _Chart, names: Mapping[str, str], *, beside: bool) -> None:
    from matplotlib.lines import Line2D

    lines = list(chart.series)
    order = sorted(lines, key=lambda name: -chart.series[name][-1, 1])
    marked = len(chart.series[lines[0]]) <= _MOST_MARKED
    handles = [
        Line2D([], [], **_look(lines.index(name)) | ({} if marked else {"marker": ""}))
        for name in order
    ]
    place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    if not beside:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
    legend = ax.legend(
        handles, [names[name] for name in order], frameon=False, handlelength=2.6, **place
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
