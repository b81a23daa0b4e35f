"""The same differences seen from one learner: each other one minus the baseline, with p-values of that family."""

import copy
import warnings
from dataclasses import replace

from errbar import families
from errbar.margins import Equivalence
from errbar.report import words
from errbar.report.document import differences_of
from errbar.report.parts import View
from errbar.report.words import Facts
from errbar.result import Interval
from errbar.study import DEFAULTS, Comparison, Pair, compare_table

MOST = 12
_FEWEST = 3


def views_of(comparison: Comparison) -> tuple[View, ...]:
    """Return the differences from each learner in turn.

    Parameters
    ----------
    comparison : Comparison
        Of all pairs; one that has a baseline is seen from there only.

    Returns
    -------
    tuple of View
        One per learner; none for fewer than three learners, nor for more than twelve.
    """
    count = len(comparison.learners)
    if comparison.baseline is not None or not comparison.pairs or not _FEWEST <= count <= MOST:
        return ()
    return tuple(_view(comparison, name, position) for position, name in enumerate(comparison.learners))


def seen_from(comparison: Comparison, baseline: str) -> Comparison:
    """Return a comparison of all pairs as one with a baseline, its p-values adjusted over the pairs that are left.

    Two-sided statements are turned round where the baseline comes first, so that the numbers are those of all pairs,
    whatever the method has drawn at random. One-sided ones are made anew: turned round they would claim the opposite.

    Parameters
    ----------
    comparison : Comparison
        Of all pairs.
    baseline : str
        One of its learners.

    Returns
    -------
    Comparison
        Of every other learner with the baseline.

    Examples
    --------
    >>> import errbar
    >>> from errbar.report.baselines import seen_from
    >>> scores = {"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26], "c": [0.24, 0.29, 0.22]}
    >>> comparison = errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10))
    >>> [(pair.a, pair.b) for pair in seen_from(comparison, "b").pairs]
    [('a', 'b'), ('c', 'b')]
    """
    if comparison.alternative != "two-sided":
        return _anew(comparison, baseline)
    pairs = [_turned(pair, baseline) for pair in comparison.pairs if baseline in (pair.a, pair.b)]
    adjusted = families.adjust([pair.result.pvalue for pair in pairs], comparison.adjust).tolist()
    tests = [pair.equivalence for pair in pairs]
    margins: list[Equivalence | None] = list(tests)
    if all(test is not None for test in tests):
        again = families.adjust([test.pvalue for test in tests if test is not None], comparison.adjust).tolist()
        margins = [replace(test, adjusted=p) for test, p in zip(tests, again, strict=True) if test is not None]
    found = zip(pairs, adjusted, margins, strict=True)
    return replace(
        comparison,
        baseline=baseline,
        pairs=tuple(replace(pair, adjusted=p, equivalence=margin) for pair, p, margin in found),
    )


def _anew(comparison: Comparison, baseline: str) -> Comparison:
    with warnings.catch_warnings():
        # What is to be said about the numbers has been said already.
        warnings.simplefilter("ignore")
        question = {name: getattr(comparison, name) for name in DEFAULTS} | {"baseline": baseline}
        return compare_table(comparison.table, **question, **copy.deepcopy(comparison.options))


def _turned(pair: Pair, baseline: str) -> Pair:
    if pair.b == baseline:
        return pair
    return replace(
        pair,
        a=pair.b,
        b=pair.a,
        result=pair.result.mirrored(),
        naive=None if pair.naive is None else pair.naive.mirrored(),
        equivalence=None if pair.equivalence is None else _mirrored(pair.equivalence),
    )


def _mirrored(test: Equivalence) -> Equivalence:
    low, high = test.interval
    return replace(
        test,
        estimate=0.0 - test.estimate,
        interval=Interval(0.0 - high, 0.0 - low),
        below=test.above,
        above=test.below,
    )


def _view(comparison: Comparison, baseline: str, position: int) -> View:
    facts = Facts(seen_from(comparison, baseline))
    section = differences_of(facts)
    name = words.clean(baseline)
    what = (
        f"{words.heading(facts.quantity)}, by {facts.measure}" if facts.quantity else f"Differences in {facts.measure}"
    )
    caption = f"{what}, each other learner {'over' if facts.quantity else 'minus'} {name}"
    remark = (
        f"{section.tables[0].remark} These are the p-values to report if {name} was the baseline before the numbers were "
        "seen; if it was chosen from them, those over all pairs hold."
    )
    table = replace(section.tables[0], key=f"differences-{position}", caption=caption, remark=remark.strip())
    figures = tuple(replace(figure, key=f"{figure.key}-{position}") for figure in section.figures)
    return View(name, replace(section, key=table.key, tables=(table,), figures=figures))
