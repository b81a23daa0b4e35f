"""What a comparison has found, as data: estimates, differences, and what follows from them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from errbar import _check, families
from errbar._plain import plain
from errbar.margins import Equivalence
from errbar.methods import (
    Method,
    RhoSensitivity,
    correlation_from_rho,
    lookup,
    rho_sensitivity,
    rho_threshold,
)
from errbar.needs import SEVERAL_LEARNERS
from errbar.plans import KFold, Subsampling
from errbar.result import Estimand, GlobalResult, Interval, Note, Result
from errbar.table import Counts, LossTable
from errbar.views import SplitScores

DEFAULTS: dict[str, Any] = {
    "method": None,
    "baseline": None,
    "adjust": "holm",
    "rope": None,
    "level": 0.95,
    "alternative": "two-sided",
}
"""What is asked of a table where a question does not say otherwise; a comparison has each as an attribute."""

# Under these plans any two split scores correlate alike; what a score belongs to.
EXCHANGEABLE = {KFold.kind: "fold", Subsampling.kind: "split"}


@dataclass(frozen=True)
class Pair:
    """The difference of two learners, a minus b.

    Attributes
    ----------
    a, b : str
        Names.
    result : Result
        Estimate, interval and test of the difference.
    adjusted : float
        P-value adjusted over all pairs of the comparison.
    naive : Result or None
        What the t-test that ignores correlation says of the same numbers; None where it does not apply.
    equivalence : Equivalence or None
        The two one-sided tests, where a region of practical equivalence was given and the method has sides.
    """

    a: str
    b: str
    result: Result
    adjusted: float
    naive: Result | None = None
    equivalence: Equivalence | None = None

    def seen_from(self, baseline: str) -> "Pair":
        """Return the pair with the baseline as its second learner: turned round where it was the first."""
        if self.b == baseline:
            return self
        return replace(
            self,
            a=self.b,
            b=self.a,
            result=self.result.mirrored(),
            naive=None if self.naive is None else self.naive.mirrored(),
            equivalence=None if self.equivalence is None else _mirrored(self.equivalence),
        )


@dataclass(frozen=True)
class Decision:
    """What the tests say about one pair.

    Attributes
    ----------
    pair : Pair
        The two learners and their results.
    significant : bool
        Whether the adjusted p-value is at most 1 - level.
    degenerate : bool
        Whether the numbers do not vary, so that no test can say anything.
    naive : float or None
        The naive test's p-value, adjusted like the method's own; None where the naive test does not apply.
    naive_significant : bool or None
        What the naive test would have said.
    equivalent : bool
        Whether two one-sided tests show that the difference lies in the region of practical equivalence.
    """

    pair: Pair
    significant: bool
    degenerate: bool
    naive: float | None
    naive_significant: bool | None
    equivalent: bool

    @property
    def naive_disagrees(self) -> bool:
        """Whether the naive test says something, and something else."""
        return self.naive_significant is not None and self.naive_significant != self.significant


@dataclass(frozen=True, eq=False)
class ComparisonData(ABC):
    """Estimates of all learners and adjusted differences of pairs; `errbar.Comparison` shows them and lists the attributes."""

    table: LossTable
    method: str
    learners: dict[str, Result]
    naive: dict[str, Result]
    pairs: tuple[Pair, ...]
    baseline: str | None
    adjust: str
    rope: float | None
    level: float
    alternative: str
    options: dict[str, Any]
    plan: int
    overall: GlobalResult | None

    @cached_property
    def used(self) -> LossTable:
        """The numbers of the one plan that the method has worked on."""
        return self.table.of_plan(self.plan)

    @property
    def counts(self) -> Counts:
        """What the fits have cost: how many were done, reused and failed, and whose were computed together."""
        return self.table.counts

    @property
    def notes(self) -> tuple[Note, ...]:
        """All caveats, each once: of the numbers, the learners and the pairs."""
        results = [*self.learners.values(), *(pair.result for pair in self.pairs)]
        found = [*self.table.notes, *(note for result in results for note in result.notes)]
        found += [] if self.overall is None else self.overall.notes
        several = len(self.learners) > 2 and bool(self.pairs) and self.reference.estimand is Estimand.EXPECTED_RISK
        found += [SEVERAL_LEARNERS] if several else []
        return tuple(dict.fromkeys(found))

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods behind the numbers, each once: of differences, of learners and of all learners at once."""
        keys = [pair.result.method for pair in self.pairs[:1]]
        keys += [result.method for result in list(self.learners.values())[:1]]
        keys += [] if self.overall is None else [self.overall.method]
        return tuple(lookup(key) for key in dict.fromkeys(keys))

    @property
    def reference(self) -> Result:
        """Any of the method's results, for what they have in common: estimand, training size, number of splits."""
        of_pairs = self.pairs and lookup(self.method).subject != "learner"
        return self.pairs[0].result if of_pairs else next(iter(self.learners.values()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; unbounded ends are None."""
        common = self.reference
        return {
            "method": self.method,
            "options": dict(self.options),
            "loss": self.table.loss.key,
            "direction": self.table.loss.direction,
            "estimand": str(common.estimand),
            "n_train": None if math.isnan(common.n_train) else common.n_train,
            "n_splits": common.n_splits,
            "level": self.level,
            "alternative": self.alternative,
            "adjust": self.adjust,
            "baseline": self.baseline,
            "rope": self.rope,
            "learners": [
                {"name": name} | _pick(result, "estimate", "se", "low", "high")
                for name, result in self.learners.items()
            ],
            "pairs": [
                {"a": pair.a, "b": pair.b}
                | _pick(pair.result, "estimate", "se", "low", "high", "statistic", "df", "pvalue")
                | {"adjusted": pair.adjusted}
                | ({"posterior": dict(pair.result.posterior)} if pair.result.posterior else {})
                | ({"equivalence": pair.equivalence.to_dict()} if pair.equivalence else {})
                for pair in self.pairs
            ],
            "overall": None if self.overall is None else self.overall.to_dict(),
            "counts": plain(self.counts) | {"seconds": round(self.counts.seconds, 3)},
            "notes": [str(note) for note in self.notes],
            "provenance": dict(self.table.provenance),
        }

    def to_frame(self) -> Any:
        """Return a pandas frame of the pairs, or of the learners where there is one only."""
        pandas = _check.package("pandas", "app")
        data = self.to_dict()
        return pandas.DataFrame(data["pairs"] or data["learners"])

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return 1.0 - self.level

    @property
    def higher_is_better(self) -> bool:
        """Whether larger numbers are better."""
        return self.table.loss.higher_is_better

    @property
    def adjusts(self) -> bool:
        """Whether p-values are really adjusted: there are several, and an adjustment was asked for."""
        return len(self.pairs) > 1 and self.adjust != "none"

    @property
    def quantity(self) -> str | None:
        """What the numbers of pairs are, where they are no differences of losses."""
        return lookup(self.pairs[0].result.method).quantity if self.pairs else None

    @property
    def leader(self) -> str:
        """Name of the learner with the best estimate."""
        sign = -1.0 if self.higher_is_better else 1.0
        return min(self.learners, key=lambda name: sign * self.learners[name].estimate)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """What the tests say about each pair; naive p-values are adjusted like the method's own, so like meets like."""
        naive = [pair.naive.pvalue if pair.naive else 1.0 for pair in self.pairs]
        adjusted = families.adjust(naive, self.adjust)
        return tuple(self._decide(pair, float(p)) for pair, p in zip(self.pairs, adjusted, strict=True))

    def _decide(self, pair: Pair, naive: float) -> Decision:
        degenerate = pair.result.degenerate
        usable = pair.naive is not None and not pair.naive.degenerate
        inside = pair.equivalence is not None and pair.equivalence.shown
        return Decision(
            pair=pair,
            significant=pair.adjusted <= self.alpha and not degenerate,
            degenerate=degenerate,
            naive=naive if usable else None,
            naive_significant=naive <= self.alpha if usable else None,
            equivalent=inside and not degenerate,
        )

    @cached_property
    def exchangeable(self) -> str | None:
        """What a score belongs to, ``fold`` or ``split``, where one correlation between scores decides the t."""
        if not self.pairs or all(decision.degenerate for decision in self.decisions):
            return None
        splits = self.used.splits
        # One partition, or a partition for every split: otherwise scores of one repeat correlate in another way.
        several = splits.n_test.size > 1 and splits.repeats(0) in (1, splits.n_test.size)
        sides = self.alternative == "two-sided" or self.level >= 0.5
        of_scores = self.quantity is None and lookup(self.pairs[0].result.method).subject == "either"
        return EXCHANGEABLE.get(splits.kinds[0]) if several and sides and of_scores else None

    @cached_property
    def thresholds(self) -> tuple[float | None, ...]:
        """Correlation of scores up to which Student's t of each pair is significant; None where there is no answer."""
        return tuple(
            None
            if self.exchangeable is None or decision.degenerate
            else bearable_correlation(self._scores(decision.pair), level=self.level, alternative=self.alternative)
            for decision in self.decisions
        )

    @cached_property
    def rho_curve(self) -> RhoSensitivity | None:
        """P-value against the correlation, of the one pair of a K-fold cross-validation."""
        if len(self.pairs) != 1 or self.exchangeable != "fold":
            return None
        return rho_sensitivity(self._scores(self.pairs[0]), level=self.level, alternative=self.alternative)

    @property
    def test_share(self) -> float:
        """Mean share of test examples, which the corrected t takes for the correlation; NaN where it is unknown."""
        splits = self.used.splits
        return float((splits.n_test / (splits.n_train + splits.n_test)).mean())

    def _scores(self, pair: Pair) -> SplitScores:
        """Return the differences of a pair, one per split, in the direction shown."""
        found = SplitScores.of(self.used.rows(pair.a, pair.b))
        sign = -1.0 if self.higher_is_better else 1.0
        return SplitScores(sign * found.value, found.n_train, found.n_test, kind=found.kind)

    @cached_property
    def two_sided(self) -> "ComparisonData":
        """The same comparison by two-sided tests."""
        return self if self.alternative == "two-sided" else self.again(alternative="two-sided")

    @cached_property
    def by_baseline(self) -> dict[str, "ComparisonData"]:
        """The comparison as seen from each learner in turn; empty where there is a baseline already, or no pair."""
        if self.baseline is not None or not self.pairs:
            return {}
        return {name: self._seen_from(name) for name in self.learners}

    def _seen_from(self, baseline: str) -> "ComparisonData":
        """Return every other learner minus one, with p-values adjusted over the pairs that are left.

        Two-sided statements are turned round where the baseline comes first, so that the numbers are those of all
        pairs, whatever the method has drawn at random. One-sided ones are made anew: turned round they would claim the
        opposite.
        """
        if self.alternative != "two-sided":
            return self.again(baseline=baseline)
        pairs = [pair.seen_from(baseline) for pair in self.pairs if baseline in (pair.a, pair.b)]
        return replace(self, baseline=baseline, pairs=adjusted(pairs, self.adjust))

    @abstractmethod
    def again(self, **changes: Any) -> "ComparisonData":
        """Ask the same question of the same table, with some changes; `errbar.study` knows how."""


def adjusted(pairs: Iterable[Pair], how: str) -> tuple[Pair, ...]:
    """Return the pairs of a family with p-values, of differences and of equivalence, adjusted over that family.

    Parameters
    ----------
    pairs : iterable of Pair
        All pairs of the family; all of them have tests of equivalence, or none.
    how : str
        Key of the adjustment, such as ``"holm"``.

    Returns
    -------
    tuple of Pair
        The same pairs.
    """
    family = tuple(pairs)
    values = families.adjust([pair.result.pvalue for pair in family], how)
    family = tuple(replace(pair, adjusted=float(p)) for pair, p in zip(family, values, strict=True))
    tests = [pair.equivalence for pair in family if pair.equivalence is not None]
    if not tests:
        return family
    values = families.adjust([test.pvalue for test in tests], how)
    return tuple(
        replace(pair, equivalence=replace(test, adjusted=float(p)))
        for pair, test, p in zip(family, tests, values, strict=True)
    )


def _pick(result: Result, *names: str) -> dict[str, Any]:
    data = result.to_dict()
    return {name: data[name] for name in names}


def _mirrored(test: Equivalence) -> Equivalence:
    """Return the test of b minus a from that of a minus b; 0 minus 0 is 0, where minus 0 would be -0."""
    low, high = test.interval
    return replace(
        test,
        estimate=0.0 - test.estimate,
        interval=Interval(0.0 - high, 0.0 - low),
        below=test.above,
        above=test.below,
    )


def bearable_correlation(scores: SplitScores, *, level: float, alternative: str) -> float:
    """Return the correlation between split scores below which their t is significant.

    Parameters
    ----------
    scores : SplitScores
        One difference per split, any two of which correlate alike.
    level : float
        The test is at 1 - level.
    alternative : {"two-sided", "less", "greater"}
        Alternative hypothesis.

    Returns
    -------
    float
        In (0, 1]; 0 where the test is not significant even without correlation.
    """
    share = rho_threshold(scores, level=level, alternative=alternative)
    return correlation_from_rho(share, scores.value.size) if share > 0.0 else 0.0
