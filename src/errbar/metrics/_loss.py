"""What a loss is: one number per example, or a metric of many examples with an influence value for each."""

import math
import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import Array, Facts, FloatArray, IntArray
from errbar.errors import InvalidInputError, UndefinedMetricError
from errbar.metrics._functions import (
    ANY,
    DECISION,
    LABEL,
    OVER_PAIRS,
    PROBABILITY,
    RESPONSES,
    Measured,
    Predictions,
    Sample,
    Target,
)

MOST = 20_000
"""So many different examples at most: the metric is computed twice for each."""

DERIVATIVE, WHOLE = 1e-4, 1.0
"""Steps in the weight of an example: one that is large against rounding and small against curvature, or a whole example."""

# Both ways to move an example agree but for terms of order 1/n, and are compared for so many examples at most.
_ALIKE = 0.25
_COMPARED = 40


def moved(
    metric: Callable[[FloatArray], float],
    weights: FloatArray,
    each: Sequence[Any] | Array,
    by: float,
) -> FloatArray:
    """Return a metric with each example, or each of several sets of them, of so much more weight."""
    found = np.empty(len(each))
    for place, own in enumerate(each):
        changed = weights.copy()
        changed[own] *= 1.0 + by
        found[place] = metric(changed)
    return found


def _some(count: int) -> IntArray:
    """Return places of examples that are compared."""
    return np.linspace(0, count - 1, min(count, _COMPARED)).astype(int)


def by_moving(
    key: str,
    metric: Callable[[FloatArray], float],
    columns: Sequence[Array],
    step: float,
    given: FloatArray | None = None,
) -> Measured:
    """Return a metric and I_i = n (theta(w + eps w_i e_i) - theta(w - eps w_i e_i)) / 2 eps; equal examples are moved once."""
    n = len(columns[0])
    given = np.ones(n) if given is None else given
    table = np.column_stack([column.reshape(n, -1) for column in (*columns, given)])
    _, first, same, counts = np.unique(
        table, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if first.size > MOST:
        raise InvalidInputError(
            f"influence values of {key!r} would take {2 * first.size} computations of it, and the limit is "
            f"{2 * MOST}; try a method for one score per split, such as 'corrected-t'"
        )
    value = metric(given)
    up, down = moved(metric, given, first, step), moved(metric, given, first, -step)
    influence = n * (up - down) / (2.0 * step)
    if step == WHOLE:  # n + 1 examples are left, or n - 1
        one, other = (n + 1) * (up - value), (n - 1) * (value - down)
    else:
        some = _some(first.size)
        one = influence[some]
        more, less = (moved(metric, given, first[some], by) for by in (WHOLE, -WHOLE))
        other = n * (more - less) / 2.0
    _require_smooth(key, one, other)
    # What the steps have left of the mean is taken out.
    return value, influence[same.ravel()] - counts @ influence / n


def by_blocks(key: str, metric: Callable[[FloatArray], float], block: IntArray) -> Measured:
    """Return a metric and influence values from leaving out blocks; the examples of a block share their mean."""
    n, sizes, ones = block.size, np.bincount(block), np.ones(block.size)
    value = metric(ones)
    rows = np.split(np.argsort(block, kind="stable"), np.cumsum(sizes)[:-1])
    influence = (n / sizes - 1.0) * (value - moved(metric, ones, rows, -WHOLE))
    some = _some(sizes.size)
    other = (n / sizes[some] + 1.0) * (moved(metric, ones, [rows[b] for b in some], WHOLE) - value)
    _require_smooth(key, influence[some], other)
    return value, influence[block] - sizes @ influence / n


def _require_smooth(key: str, one: FloatArray, other: FloatArray) -> None:
    """Raise unless two ways to move examples agree."""
    size = (np.linalg.norm(one) + np.linalg.norm(other)) / 2.0
    if not np.linalg.norm(one - other) <= _ALIKE * size < np.inf:
        raise UndefinedMetricError(
            f"{key!r} does not change smoothly with its examples, so that it has no influence values; "
            "try a method for one score per split, such as 'corrected-t'"
        )


POOLS = ("none", "folds", "splits")
"""Of what a metric is computed: each split, the folds of a repeat together, or all splits of a plan together."""

_REMEDY = "use stratified splits (--stratify), fewer folds or larger test sets, or pool='splits'"


@dataclass(frozen=True)
class Loss:
    """One loss per example, or a metric of many examples.

    Attributes
    ----------
    key : Name, as ``loss=`` takes it and as reports show it.
    function : ``function(truth, predicted)``, or ``function(sample)`` with influence values.
    needs : Kinds of prediction it can use, best first: label (or number), probability, decision.
    task : ``"classification"``, ``"regression"`` or ``"any"``.
    pointwise : Whether it gives one number per example.
    higher_is_better : Whether it is shown as a score; inside it is negated.
    given_class : Whether it is taken given the class, so that shares of classes do not matter.
    words : Name as people write it; by default the key.
    lacks : ``lacks(sample)`` says what a test set lacks for the metric to be defined, or None.
    influence : Whether ``function`` returns the metric and one influence value per example.
    range : Least and largest value, in the direction shown.
    pool : What a metric is computed of: ``"none"`` (each split), ``"folds"`` of a repeat, or all ``"splits"``.
    about : Classes that a metric is about: ``"all"``, ``"two"`` that it does not tell apart, or ``"positive"``.
    positive : Label of the positive class, whatever the target says.
    trials : Of how many examples the metric is the share; by default, those of the rarest class.
    skill : Whether it compares with a prediction from the training targets only, as R2 does.
    weighable : Whether a metric takes weights: its function ``sample_weight``, which gives influence
        values to one that has none, or those of the sample.
    of_losses : Whether it is a metric because examples have weights: the weighted mean of losses.
    """

    key: str
    function: Callable[..., Any] = field(repr=False)
    needs: tuple[str, ...] = (LABEL,)
    task: str = ANY
    pointwise: bool = True
    higher_is_better: bool = False
    given_class: bool = False
    words: str = ""
    lacks: Callable[[Sample], str | None] | None = field(default=None, repr=False)
    influence: bool = False
    range: tuple[float, float] = (-math.inf, math.inf)
    pool: str = POOLS[0]
    about: str = "all"
    positive: Any = None
    trials: Callable[[Sample], float] | None = field(default=None, repr=False)
    skill: bool = False
    weighable: bool = False
    of_losses: bool = False

    @property
    def sign(self) -> int:
        """Factor from the inside (larger is worse) to the direction shown: -1 for scores, 1 for losses."""
        return -1 if self.higher_is_better else 1

    @property
    def direction(self) -> str:
        """The direction in words."""
        return "higher is better" if self.higher_is_better else "lower is better"

    @property
    def per_example(self) -> bool:
        """Whether there is a number for each example: its loss, or the metric plus its influence value."""
        return self.pointwise or self.influence

    def weighted(self) -> "Loss":
        """Return what is computed of examples with weights; of losses, their weighted mean."""
        if self.pointwise:
            facts: Facts = {"pointwise": False, "influence": True, "of_losses": True}
            return replace(self, function=partial(_mean_loss, self), pool=POOLS[1], **facts)
        takes = self.of_losses or self.weighable
        must = "must take weights, as a function with `sample_weight` does"
        _check.require(takes, must, self.key, "loss")
        return self

    def kind(self, available: Container[str]) -> str:
        """Return the best kind of prediction among those available."""
        for kind in self.needs:
            if kind in available:
                return kind
        raise InvalidInputError(
            f"the loss {self.key!r} needs predictions of kind {' or '.join(self.needs)}, and there are none; "
            f"run again with loss={self.key!r}"
        )

    def points(self, truth: Array, predictions: Predictions) -> FloatArray:
        """Return the loss of each example, larger is worse."""
        predicted = predictions[self.kind(predictions)]
        with np.errstate(over="ignore"):
            found = _check.numbers(self.function(truth, predicted), f"loss {self.key}", "example")
        must = f"must give one number for each of {truth.size} examples"
        _check.require(found.shape == truth.shape, must, found, f"loss {self.key}")
        return 0.0 - found if self.higher_is_better else found

    def no_information(self, truth: Array, predictions: Predictions) -> float | None:
        """Return the mean loss over all pairs of a truth with a prediction; None of a metric of many examples."""
        if not self.pointwise:
            return None
        over_pairs = OVER_PAIRS.get(self.function)
        if over_pairs:
            return over_pairs(truth, predictions[self.kind(predictions)])
        labels, counts = np.unique(truth, return_counts=True)
        means = [self.points(np.full(truth.size, label), predictions).mean() for label in labels]
        return float(counts @ means) / truth.size

    def position(self, target: Target) -> int:
        """Return the position of the positive class; 1 where none is named or needed."""
        named = target.positive if self.positive is None else target.position(self.positive)
        if named is not None:
            return named
        if self.about == "positive" or (self.about == "two" and target.n_classes > 2):
            raise InvalidInputError(
                f"{self.key!r} is about one class against all others, and `positive` is not given: say which, such as "
                f"positive={target.proposal()!r}, or take an average over classes, such as 'f1_macro' or 'roc_auc_ovr'"
            )
        return 1

    def refuse_contradiction(self, target: Target, positive: Any) -> None:
        """Raise if a positive class is asked for, and the loss has another one of its own."""
        if positive is None or self.positive is None or target.classes is None:
            return
        alike = target.position(positive) == target.position(self.positive)
        must = f"must be {self.positive!r}, which the scorer given as `loss` takes for positive (pos_label)"
        _check.require(alike, must, positive, "positive")

    def sample(
        self, target: Target, truth: Array, predictions: Predictions, **facts: Any
    ) -> Sample:
        """Return test examples as a metric sees them; `facts` are attributes of `errbar.metrics.Sample`."""
        kind = self.kind(predictions)
        return Sample(truth, predictions[kind], target, kind, self.position(target), **facts)

    def dry_run(
        self, target: Target, truth: Array, name: str, weights: FloatArray | None = None
    ) -> None:
        """Compute a metric for flawless predictions, so that one which is hopeless is refused before any fit."""
        if self.pointwise:
            return
        flawless = {LABEL: truth}
        if target.classes is not None:
            certain = np.eye(target.n_classes)[truth]
            flawless[PROBABILITY] = certain
            flawless[DECISION] = certain[:, 1] if target.n_classes == 2 else certain
        self.measured(self.sample(target, truth, flawless, weights=weights), name)

    def measured(
        self, sample: Sample, name: str = "all", *, derive: bool = False
    ) -> tuple[float, FloatArray | None]:
        """Return the number of one set of examples, larger is worse, and influence values, where it has or derives them."""
        if self.pointwise:
            return float(self.points(sample.truth, {sample.kind: sample.predicted}).mean()), None
        lack = self.lacks and self.lacks(sample)
        value: Any = math.nan
        influence = None
        try:
            if not lack:
                with np.errstate(divide="ignore", invalid="ignore"):
                    value = self._derived(sample) if derive else self._computed(sample)
                if derive or self.influence:
                    value, influence = value
                    influence = self.sign * influence
                value = float(value)
        except InvalidInputError:
            raise
        except UserWarning as error:  # scikit-learn's word for a number that is undefined
            lack = str(error).partition(" Use `zero_division`")[0]
        except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
            raise InvalidInputError(
                f"{self.key!r} cannot be computed on split {name!r}: {' '.join(str(error).split())}"
            ) from None
        if not lack and not math.isfinite(value):
            lack = f"it is {value}, as where a class is never predicted"
        if lack:
            raise UndefinedMetricError(
                f"{self.key!r} is undefined on split {name!r}: {' '.join(lack.split())}; {_REMEDY}"
            )
        return self.sign * value, influence

    def _computed(self, sample: Sample) -> Any:
        """Return what the function gives; an example of twice the weight has twice the influence."""
        weights = sample.weights
        if weights is None:
            return self.function(sample)
        if not self.influence:
            return self.function(sample, sample_weight=weights)
        value, influence = self.function(sample)
        return value, weights * influence

    def _derived(self, sample: Sample) -> Measured:
        """Return the metric and its influence values, by weights where the function takes them, else by copies of examples."""
        step, columns = (DERIVATIVE if self.weighable else WHOLE), [sample.truth, sample.predicted]

        def weighted(weights: FloatArray) -> float:
            if self.weighable:
                return float(self.function(sample, sample_weight=weights))
            return float(
                self.function(sample.only(np.repeat(np.arange(weights.size), weights.astype(int))))
            )

        return by_moving(self.key, weighted, columns, step, sample.weights)


def _mean_loss(loss: Loss, sample: Sample) -> Measured:
    losses = loss.sign * loss.points(sample.truth, {sample.kind: sample.predicted})
    mean = sample.mean(losses)
    return mean, losses - mean


# What learners answer, in the form in which predictions are kept: codes of classes, and a column per class.

# A class that the training set lacked is never chosen: of a decision value, nothing is smaller.
_MISSING = {PROBABILITY: 0.0, DECISION: float(np.finfo(np.float64).min)}

# Beyond 0 and 1, what rounding makes; of the sum, what single precision and a softmax of many classes make.
_ROUNDING, _ROUNDING_OF_SUM = 1e-6, 1e-3


def labels(answer: Any, target: Target, count: int, said: str = "predict") -> Array:
    if target.classes is not None:
        return _positions(_check.categories(answer, f"`{said}`", count), target.classes, said)
    array = _check.numbers(answer, said, "example")
    _check.require(
        array.shape in ((count,), (count, 1)), f"must have shape {(count,)}", array.shape, said
    )
    return array.ravel()


def by_class(
    answer: Any, known: Any, target: Target, count: int, kind: str, said: str | None = None
) -> FloatArray:
    """Return probabilities or decision values with one column per class of the target; of two classes one."""
    said, classes = said or RESPONSES[kind], target.classes
    assert classes is not None
    array, known = _check.numbers(answer, said, "example"), _check.categories(known, "`classes_`")
    named = list(getattr(answer, "columns", ()))
    if set(named) == set(known.tolist()):
        known = _check.categories(named, "`columns`")
    places = _positions(known, classes, "classes_")
    once = _check.distinct(places) == places.size
    _check.require(once, "must name each class once", known.tolist(), "classes_")
    one = kind == DECISION and classes.size == 2
    leaning = kind == DECISION and places.size == 2 and array.size == count
    if leaning:
        array = np.column_stack([-array.ravel(), array.ravel()])
    shape = (count,) if one and not leaning else (count, places.size)
    _check.require(array.shape == shape, f"must have shape {shape}", array.shape, said)
    if kind == PROBABILITY:
        inside = ((array >= -_ROUNDING) & (array <= 1.0 + _ROUNDING)).all(axis=1)
        chances = inside & (np.abs(array.sum(axis=1) - 1.0) <= _ROUNDING_OF_SUM)
        must = "must lie between 0 and 1, and those of all classes add up to 1"
        _check.require(chances.all(), must, array[~chances][:1].tolist(), said)
        array = array.clip(0.0, 1.0)
    found = np.full((count, classes.size), _MISSING[kind])
    found[:, places] = array
    return found[:, 1] if one else found


def _positions(array: Array, classes: Array, said: str) -> Array:
    places = {label: place for place, label in enumerate(classes.tolist())}
    codes = np.array([places.get(label, -1) for label in array.tolist()], dtype=np.int64)
    # A truth value is 0 or 1, and nothing else that happens to equal it.
    known = (codes >= 0) & (array.dtype.kind != "b" or {*places} <= {0, 1})
    must = f"must hold classes of the target, such as {classes.tolist()[0]!r}"
    _check.require(known.all(), must, array[~known][:1].tolist(), said)
    return codes


# Whether higher numbers are better, by the words of their name, which stand in `measures.toml`.

PART = re.compile(r"(train|training|test|val|valid|validation|eval|dev)[ _/.-]+")
_TURNED = re.compile(
    r"(?P<negative>(neg|negative)[. _-]+)|negated[ _]+|[-−–] ?(?=[a-z])|(1|one|100)(\.0)?%?( [-−–] | minus | ?/ ?)|"
    r"(?P<close>(1|one|100)(\.0)?%? ?[-−–] ?|non[ _-])"
)
"""What turns the direction of the number that follows; some do so before a known word only, unlike the beginning of ``1-NN accuracy``."""
_TURNS = re.compile(r"[ _,]*(\bnegated|\((negated|negative|neg\.?)\)|\breduction)( \(%\))?$")
"""What turns the direction of the number that it follows."""
_BETWEEN = re.compile(r"[^a-z0-9]+")


@cache
def _known() -> dict[str, set[str]]:
    import tomllib
    from importlib import resources

    text = resources.files("errbar.metrics").joinpath("measures.toml").read_text(encoding="utf-8")
    return {kind: set(words) for kind, words in tomllib.loads(text).items()}


def score_words(name: str) -> bool | None:
    bare, turned, negative = unturned(PART.sub("", name.lower()))
    words, known = _words(bare), _known()
    if words & known["loss"] and not words & known["better"]:
        return turned
    # The recall of negatives is no loss, and the negative log-likelihood is.
    if not words & known["score"] or (negative and not words & {"likelihood", "loglik"}):
        return None
    return not turned


def unturned(name: str) -> tuple[str, bool, bool]:
    """Return a name in lower case without what turns its direction, whether something does, and whether that is the word negative."""
    name = re.sub("c[- ]index", "cindex", name.replace("^", "").replace("²", "2"))
    start, end = _TURNED.match(name), _TURNS.search(name)
    if start and start["close"]:
        following = _words(_BETWEEN.split(name[start.end() :])[0])
        if not following & set.union({"balanced", "mean"}, *_known().values()):
            start = None
    rest = name[start.end() if start else 0 : end.start() if end else None]
    return rest, bool(start) != bool(end), bool(start and start["negative"])


def _words(name: str) -> set[str]:
    words = _BETWEEN.split(name)
    return {*words, *(word.rstrip("0123456789") for word in words)}
