"""Looks at the scores of random splits as they come, each with a stricter level, so that all of them together keep theirs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from errbar import _check
from errbar._check import Facts, FloatArray, IntArray
from errbar._plain import record
from errbar.errors import UnsuitablePlanError
from errbar.losses import Losses
from errbar.methods.distributions import Answer, Asked, Law
from errbar.plans import Subsampling
from errbar.result import Interval, Note, Notes
from errbar.table import LossTable

MOST_LOOKS = 200
_POINTS, _CONTROLS = 2**15, 8
_LEVELS = np.concatenate(
    [np.geomspace(1e-12, 1e-4, 17)[:-1], np.geomspace(1e-4, 0.3, 40), np.linspace(0.3, 1.0, 15)[1:]]
)
"""Levels at one look for which the level of all looks is worked out; between them it is interpolated."""


@record
class Looks:
    """What was looked at, and when; `errbar.compare` makes it where looks are planned.

    Attributes
    ----------
    planned : numbers of splits at which was to be looked
    made : those of them at which was looked
    tables : for each look made, the learners that were in the race then, on all splits up to it
    last : number of splits behind each pair: those of the look that decided it, or of the last
    each : level of the tests at each look, with which all looks together keep theirs
    """

    planned: tuple[int, ...]
    made: tuple[int, ...]
    tables: tuple[LossTable, ...]
    last: Mapping[frozenset[str], int]
    each: float

    @property
    def splits(self) -> dict[str, int]:
        """Number of splits on which each learner was fitted."""
        looks = zip(self.made, self.tables, strict=True)
        return {name: count for count, table in looks for name in table.learners}

    def table_of(self, *names: str) -> LossTable:
        """Return the numbers behind one learner, or two: of the last look at which all were in the race."""
        count = self.last.get(frozenset(names), min(self.splits[name] for name in names))
        return self.tables[self.made.index(count)]

    def to_dict(self) -> Facts:
        """Return plain data for JSON."""
        counts = {"planned": list(self.planned), "made": list(self.made)}
        return counts | {"level_at_each": self.each, "splits": self.splits}


class Boundary(NamedTuple):
    """Planned looks at split scores, and the odds r/(1 - r) of the correlation r of two of them."""

    looks: tuple[int, ...]
    ratio: float

    def overall(self, pvalue: float, alternative: str = "two-sided") -> float:
        """Return the level of the whole procedure whose tests, at each look, are at the level `pvalue`."""
        one_sided = math.log(max(pvalue / _sides(alternative), _LEVELS[0]))
        return min(1.0, pvalue * math.exp(np.interp(one_sided, np.log(_LEVELS), _growth(self))))

    def each(self, alpha: float, alternative: str = "two-sided") -> float:
        """Return the level at each look with which the whole procedure is at the level `alpha`."""
        growth, one_sided = _growth(self), math.log(alpha / _sides(alternative))
        return alpha / math.exp(np.interp(one_sided, np.log(_LEVELS) + growth, growth))


def _sides(alternative: str) -> int:
    return 2 if alternative == "two-sided" else 1


@dataclass(frozen=True)
class OverLooks(Law):
    law: Law
    boundary: Boundary

    def pvalue(self, null: float, alternative: str) -> float:
        return self.boundary.overall(self.law.pvalue(null, alternative), alternative)

    def interval(self, level: float, alternative: str) -> Interval:
        return self.law.interval(1.0 - self.boundary.each(1.0 - level, alternative), alternative)


def planned_looks(looks: Any) -> tuple[int, ...]:
    numbers = _check.vector(looks, "looks", "look")
    steps = np.diff(numbers, prepend=1)
    whole = steps.min() > 0 and not (numbers % 1).any() and numbers.size <= MOST_LOOKS
    must = f"must be at most {MOST_LOOKS} increasing numbers of splits of at least 2, such as (15, 30, 60, 100)"
    _check.require(whole, must, looks, "looks")
    return tuple(map(int, numbers))


def over_looks(answer: Answer, losses: Losses, looks: Any, odds: float) -> Answer:
    """Have p-values and intervals of an answer hold over all planned looks; `odds` are those of the correlation, as in `Boundary`."""
    boundary = Boundary(planned_looks(looks), odds)
    n_splits = losses.splits.index.rows
    must = f"need the splits up to one of them, {_check.brief(boundary.looks)}, and a correlation above 0"
    _check.require(n_splits in boundary.looks and odds > 0.0, must, n_splits, "looks")
    if losses.kind not in (None, Subsampling.kind):
        raise UnsuitablePlanError(
            f"need independent random splits, such as errbar.plans.Subsampling(), and these are of kind {losses.kind!r}; "
            "leave `looks` out",
            argument="looks",
        )

    def remarks(asked: Asked, _: Interval) -> Notes:
        each = boundary.each(1.0 - asked.level, asked.alternative)
        return (Note("looks", looks=boundary.looks, each=100.0 * each),)

    # What the answer is referred to is found through `over`.
    answer.over, answer.remarks = lambda law: OverLooks(law, boundary), remarks
    return answer


def look_alpha(
    looks: Sequence[int], *, ratio: float, level: float = 0.95, alternative: str = "two-sided"
) -> float:
    r"""Return the level of the corrected t at each of several looks, with which all looks together keep theirs.

    Parameters
    ----------
    looks : sequence of int
        Cumulative numbers of random splits at which is looked, increasing, at least 2 each.
    ratio : float
        Test size over training size, n2/n1.
    level : float, default 0.95
        Confidence level of all looks together: a true null is rejected at any of them with
        probability 1 - level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"

    Returns
    -------
    float

    Notes
    -----
    Under the assumptions of the corrected t, split scores are :math:`d_j = \mu + U + e_j` with
    independent normal parts, the variance of U being n2/n1 times that of e. Given the e, every look
    rejects for U beyond a bound, so that the probability that one of them does is known; its mean
    over the e is taken over a lattice of points. A single look, whose level is known, takes most of
    the error of that mean away; what is left is in the fourth digit.

    Examples
    --------
    >>> import errbar
    >>> round(errbar.methods.look_alpha((15, 30, 60, 100), ratio=1 / 9), 4)
    0.0242
    """
    boundary = Boundary(planned_looks(looks), _check.positive(ratio, "ratio"))
    return boundary.each(1.0 - _check.level(level), _check.alternative(alternative))


@lru_cache(maxsize=32)
def _growth(boundary: Boundary) -> FloatArray:
    """Return the logarithm of how many times its level all looks are at, one-sided, for each of `_LEVELS`."""
    looks = np.array(boundary.looks)
    means, errors = _paths(looks, boundary.ratio)
    some = np.unique(np.linspace(0, looks.size - 1, _CONTROLS).round().astype(int))
    found = np.ones_like(_LEVELS)
    for place, level in enumerate(_LEVELS[:-1]):
        critical = -special.stdtrit(looks - 1.0, level)[:, None]
        # The statistic (U + mean)/error is above the critical value for U above this.
        ends = (critical * errors - means) / math.sqrt(boundary.ratio)
        alone = special.ndtr(-ends[some]).mean()
        # Where a level is too small for numbers to tell, the sum of those of the looks is an upper bound.
        times = special.ndtr(-ends.min(axis=0)).mean() / alone if alone > 0.0 else looks.size
        found[place] = level * times
    # One look is found to be at its own level, up to rounding.
    bounded = np.clip(found, _LEVELS, np.minimum(1.0, looks.size * _LEVELS))
    return np.log(np.maximum.accumulate(bounded)) - np.log(_LEVELS)


def _paths(looks: IntArray, ratio: float) -> tuple[FloatArray, FloatArray]:
    """Return means of the e_j and standard errors at each look, for each of many points; the variance of e is 1."""
    size = np.diff(looks, prepend=0)
    several = size > 1
    # A dimension for the mean of each look's own e_j, and one for their squares around it where there are several.
    first = np.cumsum(1 + several) - several - 1
    points = _lattice(first[-1] + 2)
    mean_e = special.ndtri(points[first]) / np.sqrt(size)[:, None]
    squares = size[:, None] * np.square(mean_e)
    # Squares of m normal e_j around their mean are chi-squared with m - 1 df, here by its quantile.
    degrees = (size[several] - 1)[:, None]
    squares[several] += 2.0 * special.gammaincinv(degrees / 2.0, points[first[several] + 1])
    splits = looks[:, None]
    means = np.cumsum(size[:, None] * mean_e, axis=0) / splits
    squared_deviations = np.cumsum(squares, axis=0) - splits * np.square(means)
    # The standard error of the corrected t, S sqrt(1/J + n2/n1).
    return means, np.sqrt(squared_deviations / (splits - 1) * (1.0 / splits + ratio))


def _lattice(dimensions: int) -> FloatArray:
    """Return points that fill the unit cube evenly: multiples of roots of primes, folded so that they have no seam."""
    # 2741 is the 400th prime: two dimensions for each of 200 looks; every composite below has a factor up to its root.
    numbers = np.arange(2, 2742)
    primes = np.setdiff1d(numbers, np.outer(numbers[:51], numbers))[:dimensions]
    whole = np.outer(np.sqrt(primes), np.arange(1.0, _POINTS + 1.0)) + 0.5
    return np.clip(1.0 - np.abs(2.0 * (whole % 1.0) - 1.0), 1e-12, 1.0 - 1e-12)
