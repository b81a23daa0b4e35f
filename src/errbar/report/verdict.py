"""The bottom line, what an uncorrected test would have said, and what such a study finds."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from errbar.comparison import FOUND, Comparison, Pair
from errbar.report.numbers import Digits, named, percent, plain, probability, pvalue, rough, size
from errbar.report.words import clean, counted, heading, listed, measure, sentence
from errbar.result import Estimand, Result

if TYPE_CHECKING:
    from errbar.report.story import Story

_MOST_NAMED = 3


def verdict_of(story: "Story") -> str:
    """Return one sentence that answers the question."""
    comparison = story.comparison
    if not comparison.pairs:
        learners = comparison.learners.items()
        return " ".join(_told(clean(name), result, story.digits[0]) for name, result in learners)
    if len(comparison.pairs) == 1:
        return _pair(story, story.pairs[0])
    if comparison.alternative != "two-sided":
        return _one_sided(story)
    if comparison.baseline is not None:
        return _against(story, comparison.baseline)
    return _best(story)


def _told(name: str, result: Result, digits: Digits) -> str:
    """Say what an estimate is, and how sure it is."""
    start = f"{name} {digits.number(result.estimate)}"
    if result.degenerate:
        return f"{start}; the numbers do not vary, so there is no interval."
    interval, level = digits.span(*result.interval), percent(result.level)
    error = digits.number(result.se)
    return f"{start}, {level} confidence interval {interval}, standard error {error}."


def result_text(result: Result) -> str:
    """Return a result alone in the form of the first screen."""
    name = clean(result.learner or result.method)
    name = f"{name} - {clean(result.minus)}" if result.minus else name
    unit = "data set" if result.estimand is Estimand.DATA_SETS else "split"
    what = result.quantity or (measure(result.loss) if result.loss else "")
    how = f"{result.method}, {counted(result.n_splits, unit)}"
    n = result.n_train
    at = "" if math.isnan(n) else f", at training size {size(n)}"
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
        p = named(pvalue(result.pvalue, 1.0 - result.level))
        lines.append(f"{p} against {plain(result.null)}, {result.alternative}.")
    said = [sentence(note.text) for note in result.notes if note.severity == "reading"]
    return "\n".join(lines + [f"Note: {text}" for text in said])


def _pair(story: "Story", pair: Pair) -> str:
    comparison, result = story.comparison, pair.result
    better, worse = map(clean, comparison.ordered(pair))
    alpha = percent(comparison.alpha)
    if result.degenerate:
        if result.estimate == result.null:
            return f"{better} and {worse} have the same {story.measure} throughout."
        return f"{better} is better than {worse} throughout, so no test says how sure it is."
    if pair.equivalent:
        how = f": significant at {alpha}"
        if comparison.bayesian:
            how = f", with probability {probability(result.posterior['rope'])}"
        but = f", though {better} is significantly better" if pair.significant else ""
        within = f"within ±{plain(comparison.rope or 0.0)}"
        return f"{better} and {worse} are practically equal, {within}{how}{but}."
    if comparison.bayesian:
        by, equal = "", ""
        if comparison.rope:
            by = f" by more than {plain(comparison.rope)}"
            equal = f", practically equal with {probability(result.posterior['rope'])}"
        claim = (
            f"{better} is better than {worse}{by} with probability {probability(likelihood(pair))}"
        )
        return f"{claim}." if pair.significant else f"No winner: {claim}{equal}."
    if comparison.alternative != "two-sided":
        has = "has" if pair.significant else "does not have"
        end = f"at {alpha} (one-sided)"
        what = f"significantly {_lower(comparison)} {comparison.quantity or story.measure}"
        return f"{clean(pair.a)} {has} {what} than {clean(pair.b)} {end}."
    if pair.significant:
        return f"{better} is better than {worse}: significant at {alpha}."
    return f"No winner: {better} and {worse} do not differ significantly at {alpha}."


def likelihood(pair: Pair) -> float:
    """Return the posterior probability that the learner that looks better is better."""
    return max(pair.result.posterior.get(side, 0.0) for side in ("left", "right"))


def _lower(comparison: Comparison) -> str:
    return "lower" if comparison.alternative == "less" else "higher"


def few_names(names: Sequence[str]) -> str:
    """Return few names, or how many there are."""
    if len(names) > _MOST_NAMED:
        return f"{len(names)} learners"
    return listed([clean(name) for name in names])


def _one_sided(story: "Story") -> str:
    comparison = story.comparison
    count = sum(pair.significant for pair in comparison.pairs)
    how = f"significantly {_lower(comparison)} {story.measure}"
    which = f"{count} of {len(comparison.pairs)} pairs"
    return f"In {which} the first learner has {how} at {percent(comparison.alpha)}."


def _against(story: "Story", baseline: str) -> str:
    """Say who is better and worse than the baseline, and who does not differ from it."""
    groups: dict[str, list[str]] = {"better": [], "worse": [], "open": []}
    for pair in story.comparison.pairs:
        kind = "better" if story.comparison.ordered(pair)[0] == pair.a else "worse"
        groups[kind if pair.significant else "open"].append(pair.a)
    return better_and_worse(groups, clean(baseline), story.significant)


def better_and_worse(groups: dict[str, list[str]], than: str, significant: str) -> str:
    """Say who is better and worse than one learner, and who does not differ from it."""
    said = [
        f"{few_names(groups[kind])} {'is' if len(groups[kind]) == 1 else 'are'} {kind}"
        for kind in ("better", "worse")
        if groups[kind]
    ]
    if not said:
        return f"No learner differs significantly from {than}."
    rest = groups["open"]
    verb = "does" if len(rest) == 1 else "do"
    end = f"; {few_names(rest)} {verb} not differ significantly" if rest else ""
    return f"{' and '.join(said)} than {than}: {significant}{end}."


def best_so_far(first: str, rivals: Sequence[str], others: int, end: str, verb: str = "is") -> str:
    """Say who is best, or who is best so far and who is not ruled out; `end` is how sure the first is."""
    if not rivals:
        return f"{clean(first)} {verb} {end}."
    which = few_names(rivals)
    if len(rivals) > _MOST_NAMED:
        which = f"{len(rivals)} of {others} others"
    be = "is" if len(rivals) == 1 else "are"
    return f"No winner: {clean(first)} {verb} best so far, but {which} {be} not ruled out."


def _best(story: "Story") -> str:
    comparison = story.comparison
    first, *others = comparison.ranking
    rivals = [name for name in comparison.possible_best if name != first]
    end = f"best: all others are ruled out at {percent(comparison.alpha)}"
    if comparison.bayesian:
        sure = percent(comparison.level)
        end = f"better than each other learner with probability {sure} or more"
    return best_so_far(first, rivals, len(others), end)


def remarks_of(story: "Story") -> Iterable[str]:
    """Yield what an uncorrected test would have claimed, and when looks have stopped."""
    comparison = story.comparison
    pairs, two_sided = comparison.pairs, comparison.alternative == "two-sided"
    naive = [
        pair
        for pair in pairs
        if pair.naive_adjusted is not None and pair.naive_adjusted <= comparison.alpha
    ]
    usual = two_sided and not comparison.bayesian
    asked = not two_sided or comparison.baseline is not None or comparison.quantity
    if len(pairs) > _MOST_NAMED and not asked:
        count = sum(pair.significant for pair in pairs)
        sure = story.significant if comparison.bayesian else "differ significantly"
        known = usual and any(pair.naive_adjusted is not None for pair in pairs)
        beside = f" (an uncorrected t-test: {len(naive)})" if known else ""
        yield f"{count} of {len(pairs)} pairs {sure}{beside}."
    elif usual:
        by_worse: dict[str, list[str]] = {}
        for pair in naive:
            if not pair.significant:
                better, worse = map(clean, comparison.ordered(pair))
                by_worse.setdefault(worse, []).append(better)
        said = [f"{worse} worse than {listed(better)}" for worse, better in by_worse.items()]
        if said:
            yield f"An uncorrected t-test would have called {listed(said)}."
    if comparison.looks is not None and pairs:
        yield _stopping(comparison, comparison.looks)


def _stopping(comparison: Comparison, looks: Any) -> str:
    pairs = comparison.pairs
    undecided = sum(not (pair.significant or pair.equivalent) for pair in pairs)
    found = f"{undecided} of {len(pairs)} pairs were not" if undecided else "all pairs were"
    early = [name for name, count in looks.splits.items() if count < looks.made[-1]]
    left = f"; {few_names(early)} had stopped before" if early else ""
    return f"After {looks.made[-1]} of {looks.planned[-1]} planned splits, {found} decided{left}."


def power_of(comparison: Comparison) -> str:
    """Say which difference such a study finds, where it has not found everything."""
    found = comparison.detectable
    if found is None or not math.isfinite(found.median):
        return ""
    if all(pair.significant for pair in comparison.pairs):
        return ""
    least = rough(found.median)
    return f"With {percent(FOUND)} power this study finds differences of about {least} or more."
