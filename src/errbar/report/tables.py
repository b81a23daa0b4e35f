"""The tables of estimates and differences, with their figures: each column states what it holds in one place."""

import math
from collections.abc import Iterable
from dataclasses import replace

from errbar import plots
from errbar.comparison import Decision
from errbar.report import numbers, words
from errbar.report.cells import NONE, Cell, bounds, number, sentence
from errbar.report.numbers import Scale
from errbar.report.parts import Figure, ReportColumn, Section, Table
from errbar.report.words import Wording, clean, heading
from errbar.result import Result

_MOST_DRAWN_PAIRS = 45
_MOST_DRAWN_PATHS = 8
_PROBABILITIES = {"left": "below", "rope": "within", "right": "above"}


def interval(scale: Scale, result: Result | None) -> Cell:
    """Return the interval of a result, if there is one."""
    return NONE if result is None or result.degenerate else bounds(result.low, result.high, scale, result.estimate)


def estimates_of(wording: Wording) -> Section:
    """Return table and figures of the estimates of all learners."""
    comparison, scale = wording.comparison, wording.learner_scale
    naive, results = comparison.naive, comparison.learners
    direction = comparison.table.loss.direction
    columns: list[ReportColumn[str]] = [
        ReportColumn(sentence("Learner"), lambda name: sentence(clean(name)), "name"),
        ReportColumn(sentence(heading(wording.measure)), lambda name: number(results[name].estimate, scale)),
        ReportColumn(sentence("Standard error"), lambda name: number(results[name].se, scale), spare=1),
        ReportColumn(sentence(wording.confidence, " interval"), lambda name: interval(scale, results[name])),
    ]
    if any(naive.values()):
        head = sentence("Naive ", wording.confidence, " interval")
        columns.append(ReportColumn(head, lambda name: interval(scale, naive.get(name)), spare=2))
    n_train = comparison.reference.n_train
    size = "" if math.isnan(n_train) else f" at training size {numbers.size(n_train)}"
    remark = "Overlap of these intervals does not tell whether two learners differ; the differences do."
    table = Table.of(
        "estimates",
        f"{heading(wording.measure)}{size} ({direction})",
        columns,
        results,
        remark if comparison.pairs else "",
    )
    return Section("estimates", "Estimates", (table,), tuple(_estimate_figures(wording)))


def _estimate_figures(wording: Wording) -> Iterable[Figure]:
    comparison, scale = wording.comparison, wording.learner_scale
    axis = f"{wording.measure} ({comparison.table.loss.direction})"
    if len(comparison.learners) > 1 or not comparison.reference.degenerate:
        chart = replace(plots.estimates_of(comparison), axis=axis)
        rows = [(sentence(clean(name)), result) for name, result in comparison.learners.items()]
        yield Figure("estimates", "Estimates with their intervals.", _in_words(scale, rows), chart)
    paths = plots.paired_splits_of(comparison)
    splits, learners = paths.values.shape
    if splits > 1 and 1 < learners <= _MOST_DRAWN_PATHS:
        means = [scale.number(mean) for mean in paths.means]
        yield Figure(
            "splits",
            "Each line is one split: where lines run side by side, learners find the same splits hard, and their "
            "difference is known better than either.",
            f"One line for each of {splits} splits links the {wording.measure} of "
            f"{words.listed([clean(name) for name in paths.learners])}; their means are {words.listed(means)}.",
            replace(paths, axis=axis),
        )


def _in_words(scale: Scale, rows: Iterable[tuple[Cell, Result]]) -> str:
    """Say what a forest plot shows: each row with its estimate and interval."""
    said = [f"{head}: {scale.number(found.estimate)}, interval {interval(scale, found)}" for head, found in rows]
    return f"{'; '.join(said)}."


def differences_of(wording: Wording) -> Section:
    """Return table and figure of the differences of a comparison with pairs."""
    comparison = wording.comparison
    quantity = comparison.quantity
    caption = wording.differences if quantity else f"{wording.differences}, first minus second"
    columns = _difference_columns(wording)
    table = Table.of("differences", caption, columns, comparison.decisions, _difference_remark(wording))
    figures: tuple[Figure, ...] = ()
    if len(comparison.pairs) <= _MOST_DRAWN_PAIRS:
        chart = replace(plots.differences_of(comparison), axis=quantity or f"difference in {wording.measure}")
        end = ", and what the naive t would have said." if _has_naive(wording) else "."
        rows = [(wording.names_of(pair), pair.result) for pair in comparison.pairs]
        title = f"{'Estimates' if quantity else 'Differences'} with their intervals{end}"
        figures = (Figure("differences", title, _in_words(wording.scale, rows), chart),)
    return Section("differences", "Pairs" if quantity else "Differences", (table,), figures)


def _difference_columns(wording: Wording) -> Iterable[ReportColumn[Decision]]:
    """Yield the columns of differences, in their order; a new one is one more entry."""
    scale = wording.scale
    head = sentence("Pair" if wording.comparison.quantity else "Difference")
    yield ReportColumn(head, lambda found: wording.names_of(found.pair), "name")
    yield ReportColumn(sentence("Estimate"), lambda found: number(found.pair.result.estimate, scale))
    yield ReportColumn(sentence("Standard error"), lambda found: number(found.pair.result.se, scale), spare=5)
    yield ReportColumn(sentence(wording.confidence, " interval"), lambda found: interval(scale, found.pair.result))
    if _has_naive(wording):
        head = sentence("Naive ", wording.confidence, " interval")
        yield ReportColumn(head, lambda found: interval(scale, found.pair.naive), spare=6)
    yield from (_probability_column(region) for region in wording.comparison.pairs[0].result.posterior)
    yield from _test_columns(wording)


def _has_naive(wording: Wording) -> bool:
    return any(pair.naive for pair in wording.comparison.pairs)


def _probability_column(region: str) -> ReportColumn[Decision]:
    head = sentence(f"P({_PROBABILITIES.get(region, region)})")
    return ReportColumn(head, lambda found: number(found.pair.result.posterior[region], Scale(3)), spare=1)


def _test_columns(wording: Wording) -> Iterable[ReportColumn[Decision]]:
    adjusts = wording.comparison.adjusts

    def p(found: Decision, value: float | None, *, strong: bool = False) -> Cell:
        return NONE if value is None or found.degenerate else wording.pvalue(value, strong=strong)

    def equivalence(found: Decision) -> Cell:
        test = found.pair.equivalence
        return NONE if test is None else p(found, test.adjusted, strong=test.shown)

    if adjusts:
        yield ReportColumn(sentence("p"), lambda found: p(found, found.pair.result.pvalue), spare=4)
    yield ReportColumn(
        sentence("Adjusted p" if adjusts else "p"),
        lambda found: p(found, found.pair.adjusted, strong=found.significant),
    )
    if _has_naive(wording):
        head = sentence("Naive adjusted p" if adjusts else "Naive p")
        yield ReportColumn(head, lambda found: p(found, found.naive), spare=3)
    if any(pair.equivalence for pair in wording.comparison.pairs):
        yield ReportColumn(sentence("TOST p"), equivalence, spare=2)


def _difference_remark(wording: Wording) -> str:
    comparison = wording.comparison
    better = "second" if comparison.higher_is_better else "first"
    parts = [] if comparison.quantity else [f"Below 0 the {better} is better."]
    if any(pair.equivalence for pair in comparison.pairs):
        parts.append("TOST: two one-sided tests of practical equivalence.")
    if comparison.pairs[0].result.posterior:
        rope = comparison.rope or comparison.options.get("rope") or 0.0
        parts.append(f"Probabilities are those of a difference below, within and above ±{numbers.plain(rope)}.")
    if any(found.significant for found in comparison.decisions):
        parts.append(f"* significant at the {wording.level} level.")
    if comparison.adjusts:
        parts.append(
            f"P-values are adjusted over {words.counted(len(comparison.pairs), 'pair')} "
            f"({words.adjustment_words(comparison.adjust)}); intervals are for one pair at a time."
        )
    return " ".join(parts)
