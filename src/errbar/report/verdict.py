"""The bottom line, what an uncorrected test would have said, and what such a study finds."""

import math
from collections.abc import Iterable
from typing import Any

from errbar._plain import Names
from errbar.comparison import FOUND, Comparison, Pair
from errbar.report.words import (
    Digits,
    at_size,
    clean,
    counted,
    heading,
    listed,
    measure,
    named,
    percent,
    plain,
    probability,
    pvalue,
    rough,
    sentence,
)
from errbar.result import Estimand, Result

_MOST_NAMED = 3


def verdict_of(story: Any) -> str:
    """Return one sentence that answers the question."""
    comparison, pairs = story.found, story.pairs
    if not pairs:
        learners = comparison.learners.items()
        return " ".join(_told(clean(name), result, story.digits[0]) for name, result in learners)
    if len(pairs) == 1:
        return _pair(story, pairs[0])
    alpha = percent(comparison.alpha)
    if comparison.alternative != "two-sided":
        which = f"{sum(pair.significant for pair in pairs)} of {len(pairs)} pairs"
        return f"In {which} the first learner has {_lower(story)} at {alpha}."
    if comparison.baseline is not None:
        groups: Any = {"better": [], "worse": [], "open": []}
        for pair in pairs:
            kind = "better" if comparison.ordered(pair)[0] == pair.a else "worse"
            groups[kind if pair.significant else "open"].append(pair.a)
        return better_and_worse(groups, clean(comparison.baseline), story.significant)
    first, *others = comparison.ranking
    rivals = [name for name in comparison.possible_best if name != first]
    end = f"best: all others are ruled out at {alpha}"
    if comparison.bayesian:
        end = f"better than each other learner with probability {story.level} or more"
    return best_so_far(first, rivals, len(others), end)


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
    name += f" - {clean(result.minus)}" if result.minus else ""
    unit = "data set" if result.estimand is Estimand.DATA_SETS else "split"
    what = result.quantity or (measure(result.loss) if result.loss else "")
    how = f"{result.method}, {counted(result.n_splits, unit)}"
    n = result.n_train
    at = at_size(n)
    lines = [
        " · ".join(filter(None, [what, how])),
        "",
        _told(name, result, Digits.of([result])),
        f"{heading(result.estimand.words)}{at and f',{at}'}.",
    ]
    if result.posterior:
        parts = ", ".join(f"{key} {probability(p)}" for key, p in result.posterior.items())
        lines.append(f"Posterior probabilities: {parts}.")
    elif result.tested and not result.degenerate:
        p = named(pvalue(result.pvalue, 1.0 - result.level))
        lines.append(f"{p} against {plain(result.null)}, {result.alternative}.")
    lines += [f"Note: {sentence(one.text)}" for one in result.notes if one.severity == "reading"]
    return "\n".join(lines)


def _pair(story: Any, pair: Pair) -> str:
    comparison, result = story.found, pair.result
    better, worse = map(clean, comparison.ordered(pair))
    alpha = percent(comparison.alpha)
    if result.degenerate:
        if result.estimate == result.null:
            return f"{better} and {worse} have the same {story.measure} throughout."
        return f"{better} is better than {worse} throughout, so no test says how sure it is."
    equal = probability(result.posterior.get("rope", 0.0))
    if pair.equivalent:
        how = f", with probability {equal}" if comparison.bayesian else f": significant at {alpha}"
        but = f", though {better} is significantly better" if pair.significant else ""
        within = f"within ±{plain(comparison.rope)}"
        return f"{better} and {worse} are practically equal, {within}{how}{but}."
    if comparison.bayesian:
        by = f" by more than {plain(comparison.rope)}" if comparison.rope else ""
        sure = probability(likelihood(pair))
        claim = f"{better} is better than {worse}{by} with probability {sure}"
        or_equal = f", practically equal with {equal}" if comparison.rope else ""
        return f"{claim}." if pair.significant else f"No winner: {claim}{or_equal}."
    if comparison.alternative != "two-sided":
        has = "has" if pair.significant else "does not have"
        than = f"than {clean(pair.b)} at {alpha} (one-sided)"
        return f"{clean(pair.a)} {has} {_lower(story)} {than}."
    if pair.significant:
        return f"{better} is better than {worse}: significant at {alpha}."
    return f"No winner: {better} and {worse} do not differ significantly at {alpha}."


def likelihood(pair: Pair) -> float:
    """Return the posterior probability that the learner that looks better is better."""
    return max(pair.result.posterior.get(side, 0.0) for side in ("left", "right"))


def _lower(story: Any) -> str:
    """Return what a one-sided test shows."""
    comparison = story.found
    which = "lower" if comparison.alternative == "less" else "higher"
    return f"significantly {which} {comparison.quantity or story.measure}"


def few_names(names: Names) -> str:
    """Return few names, or how many there are."""
    if len(names) > _MOST_NAMED:
        return f"{len(names)} learners"
    return listed([clean(name) for name in names])


def better_and_worse(groups: Any, than: str, significant: str) -> str:
    """Say who is better and worse than one learner, and who does not differ from it."""
    said = [
        f"{few_names(names)} {'is' if len(names) == 1 else 'are'} {kind}"
        for kind, names in groups.items()
        if names and kind != "open"
    ]
    if not said:
        return f"No learner differs significantly from {than}."
    rest = groups["open"]
    verb = "does" if len(rest) == 1 else "do"
    end = f"; {few_names(rest)} {verb} not differ significantly" if rest else ""
    return f"{' and '.join(said)} than {than}: {significant}{end}."


def best_so_far(first: str, rivals: Names, others: int, end: str, verb: str = "is") -> str:
    """Say who is best, or who is best so far and who is not ruled out; `end` is how sure the first is."""
    if not rivals:
        return f"{clean(first)} {verb} {end}."
    which = few_names(rivals)
    if len(rivals) > _MOST_NAMED:
        which = f"{len(rivals)} of {others} others"
    be = "is" if len(rivals) == 1 else "are"
    return f"No winner: {clean(first)} {verb} best so far, but {which} {be} not ruled out."


def remarks_of(story: Any) -> Iterable[str]:
    """Yield what an uncorrected test would have claimed, and when looks have stopped."""
    comparison, pairs, looks = story.found, story.pairs, story.found.looks
    usual = comparison.alternative == "two-sided" and not comparison.bayesian
    known = [pair for pair in pairs if pair.naive_adjusted is not None]
    naive = [pair for pair in known if pair.naive_adjusted <= comparison.alpha]
    if len(pairs) > _MOST_NAMED and story.turns:
        count = sum(pair.significant for pair in pairs)
        sure = "differ significantly" if usual else story.significant
        beside = f" (an uncorrected t-test: {len(naive)})" if usual and known else ""
        yield f"{count} of {len(pairs)} pairs {sure}{beside}."
    elif usual:
        by_worse: Any = {}
        for pair in naive:
            if not pair.significant:
                better, worse = map(clean, comparison.ordered(pair))
                by_worse.setdefault(worse, []).append(better)
        said = [f"{worse} worse than {listed(better)}" for worse, better in by_worse.items()]
        if said:
            yield f"An uncorrected t-test would have called {listed(said)}."
    if looks is not None and pairs:
        undecided = sum(not (pair.significant or pair.equivalent) for pair in pairs)
        found = f"{undecided} of {len(pairs)} pairs were not" if undecided else "all pairs were"
        early = [name for name, count in looks.splits.items() if count < looks.made[-1]]
        left = f"; {few_names(early)} had stopped before" if early else ""
        splits = f"{looks.made[-1]} of {looks.planned[-1]} planned splits"
        yield f"After {splits}, {found} decided{left}."


def power_of(comparison: Comparison) -> str:
    """Say which difference such a study finds, where it has not found everything."""
    if all(pair.significant for pair in comparison.pairs):
        return ""
    found = comparison.detectable
    if found is None or not math.isfinite(found.median):
        return ""
    least = rough(found.median)
    return f"With {percent(FOUND)} power this study finds differences of about {least} or more."
