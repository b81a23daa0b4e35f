"""The bottom line, what an uncorrected test would have said, and what such a study finds."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from errbar.comparison import FOUND, Comparison, Decision
from errbar.report import numbers
from errbar.report.numbers import Digits, named, percent, probability
from errbar.report.words import clean, counted, heading, listed, measure
from errbar.result import Estimand, Result

if TYPE_CHECKING:
    from errbar.report.story import Story

_MOST_NAMED = 3


def verdict_of(story: "Story") -> str:
    """Return one sentence that answers the question."""
    comparison = story.comparison
    if not comparison.pairs:
        return _estimate(story)
    if len(comparison.decisions) == 1:
        return _pair(story, comparison.decisions[0])
    if comparison.alternative != "two-sided":
        return _one_sided(story)
    if comparison.baseline is not None:
        return _against(story, comparison.baseline)
    return _best(story)


def _estimate(story: "Story") -> str:
    """Say what the risk of each learner is."""
    learners = story.comparison.learners.items()
    return " ".join(_told(clean(name), result, story.digits) for name, result in learners)


def _told(name: str, result: Result, digits: Digits) -> str:
    """Say what an estimate is, and how sure it is."""
    start = f"{name} {digits.number(result.estimate)}"
    if result.degenerate:
        return f"{start}; the numbers do not vary, so there is no interval."
    interval, level = digits.span(result.low, result.high), percent(result.level)
    error = digits.number(result.se)
    return f"{start}, {level} confidence interval {interval}, standard error {error}."


def result_text(result: Result) -> str:
    """Return a result alone in the form of the first screen."""
    name = clean(result.learner or result.method)
    name = f"{name} - {clean(result.minus)}" if result.minus else name
    unit = "data set" if result.estimand is Estimand.DATA_SETS else "split"
    what = result.quantity or (measure(result.loss) if result.loss else "")
    how = f"{result.method}, {counted(result.n_splits, unit)}"
    size = result.n_train
    at = "" if math.isnan(size) else f", at training size {numbers.size(size)}"
    lines = [
        f"{what} · {how}" if what else how,
        "",
        _told(name, result, Digits.of([result])),
        f"{heading(result.estimand.words)}{at}.",
    ]
    if result.posterior:
        parts = ", ".join(f"{key} {probability(p)}" for key, p in result.posterior.items())
        lines.append(f"Posterior probabilities: {parts}.")
    elif result.tested and not result.degenerate:
        p = named(numbers.pvalue(result.pvalue, 1.0 - result.level))
        lines.append(f"{p} against {numbers.plain(result.null)}, {result.alternative}.")
    said = [clean(note.text) for note in result.notes if note.severity == "reading"]
    return "\n".join(lines + [f"Note: {text[:1].upper()}{text[1:]}." for text in said])


def _better_first(comparison: Comparison, found: Decision) -> tuple[str, str]:
    """Return the learner that looks better, and the other."""
    pair = found.pair
    larger_first = pair.gap > 0.0
    first = larger_first == comparison.higher_is_better or pair.gap == 0.0
    a, b = clean(pair.a), clean(pair.b)
    return (a, b) if first else (b, a)


def _pair(story: "Story", found: Decision) -> str:
    comparison, pair = story.comparison, found.pair
    if comparison.quantity:
        return _in_own_units(story, found)
    better, worse = _better_first(comparison, found)
    alpha = percent(comparison.alpha)
    if found.degenerate:
        if pair.result.estimate == 0.0:
            return f"{better} and {worse} have the same {story.measure} throughout."
        return f"{better} is better than {worse} throughout, so no test says how sure it is."
    if found.equivalent:
        within = f"within ±{numbers.plain(story.rope)}"
        how = f": significant at {alpha}"
        if comparison.bayesian:
            how = f", with probability {probability(pair.result.posterior['rope'])}"
        but = f", though {better} is significantly better" if found.significant else ""
        return f"{better} and {worse} are practically equal, {within}{how}{but}."
    if comparison.bayesian:
        return _probable(story, found)
    if comparison.alternative != "two-sided":
        word = "lower" if comparison.alternative == "less" else "higher"
        has = "has" if found.significant else "does not have"
        end = f"at {alpha} (one-sided)"
        a, b = clean(pair.a), clean(pair.b)
        return f"{a} {has} significantly {word} {story.measure} than {b} {end}."
    if found.significant:
        return f"{better} is better than {worse}: significant at {alpha}."
    return f"No winner: {better} and {worse} do not differ significantly at {alpha}."


def _probable(story: "Story", found: Decision) -> str:
    comparison = story.comparison
    better, worse = _better_first(comparison, found)
    posterior = found.pair.result.posterior
    best = max(posterior.get("left", 0.0), posterior.get("right", 0.0))
    by = f" by more than {numbers.plain(story.rope)}" if story.rope else ""
    claim = f"{better} is better than {worse}{by} with probability {probability(best)}"
    if found.significant:
        return f"{claim}."
    equal = f", practically equal with {probability(posterior['rope'])}" if story.rope else ""
    return f"No winner: {claim}{equal}."


def _in_own_units(story: "Story", found: Decision) -> str:
    pair, comparison = found.pair, story.comparison
    number = story.of_pairs.number(pair.result.estimate)
    span = story.of_pairs.span(pair.result.low, pair.result.high)
    p = named(numbers.pvalue(pair.adjusted, comparison.alpha))
    null = numbers.plain(pair.result.null)
    verdict = "significant" if found.significant else "not significantly different from"
    end = f"{verdict} against {null}" if found.significant else f"{verdict} {null}"
    return (
        f"{clean(pair.a)} over {clean(pair.b)}: {comparison.quantity} {number} "
        f"({span}), {end}, {p}."
    )


def few_names(names: Sequence[str], link: str = "and") -> str:
    """Return few names, or how many there are."""
    if len(names) > _MOST_NAMED:
        return f"{len(names)} learners"
    return listed([clean(name) for name in names], link)


def _one_sided(story: "Story") -> str:
    comparison = story.comparison
    word = "lower" if comparison.alternative == "less" else "higher"
    count = sum(found.significant for found in comparison.decisions)
    than = clean(comparison.baseline) if comparison.baseline else "the second of the pair"
    what = "learners have" if comparison.baseline else "first learners have"
    return (
        f"{count} of {len(comparison.pairs)} {what} significantly {word} {story.measure} than "
        f"{than} at {percent(comparison.alpha)}."
    )


def _against(story: "Story", baseline: str) -> str:
    """Say who is better and worse than the baseline, and who does not differ from it."""
    groups: dict[str, list[str]] = {"better": [], "worse": [], "open": []}
    for found in story.comparison.decisions:
        better, _ = _better_first(story.comparison, found)
        other = found.pair.a if found.pair.b == baseline else found.pair.b
        kind = "open" if not found.significant else "better" if better == clean(other) else "worse"
        groups[kind].append(other)
    said = [
        f"{few_names(groups[kind])} {'is' if len(groups[kind]) == 1 else 'are'} {kind}"
        for kind in ("better", "worse")
        if groups[kind]
    ]
    sure = f": {story.significant}"
    if not said:
        return f"No learner differs significantly from {clean(baseline)}."
    rest = groups["open"]
    verb = "does" if len(rest) == 1 else "do"
    end = f"; {few_names(rest)} {verb} not differ significantly" if rest else ""
    return f"{' and '.join(said)} than {clean(baseline)}{sure}{end}."


def _best(story: "Story") -> str:
    """Say who is best, or who is best so far and who is not ruled out."""
    comparison = story.comparison
    ranking = comparison.standing.ranking
    first, possible = ranking[0], comparison.possible_best or ranking[:1]
    rivals = [name for name in possible if name != first]
    if rivals:
        count, others = len(rivals), len(ranking) - 1
        which = (
            f"{count} of {others} others"
            if count > _MOST_NAMED
            else listed([clean(name) for name in rivals])
        )
        verb = "is" if count == 1 else "are"
        return f"No winner: {clean(first)} is best so far, but {which} {verb} not ruled out."
    if comparison.bayesian:
        sure = percent(comparison.level)
        return f"{clean(first)} is better than each other learner with probability {sure} or more."
    return f"{clean(first)} is best: all others are ruled out at {percent(comparison.alpha)}."


def remarks_of(story: "Story") -> Iterable[str]:
    """Yield what an uncorrected test would have said, and when looks have stopped."""
    comparison = story.comparison
    decisions = comparison.decisions
    tested = [found for found in decisions if found.naive is not None]
    if comparison.bayesian or comparison.alternative != "two-sided":
        tested = []
    asked = comparison.alternative != "two-sided" or comparison.baseline is not None
    if len(decisions) > _MOST_NAMED and not comparison.quantity and not asked:
        yield _counts(story, tested)
    elif tested:
        yield from _disagreements(story, [one for one in tested if one.naive_disagrees])
    if comparison.looks is not None and comparison.pairs:
        yield _stopping(story)


def _counts(story: "Story", tested: Sequence[Decision]) -> str:
    decisions = story.comparison.decisions
    count = sum(found.significant for found in decisions)
    naive = sum(bool(found.naive_significant) for found in tested)
    sure = story.significant if story.comparison.bayesian else "differ significantly"
    beside = f" (an uncorrected t-test: {naive})" if tested else ""
    return f"{count} of {len(decisions)} pairs {sure}{beside}."


def _disagreements(story: "Story", parted: Sequence[Decision]) -> Iterable[str]:
    """Say what an uncorrected t-test would have claimed, by the learner that it calls worse."""
    for significant in (True, False):
        by_worse: dict[str, list[str]] = {}
        for found in parted:
            if found.naive_significant is significant:
                better, worse = _better_first(story.comparison, found)
                by_worse.setdefault(worse, []).append(better)
        said = [f"{worse} worse than {listed(better)}" for worse, better in by_worse.items()]
        if said:
            verb = "would have called" if significant else "would not have called"
            yield f"An uncorrected t-test {verb} {listed(said)}."


def _stopping(story: "Story") -> str:
    looks, decisions = story.comparison.looks, story.comparison.decisions
    assert looks is not None
    undecided = sum(not (found.significant or found.equivalent) for found in decisions)
    found = f"{undecided} of {len(decisions)} pairs were" if undecided else "all pairs were"
    if len(decisions) == 1:
        found = "the pair was"
    planned = listed([str(count) for count in looks.planned])
    early = [name for name, count in looks.splits.items() if count < looks.made[-1]]
    left = f"; {few_names(early)} had stopped before" if early else ""
    return (
        f"Looks were planned at {planned} random splits; after {looks.made[-1]} splits "
        f"{found} {'not decided' if undecided else 'decided'}{left}."
    )


def power_of(story: "Story") -> str:
    """Say which difference such a study finds, where it has not found everything."""
    comparison = story.comparison
    found = comparison.detectable
    if found is None or all(one.significant for one in comparison.decisions):
        return ""
    if not math.isfinite(found.median):
        return ""
    return (
        f"With {percent(FOUND)} power this study finds differences of about "
        f"{numbers.rough(found.median)} or more."
    )
