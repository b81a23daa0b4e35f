"""Planning: what a study can find, and the splits, seeds, examples or clusters that a difference needs."""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
from scipy import special
from scipy.special import ndtr

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.design import FEWEST_CLUSTERS, SEEDS_OF_ONE_TRAINING_SET
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import SIZES, Losses, difference
from errbar.methods import lookup
from errbar.methods._core.infer import settle
from errbar.methods._dependent import clustered, crossed, tables_of, units_of
from errbar.methods.distributions import variance
from errbar.methods.variance import Term, satterthwaite
from errbar.plans._base import RUNS
from errbar.reading.known import complete, predictions, questions_of
from errbar.result import Note, Result, distinct
from errbar.table import LossTable

__all__ = [
    "ClusterComponents",
    "CrossedComponents",
    "Prospect",
    "Questions",
    "SplitComponents",
    "Study",
    "pilot",
    "plan_questions",
    "plan_study",
]


# Squares of ratios of numbers in between are numbers.
LEAST, MOST = 1e-60, 1e60
Sizes = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Components:
    """Components of the variance of a mean over `outer` splits, seeds or clusters and `inner` examples.

    Each design says its own `df`, the parts of the variance by what they come from (`sources`), what
    the mean square of a pilot between splits, seeds or clusters consists of (`mean_square`: the
    noise in it, of how many numbers it is the mean, and its degrees of freedom), and itself with
    another variance between them (`with_outer`).
    """

    name: str = ""
    metric: str = "loss"
    pilot: tuple[float, float] | None = None

    method: ClassVar[str]
    # What varies; the first is between splits, seeds or clusters.
    parts: ClassVar[tuple[str, ...]]
    sizes: ClassVar[tuple[str, str]]
    costs: ClassVar[tuple[str, ...]] = ()
    least: ClassVar[Any] = 2, 2
    most: ClassVar[Sizes] = 100_000, 1_000_000_000
    larger: ClassVar[tuple[Sizes, ...]] = (1, 1), (2, 1), (1, 2), (2, 2)
    df: ClassVar[Any]
    sources: ClassVar[Any]
    mean_square: ClassVar[Any]
    with_outer: ClassVar[Any]

    def __post_init__(self) -> None:
        values = [_check.between(getattr(self, name), 0.0, MOST, name) for name in self.parts]
        must = f"must be at least {LEAST:g}, or another of {', '.join(self.parts)}"
        _check.require(max(values) >= LEAST, must, values, self.parts[0])

    @property
    def usual(self) -> tuple[float, float] | None:
        """Sizes of a study where none are said."""
        return self.pilot

    @property
    def variances(self) -> dict[str, float]:
        """The components by what varies."""
        return {name: getattr(self, name) for name in self.parts}

    def variance(self, outer: Any, inner: Any) -> Any:
        """Return the variance of the mean over so many."""
        return sum(self.sources(outer, inner).values())

    def outer_interval(self) -> tuple[float, float]:
        """Return a 95 % interval for the first component, from the chi-square distribution of its mean square."""
        first, *_ = self.variances.values()
        noise, count, df = self.mean_square(*self.pilot or self.least)
        if math.isinf(df):
            return first, first
        square = noise + count * first
        quantiles = special.chdtri(df, 0.025), 2.0 * special.gammaincinv(0.5 * df, 0.025)
        low, high = (float(max(square * df / one - noise, 0.0) / count) for one in quantiles)
        return low, high

    def rows(self, outer: int, inner: int) -> list[Sizes]:
        """Return these sizes and larger ones."""
        larger = [(min(by * outer, self.most[0]), times * inner) for by, times in self.larger]
        return list(dict.fromkeys(larger))

    def cost(self, outer: Any, inner: Any, costs: tuple[float, float]) -> Any:
        """Return what so many cost."""
        return costs[0] * outer + costs[1] * inner


@dataclass(frozen=True)
class SplitComponents(Components):
    r"""The spread of the differences of two learners over random splits.

    The mean over J splits has the variance :math:`S^2 (1/J + n_2/n_1)`, as the corrected t takes
    it. :math:`S^2` is taken to be inversely proportional to the size of the test sets, which keep
    their share.

    Parameters
    ----------
    deviation : float
        Expected standard deviation S of the split differences, divisor J - 1, in units of the loss.
    n_train, n_test : float
        Training and test size n1 and n2 of the splits; means where they differ.
    name, metric, pilot : str, str, tuple of float, optional
        The difference in words, the name of the loss, and numbers of splits and examples of the
        pilot.

    Examples
    --------
    >>> from errbar.planning import SplitComponents
    >>> round(SplitComponents(0.02, n_train=270, n_test=30).variance(15, 300), 8)
    7.111e-05
    """

    deviation: float
    n_train: float
    n_test: float

    method = "corrected-t"
    parts = ("deviation",)
    sizes = "repeats", "examples"
    most = 1_000_000, _check.MOST_EXAMPLES
    # As many splits as there may be are as good as any number.
    larger = (1, 1), (2, 1), (4, 1), (most[0], 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("n_train", "n_test"):
            _check.between(getattr(self, name), 1, _check.MOST_EXAMPLES, name)

    @property
    def usual(self) -> tuple[float, float]:
        """The usual number of splits, of all examples."""
        return 15, self.n_train + self.n_test

    @property
    def variances(self) -> dict[str, float]:
        """The variance of the split differences."""
        return {"deviation": self.deviation**2}

    def sources(self, outer: float, inner: float) -> dict[str, float]:
        """Return what splits add, and what they share."""
        train, test = self.n_train, self.n_test
        if inner != round(train + test):
            # The small term keeps exact fractions exact.
            test = min(inner - 1, max(1, int(inner * test / (train + test) + 1e-9)))
            train = inner - test
        spread = self.deviation**2 * self.n_test / test
        return {"split": spread / outer, "example": spread * test / train}

    def df(self, outer: float, _inner: float) -> float:
        """Return one less than the splits."""
        return outer - 1.0

    def mean_square(self, outer: float, _inner: float) -> tuple[float, float, float]:
        """Return that the variance of the split differences has no noise in it."""
        return 0.0, 1.0, outer - 1.0

    def with_outer(self, variance: float) -> Self:
        """Return the same splits with another spread."""
        return replace(self, deviation=math.sqrt(variance))


@dataclass(frozen=True)
class CrossedComponents(Components):
    r"""Components of variance of losses of several seeds on the same examples.

    The mean of S seeds on n examples has the variance :math:`\sigma_s^2/S + \sigma_i^2/n +
    \sigma_e^2/(S n)`.

    Parameters
    ----------
    seed, example, error : float
        :math:`\sigma_s^2`, :math:`\sigma_i^2` and :math:`\sigma_e^2`: variances between seeds,
        between examples, and of both together, in squared units of the loss.
    learners : tuple of (float, float), optional
        Of two learners with seeds of their own: what each adds to `seed` and to `error`.
    units : float, default 1.0
        Independent units per example: less than 1 where examples come in clusters.
    name, metric, pilot : str, str, tuple of float, optional
        The difference (or learner) in words, the name of the loss, and numbers of seeds and
        examples of the pilot.

    Examples
    --------
    >>> from errbar.planning import CrossedComponents
    >>> found = CrossedComponents(seed=0.01, example=0.099, error=0.012)
    >>> round(found.variance(10, 200), 6)
    0.001501
    """

    seed: float
    example: float
    error: float
    learners: tuple[tuple[float, float], ...] = ()
    units: float = 1.0

    method = "crossed-t"
    parts = "seed", "example", "error"
    sizes = "seeds", "examples"
    costs = "cost_seed", "cost_example"

    @property
    def least(self) -> Sizes:
        """Fewest seeds and examples that `crossed_t` takes."""
        return 2, 2 if self.units == 1.0 else math.ceil(FEWEST_CLUSTERS / self.units)

    def sources(self, outer: float, inner: float) -> dict[str, float]:
        """Return the parts of the variance by what they come from, as the method's ``components``."""
        return {
            "seed": self.seed / outer,
            "example": self.example / inner,
            "seed x example": self.error / (outer * inner),
        }

    def df(self, outer: float, inner: float) -> float:
        """Return the degrees of freedom by Satterthwaite, of the mean squares that such a study expects."""
        cells, free = outer * inner, self.units * inner - 1.0
        both = self.error / cells
        rest = Term(both, (outer - 1.0) * free)
        if self.learners:
            terms = [Term(self.example / inner + both, free)]
            for seed, error in self.learners if self.seed else ():
                own = error / cells
                terms += [Term(seed / outer + own, outer - 1.0), Term(-own, rest.df)]
            return satterthwaite(terms)
        parts = (self.seed / outer, outer - 1.0), (self.example / inner, free)
        left = [Term(size + both, df) for size, df in parts if size > 0.0]
        return satterthwaite([*left, rest._replace(size=(1 - len(left)) * both)])

    def mean_square(self, outer: float, inner: float) -> tuple[float, float, float]:
        """Return what seeds and examples together add to the mean square of seeds."""
        own = self.learners or ((self.seed, self.error),)
        terms = [Term(error + inner * seed, outer - 1.0) for seed, error in own]
        return self.error, inner, satterthwaite(terms)

    def with_outer(self, variance: float) -> Self:
        """Return the components with another variance between seeds."""
        learners = tuple(
            (variance * (seed / self.seed if self.seed else 0.5), error)
            for seed, error in self.learners
        )
        return replace(self, seed=variance, learners=learners)


class _RunComponents(CrossedComponents):
    """Variances of independent runs, which have one number of a learner each."""

    method = "welch-t"
    sizes = "runs", ""
    least = 2, 1
    most = 100_000, 1
    larger = (1, 1), (2, 1), (4, 1)


@dataclass(frozen=True)
class ClusterComponents(Components):
    r"""Components of variance of losses whose examples come in clusters.

    The mean of G clusters of m examples has the variance :math:`(1 + \mathrm{cv}^2) \sigma_c^2/G +
    \sigma_w^2/(G m)`.

    Parameters
    ----------
    cluster, within : float
        :math:`\sigma_c^2` and :math:`\sigma_w^2`: variances between the means of clusters and
        within clusters, in squared units of the loss.
    variation : float, default 0.0
        Coefficient of variation cv of the sizes of the clusters.
    units : float, default 1.0
        How many clusters of equal size one of them is worth, for degrees of freedom.
    name, metric, pilot : str, str, tuple of float, optional
        The difference (or learner) in words, the name of the loss, and the pilot's number of
        clusters and of examples per cluster.

    Examples
    --------
    >>> from errbar.planning import ClusterComponents
    >>> found = ClusterComponents(cluster=0.02, within=0.18)
    >>> round(found.variance(40, 5), 4)
    0.0014
    """

    cluster: float
    within: float
    variation: float = 0.0
    units: float = 1.0

    method = "cluster-t"
    parts = "cluster", "within"
    sizes = "clusters", "per_cluster"
    costs = "cost_cluster", "cost_example"
    least = FEWEST_CLUSTERS, 1

    def sources(self, outer: float, inner: float) -> dict[str, float]:
        """Return the variance of as many independent examples, and what the clusters add."""
        between = self.cluster * (1.0 + self.variation**2) / outer
        alone = (self.cluster + self.within) / (outer * inner)
        return {"example": alone, "cluster": between - self.cluster / (outer * inner)}

    def df(self, outer: float, _inner: float) -> float:
        """Return one less than the clusters, or than what those of unequal size are worth."""
        return self.units * outer - 1.0

    def mean_square(self, outer: float, inner: float) -> tuple[float, float, float]:
        """Return what examples add to the mean square between clusters."""
        return self.within, inner, self.df(outer, inner)

    def with_outer(self, variance: float) -> Self:
        """Return the components with another variance between clusters."""
        return replace(self, cluster=variance)

    def cost(self, outer: Any, inner: Any, costs: tuple[float, float]) -> Any:
        """Return what so many clusters of so many examples cost."""
        return outer * (costs[0] + costs[1] * inner)


# Power of a t-test whose estimate has a known variance and degrees of freedom.

# A power closer to 1 than the integral is exact to.
_CERTAIN = 1.0 - 1e-12
_FAR = 1e300
# So many degrees of freedom are as good as a known variance.
KNOWN = 1e9
# Beyond so many standard deviations the normal and the chi distribution have no mass that a double could show.
_REACH = 10.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)
# More than any S, and small enough to be squared.
_LARGE = 1e100


@dataclass(frozen=True, slots=True)
class StudentTest:
    """Level and side of a test; a shift is the true difference in standard errors, towards the alternative."""

    level: float
    alternative: str

    def critical(self, df: float) -> float:
        """Return what the statistic must exceed, which is also the half-width of the interval in standard errors."""
        tail = 1.0 - self.level
        return -float(special.stdtrit(df, tail / 2.0 if self.alternative == "two-sided" else tail))

    def rejects(self, shift: float, df: float) -> float:
        limit, towards = self.critical(df), max(-_FAR, min(shift, _FAR))
        power = upper_tail(limit, df, towards)
        if self.alternative == "two-sided":
            power += upper_tail(limit, df, -towards)
        return min(1.0, power)

    def towards(self, difference: float) -> float:
        if self.alternative == "two-sided":
            return abs(difference)
        return difference if self.alternative == "greater" else -difference

    def shift(self, df: float, wanted: float) -> float:
        """Return the smallest shift that is found with the wanted power, or 0 where that of a true null hypothesis is."""
        from scipy import optimize  # slow to import

        wanted, high = min(wanted, _CERTAIN), 1.0
        if self.rejects(0.0, df) >= wanted:
            return 0.0
        while self.rejects(high, df) < wanted:
            high = 2.0 * high
        return float(
            optimize.brentq(
                lambda shift: self.rejects(shift, df) - wanted, 0.0, high, xtol=1e-14, rtol=1e-14
            )
        )


def upper_tail(threshold: float, df: float, shift: float) -> float:
    """Return P(Z + shift > threshold * S) for a standard normal Z and an independent S with df S^2 chi-square.

    Integrated over the one on whose scale the other's law is smooth. SciPy's `nctdtr` (1.17) is NaN
    for some shifts beyond 37.
    """
    if threshold < 0.0:
        return 1.0 - upper_tail(-threshold, df, -shift)
    if threshold * threshold <= 2.0 * df:
        # P(Z > threshold S - shift) over the law of S, whose standard deviation is close to 1/sqrt(2 df).
        width = _REACH / math.sqrt(2.0 * df)
        s, weights = _rule(max(0.0, 1.0 - width), 1.0 + width)
        mass = weights * np.exp((df - 1.0) * np.log(s) - 0.5 * df * (s - 1.0) * (s + 1.0))
        return min(1.0, float(mass @ ndtr(shift - threshold * s)) / float(np.add.reduce(mass)))
    # P(S < (Z + shift) / threshold) over the law of Z.
    if shift <= -_REACH:
        return 0.0
    z, weights = _rule(max(-_REACH, -shift), _REACH)
    mass = weights * np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    bound = np.minimum((z + shift) / threshold, _LARGE)
    return min(1.0, float(mass @ special.chdtr(df, df * bound * bound)))


def _rule(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    half = 0.5 * (high - low)
    return low + half * (_NODES + 1.0), half * _WEIGHTS


def smallest(holds: Callable[[int], bool], start: int, most: int) -> int | None:
    """Return the smallest number for which something holds: tried one by one up to 10, then in steps of a tenth."""
    low, high = start - 1, start
    while not holds(high):
        if high >= most:
            return None
        low, high = high, min(most, high + max(1, high // 10))
    return low + 1 + bisect_left(range(low + 1, high), True, key=holds)  # noqa: FBT003


# What a study that has been done could have found.


def detectable(results: Sequence[Result], power: float) -> FloatArray | None:
    """Return the smallest difference found with some power by each result; None where a law is neither t nor normal."""
    units = [_unit(one) for one in results]
    if None in units:
        return None
    kinds: list[Any] = [
        (one.level, one.alternative, KNOWN if one.df is None else min(one.df, KNOWN))
        for one in results
    ]
    shifts = {kind: StudentTest(*kind[:2]).shift(kind[2], power) for kind in set(kinds)}
    return np.array([shifts[kind] * unit for kind, unit in zip(kinds, units, strict=True)])


def _unit(result: Result) -> Any:
    """Return by what (estimate - null) is divided for a statistic with the t or the normal distribution: the standard error, or that under the null."""
    gap, z = result.estimate - result.null, result.statistic
    if isinstance(result.df, tuple):
        return None
    if math.isclose(z, gap / result.se, abs_tol=1e-9):
        return result.se
    tails = {"less": ndtr(z), "greater": ndtr(-z), "two-sided": 2.0 * ndtr(-abs(z))}
    close = math.isclose(result.pvalue, tails[result.alternative], rel_tol=1e-6, abs_tol=1e-12)
    return gap / z if result.df is None and close and gap * z > 0.0 else None


# What a study can find, and what a difference needs.

_POINTS = 201
# Curves end where power is close to 1.
_TOP = 0.99
_CHEAPEST, _DEAREST = 1e-12, 1e12
_MOST_MORE = 1_000_000_000
_FOUND = (
    *("prospects", "power", "detectable", "detectable_interval", "power_interval"),
    *("worth", "smallest", "cheapest"),
)


@dataclass(frozen=True)
class Prospect:
    """What a study of one size promises.

    Attributes
    ----------
    sizes : Numbers of splits, seeds or clusters, and of examples (per cluster).
    se, df : Standard error that is to be expected, and its degrees of freedom.
    half_width : Half the width of the interval, or for a one-sided one the distance of its end.
    detectable : Size of the smallest difference with the wanted power.
    power, cost : Power at the difference of the study, and cost, where these are known.
    """

    sizes: Sizes
    se: float
    df: float
    half_width: float
    detectable: float
    power: float | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Study:
    """What a study can find, and what it would need.

    Of pairs, the first is about splits, seeds or clusters, and the second about examples.

    Attributes
    ----------
    components : What the variance is made of.
    sizes : Numbers of splits, seeds or clusters, and of examples (per cluster).
    difference, wanted : True difference that the study should find, and wanted power.
    level, alternative : Of the test.
    costs : Cost of a seed (or cluster) and of an example.
    """

    components: Components
    sizes: Sizes
    difference: float | None
    wanted: float
    level: float
    alternative: str
    costs: tuple[float, float] | None = None

    @property
    def _test(self) -> StudentTest:
        return StudentTest(self.level, self.alternative)

    def _law(self, outer: int, inner: int) -> tuple[float, float]:
        """Return the standard error of a study of some size, and its degrees of freedom."""
        parts = self.components
        return math.sqrt(parts.variance(outer, inner)), parts.df(outer, inner)

    def _half_width(self, outer: int, inner: int) -> float:
        se, df = self._law(outer, inner)
        return self._test.critical(df) * se

    def _power(self, outer: int, inner: int) -> float:
        se, df = self._law(outer, inner)
        return self._test.rejects(self._test.towards(self.difference or 0.0) / se, df)

    def _enough(self, outer: int, inner: int) -> bool:
        return self._power(outer, inner) >= self.wanted

    def prospect(self, outer: int, inner: int) -> Prospect:
        """Return what a study of another size promises."""
        se, df = self._law(outer, inner)
        return Prospect(
            sizes=(outer, inner),
            se=se,
            df=df,
            half_width=self._half_width(outer, inner),
            detectable=self._test.shift(df, self.wanted) * se,
            power=None if self.difference is None else self._power(outer, inner),
            cost=self.costs and float(self.components.cost(outer, inner, self.costs)),
        )

    @cached_property
    def prospects(self) -> tuple[Prospect, ...]:
        """What the study promises, and larger ones."""
        return tuple(self.prospect(*sizes) for sizes in self.components.rows(*self.sizes))

    @property
    def power(self) -> float | None:
        """Power at the difference."""
        return self.prospects[0].power

    @property
    def detectable(self) -> float:
        """Size of the smallest difference with the wanted power."""
        return self.prospects[0].detectable

    @cached_property
    def _ends(self) -> list["Study"]:
        """The study at the ends of the first component's interval from the pilot."""
        parts = self.components
        ends = () if parts.pilot is None else parts.outer_interval()
        return [replace(self, components=parts.with_outer(end)) for end in ends]

    @property
    def detectable_interval(self) -> tuple[float, ...] | None:
        """Detectable difference at these ends."""
        return tuple(end.detectable for end in self._ends) or None

    @property
    def power_interval(self) -> tuple[float | None, ...] | None:
        """Power at the same ends."""
        ends = self._ends if self.difference is not None else []
        return tuple(end.power for end in reversed(ends)) or None

    @cached_property
    def worth(self) -> int | None:
        """How many more examples narrow the interval as much as one more split, seed or cluster."""
        outer, inner = self.sizes
        goal = self._half_width(outer + 1, inner)
        return smallest(lambda more: self._half_width(outer, inner + more) <= goal, 1, _MOST_MORE)

    @cached_property
    def smallest(self) -> tuple[int | None, int | None]:
        """Smallest numbers with the wanted power at the difference, the other one as it is."""
        if self.difference is None:
            return None, None
        (outer, inner), least, most = self.sizes, self.components.least, self.components.most
        return (
            smallest(lambda number: self._enough(number, inner), least[0], most[0]),
            smallest(partial(self._enough, outer), least[1], most[1]),
        )

    @cached_property
    def cheapest(self) -> Prospect | None:
        """The cheapest study with that power, where costs are known; of several the one with the smallest variance."""
        if self.difference is None or self.costs is None:
            return None
        parts, (most, most_inner) = self.components, self.components.most
        # The variance is fixed + falling / inner, and must not be above that of a test with known variance.
        shift = self._test.shift(KNOWN, self.wanted) or LEAST
        bound = (1.0 + 1e-6) * (self._test.towards(self.difference) / shift) ** 2
        outer = np.arange(parts.least[0], most + 1.0)
        fixed = parts.variance(outer, math.inf)
        falling, room = parts.variance(outer, 1.0) - fixed, bound - fixed
        possible = falling < most_inner * room
        outer = outer[possible]
        need = np.maximum(parts.least[1], np.ceil(falling[possible] / room[possible]))
        lower = parts.cost(outer, need, self.costs)
        best: Any = (math.inf,)
        for at in np.argsort(lower, kind="stable").tolist():
            if lower[at] > best[0]:
                break
            number = int(outer[at])
            inner = smallest(partial(self._enough, number), int(need[at]), most_inner)
            if inner is not None:
                variance = parts.variance(number, inner)
                best = min(best, (parts.cost(number, inner, self.costs), variance, number, inner))
        return self.prospect(*best[2:]) if best[2:] else None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Caveats that belong to the numbers."""
        parts, found = self.components, []
        if parts.pilot is not None and self.detectable_interval is not None:
            low, high = self.detectable_interval
            what, units, count = "detectable difference", parts.sizes[0], int(parts.pilot[0])
            found.append(
                Note("uncertain-pilot", what=what, count=count, units=units, low=low, high=high)
            )
        if isinstance(parts, CrossedComponents):
            found.append(SEEDS_OF_ONE_TRAINING_SET)
        if getattr(parts, "variation", 0.0):
            kind, say = "varying as in the pilot", ["variation"]
            found.append(Note("taken-as", what="sizes of clusters", kind=kind, say=say))
        return tuple(found)

    def curves(self) -> dict[str, FloatArray]:
        """Return difference and power, shape (201, 2), for each size in `prospects`."""
        test, row = self._test, self.prospects[0]
        end = test.shift(row.df, max(_TOP, self.wanted)) * row.se
        below = (self.difference or 0.0) < 0.0 or self.alternative == "less"
        differences = np.linspace(0.0, -end if below else end, _POINTS)
        shifts = [test.towards(one) for one in differences.tolist()]
        return {
            self._in_words(row.sizes): np.column_stack(
                [differences, [test.rejects(shift / row.se, row.df) for shift in shifts]]
            )
            for row in self.prospects
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        parts = self.components
        found = {name: getattr(self, name) for name in (*_FOUND, "notes")}
        more = {"method": parts.method, "sources": parts.sources(*self.sizes)}
        return plain(self) | plain(found | more)

    def __str__(self) -> str:
        parts, total = self.components, self.prospects[0].se ** 2
        variances, sources = parts.variances.items(), parts.sources(*self.sizes).items()
        spreads = [f"{what} {_number(math.sqrt(part))}" for what, part in variances if part]
        shares = [f"{what} {100.0 * part / total:.3g} %" for what, part in sources if part]
        names = [name.replace("_", " ") for name in parts.sizes if name]
        table: list[Any] = [(*names, "error", "half-width", "power", "detectable", "cost")]
        table += [
            (*row.sizes[: len(names)], row.se, row.half_width, row.power, row.detectable, row.cost)
            for row in self.prospects
        ]
        size = self._in_words(self.sizes).replace("_", " ")
        lines = [
            f"{parts.method}: {size}, level {self.level:.6g}, {self.alternative}",
            f"standard deviations of {parts.name or parts.metric}: {', '.join(spreads)}",
            f"squared standard error by source: {', '.join(shares)}",
            "",
            f"detectable: with power {self.wanted:g}; power: at {self.difference}",
            *("".join(f"{_number(cell):>12}" for cell in row) for row in table),
            "",
            *[f"worth one more of the {names[0]}: {self.worth} more {one}" for one in names[1:]],
        ]
        if self.difference is not None:
            needed = zip(names, self.smallest, strict=False)
            lines += [f"{name} needed: {count or 'no number is enough'}" for name, count in needed]
        if self.cheapest is not None:
            size = self._in_words(self.cheapest.sizes).replace("_", " ")
            lines.append(f"cheapest: {size}, cost {_number(self.cheapest.cost)}")
        return "\n".join([*lines, *(f"note {note}" for note in self.notes)])

    def _in_words(self, sizes: Sizes) -> str:
        named = zip(sizes, self.components.sizes, strict=True)
        return ", ".join(f"{size} {name}" for size, name in named if name)


def plan_study(
    components: Components,
    difference: float | None = None,
    power: float = 0.8,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    **sizes_and_costs: Any,
) -> Study:
    r"""Say what a study can find, and the splits, seeds, examples or clusters that a difference needs.

    Parameters
    ----------
    components : SplitComponents, CrossedComponents or ClusterComponents
        What the variance is made of; `pilot` reads it from a small study.
    difference, power : float, optional, default 0.8
        True difference that the study should find, in units of the loss: one that would matter, not
        the one that a pilot has shown; and the wanted probability of finding it.
    level : float, default 0.95
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
    **sizes_and_costs : int or float
        ``repeats``, ``seeds`` or ``runs`` (of each learner), or ``clusters``, by default that of the pilot, or 15
        splits; ``examples``, or ``per_cluster``, by default that of the pilot, or all that splits train
        and test on; ``cost_seed`` or ``cost_cluster`` (without its examples), and ``cost_example``.

    Returns
    -------
    Study

    Raises
    ------
    InvalidInputError
        If an argument is out of its range, or a size is missing.

    Notes
    -----
    The variance V of the mean follows from the components. Its degrees of freedom are J - 1 for
    splits; G - 1 for clusters of equal size, for others fewer in the proportion of the pilot; and
    for seeds Satterthwaite's, for the mean squares :math:`\sigma_e^2 + n \sigma_s^2` for seeds,
    :math:`\sigma_e^2 + S \sigma_i^2` for examples and :math:`\sigma_e^2` for the rest. The
    statistic at a true difference :math:`\delta` is taken to have the noncentral t distribution
    with shift :math:`\delta/\sqrt V`. That is exact for splits under the assumptions of the
    corrected t ([1]_, section 2). As J grows, V goes to :math:`S^2 n_2/n_1` and not to 0: more
    splits of the same data cannot give any power that is wanted. For clusters V is that of as many
    independent examples times the design effect ([2]_). Numbers are tried one by one up to 10, and
    from there in steps of a tenth.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.
    .. [2] Kish (1965), Survey Sampling, sections 5.4 and 8.2.

    Examples
    --------
    >>> from errbar.planning import CrossedComponents, plan_study
    >>> parts = CrossedComponents(seed=0.0004, example=0.2, error=0.05)
    >>> study = plan_study(parts, 0.05, seeds=5, examples=200, cost_seed=3, cost_example=0.05)
    >>> round(study.detectable, 3), study.worth, study.cheapest.sizes
    (0.095, 5, (6, 854))
    """
    must = "must be components of variance, as errbar.planning.pilot makes them"
    _check.require(isinstance(components, Components), must, components, "components")
    level, alternative = _check.level(level), _check.alternative(alternative)
    if difference is not None:
        difference = _check.finite(difference, "difference")
        towards = StudentTest(level, alternative).towards(difference)
        must = f"must be on the side of the alternative {alternative!r}, from {LEAST:g} to {MOST:g} in size"
        _check.require(LEAST <= towards <= MOST, must, difference, "difference")
    given: Any = {name: value for name, value in sizes_and_costs.items() if value is not None}
    own = *components.sizes, *components.costs
    for name, value in given.items():
        must = f"does not go with {type(components).__name__}, which takes {', '.join(own)}"
        _check.require(name in own, must, value, name)
    sizes = []
    for place, name in enumerate(components.sizes):
        size, least = given.get(name), components.least[place]
        if size is None and components.usual is not None:
            # A mean size of clusters is a fraction; what is planned is whole.
            size = max(least, round(components.usual[place]))
        sizes.append(_check.count(size, name, least, components.most[place]))
    costs: Any = None
    if given.keys() & set(components.costs):
        costs = tuple(
            _check.between(given.get(name), _CHEAPEST, _DEAREST, name) for name in components.costs
        )
    outer, inner = sizes
    wanted = _check.level(power, "power")
    return Study(components, (outer, inner), difference, wanted, level, alternative, costs)


def _number(value: Any) -> str:
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    return f"{value:.0f}" if 1e4 <= value < 1e9 else f"{value:.4g}"


# Components of variance from a pilot.


def pilot(
    source: LossTable | Losses,
    a: str | None = None,
    b: str | None = None,
    *,
    design: str = "splits",
    seeds: str = "own",
) -> Components:
    r"""Read from a pilot study what the variance of a mean is made of.

    Parameters
    ----------
    source : LossTable or Losses
        Random splits with their sizes, several seeds on the same examples, examples in clusters,
        or independent runs.
    a, b : str, optional
        Learners whose difference a minus b is planned for, where a table has more than two.
    design : {"splits", "crossed", "clusters"}, default "splits"
        What the study draws at random: splits (or runs, where the table holds these), seeds
        and examples, or clusters.
    seeds : {"own", "shared"}, default "own"
        With ``crossed``: whether two learners have seeds of their own.

    Returns
    -------
    SplitComponents, CrossedComponents or ClusterComponents
        Runs are `CrossedComponents` without examples. None is negative. With the sizes of the
        pilot, `variance` is the squared error of
        `errbar.methods.corrected_t`, `errbar.methods.crossed_t` or, for clusters of equal size,
        `errbar.methods.cluster_t`.

    Raises
    ------
    InvalidInputError, UnsuitablePlanError
        If learners or sizes are unknown, no cluster has two examples, or numbers do not vary; if
        the numbers are not of the design.

    Notes
    -----
    **Seeds.** With the mean squares of `errbar.methods.crossed_t`, for a learner or for shared
    seeds, :math:`\sigma_s^2 = \max(MS_s - MS_e, 0)/n`, :math:`\sigma_i^2 = \max(MS_i - MS_e, 0)/S`
    and :math:`\sigma_e^2 = MS_e`. Where learners l have seeds of their own, :math:`\sigma_s^2 =
    \max(\sum_l (MS_{s,l} - MS_{e,l}), 0)/n` and :math:`\sigma_e^2 = \sum_l MS_{e,l}`. With the
    variance :math:`s_d^2` of the differences of the means over seeds, :math:`\sigma_i^2 =
    \max(s_d^2 - \sigma_e^2/S, 0)`; where that is 0, :math:`\sigma_e^2 = S s_d^2`.

    **Runs.** With R runs of each learner the variance is :math:`(S_a^2 + S_b^2)/R`, with Welch's
    degrees of freedom.

    **Clusters.** With n examples in G clusters of sizes :math:`n_g`, :math:`\sigma_w^2 = MS_w` and
    :math:`\sigma_c^2 = \max(MS_b - MS_w, 0)/n_0`, where :math:`n_0 = (n - \sum n_g^2/n)/(G - 1)`
    ([1]_). With a metric that is averaged over folds, values are compared with the mean of their
    fold.

    References
    ----------
    .. [1] Donner (1986), International Statistical Review 54(1), 67-82.

    Examples
    --------
    >>> import errbar
    >>> from errbar.planning import pilot
    >>> losses = [[0.1, 0.5, 0.2, 0.9, 0.4], [0.3, 0.6, 0.5, 1.0, 0.4], [0.2, 0.8, 0.3, 1.2, 0.7]]
    >>> found = pilot(errbar.Losses.of_grid(losses, "seed", "example"), design="crossed")
    >>> round(found.seed, 4), round(found.example, 4), round(found.error, 4)
    (0.01, 0.099, 0.012)
    """
    method, made = _DESIGNS[_check.choice(design, _DESIGNS, "design")]
    _check.choice(seeds, ("own", "shared") if design == "crossed" else ("own",), "seeds")
    if not isinstance(source, LossTable):
        must = "must be a table, of which `a` and `b` name learners, or Losses alone"
        alone = isinstance(source, Losses) and a is None and b is None
        _check.require(alone, must, source, "source")
        return made(source, seeds)
    names: Any = source.learners if a is None and b is None else (a, b)
    must = f"and `b` must name two of the learners {', '.join(map(repr, source.learners))}"
    _check.require(None not in names and len(names) <= 2, must, a, "a")
    if design == "splits":
        method, made = _DESIGNS.get(source.splits.kinds[0], (method, made))
    try:
        losses = settle(lookup(method), source.common(*names)).table.losses(*names)
    except UnsuitablePlanError as error:
        why = str(error).partition(";")[0]
        remedy = "say --design crossed (seeds) or clusters (groups), without `time`; other studies are not planned"
        raise UnsuitablePlanError(f"{why}; {remedy}") from None
    return replace(made(losses, seeds), name=" - ".join(names), metric=source.loss.key)


def _of_splits(losses: Losses, _: str) -> SplitComponents:
    splits = losses.splits
    must = "is needed, as is `n_test`: the sizes of splits"
    _check.require(set(SIZES) <= set(splits.index), must, None, "n_train")
    _refuse_constant(splits.value)
    train, test = splits.n_train, splits.size("n_test")
    made = splits.value.size, train + test
    return SplitComponents(math.sqrt(variance(splits.value)), train, test, pilot=made)


def _of_seeds(losses: Losses, seeds: str) -> CrossedComponents:
    view = tables_of(losses)
    units, n = view.units, view.value.shape[1]
    tables = [view.value] if view.minus is None else [view.value, view.minus]
    if seeds == "shared" and len(tables) == 2:
        must = "'shared' needs as many seeds of both learners; try 'own'"
        _check.require(len(tables[0]) == len(tables[1]), must, seeds, "seeds")
        tables = [difference(*tables)]
    squares = [(len(table), crossed(table, units)) for table in tables]
    own = [count * (found.seed.size - found.both.size) for count, found in squares]
    errors = [count * n * found.both.size for count, found in squares]
    rest = sum(n * found.both.size for _, found in squares)
    means = [table.mean(axis=0) for table in tables]
    of_examples = means[0] if len(means) == 1 else difference(*means)
    item, total = n * units.squared_error(of_examples), max(sum(own), 0.0)
    learners: tuple[tuple[float, float], ...] = ()
    if len(tables) == 1:
        _refuse_constant(tables[0])
    else:
        if item + total == 0.0:
            _refuse_constant(of_examples)
        # The floor of the method: what is known of the means over seeds is the whole of their variance.
        errors = [error if rest <= item else error * item / rest for error in errors]
        if min(own) < 0.0:  # a part that would be negative leaves the total to the other
            own = [total if part == max(own) else 0.0 for part in own]
        learners = tuple(zip(own, errors, strict=True))
    alone = units.count == n and units.block is None
    return CrossedComponents(
        total,
        max(item - rest, 0.0),
        sum(errors),
        learners,
        units=1.0 if alone else (units.df + 1.0) / n,
        pilot=view.value.shape,
    )


def _of_runs(losses: Losses, _: str) -> _RunComponents:
    samples = [one.splits.value for one in losses.each]
    own = [(variance(sample), 0.0) for sample in samples]
    made = min(map(len, samples)), 1
    return _RunComponents(sum(one for one, _ in own), 0.0, 0.0, tuple(own), units=2.0, pilot=made)


def _of_clusters(losses: Losses, _: str) -> ClusterComponents:
    losses = clustered(losses)
    units, values = units_of(losses), losses.value
    sizes = np.bincount(units.code)
    # One cluster has no degrees of freedom, and is refused here.
    n, count, worth = values.size, sizes.size, units.df + 1.0
    if n == count:
        raise InvalidInputError(
            "no cluster of the pilot has two examples, so it cannot tell clusters from examples; they are independent then"
        )
    if units.block is not None:
        values = values - (np.bincount(units.block, values) / np.bincount(units.block))[units.block]
    _refuse_constant(values)
    means = np.bincount(units.code, values) / sizes
    within = float(np.square(values - means[units.code]).sum()) / (n - count)
    between = float(sizes @ np.square(means - values.mean())) / (count - 1)
    usual = (n - float(np.square(sizes).sum()) / n) / (count - 1)
    return ClusterComponents(
        max(between - within, 0.0) / usual,
        within,
        variation=float(sizes.std() / sizes.mean()),
        units=worth / count,
        pilot=(count, n / count),
    )


def _refuse_constant(values: FloatArray) -> None:
    varies = float(np.ptp(values)) > 1e-12 * float(np.abs(values).max())
    _check.require(varies, "must hold losses that vary", values, "source")


_DESIGNS: dict[str, tuple[str, Callable[..., Components]]] = {
    "splits": ("corrected-t", _of_splits),
    "crossed": ("crossed-t", _of_seeds),
    "clusters": ("cluster-t", _of_clusters),
    RUNS: ("welch-t", _of_runs),
}


# How many questions of a board to ask.

_FEWEST_ASKED = 10
_TRIED = 40
_SIZES = 25, 50, 100, 200, 400, 800, 1600, 3200
_HEADINGS = "questions", "width alone", "width, board", "found alone", "found, board"


@dataclass(frozen=True)
class Questions:
    """What answers to a part of a board's questions tell of a new model, alone and with its known models.

    Attributes
    ----------
    total, known : Numbers of questions and of known models.
    power, level, alternative : Of the test, and of the interval.
    rows : Number of questions asked, half-width of the interval alone and with the board, and
        detectable difference to a known model alone and with the board.
    needed, needed_alone : How many questions are enough for what is wanted, with the board and alone.
    notes : How the board was read.
    """

    total: int
    known: int
    power: float
    level: float
    alternative: str
    rows: tuple[tuple[float, ...], ...]
    needed: int | None
    needed_alone: int | None
    notes: tuple[Note, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return plain(self)

    def __str__(self) -> str:
        table = [_HEADINGS, *self.rows]
        needed = f"questions needed: {self.needed} with the board, {self.needed_alone} alone"
        lines = [
            f"known: {self.known} models, {self.total} questions, level {self.level:.6g}, {self.alternative}",
            f"width: half of the interval; found: difference to a known model, with power {self.power:g}",
            "",
            *("".join(f"{_number(cell):>14}" for cell in row) for row in table),
            "",
            *[needed] * (self.needed is not None),
            "two new models: no gain from the board; plan with their answers alone",
        ]
        return "\n".join([*lines, *(f"note {note}" for note in self.notes)])


def plan_questions(
    board: Any,
    difference: float | None = None,
    power: float = 0.8,
    *,
    half_width: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    ignore: Any = None,
    random_state: int = 0,
    **roles: str | None,
) -> Questions:
    r"""Say how many questions of a board a new model must answer, where known models have answered all.

    Parameters
    ----------
    board : str, Path, data frame or mapping
        Answers of known models to all questions, as for `errbar.from_known`.
    difference, power : float, optional, default 0.8
        True difference to a known model that should be found, in units of the answers; and the
        wanted probability of finding it.
    half_width : float, optional
        Wanted half-width of the interval of a new model.
    level : float, default 0.95
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
    ignore : str or sequence of str, optional
        Columns that are no models.
    random_state : int, default 0
        Draws the questions that are asked of each known model.
    **roles : str, optional
        Columns by role, as for `errbar.from_known`.

    Returns
    -------
    Questions

    Raises
    ------
    InvalidInputError, PairingError
        If an argument is out of its range; if fewer than three known models have answered all, or
        there are fewer than 50 questions.

    Notes
    -----
    Each known model, or 40 at random, is the new one in turn. Of m random questions,
    :math:`s^2_m` is the variance of the errors of prediction as for `errbar.from_known`, averaged
    over the models. The half-width is :math:`t\, \sqrt{(1 - m/N)\, s^2_m/m}` with m - 1 degrees of
    freedom, and the power is that of the noncentral t; without the board, :math:`s^2` is that of
    the answers, and the mean of the known model is exact, too. Between sizes, :math:`s^2_m` is
    interpolated in log m. A new model that is unlike the known ones needs more questions.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.planning import plan_questions
    >>> rng = np.random.default_rng(0)
    >>> easy = rng.normal(size=400)
    >>> answers = {f"m{k}": easy + rng.normal(size=400) > 0 for k in range(12)}
    >>> found = plan_questions(answers, half_width=0.05)
    >>> found.needed, found.needed_alone
    (172, 198)
    """
    level, power = _check.level(level), _check.level(power, "power")
    test = StudentTest(level, _check.alternative(alternative))
    least = np.array([[math.inf], [math.inf]])  # half-width and detectable difference
    if half_width is not None:
        least[0] = _check.between(half_width, LEAST, MOST, "half_width")
    if difference is not None:
        least[1] = towards = test.towards(_check.finite(difference, "difference"))
        must = "must be on the side of the alternative"
        _check.require(towards > 0.0, must, difference, "difference")
    frame, _, read = questions_of(board, roles, ignore, "board")
    whole, notes = complete(frame)
    values = whole.to_numpy(float)  # (N, K)
    total, known = values.shape
    sizes = [size for size in _SIZES if 2 * size <= total]
    must = f"must hold 3 models with answers to all of at least {2 * _SIZES[0]} questions"
    _check.require(bool(sizes) and known >= 3, must, values.shape, "board")
    rng = _rng.stream(_rng.root(random_state), "known")
    variances = np.zeros((2, len(sizes)))  # of answers, and of errors of prediction
    tried = rng.permutation(known)[:_TRIED]
    for model, place in product(tried, range(len(sizes))):
        asked = np.isin(np.arange(total), rng.choice(total, sizes[place], replace=False))
        answers = values[asked, model]
        found = predictions(np.delete(values, model, axis=1), asked, answers)[asked]
        variances[:, place] += np.array([variance(answers), variance(answers - found)]) / tried.size

    def promise(count: int) -> FloatArray:
        """Return what so many questions promise: half-width and detectable difference, alone and with the board."""
        ends = [np.interp(math.log(count), np.log(sizes), own) for own in variances]
        se, df = np.sqrt((1.0 - count / total) * np.array(ends) / count), count - 1.0
        return np.outer((test.critical(df), test.shift(df, power)), se)

    def enough(kind: int, count: int) -> bool:
        return bool((promise(count) <= least)[:, kind].all())

    needed = alone = None
    if np.isfinite(least).any():
        needed, alone = (smallest(partial(enough, kind), _FEWEST_ASKED, total) for kind in (1, 0))
    rows = [(size, *promise(size).ravel().tolist()) for size in sizes]
    how = total, known, power, level, alternative
    return Questions(*how, tuple(rows), needed, alone, distinct((*read, *notes)))
