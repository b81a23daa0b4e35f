"""The law of the largest of several correlated statistics, by quadrature over directions."""

import math
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Self

import numpy as np
from scipy import special

from errbar._check import FloatArray

_MOST_WORK = 2**26  # directions times statistics
_ON_CIRCLE, _MOST_DIRECTIONS, _FEWEST_DIRECTIONS = 2**16, 2**14, 2**12
_GROUPS = 2**10
_AT_ONCE = 2**21
MOST_LEARNERS, _WITH_CONTROL = 60, 5
_FLAT = 1e-9  # a variance of this share of the largest is rounding


@dataclass(frozen=True, eq=False)
class Maximum:
    r"""Law of the largest of several t, or standard normal, statistics.

    The statistics are :math:`a_j^T g / s` with unit vectors :math:`a_j`, a standard normal g in r dimensions and
    :math:`s^2 \sim \chi^2_{df}/df`, one for all. With g = radius times direction u and :math:`h(u) = \max_j |a_j^T u|` (one-sided
    without the bars), the largest is at most c with probability :math:`E_u\, F_{r, df}(c^2 / (r h(u)^2))`, F the law of
    Fisher's ratio. The mean over directions is taken over fixed points: equally spaced on the circle, Sobol points beyond.
    For all pairs of several learners and normal statistics, what these points miss for independent learners with equal variances,
    whose law is that of the range, is taken off.

    Attributes
    ----------
    reach : ndarray
        Values of h over the directions, ascending, neighbours put together; empty where the law of the range is all there is.
    rank : int
        Dimension r.
    df : float
        Degrees of freedom; infinite for normal statistics.
    count : int
        Number of statistics.
    two_sided : bool
        Whether their absolute values are meant.
    learners : int
        Number of learners all of whose pairs these are, where the law of the range is used.
    control : ndarray
        As `reach`, for independent learners with equal variances.
    """

    reach: FloatArray
    rank: int
    df: float
    count: int
    two_sided: bool
    learners: int = 0
    control: FloatArray = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of_pairs(cls, covariance: FloatArray) -> Self:
        """Return the law of the absolute normal statistics of all pairs of learners.

        For more than 60 learners the covariances are not used, and the law is that of the range, of independent learners with
        equal variances: no other variances of independent learners give larger critical values (Hayter 1984).
        """
        learners = len(covariance)
        if learners > MOST_LEARNERS:
            count = learners * (learners - 1) // 2
            return cls(
                np.empty(0), learners - 1, math.inf, count, two_sided=True, learners=learners
            )
        contrasts = pair_contrasts(learners)
        found = cls.of(contrasts, covariance)
        if found.rank < learners - 1 or learners < _WITH_CONTROL:
            return found
        return replace(found, learners=learners, control=_control(learners))

    @classmethod
    def of(
        cls,
        contrasts: FloatArray,
        covariance: FloatArray,
        *,
        df: float = math.inf,
        two_sided: bool = True,
    ) -> Self:
        """Return the law of the statistics of contrasts.

        Parameters
        ----------
        contrasts : ndarray, shape (m, k)
            Coefficients of each.
        covariance : ndarray, shape (k, k)
            Covariances of what they combine, up to a factor. A contrast without variance is left out.
        df : float, default infinite
            Degrees of freedom.
        two_sided : bool, default True
            Whether absolute values are meant.
        """
        rooted = contrasts @ symmetric_root(covariance)
        units = rooted @ _axes_of_rows(rooted)
        lengths = np.linalg.norm(units, axis=1)
        varying = lengths > math.sqrt(_FLAT) * lengths.max(initial=0.0)
        units = units[varying] / lengths[varying, np.newaxis]
        if not units.size:
            return cls(np.ones(1), 1, df, 1, two_sided)
        fine = math.isfinite(df)
        return cls(
            _reaches(units, two_sided=two_sided, fine=fine),
            units.shape[1],
            df,
            len(units),
            two_sided,
        )

    def above(self, value: float) -> float:
        """Return the probability that the largest is above a value."""
        if value <= 0.0:
            return 1.0 if self.two_sided else self._above_low(value)
        found = self._beyond(value, self.reach)
        if self.learners:
            found += range_above(value, self.learners, self.df) - self._beyond(value, self.control)
        # The chance that any of several is above is no smaller than that of one, and no larger than all of them together.
        single = (1 + self.two_sided) * self._tail(value)
        return float(min(max(found, single), self.count * single, 1.0))

    def _above_low(self, value: float) -> float:
        """Return the same of one-sided statistics for a value that is not positive: the chance is in what is below it."""
        return 1.0 - self._beyond(-value, -self.reach)

    def _beyond(self, value: float, reach: FloatArray) -> float:
        """Return the mean over directions of the probability that the radius goes beyond value/reach."""
        if not reach.size:
            return 0.0
        with np.errstate(divide="ignore", over="ignore"):
            squares = np.where(reach > 0.0, (value / reach) ** 2, np.inf)
        if math.isfinite(self.df):
            return float(special.fdtrc(self.rank, self.df, squares / self.rank).mean())
        return float(special.chdtrc(self.rank, squares).mean())

    def _tail(self, value: float) -> float:
        return float(
            special.ndtr(-value) if math.isinf(self.df) else special.stdtr(self.df, -value)
        )

    def critical(self, alpha: float) -> float:
        """Return the value that the largest exceeds with a probability."""
        from scipy import optimize

        low, high = (0.0, 1.0) if self.two_sided or self.above(0.0) > alpha else (-64.0, 1.0)
        while self.above(high) > alpha:
            low, high = high, 2.0 * high
        return float(
            optimize.brentq(
                lambda value: self.above(value) - alpha, low, high, xtol=1e-12, rtol=1e-12
            )
        )

    def each(self, alpha: float) -> float:
        """Return the level of each test alone at which one of all finds something with probability `alpha`."""
        found = self._known.get(alpha)
        if found is None:
            found = self._known[alpha] = (1 + self.two_sided) * self._tail(self.critical(alpha))
        return found

    def adjusted(self, p: float) -> float:
        """Return the probability that the smallest of the p-values of all is as small as one."""
        tail = p / (1 + self.two_sided)
        if tail <= 0.0:
            return 0.0
        value = -special.ndtri(tail) if math.isinf(self.df) else -special.stdtrit(self.df, tail)
        return max(p, self.above(float(value)))

    @cached_property
    def _known(self) -> dict[float, float]:
        return {}


def _reaches(units: FloatArray, *, two_sided: bool, fine: bool) -> FloatArray:
    """Return how far the farthest of unit vectors reaches in each direction, means of neighbours in ascending order.

    A law of t is asked for once, and gets more directions than normal laws, of which a comparison needs several.
    """
    count, rank = units.shape
    wanted = min(
        _MOST_DIRECTIONS,
        max(_FEWEST_DIRECTIONS, 2 ** int(math.log2(_MOST_WORK / count / rank) + 1)),
    )
    points = directions(rank, _ON_CIRCLE if fine or rank == 2 else wanted)
    found = np.empty((1 if two_sided else 2, len(points)))
    step = max(1, _AT_ONCE // count)
    for start in range(0, len(points), step):
        here = slice(start, start + step)
        along = points[here] @ units.T
        if two_sided:
            found[0, here] = np.abs(along).max(axis=1)
        else:
            # Each direction goes with its opposite.
            found[0, here] = along.max(axis=1)
            found[1, here] = -along.min(axis=1)
    together = max(1, found.size // _GROUPS)
    return np.asarray(np.sort(found, axis=None).reshape(-1, together).mean(axis=1))


def symmetric_root(covariance: FloatArray) -> FloatArray:
    """Return the symmetric square root, which does not depend on how a library turns the eigenvectors."""
    variances, axes = np.linalg.eigh(covariance)
    rounding = len(variances) * np.finfo(float).eps * variances.max(initial=0.0)
    sizes = np.sqrt(np.where(variances > rounding, variances, 0.0))
    return np.asarray((axes * sizes) @ axes.T)


def _axes_of_rows(rooted: FloatArray) -> FloatArray:
    """Return orthonormal columns that span the rows of a matrix, the same ones whatever the library."""
    _, sizes, right = np.linalg.svd(rooted, full_matrices=False)
    rows = right[sizes > math.sqrt(_FLAT) * sizes.max(initial=0.0)]
    # The singular vectors' signs, and their mixtures where sizes are equal, are the library's; the projection on them is not.
    fixed = np.random.default_rng(0).standard_normal((rooted.shape[1], len(rows)))
    axes, triangle = np.linalg.qr(rows.T @ (rows @ fixed))
    return np.asarray(axes * np.sign(np.diagonal(triangle)))


def pair_contrasts(learners: int) -> FloatArray:
    """Return the coefficients of all pairs, first minus later, a row each."""
    first, second = np.triu_indices(learners, 1)
    found = np.zeros((first.size, learners))
    found[np.arange(first.size), first], found[np.arange(first.size), second] = 1.0, -1.0
    return found


def range_above(value: float, count: int, df: float = math.inf) -> float:
    r"""Return the probability that two of independent standard normal numbers differ by more than `value` times root 2.

    With degrees of freedom they are over one :math:`s`, :math:`s^2 \sim \chi^2_{df}/df`.
    """
    scale, weight = _scales(df)
    step = _NORMAL_GRID[1] - _NORMAL_GRID[0]
    apart = math.sqrt(2.0) * value * scale[:, np.newaxis]
    between = special.ndtr(_NORMAL_GRID) - special.ndtr(_NORMAL_GRID - apart)
    density = np.exp(-0.5 * _NORMAL_GRID**2) / math.sqrt(2.0 * math.pi)
    return float(weight @ (1.0 - count * step * (between ** (count - 1) @ density)))


_NORMAL_GRID = np.linspace(-9.0, 9.0, 151)
_FEWEST_NODES, _NODES_DF, _FARTHEST = (
    48,
    400,
    1e-15,
)  # few degrees of freedom spread s over many orders


@cache
def _scales(df: float) -> tuple[FloatArray, FloatArray]:
    """Return values of s with their probabilities: a Gauss rule over its logarithm."""
    if math.isinf(df):
        return np.ones(1), np.ones(1)
    low, high = (
        0.5 * math.log(end / df)
        for end in (special.chdtri(df, 1.0 - _FARTHEST), special.chdtri(df, _FARTHEST))
    )
    nodes, weights = np.polynomial.legendre.leggauss(max(_FEWEST_NODES, int(_NODES_DF / df)))
    log_s = low + (high - low) * (nodes + 1.0) / 2.0
    # The density of log s, up to a factor.
    density = weights * np.exp(df * (log_s - 0.5 * np.expm1(2.0 * log_s)))
    return np.exp(log_s), density / density.sum()


@cache
def _control(learners: int) -> FloatArray:
    """Return what `reach` is for all pairs of independent learners with equal variances."""
    return Maximum.of(pair_contrasts(learners), np.eye(learners)).reach


@cache
def directions(rank: int, count: int) -> FloatArray:
    """Return points on the half sphere, the same ones each time; with their opposites they fill the sphere evenly."""
    if rank == 1:
        return np.ones((1, 1))
    if rank == 2:
        angles = (np.arange(count) + 0.5) * math.pi / count
        return np.column_stack([np.cos(angles), np.sin(angles)])
    from scipy.stats import qmc

    normal = special.ndtri(
        qmc.Sobol(rank, scramble=True, rng=np.random.default_rng(0)).random(count)
    )
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))
