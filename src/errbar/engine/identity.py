"""What makes two learners the same: their parameters, the code that these run, and the versions of installed packages.

Code of the user's own is read as it runs, from the compiled functions: a class with its bases, and every function,
class and value that is reached by name from there, in any module that is not installed. So an edit is seen wherever it
is, and comments, documentation and layout do not matter. Of an installed package the version stands for the code.
"""

import copyreg
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from pickle import whichmodule  # type: ignore[attr-defined]
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, WeakValueDictionary

import numpy as np

from errbar.engine.reached import (
    BASE,
    finds_by_name,
    in_module,
    installed_package,
    own_version,
    package_versions,
    reached,
)
from errbar.engine.surroundings import Surroundings, stem

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), range)
_WRAPPED = ("__wrapped__", "py_func")
# What a class holds beside its code: words about it, and what Python keeps there for itself.
_BESIDE = {
    "__module__",
    "__doc__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__orig_bases__",
    "__parameters__",
}
_BESIDE |= {
    "_abc_impl",
    "__slotnames__",
    "__firstlineno__",
    "__static_attributes__",
    "__annotate__",
    "__annotate_func__",
}


@dataclass(frozen=True)
class Identity:
    """What a learner is.

    Attributes
    ----------
    digest : str
        Digest of parameters and code; empty where something cannot be written down.
    versions : mapping of str to str
        Versions of Python and of the installed packages that fits of it depend on.
    obstacle : str
        What cannot be written down, and where it stands; empty if there is nothing.
    """

    digest: str
    versions: Mapping[str, str]
    obstacle: str = ""

    @property
    def environment(self) -> str:
        """Digest of the versions."""
        return _hash(
            *(f"{name} {version}".encode() for name, version in sorted(self.versions.items()))
        )[:16]


class UnreadableError(Exception):
    """Something has no content that could be written down; the text says what and where."""


def identify(value: Any, version: str | None = None) -> Identity:
    """Return what a learner, or a function, is in the surroundings of this process.

    A version stands for its code and for the user's files, and never for parameters and settings.
    """
    walk = _Walk(code=version is None)
    around = Surroundings.here().digest(code=version is None)
    try:
        content = walk.run(value)
    except UnreadableError as error:
        return Identity("", walk.versions(), str(error))
    return Identity(
        _hash(content.encode(), (version or "").encode(), around.encode()), walk.versions()
    )


def versions(packages: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python, of errbar and the libraries it stands on, and of more packages, by module name."""
    found = {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "errbar": own_version(),
    }
    for module in (*BASE, *sorted(set(packages) - {*BASE, "python", "errbar"})):
        found |= package_versions(module, str(getattr(sys.modules.get(module), "__version__", "")))
    return found


class _Walk:
    """One walk over a learner and all it reaches.

    Values are digested where they stand. Functions, classes and modules get a number when they are met first, and are
    digested one after another: they refer to each other in circles, and in chains longer than Python's stack.
    """

    def __init__(self, *, code: bool) -> None:
        self._code = code
        self._packages: set[str] = set()
        self._numbers: dict[int, int] = {}
        self._units: list[Any] = []
        self._open: dict[int, int] = {}
        self._trail: list[str] = []

    def versions(self) -> dict[str, str]:
        return versions(self._packages)

    def run(self, value: Any) -> str:
        parts = [self._value(value, "it")]
        for unit in self._units:  # grows while it is walked
            self._trail = [f"{unit.__name__!r}"]
            parts.append(_hash(*self._inside(unit)).encode())
        return _hash(*parts)

    def _value(self, value: Any, name: str) -> bytes:
        if type(value) in _PLAIN:
            return _plain(value)
        if self._code and finds_by_name(value):
            self._trail.append(name)
            raise self._unreadable(
                value, "which finds code by a name that is known only when it runs"
            )
        if isinstance(value, FunctionType) and hasattr(value, "__wrapped__") and _is_guard(value):
            return self._value(value.__wrapped__, name)
        if isinstance(value, (FunctionType, type, ModuleType)):
            return self._reference(value)
        if id(value) in self._open:
            return f"again {len(self._open) - self._open[id(value)]}".encode()
        self._open[id(value)] = len(self._open)
        self._trail.append(name)
        try:
            return _hash(*self._content(value)).encode()
        except RecursionError:
            raise self._unreadable(value) from None
        finally:
            del self._open[id(value)]
            self._trail.pop()

    def _content(self, value: Any) -> Iterator[bytes]:
        """Yield what an object consists of."""
        kind = type(value)
        yield kind.__qualname__.encode()
        if kind in _PARTS:
            for name, part in _PARTS[kind](value):
                yield self._value(part, name)
        elif kind in (dict, MappingProxyType):
            yield from self._items(value)
        elif kind in (set, frozenset):
            yield from sorted(self._value(item, "an item") for item in sorted(value, key=_sort_key))
        elif (
            kind in (np.ndarray, np.memmap) or isinstance(value, np.generic)
        ) and value.dtype.kind != "O":
            yield f"{value.dtype.descr}{value.shape}".encode()
            yield np.ascontiguousarray(value).tobytes()
        elif kind is CodeType:
            yield from self._instructions(value, None)
        else:
            yield from self._object(value)

    def _object(self, value: Any) -> Iterator[bytes]:
        kind = type(value)
        if kind is BuiltinFunctionType:
            yield f"{value.__module__}.{value.__qualname__}".encode()
            yield self._value(value.__self__, "its object")
        elif inner := next(
            (name for name in _WRAPPED if isinstance(getattr(value, name, None), FunctionType)),
            None,
        ):
            yield self._value(kind, "its class")
            yield self._value(getattr(value, inner), "its function")
        else:
            yield from self._reduced(value)

    def _items(self, mapping: Mapping[Any, Any]) -> Iterator[bytes]:
        keys = [(self._value(key, "a key"), key) for key in mapping]
        for found, key in sorted(keys, key=lambda pair: pair[0]):
            yield found
            yield self._value(mapping[key], f"{key!r}" if isinstance(key, str) else "a value")

    def _reduced(self, value: Any) -> Iterator[bytes]:
        """Yield what pickle would keep of an object, which need not be what it would write."""
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            parts = value.__reduce_ex__(4) if reduce is None else reduce(value)
        except (Exception, SystemExit):  # noqa: BLE001 - it may raise anything
            raise self._unreadable(value) from None
        if isinstance(parts, str):  # the name of something that a module holds
            if not _is_held(value, parts):
                raise self._unreadable(value)
            yield parts.encode()
            yield self._value(type(value), "its class")
            return
        function, arguments, state, items, pairs = (*parts, None, None, None)[:5]
        if isinstance(state, dict):
            state = {name: part for name, part in state.items() if name != "_sklearn_version"}
        for part in (function, arguments):
            yield self._value(part, "its making")
        # Names and values of a state are walked by themselves, so that the message can name the one at fault.
        yield from (
            self._items(state) if isinstance(state, dict) else [self._value(state, "its state")]
        )
        for each in (items, pairs):
            yield self._value(list(each or ()), "its items")

    def _reference(self, unit: Any) -> bytes:
        """Return what stands for a function, a class or a module where it is used."""
        module = (
            unit.__name__ if isinstance(unit, ModuleType) else getattr(unit, "__module__", None)
        )
        module = (
            module if isinstance(module, str) else ""
        )  # of some compiled classes it is a descriptor
        name = getattr(unit, "__qualname__", "")
        package = installed_package(module)
        if package is not None and (
            isinstance(unit, ModuleType) or in_module(module, name) is unit
        ):
            self._packages.add(package)
            return f"installed {module}.{name}".encode()
        if not self._code:
            return f"named {stem(module)}.{name}".encode()
        if id(unit) not in self._numbers:
            self._numbers[id(unit)] = len(self._units)
            self._units.append(unit)
        return f"unit {self._numbers[id(unit)]}".encode()

    def _inside(self, unit: Any) -> Iterator[bytes]:
        if isinstance(unit, FunctionType):
            yield from self._function(unit)
        elif isinstance(unit, ModuleType):
            yield from self._module(unit)
        else:
            yield from self._class(unit)

    def _function(self, function: FunctionType) -> Iterator[bytes]:
        package = installed_package(function.__globals__.get("__name__", ""))
        if package is None:
            yield from self._instructions(function.__code__, function.__doc__)
            for name, found in reached(function.__code__, function.__globals__):
                yield name.encode()
                yield self._value(found, f"the global {name!r}")
        else:  # a closure that a package has made of something, such as a decorated function
            self._packages.add(package)
            yield function.__code__.co_qualname.encode()
        yield self._value(function.__defaults__, "a default")
        yield self._value(function.__kwdefaults__, "a default")
        for cell, name in zip(
            function.__closure__ or (), function.__code__.co_freevars, strict=True
        ):
            yield self._value(cell, f"the outer variable {name!r}")
        yield self._value(vars(function), "an attribute")

    def _class(self, kind: type) -> Iterator[bytes]:
        yield kind.__qualname__.encode()
        yield from _compiled(getattr(kind, "__module__", ""))
        for base in (type(kind), *kind.__bases__):
            yield self._value(base, "a base class")
        for name in sorted(set(vars(kind)) - _BESIDE):
            yield name.encode()
            yield self._value(vars(kind)[name], f"the attribute {name!r}")

    def _module(self, module: ModuleType) -> Iterator[bytes]:
        """Yield a module that is used as a whole: its source, and the code that it reaches."""
        yield module.__name__.encode()
        source = Path(getattr(module, "__file__", None) or "")
        if source.is_file():
            yield source.read_bytes()
        for name, value in sorted(vars(module).items()):
            if isinstance(value, (FunctionType, type, ModuleType)) and not name.startswith("__"):
                yield name.encode()
                yield self._value(value, f"{name!r}")

    def _instructions(self, code: CodeType, documentation: str | None) -> Iterator[bytes]:
        yield code.co_code
        yield getattr(code, "co_exceptiontable", b"")
        numbers = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        yield repr(
            (numbers, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        ).encode()
        for i, constant in enumerate(code.co_consts):
            if not (i == 0 and documentation is not None and constant == documentation):
                yield self._value(constant, "a constant")

    def _unreadable(self, value: Any, why: str = "") -> UnreadableError:
        where = " in ".join(reversed(self._trail[-3:]))
        return UnreadableError(f"{where} ({why or f'of type {type(value).__name__}'})")


def _is_guard(function: FunctionType) -> bool:
    """Tell whether errbar has put a function in the place of another for the time being."""
    return installed_package(function.__globals__.get("__name__", "")) == "errbar"


def _is_held(value: Any, name: str) -> bool:
    """Tell whether a module holds an object under a name, as pickle supposes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return in_module(whichmodule(value, name), name) is value
        except Exception:  # noqa: BLE001 - modules may raise anything when they are asked for a name
            return False


def _hash(*parts: bytes) -> str:
    state = blake2b(digest_size=16)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()


def _plain(value: Any) -> bytes:
    text = (
        hex(value) if type(value) is int else repr(value)
    )  # Python writes no decimal number of thousands of digits
    return f"{type(value).__name__} {text}".encode(errors="surrogatepass")


def _sort_key(item: Any) -> tuple[str, str]:
    """Return what sets are ordered by, so that what they hold is met in the same order in every process."""
    plain = type(item) in _PLAIN or isinstance(item, (tuple, frozenset))
    return type(item).__qualname__, repr(item) if plain else getattr(item, "__qualname__", "")


def _cell(cell: CellType) -> list[tuple[str, Any]]:
    try:
        return [("its value", cell.cell_contents)]
    except ValueError:
        return []


Parts = Callable[[Any], Iterable[tuple[str, Any]]]


def _attributes(*names: str) -> Parts:
    return lambda value: [(name.strip("_"), getattr(value, name)) for name in names]


def _numbered(value: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    return ((f"item {i}", item) for i, item in enumerate(value))


def _referred(reference: ReferenceType[Any]) -> list[tuple[str, Any]]:
    found = reference()
    return [("its object", found)] if isinstance(found, (FunctionType, type, ModuleType)) else []


# What objects of a type consist of, where pickle would refuse them or keep more than matters. Locks have no content,
# and what is only referred to weakly stands elsewhere too, or is made again, unless it is code.
_PARTS: dict[type, Parts] = {
    list: _numbered,
    tuple: _numbered,
    CellType: _cell,
    MethodType: _attributes("__func__", "__self__"),
    staticmethod: _attributes("__func__"),
    classmethod: _attributes("__func__"),
    property: _attributes("fget", "fset", "fdel"),
    cached_property: _attributes("func"),
}
_PARTS |= dict.fromkeys(
    (GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType, WrapperDescriptorType),
    _attributes("__name__"),
)
_PARTS[ReferenceType] = _referred
_PARTS |= dict.fromkeys(
    (WeakKeyDictionary, WeakValueDictionary, type(threading.Lock()), type(threading.RLock())),
    lambda _: (),
)


def _compiled(module: str) -> Iterator[bytes]:
    """Yield the bytes of a compiled module that is not installed: its functions have no code that could be read."""
    file = Path(getattr(sys.modules.get(module), "__file__", None) or "")
    if file.suffix in (".so", ".pyd") and file.is_file():
        yield file.read_bytes()
