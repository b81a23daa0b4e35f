"""The words that all parts of a report share: what is measured, on which plan, and how things are listed and counted."""

import math
import re
from collections.abc import Sequence
from functools import cached_property, partial

from errbar import _check, metrics
from errbar._check import FloatArray
from errbar.comparison import ComparisonData
from errbar.plans._kinds import (
    BOOTSTRAP,
    DATA_SETS,
    FIVE_BY_TWO,
    HOLDOUT,
    KFOLD,
    KINDS,
    OTHER,
    SUBSAMPLING,
)
from errbar.report.cells import Cell, bounds, minus, number, percent, pvalue, sentence
from errbar.report.numbers import Scale
from errbar.report.parts import ReportColumn
from errbar.result import Result

# Kinds of which it is told how many numbers there are.
_NOUNS: dict[str, str] = {
    DATA_SETS: "data set",
    BOOTSTRAP: "bootstrap sample",
    SUBSAMPLING: "random split",
    OTHER: "given split",
}


class Wording:
    """What the sentences and tables of one comparison have in common."""

    def __init__(self, comparison: ComparisonData) -> None:
        self.comparison = comparison
        loss = comparison.table.loss
        named = "" if loss.positive is None else clean(f"of class {loss.positive}")
        self.measure = f"{measure(loss.key)} {named}".rstrip()
        self.alpha = comparison.alpha
        self.level = percent(comparison.alpha)
        self.confidence = percent(comparison.level)
        self.for_better, self.for_worse = (
            ("higher", "lower") if comparison.higher_is_better else ("lower", "higher")
        )
        # That higher is better was told by a word at least.
        told = {"better": "lower", "say": "higher_is_better"}
        unsaid = [note for note in comparison.notes if told.items() <= note.numbers.items()]
        self.if_better = (
            f"If {self.for_better} is better, which nobody has said: " if unsaid else ""
        )
        """What a claim about better and worse begins with where nobody has said which numbers are better."""
        self.bayesian = comparison.bayesian
        self.naive = not self.bayesian and any(found.pair.naive for found in comparison.listed)
        """Whether what the naive test says is shown."""
        self.design = comparison.used.splits.designs[0]
        self.learner_scale = Scale.of(comparison.learners.values())
        """Decimals of the estimates of learners."""
        self.differences = f"Differences in {self.measure}"
        """What the numbers of pairs are, as a caption begins."""
        if comparison.quantity:
            self.differences = f"{heading(comparison.quantity)}, by {self.measure}"
        self.pvalue = partial(pvalue, alpha=comparison.alpha)
        """Returns a p-value with the digits that its level asks for."""

    @property
    def established(self) -> str:
        """How sure differences are that count as established."""
        if self.bayesian:
            return f"with a posterior probability of {self.confidence} or more"
        return f"at the {self.level} level"

    def counted_pairs(self, count: int, claim: str) -> Cell:
        """Return a sentence that so many of all pairs show something, at which level and with which adjustment."""
        comparison = self.comparison
        start = f"{count} of {len(comparison.pairs)} pairs {claim} "
        if self.bayesian:
            return sentence(start, "with a posterior probability of ", self.confidence, " or more.")
        adjustment = (
            f", p-values adjusted by {adjustment_words(comparison.adjust)}"
            if comparison.adjusts
            else ""
        )
        return sentence(start, "at the ", self.level, f" level{adjustment}.")

    @property
    def rope(self) -> float:
        """Half-width of the region of practical equivalence; 0 where none was given."""
        return float(self.comparison.rope or self.comparison.options.get("rope") or 0.0)

    @cached_property
    def plan_words(self) -> str:
        """The plan in words, such as ``15 random splits``."""
        splits, design, looks = self.comparison.used.splits, self.design, self.comparison.looks
        if looks is not None and (counts := set(looks.splits.values())) > {min(counts)}:
            return f"{min(counts)} to {max(counts)} random splits"
        sizes = splits.n_test
        if design.seeds > 1:
            seeds = splits.labels["seed"]
            sizes = sizes[seeds == seeds[0]]
        words, holdout = (
            plan_words(splits.kinds[0], sizes, splits.repeats(0)),
            splits.kinds[0] == HOLDOUT,
        )
        if design.clusters is not None and not design.clustered_scores:
            words += f" {'in' if holdout else 'of'} {self.groups_tested} groups"
        if design.time is not None and holdout and not design.backwards:
            words += " in the order of time"
        return (
            f"{design.seeds} seeds {'on' if holdout else 'in'} {words}"
            if design.seeds > 1
            else words
        )

    @property
    def groups_tested(self) -> int:
        """Number of groups of examples that are tested."""
        clusters, cells = self.design.clusters, self.comparison.used.cells
        return (
            self.design.n_clusters
            if clusters is None or cells is None
            else _check.distinct(clusters[cells.example])
        )

    @cached_property
    def scale(self) -> Scale:
        """Decimals of the differences."""
        pairs = [found.pair.result for found in self.comparison.listed]
        varying = any(not result.degenerate for result in pairs)
        return Scale.of(pairs) if varying else self.learner_scale

    @cached_property
    def pair_names(self) -> ReportColumn:
        """The first column of tables with a row per pair."""
        names = [(clean(found.pair.a), clean(found.pair.b)) for found in self.comparison.listed]
        if self.comparison.quantity:
            return ReportColumn(
                sentence("Pair"), [sentence(f"{a} over {b}") for a, b in names], "name"
            )
        return ReportColumn(sentence("Difference"), [minus(a, b) for a, b in names], "name")


def numbers_of(scale: Scale, result: Result) -> tuple[Cell, Cell]:
    """Return the estimate of a result and its interval."""
    return number(result.estimate, scale), bounds(result.low, result.high, scale, result.estimate)


def measure(key: str) -> str:
    """Return what is measured, in words."""
    if key == "correct":  # a column of zeros and ones
        return "share correct"
    known = metrics.in_words(key)
    plain = re.fullmatch("[a-z0-9_]+", key)
    return known if known != key else clean(key.replace("_", " ") if plain else key)


def heading(text: str) -> str:
    """Return words with a capital; a name that a user has spelled in a way of its own stays as it is."""
    return text[:1].upper() + text[1:] if re.fullmatch("[a-z0-9 -]+", text) else text


def clean(name: str) -> str:
    """Return a name on one line and without characters that control a terminal."""
    return " ".join(
        "".join(character if character.isprintable() else " " for character in name).split()
    )


def listed(names: Sequence[str], link: str = "and") -> str:
    """Return names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {link} {names[-1]}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def adjustment_words(adjust: str) -> str:
    """Return the name of an adjustment, as a sentence takes it."""
    if adjust in ("max-t", "none"):
        return adjust
    return "-".join(part.capitalize() for part in adjust.split("-"))


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
    if kind in _NOUNS:
        return counted(n_test.size, _NOUNS[kind])
    if kind == HOLDOUT:
        size = float(n_test[0])
        return (
            "one holdout set"
            if math.isnan(size)
            else f"one holdout of {counted(int(size), 'test example')}"
        )
    if kind == FIVE_BY_TWO:
        return "5 x 2-fold cross-validation"
    if kind != KFOLD:
        return KINDS[kind].words if kind in KINDS else "given splits"
    folds = n_test.size // repeats
    if repeats == 1 and bool((n_test == 1).all()):
        return f"leave-one-out cross-validation of {folds} examples"
    return f"{f'{repeats} x ' if repeats > 1 else ''}{folds}-fold cross-validation"
