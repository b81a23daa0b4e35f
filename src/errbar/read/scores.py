"""Tables from numbers: one per split and learner, or one per test example and learner; and which numbers are better."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.design import Design, Origin, clusters_of
from errbar.errors import InvalidInputError, PairingError
from errbar.index import SIZES, Index
from errbar.measuring import Cells
from errbar.metrics import LOSSES, METRICS, Loss, lookup
from errbar.metrics._directions import score_words, unturned
from errbar.plans import (
    KINDS,
    FiveByTwo,
    KFold,
    Kind,
    PairedHalves,
    RollingOrigin,
    Subsampling,
    Testing,
    Training,
)
from errbar.plans._kinds import DATA_SETS, JUDGED
from errbar.plans._times import times_of
from errbar.read.columns import Columns, columns_of
from errbar.read.places import coded, mean_of_answers, placed, seeds_per_split, whole_labels
from errbar.read.sheet import EXAMPLES, SCORES
from errbar.result import Note
from errbar.split_columns import SplitColumns, stated_columns
from errbar.table import LossTable

STATED = tuple(key for key, kind in KINDS.items() if kind.stated)
"""Kinds that people may state for numbers of their own."""

MANY_ANSWERS = 20
"""Nobody has so many splits whose scores are all 0 or 1."""
_EITHER = {"score", "scores"}
"""Names of numbers that may be losses, such as Brier scores, although the word is mostly said of others."""

_LABELS = ("repeat", "fold", "halving", "half", "seed")
_UNEVEN = 1.25
"""Folds of groups or classes differ in size, and a mean size may be rounded."""

_SIGNED = 0.1
"""Losses of which a smaller share is negative, or positive, may have one sign by their nature."""


def from_scores(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    stratified: bool = False,
    kind: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    **labels: ArrayLike | None,
) -> LossTable:
    """Make a table from one number per split and learner.

    Parameters
    ----------
    scores : mapping, data frame or array-like of shape (J, learners)
        J numbers per learner, all from the same J splits. Columns of labels, known by their names
        (``fold``, ``seed`` ...) or in a frame by their values, are not learners; a note names them.
    names : sequence of str, optional
        Names of the columns of an array, or the columns of a frame that are learners.
    stratified : bool, default False
        Whether the splits keep the shares of classes.
    kind : {"subsampling", "kfold", "5x2", "holdout", "other", "bootstrap", "data-sets", "halves", "halved-kfold"}, optional
        Kind of resampling; with ``"data-sets"`` each number is the mean on a separate data set. By
        default ``"halves"`` if halvings are labelled, ``"rolling-origin"`` if times are known,
        ``"5x2"`` for five repeats of two folds, ``"kfold"`` if folds are labelled, and else
        ``"subsampling"``, which is an assumption with a note.
    metric : str, optional
        Name of the number, for reports; by default ``"score"``.
    higher_is_better : bool, optional
        By default as the name `metric` says, such as ``"accuracy"``, and else not.
    **labels : array-like, optional
        What is known of the rows, by role: values, or the name of their column; ``"none"`` says that
        no column has the role.

        * ``n_train``, ``n_test``: Sizes of the splits, needed to correct for overlap.
        * ``repeat``, ``fold``: Labels of the splits. K-fold scores without them are taken for one
          partition after the other, with the number of folds that the sizes imply.
        * ``halving``, ``half``: Number of the halving, and 0 or 1; -1 in both for scores on all data.
        * ``seed``: Seed of the fit. Scores with one `repeat` and `fold` (all, if neither is given) are
          then refits on one training set, judged on one test set.
        * ``groups``: Group of each score, such as the laboratory of several data sets.
        * ``time``: Time of each score; as for `from_losses`.

    Returns
    -------
    LossTable

    Raises
    ------
    PairingError, InvalidInputError
        If learners have different numbers of splits; if a number is missing or not finite.

    Examples
    --------
    >>> import errbar
    >>> errbar.from_scores({"tree": [0.31, 0.28], "1-NN": [0.25, 0.27]}, n_train=90, n_test=10)
    LossTable(2 learners, 2 splits, loss 'score', plans ['subsampling'])
    """
    found = columns_of(scores, names, labels, "scores", SCORES)
    return scores_table(
        found,
        stratified=stratified,
        kind=kind,
        metric=metric or "score",
        higher_is_better=higher_is_better,
    )


def scores_table(
    found: Columns,
    *,
    stratified: bool = False,
    kind: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
) -> LossTable:
    """Return the table of columns of scores, with the facts that their labels tell."""
    numbers, known = found.numbers(), found.labels
    count = numbers.shape[1]
    labels = {role: whole_labels(known[role], count, role) for role in _LABELS if role in known}
    sizes = {role: _check.sizes(known[role], count, role) for role in SIZES if role in known}
    ratio = None
    if len(sizes) == len(SIZES):
        ratio = float((sizes["n_train"] / sizes["n_test"]).mean())
    # Dietterich's five repeats of two folds, which are halves if their sizes are known.
    five_by_two = (
        labels.keys() == {"repeat", "fold"}
        and [np.unique(labels[role]).size for role in ("repeat", "fold")] == [5, 2]
        and count == _check.distinct(labels["repeat"], labels["fold"]) == 10
        and (ratio is None or 1.0 / _UNEVEN <= ratio <= _UNEVEN)
    )
    if kind is not None:
        stated = KINDS[_check.choice(kind, STATED, "kind")]
    elif "halving" in labels:
        stated = PairedHalves.kind
    elif "time" in known:
        stated = RollingOrigin.kind
    elif five_by_two:
        stated = FiveByTwo.kind
    else:
        stated = KFold.kind if "fold" in labels else Subsampling.kind

    if "seed" not in labels:
        labels = _told_apart(stated, count, labels, ratio)
    facts: dict[str, Any] = {"stratified": _check.flag(stratified, "stratified")}
    if "seed" in labels:
        one_split = {"repeat": np.zeros(count, dtype=np.int64)}
        facts["seeds"] = seeds_per_split(Index(count, one_split | labels))
        if count > 1 and not any(np.ptp(own) for role, own in labels.items() if role != "seed"):
            facts |= {"training": Training.ONE, "testing": Testing.SAME}
    if "groups" in known:
        clusters = clusters_of(coded(known["groups"], count, "groups")[0])
        facts |= {"clusters": clusters, "clustered_scores": clusters is not None}
    if "time" in known:
        facts |= {"time": times_of(known["time"], count, "row"), "training": Training.ORDERED}
    told = kind is not None or bool(labels) or "time" in known
    facts["origin"] = Origin.STATED if told else Origin.ASSUMED

    tested = sizes["n_test"].max() if "n_test" in sizes else 1.0
    marks = np.ptp(numbers) and np.isin(numbers, (0, 1)).all()
    if marks and tested > 1.0 and count >= MANY_ANSWERS:
        raise InvalidInputError(
            f"is {tested:g}, and all numbers are 0 or 1; leave it out where a row is an example",
            argument="n_test",
        )
    unnamed = metric is None or metric in _EITHER
    named = (measure_in(found.learners) or metric) if unnamed else metric
    higher, notes = direction_of(named, higher_is_better, numbers)
    if stated == KFold.kind and "fold" in labels and ratio is not None:
        # A part of the other folds may well be set aside for validation, but no training set is larger.
        folds = np.unique(labels["fold"]).size
        if ratio > _UNEVEN * (folds - 1):
            notes += (Note("missing-folds", folds=folds, implied=ratio + 1),)
    loss = given_loss(metric, higher_is_better=higher, pointwise=False)
    splits = stated_columns(Design.stated(stated, **facts), count, labels=labels, **sizes)
    scores = -numbers if higher else numbers.copy()
    return LossTable(tuple(found.learners), loss, splits, scores, notes=found.notes + notes)


def _told_apart(
    kind: Kind, count: int, labels: dict[str, IntArray], ratio: float | None
) -> dict[str, IntArray]:
    """Complete the labels of folds, by their order or by the sizes, or raise if labels say that two scores are of one split."""
    if kind == DATA_SETS and "fold" in labels:
        raise InvalidInputError(
            "is not for data sets: give the mean over the folds of each",
            argument="fold",
        )
    of_folds = kind in (KFold.kind, FiveByTwo.kind)
    where = [labels[role] for role in ("repeat", "fold") if role in labels]
    told = (of_folds and len(where) == 2) or (kind == Subsampling.kind and bool(where))
    if told and _check.distinct(*where) < count:
        raise InvalidInputError(
            "is the same for scores of one fold; number random splits, or say `fold` or `seed`",
            argument="repeat",
        )
    if not of_folds:
        return labels
    fold = labels.get("fold")
    if fold is not None and count > 1 and np.ptp(fold) == 0:
        raise InvalidInputError(
            "is the same for all scores; number the folds, or say `repeat` of random splits",
            argument="fold",
        )
    if "repeat" in labels:
        return labels
    if fold is not None:
        # How often a fold has occurred before numbers the partitions.
        order = np.argsort(fold, kind="stable")
        repeat = np.empty(count, dtype=np.int64)
        repeat[order] = np.arange(count) - np.searchsorted(fold[order], fold[order])
        return labels | {"repeat": repeat}
    folds = 2 if kind == FiveByTwo.kind else count
    if kind == KFold.kind and ratio is not None:
        # One fold is n/K of the examples, so 100 scores with test sets of a tenth are ten partitions.
        folds = round(ratio + 1.0)
    each = folds if 1 < folds <= count and count % folds == 0 else count
    return labels | {"repeat": np.arange(count) // each}


def from_losses(
    losses: Any,
    *,
    names: Sequence[str] | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    **labels: ArrayLike | None,
) -> LossTable:
    """Make a table from one loss, or score, per test example and learner.

    Parameters
    ----------
    losses : mapping, data frame or array-like of shape (N, learners)
        N losses per learner, all of the same examples in the same splits; columns of labels are known
        as in `from_scores`.
    names : sequence of str, optional
        Names of the columns of an array, or the columns of a frame that are learners.
    metric : str, optional
        Name of the numbers; by default ``"loss"``, or ``"score"`` where higher is better. One of
        errbar's, such as ``"zero-one"`` or ``"accuracy"``, also tells their range: intervals then end
        there, and that of a learner with clusters or seeds comes from the logit or log scale.
    higher_is_better : bool, optional
        By default as the name `metric` says, such as ``"accuracy"``, and else not.
    **labels : array-like, optional
        What is known of the rows, by role: values, or the name of their column; ``"none"`` says that
        no column has the role.

        * ``fold``, ``repeat``: Where each example was tested. A single fold is a holdout, and one fold
          in each of several repeats is subsampling. Folds that test an example twice in a repeat are of
          kind ``"other"``.
        * ``inner``: Of nested cross-validation: the inner fold in which the example was tested, by a
          model that was trained without `fold` and `inner`; -1 for outer losses.
        * ``example``: Which example a loss belongs to; by default every row is a separate one.
        * ``seed``: Seed of the fit, where a training set was fitted more than once.
        * ``answer``: Number of the answer, where a question (`example`) is answered several times: the
          mean of its answers is its loss.
        * ``groups``: Cluster of each example, such as the patient, where those of one are alike.
        * ``time``: Time of each example, where they follow each other: numbers, or dates, also as text.
        * ``strata``: Class of each example, where the splits keep the shares of these classes.
        * ``n_train``: Training size of the splits.

    Returns
    -------
    LossTable
        With points and the mean of each split.

    Raises
    ------
    InvalidInputError
        If a loss is not finite, an example is tested twice in a split, or folds tear a group apart.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_losses({"tree": [0, 1, 0, 0], "1-NN": [0, 1, 1, 0]}, fold=[0, 0, 1, 1])
    >>> errbar.infer(table, "cv-wald", "tree", minus="1-NN").estimate
    -0.25
    """
    found = columns_of(losses, names, labels, "losses", EXAMPLES)
    if metric is None and higher_is_better is None:
        # Whoever calls numbers losses means it, but marks of right and wrong are often scores.
        marks = np.isin(found.numbers(), (0.0, 1.0)).all()
        higher_is_better = None if marks else False
    return losses_table(found, metric=metric, higher_is_better=higher_is_better)


def losses_table(
    found: Columns, *, metric: str | None = None, higher_is_better: bool | None = None
) -> LossTable:
    """Return the table of columns of losses of examples, with the facts that their labels tell."""
    losses, labels = found.numbers(), found.labels
    if "answer" in labels:
        losses, labels = mean_of_answers(losses, labels)
    rows = placed(losses.shape[1], labels)
    losses = losses[:, rows.order]
    higher, notes = direction_of(metric, higher_is_better, losses)
    loss = given_loss(metric, higher_is_better=higher, pointwise=True, numbers=losses)
    signed = len(losses) > 1 and _SIGNED < (losses < 0.0).mean() < 1.0 - _SIGNED
    if signed and not higher and is_score(metric) is None:
        # As errors of predictions have, and differences in a single column should.
        notes += (Note("read", both_signs=["losses" if metric is None else metric]),)
    return _of_cells([*found.learners], loss, losses, rows.splits, rows.cells, found.notes + notes)


def from_judged(
    people: Mapping[str, Any],
    judge: Mapping[str, Any],
    *,
    higher_is_better: bool = False,
    n_train: float | None = None,
    metric: str | None = None,
) -> LossTable:
    """Make a table from people's losses on some examples and a judge's on all, for method ``"ppi"``.

    Parameters
    ----------
    people : mapping of str to array-like, shape (N,)
        Loss of each example by people; NaN (or None) where they have not judged it. What they have
        judged is the same for all learners, and a random part of all examples.
    judge : mapping of str to array-like, shape (N,)
        Loss of each example by the other judge, such as a language model; none is missing.
    higher_is_better : bool, default False
    n_train : float, optional
        Training size of the models.
    metric : str, optional
        Name of the number, as for `from_losses`.

    Returns
    -------
    LossTable
        With two splits: what people have judged, and what the judge has.

    Raises
    ------
    PairingError, InvalidInputError
        If learners have different examples; if a learner is missing in either, the judge lacks an
        example, or people have judged fewer than two, or all.

    Examples
    --------
    >>> import errbar
    >>> nan = float("nan")
    >>> people = {"a": [1, 0, 1, 1, nan, nan, nan, nan], "b": [0, 0, 1, 0, nan, nan, nan, nan]}
    >>> judge = {"a": [1, 0, 1, 0, 1, 1, 0, 1], "b": [0, 1, 1, 0, 0, 1, 0, 0]}
    >>> errbar.infer(errbar.from_judged(people, judge), "ppi", "a", "b").estimate
    0.625
    """
    learners = _check.names([str(name) for name in people], "learner")
    if set(learners) != {str(name) for name in judge}:
        raise InvalidInputError(
            f"must have the learners {', '.join(map(repr, learners))}, got {', '.join(map(repr, judge))}",
            argument="judge",
        )
    by_judge = _check.numbers([judge[name] for name in people], "judge", "learner and example")
    try:
        by_people = np.array([people[name] for name in people], dtype=np.float64)  # (K, N)
    except (TypeError, ValueError):
        raise InvalidInputError(
            "must hold numbers, or NaN where people have not judged",
            argument="people",
        ) from None
    known = ~np.isnan(by_people[0])
    if by_people.shape != by_judge.shape or (np.isnan(by_people) == known).any():
        raise PairingError(
            "and the judge must have the same examples of all learners",
            argument="people",
        )
    total, count = known.size, int(known.sum())
    if not 2 <= count <= total - 2:
        raise InvalidInputError(
            f"must have judged at least 2 of {total} examples, and not all, as for from_losses, got {count}",
            argument="people",
        )
    judged = _check.numbers(by_people[:, known], "people", "learner and loss")
    numbers = np.concatenate([judged, by_judge], axis=1)
    splits = stated_columns(
        Design.stated(JUDGED),
        2,
        n_train=None if n_train is None else _check.sizes(n_train, 2, "n_train"),
        n_test=np.array([count, total], dtype=np.float64),
        labels={"repeat": np.zeros(2, dtype=np.int64), "judge": np.arange(2)},
    )
    examples = np.concatenate([np.flatnonzero(known), np.arange(total)])
    cells = Cells(np.repeat([0, 1], [count, total]), examples)
    loss = given_loss(metric, higher_is_better=higher_is_better, pointwise=True, numbers=judged)
    return _of_cells(learners, loss, numbers, splits, cells)


def _of_cells(
    learners: Sequence[str],
    loss: Loss,
    numbers: FloatArray,
    splits: SplitColumns,
    cells: Cells,
    notes: tuple[Note, ...] = (),
) -> LossTable:
    """Return the table of numbers, a row for each learner and one of each cell in the order of the splits."""
    points = 0.0 - numbers if loss.higher_is_better else numbers
    starts = np.searchsorted(cells.split, np.arange(splits.n_test.size))
    scores = np.add.reduceat(points, starts, axis=1) / splits.n_test
    return LossTable(tuple(learners), loss, splits, scores, points, cells, notes=notes)


def given_loss(
    metric: str | None,
    *,
    higher_is_better: bool,
    pointwise: bool,
    numbers: FloatArray | None = None,
) -> Loss:
    """Return the loss of given numbers; named like one of errbar's, it has its range if all fit."""
    metric = metric or ("score" if higher_is_better else "loss")
    loss = Loss(metric, partial(_unavailable, metric), (), "any", pointwise, higher_is_better)
    ours = (LOSSES | METRICS).get(metric)
    if numbers is None or ours is None or ours.higher_is_better != higher_is_better:
        return loss
    low, high = ours.range
    inside = low <= numbers.min() and numbers.max() <= high
    return replace(loss, range=ours.range) if inside else loss


def _unavailable(metric: str, *_: Any) -> Any:
    raise InvalidInputError(f"{metric!r} was given as numbers; no other numbers have it")


def direction_of(
    metric: str | None, said: Any, numbers: FloatArray
) -> tuple[bool, tuple[Note, ...]]:
    """Return whether higher is better: as somebody says, else as the numbers' name, else not, noted."""
    if said is not None:
        return _check.flag(said, "higher_is_better"), ()
    if metric is None:
        return False, (
            Note("direction", what="the measure", better="lower", say="higher_is_better"),
        )
    score = is_score(metric)
    higher = score is True and metric.lower() not in _EITHER
    negated = score is False and bool((numbers < 0.0).all())  # as negated losses are
    if (score is False or _ours(metric)) and not negated:
        return higher, ()
    better = "higher" if higher else "lower"
    return higher, (Note("direction", what=metric, better=better, say="higher_is_better"),)


def measure_in(learners: Iterable[str]) -> str | None:
    """Return the name of a measure in which the names of all learners begin or end, as in ``rf~Accuracy``; None where they don't."""
    names = list(learners)
    end = _beginning([name[::-1] for name in names])[::-1]
    begin = _beginning(names)
    whole = [names[0]] if len(names) == 1 else []
    found = [*whole, *re.findall(r"[\W_](.+)", end), *re.findall(r"(.+)[\W_]", begin)]
    return next((name for name in found if score_words(name) is not None), None)


def _beginning(names: Sequence[str]) -> str:
    """Return the letters in which all names begin."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in same)


def is_score(metric: str | None) -> bool | None:
    """Tell whether a number of this name is a score; None where nobody knows."""
    if metric is None:
        return None
    ours = _ours(metric)
    return ours.higher_is_better if ours else score_words(metric)


def _ours(metric: str) -> Loss | None:
    """Return the loss of ours that has a name; a negative one is a score, and the loss of that name is none."""
    try:
        return None if unturned(metric.lower())[1] else lookup(metric)
    except ValueError:
        return None
