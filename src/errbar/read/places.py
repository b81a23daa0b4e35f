"""Where rows belong: from labels to splits, their order in a table, and the facts of their design."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray, distinct, numbered
from errbar.design import Design, Origin, clusters_of, rarest_tested, same_few
from errbar.errors import InvalidInputError
from errbar.measuring import Cells
from errbar.plans import Holdout, KFold, Kind, NestedKFold, Subsampling, Testing
from errbar.plans._base import NO_LABEL
from errbar.plans._kinds import OTHER
from errbar.plans._times import times_of
from errbar.read.roles import spoken
from errbar.split_columns import SplitColumns, stated_columns

NO_QUESTION = "must be given where `answer` is: it tells which answers are to the same question"
_OF_A_FIT = ("seed", "repeat", "inner", "fold", "example")


class Placed(NamedTuple):
    """Rows of test examples, one for each example and fit.

    Attributes
    ----------
    order : ndarray of int
        Rows in the order of the cells.
    splits : SplitColumns
        What each split was.
    cells : Cells
        Split and example of each cell.
    example : ndarray of int
        Example of each row.
    """

    order: IntArray
    splits: SplitColumns
    cells: Cells
    example: IntArray


class _Places(NamedTuple):
    """Where each row belongs: labels of its split, and the code of its example."""

    seed: IntArray
    repeat: IntArray
    inner: IntArray
    fold: IntArray
    example: IntArray

    def kind(self) -> Kind:
        """Return the kind of resampling, if it is not nested."""
        training_sets = np.unique(numbered(self.repeat, self.fold), return_index=True)[1]
        per_repeat = np.unique(self.repeat[training_sets], return_counts=True)[1]
        if per_repeat.max() == 1:
            return Holdout.kind if per_repeat.size == 1 else Subsampling.kind
        tested = numbered(self.repeat, self.example)
        once = distinct(tested) == distinct(tested, self.fold)
        return KFold.kind if once and per_repeat.min() > 1 else OTHER

    def testing(
        self, kind: Kind, n_test: FloatArray, n_train: FloatArray, *, grouped: bool
    ) -> Testing:
        """Return which examples the splits test."""
        if kind == NestedKFold.kind or n_test.size == 1:
            return kind.testing
        each = np.bincount(self.example)
        if (each == n_test.size).all():
            return Testing.SAME
        # Of whole groups a few hold many examples, and how many groups there are is not known.
        few = kind == Subsampling.kind and not grouped
        if few and same_few(each.size, n_test, float((n_train + n_test).mean())):
            return Testing.SAME
        return kind.testing


def placed(total: int, labels: Mapping[str, Any]) -> Placed:
    """Put rows of examples into splits, and say what is known of their design.

    Parameters
    ----------
    total : int
        Number of rows.
    labels : mapping of str to column or None
        What is known of the rows, by role; folds may say their repeats. Without ``n_train``, a partition of the examples tells it.

    Returns
    -------
    Placed
        Order, splits and cells of the rows.

    Raises
    ------
    InvalidInputError
        If an example is tested twice in a split, or a group is torn apart by folds.
    """
    given = with_repeats(labels)
    if given.get("seed") is not None and given.get("example") is None:
        raise InvalidInputError(
            "must be given where `seed` is: it tells which losses are of the same example",
            argument="example",
        )
    places = _Places(*(_codes(given.get(name), total, name) for name in _Places._fields))
    number = numbered(*places[:4])
    order = np.argsort(number, kind="stable")
    _, first, split = np.unique(number[order], return_index=True, return_inverse=True)
    keys = np.stack(places[:4])[:, order[first]]
    _refuse_twice(split, places.example[order])
    starts = np.searchsorted(split, np.arange(keys.shape[1]))
    n_test = np.diff(np.append(starts, total)).astype(np.float64)
    kind = NestedKFold.kind if given.get("inner") is not None else places.kind()
    sizes = _training_sizes(places, kind, keys, n_test)
    if "n_train" in given:
        mean = float(_check.numbers(given["n_train"], "n_train", "row").mean())
        sizes = _check.sizes(mean, keys.shape[1], "n_train")
    testing = places.testing(kind, n_test, sizes, grouped=given.get("groups") is not None)
    unnamed = given.get("example") is None
    seeds = seeds_per_split(keys[1:], keys[0])
    if seeds["seeds"] > 1:
        _refuse_empty_cells(places)
    design = Design.stated(
        kind,
        origin=Origin.ASSUMED if kind == Subsampling.kind and unnamed else Origin.STATED,
        testing=testing,
        **seeds,
        **_facts_of_examples(places, testing, given, float(n_test.mean()), named=not unnamed),
    )
    own = dict(zip(("seed", "repeat", "inner", "fold"), keys, strict=True))
    splits = stated_columns(design, keys.shape[1], n_train=sizes, n_test=n_test, labels=own)
    return Placed(order, splits, Cells(split, places.example[order]), places.example)


def with_repeats(labels: Mapping[str, Any]) -> dict[str, Any]:
    """Return labels by role without splits, which are repeats unless they say their folds, and with the repeats that folds say."""
    known = {role: column for role, column in labels.items() if column is not None}
    if "split" in known:
        other = next((role for role in ("fold", "repeat") if role in known), None)
        if other is not None:
            raise InvalidInputError(
                f"and `{other}` are both given; random splits have no folds or repeats",
                argument="split",
            )
        whole = known.pop("split")
        known["fold" if spoken(whole) else "repeat"] = whole
    if "fold" in known and "repeat" not in known:
        parts = spoken(known["fold"])
        if parts is not None and parts[0] is not None and parts[1] is not None:
            known |= {"fold": parts[0], "repeat": parts[1]}
    return known


def codes_of(value: Any, name: str) -> Any:
    """Return whole numbers as they are, and codes of labels of any other type."""
    array = np.asarray(value)
    return (
        labels_of(value, array.size, name)
        if array.dtype.kind in "OUSMT" and array.ndim == 1
        else value
    )


def labels_of(value: ArrayLike, count: int, name: str) -> IntArray:
    """Return one code per row for labels of any type."""
    return coded(value, count, name)[0]


def coded(value: ArrayLike, count: int, name: str) -> tuple[IntArray, NDArray[Any]]:
    """Return one code per row for labels of any type, and the label of each code."""
    array = _check.categories(value, f"`{name}`")
    if array.size != count:
        raise InvalidInputError(
            f"must hold one value per row, {count} in all, got {array.size}", argument=name
        )
    labels, codes = np.unique(
        array.astype(str) if array.dtype == object else array, return_inverse=True
    )
    return codes.ravel(), labels


def seeds_per_split(splits: NDArray[Any], seed: IntArray) -> dict[str, int]:
    """Return the number of seeds per split; `splits` has a row per label."""
    fits = np.unique(np.vstack([splits, seed]), axis=1)
    return {"seeds": int(np.unique(fits[:-1], axis=1, return_counts=True)[1].max())}


def per_example(values: NDArray[Any], example: IntArray, name: str) -> NDArray[Any]:
    """Return one value per example, or raise if an example has two."""
    first = np.unique(example, return_index=True)[1]
    if not np.array_equal(values[first][example], values):
        raise InvalidInputError(
            "must be the same in all rows of an example, and one example has two values",
            argument=name,
        )
    return values[first]


def mean_of_answers(
    values: FloatArray, labels: Mapping[str, Any], answer: Any
) -> tuple[FloatArray, dict[str, Any]]:
    """Return the mean over the answers to each question, drawn anew for each, and the labels of each question.

    Parameters
    ----------
    values : ndarray, shape (learners, N)
        Losses, one per answer.
    labels : mapping of str to column
        What is said of the rows, by role; None for what nobody says.
    answer : array-like, shape (N,)
        Number of the answer, in any order.

    Raises
    ------
    InvalidInputError
        If it is not said which question an answer is to, a question has an answer twice, or a label differs between its answers.
    """
    total = values.shape[1]
    known = {role: column for role, column in labels.items() if column is not None}
    if "example" not in known:
        raise InvalidInputError(NO_QUESTION, argument="example")
    known = {
        role: np.broadcast_to(column, total) if np.ndim(column) == 0 else column
        for role, column in known.items()
    }
    codes = {role: labels_of(column, total, role) for role, column in known.items()}
    question = numbered(*(codes[role] for role in _OF_A_FIT if role in codes))
    first, place = np.unique(question, return_index=True, return_inverse=True)[1:]
    if distinct(place, labels_of(answer, total, "answer")) < total:
        raise InvalidInputError(
            ": a question has an answer of one number twice; name the `seed`, `repeat` or `fold` that tells the two apart",
            argument="answer",
        )
    for role, code in codes.items():
        if not np.array_equal(code[first][place], code):
            raise InvalidInputError("must be the same for all answers to a question", argument=role)
    counts = np.bincount(place)
    means = np.stack([np.bincount(place, weights=own) / counts for own in values])
    return means, {role: np.asarray(column)[first] for role, column in known.items()}


def _codes(value: Any, total: int, name: str) -> IntArray:
    """Return the labels or examples of the rows; without any, all are of one split, and of different examples."""
    if name == "example":
        return np.arange(total) if value is None else labels_of(value, total, name)
    if value is None:
        return np.full(total, NO_LABEL if name in ("seed", "inner") else 0)
    return _check.labels(codes_of(value, name), total, name)


def _training_sizes(places: _Places, kind: Kind, keys: IntArray, n_test: FloatArray) -> FloatArray:
    """Return what a partition of the examples tells: all that are not in the fold; unknown otherwise."""
    if kind != KFold.kind:
        return np.full(n_test.size, np.nan)
    in_repeat = {
        one: distinct(places.example[places.repeat == one]) for one in np.unique(keys[1]).tolist()
    }
    return np.array([in_repeat[one] for one in keys[1].tolist()]) - n_test


def _facts_of_examples(
    places: _Places, testing: Testing, given: Mapping[str, Any], n_test: float, *, named: bool
) -> dict[str, Any]:
    """Return what groups, times and strata of examples say about their design."""
    facts: dict[str, Any] = {}
    total = places.example.size
    groups, time, strata = (given.get(role) for role in ("groups", "time", "strata"))
    if groups is not None:
        codes, names = coded(groups, total, "groups")
        clusters = per_example(codes, places.example, "groups")
        if testing is Testing.FOLDS or (testing is Testing.OVERLAPPING and named):
            _refuse_torn(places, clusters)
        facts |= clusters_of(clusters, names)
    if time is not None:
        facts["time"] = per_example(times_of(time, total, "row"), places.example, "time")
    if strata is not None:
        codes = per_example(labels_of(strata, total, "strata"), places.example, "strata")
        facts |= {"strata": codes, "stratified": True, "rarest": rarest_tested(codes, n_test)}
    return facts


def _refuse_empty_cells(places: _Places) -> None:
    """Raise if some seed of a split has not tested all examples of the split."""
    cells = np.stack([places.repeat, places.inner, places.fold, places.example])
    asked, times = np.unique(cells, axis=1, return_counts=True)
    number = np.unique(asked[:3], axis=1, return_inverse=True)[1].ravel()
    fits = np.unique(np.vstack([cells[:3], places.seed]), axis=1)
    seeds = np.unique(fits[:3], axis=1, return_counts=True)[1]
    lacking = int(np.count_nonzero(times != seeds[number]))
    if lacking:
        raise InvalidInputError(
            f": {lacking} of {times.size} examples lack a seed that others of their split have; say `repeat` where each seed had a split of its "
            "own, `answer` where answers are drawn anew",
            argument="seed",
        )


def _refuse_torn(places: _Places, clusters: IntArray) -> None:
    part = np.unique(np.stack([places.repeat, clusters[places.example], places.example]), axis=1)[
        :2
    ]
    (repeats, groups), tested = np.unique(part, axis=1, return_counts=True)
    torn = np.flatnonzero(tested < np.bincount(clusters)[groups])
    own = np.unique(np.stack([places.repeat, clusters[places.example], places.fold]), axis=1)
    pairs, counts = np.unique(own[:2], axis=1, return_counts=True)
    if not torn.size and counts.max() == 1:
        return
    repeat = repeats[torn[0]] if torn.size else pairs[0, counts.argmax()]
    raise InvalidInputError(
        f": examples of one group are in several folds, or outside all, in repeat {repeat}: models were trained on groups they were tested on",
        argument="groups",
    )


def _refuse_twice(split: IntArray, example: IntArray) -> None:
    if distinct(split, example) < example.size:
        raise InvalidInputError(
            "an example is tested twice in one fold; give `repeat` or `fold`, `seed` for several runs, or `answer` for answers drawn anew"
        )
