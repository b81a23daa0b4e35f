"""Any table as a pandas frame: files of text, Parquet, JSON and Excel, and frames of pandas, polars and Arrow."""

import codecs
import io
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.errors import ErrbarError, InvalidInputError, one_line

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
            if ending == ".xlsx":
                _check.package("openpyxl", None)
                return pandas.read_excel(place)
            if ending in (".json", ".jsonl", ".ndjson"):
                how = {"orient": "records", "convert_dates": False, "precise_float": True}
                frame = pandas.read_json(place, lines=ending != ".json", **how)
                return frame.map(lambda cell: str(cell) if isinstance(cell, (list, dict)) else cell)
            return _of_text(pandas, place)
    except ErrbarError:
        raise
    except Exception as error:  # noqa: BLE001 - each format has errors of its own
        raise InvalidInputError(f"{place} cannot be read: {one_line(error)}") from None


def _of_text(pandas: Any, place: Path) -> Any:
    with pandas.io.common.get_handle(place, "rb", compression="infer", is_text=False) as file:
        packed = file.handle.read()
    wide = packed.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if _CONTROL.search(packed) and not wide:
        raise InvalidInputError(f"{place} is no text, and no Parquet; spreadsheets write CSV UTF-8")
    try:
        text = packed.decode("utf-16" if wide else "utf-8-sig").lstrip("\r\n")
    except UnicodeDecodeError:
        text = packed.decode("cp1252")
    header = text.partition("\n")[0]
    bare = re.sub(r'"[^"]*"', "", header)
    separator = next((mark for mark in _SEPARATORS if mark in bare), ",")
    decimal = "," if separator != "," and re.search(r"\d,\d", text) else "."
    how: dict[str, Any] = {"sep": separator, "decimal": decimal, "skipinitialspace": True}
    if tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1):
        how["float_precision"] = "round_trip"  # else most numbers are read with other last digits
    # Without index_col=False, the first cell of longer rows would be an index, and all others shift.
    frame = pandas.read_csv(io.StringIO(text), index_col=False, low_memory=False, **how)
    # pandas gives the second of two equal names another one, and a column without any a number.
    names = pandas.read_csv(io.StringIO(text), header=None, nrows=1, dtype=str, **how).iloc[0]
    frame.columns = names.where(names.notna(), frame.columns)
    return frame
