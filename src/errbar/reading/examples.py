"""Examples with their truth: to learn from, where every column without a role is a feature, or with predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from errbar import _check, metrics
from errbar._check import listed
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
    target_of,
)
from errbar.plans._base import dates_of, times_of
from errbar.reading import checks
from errbar.reading.scores import coded, losses_table, per_example, placed
from errbar.reading.sheet import (
    Columns,
    Labels,
    Notes,
    columns_named,
    frame_of,
    is_text,
    is_whole,
    require_equal_lengths,
    roles_of,
    told,
)
from errbar.result import Note
from errbar.table import LossTable, Tested, measure, refuse_undefined

MOST_CATEGORIES = 100
_MOST_GAPS = 0.05  # of the target; pandas reads words such as None as gaps, and they may be a class
_SMALL = 10  # in fewer rows, values are all different by chance


@dataclass(frozen=True, eq=False)
class LabelledExamples:
    """Features and target of a table, with the columns that have a role.

    Attributes
    ----------
    X : ndarray or DataFrame
        Features: an array where all are numbers without gaps, else a frame of numbers, text and
        dates.
    y : target
    groups : group of each example
    time : time of each example
    weights : how much each example counts
    notes : how columns are encoded, and how many rows have no target
    """

    X: Any
    y: Any
    groups: Any = None
    time: Any = None
    weights: Any = None
    notes: tuple[Note, ...] = ()

    def prepared(self, learners: Mapping[str, Any]) -> dict[str, Any]:
        """Return the learners with what they need in front of them to take these features.

        Text is one-hot encoded, dates are days since 1970, and gaps are filled with medians; all of it is
        learnt anew from each training set. Values that a training set lacks are zeros, and of more than a
        hundred values of a column the rarer ones are one. An array of numbers goes as it is to all;
        gaps to learners that scikit-learn marks with ``allow_nan``, and to pipelines with an imputer; the
        frame to what holds a ``ColumnTransformer``, or is marked as taking text.

        Parameters
        ----------
        learners : mapping of str to estimator
            Learners by name.

        Returns
        -------
        dict of str to estimator
            Pipelines of scikit-learn, or the learners themselves.

        Examples
        --------
        >>> import errbar, pandas
        >>> from sklearn.linear_model import LogisticRegression
        >>> frame = pandas.DataFrame({"size": [1, 2, 3, 4], "colour": list("rbrb"), "sold": [0, 1, 1, 0]})
        >>> examples = errbar.read_examples(frame, "sold")
        >>> learner = examples.prepared({"logistic": LogisticRegression()})["logistic"]
        >>> learner.fit(examples.X, examples.y).predict(examples.X).shape
        (4,)
        """
        if not hasattr(self.X, "columns"):
            return dict(learners)
        return {name: _encoded(learner, self.X) for name, learner in learners.items()}


def read_examples(
    path: str | Path,
    target: str,
    *,
    groups: str | None = None,
    time: str | None = None,
    weight: str | None = None,
    drop: str | Sequence[str] = (),
    features: str | Sequence[str] = (),
) -> LabelledExamples:
    """Read examples to learn from out of a table, such as a CSV or Parquet file; needs pandas.

    The target is said, and so are groups, time and columns to leave out; all other columns are
    features. Text that is no date is a category.

    Parameters
    ----------
    path : str, Path or data frame
        A file that pandas reads, or a frame.
    target : str
        Column to predict. Rows without it are left out, if they are at most a twentieth.
    groups, time, weight : str, optional
        Columns with the group, the time and the weight of each example; they are no features.
    drop, features : str or sequence of str
        Columns to leave out, and features whose values name the rows, such as free text; a text that
        is no column may name several, with commas between them.

    Returns
    -------
    LabelledExamples

    Raises
    ------
    InvalidInputError
        If a column is not there, has two roles, lacks values that its role needs, is a target of one
        value, or a feature that names the rows.

    Examples
    --------
    >>> import errbar, pandas
    >>> frame = pandas.DataFrame({"order": [7, 8, 9], "size": [1, 2, 3], "sold": [0, 1, 1]})
    >>> errbar.read_examples(frame, "sold", drop="order").X.tolist()
    [[1.0], [2.0], [3.0]]
    """
    frame = frame_of(path)
    given: Labels = {"target": target, "groups": groups, "time": time, "weight": weight}
    said = roles_of(frame, told(given, given, frame)[0], ())
    out, wanted = columns_named(drop, frame, "drop"), columns_named(features, frame, "features")
    X = _features(frame.drop(columns=[*said.values(), *out]))
    ids = [name for name in X if name not in wanted and _names_rows(X[name])]
    if ids:
        names = ",".join(ids)
        raise InvalidInputError(
            f"{listed(ids, 4)} name the rows: say --drop {names!r} (`drop`) or --feature {names!r} (`features`)"
        )
    labelled = frame[target].notna()
    missing = int((~labelled).sum())
    if missing > max(1, _MOST_GAPS * len(frame)) or frame[target].nunique() < 2:
        raise InvalidInputError(
            f"{target!r} has one value, or none in {missing} of {len(frame)} rows; take them out, or rename a class None",
            argument="target",
        )
    X, frame = X[labelled].reset_index(drop=True), frame[labelled].reset_index(drop=True)
    known = _kinds(X)
    # Learners get an array where all features are numbers without gaps.
    plain = not any(known.values())
    known["rows_without_target"] = [missing] if missing else []
    read = {word: found for word, found in known.items() if found}
    columns = {role: frame[name] for role, name in said.items()}
    times = columns.get("time")
    if times is not None:
        times = times_of(times.to_numpy(), len(frame), "row", f"`time` {time!r}")
    return LabelledExamples(
        X=X.to_numpy(dtype="float64") if plain else X,
        y=frame[target].infer_objects(),
        groups=columns.get("groups"),
        time=times,
        weights=columns["weight"].to_numpy() if "weight" in columns else None,
        notes=(Note("read", **read),) if read else (),
    )


def _features(frame: Any) -> Any:
    if frame.columns.empty:
        raise InvalidInputError("the table has no feature")
    pandas = _check.package("pandas", "app")
    made = {}
    for name, column in frame.items():
        kind = column.dtype.kind
        if kind == "M":
            made[name] = column.to_numpy(dtype="datetime64[us]")
        elif kind == "m":
            made[name] = column / pandas.Timedelta(days=1)
        elif kind in "biuf":
            made[name] = column.to_numpy(dtype="float64", na_value=np.nan)
            if np.isinf(made[name]).any():
                raise InvalidInputError(
                    f"column {name!r} holds infinite numbers; empty them, or say --drop {name!r} (`drop`)"
                )
        else:
            texts = made[name] = column.astype(object).map(str, na_action="ignore")
            known = texts.dropna().unique()
            dates = dates_of([*known], f"column {name!r}") if known.size else None
            if dates is not None:
                date_of = dict(zip(known, dates, strict=True))
                made[name] = texts.map(date_of).to_numpy(dtype="datetime64[us]")
    return pandas.DataFrame(made)


def _names_rows(column: Any) -> bool:
    """Tell whether a column names or numbers the rows: a text for most of them, or whole numbers in one unbroken range."""
    if len(column) <= _SMALL:
        return False
    if is_text(column):
        return bool(column.nunique() > len(column) / 2)
    unbroken = column.is_unique and not column.hasnans and is_whole(column)
    return bool(unbroken and column.max() - column.min() == len(column) - 1)


def _kinds(X: Any) -> dict[str, list[Any]]:
    """Return the columns of text, those of dates, and the others of these and numbers that have gaps."""
    texts = [name for name in X if is_text(X[name])]
    dates = [name for name in X if X[name].dtype.kind == "M"]
    gaps = [name for name in X if name not in texts and X[name].hasnans]
    return {"one_hot": texts, "dates_as_days": dates, "gaps_filled": gaps}


def _encoded(learner: Any, X: Any) -> Any:
    from sklearn.compose import ColumnTransformer, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
    from sklearn.utils import get_tags

    parts = [learner, *learner.get_params().values()]
    parts = [one for one in parts if hasattr(one, "__sklearn_tags__") and not isinstance(one, type)]
    tags = [get_tags(part).input_tags for part in parts]
    takes_text = any(one.string or one.categorical for one in tags)
    if takes_text or any(isinstance(part, ColumnTransformer) for part in parts):
        return learner
    texts, dates, gaps = _kinds(X).values()
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=MOST_CATEGORIES + 1,
        sparse_output=False,
    )
    encoder = make_column_transformer(
        (one_hot, texts), (FunctionTransformer(days), dates), remainder="passthrough"
    )
    imputes = any(type(part).__module__.startswith("sklearn.impute") for part in parts)
    if not gaps or imputes or (tags and tags[0].allow_nan):
        return make_pipeline(encoder, learner)
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(encoder, imputer, learner)


def days(frame: Any) -> Any:
    """Return dates as days since 1970, NaN where there is none."""
    return (frame - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")


# Tables from predictions of models that were tested elsewhere: labels, numbers, scores or probabilities.

MOST_CLASSES = 20
"""Whole numbers of more different values are taken for classes only where somebody says so."""

MASE = "mase"
"""Loss of predictions with a scale: the mean absolute scaled error."""

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

    if "scale" in labels or loss == MASE:
        _check.choice(loss or MASE, (MASE,), "loss")
        only = positive is None and pool is None and classes is None
        _check.require(only, "goes with no class and no pool", pool or positive, "scale")
        return _scaled(found._replace(labels=labels), truth)
    named = None if loss is None else metrics.lookup(loss)
    task = task_of(truth, given, named, told=classes is not None or positive is not None)
    target = _target(truth, task, classes).naming(positive)
    if named is None:
        columns = [one for one in given if not one.is_matrix]
        scored = target.n_classes == 2 and bool(columns)
        scored = scored and all(one.is_number and not one.only_labels(target) for one in columns)
        named = metrics.lookup("roc_auc") if scored else metrics.default(task)
    order, splits, cells = placed(truth.size, labels)
    weighted = splits.designs[0].weights is not None
    judged = metrics.resolve(named, task, pool, weighted=weighted)
    kept, notes = _kept(given, target, judged, classes)
    notes = found.notes + notes
    if "example" in labels:
        example = coded(labels["example"], truth.size, "example")
        target = replace(target, values=per_example(target.values, example, "y"))
    tested = Tested(target, splits, cells)
    refuse_undefined(judged, tested)
    ordered = tuple({kind: values[order] for kind, values in own.items()} for own in kept)
    scores, points = measure(judged, tested, ordered, learners)
    if loss is None and target.n_classes > 2 and truth.dtype.kind in "iuf":
        notes += (Note("read", classes=[f"{target.n_classes} whole numbers"]),)
    made = (learners, judged, splits, scores, points, cells, ordered, target)
    return LossTable(*made, notes=notes)


def _scaled(found: Columns, truth: Any) -> LossTable:
    """Return the table of absolute errors in units of the scale of each row (Hyndman & Koehler 2006)."""
    labels = found.labels
    if "scale" not in labels:
        must = "is needed for 'mase': the mean absolute error of a naive forecast (--scale COLUMN)"
        raise InvalidInputError(must, argument="scale")
    scale = _check.vector(labels.pop("scale"), "scale", "example")
    fits = scale.size == truth.size and scale.min() > 0.0
    _check.require(fits, f"must hold {truth.size} numbers above 0", scale, "scale")
    y = _check.vector(truth, "y", "example")
    errors = dict(zip(found.learners, np.abs(y - found.numbers()) / scale, strict=True))
    table = losses_table(found._replace(learners=errors), metric=MASE, higher_is_better=False)
    return replace(table, loss=replace(table.loss, range=metrics.lookup("absolute-error").range))


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
