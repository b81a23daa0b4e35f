"""What a matrix of all learners against all others shows, and how it is drawn."""

import math
import re
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar._check import FloatArray, IntArray
from errbar.plots._canvas import BLUE, HIGHEST, VERMILION, WIDTH, drawn_by, ink
from errbar.plots._fonts import drawable
from errbar.plots._names import (
    COLUMN_NAME,
    entitle,
    escape,
    escaped,
    inches_wide,
    inner_height,
    inner_inches,
    name_columns,
    row_points,
    stands_level,
    told_apart,
    width,
)
from errbar.plots._posterior import percent

_PLAIN, _GREY = (0.965, 0.965, 0.965), (0.6, 0.6, 0.6)
_STRONGEST = (
    0.8  # share of blue or vermilion in the strongest colour, so that text on it can be read
)
# P-values from which on a cell has no colour, and up to which it has all; in between, colour goes with the logarithm.
_FAINT, _FULL = 0.1, 0.001
_KEY = (0.001, 0.01, 0.05, 0.1)
# Inches of the key: a sample of colour, the gap above it, and all of it.
_SAMPLE, _ABOVE_KEY, _KEY_INCHES = (0.4, 0.14), 0.1, 0.56
_ROOMY, _CLOSE = 6, 12  # up to so many learners have large cells, and from so many on small ones
_WIDEST = 12.5
# A 0 before the point, for which small cells have no room.
_ZERO = re.compile(r"(?<![\d.])0\.")
_MOST_DECIMALS, _LARGEST = 6, 1e6  # beyond them numbers are written with a power of 10
_UNLAID = 0.775  # share of the width of a figure that its axes have before the layout
_LETTER = 0.68  # width of a digit in bold, in sizes of the font
_FINEST = 2.5  # points


@dataclass(frozen=True, eq=False)
class ComparisonMatrix:
    """What a matrix of learners against learners shows.

    Attributes
    ----------
    learners : tuple of str
        Names, best first.
    estimates : tuple of float
        Estimate of each learner.
    differences : ndarray, shape (k, k)
        Estimate of the learner of the row minus that of the column.
    pvalues : ndarray, shape (k, k)
        Adjusted two-sided p-values; NaN where a pair was not tested, or by a Bayesian method.
    better, same : ndarray, shape (k, k), or None
        By a Bayesian method, the posterior probabilities that the learner of the row is better, and that both are practically
        equivalent; NaN where a pair was not compared.
    wins : ndarray, shape (k, k), or None
        On how many splits or data sets the learner of the row is better.
    count : int
        Number of splits or data sets.
    unit : {"split", "data set"}
        What is counted.
    level : float
        A pair is told apart where its p-value is at most 1 - level, or one of its probabilities at least the level.
    higher_is_better : bool
        Whether larger numbers are better.
    quantity : str
        What the numbers are.
    test : str
        Where the p-values or probabilities come from.
    title : str
        Title of the matrix.
    """

    learners: tuple[str, ...]
    estimates: tuple[float, ...]
    differences: FloatArray
    pvalues: FloatArray
    better: FloatArray | None = None
    same: FloatArray | None = None
    wins: IntArray | None = None
    count: int = 0
    unit: str = "split"
    level: float = 0.95
    higher_is_better: bool = False
    quantity: str = ""
    test: str = ""
    title: str = ""

    @property
    def ties(self) -> IntArray | None:
        """On how many splits or data sets two learners are as good; on the diagonal, on all."""
        return None if self.wins is None else self.count - self.wins - self.wins.T

    @property
    def apart(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which pairs are told apart, or are practically equivalent."""
        if self.better is None or self.same is None:
            return np.asarray(self.pvalues <= 1.0 - self.level)
        return np.asarray(np.fmax(np.fmax(self.better, self.better.T), self.same) >= self.level)

    @property
    def evidence(self) -> FloatArray:
        """Evidence that the learner of the row is better, from 0 to 1, or that it is worse, down to -1: what the colours show.

        It is 0 from a p-value of 0.1 on, or up to a posterior probability of 90 %, and 1 at 0.001, or 99.9 %.
        """
        if self.better is not None:
            return np.asarray(_strength(1.0 - self.better) - _strength(1.0 - self.better.T))
        towards = self.differences if self.higher_is_better else -self.differences
        return np.asarray(np.sign(towards) * _strength(self.pvalues) + 0.0)

    @property
    def sameness(self) -> FloatArray:
        """Evidence that two learners are practically equivalent, from 0 to 1: how grey a cell is."""
        return np.zeros_like(self.differences) if self.same is None else _strength(1.0 - self.same)

    @property
    def tested(self) -> bool:
        """Whether there is evidence about any pair."""
        known = self.pvalues if self.better is None else self.better
        return not bool(np.isnan(known).all())


def _strength(chance: FloatArray) -> FloatArray:
    """Return how strong evidence is, from 0 to 1, that leaves such a chance to its contrary; 0 where there is none."""
    with np.errstate(divide="ignore"):
        share = np.log(chance / _FAINT) / math.log(_FULL / _FAINT)
    return np.asarray(np.nan_to_num(np.clip(share, 0.0, 1.0), nan=0.0))


def _lines(chart: ComparisonMatrix, row: int, column: int) -> list[str]:
    """Return what stands in a cell."""
    if row == column:
        lines = [_number(chart, chart.estimates[row], signed=False)]
        return lines if len(chart.learners) <= _CLOSE else [_ZERO.sub(".", line) for line in lines]
    lines = [_number(chart, chart.differences[row, column], signed=True)]
    pvalue = chart.pvalues[row, column]
    if chart.better is not None:
        lines.append(
            ""
            if math.isnan(chart.better[row, column])
            else percent(float(chart.better[row, column]))
        )
    elif not math.isnan(pvalue):
        lines.append("p < 0.001" if pvalue < 0.001 else f"p = {pvalue:.3f}")
    if chart.wins is not None and len(chart.learners) <= _CLOSE:
        losses = chart.wins[column, row]
        wins = chart.wins[row, column]
        lines.append(f"{wins} / {chart.count - wins - losses} / {losses}")
    lines = [line for line in lines if line]
    return (
        lines
        if len(chart.learners) <= _CLOSE
        else [_ZERO.sub(".", line.replace(" ", "")) for line in lines]
    )


def _number(chart: ComparisonMatrix, value: float, *, signed: bool) -> str:
    """Write a number with as many digits as show three of the largest difference; what rounds to 0 has no sign."""
    largest = float(np.abs(chart.differences).max()) or max(map(abs, chart.estimates)) or 1.0
    decimals = max(0, 2 - math.floor(math.log10(largest)))
    if decimals > _MOST_DECIMALS or max(map(abs, chart.estimates)) >= _LARGEST:
        text = f"{value + 0.0:.2e}" if value else "0"
    else:
        text = f"{round(value, decimals) + 0.0:.{decimals}f}"
    plus = "+" if signed and float(text) > 0.0 else ""
    return plus + text.replace("-", "−")


def _caption_lines(chart: ComparisonMatrix, inches: float) -> list[str]:
    """Return the caption in lines, each of as many parts as fit into the width."""
    direction = "higher is better" if chart.higher_is_better else "lower is better"
    quantity = f", {chart.quantity}" if chart.quantity else ""
    parts = [f"row minus column{quantity} ({direction})", "diagonal: estimates"]
    if chart.better is not None:
        parts.append(
            "in percent: probability that the row is better"
            + (", grey: equivalent" if chart.sameness.any() else "")
        )
    if chart.wins is not None and len(chart.learners) <= _CLOSE:
        parts.append(
            f"wins / ties / losses over {chart.count} {chart.unit}{'s' * (chart.count != 1)}"
        )
    if chart.tested:
        least = f"p ≤ {1.0 - chart.level:.4g}"
        if chart.better is not None:
            least = f"one answer has at least {100.0 * chart.level:.6g} %"
        parts.append(f"bold: {least}{f' ({chart.test})' if chart.test else ''}")
    letters = max(50, int(11.0 * inches))
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]}; {part}" if lines[-1] else part
        if len(joined) <= letters:
            lines[-1] = joined
        else:
            lines += textwrap.wrap(part, letters)
    return [line for line in lines if line]


def _size(chart: ComparisonMatrix) -> tuple[float, float]:
    k = len(chart.learners)
    letter, high = (0.11, 0.66) if k <= _ROOMY else (0.085, 0.56) if k <= _CLOSE else (0.068, 0.42)
    widest = max(len(line) for i in range(k) for j in range(k) for line in _lines(chart, i, j))
    letters = max(map(width, _names(chart)))
    aside = 0.3 + 0.15 * letters
    wide = min(
        max(letter * widest, 0.72 if k <= _CLOSE else 0.0, min(1.5, (WIDTH - 1.4) / k)),
        (_WIDEST - aside) / k,
    )
    level = stands_level(chart.learners, wide)
    above = 0.65 if level else 0.35 + 0.07 * letters
    if level:
        aside = 0.3 + 0.085 * letters
    across = aside + k * wide
    below = 0.35 + 0.16 * len(_caption_lines(chart, _UNLAID * across)) + _KEY_INCHES * chart.tested
    above += 0.3 * bool(chart.title)
    return across, min(HIGHEST, above + k * high + below)


def _names(chart: ComparisonMatrix) -> list[str]:
    return told_apart([drawable(name) for name in chart.learners], COLUMN_NAME)


@drawn_by(ComparisonMatrix, _size)
def _draw_comparison_matrix(chart: ComparisonMatrix, ax: Any) -> None:
    k = len(chart.learners)
    ax.set_xlim(0.0, k)
    ax.set_ylim(k, 0.0)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    centres = [i + 0.5 for i in range(k)]
    ax.set_yticks(centres, escaped(_names(chart)), fontsize=row_points(ax, k))
    name_columns(ax, centres, chart.learners, 0.9 / k, above=True)
    ax.set_xlabel(escape("\n".join(_caption_lines(chart, inches_wide(ax)))), fontsize="small")
    if chart.tested:
        ax.xaxis.labelpad = 72.0 * _KEY_INCHES
    entitle(ax, chart.title)
    size = _font_size(chart, ax)
    for row in range(k):
        for column in range(k):
            _draw_cell(chart, ax, row, column, size)
    if chart.tested:
        _draw_key(chart, ax)


def _draw_key(chart: ComparisonMatrix, ax: Any) -> None:
    """Draw below the matrix what the colours say, in inches from the middle of its lower edge."""
    from matplotlib.patches import Rectangle
    from matplotlib.transforms import ScaledTranslation

    place = ax.figure.dpi_scale_trans + ScaledTranslation(0.5, 0.0, ax.transAxes)
    steps = [(-1, chance) for chance in _KEY] + [(1, chance) for chance in reversed(_KEY[:-1])]
    wide, high = _SAMPLE
    for i, (sign, chance) in enumerate(steps):
        left = (i - len(steps) / 2) * wide
        fill = _color(sign * float(_strength(np.array(chance))))
        style = {
            "facecolor": fill,
            "edgecolor": ink(),
            "linewidth": 0.4,
            "transform": place,
            "clip_on": False,
        }
        ax.add_artist(Rectangle((left, -_ABOVE_KEY - high), wide, high, **style))
        number = f"{chance:g}" if chart.better is None else f"{100.0 * (1.0 - chance):g} %"
        more = {
            _KEY[0]: "≤" if chart.better is None else "≥",
            _KEY[-1]: "≥" if chart.better is None else "≤",
        }
        words = f"{more.get(chance, '')}{number}"
        below = {"transform": place, "ha": "center", "va": "top", "fontsize": "x-small"}
        ax.text(left + wide / 2, -_ABOVE_KEY - high - 0.03, words, **below)
    what = "adjusted p-value" if chart.better is None else "probability"
    for at, words in ((-2.3, "▼ row worse"), (0.0, what), (2.3, "row better ▲")):
        style = {"transform": place, "ha": "center", "va": "top", "fontsize": "small"}
        ax.text(at * wide, -_ABOVE_KEY - high - 0.17, words, **style)


def _font_size(chart: ComparisonMatrix, ax: Any) -> float:
    """Return the size at which the longest line and the most lines fit into a cell, in points; 0 where none could be read."""
    k = len(chart.learners)
    wide, high = (72.0 * inches / k for inches in (inner_inches(ax), inner_height(ax)))
    cells = [_lines(chart, i, j) for i in range(k) for j in range(k)]
    widest = max(len(line) for lines in cells for line in lines)
    most = max(len(lines) for lines in cells)
    fitting = min(0.92 * wide / (widest * _LETTER), 0.85 * high / (1.25 * most))
    return float(min(9.0, fitting)) if fitting >= _FINEST else 0.0


def _draw_cell(chart: ComparisonMatrix, ax: Any, row: int, column: int, size: float) -> None:
    from matplotlib.patches import Rectangle

    own = row == column
    fill = _color(float(chart.evidence[row, column]), float(chart.sameness[row, column]))
    gap = 0.03
    edge = (
        {"facecolor": "none", "edgecolor": ink(), "alpha": 0.35}
        if own
        else {"facecolor": fill, "edgecolor": "none"}
    )
    ax.add_artist(
        Rectangle((column + gap / 2, row + gap / 2), 1.0 - gap, 1.0 - gap, linewidth=0.6, **edge)
    )
    bold = bool(chart.apart[row, column])
    color = {} if own else {"color": _text_color(fill)}
    ax.text(
        column + 0.5,
        row + 0.5,
        "\n".join(_lines(chart, row, column)) if size else "",
        ha="center",
        va="center",
        fontsize=size or 1.0,
        linespacing=1.25,
        weight="bold" if bold else "normal",
        in_layout=False,
        **color,
    )
    if bold and chart.evidence[row, column]:
        # So that the direction is seen without colours too.
        better = chart.evidence[row, column] > 0.0
        mark = {
            "marker": "^" if better else "v",
            "markersize": min(4.5, 0.5 * (size or 9.0)),
            "markeredgewidth": 0.0,
            **color,
        }
        ax.plot(column + 0.9, row + 0.12, in_layout=False, **mark)


def _color(evidence: float, sameness: float = 0.0) -> tuple[float, float, float]:
    """Return nearly white for 0, and towards 1 more and more blue, towards -1 more and more vermilion; or more and more grey."""
    name = BLUE if evidence > 0.0 else VERMILION
    hue = [int(name[i : i + 2], 16) / 255.0 for i in (1, 3, 5)] if evidence else _GREY
    share = _STRONGEST * (abs(evidence) or sameness)
    red, green, blue = (
        (1.0 - share) * plain + share * own for plain, own in zip(_PLAIN, hue, strict=True)
    )
    return red, green, blue


def _text_color(fill: tuple[float, float, float]) -> str:
    """Return black or white, whichever has more contrast with a colour, by the formula of the WCAG."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in fill]
    luminance = sum(
        weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
    )
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"
