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

_SPLIT = ("halving", "half", "repeat", "inner", "fold")
_UNSAID = {"seed": NO_LABEL, "repeat": 0, "inner": NO_LABEL, "fold": 0}
"""Labels of rows where nothing is said of a role."""
_FIT = ("seed", "repeat", "inner", "fold")
_OF_A_QUESTION = ("learner", *_FIT, "example")


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
    if "seed" in labels and not named:
        raise InvalidInputError(
            "must be given beside `seed`",
            argument="example",
        )
    example = coded(labels["example"], total, "example")[0] if named else np.arange(total)
    columns = {
        role: whole_labels(labels.get(role, none), total, role) for role, none in _UNSAID.items()
    }
    rows = Index(total, columns | {"example": example})
    if rows.first(*_FIT, "example").size < total:
        raise InvalidInputError(
            "an example is tested twice in one fold; give `repeat`, `fold`, `seed` or `answer`"
        )
    split, first = rows.codes(*_FIT), rows.first(*_FIT)
    order = np.argsort(split, kind="stable")
    n_test = np.bincount(split).astype(np.float64)

    per_repeat = _count_in(rows, "repeat", "fold")
    if "inner" in labels:
        kind = NestedKFold.kind
    elif per_repeat.max() == 1:
        kind = Holdout.kind if per_repeat.size == 1 else Subsampling.kind
    else:
        once = _count_in(rows, "repeat", "example", "fold").max() == 1
        kind = KFold.kind if once and per_repeat.min() > 1 else OTHER

    n_train = np.full(n_test.size, np.nan)
    if "n_train" in labels:
        n_train[:] = _check.sizes(labels["n_train"], total, "n_train").mean()
    elif kind == KFold.kind:  # a partition of the examples tells it: all that are not in the fold
        n_train = _count_in(rows, "repeat", "example")[rows.codes("repeat")[first]] - n_test

    testing = kind.testing
    if kind != NestedKFold.kind and n_test.size > 1:
        times = np.bincount(example)
        # Of whole groups a few hold many examples, and how many groups there are is not known.
        may_be_few = kind == Subsampling.kind and not grouped
        if (times == n_test.size).all() or (
            may_be_few and same_few(times.size, n_test, float((n_train + n_test).mean()))
        ):
            testing = Testing.SAME

    facts: dict[str, Any] = {"seeds": seeds_per_split(rows)}
    full = _count_in(rows, *_SPLIT, "seed") @ _count_in(rows, *_SPLIT, "example")
    if facts["seeds"] > 1 and full > total:
        raise InvalidInputError(
            f"has not tested {full - total} examples of another; say `repeat` for own splits, `answer` for new answers",
            argument="seed",
        )
    if grouped:
        codes, _ = coded(labels["groups"], total, "groups")
        facts["clusters"] = clusters_of(per_example(codes, example, "groups"))
        if testing is Testing.FOLDS or (testing is Testing.OVERLAPPING and named):
            # The examples of a group are in one fold of each repeat, and all of them are.
            of = Index(total, {**rows, "group": codes})
            in_repeat = of.codes("group")[of.first("repeat", "group")]
            whole = _count_in(of, "group", "example")[in_repeat].sum()
            together = _count_in(of, "repeat", "group", "fold").max() == 1
            if not together or whole > of.first("repeat", "example").size:
                raise InvalidInputError(
                    "are torn apart: models were trained on groups they were tested on",
                    argument="groups",
                )
    if "time" in labels:
        facts["time"] = per_example(times_of(labels["time"], total, "row"), example, "time")
    if "strata" in labels:
        codes = per_example(coded(labels["strata"], total, "strata")[0], example, "strata")
        rarest = rarest_tested(codes, float(n_test.mean()))
        facts |= {"strata": codes, "stratified": True, "rarest": rarest}
    assumed = kind == Subsampling.kind and not named
    origin = Origin.ASSUMED if assumed else Origin.STATED
    design = Design.stated(kind, origin=origin, testing=testing, **facts)
    keys = {role: column[first] for role, column in columns.items()}
    splits = stated_columns(design, n_test.size, n_train=n_train, n_test=n_test, labels=keys)
    return Placed(order, splits, Cells(split[order], example[order]))


def with_repeats(labels: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known by role without splits, which are repeats unless they say their folds, and with the repeats that folds say."""
    known = {role: column for role, column in labels.items() if column is not None}
    if "split" in known:
        for other in ("fold", "repeat"):
            if other in known:
                raise InvalidInputError(
                    f"and `{other}` are both given; a random split has neither fold nor repeat",
                    argument="split",
                )
        whole = known.pop("split")
        known["fold" if "fold" in spoken(whole) else "repeat"] = whole
    if "fold" in known and "repeat" not in known:
        said = spoken(known["fold"])
        known |= said if "fold" in said else {}
    return known


def whole_labels(value: Any, total: int, role: str) -> IntArray:
    """Return whole numbers as they are, one for all rows or one each, and codes of labels of any other type."""
    array = np.asarray(value)
    if array.dtype.kind in "OUSMT" and array.ndim == 1:
        value = coded(value, total, role)[0]
    return _check.labels(value, total, role)


def coded(value: Any, total: int, role: str) -> tuple[IntArray, NDArray[Any]]:
    """Return one code per row for labels of any type, and the label of each code."""
    array = _check.categories(value, f"`{role}`", total)
    if array.dtype == object:
        array = array.astype(str)
    labels, codes = np.unique(array, return_inverse=True)
    return codes.ravel(), labels


def seeds_per_split(rows: Index) -> int:
    """Return the number of seeds per split."""
    return int(_count_in(rows, *_SPLIT, "seed").max())


def _count_in(rows: Index, *roles: str) -> IntArray:
    """Return how many different labels of the last role stand beside each combination of the others."""
    return np.bincount(rows.codes(*roles[:-1])[rows.first(*roles)])


def per_example(values: NDArray[Any], example: IntArray, name: str) -> NDArray[Any]:
    """Return one value per example, or raise if an example has two."""
    first = np.unique(example, return_index=True)[1]
    if not np.array_equal(values[first][example], values):
        raise InvalidInputError(
            "must be the same in all rows of an example",
            argument=name,
        )
    return values[first]


def mean_of_answers(
    values: FloatArray, labels: Mapping[str, Any]
) -> tuple[FloatArray, dict[str, Any]]:
    """Return the mean over the answers to each question, and the labels of each question."""
    total = values.shape[1]
    if "example" not in labels:
        raise InvalidInputError(
            "must be given beside `answer`",
            argument="example",
        )
    of_rows = {role: column for role, column in labels.items() if np.ndim(column)}
    rows = Index(total, {role: coded(own, total, role)[0] for role, own in of_rows.items()})
    question, first = rows.codes(*_OF_A_QUESTION), rows.first(*_OF_A_QUESTION)
    if rows.first(*_OF_A_QUESTION, "answer").size < total:
        raise InvalidInputError(
            "has a number twice for one question; name the `seed`, `repeat` or `fold`",
            argument="answer",
        )
    of_questions = {role: column for role, column in labels.items() if role != "answer"}
    order = np.argsort(first)
    for role in of_rows.keys() - {"answer"}:
        if not np.array_equal(rows[role][first][question], rows[role]):
            raise InvalidInputError("must be the same for all answers to a question", argument=role)
        of_questions[role] = np.asarray(of_rows[role])[first[order]]
    counts = np.bincount(question)
    means = np.stack([np.bincount(question, weights=own) / counts for own in values])
    return means[:, order], of_questions
