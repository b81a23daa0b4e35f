"""What a loss is, and what it is computed from."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses._undefined import Rule

Array = NDArray[Any]
Predictions = Mapping[str, Array]

LABEL, PROBABILITY, DECISION = "label", "probability", "decision"
RESPONSES = {LABEL: "predict", PROBABILITY: "predict_proba", DECISION: "decision_function"}
CLASSIFICATION, REGRESSION, ANY = "classification", "regression", "any"


# Beyond 0 and 1, what rounding makes; of the sum, what single precision and a softmax of many classes make.
_ROUNDING, _ROUNDING_OF_SUM = 1e-6, 1e-3


def require_probabilities(values: Array, said: str) -> None:
    """Raise unless there is a column of probabilities per class, and each row adds up to 1; `said` begins the message."""
    if values.ndim != 2:
        raise InvalidInputError(f"{said} an array of shape {values.shape}; probabilities need a column for each class")
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


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted.

    Attributes
    ----------
    values : ndarray, shape (n,)
        Positions in `classes` for classification, numbers for regression.
    classes : ndarray or None
        The distinct labels in sorted order; None for regression.
    """

    values: Array
    classes: Array | None = None

    @property
    def task(self) -> str:
        """Either ``"classification"`` or ``"regression"``."""
        return REGRESSION if self.classes is None else CLASSIFICATION

    @property
    def codes(self) -> Array | None:
        """Class of each example as a position in `classes`; None for regression."""
        return None if self.classes is None else self.values

    def original(self, codes: Array) -> Array:
        """Return labels as the user gave them."""
        return codes if self.classes is None else self.classes[codes]


@dataclass(frozen=True)
class Loss:
    """One loss per example, or one number per split.

    Parameters
    ----------
    key : str
        Name, as ``loss=`` takes it and as reports show it.
    function : callable
        For a loss per example ``function(truth, predicted)`` returns one number per example; labels come as
        positions in the sorted classes. For a number per split ``function(target, truth, predictions)`` returns it.
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
        ``lacks(classes, truth)`` says in words what the truth of a test set lacks for the number to be defined, or None.
    over_pairs : callable, optional
        ``over_pairs(truth, predicted)`` returns the mean loss over all pairs of a truth with a prediction, for the
        .632+ estimator. Losses for classification do without: theirs follows from the frequencies of the classes.
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

    @property
    def sign(self) -> int:
        """Factor from the inside (larger is worse) to the direction shown: -1 for scores, 1 for losses."""
        return -1 if self.higher_is_better else 1

    @property
    def direction(self) -> str:
        """The direction in words."""
        return "higher is better" if self.higher_is_better else "lower is better"

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
        """Return the loss of each example."""
        kind = self.usable(predictions)[0]
        with np.errstate(over="ignore"):
            found = _check.numbers(self.function(truth, predictions[kind]), f"loss {self.key}", "example")
        if found.shape != truth.shape:
            raise InvalidInputError(
                f"the loss {self.key!r} must give one number for each of {truth.size} examples, got shape {found.shape}"
            )
        return found

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
        means = [float(self.points(np.full(truth.size, label), predictions).mean()) for label in labels]
        return float(np.dot(counts, means)) / truth.size

    def score(self, target: Target, truth: Array, predictions: Predictions) -> float:
        """Return the number of one split, larger is worse."""
        if self.pointwise:
            return float(self.points(truth, predictions).mean())
        return self.sign * float(self.function(target, truth, predictions))
