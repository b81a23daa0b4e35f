"""Metrics of the confusion matrix.

All that they depend on are, as shares of all examples, how often each class is hit, how often it is the truth, and how
often it is predicted. A metric declares itself by its value and its derivatives with respect to these three; the influence
value of an example is the sum of the derivatives for what it adds to.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from errbar._check import FloatArray
from errbar.metrics._sample import Measured, Sample


class Shares(NamedTuple):
    """Shares of examples for each class: hit, true, predicted. Also derivatives with respect to them."""

    hit: FloatArray
    true: FloatArray
    said: FloatArray


OfShares = Callable[[Shares, int], tuple[float, Shares]]
"""From the shares and the position of the positive class to the value of a metric and its derivatives."""


def shares_of(sample: Sample) -> Shares:
    """Return how often each class is hit, is the truth, and is predicted."""
    hits = sample.truth == sample.labels
    columns = (sample.truth[hits], sample.truth, sample.labels)
    return Shares(
        *(np.bincount(one, minlength=sample.classes) / sample.truth.size for one in columns)
    )


def measured(metric: OfShares, sample: Sample) -> Measured:
    """Return a metric of a confusion matrix, and the influence values."""
    truth, labels = sample.truth, sample.labels
    value, slope = metric(shares_of(sample), sample.positive)
    influence = (
        slope.true[truth] + slope.said[labels] + np.where(truth == labels, slope.hit[truth], 0.0)
    )
    return value, influence - influence.mean()


def measured_within(metric: OfShares, sample: Sample) -> Measured:
    """Return a metric that is taken given the class; influence values are in units of the class shares that weigh them."""
    value, influence = measured(metric, sample)
    own = np.bincount(sample.truth, minlength=sample.classes) / sample.truth.size
    return value, influence * own[sample.truth] / sample.class_shares()[sample.truth]


class Form(NamedTuple):
    """Coefficients of a sum that is linear in the shares hit, true and predicted of a class, and in 1."""

    hit: float = 0.0
    true: float = 0.0
    said: float = 0.0
    one: float = 0.0

    def of(self, shares: Shares) -> FloatArray:
        """Return the sum for each class."""
        return self.hit * shares.hit + self.true * shares.true + self.said * shares.said + self.one


class Quotient(NamedTuple):
    """A ratio for each class."""

    top: Form
    bottom: Form

    def slope(
        self, theta: FloatArray | float, bottom: FloatArray | float, weight: FloatArray | float
    ) -> Shares:
        """Return the derivatives of weighted ratios theta with these bottoms."""
        parts = zip(self.top[:3], self.bottom[:3], strict=True)
        return Shares(*(np.asarray(weight * (t - theta * b) / bottom) for t, b in parts))


PRECISION = Quotient(Form(hit=1), Form(said=1))
RECALL = Quotient(Form(hit=1), Form(true=1))
SPECIFICITY = Quotient(Form(1, -1, -1, 1), Form(true=-1, one=1))
NEGATIVE_PREDICTIVE_VALUE = Quotient(Form(1, -1, -1, 1), Form(said=-1, one=1))
JACCARD = Quotient(Form(hit=1), Form(-1, 1, 1))


def f_score(beta: float) -> Quotient:
    """Return the ratio of an F score."""
    return Quotient(Form(hit=1 + beta**2), Form(true=beta**2, said=1))


def of_positive(ratio: Quotient, shares: Shares, positive: int) -> tuple[float, Shares]:
    """Return the ratio of the positive class."""
    weight = np.zeros_like(shares.hit)
    weight[positive] = 1.0
    return _weighted(ratio, shares, weight)


def trials(ratio: Quotient, sample: Sample) -> float:
    """Return of how many examples a ratio of the positive class is the share: those that are counted below the line."""
    below = float(ratio.bottom.of(shares_of(sample))[sample.positive])
    return sample.truth.size * below / ratio.top.hit


def macro(ratio: Quotient, shares: Shares, _: int) -> tuple[float, Shares]:
    """Return the mean ratio of all classes that occur, in the truth or among the predictions."""
    seen = (shares.true > 0.0) | (shares.said > 0.0)
    return _weighted(ratio, shares, seen / np.count_nonzero(seen))


def weighted(ratio: Quotient, shares: Shares, _: int) -> tuple[float, Shares]:
    """Return the mean ratio, each class weighted by its share in the truth, which has an influence of its own."""
    value, slope = _weighted(ratio, shares, shares.true)
    theta = np.zeros_like(shares.hit)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(ratio.top.of(shares), ratio.bottom.of(shares), out=theta, where=shares.true > 0.0)
    return value, slope._replace(true=slope.true + theta)


def micro(ratio: Quotient, shares: Shares, _: int) -> tuple[float, Shares]:
    """Return the ratio of the sums over all classes."""
    top, bottom = ratio.top.of(shares).sum(), ratio.bottom.of(shares).sum()
    theta = float(top / bottom)
    return theta, ratio.slope(theta, bottom, np.ones_like(shares.hit))


def _weighted(ratio: Quotient, shares: Shares, weight: FloatArray) -> tuple[float, Shares]:
    """Return the weighted mean of the ratios; NaN where one of them is undefined."""
    top, bottom = ratio.top.of(shares), ratio.bottom.of(shares)
    counts = weight > 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        theta = np.where(counts, top / bottom, 0.0)
        slope = ratio.slope(theta, np.where(counts, bottom, 1.0), weight)
    return float(weight @ theta), slope


def balanced_accuracy(shares: Shares, _: int) -> tuple[float, Shares]:
    """Return the mean recall of the classes that occur in the truth."""
    seen = shares.true > 0.0
    return _weighted(RECALL, shares, seen / np.count_nonzero(seen))


def matthews(shares: Shares, _: int) -> tuple[float, Shares]:
    """Return the correlation of truth and prediction, of many classes as well (Gorodkin 2004)."""
    spread_true, spread_said = 1.0 - shares.true @ shares.true, 1.0 - shares.said @ shares.said
    both = float(np.sqrt(spread_true * spread_said))
    if not both:  # all of one class, or all said to be
        return np.nan, Shares(*(np.zeros_like(shares.hit),) * 3)
    value = float(shares.hit.sum() - shares.true @ shares.said) / both
    return value, Shares(
        np.full_like(shares.hit, 1.0 / both),
        value * shares.true / spread_true - shares.said / both,
        value * shares.said / spread_said - shares.true / both,
    )


def kappa(shares: Shares, _: int) -> tuple[float, Shares]:
    """Return the agreement beyond chance (Cohen 1960)."""
    agreed, by_chance = float(shares.hit.sum()), float(shares.true @ shares.said)
    left = 1.0 - by_chance
    steep = (agreed - 1.0) / left**2
    slope = Shares(np.full_like(shares.hit, 1.0 / left), steep * shares.said, steep * shares.true)
    return (agreed - by_chance) / left, slope


def weighted_kappa(power: int, sample: Sample) -> Measured:
    """Return the agreement beyond chance where a distance d between classes in order counts as d to this power (Cohen 1968)."""
    truth, labels = sample.truth, sample.labels
    places = np.arange(sample.classes)
    far = np.abs(places[:, None] - places) ** power
    true, said = (
        np.bincount(one, minlength=sample.classes) / truth.size for one in (truth, labels)
    )
    expected = float(true @ far @ said)
    apart = far[truth, labels]
    ratio = apart.mean() / expected
    influence = (ratio * ((far @ said)[truth] + (true @ far)[labels]) - apart) / expected
    return float(1.0 - ratio), influence - influence.mean()
