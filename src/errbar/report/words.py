"""Sentences: what a comparison has found, in words. All of them are computed."""

import math
import re
from collections.abc import Sequence
from functools import cached_property

from errbar import losses
from errbar._check import FloatArray
from errbar.comparison import ComparisonData, Decision, Pair
from errbar.report import numbers
from errbar.report.numbers import Scale
from errbar.result import GlobalResult, Result

FEW_PAIRS = 6

_KIND_WORDS = {
    "5x2": "5 x 2-fold cross-validation",
    "nested-kfold": "nested cross-validation",
    "halves": "random splits of all data and of halves",
    "halved-kfold": "cross-validation of all data and of halves",
    "replace-one": "cross-validation with replaced examples",
}


class Facts:
    """Everything that the sentences and tables of one comparison have in common."""

    def __init__(self, comparison: ComparisonData) -> None:
        self.comparison = comparison
        self.table = comparison.table
        self.alpha = 1.0 - comparison.level
        self.higher_is_better = self.table.loss.higher_is_better
        self.measure = measure(self.table.loss.key)
        self.family = len(comparison.pairs)

    @property
    def plan(self) -> int:
        """Position of the plan that the method has used."""
        return self.comparison.plan

    @cached_property
    def plan_words(self) -> str:
        """The plan in words, such as ``15 random splits``."""
        splits = self.table.of_plan(self.plan).splits
        return plan_words(splits.kinds[0], splits.n_test, splits.repeats(0))

    @property
    def quantity(self) -> str | None:
        """What the numbers of pairs are, where they are no differences of losses."""
        return self.comparison.quantity

    @property
    def equivalence(self) -> bool:
        """Whether pairs were tested for equivalence."""
        return any(pair.equivalence for pair in self.comparison.pairs)

    @property
    def adjusted(self) -> bool:
        """Whether p-values are really adjusted: there are several, and an adjustment was asked for."""
        return self.family > 1 and self.comparison.adjust != "none"

    @property
    def p_name(self) -> str:
        """What the deciding p-value is called."""
        return "adjusted p" if self.adjusted else "p"

    @cached_property
    def scale(self) -> Scale:
        """Decimals of the differences."""
        pairs = [pair.result for pair in self.comparison.pairs]
        return Scale.of(
            pairs if any(not result.degenerate for result in pairs) else [*self.comparison.learners.values()]
        )


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
        a single learner. Plain text; names of learners are not escaped.
    """
    facts = Facts(comparison)
    if not comparison.pairs:
        return [_single(facts, name, result) for name, result in comparison.learners.items()]
    everyone = [_everyone(facts, comparison.overall)] if comparison.overall else []
    if facts.family > FEW_PAIRS and not facts.quantity:
        return everyone + _summary(facts)
    say = _in_own_units if facts.quantity else _sentence
    return everyone + [
        say(facts, verdict, first=number == 0) for number, verdict in enumerate(facts.comparison.decisions)
    ]


def measure(key: str) -> str:
    """Return what is measured, in words."""
    known = losses.in_words(key)
    plain = re.fullmatch("[a-z0-9_]+", key)
    return known if known != key else clean(key.replace("_", " ") if plain else key)


def heading(text: str) -> str:
    """Return words with a capital; a name that a user has spelled in a way of its own stays as it is."""
    return text[:1].upper() + text[1:] if re.fullmatch("[a-z0-9 -]+", text) else text


def clean(name: str) -> str:
    """Return a name on one line and without characters that control a terminal."""
    return " ".join("".join(character if character.isprintable() else " " for character in name).split())


def listed(names: Sequence[str], link: str = "and") -> str:
    """Return names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {link} {names[-1]}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def plan_words(kind: str, n_test: FloatArray, repeats: int) -> str:
    """Return a plan in words.

    Parameters
    ----------
    kind : str
        Kind of plan.
    n_test : ndarray
        Test sizes of its splits; NaN where unknown.
    repeats : int
        Number of partitions.
    """
    count = n_test.size
    if kind == "holdout":
        size = float(n_test[0])
        return "one holdout set" if math.isnan(size) else f"one holdout of {counted(int(size), 'test example')}"
    if kind in _KIND_WORDS:
        return _KIND_WORDS[kind]
    if kind == "data-sets":
        return counted(count, "data set")
    if kind == "bootstrap":
        return counted(count, "bootstrap sample")
    if kind == "kfold":
        return _folds(count // repeats, repeats, single=bool((n_test == 1).all()))
    return counted(count, "random split" if kind == "subsampling" else "given split")


def _folds(folds: int, repeats: int, *, single: bool) -> str:
    if single and repeats == 1:
        return f"leave-one-out cross-validation of {folds} examples"
    return f"{folds}-fold cross-validation" if repeats == 1 else f"{repeats} x {folds}-fold cross-validation"


def _everyone(facts: Facts, found: GlobalResult) -> str:
    """Say what the test of all learners at once has found."""
    law = (
        f"F with {found.df[0]:g} and {found.df[1]:g}"
        if isinstance(found.df, tuple)
        else f"chi-square with {found.df:g}"
    )
    text = f"{words_of(found.method)} {found.statistic:.4g} ({law} degrees of freedom), {numbers.pvalue_phrase(found.pvalue, facts.alpha)}"
    if found.pvalue <= facts.alpha:
        return f"Over all {len(found.learners)} learners, some differ in {facts.measure}: {text}."
    level = numbers.percent(facts.alpha)
    return (
        f"Over all {len(found.learners)} learners there is no evidence at the {level} level of any difference: {text}."
    )


def words_of(method: str) -> str:
    """Return the name of a statistic."""
    return {"cochran-q": "Cochran's Q", "friedman": "Friedman's statistic"}.get(method, method)


def _in_own_units(facts: Facts, verdict: Decision, *, first: bool) -> str:
    """Say what was found about a pair by a method whose estimate is no difference of losses."""
    result = verdict.pair.result
    start = f"With {facts.plan_words}, " if first else ""
    names = f"{clean(verdict.pair.a)} against {clean(verdict.pair.b)}"
    phrase = numbers.pvalue_phrase(verdict.pair.adjusted, facts.alpha)
    number = f"{facts.scale.number(result.estimate)} {facts.scale.interval(result.low, result.high)}"
    adjusted = "adjusted " if facts.adjusted else ""
    return f"{start}{names}: {facts.quantity} {number}, {adjusted}{phrase} for the null {numbers.plain(result.null)}."


def _sentence(facts: Facts, verdict: Decision, *, first: bool) -> str:
    if verdict.degenerate:
        return _degenerate(facts, verdict.pair, first=first)
    level = numbers.percent(facts.alpha)
    claim = _claim(facts, verdict.pair)
    if verdict.significant:
        start = f"With {facts.plan_words}, at the {level} level," if first else f"At the {level} level,"
        text = f"{start} {claim}"
    else:
        start = f"With {facts.plan_words} there is" if first else "There is"
        text = f"{start} no evidence at the {level} level that {claim}"
    return f"{text}: {_difference(facts, verdict.pair)}{_remarks(facts, verdict)}."


def _claim(facts: Facts, pair: Pair) -> str:
    """Say what is claimed: for a two-sided test in favour of the learner that looks better."""
    a, b = clean(pair.a), clean(pair.b)
    if pair.result.alternative != "two-sided":
        return f"{a} has {'lower' if pair.result.alternative == 'less' else 'higher'} {facts.measure} than {b}"
    if pair.result.estimate == 0.0:
        return f"{a} and {b} differ in {facts.measure}"
    a_is_better = (pair.result.estimate > 0.0) == facts.higher_is_better
    better, worse = (a, b) if a_is_better else (b, a)
    return f"{better} has {'higher' if facts.higher_is_better else 'lower'} {facts.measure} than {worse}"


def _difference(facts: Facts, pair: Pair) -> str:
    """Return estimate, interval and p-value; the order of the names fixes the sign."""
    result, scale = pair.result, facts.scale
    difference = f"{clean(pair.a)} minus {clean(pair.b)} is {scale.number(result.estimate)}"
    confidence = numbers.percent(facts.comparison.level)
    if math.isinf(result.low) and math.isinf(result.high):
        bounds = f", without a bound at {confidence}"
    elif math.isinf(result.low):
        bounds = f", at most {scale.number(result.high)} with {confidence} confidence"
    elif math.isinf(result.high):
        bounds = f", at least {scale.number(result.low)} with {confidence} confidence"
    else:
        bounds = f" {scale.interval(result.low, result.high)}"
    phrase = numbers.pvalue_phrase(pair.adjusted, facts.alpha)
    return f"{difference}{bounds}, {'adjusted ' if facts.adjusted else ''}{phrase}"


def _remarks(facts: Facts, verdict: Decision) -> str:
    """Return what must be added to a bare test: the naive test, a single interval that misleads, equivalence."""
    remarks = []
    alone = verdict.pair.result.pvalue <= facts.alpha
    if alone and not verdict.significant:
        remarks.append(
            f"the interval leaves out 0 because it is for this pair alone, and {counted(facts.family, 'pair')} were tested"
        )
    if verdict.naive_significant is not None and verdict.naive_significant != verdict.significant:
        verb = "called it significant" if verdict.naive_significant else "missed it"
        remarks.append(f"the naive t-test would have {verb}")
    if verdict.equivalent and facts.comparison.rope is not None:
        remarks.append(
            f"two one-sided tests show the two to be practically equivalent within ±{numbers.plain(facts.comparison.rope)}"
        )
    return "".join(f"; {remark}" for remark in remarks)


def _degenerate(facts: Facts, pair: Pair, *, first: bool) -> str:
    a, b = clean(pair.a), clean(pair.b)
    start = f"With {facts.plan_words}, " if first else ""
    difference = facts.scale.number(pair.result.estimate)
    if pair.result.estimate == 0.0:
        return (
            f"{start}{a} and {b} have exactly the same {facts.measure} throughout, so there is no difference to test."
        )
    return (
        f"{start}{a} minus {b} is {difference} in {facts.measure} throughout: "
        f"the difference does not vary, so no test can say how sure it is."
    )


def _single(facts: Facts, name: str, result: Result) -> str:
    scale = Scale.of([result])
    size = "" if math.isnan(result.n_train) else f" trained on {numbers.size(result.n_train)} examples"
    start = f"With {facts.plan_words}, the {facts.measure} of {clean(name)}{size} is estimated at"
    if result.degenerate:
        return f"{start} {scale.number(result.estimate)}; the scores do not vary, so there is no interval."
    interval = f"{numbers.percent(result.level)} interval {scale.interval(result.low, result.high)}"
    text = f"{start} {scale.number(result.estimate)}, {interval}"
    naive = facts.comparison.naive.get(name)
    if naive is None or naive.degenerate:
        return f"{text}."
    return f"{text}; the naive interval would have been {scale.interval(naive.low, naive.high)}."


def _summary(facts: Facts) -> list[str]:
    """Return sentences for many pairs; the table has the details."""
    found = [verdict for verdict in facts.comparison.decisions if verdict.significant]
    sentences = [_how_many(facts, len(found)), _best(facts)]
    naive = [verdict for verdict in facts.comparison.decisions if verdict.naive_significant]
    if any(verdict.naive is not None for verdict in facts.comparison.decisions) and len(naive) != len(found):
        sentences.append(
            f"The naive t-test would have called {len(naive)} of the {facts.family} differences significant."
        )
    if facts.comparison.rope is not None and facts.equivalence:
        sentences.append(_equivalents(facts, facts.comparison.rope))
    constant = sum(verdict.degenerate for verdict in facts.comparison.decisions)
    if constant:
        sentences.append(f"In {counted(constant, 'pair')} the difference does not vary, so no test can judge it.")
    return sentences


def _equivalents(facts: Facts, rope: float) -> str:
    count = sum(verdict.equivalent for verdict in facts.comparison.decisions)
    if count == 0:
        return f"No pair is shown to be practically equivalent within ±{numbers.plain(rope)} by two one-sided tests."
    return f"Two one-sided tests show {count} of {facts.family} pairs to be practically equivalent within ±{numbers.plain(rope)}."


def _how_many(facts: Facts, count: int) -> str:
    level = numbers.percent(facts.alpha)
    adjustment = f", p-values adjusted by {adjustment_words(facts.comparison.adjust)}" if facts.adjusted else ""
    start = f"With {facts.plan_words},"
    baseline = facts.comparison.baseline
    if facts.comparison.alternative != "two-sided":
        word = "lower" if facts.comparison.alternative == "less" else "higher"
        other = f"than {clean(baseline)}" if baseline else "for the first of the two"
        return (
            f"{start} {count} of {facts.family} pairs show {word} {facts.measure} {other} "
            f"at the {level} level{adjustment}."
        )
    if baseline:
        return (
            f"{start} {count} of {facts.family} learners differ from {clean(baseline)} in {facts.measure} "
            f"at the {level} level{adjustment}."
        )
    return f"{start} {count} of {facts.family} pairs differ in {facts.measure} at the {level} level{adjustment}."


def _best(facts: Facts) -> str:
    """Name the learner with the best estimate, and those that it cannot be told from."""
    name, learners = facts.comparison.leader, facts.comparison.learners
    best = learners[name]
    scale = Scale.of(learners.values())
    text = (
        f"{'The highest' if facts.higher_is_better else 'The lowest'} estimate is that of {clean(name)}, "
        f"{scale.number(best.estimate)}"
    )
    text += f" {scale.interval(best.low, best.high)}" if not best.degenerate else ""
    tied = [
        clean(verdict.pair.b if verdict.pair.a == name else verdict.pair.a)
        for verdict in facts.comparison.decisions
        if name in (verdict.pair.a, verdict.pair.b) and not verdict.significant
    ]
    if facts.comparison.baseline or facts.comparison.alternative != "two-sided":
        return f"{text}."
    if not tied:
        return f"{text}, which differs from all others."
    return f"{text}; the test does not tell it from {listed(tied)}."


def adjustment_words(adjust: str) -> str:
    """Return the name of an adjustment, as a sentence takes it."""
    return "-".join(part.capitalize() for part in adjust.split("-")) if adjust != "none" else "none"
