"""The laws that estimates are referred to: t or normal, the same near an edge of the range, resampling, and exact binomial tails."""

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import record
from errbar.errors import InvalidInputError
from errbar.result import Estimand, Interval, Note, Notes, Result

DEGENERATE = Note("no-variation")

Ends = tuple[float, float]
_OfBothSides = Callable[[float], Ends]

# Scores that differ by less than this share of their size differ by rounding alone.
ROUNDING = 1e-12

_SMALLEST = 1e-150
# Shares have standard errors of at most their distance from an edge.
_FAR = 2.0
# The normal distribution has no probability, as a float, beyond this many standard deviations.
_FARTHEST = 40.0


def mean(values: FloatArray) -> float:
    """Return the mean."""
    return float(np.add.reduce(values)) / values.size


def variance(values: FloatArray, divisor: int | None = None) -> float:
    """Return the sum of squared deviations over n - 1, or the divisor; exactly 0 for values equal up to rounding."""
    spread = np.ptp(values)
    if spread <= ROUNDING * np.abs(values).max():
        return 0.0
    if spread < _SMALLEST:
        raise InvalidInputError(
            f"the numbers differ by {spread:g} only, and squares of numbers below {_SMALLEST:g} vanish; scale them up"
        )
    deviations = values - mean(values)
    return float(deviations @ deviations) / (values.size - 1 if divisor is None else divisor)


def unit_of(values: FloatArray) -> float:
    """Return a power of two of the size of the largest value: over it, no square or cube runs out of range."""
    return math.ldexp(0.5, math.frexp(float(np.abs(values).max()))[1])


# Student's t, and the normal distribution where there are no degrees of freedom


def quantile(probability: float, df: float | None) -> float:
    """Return a quantile of the t distribution with `df` degrees of freedom, or of the normal distribution for None."""
    return float(special.stdtrit(df or math.inf, probability))


def lower_tail(statistic: float, df: float | None) -> float:
    """Return the probability of a value below `statistic`."""
    return float(special.stdtr(df or math.inf, statistic))


def both_tails(statistic: float, df: float | None) -> Ends:
    """Return the p-values of a statistic against the alternatives less and greater."""
    return lower_tail(statistic, df), lower_tail(-statistic, df)


def standardised(estimate: float, se: float, null: float) -> float:
    """Return (estimate - null) / se; with se = 0 it is 0, or infinite with the sign of the difference."""
    if se > 0.0:
        return (estimate - null) / se
    if math.isclose(estimate, null, rel_tol=ROUNDING):
        return 0.0
    return math.copysign(math.inf, estimate - null)


def error_at_an_end(level: float, alternative: str) -> float:
    """Return with which probability an end of an interval may be wrong."""
    return (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level


class Law:
    """What an estimate is referred to: p-values by ``tails(null)``, both ends by ``ends(error)``."""

    tails: _OfBothSides
    ends: _OfBothSides

    def pvalue(self, null: float, alternative: str) -> float:
        """Return the p-value of a null; two-sided, twice the smaller tail."""
        tails = self.tails(null)
        if alternative == "two-sided":
            return min(1.0, 2.0 * min(tails))
        return tails[alternative == "greater"]

    def interval(self, level: float, alternative: str) -> Interval:
        """Return the interval of all null values that are not rejected at 1 - `level`."""
        low, high = self.ends(error_at_an_end(level, alternative))
        low = -math.inf if alternative == "less" else low
        return Interval(low, math.inf if alternative == "greater" else high)


@dataclass(frozen=True)
class Tails(Law):
    """A law given by two functions."""

    tails: _OfBothSides
    ends: _OfBothSides


@dataclass(frozen=True)
class Pivot(Law):
    r"""(estimate - null)/se against t with `df` degrees of freedom, or against the normal distribution for None.

    With `limits` it is on a scale g without edges, :math:`(g(\theta) - g(\theta_0)) / (g'(\theta)\, SE)`.
    """

    estimate: float
    se: float
    df: float | None
    limits: "Limits | None" = None

    def statistic(self, null: float) -> float:
        """Return the statistic; a null without a place on the scale is judged by the plain one."""
        limits, estimate = self.limits, self.estimate
        if limits is None or null == estimate or not limits.low < null < limits.high:
            return standardised(estimate, self.se, null)
        return (limits.scale(estimate) - limits.scale(null)) / (limits.slope(estimate) * self.se)

    def tails(self, null: float) -> Ends:
        """Return the p-values against the alternatives less and greater."""
        return both_tails(self.statistic(null), self.df)

    def ends(self, error: float) -> Ends:
        """Return both ends of an interval."""
        estimate, limits = self.estimate, self.limits
        reach = -self.se * quantile(error, self.df) if self.se > 0.0 else 0.0
        if limits is None:
            return estimate - reach, estimate + reach
        place, reach = limits.scale(estimate), reach * limits.slope(estimate)
        return limits.back(place - reach), limits.back(place + reach)


def score_law(z: Callable[[float], float], end: Callable[[float], float]) -> Tails:
    """Return the law of a statistic ``z(null)`` that is standard normal, with the ends at ``end(-z)`` and ``end(z)``."""

    def ends(error: float) -> Ends:
        # Never -0.0, so that each end knows its side also at a level of one half.
        reach = 0.0 - quantile(error, None)
        return end(-reach), end(reach)

    return Tails(lambda null: both_tails(z(null), None), ends)


# Near an edge of the range of a metric: on a scale that has no edges, carried back


class Limits(NamedTuple):
    """Between which numbers an estimate and its interval lie.

    An estimate nearer to an edge than `near` standard errors is referred to its law on a scale
    without edges; for means of losses and differences `near` is 0, and intervals are cut. `trials`
    returns of how many examples (or clusters) an estimate at an edge is the share.
    """

    low: float = -math.inf
    high: float = math.inf
    near: float = 0.0
    trials: Callable[[], float] | None = None

    def law(self, plain: Pivot, near: float) -> tuple[Law, Notes]:
        """Return the plain law of an estimate, that on the scale without edges or that at an edge, and notes."""
        estimate, se, width = plain.estimate, plain.se, self.high - self.low
        distance = min(estimate - self.low, self.high - estimate)
        if 0.0 < se < _FAR * distance and distance < min(near, self.near) * se:
            return Pivot(estimate, se, plain.df, self), ()
        if se > 0.0:
            return plain, ()
        # A mean of values that are all 1 may be less by rounding.
        if self.trials is None or math.isinf(width) or distance > ROUNDING * width:
            return plain, (DEGENERATE,)
        trials, below = self.trials(), estimate < self.low + width / 2.0
        edges = (self.low, self.high) if below else (self.high, self.low)
        return at_edge(*edges, trials), (Note("at-an-edge", trials=trials),)

    def cut(self, interval: Interval) -> Interval:
        """Return what of an interval lies within the range; ends that are infinite stay."""
        low, high = (
            min(max(end, self.low), self.high) if math.isfinite(end) else end for end in interval
        )
        return Interval(low, high)

    def scale(self, x: float) -> float:
        """Return the logit of a number between two edges, or the logarithm of its distance from the only one."""
        above = 1.0 if math.isinf(self.low) else x - self.low
        below = 1.0 if math.isinf(self.high) else self.high - x
        return math.log(above / below)

    def slope(self, x: float) -> float:
        """Return the derivative of the scale."""
        return 1.0 / (x - self.low) + 1.0 / (self.high - x)

    def back(self, z: float) -> float:
        """Return the number at a place of the scale."""
        if math.isinf(self.low):
            return self.high - math.exp(min(-z, 700.0))
        if math.isinf(self.high):
            return self.low + math.exp(min(z, 700.0))
        return self.low + (self.high - self.low) * float(special.expit(z))


UNLIMITED = Limits()


def at_edge(edge: float, other: float, trials: float) -> Tails:
    r"""Return the law of m trials that all agree (Clopper & Pearson), by (1 - u)^m at a distance u."""

    def tails(null: float) -> Ends:
        distance = min(1.0, abs(null - edge) / abs(other - edge))
        away = float((1.0 - distance) ** trials)
        return (1.0, away) if edge > other else (away, 1.0)

    def ends(error: float) -> Ends:
        end = edge + (other - edge) * (1.0 - error ** (1.0 / max(trials, 1.0)))
        return min(edge, end), max(edge, end)

    return Tails(tails, ends)


# Resampling


@record
class Bootstrapped:
    """An estimate and the same statistic of each resample."""

    estimate: float
    distribution: FloatArray

    @property
    def se(self) -> float:
        """Standard error: the standard deviation over resamples, with divisor B - 1."""
        unit = unit_of(self.distribution)
        return unit * math.sqrt(variance(self.distribution / unit))

    @property
    def bias(self) -> float:
        """Mean over resamples minus the estimate."""
        return mean(self.distribution) - self.estimate


@record
class ConfidenceDistribution(Law):
    r"""Values with which a null is compared: the fewer lie beyond it, the stronger is the evidence against it.

    With m values :math:`\theta_{(1)} \le \dots \le \theta_{(m)}`, and a (`always`) more that lie
    beyond every null, such as what was observed,

    .. math:: p_{greater} = \frac{a + \#\{\theta \le \mu_0\}}{a + m}, \qquad
              p_{less} = \frac{a + \#\{\theta \ge \mu_0\}}{a + m},

    and min(1, 2 min(p_greater, p_less)) two-sided. The ends of the interval of nulls that are not
    rejected are the k-th smallest and largest value, where k is how many of the counts 0, 1, ...
    are rejected, (a + count)/(a + m) < alpha: of 1000 resamples with 5 % on each side the sorted
    values 50 and 951. Where k is 0 the end is infinite. `centre` and `acceleration` are z0 and a of
    BCa.
    """

    ordered: FloatArray
    always: int = 1
    centre: float = 0.0
    acceleration: float = 0.0

    def tails(self, null: float) -> Ends:
        """Return the p-values against less and greater; values equal to the null up to rounding lie beyond it on either side."""
        slack = ROUNDING * np.abs(self.ordered).max(initial=abs(null))
        above = np.count_nonzero(self.ordered >= null - slack)
        below = np.count_nonzero(self.ordered <= null + slack)
        return float(self._tail(above, -1.0)), float(self._tail(below, 1.0))

    def ends(self, error: float) -> Ends:
        """Return both ends of an interval: the values beyond those that are rejected on either side."""
        counts = np.arange(self.ordered.size)
        low, high = (np.count_nonzero(self._tail(counts, side) < error) for side in (1.0, -1.0))
        ends = np.concatenate([[-math.inf], self.ordered, [math.inf]])
        return float(ends[low]), float(ends[-1 - high])

    def _tail(self, count: Any, side: float) -> FloatArray:
        """Return the one-sided p-values where so many values lie below the null (side 1) or above it (side -1)."""
        total = self.always + self.ordered.size
        share = np.true_divide(self.always + count, total)
        if self.centre == self.acceleration == 0.0:
            return share
        w = special.ndtri(np.minimum(share, 1.0 - 2.0**-53)) - side * self.centre
        # Beyond the pole of BCa's map of levels lies level 0 or 1.
        stretch = np.maximum(1.0 + side * self.acceleration * w, 0.0)
        with np.errstate(divide="ignore"):
            tail = special.ndtr(w / stretch - side * self.centre)
        return np.where(share < 1.0, np.maximum(tail, self.always / total), 1.0)


def percentile(sample: Bootstrapped) -> ConfidenceDistribution:
    """Hold the null against the bootstrap distribution itself (Efron & Tibshirani 1993, section 13.3)."""
    return ConfidenceDistribution(np.sort(sample.distribution))


def basic(sample: Bootstrapped) -> ConfidenceDistribution:
    """Hold the null against the bootstrap distribution reflected about the estimate (Davison & Hinkley 1997, eq. 5.6)."""
    return ConfidenceDistribution(np.sort(2.0 * sample.estimate - sample.distribution))


def bca(sample: Bootstrapped, acceleration: float) -> ConfidenceDistribution:
    r"""Hold the null against the distribution after BCa's map of levels (Efron & Tibshirani 1993, section 14.3).

    The interval's lower end at level alpha is the quantile of the distribution at

    .. math:: \Phi\left(z_0 + \frac{z_0 + z_\alpha}{1 - a (z_0 + z_\alpha)}\right), \qquad
              z_0 = \Phi^{-1}\left(\frac{\#\{\theta^* < \hat\theta\} + \#\{\theta^* \le \hat\theta\}}{2 B}\right).

    A p-value goes the other way: with u the share of values beyond the null and w = z_u - z0 it is
    :math:`\Phi(w/(1 + a w) - z_0)`; where there is none, half a resample is taken to lie there.
    """
    drawn, estimate = sample.distribution, sample.estimate
    slack = ROUNDING * np.abs(drawn).max()
    share = (np.mean(drawn < estimate - slack) + np.mean(drawn <= estimate + slack)) / 2.0
    half = 0.5 / drawn.size
    centre = float(special.ndtri(np.clip(share, half, 1.0 - half)))
    return ConfidenceDistribution(np.sort(drawn), centre=centre, acceleration=acceleration)


def least_resamples(level: float, alternative: str) -> int:
    """Return how many resamples a percentile or basic interval takes at least; with fewer an end is infinite."""
    return math.floor(1.0 / error_at_an_end(level, alternative))


# Shares of examples


def at_most(x: int, n: int, share: float) -> float:
    """Return the probability of at most x of n, from the beta law, which loses no digits in the tails."""
    return float(special.betaincc(x + 1, n - x, share)) if 0 <= x < n else float(x >= n)


def at_least(x: int, n: int, share: float) -> float:
    """Return the probability of at least x of n."""
    return float(special.betainc(x, n - x + 1, share)) if 0 < x <= n else float(x <= 0)


def exact(x: int, n: int) -> Tails:
    """Return the binomial law of x of n, with the interval of Clopper & Pearson (1934)."""

    def ends(error: float) -> Ends:
        low = float(special.betaincinv(x, n - x + 1, error)) if x > 0 else 0.0
        high = float(special.betainccinv(x + 1, n - x, error)) if x < n else 1.0
        return low, high

    return Tails(lambda share: (at_most(x, n, share), at_least(x, n, share)), ends)


def wilson_end(x: float, n: int, z: float) -> float:
    """Return the end of Wilson's interval (1927) at a normal quantile, which is negative for the lower end."""
    end = (x + z * z / 2.0 + z * math.sqrt(x * (n - x) / n + z * z / 4.0)) / (n + z * z)
    return min(1.0, max(0.0, end))


def z_that_ends_at(null: float, estimate: float, end: Callable[[float], float]) -> float:
    """Return minus the z for which an interval around the estimate ends at the null; ends move outwards as z grows."""
    side = math.copysign(1.0, null - estimate)
    if null == estimate:
        return 0.0
    if side * (end(side * _FARTHEST) - null) <= 0.0:
        return -side * math.inf
    return -side * root(lambda z: end(side * z) - null, 0.0, _FARTHEST)


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function is 0 between two numbers, to the last digits of the larger one."""
    from scipy.optimize import brentq  # slow to import, and seldom needed

    return float(brentq(function, low, high, xtol=1e-15 * max(abs(low), abs(high))))


# What a method answers


class Asked(NamedTuple):
    """The question to an answer: the level of its interval, the hypotheses of its test, and the range of its estimate."""

    level: float = 0.95
    null: float = 0.0
    alternative: str = "two-sided"
    limits: Limits = UNLIMITED

    def checked(self, null_range: tuple[float, float] | None = None) -> "Asked":
        """Return the question with arguments that can be used, or raise."""
        null = _check.finite(self.null, "null")
        _check.between(null, *(null_range or (null, null)), "null")
        alternative = _check.alternative(self.alternative)
        return Asked(_check.level(self.level), null, alternative, self.limits)

    def if_unbounded(
        self, interval: Interval, count: int, what: str, needed: int | str = "more"
    ) -> Notes:
        """Return a note that there are too few of something, where an end of the interval is infinite that should not be."""
        if sum(map(math.isinf, interval)) <= (self.alternative != "two-sided"):
            return ()
        return (Note("unbounded", count=count, what=what, level=self.level, needed=needed),)


# Not frozen: that would take as long again as the whole call of a simple method, and nobody keeps one.
@dataclass(slots=True)
class Answer:
    """What a method says of one learner or of a difference, before it is known what is asked.

    Without a law of its own, (estimate - null)/se is referred to t with `df` degrees of freedom, or
    to the normal distribution.

    Attributes
    ----------
    estimate, se : Point estimate and standard error.
    df : Degrees of freedom; None for the normal distribution.
    n_train : Training size that the estimand is about; NaN where unknown.
    n_splits : Number of splits used, if not all that the losses come from.
    notes : Caveats of the method.
    posterior : Posterior probabilities, for Bayesian methods.
    law : Where intervals and p-values come from, if not from the pivot.
    statistic : ``statistic(null)``, if that is not (estimate - null)/se.
    remarks : ``remarks(asked, interval)`` returns the caveats that depend on what is asked.
    directed : Whether the statistic has the sign of the difference.
    limits : Range of the estimate, where it is not in units of the loss.
    near : So many standard errors from an edge of the range at least, the law is the plain one.
    over : ``over(law)`` returns the law that holds over several looks at numbers as they come.
    components : Parts of the squared standard error by what they come from.
    estimand : What is estimated, if options change what the method says of itself.
    """

    estimate: float
    se: float
    df: float | tuple[float, float] | None = None
    _: KW_ONLY
    n_train: float | None = None
    n_splits: int | None = None
    notes: Notes = ()
    posterior: Mapping[str, float] = field(default_factory=dict)
    law: Law | None = None
    statistic: Callable[[float], float] | None = None
    remarks: Callable[[Asked, Interval], Notes] = lambda _asked, _interval: ()
    directed: bool = True
    limits: Limits = UNLIMITED
    near: float = math.inf
    over: Callable[[Law], Law] | None = None
    components: Mapping[str, float] = field(default_factory=dict)
    estimand: Estimand | None = None

    def result(self, method: str, estimand: Estimand, asked: Asked) -> Result:
        """Return the result of a method for one level, null and alternative."""
        pivot = Pivot(self.estimate, self.se, None if isinstance(self.df, tuple) else self.df)
        limits = asked.limits if self.limits is UNLIMITED else self.limits
        law, extreme = limits.law(pivot, self.near) if self.law is None else (self.law, ())
        told = law if self.over is None else self.over(law)
        interval = limits.cut(told.interval(asked.level, asked.alternative))
        statistic = self.statistic or (law if isinstance(law, Pivot) else pivot).statistic
        return Result(
            method=method,
            estimand=self.estimand or estimand,
            n_train=math.nan if self.n_train is None or math.isnan(self.n_train) else self.n_train,
            estimate=self.estimate,
            se=self.se,
            interval=interval,
            level=asked.level,
            statistic=statistic(asked.null),
            df=self.df,
            pvalue=told.pvalue(asked.null, asked.alternative),
            null=asked.null,
            alternative=asked.alternative,
            n_splits=self.n_splits or 1,
            notes=(*self.notes, *extreme, *self.remarks(asked, interval)),
            posterior=self.posterior,
            directed=self.directed,
            components=self.components,
        )
