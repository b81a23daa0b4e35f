"""What was predicted of a sample, and the functions of all losses and metrics: of numbers, counts and ranks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import Array, FloatArray, IntArray, is_number, listed
from errbar.errors import InvalidInputError

Predictions = Mapping[str, Array]

LABEL, PROBABILITY, DECISION = "label", "probability", "decision"
RESPONSES = {LABEL: "predict", PROBABILITY: "predict_proba", DECISION: "decision_function"}
CLASSIFICATION, REGRESSION, ANY = "classification", "regression", "any"

Measured = tuple[float, FloatArray]
"""A metric, and the influence value of each of n examples: their mean is 0, and one more copy of an example moves it by I/n."""

# Pairs of classes of which the second is the positive one by custom, and names that propose one in a refusal.
_CUSTOMARY: tuple[tuple[Any, Any], ...] = ((0, 1), (-1, 1))
_POSITIVE_NAMES = ("yes", "true", "1", "positive", "case")


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted.

    Attributes
    ----------
    values : Positions in `classes` for classification, numbers for regression.
    classes : The distinct labels in sorted order; None for regression.
    positive : Position of the positive class: the named one, or by custom 1 or True.
    """

    values: Array
    classes: Array | None = None
    positive: int | None = None

    @property
    def task(self) -> str:
        """Either ``"classification"`` or ``"regression"``."""
        return REGRESSION if self.classes is None else CLASSIFICATION

    @property
    def codes(self) -> Array | None:
        """Class of each example as a position in `classes`; None for regression."""
        return None if self.classes is None else self.values

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return 0 if self.classes is None else int(self.classes.size)

    def original(self, codes: Array) -> Array:
        """Return labels as the user gave them."""
        return codes if self.classes is None else self.classes[codes]

    def position(self, label: Any) -> int:
        """Return the position of a label among the classes, or raise."""
        classes = [] if self.classes is None else self.classes.tolist()
        for place, known in enumerate(classes):
            if _is_named(known, label):
                return place
        shown = listed(list(map(repr, classes)), 10) or "(none, of a regression)"
        raise InvalidInputError(
            f"must be one of the classes {shown}, got {label!r}", argument="positive"
        )

    def naming(self, positive: Any) -> "Target":
        """Return the target with a positive class: the one that is named, or the one by custom."""
        if positive is not None:
            return replace(self, positive=self.position(positive))
        if self.classes is None or tuple(self.classes.tolist()) not in _CUSTOMARY:
            return self
        return replace(self, positive=1)

    def proposal(self) -> Any:
        """Return the class that is likely meant as positive: one that is called so, or the rarest."""
        assert self.classes is not None
        classes = self.classes.tolist()
        rarest = classes[np.bincount(self.values, minlength=len(classes)).argmin()]
        named = (known for known in classes if str(known).strip().lower() in _POSITIVE_NAMES)
        return next(named, rarest)


def _is_named(known: Any, label: Any) -> bool:
    """Tell whether a label names a class; the command line knows text only, also for numbers and truth values."""
    if isinstance(known, str) or not isinstance(label, str):
        return bool(known == label)
    if is_number(label):
        return float(label) == float(known)
    return label.strip().lower() == str(known).lower()


def target_of(array: Array, task: str) -> Target:
    kind, shown = array.dtype.kind, array[:3].tolist()
    _check.require(kind in "biufUS", "must hold text or numbers", shown, "y")
    if task != CLASSIFICATION:
        must = "must hold numbers, for the learners are regressors; use classifiers"
        _check.require(kind not in "US", must, shown, "y")
        return Target(array.astype(np.float64))
    whole = kind != "f" or (array == np.floor(array)).all()
    must = "must hold classes, for the learners are classifiers; use regressors"
    _check.require(whole, must, shown, "y")
    classes, codes = np.unique(array, return_inverse=True)
    _check.require(classes.size > 1, "must hold at least two classes", shown, "y")
    return Target(codes.astype(np.int64), classes).naming(None)


@dataclass(frozen=True, eq=False)
class Sample:
    """Test examples with what was predicted of them.

    Attributes
    ----------
    truth : Classes as positions among all classes, or numbers.
    predicted : What was predicted, of the kind that the metric uses.
    target : What was to be predicted; it knows the classes as the user gave them.
    kind : Kind of the predictions.
    positive : Position of the positive class; of two classes without a name, of the second.
    split : Which of the splits that are put together, or of one, tested each example.
    trained : Returns the truth of the training set of each of these splits, and its weights.
    shares : Shares of the classes among all examples that are tested; by default among these.
    weights : How much each example counts, 1 on average; None where all count the same.
    """

    truth: Array
    predicted: Array
    target: Target
    kind: str = LABEL
    positive: int = 1
    split: IntArray | None = None
    trained: Callable[[], Sequence[tuple[Array, FloatArray | None]]] | None = None
    shares: FloatArray | None = None
    weights: FloatArray | None = None

    def __post_init__(self) -> None:
        """Scale the weights: a set of examples knows only how they compare."""
        if self.weights is not None:
            object.__setattr__(self, "weights", self.weights / self.weights.mean())

    @property
    def classes(self) -> int:
        """Number of classes; 0 for regression."""
        return self.target.n_classes

    @property
    def each(self) -> FloatArray:
        """How much each example counts."""
        return np.ones(self.truth.size) if self.weights is None else self.weights

    @property
    def is_positive(self) -> Array:
        """Which examples are of the positive class."""
        return np.equal(self.truth, self.positive)

    @property
    def score(self) -> FloatArray:
        """How much each example looks positive."""
        values = np.asarray(self.predicted, dtype=np.float64)
        if values.ndim == 2:
            return values[:, self.positive]
        return values if self.positive else -values

    @property
    def own_shares(self) -> FloatArray:
        """Shares of the classes among these examples."""
        return self.shares_of(self.truth)

    def shares_of(self, classes: Array) -> FloatArray:
        """Return the shares of the classes, where each example has one."""
        return np.bincount(classes, self.weights, self.classes) / self.truth.size

    def mean(self, values: Array) -> Any:
        """Return the mean of values, one for each example."""
        return np.average(values, weights=self.weights)

    def sizes(self, codes: Array, inside: Array) -> Array:
        """Return how much those `inside` count in all, by their codes from 0."""
        return np.bincount(codes, inside * self.each)

    def class_shares(self) -> FloatArray:
        """Return the shares of the classes that weigh influence values."""
        return self.own_shares if self.shares is None else self.shares

    def rival(self, statistic: Callable[..., Any]) -> Array:
        """Return what somebody would predict who knows the training targets alone; without splits, the truth."""
        if self.trained is None:
            found = np.asarray(statistic(self.truth, weights=self.weights))
            return np.broadcast_to(found, (self.truth.size, *found.shape))
        known = [statistic(truth, weights=weights) for truth, weights in self.trained()]
        return np.stack(known)[self.split]

    def only(self, rows: IntArray) -> "Sample":
        """Return the sample of some of its examples, of which one may be there several times."""
        return replace(
            self,
            truth=self.truth[rows],
            predicted=self.predicted[rows],
            split=None if self.split is None else self.split[rows],
            weights=None if self.weights is None else self.weights[rows],
        )


# Losses of single examples, and metrics of numbers and probabilities: ratios of means, and roots of one; NaN over nothing.


hit, zero_one = np.equal, np.not_equal


def log_loss(truth: Array, probability: Array) -> Any:
    """Return minus the logarithm of the probability of the class that came, cut at machine precision."""
    chosen = probability[np.arange(truth.size), truth]
    return -np.log(np.clip(chosen, np.finfo(np.float64).eps, 1.0))


def brier(truth: Array, probability: Array) -> Any:
    """Return the squared distance of the probabilities from the truth, for two classes that of one of them."""
    distance = probability.astype(np.float64, copy=True)
    distance[np.arange(truth.size), truth] -= 1.0
    total = np.square(distance).sum(axis=1)
    return total / 2 if probability.shape[1] == 2 else total


def squared_error(truth: Array, predicted: Array) -> Any:
    """Return (y - p)^2."""
    return np.square(truth - predicted)


def squared_log_error(truth: Array, predicted: Array) -> Any:
    """Return the squared difference of log(1 + y) and log(1 + p)."""
    return np.square(np.log1p(truth) - np.log1p(predicted))


def absolute_error(truth: Array, predicted: Array) -> Any:
    """Return |y - p|."""
    return np.abs(truth - predicted)


def percentage_error(truth: Array, predicted: Array) -> Any:
    """Return |y - p| / |y|."""
    return np.abs(truth - predicted) / np.maximum(np.abs(truth), np.finfo(np.float64).eps)


def _squared_over_pairs(truth: Array, predicted: Array) -> float:
    return float(truth.var() + predicted.var() + (truth.mean() - predicted.mean()) ** 2)


def distances(values: Array) -> Any:
    """Return the sum of distances between all pairs of values, along the first axis."""
    count = len(values)
    return (2.0 * np.arange(count) - count + 1.0) @ np.sort(values, axis=0)


def _absolute_over_pairs(truth: Array, predicted: Array) -> float:
    # What is between the two is what all have, but for what each has within.
    every = distances(np.concatenate([truth, predicted]))
    return float(every - distances(truth) - distances(predicted)) / truth.size**2


OVER_PAIRS: dict[Any, Callable[[Array, Array], float]] = {
    squared_error: _squared_over_pairs,
    absolute_error: _absolute_over_pairs,
}
"""Losses whose mean over all pairs of a truth with a prediction is found without all pairs."""

PerExample = Callable[[Array, Array], Any]
"""From truth and predictions to one number per example."""

# Of equal width, as in Guo, Pleiss, Sun & Weinberger (2017).
_BINS = 15


def ratio(sample: Sample, top: FloatArray, bottom: FloatArray) -> Measured:
    """Return the ratio of two means, and its influence values."""
    below = sample.mean(bottom)
    value = sample.mean(top) / below
    return value, (top - value * bottom) / below


def skill(loss: PerExample, statistic: Callable[..., Any], sample: Sample) -> Measured:
    """Return the share that is avoided of the loss of somebody who predicts a statistic of the training targets."""
    own = loss(sample.truth, sample.predicted)
    value, influence = ratio(sample, own, loss(sample.truth, sample.rival(statistic)))
    return 1.0 - value, -influence


def skill_of_chances(loss: PerExample, sample: Sample) -> Measured:
    """Return the share that is avoided of the loss of the class shares in the training set."""

    def shares(truth: Array, weights: FloatArray | None) -> FloatArray:
        counts = np.bincount(truth, weights, sample.classes)
        return counts / counts.sum()

    return skill(loss, shares, sample)


def explained_variance(sample: Sample) -> Measured:
    """Return the share of the variance that is explained."""
    errors = sample.truth - sample.predicted
    truth = sample.truth - sample.mean(sample.truth)
    value, influence = ratio(sample, np.square(errors - sample.mean(errors)), np.square(truth))
    return 1.0 - value, -influence


def root(loss: PerExample, sample: Sample) -> Measured:
    """Return the root of a mean loss."""
    losses = loss(sample.truth, sample.predicted)
    mean = sample.mean(losses)
    value = np.sqrt(mean)
    return value, (losses - mean) / (2.0 * value) if value else np.zeros(losses.size)


def weighted_median(values: Array, weights: FloatArray | None) -> float:
    """Return the middle of the smallest and the largest number that halves the weight of the values."""
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values)
    weight = np.cumsum(weights[order])
    # Of equal weights sums are exact, so that the middle of two values is found.
    low = np.searchsorted(weight, weight[-1] / 2.0)
    high = np.searchsorted(weight, weight[-1] / 2.0, side="right")
    return float(values[order][low] + values[order][high]) / 2.0


def wape(sample: Sample) -> Measured:
    """Return the sum of absolute errors over the sum of absolute truths."""
    return ratio(sample, np.abs(sample.truth - sample.predicted), np.abs(sample.truth))


def calibration_error(sample: Sample) -> Measured:
    """Return the expected calibration error: the mean distance, over bins, of how sure a label is from how often it is right."""
    sure = sample.predicted.max(axis=1)
    excess = (sample.predicted.argmax(axis=1) == sample.truth) - sure
    place = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    # The mean of |sum of a bin's excess|: each example counts with the sign of its bin.
    signs = np.sign(sample.sizes(place, excess))
    terms = signs[place] * excess
    mean = sample.mean(terms)
    return mean, terms - mean


# Metrics of labels: ratios of counts of a class, their averages over classes, and agreement beyond chance.


def f_score(beta: float) -> FloatArray:
    """Return the form of hits among those of the class and those said to be of it, in which recall weighs beta times as much as precision."""
    weight = beta**2 / (beta**2 + 1.0)
    return np.array([[0.0, 0.0, 0.0, 1.0], [0.0, weight, 1.0 - weight, 0.0]])


def _line(form: FloatArray, sample: Sample, place: int) -> FloatArray:
    """Return what examples add above and below the line of a class: by a form of 1, true, said and hit."""
    true, said = sample.truth == place, sample.predicted == place
    return form @ np.array([np.ones_like(true), true, said, true & said], dtype=np.float64)


def of_positive(form: FloatArray, sample: Sample) -> Measured:
    """Return the ratio of the positive class."""
    return ratio(sample, *_line(form, sample, sample.positive))


def trials(form: FloatArray, sample: Sample) -> float:
    """Return of how many examples a ratio of the positive class is the share: those that are counted below the line."""
    below = _line(form, sample, sample.positive)[1]
    return effective_number(below * sample.each, below * np.square(sample.each))


def effective_number(weights: FloatArray, squares: FloatArray | None = None) -> float:
    """Return how many examples of equal weight have a mean with the same variance (Kish 1965)."""
    total = float((np.square(weights) if squares is None else squares).sum())
    return float(weights.sum()) ** 2 / total if total else 0.0


def average(by_share: int, form: FloatArray, sample: Sample) -> Measured:
    """Return the mean ratio of all classes, each weighted equally, or by its share in the truth, which has an influence of its own."""
    shares = sample.own_shares
    weights = shares if by_share else np.full(sample.classes, 1.0 / sample.classes)
    values, influence = np.empty(sample.classes), np.zeros(sample.truth.size)
    # Class by class: of a thousand classes the counts of all would not fit into memory.
    for k, weight in enumerate(weights):
        values[k], own = ratio(sample, *_line(form, sample, k))
        influence += weight * own
    if by_share:
        influence += values[sample.truth]
    return _centred(sample, weights @ values, influence)


def micro(form: FloatArray, sample: Sample) -> Measured:
    """Return the ratio of the sums over all classes."""
    lines = (_line(form, sample, k) for k in range(sample.classes))
    return ratio(sample, *sum(lines, np.zeros((2, sample.truth.size))))


def within(metric: Callable[[Sample], Measured], sample: Sample) -> Measured:
    """Return a metric that is taken given the class; influence values are in units of the class shares that weigh them."""
    value, influence = metric(sample)
    return value, influence * (sample.own_shares / sample.class_shares())[sample.truth]


def matthews(sample: Sample) -> Measured:
    """Return the correlation of truth and prediction, of many classes as well (Gorodkin 2004)."""
    truth, labels = sample.truth, sample.predicted
    hits = truth == labels
    true, said = sample.own_shares, sample.shares_of(labels)
    spread_true, spread_said = 1.0 - true @ true, 1.0 - said @ said
    both = np.sqrt(spread_true * spread_said)
    value = (sample.mean(hits) - true @ said) / both
    of_truth = value * true / spread_true - said / both
    of_label = value * said / spread_said - true / both
    return _centred(sample, value, hits / both + of_truth[truth] + of_label[labels])


def kappa(power: int, sample: Sample) -> Measured:
    """Return the agreement beyond chance, a distance d between classes counting as d to this power (Cohen 1960; 1968)."""
    truth, labels = sample.truth, sample.predicted
    far = np.abs(np.subtract.outer(np.arange(sample.classes), np.arange(sample.classes)))
    far = (far > 0) * far**power  # (K, K)
    true, said = sample.own_shares, sample.shares_of(labels)
    expected = true @ far @ said
    apart = far[truth, labels]
    disagreement = sample.mean(apart) / expected
    of_chance = (far @ said)[truth] + (true @ far)[labels]
    return _centred(sample, 1.0 - disagreement, (disagreement * of_chance - apart) / expected)


def _centred(sample: Sample, value: Any, influence: FloatArray) -> Measured:
    return value, influence - sample.mean(influence)


# Metrics of scores that rank examples: areas under the ROC curve, and average precision.

BoolArray = NDArray[np.bool_]


def placements(
    positive: BoolArray, score: FloatArray, weights: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return V10 (n1,) and V01 (n0,), of which the area under the ROC curve is the mean: shares of the other class, ties by half."""
    step = np.unique(score, return_inverse=True)[1]

    def share_below(others: BoolArray) -> FloatArray:
        counts = np.bincount(step, others * weights)
        below = np.cumsum(counts)
        return ((below - counts / 2.0) / below[-1])[step]

    return share_below(~positive)[positive], 1.0 - share_below(positive)[~positive]


def area(
    sample: Sample, positive: BoolArray, score: FloatArray, share: float, rest: float
) -> Measured:
    """Return the area under the ROC curve, ties by half (DeLong, DeLong & Clarke-Pearson 1988)."""
    above, below = placements(positive, score, sample.each)
    value = np.average(above, weights=sample.each[positive])
    influence = np.empty(positive.size)
    influence[positive] = (above - value) / share
    influence[~positive] = (below - value) / rest
    return value, influence


def roc_auc(sample: Sample) -> Measured:
    """Return the area for the positive class."""
    share = sample.class_shares()[sample.positive]
    return area(sample, sample.is_positive, sample.score, share, 1.0 - share)


def mean_area(rest: int, by_share: int, sample: Sample) -> Measured:
    """Return the mean area of each class against all others, or between two classes (Hand & Till 2001), weighted equally or by the shares of the classes it is about."""
    truth, shares, classes = sample.truth, sample.class_shares(), range(sample.classes)
    value, total, influence = 0.0, 0.0, np.zeros(truth.size)
    areas, times = np.zeros(sample.classes), np.zeros(sample.classes)
    for k in classes:
        others = [j for j in classes if j != k]
        for rivals in [others] if rest else [[j] for j in others]:
            rows = np.flatnonzero(np.isin(truth, [k, *rivals]))
            part = sample.only(rows)
            own, moved = area(
                part, part.truth == k, part.predicted[:, k], shares[k], shares[rivals].sum()
            )
            about = [k] if rest else [k, *rivals]
            weight = shares[about].sum() if by_share else 1.0
            total += weight
            value += weight * own
            influence[rows] += weight * moved
            areas[about] += own
            times[about] += 1
    value /= total
    if by_share:  # a share has an influence of its own, on the weights
        influence += (areas - times * value)[truth]
    return value, influence / total


def average_precision(sample: Sample) -> Measured:
    """Return the mean over positive examples of the precision at their score.

    With weights w: the sum over positives i of w_i/P times T_i/(T_i + F_i), with the weights T_i
    and F_i of positive and negative examples that score as high as i, and P of all positives.
    """
    n = sample.truth.size
    # Examples of one score enter together: steps go from the highest score down.
    step = np.unique(-sample.score, return_inverse=True)[1]
    new = sample.sizes(step, sample.is_positive)
    hits, entered = np.cumsum(new), np.cumsum(sample.sizes(step, np.ones(n)))
    precision = hits / entered
    value = new @ precision / hits[-1]
    # Sums over the positives that score no higher, of the slopes of T/(T + F) in T and in F.
    rises, falls = (
        np.cumsum((new * part / np.square(entered))[::-1])[::-1] for part in (entered - hits, hits)
    )
    slope = np.where(sample.is_positive, (precision - value + rises)[step], -falls[step])
    return value, n * slope / hits[-1]
