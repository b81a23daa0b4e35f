"""Named records in one SQLite file. Arrays are kept as bytes with their type and shape; nothing is ever unpickled."""

import json
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from errbar.errors import InvalidInputError, StoreError

APPLICATION = 0x65727262
"""What marks the file as one of errbar's; it stands in the header that SQLite leaves to applications."""

VERSION = 1

BATCH_SECONDS = 0.5
BATCH_RECORDS = 64
WAIT_SECONDS = 60.0

_KINDS = "biufc"
_SMALLEST_ROW = 100
_LARGEST_FILE = 2**44
_READ_ONLY = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


@dataclass(frozen=True, eq=False)
class Record:
    """Arrays of numbers, and facts that JSON can hold, each by name."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


class RecordFile(AbstractContextManager["RecordFile"]):
    """A file of named records, made where there is none.

    Several processes can use one file at the same time. What `put` has been given is there when it returns, also if
    the process is killed the moment after. With `write=False` it may lie where nothing can be written.
    """

    def __init__(self, path: str | Path, *, write: bool = True) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise InvalidInputError(f"`store` must be a file, and '{path}' is a folder")
        if not self.path.parent.is_dir():
            raise InvalidInputError(f"`store`: there is no folder '{self.path.parent}' to make '{self.path.name}' in")
        address = self.path.absolute().as_uri()
        with self._explained():
            try:
                self._connect(address)
            except sqlite3.OperationalError as error:
                if write or _reason(error) not in _READ_ONLY:
                    raise
                # SQLite makes files next to a database even to read it, unless it is told that nobody writes.
                self._connect(f"{address}?immutable=1")

    def _connect(self, address: str) -> None:
        # A statement that changes something begins a transaction, which waits for its turn at once.
        self._database = sqlite3.connect(address, timeout=WAIT_SECONDS, isolation_level="IMMEDIATE", uri=True)
        self._database.text_factory = _decoded
        try:
            self._open()
        except BaseException:
            self._database.close()
            raise

    def done(self, names: Iterable[str]) -> set[str]:
        """Return those of the names that have a record."""
        query = "SELECT name FROM record WHERE name IN (SELECT value FROM json_each(?))"
        return {name for (name,) in self._rows(query, json.dumps(list(names)))}

    def get(self, name: str) -> Record:
        """Return the record of a name; KeyError if there is none."""
        row = next(self._rows("SELECT facts, layout, body, digest FROM record WHERE name = ?", name), None)
        if row is None:
            raise KeyError(name)
        facts, layout, body, digest = row
        if not _intact(name, facts, layout, body, digest):
            raise self._damaged_record(name)
        return Record(_unpacked(layout, body), json.loads(facts))

    def found(self, names: Any) -> Any:
        return {name: self.get(name) for name in self.done(names)}, []

    def claim(self, groups: Any) -> list[bool]:
        return [True for _ in groups]

    def release(self) -> None:
        pass

    def put(self, records: Iterable[tuple[str, Record]]) -> None:
        """Keep records, all of them or none; one with a known name replaces it."""
        rows = [_row(name, record) for name, record in records]
        with self._explained(), self._database:
            self._database.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?)", rows)

    def names(self) -> Iterator[str]:
        """Yield every name, in ascending order."""
        return (name for (name,) in self._rows("SELECT name FROM record ORDER BY name"))

    def facts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every name with its facts, without reading the arrays."""
        for name, facts in self._rows("SELECT name, facts FROM record ORDER BY name"):
            try:
                read = json.loads(facts)
            except ValueError:
                raise self._damaged_record(name) from None
            yield name, read

    def drop(self, names: Iterable[str]) -> None:
        """Remove records, all of them or none."""
        with self._explained(), self._database:
            self._database.executemany("DELETE FROM record WHERE name = ?", ((name,) for name in names))

    def compact(self) -> None:
        """Give room that is no longer used back."""
        with self._explained():
            self._database.execute("VACUUM")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def damaged(self) -> list[str]:
        """Return the names of records that are not what was written; an error if the file itself is broken."""
        with self._explained():
            said = self._database.execute("PRAGMA integrity_check").fetchone()[0]
            if said != "ok":
                raise sqlite3.DatabaseError(" ".join(str(said).split()))
            rows = self._database.execute("SELECT name, facts, layout, body, digest FROM record ORDER BY name")
            return [row[0] for row in rows if not _intact(*row)]

    def size(self) -> int:
        """Return the bytes of the file and of the log of what is not yet merged into it."""
        places = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        return sum(place.stat().st_size for place in places if place.exists())

    def __len__(self) -> int:
        """Return the number of records."""
        [(count,)] = self._rows("SELECT count(*) FROM record")
        return int(count)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __exit__(self, *error: object) -> None:
        """Let go of the file."""
        self.close()

    def _open(self) -> None:
        """Check whose file it is, and make the table where there is none."""
        until = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                new = self._check()
                if self._database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                    self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = NORMAL")
                if new:
                    self._make()
            except sqlite3.OperationalError as error:
                # Where several processes make the file at the same time, SQLite does not wait by itself.
                if _reason(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)
            else:
                return

    def _check(self) -> bool:
        """Refuse a file of something else; return whether it is still to be made."""
        query = "SELECT *, (SELECT count(*) FROM sqlite_master) FROM pragma_application_id, pragma_user_version"
        application, version, tables = self._database.execute(query).fetchone()
        if application != APPLICATION and (application or version or tables):
            raise InvalidInputError(f"`store`: '{self.path}' is a database of something else, not a store of errbar")
        if version > VERSION:
            raise InvalidInputError(
                f"`store`: '{self.path}' was written by a newer errbar (version {version} of the file, this one knows "
                f"{VERSION}); update errbar, or give another file"
            )
        return bool(application != APPLICATION)

    def _make(self) -> None:
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS record (name TEXT PRIMARY KEY, facts TEXT NOT NULL, layout TEXT NOT NULL, "
                "body BLOB NOT NULL, digest BLOB NOT NULL)"
            )
            self._database.execute(f"PRAGMA application_id = {APPLICATION}")
            self._database.execute(f"PRAGMA user_version = {VERSION}")

    def _damaged_record(self, name: str) -> StoreError:
        return StoreError(
            f"the store '{self.path}' is damaged: record {name!r} is not what was written; errbar store prune "
            f"'{self.path}' --damaged removes such records, so that they are done again"
        )

    def _rows(self, query: str, *given: str) -> Iterator[tuple[Any, ...]]:
        with self._explained():
            yield from self._database.execute(query, given)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.OperationalError, sqlite3.ProgrammingError) as error:
            hint = "; files must be made next to it" if _reason(error) in _READ_ONLY else ""
            raise StoreError(f"the store '{self.path}' cannot be used: {error}{hint}") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the store '{self.path}' is damaged, or is no store of errbar ({error}); errbar store rescue "
                f"'{self.path}' NEW writes what can still be read into a new file"
            ) from error


def _reason(error: sqlite3.Error) -> int:
    """Return SQLite's number of a kind of error; 0 where Python's module raised it by itself."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


class Batch:
    """Hands over what it takes in batches: after half a second, or 64, and what is left at the end, come what may.

    Parameters
    ----------
    place : RecordFile or store
        Where it goes: something with a method ``put`` for several at once.
    """

    def __init__(self, place: Any) -> None:
        self._place = place
        self._waiting: list[Any] = []
        self._since = time.monotonic()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def put(self, one: Any) -> None:
        """Take one."""
        self._waiting.append(one)
        if self._due():
            self.flush()

    def _due(self) -> bool:
        return len(self._waiting) >= BATCH_RECORDS or time.monotonic() - self._since >= BATCH_SECONDS

    def flush(self) -> None:
        """Hand over what has been taken."""
        waiting, self._waiting = self._waiting, []
        try:
            if waiting:
                self._place.put(waiting)
        finally:
            self._since = time.monotonic()

    def __exit__(self, *error: object) -> None:
        """Hand over what is left, also where something went wrong."""
        self.flush()


def rescue(path: Path, new: Path) -> int:
    """Copy every record of a damaged file that is still what was written into a new file; return their number."""
    if new.exists():
        raise InvalidInputError(f"'{new}' exists already; what is rescued goes into a new file")
    kept = 0
    with RecordFile(new) as file, Batch(file) as batch:
        for name, facts, layout, body in _readable(path, new.parent):
            batch.put((name, Record(_unpacked(layout, body), json.loads(facts))))
            kept += 1
    if not kept:
        new.unlink()
        raise StoreError(f"nothing in '{path}' can be read")
    return kept


def _readable(path: Path, place: Path) -> Iterator[tuple[str, str, str, bytes]]:
    """Yield the rows that are what was written. Each is looked up by its number: a damaged one hides no others."""
    with tempfile.TemporaryDirectory(prefix="errbar-", dir=place) as folder:
        copy = Path(folder) / "copy.db"
        try:
            _copied(path, copy)
        except OSError as error:
            raise StoreError(f"'{path}' cannot be copied to '{place}': {error.strerror or error}") from None
        database = sqlite3.connect(copy, isolation_level=None)
        database.text_factory = _decoded
        try:
            for number in range(1, _last(database, copy) + 1):
                with suppress(sqlite3.DatabaseError):
                    query = "SELECT name, facts, layout, body, digest FROM record WHERE rowid = ?"
                    row = database.execute(query, (number,)).fetchone()
                    if row is not None and _intact(*row):
                        yield row[:4]
        finally:
            database.close()


def _last(database: sqlite3.Connection, copy: Path) -> int:
    """Return a number that no row exceeds."""
    try:
        return int(database.execute("SELECT coalesce(max(rowid), 0) FROM record").fetchone()[0])
    except sqlite3.DatabaseError as error:
        # Where not even the head of the file can be read, no row can.
        none = error.sqlite_errorcode == sqlite3.SQLITE_NOTADB
        return 0 if none else copy.stat().st_size // _SMALLEST_ROW


def _copied(path: Path, copy: Path) -> None:
    """Copy a file with its log, and make it as long as its header says: SQLite reads nothing of a file cut short."""
    shutil.copyfile(path, copy)
    log = path.with_name(f"{path.name}-wal")
    if log.is_file():
        shutil.copyfile(log, copy.with_name(f"{copy.name}-wal"))
    with copy.open("r+b") as file:
        header = file.read(32)
        page = int.from_bytes(header[16:18])
        size = (2**16 if page == 1 else page) * int.from_bytes(header[28:32])
        if copy.stat().st_size < size < _LARGEST_FILE:
            file.truncate(size)


def _decoded(text: bytes) -> str:
    """Return text, also what noise has made unreadable: it does not match its digest any more."""
    return text.decode(errors="replace")


def _intact(name: Any, facts: Any, layout: Any, body: Any, digest: Any) -> bool:
    texts = all(isinstance(part, str) for part in (name, facts, layout))
    return texts and isinstance(body, bytes) and _digest(facts, layout, body) == digest


def _row(name: str, record: Record) -> tuple[str, str, str, bytes, bytes]:
    facts = json.dumps(dict(record.facts), sort_keys=True)
    layout, body = _packed(record.arrays)
    return name, facts, layout, body, _digest(facts, layout, body)


def _packed(arrays: Mapping[str, NDArray[Any]]) -> tuple[str, bytes]:
    layout, parts = [], []
    for name, given in arrays.items():
        array = np.ascontiguousarray(given)
        if array.dtype.kind not in _KINDS:
            raise TypeError(f"records hold numbers only; {name!r} is of type {array.dtype}")
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        layout.append([name, little.dtype.str, list(np.shape(given))])
        parts.append(little.tobytes())
    return json.dumps(layout), b"".join(parts)


def _unpacked(layout: str, body: bytes) -> dict[str, NDArray[Any]]:
    arrays, start = {}, 0
    for name, kind, shape in json.loads(layout):
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(body, dtype=np.dtype(kind), count=count, offset=start).reshape(shape)
        start += count * np.dtype(kind).itemsize
    return arrays


def _digest(facts: str, layout: str, body: bytes) -> bytes:
    state = blake2b(digest_size=16)
    for part in (facts.encode(), layout.encode(), body):
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()
