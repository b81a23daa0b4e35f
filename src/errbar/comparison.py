"""What a comparison has found, as data: estimates, differences, and what follows from them."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from errbar import _check, families
from errbar._pairs import (
    Decision,
    Pair,
    Standing,
    adjusted,
    adjusted_alone,
    adjusted_values,
    bearable_correlation,
)
from errbar._plain import plain
from errbar.index import SIZES
from errbar.losses import Losses
from errbar.methods import (
    Method,
    lookup,
)
from errbar.needs import SEVERAL_LEARNERS, WINNER
from errbar.plans._kinds import KFOLD, SUBSAMPLING
from errbar.result import GlobalResult, Note, Result, distinct
from errbar.table import Counts, LossTable

if TYPE_CHECKING:
    from errbar._error_parts import Across, SeedsAndExamples
    from errbar._looks import Looks
    from errbar._simultaneous import Joint, PossibleBest, Simultaneous
    from errbar.commonest import Commonest

DEFAULTS: dict[str, Any] = {
    "method": None,
    "baseline": None,
    "adjust": None,
    "rope": None,
    "level": 0.95,
    "alternative": "two-sided",
}
"""Options of a comparison where none are given; a comparison has each as an attribute."""

FOUND = 0.8
"""Power at which a difference counts as one that a study finds."""

# Under these plans any two split scores correlate alike; what a score belongs to.
EXCHANGEABLE = {KFOLD: "fold", SUBSAMPLING: "split"}


@dataclass(frozen=True, eq=False, repr=False)
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
    looks: "Looks | None" = None
    joint: "Joint | None" = None

    def __repr__(self) -> str:
        """Return the shape in words."""
        name, sizes = type(self).__name__, f"{len(self.learners)} learners, {len(self.pairs)} pairs"
        return f"{name}({sizes}, method {self.method!r}, loss {self.table.loss.key!r})"

    @cached_property
    def used(self) -> LossTable:
        """The numbers of the one plan that the method has worked on."""
        return self.table.of_plan(self.plan)

    def named(self, name: str) -> Self:
        """Return the same comparison with a name of its data, which reports show."""
        return replace(self, table=replace(self.table, name=name))

    def table_of(self, *names: str) -> LossTable:
        """Return the table behind a learner, or a pair: with looks that of the last look at which it was in the race."""
        return self.table if self.looks is None else self.looks.table_of(*names)

    @cached_property
    def commonest(self) -> "Commonest | None":
        """What always predicting the commonest class gets, where one class has more than four fifths of the examples."""
        if self.used.target is None:
            return None
        from errbar.commonest import commonest_of

        return commonest_of(self.used)

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
        several = (
            len(self.learners) > 2
            and bool(self.pairs)
            and self.pairs[0].result.method == "corrected-t"
        )
        found += [SEVERAL_LEARNERS] if several and not self.bayesian else []
        found += [WINNER] if self.joint is not None else []
        return distinct(found)

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
                | ({"n_splits": pair.result.n_splits} if self.looks else {})
                | ({"posterior": dict(pair.result.posterior)} if pair.result.posterior else {})
                | ({"equivalence": pair.equivalence.to_dict()} if pair.equivalence else {})
                for pair in self.pairs
            ],
            "overall": None if self.overall is None else self.overall.to_dict(),
            "widening": None if self.widening is None else self.widening._asdict(),
            "detectable": None if self.detectable is None else self.detectable._asdict(),
            "simultaneous": None if self.simultaneous is None else self.simultaneous.to_dict(),
            "best": None if self.best is None else self.best.to_dict(),
            "commonest": None if self.commonest is None else self.commonest.to_dict(),
            "looks": None if self.looks is None else self.looks.to_dict(),
            "counts": plain(self.counts) | {"seconds": round(self.counts.seconds, 3)},
            "notes": list(map(plain, self.notes)),
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
    def bayesian(self) -> bool:
        """Whether pairs are judged by posterior probabilities, and not by p-values."""
        return any(pair.result.posterior for pair in self.pairs)

    @cached_property
    def standing(self) -> Standing:
        """The ranking of the learners, and which of them are established to be better than which."""
        higher = self.higher_is_better
        return Standing.of(
            self.learners,
            self.decisions,
            higher_is_better=higher,
            higher_wins=higher or bool(self.quantity),
        )

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """What the tests say about each pair; naive p-values are adjusted like the method's own, so like meets like."""
        naive = self._naive_adjusted()
        return tuple(
            Decision.of(pair, p, level=self.level, alternative=self.alternative)
            for pair, p in zip(self.pairs, naive, strict=True)
        )

    def _naive_adjusted(self) -> list[float]:
        known = [pair.naive for pair in self.pairs if pair.naive is not None]
        if self.adjust in families.JOINT and len(known) == len(self.pairs):
            return adjusted_values(known, self.adjust, self.joint and self.joint.without_allowance)
        alone = [one.naive.pvalue if one.naive else 1.0 for one in self.pairs]
        return adjusted_alone(alone, self.adjust)

    @cached_property
    def simultaneous(self) -> "Simultaneous | None":
        """Simultaneous intervals of all differences, and of all learners.

        None for fewer than three learners, with looks, and for methods whose estimates are not in units of the loss or that have no sides.
        """
        if self.joint is None:
            return None
        pairs = {(pair.a, pair.b): self.shown(pair).interval for pair in self.pairs}
        return self.joint.simultaneous(pairs, self.learners)

    def shown(self, pair: Pair) -> Result:
        """Return the result of a pair as a report shows it: with the simultaneous interval, where there is one."""
        if self.joint is None or pair.result.degenerate:
            return pair.result
        found = self._shown.get((pair.a, pair.b))
        if found is None:
            found = replace(pair.result, interval=self.joint.interval(pair.result, pair.a, pair.b))
            self._shown[pair.a, pair.b] = found
        return found

    @cached_property
    def _shown(self) -> dict[tuple[str, str], Result]:
        return {}

    @property
    def possible_best(self) -> tuple[str, ...]:
        """Learners that are not ruled out as best; with looks, posteriors, or no simultaneous intervals, those that no decided pair rules out."""
        if self.best is not None and not self.bayesian:
            return self.best.learners
        told = (
            len(self.learners) > 2
            and self.pairs
            and self.baseline is None
            and self.alternative == "two-sided"
        )
        return self.standing.possible_best if told else ()

    @cached_property
    def best(self) -> "PossibleBest | None":
        """Learners that are not ruled out as best, why each other one is, and the winner's risk; None as for `simultaneous`."""
        if self.joint is None:
            return None
        known = {(pair.a, pair.b): pair.result for pair in self.pairs}
        return self.joint.best(self.learners, known, higher_is_better=self.higher_is_better)

    @property
    def listed_learners(self) -> tuple[str, ...]:
        """All learners in the order in which a report lists them: by rank, or two as they were given."""
        return (
            self.standing.ranking if len(self.learners) > 2 and self.pairs else tuple(self.learners)
        )

    @property
    def matrix(self) -> dict[str, dict[str, int]]:
        """Who is better than whom, by rank: 1 where the first is established to be better than the second, -1 worse, 0 not told apart."""
        return self.standing.matrix

    @cached_property
    def exchangeable(self) -> str | None:
        """What a score belongs to, ``fold`` or ``split``, where one correlation between scores decides the t."""
        judged = not self.bayesian and any(not decision.degenerate for decision in self.decisions)
        if not judged or "looks" in self.options:
            return None
        splits = self.used.splits
        # One partition, or a partition for every split: otherwise scores of one repeat correlate in another way.
        several = (
            splits.n_test.size > 1
            and splits.repeats(0) in (1, splits.n_test.size)
            and splits.designs[0].seeds == 1
        )
        sides = self.alternative == "two-sided" or self.level >= 0.5
        of_scores = (
            self.quantity is None and lookup(self.pairs[0].result.method).subject == "either"
        )
        return EXCHANGEABLE.get(splits.kinds[0]) if several and sides and of_scores else None

    def threshold(self, decision: Decision) -> float | None:
        """Return the correlation of scores up to which Student's t of a pair is significant; None where there is no answer."""
        if self.exchangeable is None or decision.degenerate:
            return None
        return bearable_correlation(
            self._scores(decision.pair), level=self.level, alternative=self.alternative
        )

    def _scores(self, pair: Pair) -> Losses:
        """Return the differences of a pair, one per split, in the direction shown."""
        found = self.used.losses(pair.a, pair.b).splits
        sign = -1.0 if self.higher_is_better else 1.0
        sizes: dict[str, Any] = {role: found.index[role] for role in SIZES if role in found.index}
        return Losses(sign * found.value, kind=found.kind, **sizes)

    @cached_property
    def components(self) -> list[dict[str, float]]:
        """Parts of the squared standard errors of the pairs, or of the learners where there are none, that vary."""
        results = [pair.result for pair in self.pairs] or list(self.learners.values())
        return [dict(one.components) for one in results if sum(one.components.values()) > 0.0]

    @cached_property
    def widening(self) -> "Across | None":
        """How many times as large as those of independent examples standard errors are; None without a method that tells."""
        from errbar._error_parts import widening

        return widening(self.components)

    @cached_property
    def seeds_and_examples(self) -> "SeedsAndExamples | None":
        """What comes from seeds and what from examples; None without a method that tells."""
        from errbar._error_parts import SeedsAndExamples

        return SeedsAndExamples.of(self.components)

    @cached_property
    def detectable(self) -> "Across | None":
        """Smallest true difference that such a study finds with a power of `FOUND`, if its standard errors are right.

        Each pair is tested at the level that all pairs together leave it. None where the statistic does not follow the t or
        the normal distribution.
        """
        results = [
            self._at_own_level(pair.result)
            for pair in self.pairs
            if not pair.result.degenerate and pair.result.se > 0.0
        ]
        if self.quantity or self.bayesian or not results:
            return None
        from errbar._error_parts import Across
        from errbar.planning._detectable import detectable

        found: list[float] = []
        for level in {one.level for one in results}:
            own = detectable([one for one in results if one.level == level], FOUND)
            if own is None:
                return None
            found += own.tolist()
        return Across.of(found)

    def _at_own_level(self, result: Result) -> Result:
        """Return a result at the level at which its pair is tested: by max-t, or the strictest of its family."""
        alpha = self.alpha
        if self.joint is not None and self.adjust in families.JOINT:
            alpha = self.joint.law.each(alpha, result.df)
        elif self.adjusts:
            alpha /= len(self.pairs)
        return replace(result, level=1.0 - alpha)

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
        joint = self.joint and self.joint.about([(pair.a, pair.b) for pair in pairs])
        return replace(
            self, baseline=baseline, pairs=adjusted(pairs, self.adjust, joint), joint=joint
        )

    @abstractmethod
    def again(self, **changes: Any) -> "ComparisonData":
        """Ask the same question of the same table, with some changes; `errbar.study` knows how."""


def _pick(result: Result, *names: str) -> dict[str, Any]:
    return plain(
        {name: getattr(result, name) for name in names},
        infinite=tuple(name for name in names if name == "statistic"),
    )
