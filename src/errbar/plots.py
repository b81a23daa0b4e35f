"""Five pictures: intervals, curves, ranks, pairs and parameters of a search, drawn with matplotlib on axes of your own or on new ones."""

import builtins
import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import Data, Names
from errbar.boards import Board
from errbar.comparison import Comparison
from errbar.datasets import Ranking
from errbar.errors import InvalidInputError
from errbar.metrics import in_words
from errbar.planning import Study
from errbar.report import story_of
from errbar.report.story import Row, Table
from errbar.report.words import Digits, minus, percent
from errbar.result import Result
from errbar.tuning import Tuned

__all__ = [
    "STYLE",
    "curves",
    "intervals",
    "matrix",
    "ranks",
    "tuning",
]


COLUMN = 3.3
"""Inches: the width of a column of a paper."""

INK, SOFT, GRID = "#1a1f24", "#57606a", "#e3e8ec"
MARK, QUIET = "#0b5cad", "#818b96"

STYLE = Path(__file__).with_name("paper.mplstyle")
"""Settings of matplotlib under which a figure of our own is drawn; on the user's axes their own hold."""


@contextmanager
def drawing(ax: Any, height: float) -> Iterator[Any]:
    _check.package("matplotlib", "app")
    if ax is not None:
        yield ax
        return
    from matplotlib import style
    from matplotlib.figure import Figure

    make: Any = Figure
    if "matplotlib.pyplot" in sys.modules or hasattr(builtins, "__IPYTHON__"):
        import matplotlib.pyplot as plt

        make = plt.figure
    with style.context(STYLE):
        figure = make(figsize=(COLUMN, height), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03)
        yield figure.add_subplot()
        figure.draw_without_rendering()  # ticks take their look when they are first drawn


def name_rows(ax: Any, names: Names) -> None:
    ax.set_yticks(range(len(names)), shortened(names), parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def shortened(names: Names, longest: int = 28) -> Names:
    whole = [" ".join(str(name).split()) for name in names]
    half = longest // 2
    short = [
        name if len(name) <= longest else f"{name[: half - 1]}…{name[-half:]}" for name in whole
    ]
    if len(set(short)) < len(set(whole)):  # numbered, since whole ones would leave the axes no room
        short = [f"{row + 1}: {name}" for row, name in enumerate(short)]
    return short


# Estimates or differences, an interval a row: the tables of the first screen, drawn.

_MOST_CANDIDATES = 20
"""So many candidates of a search are drawn, the best first."""

_DECADES = 50.0
"""A parameter whose values are so many times apart has a logarithmic axis."""

_SPACE = "\u2007"  # as wide as a digit


def intervals(
    source: Comparison | Board | Ranking | Tuned | Mapping[str, Any],
    *,
    of: str = "estimates",
    ax: Any = None,
) -> Any:
    """Draw one interval a row, with its numbers at the right.

    Of a comparison, learners that are ruled out as best are grey, and thin ends account for the
    selection of the best. Differences are larger minus smaller, or minus the baseline; with more
    than five learners and no baseline each is drawn against the best so far. Hollow marks are not
    significant. Few rows far from all others are cut off, with an arrow.

    Parameters
    ----------
    source : Comparison, Board, Ranking, Tuned or mapping of str
        A mapping holds a `Result` or (estimate, low, high) for each name; of a board the intervals of the
        ranks are drawn. A ranking by Nemenyi's
        test is drawn as mean ranks with half the critical difference on either side.
    of : {"estimates", "differences"}, default "estimates"
        What of a comparison or a ranking to draw.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, or `source` has no such intervals.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.intervals({"tree": (0.31, 0.25, 0.37), "forest": (0.22, 0.18, 0.26)})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['tree', 'forest']
    """
    _check.choice(of, ("estimates", "differences"), "of")
    if isinstance(source, (Comparison, Board, Ranking, Tuned)):
        story = story_of(source)
        table = story.ranking if of == "estimates" else story.differences
        if table is not None and isinstance(source, Board):
            table = story.picture
        if table is not None and isinstance(source, Board | Tuned):
            table = replace(table, rows=table.rows[:_MOST_CANDIDATES])
    else:
        table = _given(source)
    if table is None:
        raise InvalidInputError(
            "there is one learner, which has no differences; leave out of='differences'",
            argument="of",
        )
    lines = [table.label]
    lines += [f"{table.sides[1]} →"] if table.sides else []
    if not all(row.strong for row in table.rows):
        lines.append(f"○ not {table.mark}" if table.tested else "grey: ruled out as best")
    lines += ["thin: selection accounted for"] if any(row.wide for row in table.rows) else []
    with drawing(ax, 0.36 + 0.165 * len(table.rows) + 0.12 * len(lines)) as axes:
        if table.sides:
            rope = getattr(source, "rope", None) or 0.0
            axes.axvspan(-rope, rope, color=GRID, linewidth=0, zorder=0)
            axes.axvline(0.0, color=SOFT, linewidth=0.6, zorder=1)
        _draw(axes, table)
        _write(axes, table)
        axes.set_xlabel("\n".join(lines))
    return axes


def _given(source: Any) -> Table:
    """Return the table of results, or of (estimate, low, high)."""
    if not isinstance(source, Mapping) or not source:
        raise InvalidInputError(
            "must be a comparison, a ranking, or a mapping of names to results or "
            "(estimate, low, high)",
            argument="source",
        )
    found, levels = [], set()
    for name, value in source.items():
        numbers, strong = value, True
        if isinstance(value, Result):
            numbers = (value.estimate, *value.interval)
            strong = not value.tested or value.pvalue <= 1.0 - value.level
            levels.add(f"{percent(value.level)} ")
        try:
            estimate, low, high = map(float, numbers)
        except (TypeError, ValueError):
            estimate = low = high = math.nan
        if not math.isfinite(estimate) or math.isnan(low) or math.isnan(high):
            raise InvalidInputError(
                f"needs (estimate, low, high) for {name!r}, got {_check.brief(value)}",
                argument="source",
            )
        found.append(Row(str(name), estimate, low, high, (), strong))
    # A quarter of an interval is about a standard error.
    errors = [(row.high - row.low) / 4.0 for row in found]
    digits = Digits.of_errors(errors, [row.estimate for row in found])
    rows = [
        replace(row, cells=(digits.number(row.estimate), digits.span(row.low, row.high)))
        for row in found
    ]
    level = levels.pop() if len(levels) == 1 else ""
    return Table(
        "", "", ("", "estimate", f"{level}interval"), rows, tested=True, mark="significant"
    )


def _draw(ax: Any, table: Table) -> None:
    air = 0.03 * np.ptp(table.limits)
    low, high = table.limits[0] - air, table.limits[1] + air
    for y, row in enumerate(table.rows):
        color = MARK if row.strong else QUIET
        face = ax.get_facecolor() if table.tested and not row.strong else color
        look: Data = {"color": color, "solid_capstyle": "butt", "zorder": 2}
        if row.wide is not None:
            ax.plot(row.wide, [y, y], linewidth=0.6, **look)
        if row.drawn and row.low <= high and row.high >= low:
            ax.plot(np.clip([row.low, row.high], low, high), [y, y], linewidth=1.5, **look)
        if low <= row.estimate <= high:
            ax.plot(row.estimate, y, "o", color=color, markersize=3.6, mfc=face, zorder=3)
        for beyond, end, mark in ((row.low < low, low, "<"), (row.high > high, high, ">")):
            if beyond:
                ax.plot(end, y, mark, color=color, markersize=3.4, clip_on=False, zorder=3)
    names = shortened([row.name for row in table.rows])
    name_rows(ax, names)
    ax.grid(axis="x")
    ax.locator_params(axis="x", nbins=4 if max(map(len, names)) <= 18 else 2)
    ax.set(xlim=(low, high), ylim=(len(names) - 0.4, -0.7))


def _write(ax: Any, table: Table) -> None:
    """Write estimates and intervals at the right, in columns of digits of one width."""
    cells = [("", table.heads[2]), *(row.cells[:2] for row in table.rows)]
    first, second = (max(map(len, column)) for column in zip(*cells[1:], strict=True))
    for y, (estimate, ends) in enumerate(cells, -1):
        text = f"{minus(estimate).rjust(first, _SPACE)}\u2002{minus(ends).rjust(second, _SPACE)}"
        quiet = y < 0 or not (table.tested or table.rows[y].strong)
        ax.annotate(
            text,
            (1.0, y),
            (6, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center_baseline",
            annotation_clip=False,
            color=SOFT if quiet else None,
        )


# Estimates or power against a setting.

# Lines differ in colour, dash and marker; no two of the first twelve are alike in all three.
_COLORS = ("#0b5cad", "#b8550a", "#3f4a54", "#0a7a55")
_DASHES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "P")

_MOST_MARKED = 12
"""Lines of so many points have markers, and ticks where the points are."""
_SHORT_NAME = 12
"""Letters of names that leave room for the axes at their left."""


def tuning(source: Tuned, parameter: str, *, ax: Any = None) -> Any:
    """Draw the curve of a parameter of a search: the best candidate at each of its values, with a band.

    The band is the interval of each candidate alone; the filled mark is the selected one, with its
    interval that accounts for the selection.

    Parameters
    ----------
    source : Tuned
        What `errbar.tune` has found.
    parameter : str
        Name of a parameter, such as ``"C"``; the step of a pipeline in front can be left out.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure as wide as a column of a paper.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    MissingPackageError, InvalidInputError
        If matplotlib is not installed, or no such parameter was searched.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 25, 75]})
    >>> found = errbar.tune(search, *load_iris(return_X_y=True))
    >>> errbar.plots.tuning(found, "n_neighbors").get_xlabel()
    'n_neighbors'
    """
    known = source.curves()
    names = {name: name for name in known} | {name.rpartition("__")[2]: name for name in known}
    name = names[_check.choice(parameter, names, "parameter")]
    values = known[name]
    results = [source.candidates[one] for one in values.values()]
    given = [source.parameters[one][name] for one in values.values()]
    numbers = all(isinstance(one, (int, float, np.number)) and one == one for one in given)
    at = np.array(given, dtype=float) if numbers else np.arange(len(given))
    with drawing(ax, 2.2) as own:
        if numbers and at.min() > 0.0 and at.max() > _DECADES * at.min():
            own.set_xscale("log")
        elif not numbers:
            own.set_xticks(at, shortened(list(values)), parse_math=False)
        low, high = np.array([one.interval for one in results]).T
        own.fill_between(at, low, high, color=MARK, alpha=0.12, linewidth=0)
        own.plot(
            at, [one.estimate for one in results], color=MARK, marker="o", markerfacecolor="white"
        )
        if source.winner in values.values():
            place = at[list(values.values()).index(source.winner)]
            own.vlines(place, *source.interval, color=INK, linewidth=0.8)
            own.plot(place, source.plain.estimate, color=MARK, marker="o")
        own.set_xlabel(name.rpartition("__")[2])
        own.set_ylabel(in_words(source.table.loss.key))
        return own


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
        _curve(axes, series)
        if isinstance(source, Study):
            axes.axhline(source.wanted, color=SOFT, linewidth=0.6, zorder=1)
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
        if beside:
            place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        # The legend is read from above, as the lines end.
        ends = [-rows[-1, 1] for rows in series.values()]
        drawn, _ = axes.get_legend_handles_labels()
        handles = [drawn[place] for place in np.argsort(ends, kind="stable")]
        legend = axes.legend(handles=handles, handlelength=2.6, **place)
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


def _curve(ax: Any, series: Any) -> None:
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
    ax.grid(axis="y")


# Which learners differ: mean ranks over data sets, and all pairs of a comparison.

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
            title="p of the pair, adjusted;\ncolumn better than row",
            title_fontsize=6.5,
            alignment="left",
        )
    return axes
