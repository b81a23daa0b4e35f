"""CSV and Parquet files as people have them, as data frames."""

import warnings
from collections.abc import Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
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
    NumberTexts,
    Numerals,
    as_whole,
    is_text,
    number_texts,
    said,
    style_of,
)
from errbar.sources._text_files import NOT_TEXT, TextFile, read_text

_FIRST_ROWS = 1000


@dataclass(frozen=True, eq=False)
class FileTable:
    """A table in a file.

    Attributes
    ----------
    frame : DataFrame
        The table.
    notes : tuple of Note
        How it was read, where that is not certain.
    text : TextFile or None
        The file, where it is one of text.
    style : str or None
        Mark before the decimals of its numbers, where that is not the usual point.
    """

    frame: Any
    notes: tuple[Note, ...] = ()
    text: TextFile | None = None
    style: str | None = None

    def written(self, name: str) -> Any:
        """Return a column as it is written, text of no value included; None where the file is not of text."""
        return None if self.text is None else self.text.texts(_check.package("pandas", "app"), [name])[name]

    def with_codes(self, names: Sequence[str]) -> "FileTable":
        """Return the table with those of these columns as text whose numbers are names: so large that some are alike as numbers of floating point, or with zeros in front, such as postal codes."""
        pandas = _check.package("pandas", "app")
        large = [name for name in names if self.frame[name].dtype.kind in "iu" and _are_large(self.frame[name])]
        if large:
            note = Note("read", text_of_digits=large)
            frame = self.frame.assign(**{name: self.frame[name].astype(str) for name in large})
            return replace(self, frame=frame, notes=(*self.notes, note)).with_codes(names)
        numbers = [name for name in names if self.frame[name].dtype.kind in "if"]
        if self.text is None or not numbers:
            return self
        # Codes with zeros in front are seldom rare, and to read all columns twice takes its time.
        start = self.text.texts(pandas, numbers, nrows=_FIRST_ROWS)
        found = [name for name in numbers if _are_codes(set(start[name]) - {""})]
        if not found:
            return self
        texts = self.text.texts(pandas, found).mask(self.frame[found].isna(), None)
        note = Note("read", text_of_digits=found)
        return replace(self, frame=self.frame.assign(**texts), notes=(*self.notes, note))

    def numerals(self, column: NumberTexts | None, style: str | None) -> Numerals | None:
        """Return texts as numbers, as they are written in such a file; None where they are none."""
        between_commas = self.text is not None and self.text.separator == ","
        return None if column is None else column.read(style, _custom(self.text), between_commas=between_commas)


def _are_large(column: Any) -> bool:
    return bool(len(column) and max(abs(int(column.min())), abs(int(column.max()))) >= 10**15)


def _are_codes(texts: AbstractSet[str]) -> bool:
    """Tell whether texts are digits alone, as many in each, and some begin with a zero; of two digits they may be months."""
    lengths = {*map(len, texts)}
    zeros = any(text[0] == "0" for text in texts)
    return zeros and all(map(str.isdecimal, texts)) and len(lengths) == 1 and lengths.pop() > 2


def read_frame(path: str | Path) -> tuple[Any, tuple[Note, ...]]:
    """Read a file as `read_table` does, and return the frame and the notes."""
    table = read_table(path)
    return table.frame, table.notes


def read_table(path: str | Path) -> FileTable:
    """Read a CSV (also .gz, .bz2, .xz, .zip) or Parquet file into a pandas frame, or say in one sentence why not."""
    pandas = _check.package("pandas", "app")
    place = existing(path)
    packed = place.suffix == ".parquet"
    if packed:
        _check.package("pyarrow", None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = FileTable(_with_index(pandas.read_parquet(place))) if packed else _read_csv(pandas, place)
    except InvalidInputError:
        raise
    except Exception as error:  # noqa: BLE001 - each way to pack a file has errors of its own
        raise InvalidInputError(f"{path} {_why(error, place)}") from None
    frame = table.frame
    if any("\x00" in str(name) for name in frame.columns):
        raise InvalidInputError(f"{path} {NOT_TEXT}")
    if not frame.columns.is_unique:
        raise InvalidInputError(f"{path} has several columns {frame.columns[frame.columns.duplicated()][0]!r}")
    if len(frame) == 0:
        raise InvalidInputError(f"{path} has a header and no rows")
    return table


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


def _read_csv(pandas: Any, place: Path) -> FileTable:
    frame, text = read_text(pandas, place)
    # Between commas, numbers with a decimal comma are rare.
    found, style = ({}, None) if text.separator == "," else _with_commas(pandas, frame, text)
    notes = text.notes
    if found:
        frame = frame.assign(**{name: as_whole(read.numbers) for name, read in found.items()})
        notes = (*notes, Note("read", numbers=said(found)))
    return FileTable(frame, notes, text, style)


def _with_commas(pandas: Any, frame: Any, text: TextFile) -> tuple[Mapping[str, Numerals], str | None]:
    """Return the columns of bare numbers with commas, or with points for thousands, and the style of the file."""
    texts = (name for name in frame if is_text(frame[name]))
    cells = {name: read for name in texts if (read := number_texts(frame[name])) is not None}
    if not cells:
        return {}, None
    columns = text.texts(pandas, [name for name in frame if frame[name].dtype.kind == "f"])
    columns = columns.mask(frame[columns.columns].isna())
    cells |= {name: read for name in columns if (read := number_texts(columns[name])) is not None}
    style = style_of(cells.values())
    found = {name: read.read(style, _custom(text)) for name, read in cells.items()}
    return {name: read for name, read in found.items() if read is not None and _changes(read, frame[name])}, style


def _custom(text: TextFile | None) -> str:
    """Return the mark before decimals in files with such separators."""
    return COMMA if text is not None and text.separator == ";" else POINT


def _changes(read: Numerals, column: Any) -> bool:
    """Tell whether bare numbers are others than the column has."""
    bare = not read.gaps and not read.unit
    return bare and (is_text(column) or not np.array_equal(read.numbers, column.to_numpy(dtype=float), equal_nan=True))
