"""The difference of two learners in each cluster."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar._check import FloatArray, IntArray
from errbar.comparison import ComparisonData
from errbar.design import Design
from errbar.errors import InvalidInputError
from errbar.metrics import in_words
from errbar.plots._canvas import BLUE, VERMILION, WIDTH, drawn_by, entry, ink, place_legend, plot
from errbar.plots._forest import directions
from errbar.plots._names import SMALL, labels, name_axis, name_directions, pair_label, row_points
from errbar.result import Result

# More rows than this are drawn close together, without names.
_MOST_NAMED = 40
_SMALLEST, _LARGEST = 6.0, 90.0  # areas of dots, in square points


@dataclass(frozen=True, eq=False)
class ClusterMeans:
    """What a plot of clusters shows.

    Attributes
    ----------
    means : ndarray, shape (clusters,)
        Mean difference (or loss) of each cluster, in the direction shown, from the largest to the smallest.
    sizes : ndarray of int, shape (clusters,)
        Number of examples (or losses) of each.
    labels : tuple of str
        What the clusters are called.
    estimate, low, high : float
        Overall estimate with its interval.
    interval : str
        Name of the interval, for the legend.
    axis : str
        Label of the horizontal axis.
    left, right : str
        What it means to lie left and right of 0; empty for a single learner.
    """

    means: FloatArray
    sizes: IntArray
    labels: tuple[str, ...]
    estimate: float
    low: float
    high: float
    interval: str = "interval"
    axis: str = ""
    left: str = ""
    right: str = ""


@plot
def clusters(source: ComparisonData, a: str | None = None, b: str | None = None) -> ClusterMeans:
    """Draw the difference of two learners in every cluster, sorted, with the overall estimate and its interval.

    Parameters
    ----------
    source : Comparison
        Of losses whose examples come in clusters.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    a, b : str, optional
        The learners whose difference a minus b is drawn, or `a` alone for the losses of one. Both may be left out where there is one
        pair or one learner.

    Returns
    -------
    matplotlib axes
        With a dot per cluster, whose area is its number of examples.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If the examples do not come in clusters, or no such pair was compared.

    See Also
    --------
    components : What the clusters add to the squared standard errors.

    Examples
    --------
    >>> import errbar
    >>> from errbar import plots
    >>> a, b = [0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1], [1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0]
    >>> table = errbar.from_losses({"a": a, "b": b}, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6])
    >>> chart = plots.clusters_of(errbar.compare_table(table))
    >>> chart.means.tolist()
    [0.5, 0.5, 0.0, -0.5, -0.5, -0.5]
    """
    design = source.used.splits.designs[0]
    if design.clusters is None or design.clustered_scores:
        raise InvalidInputError(
            "the examples of this comparison are in no known clusters; give `groups`"
        )
    names, result = _asked(source, a, b)
    losses = source.used.losses(names[0], names[1] if len(names) == 2 else None)
    point, codes = losses.value, losses.index["group"]
    sizes = np.bincount(codes)
    tested = np.flatnonzero(sizes)
    means = source.table.loss.sign * np.bincount(codes, point)[tested] / sizes[tested] + 0.0
    order = np.argsort(-means, kind="stable")
    what = in_words(source.table.loss.key)
    left, right = "", ""
    if len(names) == 2:
        pairs = [pair for pair in source.pairs if {pair.a, pair.b} == set(names)]
        pairs = [pair if pair.b == names[1] else pair.seen_from(names[1]) for pair in pairs]
        left, right = directions(pairs, higher_is_better=source.higher_is_better)
        what = f"{pair_label(*names)}, difference in {what}"
    return ClusterMeans(
        means=means[order],
        sizes=sizes[tested][order],
        labels=_labels(design, tested[order]),
        estimate=result.estimate,
        low=result.low,
        high=result.high,
        interval=f"{100 * result.level:.6g} % interval",
        axis=what,
        left=left,
        right=right,
    )


clusters_of = clusters.chart


def _labels(design: Design, codes: IntArray) -> tuple[str, ...]:
    """Return what clusters are called; a number is no name."""
    names = design.cluster_names
    if names is None or np.issubdtype(names.dtype, np.number):
        numbers = codes + 1 if names is None else names[codes]
        return tuple(f"group {number:g}" for number in numbers.tolist())
    return tuple(str(name) for name in names[codes])


def _asked(source: ComparisonData, a: str | None, b: str | None) -> tuple[tuple[str, ...], Result]:
    """Return the learners, and what was found of them."""
    if a is None and b is None:
        if len(source.pairs) == 1:
            [pair] = source.pairs
            return (pair.a, pair.b), pair.result
        if source.pairs:
            listed = ", ".join(map(repr, source.learners))
            raise InvalidInputError(f"name the two learners, `a` and `b`; there are {listed}")
        [a] = source.learners
    if a is not None and b is None and a in source.learners:
        return (a,), source.learners[a]
    for pair in source.pairs:
        if (pair.a, pair.b) == (a, b):
            return (pair.a, pair.b), pair.result
        if (pair.b, pair.a) == (a, b):
            return (pair.b, pair.a), pair.result.mirrored()
    what = f"learner {a!r}" if b is None else f"pair {a!r} and {b!r}"
    raise InvalidInputError(
        f"there is no {what} in this comparison of {', '.join(map(repr, source.learners))}"
    )


def _size(chart: ClusterMeans) -> tuple[float, float]:
    rows = chart.means.size
    return WIDTH, 1.5 + (0.21 * rows if rows <= _MOST_NAMED else 4.2)


@drawn_by(ClusterMeans, _size)
def _draw_clusters(chart: ClusterMeans, ax: Any) -> None:
    rows = np.arange(chart.means.size)
    many = rows.size > _MOST_NAMED
    largest = (0.35 if many else 1.0) * _LARGEST
    areas = np.maximum(_SMALLEST, largest * chart.sizes / chart.sizes.max())
    ends = [end for end in (chart.low, chart.high) if math.isfinite(end)]
    values = [*chart.means.tolist(), chart.estimate, *ends, *([0.0] if chart.left else [])]
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or 0.1 * abs(high) or 1.0
    ax.set_xlim(low - room, high + room)
    ax.axvspan(
        max(chart.low, low - room),
        min(chart.high, high + room),
        color=VERMILION,
        alpha=0.18,
        linewidth=0,
    )
    ax.axvline(chart.estimate, color=VERMILION, linewidth=1.6, linestyle=(0, (5, 1.5)), zorder=2)
    named: list[str] = []
    if not many:
        named = [
            f"{name} ({size})"
            for name, size in zip(labels(chart.labels, ax), chart.sizes.tolist(), strict=True)
        ]
    ax.scatter(
        chart.means, rows, s=areas, color=BLUE, alpha=0.65 if many else 0.9, linewidth=0, zorder=3
    )
    if chart.left:
        ax.axvline(0.0, color=ink(), linewidth=1.0, zorder=1)
    name_directions(ax, chart.left, chart.right, named)
    if many:
        ax.set_yticks([])
        ax.set_ylabel(f"{rows.size} groups, sorted")
    else:
        ax.set_yticks(rows, named, fontsize=row_points(ax, rows.size, SMALL))
        ax.tick_params(axis="y", length=0)
    ax.set_ylim(rows.size - 0.3, -0.7)
    name_axis(ax, "x", chart.axis)
    ax.locator_params(axis="x", nbins=7)
    ax.spines[["left", "top", "right"]].set_visible(False)
    _draw_legend(chart, ax)


def _draw_legend(chart: ClusterMeans, ax: Any) -> None:
    from matplotlib.patches import Patch

    least, most = int(chart.sizes.min()), int(chart.sizes.max())
    of = f"{least}" if least == most else f"{least} to {most}"
    place_legend(
        ax,
        [
            entry(f"mean of a group (of {of})", marker="o", color=BLUE, markersize=6),
            Patch(color=VERMILION, alpha=0.35, linewidth=0, label=f"all, with {chart.interval}"),
        ],
    )
