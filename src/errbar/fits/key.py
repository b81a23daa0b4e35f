"""What makes two fits the same: parameters, the user's own code, versions of packages, data, rows, seed and settings.

Of the user's modules the whole text counts, also of those that they import. Not seen are files that
a learner reads, the environment, and what is patched while the program runs.
"""

import ast
import functools
import importlib.metadata
import importlib.util
import inspect
import sys
import sysconfig
import threading
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from errbar.fits.data import digest
from errbar.fits.process import loaded

_INSTALLED = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), range, slice)
_BUILT_IN = (types.BuiltinFunctionType, types.MethodDescriptorType, np.ufunc)
_CODE = (types.FunctionType, type)
_LOCKS = (type(threading.Lock()), type(threading.RLock()))
_BASE = ("numpy", "scipy", "sklearn")
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}


@dataclass(frozen=True)
class Identity:
    """What a learner is; `digest` is empty where something, the `obstacle`, cannot be written down."""

    digest: str
    code: str
    versions: Mapping[str, str]
    obstacle: str = ""

    @property
    def environment(self) -> str:
        """Digest of the versions."""
        return _hashed(sorted(self.versions.items()))[:16]


def identify(value: Any, version: str | None = None) -> Identity:
    """Return what a learner, or a function, is; a version stands for its code, and never for its parameters."""
    walk = _Walk(code=version is None)
    content, obstacle = "", ""
    for name in loaded:  # a file that was run may have changed anything
        walk.add(sys.modules.get(name))
    try:
        text = walk.described(value, "it")
        content = _hashed(text, version, sorted(walk.sources.items()))
    except _UnreadableError as error:
        obstacle = str(error)
    code = _hashed(sorted(walk.sources.items()))
    return Identity(content, code, versions(walk.packages), obstacle)


def versions(packages: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python, errbar, the libraries it stands on and more packages, by name."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    names = [*_BASE, *sorted({*packages} - {*_BASE, "errbar", "builtins"})]
    return {"python": python, "errbar": _version("errbar")} | {
        _DISTRIBUTIONS.get(name, name): found for name in names if (found := _version(name))
    }


class _UnreadableError(Exception):
    """Something has no content that could be written down; the text says what and where."""


class _Walk:
    def __init__(self, *, code: bool) -> None:
        self.code = code
        self.modules: dict[str, None] = {}
        self.sources: dict[str, str] = {}
        self.packages: set[str] = set()
        self._above: list[int] = []

    def described(self, value: Any, name: str) -> Any:
        if isinstance(value, _PLAIN):
            # Python writes no decimal number of thousands of digits.
            return type(value).__name__, hex(value) if type(value) is int else repr(value)
        if id(value) in self._above:
            return "again", len(self._above) - self._above.index(id(value))
        self._above.append(id(value))
        try:
            return type(value).__qualname__, self._content(value, name)
        finally:
            self._above.pop()

    def _content(self, value: Any, name: str) -> Any:
        if isinstance(value, (list, tuple)):
            return [self.described(item, f"item {i} of {name}") for i, item in enumerate(value)]
        if isinstance(value, (dict, types.MappingProxyType)):
            inside = [
                (repr(self.described(key, "a key")), self.described(item, f"{key!r} in {name}"))
                for key, item in value.items()
            ]
            return sorted(inside, key=lambda pair: pair[0])
        if isinstance(value, (set, frozenset)):
            return sorted(repr(self.described(item, f"an item of {name}")) for item in value)
        if isinstance(value, functools.partial):
            return self.described([value.func, value.args, value.keywords], name)
        if isinstance(value, types.MethodType):
            return self.described([value.__func__, value.__self__], name)
        if isinstance(value, _CODE):
            return self._of_code(value)
        if isinstance(value, _LOCKS):
            return "lock"
        if isinstance(value, _BUILT_IN):
            return getattr(value, "__module__", ""), value.__name__
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind != "O":
            return digest(np.asarray(value))
        if isinstance(value, types.ModuleType):
            self.add(value)
            return value.__name__
        return self._of_object(value, name)

    def _of_object(self, value: Any, name: str) -> Any:
        kind = self.described(type(value), f"the class of {name}")
        if hasattr(value, "get_params"):
            return kind, self.described(value.get_params(deep=False), name)
        if hasattr(value, "__wrapped__"):
            return kind, self.described(value.__wrapped__, name)
        own = type(value).__module__ in self.modules
        if own and hasattr(value, "__dict__"):
            return kind, self.described(vars(value), name)
        try:
            return kind, digest(value)
        except (Exception, SystemExit):  # noqa: BLE001 - an object may raise anything when it is pickled
            text = f"{name} (of type {type(value).__name__})"
            raise _UnreadableError(text) from None

    def _of_code(self, code: Any) -> Any:
        """Describe a function or class by its name and what it has caught; its text is that of its module."""
        module = sys.modules.get(code.__module__ or "")
        self.add(module)
        found: list[Any] = [_stem(code.__module__ or ""), code.__qualname__]
        if not self.code:
            return found
        if isinstance(code, types.FunctionType):
            cells = dict(zip(code.__code__.co_freevars, code.__closure__ or (), strict=True))
            caught = {
                key: cell.cell_contents for key, cell in cells.items() if cell != types.CellType()
            }
            found += [
                self.described(part, f"a default of {code.__qualname__}")
                for part in (code.__defaults__, code.__kwdefaults__)
            ]
            found += [
                (key, self.described(part, f"the outer variable {key!r} of {code.__qualname__}"))
                for key, part in sorted(caught.items())
            ]
            # Two functions without a name may stand in one line.
            found.append(_compiled(code.__code__))
        if module is not None and _is_interactive(module):
            found += self._typed_in(code)
        return found

    def _typed_in(self, code: Any) -> list[Any]:
        if isinstance(code, type):
            parts = {key: value for key, value in vars(code).items() if isinstance(value, _CODE)}
            return [self.described([parts, code.__bases__], code.__qualname__)]
        names = inspect.getclosurevars(code).globals
        return [
            (key, self.described(names[key], f"the global {key!r}"))
            for key in sorted(names)
            if names[key] is not code
        ]

    def add(self, module: types.ModuleType | None) -> None:
        """Take the text of a user's module and of those that it imports, and the name of any other's package."""
        if module is None or module.__name__ in self.modules:
            return
        place = _file_of(module)
        if place is None:
            if not _is_interactive(module):
                self.packages.add(module.__name__.partition(".")[0])
            return
        self.modules[module.__name__] = None
        if self.code:
            source = _source(module, place)
            self.sources[_stem(module.__name__)] = source
            for name in _imports(source, module.__package__ or ""):
                self.add(sys.modules.get(name))


def _file_of(module: types.ModuleType) -> Path | None:
    place = getattr(module, "__file__", None)
    if place is None or str(Path(place).absolute()).startswith(_INSTALLED):
        return None
    return None if _distributed(module.__name__.partition(".")[0]) else Path(place)


def _source(module: types.ModuleType, place: Path) -> str:
    if module.__name__ in loaded:
        return loaded[module.__name__].source.decode(errors="replace")
    try:
        return place.read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _is_interactive(module: types.ModuleType) -> bool:
    return module.__name__ == "__main__" and getattr(module, "__file__", None) is None


def _stem(module: str) -> str:
    return loaded[module].stem if module in loaded else module


def _imports(source: str, package: str) -> Iterator[str]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):  # of a compiled module
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            name = importlib.util.resolve_name(name, package) if node.level and package else name
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


def _version(module: str) -> str:
    return _distributed(module) or str(getattr(sys.modules.get(module), "__version__", ""))


@functools.cache
def _distributed(module: str) -> str:
    try:
        return importlib.metadata.version(_DISTRIBUTIONS.get(module, module))
    except importlib.metadata.PackageNotFoundError:
        return "0" if module == "errbar" else ""


def _compiled(code: types.CodeType) -> Any:
    inside = [
        _compiled(one) if isinstance(one, types.CodeType) else repr(one) for one in code.co_consts
    ]
    return code.co_code.hex(), code.co_names, inside


def _hashed(*parts: Any) -> str:
    return blake2b(repr(parts).encode(errors="surrogatepass"), digest_size=16).hexdigest()
