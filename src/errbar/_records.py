"""Named records in one SQLite file. Arrays are kept as bytes with their type and shape; nothing is ever unpickled."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from types import TracebackType
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
_MOST_VARIABLES = 500


@dataclass(frozen=True, eq=False)
class Record:
    """Arrays of numbers, and facts that JSON can hold, each by name."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


class RecordFile:
    """A file of named records, made where there is none.

    Several processes can use one file at the same time. What `put` has been given is there when it returns, also if
    the process is killed the moment after.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise InvalidInputError(f"`store` must be a file, and '{path}' is a folder")
        if not self.path.parent.is_dir():
            raise InvalidInputError(f"`store`: there is no folder '{self.path.parent}' to make '{self.path.name}' in")
        with self._explained():
            self._database = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
            self._open()

    def done(self, names: Iterable[str]) -> set[str]:
        """Return those of the names that have a record."""
        found: set[str] = set()
        with self._explained():
            remaining = iter(names)
            while some := tuple(islice(remaining, _MOST_VARIABLES)):
                marks = ",".join("?" * len(some))
                rows = self._database.execute(f"SELECT name FROM record WHERE name IN ({marks})", some)
                found.update(name for (name,) in rows)
        return found

    def get(self, name: str) -> Record:
        """Return the record of a name; KeyError if there is none."""
        with self._explained():
            query = "SELECT facts, layout, body, digest FROM record WHERE name = ?"
            row = self._database.execute(query, (name,)).fetchone()
        if row is None:
            raise KeyError(name)
        facts, layout, body, digest = row
        if _digest(facts, layout, body) != digest:
            raise StoreError(f"the store '{self.path}' is damaged: record {name!r} is not what was written")
        return Record(_unpacked(layout, body), json.loads(facts))

    def put(self, records: Iterable[tuple[str, Record]]) -> None:
        """Keep records, all of them or none; one with a known name replaces it."""
        rows = [_row(name, record) for name, record in records]
        with self._explained(), self._transaction():
            self._database.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?)", rows)

    def names(self) -> Iterator[str]:
        """Yield every name, in ascending order."""
        with self._explained():
            for (name,) in self._database.execute("SELECT name FROM record ORDER BY name"):
                yield name

    def __len__(self) -> int:
        """Return the number of records."""
        with self._explained():
            return int(self._database.execute("SELECT count(*) FROM record").fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __enter__(self) -> Self:
        """Return the file itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the file."""
        self.close()

    def _open(self) -> None:
        application = self._pragma("application_id")
        version = self._pragma("user_version")
        tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != APPLICATION and (application or version or tables):
            raise InvalidInputError(f"`store`: '{self.path}' is a database of something else, not a store of errbar")
        if version > VERSION:
            raise InvalidInputError(
                f"`store`: '{self.path}' was written by a newer errbar (version {version} of the file, this one knows "
                f"{VERSION}); update errbar, or give another file"
            )
        if self._database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        if application != APPLICATION:
            self._make()

    def _make(self) -> None:
        with self._transaction():
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS record (name TEXT PRIMARY KEY, facts TEXT NOT NULL, layout TEXT NOT NULL, "
                "body BLOB NOT NULL, digest BLOB NOT NULL)"
            )
            self._database.execute(f"PRAGMA application_id = {APPLICATION}")
            self._database.execute(f"PRAGMA user_version = {VERSION}")

    def _pragma(self, name: str) -> int:
        return int(self._database.execute(f"PRAGMA {name}").fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreError(f"the store '{self.path}' cannot be used: {error}") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(f"the store '{self.path}' is damaged, or is no store of errbar: {error}") from error


class Batch:
    """Hands records over in batches: after half a second, or 64 of them, and what is left at the end, come what may."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file
        self._waiting: list[tuple[str, Record]] = []
        self._since = time.monotonic()

    def put(self, name: str, record: Record) -> None:
        """Take one record."""
        self._waiting.append((name, record))
        if len(self._waiting) >= BATCH_RECORDS or time.monotonic() - self._since >= BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Hand over what has been taken."""
        waiting, self._waiting = self._waiting, []
        self._since = time.monotonic()
        if waiting:
            self._file.put(waiting)

    def __enter__(self) -> Self:
        """Return the batch itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hand over what is left, also where something went wrong."""
        self.flush()


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
