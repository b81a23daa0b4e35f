"""Which learners differ: mean ranks over data sets, and all pairs of a comparison."""

import math
from typing import Any

from errbar._plain import Data
from errbar.comparison import Comparison
from errbar.datasets import Ranking
from errbar.errors import InvalidInputError
from errbar.plots._axes import COLUMN, GRID, MARK, SOFT, drawing, name_rows, shortened
from errbar.report import story_of
from errbar.report.numbers import percent

_MOST_DRAWN = 24
_EVIDENCE = ("#f3f5f7", "#dbe9f8", "#7db3e6", "#0b4f94")
_POINTS = 72.0  # an inch has
_LETTER = 4.0
"""Points of a letter of a name."""


def ranks(source: Ranking, *, ax: Any = None) -> Any:
    """Draw mean ranks, a learner a row; bars at the right join those that do not differ significantly.

    A bar is thick in the rows of the learners that it joins, and thin in rows between them ([1]_).

    Parameters
    ----------
    source : Ranking
        What `errbar.datasets.ranks` returns.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, or it is no ranking.

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30, figure 1.

    Examples
    --------
    >>> from errbar import datasets, from_scores, plots
    >>> errors = {"tree": [0.31, 0.28, 0.4], "forest": [0.25, 0.21, 0.3], "1-NN": [0.3, 0.22, 0.5]}
    >>> ax = plots.ranks(datasets.ranks(from_scores(errors, kind="data-sets")))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['forest', '1-NN', 'tree']
    """
    if not isinstance(source, Ranking):
        raise InvalidInputError("must be a ranking of errbar.datasets.ranks", argument="source")
    names, means = list(source.mean_ranks), source.mean_ranks.values()
    count = len(names)
    groups, joined = source.cliques, "bars: not significantly different"
    if source.baseline is not None:
        near = [pair.a for pair in source.pairs if pair not in source.apart]
        groups = ((source.baseline, *near),) if near else ()
        joined = f"bar: not significantly different from {source.baseline}"
    lines = [f"mean rank over {source.n_data_sets} data sets (1 is best)"]
    if source.critical_difference:
        lines.append(f"critical difference {source.critical_difference:.2f}")
    lines += [joined] if groups else []
    with drawing(ax, 0.165 * count + 0.3 + 0.12 * len(lines)) as axes:
        for y, mean in enumerate(means):
            axes.plot([1.0, mean], [y, y], color=GRID, linewidth=0.6, zorder=0)
            axes.plot(mean, y, "o", color=MARK, markersize=3.6)
            look: Data = {"textcoords": "offset points", "color": SOFT, "va": "center_baseline"}
            axes.annotate(f"{mean:.2f}", (mean, y), (4, 0), **look)
        name_rows(axes, names)
        axes.set(xlim=(0.7, count + 0.3), ylim=(count - 0.4, -0.7))
        axes.set_xticks(range(1, count + 1, math.ceil(count / 12)))
        _draw_groups(axes, sorted(sorted(map(names.index, group)) for group in groups))
        axes.set_xlabel("\n".join(lines), parse_math=False)
    return axes


def _draw_groups(ax: Any, groups: Any) -> None:
    from matplotlib import rcParams
    from matplotlib.transforms import offset_copy

    for k, group in enumerate(groups):
        away = 12.0 + 6.0 * k
        beside = offset_copy(ax.get_yaxis_transform(), ax.figure, x=away, units="points")
        look: Data = {"transform": beside, "color": rcParams["text.color"]}
        look |= {"clip_on": False, "solid_capstyle": "butt"}
        ax.plot([1.0, 1.0], [group[0], group[-1]], linewidth=0.6, **look)
        for row in group:
            stop = row + (1.0 if row + 1 in group else 0.3)
            ax.plot([1.0, 1.0], [row - 0.3, stop], linewidth=2.0, **look)


def matrix(source: Comparison | Ranking, *, ax: Any = None) -> Any:
    """Draw the p of all pairs as a triangle with the names on its diagonal, the best first.

    Darker is stronger evidence. Cells show p where they are wide enough for it, else stars.

    Parameters
    ----------
    source : Comparison or Ranking
        What holds the adjusted p of each pair. Of many learners the best 24 are drawn.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, or there are no pairs of all learners.

    Examples
    --------
    >>> import errbar
    >>> scores = {"a": [0.3, 0.28, 0.35], "b": [0.25, 0.27, 0.26], "c": [0.2, 0.21, 0.23]}
    >>> table = errbar.from_scores(scores, n_train=90, n_test=10)
    >>> len(errbar.plots.matrix(errbar.compare_table(table)).patches)
    3
    """
    known = isinstance(source, (Comparison, Ranking))
    rows = story_of(source).triangle[:_MOST_DRAWN] if known else []
    if len(rows) < 2:
        raise InvalidInputError(
            "must be a comparison or a ranking of all pairs of learners, without a baseline",
            argument="source",
        )
    width = COLUMN * _POINTS - 6.0
    if ax is not None:
        width = ax.get_window_extent().width * _POINTS / ax.figure.dpi
    names = shortened([row["name"] for row in rows])
    # The last name stands to the right of its row of cells.
    cell = max(7.5, min(30.0, (width - _LETTER * max(map(len, names))) / (len(rows) - 0.7)))
    height = max(cell * len(rows), 64.0)
    with drawing(ax, height / _POINTS + 0.1) as axes:
        from matplotlib.patches import Patch, Rectangle

        axes.set(xlim=(0.0, width), ylim=(height, 0.0), aspect="equal")
        axes.axis("off")
        for y, (row, name) in enumerate(zip(rows, names, strict=True)):
            middle = (y + 0.5) * cell
            axes.text(y * cell + 2.0, middle, name, va="center", parse_math=False)
            for x, one in enumerate(row["cells"]):
                stars, side = one["stars"], cell - 1.0
                shape = Rectangle((x * cell, y * cell), side, side, linewidth=0)
                shape.set_facecolor(_EVIDENCE[stars])
                axes.add_patch(shape)
                axes.annotate(
                    one["p"] if side >= 17.0 else "*" * stars,
                    shape.get_center(),
                    ha="center",
                    va="center",
                    fontsize=6,
                    color="white" if stars == 3 else "#1a1f24",
                )
        said = [
            "*** p < .001",
            "** p < .01",
            f"* significant at {percent(1.0 - source.level)}",
            "not significant",
        ]
        shades = zip(_EVIDENCE[::-1], said, strict=True)
        axes.legend(
            handles=[Patch(facecolor=shade, label=text) for shade, text in shades],
            loc="upper right",
            borderaxespad=0.0,
            frameon=False,
            title="p of the pair, adjusted;\ncolumn better than row",
            title_fontsize=6.5,
            alignment="left",
        )
    return axes
