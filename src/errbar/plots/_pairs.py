"""Which learners differ: mean ranks over data sets, and all pairs of a comparison."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar.comparison import Comparison
from errbar.datasets import Ranking, groups as groups_of
from errbar.errors import InvalidInputError
from errbar.plots._axes import COLUMN, GRID, MARK, SOFT, drawing, name_rows, shortened

_MOST_DRAWN = 24
_EVIDENCE = ("#f3f5f7", "#dbe9f8", "#7db3e6", "#0b4f94")
_POINTS = 72.0  # an inch has


def ranks(
    source: Ranking | Mapping[str, float],
    *,
    critical_difference: float | None = None,
    groups: Sequence[Sequence[str]] | None = None,
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
    groups : sequence of sequences of str, optional
        With a mapping: the names that each bar joins; by default those closer than that.
    label : str, optional
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, there are no mean ranks, or a group has an unknown name.

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
        means, critical, groups = source.mean_ranks, source.critical_difference, source.cliques
        axis = f"mean rank over {len(source.data.names)} data sets (1 is best)"
        if source.baseline is not None:
            near = [pair.a for pair in source.pairs if pair not in source.apart]
            groups = [(source.baseline, *near)]
            joined = f"bar: not significantly different\nfrom {source.baseline}"
    elif isinstance(source, Mapping) and source:
        means = {str(name): _check.finite(rank, str(name)) for name, rank in source.items()}
        critical, axis = critical_difference, "mean rank (1 is best)"
    else:
        raise InvalidInputError(
            "must be a ranking of errbar.datasets, or a mapping of names to mean ranks",
            argument="source",
        )
    names = sorted(means, key=lambda name: means[name])
    if groups is None:
        values = np.array([means[name] for name in names])
        alike = np.abs(values[:, np.newaxis] - values) < (critical or 0.0)
        places = groups_of(alike)
    else:
        places = [
            tuple(sorted(names.index(_check.choice(name, names, "groups")) for name in group))
            for group in groups
            if len(group) > 1
        ]
    axis = axis if label is None else label
    height = 0.165 * len(names) + (0.75 if critical else 0.5) + 0.12 * joined.count("\n")
    with drawing(ax, height) as axes:
        _draw_ranks(axes, [(name, means[name]) for name in names], critical)
        _draw_groups(axes, places)
        axes.set_xlabel(f"{axis}\n{joined}" if places else axis, parse_math=False)
    return axes


def _draw_ranks(ax: Any, means: Sequence[tuple[str, float]], critical: float | None) -> None:
    from matplotlib import rcParams

    ink = rcParams["text.color"]
    offset: dict[str, Any] = {"textcoords": "offset points", "color": SOFT}
    for y, (_, mean) in enumerate(means):
        ax.plot([1.0, mean], [y, y], color=GRID, linewidth=0.6, zorder=0)
        ax.plot(mean, y, "o", color=MARK, markersize=3.6)
        ax.annotate(f"{mean:.2f}", (mean, y), (4, 0), va="center_baseline", **offset)
    top = -0.7
    if critical:
        top = -2.3
        ax.plot([1.0, 1.0 + critical], [-1.0, -1.0], color=ink, linewidth=1.2)
        text = f"critical difference {critical:.2f}"
        ax.annotate(text, (1.0, -1.0), (0, 3), va="bottom", textcoords="offset points")
    last = max(len(means), math.ceil(means[-1][1]), 1.0 + (critical or 0.0))
    name_rows(ax, [name for name, _ in means])
    ax.locator_params(axis="x", integer=True, nbins=8)
    ax.set(xlim=(0.7, last + 0.3), ylim=(len(means) - 0.4, top))
    ticks = ax.get_xticks()
    step = ticks[1] - ticks[0]
    ax.set_xticks([1.0, *(tick for tick in ticks if 1.0 + step / 2.0 < tick <= last)])


def _draw_groups(ax: Any, groups: Sequence[tuple[int, ...]]) -> None:
    from matplotlib import rcParams
    from matplotlib.transforms import offset_copy

    ink = rcParams["text.color"]
    ends: list[int] = []  # the last row of each lane
    for group in sorted(groups):
        lane = next((k for k, end in enumerate(ends) if end < group[0]), len(ends))
        ends[lane : lane + 1] = [group[-1]]
        place = offset_copy(
            ax.get_yaxis_transform(), ax.figure, x=12.0 + 6.0 * lane, units="points"
        )
        look: dict[str, Any] = {"transform": place, "color": ink, "clip_on": False}
        ax.plot([1.0, 1.0], [group[0], group[-1]], linewidth=0.6, **look)
        for row in group:
            stop = row + (1.0 if row + 1 in group else 0.3)
            thick: dict[str, Any] = {"linewidth": 2.0, "solid_capstyle": "butt"}
            ax.plot([1.0, 1.0], [row - 0.3, stop], **thick, **look)


def matrix(
    source: Comparison | Ranking | Mapping[tuple[str, str], float] | ArrayLike,
    *,
    names: Sequence[str] | None = None,
    level: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw the p of all pairs as a triangle with the names on its diagonal, the best first.

    Darker is stronger evidence. Cells show p where they are wide enough for it, else stars.

    Parameters
    ----------
    source : Comparison, Ranking, mapping of pairs of str to float, or square array
        What holds the adjusted p of each pair. Of many learners the best 24 are drawn.
    names : sequence of str, optional
        With a mapping or an array: the learners from the best to the worst.
    level : float, optional
        Pairs with p at most 1 - `level` are significant; by default that of the source, or 0.95.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, there are no pairs, or p is not between 0 and 1.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.matrix({("forest", "tree"): 0.003, ("forest", "1-NN"): 0.21, ("1-NN", "tree"): 0.04})
    >>> len(ax.patches)
    3
    """
    if isinstance(source, (Comparison, Ranking)):
        if isinstance(source, Comparison) and source.bayesian:
            raise InvalidInputError(
                "has posterior probabilities and no p; use intervals(..., of='differences')",
                argument="source",
            )
        ranked = source.standing.ranking if isinstance(source, Comparison) else source.mean_ranks
        names = list(ranked) if names is None else names
        found = {(pair.a, pair.b): pair.adjusted for pair in source.pairs}
        level = source.level if level is None else level
    else:
        found = _pairs_of(source, names)
    names = list(dict.fromkeys(name for pair in found for name in pair)) if names is None else names
    if not found or len(names) < 2:
        raise InvalidInputError("must hold the p of one pair or more", argument="source")
    names = [str(name) for name in names]
    alpha = 1.0 - _check.level(0.95 if level is None else level)
    shown = names[:_MOST_DRAWN]
    place = {name: row for row, name in enumerate(shown)}
    cells = {}
    for (a, b), p in found.items():
        if a in place and b in place and not math.isnan(p):
            value = _check.between(p, 0.0, 1.0, f"p of {a} and {b}")
            cells[max(place[a], place[b]), min(place[a], place[b])] = value
    width = COLUMN * _POINTS - 6.0
    if ax is not None:
        width = ax.get_window_extent().width * _POINTS / ax.figure.dpi
    labels = shortened(shown)
    cell = _cell(labels, width)
    height = max(cell * len(shown), 64.0) / _POINTS
    with drawing(ax, height + 0.1) as axes:
        _draw_matrix(axes, labels, cells, alpha, cell, width)
    return axes


def _pairs_of(source: Any, names: Sequence[str] | None) -> dict[tuple[str, str], float]:
    if isinstance(source, Mapping):
        if all(isinstance(pair, tuple) and len(pair) == 2 for pair in source):
            return dict(source)
        raise InvalidInputError("must have pairs (a, b) of names as its keys", argument="source")
    table = np.asarray(source, dtype=float)
    if names is None or table.shape != (len(names), len(names)):
        raise InvalidInputError(
            "needs a square array with one row and column for each of `names`", argument="names"
        )
    return {(names[i], names[j]): float(table[i, j]) for i in range(len(names)) for j in range(i)}


def _cell(labels: Sequence[str], width: float) -> float:
    letter = 4.0
    room = [(width - letter * len(name)) / (row + 0.3) for row, name in enumerate(labels) if row]
    return max(7.5, min(30.0, *room))


def _draw_matrix(
    ax: Any,
    labels: Sequence[str],
    cells: Mapping[tuple[int, int], float],
    alpha: float,
    cell: float,
    width: float,
) -> None:
    from matplotlib import rcParams
    from matplotlib.patches import Patch, Rectangle

    ink = rcParams["text.color"]
    steps = [step for step in (alpha, 0.01, 0.001) if step <= alpha]
    shades = [_EVIDENCE[0], *_EVIDENCE[-len(set(steps)) :]]
    side = cell - 1.0
    for (row, column), p in cells.items():
        stars = sum(p <= step for step in sorted(set(steps)))
        ax.add_patch(
            Rectangle((column * cell, row * cell), side, side, facecolor=shades[stars], linewidth=0)
        )
        text = "*" * stars
        if cell >= 18.0:
            text = "<.001" if p < 0.001 else f"{min(p, 0.99):.{3 if p < 0.1 else 2}f}"[1:]
        color = "white" if shades[stars] == _EVIDENCE[3] else "#1a1f24"
        middle = (column * cell + side / 2.0, row * cell + side / 2.0)
        ax.text(*middle, text, ha="center", va="center", fontsize=6, color=color)
    for row, name in enumerate(labels):
        ax.text(
            row * cell + 2.0,
            row * cell + side / 2.0,
            name,
            va="center",
            parse_math=False,
            color=ink,
        )
    ax.set(xlim=(0.0, width), ylim=(max(cell * len(labels), 60.0), 0.0), aspect="equal")
    ax.axis("off")
    said = ["not significant"]
    said += [
        f"{'*' * (k + 1)} p ≤ {step:.6g}".replace("0.", ".")
        for k, step in enumerate(sorted(set(steps))[::-1])
    ]
    handles = [Patch(facecolor=shade, label=text) for shade, text in zip(shades, said, strict=True)]
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
