"""What columns of predictions are: labels, numbers, scores, or probabilities with a column for each class.

A column of numbers does not tell what it is. The loss does, and where it does not, the user is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, metrics
from errbar.errors import InvalidInputError
from errbar.metrics import (
    ANY,
    CLASSIFICATION,
    DECISION,
    LABEL,
    PROBABILITY,
    REGRESSION,
    Loss,
    Target,
)
from errbar.result import Note

_NUMBERS = "iuf"
MOST_CLASSES = 20
"""Whole numbers of more different values are taken for classes only where somebody says so."""


@dataclass(frozen=True, eq=False)
class Answered:
    """What a learner has predicted.

    Attributes
    ----------
    name : str
        The learner.
    values : ndarray, shape (n,) or (n, columns)
        A value for each example, or a number for each of several classes.
    columns : list or None
        Names of the columns of a matrix, where they have any.
    """

    name: str
    values: NDArray[Any]
    columns: list[Any] | None = None

    @classmethod
    def of(cls, name: str, value: Any) -> "Answered":
        """Read a column, a matrix, or a column for each class."""
        columns = list(value if isinstance(value, Mapping) else getattr(value, "columns", ()))
        try:
            array = np.column_stack([*value.values()]) if isinstance(value, Mapping) else value
            several = np.ndim(array) == 2 and np.shape(array)[1] > 1
        except ValueError:
            raise InvalidInputError(f"the rows of {name!r} must all have as many columns") from None
        if several:
            return cls(name, np.asanyarray(array), columns or None)
        return cls(
            name,
            _check.categories(np.asarray(array) if columns else array, f"what {name!r} predicts"),
        )

    @property
    def is_matrix(self) -> bool:
        """Whether there is a number for each class."""
        return self.values.ndim == 2

    @property
    def said(self) -> str:
        """How messages begin."""
        return f"{self.name!r} predicts"

    def scores_for(self, target: Target) -> bool:
        """Whether these are numbers that are not classes of a target with two."""
        if target.n_classes != 2 or self.is_matrix or self.values.dtype.kind not in _NUMBERS:
            return False
        return not self.only_labels(target)

    def only_labels(self, target: Target) -> bool:
        """Whether all values are classes of the target."""
        assert target.classes is not None
        alike = (self.values.dtype.kind in "biuf") == (target.classes.dtype.kind in "biuf")
        return bool(alike and not self.is_matrix and np.isin(self.values, target.classes).all())


def task_of(
    truth: NDArray[Any], given: Sequence[Answered], loss: Loss | None, *, told: bool
) -> str:
    """Return whether this is classification or regression, or raise where nobody can know.

    Parameters
    ----------
    truth : ndarray
        What was to be predicted.
    given : sequence of Answered
        What was predicted.
    loss : Loss or None
        The one that is named. A metric of the user's own gets numbers as they are, whatever they stand for.
    told : bool
        Whether classes are named.
    """
    if loss is not None and loss.task != ANY:
        return loss.task
    text = any(one.values.dtype.kind not in _NUMBERS for one in given)
    if told or text or truth.dtype.kind not in _NUMBERS or any(one.is_matrix for one in given):
        return CLASSIFICATION
    if not _whole(truth):
        return REGRESSION
    known = np.unique(truth)
    inside = all(np.isin(one.values, known).all() for one in given)
    if inside and known.size <= MOST_CLASSES:
        return CLASSIFICATION
    if known.size > 2 and not all(_whole(one.values) for one in given):
        return REGRESSION
    if loss is not None and loss.needs == (LABEL,):
        return REGRESSION
    raise InvalidInputError(
        f"holds {known.size} different whole numbers, classes or numbers; say which with `loss`, such as 'zero-one' for labels, 'roc_auc' for "
        "scores, or 'squared-error' for numbers",
        argument="y",
    )


def _whole(values: NDArray[Any]) -> bool:
    return bool((values == np.floor(values)).all())


def answers_of(
    given: Sequence[Answered], target: Target, loss: Loss, classes: Sequence[Any] | None
) -> tuple[list[dict[str, NDArray[Any]]], tuple[Note, ...]]:
    """Return the predictions of each learner by kind, as losses take them, and what is to be said of them."""
    names = {one.name for one in given}
    if target.classes is not None and names == set(map(str, target.classes.tolist())):
        raise InvalidInputError(
            "the columns of `predictions` are called like the classes of `y`; if they are the probabilities of one learner, give them by its "
            "name, such as {'forest': frame}"
        )
    found, only = [], []
    for one in given:
        try:
            found.append(_by_kind(one, target, loss, classes))
        except InvalidInputError:
            raise
        except ValueError as error:
            remedy = "name all classes with `classes`, and cut scores at a threshold"
            raise InvalidInputError(f"{error}{'' if one.is_matrix else f'; {remedy}'}") from None
        if target.classes is not None and LABEL not in loss.needs and one.only_labels(target):
            only.append(f"labels of {one.name}")
    if not only:
        return found, ()
    kind = "scores" if DECISION in loss.needs else "probabilities"
    return found, (Note("taken-as", what=only, kind=kind, say=[kind]),)


def _by_kind(
    one: Answered, target: Target, loss: Loss, classes: Sequence[Any] | None
) -> dict[str, NDArray[Any]]:
    """Return the predictions of a learner by kind."""
    count = len(one.values)
    if one.is_matrix:
        known = _classes_of(one, target, classes)
        probability = metrics.by_class(one.values, known, target, count, PROBABILITY, one.said)
        return {PROBABILITY: probability, LABEL: probability.argmax(axis=1)}
    if target.classes is None or LABEL in loss.needs:
        return {LABEL: metrics.labels(one.values, target, count, one.said)}
    place = _positive_of(one, target, loss)
    if DECISION not in loss.needs:
        chance = one.values.astype(np.float64)
        both = np.column_stack([1.0 - chance, chance] if place else [chance, 1.0 - chance])
        return {
            PROBABILITY: metrics.by_class(
                both, target.classes, target, count, PROBABILITY, one.said
            )
        }
    if one.only_labels(target):  # a label leans to its own class, whichever is the positive one
        codes = metrics.labels(one.values, target, count, one.said)
        return {DECISION: codes.astype(np.float64), LABEL: codes}
    scores = _check.vector(one.values, one.name, "example")
    return {DECISION: scores if place else -scores}


def _classes_of(one: Answered, target: Target, classes: Sequence[Any] | None) -> NDArray[Any]:
    """Return the class of each column of a matrix."""
    width = one.values.shape[1]
    if target.classes is None:
        raise InvalidInputError(
            f"{one.said} {width} numbers for each example, and a regression has one"
        )
    if one.columns not in (None, list(range(width))):
        try:
            return target.classes[[target.position(column) for column in one.columns or ()]]
        except InvalidInputError:
            width = 0
    if width == target.n_classes:
        return target.classes if classes is None else _check.categories(list(classes), "`classes`")
    raise InvalidInputError(
        f"{one.name!r} has the columns {one.columns or width}, and the classes are {target.classes.tolist()}; give a column for each, or "
        "name all classes in the order of the columns with `classes`"
    )


def _positive_of(one: Answered, target: Target, loss: Loss) -> int:
    """Return which of two classes large numbers speak for."""
    if one.values.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"{one.said} {one.values.tolist()[0]!r}, and {loss.key!r} needs scores or probabilities, which are numbers"
        )
    if target.n_classes != 2:
        raise InvalidInputError(
            f"{one.name!r} has one number for each example, and there are {target.n_classes} classes; give a matrix of probabilities, "
            f"or make two classes, such as y == {target.proposal()!r}"
        )
    if loss.positive is not None or loss.about == "positive":
        return loss.position(target)
    if target.positive is None:
        listed = " and ".join(map(repr, target.original(np.arange(2)).tolist()))
        raise InvalidInputError(
            f"{one.name!r} has one number for each example, and `positive` does not say for which class: the classes are {listed}; say "
            f"positive={target.proposal()!r}, if large numbers speak for that class"
        )
    return target.positive
