"""CSV and Parquet files as people have them, as data frames."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.result import Note
from errbar.sources._columns import existing
from errbar.sources._numerals import (
    COMMA,
    POINT,
    Numerals,
    as_whole,
    is_text,
    number_texts,
    said,
    style_of,
)
from errbar.sources._text_files import NOT_TEXT, TextFile, read_text


def read_frame(path: str | Path) -> tuple[Any, tuple[Note, ...]]:
    """Read a CSV (also .gz, .bz2, .xz, .zip) or Parquet file into a pandas frame, with notes, or say in one sentence why not."""
    pandas = _check.package("pandas", "app")
    place = existing(path)
    packed = place.suffix == ".parquet"
    if packed:
        _check.package("pyarrow", None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame, notes = (_with_index(pandas.read_parquet(place)), ()) if packed else _read_csv(pandas, place)
    except InvalidInputError:
        raise
    except Exception as error:  # noqa: BLE001 - each way to pack a file has errors of its own
        raise InvalidInputError(f"{path} {_why(error, place)}") from None
    if any("\x00" in str(name) for name in frame.columns):
        raise InvalidInputError(f"{path} {NOT_TEXT}")
    if not frame.columns.is_unique:
        raise InvalidInputError(f"{path} has several columns {frame.columns[frame.columns.duplicated()][0]!r}")
    if len(frame) == 0:
        raise InvalidInputError(f"{path} has a header and no rows")
    return frame, notes


def _with_index(frame: Any) -> Any:
    """Return a frame whose index is a column, where it has a name."""
    names = [name for name in frame.index.names if name is not None]
    return frame.reset_index(level=names).reset_index(drop=True) if names else frame


def _why(error: Exception, place: Path) -> str:
    """Return why a file cannot be read."""
    if type(error).__name__ == "EmptyDataError":
        return "is empty"
    if isinstance(error, UnicodeError):
        return NOT_TEXT
    reason = " ".join(str(error).split()) or type(error).__name__
    if "Error tokenizing data" in reason:
        reason += '; put cells that hold the mark between cells in double quotes (")'
    return f"cannot be read as {place.suffix.lstrip('.') or 'CSV'}: {reason}"


def _read_csv(pandas: Any, place: Path) -> tuple[Any, tuple[Note, ...]]:
    frame, text = read_text(pandas, place)
    # Between commas, numbers with a decimal comma are rare.
    found = {} if text.separator == "," else _with_commas(pandas, frame, text)
    notes = text.notes
    if found:
        frame = frame.assign(**{name: as_whole(read.numbers) for name, read in found.items()})
        notes = (*notes, Note("read", numbers=said(found)))
    return frame, notes


def _with_commas(pandas: Any, frame: Any, text: TextFile) -> Mapping[str, Numerals]:
    """Return the columns of bare numbers with commas, or with points for thousands."""
    texts = (name for name in frame if is_text(frame[name]))
    cells = {name: read for name in texts if (read := number_texts(frame[name])) is not None}
    if not cells:
        return {}
    columns = text.texts(pandas, [name for name in frame if frame[name].dtype.kind == "f"])
    columns = columns.mask(frame[columns.columns].isna())
    cells |= {name: read for name in columns if (read := number_texts(columns[name])) is not None}
    style = style_of(cells.values())
    found = {name: read.read(style, _custom(text)) for name, read in cells.items()}
    return {name: read for name, read in found.items() if read is not None and _changes(read, frame[name])}


def _custom(text: TextFile | None) -> str:
    """Return the mark before decimals in files with such separators."""
    return COMMA if text is not None and text.separator == ";" else POINT


def _changes(read: Numerals, column: Any) -> bool:
    """Tell whether bare numbers are others than the column has."""
    bare = not read.gaps and not read.unit
    return bare and (is_text(column) or not np.array_equal(read.numbers, column.to_numpy(dtype=float), equal_nan=True))
