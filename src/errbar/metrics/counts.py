"""Metrics of labels: ratios of counts of a class, their averages over classes, and agreement beyond chance.

A ratio, one of two means, declares what an example adds above and below the line of a class.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from errbar._check import FloatArray
from errbar.metrics._sample import Measured, Sample
from errbar.metrics.numbers import ratio


class Counts(NamedTuple):
    """What each example is to a class, 0 or 1: a hit, of the class, said to be of it."""

    hit: FloatArray
    true: FloatArray
    said: FloatArray


Line = tuple[FloatArray, FloatArray]
"""What examples add above and below the line; of what is counted, an example adds 1 above."""

Ratio = Callable[[Counts], Line]


def precision(of: Counts) -> Line:
    """Count hits among those that are said to be of the class."""
    return of.hit, of.said


def recall(of: Counts) -> Line:
    """Count hits among those of the class."""
    return of.hit, of.true


def specificity(of: Counts) -> Line:
    """Count those that are rightly said to be of other classes among those of other classes."""
    return 1.0 - of.true - of.said + of.hit, 1.0 - of.true


def negative_predictive_value(of: Counts) -> Line:
    """Count those that are rightly said to be of other classes among those that are said to be."""
    return 1.0 - of.true - of.said + of.hit, 1.0 - of.said


def jaccard(of: Counts) -> Line:
    """Count hits among those of the class or said to be of it."""
    return of.hit, of.true + of.said - of.hit


def f_score(beta: float, of: Counts) -> Line:
    """Count hits among those of the class and those said to be of it, in which recall weighs beta times as much as precision."""
    weight = beta**2
    return of.hit, (weight * of.true + of.said) / (weight + 1.0)


def _counts(sample: Sample, place: int) -> Counts:
    true = (sample.truth == place).astype(np.float64)
    said = (sample.predicted == place).astype(np.float64)
    return Counts(true * said, true, said)


def of_positive(form: Ratio, sample: Sample) -> Measured:
    """Return the ratio of the positive class."""
    return ratio(*form(_counts(sample, sample.positive)))


def trials(form: Ratio, sample: Sample) -> float:
    """Return of how many examples a ratio of the positive class is the share: those that are counted below the line."""
    return float(form(_counts(sample, sample.positive))[1].sum())


def average(by_share: int, form: Ratio, sample: Sample) -> Measured:
    """Return the mean ratio of all classes, each weighted equally, or by its share in the truth, which has an influence of its own."""
    shares = sample.own_shares
    weights = shares if by_share else np.full(sample.classes, 1.0 / sample.classes)
    values, influence = np.empty(sample.classes), np.zeros(sample.truth.size)
    # Class by class: of a thousand classes the counts of all would not fit into memory.
    for k, weight in enumerate(weights):
        values[k], own = ratio(*form(_counts(sample, k)))
        influence += weight * own
    if by_share:
        influence += values[sample.truth]
    return _centred(weights @ values, influence)


def micro(form: Ratio, sample: Sample) -> Measured:
    """Return the ratio of the sums over all classes."""
    top, bottom = np.zeros((2, sample.truth.size))
    for k in range(sample.classes):
        above, below = form(_counts(sample, k))
        top += above
        bottom += below
    return ratio(top, bottom)


def within(metric: Callable[[Sample], Measured], sample: Sample) -> Measured:
    """Return a metric that is taken given the class; influence values are in units of the class shares that weigh them."""
    value, influence = metric(sample)
    return value, influence * (sample.own_shares / sample.class_shares())[sample.truth]


def matthews(sample: Sample) -> Measured:
    """Return the correlation of truth and prediction, of many classes as well (Gorodkin 2004)."""
    truth, labels = sample.truth, sample.predicted
    hits = truth == labels
    true, said = _shares(sample)
    spread_true, spread_said = 1.0 - true @ true, 1.0 - said @ said
    both = np.sqrt(spread_true * spread_said)
    value = (hits.mean() - true @ said) / both
    of_truth = value * true / spread_true - said / both
    of_label = value * said / spread_said - true / both
    return _centred(value, hits / both + of_truth[truth] + of_label[labels])


def kappa(power: int, sample: Sample) -> Measured:
    """Return the agreement beyond chance, a distance d between classes counting as d to this power (Cohen 1960; 1968)."""
    truth, labels = sample.truth, sample.predicted
    far = np.abs(np.subtract.outer(np.arange(sample.classes), np.arange(sample.classes)))
    far = (far > 0) * far**power  # (K, K)
    true, said = _shares(sample)
    expected = true @ far @ said
    apart = far[truth, labels]
    disagreement = apart.mean() / expected
    of_chance = (far @ said)[truth] + (true @ far)[labels]
    return _centred(1.0 - disagreement, (disagreement * of_chance - apart) / expected)


def _shares(sample: Sample) -> Line:
    said = np.bincount(sample.predicted, minlength=sample.classes) / sample.truth.size
    return sample.own_shares, said


def _centred(value: Any, influence: FloatArray) -> Measured:
    return value, influence - influence.mean()
