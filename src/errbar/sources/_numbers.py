"""Tables from numbers: one per split and learner, or one per test example and learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.design import Design, Origin, rarest_tested
from errbar.errors import InvalidInputError
from errbar.plans import (
    KINDS,
    FiveByTwo,
    Holdout,
    KFold,
    Kind,
    NestedKFold,
    PairedHalves,
    Subsampling,
    Testing,
    Training,
)
from errbar.plans._base import NO_LABEL
from errbar.plans._kinds import OTHER
from errbar.sources._columns import columns_of, given_loss
from errbar.split_columns import stated_columns
from errbar.table import Cells, LossTable

STATED = tuple(key for key, kind in KINDS.items() if kind.stated)
"""Kinds that people may state for numbers of their own."""


def from_scores(
    scores: Any,
    *,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    repeat: ArrayLike | None = None,
    fold: ArrayLike | None = None,
    halving: ArrayLike | None = None,
    half: ArrayLike | None = None,
    seed: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    stratified: bool = False,
    kind: str | None = None,
    metric: str = "score",
    higher_is_better: bool = False,
) -> LossTable:
    """Make a table from one number per split and learner.

    Parameters
    ----------
    scores : mapping, data frame or array-like of shape (J, learners)
        Column or key per learner, J numbers each, all from the same J splits. Columns of a frame that are labels by
        their name (``fold``, ``seed`` ...) or by their values (0, 1, 2 ...) are no learners; a note names them.
    n_train, n_test : float or array-like, shape (J,), optional
        Sizes of the splits; methods that correct for overlap need them.
    names : sequence of str, optional
        Names of the learners, where `scores` is an array.
    repeat, fold : array-like of int, shape (J,), optional
        Labels of the splits. K-fold scores without them are taken to be one partition after the other, of as many
        folds as the sizes say.
    halving, half : array-like of int, shape (J,), optional
        For scores on halves of the data: number of the halving, and 0 or 1; -1 in both for scores on all data.
    seed : array-like, shape (J,), optional
        For fits that differ in their seed alone: the seed of each score. Scores with one `repeat` and `fold` (all of
        them, where neither is given) are then refits on one training set, judged on one test set.
    groups : array-like, shape (J,), optional
        Group of each score, where scores of a group are alike, such as several data sets of one laboratory.
    time : array-like, shape (J,), optional
        Time of each score, where scores follow each other in time.
    stratified : bool, default False
        Whether the splits keep the shares of classes.
    kind : {"subsampling", "kfold", "5x2", "holdout", "other", "bootstrap", "data-sets", "halves", "halved-kfold"}, optional
        Kind of resampling; by default ``"halves"`` where halvings are labelled, ``"kfold"`` where folds are, else
        ``"subsampling"``, which is an assumption, and a note says so. In ``"data-sets"`` each number is the mean score
        on a data set of its own.
    metric : str, default "score"
        Name of the number, for reports.
    higher_is_better : bool, default False
        Whether larger numbers are better, as for accuracy.

    Returns
    -------
    LossTable
        To be used with `errbar.infer` and `errbar.compare_table`.

    Raises
    ------
    PairingError
        If learners have different numbers of splits.
    InvalidInputError
        If a number is missing or not finite.

    Examples
    --------
    >>> import errbar
    >>> errbar.from_scores({"tree": [0.31, 0.28], "1-NN": [0.25, 0.27]}, n_train=90, n_test=10)
    LossTable(2 learners, 2 splits, loss 'score', plans ['subsampling'])
    """
    given = {"repeat": repeat, "fold": fold, "halving": halving, "half": half, "seed": seed}
    found = columns_of(scores, names)
    count = found.columns[0].size
    given |= {name: found.labels[name] for name in given if given[name] is None and name in found.labels}
    labels = {name: _check.labels(_codes(value), count, name) for name, value in given.items() if value is not None}
    train = _sizes(n_train, found.labels.get("n_train"), count, "n_train")
    test = _sizes(n_test, found.labels.get("n_test"), count, "n_test")
    natural = KFold.kind if "fold" in labels else Subsampling.kind
    natural = PairedHalves.kind if "halving" in labels else natural
    stated = KINDS[_check.choice(kind, STATED, "kind")] if kind else natural
    if stated in (KFold.kind, FiveByTwo.kind) and "seed" not in labels:
        labels = _partitions(stated, count, labels, train, test)
    told = kind is not None or bool(labels) or time is not None
    design = Design.stated(
        stated,
        origin=Origin.STATED if told else Origin.ASSUMED,
        stratified=_check.flag(stratified, "stratified"),
        **_facts_of_rows(labels, count, groups, time),
    )
    sign = -1.0 if higher_is_better else 1.0
    return LossTable(
        found.learners,
        given_loss(metric, higher_is_better=higher_is_better, pointwise=False),
        stated_columns(design, count, n_train=train, n_test=test, labels=labels),
        sign * np.stack(found.columns),
        notes=found.notes,
    )


def _codes(value: Any) -> Any:
    """Return whole numbers as they are, and codes of labels of any other type."""
    array = np.asarray(value)
    return np.unique(array, return_inverse=True)[1].ravel() if array.dtype.kind in "OUSM" and array.ndim == 1 else array


def _sizes(given: ArrayLike | None, found: Any, count: int, name: str) -> FloatArray | None:
    value = found if given is None else given
    return None if value is None else _check.sizes(value, count, name)


def _facts_of_rows(labels: dict[str, IntArray], count: int, groups: Any, time: Any) -> dict[str, Any]:
    """Return what seeds, groups and times of scores say about their design."""
    facts: dict[str, Any] = {}
    if "seed" in labels:
        where = [labels[name] for name in ("halving", "half", "repeat", "fold") if name in labels]
        splits = np.unique(np.stack([*where, np.zeros(count, dtype=np.int64)]), axis=1).shape[1]
        facts |= _seeds(np.stack([*where, np.zeros(count, dtype=np.int64)]), labels["seed"])
        if splits == 1 and count > 1:
            facts |= {"training": Training.ONE, "testing": Testing.SAME}
    if groups is not None:
        facts |= {"clusters": _labels_of_any_type(groups, count, "groups"), "clustered_scores": True}
    if time is not None:
        facts |= {"time": _times(time, count), "training": Training.ORDERED}
    return facts


def _seeds(splits: NDArray[Any], seed: IntArray) -> dict[str, int]:
    """Return the number of seeds per split; `splits` has a row per label."""
    fits = np.unique(np.vstack([splits, seed]), axis=1)
    return {"seeds": int(np.unique(fits[:-1], axis=1, return_counts=True)[1].max())}


def _labels_of_any_type(value: ArrayLike, count: int, name: str) -> IntArray:
    """Return one code per row for labels of any type."""
    array = np.asarray(value)
    if array.shape != (count,):
        raise InvalidInputError(f"`{name}` must hold one value per row, {count} in all, got shape {array.shape}")
    if any(one is None or one != one for one in array.tolist()):
        raise InvalidInputError(f"`{name}` must hold a value in every row; one is missing")
    return np.unique(array.astype(str) if array.dtype == object else array, return_inverse=True)[1].ravel()


def _times(value: ArrayLike, count: int) -> NDArray[Any]:
    """Return times that can be put in order: numbers, dates, or text in which order is that of time."""
    _labels_of_any_type(value, count, "time")
    return np.asarray(value)


def from_losses(
    losses: Any,
    *,
    fold: ArrayLike | None = None,
    repeat: ArrayLike | None = None,
    inner: ArrayLike | None = None,
    example: ArrayLike | None = None,
    seed: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    n_train: float | None = None,
    names: Sequence[str] | None = None,
    metric: str = "loss",
) -> LossTable:
    """Make a table from one loss per test example and learner.

    Parameters
    ----------
    losses : mapping, data frame or array-like of shape (N, learners)
        Column or key per learner, N losses each, all of the same examples in the same splits. Columns of a frame that
        are labels by their name (``fold``, ``example`` ...) or by their values (0, 1, 2 ...) are no learners; a note
        names them.
    fold, repeat : int or array-like of int, shape (N,), optional
        Fold and repeat in which each example was tested. One fold in all is a holdout, one in each of several
        repeats is subsampling, and folds that test an example twice in a repeat are of kind ``"other"``.
    inner : array-like of int, shape (N,), optional
        For nested cross-validation: the inner fold in which the example was tested, by a model that was trained
        without `fold` and `inner`; -1 for outer losses.
    example : array-like, shape (N,), optional
        Which example each loss belongs to; by default every row is an example of its own.
    seed : array-like, shape (N,), optional
        Seed of the fit, or number of the answer, where a training set was fitted, or a question answered, more than once.
    groups : array-like, shape (N,), optional
        Group (cluster) of each example, such as the patient or the passage, where examples of a group are alike.
    time : array-like, shape (N,), optional
        Time of each example, where examples follow each other in time.
    strata : array-like, shape (N,), optional
        Class of each example, where the splits keep the shares of these classes.
    n_train : float, optional
        Training size of the splits.
    names : sequence of str, optional
        Names of the learners, where `losses` is an array.
    metric : str, default "loss"
        Name of the loss, for reports.

    Returns
    -------
    LossTable
        With points and the mean of each split.

    Raises
    ------
    InvalidInputError
        If a loss is missing or not finite, an example is tested twice in a split, or a group is torn apart by folds.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_losses({"tree": [0, 1, 0, 0], "1-NN": [0, 1, 1, 0]}, fold=[0, 0, 1, 1])
    >>> errbar.infer(table, "cv-wald", "tree", minus="1-NN").estimate
    -0.25
    """
    found = columns_of(losses, names)
    total = found.columns[0].size
    given = {"fold": fold, "repeat": repeat, "inner": inner, "example": example, "seed": seed}
    given |= {name: found.labels[name] for name in given if given[name] is None and name in found.labels}
    places = _Places.of(given, total)
    order = np.lexsort((places.fold, places.inner, places.repeat, places.seed))
    keys, split = np.unique(places.splits[:, order], axis=1, return_inverse=True)
    split = split.ravel()
    _refuse_twice(split, places.example[order])
    starts = np.searchsorted(split, np.arange(keys.shape[1]))
    n_test = np.diff(np.append(starts, total)).astype(np.float64)
    kind, testing = places.kind_and_testing(keys)
    # Without a stated size, a partition of the examples tells it: all that are not in the fold.
    whole = np.array([np.unique(places.example[places.repeat == r]).size for r in keys[1]])
    inferred = whole - n_test if kind == KFold.kind else np.full(keys.shape[1], np.nan)
    size = found.labels["n_train"].mean() if n_train is None and "n_train" in found.labels else n_train
    sizes = inferred if size is None else _check.sizes(size, keys.shape[1], "n_train")
    unknown = kind == Subsampling.kind and given["example"] is None
    design = Design.stated(
        kind,
        origin=Origin.ASSUMED if unknown else Origin.STATED,
        testing=testing,
        **_seeds(keys[1:], keys[0]),
        **_facts_of_examples(places, testing, groups, time, strata, float(n_test.mean())),
    )
    points = np.stack(found.columns)[:, order]
    splits = stated_columns(
        design,
        keys.shape[1],
        n_train=sizes,
        n_test=n_test,
        labels=dict(zip(("seed", "repeat", "inner", "fold"), keys, strict=True)),
    )
    return LossTable(
        found.learners,
        given_loss(metric, higher_is_better=False, pointwise=True),
        splits,
        np.add.reduceat(points, starts, axis=1) / n_test,
        points,
        Cells(split, places.example[order]),
        notes=found.notes,
    )


@dataclass(frozen=True)
class _Places:
    """Where each loss belongs: labels of its split, and the code of its example."""

    seed: IntArray
    repeat: IntArray
    inner: IntArray
    fold: IntArray
    example: IntArray
    nested: bool

    @classmethod
    def of(cls, given: dict[str, Any], total: int) -> "_Places":
        def column(name: str, default: int) -> IntArray:
            value = given[name]
            return np.full(total, default) if value is None else _check.labels(_codes(value), total, name)

        if given["seed"] is not None and given["example"] is None:
            raise InvalidInputError(
                "`example` must be given where `seed` is: it tells which losses are of the same example"
            )
        example = given["example"]
        codes = np.arange(total) if example is None else _labels_of_any_type(example, total, "example")
        seed = column("seed", NO_LABEL)
        return cls(
            seed, column("repeat", 0), column("inner", NO_LABEL), column("fold", 0), codes, given["inner"] is not None
        )

    @property
    def splits(self) -> NDArray[Any]:
        """Labels of the split of each loss, a row per label."""
        return np.stack([self.seed, self.repeat, self.inner, self.fold])

    def kind_and_testing(self, keys: NDArray[Any]) -> tuple[Kind, Testing]:
        """Return the kind of resampling, and which examples the splits test."""
        if self.nested:
            return NestedKFold.kind, NestedKFold.kind.testing
        training_sets = np.unique(keys[1:], axis=1)
        per_repeat = np.unique(training_sets[0], return_counts=True)[1]
        cells = np.unique(np.stack([self.repeat, self.fold, self.example]), axis=1)
        if per_repeat.max() == 1:
            kind = Holdout.kind if per_repeat.size == 1 else Subsampling.kind
        else:
            once = np.unique(cells[[0, 2]], axis=1).shape[1] == cells.shape[1]
            kind = KFold.kind if once and per_repeat.min() > 1 else OTHER
        return kind, self._testing(kind, keys)

    def _testing(self, kind: Kind, keys: NDArray[Any]) -> Testing:
        if keys.shape[1] == 1:
            return kind.testing
        tested = np.unique(np.vstack([self.splits, self.example]), axis=1)[-1]
        each = np.bincount(tested)
        return Testing.SAME if (each == keys.shape[1]).all() else kind.testing


def _facts_of_examples(
    places: _Places, testing: Testing, groups: Any, time: Any, strata: Any, n_test: float
) -> dict[str, Any]:
    """Return what groups, times and strata of examples say about their design."""
    facts: dict[str, Any] = {}
    total = places.example.size
    if groups is not None:
        clusters = _per_example(_labels_of_any_type(groups, total, "groups"), places.example, "groups")
        if testing is Testing.FOLDS:
            _refuse_torn(places, clusters)
        facts["clusters"] = clusters
    if time is not None:
        facts["time"] = _per_example(_times(time, total), places.example, "time")
    if strata is not None:
        codes = _per_example(_labels_of_any_type(strata, total, "strata"), places.example, "strata")
        facts |= {"strata": codes, "stratified": True, "rarest": rarest_tested(codes, n_test)}
    return facts


def _per_example(values: NDArray[Any], example: IntArray, name: str) -> NDArray[Any]:
    """Return one value per example, or raise if an example has two."""
    first = np.unique(example, return_index=True)[1]
    if not np.array_equal(values[first][example], values):
        raise InvalidInputError(f"`{name}` must be the same in all rows of an example, and one example has two values")
    return values[first]


def _refuse_torn(places: _Places, clusters: IntArray) -> None:
    own = np.unique(np.stack([places.repeat, clusters[places.example], places.fold]), axis=1)
    pairs, counts = np.unique(own[:2], axis=1, return_counts=True)
    if counts.max() > 1:
        raise InvalidInputError(
            f"`groups`: a group is tested in {counts.max()} folds of repeat {pairs[0, counts.argmax()]}, so models were trained on "
            "examples of the groups they were tested on; make folds of whole groups"
        )


def _refuse_twice(split: IntArray, example: IntArray) -> None:
    pairs = np.unique(np.stack([split, example]), axis=1)
    if pairs.shape[1] < example.size:
        raise InvalidInputError(
            "an example is tested twice in one fold; give `repeat` or `fold` so that each is tested once, or `seed` where it "
            "has several answers or fits"
        )


def _partitions(
    kind: Kind, count: int, labels: dict[str, IntArray], n_train: FloatArray | None, n_test: FloatArray | None
) -> dict[str, IntArray]:
    """Complete the labels of folds: what is not stated follows from the order, or from the sizes."""
    if "repeat" not in labels and "fold" in labels:
        return labels | {"repeat": _repeats(labels["fold"])}
    if "repeat" in labels and "fold" in labels:
        if np.unique(np.stack([labels["repeat"], labels["fold"]]), axis=1).shape[1] < count:
            raise InvalidInputError("a fold stands twice in one repeat; give `repeat` so that it stands there once")
        return labels
    if "repeat" in labels:
        return labels
    folds = 2 if kind == FiveByTwo.kind else count
    if kind == KFold.kind and n_train is not None and n_test is not None:
        # One fold is n/K of the examples, so 100 scores with test sets of a tenth are ten partitions.
        folds = round(float(((n_train + n_test) / n_test).mean()))
    each = folds if 1 < folds <= count and count % folds == 0 else count
    return labels | {"repeat": np.arange(count) // each}


def _repeats(fold: IntArray) -> IntArray:
    """Number the partitions by how often a fold has occurred before."""
    seen: dict[int, int] = {}
    repeats = np.empty(fold.size, dtype=np.int64)
    for i, value in enumerate(fold.tolist()):
        repeats[i] = seen.get(value, 0)
        seen[value] = repeats[i] + 1
    return repeats
