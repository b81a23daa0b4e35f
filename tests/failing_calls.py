"""Lets a system call by which SQLite writes fail: the one of a number, or all from there on.

SQLite allows its calls to be replaced (``xSetSystemCall`` of its file system layer); that is how it is tested itself. The
library is the one that Python's module ``sqlite3`` uses. ``fsync`` is not among these calls, so the methods of files are
replaced for it.
"""

import _sqlite3
import ctypes as c
import sqlite3
from contextlib import contextmanager

_CALLS = {
    "open": (c.c_int, c.c_char_p, c.c_int, c.c_int),
    "write": (c.c_ssize_t, c.c_int, c.c_void_p, c.c_size_t),
    "pwrite": (c.c_ssize_t, c.c_int, c.c_void_p, c.c_size_t, c.c_int64),
    "pwrite64": (c.c_ssize_t, c.c_int, c.c_void_p, c.c_size_t, c.c_int64),
    "ftruncate": (c.c_int, c.c_int, c.c_int64),
    "fallocate": (c.c_int, c.c_int, c.c_int64, c.c_int64),
    "unlink": (c.c_int, c.c_char_p),
    "mmap": (c.c_void_p, c.c_void_p, c.c_size_t, c.c_int, c.c_int, c.c_int, c.c_int64),
}
_SYNC = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int)
_METHODS, _XSYNC = 19, 5
"""Words of SQLite's table of methods of a file, and the place of fsync in it."""

_IOERR_FSYNC = 1034


class _VFS(c.Structure):
    pass


_SET = c.CFUNCTYPE(c.c_int, c.POINTER(_VFS), c.c_char_p, c.c_void_p)
_GET = c.CFUNCTYPE(c.c_void_p, c.POINTER(_VFS), c.c_char_p)
_OPEN = c.CFUNCTYPE(
    c.c_int, c.POINTER(_VFS), c.c_void_p, c.POINTER(c.c_void_p), c.c_int, c.c_void_p
)
_VFS._fields_ = [
    ("version", c.c_int),
    ("file_size", c.c_int),
    ("longest", c.c_int),
    ("next", c.c_void_p),
    ("name", c.c_char_p),
    ("data", c.c_void_p),
    ("open", _OPEN),
    *((f"method{i}", c.c_void_p) for i in range(12)),
    ("set_call", _SET),
    ("get_call", _GET),
    ("next_call", c.c_void_p),
]


class FailingCalls:
    """Counts the calls by which SQLite writes, and lets some fail."""

    def __init__(self):
        library = c.CDLL(getattr(_sqlite3, "__file__", None))
        library.sqlite3_libversion.restype = c.c_char_p
        assert library.sqlite3_libversion().decode() == sqlite3.sqlite_version
        library.sqlite3_vfs_find.restype = c.POINTER(_VFS)
        self._vfs = library.sqlite3_vfs_find(None)
        assert self._vfs.contents.version >= 3
        self.count, self.names = 0, []
        self._first = self._error = self._last = None
        self._short = False
        self._kept, self._tables = [], {}

    @contextmanager
    def installed(self):
        """Replace the calls, and put them back."""
        vfs = self._vfs.contents
        own = _OPEN(c.cast(vfs.open, c.c_void_p).value)  # the field itself changes
        for name, types in _CALLS.items():
            if address := vfs.get_call(self._vfs, name.encode()):
                kind = c.CFUNCTYPE(*types, use_errno=True)
                replaced = kind(self._replacement(name, kind(address)))
                self._kept.append(replaced)
                vfs.set_call(self._vfs, name.encode(), c.cast(replaced, c.c_void_p))
        opening = _OPEN(self._opening(own))
        self._kept.append((opening, own))
        vfs.open = opening
        try:
            yield self
        finally:
            vfs.open = own
            vfs.set_call(self._vfs, None, None)

    def fail(self, number, error, *, lasting=False, short=False):
        """Begin to count anew; let a call fail, and with `lasting` all after it. A short write does half of it first."""
        self.count, self.names = 0, []
        self._first, self._error, self._short = number, error, short
        self._last = None if lasting else number + short

    @property
    def failed(self):
        """Whether a call has failed."""
        return self._first is not None and self.count >= self._first

    def stop(self):
        """Let all calls through."""
        self._first = None

    def _fails(self, name):
        self.count += 1
        self.names.append(name)
        return self._first is not None and self._first <= self.count <= (self._last or self.count)

    def _replacement(self, name, own):
        def call(*given):
            if not self._fails(name):
                return own(*given)
            if self._short and self.count == self._first and "write" in name and given[2] > 1:
                return own(*given[:2], given[2] // 2, *given[3:])
            if name == "fallocate":  # the one that returns its error
                return self._error
            c.set_errno(self._error)
            return c.c_void_p(-1).value if name == "mmap" else -1

        return call

    def _opening(self, own):
        def call(vfs, name, file, flags, told):
            status = own(vfs, name, file, flags, told)
            if status == 0 and file[0]:
                file[0] = self._methods(file[0])
            return status

        return call

    def _methods(self, address):
        """Return a table of methods that has another fsync."""
        if address not in self._tables:
            table = (c.c_void_p * _METHODS).from_buffer_copy(
                (c.c_void_p * _METHODS).from_address(address)
            )
            own = _SYNC(table[_XSYNC])
            sync = _SYNC(
                lambda file, flags: _IOERR_FSYNC if self._fails("fsync") else own(file, flags)
            )
            table[_XSYNC] = c.cast(sync, c.c_void_p).value
            self._tables[address] = c.addressof(table)
            self._tables[c.addressof(table)] = c.addressof(table)
            self._kept.append((table, sync, own))
        return self._tables[address]
