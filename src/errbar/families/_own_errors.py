"""The law of the largest of several t statistics, each over a standard error of its own."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import special

from errbar._check import FloatArray
from errbar.families._maximum import symmetric_root

_WORK = 2**20  # draws times statistics
_FEWEST, _MOST = 2**9, 2**12
_FLAT = 1e-9  # a variance of this share of the largest is rounding
_LEVELS = np.array(
    [
        1,
        0.7,
        0.4,
        0.2,
        0.1,
        0.05,
        0.02,
        0.01,
        5e-3,
        2e-3,
        1e-3,
        3e-4,
        1e-4,
        3e-5,
        1e-5,
        1e-6,
        1e-8,
        1e-11,
    ]
)
MOST_DF = 200


@dataclass(frozen=True, eq=False)
class OwnErrors:
    r"""Law of the largest of t statistics whose standard errors are estimated one by one from the same splits.

    The statistics are :math:`T_j = c_j^T z / \sqrt{c_j^T W c_j}`, z normal, and df W Wishart, both with one covariance matrix. Where
    one small standard error makes a statistic large, the others stay as they are. So they depend on each other less than normal
    statistics do, in the tail most of all.

    With N the number of statistics above c, and j any of the m at random,
    :math:`P(\max > c) = m\, P(T_j > c)\, E[1/N \mid T_j > c]`. The mean is that of fixed draws given :math:`T_j > c`, which has no larger error
    in the far tail than elsewhere: given T_j = t, :math:`df\, (1 + t^2/df)\, c_j^T W c_j` (for unit variance) is chi-square with df + 1
    degrees of freedom. It is taken at some levels; between them the logarithms are interpolated.

    Attributes
    ----------
    contrasts : ndarray, shape (m, k)
        Coefficients of each statistic; one without variance is left out.
    covariance : ndarray, shape (k, k)
        Covariances of what they combine, up to a factor.
    df : int
        Degrees of freedom.
    two_sided : bool
        Whether absolute values are meant.
    """

    contrasts: FloatArray
    covariance: FloatArray
    df: int
    two_sided: bool = True
    _known: dict[float, float] = field(default_factory=dict, repr=False)

    def above(self, value: float) -> float:
        """Return the probability that the largest is above a value, which is not negative."""
        return self.adjusted((1 + self.two_sided) * float(special.stdtr(self.df, -value)))

    def adjusted(self, p: float) -> float:
        """Return the probability that the smallest of the p-values of all is as small as one.

        Of one-sided p-values above one half nothing is known beyond what that of one half gives.
        """
        if p <= 0.0:
            return 0.0
        low, count = float(self._levels[-1]), self._ratios.count
        level = math.log(min(max(p, low), float(self._levels[0])))
        found = math.exp(float(self._curve(level))) * min(p / low, 1.0)
        # The chance that any of several is above is no smaller than that of one, and no larger than all of them together.
        return min(max(found, p), count * p, 1.0)

    def each(self, alpha: float) -> float:
        """Return the level of each test alone at which one of all finds something with probability `alpha`."""
        from scipy import optimize

        if alpha not in self._known:
            low, high = alpha / self._ratios.count, min(alpha, float(self._levels[0]))
            reached = self.adjusted(high) > alpha
            self._known[alpha] = (
                float(
                    optimize.brentq(
                        lambda p: self.adjusted(p) - alpha, low, high, xtol=1e-12 * low, rtol=1e-12
                    )
                )
                if reached
                else high
            )
        return self._known[alpha]

    @property
    def _levels(self) -> FloatArray:
        return _LEVELS if self.two_sided else _LEVELS / 2.0

    @cached_property
    def _curve(self) -> Callable[[float], FloatArray]:
        """The logarithm of the probability of any over that of one."""
        from scipy.interpolate import PchipInterpolator  # slow to import, and seldom needed

        ratios = [self._ratios.at(level) for level in self._levels]
        together = np.minimum(self._ratios.count * self._levels * ratios, 1.0)
        rising = np.minimum.accumulate(together)[::-1]
        curve: Callable[[float], FloatArray] = PchipInterpolator(
            np.log(self._levels[::-1]), np.log(rising)
        )
        return curve

    @cached_property
    def _ratios(self) -> "_Draws":
        return _Draws.of(self.contrasts, self.covariance, self.df, two_sided=self.two_sided)


@dataclass(frozen=True, eq=False)
class _Draws:
    """What is drawn once for all levels, a row for each draw and a column for each statistic.

    With e any unit vector, the part of z and of the Wishart's factor G along the chosen statistic is set by what is given, and the rest
    is free: z = t s a + z', G = sqrt(df) s e a^T + G', s^2 the chosen variance, z' and G' without part along a.
    """

    along: FloatArray  # product with the chosen unit vector
    free: FloatArray  # numerator without its part
    spread: FloatArray  # sum of squares of G' along the statistic
    mixed: FloatArray  # product of G' with e
    uniform: FloatArray
    square: FloatArray  # chi-square with df + 1 degrees of freedom
    df: int
    two_sided: bool

    @property
    def count(self) -> int:
        return int(self.along.shape[1])

    @classmethod
    def of(
        cls, contrasts: FloatArray, covariance: FloatArray, df: int, *, two_sided: bool
    ) -> "_Draws":
        units = contrasts @ symmetric_root(covariance)
        lengths = np.linalg.norm(units, axis=1)
        varying = lengths > math.sqrt(_FLAT) * lengths.max(initial=0.0)
        units = units[varying] / lengths[varying, np.newaxis]
        count, rank = units.shape
        draws = min(_MOST, max(_FEWEST, 2 ** int(math.log2(_WORK / count))))
        rng = np.random.default_rng(0)
        chosen = units[np.arange(draws) % count]
        along = chosen @ units.T
        z = rng.standard_normal((draws, rank))
        free = z @ units.T - (z * chosen).sum(axis=1, keepdims=True) * along
        # e is the first axis: the law of the rest is the same whichever it is.
        spread, mixed = np.zeros((draws, count)), np.zeros((draws, count))
        for row in range(df):
            z = rng.standard_normal((draws, rank))
            own = z @ units.T - (z * chosen).sum(axis=1, keepdims=True) * along
            spread += own**2
            mixed = own if row == 0 else mixed
        uniform = rng.permutation(draws) + 0.5
        return cls(
            along, free, spread, mixed, uniform / draws, rng.chisquare(df + 1, draws), df, two_sided
        )

    def at(self, level: float) -> float:
        """Return the mean of one over the number of statistics beyond the quantile of t, given that the chosen one is."""
        sides = 1 + self.two_sided
        cut, drawn = (
            -special.stdtrit(self.df, level * share / sides) for share in (1.0, self.uniform)
        )
        drawn = np.reshape(drawn, (-1, 1))
        scale = np.sqrt(self.square[:, np.newaxis] / (1.0 + drawn**2 / self.df))  # sqrt(df) s
        top = self.free + (drawn * scale / math.sqrt(self.df)) * self.along
        squares = self.spread + 2.0 * scale * self.mixed * self.along + (scale * self.along) ** 2
        value = top / np.sqrt(np.maximum(squares, 0.0) / self.df)
        beyond = (np.abs(value) if self.two_sided else value) >= cut * (1.0 - 1e-9)
        return float((1.0 / np.maximum(beyond.sum(axis=1), 1)).mean())
