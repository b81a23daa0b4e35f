"""Estimates or power against a setting."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from errbar._check import FloatArray
from errbar.comparison import Comparison
from errbar.errors import InvalidInputError
from errbar.metrics import in_words
from errbar.planning import Study
from errbar.plots._axes import GRID, SOFT, drawing, shortened
from errbar.report.numbers import percent

# Lines differ in colour, dash and marker; no two of the first twelve are alike in all three.
_COLORS = ("#0b5cad", "#b8550a", "#3f4a54", "#0a7a55")
_DASHES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "P")

_MOST_MARKED = 12
"""Lines of so many points have markers, and ticks where the points are."""
_SHORT_NAME = 12
"""Letters of names that leave room for the axes at their left."""


def curves(source: Study | Mapping[Any, Any], *, ax: Any = None) -> Any:
    """Draw lines against a setting: learning curves, coverage or power.

    Parameters
    ----------
    source : mapping or Study
        A mapping of settings to comparisons gives a line per learner. A mapping of names gives a
        line per name: an array of shape (points, 2) with x and y, or (points, 4) with x, estimate,
        low and high, or a mapping of x to a `Result`. Studies are drawn as power against the true
        difference; a name holds the difference found with the wanted power.
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
    >>> ax = plots.curves({"tree": rows})
    >>> _ = ax.set(xlabel="training examples", ylabel="error rate")
    >>> ax.get_xticks().tolist()
    [50.0, 100.0]
    """
    labels = "", ""
    if isinstance(source, Study):
        found: Mapping[Any, Any] = {
            f"{name}: {row.detectable:.3g}": curve
            for row, (name, curve) in zip(source.prospects, source.curves().items(), strict=True)
        }
        labels = f"true difference in {source.components.metric}", "power"
    elif isinstance(source, Mapping) and source:
        found = source
        if all(isinstance(one, Comparison) for one in source.values()):
            first = next(iter(source.values()))
            labels = "", f"{in_words(first.table.loss.key)}, {percent(first.level)} intervals"
            found = {
                name: {x: one.learners[name] for x, one in source.items() if name in one.learners}
                for name in first.ranking
            }
    else:
        raise InvalidInputError(
            "must be a mapping of names to rows of numbers, or a study of errbar.planning",
            argument="source",
        )
    series = {str(name): _rows(str(name), value) for name, value in found.items()}
    beside = max(map(len, series)) <= _SHORT_NAME
    with drawing(ax, 2.1 if beside else 2.1 + 0.12 * len(series)) as axes:
        _draw(axes, series)
        if isinstance(source, Study):
            axes.axhline(source.wanted, color=SOFT, linewidth=0.6, zorder=1)
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
        if beside:
            place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        # The legend is read from above, as the lines end.
        ends = [-rows[-1, 1] for rows in series.values()]
        drawn, _ = axes.get_legend_handles_labels()
        handles = [drawn[place] for place in np.argsort(ends, kind="stable")]
        legend = axes.legend(handles=handles, frameon=False, handlelength=2.6, **place)
        for text in legend.get_texts():
            text.set_parse_math(False)
        axes.set(xlabel=labels[0], ylabel=labels[1])
    return axes


def _rows(name: str, value: Any) -> FloatArray:
    """Return x, y, low and high of each point, shape (points, 4); no interval is NaN."""
    if isinstance(value, Mapping):
        value = [(x, result.estimate, *result.interval) for x, result in value.items()]
    try:
        rows = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        rows = np.empty(0)
    shaped = rows.ndim == 2 and len(rows) and rows.shape[1] in (2, 4)
    if not shaped or not np.isfinite(rows[:, :2]).all():
        raise InvalidInputError(
            f"needs rows of (x, y) or (x, estimate, low, high) for {name!r}, x and y finite",
            argument="source",
        )
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    missing = np.full((len(rows), 4 - rows.shape[1]), np.nan)
    return np.hstack([rows, missing])


def _draw(ax: Any, series: Any) -> None:
    from cycler import cycler

    settings = np.unique(np.concatenate([rows[:, 0] for rows in series.values()]))
    few = len(settings) <= _MOST_MARKED
    log = few and settings[0] > 0.0 and settings[-1] >= 4.0 * settings[0]
    looks = cycler(color=_COLORS * 3) + cycler(linestyle=_DASHES * 3)
    ax.set_prop_cycle(looks + cycler(marker=_MARKERS * 2))
    names = shortened(list(series))
    for k, (name, rows) in enumerate(zip(names, series.values(), strict=True)):
        x, y, low, high = rows.T
        if not few:
            [line] = ax.plot(x, y, marker="", linewidth=1.0, label=name)
            ax.fill_between(x, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
            continue
        # Points of one setting stand beside each other, not on each other.
        aside = (k - (len(series) - 1) / 2.0) * bool(np.isfinite(low).any())
        x = x * 1.03**aside if log else x + 0.01 * np.ptp(settings) * aside
        errors = np.array([y - low, high - y])
        errors[:, ~np.isfinite(errors).all(axis=0)] = np.nan
        ax.errorbar(x, y, errors, markersize=3.2, linewidth=1.0, label=name)
    if log:
        ax.set_xscale("log")
    if few:
        ax.set_xticks(settings, [f"{setting:.6g}" for setting in settings])
        ax.minorticks_off()
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
