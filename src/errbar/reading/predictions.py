"""Tables from predictions of models that were tested elsewhere: labels, numbers, scores or probabilities.

A column of numbers does not tell what it is. The loss does, and where it does not, the user is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

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
from errbar.reading import checks
from errbar.reading.roles import Labels
from errbar.reading.scores import coded, losses_table, per_example, placed
from errbar.reading.sheet import Columns, Notes, require_equal_lengths
from errbar.result import Note
from errbar.table import LossTable

MOST_CLASSES = 20
"""Whole numbers of more different values are taken for classes only where somebody says so."""

_BETWEEN = ":"  # stands between a learner and a class in the name of a column of probabilities
_TOLD = {"example", "repeat", "seed", "groups", "time"}
"""Roles of which one says that rows are of the same examples, or not independent."""


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
    values: np.ndarray[Any, Any]
    columns: Sequence[Any] = ()

    @classmethod
    def of(cls, name: str, value: Any) -> "Answered":
        """Read a column, a matrix, or a column for each class."""
        columns = list(value if isinstance(value, Mapping) else getattr(value, "columns", ()))
        try:
            array = np.column_stack([value[one] for one in columns]) if columns else value
            if np.ndim(array) == 2 and np.shape(array)[1] > 1:
                return cls(name, np.asanyarray(array), columns)
        except ValueError:
            raise InvalidInputError(f"the rows of {name!r} must have one length") from None
        return cls(name, _check.categories(array, f"what {name!r} predicts"))

    @property
    def is_matrix(self) -> bool:
        """Whether there is a number for each class."""
        return self.values.ndim == 2

    @property
    def is_number(self) -> bool:
        """Whether it is numbers."""
        return self.values.dtype.kind in "iuf"

    def only_labels(self, target: Target) -> bool:
        """Whether all values are classes of the target."""
        assert target.classes is not None
        alike = (self.values.dtype.kind in "biuf") == (target.classes.dtype.kind in "biuf")
        return bool(alike and not self.is_matrix and np.isin(self.values, target.classes).all())


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
    fits = truth.size >= 2 and truth.size == len(given[0].values)
    must = f"must have a value for each of {len(given[0].values)} predictions, at least 2"
    _check.require(fits, must, truth.size, "y")
    if not _TOLD & {*labels}:
        checks.ask(truth, checks.repeated_truth)

    named = None if loss is None else metrics.lookup(loss)
    task = task_of(truth, given, named, told=classes is not None or positive is not None)
    target = _target(truth, task, classes).naming(positive)
    if named is None:
        # That of scores where all are numbers of two classes, and no labels of these.
        alone = [one for one in given if not one.is_matrix]
        scored = target.n_classes == 2 and bool(alone)
        for one in alone if scored else ():
            scored &= one.is_number and not one.only_labels(target)
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
    if answered and points is not None:
        columns = dict(zip(learners, judged.sign * points, strict=True))
        higher = judged.higher_is_better
        numbers = Columns(columns, labels, notes)
        return losses_table(numbers, metric=judged.key, higher_is_better=higher)
    if loss is None and target.n_classes > 2 and truth.dtype.kind in "iuf":
        notes += (Note("read", classes=[f"{target.n_classes} whole numbers"]),)
    return LossTable(
        learners, judged, rows.splits, scores, points, rows.cells, ordered, target, notes=notes
    )


def _by_learner(found: Columns, truth: Any) -> Labels:
    """Return columns by learner, those that are called like a learner and a class, ``forest:yes``, put together."""
    classes = {*map(str, np.unique(truth).tolist())}
    together: Labels = {}
    for name, column in found.learners.items():
        head, between, tail = name.rpartition(_BETWEEN)
        if not between or tail not in classes:
            together[name] = column
        elif head in found.learners:
            raise InvalidInputError(f"has {head!r} and {name!r} of one learner", argument="columns")
        else:
            together.setdefault(head, {})[tail] = column
    return together


def task_of(truth: Any, given: Sequence[Answered], loss: Loss | None, *, told: bool) -> str:
    """Return whether this is classification or regression, or raise where nobody can know.

    A metric of the user's own gets numbers as they are, whatever they stand for.
    """
    if loss is not None and loss.task != ANY:
        return loss.task
    if told or truth.dtype.kind not in "iuf" or any(one.is_matrix for one in given):
        return CLASSIFICATION
    if not all(one.is_number for one in given):
        return CLASSIFICATION
    if (truth % 1).any():
        return REGRESSION
    known = np.unique(truth)
    if known.size <= MOST_CLASSES and all(np.isin(one.values, known).all() for one in given):
        return CLASSIFICATION
    fractions = any((one.values % 1).any() for one in given)
    if (known.size > 2 and fractions) or (loss is not None and loss.needs == (LABEL,)):
        return REGRESSION
    raise InvalidInputError(
        f"holds {known.size} whole numbers; say `loss='zero-one'` for labels, 'roc_auc' for scores, 'squared-error' for numbers",
        argument="y",
    )


def _target(truth: Any, task: str, classes: Sequence[Any] | None) -> Target:
    """Return the target of the rows, with classes that need not occur among them."""
    if classes is None:
        return target_of(truth, task)
    known = _check.categories(list(classes), "`classes`")
    both = _check.categories([*truth.tolist(), *known.tolist()], "`y` with `classes`")
    whole = target_of(both, task)
    each_once = known.size == np.unique(known).size == whole.n_classes
    must = f"must name each class once, those of `y`, {np.unique(truth).tolist()}, among them"
    _check.require(each_once, must, classes, "classes")
    return replace(whole, values=whole.values[: truth.size])


def answers_of(
    given: Sequence[Answered], target: Target, loss: Loss, classes: Sequence[Any] | None
) -> tuple[list[Labels], Notes]:
    """Return the predictions of each learner by kind, as losses take them, and what is to be said of them."""
    known = [] if target.classes is None else target.classes.tolist()
    if {one.name for one in given} == {*map(str, known)}:
        raise InvalidInputError(
            "columns of `predictions` are called like classes; give probabilities as {'learner': frame}"
        )
    try:
        found = [_by_kind(one, target, loss, classes) for one in given]
    except InvalidInputError:
        raise
    except ValueError as error:
        raise InvalidInputError(f"{error}; name all classes with `classes`") from None
    scored = known and LABEL not in loss.needs
    only = [f"labels of {one.name}" for one in given if scored and one.only_labels(target)]
    kind = "scores" if DECISION in loss.needs else "probabilities"
    return found, (Note("taken-as", what=only, kind=kind, say=[kind]),) if only else ()


def _by_kind(one: Answered, target: Target, loss: Loss, classes: Sequence[Any] | None) -> Labels:
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
        both = np.column_stack([1.0 - chance, chance])
        known = target.classes[[1 - place, place]]
        return {PROBABILITY: metrics.by_class(both, known, target, count, PROBABILITY, said)}
    if one.only_labels(target):  # a label leans to its own class, whichever is the positive one
        codes = metrics.labels(one.values, target, count, said)
        return {DECISION: codes.astype(np.float64), LABEL: codes}
    scores = _check.vector(one.values, one.name, "example")
    return {DECISION: scores if place else -scores}


def _classes_of(one: Answered, target: Target, classes: Sequence[Any] | None) -> Any:
    """Return the class of each column of a matrix."""
    width = one.values.shape[1]
    known = np.zeros(0) if target.classes is None else target.classes
    if list(one.columns) not in ([], [*range(width)]):
        try:
            return known[[target.position(column) for column in one.columns]]
        except InvalidInputError:
            width = 0
    if width == known.size:
        return _check.categories(list(known if classes is None else classes), "`classes`")
    raise InvalidInputError(
        f"{one.name!r} has the columns {one.columns or width}; give one for each class of {known.tolist()}, or their order as `classes`"
    )


def _positive_of(one: Answered, target: Target, loss: Loss) -> int:
    """Return which of two classes large numbers speak for."""
    if one.values.dtype.kind not in "biuf" or target.n_classes != 2:
        raise InvalidInputError(
            f"{one.name!r} predicts {one.values.tolist()[0]!r}; {loss.key!r} needs a number for the positive of two classes, or a matrix"
        )
    if loss.positive is not None or loss.about == "positive":
        return loss.position(target)
    if target.positive is None:
        listed = " and ".join(map(repr, target.original(np.arange(2)).tolist()))
        raise InvalidInputError(
            f"{one.name!r} has scores of one class of {listed}; say which: positive={target.proposal()!r}"
        )
    return target.positive
