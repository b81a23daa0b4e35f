"""What several sources have in common: names of columns, files that are there, and splits that scikit-learn has used."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from errbar.design import Design, designs_of
from errbar.errors import InvalidInputError
from errbar.plans import Predefined, draw
from errbar.result import Note
from errbar.table import LossTable


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


def names_in(given: str | Sequence[str], columns: Any) -> tuple[str, ...]:
    """Return names of columns; a text that is none itself may hold several, with commas between them."""
    texts = [given] if isinstance(given, str) else given
    parts = [[text] if text in columns else text.split(",") for text in texts]
    return tuple(name if name in columns else name.strip() for part in parts for name in part)


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
