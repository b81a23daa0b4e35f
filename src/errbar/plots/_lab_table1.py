"""Variance of estimates over what methods take it to be, measured and by formula."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from errbar._check import FloatArray
from errbar.plots._canvas import BLUE, VERMILION, WIDTH, draw, ink, short
from errbar.plots._lab_panels import Found, StudyChart, draw_found, entry, escape, known, shown, tidy, write_legend

if TYPE_CHECKING:
    from errbar.lab.studies import Table1, VarianceRatio

_ROOM = 1.25
_SHIFT = 0.17
_NICE = (1.0, 2.0, 5.0)


def table1(found: "Table1", ax: Any = None) -> Any:
    """Draw Var[estimate]/E[se^2] of every method, measured and by formula.

    Parameters
    ----------
    found : Table1
        From `errbar.lab.table1`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes
        With a logarithmic axis and a line at 1: methods are conservative left of it and liberal right of it.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study.

    See Also
    --------
    errbar.lab.table1 : The numbers behind the plot.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from errbar import lab, plots
    >>> population = lab.GaussianRegression(features=2, relevant=1)
    >>> found = lab.table1(population, {"least squares": LinearRegression()}, n=40, repeats=3, halvings=0, replicates=20)
    >>> ax = plots.table1(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['least squares', 'holdout-t, 36 + 4', 'resampled-t, 36 + 4', 'corrected-t, 36 + 4']
    """
    return draw(table1_of(found), ax)


def table1_of(found: "Table1") -> StudyChart:
    """Compute what `table1` draws.

    Parameters
    ----------
    found : Table1
        As for `table1`.

    Returns
    -------
    StudyChart
        One row per target and method.
    """
    study: Table1 = known(found, "Table1")
    lines = list(_lines(study))
    return StudyChart((WIDTH, 1.5 + 0.27 * len(lines)), partial(_draw_ratios, lines))


def _lines(study: "Table1") -> "Iterator[str | VarianceRatio]":
    """Yield the names of the targets, each followed by its ratios."""
    for target in dict.fromkeys(one.target for one in study.ratios):
        yield target
        yield from (one for one in study.ratios if one.target == target)


def _draw_ratios(lines: "list[str | VarianceRatio]", ax: Any) -> None:
    found = []
    for place, line in enumerate(lines):
        if not isinstance(line, str):
            found += [line.measured] if line.formula is None else [line.measured, line.formula]
            shift = 0.0 if line.formula is None else _SHIFT
            _draw_ratio(ax, line.measured, place - shift, **_measured())
            if line.formula is not None:
                _draw_ratio(ax, line.formula, place + shift, **_formula())
    _set_names(lines, ax)
    _set_ratios(ax, *_ends(found))
    ax.axvline(1.0, color=ink(), linewidth=1.0, zorder=2)
    top = {"xycoords": ax.get_xaxis_transform(), "textcoords": "offset points", "fontsize": "small", "va": "bottom"}
    ax.annotate("← conservative", (1.0, 1.0), (-4, 2), ha="right", **top)
    ax.annotate("liberal →", (1.0, 1.0), (4, 2), ha="left", **top)
    ax.set_xlabel("Var[estimate] / E[se²]")
    write_legend(ax, [entry("measured", **_measured()), entry("by formula", **_formula())], 2)


def _draw_ratio(ax: Any, ratio: Found, place: float, **style: Any) -> None:
    if not (math.isfinite(ratio.value) and ratio.value > 0.0):
        ax.text(1.0, place, " not defined", fontsize="x-small", va="center")
        return
    own = style | {"linestyle": "none"}
    draw_found(ax, [place], [ratio], scale=1.0, upright=False, thickness=style["linewidth"], **own)


def _measured() -> dict[str, Any]:
    return {"color": BLUE, "marker": "o", "markersize": 5.5, "linewidth": 2.0, "linestyle": "-"}


def _formula() -> dict[str, Any]:
    own = {"color": VERMILION, "marker": "D", "markersize": 5.0, "linewidth": 1.2, "linestyle": "-"}
    return own | {"markerfacecolor": "none", "markeredgewidth": 1.2}


def _set_names(lines: "list[str | VarianceRatio]", ax: Any) -> None:
    """Name targets in bold, and methods with the sizes of their splits."""
    names = [
        short(shown(line), 40) if isinstance(line, str) else f"{short(line.method, 28)}, {line.n_train} + {line.n_test}"
        for line in lines
    ]
    ax.set_yticks(range(len(lines)), [escape(name) for name in names], fontsize="small")
    for text, line in zip(ax.get_yticklabels(), lines, strict=True):
        text.set_fontweight("bold" if isinstance(line, str) else "normal")
    ax.set_ylim(len(lines) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    tidy(ax)
    ax.spines["left"].set_visible(False)


def _ends(found: Sequence[Found]) -> tuple[float, float]:
    """Return the ends of the axis: all that can be shown, 1, and some room on both sides for the words."""
    values = [value for one in found for value in (one.value, one.low, one.high)]
    positive = [1.0, *(value for value in values if math.isfinite(value) and value > 0.0)]
    return min(0.4, min(positive) / _ROOM), max(2.5, max(positive) * _ROOM)


def _set_ratios(ax: Any, low: float, high: float) -> None:
    """Label round numbers on the logarithmic axis."""
    from matplotlib.ticker import NullLocator

    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ticks = _ticks(low, high)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _ticks(low: float, high: float) -> FloatArray:
    """Return round numbers within the axis, powers of 10 alone where the others would be too many."""
    decades = np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inner = _NICE if decades.size < 5 else (1.0,)
    every = np.array([nice * 10.0**decade for decade in decades for nice in inner])
    return every[(every >= low) & (every <= high)]
