"""Which processes work on a file: each has a small file beside it, locked for as long as it lives.

The operating system drops the lock when the process ends, however it ends, so nobody needs a clock to tell.
"""

import glob
import sqlite3
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


class Owner:
    """One who claims names: a lock of this process on a file that has the owner's name in its own.

    Locks of SQLite belong to a process, not to its children: a forked child neither holds nor releases it. Owners are
    made and looked for by one process at a time, inside a transaction of the file that they are at work on.
    """

    def __init__(self, store: Path) -> None:
        beside = _beside(store, "").name
        for left in store.parent.glob(f"{glob.escape(beside)}*"):
            is_alive(store, left.name.removeprefix(beside))
        self.name = uuid4().hex
        self._place = _beside(store, self.name)
        self._lock = _locked(self._place, "rwc")

    def leave(self) -> None:
        """Let the lock go, and with it every claim."""
        self._lock.close()
        with suppress(OSError):
            self._place.unlink()


def is_alive(store: Path, owner: object) -> bool:
    """Tell whether the process of an owner lives; what a dead one has left is removed."""
    if not isinstance(owner, str) or not owner.isalnum():
        return False
    place = _beside(store, owner)
    try:
        _locked(place, "rw").close()
    except sqlite3.Error as error:
        return reason(error) == sqlite3.SQLITE_BUSY
    with suppress(OSError):
        place.unlink()
    return False


def reason(error: BaseException) -> int:
    """Return SQLite's number of a kind of error; 0 where Python's module raised it by itself."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _locked(place: Path, mode: str) -> sqlite3.Connection:
    """Return a connection that holds the lock on a file, until it is closed."""
    lock = sqlite3.connect(
        f"{place.as_uri()}?mode={mode}", timeout=0.0, isolation_level=None, uri=True
    )
    try:
        lock.execute("PRAGMA journal_mode = OFF")  # no other file is made
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        lock.close()
        raise
    return lock


def _beside(store: Path, owner: str) -> Path:
    return store.with_name(f"{store.name}-run-{owner}")
