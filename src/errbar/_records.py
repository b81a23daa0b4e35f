"""Named records in one SQLite file. Arrays are kept as bytes with their type and shape; nothing is ever unpickled."""

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from numpy.typing import NDArray

from errbar._claims import Owner, is_alive, reason
from errbar._packing import (
    COLUMNS,
    HEAD,
    TABLE,
    is_intact,
    is_intact_head,
    packed,
    place_of,
    unpacked,
)
from errbar.errors import ErrbarError, InvalidInputError, StoreError

APPLICATION = 0x65727262
"""What marks the file as one of errbar's; it stands in the header that SQLite leaves to applications."""

VERSION = 2

PAGE = 4096
"""Bytes that SQLite reads and writes at a time."""

BATCH_SECONDS = 0.5
BATCH_RECORDS = 64
WAIT_SECONDS = 60.0

_READ_ONLY = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_AT = "WHERE id IN (SELECT value FROM json_each(?))"
_MAKE = (
    f"CREATE TABLE IF NOT EXISTS {TABLE}",
    "CREATE TABLE IF NOT EXISTS claim (id INTEGER PRIMARY KEY, owner TEXT NOT NULL)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)

RAISED = (sqlite3.Error, sqlite3.Warning, MemoryError, OverflowError, ValueError, TypeError)
"""What SQLite, and Python's module for it, raise about a file; a damaged one may hold absurd sizes and any types."""

_UNUSABLE = (sqlite3.OperationalError, sqlite3.ProgrammingError, sqlite3.InterfaceError)
"""Those of a file that cannot be used now: locked, closed, without rights or room. All others are about damage."""


@dataclass(frozen=True, eq=False)
class Record:
    """Arrays of numbers, and facts that JSON can hold, each by name."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


class RecordFile(AbstractContextManager["RecordFile"]):
    """A file of named records, made where there is none.

    The place of a record follows from its name, and its digest covers the name: what is read under a name was written
    under it, or is said to be damaged.

    Several processes can use one file at the same time. What `put` has been given is there when it returns, also if
    the process is killed the moment after. A file may lie where nothing can be written; `writable` tells.

    Processes that share the work `claim` what they begin. The order that leaves no gap: claim first, then look whether
    the record is there by now, since whoever had the claim before may just have put it; `put` drops the claim.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise InvalidInputError(f"must be a file, and '{path}' is a folder", argument="store")
        if not self.path.parent.is_dir():
            raise InvalidInputError(
                f": there is no folder '{self.path.parent}' to make '{self.path.name}' in",
                argument="store",
            )
        self._process = os.getpid()
        self._owner: Owner | None = None
        self._place = self.path.absolute()
        address = self._place.as_uri()
        with self._explained():
            try:
                self._connect(address)
                self.writable = all(
                    os.access(place, os.W_OK) for place in (self.path, self.path.parent)
                )
            except sqlite3.OperationalError as error:
                log = log_of(self.path)
                if (
                    reason(error) not in _READ_ONLY
                    or not self.path.is_file()
                    or (log.is_file() and log.stat().st_size)
                ):
                    raise
                # SQLite makes files next to a database even to read it, unless it is told that nobody writes.
                self._connect(f"{address}?immutable=1")
                self.writable = False

    def _connect(self, address: str) -> None:
        self._database = sqlite3.connect(
            address, timeout=WAIT_SECONDS, isolation_level=None, uri=True
        )
        self._database.text_factory = decoded
        try:
            self._open()
        except BaseException:
            self._database.close()
            raise

    def done(self, names: Iterable[str]) -> set[str]:
        """Return those of the names that have a record."""
        wanted = set(names)
        places = json.dumps([place_of(name) for name in wanted])
        return wanted & {name for (name,) in self._rows(f"SELECT name FROM record {_AT}", places)}

    def found(self, names: Iterable[str]) -> tuple[dict[str, Record], list[str]]:
        """Return the records of those names that have one, and the names of records that are not what was written."""
        query = f"SELECT {COLUMNS} FROM record WHERE id = ?"
        found, damaged = {}, []
        with self._transaction("DEFERRED") as database:
            for name in names:
                try:
                    row = database.execute(query, [place_of(name)]).fetchone()
                except _UNUSABLE:
                    raise
                except RAISED:
                    row = ()
                if row and row[1] == name and is_intact(*row):
                    found[name] = Record(*unpacked(row))
                elif row is not None:
                    damaged.append(name)
        return found, damaged

    def get(self, name: str) -> Record:
        """Return the record of a name; KeyError if there is none."""
        found, damaged = self.found([name])
        if damaged:
            raise self._damaged_record(name)
        return found[name]

    def put(self, records: Iterable[tuple[str, Record]], drop: Iterable[str] = ()) -> None:
        """Keep records, and remove others, all of them or none; one with a known name replaces it.

        Whoever has claimed these names has them no longer.
        """
        rows = [packed(name, record.arrays, record.facts) for name, record in records]
        dropped = [(place_of(name),) for name in drop]
        with self._transaction() as database:
            database.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?)", rows)
            database.executemany("DELETE FROM record WHERE id = ?", dropped)
            database.executemany(
                "DELETE FROM claim WHERE id = ?", [row[:1] for row in rows] + dropped
            )

    def drop(self, names: Iterable[str]) -> None:
        """Remove records, all of them or none."""
        self.put((), names)

    def claim(self, groups: Sequence[Sequence[str]]) -> list[bool]:
        """Claim names for this object, for each group all of them or none; return which groups are granted.

        A group is granted if no other owner, whose process lives, has claimed any of its names. Where nothing can be
        written, everything is granted.
        """
        if not self.writable:
            return [True] * len(groups)
        places = [[place_of(name) for name in group] for group in groups]
        with self._transaction() as database:
            self._owner = self._owner or Owner(self._place)
            query = f"SELECT id, owner FROM claim {_AT} AND owner != ?"
            flat = json.dumps([place for group in places for place in group])
            claimed = dict(database.execute(query, (flat, self._owner.name)).fetchall())
            living = {owner for owner in set(claimed.values()) if is_alive(self._place, owner)}
            database.executemany(
                "DELETE FROM claim WHERE owner = ?",
                [(one,) for one in {*claimed.values()} - living],
            )
            taken = {place for place, owner in claimed.items() if owner in living}
            granted = [taken.isdisjoint(group) for group in places]
            mine = [
                place
                for group, free in zip(places, granted, strict=True)
                if free
                for place in group
            ]
            rows = [(place, self._owner.name) for place in mine]
            database.executemany("INSERT OR REPLACE INTO claim VALUES (?, ?)", rows)
        return granted

    def release(self, names: Iterable[str] | None = None) -> None:
        """Drop the claims of this object on those names; on all of them if none are given."""
        if self._owner is None:
            return
        mine = "DELETE FROM claim WHERE owner = ?"
        with self._transaction() as database:
            if names is None:
                database.execute(mine, (self._owner.name,))
            else:
                database.executemany(
                    f"{mine} AND id = ?", [(self._owner.name, place_of(name)) for name in names]
                )

    def names(self) -> Iterator[str]:
        """Yield every name, in ascending order."""
        return (name for name, _ in self.facts())

    def facts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every name with its facts, in ascending order, without reading the arrays."""
        for place, name, *head in self._rows(f"SELECT {HEAD} FROM record ORDER BY name"):
            if not is_intact_head(place, name, *head):
                raise self._damaged_record(name)
            yield name, json.loads(head[0])

    def compact(self) -> None:
        """Give room that is no longer used back."""
        with self._explained():
            self._database.execute("VACUUM")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def damaged(self, *, drop: bool = False) -> list[str]:
        """Return the names of records that are not what was written; an error if the file itself is broken.

        With `drop` they are removed as well, wherever they stand.
        """
        with self._explained():
            said = self._database.execute("PRAGMA integrity_check").fetchone()[0]
            if said != "ok":
                raise sqlite3.DatabaseError(" ".join(str(said).split()))
            rows = self._database.execute(f"SELECT {COLUMNS} FROM record ORDER BY name")
            wrong = [row[:2] for row in rows if not is_intact(*row)]
        if drop and wrong:
            with self._transaction() as database:
                database.executemany(
                    "DELETE FROM record WHERE id = ?", [(place,) for place, _ in wrong]
                )
        return [str(name) for _, name in wrong]

    def size(self) -> int:
        """Return the bytes of the file and of the log of what is not yet merged into it."""
        return sum(
            place.stat().st_size for place in (self.path, log_of(self.path)) if place.exists()
        )

    def __len__(self) -> int:
        """Return the number of records."""
        [(count,)] = self._rows("SELECT count(*) FROM record")
        return int(count)

    def close(self) -> None:
        """Let go of the file, and of every claim. A forked child cannot: the file is its parent's."""
        if os.getpid() != self._process:
            return
        if self._owner is not None:
            with suppress(StoreError):
                self.release()
            self._owner.leave()
            self._owner = None
        self._database.close()

    def __exit__(self, *error: object) -> None:
        """Let go of the file."""
        self.close()

    def _open(self) -> None:
        """Check whose file it is, and make the tables where there are none."""
        until = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                new = self._check()
                self._database.execute(
                    f"PRAGMA page_size = {PAGE}"
                )  # of a file that is still to be made
                if self._database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                    self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = NORMAL")
                if new:
                    with self._database:
                        self._database.execute("BEGIN IMMEDIATE")
                        for statement in _MAKE:
                            self._database.execute(statement)
            except sqlite3.OperationalError as error:
                # Where several processes make the file at the same time, SQLite does not wait by itself.
                if reason(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)
            else:
                return

    def _check(self) -> bool:
        """Refuse a file of something else; return whether it is still to be made."""
        query = "SELECT *, (SELECT count(*) FROM sqlite_master) FROM pragma_application_id, pragma_user_version"
        application, version, tables = self._database.execute(query).fetchone()
        if application != APPLICATION and (application or version or tables):
            raise InvalidInputError(
                f": '{self.path}' is a database of something else, not a store of errbar",
                argument="store",
            )
        if application == APPLICATION and version != VERSION:
            age, advice = (
                ("a newer", "update errbar, or ") if version > VERSION else ("an older", "")
            )
            raise InvalidInputError(
                f": '{self.path}' was written by {age} errbar (version {version} of the file, this one knows "
                f"{VERSION}); {advice}give another file",
                argument="store",
            )
        return bool(application != APPLICATION)

    def _damaged_record(self, name: object) -> StoreError:
        return StoreError(
            f"the store '{self.path}' is damaged: record {name!r} is not what was written; errbar store prune "
            f"'{self.path}' --damaged removes such records, so that they are done again"
        )

    def _rows(self, query: str, *given: str) -> Iterator[tuple[Any, ...]]:
        with self._explained():
            yield from self._database.execute(query, given)

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Do what follows in one transaction; one that changes something waits for its turn at once."""
        with self._explained(), self._database:
            self._database.execute(f"BEGIN {kind}")
            yield self._database

    @contextmanager
    def _explained(self) -> Iterator[None]:
        if os.getpid() != self._process:
            raise StoreError(
                f"the store '{self.path}' was opened by another process; open it anew in this one"
            )
        try:
            yield
        except ErrbarError:
            raise
        except RAISED as error:
            # Where a table or a column is missing, the file is not what it was.
            if isinstance(error, _UNUSABLE) and reason(error) != sqlite3.SQLITE_ERROR:
                hint = "; files must be made next to it" if reason(error) in _READ_ONLY else ""
                raise StoreError(
                    f"the store '{self.path}' cannot be used: {error}{hint}"
                ) from error
            raise StoreError(
                f"the store '{self.path}' is damaged, or is not a store of errbar ({error}); errbar store rescue "
                f"'{self.path}' NEW writes what can still be read into a new file"
            ) from error


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
        return (
            len(self._waiting) >= BATCH_RECORDS or time.monotonic() - self._since >= BATCH_SECONDS
        )

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


def decoded(text: bytes) -> str:
    """Return text, also what noise has made unreadable: it does not match its digest any more."""
    return text.decode(errors="replace")


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")
