"""Sentences: what a comparison has found, in words. All of them are computed."""

import math
from dataclasses import replace

from errbar._pairs import Decision, Pair
from errbar.comparison import ComparisonData
from errbar.report import numbers
from errbar.report.cells import Cell, number, sentence
from errbar.report.numbers import Scale
from errbar.report.sources import sources_of
from errbar.report.standing import MOST_NAMED
from errbar.report.stopping import stopping_of
from errbar.report.words import Wording, adjustment_words, clean, counted, listed, numbers_of
from errbar.result import GlobalResult, Result

FEW_PAIRS, MOST_REASONS = 6, 4
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
        One sentence per pair where there are few, a summary where there are many, one on the estimate where there is
        a single learner; then what was looked at before it stopped, and what clusters do to the errors, or what seeds and examples
        add to them. Plain text; names of
        learners are not escaped.
    """
    return [str(one) for one in sentences(comparison)]


def sentences(comparison: ComparisonData) -> list[Cell]:
    """Return the same as texts of typed values.

    Parameters
    ----------
    comparison : Comparison
        Estimates and adjusted differences.

    Returns
    -------
    list of Cell
        One per sentence.
    """
    wording = Wording(comparison)
    return [*_findings(wording), *stopping_of(wording), *sources_of(wording), *_bottom_line(wording)]


def _bottom_line(wording: Wording) -> list[Cell]:
    """Name the learners not ruled out as best, and why each other one is where that is short."""
    comparison = wording.comparison
    names = [clean(name) for name in comparison.possible_best]
    if not names:
        return []
    shown = names if len(names) <= MOST_NAMED else [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} others"]
    line = f"Not ruled out as best: {', '.join(shown)}"
    if comparison.best is None or not 0 < len(comparison.best.ruled_out) <= MOST_REASONS:
        return [sentence(f"{line}.")]
    reasons: list[str | Cell] = []
    for name, why in comparison.best.ruled_out.items():
        reasons += ["; " if reasons else ". ", f"{clean(name)} is ruled out by {clean(why.by)}, adjusted "]
        reasons += [wording.pvalue(why.pvalue, named=True)]
    return [sentence(line, *reasons, ".")]


def _findings(wording: Wording) -> list[Cell]:
    comparison = wording.comparison
    if not comparison.pairs:
        return [_single(wording, name, result) for name, result in comparison.learners.items()]
    everyone = [_everyone(wording, comparison.overall)] if comparison.overall else []
    if comparison.large or (len(comparison.pairs) > FEW_PAIRS and not comparison.quantity):
        return everyone + _summary(wording)
    say = _in_own_units if comparison.quantity else _about
    return everyone + [say(wording, found, first=position == 0) for position, found in enumerate(comparison.decisions)]


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
    return sentence(f"{start} there is no evidence at the ", wording.level, " level of any difference: ", test)


def _in_own_units(wording: Wording, found: Decision, *, first: bool) -> Cell:
    """Say what was found about a pair by a method whose estimate is no difference of losses."""
    comparison, result = wording.comparison, found.pair.result
    start = f"With {wording.plan_words}, " if first else ""
    estimate, bounds = numbers_of(wording.scale, result)
    return sentence(
        f"{start}{clean(found.pair.a)} against {clean(found.pair.b)}: {comparison.quantity} ",
        estimate,
        " ",
        bounds,
        f", {'adjusted ' if comparison.adjusts else ''}",
        wording.pvalue(found.pair.adjusted, named=True),
        f" for the null {numbers.plain(result.null)}.",
    )


def _about(wording: Wording, found: Decision, *, first: bool) -> Cell:
    if found.degenerate:
        return _degenerate(wording, found.pair, first=first)
    plan = f"With {wording.plan_words}" if first else ""
    if found.significant:
        start: tuple[str | Cell, ...] = (f"{plan}, at the " if first else "At the ", wording.level, " level, ")
    else:
        there = f"{plan} there is" if first else "There is"
        start = (f"{there} no evidence at the ", wording.level, " level that ")
    claim, difference, remarks = _claim(wording, found.pair), _difference(wording, found.pair), _remarks(wording, found)
    return sentence(*start, claim, ": ", difference, remarks, ".")


def _claim(wording: Wording, pair: Pair) -> str:
    """Say what is claimed: for a two-sided test in favour of the learner that looks better."""
    a, b = clean(pair.a), clean(pair.b)
    if pair.result.alternative != "two-sided":
        return f"{a} has {'lower' if pair.result.alternative == 'less' else 'higher'} {wording.measure} than {b}"
    if pair.result.estimate == 0.0:
        return f"{a} and {b} differ in {wording.measure}"
    higher_is_better = wording.comparison.higher_is_better
    better, worse = (a, b) if (pair.result.estimate > 0.0) == higher_is_better else (b, a)
    return f"{better} has {'higher' if higher_is_better else 'lower'} {wording.measure} than {worse}"


def _difference(wording: Wording, pair: Pair) -> Cell:
    """Return estimate, interval and p-value; the order of the names fixes the sign."""
    result, scale = wording.comparison.shown(pair), wording.scale
    estimate, both = numbers_of(scale, result)
    bounds: tuple[str | Cell, ...] = (" ", both)
    if math.isinf(result.low) and math.isinf(result.high):
        bounds = (", without a bound at ", wording.confidence)
    elif math.isinf(result.low):
        bounds = (", at most ", number(result.high, scale), " with ", wording.confidence, " confidence")
    elif math.isinf(result.high):
        bounds = (", at least ", number(result.low, scale), " with ", wording.confidence, " confidence")
    return sentence(
        f"{clean(pair.a)} minus {clean(pair.b)} is ",
        estimate,
        *bounds,
        f", {'adjusted ' if wording.comparison.adjusts else ''}",
        wording.pvalue(pair.adjusted, named=True),
    )


def _remarks(wording: Wording, found: Decision) -> str:
    """Return what must be added to a bare test: the naive test, a single interval that misleads, equivalence."""
    remarks = []
    if wording.comparison.joint is not None:
        low, high = wording.comparison.shown(found.pair).interval
        if found.significant and low <= found.pair.result.null <= high:
            remarks.append("the simultaneous interval holds 0 since it goes with max-t, which is stricter here")
        if not found.significant and not low <= found.pair.result.null <= high:
            remarks.append("the simultaneous interval leaves out 0 since it goes with max-t, which finds more here")
    elif found.pair.result.pvalue <= wording.alpha and not found.significant:
        pairs = counted(len(wording.comparison.pairs), "pair")
        remarks.append(f"the interval leaves out 0 because it is for this pair alone, and {pairs} were tested")
    if found.naive_disagrees:
        verb = "called it significant" if found.naive_significant else "missed it"
        remarks.append(f"the naive t-test would have {verb}")
    rope = wording.comparison.rope
    if found.equivalent and rope is not None:
        remarks.append(f"two one-sided tests show the two to be practically equivalent within ±{numbers.plain(rope)}")
    return "".join(f"; {remark}" for remark in remarks)


def _degenerate(wording: Wording, pair: Pair, *, first: bool) -> Cell:
    a, b = clean(pair.a), clean(pair.b)
    start = f"With {wording.plan_words}, " if first else ""
    if pair.result.estimate == 0.0:
        same = f"{a} and {b} have exactly the same {wording.measure} throughout, so there is no difference to test."
        return sentence(start + same)
    return sentence(
        f"{start}{a} minus {b} is ",
        number(pair.result.estimate, wording.scale),
        f" in {wording.measure} throughout: the difference does not vary, so no test can say how sure it is.",
    )


def _single(wording: Wording, name: str, result: Result) -> Cell:
    scale = Scale.of([result])
    estimate, bounds = numbers_of(scale, result)
    size = "" if math.isnan(result.n_train) else f" trained on {numbers.size(result.n_train)} examples"
    start = f"With {wording.plan_words}, the {wording.measure} of {clean(name)}{size} is estimated at "
    if result.degenerate:
        return sentence(start, estimate, "; the scores do not vary, so there is no interval.")
    found = sentence(start, estimate, ", ", wording.confidence, " interval ", bounds)
    naive = wording.comparison.naive.get(name)
    if naive is None or naive.degenerate:
        return sentence(found, ".")
    return sentence(found, "; the naive interval would have been ", numbers_of(scale, naive)[1], ".")


def _summary(wording: Wording) -> list[Cell]:
    """Return sentences for many pairs; the table has the details."""
    comparison = wording.comparison
    decisions = comparison.decisions
    significant = sum(found.significant for found in decisions)
    said = [_how_many(wording, significant), _best(wording)]
    naive = sum(bool(found.naive_significant) for found in decisions)
    if any(found.naive is not None for found in decisions) and naive != significant:
        said.append(
            sentence(f"The naive t-test would have called {naive} of the {len(decisions)} differences significant.")
        )
    if comparison.rope is not None and any(pair.equivalence for pair in comparison.pairs):
        within = f"practically equivalent within ±{numbers.plain(comparison.rope)}"
        count = sum(found.equivalent for found in decisions)
        some = f"Two one-sided tests show {count} of {len(decisions)} pairs to be {within}."
        said.append(sentence(some if count else f"No pair is shown to be {within} by two one-sided tests."))
    constant = sum(found.degenerate for found in decisions)
    if constant:
        said.append(sentence(f"In {counted(constant, 'pair')} the difference does not vary, so no test can judge it."))
    return said


def _how_many(wording: Wording, count: int) -> Cell:
    comparison = wording.comparison
    baseline = comparison.baseline
    if comparison.alternative != "two-sided":
        word = "lower" if comparison.alternative == "less" else "higher"
        other = f"than {clean(baseline)}" if baseline else "for the first of the two"
        found = f"pairs show {word} {wording.measure} {other}"
    elif baseline:
        found = f"learners differ from {clean(baseline)} in {wording.measure}"
    else:
        found = f"pairs differ in {wording.measure}"
    adjustment = f", p-values adjusted by {adjustment_words(comparison.adjust)}" if comparison.adjusts else ""
    start = f"With {wording.plan_words}, {count} of {len(comparison.pairs)} {found} at the "
    return sentence(start, wording.level, f" level{adjustment}.")


def _best(wording: Wording) -> Cell:
    """Name the learner with the best estimate, and those that it cannot be told from."""
    comparison = wording.comparison
    name = comparison.standing.ranking[0]
    best = comparison.learners[name]
    if comparison.best is not None and not best.degenerate:
        best = replace(best, interval=comparison.best.risk)
    estimate, bounds = numbers_of(wording.learner_scale, best)
    which = "The highest" if comparison.higher_is_better else "The lowest"
    shown: tuple[str | Cell, ...] = () if best.degenerate else (" ", bounds)
    if comparison.best is not None and shown:
        shown = (*shown, " with its selection accounted for")
    start = sentence(f"{which} estimate is that of {clean(name)}, ", estimate, *shown)
    if comparison.large or comparison.baseline or comparison.alternative != "two-sided":
        return sentence(start, ".")
    ties = [{found.pair.a, found.pair.b} - {name} for found in comparison.decisions if not found.significant]
    tied = [clean(*others) for others in ties if len(others) == 1]
    rest = f"; the test does not tell it from {listed(tied)}." if tied else ", which differs from all others."
    return sentence(start, rest)
