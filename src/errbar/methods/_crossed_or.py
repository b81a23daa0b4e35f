"""Obuchowski and Rockette's model: any metric of several readers (seeds) on the same examples."""

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
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.crossed import of_which_training, tables_of
from errbar.methods._core.registry import register
from errbar.methods.distributions import ROUNDING, variance
from errbar.needs import SEEDS
from errbar.plans import Holdout, KFold, Seeds
from errbar.result import Estimand, Note

RANDOM = ("both", "seeds", "examples")
_FIXED = {"seeds": "examples", "examples": "seeds"}


class Estimated(NamedTuple):
    """An estimate, its squared standard error, and degrees of freedom; None for the normal distribution."""

    estimate: float
    squared: float
    df: float | None


@dataclass(frozen=True, eq=False)
class ObuchowskiRockette:
    r"""Estimates of t learners by r seeds (readers) on the same examples, taken apart.

    The estimate of learner i by seed j is :math:`\theta_{ij} = \mu + \tau_i + R_j + (\tau R)_{ij} + \epsilon_{ij}`, and the errors
    :math:`\epsilon`, which come from the examples, are correlated ([1]_).

    Parameters
    ----------
    theta : array-like, shape (t, r)
        Estimates; t may be 1.
    covariance : array-like, shape (t r, t r)
        Covariance of the estimates over examples, learner after learner.

    Attributes
    ----------
    ms_t, ms_r, ms_tr : float
        Mean squares of learners, of seeds, and of both together.
    var : float
        Mean of the variances.
    cov1, cov2, cov3 : float
        Mean covariance of two learners by one seed, of one learner by two seeds, and of two learners by two seeds.

    Raises
    ------
    InvalidInputError
        If there are fewer than two seeds, or the shapes do not agree.

    References
    ----------
    .. [1] Obuchowski & Rockette (1995), Communications in Statistics - Simulation and Computation 24(2), 285-308.
    .. [2] Hillis (2007), Statistics in Medicine 26(3), 596-619.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.methods import ObuchowskiRockette
    >>> covariance = 0.0002 * np.eye(6) + 0.0003
    >>> model = ObuchowskiRockette([[0.91, 0.86, 0.90], [0.95, 0.90, 0.92]], covariance)
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
        values, matrix = (
            _check.numbers(theta, "theta", "learner and seed"),
            _check.numbers(covariance, "covariance", "place"),
        )
        if values.ndim != 2 or values.shape[1] < 2:
            raise InvalidInputError(
                f"must have a row per learner and a column for each of at least 2 seeds, got shape {values.shape}",
                argument="theta",
            )
        t, r = values.shape
        if matrix.shape != (t * r, t * r):
            raise InvalidInputError(
                f"must have shape {(t * r, t * r)}, got {matrix.shape}", argument="covariance"
            )
        learners, seeds, centre = values.mean(axis=1), values.mean(axis=0), float(values.mean())
        rest = values - learners[:, np.newaxis] - (seeds - centre)
        rest = np.where(np.abs(rest) <= ROUNDING * np.abs(values).max(), 0.0, rest)
        vars(self).update(
            theta=values,
            covariance=matrix,
            ms_t=r * float(np.square(learners - centre).sum()) / (t - 1) if t > 1 else math.nan,
            ms_r=t * float(np.square(seeds - centre).sum()) / (r - 1),
            ms_tr=float(np.square(rest).sum()) / ((t - 1) * (r - 1)) if t > 1 else math.nan,
            **_mean_covariances(matrix.reshape(t, r, t, r)),
        )

    @classmethod
    def of(cls, tables: list[FloatArray], units: Units, classes: Any = None) -> Self:
        """Return the model of learners from the losses (or metrics plus influence values) of their seeds on each example."""
        rows = np.concatenate(tables)
        theta = np.array([units.mean(row) for row in rows]).reshape(len(tables), -1)
        return cls(theta, covariance_of(rows, units, classes))

    def pair(self, a: int, b: int, random: str = "both") -> Estimated:
        """Return the difference of two learners.

        Parameters
        ----------
        a, b : int
            Rows of `theta`.
        random : {"both", "seeds", "examples"}, default "both"
            What is drawn at random; the other is fixed.
        """
        r, estimate = self.theta.shape[1], float(self.theta[a].mean() - self.theta[b].mean())
        size, df = self._denominator(random)
        return Estimated(estimate, 2.0 * size / r, df)

    def learner(self, a: int, random: str = "both") -> Estimated:
        """Return the mean of one learner over its seeds, by its own variances; arguments as for `pair`."""
        own = self.theta[a]
        r, between = own.size, variance(own)
        place = slice(a * r, (a + 1) * r)
        parts = _mean_covariances(self.covariance[place, place].reshape(1, r, 1, r))
        common = max(parts["cov2"], 0.0)
        if random == "examples":
            return Estimated(float(own.mean()), (parts["var"] + (r - 1) * common) / r, None)
        size = between + (r * common if random == "both" else 0.0)
        df = (r - 1) * (size / between) ** 2 if between > 0.0 else math.inf
        return Estimated(float(own.mean()), size / r, df)

    def test(self, random: str = "both") -> tuple[float, tuple[int, float], float]:
        """Return statistic, degrees of freedom and p-value of the F test of equal learners; arguments as for `pair`."""
        freedom, (size, df) = self.theta.shape[0] - 1, self._denominator(random)
        if size <= 0.0:
            raise InvalidInputError(
                "and `covariance` do not vary, so learners cannot be tested", argument="theta"
            )
        statistic = self.ms_t / size
        if df is None:
            return (
                statistic,
                (freedom, math.inf),
                float(special.chdtrc(freedom, freedom * statistic)),
            )
        return statistic, (freedom, df), float(special.fdtrc(freedom, df, statistic))

    def _denominator(self, random: str) -> tuple[float, float | None]:
        """Return what the mean square of learners is compared with, and its degrees of freedom."""
        t, r = self.theta.shape
        if t < 2:
            raise InvalidInputError("has one learner, and a comparison needs two", argument="theta")
        common = max(self.cov2 - self.cov3, 0.0)
        if random == "examples":
            return self.var - self.cov1 + (r - 1) * common, None
        freedom = (t - 1) * (r - 1)
        if random == "seeds":
            return self.ms_tr, float(freedom)
        size = self.ms_tr + r * common
        return size, freedom * (size / self.ms_tr) ** 2 if self.ms_tr > 0.0 else math.inf


def _mean_covariances(matrix: FloatArray) -> dict[str, float]:
    """Return the mean variance and the three mean covariances of a matrix of shape (t, r, t, r); 0 where there is none."""
    t, r = matrix.shape[:2]
    means = np.einsum("iajb->ij", matrix)
    same_seed = np.einsum("iaja->ij", matrix)
    other_seed = means - same_seed

    def mean_of(table: FloatArray, count: int, *, same: bool) -> float:
        total = float(np.trace(table)) if same else float(table.sum() - np.trace(table))
        return total / count if count else 0.0

    return {
        "var": mean_of(same_seed, t * r, same=True),
        "cov1": mean_of(same_seed, t * (t - 1) * r, same=False),
        "cov2": mean_of(other_seed, t * r * (r - 1), same=True),
        "cov3": mean_of(other_seed, t * (t - 1) * r * (r - 1), same=False),
    }


def covariance_of(rows: FloatArray, units: Units, classes: Any = None) -> FloatArray:
    """Return the covariance of the means of rows over examples, from metrics plus influence values.

    Given the classes, it is that within classes, which for the area under the ROC curve is DeLong's.
    """
    n = rows.shape[1]
    counts = np.zeros(0) if classes is None else np.bincount(classes)
    if (
        classes is None
        or units.block is not None
        or units.count < n
        or counts[counts > 0].min() < 2
    ):
        sums = np.stack([units.sums(row) for row in rows])
        return np.asarray((sums / units.others) @ sums.T)
    found = np.zeros((rows.shape[0],) * 2)
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
    claim="The mean of any metric on new examples over the seeds or readers, on this very training set.",
    formula="SE^2 = 2/r (MS_TR + r max(Cov2 - Cov3, 0)) for a difference, t with Hillis' degrees of freedom",
    fits="S (5 by default)",
    references=("obuchowski1995", "hillis2007"),
    assumptions=(
        "Examples (or clusters of them) are independent of each other and of the training set.",
        "The seeds or readers are independent, and both learners have the same ones.",
        "Every seed has tested every example.",
    ),
)
def crossed_or(losses: Losses, *, random: str = "both") -> Answer:
    r"""Any metric of several seeds, or readers, on the same examples, by the model of Obuchowski and Rockette.

    The mean of each learner over its seeds varies with the seeds and with the examples. What the seeds add is seen in the
    estimates of different seeds; what the examples add, in the covariance of the estimates over examples. Two learners are taken
    to share the seeds, as readers do who use both of two devices.

    Parameters
    ----------
    losses : Losses
        Losses, or a metric plus influence values, of each seed on each example, of a learner or of two.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    random : {"both", "seeds", "examples"}, default "both"
        What is drawn at random, and so varies from one study to another; the other is fixed.

    Returns
    -------
    Result
        About the mean over seeds.

    Raises
    ------
    InvalidInputError
        If the learners do not have the same number of seeds.

    See Also
    --------
    crossed_t : Seeds that two learners do not share.
    ObuchowskiRockette : The model, for estimates and covariances from elsewhere, and the F test of several learners.

    Notes
    -----
    With :math:`MS_{TR}` the mean square of t learners and r seeds together, and :math:`Cov_2` and :math:`Cov_3` the mean covariances
    of estimates by two seeds, of one learner and of two ([1]_), the difference of two learners has

    .. math:: SE^2 = \frac{2}{r}\bigl(MS_{TR} + r\max(Cov_2 - Cov_3, 0)\bigr),

    and :math:`(r - 1)(t - 1)(MS_{TR} + r\max(Cov_2 - Cov_3, 0))^2/MS_{TR}^2` degrees of freedom ([2]_). With fixed examples both
    terms of covariances are left out; with fixed seeds it is
    :math:`\frac{2}{r}(Var - Cov_1 + (r - 1)\max(Cov_2 - Cov_3, 0))` with the normal distribution. A single learner has the variance of its
    estimates over seeds for :math:`MS_{TR}`, its own :math:`Cov_2` alone, and 1/r for 2/r. Covariances come from influence values;
    for metrics that are taken given the classes, such as the area under the ROC curve, from those within classes. Intervals are
    those of the t distribution also near an edge of the metric, and cut there.

    References
    ----------
    .. [1] Obuchowski & Rockette (1995), Communications in Statistics - Simulation and Computation 24(2), 285-308.
    .. [2] Hillis (2007), Statistics in Medicine 26(3), 596-619.

    Examples
    --------
    >>> import errbar
    >>> a = [[0, 1, 0, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0, 0, 1], [0, 1, 1, 0, 0, 0, 0, 1]]
    >>> b = [[0, 1, 1, 0, 1, 1, 0, 1], [1, 1, 0, 1, 1, 0, 0, 1], [0, 1, 1, 0, 1, 1, 0, 1]]
    >>> result = errbar.methods.crossed_or(errbar.testing.forms.crossed(a, b))
    >>> round(result.estimate, 4), round(result.se, 4)
    (-0.2083, 0.0417)
    """
    _check.choice(random, RANDOM, "random")
    known = tables_of(losses)
    tables = [known.value] if known.minus is None else [known.value, known.minus]
    if len({table.shape[0] for table in tables}) > 1:
        raise InvalidInputError(
            f"method 'crossed-or' takes the seeds of both learners for the same ones, got {tables[0].shape[0]} and {tables[1].shape[0]}; "
            "try 'crossed-t'"
        )
    model = ObuchowskiRockette.of(tables, known.units, known.classes)
    found = model.learner(0, random) if len(tables) == 1 else model.pair(0, 1, random)
    return Answer(
        estimate=found.estimate,
        se=math.sqrt(max(found.squared, 0.0)),
        df=None if found.df is None or math.isinf(found.df) else found.df,
        n_train=losses.n_train,
        n_splits=losses.n_splits,
        near=0.0,
        notes=(
            *of_which_training(losses),
            *(() if random == "both" else (Note("fixed", what=_FIXED[random]),)),
        ),
    )
