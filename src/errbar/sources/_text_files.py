"""Tables in text files: what stands between their cells, in which encoding, and which lines are none of the table."""

import codecs
import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from errbar.errors import InvalidInputError
from errbar.result import Note

MOST_COLUMNS = 100_000
NOT_TEXT = (
    "is not a text file in UTF-8, UTF-16 or Windows-1252; a CSV file (also .gz or .xz) or a .parquet file is needed, and spreadsheets write "
    "the former as CSV UTF-8"
)
_LONGEST_HEADER = 2**24
_JSON = re.compile(rb"\s*(\{\s*[\"}]|\[\s*[\[{])")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
"""Characters that are in no text."""
BLANKS = r"\s+"
_SEPARATORS = (b",", b";", b"\t", b"|")
_SAID = re.compile(rb"\s*\"?sep=(.)\"?\s*")
"""The first line of files for Excel."""


@dataclass(frozen=True)
class TextFile:
    """A table in a text file.

    Attributes
    ----------
    place : Path
        The file, packed or not.
    separator, encoding : str
        What stands between its cells, and how characters are written.
    skipped : int
        Lines before the header.
    notes : tuple of Note
        How it is read, where that is not certain.
    """

    place: Path
    separator: str = ","
    encoding: str = "utf-8"
    skipped: int = 0
    notes: tuple[Note, ...] = ()

    def read(self, pandas: Any, **options: Any) -> Any:
        """Return a data frame."""
        how: dict[str, Any] = {"sep": self.separator, "encoding": self.encoding, "skiprows": self.skipped}
        if tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1):
            how["float_precision"] = "round_trip"  # else most numbers are read with other last digits
        # Else the first cells of rows with one more than the header would be an index, and all others shift.
        return pandas.read_csv(self.place, low_memory=False, index_col=False, **how, **options)

    def texts(self, pandas: Any, names: Sequence[str], **options: Any) -> Any:
        """Return columns as they are written, text of no value included."""
        return self.read(pandas, usecols=list(names), dtype=str, keep_default_na=False, **options)[list(names)]


def read_text(pandas: Any, place: Path) -> tuple[Any, TextFile]:
    """Read a text file whose header has a sensible length: a small packed file can hold one that fills all memory."""
    opened = partial(pandas.io.common.get_handle, place, "rb", compression="infer", is_text=False)
    with opened() as file:
        start = file.handle.read(_LONGEST_HEADER)
    found = _recognized(place, start)
    try:
        frame = _whole(pandas, found)
    except UnicodeDecodeError:
        with opened() as file:
            if _CONTROL.search(file.handle.read()):
                raise
        found = replace(found, encoding="cp1252", notes=(*found.notes, Note("read", encoding=["Windows-1252"])))
        frame = _whole(pandas, found)
    return frame, found


def _whole(pandas: Any, text: TextFile) -> Any:
    """Return a data frame, or raise if rows have a cell beyond the columns that is not empty."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = text.read(pandas)
    if any(issubclass(one.category, pandas.errors.ParserWarning) for one in caught):
        beyond = replace(text, skipped=text.skipped + 1).read(pandas, header=None, usecols=[frame.shape[1]])
        if beyond.notna().any(axis=None):
            raise InvalidInputError(
                f"{text.place} has rows with more cells than its header has columns; names of rows need a column of their own (in R, "
                "write.csv writes one, and row.names = FALSE leaves them out), and lines above the header must go"
            )
    return frame


def _recognized(place: Path, start: bytes) -> TextFile:
    """Return how a file is to be read that starts like this, once its header is fit to be read."""
    wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = (start.decode("utf-16", "ignore").encode() if wide else start).removeprefix(codecs.BOM_UTF8)
    if _JSON.match(text):
        raise InvalidInputError(
            f"{place} is JSON and no table: save a table as CSV or Parquet; of lm-evaluation-harness the logs of samples are read, "
            "samples_*.jsonl, which it writes with --log_samples"
        )
    stated = _SAID.fullmatch(text.partition(b"\n")[0])
    comments = 0 if stated else _comments(text)
    skipped = 1 if stated else comments
    rest = text.split(b"\n", skipped)[-1] if skipped else text
    header, first = [*rest.split(b"\n", 2), b""][:2]
    separator = stated[1].decode("latin-1") if stated else _separator(header, first)
    commas = header.count(separator.encode())
    if len(header) == _LONGEST_HEADER or commas > MOST_COLUMNS:
        raise InvalidInputError(
            f"{place} has a header of {len(header):,} bytes with {commas:,} commas; at most {MOST_COLUMNS:,} columns can be read"
        )
    _refuse_repeated_names(place, rest, separator)
    notes: tuple[Note, ...] = ()
    if comments:
        notes = (Note("read", comment_lines=[comments]),)
    return TextFile(place, separator, "utf-16" if wide else "utf-8", skipped, notes)


def _comments(text: bytes) -> int:
    """Return how many lines before the header are comments: they begin with # and have other numbers of cells than the header."""
    lines = text[:_LONGEST_HEADER].splitlines()
    count = next((place for place, line in enumerate(lines) if not line.startswith(b"#")), 0)
    if count == 0:
        return 0
    separator = _separator(lines[count]).encode()
    cells = lines[count].count(separator)
    return count - 1 if cells and lines[count - 1].count(separator) == cells else count


def _separator(header: bytes, first: bytes = b"") -> str:
    """Return what stands between the cells: a comma, or else a semicolon, tab or bar, if the header has one, or else blanks.

    Blanks are such if the first row has as many parts as the header, or the name of the row besides.
    """
    bare, row = (re.sub(rb'"[^"]*"', b"cell", line) for line in (header, first))
    found = next((mark.decode() for mark in _SEPARATORS if mark in bare), ",")
    parts, cells = len(bare.split()), len(row.split())
    return BLANKS if found.encode() not in bare and parts > 1 and cells - parts in (0, 1) else found


def _refuse_repeated_names(place: Path, text: bytes, separator: str) -> None:
    """Raise if two columns have one name: pandas would call the second by another, and a copy of a target would be a feature."""
    start = io.StringIO(text.decode("utf-8", "replace"), newline="")
    blanks = separator == BLANKS
    try:
        rows = csv.reader(start, delimiter=" " if blanks else separator, skipinitialspace=blanks)
        names = next((row for row in rows if row), [])
    except csv.Error:
        return
    repeated = [name for name, count in Counter(names).items() if count > 1 and name.strip()]
    if repeated:
        raise InvalidInputError(f"{place} has several columns {repeated[0]!r}; give each a name of its own")
