"""What a matrix of all learners against all others shows, and how it is drawn."""

import math
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar._check import FloatArray, IntArray
from errbar.plots._canvas import BLUE, VERMILION, WIDTH, drawn_by, ink
from errbar.plots._names import COLUMN_NAME, escape, inches_wide, name_columns, stands_level, told_apart

_GREY = (0.91, 0.91, 0.91)
_STRONGEST = 0.8  # share of blue or vermilion in the strongest colour, so that text on it can be read
_ROOMY = 6  # up to so many learners have large cells
_MOST_DECIMALS, _LARGEST = 6, 1e6  # beyond them numbers are written with a power of 10
_UNLAID = 0.775  # share of the width of a figure that its axes have before the layout
_LETTER = 0.62  # width of a digit, in sizes of the font


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
        Adjusted two-sided p-values; NaN where a pair was not tested.
    wins : ndarray, shape (k, k), or None
        On how many splits or data sets the learner of the row is better.
    count : int
        Number of splits or data sets.
    unit : {"split", "data set"}
        What is counted.
    level : float
        A pair is told apart where its p-value is at most 1 - level.
    higher_is_better : bool
        Whether larger numbers are better.
    quantity : str
        What the numbers are.
    test : str
        Where the p-values come from.
    limit : float
        Difference at which colours are full; 0 if no two learners differ.
    title : str
        Title of the matrix.
    """

    learners: tuple[str, ...]
    estimates: tuple[float, ...]
    differences: FloatArray
    pvalues: FloatArray
    wins: IntArray | None = None
    count: int = 0
    unit: str = "split"
    level: float = 0.95
    higher_is_better: bool = False
    quantity: str = ""
    test: str = ""
    limit: float = 0.0
    title: str = ""

    @property
    def ties(self) -> IntArray | None:
        """On how many splits or data sets two learners are as good; on the diagonal, on all."""
        return None if self.wins is None else self.count - self.wins - self.wins.T

    @property
    def apart(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which pairs are told apart."""
        return np.asarray(self.pvalues <= 1.0 - self.level)

    @property
    def advantage(self) -> FloatArray:
        """How much better the learner of the row is, from -1 to 1 at the limit: what the colours show."""
        if not self.limit:
            return np.zeros_like(self.differences)
        towards = self.differences if self.higher_is_better else -self.differences
        return np.asarray(np.clip(towards / self.limit, -1.0, 1.0) + 0.0)

    @property
    def tested(self) -> bool:
        """Whether any pair was tested."""
        return not bool(np.isnan(self.pvalues).all())


def _lines(chart: ComparisonMatrix, row: int, column: int) -> list[str]:
    """Return what stands in a cell."""
    if row == column:
        return [_number(chart, chart.estimates[row], signed=False)]
    lines = [_number(chart, chart.differences[row, column], signed=True)]
    pvalue = chart.pvalues[row, column]
    if not math.isnan(pvalue):
        lines.append("p < 0.001" if pvalue < 0.001 else f"p = {pvalue:.3f}")
    if chart.wins is not None:
        losses = chart.wins[column, row]
        wins = chart.wins[row, column]
        lines.append(f"{wins} / {chart.count - wins - losses} / {losses}")
    return lines


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
    parts.append("blue: row better, vermilion: row worse")
    if chart.wins is not None:
        parts.append(f"wins / ties / losses over {chart.count} {chart.unit}{'s' * (chart.count != 1)}")
    if chart.tested:
        parts.append(f"bold: p ≤ {1.0 - chart.level:.4g}{f' ({chart.test})' if chart.test else ''}")
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
    letter, high = (0.11, 0.66) if k <= _ROOMY else (0.085, 0.56)
    widest = max(len(line) for i in range(k) for j in range(k) for line in _lines(chart, i, j))
    wide = max(letter * widest, 0.72, min(1.5, (WIDTH - 1.4) / k))
    letters = max(map(len, told_apart(chart.learners, COLUMN_NAME)))
    level = stands_level(chart.learners, wide)
    above = 0.65 if level else 0.35 + 0.055 * letters
    aside = 0.3 + 0.085 * letters + (0.0 if level else 0.04 * letters)
    width = aside + k * wide
    below = 0.25 + 0.16 * len(_caption_lines(chart, _UNLAID * width))
    return width, above + k * high + below + 0.3 * bool(chart.title)


@drawn_by(ComparisonMatrix, _size)
def _draw_comparison_matrix(chart: ComparisonMatrix, ax: Any) -> None:
    k = len(chart.learners)
    size = _font_size(chart, ax)
    for row in range(k):
        for column in range(k):
            _draw_cell(chart, ax, row, column, size)
    ax.set_xlim(0.0, k)
    ax.set_ylim(k, 0.0)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    centres = [i + 0.5 for i in range(k)]
    ax.set_yticks(centres, [escape(name) for name in told_apart(chart.learners, COLUMN_NAME)])
    name_columns(ax, centres, chart.learners, 0.9 / k, above=True)
    ax.set_xlabel(escape("\n".join(_caption_lines(chart, inches_wide(ax)))), fontsize="small")
    if chart.title:
        ax.set_title(escape(chart.title))


def _font_size(chart: ComparisonMatrix, ax: Any) -> float:
    """Return the size at which the longest line and the most lines fit into a cell, in points."""
    k = len(chart.learners)
    box = ax.get_window_extent()
    points = 72.0 / ax.figure.dpi / k
    cells = [_lines(chart, i, j) for i in range(k) for j in range(k)]
    widest = max(len(line) for lines in cells for line in lines)
    most = max(len(lines) for lines in cells)
    fitting = min(0.9 * box.width * points / (widest * _LETTER), 0.85 * box.height * points / (1.25 * most))
    return float(min(9.0, max(4.0, fitting)))


def _draw_cell(chart: ComparisonMatrix, ax: Any, row: int, column: int, size: float) -> None:
    from matplotlib.patches import Rectangle

    own = row == column
    fill = _color(float(chart.advantage[row, column]))
    gap = 0.03
    edge = {"facecolor": "none", "edgecolor": ink(), "alpha": 0.35} if own else {"facecolor": fill, "edgecolor": "none"}
    ax.add_artist(Rectangle((column + gap / 2, row + gap / 2), 1.0 - gap, 1.0 - gap, linewidth=0.6, **edge))
    bold = bool(chart.apart[row, column])
    color = {} if own else {"color": _text_color(fill)}
    ax.text(
        column + 0.5,
        row + 0.5,
        "\n".join(_lines(chart, row, column)),
        ha="center",
        va="center",
        fontsize=size,
        linespacing=1.25,
        weight="bold" if bold else "normal",
        in_layout=False,
        **color,
    )


def _color(advantage: float) -> tuple[float, float, float]:
    """Return grey for 0, and towards 1 more and more blue, towards -1 more and more vermilion."""
    name = BLUE if advantage > 0.0 else VERMILION
    hue = [int(name[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    share = _STRONGEST * abs(advantage)
    red, green, blue = ((1.0 - share) * grey + share * own for grey, own in zip(_GREY, hue, strict=True))
    return red, green, blue


def _text_color(fill: tuple[float, float, float]) -> str:
    """Return black or white, whichever has more contrast with a colour, by the formula of the WCAG."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in fill]
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"
