"""How sure a decision is, and how fragile: the naive test beside it, and the correlation that it would bear."""

import math
from collections.abc import Iterable

from errbar._pairs import Decision
from errbar.report.cells import Cell, percent, sentence
from errbar.report.parts import ReportColumn, Section, Table
from errbar.report.verdicts import Sides, probabilities, probability
from errbar.report.words import Wording, counted


def certainty_of(wording: Wording) -> Section:
    """Return how fragile each decision of a comparison is.

    Parameters
    ----------
    wording : Wording
        A comparison with pairs that have rows.

    Returns
    -------
    Section
        A table with one row per pair: the decision, that of the naive test and, where split scores correlate alike, the
        correlation up to which the t stays significant.
    """
    comparison = wording.comparison
    shown = " that is shown" if comparison.large else ""
    caption = f"The verdict on each pair{shown}{', and what would change it' if comparison.exchangeable else ''}"
    table = Table("certainty", caption, tuple(_columns(wording)))
    return Section(
        "certainty",
        "How sure, and why",
        (table,),
        tuple(_remarks(wording)),
    )


def _columns(wording: Wording) -> Iterable[ReportColumn]:
    comparison = wording.comparison
    decisions = wording.comparison.listed
    yield wording.pair_names
    yield ReportColumn(
        sentence("Verdict"), [_verdict(wording, found) for found in decisions], "words"
    )
    if _has_naive(wording):
        yield ReportColumn(
            sentence("The naive test"), [_naive(wording, found) for found in decisions], "words"
        )
    if comparison.exchangeable:
        head = sentence(
            f"Significant as long as the correlation between {comparison.exchangeable}s is"
        )
        yield ReportColumn(
            head, [_threshold(comparison.threshold(found)) for found in decisions], "words"
        )


def _has_naive(wording: Wording) -> bool:
    return not wording.bayesian and any(
        found.naive is not None for found in wording.comparison.listed
    )


def _verdict(wording: Wording, found: Decision) -> Cell:
    if found.degenerate:
        return sentence("no test: the difference does not vary")
    if wording.bayesian:
        return _probable(wording, found)
    p = found.pair.adjusted
    word = "significant, " if found.significant else "not significant, "
    return sentence(word, wording.pvalue(p, named=True), value=p, strong=found.significant)


def _probable(wording: Wording, found: Decision) -> Cell:
    sides = Sides.of(wording, found.pair)
    better, equal, _ = probabilities(wording, found.pair, turned=sides.turned)
    if found.equivalent:
        return sentence("practically equal, probability ", probability(equal), value=equal)
    word = (
        f"{sides.better} is better"
        if found.significant
        else f"undecided, {sides.better} is better with"
    )
    return sentence(
        word,
        ", probability " if found.significant else " probability ",
        probability(better),
        value=better,
        strong=found.significant,
    )


def _naive(wording: Wording, found: Decision) -> Cell:
    if found.naive is None or found.degenerate:
        return sentence("says nothing")
    text = "says the same, "
    if found.naive_disagrees:
        text = (
            "would have called it significant, "
            if found.naive_significant
            else "would have missed it, "
        )
    return sentence(text, wording.pvalue(found.naive, named=True), value=found.naive)


def _threshold(found: float | None) -> Cell:
    if found is None:
        return sentence("unknown")
    if found == 0.0:
        return sentence("never: not significant even without any", value=found)
    if found >= 1.0:
        return sentence("any: significant whatever it is", value=found)
    return sentence(f"below {found:.2g}", value=found)


def _remarks(wording: Wording) -> Iterable[Cell]:
    comparison = wording.comparison
    unit = comparison.exchangeable
    if _has_naive(wording):
        yield sentence(_of_naive(wording))
    if not unit:
        return
    share = comparison.test_share
    corrected = (
        ""
        if math.isnan(share)
        else f", the corrected t for {share:.2g}, the share of test examples"
    )
    alone = " for each pair alone, without adjustment," if comparison.adjusts else ""
    yield sentence(
        f"How much the scores of two {unit}s correlate is not known, and these numbers cannot tell it. "
        f"The naive test takes it for 0{corrected}. The last column says"
        f"{alone} below which correlation Student's t on the {unit} scores is significant at the ",
        percent(comparison.alpha),
        " level.",
    )
    [found, *others] = wording.comparison.listed
    if not others:
        yield sentence(
            _in_a_sentence(comparison.threshold(found), unit, significant=found.significant)
        )


def _of_naive(wording: Wording) -> str:
    """Say what is wrong with the naive test, and whether its standard errors are the smaller ones here."""
    pairs = [found.pair for found in wording.comparison.listed if found.naive is not None]
    larger = sum(pair.naive is not None and pair.naive.se >= pair.result.se for pair in pairs)
    start = "The naive test takes the splits for independent. They share training examples, so its errors are "
    if not larger:
        return f"{start}too small."
    which = "" if larger == len(pairs) else f" for {larger} of {counted(len(pairs), 'pair')}"
    return (
        f"{start}not to be relied on; here {'it is' if len(pairs) == 1 else 'they are'} not smaller than "
        f"{'that' if len(pairs) == 1 else 'those'} of {wording.comparison.method}{which}."
    )


def _in_a_sentence(threshold: float | None, unit: str, *, significant: bool) -> str:
    """Say how fragile the only conclusion is."""
    if not threshold:
        return "By Student's t the difference is not significant even without correlation."
    if threshold >= 1.0:
        return "By Student's t the difference is significant whatever the correlation is."
    if significant:
        return f"The difference stays significant as long as the correlation between {unit}s is below {threshold:.2g}."
    return f"The difference would be significant only if the correlation between {unit}s were below {threshold:.2g}."
