"""Where rows belong: from labels to splits, their order in a table, and the facts of their design."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.design import Design, Origin, clusters_of, rarest_tested, same_few
from errbar.errors import InvalidInputError
from errbar.index import Index
from errbar.measuring import Cells
from errbar.plans import Holdout, KFold, NestedKFold, Subsampling, Testing
from errbar.plans._base import NO_LABEL
from errbar.plans._kinds import OTHER
from errbar.plans._times import times_of
from errbar.read.roles import spoken
from errbar.split_columns import SplitColumns, stated_columns

_UNSAID = {"seed": NO_LABEL, "repeat": 0, "inner": NO_LABEL, "fold": 0}
"""Labels of rows where nothing is said of a role."""


class Placed(NamedTuple):
    """Rows of test examples, one for each example and fit.

    Attributes
    ----------
    order : rows in the order of the cells
    splits : what each split was
    cells : split and example of each cell
    """

    order: IntArray
    splits: SplitColumns
    cells: Cells


def placed(total: int, labels: Mapping[str, Any]) -> Placed:
    """Put rows of examples into splits, and say what is known of their design."""
    named, grouped = "example" in labels, "groups" in labels
    _require_example("seed", labels)
    example = coded(labels["example"], total, "example")[0] if named else np.arange(total)
    columns = {
        role: whole_labels(labels.get(role, none), total, role) for role, none in _UNSAID.items()
    }
    rows = Index(total, columns | {"example": example})
    if rows.first(*_UNSAID, "example").size < total:
        raise InvalidInputError(
            "an example is tested twice in one fold; give `repeat`, `fold`, `seed` or `answer`"
        )
    split, first = rows.codes(*_UNSAID), rows.first(*_UNSAID)
    order = np.argsort(split, kind="stable")
    n_test = np.bincount(split).astype(np.float64)

    folds = _count_in(rows, "repeat", "fold")  # of each repeat
    kind = Holdout.kind if folds.size == 1 else Subsampling.kind
    if folds.max() > 1:
        once = _count_in(rows, "repeat", "example", "fold").max() == 1
        kind = KFold.kind if once and folds.min() > 1 else OTHER
    if "inner" in labels:
        kind = NestedKFold.kind
    n_train = np.full(n_test.size, np.nan)
    if "n_train" in labels:
        n_train[:] = _check.sizes(labels["n_train"], total, "n_train").mean()
    elif kind == KFold.kind:  # a partition of the examples tells it: all that are not in the fold
        n_train = _count_in(rows, "repeat", "example")[rows.codes("repeat")[first]] - n_test

    testing, times = kind.testing, np.bincount(example)
    if kind != NestedKFold.kind and n_test.size > 1:
        # Of whole groups a few hold many examples, and how many groups there are is not known.
        random = kind == Subsampling.kind and not grouped
        size = float((n_train + n_test).mean())
        if (times == n_test.size).all() or (random and same_few(times.size, n_test, size)):
            testing = Testing.SAME
    seeds = seeds_per_split(rows)
    whole = _count_in(rows, "repeat", "inner", "fold", "seed") @ _count_in(
        rows, "repeat", "inner", "fold", "example"
    )
    if seeds > 1 and whole > total:
        raise InvalidInputError(
            f"has not tested {whole - total} examples of another; say `repeat` for own splits, `answer` for new answers",
            argument="seed",
        )
    facts: dict[str, Any] = {"seeds": seeds}
    if grouped:
        codes, names = coded(labels["groups"], total, "groups")
        facts |= clusters_of(per_example(codes, example, "groups"), names)
        if testing is Testing.FOLDS or (testing is Testing.OVERLAPPING and named):
            _refuse_torn(Index(total, {**rows, "group": codes}))
    if "time" in labels:
        facts["time"] = per_example(times_of(labels["time"], total, "row"), example, "time")
    if "strata" in labels:
        codes = per_example(coded(labels["strata"], total, "strata")[0], example, "strata")
        rarest = rarest_tested(codes, float(n_test.mean()))
        facts |= {"strata": codes, "stratified": True, "rarest": rarest}
    origin = Origin.ASSUMED if kind == Subsampling.kind and not named else Origin.STATED
    design = Design.stated(kind, origin=origin, testing=testing, **facts)
    keys = {role: column[first] for role, column in columns.items()}
    found = stated_columns(design, n_test.size, n_train=n_train, n_test=n_test, labels=keys)
    return Placed(order, found, Cells(split[order], example[order]))


def _require_example(role: str, labels: Mapping[str, Any]) -> None:
    if role in labels and "example" not in labels:
        raise InvalidInputError(f"must be given beside `{role}`", argument="example")


def _refuse_torn(rows: Index) -> None:
    """Raise unless the examples of a group are in one fold of each repeat, and all of them are."""
    in_repeat = rows.codes("group")[rows.first("repeat", "group")]
    whole = _count_in(rows, "group", "example")[in_repeat].sum()
    several = _count_in(rows, "repeat", "group", "fold").max() > 1
    if several or whole > rows.first("repeat", "example").size:
        raise InvalidInputError(
            "are torn apart: models were trained on groups they were tested on",
            argument="groups",
        )


def with_repeats(labels: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known by role without splits, which are repeats unless they say their folds, and with the repeats that folds say."""
    known = {role: column for role, column in labels.items() if column is not None}
    if "split" in known:
        if {"fold", "repeat"} & {*known}:
            raise InvalidInputError(
                "is a random split, which has neither fold nor repeat", argument="split"
            )
        whole = known.pop("split")
        known["fold" if "fold" in spoken(whole) else "repeat"] = whole
    said = spoken(known.get("fold"))
    return known | (said if "fold" in said and "repeat" not in known else {})


def whole_labels(value: Any, total: int, role: str) -> IntArray:
    """Return whole numbers as they are, one for all rows or one each, and codes of labels of any other type."""
    array = np.asarray(value)
    if array.dtype.kind in "OUSMT" and array.ndim == 1:
        value = coded(value, total, role)[0]
    return _check.labels(value, total, role)


def coded(value: Any, total: int, role: str) -> tuple[IntArray, NDArray[Any]]:
    """Return one code per row for labels of any type, and the label of each code."""
    array = _check.labels_of_any_kind(value, total, role)
    labels, codes = np.unique(
        array.astype(str) if array.dtype == object else array, return_inverse=True
    )
    return codes.ravel(), labels


def seeds_per_split(rows: Index) -> int:
    """Return the number of seeds per split."""
    return int(_count_in(rows, "halving", "half", "repeat", "inner", "fold", "seed").max())


def _count_in(rows: Index, *roles: str) -> IntArray:
    """Return how many different labels of the last role stand beside each combination of the others."""
    return np.bincount(rows.codes(*roles[:-1])[rows.first(*roles)])


def per_example(values: NDArray[Any], example: IntArray, name: str) -> NDArray[Any]:
    """Return one value per example, or raise if an example has two."""
    first = np.unique(example, return_index=True)[1]
    if not np.array_equal(values[first][example], values):
        raise InvalidInputError("must be the same in all rows of an example", argument=name)
    return values[first]


def mean_of_answers(
    values: FloatArray, labels: Mapping[str, Any]
) -> tuple[FloatArray, dict[str, Any]]:
    """Return the mean over the answers to each question, and the labels of each question."""
    _require_example("answer", labels)
    total = values.shape[1]
    of_rows = {role: column for role, column in labels.items() if np.ndim(column)}
    rows = Index(total, {role: coded(own, total, role)[0] for role, own in of_rows.items()})
    asked = [role for role in of_rows if role != "answer"]
    if rows.first(*asked, "answer").size < total:
        raise InvalidInputError(
            "has a number twice for one question; name the `seed`, `repeat` or `fold`",
            argument="answer",
        )
    question, first = rows.codes(*asked), rows.first(*asked)
    order = np.argsort(first)
    counts = np.bincount(question)
    means = np.stack([np.bincount(question, weights=own) / counts for own in values])
    of_questions = {role: np.asarray(of_rows[role])[first[order]] for role in asked}
    return means[:, order], {
        role: of_questions.get(role, own) for role, own in labels.items() if role != "answer"
    }
