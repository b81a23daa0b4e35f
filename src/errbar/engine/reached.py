"""What code reaches by name, and which of it was installed with a package."""

import builtins
import dis
import importlib
import runpy
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import blake2b
from importlib import import_module, metadata, util
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

BASE = ("numpy", "scipy", "sklearn")
"""Modules whose versions any fit depends on."""

_DISTRIBUTIONS = {"sklearn": "scikit-learn"}

_OF_MODULE = {id(one): one for one in (globals, eval, exec)}
_BY_NAME: dict[int, Any] = {
    id(one): one
    for one in (
        importlib.import_module,
        __import__,
        importlib.__import__,
        sys.modules,
        runpy.run_module,
        runpy.run_path,
    )
}
"""What finds code by its name when it runs: anything that the module of the code knows, or any module."""


def reached(code: CodeType, namespace: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the globals that a function uses, and of modules what it uses of these.

    Code that is found by a name which stands there is what that name stands for. Where it does not stand there, what
    finds it is itself yielded, which nobody can write down.
    """
    for (name, *attributes), argument in _global_names(code):
        if name not in namespace and not hasattr(builtins, name):
            yield name, "absent"
            continue
        value = namespace.get(name, getattr(builtins, name, None))
        path, found = _followed(name, value, attributes)
        if id(found) in _OF_MODULE:
            yield path, sys.modules.get(namespace.get("__name__", ""), found)
            yield from _written(argument, namespace)
        elif id(found) in _BY_NAME:
            yield path, _named(argument, namespace, found)
        elif name in namespace:
            yield path, found
    for level, module, names in _imports(code):
        found = _imported(level, module, namespace)
        for name in names or ("",):
            yield _followed(f"{'.' * level}{module}", found, [name] if name and name != "*" else [])


def finds_by_name(value: Any) -> bool:
    """Tell whether something finds code by its name when it runs."""
    return id(value) in _OF_MODULE or id(value) in _BY_NAME


def _written(text: str | None, namespace: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what code reaches that stands in a text."""
    try:
        code = compile(text or "", "text", "exec")
    except (SyntaxError, ValueError):
        return
    yield from reached(code, namespace)


def _named(name: str | None, namespace: Mapping[str, Any], finder: Any) -> Any:
    """Return the module of a name; what would find it if that is not known, or there is none."""
    if name is None:
        return finder
    if name in ("__name__", "__package__"):
        return sys.modules.get(namespace.get(name) or "", finder)
    level = len(name) - len(name.lstrip("."))
    found = _imported(level, name[level:], namespace)
    return finder if found == "absent" else found


def _followed(name: str, value: Any, attributes: Iterable[str]) -> tuple[str, Any]:
    """Follow attributes from module to module: of a project's module only what is used counts."""
    for attribute in attributes:
        if not isinstance(value, ModuleType):
            break
        found = getattr(value, attribute, None)
        if installed_package(value.__name__) is not None and not finds_by_name(found):
            break
        name, value = (
            f"{name}.{attribute}",
            "absent" if found is None and not hasattr(value, attribute) else found,
        )
    return name, value


def _imported(level: int, module: str, namespace: Mapping[str, Any]) -> Any:
    """Return a module that a function imports when it runs; one that cannot be had is absent."""
    try:
        full = (
            util.resolve_name("." * level + module, namespace.get("__package__"))
            if level
            else module
        )
        top = full.partition(".")[0]
        if top not in sys.modules and installed_package(top) is not None:
            return f"installed {full}"
        return import_module(full)
    except (Exception, SystemExit):  # noqa: BLE001 - a module may raise anything; its function will, too
        return "absent"


@cache
def _global_names(code: CodeType) -> tuple[tuple[tuple[str, ...], str | None], ...]:
    """Return the names of globals in code and what is nested in it, each with the attributes that are taken at once.

    With each comes the text, or the name of its own module, that stands right behind it, as the argument of a call does.
    """
    found: dict[tuple[tuple[str, ...], str | None], None] = {}
    chain: list[str] = []
    for step in (*dis.get_instructions(code), None):
        if step is not None and step.opname in ("PUSH_NULL", "PRECALL", "EXTENDED_ARG", "CACHE"):
            continue
        if chain and step is not None and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            chain.append(step.argval)
            continue
        named = (
            step is not None
            and step.opname.startswith("LOAD")
            and step.opname.endswith(("GLOBAL", "GLOBALS", "NAME"))
        )
        if chain:
            behind = None if step is None or not (named or "CONST" in step.opname) else step.argval
            known = isinstance(behind, str) and (not named or behind in ("__name__", "__package__"))
            found[tuple(chain), behind if known else None] = None
        chain = [step.argval] if step is not None and named else []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= dict.fromkeys(_global_names(constant))
    return tuple(found)


@cache
def _imports(code: CodeType) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    """Return what code and what is nested in it import: how many levels up, the module, and the names taken from it."""
    found: list[tuple[int, str, tuple[str, ...]]] = []
    constants: list[Any] = []
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            level, names = constants[-2:] if len(constants) > 1 else (0, None)
            found.append((level, step.argval, tuple(names or ())))
        elif "CONST" in step.opname or step.opname == "LOAD_SMALL_INT":
            constants.append(step.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += _imports(constant)
    return tuple(found)


@cache
def installed_package(module: str) -> str | None:
    """Return the name of the package that a module was installed with, "python" for its own; None for anybody's own code.

    A package that is installed in place, to be edited there, is somebody's own code.
    """
    top = module.partition(".")[0]
    if top in ("__main__", "__mp_main__", ""):
        return None
    if top == "errbar":
        return top
    if top in sys.builtin_module_names:
        return "python"
    file = _file(module) or _file(top)
    if file is None:
        return "python" if top in sys.stdlib_module_names else None
    if {"site-packages", "dist-packages"} & set(file.parts):
        return top if _is_distributed(top) else None
    if any(file.is_relative_to(place) for place in _python_places()):
        return "python"
    return top if _lists(top, file) else None


def _file(module: str) -> Path | None:
    found = getattr(sys.modules.get(module), "__file__", None)
    if found is None and module and "." not in module:
        try:
            spec = util.find_spec(module)
        except (ImportError, ValueError, AttributeError):
            return None
        found = spec.origin if spec is not None and spec.has_location else None
    return Path(found) if found else None


@cache
def _python_places() -> tuple[Path, ...]:
    return tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))


@cache
def _is_distributed(top: str) -> bool:
    return top in BASE or top in metadata.packages_distributions()


def _lists(top: str, file: Path) -> bool:
    """Tell whether a distribution says that a file is of its own; one that is installed in place does not."""
    for name in metadata.packages_distributions().get(top, ()):
        listed = metadata.distribution(name).files or ()
        if any(each.locate() == file for each in listed):
            return True
    return False


@cache
def package_versions(module: str, loaded: str) -> dict[str, str]:
    """Return the version of each distribution of a module: the installed one, and the loaded one if that is another."""
    known = _DISTRIBUTIONS.get(module, module)
    names = [known] if module in BASE else metadata.packages_distributions().get(module, [known])
    found = {}
    for name in sorted(set(names)):
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = loaded or "not installed"
        other = loaded and loaded != installed and len(set(names)) == 1
        found[name] = f"{installed} (loaded {loaded})" if other else installed
    return found


@cache
def own_version() -> str:
    """Return the version of errbar; in a checkout, where the number does not follow the code, with a digest of this."""
    place = Path(__file__).parents[1]
    version = package_versions("errbar", "")["errbar"]
    if {"site-packages", "dist-packages"} & set(place.parts):
        return version
    state = blake2b(digest_size=4)
    for source in sorted(place.rglob("*.py")):
        state.update(source.read_bytes())
    return f"{version}+{state.hexdigest()}"


def in_module(module: str, name: str) -> Any:
    """Return what a module holds under a dotted name; None if nothing."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
