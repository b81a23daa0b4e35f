"""What is folded away: what is estimated, how, on what, all notes, how to do it again, and what to cite."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from errbar._references import REFERENCES
from errbar._version import __version__
from errbar.methods import Method
from errbar.report.numbers import named, percent, pvalue, size
from errbar.report.words import WORDS, clean, counted, groups_tested, heading, listed, splits_of

Facts = Iterable[tuple[str, str]]


class Fold(NamedTuple):
    """What is folded away, with its gist."""

    title: str
    gist: str
    facts: Sequence[tuple[str, str]]


def folds_of(story: Any) -> Iterable[Fold]:
    """Yield the folds of a report."""
    comparison = story.comparison
    at = story.at and f",{story.at}"
    assumed = dict.fromkeys(text for spec in comparison.methods for text in spec.assumptions)
    estimated = [("Estimated", f"{comparison.reference.estimand.words}{at}")]
    estimated += [("Assumed", text) for text in assumed]
    yield Fold("What is estimated", story.about, estimated)
    adjust = f", {comparison.adjust}" if comparison.adjusts else ""
    yield Fold("Method", f"{comparison.method}{adjust}", list(_method(story)))
    splits = splits_of(comparison)
    yield Fold("Data and splits", splits, list(_splits(comparison, splits)))
    # Of notes that differ by numbers alone the first, with how many there are.
    notes = [
        (
            first.code,
            clean(first.text)
            + (f" (and {counted(len(others), 'more such note')})" if others else ""),
        )
        for first, *others in story.notes
    ]
    if notes:
        yield Fold("Notes", counted(len(notes), "note"), notes)
    again = [("Command", clean(story.command))] if story.command else []
    again += [
        (WORDS["provenance"].get(key, key), clean(str(value)))
        for key, value in comparison.table.provenance.items()
    ]
    if again:
        yield Fold("Reproduce", story.command or "seed, digests and versions", again)
    yield cited(_sentence(story, splits), comparison.methods)


def cited(sentence: str, methods: Iterable[Method], *keys: str) -> Fold:
    """Return a sentence for the methods section of a paper, with its references."""
    known = dict.fromkeys([*(key for spec in methods for key in spec.references), *keys])
    references = [("Reference", str(REFERENCES[key])) for key in known]
    return Fold("Cite", "a sentence for the paper", [("Sentence", sentence), *references])


def _method(story: Any) -> Facts:
    comparison, specs = story.comparison, story.comparison.methods
    for spec in specs:
        own = comparison.options if spec.key == comparison.method else {}
        options = "".join(f", {name} = {value}" for name, value in own.items())
        label = WORDS["methods"][spec.subject] if len(specs) > 1 else "Method"
        yield label, clean(f"{spec.key}{options}. {spec.summary}")
        yield "Claim", spec.claim
        yield "Formula", spec.formula
    if comparison.pairs and not comparison.bayesian:
        yield "Alternative", WORDS["sides"][comparison.alternative]
    if (test := comparison.overall) is not None:
        df = [f"{one:g}" for one in np.atleast_1d(test.df)]
        p = named(pvalue(test.pvalue, comparison.alpha))
        law = f"{'chi-squared' if len(df) == 1 else 'F'}, {listed(df)} degrees of freedom"
        yield "All learners", f"{test.method}: {test.statistic:.4g} ({law}), {p}"
    if (wider := comparison.widening) is not None:
        groups = counted(groups_tested(comparison), "group")
        span = f" ({wider.low:.2f} to {wider.high:.2f})" if wider.high > wider.low else ""
        times = f"{wider.median:.2f}{span} times"
        yield "Groups", f"{groups}; standard errors are {times} those of independent examples"
    if parts := comparison.components:
        shares = np.mean([np.array([*one.values()]) / sum(one.values()) for one in parts], axis=0)
        said = [
            f"{percent(round(share, 2))} {name}"
            for name, share in zip(parts[0], shares, strict=True)
        ]
        yield "Squared standard error", listed(said)


def _splits(comparison: Any, words: str) -> Facts:
    splits, counts = comparison.used.splits, comparison.table.counts
    yield "Splits", f"{words}; {clean(splits.descriptions[0])}"
    for what, sizes in (("Training", splits.n_train), ("Test", splits.n_test)):
        known = np.sort(sizes[~np.isnan(sizes)]).tolist()
        ends = dict.fromkeys(map(size, (*known[:1], *known[-1:])))
        yield f"{what} examples", " to ".join(ends) or "unknown"
    if counts.fits + counts.reused == 0:
        yield "Fits", "none: the numbers were given"
        return
    stored = f", {counts.reused} taken from the store" if counts.reused else ""
    together = f"; those of {listed(counts.shared)} computed together" if counts.shared else ""
    yield "Fits", f"{counts.fits} done in {counts.seconds:.3g} s{stored}{together}"


def _sentence(story: Any, splits: str) -> str:
    """Return a sentence for the methods section of a paper."""
    comparison, level = story.comparison, story.level
    spec, pairs = comparison.methods[0], f"{len(comparison.pairs)} pairs"
    found = [REFERENCES[key] for key in spec.references[:2]]
    cited = "; ".join(f"{one.authors.partition(',')[0]} {one.year}" for one in found)
    what = f"{heading(story.measure)} of {counted(len(story.names), 'learner')}"
    test = f"with {spec.key} ({cited})" if cited else f"with {spec.key}"
    family = ""
    if story.simultaneous:
        family = f"; intervals and p-values are simultaneous over {pairs}"
    elif comparison.adjusts and not comparison.bayesian:
        family = f"; p-values are adjusted over {pairs}"
    end = f"{level} intervals{family} (errbar {__version__})"
    return f"{what} was estimated on {splits} {test}, {end}."
