"""The bottom line: one sentence that answers the question, before anything else is said."""

import math
from collections.abc import Sequence
from dataclasses import replace

from errbar._pairs import Pair
from errbar.report import numbers
from errbar.report.cells import Cell, sentence
from errbar.report.numbers import Scale
from errbar.report.standing import MOST_NAMED
from errbar.report.verdicts import Sides, probabilities, probability, verdict
from errbar.report.words import Wording, clean, listed, numbers_of

_MOST_SUSPECTS = 3


def headline_of(wording: Wording) -> Cell:
    """Return the bottom line of a comparison with pairs.

    Parameters
    ----------
    wording : Wording
        The comparison.

    Returns
    -------
    Cell
        The estimate of the one learner, or the verdict on the one pair there is; who is best, or that nobody is established to be and whom nothing rules out; or who
        is better and worse than the baseline.
    """
    comparison = wording.comparison
    if not comparison.pairs:
        return estimate_words(wording, next(iter(comparison.learners)))
    found = _bottom_line(wording)
    return sentence(wording.if_better, found) if wording.if_better else found


def _bottom_line(wording: Wording) -> Cell:
    comparison = wording.comparison
    if len(comparison.decisions) == 1:
        [found] = comparison.decisions
        tested = comparison.alternative == "two-sided" and not (
            wording.bayesian or comparison.quantity or found.degenerate
        )
        open_ = tested and not (found.significant or found.equivalent)
        return sentence("No winner: " if open_ else "", verdict(wording, found))
    if comparison.alternative != "two-sided":
        return _how_many(wording)
    if comparison.baseline is not None:
        return _against(wording, comparison.baseline)
    return _winner(wording)


def estimate_words(wording: Wording, name: str) -> Cell:
    """Say what the risk of one learner is, alone."""
    result = wording.comparison.learners[name]
    scale = Scale.of([result])
    estimate, bounds = numbers_of(scale, result)
    size = (
        "" if math.isnan(result.n_train) else f" trained on {numbers.size(result.n_train)} examples"
    )
    start = f"The {wording.measure} of {clean(name)}{size} is "
    if result.degenerate:
        return sentence(start, estimate, "; the scores do not vary, so there is no interval.")
    found = sentence(start, estimate, ", ", wording.confidence, " interval ", bounds)
    naive = wording.comparison.naive.get(name)
    if naive is None or naive.degenerate:
        return sentence(found, ".")
    return sentence(
        found, "; the naive interval would have been ", numbers_of(scale, naive)[1], "."
    )


def _any_of(names: Sequence[str]) -> str:
    """Return names as a list, which ends with how many more there are."""
    shown = [clean(name) for name in names]
    if len(shown) > MOST_NAMED:
        shown = [*shown[: MOST_NAMED - 1], f"{len(shown) - MOST_NAMED + 1} others"]
    return listed(shown, "or")


def _winner(wording: Wording) -> Cell:
    """Say who is best, or who looks best and whom nothing rules out."""
    comparison = wording.comparison
    first, *others = comparison.possible_best or comparison.standing.ranking[:1]
    name, best = comparison.standing.ranking[0], comparison.learners[comparison.standing.ranking[0]]
    if comparison.best is not None and not best.degenerate:
        best = replace(best, interval=comparison.best.risk)
    estimate, ends = numbers_of(wording.learner_scale, best)
    shown: list[str | Cell] = [estimate] if best.degenerate else [estimate, " ", ends]
    extreme = "highest" if comparison.higher_is_better else "lowest"
    has = f"{clean(name)} has the {extreme} {wording.measure}, "
    if others or first != name:
        rivals = [rival for rival in (first, *others) if rival != name]
        rest = f"; nothing rules out {_any_of(rivals)}"
        return sentence("No winner: ", has, *shown, rest, *_suspects(wording, name, rivals))
    if wording.bayesian:
        sure = min(
            _better_with(wording, name, pair)
            for pair in comparison.pairs
            if name in (pair.a, pair.b)
        )
        by = f" by more than {numbers.plain(wording.rope)}" if wording.rope else ""
        end: list[str | Cell] = [
            f", and is better than each other learner{by} with probability ",
            probability(sure),
            "." if 0.9995 <= sure < 1.0 else " or more.",
        ]
    else:
        end = [", and all others are ruled out as best at the ", wording.level, " level."]
    return sentence(
        f"{clean(name)} is best: it has the {extreme} {wording.measure}, ", *shown, *end
    )


def _better_with(wording: Wording, name: str, pair: Pair) -> float:
    return probabilities(wording, pair, turned=name == pair.b)[0]


def _suspects(wording: Wording, name: str, rivals: Sequence[str]) -> list[str | Cell]:
    """End the sentence with the learners that would be ruled out if each were the only one compared with the best."""
    known = {frozenset((pair.a, pair.b)): pair.result.pvalue for pair in wording.comparison.pairs}
    alone = {rival: known.get(frozenset((name, rival)), 1.0) for rival in rivals}
    found = {rival: p for rival, p in alone.items() if p <= wording.alpha}
    if wording.bayesian or not 0 < len(found) <= _MOST_SUSPECTS:
        return ["."]
    said: list[str | Cell] = []
    for rival, p in found.items():
        may = f". {clean(rival)} may be worse" if len(rivals) > 1 else ", which may be worse"
        said += [f", and so may {clean(rival)}" if said else may, " ("]
        said += [wording.pvalue(p, named=True), ")" if len(said) > 3 else " for that pair alone)"]
    return [*said, "."]


def _against(wording: Wording, baseline: str) -> Cell:
    """Say who is better and worse than the baseline, and who is not told from it."""
    comparison = wording.comparison
    groups: dict[str, list[str]] = {"better": [], "worse": [], "open": []}
    for found in comparison.decisions:
        sides = Sides.of(wording, found.pair)
        better, worse = (
            (found.pair.b, found.pair.a) if sides.turned else (found.pair.a, found.pair.b)
        )
        key = "open" if not found.significant else "worse" if better == baseline else "better"
        groups[key].append(worse if better == baseline else better)
    said = [
        f"{_are(groups[word])} {word} than {clean(baseline)}"
        for word in ("better", "worse")
        if groups[word]
    ]
    level = f" {wording.established}"
    if not said:
        return sentence(
            f"No learner is established to be better or worse than {clean(baseline)}", level, "."
        )
    end = f"; {_are(groups['open'])} not told from it." if groups["open"] else "."
    return sentence(" and ".join(said), level, end)


def _are(names: Sequence[str]) -> str:
    shown = [clean(name) for name in names]
    if len(shown) > MOST_NAMED:
        return f"{len(shown)} learners are"
    return f"{listed(shown)} {'is' if len(shown) == 1 else 'are'}"


def _how_many(wording: Wording) -> Cell:
    """Say how many of several one-sided claims are established."""
    comparison, baseline = wording.comparison, wording.comparison.baseline
    word = "lower" if comparison.alternative == "less" else "higher"
    other = f"than {clean(baseline)}" if baseline else "for the first of the two"
    count = sum(found.significant for found in comparison.decisions)
    return wording.counted_pairs(count, f"show {word} {wording.measure} {other}")
