"""What seeds, examples and clusters add to the variance of a mean."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.methods._core.crossed import Term, satterthwaite
from errbar.needs import FEWEST_CLUSTERS
from errbar.planning._pilot import chi_square_ends

# Squares of ratios of numbers in between are numbers.
_LEAST, _MOST = 1e-60, 1e60


@dataclass(frozen=True, kw_only=True)
class ComponentSource:
    """Where components of variance come from.

    Attributes
    ----------
    name, metric : str
        The difference (or learner) in words, and the name of the loss or score.
    pilot : tuple of float or None
        Sizes of the pilot; None where the components are assumed.
    """

    name: str = ""
    metric: str = "loss"
    pilot: tuple[float, float] | None = None


@dataclass(frozen=True)
class CrossedComponents(ComponentSource):
    r"""Components of variance of losses of several seeds on the same examples.

    The mean of S seeds on n examples has the variance :math:`\sigma_s^2/S + \sigma_i^2/n + \sigma_e^2/(S n)`.

    Parameters
    ----------
    seed, example, error : float
        :math:`\sigma_s^2`, :math:`\sigma_i^2` and :math:`\sigma_e^2`: variances between seeds, between examples, and of what seeds
        and examples add together, in squared units of the loss.
    learners : tuple of (float, float), optional
        For a difference of two learners with seeds of their own: what each adds to `seed` and to `error`.
    units : float, default 1.0
        Independent units per example: 1, or less where examples come in clusters.
    name, metric : str, optional
        The difference (or learner) in words, and the name of the loss or score.
    pilot : tuple of float, optional
        Numbers of seeds and of examples of the pilot.

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

    method: ClassVar[str] = "crossed-t"
    words: ClassVar[tuple[str, str]] = ("seed", "example")

    def __post_init__(self) -> None:
        """Refuse what is not a variance."""
        _check_variances(seed=self.seed, example=self.example, error=self.error)

    @property
    def outer_variance(self) -> float:
        """Variance between seeds."""
        return self.seed

    @property
    def least(self) -> tuple[int, int]:
        """Fewest seeds and examples that `crossed_t` takes."""
        return 2, 2 if self.units == 1.0 else math.ceil(FEWEST_CLUSTERS / self.units)

    def parts(self, seeds: FloatArray | float) -> tuple[FloatArray | float, FloatArray | float]:
        """Return a and b of the variance a + b/n of the mean over n examples."""
        return self.seed / seeds, self.example + self.error / seeds

    def sources(self, seeds: float, examples: float) -> dict[str, float]:
        """Return the parts of the variance by what they come from, as the method's ``components``."""
        return {
            "seed": self.seed / seeds,
            "example": self.example / examples,
            "seed x example": self.error / (seeds * examples),
        }

    def variance(self, seeds: float, examples: float) -> float:
        """Return the variance of the mean over so many seeds and examples."""
        return sum(self.sources(seeds, examples).values())

    def df(self, seeds: float, examples: float) -> float:
        """Return the degrees of freedom by Satterthwaite, of the mean squares that such a study expects."""
        cells, free = seeds * examples, self.units * examples - 1.0
        both = self.error / cells
        rest = Term(both, (seeds - 1.0) * free)
        if self.learners:
            terms = [Term(self.example / examples + both, free)]
            for seed, error in self.learners if self.seed else ():
                own = error / cells
                terms += [Term(seed / seeds + own, seeds - 1.0), Term(-own, rest.df)]
            return satterthwaite(terms)
        left = [
            Term(size + both, df)
            for size, df in ((self.seed / seeds, seeds - 1.0), (self.example / examples, free))
            if size > 0.0
        ]
        return satterthwaite([*left, rest._replace(size=(1 - len(left)) * both)])

    def cost(
        self, seeds: FloatArray | float, examples: FloatArray | float, costs: tuple[float, float]
    ) -> FloatArray:
        """Return what so many seeds and examples cost."""
        return np.asarray(costs[0] * seeds + costs[1] * examples)

    def step_costs(self, sizes: tuple[int, int], costs: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return what one more seed costs, and one more example."""
        return costs

    def outer_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return an interval for the variance between seeds, from the chi-square distribution of the mean square of seeds."""
        if self.pilot is None:
            return self.seed, self.seed
        seeds, examples = self.pilot
        squares = [
            error + examples * seed for seed, error in self.learners or ((self.seed, self.error),)
        ]
        df = satterthwaite([Term(size, seeds - 1.0) for size in squares])
        low, high = (
            max(sum(squares) * end - self.error, 0.0) / examples
            for end in chi_square_ends(df, level)
        )
        return low, high

    def with_outer(self, seed: float) -> Self:
        """Return the components with another variance between seeds."""
        shares = [own / self.seed if self.seed else 0.5 for own, _ in self.learners]
        learners = tuple(
            (share * seed, error) for share, (_, error) in zip(shares, self.learners, strict=True)
        )
        return replace(self, seed=seed, learners=learners)


@dataclass(frozen=True)
class ClusterComponents(ComponentSource):
    r"""Components of variance of losses whose examples come in clusters.

    The mean of G clusters of m examples has the variance :math:`\sigma_c^2/G + \sigma_w^2/(G m)`; where the sizes of clusters vary
    by the factor :math:`1 + \mathrm{cv}^2` more of the first part.

    Parameters
    ----------
    cluster, within : float
        :math:`\sigma_c^2` and :math:`\sigma_w^2`: variances between the means of clusters and within clusters, in squared units of
        the loss.
    variation : float, default 0.0
        Coefficient of variation cv of the sizes of the clusters.
    units : float, default 1.0
        How many clusters of equal size one of them is worth, for degrees of freedom.
    name, metric : str, optional
        The difference (or learner) in words, and the name of the loss or score.
    pilot : tuple of float, optional
        Number of clusters of the pilot, and of examples per cluster.

    Attributes
    ----------
    intraclass : float
        Intraclass correlation, the share of the variance that lies between clusters.

    Examples
    --------
    >>> from errbar.planning import ClusterComponents
    >>> found = ClusterComponents(cluster=0.02, within=0.18)
    >>> round(found.intraclass, 2), round(found.design_effect(5), 2), found.variance(40, 5)
    (0.1, 1.4, 0.0014)
    """

    cluster: float
    within: float
    variation: float = 0.0
    units: float = 1.0

    method: ClassVar[str] = "cluster-t"
    words: ClassVar[tuple[str, str]] = ("cluster", "example per cluster")

    def __post_init__(self) -> None:
        """Refuse what is not a variance."""
        _check_variances(cluster=self.cluster, within=self.within)

    @property
    def outer_variance(self) -> float:
        """Variance between clusters."""
        return self.cluster

    @property
    def least(self) -> tuple[int, int]:
        """Fewest clusters that `cluster_t` takes, of one example each."""
        return FEWEST_CLUSTERS, 1

    @property
    def intraclass(self) -> float:
        """Intraclass correlation: the share of the variance that lies between clusters."""
        return self.cluster / (self.cluster + self.within)

    def design_effect(self, per_cluster: float) -> float:
        """Return how many times the variance of as many independent examples that of the mean is."""
        return 1.0 + ((1.0 + self.variation**2) * per_cluster - 1.0) * self.intraclass

    def parts(self, clusters: FloatArray | float) -> tuple[FloatArray | float, FloatArray | float]:
        """Return a and b of the variance a + b/m of the mean over m examples per cluster."""
        return self.cluster * (1.0 + self.variation**2) / clusters, self.within / clusters

    def sources(self, clusters: float, per_cluster: float) -> dict[str, float]:
        """Return the parts of the variance: that of as many independent examples, and what the clusters add."""
        alone = (self.cluster + self.within) / (clusters * per_cluster)
        return {"example": alone, "cluster": alone * (self.design_effect(per_cluster) - 1.0)}

    def variance(self, clusters: float, per_cluster: float) -> float:
        """Return the variance of the mean over so many clusters of so many examples."""
        between, within = self.parts(clusters)
        return float(between + within / per_cluster)

    def df(self, clusters: float, per_cluster: float) -> float:  # noqa: ARG002 - as for seeds
        """Return the degrees of freedom: one less than the clusters, or than what those of unequal size are worth."""
        return self.units * clusters - 1.0

    def cost(
        self,
        clusters: FloatArray | float,
        per_cluster: FloatArray | float,
        costs: tuple[float, float],
    ) -> FloatArray:
        """Return what so many clusters of so many examples cost."""
        return np.asarray(clusters * (costs[0] + costs[1] * per_cluster))

    def step_costs(self, sizes: tuple[int, int], costs: tuple[float, float]) -> tuple[float, float]:
        """Return what one more cluster costs with its examples, and one more example in every cluster."""
        return costs[0] + costs[1] * sizes[1], costs[1] * sizes[0]

    def outer_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return an interval for the variance between clusters, from the chi-square distribution of their mean square."""
        if self.pilot is None:
            return self.cluster, self.cluster
        clusters, size = self.pilot
        square, ends = (
            self.within + size * self.cluster,
            chi_square_ends(self.df(clusters, size), level),
        )
        low, high = (max(square * end - self.within, 0.0) / size for end in ends)
        return low, high

    def with_outer(self, cluster: float) -> Self:
        """Return the components with another variance between clusters."""
        return replace(self, cluster=cluster)


Components = CrossedComponents | ClusterComponents


def _check_variances(**parts: float) -> None:
    for name, value in parts.items():
        if _check.finite(value, name) != 0.0 and not _LEAST <= value <= _MOST:
            raise InvalidInputError(
                f"must be a variance, 0 or from {_LEAST:g} to {_MOST:g}, got {value!r}",
                argument=name,
            )
    if not any(parts.values()):
        raise InvalidInputError(
            f"one of {', '.join(f'`{name}`' for name in parts)} must be positive"
        )
