"""CSV and Parquet files as people have them, as data frames."""

import codecs
import re
import warnings
from functools import partial
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.result import Note
from errbar.sources._columns import existing

MOST_COLUMNS = 100_000
_LONGEST_HEADER = 2**24
_NOT_TEXT = (
    "is not a text file in UTF-8, UTF-16 or Windows-1252; a CSV file (also .gz or .xz) or a .parquet file is needed, and spreadsheets write "
    "the former as CSV UTF-8"
)
_JSON = re.compile(rb"\s*(\{|\[\s*[\[{])")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
"""Characters that are in no text."""


def read_frame(path: str | Path) -> tuple[Any, tuple[Note, ...]]:
    """Read a CSV (also .gz, .bz2, .xz, .zip) or Parquet file into a pandas frame, or say in one sentence why not.

    Returns
    -------
    frame : DataFrame
        The table.
    notes : tuple of Note
        How it was read, where that is not certain.
    """
    pandas = _check.package("pandas", "app")
    place = existing(path)
    packed = place.suffix == ".parquet"
    if packed:
        _check.package("pyarrow", None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame, notes = (pandas.read_parquet(place), ()) if packed else _read_csv(pandas, place)
    except InvalidInputError:
        raise
    except Exception as error:  # noqa: BLE001 - each way to pack a file has errors of its own
        raise InvalidInputError(f"{path} {_why(error, place)}") from None
    if any("\x00" in str(name) for name in frame.columns):
        raise InvalidInputError(f"{path} {_NOT_TEXT}")
    if not frame.columns.is_unique:
        raise InvalidInputError(f"{path} has several columns {frame.columns[frame.columns.duplicated()][0]!r}")
    if len(frame) == 0:
        raise InvalidInputError(f"{path} has a header and no rows")
    return frame, notes


def _why(error: Exception, place: Path) -> str:
    """Return why a file cannot be read."""
    if type(error).__name__ == "EmptyDataError":
        return "is empty"
    if isinstance(error, UnicodeError):
        return _NOT_TEXT
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"cannot be read as {place.suffix.lstrip('.') or 'CSV'}: {reason}"


def _read_csv(pandas: Any, place: Path) -> tuple[Any, tuple[Note, ...]]:
    """Read a text file whose header has a sensible length: a small packed file can hold one that fills all memory."""
    opened = partial(pandas.io.common.get_handle, place, "rb", compression="infer", is_text=False)
    with opened() as file:
        start = file.handle.read(_LONGEST_HEADER)
    wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = start.decode("utf-16", "ignore").encode() if wide else start
    header = text.partition(b"\n")[0]
    if _JSON.match(text.removeprefix(codecs.BOM_UTF8)):
        raise InvalidInputError(
            f"{place} is JSON and no table: save a table as CSV or Parquet; of lm-evaluation-harness the logs of samples are read, "
            "samples_*.jsonl, which it writes with --log_samples"
        )
    separator = _separator(header)
    commas = header.count(separator.encode())
    if len(header) == _LONGEST_HEADER or commas > MOST_COLUMNS:
        raise InvalidInputError(
            f"{place} has a header of {len(header):,} bytes with {commas:,} commas; at most {MOST_COLUMNS:,} columns can be read"
        )
    read = partial(pandas.read_csv, place, sep=separator, low_memory=False)
    notes: tuple[Note, ...] = ()
    try:
        frame = read(encoding="utf-16" if wide else "utf-8")
    except UnicodeDecodeError:
        with opened() as file:
            if _CONTROL.search(file.handle.read()):
                raise
        frame = read(encoding="cp1252")
        text = f"{place.name} is not in UTF-8 and was read as Windows-1252; if names look wrong, save it as UTF-8"
        notes = (Note("encoding", text),)
    if separator == ";":  # numbers mostly have a decimal comma then
        frame = frame.apply(partial(_with_decimal_comma, pandas))
    if not isinstance(frame.index, pandas.RangeIndex):
        raise InvalidInputError(f"{place} has rows with more cells than its header has columns")
    return frame, notes


def _separator(header: bytes) -> str:
    """Return what stands between the cells: a comma, or else a semicolon or tab, if the header has one."""
    bare = re.sub(rb'"[^"]*"', b"", header)
    return next((mark.decode() for mark in (b",", b";", b"\t") if mark in bare), ",")


def _with_decimal_comma(pandas: Any, column: Any) -> Any:
    """Return a column as numbers where all of its texts are numbers with a decimal comma."""
    texts = column.dropna()
    if (
        column.dtype.kind in "biuf"
        or texts.empty
        or not texts.astype(str).str.fullmatch(r"[-+]?\d*,?\d+(e[-+]?\d+)?").all()
    ):
        return column
    return pandas.to_numeric(column.astype(str).where(column.notna()).str.replace(",", "."))
