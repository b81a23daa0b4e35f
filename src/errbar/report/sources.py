"""What clusters do to the errors of a comparison, and what seeds and examples add to them: sentences and figures."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import errbar
from errbar.comparison import FOUND
from errbar.report.cells import Cell, percent, sentence
from errbar.report.parts import Figure, Section
from errbar.report.words import Wording, clean, counted

if TYPE_CHECKING:
    from errbar._error_parts import Across


def sources_of(wording: Wording) -> Iterable[Cell]:
    """Yield sentences on where the errors come from, for methods that tell.

    Parameters
    ----------
    wording : Wording
        A comparison.

    Yields
    ------
    Cell
        On the effect of the clusters, or on the shares of seeds and examples and on what more of them would do.
    """
    found = wording.comparison.widening
    if found is not None:
        groups = counted(wording.groups_tested, "group")
        yield sentence(
            f"The examples come in {groups}: {_errors(wording)} {found.median:.2f} times as large as for independent examples"
            f"{_range(wording, found)}."
        )
    yield from _seeds_and_examples(wording)


def detectable_of(wording: Wording, found: "Across") -> Iterable[Cell]:
    """Say what such a study finds, where it has not found everything."""
    comparison = wording.comparison
    if all(decision.significant for decision in comparison.decisions):
        return
    scale, several = wording.scale, len(comparison.pairs) > 1
    over = (
        f" ({scale.number(found.low)} to {scale.number(found.high)} over {len(comparison.pairs)} pairs)"
        if several
        else ""
    )
    yield sentence(
        f"If {'these standard errors are' if several else 'this standard error is'} right, a true difference of "
        f"{scale.number(found.median)}{over} is found at the ",
        wording.level,
        " level in ",
        percent(FOUND),
        f" of such studies{', where its pair alone is tested' if several else ''}.",
    )


def _seeds_and_examples(wording: Wording) -> Iterable[Cell]:
    found = wording.comparison.seeds_and_examples
    if found is None:
        return
    end = " (means over the pairs)" if len(wording.comparison.pairs) > 1 else ""
    parts = (
        _share(found.seed),
        " comes from seeds, ",
        _share(found.example),
        " from examples and ",
        _share(found.both),
    )
    yield sentence("Of the squared standard error ", *parts, f" from both together{end}.")
    units = "groups of examples" if wording.design.n_clusters else "examples"
    more = {"seeds": found.more_seeds, units: found.more_examples}
    better, worse = sorted(more, key=lambda name: -more[name])
    which = "standard errors" if len(wording.comparison.pairs) > 1 else "the standard error"
    end = f": more {better} help more" if round(more[better], 2) > round(more[worse], 2) else ""
    yield sentence(
        f"Twice as many {better} would make {which} ",
        _share(more[better]),
        f" smaller, twice as many {worse} ",
        _share(more[worse]),
        f"{end}.",
    )


def errors_of(wording: Wording) -> list[Section]:
    """Return where the errors come from, in figures, as a section; none where the method does not tell.

    Parameters
    ----------
    wording : Wording
        A comparison.

    Returns
    -------
    list of Section
        One, or none.
    """
    comparison = wording.comparison
    if comparison.widening is None and comparison.seeds_and_examples is None:
        return []
    return [Section("errors", "Where the errors come from", draw=partial(_figures, wording))]


def _figures(wording: Wording) -> Iterable[Figure]:
    yield from _parts(wording)
    yield from _clusters(wording)


def _parts(wording: Wording) -> Iterable[Figure]:
    comparison = wording.comparison
    chart = errbar.plots.components_of(comparison)
    rows = (
        f"{row.label}: {', '.join(f'{name} {100.0 * share:.0f} %' for name, share in row.shares)}"
        for row in chart.rows
    )
    caption = "Parts of the squared standard error of every difference and every learner."
    if comparison.widening is not None:
        caption += " Examples: what it would be if they were independent. Clusters: what is added because they are not."
    yield Figure("sources", caption, f"{'; '.join(rows)}.", chart)


def _clusters(wording: Wording) -> Iterable[Figure]:
    comparison = wording.comparison
    if comparison.widening is None or len(comparison.pairs) > 1 or comparison.quantity:
        return
    if not comparison.pairs and len(comparison.learners) > 1:
        return
    chart = errbar.plots.clusters_of(comparison)
    scale = wording.scale if comparison.pairs else wording.learner_scale
    low, high = (scale.number(float(end)) for end in (chart.means.min(), chart.means.max()))
    what = (
        f"difference {clean(comparison.pairs[0].a)} minus {clean(comparison.pairs[0].b)}"
        if comparison.pairs
        else "loss"
    )
    yield Figure(
        "clusters",
        f"The mean {what} in each group, with the overall estimate and its interval.",
        f"Means of {chart.means.size} groups from {low} to {high}, around {scale.number(chart.estimate)}.",
        chart,
    )


def _errors(wording: Wording) -> str:
    several = len(wording.comparison.pairs) > 1
    of = "the difference" if wording.comparison.pairs else "the estimate"
    return "standard errors of differences are" if several else f"the standard error of {of} is"


def _range(wording: Wording, found: "Across") -> str:
    count = len(wording.comparison.pairs)
    return f" ({found.low:.2f} to {found.high:.2f} over {count} pairs)" if count > 1 else ""


def _share(value: float) -> Cell:
    """Return a share in whole percent."""
    return percent(round(value, 2) + 0.0)
