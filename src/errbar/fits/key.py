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
from joblib.hashing import NumpyHasher, Pickler

from errbar.errors import one_line
from errbar.fits.parallel import loaded

_INSTALLED = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
_CODE = (types.FunctionType, type)
_LOCKS = (type(threading.Lock()), type(threading.RLock()))
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}


@dataclass(frozen=True)
class Identity:
    """What a learner is; `digest` is empty where something, the `obstacle`, cannot be written down."""

    digest: str
    code: str
    versions: Mapping[str, str]
    obstacle: str = ""


def identify(value: Any) -> Identity:
    """Return what a learner, or a function, is."""
    found = _Content()
    for _, module in loaded.values():  # a file that was run may have changed anything
        found.add(module)
    try:
        content, obstacle = found.hash(value), ""
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an object may raise anything when it is pickled
        content, obstacle = "", one_line(error)
    code = _hashed(sorted(found.sources.items()))
    packages = versions(found.packages)
    return Identity(content and _hashed(content, code, packages), code, packages, obstacle)


def versions(packages: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python, errbar, the libraries it stands on and more packages, by name."""
    names = sorted({"errbar", "numpy", "scipy", "sklearn", *packages})
    found = {_DISTRIBUTIONS.get(name, name): _version(name) for name in names}
    python = "{}.{}".format(*sys.version_info)
    return {"python": python} | {name: version for name, version in found.items() if version}


class _Content(NumpyHasher):  # type: ignore[misc] # joblib has no types
    """The digest of an object as joblib makes it; code is described, and its modules are collected."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, str] = {}
        self.packages: set[str] = set()
        self._seen: set[Any] = set()

    def memoize(self, obj: Any) -> None:
        # Equal parts are to look the same, whether they are one object or two.
        if not isinstance(obj, (str, bytes, tuple)):
            super().memoize(obj)

    def _batch_setitems(self, items: Any, *more: Any) -> None:
        # That of joblib takes an error of a value for one of the order of keys.
        ordered = sorted(items, key=lambda pair: repr(pair[0]))
        Pickler._batch_setitems(self, iter(ordered), *more)

    def reducer_override(self, obj: Any) -> Any:
        """Say what pickle, which knows code by its name alone, is to write of an object."""
        if isinstance(obj, _CODE):
            found = self._of_code(obj)
        elif isinstance(obj, np.ufunc):
            found = obj.__name__
        elif isinstance(obj, _LOCKS):
            found = "lock"
        elif isinstance(obj, frozenset):
            found = set(obj)
        elif hasattr(obj, "__wrapped__"):
            found = obj.__wrapped__
        elif isinstance(obj, types.ModuleType):
            self.add(obj)
            found = obj.__name__
        elif hasattr(obj, "iloc") and hasattr(obj, "columns"):
            found = _of_frame(obj)
        elif hasattr(obj, "get_params"):
            found = [type(obj), obj.get_params(deep=False)]
        else:
            return NotImplemented
        return NotImplemented if found is None else (tuple, ([type(obj).__qualname__, found],))

    def _of_code(self, code: Any) -> Any:
        """Return name, caught values and, where no module has its text, the text of a function or class."""
        module = sys.modules.get(code.__module__ or "")
        self.add(module)
        typed_in = module is not None and _is_interactive(module)
        is_function = isinstance(code, types.FunctionType)
        if not (is_function or typed_in or code.__module__ in self.sources):
            return None
        name = [code.__module__, code.__qualname__]
        # A function may have caught itself.
        if code in self._seen:
            return name
        self._seen.add(code)
        if not is_function:
            own = {key: value for key, value in vars(code).items() if isinstance(value, _CODE)}
            return [name, typed_in and [own, code.__bases__]]
        variables = inspect.getclosurevars(code)
        used = {key: value for key, value in variables.globals.items() if value is not code}
        caught = [code.__defaults__, code.__kwdefaults__, variables.nonlocals, typed_in and used]
        # Two functions without a name may stand in one line.
        return [name, caught, _compiled(code.__code__)]

    def add(self, module: types.ModuleType | None) -> None:
        """Take the text of a user's module and of those that it imports, and the name of any other's package."""
        if module is None or module.__name__ in self.sources or _is_interactive(module):
            return
        place = getattr(module, "__file__", None)
        package = module.__name__.partition(".")[0]
        if (
            place is None
            or str(Path(place).absolute()).startswith(_INSTALLED)
            or _distributed(package)
        ):
            self.packages.add(package)
            return
        file = Path(place)
        source = file.read_bytes().decode(errors="replace") if file.is_file() else ""
        self.sources[module.__name__] = source
        for name in _imports(source, module.__package__ or ""):
            self.add(sys.modules.get(name))


def digest(*parts: Any) -> str:
    """Return a digest of the content of arrays, frames and other objects."""
    return str(_Content().hash(parts))


def _of_frame(frame: Any) -> Any:
    """Return what a frame consists of; pickle would write what pandas has cached, too."""
    labels = (frame.columns, frame.index)
    about = [[type(one).__name__, list(one.names), getattr(one, "freqstr", None)] for one in labels]
    levels = [one.get_level_values(j) for one in labels for j in range(one.nlevels)]
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    return [frame.attrs, about, *map(_of_column, [*columns, *levels])]


def _of_column(column: Any) -> Any:
    """Return type and values of a column, and of categories their own, in their order."""
    kind = column.dtype
    plain = isinstance(kind, np.dtype) and kind.kind in "biufcmM"
    values = column.to_numpy() if plain else column.tolist()
    return [repr(kind), hasattr(kind, "categories") and _of_column(kind.categories), values]


def _is_interactive(module: types.ModuleType) -> bool:
    return module.__name__ == "__main__" and getattr(module, "__file__", None) is None


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
