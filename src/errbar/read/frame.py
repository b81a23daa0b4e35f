"""Any table as a pandas frame: files of text, Parquet, JSON and Excel, and frames of pandas, polars and Arrow."""

import codecs
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.errors import ErrbarError, InvalidInputError, one_line

_LONGEST_HEADER = 500_000  # a small packed file can hold a header that fills all memory
_SEPARATORS = ",;\t|"
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")  # characters that are in no text
_PERCENT = r"\s*([-+]?\d*[.,]?\d+)\s*%\s*"


def frame_of(source: Any) -> Any:
    """Return any table as a pandas frame with columns of one name each; no column or row is dropped.

    Numbers with decimal commas are read where cells are not separated by commas, and columns in which
    every cell ends in a percent sign are percents. An index with a name, or of dates, is a column.
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
    for name in [name for name in frame.columns if is_text(frame[name])]:
        cells = frame[name].dropna().astype(str)
        if cells.size and cells.str.fullmatch(_PERCENT).all():
            numbers = cells.str.extract(_PERCENT)[0].str.replace(",", ".").astype(float)
            frame = frame.assign(**{name: numbers})  # rows without a cell stay empty
    return frame


def existing(path: str | Path) -> Path:
    """Return the path of a file that is there."""
    place = Path(path)
    if not place.is_file():
        there = "is a folder, a pipe or a device" if place.exists() else "is not there"
        raise InvalidInputError(f"a file is needed, and {str(path)!r} {there}")
    return place


def is_text(column: Any) -> bool:
    """Tell whether a column holds neither numbers nor dates."""
    return column.dtype.kind not in "biufcmM"


def is_whole(column: Any) -> bool:
    """Tell whether a column holds whole numbers alone; empty cells do not count."""
    return column.dtype.kind in "biuf" and bool((column.dropna() % 1 == 0).all())


def _of_object(source: Any) -> Any:
    pandas = _check.package("pandas", "app")
    if isinstance(source, Mapping):
        try:
            # Rows stand side by side as they come, whatever index a column has.
            return pandas.DataFrame({str(name): list(column) for name, column in source.items()})
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"the columns make no table: {one_line(error)}") from None
    if not isinstance(source, pandas.DataFrame):
        narwhals = _check.package("narwhals", "app")
        try:
            table = narwhals.from_native(source, eager_only=True)
        except TypeError:
            raise InvalidInputError(
                f"give a file, a frame or a mapping of columns, got {type(source).__name__}"
            ) from None
        return pandas.DataFrame({name: table[name].to_numpy() for name in table.columns})
    if source.index.nlevels == 1 and source.index.name is None and source.index.dtype.kind == "M":
        source = source.rename_axis("date")
    levels = [name for name in source.index.names if name is not None]
    return source.reset_index(level=levels).reset_index(drop=True)


def _of_file(place: Path) -> Any:
    """Read a file by its ending; a file of any other ending is one of text."""
    pandas = _check.package("pandas", "app")
    ending = place.suffix.lower()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Cells beyond the header would be dropped with a warning.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            if ending == ".parquet":
                _check.package("pyarrow", None)
                return _of_object(pandas.read_parquet(place))
            if ending in (".json", ".jsonl", ".ndjson"):
                frame = pandas.read_json(
                    place,
                    lines=ending != ".json",
                    orient="records",
                    convert_dates=False,
                    precise_float=True,
                )
                nested = frame.map(lambda cell: isinstance(cell, (list, dict)))
                return frame.where(~nested, frame.map(str)) if nested.any(axis=None) else frame
            if ending == ".xlsx":
                _check.package("openpyxl", None)
                return pandas.read_excel(place)
            return _of_text(pandas, place)
    except ErrbarError:
        raise
    except UnicodeError:
        raise _no_text(place) from None
    except Exception as error:  # noqa: BLE001 - each format has errors of its own
        raise InvalidInputError(f"{place} cannot be read: {one_line(error)}") from None


def _no_text(place: Path) -> InvalidInputError:
    return InvalidInputError(
        f"{place} is no text in UTF-8, UTF-16 or Windows-1252, and no Parquet; spreadsheets write CSV UTF-8"
    )


def _of_text(pandas: Any, place: Path) -> Any:
    with pandas.io.common.get_handle(place, "rb", compression="infer", is_text=False) as file:
        start = file.handle.read(_LONGEST_HEADER)
    encoding = "utf-8-sig"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif _CONTROL.search(start):
        raise _no_text(place)
    else:
        try:
            codecs.getincrementaldecoder("utf-8")().decode(start)
        except UnicodeDecodeError:
            encoding = "cp1252"
    text = start.decode(encoding, "ignore").lstrip("\r\n")
    header, ended, _ = text.partition("\n")
    if not header.strip():
        raise InvalidInputError(f"{place} is empty")
    if not ended and len(start) == _LONGEST_HEADER:
        raise InvalidInputError(f"{place} has a header of over {_LONGEST_HEADER:,} characters")
    bare = re.sub(r'"[^"]*"', "", header)
    separator = next((mark for mark in _SEPARATORS if mark in bare), ",")
    decimal = "," if separator != "," and re.search(r"\d,\d", text) else "."
    how: dict[str, Any] = {"sep": separator, "decimal": decimal, "encoding": encoding}
    how |= {"skipinitialspace": True, "low_memory": False}
    if tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1):
        how["float_precision"] = "round_trip"  # else most numbers are read with other last digits
    # Without index_col=False, the first cell of longer rows would be an index, and all others shift.
    frame = pandas.read_csv(place, index_col=False, **how)
    # pandas gives the second of two equal names another one, and a column without any a number.
    names = pandas.read_csv(place, header=None, nrows=1, dtype=str, **how).iloc[0]
    frame.columns = names.where(names.notna(), frame.columns)
    return frame
