"""Size, power, coverage, width and bias of a method over replicates, each with its Monte-Carlo error."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar_lab._simulation import Outcomes
from errbar_lab._truth import ExpectedRisk
from errbar_lab._verdict import UNDECIDED, bounds, to_decide, verdict

__all__ = ["Performance", "Proportion", "Ratio", "judge", "power", "proportion", "variance_ratio"]

TWO_SIDED_95 = 1.959963984540054
"""Quantile of the normal distribution for two-sided intervals at 95 %."""


@dataclass(frozen=True)
class Proportion:
    """A share of replicates, with its 95 % Wilson interval.

    Attributes
    ----------
    count, total : int
        Replicates in which it happened, and all.
    value, low, high : float
        The share and its interval.
    """

    count: int
    total: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Ratio:
    """A ratio with its 95 % interval.

    Attributes
    ----------
    value, low, high : float
        The ratio and its interval; NaN where it is not defined.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class MeanInterval:
    """A mean over replicates with its 95 % interval, by the normal distribution.

    Attributes
    ----------
    value, low, high : float
        The mean and its interval.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Performance:
    """Performance of a method about one truth.

    Attributes
    ----------
    scenario, method, target : str
        Names.
    n : int
        Examples in a data set.
    about : str
        What is taken for the truth: ``"ER(n1)"``, ``"ER(n)"`` or ``"R"``.
    n_train : int
        Training size of the method.
    truth : float
        The truth, or its mean where it differs from data set to data set.
    level : float
        Nominal level of the intervals.
    coverage : Proportion
        Intervals that cover the truth.
    size : Proportion
        Tests that reject the truth: one less the coverage.
    below, above : Proportion
        Intervals that lie wholly below the truth, and above.
    width, width_error : float
        Mean width of the intervals that are bounded, and its Monte-Carlo standard error.
    bias, bias_error : float
        Mean of estimate less truth, and its Monte-Carlo standard error.
    ratio : Ratio
        Var[estimate]/E[se^2]: above 1 liberal, below 1 conservative.
    degenerate : int
        Replicates with a standard error of 0.
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
    below: Proportion
    above: Proportion
    width: float
    width_error: float
    bias: float
    bias_error: float
    ratio: Ratio
    degenerate: int

    @property
    def verdict(self) -> str:
        """What the interval of the coverage says: liberal, nominal, conservative or undecided, by one rule for all studies."""
        return verdict(self.coverage.low, self.coverage.high, self.level)

    @property
    def holds(self) -> bool:
        """Whether the coverage was shown to be at least the level less two points."""
        return self.coverage.low >= bounds(self.level)[0]

    @property
    def more(self) -> float:
        """About how many more data sets would give a verdict: 0 where there is one, infinite where no number would."""
        if self.verdict != UNDECIDED:
            return 0.0
        return max(1.0, to_decide(self.coverage.value, self.level) - self.coverage.total)

    @property
    def width_interval(self) -> MeanInterval:
        """Mean width with its 95 % interval."""
        reach = TWO_SIDED_95 * self.width_error
        return MeanInterval(self.width, self.width - reach, self.width + reach)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; what is not defined is None."""
        return plain(self)


def proportion(count: int, total: int) -> Proportion:
    """Return a share of replicates with its 95 % Wilson interval.

    Parameters
    ----------
    count, total : int
        Replicates in which it happened, and all.

    Returns
    -------
    Proportion
        Value and interval.

    Examples
    --------
    >>> from errbar_lab import proportion
    >>> found = proportion(50, 500)
    >>> round(found.low, 4), found.value, round(found.high, 4)
    (0.0767, 0.1, 0.1294)
    """
    from scipy.stats import binomtest

    total = _check.count(total, "total", most=_check.MOST_EXAMPLES)
    count = _check.count(count, "count", 0, total)
    ends = binomtest(count, total).proportion_ci(method="wilson")
    return Proportion(count, total, count / total, float(ends.low), float(ends.high))


def rejections(outcomes: Outcomes, null: float) -> Proportion:
    """Return the share of replicates in which a null is rejected."""
    return proportion(int(outcomes.rejects(null).sum()), outcomes.estimate.size)


def power(outcomes: Outcomes, nulls: ArrayLike) -> FloatArray:
    """Return the share of replicates in which each of several nulls is rejected.

    A null is rejected exactly when the interval does not hold it, so one simulation serves for all of them.

    Parameters
    ----------
    outcomes : Outcomes
        Of one method about one target.
    nulls : array-like
        Hypothetical values of the target.

    Returns
    -------
    ndarray
        Powers, in the shape of `nulls`.
    """
    values = np.asarray(nulls, dtype=np.float64)
    return np.asarray(outcomes.rejects(values[..., None]).mean(axis=-1))


def variance_ratio(estimates: FloatArray, errors: FloatArray) -> Ratio:
    r"""Return Var[estimate]/E[se^2] over replicates, with a 95 % jackknife interval on the logarithm.

    Parameters
    ----------
    estimates, errors : ndarray, shape (replicates,)
        Estimates and standard errors.

    Returns
    -------
    Ratio
        NaN throughout where no standard error is positive or fewer than three replicates are there.
    """
    count, squares = estimates.size, np.square(errors)
    total = float(squares.sum())
    if count < 3 or not total > 0.0 or not math.isfinite(total):
        return Ratio(math.nan, math.nan, math.nan)
    gaps = np.square(estimates - estimates.mean())
    variance = float(gaps.sum()) / (count - 1)
    value = variance * count / total
    # Variance and mean square without one replicate after another, in closed form.
    without = (gaps.sum() - gaps * count / (count - 1)) / (count - 2)
    others = (total - squares) / (count - 1)
    if (others <= 0.0).any():
        return Ratio(value, math.nan, math.nan)
    return jackknife_ratio(value, without / others)


def judge(
    outcomes: Iterable[Outcomes],
    truths: Mapping[str, Mapping[int, ExpectedRisk]],
    about: str = "ER(n1)",
) -> list[Performance]:
    """Return the performance of each method about the truth.

    Parameters
    ----------
    outcomes : iterable of Outcomes
        A `Simulation`, or some of its outcomes.
    truths : mapping of str to mapping of int to ExpectedRisk
        Expected risks by name of the scenario and training size, as made by `expected_risks`.
    about : {"ER(n1)", "ER(n)", "R"}, default "ER(n1)"
        Truth: the expected risk at the method's own training size, or at the size of the data set, or the risk of the
        very model trained on the whole data set (where the simulation has it).

    Returns
    -------
    list of Performance
        In the order of the outcomes.
    """
    _check.choice(about, ("ER(n1)", "ER(n)", "R"), "about")
    return [performance(found, _truth(found, truths, about), about) for found in outcomes]


def _truth(
    found: Outcomes, truths: Mapping[str, Mapping[int, ExpectedRisk]], about: str
) -> FloatArray:
    if about == "R":
        if found.risk is None:
            raise InvalidInputError(
                "is 'R', and the simulation was done without `test_examples`", argument="about"
            )
        return found.risk
    size = found.n if about == "ER(n)" else found.training_size
    return np.full(
        found.estimate.size, truths[found.scenario][size].of(found.learner, found.minus)[0]
    )


def performance(found: Outcomes, truth: FloatArray, about: str) -> Performance:
    total = found.estimate.size
    below, above = int((found.high < truth).sum()), int((found.low > truth).sum())
    width, gap = found.high - found.low, found.estimate - truth
    bounded = width[np.isfinite(width)]
    return Performance(
        scenario=found.scenario,
        method=found.method,
        target=found.target,
        n=found.n,
        about=about,
        n_train=found.training_size,
        truth=float(truth.mean()),
        level=found.level,
        coverage=proportion(total - below - above, total),
        size=proportion(below + above, total),
        below=proportion(below, total),
        above=proportion(above, total),
        width=float(bounded.mean()) if bounded.size else math.inf,
        width_error=standard_error(bounded),
        bias=float(gap.mean()),
        bias_error=standard_error(gap),
        ratio=variance_ratio(found.estimate, found.se),
        degenerate=int((found.se == 0.0).sum()),
    )


def standard_error(values: FloatArray) -> float:
    """Return the Monte-Carlo standard error of a mean over replicates; NaN where there are fewer than two."""
    return float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.nan


def mean_interval(values: FloatArray) -> MeanInterval:
    """Return a mean over replicates with its 95 % interval."""
    value = float(values.mean())
    # In this order of operations, to the last bit of the numbers that are published.
    reach = TWO_SIDED_95 * float(values.std(ddof=1)) / math.sqrt(values.size)
    return MeanInterval(value, value - reach, value + reach)


def jackknife_error(without: FloatArray) -> float:
    """Return the jackknife standard error of a statistic from its values without one replicate after another."""
    count = without.size
    return math.sqrt((count - 1) / count * float(np.square(without - without.mean()).sum()))


def jackknife_ratio(value: float, without: FloatArray) -> Ratio:
    """Return a ratio with its 95 % jackknife interval on the logarithm, which keeps the ends positive."""
    if not value > 0.0 or not (without > 0.0).all():
        return Ratio(value, math.nan, math.nan)
    reach = math.exp(TWO_SIDED_95 * jackknife_error(np.log(without)))
    return Ratio(value, value / reach, value * reach)
