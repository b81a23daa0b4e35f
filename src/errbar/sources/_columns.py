"""What all sources have in common: columns of learners, and tables of numbers that were made elsewhere."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, PairingError
from errbar.losses import Loss
from errbar.plans import Predefined, draw
from errbar.result import Note
from errbar.table import LossTable


def columns_of(scores: Any, names: Sequence[str] | None) -> tuple[tuple[str, ...], list[FloatArray]]:
    if isinstance(scores, Mapping) or hasattr(scores, "columns"):
        keys: Iterable[Any] = scores.keys() if isinstance(scores, Mapping) else scores.columns
        pairs = [(str(key), scores[key]) for key in keys]
    else:
        array = _check.numbers(scores, "scores", "split and learner")
        array = array[:, np.newaxis] if array.ndim == 1 else array
        if array.ndim != 2:
            raise InvalidInputError(
                f"`scores` must have one row per split and one column per learner, got shape {array.shape}"
            )
        titles = [f"learner {i + 1}" for i in range(array.shape[1])] if names is None else list(names)
        if len(titles) != array.shape[1]:
            raise InvalidInputError(f"`names` must hold {array.shape[1]} names, one per column, got {len(titles)}")
        pairs = [(title, array[:, i]) for i, title in enumerate(titles)]
    learners = _check.names([name for name, _ in pairs], "learner")
    columns = [_check.vector(values, name, "row") for name, values in pairs]
    lengths = {name: column.size for name, column in zip(learners, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in lengths.items())
        raise PairingError(
            f"the learners have different numbers of rows ({listed}); every learner needs one on each split"
        )
    return learners, columns


def structure(indices: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return kind and labels of the splits that ``cross_validate`` has used."""
    pairs = list(zip(indices["train"], indices["test"], strict=True))
    drawn = draw(Predefined(pairs), 1 + max(int(np.max(part)) for pair in pairs for part in pair))
    names = drawn.splits[0].labels
    return drawn.kinds[0], {name: [split.labels[name] for split in drawn.splits] for name in names}


def given_loss(metric: str, *, higher_is_better: bool, pointwise: bool) -> Loss:
    return Loss(metric, partial(_unavailable, metric), (), "any", pointwise, higher_is_better)


def _unavailable(metric: str, *_: Any) -> Any:
    raise InvalidInputError(f"{metric!r} was given as numbers and cannot be computed again")


def annotated(table: LossTable, notes: tuple[Note, ...]) -> LossTable:
    return replace(table, notes=table.notes + notes)
