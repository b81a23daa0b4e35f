"""What outcomes say of a method: coverage, size, power, width, bias, each with its Monte-Carlo error, and a verdict."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar_lab._experiment import CELL

TWO_SIDED_95 = 1.959963984540054

LIBERAL, NOMINAL, CONSERVATIVE, UNDECIDED = "liberal", "nominal", "conservative", "undecided"

_MARGIN = 0.02


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % interval.

    Attributes
    ----------
    value, low, high : float
        The value and the ends of the interval.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Proportion:
    """A share of data sets with its 95 % Wilson interval.

    Attributes
    ----------
    count, total : int
        Data sets that count, and all.
    value, low, high : float
        The share and its interval.
    """

    count: int
    total: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Performance:
    """How a method did about one target and one truth.

    Attributes
    ----------
    scenario, method, target, n
        Problem with its size of data sets, method, and learner or difference.
    about, n_train, truth
        The truth that intervals should hold, training size of the method, and mean value of the truth.
    level : float
        Confidence level.
    coverage, size : Proportion
        Data sets whose interval holds the truth, and others.
    width, width_error, bias, bias_error : float
        Mean width of the bounded intervals, mean distance of the estimates from the truth, and standard errors.
    ratio : Interval
        Variance of the estimates over the mean squared standard error: above 1 liberal.
    degenerate : int
        Data sets with a standard error of zero.
    truth_error : float
        Standard error of an expected risk.
    """

    scenario: str
    method: str
    target: str
    n: int
    about: str
    n_train: int
    truth: float
    level: float
    coverage: Proportion
    size: Proportion
    width: float
    width_error: float
    bias: float
    bias_error: float
    ratio: Interval
    degenerate: int
    truth_error: float = 0.0

    @property
    def verdict(self) -> str:
        """What the whole interval of the coverage says: more than two points beside the level, within them, or neither."""
        return verdict(self.coverage.low, self.coverage.high, self.level)

    @property
    def holds(self) -> bool:
        """Whether the coverage was shown to be at least the level less two points."""
        return self.coverage.low >= bounds(self.level)[0]

    @property
    def more(self) -> float:
        """About how many more data sets would tell, if the coverage stays."""
        if self.verdict != UNDECIDED:
            return 0.0
        return max(1.0, to_decide(self.coverage.value, self.level) - self.coverage.total)


def summary(outcomes: Any, about: Sequence[str] = ("ER(n1)",)) -> list[Performance]:
    """Return how each method did about each target.

    Parameters
    ----------
    outcomes : DataFrame
        From `Experiment.run`, or rows of it.
    about : sequence of str, default ("ER(n1)",)
        Truths, among those that were asked about.

    Returns
    -------
    list of Performance
        In the order of the outcomes; of each the truths in the order given.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> problem = lab.Problem(lab.GaussianRegression(), {"least squares": LinearRegression()})
    >>> outcomes = lab.Experiment([problem], [100], ["corrected-t"]).run(50)
    >>> [one] = lab.summary(outcomes)
    >>> one.coverage.low < 0.95
    True
    """
    return [_performance(cell, truth) for cell in cells_of(outcomes) for truth in about]


def cells_of(outcomes: Any) -> Iterator[Any]:
    """Yield the rows of each method and target."""
    for _, cell in outcomes.groupby(CELL, sort=False):
        yield cell


def _performance(cell: Any, about: str) -> Performance:
    first, total = cell.iloc[0], len(cell)
    estimate, se, low, high, truth = (
        cell[name].to_numpy() for name in ("estimate", "se", "low", "high", about)
    )
    missed = int(((high < truth) | (low > truth)).sum())
    width, gap = high - low, estimate - truth
    bounded = width[np.isfinite(width)]
    n = int(first["n"])
    return Performance(
        scenario=f"{first['problem']}, n = {n}",
        method=first["method"],
        target=first["target"],
        n=n,
        about=about,
        n_train=int(first["n1"]),
        truth=float(truth.mean()),
        level=float(first["level"]),
        coverage=proportion(total - missed, total),
        size=proportion(missed, total),
        width=float(bounded.mean()) if bounded.size else math.inf,
        width_error=standard_error(bounded),
        bias=float(gap.mean()),
        bias_error=standard_error(gap),
        ratio=variance_ratio(estimate, se),
        degenerate=int((se == 0.0).sum()),
        truth_error=float(first.get(f"{about} error", 0.0)),
    )


def proportion(count: int, total: int) -> Proportion:
    """Return a share with its Wilson interval."""
    from scipy.stats import binomtest

    ends = binomtest(_check.count(count, "count", 0, total), total).proportion_ci(method="wilson")
    return Proportion(count, total, count / total, float(ends.low), float(ends.high))


def rejects(cell: Any, nulls: Any) -> FloatArray:
    """Return which data sets reject which hypothetical values: a row per value."""
    values = np.asarray(nulls, dtype=np.float64)[..., None]
    low, high = cell["low"].to_numpy(), cell["high"].to_numpy()
    return np.asarray((low > values) | (high < values))


def variance_ratio(estimates: FloatArray, errors: FloatArray) -> Interval:
    """Return the variance of estimates over their mean squared standard error, with a jackknife interval."""
    count, squares = estimates.size, np.square(errors)
    total = float(squares.sum())
    if count < 3 or not total > 0.0 or not math.isfinite(total):
        return Interval(math.nan, math.nan, math.nan)
    gaps = np.square(estimates - estimates.mean())
    variance = float(gaps.sum()) / (count - 1)
    value = variance * count / total
    # Variance and mean square without one replicate after another, in closed form.
    without = (gaps.sum() - gaps * count / (count - 1)) / (count - 2)
    others = (total - squares) / (count - 1)
    if (others <= 0.0).any():
        return Interval(value, math.nan, math.nan)
    return jackknife_ratio(value, without / others)


def jackknife_ratio(value: float, without: FloatArray) -> Interval:
    """Return a ratio with the jackknife interval of its logarithm, from its values without one data set after another."""
    if not value > 0.0 or not (without > 0.0).all():
        return Interval(value, math.nan, math.nan)
    reach = math.exp(TWO_SIDED_95 * jackknife_error(np.log(without)))
    return Interval(value, value / reach, value * reach)


def jackknife_error(without: FloatArray) -> float:
    """Return the jackknife standard error from values without one data set after another."""
    count = without.size
    return math.sqrt((count - 1) / count * float(np.square(without - without.mean()).sum()))


def standard_error(values: FloatArray) -> float:
    """Return the standard error of a mean."""
    return float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.nan


def mean_interval(values: FloatArray) -> Interval:
    """Return a mean with its normal interval."""
    value = float(values.mean())
    # In this order of operations, to the last bit of the numbers that are published.
    reach = TWO_SIDED_95 * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Interval(value, value - reach, value + reach)


def verdict(low: float, high: float, level: float) -> str:
    """Return what an interval of the coverage says about the level, two points being of no importance."""
    least, most = bounds(level)
    if high < least:
        return LIBERAL
    if low > most:
        return CONSERVATIVE
    return NOMINAL if low >= least and high <= most else UNDECIDED


def bounds(level: float) -> tuple[float, float]:
    """Return the coverages that are two points below and above the level."""
    return round(level - _MARGIN, 12), min(1.0, round(level + _MARGIN, 12))


def to_decide(share: float, level: float) -> float:
    """Return how many data sets give a verdict where the coverage is this share."""
    least, most = bounds(level)
    if share > most:
        return _beyond(share, most)
    below = _beyond(share, least)
    return below if share < least or most >= 1.0 else max(below, _beyond(share, most))


def _beyond(share: float, bound: float) -> float:
    # Wilson's interval ends at the bound p where |share - p| = z sqrt(p (1 - p) / total).
    if share == bound:
        return math.inf
    return float(math.floor(TWO_SIDED_95**2 * bound * (1.0 - bound) / (share - bound) ** 2) + 1)
