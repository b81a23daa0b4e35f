"""What clusters do to the errors of a comparison, and what seeds and examples add to them, in sentences."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from errbar.comparison import FOUND
from errbar.report.cells import Cell, percent, sentence
from errbar.report.words import Wording, counted

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
