"""What splits, seeds, examples and clusters add to the variance of a mean."""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from scipy import special

from errbar import _check
from errbar.methods._core.crossed import Term, satterthwaite
from errbar.needs import FEWEST_CLUSTERS

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
        low = square * df / float(special.chdtri(df, 0.025))
        high = 0.5 * square * df / float(special.gammaincinv(0.5 * df, 0.025))
        return max(low - noise, 0.0) / count, max(high - noise, 0.0) / count

    def rows(self, outer: int, inner: int) -> list[Sizes]:
        """Return these sizes and larger ones."""
        most = self.most[0]
        larger = [(min(by * outer, most), times * inner) for by, times in self.larger]
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
        left = [
            Term(size + both, df)
            for size, df in ((self.seed / outer, outer - 1.0), (self.example / inner, free))
            if size > 0.0
        ]
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
