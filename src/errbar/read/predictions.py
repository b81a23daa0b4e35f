"""Tables from predictions of models that were tested elsewhere: labels, numbers, scores or probabilities.

A column of numbers does not tell what it is. The loss does, and where it does not, the user is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check, metrics
from errbar.errors import InvalidInputError
from errbar.measuring import Tested, measure, refuse_undefined
from errbar.metrics import (
    ANY,
    CLASSIFICATION,
    DECISION,
    LABEL,
    PROBABILITY,
    REGRESSION,
    Loss,
    Target,
    target_of,
)
from errbar.read.checks import refuse_repeated_truth
from errbar.read.columns import Columns, columns_of, require_equal_lengths
from errbar.read.places import coded, per_example, placed
from errbar.read.scores import losses_table
from errbar.read.sheet import PREDICTIONS
from errbar.result import Note
from errbar.table import LossTable

_NUMBERS = "iuf"
MOST_CLASSES = 20
"""Whole numbers of more different values are taken for classes only where somebody says so."""


@dataclass(frozen=True, eq=False)
class Answered:
    """What a learner has predicted.

    Attributes
    ----------
    name : the learner
    values : A value for each example, or a number for each of several classes, shape (n,)
    columns : names of the columns of a matrix, where they have any
    """

    name: str
    values: NDArray[Any]
    columns: list[Any] | None = None

    @classmethod
    def of(cls, name: str, value: Any) -> "Answered":
        """Read a column, a matrix, or a column for each class."""
        by_name = isinstance(value, Mapping)
        columns = list(value if by_name else getattr(value, "columns", ()))
        try:
            array = np.column_stack([*value.values()]) if by_name else value
            several = np.ndim(array) == 2 and np.shape(array)[1] > 1
        except ValueError:
            raise InvalidInputError(f"the rows of {name!r} must have one length") from None
        if several:
            return cls(name, np.asanyarray(array), columns or None)
        column = np.asarray(array) if columns else array
        return cls(name, _check.categories(column, f"what {name!r} predicts"))

    @property
    def is_matrix(self) -> bool:
        """Whether there is a number for each class."""
        return self.values.ndim == 2

    def only_labels(self, target: Target) -> bool:
        """Whether all values are classes of the target."""
        assert target.classes is not None
        alike = (self.values.dtype.kind in "biuf") == (target.classes.dtype.kind in "biuf")
        return bool(alike and not self.is_matrix and np.isin(self.values, target.classes).all())


def task_of(
    truth: NDArray[Any], given: Sequence[Answered], loss: Loss | None, *, told: bool
) -> str:
    """Return whether this is classification or regression, or raise where nobody can know.

    A metric of the user's own gets numbers as they are, whatever they stand for.
    """
    if loss is not None and loss.task != ANY:
        return loss.task
    said = [one.values for one in given]
    if told or any(one.ndim == 2 or one.dtype.kind not in _NUMBERS for one in (truth, *said)):
        return CLASSIFICATION
    if not _whole(truth):
        return REGRESSION
    known = np.unique(truth)
    if known.size <= MOST_CLASSES and all(np.isin(one, known).all() for one in said):
        return CLASSIFICATION
    if known.size > 2 and not all(map(_whole, said)):
        return REGRESSION
    if loss is not None and loss.needs == (LABEL,):
        return REGRESSION
    raise InvalidInputError(
        f"holds {known.size} whole numbers; say `loss='zero-one'` for labels, 'roc_auc' for scores, 'squared-error' for numbers",
        argument="y",
    )


def _whole(values: NDArray[Any]) -> bool:
    return not (values % 1).any()


def answers_of(
    given: Sequence[Answered], target: Target, loss: Loss, classes: Sequence[Any] | None
) -> tuple[list[dict[str, NDArray[Any]]], tuple[Note, ...]]:
    """Return the predictions of each learner by kind, as losses take them, and what is to be said of them."""
    names = {one.name for one in given}
    if target.classes is not None and names == set(map(str, target.classes.tolist())):
        raise InvalidInputError(
            "columns of `predictions` are called like classes; give probabilities as {'learner': frame}"
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
    count, said = len(one.values), one.name
    if one.is_matrix:
        known = _classes_of(one, target, classes)
        chances = metrics.by_class(one.values, known, target, count, PROBABILITY, said)
        return {PROBABILITY: chances, LABEL: chances.argmax(axis=1)}
    if target.classes is None or LABEL in loss.needs:
        return {LABEL: metrics.labels(one.values, target, count, said)}
    place = _positive_of(one, target, loss)
    if DECISION not in loss.needs:
        chance = one.values.astype(np.float64)
        known = target.classes[[1 - place, place]]
        both = np.column_stack([1.0 - chance, chance])
        return {PROBABILITY: metrics.by_class(both, known, target, count, PROBABILITY, said)}
    if one.only_labels(target):  # a label leans to its own class, whichever is the positive one
        codes = metrics.labels(one.values, target, count, said)
        return {DECISION: codes.astype(np.float64), LABEL: codes}
    scores = _check.vector(one.values, one.name, "example")
    return {DECISION: scores if place else -scores}


def _classes_of(one: Answered, target: Target, classes: Sequence[Any] | None) -> NDArray[Any]:
    """Return the class of each column of a matrix."""
    width = one.values.shape[1]
    if target.classes is None:
        raise InvalidInputError(
            f"{one.name!r} predicts {width} numbers per example; a regression has one"
        )
    if one.columns not in (None, list(range(width))):
        try:
            return target.classes[[target.position(column) for column in one.columns or ()]]
        except InvalidInputError:
            width = 0
    if width == target.n_classes:
        return target.classes if classes is None else _check.categories(list(classes), "`classes`")
    raise InvalidInputError(
        f"{one.name!r} has the columns {one.columns or width}; give one for each class, {target.classes.tolist()}, or their order as `classes`"
    )


def _positive_of(one: Answered, target: Target, loss: Loss) -> int:
    """Return which of two classes large numbers speak for."""
    if one.values.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"{one.name!r} predicts {one.values.tolist()[0]!r}; {loss.key!r} needs scores or probabilities"
        )
    if target.n_classes != 2:
        raise InvalidInputError(
            f"{one.name!r} has one number each for {target.n_classes} classes; give a matrix, or two classes, y == {target.proposal()!r}"
        )
    if loss.positive is not None or loss.about == "positive":
        return loss.position(target)
    if target.positive is None:
        listed = " and ".join(map(repr, target.original(np.arange(2)).tolist()))
        raise InvalidInputError(
            f"{one.name!r} has scores of one class of {listed}; say which: positive={target.proposal()!r}"
        )
    return target.positive


_BETWEEN = ":"  # stands between a learner and a class in the name of a column of probabilities
_TOLD = {"example", "repeat", "seed", "groups", "time"}
"""Roles of which one says that rows are of the same examples, or not independent."""


def from_predictions(
    predictions: Any,
    y: ArrayLike,
    *,
    loss: Any = None,
    positive: Any = None,
    pool: str | None = None,
    classes: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    **labels: ArrayLike | None,
) -> LossTable:
    """Make a table from predictions for test examples; nothing is fitted.

    Parameters
    ----------
    predictions : mapping, data frame or array-like of shape (N, learners)
        N rows for each learner, all of the same examples in the same splits: labels, numbers, or a
        matrix of probabilities with a column for each class. Columns of a matrix are in the order of
        `classes`, or sorted; those of a frame, or mapping from class to column, are found by name.
    y : array-like, shape (N,)
        Truth of each row.
    loss : str, Loss or callable, optional
        As for `errbar.run`. By default zero-one for labels and probabilities, ``"roc_auc"`` where all
        learners give scores, and squared-error for regression. It also says what a column of numbers
        is: labels for ``"f1"`` and the like; scores, larger for the positive class, for ``"roc_auc"``
        and ``"average_precision"``; and the probability of the positive class for ``"log-loss"``.
    positive : object, optional
        Label of the positive class; of 0 and 1, False and True, or -1 and 1 it is the latter.
    pool : {"none", "folds", "splits"}, optional
        How a metric that is not a mean of losses combines splits; see `errbar.metrics.resolve`.
    classes : sequence, optional
        All classes, where some do not occur in `y`.
    names : sequence of str, optional
        Names of the columns of an array, or the columns of a frame or mapping that are learners.
    **labels : array-like, optional
        What is known of the rows, by role, as for `from_losses`. With `answer` the losses of the
        answers to a question are averaged, and predictions are not kept.

    Returns
    -------
    LossTable
        It keeps the predictions, so that `LossTable.with_loss` has other losses. The label of a
        learner with probabilities is the class of the largest one.

    Raises
    ------
    PairingError, InvalidInputError
        If learners have different numbers of rows; if a prediction is missing, is not a class of
        `y`, or is of a kind that the loss cannot use.

    Examples
    --------
    >>> import errbar
    >>> truth = ["no", "yes", "no", "yes", "no", "no", "yes", "yes"]
    >>> answers = {"a": ["no", "yes", "no", "no", "yes", "no", "yes", "yes"]}
    >>> table = errbar.from_predictions(answers, truth, loss="f1", positive="yes")
    >>> errbar.infer(table, "holdout-t", "a").estimate
    0.75
    """
    found = columns_of(predictions, names, labels, "predictions", PREDICTIONS)
    found = found._replace(labels=found.labels | {"truth": y})
    return predictions_table(found, loss=loss, positive=positive, pool=pool, classes=classes)


def predictions_table(
    found: Columns,
    *,
    loss: Any = None,
    positive: Any = None,
    pool: str | None = None,
    classes: Sequence[Any] | None = None,
) -> LossTable:
    """Return the table of columns of predictions, judged by the truth."""
    labels = dict(found.labels)
    truth = _check.categories(labels.pop("truth"), "`y`")
    given = [Answered.of(name, value) for name, value in _by_learner(found, truth).items()]
    learners = tuple(one.name for one in given)
    require_equal_lengths({one.name: one.values for one in given})
    if truth.size < 2 or truth.size != len(given[0].values):
        raise InvalidInputError(
            f"must have a value for each of {len(given[0].values)} predictions of {learners[0]!r}, at least 2, got {truth.size}",
            argument="y",
        )
    if not _TOLD & set(labels):
        refuse_repeated_truth(truth)

    named = None if loss is None else metrics.lookup(loss)
    task = task_of(truth, given, named, told=classes is not None or positive is not None)
    target = _target(truth, task, classes).naming(positive)
    if named is None:
        # That of scores where all are numbers of two classes, and no labels of these.
        alone = [one for one in given if not one.is_matrix]
        scored = target.n_classes == 2 and any(alone)
        for one in alone if scored else ():
            scored &= one.values.dtype.kind in _NUMBERS and not one.only_labels(target)
        named = metrics.lookup("roc_auc") if scored else metrics.default(task)
    judged = metrics.resolve(named, task, pool)
    answered = "answer" in labels
    if answered and not judged.pointwise:
        raise InvalidInputError(
            f"goes with means of losses of examples, and not with {judged.key!r}",
            argument="answer",
        )
    rows = placed(truth.size, {} if answered else labels)  # every answer is by itself
    kept, notes = answers_of(given, target, judged, classes)
    if "example" in labels:
        example = coded(labels["example"], truth.size, "example")[0]
        values = per_example(target.values, example, "y")
        target = target if answered else replace(target, values=values)
    tested = Tested(target, rows.splits, rows.cells)
    refuse_undefined(judged, tested)
    ordered = tuple({kind: values[rows.order] for kind, values in own.items()} for own in kept)
    scores, points = measure(judged, tested, ordered, learners)

    notes = found.notes + notes
    if answered:
        assert points is not None
        columns = dict(zip(learners, judged.sign * points, strict=True))
        higher = judged.higher_is_better
        numbers = Columns(columns, labels, notes)
        return losses_table(numbers, metric=judged.key, higher_is_better=higher)
    if loss is None and target.n_classes > 2 and truth.dtype.kind in "iuf":
        notes += (Note("read", classes=[f"{target.n_classes} whole numbers"]),)
    return LossTable(
        learners, judged, rows.splits, scores, points, rows.cells, ordered, target, notes=notes
    )


def _by_learner(found: Columns, truth: NDArray[Any]) -> dict[str, Any]:
    """Return columns by learner, those that are called like a learner and a class, ``forest:yes``, put together."""
    classes = set(map(str, np.unique(truth).tolist()))
    together: dict[str, Any] = {}
    for name, column in found.learners.items():
        head, between, tail = name.rpartition(_BETWEEN)
        if not between or tail not in classes:
            together[name] = column
        elif head in found.learners:
            raise InvalidInputError(
                f"has {head!r} and {name!r}, of one learner", argument="columns"
            )
        else:
            together.setdefault(head, {})[tail] = column
    return together


def _target(truth: NDArray[Any], task: str, classes: Sequence[Any] | None) -> Target:
    """Return the target of the rows, with classes that need not occur among them."""
    if classes is None:
        return target_of(truth, task)
    known = _check.categories(list(classes), "`classes`").tolist()
    whole = target_of(_check.categories([*truth.tolist(), *known], "`y` with `classes`"), task)
    if task != CLASSIFICATION or not len(known) == len(set(known)) == whole.n_classes:
        raise InvalidInputError(
            f"must name each class once, {', '.join(map(repr, np.unique(truth).tolist()))} among them, got {known}",
            argument="classes",
        )
    return replace(whole, values=whole.values[: truth.size])
