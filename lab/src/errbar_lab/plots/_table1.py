"""Variance of estimates over what methods take it to be, measured and by formula."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from errbar._check import FloatArray
from errbar_lab.plots import _panels as parts
from errbar_lab.plots._canvas import BLUE, VERMILION, WIDTH, entry, ink, place_legend, plot
from errbar_lab.plots._fonts import drawable
from errbar_lab.plots._names import letters_in, place_inches, short, told_apart

if TYPE_CHECKING:
    from errbar_lab import Ratio
    from errbar_lab.studies import Table1, VarianceRatio

_ROOM = 1.25
_LONGEST = 40  # letters of a target
# In inches: a row, and what stands above and below all of them.
_ROW, _AROUND = 0.27, 1.5
_SHIFT = 0.17
_NICE = (1.0, 2.0, 5.0)
_STYLES: dict[str, dict[str, Any]] = {
    "measured": {
        "color": BLUE,
        "marker": "o",
        "markersize": 5.5,
        "linewidth": 2.0,
        "linestyle": "-",
    },
    "by formula": {
        "color": VERMILION,
        "linewidth": 1.2,
        "linestyle": "-",
        **parts.hollow("D", 5.0),
        "markeredgewidth": 1.2,
    },
}


@plot
def table1(found: "Table1") -> parts.StudyChart:
    """Draw Var[estimate]/E[se^2] of every method, measured and by formula.

    Parameters
    ----------
    found : Table1
        From `errbar_lab.table1`.
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
    errbar_lab.table1 : The numbers behind the plot.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> from errbar_lab import plots
    >>> population = lab.GaussianRegression(features=2, relevant=1)
    >>> found = lab.table1(population, {"least squares": LinearRegression()}, n=40, repeats=3, halvings=0, replicates=20)
    >>> ax = plots.table1(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['least squares', 'holdout-t, 36 + 4', 'resampled-t, 36 + 4', 'corrected-t, 36 + 4']
    """
    study: Table1 = parts.known(found, "Table1")
    lines = list(_lines(study))
    count = parts.that_fit([_ROW] * len(lines), _AROUND)
    left_out = parts.left_out(count, len(lines), "rows")
    return parts.StudyChart(
        (WIDTH, _AROUND + _ROW * count), partial(_draw_ratios, lines[:count], left_out)
    )


table1_of = table1.chart


def _lines(study: "Table1") -> "Iterator[str | VarianceRatio]":
    """Yield the names of the targets, each followed by its ratios."""
    for target in dict.fromkeys(one.target for one in study.ratios):
        yield target
        yield from (one for one in study.ratios if one.target == target)


def _draw_ratios(lines: "list[str | VarianceRatio]", left_out: list[Any], ax: Any) -> None:
    found = []
    for place, line in enumerate(lines):
        if not isinstance(line, str):
            own = [line.measured] if line.formula is None else [line.measured, line.formula]
            shifts = (0.0,) if line.formula is None else (-_SHIFT, _SHIFT)
            for ratio, shift, style in zip(own, shifts, _STYLES.values(), strict=False):
                if math.isfinite(ratio.value) and ratio.value > 0.0:
                    marks = style | {"linestyle": "none", "thickness": style["linewidth"]}
                    parts.draw_found(
                        ax, [place + shift], [ratio], scale=1.0, upright=False, **marks
                    )
                else:
                    ax.text(1.0, place + shift, " not defined", fontsize="x-small", va="center")
            found += own
    parts.name_rows(ax, _names(lines, ax), [isinstance(line, str) for line in lines])
    low, high = _ends(found)
    parts.label_logarithms(ax, low, high, _ticks(low, high))
    ax.axvline(1.0, color=ink(), linewidth=1.0, zorder=2)
    top = {
        "xycoords": ax.get_xaxis_transform(),
        "textcoords": "offset points",
        "fontsize": "small",
        "va": "bottom",
    }
    ax.annotate("← conservative", (1.0, 1.0), (-4, 2), ha="right", **top)
    ax.annotate("liberal →", (1.0, 1.0), (4, 2), ha="left", **top)
    ax.set_xlabel("Var[estimate] / E[se²]")
    place_legend(ax, [*(entry(name, **style) for name, style in _STYLES.items()), *left_out])


def _names(lines: "list[str | VarianceRatio]", ax: Any) -> list[str]:
    """Return the names of targets, and of methods with the sizes of their splits."""
    targets = [line for line in lines if isinstance(line, str)]
    length = min(_LONGEST, letters_in(0.4 * place_inches(ax)))
    own = dict(
        zip(
            targets,
            told_apart([drawable(parts.shown(target)) for target in targets], length),
            strict=True,
        )
    )
    return [own[line] if isinstance(line, str) else _method(line) for line in lines]


def _method(line: "VarianceRatio") -> str:
    return f"{short(line.method, 28)}, {line.n_train} + {line.n_test}"


def _ends(found: "Sequence[Ratio]") -> tuple[float, float]:
    """Return the ends of the axis: all that can be shown, 1, and some room on both sides for the words."""
    values = [value for one in found for value in (one.value, one.low, one.high)]
    positive = [1.0, *(value for value in values if math.isfinite(value) and value > 0.0)]
    return min(0.4, min(positive) / _ROOM), max(2.5, max(positive) * _ROOM)


def _ticks(low: float, high: float) -> FloatArray:
    """Return round numbers within the axis, powers of 10 alone where the others would be too many."""
    decades = np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inner = _NICE if decades.size < 5 else (1.0,)
    every = np.array([nice * 10.0**decade for decade in decades for nice in inner])
    return every[(every >= low) & (every <= high)]
