"""Tables from predictions of models that were tested elsewhere: labels, numbers, scores or probabilities.

A column of numbers does not tell what it is. The loss does, and where it does not, the user is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

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
from errbar.reading.roles import Columns, Labels, Notes, require_equal_lengths
from errbar.reading.scores import coded, per_example, placed
from errbar.result import Note
from errbar.table import LossTable

MOST_CLASSES = 20
"""Whole numbers of more different values are taken for classes only where somebody says so."""

_BETWEEN = ":"  # stands between a learner and a class in the name of a column of probabilities
_TOLD = {"example", "repeat", "seed", "groups", "time"}
"""Roles of which one says that rows are of the same examples, or not independent."""


class Answered(NamedTuple):
    """What a learner has predicted: a value for each example, or a row of numbers of several classes."""

    name: str
    values: Any
    columns: Sequence[Any] = ()

    @property
    def is_matrix(self) -> bool:
        """Whether there is a number for each class."""
        return bool(self.values.ndim == 2)

    @property
    def is_number(self) -> bool:
        """Whether it is numbers."""
        return bool(self.values.dtype.kind in "iuf")

    def only_labels(self, target: Target) -> bool:
        """Whether all values are classes of the target."""
        assert target.classes is not None
        alike = (self.values.dtype.kind in "biuf") == (target.classes.dtype.kind in "biuf")
        return bool(alike and not self.is_matrix and np.isin(self.values, target.classes).all())


def _answered(name: str, value: Any) -> Answered:
    """Read a column, a matrix, or a column for each class."""
    columns = list(value if isinstance(value, Mapping) else getattr(value, "columns", ()))
    try:
        array = np.column_stack([value[one] for one in columns]) if columns else value
        if np.ndim(array) == 2 and np.shape(array)[1] > 1:
            return Answered(name, np.asanyarray(array), columns)
    except ValueError:
        raise InvalidInputError(f"the rows of {name!r} must have one length") from None
    return Answered(name, _check.categories(array, f"what {name!r} predicts"))


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
    given = [_answered(*one) for one in _by_learner(found, truth).items()]
    learners = tuple(one.name for one in given)
    require_equal_lengths({one.name: one.values for one in given})
    count = len(given[0].values)
    must = f"must have a value for each of {count} predictions, at least 2"
    _check.require(truth.size == count > 1, must, truth.size, "y")
    if not _TOLD & {*labels}:
        checks.ask(truth, checks.repeated_truth)

    named = None if loss is None else metrics.lookup(loss)
    task = task_of(truth, given, named, told=classes is not None or positive is not None)
    target = _target(truth, task, classes).naming(positive)
    if named is None:
        columns = [one for one in given if not one.is_matrix]
        scored = target.n_classes == 2 and bool(columns)
        scored = scored and all(one.is_number and not one.only_labels(target) for one in columns)
        named = metrics.lookup("roc_auc") if scored else metrics.default(task)
    judged = metrics.resolve(named, task, pool)
    kept, notes = _kept(given, target, judged, classes)
    notes = found.notes + notes
    if "example" in labels:
        example = coded(labels["example"], truth.size, "example")
        target = replace(target, values=per_example(target.values, example, "y"))
    order, splits, cells = placed(truth.size, labels)
    tested = Tested(target, splits, cells)
    refuse_undefined(judged, tested)
    ordered = tuple({kind: values[order] for kind, values in own.items()} for own in kept)
    scores, points = measure(judged, tested, ordered, learners)
    if loss is None and target.n_classes > 2 and truth.dtype.kind in "iuf":
        notes += (Note("read", classes=[f"{target.n_classes} whole numbers"]),)
    made = (learners, judged, splits, scores, points, cells, ordered, target)
    return LossTable(*made, notes=notes)


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
    numbers = all(one.is_number and not one.is_matrix for one in given)
    if told or truth.dtype.kind not in "iuf" or not numbers:
        return CLASSIFICATION
    if (truth % 1).any():
        return REGRESSION
    known, values = np.unique(truth), np.concatenate([one.values for one in given])
    if known.size <= MOST_CLASSES and np.isin(values, known).all():
        return CLASSIFICATION
    of_labels = loss is not None and loss.needs == (LABEL,)
    if of_labels or (known.size > 2 and (values % 1).any()):
        return REGRESSION
    raise InvalidInputError(
        f"holds {known.size} whole numbers; say `loss='zero-one'` for labels, 'roc_auc' for scores, 'squared-error' for numbers",
        argument="y",
    )


def _target(truth: Any, task: str, classes: Any) -> Target:
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


def _kept(given: Sequence[Answered], target: Target, loss: Loss, classes: Any) -> tuple[Any, Notes]:
    """Return the predictions of each learner by kind, as losses take them, and what is to be said of them."""
    known = [] if target.classes is None else target.classes.tolist()
    if {one.name for one in given} == {*map(str, known)}:
        raise InvalidInputError(
            "columns of `predictions` are called like classes; give probabilities as {'learner': frame}"
        )
    found = [_by_kind(one, target, loss, classes) for one in given]
    scored = known and LABEL not in loss.needs
    only = [f"labels of {one.name}" for one in given if scored and one.only_labels(target)]
    kind = "scores" if DECISION in loss.needs else "probabilities"
    return found, (Note("taken-as", what=only, kind=kind, say=[kind]),) if only else ()


def _by_kind(one: Answered, target: Target, loss: Loss, classes: Any) -> Labels:
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


def _classes_of(one: Answered, target: Target, classes: Any) -> Any:
    """Return the class of each column of a matrix."""
    width, known = one.values.shape[1], target.classes
    if known is not None and list(one.columns) not in ([], [*range(width)]):
        return known[[target.position(column) for column in one.columns]]
    if known is None or width != known.size:
        raise InvalidInputError(
            f"{one.name!r} has {width} columns; give one for each class, or their order as `classes`"
        )
    return _check.categories(list(known if classes is None else classes), "`classes`")


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
