"""The tables of estimates and differences: each column states what it holds in one place."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from errbar._pairs import Decision
from errbar.report import numbers, standing, words
from errbar.report.cells import NONE, Cell, bounds, number, percent, sentence
from errbar.report.numbers import Scale
from errbar.report.parts import ReportColumn, Section, Table
from errbar.report.verdicts import Sides, probability
from errbar.report.words import Wording, clean, heading
from errbar.result import Result

if TYPE_CHECKING:
    from errbar.commonest import Commonest


def interval(scale: Scale, result: Result | None) -> Cell:
    """Return the interval of a result, if there is one."""
    return (
        NONE
        if result is None or result.degenerate
        else bounds(result.low, result.high, scale, result.estimate)
    )


def estimates_of(wording: Wording) -> Section:
    """Return the table of the estimates of all learners."""
    comparison, scale = wording.comparison, wording.learner_scale
    names, results = (
        wording.comparison.listed_learners,
        [comparison.learners[name] for name in wording.comparison.listed_learners],
    )
    direction = comparison.table.loss.direction
    columns = [
        ReportColumn(sentence("Learner"), [sentence(clean(name)) for name in names], "name"),
        ReportColumn(
            sentence(heading(wording.measure)), [number(found.estimate, scale) for found in results]
        ),
        ReportColumn(
            sentence("Standard error"),
            [number(found.se, scale) for found in results],
            spare=4 if comparison.large else 1,
        ),
        ReportColumn(
            sentence(wording.confidence, " interval"), [interval(scale, found) for found in results]
        ),
    ]
    if any(comparison.naive.values()) and not comparison.large:
        head = sentence("Naive ", wording.confidence, " interval")
        columns.append(
            ReportColumn(
                head, [interval(scale, comparison.naive.get(name)) for name in names], spare=2
            )
        )
    if comparison.possible_best:
        columns.append(standing.possible_best(wording))
    n_train = comparison.reference.n_train
    size = "" if math.isnan(n_train) else f" at training size {numbers.size(n_train)}"
    remark = (
        "Overlap of these intervals does not tell whether two learners differ; the differences do."
    )
    if comparison.best is not None:
        low, high = comparison.best.risk
        remark += (
            f" Each is for a learner named beforehand. {clean(comparison.best.winner)} was selected for its best estimate; with that accounted "
            f"for, its interval is {bounds(low, high, scale, comparison.learners[comparison.best.winner].estimate)}."
        )
    caption = f"{heading(wording.measure)}{size} ({direction})"
    if comparison.large:
        columns[1:1], columns[len(columns) :] = (
            [standing.ranks(len(names), spare=1)],
            standing.columns(wording),
        )
        remark = f"{standing.remark(wording)} {remark}"
    table = Table("estimates", caption, tuple(columns), remark if comparison.pairs else "")
    ranked = len(names) > 2 and comparison.standing.ranking == names
    title = "Ranking" if ranked else "Estimates"
    constant = () if comparison.commonest is None else (_commonest(wording, comparison.commonest),)
    return Section("estimates", title, (table,), constant)


def _commonest(wording: Wording, found: "Commonest") -> Cell:
    """Return a sentence on what a constant prediction gets."""
    share = percent(round(found.share, 3) if found.share < 0.9995 else found.share)
    which = "the shares of the classes" if found.shares else "the commonest class"
    name = clean(f"'{found.label}'")
    about = f", of which {name} has " if found.shares else f", {name} ("
    end = "," if found.shares else " of the examples),"
    value = "an undefined " if found.number is None else ""
    gets: tuple[str | Cell, ...] = (wording.measure,)
    if found.number is not None:
        gets = (wording.measure, " ", number(found.number, wording.learner_scale))
    return sentence(f"Always predicting {which}{about}", share, f"{end} gets {value}", *gets, ".")


def differences_of(wording: Wording) -> Section:
    """Return the table of the differences of a comparison with pairs."""
    comparison = wording.comparison
    quantity = comparison.quantity
    caption = wording.differences if quantity else f"{wording.differences}, first minus second"
    title = "Pairs" if quantity else "Differences"
    if comparison.large:
        title, found = f"Established {title.lower()}", len(comparison.standing.established)
        listed = (
            f"the {len(wording.comparison.listed)} largest of "
            if found > len(wording.comparison.listed)
            else "all "
        )
        caption += f": {listed}{found} that are established"
    table = Table(
        "differences", caption, tuple(_difference_columns(wording)), _difference_remark(wording)
    )
    aside = () if comparison.joint is None else (_each_alone(wording),)
    return Section("differences", title, (table,), aside=aside)


def _each_alone(wording: Wording) -> Table:
    """Return the intervals of single pairs, where those shown are simultaneous."""
    results = [found.pair.result for found in wording.comparison.listed]
    columns = (
        wording.pair_names,
        ReportColumn(
            sentence("Estimate"), [number(found.estimate, wording.scale) for found in results]
        ),
        ReportColumn(
            sentence("Plain ", wording.confidence, " interval"),
            [interval(wording.scale, found) for found in results],
        ),
        ReportColumn(
            sentence("p"),
            [NONE if found.degenerate else wording.pvalue(found.pvalue) for found in results],
        ),
    )
    remark = "Each is for its pair alone, as if no other had been looked at."
    return Table("plain", "Each pair alone", columns, remark)


def _difference_columns(wording: Wording) -> Iterable[ReportColumn]:
    """Yield the columns of differences, in their order; a new one is one more entry."""
    scale, pairs = wording.scale, [found.pair for found in wording.comparison.listed]
    results = [wording.comparison.shown(pair) for pair in pairs]
    yield wording.pair_names
    if not wording.comparison.quantity:
        better = [_better(wording, found) for found in wording.comparison.listed]
        only_if = f" if {wording.for_better}" if wording.if_better else ""
        yield ReportColumn(sentence(f"Better{only_if}"), better, "words", spare=2)
    yield ReportColumn(sentence("Estimate"), [number(found.estimate, scale) for found in results])
    yield ReportColumn(
        sentence("Standard error"), [number(found.se, scale) for found in results], spare=5
    )
    together = "Simultaneous " if wording.comparison.joint is not None else ""
    head = sentence(together, wording.confidence, " interval")
    yield ReportColumn(head, [interval(scale, found) for found in results])
    if wording.naive:
        head = sentence("Naive ", wording.confidence, " interval")
        yield ReportColumn(head, [interval(scale, pair.naive) for pair in pairs], spare=6)
    if not wording.bayesian:
        yield from _test_columns(wording)
        return
    for region, words_of in _regions(wording, results[0]).items():
        yield ReportColumn(
            sentence(words_of), [probability(found.posterior[region]) for found in results]
        )


def _regions(wording: Wording, result: Result) -> dict[str, str]:
    """Return the regions of a posterior with the head of their column; a region without width is left out."""
    below, above = (
        ("second", "first") if wording.comparison.higher_is_better else ("first", "second")
    )
    heads = {
        "left": f"P({below} better)",
        "rope": "P(practically equal)",
        "right": f"P({above} better)",
    }
    return {
        region: heads[region] for region in result.posterior if region != "rope" or wording.rope
    }


def _better(wording: Wording, found: Decision) -> Cell:
    """Name the learner that is established to be better."""
    if found.significant:
        return sentence(Sides.of(wording, found.pair).better, strong=True)
    open_ = "not told apart" if wording.comparison.alternative == "two-sided" else "not established"
    return sentence("practically equal" if found.equivalent else open_)


def _test_columns(wording: Wording) -> Iterable[ReportColumn]:
    adjusts, decisions = wording.comparison.adjusts, wording.comparison.listed

    def p(found: Decision, value: float | None, *, strong: bool = False) -> Cell:
        return NONE if value is None or found.degenerate else wording.pvalue(value, strong=strong)

    def equivalence(found: Decision) -> Cell:
        test = found.pair.equivalence
        return NONE if test is None else p(found, test.adjusted, strong=test.shown)

    if (
        adjusts and wording.comparison.joint is None
    ):  # otherwise they stand beside the plain intervals
        yield ReportColumn(
            sentence("p"), [p(found, found.pair.result.pvalue) for found in decisions], spare=4
        )
    cells = [p(found, found.pair.adjusted, strong=found.significant) for found in decisions]
    yield ReportColumn(sentence("Adjusted p" if adjusts else "p"), cells)
    if wording.naive:
        head = sentence("Naive adjusted p" if adjusts else "Naive p")
        yield ReportColumn(head, [p(found, found.naive) for found in decisions], spare=3)
    if any(found.pair.equivalence for found in decisions):
        head = sentence("Adjusted TOST p" if adjusts else "TOST p")
        yield ReportColumn(head, [equivalence(found) for found in decisions], spare=2)


def _difference_remark(wording: Wording) -> str:
    comparison = wording.comparison
    better = "second" if comparison.higher_is_better else "first"
    parts = [] if comparison.quantity else [f"Below 0 the {better} is better."]
    if wording.bayesian:
        return " ".join([*parts, *_of_posteriors(wording)])
    if any(pair.equivalence for pair in comparison.pairs):
        parts.append("TOST: two one-sided tests of practical equivalence.")
    if any(found.significant for found in comparison.decisions):
        parts.append(f"* significant at the {wording.level} level.")
    if comparison.adjusts:
        parts.append(
            f"P-values are adjusted over {words.counted(len(comparison.pairs), 'pair')} "
            f"({words.adjustment_words(comparison.adjust)})"
            + ("." if comparison.joint is not None else "; intervals are for one pair at a time.")
        )
    if comparison.joint is not None:
        agree = (
            ""
            if comparison.adjust == "max-t"
            else "; p-values that agree with them are those of adjust='max-t'"
        )
        parts.append(f"The intervals are simultaneous (single-step max-t){agree}.")
    return " ".join(parts)


def _of_posteriors(wording: Wording) -> Iterable[str]:
    """Yield how to read probabilities and intervals of a Bayesian method."""
    rope = f" by more than {numbers.plain(wording.rope)}" if wording.rope else ""
    yield f"Probabilities are posterior: that the first or the second is better{rope}{', or neither' if rope else ''}."
    yield f"A learner is named as better from a probability of {wording.confidence} on."
    if len(wording.comparison.pairs) > 1:
        yield "Probabilities are for one pair at a time."
    if wording.comparison.joint is not None:
        yield "The credible intervals are simultaneous (single-step max-t)."
