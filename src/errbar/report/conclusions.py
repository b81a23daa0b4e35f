"""Sentences: what a comparison has found, in words. All of them are computed."""

from collections.abc import Iterable

from errbar.comparison import FEW_PAIRS, ComparisonData
from errbar.report import numbers
from errbar.report.cells import Cell, sentence
from errbar.report.headline import estimate_words, headline_of
from errbar.report.sources import detectable_of, sources_of
from errbar.report.stopping import stopping_of
from errbar.report.verdicts import verdict
from errbar.report.words import Wording, adjustment_words, clean, counted
from errbar.result import GlobalResult

_MOST_REASONS = 4
_STATISTICS = {"cochran-q": "Cochran's Q", "friedman": "Friedman's statistic"}


def conclude(comparison: ComparisonData) -> list[str]:
    """Return what the comparison has found, in sentences.

    Parameters
    ----------
    comparison : Comparison
        Estimates and adjusted differences.

    Returns
    -------
    list of str
        First the bottom line: who is best, or whom nothing rules out; of a single learner its estimate. Then a sentence per pair
        where there are few, a summary where there are many; then what was looked at before it stopped, and what clusters
        do to the standard errors, or what seeds and examples add to them. Plain text; names of learners are not escaped.
    """
    return [str(one) for one in sentences(Wording(comparison))]


def sentences(wording: Wording) -> list[Cell]:
    """Return the same as texts of typed values.

    Parameters
    ----------
    wording : Wording
        The comparison.

    Returns
    -------
    list of Cell
        The bottom line, and then one per sentence.
    """
    comparison = wording.comparison
    if not comparison.pairs:  # one learner, or several of a run whose baseline was lost
        found = [estimate_words(wording, name) for name in comparison.learners]
    else:
        found = [headline_of(wording)]
    found += [_everyone(wording, comparison.overall)] if comparison.overall else []
    if comparison.large or (len(comparison.pairs) > FEW_PAIRS and not comparison.quantity):
        found += _summary(wording)
        found += _reasons(wording)
    elif len(comparison.pairs) > 1:
        found += [verdict(wording, one) for one in comparison.decisions]
    if comparison.looks is not None:
        found += stopping_of(wording)
    if comparison.components:
        found += sources_of(wording)
    if comparison.detectable is not None:
        found += detectable_of(wording, comparison.detectable)
    return found


def _reasons(wording: Wording) -> Iterable[Cell]:
    """Say why each learner is ruled out as best, where that is short, and by which test."""
    best = wording.comparison.best
    if best is None or wording.bayesian or not best.ruled_out:
        return
    if len(best.ruled_out) <= _MOST_REASONS:
        said: list[str | Cell] = []
        for name, why in best.ruled_out.items():
            said += [", " if said else "", f"{clean(name)} (by {clean(why.by)}, max-t "]
            said += [wording.pvalue(why.pvalue, named=True), ")"]
        yield sentence("Ruled out as best: ", *said, ".")
    adjust, count = wording.comparison.adjust, len(wording.comparison.pairs)
    if adjust != "max-t":
        pairs = (
            f"{adjustment_words(adjust)} over {count} pairs"
            if wording.comparison.adjusts
            else "each pair alone"
        )
        yield sentence(
            f"Who is ruled out is decided by max-t over the differences of a learner to all others, and not by {pairs}, so the "
            "two may disagree."
        )


def _everyone(wording: Wording, found: GlobalResult) -> Cell:
    """Say what the test of all learners at once has found."""
    law = (
        f"F with {found.df[0]:g} and {found.df[1]:g}"
        if isinstance(found.df, tuple)
        else f"chi-square with {found.df:g}"
    )
    start = f"Over all {len(found.learners)} learners"
    test = sentence(
        f"{_STATISTICS.get(found.method, found.method)} {found.statistic:.4g} ({law} degrees of freedom), ",
        wording.pvalue(found.pvalue, named=True),
        ".",
    )
    if found.pvalue <= wording.alpha:
        return sentence(f"{start}, some differ in {wording.measure}: ", test)
    return sentence(
        f"{start} there is no evidence at the ", wording.level, " level of any difference: ", test
    )


def _summary(wording: Wording) -> list[Cell]:
    """Return sentences for many pairs; the table has the details."""
    comparison, decisions = wording.comparison, wording.comparison.decisions
    significant = sum(found.significant for found in decisions)
    claim = f"differ in {wording.measure}"
    said = (
        [wording.counted_pairs(significant, claim)] if comparison.alternative == "two-sided" else []
    )
    naive = sum(bool(found.naive_significant) for found in decisions)
    if (
        any(found.naive is not None for found in decisions)
        and naive != significant
        and not wording.bayesian
    ):
        said.append(
            sentence(
                f"The naive t-test would have called {naive} of the {len(decisions)} differences significant."
            )
        )
    if comparison.rope is not None and (
        wording.bayesian or any(pair.equivalence for pair in comparison.pairs)
    ):
        within = f"practically equivalent within ±{numbers.plain(comparison.rope)}"
        count = sum(found.equivalent for found in decisions)
        by = "" if wording.bayesian else " by two one-sided tests"
        some = f"{count} of {len(decisions)} pairs are shown to be {within}{by}."
        said.append(sentence(some if count else f"No pair is shown to be {within}{by}."))
    constant = sum(found.degenerate for found in decisions)
    if constant:
        said.append(
            sentence(
                f"In {counted(constant, 'pair')} the difference does not vary, so no test can judge it."
            )
        )
    return said
