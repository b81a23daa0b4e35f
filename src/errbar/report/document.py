"""What a report says, in plain data and before it looks like anything. Renderers need nothing else."""

import math
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from errbar._check import FloatArray
from errbar._references import REFERENCES
from errbar.comparison import ComparisonData
from errbar.report import numbers, words
from errbar.report.conclusions import sentences
from errbar.report.parts import Fact, Section
from errbar.report.standing import MOST_NAMED, matrix_of
from errbar.report.tables import differences_of, estimates_of
from errbar.report.words import Wording
from errbar.result import Note, Result

if TYPE_CHECKING:
    from errbar.report.calls import Call

_ABOUT = {
    "either": "of differences",
    "learner": "of learners",
    "pair": "of pairs",
    "all": "of all learners",
}
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


class Document:
    """A whole report: what a form asks for is worked out then.

    Parameters
    ----------
    comparison : Comparison
        Estimates and adjusted differences.
    command : str, optional
        The command that made the comparison; by default the call that makes it.

    Attributes
    ----------
    title : str
        Heading.
    subtitle : str
        Learners, measure, plan and method on one line.
    headline : Cell
        The bottom line, a sentence.
    details : list of Cell
        Further sentences on what was found.
    sections : list of Section
        Tables.
    """

    def __init__(self, comparison: ComparisonData, command: str | None = None) -> None:
        self.comparison, self.command = comparison, command
        self.wording = wording = Wording(comparison)
        self.title, self.subtitle = title_of(wording), subtitle_of(wording)
        self.headline, *self.details = sentences(wording)
        self.sections = [estimates_of(wording)]
        if comparison.large:
            self.sections.append(matrix_of(wording))
        if comparison.listed:
            self.sections.append(differences_of(wording))

    @property
    def estimated(self) -> str:
        """What the numbers are about, in a sentence."""
        common = self.comparison.reference
        return f"{words.heading(common.estimand.words)}, {_training_size(common)}."

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must hold for the numbers to mean what they say."""
        found = (text for spec in self.comparison.methods for text in spec.assumptions)
        return tuple(dict.fromkeys(found))

    @cached_property
    def certainty(self) -> Section | None:
        """How fragile each conclusion is; None where nothing is tested."""
        if not self.comparison.listed:
            return None
        from errbar.report.certainty import certainty_of

        return certainty_of(self.wording)

    @property
    def notes(self) -> Iterable[Fact]:
        """Caveats with their codes; those of results that differ by numbers alone, or in a large comparison all of one code, are shown by the first."""
        comparison = self.comparison
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
            more = ""
            if others:
                count = words.counted(len(others), "more such note")
                more = f" (and {count}, all in to_dict() and --json)"
            yield Fact(first.code, words.clean(first.text) + more)

    @property
    def computed(self) -> tuple[Fact, ...]:
        """How the numbers were computed."""
        return tuple(self.facts(briefly=False))

    def facts(self, *, briefly: bool) -> Iterable[Fact]:
        """Yield how the numbers were computed; briefly is for the answer on a terminal, files have the rest."""
        wording, comparison = self.wording, self.comparison
        common, specs = comparison.reference, comparison.methods
        for spec in specs:
            own = comparison.options if spec.key == comparison.method else {}
            options = "".join(f", {name} = {value}" for name, value in own.items())
            which = f"Method {_ABOUT[spec.subject]}" if len(specs) > 1 else "Method"
            yield Fact(which, words.clean(f"{spec.key}{options}. {spec.summary}"))
            if not briefly:
                yield Fact("Claim", spec.claim)
                yield Fact("Formula", spec.formula)
        yield Fact("Estimated", f"{common.estimand.words}, {_training_size(common)}")
        if not briefly:
            yield Fact("Measure", f"{wording.measure}, {comparison.table.loss.direction}")
        yield Fact("Splits", _splits(wording))
        if not briefly:
            tests = comparison.pairs and not comparison.bayesian
            also = f", {wording.level} tests" if tests else ""
            yield Fact("Level", f"{wording.confidence} intervals{also}")
            if comparison.pairs:
                yield from _tests(wording)
        yield Fact("Fits", _fits(comparison))

    @property
    def references(self) -> tuple[str, ...]:
        """Literature."""
        keys = (key for spec in self.comparison.methods for key in spec.references)
        return tuple(dict.fromkeys(str(REFERENCES[key]) for key in keys))

    @cached_property
    def _again(self) -> "Call":
        from errbar.report.calls import Call

        return Call(self.comparison)

    @property
    def call(self) -> str:
        """The command or call that makes the numbers again."""
        return words.clean(self.command) if self.command else self._again.text

    @property
    def reproduction(self) -> Iterable[Fact]:
        """Seed, versions and digests that go with it."""
        provenance = self.comparison.table.provenance
        if not provenance:
            text = "given, not computed by a run, so there is neither seed nor digest"
            yield Fact("Numbers", text)
        elif not self.command:
            yield Fact("In the call", self._again.explained())
        for key, value in provenance.items():
            yield Fact(_LABELS.get(key, key), words.clean(str(value)))


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
    return Document(comparison, command)


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


def _fits(comparison: ComparisonData) -> str:
    counts = comparison.table.counts
    if counts.fits + counts.reused == 0:
        return "none: the numbers were given"
    text = f"{counts.fits} done in {counts.seconds:.3g} s"
    text += f", {counts.reused} taken from the store" if counts.reused else ""
    several = len(counts.shared) > MOST_NAMED
    shared = words.counted(len(counts.shared), "learner") if several else ", ".join(counts.shared)
    return text + (f"; those of {shared} computed together" if counts.shared else "")
