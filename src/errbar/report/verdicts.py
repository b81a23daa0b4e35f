"""One pair in a sentence: which learner is better and by how much, so that nobody has to turn a sign."""

import math
from typing import NamedTuple

from errbar._pairs import Decision, Pair
from errbar.report import numbers
from errbar.report.cells import Cell, bounds, number, sentence
from errbar.report.words import Wording, clean, counted, numbers_of
from errbar.result import Interval


class Sides(NamedTuple):
    """A pair with the learner that looks better first.

    Attributes
    ----------
    better, worse : str
        Names; in the order of the pair where the estimates are equal.
    gain : float
        How much better the first looks, at least 0, in units of the loss.
    interval : Interval
        Of the gain: below 0 the second is better.
    turned : bool
        Whether `better` is the second of the pair.
    """

    better: str
    worse: str
    gain: float
    interval: Interval
    turned: bool

    @classmethod
    def of(cls, wording: Wording, pair: Pair) -> "Sides":
        """Turn a pair so that its better learner comes first."""
        result, higher = wording.comparison.shown(pair), wording.comparison.higher_is_better
        gain = result.estimate if higher else 0.0 - result.estimate
        interval = result.interval if higher else result.interval.mirrored()
        if gain < 0.0:
            return cls(clean(pair.b), clean(pair.a), -gain, interval.mirrored(), turned=True)
        return cls(clean(pair.a), clean(pair.b), gain, interval, turned=False)


def verdict(wording: Wording, found: Decision) -> Cell:
    """Return a sentence on one pair.

    Parameters
    ----------
    wording : Wording
        The comparison.
    found : Decision
        What it says of the pair.

    Returns
    -------
    Cell
        Who is better, by how much with which interval, and the p-value, or the posterior probabilities.
    """
    if found.degenerate:
        return _degenerate(wording, found.pair)
    if wording.comparison.quantity:
        return _in_own_units(wording, found)
    said = _probable(wording, found) if wording.bayesian else _tested(wording, found)
    return sentence(said, _remarks(wording, found), ".")


def _tested(wording: Wording, found: Decision) -> Cell:
    p = sentence(
        ", ",
        "adjusted " if wording.comparison.adjusts else "",
        wording.pvalue(found.pair.adjusted, named=True),
    )
    if found.pair.result.alternative != "two-sided":
        return sentence(_one_sided(wording, found), p)
    sides = Sides.of(wording, found.pair)
    if found.significant:
        have = (
            f"{sides.better} has {wording.for_better} {wording.measure} than {sides.worse} at the "
        )
        return sentence(have, wording.level, " level, by ", _gain(wording, sides), p)
    return sentence(
        f"{sides.better} and {sides.worse} are not told apart: ", _open(wording, sides), p
    )


def _gain(wording: Wording, sides: Sides) -> Cell:
    """Return the gain with its interval in brackets."""
    low, high = sides.interval
    return sentence(
        number(sides.gain, wording.scale), " ", bounds(low, high, wording.scale, sides.gain)
    )


def _open(wording: Wording, sides: Sides) -> Cell:
    """Say in which range a difference may be that is not established."""
    (low, high), scale = sides.interval, wording.scale
    if sides.gain == 0.0:
        start = sentence(f"their estimates of {wording.measure} are equal")
        may = f"{sides.better} may have"
    else:
        gain = number(sides.gain, scale)
        start = sentence(f"{sides.better} has {wording.for_better} {wording.measure} by ", gain)
        may = "may have"
    if low >= 0.0:
        return sentence(start, " ", bounds(low, high, scale, sides.gain))
    most, least = number(high, scale), number(-low, scale)
    return sentence(
        start,
        f", but {may} anything from ",
        most,
        f" {wording.for_better} to ",
        least,
        f" {wording.for_worse}",
    )


def _one_sided(wording: Wording, found: Decision) -> Cell:
    """Say whether the claim of a one-sided test is established, and what bound there is."""
    result, scale = wording.comparison.shown(found.pair), wording.scale
    word = "lower" if result.alternative == "less" else "higher"
    claim = f"{clean(found.pair.a)} has {word} {wording.measure} than {clean(found.pair.b)}"
    other = "higher" if word == "lower" else "lower"
    # The bound is at the far end of the claim: how much lower (or higher) at least, or how much the other way at most.
    end, gain = (
        (-result.high, -result.estimate) if word == "lower" else (result.low, result.estimate)
    )
    by = sentence(number(abs(gain), scale), f" {word if gain >= 0.0 else other}")
    if math.isinf(end):
        bound = sentence("without a bound at ", wording.confidence, " confidence")
    elif end >= 0.0:
        bound = sentence(
            "at least ", number(end, scale), f" {word} with ", wording.confidence, " confidence"
        )
    else:
        bound = sentence(
            "at most ", number(-end, scale), f" {other} with ", wording.confidence, " confidence"
        )
    if found.significant:
        return sentence("At the ", wording.level, f" level {claim}: it is ", by, ", ", bound)
    return sentence(
        "There is no evidence at the ",
        wording.level,
        f" level that {claim}: it is ",
        by,
        ", ",
        bound,
    )


def _probable(wording: Wording, found: Decision) -> Cell:
    """Say how probable it is that one of two learners is better, practically equal or worse."""
    sides, rope = Sides.of(wording, found.pair), wording.rope
    better, equal, worse = probabilities(wording, found.pair, turned=sides.turned)
    within = f"within ±{numbers.plain(rope)}"
    if found.equivalent:
        both = (
            f"{sides.better} and {sides.worse} are practically equal ({within}) with probability "
        )
        return sentence(both, probability(equal), ": ", _open(wording, sides))
    by = f" by more than {numbers.plain(rope)}" if rope else ""
    start = sentence(
        f"{sides.better} has {wording.for_better} {wording.measure} than {sides.worse}{by} with probability ",
        probability(better),
    )
    if found.significant:
        return sentence(start, f": it is {wording.for_better} by ", _gain(wording, sides))
    rest: list[str | Cell] = (
        [", ", f"practically equal ({within}) with ", probability(equal)] if rope else []
    )
    return sentence(
        "Undecided: ",
        start,
        *rest,
        ", worse with ",
        probability(worse),
        "; ",
        _open(wording, sides),
    )


def probabilities(
    wording: Wording, pair: Pair, *, turned: bool = False
) -> tuple[float, float, float]:
    """Return the posterior probabilities that the first of a pair, or the second, is better, practically equal and worse."""
    posterior = pair.result.posterior
    below, above = posterior.get("left", 0.0), posterior.get("right", 0.0)
    first = above if wording.comparison.higher_is_better else below
    second = below if wording.comparison.higher_is_better else above
    better, worse = (second, first) if turned else (first, second)
    return better, posterior.get("rope", 0.0), worse


def probability(value: float) -> Cell:
    """Return a probability with three decimals, or as a bound where these would make it certain."""
    if 0.0 < value < 0.0005:
        return sentence("<0.001", value=value)
    if 0.9995 <= value < 1.0:
        return sentence(">0.999", value=value)
    return Cell(lambda style: style.digits(f"{value:.3f}"), value)


def _remarks(wording: Wording, found: Decision) -> str:
    """Return what must be added: the naive test, an interval that disagrees with its p-value, equivalence."""
    if wording.bayesian:
        return ""
    remarks, comparison = [], wording.comparison
    (low, high), null = comparison.shown(found.pair).interval, found.pair.result.null
    if comparison.joint is not None:
        if found.significant and low <= null <= high:
            remarks.append(
                "the simultaneous interval includes 0 since it goes with max-t, which is stricter here"
            )
        if not found.significant and not low <= null <= high:
            remarks.append(
                "the simultaneous interval leaves out 0 since it goes with max-t, which finds more here"
            )
    elif found.pair.result.pvalue <= wording.alpha and not found.significant:
        pairs = counted(len(comparison.pairs), "pair")
        remarks.append(
            f"the interval leaves out 0 because it is for this pair alone, and {pairs} were tested"
        )
    if found.naive_disagrees:
        verb = "called it significant" if found.naive_significant else "missed it"
        remarks.append(f"the naive t-test would have {verb}")
    if found.equivalent and comparison.rope is not None:
        rope = numbers.plain(comparison.rope)
        remarks.append(
            f"two one-sided tests show the two to be practically equivalent within ±{rope}"
        )
    return "".join(f"; {remark}" for remark in remarks)


def _degenerate(wording: Wording, pair: Pair) -> Cell:
    a, b = clean(pair.a), clean(pair.b)
    if pair.result.estimate == 0.0:
        return sentence(
            f"{a} and {b} have exactly the same {wording.measure} throughout, so there is no difference to test."
        )
    sides = Sides.of(wording, pair)
    return sentence(
        f"{sides.better} has {wording.for_better} {wording.measure} than {sides.worse} by ",
        number(sides.gain, wording.scale),
        " throughout: the difference does not vary, so no test can say how sure it is.",
    )


def _in_own_units(wording: Wording, found: Decision) -> Cell:
    """Say what was found about a pair by a method whose estimate is no difference of losses."""
    comparison, result = wording.comparison, found.pair.result
    estimate, ends = numbers_of(wording.scale, result)
    return sentence(
        f"{clean(found.pair.a)} against {clean(found.pair.b)}: {comparison.quantity} ",
        estimate,
        " ",
        ends,
        f", {'adjusted ' if comparison.adjusts else ''}",
        wording.pvalue(found.pair.adjusted, named=True),
        f" for the null {numbers.plain(result.null)}.",
    )
