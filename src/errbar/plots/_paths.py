"""Paired split scores: one line per split."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.comparison import MOST_LISTED, ComparisonData
from errbar.errors import InvalidInputError
from errbar.metrics import in_words
from errbar.plots._canvas import (
    BLUE,
    HIGHEST,
    VERMILION,
    WIDTH,
    drawn_by,
    measured,
    place_legend,
    plot,
)
from errbar.plots._names import (
    COLUMN_NAME,
    name_axis,
    name_columns,
    stands_level,
    told_apart,
    width,
)
from errbar.table import LossTable

_MOST_PATHS, _MOST_LEARNERS = 2000, 60
_COLUMN = 0.22  # inches of a learner with a slanted name


@dataclass(frozen=True, eq=False)
class Paths:
    """What a paired plot shows.

    Attributes
    ----------
    learners : tuple of str
        Names from left to right.
    values : ndarray, shape (splits, learners)
        Score of each learner on each split, in the direction shown.
    axis : str
        Label of the vertical axis.
    """

    learners: tuple[str, ...]
    values: FloatArray
    axis: str = ""

    @property
    def means(self) -> FloatArray:
        """Mean of each learner over the splits."""
        return np.asarray(self.values.mean(axis=0))


@plot
def paired_splits(source: LossTable | ComparisonData | Mapping[str, ArrayLike]) -> Paths:
    """Draw one line per split that links the scores of the learners.

    Parameters
    ----------
    source : LossTable, Comparison or mapping
        A table or comparison, or a mapping of learners to one number per split. Of a large comparison the best 24
        learners are drawn.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes
        With thin lines for the splits and a thick one for the means. Parallel lines mean that the learners find the
        same splits hard, so that differences are known better than the scores themselves.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If the numbers of splits differ, or there are none.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.paired_splits({"tree": [0.31, 0.28, 0.35], "forest": [0.25, 0.27, 0.26]})
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['tree', 'forest']
    """
    if isinstance(source, ComparisonData):
        few = (
            source.used.subset(source.listed_learners[:MOST_LISTED])
            if source.large
            else source.used
        )
        return replace(paired_splits_of(few), axis=measured(source))
    if isinstance(source, LossTable):
        # Adding 0 turns the -0.0 that the change of sign leaves into 0.0.
        labels = source.splits.labels
        aside = [labels[name] >= 0 for name in ("inner", "half", "resubstitution")]
        shown = ~np.logical_or.reduce(aside)
        scores = (source.loss.sign * source.scores[:, shown] + 0.0).T
        return Paths(source.learners, scores, in_words(source.loss.key))
    columns = {
        str(name): _check.vector(values, str(name), "split") for name, values in source.items()
    }
    if len({column.size for column in columns.values()}) != 1:
        raise InvalidInputError(
            "every learner needs one number per split, and the same number of splits"
        )
    names = tuple(columns)[:_MOST_LEARNERS]
    some = f"the first {len(names)} of {len(columns)} learners" if len(names) < len(columns) else ""
    return Paths(names, np.stack([columns[name] for name in names], axis=1), some)


paired_splits_of = paired_splits.chart


def _paths_size(chart: Paths) -> tuple[float, float]:
    """Return the size of the figure; slanted names need more height."""
    if stands_level(chart.learners, (WIDTH - 0.8) / len(chart.learners)):
        return WIDTH, 3.4
    letters = max(map(width, told_apart(chart.learners, COLUMN_NAME)))
    return min(HIGHEST, max(WIDTH, 0.8 + _COLUMN * len(chart.learners))), 3.4 + 0.06 * letters


@drawn_by(Paths, _paths_size)
def _draw_paths(chart: Paths, ax: Any) -> None:
    positions = np.arange(len(chart.learners))
    shown = chart.values[:_MOST_PATHS]
    opacity = min(0.7, max(0.06, 9.0 / len(shown)))
    ax.plot(positions, shown.T, "-", color=BLUE, alpha=opacity, linewidth=1.0, zorder=2)
    ax.plot(
        positions,
        shown.T,
        "o",
        color=BLUE,
        alpha=opacity,
        markersize=3.0,
        markeredgewidth=0,
        zorder=2,
    )
    [mean] = ax.plot(
        positions,
        chart.means,
        "-D",
        color=VERMILION,
        linewidth=2.2,
        markersize=5.5,
        zorder=3,
        label="mean",
    )
    ax.set_xlim(-0.4, len(chart.learners) - 0.6)
    name_columns(ax, positions.tolist(), chart.learners, 0.95 / (len(chart.learners) - 0.2))
    name_axis(ax, "y", chart.axis)
    ax.spines[["top", "right"]].set_visible(False)
    [split] = ax.plot(
        [],
        [],
        "-o",
        color=BLUE,
        alpha=max(opacity, 0.5),
        linewidth=1.0,
        markersize=3.0,
        label="one split",
    )
    place_legend(ax, [split, mean])
