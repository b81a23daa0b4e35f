"""What a family of shared fits is, and how its predictions are laid out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from errbar.losses import DECISION, LABEL, PROBABILITY, Target

Array = NDArray[Any]
Positions = Sequence[NDArray[Any]]

# To what shared and refitted predictions agree, relative to their size.
TOLERANCE = 1e-8
# A class whose score is so far behind has no probability that can be seen.
_FAR = 25.0


class Outcome(NamedTuple):
    """Predictions by kind, all splits one after another, and the splits that have to be refitted."""

    values: dict[str, Array]
    undone: list[int]


class Family(Protocol):
    """Learners whose fits on many training sets of one data set share most of their work.

    Attributes
    ----------
    name : str
        Name of the family.
    """

    name: str

    def supports(self, estimator: Any, X: Array, target: Target, kinds: tuple[str, ...]) -> bool:
        """Tell whether the predictions would be those of refitting: exact class, parameters and data."""

    def predict(
        self,
        estimator: Any,
        X: Array,
        target: Target,
        trains: Positions,
        tests: Positions,
        kinds: tuple[str, ...],
    ) -> Outcome:
        """Return the predictions of all splits; what stands in the places of undone splits means nothing."""

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:
        """Tell for which examples a fitted learner's answer hangs on no tie that rounding may decide."""


def split_by_split(
    answer: Callable[[Array, Array], Mapping[str, Array] | None],
    target: Target,
    trains: Positions,
    tests: Positions,
    kinds: tuple[str, ...],
) -> Outcome:
    """Fill in the predictions of one split after another.

    `answer` gives the predictions by kind for the positions of the training and of the test examples, or None where it
    cannot be done.
    """
    values, undone, begin = empty(target, tests, kinds), [], 0
    for j, (train, test) in enumerate(zip(trains, tests, strict=True)):
        found, end = answer(train, test), begin + len(test)
        if found is None or not all(np.isfinite(found[kind]).all() for kind in kinds):
            undone.append(j)
        else:
            for kind in kinds:
                values[kind][begin:end] = found[kind]
        begin = end
    return Outcome(values, undone)


def _form(kind: str, target: Target, count: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return shape and type of the predictions of one kind."""
    number = np.dtype(np.float64)
    if target.classes is None:
        return (count,), number
    classes = target.classes.size
    if kind == LABEL:
        return (count,), np.min_scalar_type(classes)
    return ((count,) if kind == DECISION and classes == 2 else (count, classes)), number


def empty(target: Target, tests: Positions, kinds: tuple[str, ...]) -> dict[str, Array]:
    """Return predictions of which nothing is filled in yet."""
    count = sum(len(test) for test in tests)
    return {kind: np.zeros(*_form(kind, target, count)) for kind in kinds}


def from_scores(scores: Array, kinds: tuple[str, ...]) -> dict[str, Array]:
    """Return the responses of a classifier that has a score for each class, a column each.

    A class that the training set lacks has the score minus infinity.
    """
    found = {LABEL: scores.argmax(axis=1)}
    if PROBABILITY in kinds:
        found[PROBABILITY] = _softmax(scores)
    if DECISION in kinds:
        found[DECISION] = scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
    return found


def _softmax(scores: Array) -> Array:
    """Return probabilities from their logarithms up to a constant."""
    raised: Array = np.exp(scores - scores.max(axis=1, keepdims=True))
    raised /= raised.sum(axis=1, keepdims=True)
    return raised


def uncertain(scores: Array, error: Array | float) -> bool:
    """Tell whether errors of such a size in the scores could be seen: in a score, or in a probability."""
    error = np.where(np.isfinite(scores), error, 0.0)
    sizes = np.abs(scores[:, 1:] - scores[:, :1]) if scores.shape[1] == 2 else np.abs(scores)
    if (error > TOLERANCE * np.maximum(sizes, 1.0)).any():
        return True
    if (error <= TOLERANCE).all():
        return False
    columns = np.argpartition(scores, -2, axis=1)[:, -2:]
    best, errors = (np.take_along_axis(part, columns, axis=1) for part in (scores, error))
    return bool(((errors.max(axis=1) > TOLERANCE) & (best[:, 1] - best[:, 0] < _FAR)).any())


def clear_scores(fitted: Any, examples: Array) -> NDArray[np.bool_]:
    """Tell for which examples the best class of a fitted classifier is ahead of the next by more than rounding."""
    decide = getattr(fitted, "decision_function", None) or fitted.predict_proba
    scores = np.asarray(decide(examples), dtype=np.float64)
    if scores.ndim == 1:
        scores = np.column_stack([-scores / 2, scores / 2])
    if scores.shape[1] == 1:
        return np.ones(scores.shape[0], dtype=bool)
    best = np.partition(scores, -2, axis=1)[:, -2:]
    ahead: NDArray[np.bool_] = best[:, 1] - best[:, 0] > 1e-7 * (1 + np.abs(best).max(axis=1))
    return ahead


def always_clear(examples: Array) -> NDArray[np.bool_]:
    """Tell that no answer hangs on a tie."""
    return np.ones(len(examples), dtype=bool)
