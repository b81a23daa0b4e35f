"""Looks at the scores of random splits as they come, each with a stricter level, so that all of them together keep theirs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import Losses
from errbar.methods._core.answer import Answer, Asked
from errbar.methods.distributions import Law
from errbar.plans import Subsampling
from errbar.result import Interval, Note

MOST_LOOKS = 200
_POINTS, _CONTROLS = 2**15, 8
_LEVELS = np.concatenate(
    [np.geomspace(1e-12, 1e-4, 17)[:-1], np.geomspace(1e-4, 0.3, 40), np.linspace(0.3, 1.0, 15)[1:]]
)
"""Levels at one look for which the level of all looks is worked out; between them it is interpolated."""


class Boundary(NamedTuple):
    """Planned looks at split scores, and the odds r/(1 - r) of the correlation r of two of them."""

    looks: tuple[int, ...]
    ratio: float

    def overall(self, pvalue: float, alternative: str = "two-sided") -> float:
        """Return the level of the whole procedure whose tests, at each look, are at the level `pvalue`."""
        one_sided = max(pvalue / _sides(alternative), _LEVELS[0])
        growth = np.interp(math.log(one_sided), np.log(_LEVELS), _growth(self))
        return min(1.0, pvalue * math.exp(growth))

    def each(self, alpha: float, alternative: str = "two-sided") -> float:
        growth = _growth(self)
        one_sided = math.log(alpha / _sides(alternative))
        return alpha / math.exp(np.interp(one_sided, np.log(_LEVELS) + growth, growth))

    def spent(self, alpha: float, made: int, alternative: str = "two-sided") -> float:
        """Return the probability that one of the first looks rejects a true null, where all together are at `alpha`."""
        if made >= len(self.looks):
            return alpha
        sides = _sides(alternative)
        return min(alpha, sides * _size(self, self.each(alpha, alternative) / sides, made))


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
    rising = numbers[0] >= 2 and bool((np.diff(numbers) > 0).all())
    if not rising or (numbers % 1 != 0).any() or numbers.size > MOST_LOOKS:
        raise InvalidInputError(
            f"must be at most {MOST_LOOKS} increasing numbers of splits of at least 2, such as (15, 30, 60, 100), got {looks!r}",
            argument="looks",
        )
    return tuple(map(int, numbers))


def over_looks(answer: Answer, losses: Losses, looks: Any, odds: float) -> Answer:
    boundary = Boundary(planned_looks(looks), odds)
    made = losses.splits.index.rows
    if made not in boundary.looks:
        raise InvalidInputError(
            f"are planned at {', '.join(map(str, boundary.looks))} splits, and there are {made}; give the splits up to a look",
            argument="looks",
        )
    if losses.kind not in (None, Subsampling.kind):
        raise UnsuitablePlanError(
            f"need independent random splits, such as errbar.plans.Subsampling(), and these are of kind {losses.kind!r}; "
            "leave `looks` out",
            argument="looks",
        )
    if odds <= 0.0:
        raise InvalidInputError(
            "need a correlation above 0; leave `correlation` out for the one of the sizes",
            argument="looks",
        )

    def remarks(asked: Asked, _: Interval) -> tuple[Note, ...]:
        each = boundary.each(1.0 - asked.level, asked.alternative)
        return (Note("looks", looks=boundary.looks, each=100.0 * each),)

    answer.over, answer.remarks = partial(OverLooks, boundary=boundary), remarks
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


def _sides(alternative: str) -> int:
    return 2 if alternative == "two-sided" else 1


@lru_cache(maxsize=32)
def _growth(boundary: Boundary) -> FloatArray:
    """Return the logarithm of how many times its level all looks are at, one-sided, for each of `_LEVELS`."""
    count = len(boundary.looks)
    found = [_size(boundary, level, count) for level in _LEVELS[:-1].tolist()]
    # One look is found to be at its own level, up to rounding.
    bounded = np.clip([*found, 1.0], _LEVELS, np.minimum(1.0, count * _LEVELS))
    growth: FloatArray = np.log(np.maximum.accumulate(bounded)) - np.log(_LEVELS)
    return growth


def _size(boundary: Boundary, level: float, made: int) -> float:
    means, errors = (path[:made] for path in _paths(boundary))
    critical = -special.stdtrit(np.array(boundary.looks[:made]) - 1.0, level)[:, None]
    # The statistic (U + mean)/error is above the critical value for U above this.
    ends = (critical * errors - means) / math.sqrt(boundary.ratio)
    some = np.unique(np.linspace(0, made - 1, _CONTROLS).round().astype(int))
    alone = float(special.ndtr(-ends[some]).mean())
    # Where a level is too small for numbers to tell, the sum of those of the looks is an upper bound.
    times = float(special.ndtr(-ends.min(axis=0)).mean()) / alone if alone > 0.0 else made
    return min(1.0, level * times)


@lru_cache(maxsize=2)
def _paths(boundary: Boundary) -> tuple[FloatArray, FloatArray]:
    """Return means of the e_j and standard errors at each look, for each of many points; the variance of e is 1."""
    size = np.diff(boundary.looks, prepend=0)
    several = size > 1
    # A dimension for the mean of each look's own e_j, and one for their squares around it where there are several.
    place = np.cumsum(1 + several) - several - 1
    points = _lattice(int(place[-1]) + 2)
    own = special.ndtri(points[place]) / np.sqrt(size)[:, None]
    squares = size[:, None] * np.square(own)
    degrees = (size[several] - 1)[:, None]
    squares[several] += 2.0 * special.gammaincinv(degrees / 2.0, points[place[several] + 1])
    done = np.cumsum(size)[:, None]
    means = np.cumsum(size[:, None] * own, axis=0) / done
    around = np.cumsum(squares, axis=0) - done * np.square(means)
    return means, np.sqrt(around / (done - 1) * (1.0 / done + boundary.ratio))


def _lattice(dimensions: int) -> FloatArray:
    """Return points that fill the unit cube evenly: multiples of roots of primes, folded so that they have no seam."""
    # 2741 is the 400th prime: two dimensions for each of 200 looks; every composite below has a factor up to its root.
    numbers = np.arange(2, 2742)
    primes = np.setdiff1d(numbers, np.outer(numbers[:51], numbers))[:dimensions]
    whole = np.outer(np.sqrt(primes), np.arange(1.0, _POINTS + 1.0)) + 0.5
    return np.clip(1.0 - np.abs(2.0 * (whole % 1.0) - 1.0), 1e-12, 1.0 - 1e-12)
