"""Tables from numbers: one per split and learner, or one per test example and learner; and which numbers are better."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os.path import commonprefix
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.design import (
    Design,
    Origin,
    SplitColumns,
    clusters_of,
    rarest_tested,
    same_few,
    stated_columns,
    weights_of,
)
from errbar.errors import InvalidInputError, PairingError
from errbar.losses import SIZES, Index
from errbar.metrics import LABEL, LOSSES, METRICS, Loss, Target, lookup
from errbar.metrics._loss import score_words, unturned
from errbar.plans import (
    KINDS,
    FiveByTwo,
    Holdout,
    KFold,
    Kind,
    NestedKFold,
    PairedHalves,
    RollingOrigin,
    Subsampling,
    Testing,
    Training,
)
from errbar.plans._base import DATA_SETS, JUDGED, NO_LABEL, OTHER, RUNS, times_of
from errbar.reading.sheet import Columns, Labels, Notes, spoken
from errbar.result import Note
from errbar.table import Cells, LossTable, Tested, measure

STATED = tuple(key for key, kind in KINDS.items() if kind.stated)
"""Kinds that people may state for numbers of their own."""

_EITHER = {"score", "scores"}
"""Names of numbers that may be losses, such as Brier scores, although the word is mostly said of others."""

_LABELS = ("dataset", "repeat", "fold", "halving", "half", "seed")
_IMPLIED = {
    "dataset": DATA_SETS,
    "halving": PairedHalves.kind,
    "time": RollingOrigin.kind,
    "fold": KFold.kind,
}
"""Kinds that labels imply where nobody states one; without these, splits are taken for random ones."""
_UNEVEN = 1.25
"""Folds of groups or classes differ in size, and a mean size may be rounded."""

_SIGNED = 0.1
"""Losses of which a smaller share is negative, or positive, may have one sign by their nature."""

_OF_A_SPLIT = ("dataset", "halving", "half", "repeat", "inner", "fold", "seed")
_UNSAID = {"seed": NO_LABEL, "repeat": 0, "inner": NO_LABEL, "fold": 0}
"""Labels of rows where nothing is said of a role."""


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
    if kind == RUNS:
        labels = _of_runs(labels, count)
    sizes = {role: _check.sizes(known[role], count, role) for role in SIZES if role in known}
    ratio = None
    if len(sizes) == len(SIZES):
        ratio = float((sizes["n_train"] / sizes["n_test"]).mean())
    implied = [own for role, own in _IMPLIED.items() if role in known] or [Subsampling.kind]
    stated = KINDS[_check.choice(kind, STATED, "kind")] if kind is not None else implied[0]
    facts: Labels = {"stratified": _check.flag(stratified, "stratified")}
    if "seed" in labels:
        rows = Index(count, {"repeat": np.zeros(count, dtype=np.int64)} | labels)
        if rows.first(*rows).size < count:
            raise InvalidInputError("is the same for several scores of a split", argument="seed")
        facts["seeds"] = seeds_per_split(rows)
        unsaid = stated == DATA_SETS and "dataset" not in labels
        alone = count > 1 and all(rows.count(role) == 1 for role in rows if role != "seed")
        if unsaid or alone:
            facts |= {"training": Training.ONE, "testing": Testing.SAME}
    else:
        labels = _told_apart(stated, count, labels, ratio)
    if "groups" in known:
        clusters = clusters_of(coded(known["groups"], count, "groups"))
        facts |= {"clusters": clusters, "clustered_scores": clusters is not None}
    if "time" in known:
        facts |= {"time": times_of(known["time"], count, "row"), "training": Training.ORDERED}
    told = kind is not None or labels or "time" in known
    facts["origin"] = Origin.STATED if told else Origin.ASSUMED
    unnamed = metric is None or metric in _EITHER
    named = measure_in(found.learners) if unnamed else None
    there = numbers[~np.isnan(numbers)]
    loss, notes = loss_of(metric, higher_is_better, there, pointwise=False, named=named)
    if stated == KFold.kind and "fold" in labels and ratio is not None:
        # A part of the other folds may well be set aside for validation, but no training set is larger.
        folds = _check.distinct(labels["fold"])
        if ratio > _UNEVEN * (folds - 1):
            notes += (Note("missing-folds", folds=folds, implied=ratio + 1),)
    splits = stated_columns(Design.stated(stated, **facts), count, labels=labels, **sizes)
    scores = -numbers if loss.higher_is_better else numbers.copy()
    return LossTable(tuple(found.learners), loss, splits, scores, notes=found.notes + notes)


def _of_runs(labels: Labels, count: int) -> Labels:
    """Return no labels, since a run has none but its seed, or raise if they say something else."""
    for role in labels:
        if role != "seed" or _check.distinct(labels[role]) < count:
            raise InvalidInputError(
                "does not go with independent runs (kind='runs'), each with one number and a seed of its own; average them",
                argument=role,
            )
    return {}


def _told_apart(kind: Kind, count: int, labels: Labels, ratio: float | None) -> Labels:
    """Complete the labels of folds, by their order or by the sizes, or raise if labels say that two scores are of one split."""
    if kind == DATA_SETS and "fold" in labels:
        raise InvalidInputError("is not for data sets: give the mean of each", argument="fold")
    of_folds = kind in (KFold.kind, FiveByTwo.kind)
    where = {role: labels[role] for role in ("dataset", "repeat", "fold") if role in labels}
    one_each = kind in (Subsampling.kind, DATA_SETS)
    checked = "fold" in where if of_folds else bool(where) and one_each
    apart = min(count, 2) if of_folds and len(where) == 1 else count
    if checked and _check.distinct(*where.values()) < apart:
        raise InvalidInputError(
            "is the same for several scores; number random splits, or say `fold` or `seed`",
            argument=next(iter(where)),
        )
    if not of_folds or "repeat" in labels:
        return labels
    if "fold" in labels:
        # How often a fold has occurred before numbers the partitions.
        fold = labels["fold"]
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


def losses_table(
    found: Columns, *, metric: str | None = None, higher_is_better: bool | None = None
) -> LossTable:
    """Return the table of columns of losses of examples, with the facts that their labels tell."""
    losses, labels = found.numbers(), found.labels
    if "answer" in labels:
        losses, labels = mean_of_answers(losses, labels)
    order, splits, cells = placed(losses.shape[1], labels)
    losses = losses[:, order]
    there = losses[~np.isnan(losses)]
    loss, notes = loss_of(metric, higher_is_better, there, pointwise=True)
    signed = len(losses) > 1 and _SIGNED < (there < 0.0).mean() < 1.0 - _SIGNED
    if signed and not loss.higher_is_better and is_score(metric) is None:
        # As errors of predictions have, and differences in a single column should.
        notes += (Note("read", both_signs=["losses" if metric is None else metric]),)
    table = _of_cells([*found.learners], loss, losses, splits, cells, found.notes + notes)
    return table if splits.designs[0].weights is None else _weighted(table)


def _weighted(table: LossTable) -> LossTable:
    """Return the table of weighted mean losses, with influence values, from one of losses."""
    assert table.points is not None and table.cells is not None
    given = replace(table.loss, function=_as_given, needs=(LABEL,)).weighted()
    tested = Tested(Target(np.zeros(table.cells.example.max() + 1)), table.splits, table.cells)
    numbers = [{LABEL: table.loss.sign * row} for row in table.points]
    scores, points = measure(given, tested, numbers)
    loss = replace(given, function=table.loss.function, needs=())
    return replace(table, loss=loss, scores=scores, points=points)


def _as_given(_: Any, numbers: Any) -> Any:
    return numbers


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
    learners = _check.names([*map(str, people)], "learner")
    if {*learners} != {*map(str, judge)}:
        raise InvalidInputError(
            f"must have the learners {', '.join(map(repr, learners))}", argument="judge"
        )
    by_judge = _check.numbers([judge[name] for name in people], "judge", "learner and example")
    try:
        by_people = np.array([people[name] for name in people], dtype=np.float64)  # (K, N)
        known = ~np.isnan(by_people[0])
    except (TypeError, ValueError):
        by_people = known = np.zeros(0)
    if by_people.shape != by_judge.shape or (np.isnan(by_people) == known).any():
        raise PairingError(
            "must hold numbers for the same examples of all learners, and NaN for the others",
            argument="people",
        )
    total, count = known.size, int(known.sum())
    judges = 2 <= count <= total - 2
    _check.require(judges, f"must have judged at least 2 of {total}, and not all", count, "people")
    judged = _check.numbers(by_people[:, known], "people", "learner and loss")
    loss, _ = loss_of(metric, higher_is_better, judged, pointwise=True)
    return predicted_table(JUDGED, learners, loss, known, (judged, by_judge), n_train)


def predicted_table(
    kind: Kind,
    learners: Sequence[str],
    loss: Loss,
    known: Any,
    numbers: Any,
    n_train: float | None = None,
) -> LossTable:
    """Return the table of what is known of some examples, and what predicts it on all; a row of each for a learner."""
    total, count = known.size, int(known.sum())
    splits = stated_columns(
        Design.stated(kind),
        2,
        n_train=None if n_train is None else _check.sizes(n_train, 2, "n_train"),
        n_test=np.array([count, total], dtype=np.float64),
        labels={"repeat": np.zeros(2, dtype=np.int64), "judge": np.arange(2)},
    )
    cells = Cells.of([np.flatnonzero(known), np.arange(total)])
    return _of_cells(learners, loss, np.hstack(numbers), splits, cells)


def _of_cells(
    learners: Sequence[str],
    loss: Loss,
    numbers: FloatArray,
    splits: SplitColumns,
    cells: Cells,
    notes: Notes = (),
) -> LossTable:
    """Return the table of numbers, a row for each learner and one of each cell in the order of the splits."""
    points = 0.0 - numbers if loss.higher_is_better else numbers
    starts = np.searchsorted(cells.split, np.arange(splits.n_test.size))
    scores = np.add.reduceat(points, starts, axis=1) / splits.n_test
    return LossTable(tuple(learners), loss, splits, scores, points, cells, notes=notes)


def loss_of(
    metric: str | None, said: Any, numbers: FloatArray, *, pointwise: bool, named: Any = None
) -> tuple[Loss, Notes]:
    """Return the loss of given numbers; that of examples, named like one of errbar's, has its range if all fit."""
    higher, notes = direction_of(named or metric, said, numbers)
    metric = metric or ("score" if higher else "loss")
    loss = Loss(metric, partial(unavailable, metric), (), "any", pointwise, higher)
    ours = (LOSSES | METRICS).get(metric)
    if not pointwise or ours is None or ours.higher_is_better != higher:
        return loss, notes
    fits = (np.clip(numbers, *ours.range) == numbers).all()
    return replace(loss, range=ours.range) if fits else loss, notes


def unavailable(metric: str, *_: Any) -> Any:
    """Raise where a loss is to be computed that was given as numbers."""
    raise InvalidInputError(f"{metric!r} was given as numbers; no other numbers have it")


def direction_of(metric: str | None, said: Any, numbers: FloatArray) -> tuple[bool, Notes]:
    """Return whether higher is better: as somebody says, else as the numbers' name, else not, noted."""
    if said is not None:
        return _check.flag(said, "higher_is_better"), ()
    score = is_score(metric)
    higher = score is True and str(metric).lower() not in _EITHER
    negated = score is False and bool((numbers < 0.0).all())  # as negated losses are
    if (score is False or _ours(metric)) and not negated:
        return higher, ()
    what, better = metric or "the measure", "higher" if higher else "lower"
    return higher, (Note("direction", what=what, better=better, say="higher_is_better"),)


def ends_in_common(names: Sequence[str]) -> tuple[str, str]:
    """Return the letters with which all names begin, and those with which they end."""
    mirrored = [name[::-1] for name in names]
    begin, end = (commonprefix(each) for each in (names, mirrored))  # noqa: RUF071 - letter by letter
    return begin, end[::-1]


def measure_in(learners: Iterable[str]) -> str | None:
    """Return the name of a measure in which the names of all learners begin or end, as in ``rf~Accuracy``; None where they don't."""
    names = list(learners)
    begin, end = ends_in_common(names)
    whole = names if len(names) == 1 else []
    found = [*whole, *re.findall(r"[\W_](.+)", end), *re.findall(r"(.+)[\W_]", begin)]
    return next((name for name in found if score_words(name) is not None), None)


def is_score(metric: str | None) -> bool | None:
    """Tell whether a number of this name is a score; None where nobody knows."""
    ours = _ours(metric)
    return ours.higher_is_better if ours else score_words(metric or "")


def _ours(metric: str | None) -> Loss | None:
    """Return the loss of ours that has a name; a negative one is a score, and the loss of that name is none."""
    try:
        return None if metric is None or unturned(metric.lower())[1] else lookup(metric)
    except ValueError:
        return None


def placed(total: int, labels: Labels) -> tuple[IntArray, SplitColumns, Cells]:
    """Put rows of examples into splits: return their order, what each split was, and the cells."""
    named, grouped = "example" in labels, "groups" in labels
    require_example("seed", labels)
    example = coded(labels["example"], total, "example") if named else np.arange(total)
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
    facts: Labels = {"seeds": seeds}
    if grouped:
        codes = coded(labels["groups"], total, "groups")
        facts["clusters"] = clusters_of(per_example(codes, example, "groups"))
        if testing is Testing.FOLDS or (testing is Testing.OVERLAPPING and named):
            _refuse_torn(Index(total, {**rows, "group": codes}))
    if "time" in labels:
        facts["time"] = per_example(times_of(labels["time"], total, "row"), example, "time")
    if "weight" in labels:
        told = _check.vector(labels["weight"], "weights", "row")
        _check.require(
            told.size == total, f"must hold a weight for each of {total} rows", told, "weights"
        )
        weights = per_example(told, example, "weights")
        facts["weights"] = weights_of(weights, weights.size)
    if "strata" in labels:
        codes = per_example(coded(labels["strata"], total, "strata"), example, "strata")
        rarest = rarest_tested(codes, float(n_test.mean()))
        facts |= {"strata": codes, "stratified": True, "rarest": rarest}
    origin = Origin.ASSUMED if kind == Subsampling.kind and not named else Origin.STATED
    design = Design.stated(kind, origin=origin, testing=testing, **facts)
    keys = {role: column[first] for role, column in columns.items()}
    found = stated_columns(design, n_test.size, n_train=n_train, n_test=n_test, labels=keys)
    return order, found, Cells(split[order], example[order])


def training_size(labels: Labels, total: int) -> Labels:
    """Return the training size of folds whose rows have these labels, as a label; nothing where none is known.

    It is asked before rows are left out: the fits had them all.
    """
    if "fold" not in labels or "n_train" in labels:
        return {}
    size = float(placed(total, labels)[1].n_train.mean())
    return {} if np.isnan(size) else {"n_train": size}


def require_example(role: str, labels: Labels) -> None:
    """Raise unless a role has examples beside it."""
    if role in labels and "example" not in labels:
        raise InvalidInputError(f"must be given beside `{role}`", argument="example")


def _refuse_torn(rows: Index) -> None:
    """Raise unless the examples of a group are in one fold of each repeat, and all of them are."""
    in_repeat = rows.codes("group")[rows.first("repeat", "group")]
    whole = _count_in(rows, "group", "example")[in_repeat].sum()
    several = _count_in(rows, "repeat", "group", "fold").max() > 1
    if several or whole > rows.first("repeat", "example").size:
        raise InvalidInputError(
            "are torn apart: models were trained on groups they were tested on; of forecasts leave `fold` out",
            argument="groups",
        )


def with_repeats(labels: Labels) -> Labels:
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
        value = coded(value, total, role)
    return _check.labels(value, total, role)


def coded(value: Any, total: int, role: str) -> IntArray:
    """Return one code per row for labels of any type."""
    array = _check.categories(value, f"`{role}`", total)
    return _check.compact(array.astype(str) if array.dtype == object else array)


def seeds_per_split(rows: Index) -> int:
    """Return the number of seeds per split."""
    return int(_count_in(rows, *_OF_A_SPLIT).max())


def _count_in(rows: Index, *roles: str) -> IntArray:
    """Return how many different labels of the last role stand beside each combination of the others."""
    return np.bincount(rows.codes(*roles[:-1])[rows.first(*roles)])


def per_example(values: Any, example: IntArray, name: str) -> Any:
    """Return one value per example, or raise if an example has two."""
    first = np.unique(example, return_index=True)[1]
    if not np.array_equal(values[first][example], values):
        raise InvalidInputError("must be the same in all rows of an example", argument=name)
    return values[first]


def mean_of_answers(values: FloatArray, labels: Labels) -> tuple[FloatArray, Labels]:
    """Return the mean over the answers to each question, and the labels of each question."""
    require_example("answer", labels)
    total = values.shape[1]
    of_rows = {role: column for role, column in labels.items() if np.ndim(column)}
    rows = Index(total, {role: coded(own, total, role) for role, own in of_rows.items()})
    asked = [role for role in of_rows if role != "answer"]
    if rows.first(*asked, "answer").size < total:
        raise InvalidInputError(
            "has a number twice for one question; name the `seed`, `repeat` or `fold`",
            argument="answer",
        )
    question, first = rows.codes(*asked), np.sort(rows.first(*asked))
    sums = np.stack([np.bincount(question, weights=own) for own in values])
    means = (sums / np.bincount(question))[:, question[first]]
    kept = {role: np.asarray(of_rows[role])[first] for role in asked}
    return means, {role: kept.get(role, own) for role, own in labels.items() if role != "answer"}
