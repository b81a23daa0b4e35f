"""Any table as a pandas frame: files of text, Parquet, JSON and Excel, and frames of pandas, polars and Arrow."""

import codecs
import csv
import io
import json
import re
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import ErrbarError, InvalidInputError

MOST_COLUMNS = 100_000
_LONGEST_HEADER = 2**24  # a small packed file can hold a header that fills all memory
_SEPARATORS = ",;\t|"
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")  # characters that are in no text
_NOT_TEXT = (
    "is no text in UTF-8, UTF-16 or Windows-1252, and no Parquet; spreadsheets write CSV UTF-8"
)


def frame_of(source: Any) -> Any:
    """Return any table as a pandas frame with columns of one name each.

    Numbers with decimal commas are read where cells are not separated by commas, and columns in which
    every cell ends in a percent sign are numbers of percents. No column is dropped and no row is.

    Parameters
    ----------
    source : str, Path, data frame or mapping
        A file (CSV with any separator, also packed; ``.parquet``, ``.json``, ``.jsonl``, ``.xlsx``), a frame of
        pandas, polars or Arrow, or columns by name.

    Returns
    -------
    pandas.DataFrame
        Columns have names of text; an index with a name, or of dates, is a column.

    Raises
    ------
    InvalidInputError
        If the file cannot be read as a table, two columns have one name, or there is no row.
    """
    if isinstance(source, (str, Path)):
        where = str(source)
        frame = _of_file(existing(source))
    else:
        where = "the table"
        frame = _of_object(source)
    frame.columns = [str(name) for name in frame.columns]
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InvalidInputError(
            f"{where} has several columns {repeated[0]!r}; give each its own name"
        )
    if len(frame) == 0:
        raise InvalidInputError(f"{where} has a header and no rows")
    return _with_percents(frame)


def existing(path: str | Path) -> Path:
    """Return the path of a file that is there."""
    place = Path(path)
    if place.is_file():
        return place
    if not place.exists():
        raise InvalidInputError(f"there is no file {str(path)!r}")
    kind = "a folder" if place.is_dir() else "a pipe or device"
    raise InvalidInputError(f"{str(path)!r} is {kind}, not a file")


def is_text(column: Any) -> bool:
    """Tell whether a column holds neither numbers nor dates."""
    return column.dtype.kind not in "biufcmM"


def is_whole(column: Any) -> bool:
    """Tell whether a column holds whole numbers alone; empty cells do not count."""
    return column.dtype.kind in "biuf" and bool((column.dropna() % 1 == 0).all())


def _of_object(source: Any) -> Any:
    pandas = _check.package("pandas", "app")
    if isinstance(source, Mapping):
        columns = {str(name): np.asarray(column) for name, column in source.items()}
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise InvalidInputError(
                f"the columns of a table have one length, got {sorted(lengths)}"
            )
        # Of numbers with a gap, such as None, NumPy makes objects.
        return pandas.DataFrame(
            {
                name: pandas.Series(column.tolist() if column.dtype == object else column)
                for name, column in columns.items()
            }
        )
    if not isinstance(source, pandas.DataFrame):
        narwhals = _check.package("narwhals", "app")
        try:
            table = narwhals.from_native(source, eager_only=True)
        except TypeError:
            found = type(source).__name__
            raise InvalidInputError(
                f"a file, a data frame or a mapping of columns is needed, got {found}"
            ) from None
        return pandas.DataFrame({name: table[name].to_numpy() for name in table.columns})
    if source.index.nlevels == 1 and source.index.name is None and source.index.dtype.kind == "M":
        return source.rename_axis("date").reset_index()
    levels = [name for name in source.index.names if name is not None]
    return source.reset_index(level=levels).reset_index(drop=True)


def _of_file(place: Path) -> Any:
    """Read a file by its ending; a file of any other ending is one of text."""
    pandas = _check.package("pandas", "app")
    ending = place.suffix.lower()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if ending == ".parquet":
                _check.package("pyarrow", None)
                return _of_object(pandas.read_parquet(place))
            if ending in (".json", ".jsonl", ".ndjson"):
                return _of_json(pandas, place, lines=ending != ".json")
            if ending == ".xlsx":
                _check.package("openpyxl", None)
                return pandas.read_excel(place)
            return _of_text(pandas, place)
    except ErrbarError:
        raise
    except Exception as error:  # noqa: BLE001 - each format has errors of its own
        raise InvalidInputError(f"{place} {_why(error, ending)}") from None


def _why(error: Exception, ending: str) -> str:
    """Return why a file cannot be read."""
    if type(error).__name__ == "EmptyDataError":
        return "is empty"
    if isinstance(error, UnicodeError):
        return _NOT_TEXT
    reason = " ".join(str(error).split()) or type(error).__name__
    if "Error tokenizing data" in reason:
        reason += '; put cells that hold the separator in double quotes (")'
    return f"cannot be read as {ending.lstrip('.') or 'CSV'}: {reason}"


def _of_json(pandas: Any, place: Path, *, lines: bool) -> Any:
    """Read records; what is nested in a cell stays as text."""
    frame = pandas.read_json(
        place, lines=lines, orient="records", convert_dates=False, precise_float=True
    )
    for name in frame.columns[[is_text(frame[name]) for name in frame.columns]]:
        if any(isinstance(cell, (list, dict)) for cell in frame[name]):
            frame[name] = [
                json.dumps(cell) if isinstance(cell, (list, dict)) else cell for cell in frame[name]
            ]
    return frame


def _of_text(pandas: Any, place: Path) -> Any:
    with pandas.io.common.get_handle(place, "rb", compression="infer", is_text=False) as file:
        start = file.handle.read(_LONGEST_HEADER)
    wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not wide and _CONTROL.search(start):
        raise InvalidInputError(f"{place} {_NOT_TEXT}")
    encoding = "utf-16" if wide else "utf-8-sig"
    if not wide:
        try:
            codecs.getincrementaldecoder("utf-8")().decode(start)
        except UnicodeDecodeError:
            encoding = "cp1252"
    text = start.decode(encoding, "ignore")
    separator = _separator(place, text)
    if not text.strip():
        raise InvalidInputError(f"{place} is empty")
    decimal = "," if separator != "," and re.search(r"\d,\d", text) else "."
    how: dict[str, Any] = {"sep": separator, "decimal": decimal, "encoding": encoding}
    if tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1):
        how["float_precision"] = "round_trip"  # else most numbers are read with other last digits
    # Without index_col=False, the first cell of longer rows would be an index, and all others shift.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = pandas.read_csv(
            place, low_memory=False, index_col=False, skipinitialspace=True, **how
        )
    if any(issubclass(one.category, pandas.errors.ParserWarning) for one in caught):
        beyond = pandas.read_csv(place, header=None, skiprows=1, usecols=[frame.shape[1]], **how)
        if beyond.notna().any(axis=None):
            raise InvalidInputError(
                f"{place} has rows with more cells than its header; give names of rows a column of their own"
            )
    return frame


def _separator(place: Path, text: str) -> str:
    """Return what stands between the cells of the header, once this is fit to be read."""
    header = text.partition("\n")[0].rstrip("\r")
    if re.match(r"\s*[\[{]", header):
        raise InvalidInputError(
            f"{place} holds JSON; call it .json where it holds records, or .jsonl"
        )
    bare = re.sub(r'"[^"]*"', "", header)
    separator = next((mark for mark in _SEPARATORS if mark in bare), ",")
    if len(header) > _LONGEST_HEADER // 2 or bare.count(separator) > MOST_COLUMNS:
        raise InvalidInputError(
            f"{place} has a header of over {MOST_COLUMNS:,} columns, and no table has so many"
        )
    # pandas would give the second of two equal names another one.
    names = next(csv.reader(io.StringIO(header), delimiter=separator, skipinitialspace=True), [])
    repeated = [name for name, count in Counter(names).items() if count > 1 and name.strip()]
    if repeated:
        raise InvalidInputError(
            f"{place} has several columns {repeated[0]!r}; give each its own name"
        )
    return separator


def _with_percents(frame: Any) -> Any:
    """Return a frame in which columns of percents, such as ``81.5 %`` in every cell, are numbers."""
    pandas = _check.package("pandas", "app")
    for name in frame.columns:
        if not is_text(frame[name]) or not str(frame[name].iloc[0]).rstrip().endswith("%"):
            continue
        bare = (
            frame[name]
            .astype(str)
            .str.extract(r"^\s*([-+]?[\d.,]+)\s*%\s*$")[0]
            .str.replace(",", ".")
        )
        numbers = pandas.to_numeric(bare, errors="coerce")
        if numbers.notna().sum() == frame[name].notna().sum():
            frame = frame.assign(**{name: numbers})
    return frame
