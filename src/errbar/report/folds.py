"""What is folded away: what is estimated, how, on what, all notes, how to do it again, and what to cite."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from errbar._check import FloatArray
from errbar._references import REFERENCES
from errbar._version import __version__
from errbar.methods import Method
from errbar.report.numbers import named, percent, pvalue, size
from errbar.report.words import clean, counted, groups_tested, heading, listed, splits_of

if TYPE_CHECKING:
    from errbar.report.story import Story

_ABOUT = {
    "either": "of differences",
    "learner": "of learners",
    "pair": "of pairs",
    "all": "of all learners",
}
_SIDES = {
    "two-sided": "two-sided",
    "less": "one-sided: the first is lower than the second",
    "greater": "one-sided: the first is higher than the second",
}
_LABELS = {
    "random_state": "Seed",
    "data": "Digest of the data",
    "splits": "Digest of the splits",
    "examples": "Examples",
    "features": "Features",
    "reweighted": "Learners that reweight classes",
    "python": "Python",
}

Facts = Iterable[tuple[str, str]]


class Fold(NamedTuple):
    """What is folded away, with its gist."""

    title: str
    gist: str
    facts: Sequence[tuple[str, str]]


def folds_of(story: "Story") -> Iterable[Fold]:
    """Yield the folds of a report."""
    comparison = story.comparison
    yield Fold("What is estimated", story.about, list(_estimated(story)))
    adjust = f", {comparison.adjust}" if comparison.adjusts else ""
    yield Fold("Method", f"{comparison.method}{adjust}", list(_method(story)))
    yield Fold("Data and splits", splits_of(comparison), list(_splits(story)))
    if notes := list(_notes(story)):
        yield Fold("Notes", counted(len(notes), "note"), notes)
    if again := list(_again(story)):
        yield Fold("Reproduce", story.command or "seed, digests and versions", again)
    yield cited(_sentence(story), comparison.methods)


def cited(sentence: str, methods: Iterable[Method], *keys: str) -> Fold:
    """Return a sentence for the methods section of a paper, with its references."""
    known = dict.fromkeys([key for spec in methods for key in spec.references] + list(keys))
    references = [("Reference", str(REFERENCES[key])) for key in known]
    return Fold("Cite", "a sentence for the paper", [("Sentence", sentence), *references])


def _estimated(story: "Story") -> Facts:
    comparison = story.comparison
    at = story.at and f",{story.at}"
    yield "Estimated", f"{comparison.reference.estimand.words}{at}"
    for text in dict.fromkeys(text for spec in comparison.methods for text in spec.assumptions):
        yield "Assumed", text


def _method(story: "Story") -> Facts:
    comparison, specs = story.comparison, story.comparison.methods
    for spec in specs:
        own = comparison.options if spec.key == comparison.method else {}
        options = "".join(f", {name} = {value}" for name, value in own.items())
        label = f"Method {_ABOUT[spec.subject]}" if len(specs) > 1 else "Method"
        yield label, clean(f"{spec.key}{options}. {spec.summary}")
        yield "Claim", spec.claim
        yield "Formula", spec.formula
    if comparison.pairs and not comparison.bayesian:
        yield "Alternative", _SIDES[comparison.alternative]
    if (test := comparison.overall) is not None:
        laws = ("chi-squared", "F")
        df = np.atleast_1d(test.df)
        words = listed([f"{one:g}" for one in df])
        p = named(pvalue(test.pvalue, comparison.alpha))
        law = f"{laws[df.size - 1]}, {words} degrees of freedom"
        yield "All learners", f"{test.method}: {test.statistic:.4g} ({law}), {p}"
    wider = comparison.widening
    if wider is not None:
        groups = counted(groups_tested(comparison), "group")
        span = f" ({wider.low:.2f} to {wider.high:.2f})" if wider.high > wider.low else ""
        times = f"{wider.median:.2f}{span} times"
        yield "Groups", f"{groups}; standard errors are {times} those of independent examples"
    if parts := comparison.components:
        shares = np.mean(
            [np.array(list(one.values())) / sum(one.values()) for one in parts], axis=0
        )
        said = [
            f"{percent(round(share, 2))} {name}"
            for name, share in zip(parts[0], shares, strict=True)
        ]
        yield "Squared standard error", listed(said)


def _splits(story: "Story") -> Facts:
    comparison = story.comparison
    splits, counts = comparison.used.splits, comparison.table.counts
    yield "Splits", f"{splits_of(comparison)}; {clean(splits.descriptions[0])}"
    yield "Training examples", _range(splits.n_train)
    yield "Test examples", _range(splits.n_test)
    if counts.fits + counts.reused == 0:
        yield "Fits", "none: the numbers were given"
        return
    stored = f", {counts.reused} taken from the store" if counts.reused else ""
    together = f"; those of {listed(counts.shared)} computed together" if counts.shared else ""
    yield "Fits", f"{counts.fits} done in {counts.seconds:.3g} s{stored}{together}"


def _range(values: FloatArray) -> str:
    known = values[~np.isnan(values)]
    if not known.size:
        return "unknown"
    low, high = size(float(known.min())), size(float(known.max()))
    return low if low == high else f"{low} to {high}"


def _notes(story: "Story") -> Facts:
    """Yield all notes by their code; of those that differ by numbers alone the first, with how many there are."""
    for first, *others in story.notes:
        more = f" (and {counted(len(others), 'more such note')})" if others else ""
        yield first.code, clean(first.text) + more


def _again(story: "Story") -> Facts:
    """Yield the command that makes the numbers again, with seed, versions and digests."""
    if story.command:
        yield "Command", clean(story.command)
    for key, value in story.comparison.table.provenance.items():
        yield _LABELS.get(key, key), clean(str(value))


def _sentence(story: "Story") -> str:
    """Return a sentence for the methods section of a paper."""
    comparison = story.comparison
    spec = comparison.methods[0]
    found = [REFERENCES[key] for key in spec.references[:2]]
    cited = "; ".join(f"{one.authors.partition(',')[0]} {one.year}" for one in found)
    what = f"{heading(story.measure)} of {counted(len(comparison.learners), 'learner')}"
    how = f"was estimated on {splits_of(comparison)}"
    test = f"with {spec.key} ({cited})" if cited else f"with {spec.key}"
    family = ""
    if story.simultaneous:
        family = f"; intervals and p-values are simultaneous over {len(comparison.pairs)} pairs"
    elif comparison.adjusts and not comparison.bayesian:
        family = f"; p-values are adjusted over {len(comparison.pairs)} pairs"
    level = percent(comparison.level)
    return f"{what} {how} {test}, {level} intervals{family} (errbar {__version__})."
