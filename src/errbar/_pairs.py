"""Pairs of learners: their differences, what the tests say of them, and where that leaves the learners."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from errbar import families
from errbar._check import IntArray
from errbar.losses import Losses
from errbar.methods import correlation_from_rho, rho_threshold
from errbar.result import Result

if TYPE_CHECKING:
    from errbar._simultaneous import Joint
    from errbar.margins import Equivalence


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
    equivalence: "Equivalence | None" = None

    @property
    def gap(self) -> float:
        """How far the estimate is from the null."""
        return self.result.estimate - self.result.null

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


# Regions of a posterior in which a difference is found.
_SIDES = {"two-sided": ("left", "right"), "less": ("left",), "greater": ("right",)}


@dataclass(frozen=True)
class Decision:
    """What the tests say about one pair.

    Attributes
    ----------
    pair : Pair
        The two learners and their results.
    significant : bool
        Whether the adjusted p-value is at most 1 - level or, by a Bayesian method, the posterior probability that one learner
        is better (by more than the region of practical equivalence) is at least `level`.
    degenerate : bool
        Whether the numbers do not vary, so that no test can say anything.
    naive : float or None
        The naive test's p-value, adjusted like the method's own; None where the naive test does not apply.
    naive_significant : bool or None
        What the naive test would have said.
    equivalent : bool
        Whether two one-sided tests show that the difference lies in the region of practical equivalence or, by a Bayesian
        method, the posterior probability that it does is at least `level`.
    """

    pair: Pair
    significant: bool
    degenerate: bool
    naive: float | None
    naive_significant: bool | None
    equivalent: bool

    @classmethod
    def of(cls, pair: Pair, naive: float, *, level: float, alternative: str) -> "Decision":
        """Decide a pair by its adjusted p-value, or by the posterior probabilities of a Bayesian method."""
        degenerate = pair.result.degenerate
        usable = pair.naive is not None and not pair.naive.degenerate
        found, inside = (
            pair.adjusted <= 1.0 - level,
            pair.equivalence is not None and pair.equivalence.shown,
        )
        if posterior := pair.result.posterior:
            sides = [posterior.get(side, 0.0) for side in _SIDES[alternative]]
            found, inside = max(sides) >= level, posterior.get("rope", 0.0) >= level
        return cls(
            pair=pair,
            significant=found and not degenerate,
            degenerate=degenerate,
            naive=naive if usable else None,
            naive_significant=naive <= 1.0 - level if usable else None,
            equivalent=inside and not degenerate,
        )

    @property
    def naive_disagrees(self) -> bool:
        """Whether the naive test says something, and something else."""
        return self.naive_significant is not None and self.naive_significant != self.significant


@dataclass(frozen=True, eq=False)
class Standing:
    """Where learners stand.

    Attributes
    ----------
    ranking : tuple of str
        Names by their estimates, the best first.
    established : tuple of Decision
        The differences that the adjusted tests establish, the largest first.
    better : ndarray of int, shape (k, k)
        In the order of the ranking: 1 where the learner of the row is established to be better than that of the column, -1
        where it is established to be worse, 0 where the two are not told apart.
    """

    ranking: tuple[str, ...]
    established: tuple[Decision, ...]
    better: IntArray

    @classmethod
    def of(
        cls,
        learners: Mapping[str, Result],
        decisions: Sequence[Decision],
        *,
        higher_is_better: bool,
        higher_wins: bool,
    ) -> "Standing":
        """Rank learners by estimates, and pairs by the size of differences; a pair is won above its null, or below it."""
        ranking = tuple(
            sorted(learners, key=lambda name: learners[name].estimate, reverse=higher_is_better)
        )
        place = {name: position for position, name in enumerate(ranking)}
        established = sorted(
            (one for one in decisions if one.significant), key=lambda one: -abs(one.pair.gap)
        )
        better = np.zeros((len(ranking), len(ranking)), dtype=np.int64)
        for pair in (one.pair for one in established):
            row, column = place[pair.a], place[pair.b]
            better[row, column] = 1 if (pair.gap > 0.0) == higher_wins else -1
            better[column, row] = -better[row, column]
        return cls(ranking, tuple(established), better)

    @property
    def matrix(self) -> dict[str, dict[str, int]]:
        """Signs of `better` by names, each learner with all others."""
        rows = {
            a: dict(zip(self.ranking, row, strict=True))
            for a, row in zip(self.ranking, self.better.tolist(), strict=True)
        }
        return {a: {b: sign for b, sign in row.items() if a != b} for a, row in rows.items()}

    @property
    def possible_best(self) -> tuple[str, ...]:
        """Learners that no established difference puts behind another."""
        return tuple(
            name for name, signs in zip(self.ranking, self.better, strict=True) if signs.min() >= 0
        )


def adjusted(pairs: Iterable[Pair], how: str, joint: "Joint | None" = None) -> tuple[Pair, ...]:
    """Return the pairs of a family with p-values, of differences and of equivalence, adjusted over that family.

    Parameters
    ----------
    pairs : iterable of Pair
        All pairs of the family; all of them have tests of equivalence, or none.
    how : str
        Key of the adjustment, such as ``"holm"``.
    joint : Joint, optional
        What the tests of these pairs do together, which ``"max-t"`` needs.

    Returns
    -------
    tuple of Pair
        The same pairs.
    """
    family = tuple(pairs)
    values = adjusted_values([pair.result for pair in family], how, joint)
    family = tuple(replace(pair, adjusted=float(p)) for pair, p in zip(family, values, strict=True))
    tests = [pair.equivalence for pair in family if pair.equivalence is not None]
    if not tests:
        return family
    # Two one-sided tests have other statistics than the differences, so the sharpest that needs p-values alone stands in.
    of_tests = adjusted_alone([test.pvalue for test in tests], how)
    return tuple(
        replace(pair, equivalence=replace(test, adjusted=float(p)))
        for pair, test, p in zip(family, tests, of_tests, strict=True)
    )


def adjusted_values(results: Sequence[Result], how: str, joint: "Joint | None") -> list[float]:
    """Return the adjusted p-values of a family's results."""
    if how in families.JOINT and joint is not None:
        return joint.adjusted(results)
    return adjusted_alone([one.pvalue for one in results], how)


def adjusted_alone(pvalues: list[float], how: str) -> list[float]:
    """Return p-values adjusted over their family without what their statistics do together."""
    if len(pvalues) < 2:
        return pvalues
    found: list[float] = families.adjust(pvalues, "holm" if how in families.JOINT else how).tolist()
    return found


def _mirrored(test: "Equivalence") -> "Equivalence":
    """Return the test of b minus a from that of a minus b."""
    return replace(
        test,
        estimate=0.0 - test.estimate,
        interval=test.interval.mirrored(),
        below=test.above,
        above=test.below,
    )


def bearable_correlation(losses: Losses, *, level: float, alternative: str) -> float:
    """Return the correlation between split scores below which their t is significant.

    Parameters
    ----------
    losses : Losses
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
    share = rho_threshold(losses, level=level, alternative=alternative)
    return correlation_from_rho(share, losses.splits.value.size) if share > 0.0 else 0.0
