"""What all sources have in common: columns of learners, and tables of numbers that were made elsewhere."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, hint
from errbar.losses import LOSSES, METRICS, Loss, lookup
from errbar.losses._directions import PART, score_words, unturned
from errbar.result import Note
from errbar.sources._repeated_rows import refuse_ids
from errbar.sources._repeats import (
    FOLDS,
    REPEATS,
    grid_note,
    labelled_folds,
    normal,
    numbers_folds,
    read_as,
    repeats_and_folds,
    with_repeats,
    with_seeds,
)
from errbar.table import LossTable

_SIZES = ("n_train", "n_test")
STRUCTURE = ("repeat", "fold", "inner", "halving", "half", "example", "seed", *_SIZES)
"""Columns that say where a row comes from, and are read as such."""

_SAY = {
    **dict.fromkeys(("seed", "random_state", "random_seed", "rng"), "seed"),
    **dict.fromkeys(("sample", "answer", "attempt", "epoch"), "answer"),
    **dict.fromkeys(("group", "passage", "task", "category", "subject", "patient", "cluster"), "groups"),
    **dict.fromkeys(("user", "site", "batch", "document", "speaker", "customer"), "groups"),
    **dict.fromkeys(("time", "date", "year", "timestamp", "datetime", "month", "week", "day"), "time"),
    **dict.fromkeys(("question", "item", "doc"), "example"),
    **dict.fromkeys(FOLDS, "fold"),
    **dict.fromkeys(REPEATS, "repeat"),
}

_NUMBERING = {"run", "trial", "split", "iteration", "id", "index", "groups", "step"}
ASIDE = (_NUMBERING | set(_SAY)) - {*STRUCTURE, *FOLDS, *REPEATS}
"""Columns that number or name the rows in one way or another. They are not learners, and what they mean is for the user to say."""

_MEASURES = {"acc", "accuracy", "auc", "error", "f1", "loss", "mae", "mse", "nll", "perplexity", "precision"}
_MEASURES |= {"r2", "recall", "rmse", "score"}
_EITHER = {"score", "scores"}
"""Names of numbers that may be losses, such as Brier scores, although the word is mostly said of others."""


def separated(
    columns: Mapping[str, Any],
    roles: Mapping[str, str] | None = None,
    *,
    counting: bool = True,
    numbering: Sequence[str] = (),
    chosen: Sequence[str] = (),
    settled: bool = False,
) -> tuple[dict[str, Any], dict[str, NDArray[Any]], tuple[Note, ...]]:
    """Separate columns of learners from columns of labels.

    Parameters
    ----------
    columns : mapping of str to column
        All columns of a frame.
    roles : mapping of str to str, optional
        What the user says of columns: ``"seed"``, ``"groups"`` and so on, by the name of the column.
    counting : bool, default True
        Whether columns that count the rows are labels, too, whatever their name.
    numbering : sequence of str
        Columns that number the rows, as their values show.
    chosen : sequence of str
        Columns that are learners, whatever their names and values; without any, all that are no labels. Roles are the same in either case.
    settled : bool, default False
        Whether it is known what a row is, so that a column of seeds need not tell it.

    Returns
    -------
    learners, labels : dict
        Columns by name; labels by role.
    notes : tuple of Note
        What was read as a label without being told.

    Raises
    ------
    InvalidInputError
        If a column of seeds alone tells rows apart, and nobody says what a seed is.
    """
    stated = dict(roles or {})
    labels = {role: np.asarray(columns[column]) for column, role in stated.items()}
    taken = set(labels)
    free = {name: column for name, column in columns.items() if name not in stated}
    usual = {name.lower(): name for name, column in free.items() if name not in chosen and _is_structure(name, column)}
    read = {role: name for role, name in usual.items() if role not in taken}
    labels |= {role: np.asarray(columns[name]) for role, name in read.items()}
    rest = {name: column for name, column in free.items() if name not in usual.values()}
    spoken = labelled_folds(rest, chosen) if "fold" not in labels else {}
    labels |= {role: np.asarray(rest.pop(name)) for role, name in spoken.items()}
    aside = [
        name
        for name, column in rest.items()
        if name not in chosen
        and (
            bool(chosen)
            or describes_rows(name, column)
            or name in numbering
            or (counting and ((numbers_folds(name) and not _has_fractions(column)) or numbers_rows(column)))
        )
    ]
    aside = [] if len(aside) == len(rest) else aside
    named = repeats_and_folds({name: rest[name] for name in aside if not _has_fractions(rest[name])}, labels)
    labels |= {role: np.asarray(rest[name]) for role, name in named.items()}
    named |= spoken
    aside = [name for name in aside if name not in named.values()]
    odd = [name for name in rest if name not in (*aside, *chosen) and (name.lower() in STRUCTURE or is_label(name))]
    notes = read_as(named)
    notes += grid_note({name: rest[name] for name in aside if _said_of(name) is None or numbers_folds(name)})
    if not settled and not {"repeat", "fold", "seed", "answer", "groups"} & taken:
        _refuse_unsaid_answers([name for name in aside if _said_of(name) == "answer"], free)
    if not {"repeat", "fold", "example"} & set(labels):
        if not settled and "seed" not in taken:
            _refuse_unsaid([*read.values(), *aside], free)
        if "seed" in read:
            aside.append(read["seed"])
            labels.pop("seed")
    learners = {name: column for name, column in rest.items() if name not in (*aside, *named.values())}
    refuse_ids([name for name in learners if name not in chosen], columns)
    if "seed" in read and "fold" in labels:
        labels, seeds = with_seeds(learners.values(), read["seed"], labels)
        notes += seeds
    return learners, with_repeats(labels), (*_aside_note(aside), *notes, *_odd_note(odd))


def _refuse_unsaid(names: Sequence[str], columns: Mapping[str, Any]) -> None:
    """Raise if a seed of each row may be that of a random split or of a fit on one split: the intervals of the two differ."""
    for name in names:
        values = np.asarray(columns[name]).tolist() if _said_of(name) == "seed" else []
        if len(set(values)) == len(values) > 1:
            raise InvalidInputError(
                f"column {name!r}: say what a seed is: --repeat {name} (`repeat`) where it has drawn a split of its own, --seed {name} (`seed`) "
                "where it is a fit on one training set, judged on one test set"
            )


def _refuse_unsaid_answers(names: Sequence[str], columns: Mapping[str, Any]) -> None:
    """Raise if a column may number answers drawn anew for each question, or runs: rows are then no examples of their own."""
    for name in names:
        values = np.asarray(columns[name]).tolist()
        if 1 < len(set(values)) < len(values):
            raise InvalidInputError(
                f"column {name!r}: say what it numbers, beside --example (`example`): --answer {name} (`answer`) where answers are drawn anew for "
                f"each example, --seed {name} (`seed`) where each run has answered all"
            )


def named_columns(given: Any) -> dict[str, Any]:
    """Return the columns of a mapping or a frame by their names as text, each of another name."""
    keys = list(given if isinstance(given, Mapping) else given.columns)
    titles = _check.names([str(key) for key in keys], "learner")
    return dict(zip(titles, (given[key] for key in keys), strict=True))


def _aside_note(names: Sequence[str]) -> tuple[Note, ...]:
    if not names:
        return ()
    return (Note("read", describing_rows=names), *_perhaps(names))


def _perhaps(names: Sequence[str], among: Container[str] | None = None) -> tuple[Note, ...]:
    """Say what columns may be by their names, of some roles or of any."""
    roles = {name: _said_of(name) for name in names}
    said = [f"{role}={name}" for name, role in roles.items() if role and (among is None or role in among)]
    return (Note("read", perhaps=said),) if said else ()


def _odd_note(names: Sequence[str]) -> tuple[Note, ...]:
    if not names:
        return ()
    return (Note("read", learners_named_like_labels=names),)


def _said_of(name: str) -> str | None:
    """Return the role that a column may have, by its name."""
    return _SAY.get(normal(name)) or _SAY.get(name.lower().removesuffix("_id").removesuffix("s"))


def is_label(name: str) -> bool:
    """Tell by its name whether a column names or numbers the rows, such as ``item`` or ``doc_id``."""
    return name.lower() in ASIDE or name.lower().endswith("_id")


def _is_structure(name: str, column: Any) -> bool:
    """Tell whether a column is read as a label by its name; one with fractions is a learner, unless it holds sizes."""
    lower = name.lower()
    return lower in STRUCTURE and (lower in _SIZES or not _has_fractions(column))


def describes_rows(name: str, column: Any) -> bool:
    """Tell whether a column is a label by its name, and no learner by its values: but for times and growing numbers, labels have no fractions."""
    if not is_label(name):
        return _is_structure(name, column)
    return _said_of(name) == "time" or not _has_fractions(column) or bool((np.diff(np.asarray(column)) > 0.0).all())


def is_group(name: str) -> bool:
    """Tell by its name whether rows of one value of a column may be alike, such as ``passage``."""
    return _said_of(name) == "groups"


def is_place(name: str) -> bool:
    """Tell by its name whether a column says which split, seed or example a row is of, in a frame."""
    lower = name.lower()
    said = _said_of(name)
    return (
        lower in STRUCTURE
        or lower in _NUMBERING
        or numbers_folds(name)
        or (said is not None and said not in ("groups", "time"))
    )


def _has_fractions(column: Any) -> bool:
    values = np.asarray(column)
    return values.dtype.kind == "f" and bool((values[np.isfinite(values)] % 1.0 != 0.0).any())


def counts_rows(column: Any) -> bool:
    """Tell whether a column counts its rows, such as 0, 1, 2 ... or 101, 102, 103 ..., as an index does that was written to a file."""
    values = np.asarray(column)
    if values.dtype.kind not in "iuf" or values.size < 3:
        return False
    return bool((np.diff(values) == 1).all() and values[0] == np.floor(values[0]))


def numbers_rows(column: Any, *, blocks: bool = False) -> bool:
    """Tell whether a column numbers its rows from 0 or 1 on: 0, 1, 2 ..., with `blocks` also 0, 1, 2, 0, 1, 2 ... and 1, 1, 2, 2 ..."""
    values = np.asarray(column)
    if values.dtype.kind not in "iuf" or values.size < 3 or values[0] not in (0, 1):
        return False
    codes = values - values[0]
    if not blocks:
        return bool((codes == np.arange(codes.size)).all())
    each, count = int(np.argmax(codes != 0)), codes.max() + 1
    if each == 0 or not 2 <= count <= codes.size or values.size % (each * count):
        return False
    # 0, 1, 0, 1 ... may be a learner.
    return bool((codes == np.arange(codes.size) // each % count).all() and not (count == 2 and values[0] == 0))


def given_loss(
    metric: str | None, *, higher_is_better: bool, pointwise: bool, points: FloatArray | None = None
) -> Loss:
    """Return the loss of given numbers, which have a name by their direction at least; named like one of ours, it has the range of that, if all `points` lie in it."""
    metric = metric or ("score" if higher_is_better else "loss")
    loss = Loss(metric, partial(_unavailable, metric), (), "any", pointwise, higher_is_better)
    ours = (LOSSES | METRICS).get(metric)
    if points is None or ours is None or ours.higher_is_better != higher_is_better:
        return loss
    low, high = sorted(loss.sign * end for end in ours.range)
    inside = float(points.min()) >= low and float(points.max()) <= high
    return replace(loss, range=ours.range) if inside else loss


def as_stated(metric: str | None, *, higher_is_better: bool | None) -> bool:
    """Return whether higher is better: as somebody says, else as the name of the numbers says, and else not."""
    if higher_is_better is not None:
        return _check.flag(higher_is_better, "higher_is_better")
    return metric is not None and metric.lower() not in _EITHER and _is_score(metric) is True


def direction_of(
    metric: str | None, *, higher_is_better: bool | None, points: FloatArray | None = None
) -> tuple[Note, ...]:
    """Say which numbers are taken to be better, where neither the user says it nor a name that is known."""
    named = None if metric is None else _is_score(metric)
    what = "the measure" if metric is None else metric
    lower = Note("direction", what=what, better="lower", say="higher_is_better")
    if higher_is_better is None and named is False and points is not None and bool((points < 0.0).all()):
        return (lower,)  # as negated losses are
    if higher_is_better is not None or named is False:
        return ()
    if metric is not None and _is_known(metric):
        return ()
    if named and as_stated(metric, higher_is_better=None):
        return (Note("direction", what=what, better="higher", say="higher_is_better"),)
    return (lower,)


def _is_score(metric: str) -> bool | None:
    """Tell whether a number of this name is a score; None where nobody knows."""
    return lookup(metric).higher_is_better if _is_known(metric) else score_words(metric)


def _is_known(metric: str) -> bool:
    """Tell whether a name is that of one of our losses; a negative one, as scikit-learn has them, is a score, and the loss of that name is none."""
    try:
        lookup(metric)
    except ValueError:
        return False
    return not unturned(metric.lower())[1]


def is_measure(name: str) -> bool:
    """Tell whether a column is called like a measure, such as ``val_loss``, ``test/accuracy`` or ``f1``."""
    bare = unturned(PART.sub("", name.lower()))[0]
    return bare in _MEASURES or _is_known(bare)


def names_in(given: str | Sequence[str], columns: Any) -> tuple[str, ...]:
    """Return names of columns; a text that is none itself may hold several, with commas between them."""
    texts = [given] if isinstance(given, str) else given
    parts = [[text] if text in columns else text.split(",") for text in texts]
    return tuple(name if name in columns else name.strip() for part in parts for name in part)


def chosen_of(names: str | Sequence[str] | None, columns: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns of a mapping or frame that the user names as learners; none where nobody does."""
    chosen = () if names is None else names_in(names, columns)
    for name in chosen:
        if name not in columns:
            raise InvalidInputError(
                f"has {name!r}, which is no column of a learner{hint(name, list(columns))}", argument="names"
            )
    return chosen


def aside(names: Sequence[str], role_of: Mapping[str, str]) -> tuple[Note, ...]:
    """Say which columns were not read, and what those may be that look like groups or times."""
    left = [name for name in names if name not in role_of]
    roles: set[str] = set() if {"groups", "time"} & {*role_of.values()} else {"groups", "time"}
    return (Note("read", left_aside=left), *_perhaps(left, roles)) if left else ()


def _unavailable(metric: str, *_: Any) -> Any:
    raise InvalidInputError(f"{metric!r} was given as numbers and cannot be computed again")


def annotated(table: LossTable, notes: tuple[Note, ...]) -> LossTable:
    return replace(table, notes=table.notes + notes)


def existing(path: str | Path) -> Path:
    """Return the path of a file that is there."""
    place = Path(path)
    if not place.is_file():
        there = "a folder" if place.is_dir() else "a pipe or device"
        raise InvalidInputError(
            f"{str(path)!r} is {there}, not a file" if place.exists() else f"there is no file {str(path)!r}"
        )
    return place
