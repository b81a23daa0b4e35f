"""Several comparisons in one report: what each is called, and whether they agree."""

from collections import Counter
from collections.abc import Iterable, Sequence

from errbar.comparison import ComparisonData, Decision
from errbar.errors import InvalidInputError
from errbar.report import numbers, words
from errbar.report.parts import Cell, Column, Section, Table
from errbar.report.words import Facts

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
    for more in (_options, _measure, _plan, _baseline):
        twice = {name for name, times in Counter(names).items() if times > 1}
        names = [f"{name}{more(one)}" if name in twice else name for name, one in zip(names, comparisons, strict=True)]
    twice = {name for name, times in Counter(names).items() if times > 1}
    return tuple(f"{name} ({position})" if name in twice else name for position, name in enumerate(names, start=1))


def _options(comparison: ComparisonData) -> str:
    return words.clean("".join(f", {name} = {value}" for name, value in comparison.options.items()))


def _measure(comparison: ComparisonData) -> str:
    return f", {words.measure(comparison.table.loss.key)}"


def _plan(comparison: ComparisonData) -> str:
    return f", {Facts(comparison).plan_words}"


def _baseline(comparison: ComparisonData) -> str:
    return "" if comparison.baseline is None else f", baseline {words.clean(comparison.baseline)}"


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
    facts = [Facts(one) for one in comparisons]
    columns = (
        Column("Pair", "left"),
        *(Column(f"{name}, {one.p_name}") for name, one in zip(names_of(comparisons), facts, strict=True)),
    )
    rows = tuple(
        _row(facts, [one.comparison.decisions[position] for one in facts]) for position in range(len(couples[0]))
    )
    remark = (
        "Several methods judge one set of numbers. The method to report is the one chosen before this table was seen."
    )
    levels = {one.comparison.level for one in facts}
    if len(levels) == 1 and any(verdict.significant for one in facts for verdict in one.comparison.decisions):
        remark = f"* significant at the {numbers.percent(facts[0].alpha)} level. {remark}"
    return Section(
        "agreement",
        "Do the methods agree?",
        (Table("agreement", "P-value of each pair, by method", columns, rows, remark),),
    )


def _row(facts: Sequence[Facts], verdicts: Sequence[Decision]) -> tuple[Cell, ...]:
    names = words.clean(verdicts[0].pair.a), words.clean(verdicts[0].pair.b)
    cells = [_cell(one, verdict) for one, verdict in zip(facts, verdicts, strict=True)]
    return (Cell(" and ".join(names), "name"), *cells)


def _cell(facts: Facts, verdict: Decision) -> Cell:
    if verdict.degenerate:
        return Cell("none")
    p = verdict.pair.adjusted
    text = numbers.pvalue(p, facts.alpha) + (" *" if verdict.significant else "")
    return Cell(text, strong=verdict.significant, value=p)
