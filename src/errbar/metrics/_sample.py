"""What a loss is computed from: the target, and test examples with what was predicted of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray, IntArray, is_number, listed
from errbar.errors import InvalidInputError

Array = NDArray[Any]
Predictions = Mapping[str, Array]

LABEL, PROBABILITY, DECISION = "label", "probability", "decision"
RESPONSES = {LABEL: "predict", PROBABILITY: "predict_proba", DECISION: "decision_function"}
CLASSIFICATION, REGRESSION, ANY = "classification", "regression", "any"

Measured = tuple[float, FloatArray]
"""A metric, and the influence value of each of n examples: their mean is 0, and one more copy of an example moves it by I/n."""

_POSITIVE_BY_CUSTOM: tuple[tuple[Any, Any], ...] = ((0, 1), (-1, 1))
_POSITIVE_BY_NAME = ("yes", "y", "true", "t", "1", "positive", "pos", "p", "case", "event")


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted.

    Attributes
    ----------
    values : ndarray, shape (n,)
        Positions in `classes` for classification, numbers for regression.
    classes : ndarray or None
        The distinct labels in sorted order; None for regression.
    positive : int or None
        Position of the positive class, where one is named, or two classes have one by custom (0 and 1, False and True,
        -1 and 1).
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

    def same_as(self, other: "Target") -> bool:
        """Tell whether every example is to be predicted alike."""
        same_values = np.array_equal(self.values, other.values)
        if self.classes is None or other.classes is None:
            return same_values and self.classes is other.classes
        return (
            same_values
            and self.positive == other.positive
            and np.array_equal(self.classes, other.classes)
        )

    def original(self, codes: Array) -> Array:
        """Return labels as the user gave them."""
        return codes if self.classes is None else self.classes[codes]

    def position(self, label: Any) -> int:
        """Return the position of a label among the classes.

        Raises
        ------
        InvalidInputError
            If it is not one of them, or the target has none.
        """
        if self.classes is None:
            raise InvalidInputError(
                f"names a class, and this is a regression; got {label!r}", argument="positive"
            )
        classes = self.classes.tolist()
        same = [
            k
            for k, known in enumerate(classes)
            if known == label and isinstance(label, str) == isinstance(known, str)
        ]
        # The command line knows text only.
        same = same or [
            k
            for k, known in enumerate(classes)
            if isinstance(label, str) and _is_named(known, label)
        ]
        if not same:
            shown = listed(list(map(repr, classes)), 10)
            raise InvalidInputError(
                f"must be one of the classes {shown}, got {label!r}", argument="positive"
            )
        return same[0]

    def naming(self, positive: Any) -> "Target":
        """Return the target with a positive class: the one that is named, or the one by custom."""
        if positive is not None:
            return replace(self, positive=self.position(positive))
        if self.n_classes != 2 or self.classes is None or self.classes.dtype.kind not in "biuf":
            return self
        return replace(
            self, positive=1 if tuple(self.classes.tolist()) in _POSITIVE_BY_CUSTOM else None
        )

    def proposal(self) -> Any:
        """Return the class that is likely meant as positive: one that is called so, or the rarer one."""
        assert self.classes is not None
        classes = self.classes.tolist()
        by_name = [known for known in classes if str(known).strip().lower() in _POSITIVE_BY_NAME]
        return (
            by_name[0]
            if by_name
            else classes[int(np.bincount(self.values, minlength=len(classes)).argmin())]
        )


def target_of(array: Array, task: str) -> Target:
    """Return a target of labels or of numbers, with a positive class where custom has one.

    Raises
    ------
    InvalidInputError
        If classes are fractional numbers or there is only one, or numbers are text.
    """
    if array.dtype.kind not in "biufUS":
        raise InvalidInputError(
            f"must hold text or numbers, got {array[:1].tolist()}", argument="y"
        )
    return _classification(array) if task == CLASSIFICATION else _regression(array)


def _classification(values: Array) -> Target:
    if values.dtype.kind == "f" and not (values == np.floor(values)).all():
        raise InvalidInputError(
            "the learners are classifiers, but `y` holds fractional numbers; use regressors"
        )
    classes, codes = np.unique(values, return_inverse=True)
    if classes.size < 2:
        raise InvalidInputError(
            f"needs at least two classes, got only {classes.tolist()[0]!r}", argument="y"
        )
    if classes.dtype.kind in "iuf" and np.unique(classes.astype(np.float64)).size < classes.size:
        raise InvalidInputError(
            f"has classes as large as {classes.max()}, of which several are one number for learners that compute in "
            "floating point; give them as text",
            argument="y",
        )
    return Target(codes.astype(np.int64), classes).naming(None)


def _regression(values: Array) -> Target:
    if values.dtype.kind not in "biuf":
        text = next((text for text in map(str, values) if not is_number(text)), str(values[0]))
        raise InvalidInputError(
            f"the learners are regressors, but `y` holds text such as {text!r}; use classifiers"
        )
    return Target(values.astype(np.float64))


def _is_named(known: Any, label: str) -> bool:
    """Tell whether text names a class: as it is shown, or as the same number, or as true or false in other letters."""
    if isinstance(known, bool):
        return str(known).lower() == label.strip().lower()
    if isinstance(known, (int, float)) and is_number(label):
        return float(label) == known
    return str(known) == label


@dataclass(frozen=True, eq=False)
class Sample:
    """Test examples with what was predicted of them.

    Attributes
    ----------
    truth : ndarray, shape (n,)
        Classes as positions among all classes, or numbers.
    predictions : mapping of str to ndarray
        Predictions by kind.
    classes : int
        Number of classes; 0 for regression.
    positive : int
        Position of the positive class; -1 where none is named.
    split : ndarray of int, shape (n,), or None
        Which of the splits that are put together, or of one, tested each example.
    trained : callable or None
        Returns the truth of the training set of each of these splits. None where there are no splits.
    shares : ndarray, shape (classes,), or None
        Shares of the classes among all examples that are tested; by default among these.
    """

    truth: Array
    predictions: Predictions
    classes: int = 0
    positive: int = -1
    split: IntArray | None = None
    trained: Callable[[], Sequence[Array]] | None = None
    shares: FloatArray | None = None

    @property
    def labels(self) -> IntArray:
        """Predicted classes."""
        return self.predictions[LABEL]

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Which examples are of the positive class; of two classes without a name, the second."""
        return np.asarray(self.truth == (self.positive if self.positive >= 0 else 1))

    @property
    def score(self) -> FloatArray:
        """How much each example looks positive."""
        place = self.positive if self.positive >= 0 else 1
        kind = DECISION if DECISION in self.predictions else PROBABILITY
        values = np.asarray(self.predictions[kind], dtype=np.float64)
        if values.ndim == 2:
            return values[:, place]
        return values if place else -values

    def rival(self, statistic: Callable[[Array], Any]) -> Array:
        """Return what somebody would predict for each example who knows no features: a statistic of the training targets.

        Of examples without splits it is that of the truth itself.
        """
        if self.trained is None or self.split is None:
            return np.asarray(statistic(self.truth))
        return np.stack([np.asarray(statistic(one)) for one in self.trained()])[self.split]

    def class_shares(self) -> FloatArray:
        """Return the shares of the classes that weigh influence values."""
        if self.shares is not None:
            return self.shares
        return np.bincount(self.truth, minlength=self.classes) / self.truth.size
