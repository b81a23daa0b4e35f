"""Several comparisons in one report: what each is called, and whether they agree."""

from collections import Counter
from collections.abc import Iterable, Sequence

from errbar.comparison import ComparisonData
from errbar.errors import InvalidInputError
from errbar.report import words
from errbar.report.cells import NONE, percent, pvalue, sentence
from errbar.report.parts import ReportColumn, Section, Table

Comparisons = ComparisonData | Sequence[ComparisonData]


def listed(found: Comparisons) -> tuple[ComparisonData, ...]:
    """Return one or several comparisons as a tuple.

    Parameters
    ----------
    found : ComparisonData or sequence of Comparison
        What to report.

    Returns
    -------
    tuple of Comparison
        At least one.

    Raises
    ------
    InvalidInputError
        If there is none, or something else among them.
    """
    if isinstance(found, ComparisonData):
        return (found,)
    wanted = "`comparison` must be a Comparison, such as errbar.compare returns, or a sequence of them"
    if not isinstance(found, Iterable) or isinstance(found, str | bytes):
        raise InvalidInputError(f"{wanted}, got {found!r}")
    several = tuple(found)
    if not several:
        raise InvalidInputError(f"{wanted}, got an empty sequence")
    for one in several:
        if not isinstance(one, ComparisonData):
            raise InvalidInputError(f"{wanted}, got {one!r} among them")
    return several


def names_of(comparisons: Sequence[ComparisonData]) -> tuple[str, ...]:
    """Return a name for each comparison: its method, and as much more as it takes to tell them apart.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What to report.

    Returns
    -------
    tuple of str
        All different.
    """
    names = [one.method for one in comparisons]
    details = [(*_details(one), f" ({position})") for position, one in enumerate(comparisons, start=1)]
    for more in zip(*details, strict=True):
        twice = {name for name, times in Counter(names).items() if times > 1}
        names = [f"{name}{own}" if name in twice else name for name, own in zip(names, more, strict=True)]
    return tuple(names)


def _details(comparison: ComparisonData) -> tuple[str, ...]:
    """Return what tells comparisons by one method apart: options, measure, plan and baseline."""
    wording = words.Wording(comparison)
    return (
        words.clean("".join(f", {name} = {value}" for name, value in comparison.options.items())),
        f", {wording.measure}",
        f", {wording.plan_words}",
        "" if comparison.baseline is None else f", baseline {words.clean(comparison.baseline)}",
    )


def agreement_of(comparisons: Sequence[ComparisonData]) -> Section | None:
    """Return what the comparisons say about each pair, side by side.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What to report.

    Returns
    -------
    Section or None
        None where they do not speak of the same pairs.
    """
    couples = [tuple((pair.a, pair.b) for pair in one.pairs) for one in comparisons]
    if len(comparisons) < 2 or len(set(couples)) > 1 or not couples[0]:
        return None
    pairs = [sentence(f"{words.clean(pair.a)} and {words.clean(pair.b)}") for pair in comparisons[0].pairs]
    columns = [ReportColumn(sentence("Pair"), pairs, "name"), *map(_column, names_of(comparisons), comparisons)]
    remark = (
        "Several methods judge one set of numbers. The method to report is the one chosen before this table was seen."
    )
    if len({one.level for one in comparisons}) == 1 and any(
        found.significant for one in comparisons for found in one.decisions
    ):
        remark = f"* significant at the {percent(comparisons[0].alpha)} level. {remark}"
    table = Table("agreement", "P-value of each pair, by method", tuple(columns), remark)
    return Section("agreement", "Do the methods agree?", (table,))


def _column(name: str, comparison: ComparisonData) -> ReportColumn:
    """Return the column of the deciding p-values of one comparison."""
    cells = [
        NONE if found.degenerate else pvalue(found.pair.adjusted, comparison.alpha, strong=found.significant)
        for found in comparison.decisions
    ]
    return ReportColumn(sentence(f"{name}, {'adjusted p' if comparison.adjusts else 'p'}"), cells)
