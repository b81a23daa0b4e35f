"""Simultaneous intervals and p-values of all differences, or of all learners, and which learners may be the best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from errbar import families
from errbar._check import FloatArray
from errbar.families import Maximum
from errbar.families._best import others_less
from errbar.families._maximum import MOST_LEARNERS, pair_contrasts
from errbar.families._own_errors import MOST_DF, OwnErrors
from errbar.result import Interval, Result


class Ask(Protocol):
    """Asks a method about a learner, or a difference, at a level."""

    def __call__(
        self, learner: str, minus: str | None, *, level: float, alternative: str
    ) -> Result:
        """Return the result."""


@dataclass(frozen=True, eq=False)
class JointLaw:
    """What several tests do together, each with an interval and a p-value by itself.

    Attributes
    ----------
    maximum : Maximum
        Law of the largest of normal statistics that are correlated as the tests are.
    allowance : bool
        Whether degrees of freedom stand for standard errors that may all be too small by one factor, and not for noisy ones.
    own : OwnErrors or None
        Law of t statistics with its degrees of freedom, each over the standard error that the splits give it.

    Notes
    -----
    Variances that are estimated for each difference from the same splits depend on each other less than the one variance of the
    multivariate t does, and less than what is tested; `own` knows by how much. Where degrees of freedom differ, or come from
    something else than the number of splits, each statistic is carried to the normal scale by its own p-value: all are tested at
    the common level at which the smallest of correlated normal p-values is below it with probability alpha. With an allowance the
    factor is one for all, as the learners are trained on the same sets; that is the multivariate t.
    """

    maximum: Maximum
    allowance: bool
    own: OwnErrors | None = None
    _known: dict[float, Maximum] = field(default_factory=dict, repr=False)

    def each(self, alpha: float, df: Any) -> float:
        """Return the level of one test with which all together are at `alpha`."""
        return self._with(df).each(alpha)

    def adjusted(self, p: float, df: Any) -> float:
        """Return the smallest level of all together at which a test with this p-value finds something."""
        return self._with(df).adjusted(p)

    def _with(self, df: Any) -> Maximum | OwnErrors:
        """Return the law of tests with these degrees of freedom."""
        if self.own is not None and df == self.own.df:
            return self.own
        if not (self.allowance and isinstance(df, int | float) and np.isfinite(df)):
            return self.maximum
        return self._known.setdefault(df, replace(self.maximum, df=df))


@dataclass(frozen=True, eq=False)
class RuledOut:
    """Why a learner is not among the possible best.

    Attributes
    ----------
    by : str
        Learner that is better.
    estimate : float
        Difference, the learner minus the better one, in the direction shown.
    interval : Interval
        Its interval; the intervals of the learner against all others are simultaneous.
    pvalue : float
        Adjusted over the learner's comparisons with all others.
    """

    by: str
    estimate: float
    interval: Interval
    pvalue: float


@dataclass(frozen=True, eq=False)
class PossibleBest:
    """Which of several learners may be the best.

    Attributes
    ----------
    learners : tuple of str
        Those not ruled out as best, by their estimates.
    ruled_out : dict of str to RuledOut
        Why each other is not.
    winner : str
        Learner with the best estimate.
    risk : Interval
        Interval of the winner's risk, with the selection accounted for: the simultaneous intervals of all learners hold it.
    level : float
        Probability that the best is among `learners`, and that the winner's risk is in `risk`.
    losses : mapping of str to ndarray, or None
        Losses of the same independent examples, where there are any.
    """

    learners: tuple[str, ...]
    ruled_out: dict[str, RuledOut]
    winner: str
    risk: Interval
    level: float
    losses: Mapping[str, FloatArray] | None = field(default=None, repr=False)

    @cached_property
    def confidence_set(self) -> dict[str, float] | None:
        """P-values of the model confidence set of the losses, see `errbar.families.confidence_set`; about the fitted models.

        None where there is no loss for each of several independent examples.
        """
        return (
            None
            if self.losses is None
            else families.confidence_set(self.losses, level=self.level).pvalues
        )

    def __str__(self) -> str:
        """Return the learners in a sentence."""
        return f"Not ruled out as best: {', '.join(self.learners)}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "learners": list(self.learners),
            "ruled_out": {
                name: {
                    "by": why.by,
                    "estimate": why.estimate,
                    **_ends(why.interval),
                    "adjusted": why.pvalue,
                }
                for name, why in self.ruled_out.items()
            },
            "winner": self.winner,
            "risk": _ends(self.risk),
            "level": self.level,
            "confidence_set": self.confidence_set,
        }


@dataclass(frozen=True, eq=False)
class Simultaneous:
    """Simultaneous intervals: with the probability `level` all of them cover their true values.

    Attributes
    ----------
    pairs : dict of tuple of str to Interval
        Of each difference, in the order of the comparison's pairs.
    learners : dict of str to Interval
        Of each learner's risk; a family of their own.
    level : float
        Probability that all intervals of a family cover their true values.
    of : {"splits", "examples", "groups"}
        What the correlations were estimated from.
    shrinkage : float
        How much the correlations of the differences were shrunk, from 0 to 1; see `errbar.families.shrunk`.
    """

    pairs: dict[tuple[str, str], Interval]
    learners: dict[str, Interval]
    level: float
    of: str
    shrinkage: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "pairs": [
                {"a": a, "b": b, **_ends(interval)} for (a, b), interval in self.pairs.items()
            ],
            "learners": [
                {"name": name, **_ends(interval)} for name, interval in self.learners.items()
            ],
            "level": self.level,
            "correlations": {"of": self.of, "shrinkage": self.shrinkage},
        }


@dataclass(frozen=True, eq=False)
class Joint:
    """What the differences of several learners, or their risks, do together; intervals are asked for when they are wanted.

    Attributes
    ----------
    learners : tuple of str
        Names.
    couples : sequence of tuple of str
        The differences of the family, first minus second.
    values : ndarray, shape (k, n)
        A row per learner, from which the correlations are estimated: scores of splits, or losses or influence values of examples.
    of : {"splits", "examples", "groups"}
        What its columns are.
    level : float
        Probability that all intervals cover their true values.
    alternative : {"two-sided", "less", "greater"}
        Alternative hypothesis of the differences.
    allowance : bool
        See `Law`.
    losses : ndarray or None
        Losses of independent examples, for the model confidence set.
    """

    learners: tuple[str, ...]
    couples: Sequence[tuple[str, str]]
    values: FloatArray
    of: str
    level: float
    alternative: str
    allowance: bool
    ask: Ask
    losses: FloatArray | None = None

    def simultaneous(
        self, pairs: dict[tuple[str, str], Interval], learners: Mapping[str, Result]
    ) -> Simultaneous:
        """Return the intervals of the differences as they are shown, and those of all learners."""
        risks = {name: self.risk(result, name) for name, result in learners.items()}
        return Simultaneous(pairs, risks, self.level, self.of, self.shrinkage)

    def about(self, couples: Sequence[tuple[str, str]]) -> "Joint":
        """Return the same for other differences."""
        return replace(self, couples=couples)

    @property
    def without_allowance(self) -> "Joint":
        """The same where degrees of freedom say how noisy standard errors are."""
        return replace(self, allowance=False) if self.allowance else self

    @property
    def alpha(self) -> float:
        """Probability that some interval does not hold."""
        return 1.0 - self.level

    @cached_property
    def _differences(self) -> families.Spread:
        return families.shrunk(self.values)

    @property
    def shrinkage(self) -> float:
        """Share of independent learners with equal variances in the correlations; 1 for so many learners that no others are used."""
        return (
            1.0
            if self._all_pairs and len(self.learners) > MOST_LEARNERS
            else self._differences.shrinkage
        )

    @property
    def _all_pairs(self) -> bool:
        return len(self.couples) == len(self.learners) * (len(self.learners) - 1) // 2

    @cached_property
    def law(self) -> JointLaw:
        """What the tests of the differences do together."""
        two_sided, covariance = self.alternative == "two-sided", self._differences.covariance
        if self._all_pairs and (two_sided or len(self.learners) > MOST_LEARNERS):
            found = replace(Maximum.of_pairs(covariance), two_sided=two_sided)
            return self._law(found, pair_contrasts(len(self.learners)), covariance)
        place = {name: position for position, name in enumerate(self.learners)}
        contrasts = np.zeros((len(self.couples), len(self.learners)))
        for row, (a, b) in enumerate(self.couples):
            contrasts[row, place[a]], contrasts[row, place[b]] = 1.0, -1.0
        return self._law(
            Maximum.of(contrasts, covariance, two_sided=two_sided), contrasts, covariance
        )

    def _law(self, maximum: Maximum, contrasts: FloatArray, covariance: FloatArray) -> JointLaw:
        """Return the law of tests that are such combinations of the learners."""
        df = self.values.shape[1] - 1
        if (
            self.of != "splits"
            or self.allowance
            or df > MOST_DF
            or len(self.learners) > MOST_LEARNERS
        ):
            return JointLaw(maximum, self.allowance)
        return JointLaw(
            maximum, self.allowance, OwnErrors(contrasts, covariance, df, maximum.two_sided)
        )

    def adjusted(self, results: Sequence[Result]) -> list[float]:
        """Return p-values adjusted by single-step max-t, for the differences in their order; one alone stays as it is."""
        if len(results) < 2:
            return [result.pvalue for result in results]
        return [self.law.adjusted(result.pvalue, result.df) for result in results]

    def interval(self, result: Result, a: str, b: str) -> Interval:
        """Return the simultaneous interval of a difference whose plain result is given."""
        level = 1.0 - self.law.each(self.alpha, result.df)
        return self.ask(a, b, level=level, alternative=self.alternative).interval

    @cached_property
    def _risks(self) -> JointLaw:
        spread = families.shrunk(self.values, contrasts=False)
        single = np.eye(len(self.learners))
        return self._law(Maximum.of(single, spread.covariance), single, spread.covariance)

    def risk(self, result: Result, name: str) -> Interval:
        """Return the interval of a learner's own risk, simultaneous over all learners."""
        level = 1.0 - self._risks.each(self.alpha, result.df)
        return self.ask(name, None, level=level, alternative="two-sided").interval

    def best(
        self,
        learners: Mapping[str, Result],
        known: Mapping[tuple[str, str], Result],
        *,
        higher_is_better: bool,
    ) -> PossibleBest:
        """Compare each learner with all others, two-sided, and return who may be the best; differences that are known are not asked for.

        Each learner has a critical value of its own (Hsu 1996). It is that of absolute differences: with one-sided ones the best
        would be ruled out more often than promised where standard errors come from few splits.
        """
        ranking = sorted(
            learners, key=lambda name: learners[name].estimate, reverse=higher_is_better
        )
        out: dict[str, RuledOut] = {}
        for place, name in enumerate(ranking):
            above = {other: self._difference(name, other, known) for other in ranking[:place]}
            # Ties and differences that do not vary rule nobody out.
            worse = {
                other: found
                for other, found in above.items()
                if found.estimate != 0.0 and not found.degenerate
            }
            why = self._ruled_out(name, worse)
            out |= {} if why is None else {name: why}
        winner = ranking[0]
        return PossibleBest(
            learners=tuple(name for name in ranking if name not in out),
            ruled_out=out,
            winner=winner,
            risk=self.risk(learners[winner], winner),
            level=self.level,
            losses=None
            if self.losses is None
            else dict(zip(self.learners, self.losses, strict=True)),
        )

    def _difference(self, a: str, b: str, known: Mapping[tuple[str, str], Result]) -> Result:
        """Return the two-sided result of a difference."""
        if self.alternative == "two-sided":
            if (a, b) in known:
                return known[a, b]
            if (b, a) in known:
                return known[b, a].mirrored()
        return self.ask(a, b, level=self.level, alternative="two-sided")

    def _ruled_out(self, name: str, worse: Mapping[str, Result]) -> RuledOut | None:
        """Return the strongest reason why a learner is not the best, of the differences to those that look better."""
        if not worse:
            return None
        by = min(worse, key=lambda other: worse[other].pvalue)
        if worse[by].pvalue > self.alpha:
            return None
        law = JointLaw(
            Maximum.of(
                others_less(len(self.learners), self.learners.index(name)),
                self._differences.covariance,
            ),
            self.allowance,
        )
        found = worse[by]
        pvalue = law.adjusted(found.pvalue, found.df)
        if pvalue > self.alpha:
            return None
        level = 1.0 - law.each(self.alpha, found.df)
        interval = self.ask(name, by, level=level, alternative="two-sided").interval
        return RuledOut(by, found.estimate, interval, pvalue)


def _ends(interval: Interval) -> dict[str, float | None]:
    """Return both ends, None where there is none."""
    return {name: end if np.isfinite(end) else None for name, end in interval._asdict().items()}
