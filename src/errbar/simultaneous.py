"""Several learners at once: adjusted p-values, simultaneous intervals, and who may be the best."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, cached_property, lru_cache, partial
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from errbar import _check
from errbar._check import Facts, FloatArray
from errbar._plain import Names, plain, record
from errbar.methods.distributions import root
from errbar.result import Interval, Result

__all__ = ["ADJUSTMENTS", "adjust", "argmin_set", "confidence_set"]


ADJUSTMENTS = ("holm", "bonferroni", "hommel", "benjamini-hochberg", "benjamini-yekutieli", "none")
"""Adjustments that p-values alone are enough for."""

JOINT = ("max-t",)
"""Adjustments that need the correlations of the statistics, too; see `Maximum`."""

_FALSE_DISCOVERY: Facts = {"benjamini-hochberg": "bh", "benjamini-yekutieli": "by"}


def adjust(pvalues: ArrayLike, method: str = "holm") -> FloatArray:
    """Adjust p-values for having tested several hypotheses.

    Parameters
    ----------
    pvalues : array-like, shape (m,)
        P-values of the m hypotheses of the family, in [0, 1].
    method : str, default "holm"
        ``"holm"``, ``"bonferroni"`` and ``"hommel"`` control the probability of any false rejection in
        the family; ``"benjamini-hochberg"`` and ``"benjamini-yekutieli"`` the expected share of
        false ones among the rejections; ``"none"`` changes nothing.

    Returns
    -------
    ndarray, shape (m,)
        Adjusted p-values in the order given: reject those at most 1 - level.

    Raises
    ------
    InvalidInputError
        If a p-value is outside [0, 1] or the method unknown.

    Notes
    -----
    An adjustment makes the errors of approximate p-values in the tail count: with n = 100 examples,
    Holm's adjustment of all pairs of 12 equal learners found a difference at 5 % in 0.5 % of simulated
    data sets by `cv_t`, and in 16 % by `corrected_t` (``benchmarks/several_learners.py``).

    Examples
    --------
    >>> from errbar.simultaneous import adjust
    >>> adjust([0.01, 0.02, 0.03, 0.04]).tolist()
    [0.04, 0.06, 0.06, 0.06]
    """
    _check.choice(method, ADJUSTMENTS, "adjust")
    p = _check.vector(pvalues, "pvalues", "hypothesis", 0)
    _check.require(((p >= 0.0) & (p <= 1.0)).all(), "must lie in [0, 1]", pvalues, "pvalues")
    if p.size < 2 or method == "none":
        return p.copy()
    if method in _FALSE_DISCOVERY:
        from scipy.stats import false_discovery_control

        return np.asarray(false_discovery_control(p, method=_FALSE_DISCOVERY[method]))
    if method == "bonferroni":
        return np.minimum(1.0, p.size * p)
    order = np.argsort(p, kind="stable")
    ascending = (_holm if method == "holm" else _hommel)(p[order])
    return np.minimum(1.0, ascending[np.argsort(order, kind="stable")])


def check_adjustment(method: str) -> str:
    """Return the name of an adjustment."""
    return _check.choice(method, (*ADJUSTMENTS, *JOINT), "adjust")


def pairs_of(learners: tuple[str, ...], baseline: str | None = None) -> list[tuple[str, str]]:
    """Return all pairs, first minus later, or every other learner minus the baseline."""
    if baseline is None:
        return list(combinations(learners, 2))
    _check.choice(baseline, learners, "baseline")
    return [(name, baseline) for name in learners if name != baseline]


def _holm(p: FloatArray) -> FloatArray:
    return np.maximum.accumulate(np.arange(p.size, 0, -1) * p)


def _hommel(p: FloatArray) -> FloatArray:
    """Close Simes' test: a hypothesis is rejected with all intersections that hold it (Hommel 1988, in the steps of Wright 1992)."""
    m, adjusted = p.size, p.copy()
    for k in range(m, 1, -1):
        # The smallest p-value of Simes' test of k hypotheses that hold one of the last k - 1, and of those that hold another.
        least = float((k * p[m - k + 1 :] / np.arange(2, k + 1)).min())
        simes = np.minimum(k * p, least)
        simes[m - k + 1 :] = simes[m - k]
        adjusted = np.maximum(adjusted, simes)
    return adjusted


def confidence_set(losses: Mapping[str, ArrayLike]) -> dict[str, float]:
    r"""Find the models that may be the best, by their losses of the same independent examples.

    Parameters
    ----------
    losses : mapping of str to array-like, shape (n,)
        Losses of each model, smaller is better.

    Returns
    -------
    dict of str to float
        P-value of each model, as ordered in `losses`: the smallest level at which it is left out of the
        set; 1 for the last. Those above 5 % hold the best model with probability 95 %.

    Raises
    ------
    InvalidInputError
        If there are fewer than two models or examples, or the numbers of losses differ.

    Notes
    -----
    While :math:`T = \max_{i,j} |\bar d_{ij}| / s_{ij}` exceeds the level's critical value, the model
    with the largest :math:`\bar d_{ij}/s_{ij}` is left out, and the test is repeated with the rest; the
    p-value of a model is the largest one up to its own step [1]_. The law of T, which the authors take
    from a bootstrap, is here that of the largest of normal statistics with the correlations of the
    losses. It speaks of models that are given, and knows nothing of training sets.

    References
    ----------
    .. [1] Hansen, Lunde & Nason (2011), Econometrica 79(2), 453-497.

    Examples
    --------
    >>> from errbar.simultaneous import confidence_set
    >>> losses = {"a": [0.1, 0.4, 0.2, 0.3], "b": [0.2, 0.4, 0.3, 0.2], "c": [0.8, 0.9, 0.6, 0.9]}
    >>> [name for name, p in confidence_set(losses).items() if p > 0.05]
    ['a', 'b']
    """
    names, values = _of_models(losses)
    left = np.arange(len(names))
    pvalues, reached = np.ones(left.size), 0.0
    while left.size > 1:
        covariance = np.cov(values[left]) / values.shape[1]
        means, variances = values[left].mean(axis=1), np.diag(covariance)
        squared = np.add.outer(variances, variances) - 2.0 * covariance
        gap = np.subtract.outer(means, means)
        # Models with the same loss throughout do not differ; of those that differ by a constant one is surely better.
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(gap == 0.0, 0.0, gap / np.sqrt(np.maximum(squared, 0.0)))
        # The hypothesis is that all that are left are equally good.
        p = Maximum.of(None, covariance).adjusted(float(2.0 * special.ndtr(-ratio.max())))
        worst = ratio.max(axis=1).argmax()
        reached = max(reached, p)
        pvalues[left[worst]] = reached
        left = np.delete(left, worst)
    return dict(zip(names, pvalues.tolist(), strict=True))


_FIRST_WEIGHT = 2.5
_STABLE = 0.08
_MOST_PAIRS = 100
"""How the softmin's weight is found: its first value, when it is stable, and examples by which that is judged (Zhang et al. 2024)."""


def argmin_set(losses: Mapping[str, ArrayLike], *, weight: float | None = None) -> dict[str, float]:
    r"""Find the models that may be the best among very many, by their losses of the same independent examples.

    Parameters
    ----------
    losses : mapping of str to array-like, shape (n,)
        Losses of each model, smaller is better.
    weight : float, optional
        Weight :math:`\lambda` of the softmin; by default it is doubled from
        :math:`\sqrt n / (2.5\, s)` on while the statistic stays stable.

    Returns
    -------
    dict of str to float
        One-sided p-value of each model, as ordered in `losses`. Those above 5 % hold the best model
        with probability 95 % for large n, however many models there are: nothing is adjusted.

    Raises
    ------
    InvalidInputError
        If there are fewer than two models or examples, or the numbers of losses differ.

    Notes
    -----
    With :math:`D_{is}` the loss of a model on example i less that of model s, over the standard
    deviation of these, and :math:`\bar D_{-i,s}` its mean over all other examples,

    .. math:: Q_i = \sum_s w_{is} D_{is}, \qquad w_{is} \propto \exp(\lambda \bar D_{-i,s}), \qquad
              T = \sqrt n\, \bar Q / s_Q

    is referred to the normal distribution ([1]_, algorithm 1). The first :math:`\lambda` has s the
    standard deviation of the :math:`D_{is}` of the s with the largest :math:`\bar D_{-i,s}`. The
    statistic is stable while the mean square of what one example in place of another does to the
    :math:`Q_i`, times n, is below .08 of their variance, for at most 100 examples in turn. It speaks
    of models that are given, and knows nothing of training sets.

    References
    ----------
    .. [1] Zhang, Lee & Lei (2024), arXiv:2408.02060.

    Examples
    --------
    >>> from errbar.simultaneous import argmin_set
    >>> losses = {"a": [0.1, 0.4, 0.2, 0.3], "b": [0.2, 0.4, 0.3, 0.2], "c": [0.8, 0.9, 0.6, 0.9]}
    >>> [name for name, p in argmin_set(losses).items() if p > 0.05]
    ['a', 'b']
    """
    names, values = _of_models(losses)
    found = {}
    for place, name in enumerate(names):
        apart = values[place] - np.delete(values, place, axis=0)
        spread = apart.std(axis=1, ddof=1)
        apart = (apart[spread > 0.0] / spread[spread > 0.0, np.newaxis]).T
        if not apart.size:
            # Where all differences are the same for every example there is no chance in who is best.
            found[name] = float(values[place].mean() <= values.mean(axis=1).min())
            continue
        value = _softmin(apart, _weight(apart) if weight is None else weight)
        statistic = math.sqrt(value.size) * value.mean() / value.std(ddof=1)
        found[name] = float(special.ndtr(-statistic))
    return found


def _softmin(apart: FloatArray, weight: float, out: Any = None) -> FloatArray:
    """Return the weighted differences of each example (or of some), with weights from all others."""
    n = len(apart)
    own = np.arange(n) if out is None else out
    left = (apart.sum(axis=0) - apart[own]) / (n - 1)
    found: FloatArray = (special.softmax(weight * left, axis=1) * apart[own]).sum(axis=1)
    return found


def _weight(apart: FloatArray) -> float:
    """Return the largest weight with which the softmin is stable."""
    n = len(apart)
    total = apart.sum(axis=0)
    best = apart[np.arange(n), (total - apart).argmax(axis=1)]
    weight = math.sqrt(n) / (_FIRST_WEIGHT * best.std(ddof=1))
    some = np.random.default_rng(0).permutation(n)[:_MOST_PAIRS]
    one, other = np.roll(some, -1), np.roll(some, -2)

    def stable(weight: float) -> bool:
        parts = [
            special.softmax(weight * (total - apart[some] - apart[left]) / (n - 2), axis=1)
            for left in (other, one)
        ]
        moved = ((parts[0] - parts[1]) * (apart[some] - total / n)).sum(axis=1)
        own = _softmin(apart, weight, some)
        return bool(n * np.mean(moved**2) < _STABLE * own.var(ddof=1))

    while 2.0 * weight <= float(n) ** 5 and stable(2.0 * weight):
        weight *= 2.0
    return weight


def _of_models(losses: Mapping[str, ArrayLike]) -> tuple[tuple[str, ...], FloatArray]:
    """Return names and losses of several models on the same examples, shape (models, n)."""
    names = _check.names(list(losses), "model")
    rows = [_check.vector(losses[name], name, "example", 2) for name in losses]
    same = len({row.size for row in rows}) == 1 < len(names)
    must = "must hold at least two models, each with a loss for the same examples"
    _check.require(same, must, names, "losses")
    return names, np.array(rows)


def shrunk(values: ArrayLike, *, contrasts: bool = True) -> tuple[FloatArray, float]:
    r"""Estimate covariances from a row per learner, shrunk towards independence and equal variances.

    Parameters
    ----------
    values : array-like, shape (k, n)
        A row per learner: scores of the same n splits, or losses or influence values of n examples.
    contrasts : bool, default True
        Whether the covariances are for differences, so that what all have in common is left out.

    Returns
    -------
    tuple of ndarray, shape (k, k), and float
        Covariances, and the share of the target in them, in [0, 1].

    Notes
    -----
    With x_i the column of split or example i less the mean column, S the mean of :math:`x_i x_i^T` and
    v the mean variance,

    .. math:: \hat\Sigma = (1 - a) S + a v I, \qquad
              a = \min\left(1, \frac{n^{-2} \sum_i \lVert x_i x_i^T - S \rVert^2}{\lVert S - v I \rVert^2}\right),

    the estimate of [1]_. For differences each column is taken less its own mean first, and I is the
    identity on what is left. The target is cautious: among independent learners equal variances give
    the largest critical values for all pairs ([2]_).

    References
    ----------
    .. [1] Ledoit & Wolf (2004), Journal of Multivariate Analysis 88(2), 365-411.
    .. [2] Hayter (1984), The Annals of Statistics 12(1), 61-75.

    Examples
    --------
    >>> from errbar.simultaneous import shrunk
    >>> covariance, share = shrunk([[0.31, 0.28, 0.35, 0.30], [0.25, 0.27, 0.26, 0.22]])
    >>> covariance.shape, 0.0 < share <= 1.0
    ((2, 2), True)
    """
    given = np.asarray(values, dtype=np.float64)
    learners, count = given.shape
    left = given - given.mean(axis=1, keepdims=True)
    target = np.eye(learners)
    if contrasts:
        left -= left.mean(axis=0)
        target -= 1.0 / learners
    sample = left @ left.T / count
    target *= np.trace(sample) / np.trace(target)
    apart = float(np.square(sample - target).sum())
    lengths = np.square(left).sum(axis=0)  # (n,)
    noise = float(lengths @ lengths / count - np.square(sample).sum()) / count
    share = min(1.0, max(0.0, noise) / apart) if apart > 0.0 else 1.0
    return (1.0 - share) * sample + share * target, share


_MOST_WORK = 2**26  # directions times statistics
_ON_CIRCLE, _MOST_DIRECTIONS, _FEWEST_DIRECTIONS = 2**16, 2**14, 2**12
_GROUPS = 2**10
_AT_ONCE = 2**21
_WITH_CONTROL = 4  # dimensions
_FLAT = 1e-9  # a variance of this share of the largest is rounding


class Law:
    """What the p-values of several tests do together: ``any_below(p)`` is how probable it is that the smallest is as small as p."""

    count: int
    any_below: Callable[[float], float]

    def adjusted(self, p: float) -> float:
        """Return the probability that the smallest of the p-values of all is as small as one."""
        if p <= 0.0:
            return 0.0
        # The chance that any of several is as small is no smaller than that of one, and no larger than all of them together.
        return float(min(max(self.any_below(p), p), self.count * p, 1.0))

    @lru_cache(maxsize=32)  # noqa: B019 - few laws, and each is asked again for every pair
    def each(self, alpha: float) -> float:
        """Return the level of each test alone at which one of all finds something with probability `alpha`."""
        low = alpha / self.count
        if self.adjusted(alpha) <= alpha:
            return alpha
        if self.adjusted(low) >= alpha:
            return low
        return root(lambda p: self.adjusted(p) - alpha, low, alpha)


class Bonferroni(Law):
    """The bound that holds whatever the tests have in common: no more than the sum of their probabilities."""

    def __init__(self, count: int) -> None:
        self.count = count

    def any_below(self, p: float) -> float:
        return self.count * p


@record
class Maximum(Law):
    r"""Law of the largest of several t, or standard normal, statistics.

    The statistics are :math:`a_j^T g / s` with unit vectors :math:`a_j`, a standard normal g in r dimensions and
    :math:`s^2 \sim \chi^2_{df}/df`, one for all. With g = radius times direction u and :math:`h(u) = \max_j |a_j^T u|` (one-sided
    without the bars), the largest is at most c with probability :math:`E_u\, F_{r, df}(c^2 / (r h(u)^2))`, F the law of
    Fisher's ratio. The mean over directions is taken over fixed points: equally spaced on the circle, Sobol points beyond.
    For all pairs of several learners and normal statistics, what these points miss for independent learners with equal variances,
    whose law is that of the range, is taken off. For more learners than directions are worth, that law, which has the largest
    critical values (Hayter 1984), is all there is.

    Attributes
    ----------
    reach : ndarray
        Values of h over the directions, ascending, neighbours put together.
    rank : dimension r
    df : degrees of freedom; infinite for normal statistics
    count : number of statistics
    two_sided : whether their absolute values are meant
    learners : number of learners all of whose pairs these are, where the law of the range is used
    control : ``reach`` of independent learners
    """

    reach: FloatArray
    rank: int
    df: float
    count: int
    two_sided: bool
    learners: int = 0
    control: Any = None

    @classmethod
    def of(
        cls, contrasts: Any, covariance: FloatArray, *, df: float = math.inf, two_sided: bool = True
    ) -> Self:
        """Return the law of the statistics of contrasts, rows of coefficients, or of all pairs of learners for None.

        A contrast without variance is out.
        """
        learners = len(covariance)
        if contrasts is None and learners > _MOST_LEARNERS:
            none = np.zeros(1)
            return cls(none, 1, df, math.comb(learners, 2), two_sided, learners, none)
        units = units_of(contrasts, covariance)
        units = units @ _axes_of_rows(units)
        count, rank = units.shape
        reach = _reaches(units, two_sided=two_sided, fine=math.isfinite(df))
        found = cls(reach, rank, df, count, two_sided)
        if contrasts is not None or not two_sided or rank < learners - 1 or rank < _WITH_CONTROL:
            return found
        return replace(found, learners=learners, control=_reach_of_independent(learners))

    def any_below(self, p: float) -> float:
        tail = p / (1 + self.two_sided)
        normal = math.isinf(self.df)
        value = -float(special.ndtri(tail) if normal else special.stdtrit(self.df, tail))
        if value <= 0.0:  # the chance is in what is below it
            return 1.0 - self._beyond(-value, -self.reach)
        found = self._beyond(value, self.reach)
        if self.learners:
            found += range_above(value, self.learners, self.df)
            found -= self._beyond(value, self.control)
        return found

    def _beyond(self, value: float, reach: FloatArray) -> float:
        """Return the mean over directions of the probability that the radius goes beyond value/reach."""
        with np.errstate(divide="ignore", over="ignore"):
            squares = np.where(reach > 0.0, (value / reach) ** 2, np.inf)
        if math.isfinite(self.df):
            return float(special.fdtrc(self.rank, self.df, squares / self.rank).mean())
        return float(special.chdtrc(self.rank, squares).mean())


def _reaches(units: FloatArray, *, two_sided: bool, fine: bool) -> Any:
    """Return how far the farthest of unit vectors reaches in each direction, means of neighbours in ascending order.

    A law of t is asked for once, and gets more directions than normal laws, of which a comparison needs several.
    """
    count, rank = units.shape
    wanted = 2 ** int(math.log2(_MOST_WORK / count / rank) + 1)
    wanted = min(_MOST_DIRECTIONS, max(_FEWEST_DIRECTIONS, wanted))
    points = directions(rank, _ON_CIRCLE if fine or rank == 2 else wanted)
    found = []
    for some in np.array_split(points, 1 + len(points) * count // _AT_ONCE):
        along = some @ units.T
        # Each direction goes with its opposite.
        ends = np.stack([along.max(axis=1), -along.min(axis=1)])
        found.append(ends.max(axis=0) if two_sided else ends.ravel())
    reach = np.sort(np.concatenate(found))
    together = max(1, reach.size // _GROUPS)
    return reach.reshape(-1, together).mean(axis=1)


def units_of(contrasts: Any, covariance: FloatArray) -> Any:
    """Return the unit vectors of statistics, a row each; those without variance are left out, unless there are no others."""
    if contrasts is None:
        contrasts = contrasts_of(len(covariance))
    rooted = contrasts @ symmetric_root(covariance)
    lengths = np.linalg.norm(rooted, axis=1, keepdims=True)
    varying = lengths[:, 0] > math.sqrt(_FLAT) * lengths.max(initial=0.0)
    return rooted[varying] / lengths[varying] if varying.any() else np.ones((1, 1))


def symmetric_root(covariance: FloatArray) -> Any:
    """Return the symmetric square root, which does not depend on how a library turns the eigenvectors."""
    variances, axes = np.linalg.eigh(covariance)
    rounding = len(variances) * np.finfo(float).eps * variances.max(initial=0.0)
    sizes = np.sqrt(np.where(variances > rounding, variances, 0.0))
    return (axes * sizes) @ axes.T


def _axes_of_rows(rooted: FloatArray) -> Any:
    """Return orthonormal columns that span the rows of a matrix, the same ones whatever the library."""
    _, sizes, right = np.linalg.svd(rooted, full_matrices=False)
    rows = right[sizes > math.sqrt(_FLAT) * sizes.max(initial=0.0)]
    # The singular vectors' signs, and their mixtures where sizes are equal, are the library's; the projection on them is not.
    fixed = np.random.default_rng(0).standard_normal((rooted.shape[1], len(rows)))
    axes, triangle = np.linalg.qr(rows.T @ (rows @ fixed))
    return axes * np.sign(np.diagonal(triangle))


def contrasts_of(count: int, pairs: Any = None) -> Any:
    """Return the coefficients of differences of `count` estimates, first minus second, a row each; by default of all pairs."""
    first, second = np.triu_indices(count, 1) if pairs is None else np.transpose(pairs)
    return np.eye(count)[first] - np.eye(count)[second]


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
_FEWEST_NODES, _NODES_DF = 48, 400  # few degrees of freedom spread s over many orders
_FARTHEST = 1e-15


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
def _reach_of_independent(learners: int) -> FloatArray:
    """Return what `reach` is for all pairs of independent learners with equal variances."""
    return Maximum.of(contrasts_of(learners), np.eye(learners)).reach


@cache
def directions(rank: int, count: int) -> Any:
    """Return points on the half sphere, the same ones each time; with their opposites they fill the sphere evenly."""
    if rank == 2:
        angles = (np.arange(count) + 0.5) * math.pi / count
        return np.column_stack([np.cos(angles), np.sin(angles)])
    from scipy.stats import qmc

    points = qmc.Sobol(rank, scramble=True, rng=np.random.default_rng(0)).random(count)
    normal = special.ndtri(points)
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


_WORK = 2**20  # draws times statistics
_FEWEST, _MOST = 2**9, 2**12
# fmt: off
_TAILS = np.array([
    1, .7, .4, .2, .1, .05, .02, .01, 5e-3, 2e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 1e-8, 1e-11,
]) / 2
# fmt: on
_MOST_LEARNERS, _MOST_DF = 60, 200


@record
class OwnErrors(Law):
    r"""Law of the largest of t statistics whose standard errors are each estimated from the same splits.

    The statistics are :math:`T_j = c_j^T z / \sqrt{c_j^T W c_j}`, z normal, and df W Wishart, both with
    one covariance matrix; rows of `contrasts` are the c_j. They depend on each other less than normal
    statistics do, in the tail most of all. With N the number of statistics above c, and j any of the m
    at random, :math:`P(\max > c) = m\, P(T_j > c)\, E[1/N \mid T_j > c]`. The mean is that of fixed
    draws given :math:`T_j > c`, as exact in the far tail as elsewhere: given T_j = t,
    :math:`df\, (1 + t^2/df)\, c_j^T W c_j` (for unit variance) is chi-square with df + 1 degrees of
    freedom. It is taken at some levels; between them the logarithms are interpolated. Of one-sided
    p-values above one half nothing is known beyond what that of one half gives.
    """

    units: FloatArray
    count: int
    df: int
    two_sided: bool

    @classmethod
    def of(cls, contrasts: Any, covariance: FloatArray, df: int, *, two_sided: bool = True) -> Self:
        """Return the law of the statistics of contrasts, rows of coefficients; one without variance is out."""
        units = units_of(contrasts, covariance)
        return cls(units, len(units), df, two_sided)

    def any_below(self, p: float) -> float:
        levels = _TAILS * (1 + self.two_sided)
        inside = min(max(p, levels[-1]), levels[0])
        return math.exp(self._curve(math.log(inside))) * min(p / float(levels[-1]), 1.0)

    @cached_property
    def _curve(self) -> Callable[[float], Any]:
        """The logarithm of the probability of any over that of one.

        With e any unit vector, the part of z and of the Wishart's factor G along a statistic that is chosen is set by what
        is given, and the rest is free: z = t s a + z', G = sqrt(df) s e a^T + G', s^2 the chosen variance, z' and G' without
        part along a. All is drawn once, a row for each draw and a column for each statistic.
        """
        from scipy.interpolate import PchipInterpolator  # slow to import, and seldom needed

        units, df, rank = self.units, self.df, self.units.shape[1]
        draws = min(_MOST, max(_FEWEST, 2 ** int(math.log2(_WORK / self.count))))
        rng = np.random.default_rng(0)
        chosen = units[np.arange(draws) % self.count]
        along = chosen @ units.T

        def without() -> Any:
            """Draw a normal vector, and return its products with the units less its part along the chosen one."""
            z = rng.standard_normal((draws, rank))
            return z @ units.T - (z * chosen).sum(axis=1, keepdims=True) * along

        free = without()
        # e is the first axis: the law of the rest is the same whichever it is.
        mixed = without()
        spread = mixed**2
        for _ in range(df - 1):
            spread += without() ** 2
        uniform = (rng.permutation(draws)[:, np.newaxis] + 0.5) / draws
        square = rng.chisquare(df + 1, draws)[:, np.newaxis]
        together = []
        for tail in _TAILS:
            t = -special.stdtrit(df, tail * uniform)
            scale = np.sqrt(square / (1.0 + t**2 / df))  # sqrt(df) s
            top = free + (t * scale / math.sqrt(df)) * along
            squares = spread + 2.0 * scale * mixed * along + (scale * along) ** 2
            value = top / np.sqrt(np.maximum(squares, 0.0) / df)
            cut = -special.stdtrit(df, tail) * (1.0 - 1e-9)
            beyond = (np.abs(value) if self.two_sided else value) >= cut
            one_of = (1.0 / np.maximum(beyond.sum(axis=1), 1)).mean()
            together.append(min(self.count * tail * (1 + self.two_sided) * one_of, 1.0))
        levels = np.log(_TAILS * (1 + self.two_sided))
        rising = np.minimum.accumulate(together)[::-1]
        return PchipInterpolator(levels[::-1], np.log(rising))


def joint_law(
    maximum: Maximum, *, allowance: bool, own: OwnErrors | None = None
) -> Callable[[Any], Law]:
    """Return what several tests do together, each with an interval and a p-value by itself, by their degrees of freedom.

    `maximum` is the law of normal statistics with the correlations of the tests, `own` that of t
    statistics that are each over a standard error from the splits. With an `allowance`, degrees of
    freedom stand for standard errors that may all be too small by one factor, as learners are trained
    on the same sets; that is the multivariate t. Where degrees of freedom differ, or come from
    something else than the number of splits, each statistic is carried to the normal scale by its own
    p-value: all are tested at the common level at which the smallest of correlated normal p-values is
    below it with probability alpha.
    """

    @cache
    def law(df: Any) -> Law:
        if own is not None and df == own.df:
            return own
        if allowance and math.isfinite(df or math.inf):
            return replace(maximum, df=df)
        return maximum

    return law


class RuledOut(NamedTuple):
    """Why a learner is not among the possible best.

    Attributes
    ----------
    by : learner that is better
    estimate : difference, the learner minus the better one, in the direction shown
    low, high : its interval; the intervals of the learner against all others are simultaneous
    adjusted : p-value, adjusted over the learner's comparisons with all others
    """

    by: str
    estimate: float
    low: float
    high: float
    adjusted: float


@record
class PossibleBest:
    """Which of several learners may be the best.

    Attributes
    ----------
    learners : those not ruled out as best, by their estimates
    ruled_out : why each other is not
    winner : learner with the best estimate
    risk : Interval
        Interval of the winner's risk, with the selection accounted for: the simultaneous
        intervals of all learners hold it.
    level : probability that the best is among `learners`, and that the winner's risk is in `risk`
    losses : losses of the same independent examples, where there are any
    """

    learners: tuple[str, ...]
    ruled_out: dict[str, RuledOut]
    winner: str
    risk: Interval
    level: float
    losses: Mapping[str, FloatArray] | None = field(default=None, repr=False)

    @cached_property
    def confidence_set(self) -> dict[str, float] | None:
        """P-values of the model confidence set, see `errbar.simultaneous.confidence_set`; None where no examples are independent."""
        return None if self.losses is None else confidence_set(self.losses)

    def to_dict(self) -> Facts:
        """Return plain data for JSON."""
        return plain(replace(self, losses=None)) | {"confidence_set": self.confidence_set}


class Simultaneous(NamedTuple):
    """Simultaneous intervals: with the probability `level` all of them cover their true values.

    Attributes
    ----------
    pairs : of each difference, in the order of the comparison's pairs
    learners : of each learner's risk; a family of their own
    level : probability that all intervals of a family cover their true values
    of : what the correlations were estimated from
    shrinkage : float
        How much the correlations of the differences were shrunk, from 0 to 1; see
        `errbar.simultaneous.shrunk`.
    """

    pairs: dict[tuple[str, str], Interval]
    learners: dict[str, Interval]
    level: float
    of: str
    shrinkage: float

    def to_dict(self) -> Facts:
        """Return plain data for JSON."""
        return {
            "pairs": [{"a": a, "b": b} | plain(ends) for (a, b), ends in self.pairs.items()],
            "learners": [{"name": name} | plain(ends) for name, ends in self.learners.items()],
            "level": self.level,
            "correlations": {"of": self.of, "shrinkage": self.shrinkage},
        }


@record
class Joint:
    """What the differences of several learners, or their risks, do together.

    `values` has a row per learner, from whose columns (splits, examples or groups, as `of` says) the
    correlations are estimated, and is None where learners have other columns, so that Bonferroni's bound is all there is;
    ``ask(learner, minus, level=..., alternative=...)`` returns the method's
    result when it is wanted; `allowance` is that of `joint_law`, `losses` what the model confidence set takes.
    Where results are `moderated`, by what differences share, they differ from those of one difference alone; what is said of
    all is never sharper than what is said of one.
    """

    learners: tuple[str, ...]
    couples: Sequence[tuple[str, str]]
    values: FloatArray | None
    of: str
    level: float
    alternative: str
    allowance: bool
    ask: Callable[..., Result]
    losses: Mapping[str, FloatArray] | None = None
    moderated: bool = False

    @property
    def alpha(self) -> float:
        """Probability that some interval does not hold."""
        return 1.0 - self.level

    @cached_property
    def _tests(self) -> dict[Any, Result]:
        return {}

    @cached_property
    def _covariance(self) -> tuple[FloatArray, float]:
        assert self.values is not None
        return shrunk(self.values)

    @property
    def _of_range(self) -> bool:
        """Whether there are all pairs of so many learners that their covariances are not used."""
        count = len(self.learners)
        return count > _MOST_LEARNERS and len(self.couples) == math.comb(count, 2)

    @property
    def shrinkage(self) -> float:
        """Share of independent learners with equal variances in the correlations."""
        return 1.0 if self._of_range or self.values is None else self._covariance[1]

    @cached_property
    def law(self) -> Callable[[Any], Law]:
        """What the tests of the differences do together, by their degrees of freedom."""
        contrasts, two_sided = None, self.alternative == "two-sided"
        if len(self.couples) < math.comb(len(self.learners), 2):
            pairs = [(self.learners.index(a), self.learners.index(b)) for a, b in self.couples]
            contrasts = contrasts_of(len(self.learners), pairs)
        return self._law(contrasts, len(self.couples), two_sided=two_sided)

    @cached_property
    def _law_of_risks(self) -> Callable[[Any], Law]:
        count = len(self.learners)
        return self._law(np.eye(count), count, of_risks=True)

    def _law(
        self, contrasts: Any, count: int, *, two_sided: bool = True, of_risks: bool = False
    ) -> Callable[[Any], Law]:
        if self.values is None:
            return lambda _: Bonferroni(count)
        covariance, _ = shrunk(self.values, contrasts=False) if of_risks else self._covariance
        maximum = Maximum.of(contrasts, covariance, two_sided=two_sided)
        df, own = self.values.shape[1] - 1, None
        noisy = self.of == "splits" and not self.allowance and df <= _MOST_DF
        if noisy and len(self.learners) <= _MOST_LEARNERS:
            own = OwnErrors.of(contrasts, covariance, df, two_sided=two_sided)
        return joint_law(maximum, allowance=self.allowance, own=own)

    def adjusted(
        self, results: Sequence[Result], how: Callable[[Any], list[float]] | None = None
    ) -> list[float]:
        """Return p-values adjusted by single-step max-t, or by a function of all, for the differences in their order."""
        tests = [self.test(result) for result in results]
        found = how(tests) if how else [self.law(one.df).adjusted(one.pvalue) for one in tests]
        return [max(p, result.pvalue) for p, result in zip(found, results, strict=True)]

    def test(self, result: Result) -> Result:
        """Return what all tests together take in place of the plain result of a difference."""
        if not self.moderated:
            return result
        names = result.learner, result.minus
        if names not in self._tests:
            asked: Any = {"level": self.level, "alternative": result.alternative}
            self._tests[names] = self.ask(*names, **asked)
        return self._tests[names]

    def interval(self, result: Result) -> Interval:
        """Return the simultaneous interval of a difference, or of a learner's own risk, whose plain result is given."""
        law, alternative = self.law, self.alternative
        if result.minus is None:
            law, alternative = self._law_of_risks, "two-sided"
        level = 1.0 - law(self.test(result).df).each(self.alpha)
        found = self.ask(result.learner, result.minus, level=level, alternative=alternative)
        low, high = found.interval
        if self.moderated:
            low, high = min(low, result.low), max(high, result.high)
        return Interval(low, high)

    def best(
        self,
        learners: Mapping[str, Result],
        known: Mapping[tuple[str, str], Result],
        ranking: Names,
        *,
        higher_is_better: bool,
    ) -> PossibleBest:
        """Compare each learner with all others, two-sided, and return who may be the best; differences that are known are not asked for.

        Each learner has a critical value of its own (Hsu 1996). It is that of absolute differences: with one-sided ones the best
        would be ruled out more often than promised where standard errors come from few splits.
        """
        found = {}
        if self.alternative == "two-sided":
            found = {names: self.test(result) for names, result in known.items()}
        found |= {(b, a): result.mirrored() for (a, b), result in found.items()}
        ask = partial(self.ask, alternative="two-sided")
        out = {}
        for place, name in enumerate(ranking):
            # Without numbers of all, differences of those ahead do not tell those of the others.
            others = ranking if self.values is None else ranking[:place]
            worse = [
                found.get((name, other)) or ask(name, other, level=self.level)
                for other in others
                if other != name
            ]
            # Ties and differences that do not vary rule nobody out, nor does a learner that is worse.
            worse = [
                one
                for one in worse
                if not (one.estimate == 0.0 or one.degenerate)
                and (one.estimate < 0.0) == higher_is_better
            ]
            strongest = min(worse, key=lambda one: one.pvalue, default=None)
            if strongest is None or strongest.pvalue > self.alpha:
                continue
            # What speaks against a learner goes by the law of its differences to all others.
            own = self.learners.index(name)
            pairs = [(own, k) for k in range(len(ranking)) if k != own]
            law: Law = Bonferroni(len(pairs))
            if self.values is not None:
                maximum = Maximum.of(contrasts_of(len(ranking), pairs), self._covariance[0])
                law = joint_law(maximum, allowance=self.allowance)(strongest.df)
            adjusted = law.adjusted(strongest.pvalue)
            if adjusted <= self.alpha:
                by = str(strongest.minus)
                interval = ask(name, by, level=1.0 - law.each(self.alpha)).interval
                out[name] = RuledOut(by, strongest.estimate, *interval, adjusted)
        return PossibleBest(
            learners=tuple(name for name in ranking if name not in out),
            ruled_out=out,
            winner=ranking[0],
            risk=self.interval(learners[ranking[0]]),
            level=self.level,
            losses=self.losses,
        )
