"""What is folded away: what is estimated, how, on what, all notes, how to do it again, and what to cite."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from errbar._check import FloatArray
from errbar._references import REFERENCES
from errbar._version import __version__
from errbar.report import numbers
from errbar.report.numbers import named, percent, size
from errbar.report.story import Fold
from errbar.report.words import clean, counted, groups_tested, heading, listed, splits_of

if TYPE_CHECKING:
    from errbar.report.story import Story

_MOST_PAIRS = 15
_ABOUT = {
    "either": "of differences",
    "learner": "of learners",
    "pair": "of pairs",
    "all": "of all learners",
}
_STATISTICS = {"cochran-q": "Cochran's Q", "friedman": "Friedman's statistic"}
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


def folds_of(story: "Story") -> Iterable[Fold]:
    """Yield the folds of a report."""
    comparison = story.comparison
    methods = comparison.methods
    yield Fold("What is estimated", story.about, tuple(_estimated(story)))
    adjust = f", {comparison.adjust}" if comparison.adjusts else ""
    yield Fold("Method", f"{comparison.method}{adjust}", tuple(_method(story)))
    yield Fold("Data and splits", splits_of(comparison), tuple(_splits(story)))
    uncorrected = tuple(_uncorrected(story))
    if uncorrected:
        yield Fold("Uncorrected t-test", "what it would have said", uncorrected)
    notes = tuple(_notes(story))
    if notes:
        yield Fold("Notes", counted(len(notes), "note"), notes)
    again = tuple(_again(story))
    yield Fold("Reproduce", again[0][1] if story.command else "the call, seeds and versions", again)
    keys = dict.fromkeys(key for spec in methods for key in spec.references)
    yield Fold(
        "Cite",
        "a sentence for the paper",
        (("Sentence", _sentence(story)), *(("Reference", str(REFERENCES[key])) for key in keys)),
    )


def _estimated(story: "Story") -> Iterable[tuple[str, str]]:
    comparison = story.comparison
    yield "Estimated", story.estimated
    yield "Measure", f"{story.measure}, {comparison.table.loss.direction}"
    assumed = dict.fromkeys(text for spec in comparison.methods for text in spec.assumptions)
    for text in assumed:
        yield "Assumed", text


def _method(story: "Story") -> Iterable[tuple[str, str]]:
    comparison, specs = story.comparison, story.comparison.methods
    for spec in specs:
        own = comparison.options if spec.key == comparison.method else {}
        options = "".join(f", {name} = {value}" for name, value in own.items())
        label = f"Method {_ABOUT[spec.subject]}" if len(specs) > 1 else "Method"
        yield label, clean(f"{spec.key}{options}. {spec.summary}")
        yield "Claim", spec.claim
        yield "Formula", spec.formula
    yield "Level", f"{percent(comparison.level)} intervals"
    if comparison.pairs and not comparison.bayesian:
        yield "Alternative", _SIDES[comparison.alternative]
    if story.adjustment:
        yield "Adjustment", story.adjustment
    if comparison.rope is not None:
        yield "Practical equivalence", f"within ±{numbers.plain(comparison.rope)}"
    if comparison.overall is not None:
        yield "All learners", _everyone(story)
    best = comparison.best
    if best is not None and best.ruled_out and not comparison.bayesian:
        yield "Ruled out", "by max-t over the differences of a learner to all others"
    yield from _sources(story)
    yield from _correlations(story)


def _everyone(story: "Story") -> str:
    """Say what the test of all learners at once has found."""
    found = story.comparison.overall
    assert found is not None
    df = f"{found.df:g}" if not isinstance(found.df, tuple) else "{:g} and {:g}".format(*found.df)
    law = "F" if isinstance(found.df, tuple) else "chi-squared"
    name = _STATISTICS.get(found.method, found.method)
    p = named(numbers.pvalue(found.pvalue, story.comparison.alpha))
    return f"{name} {found.statistic:.4g} ({law}, {df} degrees of freedom), {p}"


def _sources(story: "Story") -> Iterable[tuple[str, str]]:
    """Yield what clusters do to standard errors, and what seeds and examples add to them."""
    comparison = story.comparison
    wider = comparison.widening
    if wider is not None:
        groups = counted(groups_tested(comparison), "group")
        span = f" ({wider.low:.2f} to {wider.high:.2f})" if wider.high > wider.low else ""
        times = f"{wider.median:.2f}{span} times"
        yield "Groups", f"{groups}; standard errors are {times} those of independent examples"
    parts = comparison.seeds_and_examples
    if parts is not None:
        seed, example, crossed = parts
        seeds, examples, both = (percent(round(one, 2) + 0.0) for one in parts)
        text = f"{seeds} from seeds, {examples} from examples, {both} from both together"
        yield "Squared standard error", text
        # Twice as many seeds halve what comes from them and from both, and so do examples.
        halved = (0.5 * (seed + crossed), 0.5 * (example + crossed))
        more = [percent(round(1.0 - math.sqrt(1.0 - min(one, 1.0)), 2) + 0.0) for one in halved]
        text = f"twice as many seeds: {more[0]} smaller; twice as many examples: {more[1]} smaller"
        yield "Standard error", text


def _correlations(story: "Story") -> Iterable[tuple[str, str]]:
    """Yield up to which correlation of scores Student's t is significant."""
    comparison = story.comparison
    unit = comparison.exchangeable
    if unit is None:
        return
    for found in comparison.decisions[:_MOST_PAIRS]:
        most = comparison.threshold(found)
        if most is None:
            continue
        pair = f"{clean(found.pair.a)} - {clean(found.pair.b)}"
        text = "not significant even without correlation"
        if most >= 1.0:
            text = "significant whatever the correlation is"
        elif most > 0.0:
            text = f"significant while the correlation between {unit}s is below {most:.2g}"
        yield f"Student's t of {pair}", text


def _splits(story: "Story") -> Iterable[tuple[str, str]]:
    comparison = story.comparison
    splits = comparison.used.splits
    yield "Splits", f"{splits_of(comparison)}; {clean(splits.descriptions[0])}"
    yield "Training examples", _range(splits.n_train)
    yield "Test examples", _range(splits.n_test)
    counts = comparison.table.counts
    if counts.fits + counts.reused == 0:
        yield "Fits", "none: the numbers were given"
        return
    stored = f", {counts.reused} taken from the store" if counts.reused else ""
    shared = listed(counts.shared) if counts.shared else ""
    together = f"; those of {shared} computed together" if shared else ""
    yield "Fits", f"{counts.fits} done in {counts.seconds:.3g} s{stored}{together}"


def _range(values: FloatArray) -> str:
    known = sorted({float(value) for value in values if not math.isnan(value)})
    if not known:
        return "unknown"
    low, high = size(known[0]), size(known[-1])
    return low if low == high else f"{low} to {high}"


def _uncorrected(story: "Story") -> Iterable[tuple[str, str]]:
    """Yield the intervals and p-values of the t-test that takes splits for independent."""
    comparison = story.comparison
    for name, result in comparison.naive.items():
        if not result.degenerate and len(comparison.naive) <= _MOST_PAIRS:
            yield clean(name), story.digits.span(result.low, result.high)
    found = [one for one in comparison.decisions if one.naive is not None]
    for one in found if len(found) <= _MOST_PAIRS else ():
        naive = one.pair.naive
        if naive is None or naive.degenerate or one.naive is None:
            continue
        p = named(numbers.pvalue(one.naive, comparison.alpha))
        name = f"{clean(one.pair.a)} - {clean(one.pair.b)}"
        yield name, f"{story.of_pairs.span(naive.low, naive.high)}, {p}"


def _notes(story: "Story") -> Iterable[tuple[str, str]]:
    """Yield all notes by their code; of those that differ by numbers alone the first, with how many there are."""
    for first, *others in story.notes:
        more = f" (and {counted(len(others), 'more such note')})" if others else ""
        yield first.code, clean(first.text) + more


def _again(story: "Story") -> Iterable[tuple[str, str]]:
    """Yield the command or call that makes the numbers again, with seed, versions and digests."""
    from errbar.report.calls import Call

    provenance = story.comparison.table.provenance
    call = None if story.command else Call(story.comparison)
    yield ("Command", clean(str(story.command))) if call is None else ("Call", call.text)
    if not provenance:
        yield "Numbers", "given, not computed by a run, so there is neither seed nor digest"
    elif call is not None:
        yield "In the call", call.explained()
    for key, value in provenance.items():
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
