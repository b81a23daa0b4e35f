"""One SQLite file in which finished fits are kept, by a key; several processes share its work.

A record is proved by a digest over its key and all that it holds, and is never unpickled. Claims
end when the fit is kept, and with the process that made them.
"""

import json
import logging
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import field
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar._plain import record
from errbar.errors import InvalidInputError, StoreError

_log = logging.getLogger("errbar")

_APPLICATION = 0x65727262  # in the header that SQLite leaves to applications
_VERSION = 6
_TABLES = (
    "CREATE TABLE IF NOT EXISTS record (key TEXT PRIMARY KEY, about TEXT, content BLOB, proof BLOB)",
    "CREATE TABLE IF NOT EXISTS claim (key TEXT PRIMARY KEY, owner TEXT, until REAL)",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)
_WAIT_SECONDS = 60.0
_SAVE_SECONDS = 0.25
_LEASE_SECONDS = 60.0
_PORTION = 100
_UNUSABLE = (sqlite3.OperationalError, sqlite3.ProgrammingError, sqlite3.InterfaceError)


@record
class Record:
    """What is kept under a key: arrays of numbers, and facts that JSON can hold."""

    arrays: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


class Store(AbstractContextManager["Store"]):
    """A file that keeps finished fits, so that a run that was stopped goes on where it was, also on another day.

    What was saved survives a killed process. Where the file can no longer be written, the run goes
    on and says so once. Damaged records are never used.

    Parameters
    ----------
    path : str or Path, optional
        The file; made where there is none. Without one, fits are kept in memory.

    Raises
    ------
    InvalidInputError, StoreError
        If the file is of something else, or of another version of errbar; if it cannot be read.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> learner, (X, y) = {"tree": DecisionTreeClassifier()}, load_iris(return_X_y=True)
    >>> with errbar.Store() as store:
    ...     tables = [errbar.run(learner, X, y, plan=5, random_state=0, store=store) for _ in range(2)]
    >>> [table.counts.reused for table in tables]
    [0, 5]
    """

    def __init__(self, path: str | Path | None = None) -> None:
        named = path is None or isinstance(path, (str, os.PathLike))
        _check.require(named, "must be the name of a file or an errbar.Store", path, "store")
        self.path = None if path is None else Path(path)
        self.problem: StoreError | None = None
        self.damaged: set[str] = set()
        self.waiting: dict[str, Record] = {}
        self._saved = time.monotonic()
        self._owner, self._process = "", os.getpid()
        self._gone = threading.Event()
        self._address = ":memory:"
        if self.path is not None:
            usable = self.path.parent.is_dir() and not self.path.is_dir()
            _check.require(usable, "must be a file in a folder that is there", str(path), "store")
            self._address = self.path.absolute().as_uri()
        with self._explained():
            try:
                self._database = _opened(self._address)
            except sqlite3.OperationalError:
                if self.path is None or os.access(self.path.parent, os.W_OK):
                    raise
                # SQLite makes files next to a database even to read it, unless it is told that nobody writes.
                self._database = _opened(f"{self._address}?immutable=1")

    def find(self, keys: Iterable[str]) -> dict[str, Record]:
        """Return the finished records of those keys that have a sound one; damaged ones are noted."""
        wanted = set(keys)
        found = {key: self.waiting[key] for key in wanted & self.waiting.keys()}
        found |= self.each(sorted(wanted - found.keys()))
        return {key: record for key, record in found.items() if "error" not in record.facts}

    def _rows(self, keys: Sequence[str]) -> list[Any]:
        query = "SELECT * FROM record WHERE key IN (SELECT value FROM json_each(?))"
        try:
            return self._database.execute(query, [json.dumps(keys)]).fetchall()
        except _UNUSABLE:
            raise
        except (sqlite3.Error, ValueError, OverflowError, MemoryError):  # one of them is damaged
            if len(keys) > 1:
                return [row for key in keys for row in self._rows([key])]
            self.damaged.update(keys)
            return []

    def put(self, key: str, record: Record) -> None:
        """Keep a record: at once where fits are long, else those of a quarter of a second together."""
        self.waiting[key] = record
        if time.monotonic() - self._saved > _SAVE_SECONDS:
            self.save()

    def save(self, *, last: bool = False) -> None:
        """Write what waits; where that fails say so once, and try again at the end."""
        self._saved = time.monotonic()
        if not self.waiting or (self.problem is not None and not last):
            return
        rows = [(key, *_packed(key, record)) for key, record in self.waiting.items()]
        try:
            with self._transaction() as database:
                database.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)", rows)
                database.executemany("DELETE FROM claim WHERE key = ?", [row[:1] for row in rows])
        except StoreError as error:
            if self.problem is None:
                _log.warning("%s; the run goes on, and fits are not kept", error)
            self.problem = error
        else:
            self.waiting, self.problem = {}, None

    def claim(self, keys: Collection[str]) -> set[str]:
        """Claim keys; return those that no other process that lives has claimed.

        Who claims looks afterwards whether there is a record by now, so no fit is neither claimed
        nor kept.
        """
        if self.path is None or self.problem is not None:
            return set(keys)
        if not self._owner:
            self._owner = f"{socket.gethostname()} {os.getpid()} {os.urandom(8).hex()}"
            self._gone.clear()
            threading.Thread(target=self._stay, daemon=True).start()
        rows = [(key, self._owner, time.time() + _LEASE_SECONDS) for key in keys]
        owners = "SELECT owner, max(until) FROM claim GROUP BY owner"
        try:
            with self._transaction() as database:
                for owner, until in database.execute(owners).fetchall():
                    if not _is_alive(owner, until):
                        database.execute("DELETE FROM claim WHERE owner = ?", [owner])
                database.executemany("INSERT OR IGNORE INTO claim VALUES (?, ?, ?)", rows)
                query = "SELECT key FROM claim WHERE owner = ?"
                own = database.execute(query, [self._owner]).fetchall()
        except StoreError:  # `save` says so when it is its turn
            return set(keys)
        return set(keys).intersection(key for (key,) in own)

    def _stay(self) -> None:
        """Renew the claims of this process as long as it lives."""
        while not self._gone.wait(_LEASE_SECONDS / 4):
            with suppress(sqlite3.Error):
                database = sqlite3.connect(self._address, timeout=_LEASE_SECONDS / 4, uri=True)
                with closing(database), database:
                    renewed = time.time() + _LEASE_SECONDS, self._owner
                    database.execute("UPDATE claim SET until = ? WHERE owner = ?", renewed)

    def release(self) -> None:
        """Write what waits, and give up all claims."""
        self.save(last=True)
        if self._owner:
            self._gone.set()
            with suppress(StoreError), self._transaction() as database:
                database.execute("DELETE FROM claim WHERE owner = ?", [self._owner])
            self._owner = ""

    def each(self, keys: Sequence[str] | None = None) -> Iterator[tuple[str, Record]]:
        """Yield every sound record with its key, or those of some keys; damaged ones are noted."""
        if keys is None:
            with self._explained():
                rows = self._database.execute("SELECT key FROM record ORDER BY key").fetchall()
            keys = [key for (key,) in rows]
        for start in range(0, len(keys), _PORTION):
            with self._explained():
                rows = self._rows(keys[start : start + _PORTION])
            for row in rows:
                record = _record(*row)
                if record is None:
                    self.damaged.add(str(row[0]))
                else:
                    yield row[0], record

    def drop(self, keys: Iterable[str]) -> None:
        """Remove records, and give the room back."""
        with self._transaction() as database:
            database.executemany("DELETE FROM record WHERE key = ?", [(key,) for key in keys])
        with self._explained():
            self._database.execute("VACUUM")

    def close(self) -> None:
        """Write what waits, and let go of the file. A forked child cannot: the file is its parent's."""
        if os.getpid() == self._process:
            self.release()
            self._database.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._explained(), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield self._database

    @contextmanager
    def _explained(self) -> Iterator[None]:
        if os.getpid() != self._process:
            raise StoreError(f"the store '{self.path}' was opened by another process; open it anew")
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"the store '{self.path}' cannot be used: {error}") from error


def _opened(address: str) -> sqlite3.Connection:
    """Return a connection to a store, whose tables are made in an empty file."""
    database = sqlite3.connect(address, timeout=_WAIT_SECONDS, isolation_level=None, uri=True)
    try:
        database.text_factory = lambda text: text.decode(errors="replace")
        query = "SELECT *, (SELECT count(*) FROM sqlite_master) FROM pragma_application_id, pragma_user_version"
        application, version, tables = database.execute(query).fetchone()
        if not (application or version or tables):
            with database:
                database.execute("BEGIN IMMEDIATE")
                for statement in _TABLES:
                    database.execute(statement)
        elif (application, version) != (_APPLICATION, _VERSION):
            raise InvalidInputError(
                f"is a database of something else, or of another errbar (version {version} of the file, "
                f"this one knows {_VERSION}); give another file",
                argument="store",
            )
        with suppress(sqlite3.OperationalError):  # where several make the file, one of them does it
            database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        database.close()
        raise
    return database


def _is_alive(owner: str, until: float) -> bool:
    if until < time.time():
        return False
    host, process, _ = owner.split(" ")
    if host != socket.gethostname() or os.name != "posix":
        return True
    try:
        os.kill(int(process), 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def _packed(key: str, record: Record) -> Any:
    """Return facts and names of arrays as JSON, the arrays in NumPy's own form, and the proof of both."""
    content = BytesIO()
    for array in record.arrays.values():
        np.save(content, array, allow_pickle=False)
    about = json.dumps([record.facts, list(record.arrays)])
    return about, content.getvalue(), _proof(key, about, content.getvalue())


def _record(key: str, about: str, content: bytes, proof: bytes) -> Record | None:
    try:
        if proof != _proof(key, about, content):
            return None
    except TypeError:  # damage has changed what it is
        return None
    (facts, names), arrays = json.loads(about), BytesIO(content)
    return Record({name: np.load(arrays) for name in names}, facts)


def _proof(key: str, about: str, content: bytes) -> bytes:
    text = "\0".join([key, about, ""]).encode()  # neither holds the separator
    return blake2b(text + content, digest_size=16).digest()
