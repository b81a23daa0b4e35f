"""What all sources have in common: columns of learners, and tables of numbers that were made elsewhere."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray
from errbar.design import Design, designs_of
from errbar.errors import InvalidInputError, PairingError
from errbar.losses import LOSSES, METRICS, Loss, lookup
from errbar.plans import Predefined, draw
from errbar.result import Note
from errbar.table import LossTable

STRUCTURE = ("repeat", "fold", "inner", "halving", "half", "example", "seed", "n_train", "n_test")
"""Columns that say where a row comes from, and are read as such."""

_SAY = {
    "seed": "every row is taken for another split; where seeds are refits on one split, give them as `seed`",
    **dict.fromkeys(
        ("sample", "answer", "attempt", "epoch"), "where it numbers several answers to one example, give it as `seed`"
    ),
    **dict.fromkeys(
        ("group", "passage", "task", "category", "subject", "patient", "cluster"),
        "where rows of one value are alike, give it as `groups`",
    ),
    **dict.fromkeys(("time", "date", "year"), "where rows follow each other in time, give it as `time`"),
    **dict.fromkeys(("question", "item"), "where a row is one test example, give it as `example`"),
}

ASIDE = {"run", "trial", "split", "iteration", "id", "index", "random_state", "groups", *_SAY} - set(STRUCTURE)
"""Columns that number or name the rows in one way or another. They are not learners, and what they mean is for the user to say."""

_SCORES = {"acc", "accuracy", "correct", "em", "exact", "pass", "passed", "reward", "right", "score", "success", "win"}
_LOSSES = {"brier", "error", "loss"}
"""Words in the names of numbers of which higher ones are better, and of those of which lower ones are, whatever else they say."""


class Columns(NamedTuple):
    """Numbers of learners, and what stands beside them.

    Attributes
    ----------
    learners : tuple of str
        Names.
    columns : list of ndarray
        Numbers of each learner.
    labels : dict of str to ndarray
        Columns of `STRUCTURE` that were there.
    notes : tuple of Note
        What was read as a label.
    """

    learners: tuple[str, ...]
    columns: list[FloatArray]
    labels: dict[str, NDArray[Any]]
    notes: tuple[Note, ...]


def columns_of(scores: Any, names: Sequence[str] | None) -> Columns:
    """Return the columns of learners, from a mapping, a frame or an array."""
    labels: dict[str, NDArray[Any]] = {}
    notes: tuple[Note, ...] = ()
    if isinstance(scores, Mapping) or hasattr(scores, "columns"):
        keys = list(scores if isinstance(scores, Mapping) else scores.columns)
        titles = _check.names([str(key) for key in keys], "learner")
        given_columns = dict(zip(titles, (scores[key] for key in keys), strict=True))
        kept, labels, notes = separated(given_columns, counting=not isinstance(scores, Mapping))
        pairs = list(kept.items())
    else:
        array = _check.numbers(scores, "scores", "split and learner")
        array = array[:, np.newaxis] if array.ndim == 1 else array
        if array.ndim != 2:
            raise InvalidInputError(
                f"`scores` must have one row per split and one column per learner, got shape {array.shape}"
            )
        given = [f"learner {i + 1}" for i in range(array.shape[1])] if names is None else list(names)
        if len(given) != array.shape[1]:
            raise InvalidInputError(f"`names` must hold {array.shape[1]} names, one per column, got {len(given)}")
        pairs = [(title, array[:, i]) for i, title in enumerate(given)]
    learners = _check.names([name for name, _ in pairs], "learner")
    columns = [_check.vector(values, name, "row") for name, values in pairs]
    lengths = {name: column.size for name, column in zip(learners, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in lengths.items())
        raise PairingError(
            f"the learners have different numbers of rows ({listed}); every learner needs one on each split"
        )
    return Columns(learners, columns, labels, notes)


def separated(
    columns: Mapping[str, Any], roles: Mapping[str, str] | None = None, *, counting: bool = True
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

    Returns
    -------
    learners, labels : dict
        Columns by name; labels by role.
    notes : tuple of Note
        What was read as a label without being told.
    """
    stated = dict(roles or {})
    labels = {role: np.asarray(columns[column]) for column, role in stated.items()}
    taken = set(labels)
    read = {name.lower(): name for name in columns if name not in stated and name.lower() in STRUCTURE}
    read = {role: name for role, name in read.items() if role not in taken}
    labels |= {role: np.asarray(columns[name]) for role, name in read.items()}
    rest = {name: column for name, column in columns.items() if name not in stated and name.lower() not in STRUCTURE}
    aside = [name for name, column in rest.items() if is_label(name) or (counting and counts_rows(column))]
    aside = [] if len(aside) == len(rest) else aside
    if "seed" in read and not {"repeat", "fold", "example"} & set(labels):
        # Random splits are mostly drawn with a seed each; that seeds are refits on one split has to be said.
        aside.append(read["seed"])
        labels.pop("seed")
    learners = {name: column for name, column in rest.items() if name not in aside}
    return learners, labels, _aside_note(aside)


def _aside_note(names: Sequence[str]) -> tuple[Note, ...]:
    if not names:
        return ()
    listed = ", ".join(map(repr, names))
    plural = len(names) > 1
    text = f"the column{'s' * plural} {listed} {'are' if plural else 'is'} read as numbering the rows, not as {'learners' if plural else 'a learner'}"
    said = [name.lower().removesuffix("_id").removesuffix("s").replace("random_state", "seed") for name in names]
    text += "".join(f"; {words}" for words in dict.fromkeys(_SAY[name] for name in said if name in _SAY))
    return (Note("labels", text),)


def is_label(name: str) -> bool:
    """Tell by its name whether a column names or numbers the rows, such as ``item`` or ``doc_id``."""
    return name.lower() in ASIDE or name.lower().endswith("_id")


def counts_rows(column: Any) -> bool:
    """Tell whether a column counts its rows, such as 0, 1, 2 ... or 101, 102, 103 ..., as an index does that was written to a file."""
    values = np.asarray(column)
    if values.dtype.kind not in "iuf" or values.size < 3:
        return False
    return bool((np.diff(values) == 1).all() and values[0] == np.floor(values[0]))


def structure(indices: Mapping[str, Any]) -> tuple[Design, dict[str, Any]]:
    """Return design and labels of the splits that ``cross_validate`` has used."""
    pairs = list(zip(indices["train"], indices["test"], strict=True))
    drawn = draw(Predefined(pairs), 1 + max(int(np.max(part)) for pair in pairs for part in pair))
    names = drawn.splits[0].labels
    return designs_of(drawn)[0], {name: [split.labels[name] for split in drawn.splits] for name in names}


def given_loss(metric: str, *, higher_is_better: bool, pointwise: bool, points: FloatArray | None = None) -> Loss:
    """Return the loss of given numbers; named like one of ours, it has the range of that, if all `points` lie in it."""
    loss = Loss(metric, partial(_unavailable, metric), (), "any", pointwise, higher_is_better)
    ours = (LOSSES | METRICS).get(metric)
    if points is None or ours is None or ours.higher_is_better != higher_is_better:
        return loss
    low, high = sorted(loss.sign * end for end in ours.range)
    inside = float(points.min()) >= low and float(points.max()) <= high
    return replace(loss, range=ours.range) if inside else loss


def as_stated(*, higher_is_better: bool | None) -> bool:
    """Return whether higher is better: as somebody says, and else not."""
    return higher_is_better is not None and _check.flag(higher_is_better, "higher_is_better")


def direction_of(
    metric: str | None, *, higher_is_better: bool | None, points: FloatArray | None = None
) -> tuple[Note, ...]:
    """Say that numbers are taken for losses, where neither the user nor their name says so."""
    if higher_is_better is not None or (metric is not None and _is_score(metric) is False):
        return ()
    if metric is not None:
        text = f"{metric!r} is read as a loss, lower is better; say so where higher is better"
    elif points is not None and bool(np.isin(points, (0.0, 1.0)).all()):
        text = "the numbers are 0 and 1 and are read as losses, 1 for a wrong answer; say so where 1 is right"
    else:
        text = "the numbers are read as losses, lower is better; say so where higher is better"
    return (Note("direction", f"{text} (`higher_is_better`, or --higher-is-better)"),)


def _is_score(metric: str) -> bool | None:
    """Tell whether a number of this name is a score; None where nobody knows."""
    try:
        return lookup(metric).higher_is_better
    except ValueError:
        return score_words(metric)


def score_words(name: str) -> bool | None:
    """Tell by the words of a name whether it is that of a score; False of a loss, None where no word tells."""
    words = set(re.split(r"[^a-z]+", name.lower()))
    return None if not words & (_SCORES | _LOSSES) else not words & _LOSSES


def aside(names: Sequence[str], role_of: Mapping[str, str]) -> tuple[Note, ...]:
    """Say which columns were not read."""
    left = [repr(name) for name in names if name not in role_of]
    text = f"the column{'s' * (len(left) > 1)} {', '.join(left)} {'are' if len(left) > 1 else 'is'} left aside"
    return (Note("columns-aside", text),) if left else ()


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
