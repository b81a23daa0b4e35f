"""What a report says, in plain data and before it looks like anything. Renderers need nothing else."""

import math
from collections.abc import Iterable
from typing import Any

from errbar._check import FloatArray
from errbar._references import REFERENCES
from errbar.comparison import ComparisonData
from errbar.methods import Method
from errbar.report import numbers, words
from errbar.report.calls import Call
from errbar.report.certainty import certainty_of
from errbar.report.conclusions import sentences
from errbar.report.parts import Document, Fact
from errbar.report.sources import errors_of
from errbar.report.standing import MOST_NAMED, matrix_of
from errbar.report.tables import differences_of, estimates_of
from errbar.report.words import Wording
from errbar.result import Note, Result

_LABELS = {
    "random_state": "Seed",
    "data": "Digest of the data",
    "splits": "Digest of the splits",
    "examples": "Examples",
    "features": "Features",
    "reweighted": "Learners that reweight classes",
    "draws": "Draws of a split",
    "draws_seed": "Seed of the draws",
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
    wording, call = Wording(comparison), None if command else Call(comparison)
    sections = [estimates_of(wording)]
    sections += [matrix_of(wording)] if comparison.large else []
    sections += [differences_of(wording)] if comparison.listed else []
    sections += errors_of(wording)
    headline, *details = sentences(wording)
    return Document(
        title=title_of(wording),
        subtitle=subtitle_of(wording),
        headline=headline,
        details=tuple(details),
        sections=tuple(sections),
        estimated=f"{words.heading(comparison.reference.estimand.words)}, {_training_size(comparison.reference)}.",
        assumptions=tuple(
            dict.fromkeys(text for spec in comparison.methods for text in spec.assumptions)
        ),
        certainty=certainty_of(wording) if comparison.listed else None,
        notes=tuple(_notes(comparison)),
        computed=tuple(_computed(wording)),
        references=tuple(
            dict.fromkeys(
                str(REFERENCES[key]) for spec in comparison.methods for key in spec.references
            )
        ),
        call=words.clean(command or "") if call is None else call.text,
        reproduction=tuple(_reproduction(wording, call)),
    )


def _notes(comparison: ComparisonData) -> Iterable[Fact]:
    """Yield the caveats; those of results that differ by numbers alone, or in a large comparison all of one code, are shown by the first."""
    alike: dict[tuple[Any, ...], list[Note]] = {}
    for note in comparison.notes:
        names = {
            name: value
            for name, value in note.numbers.items()
            if not isinstance(value, int | float)
        }
        # What is said of the table may differ by numbers alone.
        names = dict(note.numbers) if note in comparison.table.notes else names
        key = (note.code,) if comparison.large else (note.code, *names.items())
        alike.setdefault(key, []).append(note)
    for first, *others in alike.values():
        more = (
            f" (and {words.counted(len(others), 'more such note')}, all in to_dict() and --json)"
            if others
            else ""
        )
        yield Fact(first.code, words.clean(first.text) + more)


def title_of(wording: Wording) -> str:
    """Return whom a comparison is about."""
    names = [words.clean(name) for name in wording.comparison.learners]
    if len(names) == 1:
        return f"{words.heading(wording.measure)} of {names[0]}"
    return f"Comparison of {words.listed(names) if len(names) <= 4 else words.counted(len(names), 'learner')}"


def subtitle_of(wording: Wording) -> str:
    """Return the measure, the plan and the method on one line."""
    direction = wording.comparison.table.loss.direction
    return f"{words.heading(wording.measure)} ({direction}), {wording.plan_words}, {wording.comparison.method}"


def _computed(wording: Wording) -> Iterable[Fact]:
    comparison = wording.comparison
    common = comparison.reference
    specs = comparison.methods
    for spec in specs:
        yield from _method(wording, spec, several=len(specs) > 1)
    yield Fact(
        "Estimated",
        f"{common.estimand.words}, {_training_size(common)}",
        brief=True,
        elsewhere=True,
    )
    yield Fact("Measure", f"{wording.measure}, {wording.comparison.table.loss.direction}")
    yield Fact("Splits", _splits(wording), brief=True)
    tests = f", {wording.level} tests" if comparison.pairs and not comparison.bayesian else ""
    yield Fact("Level", f"{wording.confidence} intervals{tests}")
    if comparison.pairs:
        yield from _tests(wording)
    yield Fact("Fits", _fits(wording), brief=True)


def _method(wording: Wording, spec: Method, *, several: bool) -> Iterable[Fact]:
    own = wording.comparison.options if spec.key == wording.comparison.method else {}
    options = "".join(f", {name} = {value}" for name, value in own.items())
    which = {"learner": "of learners", "pair": "of pairs", "all": "of all learners"}.get(
        spec.subject, "of differences"
    )
    yield Fact(
        f"Method {which}" if several else "Method",
        words.clean(f"{spec.key}{options}. {spec.summary}"),
        brief=True,
    )
    yield Fact("Claim", spec.claim)
    yield Fact("Formula", spec.formula)


def _tests(wording: Wording) -> Iterable[Fact]:
    comparison = wording.comparison
    sides = {
        "two-sided": "two-sided",
        "less": "one-sided: the first is lower than the second",
        "greater": "one-sided: the first is higher than the second",
    }
    yield Fact("Alternative", sides[comparison.alternative])
    if len(comparison.pairs) > 1 and not comparison.bayesian:
        yield Fact(
            "Adjustment",
            f"{words.adjustment_words(comparison.adjust)}, over {len(comparison.pairs)} pairs",
        )
    if comparison.baseline is not None:
        yield Fact("Baseline", words.clean(comparison.baseline))
    if comparison.rope is not None:
        yield Fact("Practical equivalence", f"within ±{numbers.plain(comparison.rope)}")
    if any(pair.naive for pair in comparison.pairs) and not comparison.bayesian:
        yield Fact(
            "Naive contrast",
            "the t that takes the splits for independent, with the same level, alternative and adjustment",
        )


def _training_size(result: Result) -> str:
    return (
        "training size unknown"
        if math.isnan(result.n_train)
        else f"at training size {numbers.size(result.n_train)}"
    )


def _splits(wording: Wording) -> str:
    splits = wording.comparison.used.splits
    train, test = _sizes(splits.n_train), _sizes(splits.n_test)
    sizes = f"{train or '?'} training and {test or '?'} test examples"
    if not train:
        sizes = f"training size unknown, {test} test examples" if test else "sizes unknown"
    looks = wording.comparison.looks
    of = "; " if looks is None or looks.made == looks.planned else ", the first ones of "
    return f"{wording.plan_words}, {sizes}{of}{words.clean(splits.descriptions[0])}"


def _sizes(values: FloatArray) -> str:
    known = sorted({float(value) for value in values if not math.isnan(value)})
    if not known:
        return ""
    low, high = numbers.plain(known[0]), numbers.plain(known[-1])
    return low if low == high else f"{low} to {high}"


def _fits(wording: Wording) -> str:
    counts = wording.comparison.table.counts
    if counts.fits + counts.reused == 0:
        return "none: the numbers were given"
    text = f"{counts.fits} done in {counts.seconds:.3g} s"
    text += f", {counts.reused} taken from the store" if counts.reused else ""
    several = len(counts.shared) > MOST_NAMED
    shared = words.counted(len(counts.shared), "learner") if several else ", ".join(counts.shared)
    return text + (f"; those of {shared} computed together" if counts.shared else "")


def _reproduction(wording: Wording, call: Call | None) -> Iterable[Fact]:
    provenance = wording.comparison.table.provenance
    if call is not None and provenance:
        yield Fact("In the call", call.explained())
    if not provenance:
        yield Fact("Numbers", "given, not computed by a run, so there is neither seed nor digest")
    for key, value in provenance.items():
        yield Fact(_LABELS.get(key, key), words.clean(str(value)))
