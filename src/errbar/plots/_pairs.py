"""Which learners differ: mean ranks over data sets, and all pairs of a comparison."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from errbar import _check
from errbar.comparison import Comparison
from errbar.datasets import Ranking, groups as groups_of
from errbar.errors import InvalidInputError
from errbar.plots._axes import COLUMN, GRID, MARK, SOFT, drawing, name_rows, shortened
from errbar.report import story_of
from errbar.report.story import triangle

_MOST_DRAWN = 24
_EVIDENCE = ("#f3f5f7", "#dbe9f8", "#7db3e6", "#0b4f94")
_POINTS = 72.0  # an inch has
_LETTER = 4.0
"""Points of a letter of a name."""


def ranks(
    source: Ranking | Mapping[str, float],
    *,
    critical_difference: float | None = None,
    label: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw mean ranks, a learner a row; bars at the right join those that do not differ significantly.

    A bar is thick in the rows of the learners that it joins, and thin in rows between them ([1]_).

    Parameters
    ----------
    source : Ranking or mapping of str to float
        What `errbar.datasets.ranks` returns, or mean ranks.
    critical_difference : float, optional
        With a mapping: the difference from which on two mean ranks differ significantly.
    label : str, optional
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, or there are no mean ranks.

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30, figure 1.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.ranks({"tree": 2.8, "forest": 1.4, "1-NN": 1.8}, critical_difference=0.9)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['forest', '1-NN', 'tree']
    """
    joined = "bars: not significantly different"
    if isinstance(source, Ranking):
        means, critical = source.mean_ranks, source.critical_difference
        axis = f"mean rank over {len(source.data.names)} data sets (1 is best)"
        groups: Sequence[Sequence[str]] = source.cliques
        if source.baseline is not None:
            near = [pair.a for pair in source.pairs if pair not in source.apart]
            groups = [(source.baseline, *near)] if near else []
            joined = f"bar: not significantly different\nfrom {source.baseline}"
        names = list(means)
        places = [tuple(sorted(map(names.index, group))) for group in groups]
    elif isinstance(source, Mapping) and source:
        means = {str(name): _check.finite(rank, str(name)) for name, rank in source.items()}
        critical, axis = critical_difference, "mean rank (1 is best)"
        names = sorted(means, key=means.__getitem__)
        values = np.array([means[name] for name in names])
        places = groups_of(np.abs(values[:, np.newaxis] - values) < (critical or 0.0))
    else:
        raise InvalidInputError(
            "must be a ranking of errbar.datasets, or a mapping of names to mean ranks",
            argument="source",
        )
    axis = axis if label is None else label
    height = 0.165 * len(names) + (0.75 if critical else 0.5) + 0.12 * joined.count("\n")
    with drawing(ax, height) as axes:
        _draw_ranks(axes, {name: means[name] for name in names}, critical)
        _draw_groups(axes, places)
        axes.set_xlabel(f"{axis}\n{joined}" if places else axis, parse_math=False)
    return axes


def _draw_ranks(ax: Any, means: Mapping[str, float], critical: float | None) -> None:
    from matplotlib import rcParams

    offset: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False}
    for y, mean in enumerate(means.values()):
        ax.plot([1.0, mean], [y, y], color=GRID, linewidth=0.6, zorder=0)
        ax.plot(mean, y, "o", color=MARK, markersize=3.6)
        ax.annotate(f"{mean:.2f}", (mean, y), (4, 0), va="center_baseline", color=SOFT, **offset)
    if critical:
        ink = rcParams["text.color"]
        ax.plot([1.0, 1.0 + critical], [-1.0, -1.0], color=ink, linewidth=1.2)
        ax.annotate(f"critical difference {critical:.2f}", (1.0, -1.0), (0, 3), **offset)
    last = max(len(means), math.ceil(max(means.values())), 1.0 + (critical or 0.0))
    name_rows(ax, shortened(list(means)))
    ax.set(xlim=(0.7, last + 0.3), ylim=(len(means) - 0.4, -2.3 if critical else -0.7))
    ax.set_xticks(np.arange(1, last + 1, math.ceil(last / 12)))


def _draw_groups(ax: Any, groups: Sequence[tuple[int, ...]]) -> None:
    from matplotlib import rcParams
    from matplotlib.transforms import offset_copy

    ends: list[int] = []  # the last row of each lane
    for group in sorted(groups):
        lane = next((k for k, end in enumerate(ends) if end < group[0]), len(ends))
        ends[lane : lane + 1] = [group[-1]]
        beside = offset_copy(
            ax.get_yaxis_transform(), ax.figure, x=12.0 + 6.0 * lane, units="points"
        )
        look: dict[str, Any] = {"transform": beside, "color": rcParams["text.color"]}
        look |= {"clip_on": False, "solid_capstyle": "butt"}
        ax.plot([1.0, 1.0], [group[0], group[-1]], linewidth=0.6, **look)
        for row in group:
            stop = row + (1.0 if row + 1 in group else 0.3)
            ax.plot([1.0, 1.0], [row - 0.3, stop], linewidth=2.0, **look)


def matrix(
    source: Comparison | Ranking | Mapping[tuple[str, str], float], *, ax: Any = None
) -> Any:
    """Draw the p of all pairs as a triangle with the names on its diagonal, the best first.

    Darker is stronger evidence. Cells show p where they are wide enough for it, else stars.

    Parameters
    ----------
    source : Comparison, Ranking or mapping of pairs of str to float
        What holds the adjusted p of each pair; of a mapping, tests are at 5 % and the names come
        in the order of their first pairs. Of many learners the best 24 are drawn.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, a pair is missing, or p is not between 0 and 1.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.matrix({("forest", "tree"): 0.003, ("forest", "1-NN"): 0.21, ("1-NN", "tree"): 0.04})
    >>> len(ax.patches)
    3
    """
    alpha = 0.05
    if isinstance(source, (Comparison, Ranking)):
        alpha, rows = 1.0 - source.level, story_of(source).triangle
    else:
        rows = _triangle_of(source, alpha)
    if len(rows) < 2:
        raise InvalidInputError(
            "must hold the p of all pairs of two learners or more, without a baseline",
            argument="source",
        )
    rows = rows[:_MOST_DRAWN]
    width = COLUMN * _POINTS - 6.0
    if ax is not None:
        width = ax.get_window_extent().width * _POINTS / ax.figure.dpi
    names = shortened([row["name"] for row in rows])
    # Each name stands to the right of its row of cells.
    room = [(width - _LETTER * len(name)) / (row + 0.3) for row, name in enumerate(names)]
    cell = max(7.5, min(30.0, *room))
    height = max(cell * len(rows), 64.0)
    with drawing(ax, height / _POINTS + 0.1) as axes:
        axes.set(xlim=(0.0, width), ylim=(height, 0.0), aspect="equal")
        axes.axis("off")
        _draw_triangle(axes, rows, names, cell, alpha)
    return axes


def _triangle_of(source: Any, alpha: float) -> list[dict[str, Any]]:
    """Return the rows of a mapping of pairs."""
    given = source if isinstance(source, Mapping) else {}
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in given):
        raise InvalidInputError("must have pairs (a, b) of names as its keys", argument="source")
    names = list(dict.fromkeys(name for pair in given for name in pair))
    found = {}
    for pair, value in given.items():
        p = _check.between(value, 0.0, 1.0, f"p of {' and '.join(map(str, pair))}")
        found[frozenset(pair)] = (p, p <= alpha)
    if len(found) < len(names) * (len(names) - 1) // 2:
        return []
    return triangle(names, found, alpha)


def _draw_triangle(
    ax: Any, rows: Sequence[dict[str, Any]], names: Sequence[str], cell: float, alpha: float
) -> None:
    from matplotlib.patches import Patch, Rectangle

    side = cell - 1.0
    for y, (row, name) in enumerate(zip(rows, names, strict=True)):
        middle = y * cell + side / 2.0
        ax.text(y * cell + 2.0, middle, name, va="center", parse_math=False)
        for x, one in enumerate(row["cells"]):
            shade = _EVIDENCE[one["stars"]]
            box = Rectangle((x * cell, y * cell), side, side, facecolor=shade, linewidth=0)
            ax.add_patch(box)
            text = one["p"] if cell >= 18.0 else "*" * one["stars"]
            color = "white" if one["stars"] == 3 else "#1a1f24"
            look = {"ha": "center", "va": "center", "fontsize": 6, "color": color}
            ax.text(x * cell + side / 2.0, middle, text, **look)
    said = (
        "not significant",
        f"* p ≤ {alpha:.3g}".replace("0.", "."),
        "** p < .01",
        "*** p < .001",
    )
    handles = [
        Patch(facecolor=shade, label=text) for shade, text in zip(_EVIDENCE, said, strict=True)
    ]
    ax.legend(
        handles=handles[::-1],
        loc="upper right",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.0,
        frameon=False,
        title="p of the pair, adjusted;\ncolumn better than row",
        title_fontsize=6.5,
        alignment="left",
    )
