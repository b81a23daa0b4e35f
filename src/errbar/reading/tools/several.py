"""Several files or frames of one run each: one long table, with a column of learners."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.reading.sheet import Labels, frame_of, roles_of
from errbar.reading.tools import as_list, head

LEARNER, RUN = "learner", "run"
"""Columns that are added: what a file is called, and which of several of one name it is."""

_STATE = re.compile(rb'\{\s*"[a-z_]+"\s*:')
_MEASURE = "^eval_(?!.*(runtime|samples_per_second|steps_per_second)$)"


def together(sources: Any, said: Labels) -> tuple[Any, Labels]:
    """Return one frame of several files or frames, and what is said of it with the column of learners.

    `sources` are paths, or a mapping from names to paths, frames or several of these. Files that have a
    column of learners are parts of one table; of all others each is a learner, called like it.
    """
    named = isinstance(sources, Mapping)
    if named and "learner" in said:
        raise InvalidInputError("does not go with names of files", argument="learner")
    by_name = sources.items() if named else zip(_names(sources), sources, strict=True)
    parts = [(str(name), _frame(source)) for name, own in by_name for source in as_list(own)]
    names = [name for name, _ in parts]
    frames = [frame for _, frame in parts]
    for name, frame in parts:
        for column in {*frame} ^ {*frames[0]}:
            raise InvalidInputError(f"{name!r} and {names[0]!r} do not both have {column!r}")
    table = _check.package("pandas", "app").concat(frames, ignore_index=True)
    if "learner" in said or (not named and roles_of(table, {}, (LEARNER,))):
        return table, said
    rows = [*map(len, frames)]
    if not named and max(rows) == 1:
        raise InvalidInputError("files have one row each; name those of a learner alike, NAME=FILE")
    table[LEARNER] = np.repeat(names, rows)
    if len({*names}) < len(names):
        table[RUN] = np.repeat([names[: i + 1].count(one) for i, one in enumerate(names)], rows)
    return table, said | {"learner": LEARNER}


def is_run(place: str | Path) -> bool:
    """Tell whether a file is the state of Hugging Face's Trainer."""
    path = Path(place)
    return path.is_file() and bool(_STATE.match(start := head(path))) and b'"log_history"' in start


def _names(sources: Any) -> list[str]:
    """Return what files are called: by their names, or by their folders where these are alike."""
    paths = [Path(source).resolve() for source in sources]
    stems = [path.name.removesuffix(".gz").rpartition(".")[0] for path in paths]
    folders = [path.parent.name for path in paths]
    for names in (stems, folders):
        if max(Counter(names).values()) == 1:
            return names
    return [*map(str, sources)]


def _frame(source: Any) -> Any:
    frame = frame_of(source)
    if not isinstance(source, (str, Path)) or not is_run(source):
        return frame
    evaluated = frame.filter(regex=_MEASURE).dropna(how="all")
    if evaluated.empty:
        raise InvalidInputError(f"{str(source)!r} has no evaluation; train with an eval_strategy")
    return evaluated.tail(1).dropna(axis="columns")
