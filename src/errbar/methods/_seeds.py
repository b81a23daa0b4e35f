"""Several seeds, or readers, crossed with examples: Student's t, and the model of Obuchowski and Rockette."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from errbar import _check
from errbar._check import FloatArray
from errbar.clusters import Units
from errbar.errors import InvalidInputError
from errbar.losses import Losses, difference
from errbar.methods._core.answer import Answer
from errbar.methods._core.crossed import (
    Tables,
    Term,
    crossed,
    of_which_training,
    satterthwaite,
    tables_of,
)
from errbar.methods._core.registry import register
from errbar.methods.distributions import ROUNDING
from errbar.methods.variance import skewed
from errbar.needs import SEEDS
from errbar.plans import Holdout, KFold, Seeds
from errbar.result import Estimand, Note


@register(
    "crossed-t",
    pointwise=True,
    plans=(Holdout.kind, KFold.kind),
    default_plan=Seeds(),
    needs=(SEEDS,),
    once=True,
    estimand=Estimand.OVER_SEEDS,
    scaled=True,
    references=("satterthwaite1946", "miller2024"),
)
def crossed_t(losses: Losses, *, seeds: str = "own", floors: bool = True) -> Answer:
    r"""Student's t on the losses of several seeds on the same examples, both of which are random.

    :Claim: The mean loss on new examples over the randomness of training, on this very training
        set.
    :Formula: ``SE^2 = s^2/n of the means over seeds + (MS_seed - MS_error)/(S n) of each learner, t
        with Satterthwaite's degrees of freedom``
    :Fits: S (5 by default)
    :Assumption: Examples (or clusters of them) are independent of each other and of the training
        set.
    :Assumption: Seeds are independent of each other, and those of two learners too where each has
        its own.
    :Assumption: Every seed has tested every example.

    Seeds are fits on one training set that differ in their random choices, or several answers to
    each question. Where they have nothing in common over examples, as answers of a language model
    to different questions, only the means of the examples count ([2]_). The ``components`` of the
    squared standard error are ``"seed"``, which falls with more seeds, ``"example"``, with more
    examples, and ``"seed x example"``, with either.

    Parameters
    ----------
    losses : Losses
        Losses of each seed on each example, of a learner or of two; examples may come in clusters.
    seeds : {"own", "shared"}, default "own"
        Whether two learners have seeds of their own, or the same seed means the same to both, such
        as the same order of the training examples.
    floors : bool, default True
        Whether negative components of variance count as 0.

    See Also
    --------
    crossed_or, holdout_t, cluster_t

    Notes
    -----
    With the loss :math:`D_{si}` of seed s on example i, S seeds and n examples, let :math:`MS_s`,
    :math:`MS_i` and :math:`MS_e` be the mean squares of seeds, examples and the rest. For a
    learner, or for the difference of two that share their seeds,

    .. math:: SE^2 = \frac{\max(MS_s - MS_e, 0) + \max(MS_i - MS_e, 0) + MS_e}{S n}.

    For two learners with seeds of their own, with the variance :math:`s_d^2` of the differences of
    the examples' means over seeds, it is no less than :math:`s_d^2/n`, and

    .. math:: SE^2 = \frac{s_d^2}{n} + \sum_l \frac{MS_{s,l} - MS_{e,l}}{S_l n}.

    Degrees of freedom are those of Satterthwaite ([1]_) over all mean squares, or those left by
    floors, and never fewer than the least of S - 1 and those of the examples, n - 1. With 2, 3 or 5
    seeds of each learner and 30 examples, equal learners differed at 5 % in 2.8 to 5.5 % of 2000
    simulated data sets. With shared seeds it was 2.0 to 6.8 %, but 8 to 11 % with two seeds that
    matter (``benchmarks/few_seeds.py``). For clusters, sums with the weights of `cluster_t` take
    the place of examples. For a metric, D is the metric of a seed plus the influence value of the
    example. The interval near the least or largest loss is as for `cluster_t`.

    Examples
    --------
    >>> import errbar
    >>> a = [[0.1, 0.5, 0.2, 0.9, 0.4], [0.3, 0.6, 0.5, 1.0, 0.4], [0.2, 0.8, 0.3, 1.2, 0.7]]
    >>> b = [[0.3, 0.4, 0.5, 0.7, 0.3], [0.2, 0.7, 0.5, 0.8, 0.2], [0.4, 0.6, 0.4, 0.9, 0.5]]
    >>> a, b = (errbar.Losses.of_grid(losses, "seed", "example") for losses in (a, b))
    >>> result = errbar.methods.crossed_t(a.minus(b))
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.0467, 0.0943)
    """
    share = _check.choice(seeds, ("own", "shared"), "seeds")
    _check.flag(floors, "floors")
    x, y, units, _ = tables_of(losses)
    if y is not None and share == "shared":
        if y.shape != x.shape:
            raise InvalidInputError(
                f"'shared' needs as many seeds of both learners, got {x.shape[0]} and {y.shape[0]}; try 'own'",
                argument="seeds",
            )
        x, y = difference(x, y), None
    means = x.mean(axis=0)
    if y is None:
        error = _one_learner(x, units, floors=floors)
    else:
        means = difference(means, y.mean(axis=0))
        error = _two_learners(x, y, units.squared_error(means), units, floors=floors)
    squared = sum(term.size for term in error.terms)
    if squared < 0.0:
        raise InvalidInputError(
            f": without them the squared standard error is negative, {squared:.3g}; leave `floors` out",
            argument="floors",
        )
    what = "clusters" if "group" in losses.each[0].index else "examples"
    return Answer(
        error.estimate,
        math.sqrt(squared),
        satterthwaite(error.terms),
        n_splits=losses.n_splits,
        notes=of_which_training(losses),
        components=error.components,
        remarks=skewed(units.sums(means), what, losses.metric),
    )


class _Error(NamedTuple):
    estimate: float
    terms: tuple[Term, ...]
    components: dict[str, float]


def _one_learner(x: FloatArray, units: Units, *, floors: bool) -> _Error:
    found = crossed(x, units)
    both = found.both.size
    terms, components = [], {}
    for name, term in (("seed", found.seed), ("example", found.example)):
        components[name] = term.size - both
        if floors and term.size < both:
            components[name] = 0.0
        else:
            terms.append(term)
    # Each component that is left has its mean square less that of the rest, and the rest comes once.
    rest = Term((1 - len(terms)) * both, found.both.df)
    return _Error(found.estimate, (*terms, rest), components | {"seed x example": both})


def _two_learners(
    x: FloatArray, y: FloatArray, items: float, units: Units, *, floors: bool
) -> _Error:
    """Return the error of a difference of learners with seeds of their own; `items` is that of the means over seeds."""
    one, other = crossed(x, units), crossed(y, units)
    seeds = [term for own in (one, other) for term in (own.seed, Term(-own.both.size, own.both.df))]
    added = sum(term.size for term in seeds)
    # The means over seeds vary with the examples, and with what seeds and examples add together.
    both = one.both.size + other.both.size
    if floors:
        both = min(both, items)
        if added < 0.0:
            seeds, added = [], 0.0
    components = {"seed": added, "example": items - both, "seed x example": both}
    return _Error(one.estimate - other.estimate, (Term(items, units.df), *seeds), components)


_FIXED = {"both": None, "seeds": "examples", "examples": "seeds"}


class Estimated(NamedTuple):
    estimate: float
    squared: float
    df: float | None


@dataclass(frozen=True, eq=False)
class ObuchowskiRockette:
    r"""Estimates of t learners by r seeds (readers) on the same examples, taken apart.

    The estimate of learner i by seed j is :math:`\theta_{ij} = \mu + \tau_i + R_j + (\tau R)_{ij} +
    \epsilon_{ij}`, and the errors :math:`\epsilon`, which come from the examples, are correlated
    ([1]_): `cov1` of two learners by one seed, `cov2` of one learner by two seeds, `cov3` of two by
    two. Of one learner, `ms_tr` is the variance over its seeds.

    Parameters
    ----------
    theta : array-like, shape (t, r)
        Estimates; t may be 1, and r is at least 2.
    covariance : array-like, shape (t r, t r)
        Covariance of the estimates over examples, learner after learner.

    Attributes
    ----------
    ms_t, ms_r, ms_tr : Mean squares of learners (0 of one), of seeds, and of both together.
    var, cov1, cov2, cov3 : Mean variance, and mean covariances as above.

    References
    ----------
    .. [1] Obuchowski & Rockette (1995), Communications in Statistics - Simulation and Computation 24(2), 285-308.
    .. [2] Hillis (2007), Statistics in Medicine 26(3), 596-619.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.methods import ObuchowskiRockette
    >>> model = ObuchowskiRockette([[0.91, 0.86, 0.90], [0.95, 0.90, 0.92]], 0.0002 * np.eye(6) + 0.0003)
    >>> statistic, df, pvalue = model.test()
    >>> round(statistic, 3), df
    (25.0, (1, 2.0))
    """

    theta: FloatArray
    covariance: FloatArray
    ms_t: float
    ms_r: float
    ms_tr: float
    var: float
    cov1: float
    cov2: float
    cov3: float

    def __init__(self, theta: ArrayLike, covariance: ArrayLike) -> None:
        x = _check.numbers(theta, "theta", "learner and seed")
        matrix = _check.numbers(covariance, "covariance", "place")
        if x.ndim != 2 or x.shape[1] < 2 or matrix.shape != (x.size, x.size):
            raise InvalidInputError(
                "must have a row for each learner and a column for each of at least 2 seeds, and `covariance` as many rows and "
                f"columns as numbers; got shapes {x.shape} and {matrix.shape}",
                argument="theta",
            )
        t, r = x.shape
        learners, seeds, centre = x.mean(axis=1), x.mean(axis=0), float(x.mean())
        # One learner has the spread of its seeds for that of both together.
        of_seed = seeds - centre if t > 1 else 0.0
        rest = x - learners[:, np.newaxis] - of_seed
        rest = np.where(np.abs(rest) <= ROUNDING * np.abs(x).max(), 0.0, rest)
        free = max(t - 1, 1)
        i, j = np.indices((t, r)).reshape(2, -1)
        same_learner, same_seed = np.equal.outer(i, i), np.equal.outer(j, j)

        def mean_where(chosen: Any) -> float:
            return float(matrix[chosen].mean()) if chosen.any() else 0.0

        vars(self).update(
            theta=x,
            covariance=matrix,
            ms_t=r * float(np.square(learners - centre).sum()) / free,
            ms_r=t * float(np.square(seeds - centre).sum()) / (r - 1),
            ms_tr=float(np.square(rest).sum()) / (free * (r - 1)),
            var=mean_where(same_learner & same_seed),
            cov1=mean_where(~same_learner & same_seed),
            cov2=mean_where(same_learner & ~same_seed),
            cov3=mean_where(~same_learner & ~same_seed),
        )

    @classmethod
    def of(cls, tables: Tables) -> Self:
        """Return the model of learners from the losses (or metrics plus influence values) of their seeds on each example."""
        x, y, units, classes = tables
        rows = x if y is None else np.concatenate([x, y])
        theta = np.array([units.mean(row) for row in rows]).reshape(-1, len(x))
        return cls(theta, covariance_of(rows, units, classes))

    def pair(self, a: int, b: int, random: str = "both") -> Estimated:
        """Return the difference of learners `a` and `b`; what `random` does not name is fixed."""
        size, df = self._error(random)
        difference = float(self.theta[a].mean() - self.theta[b].mean())
        return Estimated(difference, 2.0 * size / self.theta.shape[1], df)

    def learner(self, a: int, random: str = "both") -> Estimated:
        """Return the mean of one learner over its seeds, by its own variances; arguments as for `pair`."""
        r = self.theta.shape[1]
        own = slice(a * r, (a + 1) * r)
        alone = ObuchowskiRockette(self.theta[[a]], self.covariance[own, own])
        size, df = alone._error(random)
        return Estimated(float(alone.theta.mean()), size / r, df)

    def test(self, random: str = "both") -> tuple[float, tuple[int, float], float]:
        """Return statistic, degrees of freedom and p-value of the F test of equal learners; arguments as for `pair`."""
        (size, df), one = self._error(random), self.theta.shape[0] - 1
        if one == 0 or size <= 0.0:
            raise InvalidInputError(
                "and `covariance` must be of several learners, and vary, for a test",
                argument="theta",
            )
        f = self.ms_t / size
        if df is None:
            return f, (one, math.inf), float(special.chdtrc(one, one * f))
        return f, (one, df), float(special.fdtrc(one, df, f))

    def _error(self, random: str) -> tuple[float, float | None]:
        """Return what the mean square of learners is compared with, and its degrees of freedom (Hillis 2007)."""
        t, r = self.theta.shape
        common = max(self.cov2 - self.cov3, 0.0)
        if random == "examples":
            return self.var - self.cov1 + (r - 1) * common, None
        size = self.ms_tr + (r * common if random == "both" else 0.0)
        if self.ms_tr == 0.0:
            return size, math.inf
        return size, (r - 1) * max(t - 1, 1) * (size / self.ms_tr) ** 2


def covariance_of(rows: FloatArray, units: Units, classes: Any = None) -> FloatArray:
    """Return the covariance of row means from influence values; DeLong's for the area under the ROC curve."""
    n = rows.shape[1]
    counts = None if classes is None else np.bincount(classes)
    clustered = units.block.max() > 0 or units.count < n
    if counts is None or clustered or counts[counts > 0].min() < 2:
        sums = np.stack([units.sums(row) for row in rows])
        return np.asarray((sums / units.others) @ sums.T)
    found = np.zeros((len(rows), len(rows)))
    for label in np.flatnonzero(counts):
        own = rows[:, classes == label]
        own = own - own.mean(axis=1, keepdims=True)
        found += own @ own.T * (counts[label] / (counts[label] - 1.0)) / n**2
    return found


@register(
    "crossed-or",
    pointwise=True,
    plans=(Holdout.kind, KFold.kind),
    default_plan=Seeds(),
    needs=(SEEDS,),
    once=True,
    estimand=Estimand.OVER_SEEDS,
    references=("obuchowski1995", "hillis2007"),
)
def crossed_or(losses: Losses, *, random: str = "both") -> Answer:
    r"""Any metric of several seeds, or readers, on the same examples, by the model of Obuchowski and Rockette.

    :Claim: The mean of any metric on new examples over the seeds or readers, on this very training
        set.
    :Formula: ``SE^2 = 2/r (MS_TR + r max(Cov2 - Cov3, 0)) for a difference, t with Hillis' degrees
        of freedom``
    :Fits: S (5 by default)
    :Assumption: Examples (or clusters of them) are independent of each other and of the training
        set.
    :Assumption: The seeds or readers are independent, and both learners have the same ones.
    :Assumption: Every seed has tested every example.

    What the seeds add to the variance is seen in the estimates of different seeds; what the
    examples add, in the covariance of the estimates over examples. Two learners share the seeds, as
    readers do who use both of two devices.

    Parameters
    ----------
    losses : Losses
        Losses, or a metric plus influence values, of each seed on each example, of a learner or of
        two.
    random : {"both", "seeds", "examples"}, default "both"
        What is drawn at random, and so varies from one study to another; the other is fixed.

    See Also
    --------
    crossed_t, ObuchowskiRockette

    Notes
    -----
    With :math:`MS_{TR}` the mean square of t learners and r seeds together, and :math:`Cov_2` and
    :math:`Cov_3` the mean covariances of estimates by two seeds, of one learner and of two ([1]_),
    the difference of two learners has

    .. math:: SE^2 = \frac{2}{r}\bigl(MS_{TR} + r\max(Cov_2 - Cov_3, 0)\bigr),

    and :math:`(r - 1)(t - 1)(MS_{TR} + r\max(Cov_2 - Cov_3, 0))^2/MS_{TR}^2` degrees of freedom
    ([2]_). With fixed examples both terms of covariances are left out; with fixed seeds it is
    :math:`\frac{2}{r}(Var - Cov_1 + (r - 1)\max(Cov_2 - Cov_3, 0))` with the normal distribution. A
    single learner has the variance of its estimates over seeds for :math:`MS_{TR}`, its own
    :math:`Cov_2` alone, and 1/r for 2/r. Covariances come from influence values, within classes for
    metrics that are given the class, such as the area under the ROC curve. Intervals are those of
    t, cut at an edge of the metric.

    Examples
    --------
    >>> import errbar
    >>> a = [[0, 1, 0, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0, 0, 1], [0, 1, 1, 0, 0, 0, 0, 1]]
    >>> b = [[0, 1, 1, 0, 1, 1, 0, 1], [1, 1, 0, 1, 1, 0, 0, 1], [0, 1, 1, 0, 1, 1, 0, 1]]
    >>> a, b = (errbar.Losses.of_grid(losses, "seed", "example") for losses in (a, b))
    >>> result = errbar.methods.crossed_or(a.minus(b))
    >>> round(result.estimate, 4), round(result.se, 4)
    (-0.2083, 0.0417)
    """
    fixed = _FIXED[_check.choice(random, _FIXED, "random")]
    notes = of_which_training(losses)
    if fixed:
        notes += (Note("fixed", what=fixed),)
    tables = tables_of(losses)
    if tables.minus is not None and len(tables.minus) != len(tables.value):
        raise InvalidInputError(
            f"method 'crossed-or' takes the seeds of both learners for the same ones, got {len(tables.value)} and "
            f"{len(tables.minus)}; try 'crossed-t'"
        )
    model = ObuchowskiRockette.of(tables)
    found = model.learner(0, random) if tables.minus is None else model.pair(0, 1, random)
    return Answer(
        found.estimate,
        math.sqrt(max(found.squared, 0.0)),
        None if found.df == math.inf else found.df,
        n_splits=losses.n_splits,
        near=0.0,
        notes=notes,
    )
