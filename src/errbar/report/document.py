"""What a report says, in plain data and before it looks like anything. Renderers need nothing else."""

import math
from collections.abc import Iterable
from dataclasses import replace

from errbar import plots
from errbar._check import FloatArray
from errbar._references import REFERENCES
from errbar.comparison import ComparisonData, Decision
from errbar.methods import Method
from errbar.report import numbers, words
from errbar.report.calls import call_of
from errbar.report.certainty import certainty_of
from errbar.report.numbers import Scale
from errbar.report.parts import Cell, Column, Document, Fact, Figure, Section, Table
from errbar.report.words import Facts
from errbar.result import Note, Result

_MOST_DRAWN_PAIRS = 45
_MOST_DRAWN_PATHS = 8
__all__ = ["Cell", "Column", "Document", "Fact", "Figure", "Section", "Table", "build", "differences_of"]

_LABELS = {
    "random_state": "Seed",
    "data": "Digest of the data",
    "splits": "Digest of the splits",
    "examples": "Examples",
    "python": "Python",
}


def build(comparison: ComparisonData, *, command: str | None = None) -> Document:
    """Turn a comparison into a document.

    Parameters
    ----------
    comparison : Comparison
        Estimates and adjusted differences.
    command : str, optional
        The command that made the comparison; by default the call that makes it.

    Returns
    -------
    Document
        Everything that a report says, rounded and in order.
    """
    facts = Facts(comparison)
    sections = [_estimates(facts)]
    if comparison.pairs:
        sections.insert(0, differences_of(facts))
    return Document(
        title=_title(facts),
        subtitle=f"{words.heading(facts.measure)} ({facts.table.loss.direction}), {facts.plan_words}, {comparison.method}",
        conclusion=tuple(words.conclude(comparison)),
        sections=tuple(sections),
        estimated=f"{words.heading(comparison.reference.estimand.words)}, {_training_size(comparison.reference)}.",
        assumptions=tuple(dict.fromkeys(text for spec in comparison.methods for text in spec.assumptions)),
        certainty=certainty_of(facts) if comparison.pairs else None,
        notes=tuple(Note(note.code, words.clean(note.text)) for note in comparison.notes),
        computed=tuple(_computed(facts)),
        references=tuple(dict.fromkeys(str(REFERENCES[key]) for spec in comparison.methods for key in spec.references)),
        call=words.clean(command) if command else call_of(comparison),
        reproduction=tuple(_reproduction(facts, called=not command)),
    )


def _title(facts: Facts) -> str:
    names = [words.clean(name) for name in facts.comparison.learners]
    if len(names) == 1:
        return f"{words.heading(facts.measure)} of {names[0]}"
    return f"Comparison of {words.listed(names) if len(names) <= 4 else words.counted(len(names), 'learner')}"


def _estimates(facts: Facts) -> Section:
    comparison = facts.comparison
    scale = Scale.of(comparison.learners.values())
    level = numbers.percent(comparison.level)
    naive = any(comparison.naive.values())
    rows = tuple(_estimate_row(facts, scale, name, naive=naive) for name in comparison.learners)
    columns = [
        Column("Learner", "left"),
        Column(words.heading(facts.measure)),
        Column("Standard error"),
        Column(f"{level} interval"),
    ]
    columns += [Column(f"Naive {level} interval", optional=True)] if naive else []
    table = Table(
        "estimates",
        f"{words.heading(facts.measure)}{_at_size(comparison.reference)} ({facts.table.loss.direction})",
        tuple(columns),
        rows,
        "Overlap of these intervals does not tell whether two learners differ; the differences do."
        if comparison.pairs
        else "",
    )
    return Section("estimates", "Estimates", (table,), tuple(_estimate_figures(facts, table)))


def _at_size(result: Result) -> str:
    return "" if math.isnan(result.n_train) else f" at training size {numbers.size(result.n_train)}"


def _estimate_row(facts: Facts, scale: Scale, name: str, *, naive: bool) -> tuple[Cell, ...]:
    result = facts.comparison.learners[name]
    cells = [Cell(words.clean(name), "name"), *_numbers(scale, result)]
    return (*cells, _interval(scale, facts.comparison.naive.get(name))) if naive else tuple(cells)


def _numbers(scale: Scale, result: Result) -> tuple[Cell, Cell, Cell]:
    return (
        Cell(scale.number(result.estimate), value=result.estimate),
        Cell(scale.number(result.se), value=result.se),
        _interval(scale, result),
    )


def _interval(scale: Scale, result: Result | None) -> Cell:
    if result is None or result.degenerate:
        return Cell("none")
    return Cell(scale.interval(result.low, result.high), value=result.estimate)


def _estimate_figures(facts: Facts, table: Table) -> Iterable[Figure]:
    comparison = facts.comparison
    axis = f"{facts.measure} ({facts.table.loss.direction})"
    if len(comparison.learners) > 1 or not comparison.reference.degenerate:
        chart = replace(plots.estimates_of(comparison), axis=axis)
        yield Figure("estimates", "Estimates with their intervals.", _alternative_text(table), chart)
    paths = plots.paired_splits_of(comparison)
    splits, learners = paths.values.shape
    if splits > 1 and 1 < learners <= _MOST_DRAWN_PATHS:
        yield Figure(
            "splits",
            "Each line is one split: where lines run side by side, learners find the same splits hard, and their "
            "difference is known better than either.",
            f"One line for each of {splits} splits links the {facts.measure} of "
            f"{words.listed([words.clean(name) for name in paths.learners])}; their means are "
            f"{words.listed([Scale.of(comparison.learners.values()).number(mean) for mean in paths.means])}.",
            replace(paths, axis=axis),
        )


def _alternative_text(table: Table) -> str:
    """Say what a forest plot shows: each row with its estimate and interval."""
    place = [column.header.endswith("interval") for column in table.columns].index(True)
    rows = [f"{row[0].text}: {row[1].text}, interval {row[place].text}" for row in table.rows]
    return f"{'; '.join(rows)}."


def differences_of(facts: Facts) -> Section:
    """Return table and figure of the differences of a comparison with pairs."""
    comparison = facts.comparison
    level = numbers.percent(comparison.level)
    naive = any(pair.naive for pair in comparison.pairs)
    columns = [
        Column("Pair" if facts.quantity else "Difference", "left"),
        Column("Estimate"),
        Column("Standard error", optional=True),
        Column(f"{level} interval"),
    ]
    columns += [Column(f"Naive {level} interval", optional=True)] if naive else []
    columns += [Column(head) for head in _posterior_heads(facts)]
    columns += [Column("p", optional=facts.adjusted)] + ([Column("Adjusted p")] if facts.adjusted else [])
    crowded = bool(_posterior_heads(facts))
    columns += [Column("Naive adjusted p" if facts.adjusted else "Naive p", optional=crowded)] if naive else []
    columns += [Column("TOST p")] if facts.equivalence else []
    table = Table(
        "differences",
        _difference_caption(facts),
        tuple(columns),
        tuple(_difference_row(facts, verdict, naive=naive) for verdict in facts.comparison.decisions),
        _difference_remark(facts),
    )
    figures: tuple[Figure, ...] = ()
    if len(comparison.pairs) <= _MOST_DRAWN_PAIRS:
        axis = facts.quantity or f"difference in {facts.measure}"
        chart = replace(plots.differences_of(comparison), axis=axis)
        caption = f"{'Estimates' if facts.quantity else 'Differences'} with their intervals"
        caption += ", and what the naive t would have said." if naive else "."
        figures = (Figure("differences", caption, _alternative_text(table), chart),)
    return Section("differences", "Pairs" if facts.quantity else "Differences", (table,), figures)


def _difference_caption(facts: Facts) -> str:
    if facts.quantity:
        return f"{words.heading(facts.quantity)}, by {facts.measure}"
    return f"Differences in {facts.measure}, first minus second"


def _posterior_heads(facts: Facts) -> list[str]:
    first = facts.comparison.pairs[0].result.posterior
    heads = {"left": "P(below)", "rope": "P(within)", "right": "P(above)"}
    return [heads.get(name, f"P({name})") for name in first]


def _difference_row(facts: Facts, verdict: Decision, *, naive: bool) -> tuple[Cell, ...]:
    pair = verdict.pair
    names = words.clean(pair.a), words.clean(pair.b)
    own = facts.quantity is not None
    head = Cell(f"{names[0]} over {names[1]}", "name") if own else Cell(f"{names[0]} - {names[1]}", "pair", names)
    cells = [head, *_numbers(facts.scale, pair.result)]
    cells += [_interval(facts.scale, pair.naive)] if naive else []
    cells += [Cell(f"{probability:.3f}", value=probability) for probability in pair.result.posterior.values()]
    cells += [_pvalue(facts, verdict, pair.result.pvalue)] if facts.adjusted else []
    cells.append(_pvalue(facts, verdict, pair.adjusted, deciding=True))
    if naive:
        cells.append(
            Cell("none")
            if verdict.naive is None
            else Cell(numbers.pvalue(verdict.naive, facts.alpha), value=verdict.naive)
        )
    if facts.equivalence:
        cells.append(_equivalence(facts, verdict))
    return tuple(cells)


def _equivalence(facts: Facts, verdict: Decision) -> Cell:
    found = verdict.pair.equivalence
    if found is None or verdict.degenerate:
        return Cell("none")
    p = found.pvalue if found.adjusted is None else found.adjusted
    return Cell(numbers.pvalue(p, facts.alpha) + (" *" if found.shown else ""), strong=found.shown, value=p)


def _pvalue(facts: Facts, verdict: Decision, p: float, *, deciding: bool = False) -> Cell:
    if verdict.degenerate:
        return Cell("none")
    strong = deciding and verdict.significant
    return Cell(numbers.pvalue(p, facts.alpha) + (" *" if strong else ""), strong=strong, value=p)


def _difference_remark(facts: Facts) -> str:
    better = "second" if facts.higher_is_better else "first"
    parts = [] if facts.quantity else [f"Below 0 the {better} is better."]
    if facts.equivalence:
        parts.append("TOST: two one-sided tests of practical equivalence.")
    if _posterior_heads(facts):
        rope = facts.comparison.rope or facts.comparison.options.get("rope") or 0.0
        parts.append(f"Probabilities are those of a difference below, within and above ±{numbers.plain(rope)}.")
    level = numbers.percent(facts.alpha)
    if any(verdict.significant for verdict in facts.comparison.decisions):
        parts.append(f"* significant at the {level} level.")
    if facts.adjusted:
        parts.append(
            f"P-values are adjusted over {words.counted(facts.family, 'pair')} "
            f"({words.adjustment_words(facts.comparison.adjust)}); intervals are for one pair at a time."
        )
    return " ".join(parts)


def _computed(facts: Facts) -> Iterable[Fact]:
    comparison = facts.comparison
    common = comparison.reference
    specs = comparison.methods
    for spec in specs:
        yield from _method(facts, spec, several=len(specs) > 1)
    yield Fact("Estimated", f"{common.estimand.words}, {_training_size(common)}")
    yield Fact("Measure", f"{facts.measure}, {facts.table.loss.direction}")
    yield Fact("Splits", _splits(facts))
    yield Fact("Level", f"{numbers.percent(comparison.level)} intervals, {numbers.percent(facts.alpha)} tests")
    if comparison.pairs:
        yield from _tests(facts)
    yield Fact("Fits", _fits(facts))


def _method(facts: Facts, spec: Method, *, several: bool) -> Iterable[Fact]:
    own = facts.comparison.options if spec.key == facts.comparison.method else {}
    options = "".join(f", {name} = {value}" for name, value in own.items())
    which = {"learner": "of learners", "pair": "of pairs", "all": "of all learners"}.get(spec.subject, "of differences")
    yield Fact(f"Method {which}" if several else "Method", words.clean(f"{spec.key}{options}. {spec.summary}"))
    yield Fact("Claim", spec.claim)
    yield Fact("Formula", spec.formula)


def _tests(facts: Facts) -> Iterable[Fact]:
    comparison = facts.comparison
    sides = {
        "two-sided": "two-sided",
        "less": "one-sided: the first is lower than the second",
        "greater": "one-sided: the first is higher than the second",
    }
    yield Fact("Alternative", sides[comparison.alternative])
    if facts.family > 1:
        yield Fact("Adjustment", f"{words.adjustment_words(comparison.adjust)}, over {facts.family} pairs")
    if comparison.baseline is not None:
        yield Fact("Baseline", words.clean(comparison.baseline))
    if comparison.rope is not None:
        yield Fact("Practical equivalence", f"within ±{numbers.plain(comparison.rope)}")
    if any(pair.naive for pair in comparison.pairs):
        yield Fact(
            "Naive contrast",
            "the t that takes the splits for independent, with the same level, alternative and adjustment",
        )


def _training_size(result: Result) -> str:
    return "training size unknown" if math.isnan(result.n_train) else f"at training size {numbers.size(result.n_train)}"


def _splits(facts: Facts) -> str:
    splits = facts.table.of_plan(facts.plan).splits
    train, test = _sizes(splits.n_train), _sizes(splits.n_test)
    sizes = "sizes unknown" if not train and not test else f"{train or '?'} training and {test or '?'} test examples"
    return f"{facts.plan_words}, {sizes}; {words.clean(splits.descriptions[0])}"


def _sizes(values: FloatArray) -> str:
    known = sorted({float(value) for value in values if not math.isnan(value)})
    if not known:
        return ""
    low, high = numbers.plain(known[0]), numbers.plain(known[-1])
    return low if low == high else f"{low} to {high}"


def _fits(facts: Facts) -> str:
    counts = facts.table.counts
    if counts.fits + counts.reused == 0:
        return "none: the numbers were given"
    text = f"{counts.fits} done in {counts.seconds:.3g} s"
    text += f", {counts.reused} taken from the store" if counts.reused else ""
    return text + (f"; those of {', '.join(counts.shared)} computed together" if counts.shared else "")


def _reproduction(facts: Facts, *, called: bool) -> Iterable[Fact]:
    provenance = facts.table.provenance
    if called and provenance:
        yield Fact(
            "In the call", "learners, X and y stand for what the run was given; groups, if any, have to be added"
        )
    if not provenance:
        yield Fact("Numbers", "given, not computed by a run, so there is neither seed nor digest")
    for key, value in provenance.items():
        yield Fact(_LABELS.get(key, key), words.clean(str(value)))
