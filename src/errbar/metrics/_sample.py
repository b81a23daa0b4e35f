"""What a loss is computed from: the target, and test examples with what was predicted of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

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
    trained : Returns the truth of the training set of each of these splits.
    shares : Shares of the classes among all examples that are tested; by default among these.
    """

    truth: Array
    predicted: Array
    target: Target
    kind: str = LABEL
    positive: int = 1
    split: IntArray | None = None
    trained: Callable[[], Sequence[Array]] | None = None
    shares: FloatArray | None = None

    @property
    def classes(self) -> int:
        """Number of classes; 0 for regression."""
        return self.target.n_classes

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
        return np.bincount(self.truth, minlength=self.classes) / self.truth.size

    def class_shares(self) -> FloatArray:
        """Return the shares of the classes that weigh influence values."""
        return self.own_shares if self.shares is None else self.shares

    def rival(self, statistic: Callable[[Array], Any]) -> Array:
        """Return what somebody would predict who knows the training targets alone; without splits, the truth."""
        if self.trained is None:
            found = np.asarray(statistic(self.truth))
            return np.broadcast_to(found, (self.truth.size, *found.shape))
        return np.stack([statistic(truth) for truth in self.trained()])[self.split]

    def only(self, rows: IntArray) -> "Sample":
        """Return the sample of some of its examples, of which one may be there several times."""
        return replace(
            self,
            truth=self.truth[rows],
            predicted=self.predicted[rows],
            split=None if self.split is None else self.split[rows],
        )
