"""What can still be read of a damaged file of records."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from errbar._packing import COLUMNS, TABLE, is_intact, unpacked
from errbar._records import PAGE, RAISED, Batch, Record, RecordFile, decoded, log_of
from errbar.errors import InvalidInputError, StoreError

_LEAF = b"\x0d"
"""First byte of a page that holds rows of a table."""


def rescue(path: Path, new: Path) -> int:
    """Copy every record of a damaged file that is still what was written into a new file; return their number."""
    if new.exists():
        raise InvalidInputError(f"'{new}' exists already; what is rescued goes into a new file")
    with RecordFile(new) as file:
        with Batch(file) as batch:
            for row in _readable(path, new.parent):
                batch.put((row[1], Record(*unpacked(row))))
        kept = len(file)
    if not kept:
        new.unlink()
        raise StoreError(f"nothing in '{path}' can be read")
    return kept


def _readable(path: Path, place: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the rows that are what was written."""
    with tempfile.TemporaryDirectory(prefix="errbar-", dir=place) as folder:
        copy, sound = Path(folder) / "copy.db", Path(folder) / "sound.db"
        try:
            shutil.copyfile(path, copy)
            if log_of(path).is_file():
                shutil.copyfile(log_of(path), log_of(copy))
        except OSError as error:
            raise StoreError(
                f"'{path}' cannot be copied to '{place}': {error.strerror or error}"
            ) from None
        with suppress(*RAISED), closing(sqlite3.connect(copy)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        log_of(copy).unlink(missing_ok=True)
        with closing(sqlite3.connect(sound)) as database:
            database.execute(f"PRAGMA page_size = {PAGE}")
            database.execute(f"CREATE TABLE {TABLE}")
        yield from _rows(copy, sound.read_bytes()[:PAGE])


def _rows(copy: Path, first: bytes) -> Iterator[tuple[Any, ...]]:
    """Yield the sound rows of every leaf, one leaf after the other in the place of the table's root.

    So no page that leads to others is needed. The first page is that of a sound file, without the number of pages.
    """
    with copy.open("r+b") as file:
        file.write(first[:28] + bytes(4) + first[32:])
        for start in range(PAGE, copy.stat().st_size, PAGE):
            file.seek(start)
            page = file.read(PAGE)
            if page.startswith(_LEAF):
                file.seek(PAGE)
                file.write(page)
                file.flush()
                yield from _rows_of_root(copy)


def _rows_of_root(copy: Path) -> list[tuple[Any, ...]]:
    found = []
    with (
        closing(sqlite3.connect(f"{copy.absolute().as_uri()}?immutable=1", uri=True)) as database,
        suppress(*RAISED),
    ):
        database.text_factory = decoded
        for place in database.execute("SELECT id FROM record").fetchall():
            with suppress(*RAISED):
                row = database.execute(
                    f"SELECT {COLUMNS} FROM record WHERE id = ?", place
                ).fetchone()
                if row is not None and is_intact(*row):
                    found.append(row)
    return found
