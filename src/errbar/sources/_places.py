"""Where rows of test examples belong: from labels to splits, their order in a table, and the facts of their design."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray, distinct, numbered
from errbar.design import Design, Origin, clusters_of, rarest_tested, same_few
from errbar.errors import InvalidInputError
from errbar.measuring import Cells
from errbar.plans import Holdout, KFold, Kind, NestedKFold, Subsampling, Testing
from errbar.plans._base import NO_LABEL
from errbar.plans._kinds import OTHER
from errbar.plans._times import times_of
from errbar.sources._facts import coded, codes_of, labels_of, seeds_per_split
from errbar.sources._repeats import with_repeats
from errbar.split_columns import SplitColumns, stated_columns


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


def placed(
    total: int,
    labels: Mapping[str, Any],
    found: Mapping[str, Any],
    *,
    groups: Any = None,
    time: Any = None,
    strata: Any = None,
    n_train: float | None = None,
) -> Placed:
    """Put rows into splits, and say what is known of their design.

    Parameters
    ----------
    total : int
        Number of rows.
    labels : mapping of str to column or None
        What the user says: ``seed``, ``repeat``, ``inner``, ``fold`` and ``example`` of each row.
    found : mapping of str to column
        Labels that stood beside the learners; those of the user go before.
    groups, time, strata, n_train
        As for `errbar.from_losses`.

    Raises
    ------
    InvalidInputError
        If an example is tested twice in a split, or a group is torn apart by folds.
    """
    given = {name: found.get(name) if labels.get(name) is None else labels[name] for name in _Places._fields}
    given = with_repeats(given)
    if given["seed"] is not None and given["example"] is None:
        raise InvalidInputError(
            "must be given where `seed` is: it tells which losses are of the same example", argument="example"
        )
    places = _Places(*(_column(given[name], total, name) for name in _Places._fields))
    number = numbered(*places[:4])
    order = np.argsort(number, kind="stable")
    _, first, split = np.unique(number[order], return_index=True, return_inverse=True)
    keys = np.stack(places[:4])[:, order[first]]
    _refuse_twice(split, places.example[order])
    starts = np.searchsorted(split, np.arange(keys.shape[1]))
    n_test = np.diff(np.append(starts, total)).astype(np.float64)
    nested = given["inner"] is not None
    kind = NestedKFold.kind if nested else places.kind()
    # Without a stated size, a partition of the examples tells it: all that are not in the fold.
    inferred = np.full(keys.shape[1], np.nan)
    if kind == KFold.kind:
        repeats = {r: distinct(places.example[places.repeat == r]) for r in np.unique(keys[1]).tolist()}
        inferred = np.array([repeats[r] for r in keys[1].tolist()]) - n_test
    size = np.mean(found["n_train"]) if n_train is None and "n_train" in found else n_train
    sizes = inferred if size is None else _check.sizes(size, keys.shape[1], "n_train")
    testing = places.testing(kind, n_test, sizes, grouped=groups is not None)
    unknown = kind == Subsampling.kind and given["example"] is None
    seeds = seeds_per_split(keys[1:], keys[0])
    if seeds["seeds"] > 1:
        _refuse_empty_cells(places)
    design = Design.stated(
        kind,
        origin=Origin.ASSUMED if unknown else Origin.STATED,
        testing=testing,
        **seeds,
        **_facts_of_examples(
            places, testing, groups, time, strata, float(n_test.mean()), named=given["example"] is not None
        ),
    )
    splits = stated_columns(
        design,
        keys.shape[1],
        n_train=sizes,
        n_test=n_test,
        labels=dict(zip(("seed", "repeat", "inner", "fold"), keys, strict=True)),
    )
    return Placed(order, splits, Cells(split, places.example[order]), places.example)


def per_example(values: NDArray[Any], example: IntArray, name: str) -> NDArray[Any]:
    """Return one value per example, or raise if an example has two."""
    first = np.unique(example, return_index=True)[1]
    if not np.array_equal(values[first][example], values):
        raise InvalidInputError(
            "must be the same in all rows of an example, and one example has two values", argument=name
        )
    return values[first]


class _Places(NamedTuple):
    """Where each loss belongs: labels of its split, and the code of its example."""

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

    def testing(self, kind: Kind, n_test: FloatArray, n_train: FloatArray, *, grouped: bool) -> Testing:
        """Return which examples the splits test."""
        if kind == NestedKFold.kind or n_test.size == 1:
            return kind.testing
        each = np.bincount(self.example)
        # Of whole groups a few hold many examples, and how many groups there are is not known.
        few = kind == Subsampling.kind and not grouped and same_few(each.size, n_test, float((n_train + n_test).mean()))
        return Testing.SAME if few or (each == n_test.size).all() else kind.testing


def _column(value: Any, total: int, name: str) -> IntArray:
    """Return the labels or examples of the losses; without any, all losses are of one split, and of different examples."""
    if name == "example":
        return np.arange(total) if value is None else labels_of(value, total, name)
    if value is None:
        return np.full(total, NO_LABEL if name in ("seed", "inner") else 0)
    return _check.labels(codes_of(value, name), total, name)


def _facts_of_examples(
    places: _Places, testing: Testing, groups: Any, time: Any, strata: Any, n_test: float, *, named: bool
) -> dict[str, Any]:
    """Return what groups, times and strata of examples say about their design."""
    facts: dict[str, Any] = {}
    total = places.example.size
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
    lacking = np.flatnonzero(times != seeds[number])
    if lacking.size:
        raise InvalidInputError(
            f": {lacking.size} of {times.size} examples have no loss for some seed of their split; give one for each seed, or "
            "say `repeat` instead of `seed` where every seed had a split of its own, `answer` where answers are drawn anew for each example, or leave "
            "`seed` out where every example has one loss",
            argument="seed",
        )


def _refuse_torn(places: _Places, clusters: IntArray) -> None:
    part = np.unique(np.stack([places.repeat, clusters[places.example], places.example]), axis=1)[:2]
    (repeats, groups), tested = np.unique(part, axis=1, return_counts=True)
    torn = np.flatnonzero(tested < np.bincount(clusters)[groups])
    if torn.size:
        raise InvalidInputError(
            f": only some examples of a group are tested in repeat {repeats[torn[0]]}, so models were trained on examples of the "
            "groups they were tested on; make splits of whole groups",
            argument="groups",
        )
    own = np.unique(np.stack([places.repeat, clusters[places.example], places.fold]), axis=1)
    pairs, counts = np.unique(own[:2], axis=1, return_counts=True)
    if counts.max() > 1:
        raise InvalidInputError(
            f": a group is tested in {counts.max()} folds of repeat {pairs[0, counts.argmax()]}, so models were trained on "
            "examples of the groups they were tested on; make folds of whole groups",
            argument="groups",
        )


def _refuse_twice(split: IntArray, example: IntArray) -> None:
    if distinct(split, example) < example.size:
        raise InvalidInputError(
            "an example is tested twice in one fold; give `repeat` or `fold` so that each is tested once, `seed` where "
            "each of several runs has tested all examples, or `answer` where answers are drawn anew for each example"
        )
