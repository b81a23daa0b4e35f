"""Several comparisons in one report: what each is called, and whether they agree."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from errbar._pairs import Decision
from errbar.comparison import MOST_LISTED, ComparisonData
from errbar.errors import InvalidInputError
from errbar.report import words
from errbar.report.cells import NONE, Cell, percent, pvalue, sentence
from errbar.report.parts import ReportColumn, Section, Table
from errbar.report.verdicts import probabilities, probability

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
    wanted = "must be a Comparison, such as errbar.compare returns, or a sequence of them"
    if not isinstance(found, Iterable) or isinstance(found, str | bytes):
        raise InvalidInputError(f"{wanted}, got {found!r}", argument="comparison")
    several = tuple(found)
    if not several:
        raise InvalidInputError(f"{wanted}, got an empty sequence", argument="comparison")
    for one in several:
        if not isinstance(one, ComparisonData):
            raise InvalidInputError(f"{wanted}, got {one!r} among them", argument="comparison")
    return several


def names_of(comparisons: Sequence[ComparisonData]) -> tuple[str, ...]:
    """Return a name for each comparison: its loss or its method, whichever differs, and as much more as it takes to tell them apart.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What to report.

    Returns
    -------
    tuple of str
        All different.
    """
    names = [_name(one, comparisons) for one in comparisons]
    details = [
        (*_details(one), f" ({position})") for position, one in enumerate(comparisons, start=1)
    ]
    for more in zip(*details, strict=True):
        twice = {name for name, times in Counter(names).items() if times > 1}
        names = [
            f"{name}{own}" if name in twice else name for name, own in zip(names, more, strict=True)
        ]
    return tuple(names)


def _name(comparison: ComparisonData, comparisons: Sequence[ComparisonData]) -> str:
    measure, method = words.heading(words.Wording(comparison).measure), comparison.method
    if len(losses_of(comparisons)) == 1:
        return method
    return measure if len({one.method for one in comparisons}) == 1 else f"{measure}, {method}"


def _details(comparison: ComparisonData) -> tuple[str, ...]:
    """Return what tells comparisons of one loss by one method apart: options, plan and baseline."""
    wording = words.Wording(comparison)
    return (
        words.clean("".join(f", {name} = {value}" for name, value in comparison.options.items())),
        f", {wording.plan_words}",
        "" if comparison.baseline is None else f", baseline {words.clean(comparison.baseline)}",
    )


def losses_of(comparisons: Sequence[ComparisonData]) -> tuple[str, ...]:
    """Return the keys of the losses, each once."""
    return tuple(dict.fromkeys(one.table.loss.key for one in comparisons))


def kind_of(comparisons: Sequence[ComparisonData]) -> str:
    """Return what tells several comparisons apart, as a heading."""
    if len(losses_of(comparisons)) == 1:
        return "Methods"
    return "Losses" if len({one.method for one in comparisons}) == 1 else "Losses and methods"


def remarks_of(comparisons: Sequence[ComparisonData]) -> tuple[str, ...]:
    """Return what must be said of several losses: that their tests are not adjusted for there being several."""
    count = len(losses_of(comparisons))
    if count == 1 or not any(one.pairs for one in comparisons):
        return ()
    within = (
        "are adjusted within each loss, but not"
        if any(one.adjusts for one in comparisons)
        else "are not adjusted"
    )
    return (f"There are {count} losses here: p-values {within} for there being several of them.",)


def agreements_of(comparisons: Sequence[ComparisonData]) -> tuple[Section, ...]:
    """Return for each loss that several methods judge what they say about each pair, side by side.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What to report.

    Returns
    -------
    tuple of Section
        None for comparisons that do not speak of the same pairs; losses are never compared with each other.
    """
    losses, found = losses_of(comparisons), []
    for position, loss in enumerate(losses, start=1):
        section = agreement_of([one for one in comparisons if one.table.loss.key == loss])
        if section is not None and len(losses) > 1:
            key, [*tables] = f"{section.key}-{position}", section.tables
            section = replace(
                section,
                key=key,
                title=f"Do the methods agree on {words.measure(loss)}?",
                tables=tuple(replace(table, key=key) for table in tables),
            )
        found += [] if section is None else [section]
    return tuple(found)


def agreement_of(comparisons: Sequence[ComparisonData]) -> Section | None:
    """Return what comparisons of one loss say about each pair, side by side.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Of one loss.

    Returns
    -------
    Section or None
        None where they do not speak of the same pairs.
    """
    couples = [tuple((pair.a, pair.b) for pair in one.pairs) for one in comparisons]
    if len(comparisons) < 2 or len(set(couples)) > 1 or not couples[0]:
        return None
    shown, said = _shown(comparisons) if comparisons[0].large else (range(len(couples[0])), ())
    pairs = [
        sentence(f"{words.clean(couples[0][place][0])} and {words.clean(couples[0][place][1])}")
        for place in shown
    ]
    columns = [ReportColumn(sentence("Pair"), pairs, "name")]
    columns += [
        _column(name, one, shown)
        for name, one in zip(names_of(comparisons), comparisons, strict=True)
    ]
    remark = "Several methods judge one set of numbers. The method to report is the one chosen before this table was seen."
    if len({one.level for one in comparisons}) == 1 and any(
        found.significant for one in comparisons for found in one.decisions
    ):
        or_sure = (
            f", or at least {percent(comparisons[0].level)} sure"
            if any(one.bayesian for one in comparisons)
            else ""
        )
        remark = f"* significant at the {percent(comparisons[0].alpha)} level{or_sure}. {remark}"
    what = (
        "Posterior probability or p-value"
        if any(one.bayesian for one in comparisons)
        else "P-value"
    )
    table = Table("agreement", f"{what} of each pair, by method", tuple(columns), remark)
    return Section("agreement", "Do the methods agree?", (table,) if shown else (), remarks=said)


def _shown(comparisons: Sequence[ComparisonData]) -> tuple[list[int], tuple[Cell, ...]]:
    """Return the largest differences on which large comparisons disagree, by position, and how many there are."""
    decisions = list(zip(*(one.decisions for one in comparisons), strict=True))
    parted = [
        place
        for place, row in enumerate(decisions)
        if len({found.significant for found in row}) > 1
    ]
    parted.sort(key=lambda place: -abs(decisions[place][0].pair.gap))
    listed = parted[:MOST_LISTED]
    some = f" The {len(listed)} largest differences on which they do not:" if listed else ""
    return listed, (
        sentence(f"They agree on {len(decisions) - len(parted)} of {len(decisions)} pairs.{some}"),
    )


def _column(name: str, comparison: ComparisonData, shown: Sequence[int]) -> ReportColumn:
    """Return the column of the deciding p-values, or posterior probabilities, of one comparison."""

    def cell(found: Decision) -> Cell:
        if found.degenerate:
            return NONE
        if not comparison.bayesian:
            return pvalue(found.pair.adjusted, comparison.alpha, strong=found.significant)
        better, _, worse = probabilities(words.Wording(comparison), found.pair)
        sure = max(better, worse)
        return sentence(
            probability(sure),
            " *" if found.significant else "",
            value=sure,
            strong=found.significant,
        )

    cells = [cell(comparison.decisions[place]) for place in shown]
    what = "P(better)" if comparison.bayesian else "adjusted p" if comparison.adjusts else "p"
    return ReportColumn(sentence(f"{name}, {what}"), cells)
