"""What a loss is: one number per example, or a metric of many examples with an influence value for each."""

import math
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.metrics._numerical import alike, by_rows, by_weights
from errbar.metrics._sample import (
    ANY,
    CLASSIFICATION,
    LABEL,
    PROBABILITY,
    Array,
    Measured,
    Predictions,
    Sample,
    Target,
)

Rule = Callable[[Sample], int | str | None]
"""What a test set lacks for a metric to be defined: a class that is not in it, or what else in words; None where it is defined."""

POOLS = ("none", "folds", "splits")
"""Of what a metric is computed: each split, the folds of a repeat together, or all splits of a plan together."""

# Beyond 0 and 1, what rounding makes; of the sum, what single precision and a softmax of many classes make.
_ROUNDING, _ROUNDING_OF_SUM = 1e-6, 1e-3


def require_probabilities(values: Array, said: str) -> None:
    """Raise unless there is a column of probabilities per class, and each row adds up to 1; `said` begins the message."""
    if values.ndim != 2:
        raise InvalidInputError(
            f"{said} an array of shape {values.shape}; probabilities need a column for each class"
        )
    inside = (values >= -_ROUNDING) & (values <= 1.0 + _ROUNDING)
    if not inside.all():
        row, column = np.argwhere(~inside)[0]
        raise InvalidInputError(
            f"{said} the probability {values[row, column]:g} for example {row} of {len(values)} (counted from 0), in "
            f"column {column}; it must lie between 0 and 1"
        )
    sums = values.sum(axis=1)
    off = np.flatnonzero(np.abs(sums - 1.0) > _ROUNDING_OF_SUM)
    if off.size:
        raise InvalidInputError(
            f"{said} probabilities that add up to {sums[off[0]]:g} for example {off[0]} of {len(values)} (counted from "
            "0); those of all classes must add up to 1"
        )


@dataclass(frozen=True)
class Loss:
    """One loss per example, or a metric of many examples.

    Parameters
    ----------
    key : str
        Name, as ``loss=`` takes it and as reports show it.
    function : callable
        For a loss per example ``function(truth, predicted)`` returns one number per example; labels come as
        positions in the sorted classes. For a metric with influence values ``function(sample)`` returns the metric and one
        influence value per example; see `errbar.metrics.Sample`. For any other metric
        ``function(target, truth, predictions)`` returns the number.
    needs : tuple of str
        Kinds of prediction it can use, best first: ``"label"`` (also a regression's number), ``"probability"``
        (one column per class), ``"decision"``.
    task : {"classification", "regression", "any"}
        What it is made for.
    pointwise : bool
        Whether it gives one number per example.
    higher_is_better : bool
        Whether users know it as a score. It is then negated inside and shown in its own direction.
    every_kind : bool
        Whether it is handed all kinds of prediction it can use, and not just the best.
    given_class : bool
        Whether it is taken given the class, as a recall or an AUC, so that it does not depend on the shares of the classes.
    words : str
        Name as people write it; by default the key.
    lacks : callable, optional
        ``lacks(sample)`` returns the class that a test set lacks for the metric to be defined, or in words what else it
        lacks, or None.
    over_pairs : callable, optional
        ``over_pairs(truth, predicted)`` returns the mean loss over all pairs of a truth with a prediction, for the
        .632+ estimator. Losses for classification do without: theirs follows from the frequencies of the classes.
    influence : bool
        Whether it is a metric with influence values.
    range : tuple of float
        Least and largest value, in the direction shown.
    pool : {"none", "folds", "splits"}
        What a metric is computed of: the predictions of each split, of the folds of a repeat together, or of all splits of a
        plan together.
    about : {"all", "two", "positive"}
        Classes that a metric is about: all, two that it does not tell apart, or a positive one and all others.
    positive : object, optional
        Label of the positive class, whatever the target says.
    trials : callable, optional
        ``trials(sample)`` returns of how many examples the metric is the share, which limits it where all of them agree; by
        default the number of examples of the rarest class.
    skill : bool
        Whether it compares with what somebody would predict who knows the training targets only, as R2 does.
    weighable : bool
        Whether a metric without influence values takes ``sample_weight``, from which they can be computed.

    See Also
    --------
    errbar.metrics.METRICS : The metrics with influence values.
    """

    key: str
    function: Callable[..., Any] = field(repr=False)
    needs: tuple[str, ...] = (LABEL,)
    task: str = ANY
    pointwise: bool = True
    higher_is_better: bool = False
    every_kind: bool = False
    given_class: bool = False
    words: str = ""
    lacks: Rule | None = field(default=None, repr=False)
    over_pairs: Callable[[Any, Any], float] | None = field(default=None, repr=False)
    influence: bool = False
    range: tuple[float, float] = (-math.inf, math.inf)
    pool: str = POOLS[0]
    about: str = "all"
    positive: Any = None
    trials: Callable[[Sample], float] | None = field(default=None, repr=False)
    skill: bool = False
    weighable: bool = False

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

    def kinds(self, available: Container[str]) -> tuple[str, ...]:
        """Return the kinds of prediction to use among those available: the best one, or all."""
        found = tuple(kind for kind in self.needs if kind in available)
        if not found:
            raise InvalidInputError(
                f"the loss {self.key!r} needs predictions of kind {' or '.join(self.needs)}, and there are none; "
                f"run again with loss={self.key!r}"
            )
        return found if self.every_kind else found[:1]

    def points(self, truth: Array, predictions: Predictions) -> FloatArray:
        """Return the loss of each example, larger is worse."""
        kind = self.usable(predictions)[0]
        with np.errstate(over="ignore"):
            found = _check.numbers(
                self.function(truth, predictions[kind]), f"loss {self.key}", "example"
            )
        if found.shape != truth.shape:
            raise InvalidInputError(
                f"the loss {self.key!r} must give one number for each of {truth.size} examples, got shape {found.shape}"
            )
        return 0.0 - found if self.higher_is_better else found

    def usable(self, predictions: Predictions) -> tuple[str, ...]:
        """Return the kinds to use, or raise if they hold no numbers, or no probabilities where these are meant."""
        kinds = self.kinds(predictions)
        for kind in kinds:
            values = predictions[kind]
            if values.dtype.kind not in "biuf":
                raise InvalidInputError(
                    f"predictions of kind {kind} must be numbers (labels: positions in the classes), got {values.ravel().tolist()[:1]}"
                )
            if kind == PROBABILITY:
                require_probabilities(values, "the predictions hold")
        return kinds

    def no_information(self, truth: Array, predictions: Predictions) -> float | None:
        """Return the mean loss over all pairs of a truth with a prediction, or None where nobody knows how."""
        kind = self.kinds(predictions)[0]
        if self.over_pairs is not None:
            return float(self.over_pairs(truth, predictions[kind]))
        if not self.pointwise or self.task != CLASSIFICATION:
            return None
        labels, counts = np.unique(truth, return_counts=True)
        means = [
            float(self.points(np.full(truth.size, label), predictions).mean()) for label in labels
        ]
        return float(np.dot(counts, means)) / truth.size

    def position(self, target: Target) -> int:
        """Return the position of the positive class, -1 where none is needed or named.

        Raises
        ------
        InvalidInputError
            If the metric needs one and it is not known which, or there are more classes than the metric is about.
        """
        if target.classes is None:
            return -1
        named = target.positive if self.positive is None else target.position(self.positive)
        if named is not None:
            return named
        if self.about != "all" and target.n_classes > 2:
            raise InvalidInputError(
                f"{self.key!r} is about two classes, and there are {target.n_classes}: use an average over classes, such as 'f1_macro' or "
                f"'roc_auc_ovr', or name one class with `positive`, such as positive={target.proposal()!r}, to tell it from all others"
            )
        if self.about == "positive":
            listed, proposal = " and ".join(map(repr, target.classes.tolist())), target.proposal()
            raise InvalidInputError(
                f"{self.key!r} needs to know which class is the positive one, and `positive` is not given: the classes are {listed}; "
                f"say positive={proposal!r} (--positive {proposal}), if that is the class to be found"
            )
        return -1

    def refuse_contradiction(self, target: Target, positive: Any) -> None:
        """Raise if a positive class is asked for, and the loss has another one of its own."""
        if positive is None or self.positive is None or target.classes is None:
            return
        if target.position(positive) != target.position(self.positive):
            raise InvalidInputError(
                f"is {positive!r}, and the scorer given as `loss` takes {self.positive!r} for positive (pos_label); give one of them",
                argument="positive",
            )

    def sample(
        self, target: Target, truth: Array, predictions: Predictions, **facts: Any
    ) -> Sample:
        """Return test examples as a metric sees them; `facts` are attributes of `errbar.metrics.Sample`."""
        return Sample(truth, predictions, target.n_classes, self.position(target), **facts)

    def measured(self, target: Target, sample: Sample) -> tuple[float, FloatArray | None]:
        """Return the number of one set of examples, larger is worse, and the influence values, where it has them."""
        if self.pointwise:
            return float(self.points(sample.truth, sample.predictions).mean()), None
        if not self.influence:
            return self.sign * float(self.function(target, sample.truth, sample.predictions)), None
        value, influence = self.function(sample)
        return self.sign * float(value), self.sign * influence

    def score(self, target: Target, truth: Array, predictions: Predictions) -> float:
        """Return the number of one set of examples, larger is worse."""
        return self.measured(target, self.sample(target, truth, predictions))[0]

    def by_derivative(self, target: Target, sample: Sample) -> Measured:
        """Return what `measured` does for any metric: influence values by moving each example, a little or as a whole."""
        truth, predictions = sample.truth, sample.predictions
        same = alike([truth, *predictions.values()])
        if self.weighable:
            weighted = partial(self.function, target, truth, predictions)
            value, influence = by_weights(
                self.key, lambda weights: float(weighted(sample_weight=weights)), same
            )
        else:

            def of_rows(rows: Any) -> float:
                return float(
                    self.function(
                        target, truth[rows], {kind: p[rows] for kind, p in predictions.items()}
                    )
                )

            value, influence = by_rows(self.key, of_rows, same)
        return self.sign * value, self.sign * influence
