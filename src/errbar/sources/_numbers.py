"""Tables from numbers: one per split and learner, or one per test example and learner."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import NO_LABEL
from errbar.sources._columns import columns_of, given_loss
from errbar.table import Cells, LossTable, stated_columns

KINDS = ("subsampling", "kfold", "5x2", "holdout", "other", "bootstrap", "data-sets", "halves", "halved-kfold")


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
    kind: str | None = None,
    metric: str = "score",
    higher_is_better: bool = False,
) -> LossTable:
    """Make a table from one number per split and learner.

    Parameters
    ----------
    scores : mapping, data frame or array-like of shape (J, learners)
        Column or key per learner, J numbers each, all from the same J splits.
    n_train, n_test : float or array-like, shape (J,), optional
        Sizes of the splits; methods that correct for overlap need them.
    names : sequence of str, optional
        Names of the learners, where `scores` is an array.
    repeat, fold : array-like of int, shape (J,), optional
        Labels of the splits. K-fold scores without them are taken to be one partition after the other, of as many
        folds as the sizes say.
    halving, half : array-like of int, shape (J,), optional
        For scores on halves of the data: number of the halving, and 0 or 1; -1 in both for scores on all data.
    kind : {"subsampling", "kfold", "5x2", "holdout", "other", "bootstrap", "data-sets", "halves", "halved-kfold"}, optional
        Kind of plan; by default ``"halves"`` where halvings are labelled, ``"kfold"`` where folds are, else
        ``"subsampling"``. In ``"data-sets"`` each number is the mean score on a data set of its own.
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
    learners, columns = columns_of(scores, names)
    count = columns[0].size
    labels: dict[str, IntArray] = {}
    for name, given in (("repeat", repeat), ("fold", fold), ("halving", halving), ("half", half)):
        if given is not None:
            labels[name] = _check.labels(given, count, name)
    natural = "kfold" if fold is not None else "subsampling"
    natural = "halves" if halving is not None else natural
    stated = _check.choice(kind, KINDS, "kind") if kind else natural
    train = None if n_train is None else _check.sizes(n_train, count, "n_train")
    test = None if n_test is None else _check.sizes(n_test, count, "n_test")
    if stated in ("kfold", "5x2"):
        labels = _partitions(stated, count, labels, train, test)
    splits = stated_columns(stated, count, n_train=train, n_test=test, labels=labels)
    sign = -1.0 if higher_is_better else 1.0
    return LossTable(
        learners,
        given_loss(metric, higher_is_better=higher_is_better, pointwise=False),
        splits,
        sign * np.stack(columns),
    )


def from_losses(
    losses: Any,
    *,
    fold: ArrayLike = 0,
    repeat: ArrayLike = 0,
    inner: ArrayLike | None = None,
    example: ArrayLike | None = None,
    n_train: float | None = None,
    names: Sequence[str] | None = None,
    metric: str = "loss",
) -> LossTable:
    """Make a table from one loss per test example and learner.

    Parameters
    ----------
    losses : mapping, data frame or array-like of shape (N, learners)
        Column or key per learner, N losses each, all of the same examples in the same splits.
    fold, repeat : int or array-like of int, shape (N,), default 0
        Fold and repeat in which each example was tested. One fold in all is a holdout, one in each of several
        repeats is subsampling, and folds that test an example twice in a repeat are of kind ``"other"``.
    inner : array-like of int, shape (N,), optional
        For nested cross-validation: the inner fold in which the example was tested, by a model that was trained
        without `fold` and `inner`; -1 for outer losses.
    example : array-like of int, shape (N,), optional
        Which example each loss belongs to.
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
        If a loss is missing or not finite.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_losses({"tree": [0, 1, 0, 0], "1-NN": [0, 1, 1, 0]}, fold=[0, 0, 1, 1])
    >>> errbar.infer(table, "cv-wald", "tree", minus="1-NN").estimate
    -0.25
    """
    learners, columns = columns_of(losses, names)
    total = columns[0].size
    folds = _check.labels(fold, total, "fold")
    repeats = _check.labels(repeat, total, "repeat")
    inners = np.full(total, NO_LABEL) if inner is None else _check.labels(inner, total, "inner")
    examples = np.arange(total) if example is None else _check.labels(example, total, "example")
    order = np.lexsort((folds, inners, repeats))
    keys, split = np.unique(np.stack([repeats, inners, folds])[:, order], axis=1, return_inverse=True)
    _refuse_twice(split, examples[order])
    points = np.stack(columns)[:, order]
    starts = np.searchsorted(split, np.arange(keys.shape[1]))
    n_test = np.diff(np.append(starts, total)).astype(np.float64)
    kind = _kind_of_points(keys[0], repeats, examples) if inner is None else "nested-kfold"
    # Without a stated size, a partition of the examples tells it: all that are not in the fold.
    whole = np.array([np.unique(examples[repeats == r]).size for r in keys[0]])
    inferred = whole - n_test if kind == "kfold" else np.full(keys.shape[1], np.nan)
    sizes = inferred if n_train is None else _check.sizes(n_train, keys.shape[1], "n_train")
    splits = stated_columns(
        kind,
        keys.shape[1],
        n_train=sizes,
        n_test=n_test,
        labels={"repeat": keys[0], "inner": keys[1], "fold": keys[2]},
    )
    scores = np.add.reduceat(points, starts, axis=1) / n_test
    given = given_loss(metric, higher_is_better=False, pointwise=True)
    return LossTable(learners, given, splits, scores, points, Cells(split.ravel(), examples[order]))


def _kind_of_points(repeat_of_split: IntArray, repeat: IntArray, example: IntArray) -> str:
    """Return the kind of plan: folds are K-fold where every repeat tests each of its examples once."""
    splits = np.unique(repeat_of_split, return_counts=True)[1]
    if splits.max() == 1:
        return "holdout" if splits.size == 1 else "subsampling"
    once = np.unique(np.stack([repeat, example]), axis=1).shape[1] == example.size
    return "kfold" if once and splits.min() > 1 else "other"


def _refuse_twice(split: IntArray, example: IntArray) -> None:
    pairs = np.unique(np.stack([split.ravel(), example]), axis=1)
    if pairs.shape[1] < example.size:
        raise InvalidInputError(
            "an example is tested twice in one fold; give `repeat` or `fold` so that each is tested once"
        )


def _partitions(
    kind: str, count: int, labels: dict[str, IntArray], n_train: FloatArray | None, n_test: FloatArray | None
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
    folds = 2 if kind == "5x2" else count
    if kind == "kfold" and n_train is not None and n_test is not None:
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
